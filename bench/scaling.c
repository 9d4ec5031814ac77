/* How time and memory grow with the size of a problem, and a step beside its floor, as CSV.
 *
 *     scaling [--method NAME] PROBLEM      "chain-1000" of the bench, "rolling-disk" or
 *                                          "four-bar-40" of the catalogue, "beam-1000": elements
 *                                          of a geometrically exact beam that swings
 *
 * One problem for each process, so that the memory is its own. Without a method: fixed steps of
 * generalized-alpha in index 3, and their floor: one factorization, two solves and two evaluations
 * of force and constraints with what they derive, at the state that is reached. With one: the mean
 * step under error control, rtol 1e-5. CPU times. */
#define _POSIX_C_SOURCE 200809L
#include "method/alpha.h"
#include "run/run.h"

#include "bench/problems/problem.h"
#include "problems/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { ROUNDS = 5, PARAMETERS = 32 };

/* A problem, and a step that is small against its motion. */
typedef struct subject {
    const sodae_problem *p;
    double step;
    bench_problem *bench; /* NULL: of the catalogue */
    const catalogue_entry *entry;
    sodae_problem *own;
    sodae_model *model;
} subject;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return 1024. * (double)u.ru_maxrss;
}

/* "name" or "name-size" of the catalogue, the size its first parameter. */
static int find_entry(subject *x, const char *name) {
    char base[64];
    const char *dash = strrchr(name, '-');
    double values[PARAMETERS];
    x->entry = catalogue_find(name);
    snprintf(base, sizeof base, "%.*s", dash ? (int)(dash - name) : 0, name);
    if (!x->entry && dash) x->entry = catalogue_find(base);
    if (!x->entry) return 0;
    for (int i = 0; i < x->entry->nparameters && i < PARAMETERS; i++)
        values[i] = x->entry->parameters[i].value;
    if (dash && strcmp(x->entry->name, name)) values[0] = atof(dash + 1);
    x->own = x->entry->create(values), x->p = x->own, x->step = x->entry->step;
    /* of length 1 in all: links fall like pendulums of their length */
    if (!strcmp(x->entry->name, "chain")) x->step = 1e-3 / sqrt(values[0]);
    return x->p != NULL;
}

static void open_beam(subject *x, const char *elements) {
    static const char text[] =
        "sodae: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
        "beams:\n  b: {from: [0, 0, 0], to: [10, 0, 0], up: [0, 1, 0], elements: %d,\n"
        "    section: {EA: 2.8e7, GA: [1e7, 1e7], GJ: 1.4e4, EI: [1.4e4, 1.4e4], rhoA: 1.2,\n"
        "              rhoJ: [1.2e-3, 6e-4, 6e-4]}}\n"
        "joints: {root: {fixed: [hub, b.start]},\n"
        "  pin: {revolute: [ground, hub], at: [0, 0, 0], axis: [0, 1, 0]}}\n";
    char full[sizeof text + 12];
    sodae_failure why;
    int n = snprintf(full, sizeof full, text, atoi(elements));
    if (sodae_model_parse(full, (size_t)n, "beam", NULL, &x->model, &why))
        fprintf(stderr, "%s\n", why.message), exit(1);
    x->p = sodae_model_problem(x->model), x->step = 1e-3;
}

static void open_subject(subject *x, const char *name) {
    *x = (subject){0};
    if (!strncmp(name, "beam-", 5)) {
        open_beam(x, name + 5);
        return;
    }
    if (find_entry(x, name)) return;
    x->bench = bench_open(name);
    if (!x->bench) exit(2);
    x->p = &x->bench->p, x->step = 1e-3;
}

static void close_subject(subject *x) {
    if (x->bench) bench_close(x->bench);
    if (x->own) x->entry->free(x->own);
    sodae_model_free(x->model);
}

static sodae *begin(const subject *x, const char *by) {
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    if (by && sodae_options_set(&o, "method", by, &why)) puts(why.message), exit(2);
    if (by)
        o.rtol = 1e-5;
    else
        o.method = SODAE_GENERALIZED_ALPHA, o.formulation = SODAE_INDEX3, o.step = x->step;
    if (sodae_create(&s, x->p, &o, &why)) fprintf(stderr, "%s\n", why.message), exit(1);
    if (sodae_start(s) < 0) fprintf(stderr, "%s\n", sodae_last_failure(s)->message), exit(1);
    return s;
}

