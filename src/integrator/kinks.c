/* Kinks and jumps of the equations in the state: a contact that begins, a gap that closes, dry
 * friction that turns round.
 *
 * The problem gives functions whose signs change there. A step that spans a zero of one of them is
 * of low order, and estimates that expect a smooth motion do not always see it. Such a step is not
 * taken; it is tried again up to shortly before the zero, where everything is still as it was. What
 * is left to the zero, d, is gone with the old accelerations,
 *     q o exp(d v + d^2/2 v'),  v + d v',
 * if that leaves d |v'_behind - v'_before| far below the tolerance; otherwise the step is tried
 * again, nearer. The method starts anew behind the zero, as after an event.
 *
 * Where zeros come one after the other (dry friction at rest) most of them are left to the error
 * test: each costs a part of what steps without them have saved up. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"
#include "output/root.h"

#include <float.h>
#include <math.h>

enum { SAMPLES = 4, MOST_TRIES = 8 };

static const double price = 1, wage = 0.5, most_saved = 10; /* of a zero; of a step; steps */
static const double too_near = 1e-4; /* of the step: such a zero belongs to its beginning */
static const double before = 1e-3; /* so far before a zero, in units of what the step is too long */
static const double shorter = 0.97; /* of the way to a zero that is not known well */
static const double ahead = 0.1;    /* of the step: zeros behind its end that it was to reach */
static const double nearer = 0.999, beyond = 1.001; /* of the way to the zero */
static const double rounding = 4 * DBL_EPSILON, unsure = 64 * DBL_EPSILON; /* of times */
static const double little = 0.05; /* tolerances that the way over the zero may cost */

void kinks_open(sodae *s) {
    size_t n = (size_t)s->problem->nkinks;
    for (int i = 0; i < 3; i++) s->kinks.value[i] = arena_doubles(&s->memory, n);
    s->kinks.saved = most_saved;
}

static sodae_status values(sodae *s, const state *x, double *out) {
    sodae_point at = state_point(x);
    int code = s->problem->kinks(&at, out, s->problem->user);
    if (!code) return SODAE_OK;
    sodae_status st = code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
    failure_set(&s->failure, st, "kinks", "callback 'kinks' returned %d at t = %.9g", code, x->t);
    s->failure.t = x->t;
    if (code < 0) s->eval.stop = s->failure;
    return st;
}

/* Between the beginning and the end of a step. */
static sodae_status values_at(sodae *s, const state *end, double t, double *out) {
    dense_hermite(&s->eval, &s->stepper.now, end, t, s->dense_scratch, &s->inside);
    return values(s, &s->inside, out);
}

typedef struct search {
    sodae *s;
    const state *end;
    int row;
} search;

static sodae_status value_at(double t, void *user, double *value) {
    search *k = user;
    double *all = k->s->kinks.value[2];
    sodae_status st = values_at(k->s, k->end, t, all);
    *value = all[k->row];
    return st;
}

static int is_change(double a, double b) {
    return (a < 0 && b > 0) || (a > 0 && b < 0);
}

/* The earliest zero between the samples at a and b. */
static sodae_status earliest(sodae *s, const state *end, double a, double b, double *zero) {
    kinks *k = &s->kinks;
    *zero = INFINITY;
    for (int i = 0; i < s->problem->nkinks; i++) {
        double t, fa = k->value[0][i], fb = k->value[1][i];
        if (!is_change(fa, fb)) continue;
        search x = {s, end, i};
        sodae_status st = root_find(value_at, &x, a, fa, b, fb, &t);
        if (st) return st;
        *zero = fmin(*zero, t);
    }
    return SODAE_OK;
}

/* What is zero or not defined keeps the sign it had. */
static int look_at_sample(kinks *k, int n) {
    int changed = 0;
    for (int i = 0; i < n; i++) {
        double last = k->value[0][i], next = k->value[1][i];
        changed |= is_change(last, next);
        if (next == 0 || isnan(next)) k->value[1][i] = last == 0 ? 0 : copysign(DBL_MIN, last);
    }
    return changed;
}

/* The first zero in the step to that end, INFINITY if there is none. */
static sodae_status first_zero(sodae *s, const state *end, double *zero) {
    const state *n = &s->stepper.now;
    kinks *k = &s->kinks;
    double h = end->t - n->t, last = n->t;
    *zero = INFINITY;
    sodae_status st = values(s, n, k->value[0]);
    for (int i = 1; i <= SAMPLES && !st; i++) {
        double t = i < SAMPLES ? n->t + i * h / SAMPLES : end->t;
        st = values_at(s, end, t, k->value[1]);
        if (st) return st;
        if (look_at_sample(k, s->problem->nkinks)) return earliest(s, end, last, t, zero);
        vec_copy(s->problem->nkinks, k->value[1], k->value[0]);
        last = t;
    }
    return st;
}

