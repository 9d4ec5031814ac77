/* Exact sparse derivatives in the graph, forward along given directions. */
#pragma once

#include "expression/graph.h"
#include "expression/pool.h"

/* A direction: how fast each of `count` leaves moves along it. All other leaves stand still. A
 * direction need not be a coordinate: turning a matrix R about body axis j moves the leaf R_ik
 * with the slope (R hat(e_j))_ik. */
typedef struct expr_direction {
    int count;
    const int *leaf;  /* nodes of leaves */
    const int *slope; /* their derivatives: nodes */
} expr_direction;

/* Compressed columns of nodes: what is not there is zero whatever the leaves are. */
typedef struct expr_sparse {
    int rows, columns;
    int *colptr; /* columns + 1 */
    int *rowind; /* increasing in each column */
    int *node;
} expr_sparse;

/* d roots / d directions, in memory of `pool`. 0, or nonzero when memory or a limit ran out. */
int expr_derive(expr_graph *graph, expr_pool *pool, const int *roots, int nroots,
                const expr_direction *directions, int ndirections, expr_sparse *out);
