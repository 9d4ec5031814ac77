/* Where derivatives have their nonzeros, and how columns are grouped for differences.
 *
 * As given; else empty where the equations have no such derivative or nobody asks for it; else by
 * the patterns of the functions it is built from; else full. A large block of which nothing is
 * known is tried at create: where its function does not change it is empty. */
#include "problem/structure.h"

#include "base/failure.h"
#include "base/tuning.h"

TUNING_INT(FULL_UNTRIED, 64, "unknowns; up to order 64 matrices are full anyway (own dense LU)");
TUNING_INT(FULL_MOST, 1 << 20, "entries; 12 copies of the largest block, in scratch, take 100 MB");

/* Derivatives that the formulations ask for (problem.h, formulation/assemble.c). */
static int asked_for(const sodae_problem *p, sodae_function f, sodae_variable x) {
#define BIT(x) (1u << SODAE_##x)
    enum { STATE = BIT(Q) | BIT(V) | BIT(R) | BIT(W) | BIT(S) | BIT(LAMBDA) | BIT(PSI) };
    static const unsigned by[SODAE_FUNCTIONS] = {
        [SODAE_MASS] = BIT(Q),
        [SODAE_FORCE] = STATE,
        [SODAE_HOLONOMIC] = BIT(T) | BIT(Q) | BIT(S),
        [SODAE_NONHOLONOMIC] = BIT(Q) | BIT(V),
        [SODAE_DYNAMIC] = STATE,
        [SODAE_AUXILIARY] = STATE,
        [SODAE_CONTACT] = BIT(T) | BIT(Q) | BIT(S),
        [SODAE_REACTION] = BIT(Q) | BIT(V) | BIT(S),
        [SODAE_HOLONOMIC_RATE] = BIT(Q) | BIT(S),
        [SODAE_HOLONOMIC_DRIFT] = BIT(Q) | BIT(V),
        [SODAE_NONHOLONOMIC_DRIFT] = BIT(Q) | BIT(V),
    };
#undef BIT
    int built = f >= SODAE_REACTION;
    if (f == SODAE_MASS && p->constant_mass) return 0;
    if (f == SODAE_REACTION && p->in_force) return 0;
    return (built || p->value[f].fn) && (by[f] >> x & 1);
}

static const pattern *of(const eval *e, sodae_function f, sodae_variable x) {
    return &e->block[f][x].pattern;
}

/* A^T B + C^T D */
static pattern crossed(arena *a, const pattern *A, const pattern *B, const pattern *C,
                       const pattern *D) {
    arena own = {0},
          *scratch =
              arena_borrow(a, &own, sizeof(int) * 8 * (size_t)(pattern_nnz(A) + pattern_nnz(C)));
    pattern result = {0}, at = pattern_transposed(scratch, A), ct = pattern_transposed(scratch, C);
    if (!scratch->failed) {
        pattern x = pattern_product(scratch, &at, B), y = pattern_product(scratch, &ct, D);
        if (!scratch->failed) result = pattern_union(a, &x, &y);
    }
    arena_return(a, &own);
    return result;
}

/* (G^T lambda + K^T psi)_x: constraint i depends on x where its row of G, K or k_q has entries. */
static pattern of_reaction(eval *e, arena *a, sodae_variable x) {
    const pattern *G = of(e, SODAE_HOLONOMIC, SODAE_Q), *K = of(e, SODAE_NONHOLONOMIC, SODAE_V);
    const pattern *kq = of(e, SODAE_NONHOLONOMIC, SODAE_Q);
    pattern none = {e->nl, e->nv, e->none, e->none};
    return x == SODAE_Q ? crossed(a, G, G, K, kq) : crossed(a, G, &none, K, K);
}

/* What the library builds from constraints without contact coordinates; 0: another one. */
static int is_built(eval *e, arena *a, sodae_function f, sodae_variable x, pattern *p) {
    const pattern *kq = of(e, SODAE_NONHOLONOMIC, SODAE_Q), *K = of(e, SODAE_NONHOLONOMIC, SODAE_V);
    if (e->ns) return 0;
    switch (f) {
    case SODAE_REACTION:
        *p = of_reaction(e, a, x);
        return 1;
    case SODAE_HOLONOMIC_RATE:
    case SODAE_HOLONOMIC_DRIFT:
        *p = *of(e, SODAE_HOLONOMIC, SODAE_Q);
        return 1;
    case SODAE_NONHOLONOMIC_DRIFT:
        *p = x == SODAE_Q ? *kq : pattern_union(a, kq, K);
        return 1;
    default:
        return 0;
    }
}

pattern structure_full(eval *e, arena *a, sodae_function f, sodae_variable x, int rows, int cols) {
    char name[48];
    if ((double)rows * cols <= FULL_MOST) return pattern_full(a, rows, cols);
    eval_block_name(f, x, name, sizeof name);
    failure_set(e->failure, SODAE_BAD_PROBLEM, name,
                "%s has %d x %d entries and no pattern: a problem of this size has to give the "
                "pattern of its nonzeros",
                name, rows, cols);
    e->refused = 1;
    return (pattern){0};
}

int structure_known(eval *e, arena *a, sodae_function f, sodae_variable x, pattern *p) {
    const sodae_term *term = &e->p->derivative[f][x];
    int rows = sodae_function_rows(e->p, f), cols = sodae_variable_columns(e->p, x);
    *p = (pattern){rows, cols, e->none, e->none};
    if (term->pattern.colptr)
        *p = pattern_view(rows, cols, term->pattern.colptr, term->pattern.rowind);
    else if (rows && cols && (term->fn || asked_for(e->p, f, x)))
        return !term->fn && is_built(e, a, f, x, p);
    return 1;
}

int structure_is_large(const eval *e) {
    return e->nv + e->nl + e->np + e->nr + e->nw + e->ns > FULL_UNTRIED;
}

/* Columns that share a row with column j have other colours; the first one that is free. */
static int free_colour(const pattern *p, const pattern *rows, const int *colour, int *seen, int j) {
    int c = 0;
    for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
        int i = p->rowind[k];
        for (int m = rows->colptr[i]; m < rows->colptr[i + 1] && rows->rowind[m] < j; m++)
            seen[colour[rows->rowind[m]]] = j + 1;
    }
    while (seen[c] == j + 1) c++;
    return c;
}

/* In a row without holes every column has its own. */
static int has_full_row(const pattern *p, const pattern *rows) {
    int columns = 0, most = 0;
    for (int j = 0; j < p->cols; j++) columns += p->colptr[j + 1] > p->colptr[j];
    for (int i = 0; i < p->rows; i++) {
        int count = rows->colptr[i + 1] - rows->colptr[i];
        if (count > most) most = count;
    }
    return most == columns;
}

void structure_colour(arena *a, eval_block *b) {
    const pattern *p = &b->pattern;
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)pattern_nnz(p));
    pattern rows = pattern_transposed(scratch, p);
    int *seen = arena_ints(scratch, (size_t)p->cols + 1);
    b->colour = arena_ints(a, (size_t)p->cols);
    if (!scratch->failed && !a->failed) {
        int apart = has_full_row(p, &rows);
        for (int j = 0; j < p->cols; j++) {
            int none = p->colptr[j] == p->colptr[j + 1];
            b->colour[j] = none    ? -1
                           : apart ? b->colours
                                   : free_colour(p, &rows, b->colour, seen, j);
            if (b->colour[j] >= b->colours) b->colours = b->colour[j] + 1;
        }
        b->level = arena_ints(a, (size_t)b->colours + 1);
    }
    arena_return(a, &own);
}
