/* How far two runs of one problem are apart, in tolerances: at the states that the first one kept
 * on its way (trail.c) and where it passes through zero between them. */
#include "integrator/compare.h"

#include "base/vec.h"
#include "method/error.h"

#include <math.h>

static const double part = 0.01; /* of the largest value on the way */

/* x - y into d. */
static const double *difference(int n, const double *x, const double *y, double *d) {
    for (int i = 0; i < n; i++) d[i] = x[i] - y[i];
    return d;
}

/* y <- the larger one of |x| and |y|. */
static void keep_larger(int n, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] = fmax(fabs(x[i]), fabs(y[i]));
}

static void raise_sizes(const eval *e, const state *x, state *y) {
    keep_larger(e->nq, x->q, y->q), keep_larger(e->nv, x->v, y->v), keep_larger(e->nr, x->r, y->r);
    keep_larger(e->nl, x->lambda, y->lambda), keep_larger(e->np, x->psi, y->psi);
}

static void scale_state(const eval *e, double f, state *y) {
    vec_scale(e->nq, f, y->q), vec_scale(e->nv, f, y->v), vec_scale(e->nr, f, y->r);
    vec_scale(e->nl, f, y->lambda), vec_scale(e->np, f, y->psi);
}

/* What tolerances are relative to where a state is smaller: no error is small against what passes
 * through zero, and a part of its largest value on our way counts. */
static void find_size(pair *p) {
    const eval *e = &p->s->eval;
    state at;
    state_copy(e, &p->s->begin, &p->size);
    for (int i = 0; i < p->s->trail.count; i++) {
        trail_row(p->s, i, &(long){0}, &at);
        raise_sizes(e, &at, &p->size);
    }
    raise_sizes(e, &p->s->stepper.now, &p->size);
    scale_state(e, part, &p->size);
}

void compare_open(pair *p, arena *memory) {
    const eval *e = &p->s->eval;
    p->room = arena_doubles(memory, (size_t)(e->nv + e->nr + e->nl + e->np));
    state_open(&p->now.its, memory, e), state_open(&p->before.its, memory, e);
    state_open(&p->zero.ours, memory, e), state_open(&p->zero.its, memory, e);
    state_open(&p->size, memory, e);
    p->before.jumps = -1, p->apart = NAN;
    if (!memory->failed) find_size(p);
}

/* For its tolerances at our state. */
static stepper tolerances_at(const pair *p, const state *ours) {
    stepper z = p->s->stepper;
    z.now = *ours, z.next = p->size, z.tol.lambda = 1, z.rough = 0;
    return z;
}

sodae_errors compare_states(const pair *p, const state *ours, const state *its) {
    const eval *e = &p->s->eval;
    double *d = p->room, *dpsi = p->room + e->nl;
    stepper z = tolerances_at(p, ours);
    sodae_errors x;
    sodae_space_difference(e->space, its->q, ours->q, d);
    x.q = error_norm_q(&z, d) / p->grows;
    x.v = error_norm_v(&z, difference(e->nv, ours->v, its->v, d)) / p->grows;
    x.r = error_norm_r(&z, difference(e->nr, ours->r, its->r, d)) / p->grows;
    difference(e->nl, ours->lambda, its->lambda, d);
    difference(e->np, ours->psi, its->psi, dpsi);
    x.lambda = error_norm_lambda(&z, d, dpsi) / p->grows;
    return x;
}

static double judged(const pair *p, const sodae_errors *x) {
    double error = fmax(x->q, fmax(x->v, x->r));
    return p->s->stepper.tol.lambda ? fmax(error, x->lambda) : error;
}

typedef double entry_tolerance(const stepper *, int);

/* Of n differences d the largest one in tolerances. size: of p->size, NULL: none. */
static sodae_culprit find_entry(const pair *p, const stepper *z, int n, const double *d,
                                entry_tolerance *allowed, const double *size) {
    sodae_culprit c = {.entry = -1, .amount = NAN, .size = NAN};
    double most = 0;
    for (int i = 0; i < n; i++) {
        double x = fabs(d[i]) / allowed(z, i);
        if (!(x > most)) continue;
        most = x, c.entry = i, c.amount = fabs(d[i]) / p->grows;
        c.size = size ? size[i] / part : NAN;
    }
    return c;
}

/* The larger one of *most and x, NaN: nothing yet; is it x? */
static int is_larger(double *most, double x) {
    if (x <= *most || isnan(x)) return 0;
    *most = x;
    return 1;
}

