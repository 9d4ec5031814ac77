/* With M = D^-1 L L^T D^-1 and H = C D L^-T, C M^-1 C^T = H H^T and C M^-1 B = H (L^-1 D B): ranks
 * are decided on H and on (orthonormal rows of H)(L^-1 D B), whose condition is not squared. */
#include "analysis/conditions.h"

#include "analysis/subspace.h"
#include "linear/lapack.h"

#include <math.h>

/* A square matrix with rows and columns of size one, R A S with powers of two, and its factors. */
typedef struct factored {
    mat A, lu;
    double *R, *S;
    int *pivots;
    int regular;
} factored;

/* Singular values only where the estimate of the condition does not decide. */
static int is_regular(ranks *w, const factored *f) {
    int n = f->A.n, info = 0, *pivots = arena_ints(w->a, (size_t)n);
    double norm = 0, rcond = 0, *work = arena_doubles(w->a, 4 * (size_t)n);
    if (!pivots || !work) w->failed = 1;
    if (w->failed) return 0;
    for (int j = 0; j < n; j++) {
        double sum = 0;
        for (int i = 0; i < n; i++) sum += fabs(*mat_at(f->A, i, j));
        norm = fmax(norm, sum);
    }
    dgecon_("1", &n, f->lu.x, &n, &norm, &rcond, work, pivots, &info);
    if (info == 0 && rcond > 1e4 * n * w->tolerance) {
        ranks_keep(w, rcond);
        return 1;
    }
    return mat_rank(w, f->A) == n;
}

static factored factor(ranks *w, mat A) {
    int n = A.n, info = 0;
    factored f = {.R = arena_doubles(w->a, (size_t)n),
                  .S = arena_doubles(w->a, (size_t)n),
                  .pivots = arena_ints(w->a, (size_t)n),
                  .regular = 1};
    if (!f.R || !f.S || !f.pivots) w->failed = 1;
    for (int i = 0; i < n && !w->failed; i++) f.R[i] = f.S[i] = 1;
    f.A = mat_equilibrated(w, A, f.R, f.S);
    f.lu = mat_copy(w, n, n, f.A.x);
    if (w->failed || n == 0) return f;
    dgetrf_(&n, &n, f.lu.x, &n, f.pivots, &info);
    if (info > 0) ranks_drop(w, 0);
    f.regular = info == 0 && is_regular(w, &f);
    return f;
}

/* diag(d) X */
static mat scaled_rows(ranks *w, const double *d, mat X) {
    mat Y = mat_copy(w, X.m, X.n, X.x);
    for (int j = 0; j < Y.n; j++)
        for (int i = 0; i < Y.m; i++) *mat_at(Y, i, j) *= d[i];
    return Y;
}

/* A^-1 X */
static mat solved(ranks *w, const factored *f, mat X) {
    int n = f->A.n, columns = X.n, info = 0;
    mat Y = scaled_rows(w, f->R, X);
    if (w->failed || n == 0 || columns == 0) return Y;
    dgetrs_("N", &n, &columns, f->lu.x, &n, f->pivots, Y.x, &n, &info);
    return scaled_rows(w, f->S, Y);
}

static int is_symmetric(const factored *f) {
    int n = f->A.n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (f->R[i] != f->S[i] || fabs(*mat_at(f->A, i, j) - *mat_at(f->A, j, i)) > 1e-10)
                return 0;
    return 1;
}

/* L^-1 D X in *Y; 0 when M is not symmetric and positive definite. */
static int half_solved(ranks *w, const factored *f, mat L, mat X, mat *Y) {
    int n = L.n, columns = X.n, info = 0;
    *Y = scaled_rows(w, f->S, X);
    if (w->failed || columns == 0) return 1;
    dtrtrs_("L", "N", "N", &n, &columns, L.x, &n, Y->x, &n, &info);
    return info == 0;
}

/* The matrices of the conditions; m = nlambda + npsi. */
typedef struct parts {
    int nv, m;
    mat M, C, Ct; /* mass, constraints and their transpose */
    mat B;        /* C^T - f_lambda + f_w d_w^-1 d_lambda, C^T - f_psi */
    mat terms;    /* the sum of |..| over the terms of B */
    int own;      /* B is C^T */
    int w, s;     /* are d_w and h_s regular? */
} parts;

