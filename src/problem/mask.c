/* Constraints that modes switch off: their rows are 0 at every level, and so are the columns of
 * their multipliers. The formulation puts lambda = 0 in their place (formulation/modes.c). */
#include "problem/eval.h"

/* The first constraint among the rows of f; -1: f is no constraint. */
static int first_row(const eval *e, sodae_function f) {
    switch (f) {
    case SODAE_HOLONOMIC:
    case SODAE_HOLONOMIC_RATE:
    case SODAE_HOLONOMIC_DRIFT:
        return 0;
    case SODAE_NONHOLONOMIC:
    case SODAE_NONHOLONOMIC_DRIFT:
        return e->nl;
    default:
        return -1;
    }
}

/* The first constraint among the columns of x; -1: x is no multiplier. */
static int first_column(const eval *e, sodae_variable x) {
    return x == SODAE_LAMBDA ? 0 : x == SODAE_PSI ? e->nl : -1;
}

void eval_mask_value(const eval *e, sodae_function f, double *out) {
    int first = first_row(e, f);
    for (int i = 0; i < e->rows[f] && first >= 0; i++)
        if (eval_is_off(e, first + i)) out[i] = 0;
}

void eval_mask_block(const eval *e, sodae_function f, sodae_variable x, double *values) {
    int row = first_row(e, f), column = first_column(e, x);
    const pattern *p = &e->block[f][x].pattern;
    if (row < 0 && column < 0) return;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if ((row >= 0 && eval_is_off(e, row + p->rowind[k])) ||
                (column >= 0 && eval_is_off(e, column + j)))
                values[k] = 0;
}
