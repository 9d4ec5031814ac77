/* How far may a run be from the true solution?
 *
 * Local errors are controlled; what the motion makes of them is not: near an unstable equilibrium
 * or in chaos it multiplies them. The error of the whole run is proportional to the tolerance, so a
 * second run with tolerances f times larger is f times farther away, and
 *     error = |difference of the two runs| / |f - 1|,
 * at the steps that were kept on the way (trail.c) and at the end. With f = 1000 the second run
 * takes about a quarter of the steps of the first at order 5. Its distance says little where that
 * run itself is lost, or ends otherwise, or at loose tolerances: then a closer one, f = 1/10,
 * decides; and when that fails or ends otherwise, one nearby. What keeps it from its end may be
 * noise, which does not grow with the tolerance: then a larger f counts as 2. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static const double loosest = 1e-2, usual = 1000, least = 10;  /* of rtol; f */
static const double closer[] = {0.1, 0.5, 2, 10};              /* f, until one ends as we did */
static const double trusted = 100, clear = 10, clear_stop = 1; /* tolerances */

enum { apart = 8, fewest = 4 }; /* stops on the way */

/* Two runs side by side. */
typedef struct pair {
    sodae *s, *twin;
    double f, grows; /* |f - 1|: our error, that often, lies between the two */
    int next;        /* row of the trail */
    double *q, *v;   /* the twin's state there */
    sodae_verification *out;
} pair;

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

/* The distance of q and v from ours, in tolerances at our state and at the one before it. */
static void compare(pair *p, const state *ours, const state *before, const double *q,
                    const double *v, double *eq, double *ev) {
    sodae *s = p->s;
    double *d = s->dense_scratch;
    stepper z = s->stepper; /* for its tolerances */
    z.now = *ours, z.next = *before;
    sodae_space_difference(s->eval.space, q, ours->q, d);
    *eq = error_norm_q(&z, d) / p->grows;
    for (int i = 0; i < s->eval.nv; i++) d[i] = ours->v[i] - v[i];
    *ev = error_norm_v(&z, d) / p->grows;
}

static void keep_largest(sodae_verification *out, double t, double q, double v) {
    double before = fmax(out->q, out->v); /* NaN: nothing yet */
    if (!(fmax(q, v) <= before)) out->t = t;
    out->q = fmax(out->q, q), out->v = fmax(out->v, v);
}

/* Row i of the trail against the twin's q, v there. Near an event one run may be before it, the
 * other behind: that is no error. */
static void compare_row(pair *p, int i, const double *q, const double *v) {
    state ours, before;
    long jumps;
    double eq, ev;
    trail_row(p->s, i, &jumps, &ours, &before);
    if (jumps != p->twin->trail.jumps) return;
    compare(p, &ours, &before, q, v, &eq, &ev);
    keep_largest(p->out, ours.t, eq, ev);
}

/* A step of the twin: the rows in it, by dense output. */
static int look(const sodae_view *view, void *user) {
    pair *p = user;
    const sodae_solution at = {.q = p->q, .v = p->v};
    for (; view->event < 0 && p->next < p->s->trail.count; p->next++) {
        double t = trail_time(p->s, p->next);
        if (t > view->t) return 0;
        if (sodae_interpolate(p->twin, t, &at) >= 0) compare_row(p, p->next, p->q, p->v);
    }
    return 0;
}

/* Dense output inside the long steps of a looser run is worse than their ends: it stops at some of
 * the rows, not more often than every eighth of our steps. */
static sodae_status stop_at_rows(pair *p) {
    const trail *t = &p->s->trail;
    const state *its = &p->twin->stepper.now;
    long stops = p->s->statistics.steps / apart;
    int every = (int)(t->count / (stops > fewest ? stops : fewest)) + 1;
    sodae_status st = SODAE_OK;
    for (int i = every - 1; i < t->count && !st; i += every) {
        st = sodae_advance(p->twin, trail_time(p->s, i), NULL, NULL);
        if (!st) compare_row(p, i, its->q, its->v);
    }
    return st;
}

/* From the same start to the same end; to the stop where an event ended our run, which may be
 * later, but not later than was asked for. */
