/* Columns of eta: products F B^T of a term F (rows x nv) with a matrix B (nl x nv) on one pattern.
 * Where the products go is found once; computing them is one pass over the pairs of entries that
 * share a column. */
#include "formulation/terms.h"

#include "base/vec.h"

/* Which columns of a stage eta shifts. */
static int is_shifted(const form *f, const form_term *t) {
    if (f->kind->second_multiplier) return t->column == BY_Q;
    return f->kind->shift && (t->column == BY_V || t->column == BY_A);
}

/* B has the pattern of G, with its rate where eta' shifts a; in a chart it may have any entry. */
static pattern pattern_of_shift(form *f, arena *a) {
    const eval *e = f->e;
    if (f->kind->shift == SHIFT_CHART) return pattern_full(a, e->nl, e->nv);
    if (f->kind->shift != SHIFT_GGL) return e->G;
    return pattern_union(a, &e->G, &e->block[SODAE_HOLONOMIC_RATE][SODAE_Q].pattern);
}

/* eta_pattern[row] is the union of the products of its terms. */
static void find_patterns(form *f, arena *a) {
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)pattern_nnz(&f->shift));
    pattern Bt = pattern_transposed(scratch, &f->shift);
    for (int k = 0; k < f->nterms && !scratch->failed && !a->failed; k++) {
        pattern *all = &f->eta_pattern[f->terms[k]->row];
        if (!is_shifted(f, f->terms[k])) continue;
        pattern one = pattern_product(scratch, f->term_pattern[k], &Bt);
        if (!scratch->failed) *all = pattern_union(a, all, &one);
    }
    arena_return(a, &own);
}

static int place(const pattern *p, int col, int row) {
    int low = p->colptr[col], high = p->colptr[col + 1] - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (p->rowind[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Where each product goes, in the order of form_product. */
static int *find_slots(form *f, arena *a, int k) {
    const pattern *p = f->term_pattern[k], *B = &f->shift, *to = &f->eta_pattern[f->terms[k]->row];
    size_t pairs = 0;
    for (int j = 0; j < p->cols; j++)
        pairs +=
            (size_t)(p->colptr[j + 1] - p->colptr[j]) * (size_t)(B->colptr[j + 1] - B->colptr[j]);
    int *slot = arena_ints(a, pairs), *s = slot;
    for (int j = 0; j < p->cols && slot; j++)
        for (int m = B->colptr[j]; m < B->colptr[j + 1]; m++)
            for (int l = p->colptr[j]; l < p->colptr[j + 1]; l++)
                *s++ = place(to, B->rowind[m], p->rowind[l]);
    return slot;
}

void form_open_products(form *f, arena *a) {
    f->slots = arena_take(a, (size_t)f->nterms, sizeof *f->slots);
    if (a->failed || (!f->kind->second_multiplier && !f->kind->shift)) return;
    f->shift = pattern_of_shift(f, a);
    if (a->failed) return;
    find_patterns(f, a);
    for (int k = 0; k < f->nterms && !a->failed; k++)
        if (is_shifted(f, f->terms[k])) f->slots[k] = find_slots(f, a, k);
}

void form_product(form *f, int term, const double *values, const double *B) {
    const pattern *p = f->term_pattern[term], *b = &f->shift;
    const int *slot = f->slots[term];
    vec_zero(pattern_nnz(&f->eta_pattern[f->terms[term]->row]), f->product);
    for (int j = 0; j < p->cols; j++)
        for (int m = b->colptr[j]; m < b->colptr[j + 1]; m++)
            for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
                f->product[*slot++] += values[k] * B[m];
}
