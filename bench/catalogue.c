/* The catalogue under error control with default options: steps and the error of the whole run, as
 * CSV. The error of component i is |difference| / (atol + rtol max|x_i| over the run), of rotations
 * in rad / (atol + rtol), as in sodae_verify, but against the exact solution or a run at 1e-12.
 *
 *   catalogue [--method NAME] [--rtol R] [problem ...]
 */
#include "problems/catalogue.h"

#include <sodae/sodae.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STATES = 200 };

typedef struct record {
    int nq, nv, nr;
    long seen, every;
    int count;
    double *t, *q, *v, *r;
    double *qmax, *vmax, *rmax;
} record;

static void keep(record *k, int row, const sodae_view *x) {
    k->t[row] = x->t;
    memcpy(k->q + row * k->nq, x->q, (size_t)k->nq * sizeof *x->q);
    memcpy(k->v + row * k->nv, x->v, (size_t)k->nv * sizeof *x->v);
    if (k->nr) memcpy(k->r + row * k->nr, x->r, (size_t)k->nr * sizeof *x->r);
}

/* Every other row goes when there is no more room. */
static void thin(record *k) {
    for (int i = 0; i < STATES; i++) {
        int from = 2 * i;
        k->t[i] = k->t[from];
        memmove(k->q + i * k->nq, k->q + from * k->nq, (size_t)k->nq * sizeof *k->q);
        memmove(k->v + i * k->nv, k->v + from * k->nv, (size_t)k->nv * sizeof *k->v);
        if (k->nr) memmove(k->r + i * k->nr, k->r + from * k->nr, (size_t)k->nr * sizeof *k->r);
    }
    k->count = STATES;
    k->every *= 2;
}

static void largest(int n, const double *x, double *most) {
    for (int i = 0; i < n; i++) most[i] = fmax(most[i], fabs(x[i]));
}

static int look(const sodae_view *x, void *user) {
    record *k = user;
    largest(k->nq, x->q, k->qmax), largest(k->nv, x->v, k->vmax), largest(k->nr, x->r, k->rmax);
    if (k->seen++ % k->every) return 0;
    if (k->count == 2 * STATES) thin(k);
    keep(k, k->count++, x);
    return 0;
}

static record record_open(const sodae_problem *p) {
    record k = {.nq = sodae_problem_nq(p), .nv = p->nv, .nr = p->nr, .every = 1};
    size_t rows = 2 * STATES + 1;
    k.t = calloc(rows, sizeof *k.t);
    k.q = calloc(rows * (size_t)k.nq, sizeof *k.q), k.v = calloc(rows * (size_t)k.nv, sizeof *k.v);
    k.r = calloc(rows * (size_t)(k.nr + 1), sizeof *k.r);
    k.qmax = calloc((size_t)k.nq, sizeof *k.q), k.vmax = calloc((size_t)k.nv, sizeof *k.v);
    k.rmax = calloc((size_t)k.nr + 1, sizeof *k.r);
    return k;
}

static void record_close(record *k) {
    free(k->t), free(k->q), free(k->v), free(k->r), free(k->qmax), free(k->vmax), free(k->rmax);
}

static double worst(int n, const double *x, const double *y, const double *most, double rtol) {
    double error = 0;
    for (int i = 0; i < n; i++) error = fmax(error, fabs(x[i] - y[i]) / (rtol + rtol * most[i]));
    return error;
}

/* Positions: by component on R^n, in rad where things rotate. */
static double worst_q(const sodae_problem *p, const double *x, const double *y, const double *most,
                      double rtol, double *d) {
    if (!p->space) return worst(p->nv, x, y, most, rtol);
    double error = 0;
    sodae_space_difference(p->space, y, x, d);
    for (int k = 0; k < p->space->nparts; k++) {
        const sodae_part *g = &p->space->parts[k];
        for (int i = 0; i < g->nv; i++) {
            double size = g->group->abelian ? most[g->q0 + i] : 1;
            error = fmax(error, fabs(d[g->v0 + i]) / (rtol + rtol * size));
        }
    }
    return error;
}

