/* Simplified Newton: one factored matrix for many iterations and steps, with a rate test. */
#pragma once

#include "base/arena.h"

#include <sodae/status.h>

/* What is to be solved. The functions know nothing of Newton and Newton nothing of them. */
typedef struct newton_system {
    int n;
    sodae_status (*residual)(void *self, const double *x, double *res);
    /* build and factor at x, where the residual was evaluated last and is still needed */
    sodae_status (*matrix)(void *self, const double *x);
    void (*correct)(void *self, double *res); /* in: residual, out: increment */
    /* relative size of an increment; *state: of its part in q and v, without multipliers */
    double (*size)(void *self, const double *dx, double *state);
    void (*name)(void *self, int row, char *text, size_t size); /* equation of a row */
    void *self;
    /* the largest increment in units of atol + rtol |x|; NULL: there is none */
    double (*weigh)(void *self, const double *dx, double rtol, double atol);
} newton_system;

/* When the matrix is rebuilt. */
typedef enum newton_reuse {
    NEWTON_AUTO,      /* when convergence is slow */
    NEWTON_NEVER,     /* only when coefficients change or the iteration grows */
    NEWTON_STEP,      /* at the beginning of every solve, and when convergence is slow */
    NEWTON_ITERATION, /* in every iteration */
} newton_reuse;

typedef struct newton_options {
    double rtol;     /* size of the error left in x, relative */
    double atol;     /* > 0: increments below atol + rtol |x| end the iteration, `weigh` */
    int max;         /* iterations */
    double doubt;    /* a better contraction than this is not believed; 0: every one is */
    int by_state;    /* the contraction of q and v counts: multipliers follow them */
    int state_alone; /* q and v are to be right, multipliers are found otherwise */
    double expected; /* the first contraction is not believed to be better than this */
    double renew;    /* a contraction worse than this asks for a new matrix next time; 0: never */
    int linear;      /* the equations are: one increment is the solution */
    double patience; /* a contraction that is good enough where the matrix is new already */
    double rounding; /* stalled increments of q and v below this are rounding; 0: the usual */
    newton_reuse reuse;
} newton_options;

typedef struct newton {
    newton_system system;
    double *res;
    int fresh, valid; /* matrix belongs to this step; matrix exists */
    double rate;      /* last contraction */
    double worst;     /* the largest of the last solve */
    double sizes[12]; /* the last increments of the last solve */
    int nsizes;
    long iterations, matrices;
    sodae_failure *const *failure; /* where failures are recorded at the time */
} newton;

sodae_status newton_open(newton *n, arena *a, newton_system system, sodae_failure *const *failure);
/* The coefficients have changed: the matrix must be rebuilt. */
void newton_forget(newton *n);
/* Another run: no contraction was seen. */
void newton_restart(newton *n);
/* A new matrix at x, where the residual was evaluated last. */
sodae_status newton_refresh(newton *n, const double *x);
/* NEWTON_FAILED, naming the equation with the largest residual. */
sodae_status newton_give_up(newton *n, const double *x, int iterations, double size);
/* x: guess in, solution out. */
sodae_status newton_solve(newton *n, double *x, const newton_options *options);
