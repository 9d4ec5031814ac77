#include "linear/matrix.h"

#include "base/vec.h"

#include <limits.h>
#include <string.h>

void matrix_open(matrix *m, arena *a, int n, int capacity) {
    *m = (matrix){.n = n, .capacity = capacity};
    m->blocks = arena_take(a, (size_t)capacity, sizeof *m->blocks);
}

int matrix_announce(matrix *m, const pattern *p, int row0, int col0, int transposed) {
    if (m->count >= m->capacity) {
        m->overfull = 1;
        return 0;
    }
    m->blocks[m->count] = (matrix_block){p, row0, col0, transposed, NULL};
    return m->count++;
}

/* Row and column of every announced entry. */
static void list_entries(const matrix *m, int *row, int *col) {
    for (int b = 0; b < m->count; b++) {
        const matrix_block *k = &m->blocks[b];
        for (int j = 0; j < k->pattern->cols; j++)
            for (int e = k->pattern->colptr[j]; e < k->pattern->colptr[j + 1]; e++) {
                int i = k->pattern->rowind[e];
                *col++ = k->col0 + (k->transposed ? i : j);
                *row++ = k->row0 + (k->transposed ? j : i);
            }
    }
}

/* to <- the entries `from` (NULL: 0, 1, ...) by rising key, those of one key in their order. */
static void sort(int n, size_t total, const int *key, const int *from, int *start, int *to) {
    for (int i = 0; i <= n; i++) start[i] = 0;
    for (size_t e = 0; e < total; e++) start[key[e] + 1]++;
    for (int i = 0; i < n; i++) start[i + 1] += start[i];
    for (size_t e = 0; e < total; e++) {
        int entry = from ? from[e] : (int)e;
        to[start[key[entry]]++] = entry;
    }
}

/* The entries sorted by columns and rows, equal ones once; pos of each. Returns their number. */
static int place_entries(matrix *m, size_t total, arena *a, int *pos, int *rowind) {
    int *row = arena_ints(a, total), *col = arena_ints(a, total), nnz = 0;
    int *by_row = arena_ints(a, total), *sorted = arena_ints(a, total);
    int *start = arena_ints(a, (size_t)m->n + 1);
    if (a->failed) return 0;
    list_entries(m, row, col);
    sort(m->n, total, row, NULL, start, by_row);
    sort(m->n, total, col, by_row, start, sorted);
    for (size_t e = 0; e < total; e++) {
        int k = sorted[e], last = e ? sorted[e - 1] : k;
        if (e == 0 || row[k] != row[last] || col[k] != col[last]) rowind[nnz++] = row[k];
        pos[k] = nnz - 1;
        m->pattern.colptr[col[k] + 1] = nnz;
    }
    for (int j = 0; j < m->n; j++) /* columns without entries */
        if (m->pattern.colptr[j + 1] < m->pattern.colptr[j])
            m->pattern.colptr[j + 1] = m->pattern.colptr[j];
    return nnz;
}

int matrix_close(matrix *m, arena *a) {
    size_t total = 0;
    for (int b = 0; b < m->count; b++) total += (size_t)pattern_nnz(m->blocks[b].pattern);
    if (total > INT_MAX) a->failed = 1;
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * 5 * total);
    int *pos = arena_ints(a, total), *rowind = arena_ints(scratch, total);
    m->pattern = (pattern){m->n, m->n, arena_ints(a, (size_t)m->n + 1), NULL};
    int nnz = a->failed || m->overfull ? 0 : place_entries(m, total, scratch, pos, rowind);
    a->failed |= scratch->failed;
    m->pattern.rowind = arena_ints(a, (size_t)nnz);
    m->values = arena_doubles(a, (size_t)nnz);
    if (!a->failed && nnz) memcpy(m->pattern.rowind, rowind, (size_t)nnz * sizeof(int));
    arena_return(a, &own);
    if (a->failed || m->overfull) return -1;
    for (int b = 0; b < m->count; b++) {
        m->blocks[b].pos = pos;
        pos += pattern_nnz(m->blocks[b].pattern);
    }
    return 0;
}

void matrix_clear(matrix *m) {
    vec_zero(pattern_nnz(&m->pattern), m->values);
}

void matrix_add(matrix *m, int b, double alpha, const double *values) {
    const int *pos = m->blocks[b].pos;
    int nnz = pattern_nnz(m->blocks[b].pattern);
    for (int e = 0; e < nnz; e++) m->values[pos[e]] += alpha * values[e];
}
