/* Linearised equations of motion with reduced index (004 chapter 7). */
#pragma once

#include "analysis/array.h"

/* Which rows are holonomic constraints, and what takes their place. */
typedef struct reduction {
    int derivatives; /* index2: 1, index1: 2; 0: they stay */
    int velocities;  /* 1: (7.10), q' = v - G^T eta, both levels */
    int nv, row, nl; /* the first nv unknowns are q; holonomic rows */
    int m, n;        /* of the equations as they are */
} reduction;

/* 0, or nonzero where the form is not known. */
int reduction_open(reduction *r, const sodae_problem *p, sodae_formulation form);
int reduction_rows(const reduction *r);
int reduction_unknowns(const reduction *r);
/* Coefficients of the equations that are needed for `terms` of the reduced ones. */
int reduction_terms(const reduction *r, int terms);
/* A, f: the series as they are, out, g: reduced; A[2] belongs to x''. */
void reduction_apply(const reduction *r, int terms, double *const A[3], const double *f,
                     double *const out[3], double *g);
