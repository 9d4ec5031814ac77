/* LU factors of full matrices with row pivots, P A = L U.
 *
 * Matrices are stored by rows, each padded with zeros to a multiple of four numbers. Rows are
 * exchanged by their numbers only. A complex row holds all real parts, then all imaginary parts; a
 * complex vector too.
 *
 * Up to order LU_OWN the library does the arithmetic itself, so that every processor gives the same
 * bits. Larger real matrices go to LAPACK. */
#pragma once

#include <stddef.h>

/* Takes 0.6 of dgetrf's time at order 20, 1.1 at 128, 1.3 at 300, 1.9 at 500 (bench/linear, one
 * thread with AVX2); matrices of all stages of the catalogue's problems are smaller. */
enum { LU_OWN = 512 };

typedef struct lu {
    int n, stride; /* stride: doubles from row to row; the imaginary parts begin at half of it */
    double *A;     /* L below the diagonal, U above it, 1/u_ii on it */
    double *x;     /* the solution while it is computed */
    double **at;   /* row i of the factors */
    int *row;      /* its number in A; the pivots of LAPACK where it has the factors */
} lu;

/* The number of doubles that a matrix of order n and its factors need. */
size_t lu_room(int n);
size_t lu_complex_room(int n);
/* A matrix in `room`; lu_clear sets it to 0. */
lu lu_place(int n, double *room);
lu lu_complex_place(int n, double *room);
void lu_clear(lu *f);

/* Overwrites A; 0: a pivot is zero. */
int lu_factor(lu *f);
int lu_complex_factor(lu *f);
/* b <- A^-1 b */
void lu_solve(const lu *f, double *b);
void lu_complex_solve(const lu *f, double *b);
/* b <- A^-T b; b <- A^-H b */
void lu_solve_transposed(const lu *f, double *b);
void lu_complex_solve_transposed(const lu *f, double *b);

/* An upper bound of |A^-1|_1 that costs little and is poor: by the largest entries of the rows. */
double lu_inverse_rough_bound(const lu *f);
/* An upper bound of |A^-1|_1; INFINITY where LAPACK has the factors. In the complex case
 * |re| + |im| is the size of a number. */
double lu_inverse_bound(const lu *f);
double lu_complex_inverse_bound(const lu *f);
/* An estimate of |A^-1|_1 from below by a few solutions. work: 3 n doubles, 6 n in the complex
 * case, which is that of the real matrix [Re A, -Im A; Im A, Re A]. */
double lu_inverse_norm(const lu *f, double *work);
double lu_complex_inverse_norm(const lu *f, double *work);
