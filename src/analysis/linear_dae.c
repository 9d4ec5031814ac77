/* Strangeness and differentiation index of A2 x'' + A1 x' + A0 x = f and of its first order forms.
 */
#include "analysis/scaling.h"
#include "analysis/strangeness.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

#define TOLERANCE 1e-9

/* More steps than this and the right side is no longer followed. */
enum { MOST_FOLLOWED = 10 };

/* Rounding becomes zero, rows of size one. The factor of the row. */
static double tidy_row(ranks *w, double *const *x, const int *m, int count, int n, int i) {
    double size = 0;
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++) size = fmax(size, fabs(x[k][i + (long)m[k] * j]));
    int zero = size <= w->tolerance;
    (zero ? ranks_drop : ranks_keep)(w, size);
    for (int k = 0; k < count; k++)
        for (int j = 0; j < n; j++) {
            double *entry = &x[k][i + (long)m[k] * j];
            int small = fabs(*entry) < 1e-4 * w->tolerance * size;
            *entry = zero || small ? 0 : *entry / size;
        }
    return zero ? 1 : 1 / size;
}

static void tidy2(ranks *w, pencil2 p) {
    double *x[3] = {p.A2.x, p.A1.x, p.A0.x};
    for (int i = 0; i < p.A0.m; i++) {
        double factor = tidy_row(w, x, (int[]){p.A2.m, p.A1.m, p.A0.m}, 3, p.A0.n, i);
        for (int j = 0; j < p.F.n; j++) *mat_at(p.F, i, j) *= factor;
    }
}

static void tidy1(ranks *w, pencil1 p) {
    double *x[2] = {p.E.x, p.A.x};
    for (int i = 0; i < p.E.m; i++) tidy_row(w, x, (int[]){p.E.m, p.A.m}, 2, p.E.n, i);
}

/* Each form keeps its own record. */
static void forget(ranks *w) {
    w->kept = INFINITY;
    w->dropped = 0;
}

static int strange(const sodae_second_order_quantities *q) {
    return q->s012 + q->s12 + q->s02 + q->s01;
}

