#include "formulation/project.h"
#include "formulation/units.h"

#include "base/failure.h"
#include "base/vec.h"

#include <stdio.h>

sodae_status projector_open(projector *p, arena *a, eval *e) {
    *p = (projector){.e = e, .zero = 1e-12};
    int m = e->nl + e->np;
    size_t nv = (size_t)e->nv;
    p->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    p->G = arena_doubles(a, (size_t)pattern_nnz(&e->G));
    p->K = arena_doubles(a, (size_t)pattern_nnz(&e->K));
    p->b = arena_doubles(a, nv + (size_t)m);
    rank_open(&p->finder, a, e);
    p->norm = arena_doubles(a, (size_t)m), p->row = arena_doubles(a, (size_t)m);
    int free = e->p->active ? m : e->np;
    p->free = pattern_diagonal(a, free);
    p->ones = arena_doubles(a, (size_t)free);
    p->unit = pattern_diagonal(a, e->nv);
    p->weight = arena_doubles(a, nv);
    matrix_open(&p->A, a, e->nv + m, 7);
    if (a->failed) return SODAE_NO_MEMORY;
    int at_g = e->nv, at_k = e->nv + e->nl;
    p->block[0] = matrix_announce(&p->A, &e->mass, 0, 0, 0);
    p->block[1] = matrix_announce(&p->A, &e->G, 0, at_g, 1);
    p->block[2] = matrix_announce(&p->A, &e->G, at_g, 0, 0);
    p->block[3] = matrix_announce(&p->A, &e->K, 0, at_k, 1);
    p->block[4] = matrix_announce(&p->A, &e->K, at_k, 0, 0);
    p->block[5] = matrix_announce(&p->A, &p->free, e->nv + m - free, e->nv + m - free, 0);
    p->block[6] = matrix_announce(&p->A, &p->unit, 0, 0, 0);
    if (matrix_close(&p->A, a)) return SODAE_NO_MEMORY;
    if (eval_open_solver(e, a, &p->linear, &p->A.pattern, 0)) return SODAE_NO_MEMORY;
    if (linear_use_units(&p->linear, a, &p->units)) return SODAE_NO_MEMORY;
    if (pins_open(&p->linear.pins, a, 1, &e->null_here, m)) return SODAE_NO_MEMORY;
    for (int i = 0; i < m; i++)
        p->linear.pins.pin[0].row[i] = p->linear.pins.pin[0].col[i] = e->nv + i;
    return SODAE_OK;
}

static void use_units(projector *p) {
    const eval *e = p->e;
    int m = e->nl + e->np;
    p->units.on = p->units.row && e->units_used;
    if (!p->units.on) return;
    units_of_coordinates(e, p->units.row), units_of_coordinates(e, p->units.col);
    units_of_multipliers(e, m, p->units.row + e->nv);
    units_of_multipliers(e, m, p->units.col + e->nv);
}

static void row_norms(const projector *p, double *norm) {
    const eval *e = p->e;
    vec_zero(e->nl + e->np, norm);
    for (int k = 0; k < pattern_nnz(&e->G); k++)
        norm[e->G.rowind[k]] = hypot(norm[e->G.rowind[k]], p->G[k]);
    for (int k = 0; k < pattern_nnz(&e->K); k++)
        norm[e->nl + e->K.rowind[k]] = hypot(norm[e->nl + e->K.rowind[k]], p->K[k]);
}

/* Once after each start: are constraints of so different units? What is zero but for rounding
 * says nothing about them. */
static void measure_rows(projector *p) {
    static const double zero = 1e-12, much = 1e5;
    int m = p->e->nl + p->e->np;
    double most = 0, least;
    row_norms(p, p->norm);
    for (int i = 0; i < m; i++) most = fmax(most, p->norm[i]);
    least = most;
    for (int i = 0; i < m; i++) {
        if (!(p->norm[i] > zero * most)) p->norm[i] = most;
        least = fmin(least, p->norm[i]);
    }
    p->rows_differ = isfinite(most) && most > much * least;
}

