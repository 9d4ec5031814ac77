/* How time and memory grow with the number of links of a chain, fixed steps of generalized-alpha.
 *
 *     scaling N ...      links, create and start, a step, their ratio, a step / its floor, bytes of
 * a link, slopes from one N to the next
 *
 * The floor of a step is one factorization, two solves and two evaluations of force and constraints
 * with what they derive, at the state that is reached. CPU times. */
#define _POSIX_C_SOURCE 200809L
#include "method/alpha.h"
#include "run/run.h"

#include "problems/catalogue.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

typedef struct cost {
    double links, start, step, floor, bytes;
} cost;

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double resident(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return 1024. * (double)u.ru_maxrss;
}

/* One factorization of the matrix that is there, two solves, two evaluations. */
static void least_work(sodae *s) {
    form *f = &((alpha *)s->engine.stepper.memory)->form;
    eval *e = f->e;
    double *res = f->newton.res;
    sodae_point at = form_point(f, 0, f->x);
    linear_factor(&f->linear, f->A.values);
    for (int i = 0; i < 2; i++) {
        eval_force(e, &at, res);
        eval_value(e, SODAE_HOLONOMIC, &at, res + e->nv);
        linear_correct(&f->linear, res);
    }
    eval_derivative(e, SODAE_HOLONOMIC, SODAE_Q, &at);
    eval_derivative(e, SODAE_REACTION, SODAE_Q, &at);
}

static cost measure(double links) {
    const catalogue_entry *entry = catalogue_find("chain");
    double before = resident(), h = 1e-3 / sqrt(links); /* 1e-3 for links of length 1 */
    sodae_problem *p = entry->create(&links);
    sodae_options o = sodae_default_options();
    sodae *s;
    int steps = links < 2000 ? 100 : 10;
    o.method = SODAE_GENERALIZED_ALPHA, o.formulation = SODAE_INDEX3, o.step = h;
    double t0 = seconds();
    sodae_failure why;
    if (sodae_create(&s, p, &o, &why)) fprintf(stderr, "%s\n", why.message), exit(1);
    if (sodae_start(s) < 0) fprintf(stderr, "%s\n", sodae_last_failure(s)->message), exit(1);
    double t1 = seconds();
    sodae_advance(s, 5 * h, NULL, NULL);
    double t2 = seconds();
    sodae_status st = sodae_advance(s, (5 + steps) * h, NULL, NULL);
    double t3 = seconds();
    if (st) fprintf(stderr, "%s\n", sodae_last_failure(s)->message), exit(1);
    const char *why_this,
        *name = linear_name(&((alpha *)s->engine.stepper.memory)->form.linear, &why_this);
    const sodae_statistics *c = sodae_counters(s);
    printf("# %s: %s; iterations %.2f, matrices %.2f a step\n", name, why_this,
           (double)c->newton_iterations / (double)c->steps,
           (double)c->factorizations / (double)c->steps);
    double bytes = (resident() - before) / links;
    double t4 = seconds();
    for (int i = 0; i < steps; i++) least_work(s);
    cost x = {links, t1 - t0, (t3 - t2) / steps, (seconds() - t4) / steps, bytes};
    sodae_free(s);
    entry->free(p);
    return x;
}

static double slope(double x0, double y0, double x1, double y1) {
    return log(y1 / y0) / log(x1 / x0);
}

int main(int argc, char **argv) {
    cost last = {0};
    printf("%9s %12s %12s %8s %8s %8s %8s %8s\n", "links", "start [s]", "step [s]", "ratio",
           "/floor", "B/link", "slope", "of start");
    for (int i = 1; i < argc; i++) {
        cost c = measure(strtod(argv[i], NULL));
        printf("%9.0f %12.4g %12.4g %8.1f %8.2f %8.0f", c.links, c.start, c.step, c.start / c.step,
               c.step / c.floor, c.bytes);
        if (i > 1)
            printf(" %8.2f %8.2f", slope(last.links, last.step, c.links, c.step),
                   slope(last.links, last.start, c.links, c.start));
        printf("\n");
        fflush(stdout);
        last = c;
    }
    return 0;
}
