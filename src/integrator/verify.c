/* How far may a run be from the true solution?
 *
 * Local errors are controlled; what the motion makes of them is not: near an unstable equilibrium
 * or in chaos it multiplies them. The error of the whole run is proportional to the tolerance, so a
 * second run with tolerances f times larger is f times farther away, and
 *     error = |difference of the two runs| / |f - 1|,
 * at the states that were kept on the way (trail.c) and at the end. Runs of a few steps are not so
 * regular: the second may happen to be as accurate as the first, and the difference is one error
 * instead of f. With f = 10 it is believed up to a small part of what is too much, so that it may
 * be wrong by more than f; and where its dense output tells of little between its stops, for errors
 * of phase are large in the few steps where something happens fast. Its distance says little where
 * that run itself is lost, or ends otherwise, or steps are refused often, or at loose tolerances:
 * then a closer one, f = 1/10, decides, and one closer still where that is not clear; and when it
 * fails or ends otherwise, one nearby. What keeps it from its end may be noise, which does not grow
 * with the tolerance: then a larger f counts as 2. Where steps are known to be noisy
 * (statistics.rounding), f = 2 is asked at once. What small oscillations have grown to that were
 * left alone, only a closer run shows, which follows them, and what both would damp by long steps
 * one that does not take them (ripples.c). Errors of strategy=chapter4 are not proportional to its
 * tolerance: there a closer run by strategy=auto decides. */
#include "integrator/compare.h"

#include "base/failure.h"

#include <float.h>
#include <math.h>

static const double loosest = 1e-2, usual = 10, least = 10; /* of rtol; f */
static const double closer[] = {0.1, 0.5, 2, 10};           /* f, until one ends as we did */
static const double closest = 0.01;                         /* f where these leave doubt */
/* Of our steps: a closer run that takes more is one of second order, whose errors are regular; one
 * closer still would take ten times our steps. */
static const double dear = 2.5;
static const double golden = 0.618; /* of our first step: the first one of a second run */
static const double beside = 2;     /* f where rounding takes part */
/* A looser run with this part of our steps is no looser: something else than the tolerance decides,
 * and so it does on errors. */
static const double alike = 0.85;
/* Of the steps: where more are refused, there are kinks in forces, say, and the errors of passing
 * them do not follow the tolerance, and are larger where nothing is compared. */
static const double often = 0.22;
/* Tolerances. A little more may be found between the states that are compared, but not beside the
 * zeros between them; a closer run tells more where the error is a few times as large. */
static const double trusted = 75, trusted_rough = 50, trusted_zero = 1.27, clear = 10, twice = 2;
static const double enough = 3, enough_stop = 1; /* of a looser run, also for a stop; */
static const double likely = 10;                 /* and inside of its steps */

/* What is unstable and still far below the tolerances grows unseen, and long steps of implicit
 * methods damp it instead. A closer run then takes as many steps at least. */
static const double long_steps = 100;
/* Last digits by which a second run starts elsewhere: impacts and unstable motions make rounding
 * grow as they do errors. */
static const double digits = 4 * DBL_EPSILON;

enum { apart = 8, fewest = 4 }; /* stops on the way */

/* Of events a second run sees so many times more, in models so small that it costs little: those
 * that happen for a moment only. */
enum { closely = 8, light = 16 };

/* n numbers times f into `to`, if there are any. */
static const double *scaled(const double *x, int n, double f, double **to) {
    double *y = *to;
    if (!x) return NULL;
    for (int i = 0; i < n; i++) y[i] = f * x[i];
    *to += n;
    return y;
}

/* Is there a step in which something unstable that is still small may have been damped? */
static int has_long_steps(const sodae *s) {
    return s->longest * long_steps > integrator_length(s);
}

/* More steps would mean that something is wrong, or that oscillations are followed. */
static long most_steps(const sodae *s) {
    double followed = isfinite(s->fine_step) ? 2 * integrator_length(s) / s->fine_step : 0;
    return 20 * s->statistics.steps + (s->stepper.faded ? 200000 : 1000) + (long)followed;
}

static sodae_options with_tolerances(const sodae *s, double f, double *room) {
    sodae_options o = s->options;
    o.rtol *= f, o.atol *= f, o.atol_v *= f, o.atol_lambda *= f; /* NaN stays */
    o.atol_q_each = scaled(o.atol_q_each, s->eval.nv, f, &room);
    o.atol_v_each = scaled(o.atol_v_each, s->eval.nv, f, &room);
    o.atol_lambda_each = scaled(o.atol_lambda_each, s->eval.nl, f, &room);
    /* steps that grow as fast as they may would meet what is sharp in the same way */
    o.first_step = s->first_h > 0 ? fmax(golden * s->first_h, o.min_step) : NAN;
    o.strategy = SODAE_STRATEGY_AUTO;
    double fine = has_long_steps(s) ? integrator_length(s) / long_steps : INFINITY;
    if (f < 1) fine = fmin(fine, s->fine_step);
    if (f < 1 && isfinite(fine)) o.max_step = fmax(fmin(fine, o.max_step), o.min_step);
    o.max_steps = most_steps(s);
    return o;
}

