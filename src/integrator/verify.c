/* How far may the end of a run be from the true solution?
 *
 * Local errors are controlled; what the motion makes of them is not: near an unstable equilibrium
 * or in chaos it multiplies them. The error of the whole run is proportional to the tolerance, so a
 * second run with tolerances f times larger ends f times farther away, and
 *     error = |difference of the two runs| / |f - 1|.
 * With f = 1000 the second run takes about a quarter of the steps of the first at order 5. Its
 * distance says little where that run itself is lost, or ends otherwise, or at loose tolerances:
 * then a closer one, f = 1/10, decides. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double loosest = 1e-2, usual = 1000, least = 10, closer = 0.1; /* of rtol; f */
static const double trusted = 100, clear = 10;                              /* tolerances */

/* n numbers times f into `to`, if there are any. */
static const double *scaled(const double *x, int n, double f, double **to) {
    double *y = *to;
    if (!x) return NULL;
    for (int i = 0; i < n; i++) y[i] = f * x[i];
    *to += n;
    return y;
}

static sodae_options with_tolerances(const sodae *s, double f, double *room) {
    sodae_options o = s->options;
    o.rtol *= f, o.atol *= f, o.atol_v *= f, o.atol_lambda *= f; /* NaN stays */
    o.atol_q_each = scaled(o.atol_q_each, s->eval.nv, f, &room);
    o.atol_v_each = scaled(o.atol_v_each, s->eval.nv, f, &room);
    o.atol_lambda_each = scaled(o.atol_lambda_each, s->eval.nl, f, &room);
    o.first_step = NAN;
    o.max_steps = 20 * s->statistics.steps + 1000; /* more would mean that something is wrong */
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

/* A run that an event ended a little earlier is compared there. */
static const state *end_of(sodae *s, double t) {
    const state *n = &s->stepper.now;
    if (t >= n->t) return n;
    if (t < n->t - s->stepper.h_last || integrator_state_at(s, t, &s->inside)) return NULL;
    return &s->inside;
}

static void compare(sodae *s, const state *n, const sodae *twin, double f,
                    sodae_verification *out) {
    stepper *z = &s->stepper;
    double *d = s->dense_scratch;
    sodae_space_difference(s->eval.space, twin->stepper.now.q, n->q, d);
    out->q = error_norm_q(z, d) / fabs(f - 1);
    for (int i = 0; i < s->eval.nv; i++) d[i] = n->v[i] - twin->stepper.now.v[i];
    out->v = error_norm_v(z, d) / fabs(f - 1);
}

/* One second run with tolerances f times as large. */
static sodae_status estimate(sodae *s, double f, sodae_verification *out) {
    double *room = calloc((size_t)(2 * s->eval.nv + s->eval.nl + 1), sizeof *room);
    sodae *twin = NULL;
    if (!room) return SODAE_NO_MEMORY;
    sodae_options o = with_tolerances(s, f, room);
    sodae_status st = repeat(s, &o, &twin);
    const state *end = st >= 0 ? end_of(s, twin->stepper.now.t) : NULL;
    *out = (sodae_verification){.done = 1, .rtol = o.rtol, .q = NAN, .v = NAN, .steps = out->steps};
    out->steps += twin ? twin->statistics.steps : 0;
    if (end) compare(s, end, twin, f, out);
    sodae_free(twin);
    free(room);
    if (!end) return st < 0 ? st : SODAE_EVENT;
    return fmax(out->q, out->v) <= trusted ? SODAE_OK : SODAE_INACCURATE;
}

sodae_status sodae_verify(sodae *s, sodae_verification *out) {
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    *out = (sodae_verification){.q = NAN, .v = NAN};
    if (!s->started) return integrator_not_started(s);
    if (!isnan(s->options.step))
        return failure_set(&s->failure, SODAE_NOT_ALLOWED, "step",
                           "with a fixed step there is no tolerance to compare with");
    double f = fmin(usual, loosest / fmax(s->options.rtol, DBL_MIN));
    sodae_status first = SODAE_OK;
    if (f >= least) {
        first = estimate(s, f, out);
        if (first == SODAE_OK && fmax(out->q, out->v) <= clear) return SODAE_OK;
    }
    sodae_verification before = *out;
    sodae_status st = estimate(s, closer, out);
    if (!isnan(out->q) || first != SODAE_INACCURATE) return st;
    *out = before; /* nothing closer is known: the doubt stays */
    return first;
}
