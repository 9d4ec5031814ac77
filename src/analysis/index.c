/* The index of a problem: conditions (7.4) and (4.3) of paper 004 and the linearised equations. */
#include <sodae/analysis.h>
#include <sodae/integrator.h>

#include "analysis/linearise.h"
#include "analysis/subspace.h"
#include "base/failure.h"
#include "base/vec.h"
#include "linear/lapack.h"

enum { MOST_LINEAR = 300, MOST = 3000 };

/* X <- A^-1 X; 0, or 1 when A is singular. A is overwritten. */
static int solve(frozen *z, int n, double *A, double *X, int columns) {
    int *pivots = arena_ints(&z->a, (size_t)n), info = 0;
    if (n == 0 || columns == 0) return 0;
    if (!pivots) return 1;
    dgetrf_(&n, &n, A, &n, pivots, &info);
    if (info == 0) dgetrs_("N", &n, &columns, A, &n, pivots, X, &n, &info);
    return info != 0;
}

/* The matrices of the conditions; m = nlambda + npsi. */
typedef struct parts {
    int nv, m;
    double *M, *C, *Ct; /* mass, constraints and their transpose */
    double *B;          /* -f_lambda + f_w d_w^-1 d_lambda, -f_psi: what multipliers do to M v' */
} parts;

/* B += f_w d_w^-1 d_lambda; 1 in *singular when d_w is. */
static sodae_status add_auxiliary(frozen *z, parts *x, int *singular) {
    int nv = x->nv, nw = z->e.nw, nl = z->e.nl;
    double *dw = arena_doubles(&z->a, (size_t)nw * (size_t)nw);
    double *dl = arena_doubles(&z->a, (size_t)nw * (size_t)nl);
    double *fw = arena_doubles(&z->a, (size_t)nv * (size_t)nw);
    if (!dw || !dl || !fw) return SODAE_NO_MEMORY;
    sodae_status st = frozen_add(z, SODAE_AUXILIARY, SODAE_W, 1, dw, nw, 0, 0);
    if (!st) st = frozen_add(z, SODAE_AUXILIARY, SODAE_LAMBDA, 1, dl, nw, 0, 0);
    if (!st) st = frozen_add(z, SODAE_FORCE, SODAE_W, 1, fw, nv, 0, 0);
    if (st) return st;
    *singular = solve(z, nw, dw, dl, nl);
    for (int j = 0; j < nl; j++)
        for (int k = 0; k < nw; k++) vec_add(nv, dl[k + nw * j], fw + nv * k, x->B + nv * j);
    return SODAE_OK;
}

static sodae_status collect(frozen *z, parts *x, int *singular) {
    int nv = x->nv = z->e.nv, nl = z->e.nl, m = x->m = nl + z->e.np;
    size_t size = (size_t)nv * (size_t)m;
    x->M = arena_doubles(&z->a, (size_t)nv * (size_t)nv);
    x->C = arena_doubles(&z->a, size), x->Ct = arena_doubles(&z->a, size);
    x->B = arena_doubles(&z->a, size);
    if (z->a.failed) return SODAE_NO_MEMORY;
    sodae_status st = frozen_mass(z, x->M, nv);
    if (!st) st = frozen_constraint(z, 1, x->C, m, 0);
    if (!st) st = frozen_constraint(z, 0, x->C, m, nl);
    if (!st) st = frozen_add(z, SODAE_FORCE, SODAE_LAMBDA, -1, x->B, nv, 0, 0);
    if (!st) st = frozen_add(z, SODAE_FORCE, SODAE_PSI, -1, x->B, nv, 0, nl);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < nv; j++) {
            x->Ct[j + nv * i] = x->C[i + m * j];
            if (!z->e.in_force) x->B[j + nv * i] += x->C[i + m * j];
        }
    if (!st && nl && z->e.nw) st = add_auxiliary(z, x, singular);
    return st;
}

/* Rank and smallest singular value of C X with rows and columns divided by `size`. */
static int rank_of(frozen *z, const parts *x, const double *X, const double *size, double tolerance,
                   double *least) {
    ranks w = {.a = &z->a, .tolerance = tolerance, .kept = INFINITY};
    mat S = mat_product(&w, mat_copy(&w, x->m, x->nv, x->C), mat_copy(&w, x->nv, x->m, X));
    for (int j = 0; j < S.n; j++)
        for (int i = 0; i < S.m; i++) *mat_at(S, i, j) /= size[i] * size[j];
    return mat_rank_and_least(&w, S, least);
}

/* sqrt of the diagonal of C M^-1 C^T: the scale of each constraint */
static double *sizes_of(frozen *z, const parts *x, const double *X) {
    double *size = arena_doubles(&z->a, (size_t)x->m);
    for (int i = 0; size && i < x->m; i++) {
        double sum = 0;
        for (int k = 0; k < x->nv; k++) sum += x->C[i + x->m * k] * X[k + x->nv * i];
        size[i] = sum != 0 ? sqrt(fabs(sum)) : 1;
    }
    return size;
}