static sodae_status repeat(pair *p, const sodae_options *o) {
    const sodae *s = p->s;
    sodae_point from = state_point(&s->begin);
    double end = s->stepper.now.t;
    if (s->trail.stopped >= 0)
        end = fmax(end, fmin(s->t_start + s->stepper.span, end + (end - s->t_start)));
    sodae_status st = sodae_create(&p->twin, s->problem, o, NULL);
    if (st >= 0) st = sodae_start_at(p->twin, &from);
    if (st >= 0) p->twin->stepper.span = s->stepper.span; /* the same share of the tolerances */
    if (st < 0 || end <= from.t) return st;
    st = p->f > 1 ? stop_at_rows(p) : SODAE_OK;
    return st ? st : sodae_advance(p->twin, end, p->f > 1 ? NULL : look, p);
}

/* Our state where the twin's end is to be compared: our end when the same event stopped both, or
 * none; the state inside our last step where only the twin was stopped there. NULL: they ended
 * otherwise. */
static const state *end_of(sodae *s, const sodae *twin) {
    const state *n = &s->stepper.now;
    double t = twin->stepper.now.t;
    int ours = s->trail.stopped, its = twin->trail.stopped;
    if (ours == its) return n;
    if (ours >= 0) return NULL;
    if (t >= n->t) return n;
    if (t < n->t - s->stepper.h_last || integrator_state_at(s, t, &s->inside)) return NULL;
    return &s->inside;
}

/* One second run with tolerances f times as large. */
static sodae_status estimate(sodae *s, double f, double grows, sodae_verification *out) {
    int nv = s->eval.nv, nq = s->eval.nq;
    double *room = calloc((size_t)(3 * nv + s->eval.nl + nq + 1), sizeof *room);
    pair p = {.s = s, .f = f, .grows = grows, .q = room, .v = room + nq, .out = out};
    if (!room) return SODAE_NO_MEMORY;
    sodae_options o = with_tolerances(s, f, room + nq + nv);
    *out = (sodae_verification){.done = 1, .rtol = o.rtol, .steps = out->steps};
    out->q = out->v = out->t = out->end_q = out->end_v = out->stop = NAN;
    sodae_status st = repeat(&p, &o);
    const state *end = st >= 0 ? end_of(s, p.twin) : NULL;
    out->steps += p.twin ? p.twin->statistics.steps : 0;
    if (end) {
        const state *its = &p.twin->stepper.now, *before = &s->stepper.next;
        if (s->trail.stopped >= 0) before = end; /* the step was cut */
        compare(&p, end, before, its->q, its->v, &out->end_q, &out->end_v);
        keep_largest(out, end->t, out->end_q, out->end_v);
        if (s->trail.stopped >= 0) out->stop = fabs(end->t - its->t) / p.grows;
    } else
        out->q = out->v = out->t = NAN;
    sodae_free(p.twin);
    free(room);
    if (!end) return st == SODAE_NO_MEMORY ? st : SODAE_UNVERIFIED;
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
    sodae_status first = SODAE_UNVERIFIED, st = SODAE_UNVERIFIED;
    if (f >= least) {
        first = estimate(s, f, f - 1, out);
        double enough = s->trail.stopped >= 0 ? clear_stop : clear;
        if (first == SODAE_OK && fmax(out->q, out->v) <= enough) return SODAE_OK;
    }
    sodae_verification before = *out;
    st = estimate(s, closer[0], fabs(closer[0] - 1), out);
    if (st != SODAE_UNVERIFIED) return st;
    for (size_t i = 1; i < sizeof closer / sizeof *closer && st == SODAE_UNVERIFIED; i++)
        st = estimate(s, closer[i], fmin(1, fabs(closer[i] - 1)), out);
    if (st == SODAE_UNVERIFIED && first != SODAE_UNVERIFIED) {
        before.steps = out->steps;
        *out = before; /* nothing closer is known */
        st = first;
    }
    int doubt = st == SODAE_OK && fmax(out->q, out->v) > clear; /* that nothing resolves */
    return doubt ? SODAE_UNVERIFIED : st;
}
