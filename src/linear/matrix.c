#include "linear/matrix.h"

#include "base/vec.h"

#include <limits.h>
#include <stdlib.h>

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

static int by_column_then_row(const void *x, const void *y) {
    const int *a = x, *b = y;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

/* (column, row) of every announced entry. */
static int list_entries(const matrix *m, int (*list)[2]) {
    int n = 0;
    for (int b = 0; b < m->count; b++) {
        const matrix_block *k = &m->blocks[b];
        for (int j = 0; j < k->pattern->cols; j++)
            for (int e = k->pattern->colptr[j]; e < k->pattern->colptr[j + 1]; e++, n++) {
                int i = k->pattern->rowind[e];
                list[n][0] = k->col0 + (k->transposed ? i : j);
                list[n][1] = k->row0 + (k->transposed ? j : i);
            }
    }
    return n;
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

int matrix_close(matrix *m, arena *a) {
    size_t total = 0;
    for (int b = 0; b < m->count; b++) total += (size_t)pattern_nnz(m->blocks[b].pattern);
    if (total > INT_MAX) a->failed = 1;
    int(*list)[2] = arena_take(a, total + 1, sizeof *list);
    int *pos = arena_ints(a, total);
    m->pattern = (pattern){m->n, m->n, arena_ints(a, (size_t)m->n + 1), arena_ints(a, total)};
    if (a->failed || m->overfull) return -1;

    int n = list_entries(m, list), nnz = 0;
    qsort(list, (size_t)n, sizeof *list, by_column_then_row);
    for (int e = 0; e < n; e++) {
        if (e && list[e][0] == list[e - 1][0] && list[e][1] == list[e - 1][1]) continue;
        m->pattern.rowind[nnz++] = list[e][1];
        m->pattern.colptr[list[e][0] + 1] = nnz;
    }
    for (int j = 0; j < m->n; j++) /* columns without entries */
        if (m->pattern.colptr[j + 1] < m->pattern.colptr[j])
            m->pattern.colptr[j + 1] = m->pattern.colptr[j];

    n = list_entries(m, list);
    for (int e = 0; e < n; e++) pos[e] = place(&m->pattern, list[e][0], list[e][1]);
    for (int b = 0; b < m->count; b++) {
        m->blocks[b].pos = pos;
        pos += pattern_nnz(m->blocks[b].pattern);
    }
    m->values = arena_doubles(a, (size_t)nnz);
    return a->failed ? -1 : 0;
}

void matrix_clear(matrix *m) {
    vec_zero(pattern_nnz(&m->pattern), m->values);
}

void matrix_add(matrix *m, int b, double alpha, const double *values) {
    const int *pos = m->blocks[b].pos;
    int nnz = pattern_nnz(m->blocks[b].pattern);
    for (int e = 0; e < nnz; e++) m->values[pos[e]] += alpha * values[e];
}
