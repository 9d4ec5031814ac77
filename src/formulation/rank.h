/* Rank of the constraints C = [G; K], and who takes part in a dependence. */
#pragma once

#include "linear/qr.h"
#include "problem/eval.h"

typedef struct rank_finder {
    const eval *e;
    int m;    /* constraints */
    int rows; /* nv, and one for each constraint that a mode may switch off */
    int rank;
    int large;          /* C is too large for a full decomposition: there are no vectors */
    qr ct;              /* C^T */
    double *sigma, *vt; /* vector k is row k of V^T */
    int *group;         /* who depends on whom: the first of them; -1: on nobody */
} rank_finder;

void rank_open(rank_finder *r, arena *a, const eval *e);

/* r->rank is m if the pivots of C C^T, where there are many constraints, or those of C^T show that,
 * else the number of singular values above tol times the largest; only then sigma and vectors are
 * computed. row[i] scales constraint i; NULL: as it is. A large C has no vectors, and group names
 * those that depend on others. */
void rank_find(rank_finder *r, const double *G, const double *K, const double *row, double tol);
/* rank_sparse.c: the rank by sparse factors; below m: r->group. m where nothing can find it. */
int rank_sparse(rank_finder *r, const double *G, const double *K, const double *row, double tol);
/* The same with singular values of C^T and its right singular vectors in any case. */
void rank_decompose(rank_finder *r, const double *G, const double *K, const double *row,
                    double tol);

/* The vectors rank..m-1 <- null vectors of C itself, those before <- vectors orthogonal to them. */
void rank_unscale(rank_finder *r, const double *row);

/* Vector k, component i. */
static inline double rank_vector(const rank_finder *r, int k, int i) {
    return r->vt[k * r->m + i];
}

/* N <- the vectors from..m-1. */
void rank_null(const rank_finder *r, int from, linear_null *to);

/* The constraints that take part in the vectors from..m-1 with a weight above `least`: "a, b; c, d"
 * where a and b depend on each other, and c and d. */
void rank_names(rank_finder *r, int from, double least, char *text, size_t size);
