/* Several stages on a Lie group, the second derivatives of whose coordinates are collocated. With
 * q_i = q_n o exp(theta_i) the polynomial theta has theta''_j at the stages, and
 *
 *     theta_i = dq_i + sum_j cq_ij theta''_j,     theta'_i = v0_i + sum_j cv_ij theta''_j,
 *     v = T(theta) theta',     a = T(theta) theta'' + (d/dt T(theta)) theta'.
 *
 * The unknowns are the accelerations a_j: theta'' = T^-1 (a - T' theta') is found by iteration,
 * which converges like that of a Volterra equation. T = sum_k (-ad_theta)^k / (k+1)!, so that with
 * y_0 = theta', y_k = [theta, y_{k-1}]
 *
 *     T' theta' = sum_k (-1)^k / (k+1)! z_k,   z_k = [theta', y_{k-1}] + [theta, z_{k-1}]:
 *
 * [theta', [theta, theta']] / 6 and smaller terms. For the iteration matrix the variation T dtheta
 * of q_i is sum_j cq_ij (1 + ad_{theta_j - theta_i} / 2) da_j, but for the square of the turn
 * between two stages; those of v are sum_j cv_ij da_j likewise. */
#include "formulation/curve.h"

#include "base/vec.h"

#include <float.h>

enum { MOST = 100, TERMS = 60 };

/* w -= T' u for theta' = u. Buffers: y, z, b of nv numbers each. */
static void take_centrifugal(const form *f, const double *theta, const double *u, double *room,
                             double *w) {
    const sodae_space *space = f->e->space;
    int nv = f->e->nv;
    double *y = room, *z = y + nv, *b = z + nv, c = 1, size = 1;
    vec_copy(nv, u, y), vec_zero(nv, z);
    for (int k = 1; k < TERMS && size > DBL_EPSILON * DBL_EPSILON; k++) {
        c /= -(k + 1);
        sodae_space_bracket(space, theta, z, b);
        sodae_space_bracket(space, u, y, z);
        vec_add(nv, 1, b, z);
        sodae_space_bracket(space, theta, y, b);
        vec_copy(nv, b, y);
        vec_add(nv, -c, z, w);
        size = fabs(c) * fmax(vec_max(nv, z), vec_max(nv, y));
    }
    if (!(size <= DBL_EPSILON * DBL_EPSILON)) w[0] = NAN; /* turned too far */
}

/* theta_i and theta'_i from theta''; the largest change of theta, relative. */
static double move(form *f) {
    form_curve *c = f->curve;
    int s = f->stages, nv = f->e->nv;
    double change = 0;
    for (int i = 0; i < s; i++) {
        form_stage *g = &f->stage[i];
        double *u = c->u + i * nv;
        vec_copy(nv, g->dq, c->e), vec_copy(nv, g->v0, u);
        for (int j = 0; j < s; j++) {
            vec_add(nv, f->cq[i * s + j], c->w + j * nv, c->e);
            vec_add(nv, f->cv[i * s + j], c->w + j * nv, u);
        }
        for (int k = 0; k < nv; k++)
            change = larger(change, fabs(c->e[k] - g->theta[k]) / fmax(1, fabs(g->theta[k])));
        vec_copy(nv, c->e, g->theta);
    }
    return change;
}

/* v = T(theta) theta'. */
static void turn_velocity(form *f, int i) {
    const sodae_space *space = f->e->space;
    form_stage *g = &f->stage[i];
    const double *u = f->curve->u + i * f->e->nv;
    vec_copy(f->e->nv, u, g->v);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *part = &space->parts[p];
        if (part->group->abelian) continue;
        sodae_space_tangent(space, p, g->theta, f->curve->T);
        vec_zero(part->nv, g->v + part->v0);
        for (int j = 0; j < part->nv; j++)
            vec_add(part->nv, u[part->v0 + j], f->curve->T + j * part->nv, g->v + part->v0);
    }
}

void form_swing(form *f) {
    form_curve *c = f->curve;
    int s = f->stages, nv = f->e->nv;
    double *room = c->ad; /* has room for s nv columns and more */
    for (int j = 0; j < s; j++) vec_copy(nv, f->stage[j].a, c->w + j * nv);
    double change = move(f), last = INFINITY;
    if (!isfinite(change)) change = INFINITY;
    for (int it = 0; it < MOST && change > DBL_EPSILON && !(change >= last && change < 1e-14);
         it++) {
        for (int j = 0; j < s; j++) {
            const form_stage *g = &f->stage[j];
            vec_copy(nv, g->a, c->e);
            take_centrifugal(f, g->theta, c->u + j * nv, room, c->e);
            form_to_coordinates(f, g->theta, c->e, c->w + j * nv);
        }
        last = change;
        change = move(f);
    }
    for (int i = 0; i < s; i++) {
        form_stage *g = &f->stage[i];
        if (!(change < 1e-10)) g->theta[0] = NAN; /* turned too far: a smaller step */
        turn_velocity(f, i);
        sodae_space_retract(f->e->space, g->q0, g->theta, g->q);
    }
}

void form_vary_swing(form *f) {
    form_curve *c = f->curve;
    const sodae_space *space = f->e->space;
    int s = f->stages, nv = f->e->nv;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            double *way = c->w; /* placed again before it is used */
            for (int k = 0; k < nv; k++) way[k] = f->stage[j].theta[k] - f->stage[i].theta[k];
            form_curve_bracket(f, way, c->ad);
            for (int p = 0; p < space->nparts; p++) {
                const sodae_part *part = &space->parts[p];
                int m = part->nv;
                if (part->group->abelian) continue;
                double *D = form_curve_block(f, c->D, p, i, j);
                for (int l = 0; l < m; l++)
                    for (int k = 0; k < m; k++)
                        D[l * m + k] =
                            f->cq[i * s + j] * ((k == l) + c->ad[l * nv + part->v0 + k] / 2);
            }
        }
}
