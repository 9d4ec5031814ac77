/* Work and precision of sodae and IDA on the catalogue, in one run, as CSV.
 *
 *   work_precision [--only SOLVER] [problem ...]      --only: solvers whose name begins so */
#include "bench/solvers.h"
#include "problems/catalogue.h"

#include <stdio.h>
#include <string.h>

static const char *const usual[] = {"pendulum-a01", "car-axis", "andrews", "slider-crank",
                                    "heavy-top",    "chain",    NULL};
static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7};

static sodae_problem *build(const catalogue_entry *entry) {
    double values[32];
    for (int i = 0; i < entry->nparameters && i < 32; i++) values[i] = entry->parameters[i].value;
    return entry->create(values);
}

static void compare(const catalogue_entry *entry, const char *only) {
    solver list[SOLVERS_MAX];
    int n = solvers_all(list, 1), last = sizeof tolerances / sizeof *tolerances;
    sodae_problem *p = build(entry);
    if (!p) return;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < last && !strncmp(list[i].name, only, strlen(only)); k++) {
            outcome o = run_solver(&list[i], p, entry->t_end, tolerances[k], 1);
            printf("%s,%s,%g,%s,%ld,%ld,%ld,%ld,%ld,%.3e,%.3e,%.3e,%.6e\n", entry->name,
                   list[i].name, tolerances[k], o.status, o.steps, o.refused, o.residuals, o.newton,
                   o.factorizations, o.q, o.v, o.lambda, o.seconds);
            fflush(stdout);
            if (strcmp(o.status, "TOO_LONG") == 0) break;
        }
    entry->free(p);
}

int main(int argc, char **argv) {
    int given = argc > 2 && strcmp(argv[1], "--only") == 0, first = given ? 3 : 1;
    puts("problem,solver,tol,status,steps,refused,residuals,newton,factorizations,"
         "err_q,err_v,err_lambda,seconds");
    for (int i = first; i < argc || (argc == first && usual[i - first]); i++) {
        const char *name = argc == first ? usual[i - first] : argv[i];
        const catalogue_entry *entry = catalogue_find(name);
        if (entry)
            compare(entry, given ? argv[2] : "");
        else
            fprintf(stderr, "no problem '%s'\n", name);
    }
    return 0;
}
