/* Fekete points of the Test Set for IVP Solvers: the model file of the examples, to t = 1000. */
#include "bench/problems/problem.h"

#include <sodae/model.h>
#include <stdio.h>

static int unit_mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 60; i++) out[i] = 1;
    return 0;
}

int fekete(bench_problem *b, int n) {
    sodae_failure why;
    (void)n;
    if (sodae_model_load(EXAMPLES "/fekete.yaml", NULL, &b->model, &why) < 0)
        return fprintf(stderr, "%s\n", why.message), 1;
    int *numbers = bench_room(b, 61, sizeof *numbers);
    for (int i = 0; i <= 60; i++) numbers[i] = i;
    b->p = *sodae_model_problem(b->model);
    b->p.value[SODAE_MASS] = (sodae_term){unit_mass, {numbers, numbers}};
    return 0;
}
