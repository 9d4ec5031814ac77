/* Rows of constraints that a mode has switched off. Their values and derivatives are 0
 * (problem/mask.c); here
 *
 *     lambda_row = 0, psi_row = 0, eta_row = 0, nu_row = 0
 *
 * takes their place, so that sizes and patterns stay as they are. */
#include "formulation/form.h"

/* Row `which` of the constraints in the list of rows, the unknowns that belong to it, and the first
 * of its constraints. 0: the formulation has no such row. */
static int place_of(const form *f, int which, int *row, int *column, int *first) {
    const int columns[FORM_OFF] = {f->at_lambda, f->at_psi, f->at_eta, f->at_nu};
    if (4 + which >= f->kind->rows) return 0; /* DYNAMICS are four rows */
    *row = f->row0[f->kind->row[4 + which]];
    *column = columns[which];
    *first = which == 1 ? f->e->nl : 0;
    return 1;
}

static int count_of(const form *f, int which) {
    return which == 1 ? f->e->np : f->e->nl;
}

void form_open_off(form *f, arena *a) {
    size_t m = (size_t)(f->e->nl + f->e->np);
    if (!f->e->p->active) return;
    for (int k = 0; k < FORM_OFF; k++) f->off_pattern[k] = pattern_diagonal(a, count_of(f, k));
    f->off = arena_doubles(a, m);
    f->off_block = arena_ints(a, (size_t)(FORM_OFF * f->stages));
}

void form_announce_off(const form *f, matrix *A, int stages, int *block) {
    int row, column, first;
    for (int i = 0; i < stages && f->e->p->active; i++)
        for (int k = 0; k < FORM_OFF; k++)
            if (place_of(f, k, &row, &column, &first))
                block[i * FORM_OFF + k] =
                    matrix_announce(A, &f->off_pattern[k], i * f->n + row, i * f->n + column, 0);
}

void form_add_off(const form *f, matrix *A, int stages, const int *block) {
    int row, column, first;
    for (int k = 0; k < FORM_OFF && f->e->p->active; k++) {
        if (!place_of(f, k, &row, &column, &first)) continue;
        for (int m = 0; m < count_of(f, k); m++) f->off[m] = eval_is_off(f->e, first + m);
        for (int i = 0; i < stages; i++) matrix_add(A, block[i * FORM_OFF + k], 1, f->off);
    }
}

void form_residual_off(const form *f, const double *u, double *out) {
    int row, column, first;
    for (int k = 0; k < FORM_OFF && f->e->p->active; k++) {
        if (!place_of(f, k, &row, &column, &first)) continue;
        for (int m = 0; m < count_of(f, k); m++)
            if (eval_is_off(f->e, first + m)) out[row + m] = u[column + m];
    }
}
