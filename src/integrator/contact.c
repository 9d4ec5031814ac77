/* Closed contacts: event functions that rest at zero while something else acts.
 *
 * A body that is hit passes the impact on to one that touches it: the action changes the rate of
 * their distance at its zero, and no sign. The function f of an event is led through its zero when
 *
 *   f = 0   and   (f_q v + f_t) l > 0,   which (f_q v + f_t) l was not before the action,
 *
 * l the sign behind it in its direction, v right before and right after the action. Only v counts:
 * a force that presses a contact together is no impact, and friction that lets go none that sticks.
 * f_q and f_t are differences. Positions are known up to rounding of the largest of them on the
 * way, velocities of the largest one; a rate is zero where it is rounding of its terms. */
#include "integrator/crossing.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double shift = 1e-5, /* of the largest position, for differences */
    cancelled = 1e-9,             /* what is left of the terms of a rate where it is zero */
    rounding = 1e-12,             /* of the largest position or velocity in any of them */
    slight = 1e-3;                /* a rate so much smaller than the new one does not count */

/* The rate before the action [0] and after it [1], and what is zero. */
typedef struct approach {
    double rate[2], none[2];
    double zero; /* of f */
} approach;

typedef struct sizes {
    double q, v;  /* the largest */
    double jump;  /* of v, by the action */
    double dq, t; /* for differences */
} sizes;

static sizes measure(const sodae *s) {
    const state *n = &s->stepper.now;
    sizes z = {.q = fmax(vec_max(s->eval.nq, n->q), s->event_far)};
    z.v = fmax(vec_max(s->eval.nv, n->v), vec_max(s->eval.nv, s->event_v));
    for (int k = 0; k < s->eval.nv; k++) z.jump = fmax(z.jump, fabs(n->v[k] - s->event_v[k]));
    if (z.q == 0) z.q = z.v * s->event_reach;
    z.dq = shift * z.q;
    z.t = fmin(z.dq / z.v, shift * fmax(s->event_reach, s->longest));
    return z;
}

/* f at q o exp(dq), dq in s->dense_scratch; the rest is in s->inside. */
static sodae_status value_beside(sodae *s, int event, double *value) {
    sodae_space_retract(s->eval.space, s->stepper.now.q, s->dense_scratch, s->inside.q);
    return crossing_value(s, event, &s->inside, value);
}

/* Does the jump of v lead f, which is near zero, towards *l? All that is not told by one more value
 * of f. Where f has never been large, and has no direction, the sign it had was rounding. */
static sodae_status may_lead(sodae *s, int event, int *l, const sizes *z, int *may) {
    const state *n = &s->stepper.now;
    double value = s->event_value[event], beside;
    for (int k = 0; k < s->eval.nv; k++)
        s->dense_scratch[k] = z->dq / z->jump * (n->v[k] - s->event_v[k]);
    sodae_status st = value_beside(s, event, &beside);
    double change = beside - value, little = slight * fabs(change);
    if (!s->problem->events[event].direction && s->event_size[event] <= little) *l = 0;
    *may = !st && (*l ? change * *l > 0 : change != 0) &&
           (crossing_is_still(s, event, value) || fabs(value) <= little);
    return st;
}

/* f_q of one coordinate; f_t: k = -1. */
static sodae_status difference(sodae *s, int event, int k, const sizes *z, double *slope) {
    double f[2], t = s->stepper.now.t;
    sodae_status st = SODAE_OK;
    for (int i = 0; i < 2 && !st; i++) {
        if (k < 0)
            s->inside.t = i ? t + z->t : t - z->t;
        else
            s->dense_scratch[k] = i ? z->dq : -z->dq;
        st = value_beside(s, event, &f[i]);
    }
    s->inside.t = t;
    if (k >= 0) s->dense_scratch[k] = 0;
    if (!st) *slope = (f[1] - f[0]) / (2 * (k < 0 ? z->t : z->dq));
    return st;
}

static sodae_status look(sodae *s, int event, const sizes *z, approach *x) {
    const double *v[2] = {s->event_v, s->stepper.now.v};
    double slope, sum = 0, terms[2] = {0};
    *x = (approach){0};
    vec_zero(s->eval.nv, s->dense_scratch);
    for (int k = -1; k < s->eval.nv; k++) {
        sodae_status st = difference(s, event, k, z, &slope);
        if (st) return st;
        for (int i = 0; i < 2; i++) {
            double term = slope * (k < 0 ? 1 : v[i][k]);
            x->rate[i] += term, terms[i] += fabs(term);
        }
        if (k >= 0) sum += fabs(slope);
    }
    for (int i = 0; i < 2; i++) x->none[i] = cancelled * terms[i] + rounding * sum * z->v;
    x->zero = rounding * sum * z->q;
    s->event_zero[event] = fmax(s->event_zero[event], 64 * DBL_EPSILON * sum * z->q);
    return SODAE_OK;
}

int contact_lead(const sodae *s, int event) {
    int direction = s->problem->events[event].direction, from = s->event_sign[event];
    if (direction) return direction > 0 ? 1 : -1;
    return -(from ? from : s->event_side[event]);
}

/* A function that comes back to where it came from is not led through its zero. Its sign is not
 * known where it has never been large against rounding, nor where its own action has left it. */
static int is_closed(const sodae *s, int event, int l, const approach *x) {
    double value = s->event_value[event];
    if (crossing_is_left(s, event, value)) return 1;
    if (!(fabs(value) <= x->zero || crossing_is_still(s, event, value))) return 0;
    return s->event_sign[event] != l || rounding * s->event_size[event] < slight * x->zero;
}