/* Dense output inside the long steps of a looser run is worse than their ends: it stops at some of
 * the rows, not more often than every eighth of our steps. Not at the ends of our steps: where they
 * lie so that something sharp is between them, it would make the same error. */
static sodae_status stop_at_rows(pair *p) {
    const trail *t = &p->s->trail;
    long stops = p->s->statistics.steps / apart;
    int every = (int)(t->count / (stops > fewest ? stops : fewest)) + 1, last = -every;
    sodae_status st = SODAE_OK;
    for (int i = 0; i < t->count && !st; i++) {
        if (!trail_is_inside(p->s, i) || i < last + every) continue;
        last = i;
        st = sodae_advance(p->twin, trail_time(p->s, i), compare_rows, p);
        if (!st) compare_stop(p, i);
    }
    return st;
}

/* Our start but for its last digits, in p->now.its; positions as constraints and groups have them.
 * Positions and velocities change to opposite sides: together they would stay on the way into an
 * unstable equilibrium. */
static sodae_point start_beside(pair *p) {
    const sodae *s = p->s;
    const eval *e = &s->eval;
    state *x = &p->now.its;
    state_copy(e, &s->begin, x);
    for (int i = 0; i < e->nv; i++) x->v[i] *= 1 + (i % 2 ? digits : -digits);
    for (int i = 0; i < e->nq && e->space->abelian && !e->nl; i++)
        x->q[i] *= 1 + (i % 2 ? -digits : digits);
    return state_point(x);
}

/* From the same start to the same end; to the stop where an event ended our run, which may be
 * later, but not later than was asked for. */
