#include "linear/solver.h"

int linear_open(linear_solver *s, arena *a, const linear_backend *backend, const pattern *p) {
    *s = (linear_solver){.backend = backend, .work = backend->analyse(a, p)};
    return s->work ? 0 : -1;
}

int linear_allow_singular(linear_solver *s, arena *a) {
    return s->backend->allow_singular ? s->backend->allow_singular(s->work, a) : -1;
}

sodae_status linear_factor(linear_solver *s, const double *values) {
    s->factorizations++;
    return s->backend->factor(s->work, values, &s->rcond);
}

void linear_solve(linear_solver *s, double *b) {
    s->solves++;
    s->backend->solve(s->work, b);
}
