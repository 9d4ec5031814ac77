/* The quantities of Theorem 2.1.8 at one t and along an interval. */
#include "analysis/array.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-9

/* The array grows by one block of rows per derivative; larger ones are not decomposed. */
enum { MOST_ROWS = 400 };

/* Mechanics: mu = 2 with holonomic constraints, 4 with servo constraints on two masses in a row. */
enum { MOST_GRADED = 4 };

/* Each t of a nonlinear system needs a run up to it and an iteration: the first changes show where
 * to look. */
enum { LOCATED_GRADED = 4 };

static ranks ranks_in(arena *a) {
    return (ranks){.a = a, .tolerance = TOLERANCE, .kept = INFINITY};
}

/* A pencil of n unknowns has at most index n. */
static int most_derivatives(int rows, int n) {
    int most = MOST_ROWS / (rows > 0 ? rows : 1) - 1;
    return most < 0 ? 0 : most < n ? most : n;
}

static sodae_status first_order(const sodae_linear_system *sys, const array_units *units, double t,
                                sodae_strangeness *q, sodae_free_form *form) {
    int vanishing = 0, most = 0;
    sodae_status st = SODAE_OK;
    for (int l = 0; l <= most && !st && !q->found; l++) {
        arena a = {0};
        ranks w = ranks_in(&a);
        array_series s;
        int bad = array_first_order(&w, sys, &units->first, t, l + 1, &s);
        if (!bad) {
            most = most_derivatives(s.m, s.n);
            if (sys->graded && most > MOST_GRADED) most = MOST_GRADED;
            q->found = array_level(&w, &s, l, &vanishing, q, form);
        }
        if (form) form->n = sys->n;
        /* no higher derivatives at this t: none of the levels below fulfils the theorem */
        if (bad && l > 0) most = 0;
        st = w.failed ? SODAE_NO_MEMORY : bad && l == 0 ? SODAE_NOT_FINITE : SODAE_OK;
        arena_free(&a);
    }
    q->decided &= q->found;
    if (!q->found) q->d_index = -1;
    return st;
}

static sodae_status second_order(const sodae_linear_system *sys, const array_units *units, double t,
                                 sodae_strangeness *q) {
    int vanishing = 0, most = most_derivatives(sys->m, 2 * sys->n);
    sodae_status st = SODAE_OK;
    for (int l = 0; l <= most && !st && !q->second_found; l++) {
        arena a = {0};
        ranks w = ranks_in(&a);
        q->second_found = array_second_level(&w, sys, &units->second, t, l, &vanishing, q);
        if (w.failed) st = SODAE_NO_MEMORY;
        arena_free(&a);
    }
    q->second_decided &= q->second_found;
    return st;
}

/* A system and its units. */
typedef struct scaled {
    const sodae_linear_system *sys;
    array_units units;
} scaled;

static sodae_status at(const scaled *s, double t, sodae_strangeness *out, sodae_free_form *form) {
    int some = 0; /* does x'' appear? */
    for (int j = 0; j < s->sys->n && s->sys->twice; j++) some |= s->sys->twice[j];
    *out = (sodae_strangeness){.t = t};
    sodae_status st = first_order(s->sys, &s->units, t, out, form);
    if (st || !some) return st;
    if (!s->sys->graded) return second_order(s->sys, &s->units, t, out);
    /* F, .., F^(mu) of the second order form hold the same equations but for x' = v */
    out->second_found = out->found, out->second_decided = out->decided;
    out->derivatives = out->mu, out->second_mu = (out->mu + 1) / 2;
    return SODAE_OK;
}

static sodae_status scaled_open(scaled *s, arena *a, const sodae_linear_system *sys,
                                const double *t, int count) {
    ranks w = ranks_in(a);
    s->sys = sys;
    int bad = array_units_find(&w, sys, t, count, &s->units);
    return w.failed ? SODAE_NO_MEMORY : bad ? SODAE_NOT_FINITE : SODAE_OK;
}

static int same(const sodae_strangeness *a, const sodae_strangeness *b) {
    if (!a->found && !b->found) return 1;
    return a->found == b->found && a->decided == b->decided && a->mu == b->mu && a->d == b->d &&
           a->a == b->a && a->u == b->u && a->v == b->v;
}

static void keep(sodae_along_report *r, sodae_strangeness_change c) {
    if (r->nchanges < SODAE_ALONG_CHANGES)
        r->change[r->nchanges++] = c;
    else
        r->more = 1;
}

/* The last t that is like `a`, the first that is not, a millionth of the interval apart. Where the
 * quantities at t1 are those of a single point the change is at its left. */
static sodae_status bisect(const scaled *sys, sodae_strangeness a, sodae_strangeness b,
                           double length, sodae_along_report *r) {
    sodae_strangeness middle;
    while (b.t - a.t > 1e-6 * length) {
        sodae_status st = at(sys, (a.t + b.t) / 2, &middle, NULL);
        if (st) return st;
        if (same(&a, &middle))
            a = middle;
        else
            b = middle;
    }
    keep(r, (sodae_strangeness_change){a.t, b.t, 0, a, b});
    return SODAE_OK;
}