static sodae_status repeat(pair *p, const sodae_options *o) {
    const sodae *s = p->s;
    sodae_point from = start_beside(p);
    double end = s->stepper.now.t;
    if (s->trail.stopped >= 0)
        end = fmax(end, fmin(s->t_start + s->stepper.span, end + (end - s->t_start)));
    sodae_status st = sodae_create(&p->twin, s->problem, o, NULL);
    if (st >= 0 && s->eval.nv <= light) p->twin->event_instants *= closely;
    if (st >= 0) p->twin->trail.notable = s->trail.notable / p->f;
    if (st >= 0) st = sodae_start_at(p->twin, &from);
    if (st >= 0) p->twin->stepper.span = s->stepper.span; /* the same share of the tolerances */
    if (st < 0 || end <= from.t) return st;
    st = p->f > 1 ? stop_at_rows(p) : SODAE_OK;
    return st ? st : sodae_advance(p->twin, end, compare_rows, p);
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

/* An end so near to an event that one run is before it, the other behind, is compared before it. */
static const state *before_jump(const sodae *s, const sodae *other, const state *end, long *acted) {
    double near = clear * s->options.rtol * (end->t - s->t_start);
    *acted = s->trail.jumps;
    if (*acted <= other->trail.jumps || compare_jumps(s, end->t - near) != other->trail.jumps)
        return end;
    *acted = other->trail.jumps;
    return &s->cut.end;
}

/* Nothing is known of an error. */
static void forget(sodae_verification *out) {
    static const sodae_errors unknown = {NAN, NAN, NAN, NAN};
    static const sodae_culprit nobody = {-1, NAN, NAN};
    out->largest = out->end = unknown, out->error = out->t = out->stop = NAN;
    out->of = SODAE_Q, out->q = out->v = out->r = nobody;
}

/* Compares the ends; 0 when they are not the same, or other events have acted. */
static int compare_ends(pair *p) {
    sodae *s = p->s;
    sodae_verification *out = p->out;
    const state *ours = end_of(s, p->twin), *its = &p->twin->stepper.now;
    if (!ours) return 0;
    if (s->trail.stopped >= 0) out->stop = fabs(ours->t - its->t) / p->grows;
    ours = before_jump(s, p->twin, ours, &out->acted);
    its = before_jump(p->twin, s, its, &out->acted_there);
    out->end = compare_states(p, ours, its);
    compare_keep(p, ours, its, &out->end);
    return out->acted == out->acted_there || !(out->error <= trusted);
}

static int is_smooth(const sodae *s) {
    const sodae_statistics *c = &s->statistics;
    return (double)c->refused_error <= often * (double)c->steps;
}

/* One second run with tolerances f times as large. *between: where it is a looser one, what its
 * dense output says of the error at all rows; NULL: not asked. */
static sodae_status estimate(sodae *s, double f, double grows, sodae_verification *out,
                             double *between) {
    const eval *e = &s->eval;
    arena memory = {0};
    pair p = {.s = s, .f = f, .grows = grows, .out = out};
    double *each = arena_doubles(&memory, (size_t)(2 * e->nv + e->nl));
    compare_open(&p, &memory);
    if (memory.failed) return arena_free(&memory), SODAE_NO_MEMORY;
    sodae_options o = with_tolerances(s, f, each);
    *out = (sodae_verification){.done = 1, .rtol = o.rtol, .steps = out->steps};
    out->max_step = f < 1 && isfinite(s->fine_step) ? o.max_step : NAN;
    forget(out);
    sodae_status st = repeat(&p, &o);
    int same = st >= 0 && compare_ends(&p);
    if (!same) forget(out);
    if (between) *between = p.between;
    out->steps += p.twin ? p.twin->statistics.steps : 0;
    sodae_free(p.twin);
    arena_free(&memory);
    if (!same) return st == SODAE_NO_MEMORY ? st : SODAE_UNVERIFIED;
    double most = is_smooth(s) ? trusted : trusted_rough;
    int right = p.found <= most && out->error <= trusted_zero * most;
    return right ? SODAE_OK : SODAE_INACCURATE;
}

/* Have other events acted in a closer run? Then ours is not known to be right, whatever others say.
 */
static int is_otherwise(const sodae_verification *v) {
    return v->acted != v->acted_there;
}

/* What the closer run tells, if it can be had; else what was said before. */
static sodae_status look_closer(sodae *s, sodae_verification *out, sodae_status said) {
    sodae_verification before = *out;
    sodae_status st = estimate(s, closest, fabs(closest - 1), out, NULL);
    if (st != SODAE_UNVERIFIED || is_otherwise(out)) return st;
    before.steps = out->steps;
    *out = before;
    return said;
}

static int is_proportional(const sodae *s) {
    return s->options.method != SODAE_MODIFIED_BDF || s->options.strategy == SODAE_STRATEGY_AUTO;
}

static sodae_status verify(sodae *s, sodae_verification *out) {
    if (s->statistics.rounding) {
        sodae_status noisy = estimate(s, beside, beside - 1, out, NULL);
        if (noisy == SODAE_OK && out->error > clear) return SODAE_UNVERIFIED;
        if (noisy != SODAE_UNVERIFIED) return noisy;
    }
    double f = fmin(usual, loosest / fmax(s->options.rtol, DBL_MIN));
    int resolved = !has_long_steps(s) && isinf(s->fine_step);
    sodae_status first = SODAE_UNVERIFIED, st = SODAE_UNVERIFIED;
    if (f >= least && is_proportional(s) && resolved) {
        double between;
        first = estimate(s, f, f - 1, out, &between);
        double most = s->trail.stopped >= 0 ? enough_stop : enough;
        int looser = (double)out->steps <= alike * (double)s->statistics.steps;
        int followed = s->stepper.faded == 0, smooth = is_smooth(s);
        int small = first == SODAE_OK && out->error <= most && between <= likely;
        if (small && looser && followed && smooth) return SODAE_OK;
    }
    sodae_verification before = *out;
    st = estimate(s, closer[0], fabs(closer[0] - 1), out, NULL);
    int cheap = (double)(out->steps - before.steps) <= dear * (double)s->statistics.steps;
    int unclear = st >= 0 && st != SODAE_UNVERIFIED && out->error > clear;
    if (unclear && out->error <= twice * trusted && cheap) st = look_closer(s, out, st);
    if (st != SODAE_UNVERIFIED || s->stepper.faded || is_otherwise(out)) return st;
    for (size_t i = 1; i < sizeof closer / sizeof *closer && st == SODAE_UNVERIFIED; i++) {
        if (out->steps > most_steps(s)) break;
        st = estimate(s, closer[i], fmin(1, fabs(closer[i] - 1)), out, NULL);
        if (closer[i] < 1 && is_otherwise(out)) return st;
    }
    if (st == SODAE_UNVERIFIED && first != SODAE_UNVERIFIED) {
        before.steps = out->steps;
        *out = before; /* nothing closer is known */
        st = first;
    }
    int doubt = st == SODAE_OK && out->error > clear; /* that nothing resolves */
    return doubt ? SODAE_UNVERIFIED : st;
}

sodae_status sodae_verify(sodae *s, sodae_verification *out) {
    double finer;
    if (!s || !out) return SODAE_BAD_ARGUMENT;
    *out = (sodae_verification){.max_step = NAN};
    forget(out);
    if (!s->started) return integrator_not_started(s);
    if (!isnan(s->options.step))
        return failure_set(&s->failure, SODAE_NOT_ALLOWED, "step",
                           "with a fixed step there is no tolerance to compare with");
    sodae_status st = ripples_find(s, &s->fine_step, &finer);
    if (!st) st = verify(s, out);
    if (st != SODAE_OK || isinf(finer)) return st;
    out->max_step = finer; /* no run has shown what would grow */
    return SODAE_UNVERIFIED;
}
