/* Over a singular configuration.
 *
 * Where constraints become dependent (singular value s of G near 0) rounding of q is eps/s off the
 * manifold and eps v/s^2 off it in v, and multipliers grow like 1/s: the nearer a step ends, the
 * less its end is worth, and smaller steps only end nearer. The singularity is a point of a smooth
 * motion, though: one longer step ends beyond it. It may take a hundredth of the whole tolerance,
 * for such passages are few (error_share), or of the noise that a step to this place would
 * have, up to a tenth of the tolerance. */
#include "integrator/integrator.h"

#include <math.h>

enum { MOST_TRIES = 24 };

static const double most = 10; /* hundredths of the tolerance */

int integrator_is_near_singular(const sodae *s) {
    return s->stepper.noise > fmax(1, s->singular);
}

static sodae_status try_step(sodae *s, double h, double t_end, step_error *error) {
    stepper *z = &s->stepper;
    double t1 = h == t_end - z->now.t ? t_end : z->now.t + h;
    sodae_status st = s->method->step(z, t1 - z->now.t, t1);
    if (!st) st = integrator_check(s);
    if (!st) st = s->method->error(z, h, error);
    return eval_stopped(&s->eval, st);
}

/* Noise is of size 1/s^2 and the step over it of size s: where the step is too long, it is tried
 * again nearer. */
int integrator_cross(sodae *s, double h0, double t_end) {
    stepper *z = &s->stepper;
    double largest = isnan(s->options.max_step) ? INFINITY : s->options.max_step;
    double rest = fmin(largest, t_end - z->now.t), h = h0, here = z->noise, last = z->amplified;
    int done = 0;
    z->crossing = 1;
    for (int k = 0; k < MOST_TRIES && !done && h < rest; k++) {
        step_error error = {0};
        integrator_refused(s, h, SODAE_SINGULAR); /* the one before */
        h = fmin(1.5 * h, rest);
        sodae_status st = try_step(s, h, t_end, &error);
        if (!st && error.size > fmin(here, most)) break;
        done = !st && z->amplified < last && z->noise <= 2 * here; /* it falls again: beyond */
        last = z->amplified;
    }
    z->crossing = 0;
    if (!done) {
        s->singular = 2 * here;
        return 0;
    }
    integrator_commit(s, h);
    s->statistics.crossings++;
    s->h_next = h0;
    return 1;
}
