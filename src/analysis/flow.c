/* The solutions of a regular linear system with coefficients of t. With R the orthonormal rows of
 * A2 of (2.17), scaled, y on the manifold is P y + c, P = I - R^T R, c = -R^T f2; of the array one
 * level higher, M z = N y + g, the first block of z is y' (004 Theorem 2.1.8, (2.8)). P, c and y'
 * do not depend on the bases that are found at each t. */
#include "analysis/array.h"

#include "base/failure.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-9

struct sodae_linear_flow {
    arena memory;
    sodae_linear_system system;
    array_units units;
    int size, mu, d, a;
};

static ranks ranks_in(arena *a) {
    return (ranks){.a = a, .tolerance = TOLERANCE, .kept = INFINITY};
}

/* From scaled units to those of y: rows by columns[i], those of a matrix divided by columns[j].
 * Entries that are rounding errors become 0. */
static void unscale(ranks *w, const array_series *s, mat X, int vector, double factor,
                    double *out) {
    mat clean = mat_cleaned(w, X, 1e-13 * vec_max(X.m * X.n, X.x));
    for (int j = 0; j < X.n && !w->failed; j++)
        for (int i = 0; i < s->n; i++)
            out[i + (long)s->n * j] =
                *mat_at(clean, i, j) * s->columns[i] * factor / (vector ? 1 : s->columns[j]);
}

static void on_manifold(ranks *w, const array_series *s, const array_parts *p, double *P,
                        double *c) {
    mat ZN = mat_tproduct(w, p->Z, p->N), W = mat_row_basis(w, ZN), R = mat_product(w, W, ZN);
    mat f2 = mat_product(w, W, mat_tproduct(w, p->Z, p->g));
    mat Rt = mat_transposed(w, R);
    mat projector = mat_sum(w, 1, mat_identity(w, s->n), -1, mat_product(w, Rt, R));
    mat rest = mat_product(w, Rt, f2);
    if (w->failed) return;
    unscale(w, s, projector, 0, 1, P);
    unscale(w, s, rest, 1, -1, c);
}

static void along_it(ranks *w, const array_series *s, int level, double *B, double *b) {
    array_parts p;
    array_parts_make(w, s, level, &p);
    mat inverse = mat_pseudo_inverse(w, p.M);
    mat By = mat_product(w, inverse, p.N), bg = mat_product(w, inverse, p.g);
    if (w->failed) return;
    unscale(w, s, By, 0, 1 / s->tau, B);
    unscale(w, s, bg, 1, 1 / s->tau, b);
}

sodae_status sodae_linear_flow_at(const sodae_linear_flow *f, double t, double *P, double *c,
                                  double *B, double *b) {
    arena a = {0};
    ranks w = ranks_in(&a);
    array_series s;
    array_parts p;
    sodae_strangeness q = {.t = t};
    int vanishing = 0;
    int bad = array_first_order(&w, &f->system, &f->units.first, t, f->mu + 2, &s);
    int changed = 1;
    if (!bad) {
        changed = !array_level(&w, &s, f->mu, &vanishing, &q, NULL) || q.d != f->d || q.a != f->a;
        array_parts_make(&w, &s, f->mu, &p);
        on_manifold(&w, &s, &p, P, c);
        along_it(&w, &s, f->mu + 1, B, b);
    }
    arena_free(&a);
    if (w.failed) return SODAE_NO_MEMORY;
    return bad ? SODAE_NOT_FINITE : changed ? SODAE_SINGULAR : SODAE_OK;
}

int sodae_linear_flow_size(const sodae_linear_flow *f) {
    return f->size;
}

void sodae_linear_flow_free(sodae_linear_flow *f) {
    if (f) arena_free(&f->memory);
    free(f);
}

static sodae_status refuse(const sodae_strangeness *q, sodae_failure *why) {
    if (!q->found)
        return failure_set(why, SODAE_NOT_ALLOWED, "",
                           "no strangeness index is found at t = %g: analysed, not integrated",
                           q->t);
    if (q->u || q->v)
        return failure_set(why, SODAE_NOT_ALLOWED, "",
                           "not regular at t = %g (u = %d undetermined, v = %d redundant): "
                           "analysed, not integrated",
                           q->t, q->u, q->v);
    return failure_set(why, SODAE_NOT_ALLOWED, "",
                       "the ranks at t = %g are not decided: analysed, not integrated", q->t);
}

/* Units from 65 points of the interval, quantities at t0. */
static sodae_status open(sodae_linear_flow *f, double t0, double t1, sodae_failure *why) {
    double t[SODAE_ALONG_POINTS];
    sodae_strangeness q;
    ranks w = ranks_in(&f->memory);
    for (int i = 0; i < SODAE_ALONG_POINTS; i++)
        t[i] = t0 + (t1 - t0) * i / (SODAE_ALONG_POINTS - 1);
    if (array_units_find(&w, &f->system, t, t1 > t0 ? SODAE_ALONG_POINTS : 1, &f->units))
        return failure_set(why, w.failed ? SODAE_NO_MEMORY : SODAE_NOT_FINITE, "",
                           "the coefficients are not finite");
    sodae_status st = sodae_strangeness_at(&f->system, t0, &q, NULL);
    if (st) return st;
    if (!q.decided || q.u || q.v) return refuse(&q, why);
    f->mu = q.mu, f->d = q.d, f->a = q.a;
    f->size = q.d + q.a;
    return SODAE_OK;
}

sodae_status sodae_linear_flow_open(const sodae_linear_system *system, double t0, double t1,
                                    sodae_linear_flow **out, sodae_failure *why) {
    sodae_failure local;
    if (!why) why = &local;
    sodae_linear_flow *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    f->system = *system;
    sodae_status st = open(f, t0, t1, why);
    if (st)
        sodae_linear_flow_free(f);
    else
        *out = f;
    return st;
}
