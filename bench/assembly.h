/* A sparse matrix of blocks for the peers: the numbers that a callback writes go straight to their
 * slots. */
#pragma once

#include "bench/kinematics.h"

enum { ASSEMBLY_BLOCKS = 24 };

/* How rows or columns of a block are stored in the matrix. */
typedef enum assembly_shape {
    PLAIN,
    TURNED_COLUMNS, /* directions of v as numbers of q: times T */
    TURNED_ROWS     /* the same of rows: times S */
} assembly_shape;

typedef struct assembly_entry {
    int row, column;
    int from;             /* number of the block's values */
    const double *weight; /* NULL: 1 */
} assembly_entry;

typedef struct assembly {
    int n, blocks;
    long nnz, entries, room;
    assembly_entry *entry; /* until assembly_close */
    long first[ASSEMBLY_BLOCKS + 1];
    int *slot, *from;      /* of each entry, */
    const double **weight; /* NULL where nothing turns */
    long *colptr, *rowind; /* NULL: dense */
    kinematics *k;
} assembly;

void assembly_open(assembly *a, int n, kinematics *k);
/* A block at (row, column) with the pattern (rows x columns, colptr NULL: full) or its transpose;
 * returns its number. */
int assembly_add(assembly *a, sodae_pattern pattern, int rows, int columns, int row, int column,
                 int transposed, assembly_shape shape);
/* Gives every entry its slot, by compressed columns or in a dense matrix. */
void assembly_close(assembly *a, int dense);
void assembly_free(assembly *a);
/* values[slots of the block] += factor * x */
void assembly_put(const assembly *a, int block, double factor, const double *x, double *values);
