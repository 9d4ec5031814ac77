/* A problem at a point, ready for derivatives. */
#pragma once

#include "problem/eval.h"

typedef struct frozen {
    eval e;
    arena a;
    sodae_space *own;           /* R^nv where the problem has no space */
    sodae_point at;             /* no block is NULL */
    int first[SODAE_VARIABLES]; /* column of each variable; v shares those of q */
    int n;
} frozen;

/* frozen_close in any case. */
sodae_status frozen_open(frozen *z, const sodae_problem *p, const sodae_point *at,
                         sodae_failure *why);
void frozen_close(frozen *z);

/* A[row0.., col0..] += sign dF/dX, A with n rows, by columns. */
sodae_status frozen_add(frozen *z, sodae_function f, sodae_variable x, double sign, double *A,
                        int n, int row0, int col0);
/* M, G = g_q - g_s h_s^-1 h_q and K as full matrices with n rows at (row0, 0). */
sodae_status frozen_mass(frozen *z, double *A, int n);
sodae_status frozen_constraint(frozen *z, int holonomic, double *A, int n, int row0);
