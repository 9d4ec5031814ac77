/* The linear system of an explicit stage,
 *
 *     M a + C^T mu = f,    C a = c,    C = [G; K],                                   (1)
 *
 * in the range space of the constraints: M = L L^T by blocks, W = L^-1 C^T, S = W^T W = C M^-1 C^T,
 *
 *     S mu = C M^-1 f - c,    a = M^-1 (f - C^T mu).                                 (2)
 *
 * Blocks are the connected components of the pattern of M; those with the same constraints are
 * joined. The product of each two vectors of W in a block has a known place in S. Where a block is
 * too large for that, (1) is factored as a whole. */
#pragma once

#include "linear/ldlt.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "problem/eval.h"

/* The largest block: up to there a full factor takes less than a sparse one. */
enum { RANGE_BLOCK = 64 };
/* The order up to which S is factored as a full matrix: at 10 a sparse factor of a chain takes 0.8
 * of its instructions. */
enum { RANGE_DENSE = 8 };

typedef struct range {
    eval *e;
    int m;             /* rows of C */
    int whole;         /* 1: (1) is factored as a whole */
    int diagonal;      /* 1: M is */
    int unit;          /* 1: M is the identity */
    int known;         /* 1: M is constant and factored */
    double *M, *G, *K; /* at the last point */
    int nblocks;       /* velocities of block b: member[first[b]] ... member[first[b+1] - 1] */
    int *first, *member;
    int *block_at; /* place of its factor in L: by rows, 1/l_ii on the diagonal */
    int *M_at;     /* place of entry k of M in L; -1: above the diagonal */
    double *L;
    /* W, block by block: vectors vectors[b] ... vectors[b+1] - 1 of block b; place of the entries
     * of G, then of K */
    int *vectors, *C_at;
    int size_W;
    double *W;
    /* the place in S of the product of each two vectors of a block, in their order; of S_ii, -1
     * where it has none */
    int *place, *diagonal_at;
    int size_S;
    double pivot;  /* smallest part of a diagonal entry of S that is left as a pivot */
    double *S;     /* by rows and then its factor, up to RANGE_DENSE; else its entries */
    double *x, *y; /* buffers: nv, m */
    ldlt sparse;   /* factor of S, above RANGE_DENSE */
    matrix A;      /* as a whole */
    pattern off;   /* diagonal of the constraints that are off */
    int block[6];
    double *b;
    linear_solver linear; /* as a whole; counts in any case */
} range;

sodae_status range_open(range *r, arena *a, eval *e);
/* A new start: M may be another. */
void range_restart(range *r);
/* M, G and K at a point, M factored; `factor`: S too, else S stays that of an earlier point. */
sodae_status range_set(range *r, const sodae_point *at, int factor);
/* (1): a from f to a, mu from c to mu. */
void range_solve(range *r, double *a, double *mu);
/* The smallest part of a diagonal entry of S that is left as a pivot; 1 as a whole. */
double range_pivot(const range *r);
/* 1: near a singular configuration, where the solution needs range_refine: its error is then that
 * of the condition of C, not of its square. */
int range_is_ill(const range *r);
/* Once more for what is left of C a = c, where S is that of a point near by. */
void range_refine(range *r, const double *c, double *a, double *mu);
/* d = M^-1 C^T S^-1 c: the smallest d with C d = c. */
void range_move(range *r, const double *c, double *d);
