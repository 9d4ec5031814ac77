/* Local error of collocation and general linear methods by an embedded quadrature.
 *
 * With the points x = (past, nodes) and the rates f (v for q, v' for v, r' for r) known there,
 *     e = h f[x_1, .., x_{k+s}] int_0^1 prod_{m < k+s} (x - x_m) dx
 * is the difference between the formula and the quadrature that leaves out the last node:
 * O(h^{k+s}) while the method itself gives q to O(h^{k+2s-1}). With holonomic constraints at
 * position level the accelerations of the stages are of order k + s - 2 only and so is e / h for v,
 * as the true error. Multipliers: the last one against the polynomial through the others and the
 * present one. */
#include "method/glm.h"

#include "base/vec.h"
#include "method/error.h"

/* Sum of the rates with the weights of the error; `at` is their place in the unknowns. */
static void combine(const glm_set *set, double h, int n, const double *now, int at, double *e) {
    const glm_table *t = &set->table;
    for (int m = 0; m < n; m++) {
        e[m] = h * t->past_error[0] * now[m];
        for (int i = 0; i < t->stages; i++)
            e[m] += h * t->stage_error[i] * set->form.x[i * set->form.n + at + m];
    }
}

/* Lambda_s against the polynomial through Lambda_1, .., Lambda_{s-1} and lambda_n. */
static double multipliers(const stepper *s, const glm *g) {
    const glm_set *set = g->used;
    const form *f = &set->form;
    int n = set->table.stages, nl = s->e->nl, np = s->e->np;
    double c[GLM_ROWS] = {0}, w[GLM_ROWS];
    for (int i = 0; i < n - 1; i++) c[i + 1] = set->table.c[i];
    glm_lagrange(n, c, set->table.c[n - 1], w);
    for (int m = 0; m < nl + np; m++) {
        double now = m < nl ? s->now.lambda[m] : s->now.psi[m - nl];
        g->dl[m] = f->x[(n - 1) * f->n + f->at_lambda + m] - w[0] * now;
        for (int i = 0; i < n - 1; i++) g->dl[m] -= w[i + 1] * f->x[i * f->n + f->at_lambda + m];
    }
    return error_norm_lambda(s, g->dl, g->dl + nl);
}

sodae_status glm_error(stepper *s, double h, step_error *out) {
    glm *g = s->memory;
    const glm_set *set = g->used;
    const glm_table *t = &set->table;
    const eval *e = s->e;
    combine(set, h, e->nv, s->now.vdot, 0, g->dv);
    combine(set, h, e->nr, s->now.rdot, set->form.at_y, g->dr);
    vec_zero(e->nv, g->dq);
    vec_add(e->nv, h * t->past_error[0], s->now.v, g->dq);
    for (int i = 0; i < t->stages; i++)
        vec_add(e->nv, h * t->stage_error[i], set->form.stage[i].v, g->dq);
    for (int j = 1; j < t->steps; j++) {
        const glm_point *p = &g->past[j - 1];
        vec_add(e->nv, h * t->past_error[j], p->v, g->dq);
        vec_add(e->nv, h * t->past_error[j], p->vdot, g->dv);
        vec_add(e->nr, h * t->past_error[j], p->rdot, g->dr);
    }
    int full = t->steps + t->stages; /* e ~ h^full for smooth rates */
    int low = e->nl && g->kind == &form_index3;
    double q = larger(error_norm_q(s, g->dq), error_norm_r(s, g->dr));
    double v = error_norm_v(s, g->dv), l = multipliers(s, g);
    double size = larger(larger(q, v), l);
    int order = size == l ? full - 2 : size == v && low ? full - 1 : full;
    *out = (step_error){.size = size, .order = order > 1 ? order : 1};
    return SODAE_OK;
}