void compare_keep(pair *p, const state *ours, const state *its, const sodae_errors *x) {
    const eval *e = &p->s->eval;
    const stepper z = tolerances_at(p, ours);
    const state *y = &p->size;
    sodae_verification *o = p->out;
    sodae_errors *l = &o->largest;
    double *d = p->room;
    p->found = fmax(p->found, judged(p, x));
    if (is_larger(&o->error, judged(p, x))) {
        o->t = ours->t;
        o->of = o->error == x->q   ? SODAE_Q
                : o->error == x->v ? SODAE_V
                : o->error == x->r ? SODAE_R
                                   : SODAE_LAMBDA;
    }
    if (is_larger(&l->q, x->q)) {
        sodae_space_difference(e->space, its->q, ours->q, d);
        o->q = find_entry(p, &z, e->nv, d, error_tolerance_q, e->space->abelian ? y->q : NULL);
    }
    if (is_larger(&l->v, x->v)) {
        difference(e->nv, ours->v, its->v, d);
        o->v = find_entry(p, &z, e->nv, d, error_tolerance_v, y->v);
    }
    if (is_larger(&l->r, x->r)) {
        difference(e->nr, ours->r, its->r, d);
        o->r = find_entry(p, &z, e->nr, d, error_tolerance_r, y->r);
    }
    is_larger(&l->lambda, x->lambda);
}

long compare_jumps(const sodae *s, double t) {
    return s->trail.jump_time >= t ? s->trail.jumps_before : s->trail.jumps;
}

/* For so long one run may be before an event, the other behind: that is no error. */
static double blur_of_events(const pair *p) {
    static const double little = 1e-3, tolerances = 100;
    double rtol = p->s->options.rtol * fmax(1, p->f);
    return fmax(little, tolerances * rtol) * integrator_length(p->s);
}

/* Row i of the trail; -1 in x->jumps where there is nothing to compare. */
static void read_row(pair *p, int i, both *x) {
    trail_row(p->s, i, &x->jumps, &x->ours);
    double t = x->ours.t;
    int same = x->jumps == compare_jumps(p->twin, t);
    if (same || isnan(p->apart)) p->apart = same ? NAN : t;
    if (t - p->apart <= blur_of_events(p)) x->jumps = -1;
}

void compare_stop(pair *p, int i) {
    both x;
    read_row(p, i, &x);
    if (x.jumps < 0) return;
    const state *its = &p->twin->stepper.now;
    sodae_errors d = compare_states(p, &x.ours, its);
    compare_keep(p, &x.ours, its, &d);
}

/* Dense output of a looser run is worth less than its stops. */
static void compare_dense(pair *p, const both *x) {
    sodae_errors d = compare_states(p, &x->ours, &x->its);
    if (p->f > 1)
        p->between = fmax(p->between, judged(p, &d));
    else
        compare_keep(p, &x->ours, &x->its, &d);
}

/* x passes through zero from x0 to x1, and y - x is interpolated there; else the two agree. */
static void find_zeros(int n, const double *x0, const double *x1, const double *y0,
                       const double *y1, double *x, double *y) {
    for (int i = 0; i < n; i++) {
        int passes = x0[i] * x1[i] < 0;
        double at = passes ? x0[i] / (x0[i] - x1[i]) : 0;
        x[i] = passes ? 0 : x1[i];
        y[i] = passes ? (1 - at) * (y0[i] - x0[i]) + at * (y1[i] - x1[i]) : x1[i];
    }
}

/* What passes through zero has its smallest tolerance there, and rows seldom come near. Coordinates
 * of groups that are not abelian (quaternions, say) have tolerances that do not depend on them. */
static void compare_zeros(pair *p) {
    const eval *e = &p->s->eval;
    const state *x0 = &p->before.ours, *y0 = &p->before.its, *x1 = &p->now.ours, *y1 = &p->now.its;
    state *x = &p->zero.ours, *y = &p->zero.its;
    vec_copy(e->nq, x1->q, x->q), vec_copy(e->nq, x1->q, y->q);
    for (int i = 0; i < e->space->nparts; i++) {
        const sodae_part *g = &e->space->parts[i];
        int k = g->q0;
        if (g->group->abelian)
            find_zeros(g->nq, x0->q + k, x1->q + k, y0->q + k, y1->q + k, x->q + k, y->q + k);
    }
    find_zeros(e->nv, x0->v, x1->v, y0->v, y1->v, x->v, y->v);
    find_zeros(e->nr, x0->r, x1->r, y0->r, y1->r, x->r, y->r);
    x->t = x1->t;
    double found = p->found;
    compare_dense(p, &p->zero);
    p->found = found;
}

int compare_rows(const sodae_view *view, void *user) {
    pair *p = user;
    for (; view->event < 0 && p->next < p->s->trail.count; p->next++) {
        const state *x = &p->now.its;
        double t = trail_time(p->s, p->next);
        if (t > view->t) return 0;
        read_row(p, p->next, &p->now);
        sodae_solution at = {.q = x->q, .v = x->v, .r = x->r, .lambda = x->lambda, .psi = x->psi};
        if (sodae_interpolate(p->twin, t, &at) < 0) p->now.jumps = -1;
        if (p->now.jumps >= 0) compare_dense(p, &p->now);
        if (p->now.jumps >= 0 && p->now.jumps == p->before.jumps && isnan(p->apart))
            compare_zeros(p);
        both last = p->before;
        p->before = p->now, p->now = last;
    }
    return 0;
}
