/* A problem of the bench: plain C callbacks with exact derivatives and their patterns, the same for
 * all solvers. Callbacks are right for quaternions of length 1. */
#pragma once

#include <sodae/model.h>
#include <sodae/problem.h>

/* The constraints eliminated by hand, for explicit Runge-Kutta methods. */
typedef struct hand_elimination {
    void (*accelerate)(const double *q, const double *v, double *a, double *lambda);
    void (*project)(double *q, double *v); /* onto both levels, in the mass metric */
} hand_elimination;

typedef struct bench_problem {
    sodae_problem p;
    double t_end;
    int timed;                    /* 1: functions depend on t */
    const hand_elimination *hand; /* or NULL */
    sodae_model *model;           /* the one that the callbacks belong to, or NULL */
    void **rooms;                 /* all memory of the problem */
    int nrooms;
} bench_problem;

/* "chain-100": a name of the table and a size. NULL: unknown, said on stderr. */
bench_problem *bench_open(const char *name);
void bench_close(bench_problem *b);

/* Name and line of help of entry i of the table, NULL past the end. */
const char *bench_name(int i, const char **help);

/* `work` of a point, for who calls callbacks; free it. */
void *bench_work(const sodae_problem *p);

/* For the files that fill a problem: zeroed memory that lives with it, and its initial values. */
void *bench_room(bench_problem *b, size_t count, size_t size);
void bench_initial(bench_problem *b, double **q, double **v);

/* Each fills a problem; n is the size in its name. Not 0: no such size. */
int chain(bench_problem *b, int n), net(bench_problem *b, int n),
    stiff_net(bench_problem *b, int n);
int lattice(bench_problem *b, int n), ring(bench_problem *b, int n), tree(bench_problem *b, int n);
int heavy_top(bench_problem *b, int n), andrews(bench_problem *b, int n);
int car_axis(bench_problem *b, int n), slider_crank(bench_problem *b, int n);
int fekete(bench_problem *b, int n);
