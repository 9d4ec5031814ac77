/* Problems whose functions are analytic: written once for complex arguments, differentiated by the
 * complex step F_x e = Im F(x + i h e) / h, exact to rounding since nothing is subtracted (Squire,
 * Trapp: SIAM Review 40 (1998), 110-112). */
#pragma once

#include <complex.h>

#include "problems/catalogue.h"

enum { ANALYTIC_MAX = 16 };

typedef double complex analytic;

typedef struct analytic_point {
    analytic t;
    const analytic *q, *v, *lambda, *r, *w, *s;
} analytic_point;

/* `user` is the problem's. Matrices by columns. */
typedef void analytic_fn(const analytic_point *at, const void *user, analytic *out);

/* `problem` comes first and its `user` points here. What is NULL is absent or zero. */
typedef struct analytic_problem {
    sodae_problem problem;
    analytic_fn *mass, *force, *holonomic, *dynamic, *auxiliary, *contact, *energy;
    analytic_fn *jacobian;     /* G = g_q - g_s h_s^-1 h_q */
    analytic_fn *explicit_t;   /* g_t - g_s h_s^-1 h_t */
    analytic_fn *contact_rate; /* s' */
    int force_by_lambda;
    /* Reference states, each t, q, v, v', lambda; times that are not listed are not known. */
    const double *table;
    int rows;
    double q[ANALYTIC_MAX], v[ANALYTIC_MAX], lambda[ANALYTIC_MAX];
    double r[ANALYTIC_MAX], w[ANALYTIC_MAX], s[ANALYTIC_MAX];
} analytic_problem;

/* Sets callbacks, derivatives and initial state of `problem` from the rest; sizes, name and initial
 * values are there already. */
void analytic_finish(analytic_problem *p, double t0);
/* Two coordinates, one constraint, unit masses; begins with the exact solution at t0. */
typedef struct analytic_plane {
    const char *name, *const *variables, *const *constraint;
    analytic_fn *force, *holonomic, *jacobian;
    int (*exact)(double t, const sodae_solution *out, void *user);
} analytic_plane;
sodae_problem *analytic_plane_create(const analytic_plane *plane, double t0);
void analytic_free(sodae_problem *problem);