/* NULL: as they are. */
static const double *row_scales(projector *p) {
    if (!p->rows_differ) return NULL;
    row_norms(p, p->row);
    for (int i = 0; i < p->e->nl + p->e->np; i++) p->row[i] = 1 / fmax(p->norm[i], p->row[i]);
    return p->row;
}

/* Rank of C by the pivots or singular values of C^T. */
static sodae_status check_rank(projector *p, double t) {
    eval *e = p->e;
    int m = e->nl + e->np;
    p->names[0] = 0;
    const double *row = row_scales(p);
    rank_find(&p->finder, p->G, p->K, row, p->zero);
    p->rank = p->finder.rank;
    if (row && !p->finder.large) rank_unscale(&p->finder, row);
    if (p->rank == m) return SODAE_OK;
    rank_names(&p->finder, p->rank, 1e-6, p->names, sizeof p->names);
    if (e->redundant) return SODAE_OK;
    const char *text =
        m == 1 ? "%d constraint has rank %d at t = %.9g: %s holds nothing, its reaction is not "
                 "unique"
        : p->finder.large ? "%d constraints have rank %d at t = %.9g: %s depend on others. Among "
                            "so many no multipliers of least size are found: leave these out"
                          : "%d constraints have rank %d at t = %.9g: %s depend on each other, "
                            "their reactions are not unique";
    failure_set(e->failure, SODAE_REDUNDANT, "constraints", text, m, p->rank, t, p->names);
    if (e->failure) {
        e->failure->size = m - p->rank;
        failure_list(p->names, e->failure->where, sizeof e->failure->where);
    }
    return SODAE_REDUNDANT;
}

void projector_least_multipliers(projector *p, double *lambda, double *psi) {
    const eval *e = p->e;
    int m = e->nl + e->np;
    if (!e->redundant || p->rank == m) return;
    vec_zero(p->A.n, p->b);
    for (int k = 0; k < p->rank; k++) { /* V_r V_r^T (lambda, psi) */
        double c = 0;
        for (int i = 0; i < m; i++)
            c += rank_vector(&p->finder, k, i) * (i < e->nl ? lambda[i] : psi[i - e->nl]);
        for (int i = 0; i < m; i++) p->b[i] += c * rank_vector(&p->finder, k, i);
    }
    vec_copy(e->nl, p->b, lambda);
    vec_copy(e->np, p->b + e->nl, psi);
}

/* Multipliers of constraints that are left out: nonholonomic ones, and those that are off. */
static void free_multipliers(projector *p, int with_k) {
    const eval *e = p->e;
    int m = e->nl + e->np, n = p->free.cols;
    for (int i = 0; i < n; i++) {
        int row = m - n + i;
        p->ones[i] = (!with_k && row >= e->nl) || eval_is_off(e, row);
    }
}

/* Always where it costs little or vectors are needed, else at starts alone. */
static int is_rank_wanted(const projector *p) {
    enum { LITTLE = 64 };
    int m = p->e->nl + p->e->np;
    return m <= LITTLE || p->starts || p->e->redundant;
}

/* Where no rank was computed: the constraint with the smallest pivot, if that is known. */
static void name_weakest(const projector *p, char *text, size_t size) {
    const eval *e = p->e;
    int row = linear_weakest(&p->linear) - e->nv;
    text[0] = 0;
    if (row < 0) return;
    char name[64];
    eval_name(e->p, row < e->nl ? SODAE_HOLONOMIC : SODAE_NONHOLONOMIC,
              row < e->nl ? row : row - e->nl, name, sizeof name);
    snprintf(text, size, "; or %s depends on other constraints", name);
}

static void clear_columns(const pattern *A, const unsigned char *held, double *values) {
    for (int j = 0; j < A->cols; j++)
        for (int k = A->colptr[j]; held[j] && k < A->colptr[j + 1]; k++) values[k] = 0;
}

