/* Stabilised index 2 form of a problem as F(t, y, y') = 0, for solvers of the first order. */
#pragma once

#include "problem/eval.h"

typedef struct ggl {
    eval e;
    arena memory;
    sodae_space *own;
    sodae_failure failure;
    int n, differential; /* unknowns; those before `differential` have a derivative in F */
    int at_v, at_r, at_w, at_s, at_lambda, at_psi, at_mu;
    int has_jacobian; /* q in R^n, no r, w, s: else differences have to do */
    long residuals;
    double *u, *M, *G, *K, *work;
} ggl;

int ggl_open(ggl *f, const sodae_problem *p);
void ggl_close(ggl *f);
/* Consistent y and y' by sodae_start. */
int ggl_start(ggl *f, double *y, double *yp);
/* 0 done, > 0 try a smaller step, < 0 stop. */
int ggl_residual(ggl *f, double t, const double *y, const double *yp, double *res);
/* dF/dy + cj dF/dy', full, by columns; J comes as zeros. */
int ggl_jacobian(ggl *f, double t, double cj, const double *y, const double *yp, double *J);