/* How far behind the end of the step tried the next zero lies, as the rates there tell; of which
 * function it is. */
static sodae_status way_to_zero(sodae *s, double h, double *way, int *row) {
    kinks *k = &s->kinks;
    double t1 = s->stepper.next.t, d = before * h;
    sodae_status st = values_at(s, &s->stepper.next, t1 - d, k->value[0]);
    if (!st) st = values(s, &s->stepper.next, k->value[1]);
    *way = INFINITY;
    for (int i = 0; i < s->problem->nkinks && !st; i++) {
        double f = k->value[1][i], t = -f * d / (f - k->value[0][i]);
        if (t > 0 && t < *way) *way = t, *row = i;
    }
    return st;
}

/* The state a time d behind x, with the accelerations there. */
static void move(const sodae *s, const state *x, double d, double *dq, state *out) {
    const eval *e = &s->eval;
    for (int i = 0; i < e->nv; i++) dq[i] = d * x->v[i] + d * d / 2 * x->vdot[i];
    state_copy(e, x, out);
    sodae_space_retract(e->space, x->q, dq, out->q);
    vec_add(e->nv, d, x->vdot, out->v);
    vec_add(e->nr, d, x->rdot, out->r);
    out->t = x->t + d;
}

static sodae_status value_behind(double d, void *user, double *value) {
    search *k = user;
    double *all = k->s->kinks.value[2];
    move(k->s, k->end, d, k->s->dense_scratch, &k->s->inside);
    sodae_status st = values(k->s, &k->s->inside, all);
    *value = all[k->row];
    return st;
}

/* The way from the end of the step tried to the zero of this function, which is about `way`, and
 * one over it, beyond rounding; both 0 where there is none nearby. */
static sodae_status over_zero(sodae *s, int row, double *way, double *over) {
    enum { DOUBLINGS = 40 };
    search k = {s, &s->stepper.next, row};
    double f = s->kinks.value[1][row], value, a = 0, fa = f, t1 = k.end->t;
    double d = fmax(beyond * *way, rounding * fabs(t1));
    *way = *over = 0;
    for (int i = 0; i < DOUBLINGS; i++, a = d, fa = value, d *= 2) {
        sodae_status st = value_behind(d, &k, &value);
        if (!st && !is_change(f, value)) continue;
        if (!st) st = root_find(value_behind, &k, a, fa, d, value, way);
        *over = *way + fmax((beyond - 1) * *way, rounding * fabs(t1));
        return st;
    }
    return SODAE_OK;
}

/* Tolerances that are lost when accelerations change by the zero, d behind the end of the step
 * tried, and the old ones are used up to it. */
static sodae_status loss(sodae *s, double d, double *size) {
    stepper *z = &s->stepper;
    consistent *c = &s->consistent;
    int nv = s->eval.nv, nr = s->eval.nr;
    double *dv = s->control_scratch, *dr = dv + nv;
    *size = 0;
    sodae_status st = consistent_nearby(c, &z->next, 0);
    vec_copy(nv, c->shifted.vdot, dv), vec_copy(nr, c->shifted.rdot, dr);
    if (!st) st = consistent_nearby(c, &z->next, 2 * d);
    vec_add(nv, -1, c->shifted.vdot, dv), vec_add(nr, -1, c->shifted.rdot, dr);
    if (!st) *size = d * fmax(error_norm_v(z, dv), nr ? error_norm_r(z, dr) : 0);
    return st == SODAE_CALLBACK_FAILED ? st : SODAE_OK;
}

static int is_wanted(const sodae *s, const landing *l) {
    return s->problem->nkinks && s->kinks.saved >= price && l->tries < MOST_TRIES;
}

/* The first zero within h, as far as the accelerations at the beginning tell. */
static sodae_status expected_zero(sodae *s, double h, double *zero) {
    state *end = &s->middle[0];
    move(s, &s->stepper.now, h, s->dense_scratch, end);
    return first_zero(s, end, zero);
}

/* The step tried spans a zero. One that was to end before it and does not is so much of another
 * motion that it does not tell where. */