/* Held coordinates: d_j = 0 by a row and a column of the identity. */
static sodae_status hold(projector *p, double t) {
    eval *e = p->e;
    int m = e->nl + e->np, full = p->rank;
    clear_columns(&e->G, p->held, p->G), clear_columns(&e->K, p->held, p->K);
    for (int j = 0; j < e->nv; j++)
        for (int k = e->mass.colptr[j]; k < e->mass.colptr[j + 1]; k++)
            if (p->held[j] || p->held[e->mass.rowind[k]]) p->M[k] = 0;
    if (p->finder.large) return SODAE_OK;
    rank_find(&p->finder, p->G, p->K, NULL, p->zero);
    if (p->finder.rank == full) return SODAE_OK;
    char names[121];
    rank_names(&p->finder, p->finder.rank, 1e-6, p->names, sizeof p->names);
    failure_list(p->names, names, sizeof names);
    return failure_set(
        e->failure, SODAE_INCONSISTENT, "hold",
        "the coordinates that are held leave %d of %d constraints nothing to move at "
        "t = %.9g: look at %s; hold fewer",
        full - p->finder.rank, m, t, names);
}

/* Diagonal of the metric in the place of masses: where these do not count, and where coordinates
 * are held. */
static void set_weights(projector *p) {
    for (int j = 0; j < p->e->nv; j++) p->weight[j] = p->euclidean || (p->held && p->held[j]);
}

sodae_status projector_evaluate(projector *p, const sodae_point *at) {
    eval *e = p->e;
    sodae_status st = eval_mass(e, at, p->M);
    if (!st && e->nl) st = eval_G(e, at, p->G);
    if (!st && e->np) st = eval_K(e, at, p->K);
    return st;
}

static sodae_status factor(projector *p, const sodae_point *at, int with_k) {
    eval *e = p->e;
    sodae_status st = projector_evaluate(p, at);
    if (st) return st;
    if (!e->units_known) measure_rows(p);
    units_find(e, p->M, p->G, p->K);
    use_units(p);
    p->rank = p->finder.rank;
    if (is_rank_wanted(p)) st = check_rank(p, at->t);
    p->starts = 0;
    if (st) return st;
    if (e->redundant) rank_null(&p->finder, p->rank, &e->null_here);
    if (!with_k && e->np) e->null_here.count = 0; /* that of G alone is not known */
    if (p->held) st = hold(p, at->t);
    if (st) return st;
    const double *values[7] = {p->M, p->G, p->G, p->K, p->K, p->ones, p->weight};
    matrix_clear(&p->A);
    free_multipliers(p, with_k);
    set_weights(p);
    for (int i = p->euclidean; i < 7; i++)
        if (with_k || (i != 3 && i != 4)) matrix_add(&p->A, p->block[i], 1, values[i]);
    st = linear_factor(&p->linear, p->A.values);
    if (!st) return SODAE_OK;
    char weak[120];
    name_weakest(p, weak, sizeof weak);
    return failure_set(
        e->failure, st, "mass",
        "the mass matrix is singular on the constraints at t = %.9g: no acceleration "
        "follows from the forces%s",
        at->t, weak);
}

sodae_status projector_factor(projector *p, const sodae_point *at) {
    return factor(p, at, 1);
}

sodae_status projector_factor_position(projector *p, const sodae_point *at) {
    return factor(p, at, 0);
}

void projector_solve(projector *p, const double *rg, const double *rk, double *d) {
    const eval *e = p->e;
    vec_zero(p->A.n, p->b);
    if (rg) vec_copy(e->nl, rg, p->b + e->nv);
    if (rk) vec_copy(e->np, rk, p->b + e->nv + e->nl);
    linear_solve(&p->linear, p->b);
    vec_copy(e->nv, p->b, d);
}
