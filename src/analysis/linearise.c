/* A2, A1, A0 of a problem about a point. On a group q moves by q o exp(xi), and then
 *   delta v = xi' + [v, xi],   delta v' = xi'' + [v, xi'] + [v', xi]. */
#include "analysis/linearise.h"

#include <sodae/analysis.h>

#include "base/failure.h"
#include "base/vec.h"

int sodae_problem_unknowns(const sodae_problem *p) {
    return p->nv + p->nr + p->nw + p->ns + p->nlambda + p->npsi;
}

static void number_columns(frozen *z, const sodae_problem *p) {
    static const sodae_variable order[] = {SODAE_Q, SODAE_R,      SODAE_W,
                                           SODAE_S, SODAE_LAMBDA, SODAE_PSI};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        z->first[order[k]] = z->n;
        z->n += sodae_variable_columns(p, order[k]);
    }
    z->first[SODAE_V] = z->first[SODAE_Q];
}

/* The block itself, or zeros. */
static const double *block(frozen *z, const double *given, int n) {
    return given ? given : arena_doubles(&z->a, (size_t)n);
}

sodae_status frozen_open(frozen *z, const sodae_problem *p, const sodae_point *at,
                         sodae_failure *why) {
    const sodae_group *rn = &sodae_rn;
    *z = (frozen){0};
    sodae_status st = sodae_problem_check(p, why);
    if (st < 0) return st;
    number_columns(z, p);
    if (!p->space) st = sodae_space_create(&rn, &p->nv, 1, &z->own);
    if (st < 0) return st;
    z->at = (sodae_point){.t = at->t,
                          .q = at->q,
                          .v = block(z, at->v, p->nv),
                          .a = block(z, at->a, p->nv),
                          .lambda = block(z, at->lambda, p->nlambda),
                          .psi = block(z, at->psi, p->npsi),
                          .r = block(z, at->r, p->nr),
                          .w = block(z, at->w, p->nw),
                          .s = block(z, at->s, p->ns)};
    if (z->a.failed) return failure_set(why, SODAE_NO_MEMORY, "analysis", "memory ran out");
    return eval_open(&z->e, &z->a, p, p->space ? p->space : z->own, why);
}

void frozen_close(frozen *z) {
    arena_free(&z->a);
    sodae_space_free(z->own);
}

static void spread(const pattern *p, const double *values, double sign, double *A, int n, int row0,
                   int col0) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            A[row0 + p->rowind[k] + (long)n * (col0 + j)] += sign * values[k];
}

sodae_status frozen_add(frozen *z, sodae_function f, sodae_variable x, double sign, double *A,
                        int n, int row0, int col0) {
    const eval_block *b = &z->e.block[f][x];
    if (pattern_nnz(&b->pattern) == 0) return SODAE_OK;
    sodae_status st = eval_derivative(&z->e, f, x, &z->at);
    if (!st) spread(&b->pattern, b->values, sign, A, n, row0, col0);
    return st;
}

sodae_status frozen_mass(frozen *z, double *A, int n) {
    double *M = arena_doubles(&z->a, (size_t)pattern_nnz(&z->e.mass));
    if (!M) return SODAE_NO_MEMORY;
    sodae_status st = eval_mass(&z->e, &z->at, M);
    if (!st) spread(&z->e.mass, M, 1, A, n, 0, 0);
    return st;
}

sodae_status frozen_constraint(frozen *z, int holonomic, double *A, int n, int row0) {
    const pattern *p = holonomic ? &z->e.G : &z->e.K;
    if (pattern_nnz(p) == 0) return SODAE_OK;
    double *J = arena_doubles(&z->a, (size_t)pattern_nnz(p));
    if (!J) return SODAE_NO_MEMORY;
    sodae_status st = (holonomic ? eval_G : eval_K)(&z->e, &z->at, J);
    if (!st) spread(p, J, 1, A, n, row0, 0);
    return st;
}

#define BIT(x) (1u << (x))
#define MOTION                                                                                     \
    (BIT(SODAE_Q) | BIT(SODAE_V) | BIT(SODAE_R) | BIT(SODAE_W) | BIT(SODAE_S) | BIT(SODAE_LAMBDA))

/* What an equation depends on; differences by anything else would be rounding. */
static const unsigned depends[SODAE_FUNCTIONS] = {
    [SODAE_FORCE] = MOTION | BIT(SODAE_PSI),
    [SODAE_DYNAMIC] = MOTION,
    [SODAE_AUXILIARY] = MOTION,
    [SODAE_CONTACT] = BIT(SODAE_Q) | BIT(SODAE_S),
    [SODAE_HOLONOMIC] = BIT(SODAE_Q) | BIT(SODAE_S),
    [SODAE_NONHOLONOMIC] = BIT(SODAE_Q) | BIT(SODAE_V),
};

