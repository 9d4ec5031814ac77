/* Rank of the constraints C = [G; K] by singular values, and who takes part in a dependence. */
#pragma once

#include "problem/eval.h"

typedef struct rank_finder {
    const eval *e;
    int m; /* constraints */
    double *ct, *sigma, *vt, *work;
    int lwork, rank;
    int *group; /* who depends on whom: the first of them; -1: on nobody */
} rank_finder;

void rank_open(rank_finder *r, arena *a, const eval *e);

/* Singular values of C^T and its right singular vectors (vt: m x m, vector k is row k of V^T);
 * r->rank counts those above tol times the largest. row[i] scales constraint i; NULL: as it is. */
void rank_find(rank_finder *r, const double *G, const double *K, const double *row, double tol);

/* The vectors rank..m-1 <- null vectors of C itself, those before <- vectors orthogonal to them. */
void rank_unscale(rank_finder *r, const double *row);

/* Vector k, component i. */
static inline double rank_vector(const rank_finder *r, int k, int i) {
    return r->vt[i * r->m + k];
}

/* N <- the vectors from..m-1. */
void rank_null(const rank_finder *r, int from, linear_null *to);

/* The constraints that take part in the vectors from..m-1 with a weight above `least`: "a, b; c, d"
 * where a and b depend on each other, and c and d. */
void rank_names(rank_finder *r, int from, double least, char *text, size_t size);
