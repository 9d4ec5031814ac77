/* A linear solver is analyse, factor, solve: pattern, values, right-hand side. */
#pragma once

#include "base/snapshot.h"
#include "base/stopwatch.h"
#include "base/tuning.h"
#include "linear/pattern.h"
#include "linear/pin.h"

#include <sodae/status.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Rows and columns are multiplied by these before equilibration, which cannot tell small entries
 * from negligible ones. Powers of two. */
typedef struct linear_units {
    int on;            /* 0: not used */
    double *row, *col; /* NULL: the backend has none */
} linear_units;

typedef struct linear_backend {
    const char *name;
    int scales; /* 1: it takes units */
    /* Once for each pattern; workspace from the arena. NULL: out of memory. */
    void *(*analyse)(arena *a, const pattern *p);
    /* The same for another matrix on the same pattern, by the workspace of the first, which has to
     * live as long; NULL: there is no such thing. */
    void *(*analyse_like)(arena *a, const void *other);
    /* When the matrix has changed, with what is pinned; units may be NULL. */
    sodae_status (*factor)(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units);
    /* Estimated reciprocal condition of the last matrix after equilibration. */
    double (*condition)(void *work);
    /* From now on a singular matrix is no failure: solve gives the solution of smallest size of the
     * equilibrated system. -1: out of memory. NULL: the backend cannot. */
    int (*allow_singular)(void *work, arena *a);
    /* For every right-hand side, in place; NaN without factors. */
    void (*solve)(void *work, double *b, const linear_pins *pins);
    /* The same to about 8 digits, as an iteration needs it; NULL: as `solve`. */
    void (*correct)(void *work, double *b);
    /* Row or column with the smallest pivot of a singular matrix; -1, or NULL: not known. */
    int (*weakest)(const void *work);
    /* What persists: the matrix that has chosen the pivots; NULL: nothing. */
    void (*visit)(void *work, snapshot_visitor *v);
    /* The backend that has the factors, and why; NULL: this one. */
    const char *(*chosen)(const void *work, const char **why);
} linear_backend;

/* In units a matrix with a reciprocal condition above this is not tried without them. */
#define LINEAR_GOOD 1e-8

extern const linear_backend linear_dense; /* LU with equilibration */
/* The same for a complex matrix on a pattern: values and right-hand side as all real parts, then
 * all imaginary parts. */
extern const linear_backend linear_complex;

TUNING_INT(LINEAR_DENSE_MOST, 64,
           "order; own LU takes 0.48 of dgetrf's time there, sparse ones gain above");

/* Which backend: dense up to order 64, else by pattern and fill (choose.c); the numbers are those
 * of sodae_linear_solver. */
typedef enum linear_choice {
    LINEAR_AUTO,
    LINEAR_DENSE,
    LINEAR_LDL,
    LINEAR_KLU,
    LINEAR_UMFPACK,
    LINEAR_MUMPS,
    LINEAR_CHOICES
} linear_choice;

/* 2^-k with 2^k <= x < 2^(k+1), so that scaling is free of rounding; 1 for 0. */
static inline double linear_inverse_power_of_two(double x) {
    if (x >= 0x1p-1000 && x < 0x1p1000) { /* exponents e and 2046 - e are those of 2^k and 2^-k */
        uint64_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits = (2046 - (bits >> 52)) << 52;
        memcpy(&x, &bits, sizeof x);
        return x;
    }
    return x > 0 ? ldexp(1, x < 0x1p-1000 ? 1000 : -ilogb(x)) : 1;
}

/* A backend and its workspace. */
typedef struct linear_solver {
    const linear_backend *backend;
    const pattern *pattern;
    void *work;
    long factorizations, solves;
    linear_pins pins;    /* none unless they are set */
    linear_units *units; /* NULL: none */
    stopwatch *watch;    /* NULL: not timed */
    /* solvers whose matrices together stand for the one of this solver, as a list by `next`; NULL:
     * it was factored itself */
    struct linear_solver *parts, *next;
} linear_solver;

/* -1 when memory ran out. */
int linear_open(linear_solver *s, arena *a, const linear_backend *backend, const pattern *p);
/* The backend of a choice; one that the pattern or the machine does not allow is replaced by the
 * next. symmetric: the matrix may be symmetric. -1 when memory ran out. */
int linear_open_choice(linear_solver *s, arena *a, linear_choice choice, int complex, int symmetric,
                       const pattern *p);
/* An unsymmetric matrix that may never come: its backend is chosen and analyses when it does. */
int linear_open_later(linear_solver *s, arena *a, linear_choice choice, const pattern *p);
/* The same with the analysis of the solver `like` if its pattern is equal (NULL: of none). */
int linear_open_like(linear_solver *s, arena *a, linear_choice choice, int complex, int symmetric,
                     const pattern *p, const linear_solver *like);
/* The solver takes these units, which solvers of one order may share; with room where its backend
 * knows units. -1 when memory ran out. */
int linear_use_units(linear_solver *s, arena *a, linear_units *u);
/* The name of the backend that has the factors, and why it was chosen. */
const char *linear_name(const linear_solver *s, const char **why);
/* Row or column with the smallest pivot of a singular matrix, -1: not known. */
int linear_weakest(const linear_solver *s);
void linear_visit(linear_solver *s, snapshot_visitor *v);
/* Singular matrices are solved in the sense of least size; -1 when memory ran out. */
int linear_allow_singular(linear_solver *s, arena *a);
sodae_status linear_factor(linear_solver *s, const double *values);
/* Reciprocal condition of the last matrix, 0 where it could not be factored: costs some solves. */
double linear_rcond(const linear_solver *s);
void linear_solve(linear_solver *s, double *b);
/* The same to about 8 digits, for iterations that correct themselves. */
void linear_correct(linear_solver *s, double *b);
