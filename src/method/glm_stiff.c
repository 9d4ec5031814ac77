/* The error of v that stiff forces leave in a step of collocation.
 *
 * Stiff forces hold q at the stages as constraints do, and v is the derivative of the polynomial p
 * of degree s through q_n and the stages:
 *     q - p = C x prod(x - c_i),   so that v_{n+1} is wrong by C/h prod_{i < s} (1 - c_i)
 * whatever v_n was. Stages and q_n do not tell C, and v_n would only if it was right itself: it has
 * such an error of the step before. The state before that one does, with rho = h_before / h:
 *     q_{n-1} - p(-rho) = C omega(-rho),   omega(x) = x prod(x - c_i),
 *     p(-rho) = q_n + h int_0^{-rho} V(x) dx, V through the velocities of the stages.
 * Without it (first step, Gauss, several points of the past) the estimate of q serves, divided by
 * gamma h, with the past or from the stages alone, whichever is smaller.
 * On Lie groups all this is done in the coordinates of the step. */
#include "method/glm.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>

/* Of eps: what rounding and Newton's iteration may leave in q. */
static const double margin = 10;

/* int_0^x of the Lagrange polynomials of the nodes; their degree is at most 4. */
static void integrals(const glm_table *t, double x, double *w) {
    static const double node[] = {0.1127016653792583, 0.5, 0.8872983346207417};
    static const double weight[] = {5.0 / 18, 4.0 / 9, 5.0 / 18};
    double l[GLM_STAGES];
    vec_zero(t->stages, w);
    for (int k = 0; k < 3; k++) {
        glm_lagrange(t->stages, t->c, x * node[k], l);
        vec_add(t->stages, x * weight[k], l, w);
    }
}

/* C prod_{i < s} (1 - c_i), less rounding, for every coordinate. */
static void held_error(const stepper *s, const glm *g, double h, double *dq) {
    const glm_table *t = &g->used->table;
    const form *f = &g->used->form;
    double x = -g->last_h / h, omega = x, end = 1, w[GLM_STAGES], noise = 0;
    integrals(t, x, w);
    sodae_space_difference(s->e->space, s->now.q, g->before, dq);
    for (int i = 0; i < t->stages; i++) {
        const double *rate = f->curve ? form_coordinate_rate(f, i) : f->stage[i].v;
        vec_add(s->e->nv, -h * w[i], rate, dq);
        noise += fabs(h * w[i]) * vec_max(s->e->nv, rate);
        omega *= x - t->c[i];
        if (i < t->stages - 1) end *= 1 - t->c[i];
    }
    noise = margin * DBL_EPSILON * (noise + vec_max(s->e->nq, s->now.q));
    glm_less(s->e->nv, NULL, noise, dq);
    vec_scale(s->e->nv, end / omega, dq);
}

/* Takes from dq what position constraints hold, along the reactions at the new state: a stiff force
 * between a held and a free body sees the error of the free one, not the difference of the two. In
 * the minimal extension dependent coordinates follow. */
static sodae_status tangent_part(const stepper *s, glm *g, double *dq) {
    form *f = &s->c->acceleration;
    double *b = f->newton.res;
    sodae_point at = state_point(&s->next);
    if (!s->e->nl || !g->held) return SODAE_OK;
    if (g->kind == &form_minimal) return form_follow(&g->filter, &at, dq);
    vec_zero(f->n, b);
    pattern_multiply(&s->e->G, f->G, 1, dq, b + f->row0[ROW_ACCELERATION]);
    linear_solve(&f->linear, b);
    vec_add(s->e->nv, -1, b, dq);
    return SODAE_OK;
}

sodae_status glm_stiff_velocity(stepper *s, glm *g, double h, double *dv) {
    const glm_table *t = &g->used->table;
    int known = g->last_stages && t->steps == 1 && t->stiffly;
    sodae_status st = SODAE_OK;
    if (known)
        held_error(s, g, h, g->df), st = tangent_part(s, g, g->df);
    else
        glm_own_error_q(s, g, h, g->df);
    if (!st) st = error_stiff(s, &g->filter, g->df, g->room, dv);
    vec_scale(s->e->nv, 1 / (known ? h : g->filter.cv[0]), dv);
    return st;
}
