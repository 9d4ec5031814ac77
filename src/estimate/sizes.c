#include "estimate/sizes.h"

#include "base/tuning.h"
#include "base/vec.h"

TUNING(known_digit, 10, "accelerations of fewer times their rounding have no digit that is known");

int sizes_turns(const sodae_part *part, int k) {
    if (part->group == &sodae_se3) return k >= 3;
    return !part->group->abelian;
}

double sizes_turn(const sodae_space *space, const double *x) {
    double most = 0;
    for (int p = 0; p < space->nparts && !space->abelian; p++) {
        const sodae_part *g = &space->parts[p];
        const double *w = x + g->v0 + (g->group == &sodae_se3 ? 3 : 0);
        int rotates = g->group == &sodae_so3 || g->group == &sodae_so3_quaternion ||
                      g->group == &sodae_s3 || g->group == &sodae_se3;
        if (rotates) most = fmax(most, sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]));
    }
    return most;
}

static double at_least_something(double size) {
    return size > 0 && isfinite(size) ? size : 1;
}

/* Where direction k of a part does not rotate it is the k-th number of q. */
sizes sizes_at(const sodae_space *space, const state *x, const double *noise) {
    double q = 0, v[2] = {0, 0}, a[2] = {0, 0}, rounding[2] = {0, 0};
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *g = &space->parts[i];
        for (int k = 0; k < g->nv; k++) {
            int turns = sizes_turns(g, k);
            if (!turns) q = fmax(q, fabs(x->q[g->q0 + k]));
            v[turns] = fmax(v[turns], fabs(x->v[g->v0 + k]));
            a[turns] = fmax(a[turns], fabs(x->vdot[g->v0 + k]));
            if (noise) rounding[turns] = fmax(rounding[turns], fabs(noise[g->v0 + k]));
        }
    }
    for (int i = 0; i < 2; i++)
        if (a[i] <= known_digit * rounding[i]) a[i] = 0;
    sizes s = {.q = at_least_something(q)};
    s.v = at_least_something(fmax(v[0], sqrt(s.q * a[0])));
    s.turn_v = at_least_something(fmax(v[1], sqrt(a[1])));
    return s;
}

void sizes_of_rows(const sodae_space *space, const sizes *s, int rates, const pattern *A,
                   const double *values, double *c) {
    double most = 0;
    vec_zero(A->rows, c);
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *g = &space->parts[i];
        for (int k = 0; k < g->nv; k++) {
            int j = g->v0 + k, turns = sizes_turns(g, k);
            double size = rates ? (turns ? s->turn_v : s->v) : (turns ? 1 : s->q);
            for (int l = A->colptr[j]; l < A->colptr[j + 1]; l++)
                c[A->rowind[l]] += fabs(values[l]) * size;
        }
    }
    for (int i = 0; i < A->rows; i++) most = fmax(most, c[i]);
    for (int i = 0; i < A->rows; i++)
        if (!(c[i] > 0)) c[i] = at_least_something(most);
}
