/* Projection in the mass metric:  [M C^T; C 0] (d, mu) = (0, r)  with C = [G; K]. */
#pragma once

#include "linear/matrix.h"
#include "linear/solver.h"
#include "problem/eval.h"

typedef struct projector {
    eval *e;
    matrix A;
    linear_solver linear;
    int block[5];
    double *M, *G, *K, *b;
    double *qr, *tau, *work; /* rank of C */
    int *order;
} projector;

sodae_status projector_open(projector *p, arena *a, eval *e);

/* Evaluates M, G, K at the point and factors. Dependent constraints give REDUNDANT and their names. */
sodae_status projector_factor(projector *p, const sodae_point *at);

/* d = M^-1 C^T (C M^-1 C^T)^-1 (rg, rk); rg, rk may be NULL for zero. */
void projector_solve(projector *p, const double *rg, const double *rk, double *d);
