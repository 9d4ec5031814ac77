/* Multipliers inside of a step, where they are interpolated through those of the last steps.
 *
 * Near a singular configuration they have a pole, and no polynomial follows it, nor for as long as
 * it reaches back over it. q and v are smooth there, and multipliers those of q and v. Not so where
 * forces are stiff, which make k/m of an error of q. Therefore: two polynomials of different degree
 * tell how far the interpolation is to be trusted. Where that is far from the tolerance,
 * multipliers are those of q and v, provided that these lie about as far away as the polynomials do
 * from each other: where they are farther away, forces are stiff, unless a singular configuration
 * is known to have been passed. */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "control/tolerance.h"

#include <math.h>

/* Tolerances that interpolated multipliers may be off; how many times farther away than the two
 * polynomials from each other those of q and v may be. */
static const double trusted = 100, farther = 10;

size_t reactions_room(const eval *e) {
    return 2 * (size_t)(e->nl + e->np);
}

/* In tolerances of the multipliers at the ends of the step. */
static double size_of(const sodae *s, const double *d) {
    const stepper *z = &s->stepper;
    const tolerance *t = &z->tol;
    double l = tolerance_norm(s->eval.nl, d, z->now.lambda, z->next.lambda, t->rtol, t->atol_lambda,
                              t->each_lambda);
    double p = tolerance_norm(s->eval.np, d + s->eval.nl, z->now.psi, z->next.psi, t->rtol,
                              t->atol_lambda, NULL);
    return fmax(l, p);
}

static void multipliers(const sodae *s, const state *x, double weight, double *out) {
    vec_add(s->eval.nl, weight, x->lambda, out);
    vec_add(s->eval.np, weight, x->psi, out + s->eval.nl);
}

sodae_status reactions_inside(sodae *s, state *out) {
    int n = s->eval.nl + s->eval.np;
    double *shown = s->reactions, *d = shown + n;
    state *other = &s->middle[1];
    if (!n || !isnan(s->options.step) || s->dense.n < 3) return SODAE_OK;
    vec_zero(n, shown), multipliers(s, out, 1, shown);
    dense_history_fewer(&s->dense, &s->eval, out->t, other);
    vec_zero(n, d), multipliers(s, other, 1, d), vec_add(n, -1, shown, d);
    double unsure = size_of(s, d);
    if (unsure <= trusted) return SODAE_OK;
    state_copy(&s->eval, out, other);
    sodae_status st = consistent_settle(&s->consistent, other);
    if (st) return undo_helps(st) ? st : SODAE_OK;
    vec_zero(n, d), multipliers(s, other, 1, d), vec_add(n, -1, shown, d);
    int singular = s->dense.pole >= s->dense.t[0];
    if (singular || size_of(s, d) <= farther * unsure) state_copy(&s->eval, other, out);
    return SODAE_OK;
}
