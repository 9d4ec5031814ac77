/* How far may the end of a run be from the true solution?
 *
 * Local errors are controlled; what the motion makes of them is not: near an unstable equilibrium
 * or in chaos it multiplies them. The error of the whole run is proportional to the tolerance, so a
 * second run with tolerances f times larger ends f times farther away, and
 *     error = |difference of the two runs| / (f - 1).
 * With f = 1000 the second run takes about a quarter of the steps of the first at order 5. Where
 * the looser run is lost altogether the estimate is too large by what was lost: a warning all the
 * same. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"

#include <math.h>
#include <stdlib.h>

static const double loosest = 1e-2, usual = 1000, least = 10; /* of rtol; f */
static const double trusted = 100;                            /* tolerances */

/* n numbers times f into `to`, if there are any. */
static const double *scaled(const double *x, int n, double f, double **to) {
    double *y = *to;
    if (!x) return NULL;
    for (int i = 0; i < n; i++) y[i] = f * x[i];
    *to += n;
    return y;
}

static sodae_options looser(const sodae *s, double f, double *room) {
    sodae_options o = s->options;
    o.rtol = fmin(1, f * o.rtol);
    o.atol *= f, o.atol_v *= f, o.atol_lambda *= f; /* NaN stays */
    o.atol_q_each = scaled(o.atol_q_each, s->eval.nv, f, &room);
    o.atol_v_each = scaled(o.atol_v_each, s->eval.nv, f, &room);
    o.atol_lambda_each = scaled(o.atol_lambda_each, s->eval.nl, f, &room);
    o.first_step = NAN;
    o.max_steps = 2 * s->statistics.steps + 1000; /* more would mean that something is wrong */
    return o;
}

/* From the same start to the same end; events that stop the run have to agree, too. */
static sodae_status repeat(const sodae *s, const sodae_options *o, sodae **twin) {
    sodae_point from = state_point(&s->begin);
    double end = s->stepper.now.t;
    sodae_status st = sodae_create(twin, s->problem, o, NULL);
    if (st >= 0) st = sodae_start_at(*twin, &from);
    if (st >= 0 && end > from.t) st = sodae_advance(*twin, end, NULL, NULL);
    return st;
}

static void compare(sodae *s, const sodae *twin, double f, sodae_verification *out) {
    stepper *z = &s->stepper;
    double *d = s->dense_scratch;
    sodae_space_difference(s->eval.space, twin->stepper.now.q, z->now.q, d);
    out->q = error_norm_q(z, d) / (f - 1);
    for (int i = 0; i < s->eval.nv; i++) d[i] = z->now.v[i] - twin->stepper.now.v[i];
    out->v = error_norm_v(z, d) / (f - 1);
}

/* One second run with tolerances f times larger. */
static sodae_status estimate(sodae *s, double f, sodae_verification *out) {
    double *room = calloc((size_t)(2 * s->eval.nv + s->eval.nl + 1), sizeof *room);
    sodae *twin = NULL;
    if (!room) return SODAE_NO_MEMORY;
    sodae_options o = looser(s, f, room);
    sodae_status st = repeat(s, &o, &twin);
    int same = st >= 0 && twin->stepper.now.t >= s->stepper.now.t;
    out->rtol = o.rtol;
    out->steps += twin ? twin->statistics.steps : 0;
    if (same) compare(s, twin, f, out);
    sodae_free(twin);
    free(room);
    if (!same) return st < 0 ? st : SODAE_EVENT;
    return fmax(out->q, out->v) <= trusted ? SODAE_OK : SODAE_INACCURATE;
}

sodae_status sodae_verify(sodae *s, sodae_verification *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    *out = (sodae_verification){.q = NAN, .v = NAN};
    if (!s->started) return integrator_not_started(s);
    if (!isnan(s->options.step))
        return failure_set(&s->failure, SODAE_NOT_ALLOWED, "step",
                           "with a fixed step there is no tolerance to compare with");
    double f = fmax(least, fmin(usual, loosest / s->options.rtol));
    sodae_status st = estimate(s, f, out);
    return st != SODAE_OK && f > least ? estimate(s, least, out) : st;
}