static sodae_status block(frozen *z, ranks *r, sodae_function f, sodae_variable x, int m, int n,
                          mat *out) {
    *out = mat_zero(r, m, n);
    return r->failed ? SODAE_NO_MEMORY : frozen_add(z, f, x, 1, out->x, m, 0, 0);
}

/* B += the first columns */
static void add_term(ranks *r, parts *x, mat add) {
    for (int i = 0; i < add.m * add.n && !r->failed; i++) {
        x->B.x[i] += add.x[i];
        x->terms.x[i] += fabs(add.x[i]);
    }
}

/* B += f_w d_w^-1 d_lambda */
static sodae_status add_auxiliary(frozen *z, ranks *r, parts *x) {
    int nw = z->e.nw, nl = z->e.nl;
    mat dw, dl, fw;
    sodae_status st = block(z, r, SODAE_AUXILIARY, SODAE_W, nw, nw, &dw);
    if (!st) st = block(z, r, SODAE_AUXILIARY, SODAE_LAMBDA, nw, nl, &dl);
    if (!st) st = block(z, r, SODAE_FORCE, SODAE_W, x->nv, nw, &fw);
    if (st) return st;
    factored f = factor(r, dw);
    x->w = f.regular;
    if (!x->w) return SODAE_OK;
    mat add = mat_product(r, fw, solved(r, &f, dl));
    add_term(r, x, add);
    return SODAE_OK;
}

static sodae_status collect(frozen *z, ranks *r, parts *x) {
    int nv = x->nv = z->e.nv, nl = z->e.nl, m = x->m = nl + z->e.np;
    mat hs;
    x->w = x->s = 1;
    x->M = mat_zero(r, nv, nv), x->C = mat_zero(r, m, nv);
    x->B = mat_zero(r, nv, m), x->terms = mat_zero(r, nv, m);
    mat f = mat_zero(r, nv, m);
    sodae_status st = block(z, r, SODAE_CONTACT, SODAE_S, z->e.ns, z->e.ns, &hs);
    if (!st) x->s = factor(r, hs).regular;
    if (!st) st = frozen_mass(z, x->M.x, nv);
    if (!st) st = frozen_constraint(z, 1, x->C.x, m, 0);
    if (!st) st = frozen_constraint(z, 0, x->C.x, m, nl);
    if (!st) st = frozen_add(z, SODAE_FORCE, SODAE_LAMBDA, -1, f.x, nv, 0, 0);
    if (!st) st = frozen_add(z, SODAE_FORCE, SODAE_PSI, -1, f.x, nv, 0, nl);
    x->Ct = mat_transposed(r, x->C);
    add_term(r, x, f);
    if (!z->e.in_force) add_term(r, x, x->Ct);
    if (!st && z->e.nw) st = add_auxiliary(z, r, x);
    x->own = 1;
    for (int i = 0; i < nv * m && !st && !r->failed; i++) x->own &= x->B.x[i] == x->Ct.x[i];
    return st;
}

/* sqrt of the diagonal of C M^-1 C^T: the scale of each constraint */
static double *sizes_of(ranks *w, const parts *x, mat X) {
    double *size = arena_doubles(w->a, (size_t)x->m);
    if (!size) w->failed = 1;
    for (int i = 0; i < x->m && !w->failed; i++) {
        double sum = 0;
        for (int k = 0; k < x->nv; k++) sum += *mat_at(x->C, i, k) * *mat_at(X, k, i);
        size[i] = sum != 0 ? 1 / sqrt(fabs(sum)) : 1;
    }
    return size;
}

/* C X with rows and columns in units of the constraints. */
static mat in_units(ranks *w, const parts *x, mat X, const double *unit) {
    mat S = scaled_rows(w, unit, mat_product(w, x->C, X));
    return mat_transposed(w, scaled_rows(w, unit, mat_transposed(w, S)));
}

/* M not symmetric and positive definite: the matrices themselves. */
static void by_products(ranks *w, const parts *x, const factored *M, sodae_index_report *report) {
    mat X = solved(w, M, x->Ct);
    double *unit = sizes_of(w, x, X);
    report->regular =
        mat_rank_and_least(w, in_units(w, x, X, unit), &report->least_regular) == x->m;
    X = solved(w, M, x->B);
    report->solvable =
        mat_rank_and_least(w, in_units(w, x, X, unit), &report->least_solvable) == x->m;
}