/* Steps until p is strangeness-free. */
static sodae_status free_of_strangeness(ranks *w, pencil2 *p, int plain, int *steps,
                                        sodae_second_order_quantities *q) {
    int most = 2 * p->A0.n + 2;
    for (*steps = 0; strange(q) > 0; ++*steps) {
        if (w->failed) return SODAE_NO_MEMORY;
        if (*steps == most) return SODAE_SINGULAR;
        *p = strangeness_reduce2(w, *p, plain);
        if (*steps >= MOST_FOLLOWED) p->F = mat_zero(w, p->F.m, 0);
        if (!w->failed) tidy2(w, *p);
        *q = strangeness_quantities2(w, *p);
    }
    return w->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* *p becomes strangeness-free if its right side is followed; then the ranks of both ways count. */
static sodae_status second_order(ranks *w, pencil2 *p, sodae_linear_report *report) {
    pencil2 q = {p->A2, p->A1, p->A0, mat_zero(w, p->A0.m, 0)};
    forget(w);
    report->initial = report->final = strangeness_quantities2(w, q);
    sodae_status st = free_of_strangeness(w, &q, 0, &report->mu, &report->final);
    sodae_second_order_quantities plain = report->initial;
    int steps = 0;
    if (!st && p->F.n) st = free_of_strangeness(w, p, 1, &steps, &plain);
    report->gap = ranks_gap(w);
    if (steps > 0 && memcmp(&plain, &report->final, sizeof plain) != 0) report->gap.clear = 0;
    return st;
}

/* A regular pencil of strangeness index mu has differentiation index mu + 1, or 0 without
 * algebraic equations. */
static sodae_status first_order(ranks *w, pencil1 p, sodae_first_order_report *report) {
    int most = p.E.n + 2;
    forget(w);
    report->size = p.E.m;
    report->initial = report->final = strangeness_quantities1(w, p);
    for (report->mu = 0; report->final.s > 0; report->mu++) {
        if (w->failed) return SODAE_NO_MEMORY;
        if (report->mu == most) return SODAE_SINGULAR;
        p = strangeness_reduce1(w, p);
        if (!w->failed) tidy1(w, p);
        report->final = strangeness_quantities1(w, p);
    }
    report->gap = ranks_gap(w);
    int regular = report->final.u == 0 && report->final.v == 0;
    report->d_index = !regular ? -1 : report->final.a == 0 ? 0 : report->mu + 1;
    return w->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* y = (v, x) with v = S^T x' for the columns of S, x = S S^T x + T T^T x:
 *   A2 S v' + A1 T T^T x' + A1 S v + A0 x = f,  S^T x' - v = 0 */
static pencil1 companion(ranks *w, pencil2 p, mat S, mat T) {
    mat St = mat_transposed(w, S), Tt = mat_transposed(w, T);
    mat slow = mat_product(w, mat_product(w, p.A1, T), Tt);
    mat top = mat_joined(w, mat_product(w, p.A2, S), slow);
    mat bottom = mat_joined(w, mat_zero(w, S.n, S.n), St);
    mat right = mat_joined(w, mat_product(w, p.A1, S), p.A0);
    mat rest = mat_joined(w, mat_identity(w, S.n), mat_zero(w, S.n, p.A0.n));
    return (pencil1){mat_above(w, top, bottom),
                     mat_above(w, mat_sum(w, -1, right, 0, right), rest)};
}

/* Regular together, as many free initial values, d-index the same or one more. */
static int agree(const sodae_linear_report *r) {
    const sodae_first_order_report *all = &r->all, *velocities = &r->velocities;
    int regular = r->final.u == 0 && r->final.v == 0, more = all->d_index - velocities->d_index;
    if ((all->d_index >= 0) != regular || (velocities->d_index >= 0) != regular) return 0;
    int freedom = 2 * r->final.d2 + r->final.d1;
    if (regular && (all->final.d != freedom || velocities->final.d != freedom)) return 0;
    return !regular || more == 0 || more == 1;
}

/* Doubt about one form is doubt about all. */
static void compare(sodae_linear_report *r) {
    r->agree = agree(r);
    int clear = r->agree && r->gap.clear && r->all.gap.clear && r->velocities.gap.clear;
    r->gap.clear = r->all.gap.clear = r->velocities.gap.clear = clear;
}

/* All three forms; *p becomes strangeness-free. */
static sodae_status reduce(ranks *w, pencil2 *p, sodae_linear_report *report) {
    int n = p->A0.n;
    mat T = mat_kernel(w, p->A2), S = mat_left_kernel(w, T);
    sodae_status st =
        first_order(w, companion(w, *p, mat_identity(w, n), mat_zero(w, n, 0)), &report->all);
    if (!st) st = first_order(w, companion(w, *p, S, T), &report->velocities);
    if (!st) st = second_order(w, p, report);
    if (!st) compare(report);
    return st;
}

static sodae_status analyse(ranks *w, int n, const double *A2, const double *A1, const double *A0,
                            sodae_linear_report *report, sodae_linear_form *form) {
    pencil2 p = {mat_copy(w, n, n, A2), mat_copy(w, n, n, A1), mat_copy(w, n, n, A0),
                 form ? mat_identity(w, n) : mat_zero(w, n, 0)};
    scaling s = scaling_apply(w, p);
    if (w->failed) return SODAE_NO_MEMORY;
    sodae_status st = reduce(w, &p, report);
    if (!st && form) st = scaling_write(&s, p, form);
    return st;
}

sodae_status sodae_linear_dae_analyse(int n, const double *A2, const double *A1, const double *A0,
                                      double tolerance, sodae_linear_report *report,
                                      sodae_linear_form *form) {
    arena a = {0};
    if (form) *form = (sodae_linear_form){0};
    if (n < 1 || !A2 || !A1 || !A0 || !report || isnan(tolerance)) return SODAE_BAD_ARGUMENT;
    for (int i = 0; i < n * n; i++)
        if (!isfinite(A2[i]) || !isfinite(A1[i]) || !isfinite(A0[i])) return SODAE_NOT_FINITE;
    *report = (sodae_linear_report){.n = n, .tolerance = tolerance > 0 ? tolerance : TOLERANCE};
    ranks w = {.a = &a, .tolerance = report->tolerance, .kept = INFINITY};
    sodae_status st = analyse(&w, n, A2, A1, A0, report, form);
    arena_free(&a);
    return st;
}