static void measure(const catalogue_entry *entry, sodae_problem *p, int method, double rtol) {
    sodae_options o = sodae_default_options(), fine = o;
    o.rtol = rtol, o.method = method;
    fine.rtol = 1e-12, fine.max_steps = 10000000;
    record k = record_open(p);
    sodae *s = NULL, *reference = NULL;
    sodae_failure why;
    if (sodae_create(&s, p, &o, &why) < 0 || sodae_start(s) < 0) {
        printf("%s,%.0e,not started: %s,,,,\n", entry->name, rtol, s ? "" : why.message);
        sodae_free(s);
        return;
    }
    sodae_status st = sodae_advance(s, entry->t_end, look, &k);
    if (k.count == 0 || k.t[k.count - 1] < sodae_state(s)->t) {
        if (k.count == 2 * STATES) thin(&k);
        keep(&k, k.count++, sodae_state(s));
    }
    double *q = malloc((size_t)k.nq * sizeof *q), *v = malloc((size_t)k.nv * sizeof *v);
    double *r = malloc(((size_t)k.nr + 1) * sizeof *r), *d = malloc((size_t)k.nv * sizeof *d);
    double eq = 0, ev = 0, er = 0;
    sodae_solution exact = {.size = sizeof(sodae_solution), .q = q, .v = v, .r = r};
    int known = p->exact && p->exact(k.t[0], &exact, p->user) == 0 &&
                p->exact(k.t[k.count / 2], &exact, p->user) == 0;
    if (!known && (sodae_create(&reference, p, &fine, NULL) < 0 || sodae_start(reference) < 0))
        eq = NAN;
    for (int i = 0; i < k.count && !isnan(eq); i++) {
        const double *tq = q, *tv = v, *tr = r;
        if (known) {
            p->exact(k.t[i], &exact, p->user);
        } else {
            if (sodae_advance(reference, k.t[i], NULL, NULL) < 0) eq = NAN;
            const sodae_view *x = sodae_state(reference);
            tq = x->q, tv = x->v, tr = x->r;
        }
        if (isnan(eq)) break;
        eq = fmax(eq, worst_q(p, k.q + i * k.nq, tq, k.qmax, rtol, d));
        ev = fmax(ev, worst(k.nv, k.v + i * k.nv, tv, k.vmax, rtol));
        er = fmax(er, worst(k.nr, k.r + i * k.nr, tr, k.rmax, rtol));
    }
    const sodae_statistics *c = sodae_counters(s);
    printf("%s,%.0e,%s,%ld,%ld,%ld,%.3g,%.3g,%.3g\n", entry->name, rtol, sodae_status_name(st),
           c->steps, c->refused, c->newton_iterations, eq, ev, er);
    fflush(stdout);
    free(q), free(v), free(r), free(d);
    record_close(&k);
    sodae_free(s), sodae_free(reference);
}

static void sweep(const catalogue_entry *entry, int method, double rtol) {
    static const double all[] = {1e-3, 1e-5, 1e-7, 1e-9};
    double values[32];
    for (int i = 0; i < entry->nparameters && i < 32; i++) values[i] = entry->parameters[i].value;
    sodae_problem *p = entry->create(values);
    if (!p) return;
    for (int i = 0; i < 4; i++)
        if (rtol == 0 || rtol == all[i]) measure(entry, p, method, all[i]);
    entry->free(p);
}

int main(int argc, char **argv) {
    int first = 1, method = SODAE_METHOD_AUTO;
    double rtol = 0;
    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        if (strcmp(argv[first], "--rtol") == 0) rtol = atof(argv[first + 1]);
        if (strcmp(argv[first], "--method") == 0)
            for (int m = 0; sodae_method_name(m); m++)
                if (strcmp(sodae_method_name(m), argv[first + 1]) == 0) method = m;
    }
    puts("problem,rtol,status,steps,refused,newton,err_q,err_v,err_r");
    for (int i = 0; argc == first && catalogue_at(i); i++) sweep(catalogue_at(i), method, rtol);
    for (int i = first; i < argc; i++)
        if (catalogue_find(argv[i])) sweep(catalogue_find(argv[i]), method, rtol);
    return 0;
}
