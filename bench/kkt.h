/* [M G^T; G 0] by KLU for the peers: accelerations, projections, consistent values. */
#pragma once

#include "bench/assembly.h"

#include <suitesparse/klu.h>

typedef struct kkt {
    const sodae_problem *p;
    assembly A;
    int M, G, Gt;                                  /* blocks */
    double *mass, *jacobian, *values, *rhs, *at_q; /* of the last matrix: q */
    klu_l_common common;
    klu_l_symbolic *symbolic;
    klu_l_numeric *numeric;
    double pivots; /* smallest over largest of the last factors with pivoting */
} kkt;

void kkt_open(kkt *s, const sodae_problem *p, kinematics *k);
void kkt_close(kkt *s);
/* KLU's analysis, and back. */
void kkt_begin(kkt *s);
void kkt_end(kkt *s);
/* Factors at a point whose `prepare` is done; nothing where q is that of the last one. */
int kkt_factor(kkt *s, const sodae_point *at);
/* x = (u, lambda), the right-hand side becomes the solution. */
int kkt_solve(kkt *s, double *x);
/* Both at a point: factors, and solves for (a, lambda). */
int kkt_accelerate(kkt *s, const sodae_point *at, double *a, double *lambda);