/* Does it happen without any effect on the motion? Such events are told, or count, also where the
 * action of another one turns the motion round before their turn comes. */
static int only_counts(sodae *s, int event) {
    const sodae_event *e = &s->problem->events[event];
    const state *n = &s->stepper.now;
    state *x = &s->middle[0];
    if (!e->act) return 1;
    state_copy(&s->eval, n, x);
    sodae_point at = state_point(n);
    sodae_solution writable = {.q = x->q, .v = x->v, .r = x->r};
    if (e->act(&at, &writable, crossing_user(s, e))) return 1; /* to be told when it acts */
    return !memcmp(x->q, n->q, (size_t)s->eval.nq * sizeof *x->q) &&
           !memcmp(x->v, n->v, (size_t)s->eval.nv * sizeof *x->v);
}

/* The action of another event sets a contact in motion that has been closed all the time, and that
 * may open to either side: has it been hit, or does it open? */
static sodae_status not_known(sodae *s, int event, const approach *x) {
    const char *name = crossing_name(&s->problem->events[event]);
    int set_in_motion = fabs(x->rate[1]) > x->none[1] && fabs(x->rate[0]) <= x->none[0];
    if (!set_in_motion || fabs(s->event_value[event]) > x->zero || only_counts(s, event))
        return SODAE_OK;
    sodae_status st = failure_set(
        &s->failure, SODAE_BAD_PROBLEM, name,
        "event '%s' has been zero from the start, and another event sets it in motion at t = "
        "%.9g: without a direction it is not known from which side it would happen",
        name, s->stepper.now.t);
    snprintf(s->failure.advice, sizeof s->failure.advice,
             "Give event '%.60s' its direction, up or down: a distance that must not become "
             "negative goes down.",
             name);
    s->failure.t = s->stepper.now.t;
    s->event_ends = 1;
    return st;
}

static sodae_status find(sodae *s, int event, const sizes *z) {
    int l = contact_lead(s, event), may = 1, *due = &s->event_due[event];
    approach x;
    if (!*due && !(z->jump > 0)) return SODAE_OK;
    sodae_status st = *due ? SODAE_OK : may_lead(s, event, &l, z, &may);
    if (st || !may) return st;
    st = look(s, event, z, &x);
    if (st) return st;
    if (!l) return not_known(s, event, &x);
    double before = x.rate[0] * l, after = x.rate[1] * l;
    int leads = after > x.none[1] && is_closed(s, event, l, &x);
    int led = before > fmax(x.none[0], slight * after);
    if (*due)
        *due = leads || only_counts(s, event) ? DUE_BY_RATE : 0;
    else if (leads && !led)
        *due = DUE_BY_RATE;
    return SODAE_OK;
}

/* The rates of an event that acts; zero where they cannot be found beside the motion. */
static sodae_status look_at_acting(sodae *s, int event, approach *x) {
    sodae_failure kept = s->failure;
    sizes z = measure(s);
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    sodae_status st = look(s, event, &z, x);
    if (st == SODAE_CALLBACK_FAILED) return st;
    if (st) *x = (approach){0};
    s->failure = kept;
    return SODAE_OK;
}

sodae_status contact_creeps(sodae *s, int event, int *creeps) {
    approach x;
    vec_copy(s->eval.nv, s->stepper.now.v, s->event_v);
    sodae_status st = look_at_acting(s, event, &x);
    *creeps = fabs(x.rate[0]) <= x.none[0];
    return st;
}

/* Is f a function of t and q, as that of a contact? Seen by other velocities, of one size. */
static sodae_status is_of_positions(sodae *s, int event, int *is) {
    sodae_failure kept = s->failure;
    double value, size = vec_max(s->eval.nv, s->stepper.now.v);
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    for (int k = 0; k < s->eval.nv; k++) s->inside.v[k] += (size > 0 ? size : 1) * (k + 1.5);
    sodae_status st = crossing_value(s, event, &s->inside, &value);
    if (st == SODAE_CALLBACK_FAILED) return st;
    s->failure = kept;
    *is = !st && value == s->event_value[event];
    return SODAE_OK;
}

/* The action has stopped it at its zero, or turned it round so slowly that the way back is rounding
 * of positions; or its bounces are rounding themselves. It is closed, and where it creeps through
 * that counts. */
sodae_status contact_hold(sodae *s, int event, int after) {
    approach x;
    int may = crossing_is_still(s, event, s->event_value[event]);
    sodae_status st = may ? is_of_positions(s, event, &may) : SODAE_OK;
    if (!st && may) st = look_at_acting(s, event, &x);
    if (st || !may) return st;
    int stopped = x.rate[1] * after < x.rate[0] * after && x.rate[1] * after <= x.none[1];
    if (stopped || s->event_low == event) s->event_sign[event] = -after;
    return SODAE_OK;
}

sodae_status contact_pass_on(sodae *s, int event) {
    sodae_failure kept = s->failure;
    sizes z = measure(s);
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    for (int i = 0; i < s->problem->nevents; i++) {
        if (i == event || (s->event_due[i] && s->event_due[i] != DUE_BY_RATE)) continue;
        sodae_status st = find(s, i, &z);
        if (st == SODAE_CALLBACK_FAILED || st == SODAE_BAD_PROBLEM) return st;
        s->failure = kept; /* beside the motion it need not be defined */
    }
    return SODAE_OK;
}