static void advance(sodae *s, double t) {
    if (sodae_advance(s, t, NULL, NULL) < 0)
        fprintf(stderr, "%s\n", sodae_last_failure(s)->message), exit(1);
}

/* One factorization of the matrix that is there, two solves, two evaluations. */
static void least_work(sodae *s) {
    form *f = &((alpha *)engine_stepper(s->engine)->memory)->form;
    eval *e = f->e;
    double *res = f->newton.res;
    sodae_point at = form_point(f, 0, f->x);
    linear_factor(&f->linear, f->A.values);
    for (int i = 0; i < 2; i++) {
        eval_unprepare(e);
        eval_force(e, &at, res);
        eval_value(e, SODAE_HOLONOMIC, &at, res + e->nv);
        eval_value(e, SODAE_NONHOLONOMIC, &at, res + e->nv + e->nl);
        linear_correct(&f->linear, res);
    }
    eval_derivative(e, SODAE_HOLONOMIC, SODAE_Q, &at);
    eval_derivative(e, SODAE_NONHOLONOMIC, SODAE_V, &at);
    eval_derivative(e, SODAE_REACTION, SODAE_Q, &at);
}

static double floor_of(sodae *s, int steps) {
    double begin = seconds();
    for (int i = 0; i < steps; i++) least_work(s);
    return (seconds() - begin) / steps;
}

static void print_head(void) {
    puts("problem,method,unknowns,backend,start,step,floor,bytes,steps,iterations,matrices");
}

typedef struct cost {
    double start, step, least, bytes;
    sodae_statistics count;
} cost;

static void print(const char *name, const char *by, const sodae *s, const cost *x) {
    const sodae_statistics *c = &x->count;
    const sodae_problem *p = &s->problem;
    const char *why;
    double n = c->steps ? (double)c->steps : 1;
    const linear_solver *l = engine_linear(s->engine);
    printf("%s,%s,%d,%s,%.4g,%.4g,%.4g,%.0f,%ld,%.3f,%.3f\n", name, by ? by : "alpha",
           p->nv + p->nlambda + p->npsi, l ? linear_name(l, &why) : "-", x->start, x->step,
           x->least, x->bytes, c->steps, (double)c->newton_iterations / n,
           (double)c->factorizations / n);
}

static double least_of(const double *x, int n) {
    double least = x[0];
    for (int i = 1; i < n; i++) least = fmin(least, x[i]);
    return least;
}

/* Steps and floors by turns, the least of each: both are the same work in every round. */
static void measure_fixed(const subject *x, const char *name) {
    double before = resident(), t0 = seconds(), took[ROUNDS], floors[ROUNDS];
    sodae *s = begin(x, NULL);
    cost c = {.start = seconds() - t0};
    double h = x->step, t = x->p->initial.t + 5 * h;
    int large = x->p->nv > 4000, steps = large ? 10 : 100, rounds = large ? 2 : ROUNDS;
    advance(s, t);
    c.bytes = resident() - before;
    for (int r = 0; r < rounds; r++) {
        t0 = seconds();
        advance(s, t + steps * h);
        took[r] = (seconds() - t0) / steps, t += steps * h;
        if (r == 0) c.count = *sodae_counters(s); /* the floor adds to them */
        floors[r] = floor_of(s, steps);
    }
    c.step = least_of(took, rounds), c.least = least_of(floors, rounds);
    print(name, NULL, s, &c);
    sodae_free(s);
}

static void measure_controlled(const subject *x, const char *name, const char *by) {
    double before = resident(), t0 = seconds();
    sodae *s = begin(x, by);
    cost c = {.start = seconds() - t0, .least = NAN};
    t0 = seconds();
    advance(s, x->p->initial.t + 20 * x->step);
    c.count = *sodae_counters(s);
    c.step = (seconds() - t0) / (double)c.count.steps, c.bytes = resident() - before;
    print(name, by, s, &c);
    sodae_free(s);
}

int main(int argc, char **argv) {
    const char *by = argc > 2 && !strcmp(argv[1], "--method") ? argv[2] : NULL;
    int at = by ? 3 : 1;
    if (at >= argc) return puts("scaling [--method NAME] PROBLEM"), 2;
    subject x;
    open_subject(&x, argv[at]);
    print_head();
    if (by)
        measure_controlled(&x, argv[at], by);
    else
        measure_fixed(&x, argv[at]);
    close_subject(&x);
    return 0;
}
