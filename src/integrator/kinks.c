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
 * Where zeros come one after the other in tiny steps (dry friction at rest) most of them are left
 * to the error test: each costs a part of what steps without them have saved up. */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"
#include "method/error.h"
#include "output/root.h"

#include <float.h>
#include <math.h>

enum { SAMPLES = 8, MOST_SAMPLES = 256, MOST_TRIES = 8 };

/* What a zero after a tiny step costs, what a step saves, and how much may be saved: ten such zeros
 * in a row, then one in two steps. A step is tiny in units of the longest one. */
static const double price = 1, wage = 0.5, most_saved = 10, tiny = 1e-4;
static const double too_near = 1e-4; /* of the step: such a zero belongs to its beginning */
static const double before = 1e-3; /* so far before a zero, in units of what the step is too long */
static const double shorter = 0.97; /* of the way to a zero that is not known well */
static const double ahead = 0.1;    /* of the step: zeros behind its end that it was to reach */
static const double nearer = 0.999, beyond = 1.001; /* of the way to the zero */
static const double rounding = 4 * DBL_EPSILON, unsure = 64 * DBL_EPSILON; /* of times */
static const double little = 0.05; /* tolerances that the way over the zero may cost */

void kinks_open(sodae *s) {
    size_t n = (size_t)s->problem->nkinks;
    for (int i = 0; i < KINKS_BUFFERS; i++) s->kinks.value[i] = arena_doubles(&s->memory, n);
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

static int is_tiny(const sodae *s, double h) {
    return h < tiny * s->jump.longest;
}

/* What is found in a step. */
typedef struct finding {
    double zero;  /* the first one */
    double touch; /* where a function comes near to zero and may pass it */
} finding;

/* The samples so far: their distance in time, the newest one, the values of the last three, and how
 * large each function was. */
typedef struct samples {
    double gap, t;
    int count;
    double *two_before, *before, *now, *size;
} samples;

static samples begin_samples(kinks *k) {
    return (samples){
        .two_before = k->value[0], .before = k->value[1], .now = k->value[3], .size = k->value[4]};
}

static void next_sample(samples *x) {
    double *oldest = x->two_before;
    x->two_before = x->before, x->before = x->now, x->now = oldest;
    x->count++;
}

/* A function that comes near to zero and goes away again, at the last three samples: does it pass
 * zero there, forth and back, or so nearly that the cubic does not tell? */
static sodae_status look_into_dip(search *k, const samples *x, finding *out) {
    static const double nearly = 0.01;
    int i = k->row, found;
    double t;
    root_dip d = {{x->t - 2 * x->gap, x->t - x->gap, x->t},
                  {x->two_before[i], x->before[i], x->now[i]}};
    double middle = fabs(d.f[1]);
    if (is_tiny(k->s, k->end->t - k->s->stepper.now.t)) return SODAE_OK; /* rounding has dips */
    if (x->count < 2 || middle > fabs(d.f[0]) || middle > fabs(d.f[2]) || middle == 0)
        return SODAE_OK;
    sodae_status st = root_in_dip(value_at, k, 0, &d, &found);
    if (!st && !found && fabs(d.f[1]) <= nearly * x->size[i]) out->touch = fmin(out->touch, d.t[1]);
    if (st || !found) return st;
    st = root_find(value_at, k, d.t[0], d.f[0], d.t[1], d.f[1], &t);
    out->zero = fmin(out->zero, t);
    return st;
}

/* What happens between the last samples. What is zero or not defined keeps the sign it had. */
static sodae_status look_at_sample(sodae *s, const state *end, samples *x, finding *out) {
    for (int i = 0; i < s->problem->nkinks; i++) {
        search k = {s, end, i};
        double last = x->before[i], *next = &x->now[i], t;
        if (isfinite(*next)) x->size[i] = fmax(x->size[i], fabs(*next));
        if (*next == 0 || isnan(*next)) *next = last == 0 ? 0 : copysign(DBL_MIN, last);
        sodae_status st = SODAE_OK;
        if (is_change(last, *next)) {
            st = root_find(value_at, &k, x->t - x->gap, last, x->t, *next, &t);
            out->zero = fmin(out->zero, t);
        } else {
            st = look_into_dip(&k, x, out);
        }
        if (st) return st;
    }
    return SODAE_OK;
}

/* The first zero in the step to that end, by so many samples; `size`: of each function. */
static sodae_status look_at_samples(sodae *s, const state *end, int count, finding *out) {
    const state *n = &s->stepper.now;
    samples x = begin_samples(&s->kinks);
    double h = end->t - n->t;
    *out = (finding){INFINITY, INFINITY};
    vec_zero(s->problem->nkinks, x.size);
    x.gap = h / count;
    sodae_status st = values(s, n, x.now);
    for (int i = 1; i <= count && !st && isinf(out->zero); i++) {
        next_sample(&x);
        x.t = i < count ? n->t + i * x.gap : end->t;
        st = values_at(s, end, x.t, x.now);
        if (!st) st = look_at_sample(s, end, &x, out);
    }
    return st;
}

/* How many samples functions need which go to and fro: by their rates at some instants. */
static sodae_status samples_needed(sodae *s, const state *end, double *count) {
    static const double near = 1e-3, at[] = {0.003, 0.37, 0.66, 0.995};
    const state *n = &s->stepper.now;
    kinks *k = &s->kinks;
    double h = end->t - n->t, *size = k->value[4];
    *count = SAMPLES;
    for (size_t j = 0; j < sizeof at / sizeof *at; j++) {
        sodae_status st = values_at(s, end, n->t + at[j] * h, k->value[0]);
        if (!st) st = values_at(s, end, n->t + (at[j] + near) * h, k->value[1]);
        if (st) return st;
        for (int i = 0; i < s->problem->nkinks; i++) {
            double way = fabs(k->value[1][i] - k->value[0][i]) / near;
            if (isfinite(way) && size[i] > 0) *count = fmax(*count, 2 * way / size[i]);
        }
    }
    return SODAE_OK;
}

/* The first zero in the step to that end, INFINITY if there is none; where it is not clear, an
 * instant at which a step is to end so that it is. */
static sodae_status first_zero(sodae *s, const state *end, finding *out) {
    double count, t = s->stepper.now.t;
    sodae_status st = look_at_samples(s, end, SAMPLES, out);
    if (st || !isinf(out->zero)) return st;
    st = samples_needed(s, end, &count);
    if (st || count <= SAMPLES) return st;
    st = look_at_samples(s, end, (int)fmin(ceil(count), MOST_SAMPLES), out);
    if (!st && isinf(out->zero) && count > MOST_SAMPLES)
        out->touch = fmin(out->touch, t + (end->t - t) * MOST_SAMPLES / count);
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

static sodae_status value_behind(double d, void *user, double *value) {
    search *k = user;
    double *all = k->s->kinks.value[2];
    state_along(&k->s->eval, k->end, d, k->s->dense_scratch, &k->s->inside);
    sodae_status st = values(k->s, &k->s->inside, all);
    *value = all[k->row];
    return st;
}

/* The way from the end of the step tried to the zero of this function, which is about `way`, and
 * one over it, beyond rounding; both 0 where there is none nearby. */
static sodae_status over_zero(sodae *s, int row, double most, double *way, double *over) {
    search k = {s, &s->stepper.next, row};
    double f = s->kinks.value[1][row], value, a = 0, fa = f, t1 = k.end->t;
    double d = fmax(beyond * *way, rounding * fabs(t1));
    *way = *over = 0;
    for (d = fmin(d, most); a < most; a = d, fa = value, d = fmin(2 * d, most)) {
        sodae_status st = value_behind(d, &k, &value);
        if (!st && !is_change(f, value)) continue;
        if (!st) st = root_find(value_behind, &k, a, fa, d, value, way);
        *over = *way + fmax((beyond - 1) * *way, rounding * fabs(t1));
        return st;
    }
    return SODAE_OK;
}

/* Tolerances that are lost when accelerations change by the zero, d behind the end of the step
 * tried, and the old ones are used up to it. The way itself is to be less than a tolerance of q, as
 * it is not known to what methods remember of the step. */
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
    *size = fmax(*size, little * d * error_norm_q(z, z->next.v));
    return st == SODAE_CALLBACK_FAILED ? st : SODAE_OK;
}

static int is_wanted(const sodae *s, const landing *l) {
    return s->problem->nkinks && s->kinks.saved >= price && l->tries < MOST_TRIES;
}

/* The first zero within h, as far as the accelerations at the beginning tell. */
static sodae_status expected_zero(sodae *s, double h, double *zero) {
    state *end = &s->middle[0];
    finding x;
    state_along(&s->eval, &s->stepper.now, h, s->dense_scratch, end);
    sodae_status st = first_zero(s, end, &x);
    *zero = x.zero;
    return st;
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
    st = over_zero(s, row, ahead * h, &way, &over);
    if (st || !(over > 0) || over > ahead * h) return st;
    l->over = over;
    l->end = t1 + nearer * way;
    st = loss(s, over, &size);
    l->again = !st && size > little && way > unsure * fabs(t1) && !nearest;
    return st;
}

/* A zero between the beginning of a step and the first sample, as the motion there tells: a contact
 * that begins and ends before it. */
static sodae_status look_ahead(sodae *s, finding *x) {
    double h = s->stepper.next.t - s->stepper.now.t, zero;
    if (!isinf(x->zero) || is_tiny(s, h)) return SODAE_OK;
    sodae_status st = expected_zero(s, h / SAMPLES, &zero);
    x->zero = fmin(x->zero, zero);
    return st;
}

sodae_status kinks_look(sodae *s, double least, landing *l) {
    const stepper *z = &s->stepper;
    double t = z->now.t, t1 = z->next.t, h = t1 - t, near = fmax(too_near * h, least);
    finding x;
    l->again = 0, l->over = 0;
    if (!is_wanted(s, l)) return SODAE_OK;
    sodae_status st = first_zero(s, &z->next, &x);
    if (!st) st = look_ahead(s, &x);
    if (st || x.zero - t <= near) return st;
    if (x.zero <= t1)
        st = end_before(s, x.zero, least, l);
    else if (x.touch - t > near && x.touch < t1)
        l->end = x.touch, l->again = 1;
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
    double *saved = &s->kinks.saved, behind = z->next.t + l->over;
    int costs = l->tries > 0 && is_tiny(s, z->next.t - z->now.t);
    *saved = costs ? *saved - price : fmin(most_saved, *saved + wage);
    if (!(behind > z->next.t && behind < t_end)) return 0;
    state_along(&s->eval, &z->next, l->over, s->dense_scratch, &s->inside);
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
    double d = unsure * fmax(fabs(n->t), 1e-3 * fmax(z->span, t_end - n->t));
    int left = 0;
    if (!s->problem->nkinks || z->step > 0) return SODAE_OK;
    for (int i = 0; i < TIMES && !left && n->t + d < t_end; i++, d *= 16) {
        state_along(&s->eval, n, d, s->dense_scratch, &s->inside);
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