static sodae_status conditions(frozen *z, double tolerance, sodae_index_report *report) {
    parts x = {0};
    int bad_w = 0;
    sodae_status st = collect(z, &x, &bad_w);
    if (st) return st;
    double *copy = arena_doubles(&z->a, (size_t)x.nv * (size_t)x.nv);
    if (!copy) return SODAE_NO_MEMORY;
    report->constraints = x.m;
    vec_copy(x.nv * x.nv, x.M, copy);
    int bad_mass = solve(z, x.nv, copy, x.Ct, x.m) || solve(z, x.nv, x.M, x.B, x.m);
    double *size = sizes_of(z, &x, x.Ct);
    if (!size) return SODAE_NO_MEMORY;
    if (bad_mass) return SODAE_OK; /* neither condition makes sense */
    report->rank = rank_of(z, &x, x.Ct, size, tolerance, &report->least_regular);
    report->regular = report->rank == x.m;
    report->solvable =
        !bad_w && rank_of(z, &x, x.B, size, tolerance, &report->least_solvable) == x.m;
    if (!report->solvable) return SODAE_OK;
    report->d_index = z->e.nl ? 3 : z->e.np ? 2 : z->e.nw + z->e.ns ? 1 : 0;
    return SODAE_OK;
}

static sodae_status linear(const sodae_problem *p, const sodae_point *at, double tolerance,
                           sodae_index_report *report, double *form, sodae_failure *why) {
    arena a = {0};
    int n = sodae_problem_unknowns(p);
    size_t size = (size_t)n * (size_t)n;
    double *A = arena_doubles(&a, 3 * size);
    sodae_status st = A ? SODAE_OK : SODAE_NO_MEMORY;
    if (!st) st = sodae_problem_linearise(p, at, A, A + size, A + 2 * size, why);
    if (!st)
        st = sodae_linear_dae_analyse(n, A, A + size, A + 2 * size, tolerance, &report->linear,
                                      form);
    arena_free(&a);
    if (st == SODAE_NO_MEMORY) failure_set(why, st, "analysis", "memory ran out");
    if (st == SODAE_SINGULAR)
        failure_set(why, st, "analysis", "the reduction does not end: ranks cannot be decided");
    return st;
}

static sodae_status analyse_at(const sodae_problem *p, const sodae_point *at, double tolerance,
                               int all, sodae_index_report *report, double *form,
                               sodae_failure *why) {
    frozen z;
    report->t = at->t;
    report->d_index = -1;
    sodae_status st = frozen_open(&z, p, at, why);
    if (!st) st = conditions(&z, tolerance, report);
    frozen_close(&z);
    if (st || !all || sodae_problem_unknowns(p) > MOST_LINEAR) return st;
    return linear(p, at, tolerance, report, form, why);
}

static sodae_status analyse(const sodae_problem *p, const sodae_point *at, double tolerance,
                            int all, sodae_index_report *report, double *form, sodae_failure *why) {
    sodae *s = NULL;
    sodae_options options = sodae_default_options();
    if (!p || !report || isnan(tolerance))
        return failure_set(why, SODAE_BAD_ARGUMENT, "problem", "an argument is missing");
    *report = (sodae_index_report){0};
    if (tolerance <= 0) tolerance = 1e-9;
    sodae_status st = sodae_problem_check(p, why);
    if (st < 0) return st;
    if (sodae_problem_unknowns(p) > MOST)
        return failure_set(why, SODAE_NOT_ALLOWED, p->name, "%d unknowns; at most %d are analysed",
                           sodae_problem_unknowns(p), MOST);
    if (at) return analyse_at(p, at, tolerance, all, report, form, why);
    if (sodae_create(&s, p, &options, NULL) >= 0 && sodae_start(s) >= 0) {
        const sodae_view *v = sodae_state(s);
        sodae_point start = {v->t, v->q, v->v, v->vdot, v->lambda, v->psi, v->r, v->w, v->s};
        report->consistent = 1;
        st = analyse_at(p, &start, tolerance, all, report, form, why);
    } else
        st = analyse_at(p, &p->initial, tolerance, all, report, form, why);
    sodae_free(s);
    return st;
}

sodae_status sodae_problem_analyse(const sodae_problem *p, const sodae_point *at, double tolerance,
                                   sodae_index_report *report, double *form, sodae_failure *why) {
    return analyse(p, at, tolerance, 1, report, form, why);
}

sodae_status sodae_problem_index(const sodae_problem *p, const sodae_point *at, double tolerance,
                                 sodae_index_report *report, sodae_failure *why) {
    return analyse(p, at, tolerance, 0, report, NULL, why);
}
