/* Projection in the mass metric:  [M C^T; C 0] (d, mu) = (0, r)  with C = [G; K]; in the Euclidean
 * one where assemblies go far: M = I. */
#pragma once

#include "formulation/rank.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "problem/eval.h"

typedef struct projector {
    eval *e;
    matrix A;
    linear_solver linear;
    linear_units units;
    int block[7];
    pattern unit;              /* of the metric where masses do not count */
    double *weight;            /* its values */
    int euclidean;             /* 1: masses do not count */
    const unsigned char *held; /* by direction of v: d is 0 there; NULL: none are */
    pattern free; /* unit diagonal for the multipliers of constraints that are left out */
    double *ones; /* 1: left out */
    double *M, *G, *K, *b;
    rank_finder finder;
    double *norm, *row; /* of the constraints: at the start; scales for the rank */
    int starts;         /* 1: a run, or after an action: the rank is wanted */
    int rows_differ;    /* so much that the rank needs the scales */
    double zero;        /* singular values below this part of the largest are 0 */
    int rank;
    char names[200]; /* constraints whose reactions are not unique; "" if all are */
} projector;

sodae_status projector_open(projector *p, arena *a, eval *e);

/* Evaluates M, G, K at the point and factors. Dependent constraints give REDUNDANT and their names,
 * unless they are allowed: then p->names has them. */
sodae_status projector_factor(projector *p, const sodae_point *at);
/* The same with the holonomic constraints alone: C = G. Nonholonomic ones do not hold positions. */
sodae_status projector_factor_position(projector *p, const sodae_point *at);

/* M, G and K at the point, without factors. */
sodae_status projector_evaluate(projector *p, const sodae_point *at);

/* d = M^-1 C^T (C M^-1 C^T)^-1 (rg, rk); rg, rk may be NULL for zero. */
void projector_solve(projector *p, const double *rg, const double *rk, double *d);

/* (lambda, psi) <- the multipliers of least size with the same reaction forces, at the last
 * factored point. Nothing to do unless constraints are redundant. */
void projector_least_multipliers(projector *p, double *lambda, double *psi);
