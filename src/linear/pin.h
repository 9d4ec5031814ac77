/* Unknowns that a matrix does not determine, where one knows which.
 *
 * If N^T times the rows row[0..m-1] is zero, and the columns col[0..m-1] times N too, the solution
 * of least size needs no singular values: for orthonormal null vectors U, V of A
 *
 *     A^+ = (A + U V^T)^-1 - V U^T.
 *
 * So N N^T is added there, and what a solution has along N is taken out of it. */
#pragma once

#include "base/arena.h"

/* m x depends, by columns, of which `count` are used; both may change between factorizations. */
typedef struct linear_null {
    int m, depends, count;
    double *N;
} linear_null;

typedef struct linear_pin {
    const linear_null *null;
    int *row, *col;
} linear_pin;

/* A factor may outlast the null space that it was made with. */
typedef struct linear_pins {
    int count;
    linear_pin *pin;
    linear_null *factored; /* what is added, where it has numbers; else that of the pin */
} linear_pins;

/* Room for `blocks` of them, each of m rows and columns; -1: out of memory. */
int pins_open(linear_pins *p, arena *a, int blocks, const linear_null *null, int m);

/* A by rows, `stride` numbers from row to row, scaled by rows and columns. */
void pins_add(const linear_pins *p, int stride, const double *row, const double *col, double *A);
void pins_remove(const linear_pins *p, double *b);
