/* The linearised mechanism at a state and its eigenvalues. Matrices are full, by columns. */
#pragma once

#include "mechanism/mechanism.h"

#include <math.h>

typedef struct mech_linear {
    arena memory;
    int nv, nc, ng;                /* ng: holonomic among nc constraints */
    double *M, *K, *C, *E, *A, *D; /* see modes.c */
    int ny, nw, count;             /* freedoms of positions and velocities, states in all */
    double *Zq, *Zv, *X;
    double *re, *im; /* eigenvalues; pairs side by side, the positive imaginary part first */
    double *shape;   /* nv numbers of each: real part, of the second of a pair the imaginary part */
} mech_linear;

/* Nonzero when memory ran out. */
int mech_linear_open(mech_linear *l, const sodae_mechanism *m);
void mech_linear_close(mech_linear *l);
/* at->work is needed. body_axes: perturbations along the axes of the bodies, not of space. */
int mech_linearise(mech_linear *l, const sodae_mechanism *m, const sodae_point *at, int body_axes);
/* Number i of the vector by which A^T A and A^T D are compared. */
static inline double mech_probe(int i) {
    return cos(1. + (double)i * i);
}
/* The largest relative difference of the matrices. */
double mech_linear_change(const mech_linear *a, const mech_linear *b);
/* modes_sparse.c: those nearest to 0, along the axes of bodies; *changed: relative, from `at` to
 * `later`. 1: memory ran out or a callback failed, 2: singular. */
int mech_sparse_modes(mech_linear *l, const sodae_mechanism *m, const sodae_point *at,
                      const sodae_point *later, double *changed);
sodae_status mech_eigen(mech_linear *l, sodae_failure *why);
