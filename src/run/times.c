/* Refuses, before anything moves, runs whose steps cannot be distinguished or counted. */
#include "run/run.h"

#include "base/failure.h"

#include <math.h>
#include <stdio.h>

/* A time this large, and its cube, are still numbers; a millionth of the shortest run has all its
 * digits. */
static const double farthest = 1e90, nearest = 1e-300;

static sodae_status too_late(sodae *s, double h, double t, const char *what) {
    failure_set(&s->failure, SODAE_STEP_TOO_SMALL, "t",
                "near t = %.9g times are %.2g apart, too coarse for %s of %.3g", t,
                nextafter(fabs(t), INFINITY) - fabs(t), what, h);
    snprintf(s->failure.advice, sizeof s->failure.advice,
             "Begin at a smaller t0, with t plus a constant in the forces if they depend on time; "
             "steps near this time have to be %.2g at least.",
             control_resolution(t));
    return SODAE_STEP_TOO_SMALL;
}

sodae_status times_step(sodae *s, double h, double t) {
    return h < control_resolution(t) ? too_late(s, h, t, "steps") : SODAE_OK;
}

static sodae_status too_many(sodae *s, double count) {
    failure_set(&s->failure, SODAE_TOO_MANY_STEPS, "max_steps",
                "the step %g is too small: %.3g steps lead to the end of the run, max_steps allows "
                "%ld",
                s->options.step, count, s->options.max_steps);
    snprintf(s->failure.advice, sizeof s->failure.advice,
             "Take a larger step, raise max_steps, or leave the step to the error control.");
    return SODAE_TOO_MANY_STEPS;
}

/* Of the run as far as it is asked for, so that a short rest of a long one is no short run. */
static sodae_status check_controlled(sodae *s, double t, double t_end) {
    double span = t_end - fmin(control_begun(s->control), t), late = fmax(fabs(t), fabs(t_end));
    if (t_end > t && span < nearest)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                           "the end %g is too near: a run takes %g or more", t_end, nearest);
    return t_end > t && span < control_resolution(late) ? too_late(s, span, late, "a run")
                                                        : SODAE_OK;
}

sodae_status times_run(sodae *s, double t_end) {
    double t = engine_time(s->engine), h = s->options.step;
    if (fabs(t_end) > farthest)
        return failure_set(&s->failure, SODAE_BAD_ARGUMENT, "t_end",
                           "the end %g is too far: times stay below %g", t_end, farthest);
    if (engine_controlled(s->engine)) return check_controlled(s, t, t_end);
    double count = (t_end - t) / h;
    double left = (double)(s->options.max_steps - engine_steps(s->engine));
    int lowered = s->options.max_steps < sodae_default_options().max_steps; /* the run ends there */
    if (!lowered && count * (1 - grid_slack) > left) return too_many(s, count);
    return times_step(s, t_end > t ? h : INFINITY, fmax(fabs(t), fabs(t_end)));
}