/* All derivatives of one equation, v into A1 and the others into A0. */
static sodae_status add_equation(frozen *z, sodae_function f, double sign, int row0, double *A1,
                                 double *A0) {
    sodae_status st = SODAE_OK;
    for (int x = SODAE_Q; x < SODAE_VARIABLES && !st; x++)
        if (depends[f] & BIT(x))
            st = frozen_add(z, f, (sodae_variable)x, sign, x == SODAE_V ? A1 : A0, z->n, row0,
                            z->first[x]);
    return st;
}

/* + G^T and + K^T in the columns of the multipliers; the rest of the reactions by their
 * derivatives. */
static sodae_status add_reactions(frozen *z, double *A1, double *A0) {
    int nv = z->e.nv, m = z->e.nl + z->e.np;
    if (z->e.in_force || m == 0) return SODAE_OK;
    double *C = arena_doubles(&z->a, (size_t)m * (size_t)nv);
    if (!C) return SODAE_NO_MEMORY;
    sodae_status st = frozen_constraint(z, 1, C, m, 0);
    if (!st) st = frozen_constraint(z, 0, C, m, z->e.nl);
    for (int i = 0; i < m; i++) {
        int column = i < z->e.nl ? z->first[SODAE_LAMBDA] + i : z->first[SODAE_PSI] + i - z->e.nl;
        for (int j = 0; j < nv; j++) A0[j + (long)z->n * column] += C[i + (long)m * j];
    }
    if (!st) st = frozen_add(z, SODAE_REACTION, SODAE_Q, 1, A0, z->n, 0, 0);
    if (!st) st = frozen_add(z, SODAE_REACTION, SODAE_V, 1, A1, z->n, 0, 0);
    if (!st) st = frozen_add(z, SODAE_REACTION, SODAE_S, 1, A0, z->n, 0, z->first[SODAE_S]);
    return st;
}

/* to += from [v, .] in the columns of q */
static sodae_status add_bracket(frozen *z, const double *from, const double *v, double *to) {
    int nv = z->e.nv;
    double *unit = arena_doubles(&z->a, (size_t)nv), *ad = arena_doubles(&z->a, (size_t)nv);
    if (!unit || !ad) return SODAE_NO_MEMORY;
    for (int j = 0; j < nv; j++) {
        unit[j] = 1;
        sodae_space_bracket(z->e.space, v, unit, ad);
        unit[j] = 0;
        for (int k = 0; k < nv; k++)
            vec_add(z->n, ad[k], from + (long)z->n * k, to + (long)z->n * j);
    }
    return SODAE_OK;
}

static sodae_status linearise(frozen *z, double *A2, double *A1, double *A0) {
    static const sodae_function rows[] = {SODAE_DYNAMIC, SODAE_AUXILIARY, SODAE_CONTACT,
                                          SODAE_HOLONOMIC, SODAE_NONHOLONOMIC};
    int row = z->e.nv;
    sodae_status st = frozen_mass(z, A2, z->n);
    if (!st && z->e.needs_mass_q) st = frozen_add(z, SODAE_MASS, SODAE_Q, 1, A0, z->n, 0, 0);
    if (!st) st = add_equation(z, SODAE_FORCE, -1, 0, A1, A0);
    if (!st) st = add_reactions(z, A1, A0);
    for (int k = 0; k < 5 && !st; k++) {
        st = add_equation(z, rows[k], rows[k] == SODAE_DYNAMIC ? -1 : 1, row, A1, A0);
        row += sodae_function_rows(z->e.p, rows[k]);
    }
    if (st || z->e.space->abelian) return st;
    st = add_bracket(z, A1, z->at.v, A0);
    if (!st) st = add_bracket(z, A2, z->at.a, A0);
    return st ? st : add_bracket(z, A2, z->at.v, A1);
}

sodae_status sodae_problem_linearise(const sodae_problem *p, const sodae_point *at, double *A2,
                                     double *A1, double *A0, sodae_failure *why) {
    frozen z;
    if (!p || !at || !at->q || !A2 || !A1 || !A0)
        return failure_set(why, SODAE_BAD_ARGUMENT, "problem", "an argument is missing");
    sodae_status st = frozen_open(&z, p, at, why);
    for (int i = 0; i < z.n * z.n; i++) A2[i] = A1[i] = A0[i] = 0;
    if (!st) st = linearise(&z, A2, A1, A0);
    for (int i = 0; i < p->nr && !st; i++) { /* r' */
        int k = z.first[SODAE_R] + i;
        A1[k + (long)z.n * k] += 1;
    }
    frozen_close(&z);
    return st;
}
