/* A square sparse matrix put together from blocks. The blocks are announced once, the pattern is
 * their union, and from then on values are added at known places. */
#pragma once

#include "linear/pattern.h"

typedef struct matrix_block {
    const pattern *pattern;
    int row0, col0;
    int transposed; /* 1: the block's transpose is meant, row0/col0 of the transpose */
    int *pos;       /* place of each entry in the values of the matrix */
} matrix_block;

typedef struct matrix {
    int n;
    pattern pattern;
    double *values;
    matrix_block *blocks;
    int count, capacity;
    int overfull; /* more blocks announced than there is room for */
} matrix;

/* Room for `capacity` blocks. */
void matrix_open(matrix *m, arena *a, int n, int capacity);
/* Announces a block, returns its number. `p` must outlive the matrix. */
int matrix_announce(matrix *m, const pattern *p, int row0, int col0, int transposed);
/* Fixes the pattern; -1 when memory or room for blocks ran out. */
int matrix_close(matrix *m, arena *a);

void matrix_clear(matrix *m);
/* values of block b += alpha * values. */
void matrix_add(matrix *m, int b, double alpha, const double *values);
