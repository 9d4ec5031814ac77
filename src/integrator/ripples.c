/* What the steps of a run do not resolve, though it need not stay small.
 *
 * Oscillations and instabilities below the tolerances do not limit the step, and long steps of
 * methods that damp at infinity damp them, whether they would grow or not: every run with such
 * steps shows the same. They are seen in the motion as it is linearised at some states,
 *
 *     d/dt (q, v, r) = (v, v'(q, v, r), r'(q, v, r)),
 *
 * by eigenvalues z with |Im z| h > 1 or |Re z| h > 3 for the step h there that grow, or that
 * nothing damps: what changes with time may feed these (parametric resonance). A second run
 * resolves them with steps of 1/(2 |z|), where it does not need too many. */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "linear/lapack.h"

#include <math.h>

enum { STATES = 8, LARGEST = 40 }; /* that are looked at; nv + nr */

static const double swings = 1, leaves = 3, resolved = 0.5; /* |Im z| h, |Re z| h; |z| h */
static const double growth = 1, growing = 1e-6;             /* Re z T; Re z / |z| */
static const double undamped = 1e-3;                        /* Re z / |z| */
static const double many = 200000;                          /* steps for what grows */
static const double distance = 1e-6; /* of differences, in sizes of q, v, r */

/* The linearised motion. */
typedef struct linear_motion {
    sodae *s; /* an integrator of its own */
    int n;
    double *A, *re, *im, *work;
    double *f[2]; /* v', r' at both sides */
    double *dq;
    state at, x;
    double growing, undamped; /* the largest |z| of these */
} linear_motion;

/* v' and r' where one number of (q, v, r) is d larger. */
static sodae_status rates_beside(linear_motion *m, int k, double d, double *f) {
    const eval *e = &m->s->eval;
    int nv = e->nv;
    state_copy(e, &m->at, &m->x);
    vec_zero(nv, m->dq);
    if (k < nv) m->dq[k] = d;
    if (k < nv) sodae_space_retract(e->space, m->at.q, m->dq, m->x.q);
    if (k >= nv && k < 2 * nv) m->x.v[k - nv] += d;
    if (k >= 2 * nv) m->x.r[k - 2 * nv] += d;
    sodae_status st = consistent_acceleration(&m->s->consistent, &m->x);
    vec_copy(nv, m->x.vdot, f), vec_copy(e->nr, m->x.rdot, f + nv);
    return st;
}

static sodae_status linearise(linear_motion *m) {
    const eval *e = &m->s->eval;
    int n = m->n, nv = e->nv;
    for (int k = 0; k < n; k++) {
        double d = distance * (k < nv ? e->size_q : k < 2 * nv ? e->size_v : e->size_r);
        double *column = m->A + (size_t)k * (size_t)n;
        for (int i = 0; i < 2; i++) {
            sodae_status st = rates_beside(m, k, i ? d : -d, m->f[i]);
            if (st) return st;
        }
        vec_zero(nv, column);
        if (k >= nv && k < 2 * nv) column[k - nv] = 1;
        for (int i = nv; i < n; i++) {
            column[i] = (m->f[1][i - nv] - m->f[0][i - nv]) / (2 * d);
            if (!isfinite(column[i])) return SODAE_NOT_FINITE;
        }
    }
    return SODAE_OK;
}

static void find_eigenvalues(linear_motion *m, double h, double span) {
    const int n = m->n, one = 1, room = 4 * n;
    double none = 0;
    int info;
    dgeev_("N", "N", &n, m->A, &n, m->re, m->im, &none, &one, &none, &one, m->work, &room, &info);
    for (int i = 0; i < n && !info; i++) {
        double z = hypot(m->re[i], m->im[i]);
        if (fabs(m->im[i]) * h <= swings && fabs(m->re[i]) * h <= leaves) continue;
        if (m->re[i] * span > growth && m->re[i] > growing * z) m->growing = fmax(m->growing, z);
        if (fabs(m->re[i]) <= undamped * z) m->undamped = fmax(m->undamped, z);
    }
}

/* The state of a row, with multipliers of the end as a guess. */
static void choose_state(const sodae *s, int row, state *to) {
    const eval *e = &s->eval;
    state at;
    state_copy(e, &s->stepper.now, to);
    trail_row(s, row, &(long){0}, &at);
    to->t = at.t;
    vec_copy(e->nq, at.q, to->q), vec_copy(e->nv, at.v, to->v), vec_copy(e->nr, at.r, to->r);
}

static int open(linear_motion *m, arena *a) {
    const eval *e = &m->s->eval;
    size_t n = (size_t)(m->n = 2 * e->nv + e->nr);
    m->A = arena_doubles(a, n * n);
    m->re = arena_doubles(a, n), m->im = arena_doubles(a, n), m->work = arena_doubles(a, 4 * n);
    m->f[0] = arena_doubles(a, n), m->f[1] = arena_doubles(a, n), m->dq = arena_doubles(a, n);
    state_open(&m->at, a, e), state_open(&m->x, a, e);
    return !a->failed;
}

/* What cannot be found at one of the states does not count. */
static void look_at_states(linear_motion *m, const sodae *s) {
    int count = s->trail.count, states = count < STATES ? count : STATES;
    for (int i = 0; i < states; i++) {
        int row = (int)((long)count * (2 * i + 1) / (2 * states));
        choose_state(s, row, &m->at);
        if (!linearise(m)) find_eigenvalues(m, trail_step_of(s, row), s->stepper.span);
    }
}

double ripples_step(const sodae *s, double steps) {
    linear_motion m = {0};
    arena memory = {0};
    sodae_point from = state_point(&s->begin);
    double h = INFINITY, span = s->stepper.span;
    if (s->eval.nv + s->eval.nr > LARGEST || !s->trail.count) return h;
    int begun =
        sodae_create(&m.s, s->problem, &s->options, NULL) >= 0 && sodae_start_at(m.s, &from) >= 0;
    if (begun && open(&m, &memory)) look_at_states(&m, s);
    arena_free(&memory);
    sodae_free(m.s);
    if (m.growing > 0 && m.growing * span < resolved * many) h = resolved / m.growing;
    if (m.undamped > 0 && m.undamped * span < resolved * steps) h = fmin(h, resolved / m.undamped);
    return h;
}
