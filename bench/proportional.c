/* Error against tolerance on the whole catalogue, as CSV: does one follow the other?
 *
 *   proportional [--only SOLVER] [--seconds S] [problem ...]
 *
 * --only: solvers whose name begins so ("" for all), otherwise the default. --seconds: CPU time
 * after which a run is TOO_LONG. */
#include "bench/solvers.h"
#include "problems/catalogue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sweep(const catalogue_entry *entry, const char *only, double seconds) {
    solver list[SOLVERS_MAX];
    double values[32];
    for (int i = 0; i < entry->nparameters && i < 32; i++) values[i] = entry->parameters[i].value;
    sodae_problem *p = entry->create(values);
    if (!p) return;
    int n = only ? solvers_all(list, 0) : 1;
    if (!only) {
        sodae_options o = sodae_default_options();
        list[0] = (solver){.name = "default", .method = o.method, .formulation = o.formulation};
    }
    for (int i = 0; i < n; i++) list[i].seconds = seconds;
    for (int i = 0; i < n; i++)
        for (int k = 2; k <= 9 && (!only || !strncmp(list[i].name, only, strlen(only))); k++) {
            double tol = 1;
            for (int j = 0; j < k; j++) tol /= 10;
            outcome o = run_solver(&list[i], p, entry->t_end, tol, 0);
            printf("%s,%s,1e-%02d,%s,%ld,%ld,%ld,%.3e,%.3e,%.3e\n", entry->name, list[i].name, k,
                   o.status, o.steps, o.refused, o.newton, o.q, o.v, o.lambda);
            fflush(stdout);
            if (strcmp(o.status, "TOO_LONG") == 0) break;
        }
    entry->free(p);
}

int main(int argc, char **argv) {
    const char *only = NULL;
    double seconds = 0;
    int first = 1;
    for (; first + 1 < argc && strncmp(argv[first], "--", 2) == 0; first += 2) {
        if (strcmp(argv[first], "--only") == 0) only = argv[first + 1];
        if (strcmp(argv[first], "--seconds") == 0) seconds = atof(argv[first + 1]);
    }
    puts("problem,solver,tol,status,steps,refused,newton,err_q,err_v,err_lambda");
    for (int i = 0; argc == first && catalogue_at(i); i++) sweep(catalogue_at(i), only, seconds);
    for (int i = first; i < argc; i++)
        if (catalogue_find(argv[i])) sweep(catalogue_find(argv[i]), only, seconds);
    return 0;
}