static double *inverse_norms(ranks *w, mat X) {
    double *unit = arena_doubles(w->a, (size_t)X.n);
    if (!unit) w->failed = 1;
    for (int j = 0; j < X.n && !w->failed; j++) {
        double sum = 0;
        for (int i = 0; i < X.m; i++) sum += *mat_at(X, i, j) * *mat_at(X, i, j);
        unit[j] = sum > 0 ? 1 / sqrt(sum) : 1;
    }
    return unit;
}

/* Columns of L^-1 D B of length one, shorter where terms of B cancel: that may be rounding. */
static double *units_of(ranks *w, const parts *x, const factored *M, mat LB) {
    double *unit = inverse_norms(w, LB), *sum = inverse_norms(w, scaled_rows(w, M->S, x->B)),
           *terms = inverse_norms(w, scaled_rows(w, M->S, x->terms));
    for (int j = 0; j < LB.n && !w->failed; j++) unit[j] *= fmin(1, terms[j] / sum[j]);
    return unit;
}

/* H^T = L^-1 D C^T with columns of length one. */
static void by_halves(ranks *w, const parts *x, const factored *M, mat Ht, mat LB,
                      sodae_index_report *report) {
    double *unit = inverse_norms(w, Ht), least;
    mat H = scaled_rows(w, unit, mat_transposed(w, Ht));
    report->regular = mat_rank_and_least(w, H, &least) == x->m;
    report->least_regular = least * least;
    report->solvable = report->regular, report->least_solvable = report->least_regular;
    if (x->own || w->failed) return;
    mat LBt = mat_transposed(w, LB);
    ranks quiet = *w; /* the value is reported as it is, the decision is made below */
    mat S = mat_product(&quiet, H, mat_transposed(&quiet, scaled_rows(&quiet, unit, LBt)));
    mat_rank_and_least(&quiet, S, &report->least_solvable);
    if (!report->regular) return;
    mat Q = mat_product(w, mat_row_basis(w, H), H);
    mat own = scaled_rows(w, units_of(w, x, M, LB), LBt);
    report->solvable = mat_rank(w, mat_product(w, Q, mat_transposed(w, own))) == x->m;
}

static void decide(ranks *w, const parts *x, const factored *M, sodae_index_report *report) {
    int n = x->nv, info = 1;
    mat L = mat_copy(w, n, n, M->A.x), Ht, LB;
    if (!w->failed && is_symmetric(M)) dpotrf_("L", &n, L.x, &n, &info);
    if (info == 0 && half_solved(w, M, L, x->Ct, &Ht) && half_solved(w, M, L, x->B, &LB))
        by_halves(w, x, M, Ht, LB, report);
    else
        by_products(w, x, M, report);
}

sodae_status conditions_find(frozen *z, double tolerance, sodae_index_report *report,
                             int *excluded) {
    ranks w = {.a = &z->a, .tolerance = tolerance, .kept = INFINITY};
    parts x = {0};
    sodae_status st = collect(z, &w, &x);
    if (st || w.failed) return st ? st : SODAE_NO_MEMORY;
    report->constraints = x.m;
    report->rank = mat_rank(&w, mat_equilibrated(&w, x.C, NULL, NULL));
    factored M = factor(&w, x.M);
    report->mass_regular = M.regular;
    if (M.regular) decide(&w, &x, &M, report);
    report->gap = ranks_gap(&w);
    if (w.failed) return SODAE_NO_MEMORY;
    int index = z->e.nl             ? 3
                : z->e.np           ? 2
                : z->e.nw + z->e.ns ? 1
                                    : 0,
        apply = x.w && x.s && M.regular;
    if (apply && report->solvable) {
        report->d_index = index;
        report->source = SODAE_INDEX_BY_CONDITIONS;
    } else if (apply && !(z->e.nl && z->e.np)) /* then psi alone may have index 3 */
        *excluded = index;
    report->solvable &= x.w;
    return SODAE_OK;
}
