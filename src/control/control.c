#include "control/control.h"

#include "base/tuning.h"
#include "control/controller.h"
#include "control/first_step.h"

#include <float.h>
#include <limits.h>
#include <math.h>

/* Local errors at a discontinuity do not fall faster than h, so that no share h/span of the
 * tolerance is ever met (error_share): after so many refusals before the same place the solution
 * counts as non-smooth up to there: a smooth one passes after one or two, by h^(p+1). */
enum { NONSMOOTH_AFTER = 3 };
TUNING(rounding_steps, 16, "units in the last place of t in the smallest step");

typedef struct course {
    controller memory;
    double h_next;  /* 0: not known yet */
    double barrier; /* the earliest end that the error test has refused; INFINITY: none */
    int errors;     /* refusals by the error test since the run is before it */
} course;

struct control {
    double min_step, max_step, first_step; /* options */
    double t_start;
    course now, before; /* before the trials of a step */
};

control *control_open(arena *a, const sodae_options *o) {
    control *c = arena_take(a, 1, sizeof *c);
    if (!c) return NULL;
    *c = (control){.min_step = isnan(o->min_step) ? 0 : o->min_step,
                   .max_step = isnan(o->max_step) ? INFINITY : o->max_step,
                   .first_step = o->first_step};
    return c;
}

void control_restart(control *c) {
    c->now = (course){.barrier = INFINITY};
}

void control_start(control *c, double t) {
    control_restart(c);
    c->t_start = t;
}

double control_resolution(double t) {
    return rounding_steps * DBL_EPSILON * fabs(t);
}

double control_least(const control *c, const engine *e, double t_end) {
    const stepper *z = engine_stepper(e);
    if (!z->controlled) return 0;
    double own = engine_least_step(e, t_end);
    if (own > 0) return fmax(c->min_step, own);
    double shortest = fmax(DBL_MIN, DBL_EPSILON * z->span); /* also near t = 0 */
    return fmax(c->min_step, fmax(control_resolution(z->now.t), shortest));
}

sodae_status control_begin(control *c, engine *e, double t_end, double *h) {
    const stepper *z = engine_stepper(e);
    if (z->now.t >= c->now.barrier) c->now.errors = 0, c->now.barrier = INFINITY;
    *h = c->now.h_next;
    engine_aim(e, t_end, t_end - c->t_start);
    if (!(*h > 0) && c->first_step > 0) *h = c->first_step;
    sodae_status st = *h > 0 ? SODAE_OK : first_step(e, t_end, h);
    if (st) return st;
    c->now.h_next = *h = fmax(*h, control_least(c, e, t_end));
    return SODAE_OK;
}

int control_is_short(const control *c, const engine *e, double t1) {
    const stepper *z = engine_stepper(e);
    double h = fmin(c->now.h_next, fmin(c->max_step, most_factor * z->h_last));
    return t1 - z->now.t < short_rest * h;
}

double control_end(const control *c, const engine *e, double h, double t_end) {
    double t = engine_time(e), rest = t_end - t;
    h = fmin(h, c->max_step);
    if (rest - h <= short_rest * h) return t_end;
    return t + (h > rest / 2 ? rest / 2 : h);
}

void control_prepare(const control *c, trial *t) {
    t->rough = c->now.errors >= NONSMOOTH_AFTER;
}

/* A step that was cut short to end somewhere says nothing against the size planned before. */
void control_accept(control *c, const trial *t) {
    double factor =
        controller_factor(&c->now.memory, t->error.size, t->error.order, t->error.smooth_steps);
    if (t->error.h_wanted > 0) factor = t->error.h_wanted / t->h;
    double next = t->h * factor;
    c->now.h_next = t->h < c->now.h_next && factor >= 1 ? fmax(c->now.h_next, next) : next;
    if (t->h_next > 0)
        c->now.h_next = fmin(c->now.h_next, t->h * controller_steady(safety * t->h_next / t->h));
}

double control_refuse(control *c, const trial *t) {
    double factor;
    switch (t->reason) {
    case REFUSED_ERROR:
        c->now.errors++;
        c->now.barrier = fmin(c->now.barrier, t->t1);
        factor = controller_factor(&c->now.memory, t->error.size, t->error.order, 0);
        if (t->error.h_wanted > 0) factor = t->error.h_wanted / t->h;
        break;
    case REFUSED_MONITOR:
        return c->now.h_next = fmin(t->h_next, safety * t->h);
    default:
        factor = controller_failed(&c->now.memory);
    }
    return c->now.h_next = t->h * fmin(factor, safety);
}

void control_keep(control *c) {
    c->before = c->now;
}

int control_give_up(control *c, int trials) {
    int by_error = c->now.errors > trials / 2;
    c->now = c->before;
    return by_error;
}

double control_begun(const control *c) {
    return c->t_start;
}

void control_save(control *c, snapshot_visitor *v) {
    v->each(v, "t_start", &c->t_start, 1);
    v->each(v, "h_next", &c->now.h_next, 1);
    v->each(v, "barrier", &c->now.barrier, 1);
    snapshot_int(v, "errors", &c->now.errors, INT_MAX);
    v->each(v, "error_before", &c->now.memory.previous, 1);
    snapshot_int(v, "refused_before", &c->now.memory.refused, INT_MAX);
}