/* A singular value that passes zero between two samples with equal ranks leaves a minimum of the
 * smallest value kept. Golden section; at a simple zero the minimum is below 1e-4 of its
 * surroundings once the interval is 1e-8 of the whole. */
static sodae_status find_zero(const scaled *sys, const sodae_strangeness *left,
                              const sodae_strangeness *right, double length,
                              sodae_along_report *r) {
    const double golden = (sqrt(5) - 1) / 2;
    double a = left->t, b = right->t, least = fmin(left->least, right->least);
    sodae_strangeness x, y;
    sodae_status st = at(sys, b - golden * (b - a), &x, NULL);
    if (!st) st = at(sys, a + golden * (b - a), &y, NULL);
    while (!st && b - a > 1e-8 * length && same(left, &x) && same(left, &y)) {
        if (x.least < y.least) {
            b = y.t, y = x;
            st = at(sys, b - golden * (b - a), &x, NULL);
        } else {
            a = x.t, x = y;
            st = at(sys, a + golden * (b - a), &y, NULL);
        }
    }
    if (st) return st;
    int differs = !same(left, &x) || !same(left, &y);
    if (differs) { /* the change before it and the one after it */
        const sodae_strangeness *inside = same(left, &x) ? &y : &x;
        st = bisect(sys, *left, *inside, length, r);
        return st ? st : bisect(sys, *inside, *right, length, r);
    }
    if (fmin(x.least, y.least) < 1e-4 * least)
        keep(r, (sodae_strangeness_change){a, b, 1, *left, x});
    return SODAE_OK;
}

/* Can the smallest value kept pass zero between points i and i + 1? Where it falls by h s up to a
 * zero less than h away, it is at most h s there; half of that allows for curvature. */
static int may_vanish(const sodae_along_report *r, int i) {
    const sodae_strangeness *p = r->point;
    int falls = i == 0 || p[i - 1].least > 1.5 * p[i].least;
    int rises = i + 2 >= r->count || p[i + 2].least > 1.5 * p[i + 1].least;
    return falls && rises;
}

static sodae_status find_changes(const scaled *sys, double length, sodae_along_report *r) {
    sodae_status st = SODAE_OK;
    for (int i = 0; i + 1 < r->count && !st && !r->more; i++) {
        const sodae_strangeness *p = &r->point[i];
        if (sys->sys->graded && r->nchanges >= LOCATED_GRADED)
            r->more = 1;
        else if (!same(p, p + 1))
            st = bisect(sys, p[0], p[1], length, r);
        else if (may_vanish(r, i))
            st = find_zero(sys, p, p + 1, length, r);
    }
    return st;
}

/* Two changes that enclose one point of [t0, t1] are one, at that point. */
static void join_pairs(sodae_along_report *r, double length) {
    int n = 0;
    for (int i = 0; i < r->nchanges; i++) {
        sodae_strangeness_change c = r->change[i];
        if (i + 1 < r->nchanges && !c.isolated && !r->change[i + 1].isolated &&
            r->change[i + 1].t1 - c.t0 < 4e-6 * length &&
            same(&c.before, &r->change[i + 1].after)) {
            c.t1 = r->change[++i].t1;
            c.isolated = 1;
        }
        r->change[n++] = c;
    }
    r->nchanges = n;
}

sodae_status sodae_strangeness_at(const sodae_linear_system *sys, double t, sodae_strangeness *out,
                                  sodae_free_form *form) {
    if (form) *form = (sodae_free_form){0};
    if (!sys || !sys->series || !out || sys->m < 0 || sys->n < 1) return SODAE_BAD_ARGUMENT;
    arena a = {0};
    scaled s;
    sodae_status st = scaled_open(&s, &a, sys, &t, 1);
    if (!st) st = at(&s, t, out, form);
    arena_free(&a);
    return st;
}

sodae_status sodae_strangeness_along(const sodae_linear_system *sys, double t0, double t1,
                                     sodae_along_report *r, sodae_free_form *form) {
    if (form) *form = (sodae_free_form){0};
    if (!sys || !r || !isfinite(t0) || !isfinite(t1)) return SODAE_BAD_ARGUMENT;
    memset(r, 0, sizeof *r);
    r->count = t1 > t0 ? SODAE_ALONG_POINTS : 1;
    double t[SODAE_ALONG_POINTS] = {t0};
    for (int i = 1; i < r->count; i++) t[i] = t0 + (t1 - t0) * i / (r->count - 1);
    arena a = {0};
    scaled s;
    sodae_status st = scaled_open(&s, &a, sys, t, r->count);
    for (int i = 0; i < r->count && !st; i++) st = at(&s, t[i], &r->point[i], i ? NULL : form);
    if (!st) st = find_changes(&s, t1 - t0, r);
    join_pairs(r, t1 - t0);
    arena_free(&a);
    return st;
}