static sodae_status end_before(sodae *s, double zero, double least, landing *l) {
    const stepper *z = &s->stepper;
    double t = z->now.t, t1 = z->next.t, end = zero - before * fmin(t1 - zero, zero - t), expected;
    if (t1 == l->end) {
        sodae_status st = expected_zero(s, t1 - t, &expected);
        if (st) return st;
        double known = shorter * (zero - t), back = zero - fmin(t1 - zero, (zero - t) / 2);
        end = expected - t < known ? t + shorter * (expected - t) : back;
    }
    end -= DBL_EPSILON * fabs(t);
    l->again = end - t > fmax(too_near * (t1 - t), least) && end < t1;
    if (l->again) l->end = end;
    return SODAE_OK;
}

/* The step tried ends before a zero, if it is as near as expected. */
static sodae_status end_at(sodae *s, double h, landing *l) {
    double t1 = s->stepper.next.t, way, over, size;
    int row = 0, nearest = l->tries + 1 == MOST_TRIES;
    sodae_status st = way_to_zero(s, h, &way, &row);
    if (st || way > ahead * h) return st;
    st = over_zero(s, row, &way, &over);
    if (st || !(over > 0) || over > ahead * h) return st;
    l->over = over;
    l->end = t1 + nearer * way;
    st = loss(s, over, &size);
    l->again = !st && size > little && way > unsure * fabs(t1) && !nearest;
    return st;
}

sodae_status kinks_look(sodae *s, double least, landing *l) {
    const stepper *z = &s->stepper;
    double t = z->now.t, t1 = z->next.t, h = t1 - t, zero;
    l->again = 0, l->over = 0;
    if (!is_wanted(s, l)) return SODAE_OK;
    sodae_status st = first_zero(s, &z->next, &zero);
    if (st || zero - t <= fmax(too_near * h, least)) return st;
    if (zero <= t1)
        st = end_before(s, zero, least, l);
    else if (t1 == l->end)
        st = end_at(s, h, l);
    l->tries += l->again;
    return st;
}

int kinks_expect(sodae *s, double h, double least, landing *l) {
    enum { MOST = 3 };
    sodae_failure kept = s->failure;
    double t = s->stepper.now.t, zero;
    if (!is_wanted(s, l) || l->tries >= MOST) return 0;
    sodae_status st = expected_zero(s, h, &zero);
    s->failure = kept;
    if (st || !(zero <= t + h) || shorter * (zero - t) <= fmax(too_near * h, least)) return 0;
    l->end = t + shorter * (zero - t);
    l->tries++;
    return 1;
}

int kinks_pass(sodae *s, double t_end, const landing *l) {
    stepper *z = &s->stepper;
    double *saved = &s->kinks.saved;
    *saved = fmin(most_saved, *saved + wage);
    if (!(l->over > 0) || !(z->next.t + l->over < t_end) || z->next.t + l->over == z->next.t)
        return 0;
    *saved -= price + wage;
    move(s, &z->next, l->over, s->dense_scratch, &s->inside);
    state_copy(&s->eval, &s->inside, &z->next);
    return 1;
}

/* Does a function leave zero, or pass it, on the way from the current state to s->inside? */
static sodae_status is_left(sodae *s, int *left) {
    kinks *k = &s->kinks;
    sodae_status st = values(s, &s->stepper.now, k->value[0]);
    if (!st) st = values(s, &s->inside, k->value[1]);
    *left = 0;
    for (int i = 0; i < s->problem->nkinks && !st; i++) {
        double from = k->value[0][i], to = k->value[1][i];
        *left |= is_change(from, to) || (from == 0 && to != 0);
    }
    return st;
}

sodae_status kinks_leave(sodae *s, double t_end) {
    enum { TIMES = 3 };
    const stepper *z = &s->stepper;
    state *n = &s->stepper.now;
    double d = unsure * fmax(fabs(n->t), 1e-3 * z->span);
    int left = 0;
    if (!s->problem->nkinks || z->step > 0) return SODAE_OK;
    for (int i = 0; i < TIMES && !left && n->t + d < t_end; i++, d *= 16) {
        move(s, n, d, s->dense_scratch, &s->inside);
        sodae_status st = is_left(s, &left);
        if (st) return st == SODAE_CALLBACK_REFUSED ? SODAE_OK : st;
    }
    if (!left) return SODAE_OK;
    double h = s->h_next;
    jump met = s->jump;
    state_copy(&s->eval, n, &s->middle[0]);
    state_copy(&s->eval, &s->inside, n);
    sodae_status st = integrator_restart(s);
    s->h_next = h, s->jump = met;
    if (st) state_copy(&s->eval, &s->middle[0], n);
    return st == SODAE_CALLBACK_FAILED ? st : SODAE_OK;
}
