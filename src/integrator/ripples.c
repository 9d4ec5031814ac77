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
 * resolves those for which it does not need too many steps of 1/(2 |z|). */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "linear/lapack.h"

#include <math.h>

/* States that are looked at: so many evenly by steps, the others by time, the last one in the
 * longest step; nv + nr. */
enum { STATES = 8, BY_STEPS = 4, LARGEST = 40 };

static const double swings = 1, leaves = 3, resolved = 0.5; /* |Im z| h, |Re z| h; |z| h */
static const double growth = 1, growing = 1e-6;             /* Re z T; Re z / |z| */
static const double surely = 20, clearly = 1e-3;            /* the same */
static const double undamped = 1e-3;                        /* Re z / |z| */
static const double many = 200000;            /* steps for what grows, and for what might: */
static const double some = 20, small = 20000; /* times ours, and more in small models */
/* Of differences, in sizes of q, v, r; the smaller ones where functions are not defined. */
static const double distance[] = {1e-6, 1e-8, 1e-10};

/* The linearised motion. */
typedef struct linear_motion {
    sodae *s; /* an integrator of its own */
    int n;
    double *A, *re, *im, *work;
    double *f[2]; /* v', r' at both sides */
    double *dq;
    state at, x;
    double length;         /* of the run */
    double most, less;     /* |z| that can be followed, if it grows and if it might */
    double followed, dear; /* the largest |z| to be followed; one that grows and cannot be */
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

static sodae_status linearise(linear_motion *m, double near) {
    const eval *e = &m->s->eval;
    int n = m->n, nv = e->nv;
    for (int k = 0; k < n; k++) {
        double d = near * (k < nv ? e->size_q : k < 2 * nv ? e->size_v : e->size_r);
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

/* One eigenvalue, where steps of h are taken. */
static void weigh(linear_motion *m, double re, double im, double h) {
    double z = hypot(re, im), grown = re * m->length;
    if (fabs(im) * h <= swings && fabs(re) * h <= leaves) return;
    int grows = grown > growth && re > growing * z;
    if ((grows && z <= m->most) || (fabs(re) <= undamped * z && z <= m->less))
        m->followed = fmax(m->followed, z);
    else if (grown > surely && re > clearly * z)
        m->dear = fmax(m->dear, z);
}

static void find_eigenvalues(linear_motion *m, double h) {
    const int n = m->n, one = 1, room = 4 * n;
    double none = 0;
    int info;
    dgeev_("N", "N", &n, m->A, &n, m->re, m->im, &none, &one, &none, &one, m->work, &room, &info);
    for (int i = 0; i < n && !info; i++) weigh(m, m->re[i], m->im[i], h);
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

static int row_at(const sodae *s, double t) {
    int row = 0;
    while (row < s->trail.count - 1 && trail_time(s, row) < t) row++;
    return row;
}

static int longest_row(const sodae *s) {
    int longest = 0;
    for (int i = 1; i < s->trail.count; i++)
        if (trail_step_of(s, i) > trail_step_of(s, longest)) longest = i;
    return longest;
}

static int row_of(const sodae *s, double length, int i) {
    if (i == STATES - 1) return longest_row(s);
    if (i < BY_STEPS) return (int)((long)s->trail.count * (2 * i + 1) / (2 * BY_STEPS));
    return row_at(s, s->t_start + length * (i - BY_STEPS + 1) / (STATES - BY_STEPS));
}

static sodae_status open(linear_motion *m, const sodae *s, arena *a) {
    sodae_point from = state_point(&s->begin);
    sodae_status st = sodae_create(&m->s, s->problem, &s->options, NULL);
    if (st >= 0) st = sodae_start_at(m->s, &from);
    if (st < 0) return st;
    const eval *e = &m->s->eval;
    size_t n = (size_t)(m->n = 2 * e->nv + e->nr);
    m->A = arena_doubles(a, n * n);
    m->re = arena_doubles(a, n), m->im = arena_doubles(a, n), m->work = arena_doubles(a, 4 * n);
    m->f[0] = arena_doubles(a, n), m->f[1] = arena_doubles(a, n), m->dq = arena_doubles(a, n);
    state_open(&m->at, a, e), state_open(&m->x, a, e);
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* What cannot be found at one of the states does not count. */
static void look_at_states(linear_motion *m, const sodae *s) {
    enum { DISTANCES = sizeof distance / sizeof *distance };
    sodae_status st = SODAE_OK;
    for (int i = 0; i < STATES && st != SODAE_CALLBACK_FAILED; i++) {
        int row = row_of(s, m->length, i);
        choose_state(s, row, &m->at);
        st = linearise(m, distance[0]);
        for (int k = 1; k < DISTANCES && st && st != SODAE_CALLBACK_FAILED; k++)
            st = linearise(m, distance[k]);
        if (!st) find_eigenvalues(m, trail_step_of(s, row));
    }
}

sodae_status ripples_find(const sodae *s, double *fine, double *finer) {
    linear_motion m = {.length = integrator_length(s)};
    arena memory = {0};
    *fine = *finer = INFINITY;
    if (s->eval.nv + s->eval.nr > LARGEST || !s->trail.count) return SODAE_OK;
    m.most = resolved * many / m.length;
    double steps = some * (double)s->statistics.steps + small / (s->eval.nv + s->eval.nr);
    m.less = resolved * fmin(many, steps) / m.length;
    sodae_status st = open(&m, s, &memory);
    if (!st) look_at_states(&m, s);
    arena_free(&memory);
    sodae_free(m.s);
    if (m.followed > 0) *fine = resolved / m.followed;
    if (m.dear > 0) *finer = resolved / m.dear;
    return st == SODAE_NO_MEMORY ? st : SODAE_OK;
}
