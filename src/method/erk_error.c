/* The error of a step. */
#include "method/erk.h"

#include "base/vec.h"
#include "estimate/error.h"

static error_vector parts(const eval *e, double *y) {
    return (error_vector){y, y + e->nv, y + 2 * e->nv};
}

/* dopri5: y - y^ of order 4. dop853: |e5|^2 / sqrt(|e5|^2 + 0.01 |e3|^2), II.10 (10.17). */
static double estimate(const stepper *s, erk *m, double h) {
    const erk_table *t = m->table;
    erk_combine(m, t->stages + t->ends, t->error, h, NULL, m->error);
    double size = error_norm(s, parts(s->e, m->error));
    if (!t->lower) return size;
    erk_combine(m, t->stages, t->lower, h, NULL, m->lower);
    double lower = error_norm(s, parts(s->e, m->lower));
    double sum = sqrt(size * size + 0.01 * lower * lower);
    return sum > 0 ? size * (size / sum) : sum;
}

/* Multipliers in the test: their change where the state changes by its error. */
static sodae_status multiplier_error(stepper *s, erk *m, double *size) {
    const eval *e = s->e;
    *size = 0;
    if (!s->tol.lambda || e->nl + e->np == 0) return SODAE_OK;
    for (int i = 0; i < m->n; i++) m->error[i] = m->y[i] - m->error[i];
    sodae_status st = erk_rates(s, m, m->error, s->next.t, m->lower);
    if (st) return st;
    vec_add(e->nl, -1, s->next.lambda, m->x.lambda), vec_add(e->np, -1, s->next.psi, m->x.psi);
    *size = error_norm_lambda(s, m->x.lambda, m->x.psi);
    return SODAE_OK;
}

sodae_status erk_error(stepper *s, double h, step_error *out) {
    erk *m = s->memory;
    const erk_table *t = m->table;
    double lambda, size = estimate(s, m, h);
    sodae_status st = multiplier_error(s, m, &lambda);
    *out = (step_error){.size = larger(size, lambda) / error_share(s, h, t->order),
                        .order = t->error_order - 1, /* the share is h / span */
                        .rounding = error_share_is_rounding(s, h)};
    return st;
}
