#include "bench/assembly.h"

#include <stdlib.h>

void assembly_open(assembly *a, int n, kinematics *k) {
    *a = (assembly){.n = n, .k = k};
}

static void enter(assembly *a, int row, int column, int from, const double *weight) {
    if (a->entries == a->room) {
        a->room = 2 * a->room + 64;
        a->entry = realloc(a->entry, (size_t)a->room * sizeof *a->entry);
    }
    a->entry[a->entries++] =
        (assembly_entry){.row = row, .column = column, .from = from, .weight = weight};
}

/* An entry whose row or column is a direction of a rotation becomes four. */
static void enter_shaped(assembly *a, int row, int column, int r, int c, int from,
                         assembly_shape shape) {
    const kinematics *k = a->k;
    int i = shape == TURNED_ROWS ? r : c, place = shape == PLAIN ? i : k->q_of[i];
    if (shape == PLAIN || place >= 0) {
        enter(a, row + (shape == TURNED_ROWS ? place : r),
              column + (shape == TURNED_COLUMNS ? place : c), from, NULL);
        return;
    }
    int n = k->turn_of[i], j = i - k->v0[n], at = k->q0[n];
    for (int m = 0; m < 4; m++)
        if (shape == TURNED_ROWS)
            enter(a, row + at + m, column + c, from, &k->S[n][4 * j + m]);
        else
            enter(a, row + r, column + at + m, from, &k->T[n][4 * j + m]);
}

int assembly_add(assembly *a, sodae_pattern pattern, int rows, int columns, int row, int column,
                 int transposed, assembly_shape shape) {
    for (int j = 0; j < columns; j++) {
        int from = pattern.colptr ? pattern.colptr[j] : j * rows,
            to = pattern.colptr ? pattern.colptr[j + 1] : (j + 1) * rows;
        for (int k = from; k < to; k++) {
            int i = pattern.colptr ? pattern.rowind[k] : k - from;
            enter_shaped(a, row, column, transposed ? j : i, transposed ? i : j, k, shape);
        }
    }
    a->first[a->blocks + 1] = a->entries;
    return a->blocks++;
}

static int by_column(const void *x, const void *y) {
    const assembly_entry *a = *(assembly_entry *const *)x, *b = *(assembly_entry *const *)y;
    return a->column != b->column ? (a->column > b->column) - (a->column < b->column)
                                  : (a->row > b->row) - (a->row < b->row);
}

static void compress(assembly *a) {
    assembly_entry **sorted = malloc((size_t)a->entries * sizeof *sorted);
    for (long k = 0; k < a->entries; k++) sorted[k] = &a->entry[k];
    qsort(sorted, (size_t)a->entries, sizeof *sorted, by_column);
    a->colptr = calloc((size_t)a->n + 1, sizeof *a->colptr);
    a->rowind = malloc((size_t)a->entries * sizeof *a->rowind);
    for (long k = 0; k < a->entries; k++) {
        if (k == 0 || by_column(&sorted[k - 1], &sorted[k])) {
            a->rowind[a->nnz++] = sorted[k]->row;
            a->colptr[sorted[k]->column + 1]++;
        }
        a->slot[sorted[k] - a->entry] = (int)a->nnz - 1;
    }
    for (int j = 0; j < a->n; j++) a->colptr[j + 1] += a->colptr[j];
    free(sorted);
}

void assembly_close(assembly *a, int dense) {
    a->slot = malloc(2 * (size_t)a->entries * sizeof *a->slot), a->from = a->slot + a->entries;
    a->weight = a->k->rotations ? malloc((size_t)a->entries * sizeof *a->weight) : NULL;
    for (long k = 0; k < a->entries; k++) {
        a->from[k] = a->entry[k].from;
        if (a->weight) a->weight[k] = a->entry[k].weight;
        if (dense) a->slot[k] = a->entry[k].column * a->n + a->entry[k].row;
    }
    if (dense)
        a->nnz = (long)a->n * a->n;
    else
        compress(a);
    free(a->entry);
    a->entry = NULL;
}

void assembly_free(assembly *a) {
    free(a->entry), free(a->slot), free(a->weight), free(a->colptr), free(a->rowind);
}

void assembly_put(const assembly *a, int block, double factor, const double *x, double *values) {
    for (long k = a->first[block]; k < a->first[block + 1]; k++) {
        double weight = a->weight && a->weight[k] ? factor * *a->weight[k] : factor;
        values[a->slot[k]] += weight * x[a->from[k]];
    }
}
