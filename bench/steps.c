/* Time of one fixed step, and something for a profiler to look at.
 *
 *   steps PROBLEM STEP COUNT [FORMULATION [PARAMETER=VALUE ...]] */
#include "problems/catalogue.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void set(const catalogue_entry *entry, const char *text, double *values) {
    const char *is = strchr(text, '=');
    for (int i = 0; is && i < entry->nparameters; i++)
        if (strncmp(text, entry->parameters[i].name, (size_t)(is - text)) == 0)
            values[i] = atof(is + 1);
}

static int run(const sodae_problem *p, const sodae_options *o, double t_end) {
    sodae *s;
    sodae_failure why;
    if (sodae_create(&s, p, o, &why)) return puts(why.message), 1;
    sodae_status st = sodae_start(s);
    double start = seconds_now();
    if (st >= 0) st = sodae_advance(s, t_end, NULL, NULL);
    double took = seconds_now() - start;
    const sodae_statistics *c = sodae_counters(s);
    double n = c->steps > 0 ? (double)c->steps : 1;
    if (st < 0) puts(sodae_last_failure(s)->message);
    printf("%ld steps, %.2f us each; per step: %.2f Newton iterations, %.3f factorisations,"
           " %.1f forces\n",
           c->steps, 1e6 * took / n, (double)c->newton_iterations / n,
           (double)c->factorizations / n, (double)c->evaluations[SODAE_FORCE] / n);
    sodae_free(s);
    return st < 0;
}

int main(int argc, char **argv) {
    const catalogue_entry *entry = argc > 3 ? catalogue_find(argv[1]) : NULL;
    if (!entry) return puts("steps PROBLEM STEP COUNT [FORMULATION [PARAMETER=VALUE ...]]"), 2;
    double values[32], h = atof(argv[2]);
    for (int i = 0; i < entry->nparameters && i < 32; i++) values[i] = entry->parameters[i].value;
    for (int i = 5; i < argc; i++) set(entry, argv[i], values);
    sodae_problem *p = entry->create(values);
    sodae_options o = sodae_default_options();
    o.step = h;
    o.max_steps = 100000000;
    if (argc > 4 && sodae_options_set(&o, "formulation", argv[4], NULL)) return 2;
    int bad = !p || run(p, &o, p->initial.t + h * atof(argv[3]));
    if (p) entry->free(p);
    return bad;
}
