/* The handed-on values of a first step, and of a step of another size.
 *
 * One value: y(t_n) itself, and where multipliers are carried their rate by differences along the
 * motion. Several: the polynomial through points at distances of h around t_n, found by Radau IIA
 * on the underlying equation of motion, and its derivatives. Radau IIA damps what is stiff
 * backward, too. */
#include "method/general.h"

#include "base/vec.h"
#include "linear/small.h"

#include <math.h>

/* Weights of the derivative d at x of the polynomial through 0, 1, .., n - 1. */
static void derivative_weights(int n, double x, int d, double *w) {
    long double A[GENERAL_POINTS * GENERAL_POINTS], b[GENERAL_POINTS];
    for (int m = 0; m < n; m++) { /* exact for (s - x)^m */
        for (int j = 0; j < n; j++) A[m * n + j] = m ? powl(j - (long double)x, m) : 1;
        b[m] = m == d ? tgammal(d + 1) : 0;
    }
    small_solve(n, A, n, 1, b, 1);
    for (int j = 0; j < n; j++) w[j] = (double)b[j];
}

/* A block of the points: the derivative d at x of what `of` picks, times factor. */
typedef const double *picker(const state *x);
static const double *pick_q(const state *x) {
    return x->q;
}
static const double *pick_v(const state *x) {
    return x->v;
}
static const double *pick_vdot(const state *x) {
    return x->vdot;
}
static const double *pick_r(const state *x) {
    return x->r;
}
static const double *pick_rdot(const state *x) {
    return x->rdot;
}
static const double *pick_lambda(const state *x) {
    return x->lambda;
}
static const double *pick_psi(const state *x) {
    return x->psi;
}

static void differentiate(const general *g, int n, picker *pick, double x, int d, double factor,
                          double *out) {
    double w[GENERAL_POINTS];
    derivative_weights(GENERAL_POINTS, x, d, w);
    vec_zero(n, out);
    for (int j = 0; j < GENERAL_POINTS; j++) vec_add(n, factor * w[j], pick(&g->point[j]), out);
}

/* Entry i of all values; `back` points lie before t_n. q and v come from the highest derivative
 * that is known, whose rounding is the smallest. */
static void assemble(const stepper *s, general *g, int i, int back, double h) {
    const sodae_glm_table *t = &g->set.table;
    const eval *e = s->e;
    int d = t->derivative[i], nv = e->nv, nl = e->nl, np = e->np, nr = e->nr;
    double x = back + t->at[i], c = t->factor[i];
    general_values *y = &g->here;
    double *q = y->q + i * nv, *v = y->v + i * nv, *r = y->r + i * nr;
    if (d == 0) {
        differentiate(g, nv, pick_q, x, 0, c, q);
        differentiate(g, nv, pick_v, x, 0, c, v);
        differentiate(g, nr, pick_r, x, 0, c, r);
    } else {
        if (d == 1)
            differentiate(g, nv, pick_v, x, 0, c * h, q);
        else
            differentiate(g, nv, pick_vdot, x, d - 2, c * h * h, q);
        differentiate(g, nv, pick_vdot, x, d - 1, c * h, v);
        differentiate(g, nr, pick_rdot, x, d - 1, c * h, r);
    }
    if (!g->carries) return;
    double *mu = y->mu + i * (nl + np), *rate = y->mu_rate + i * (nl + np);
    differentiate(g, nl, pick_lambda, x, d, c, mu);
    differentiate(g, np, pick_psi, x, d, c, mu + nl);
    differentiate(g, nl, pick_lambda, x, d + 1, c / h, rate);
    differentiate(g, np, pick_psi, x, d + 1, c / h, rate + nl);
}

/* to <- the motion from `from` over h. */
static sodae_status move(stepper *s, general *g, const state *from, double h, state *to) {
    const general_values y = {from->q, from->v, from->r, NULL, NULL};
    general_values y1 = {to->q, to->v, to->r, NULL, NULL};
    sodae_status st = general_solve(s, &g->starter, from, &y, h, from->t + h);
    if (st) return st;
    general_hand_on(s, &g->starter, &y, h, 0, &y1);
    to->t = from->t + h;
    vec_copy(s->e->nl, from->lambda, to->lambda), vec_copy(s->e->np, from->psi, to->psi);
    vec_copy(s->e->nw, from->w, to->w), vec_copy(s->e->ns, from->s, to->s);
    sodae_start_report report;
    st = consistent_project(s->c, to, s->o->projection_tol, 1, 1, &report);
    return st ? st : consistent_acceleration(s->c, to);
}

static sodae_status start_by_points(stepper *s, general *g, double h) {
    const sodae_glm_table *t = &g->set.table;
    int back = 0;
    sodae_status st = SODAE_OK;
    for (int i = 0; i < t->steps; i++) back = (int)fmax(back, ceil(-t->at[i]));
    state_copy(s->e, &s->now, &g->point[back]);
    for (int j = back; j > 0 && !st; j--) st = move(s, g, &g->point[j], -h, &g->point[j - 1]);
    for (int j = back; j < GENERAL_POINTS - 1 && !st; j++)
        st = move(s, g, &g->point[j], h, &g->point[j + 1]);
    for (int i = 0; i < t->steps && !st; i++) assemble(s, g, i, back, h);
    return st;
}

static sodae_status start_at_once(stepper *s, general *g, double h) {
    const state *n = &s->now;
    general_values *y = &g->here;
    if (s->e->space->abelian) vec_copy(s->e->nv, n->q, y->q);
    vec_copy(s->e->nv, n->v, y->v), vec_copy(s->e->nr, n->r, y->r);
    if (!g->carries) return SODAE_OK;
    vec_copy(s->e->nl, n->lambda, y->mu), vec_copy(s->e->np, n->psi, y->mu + s->e->nl);
    return consistent_multiplier_rate(s->c, n, h / 50, y->mu_rate);
}

static void scale(int n, double factor, const double *from, double *to) {
    for (int i = 0; i < n; i++) to[i] = factor * from[i];
}

/* Entries h^d y^(d)(t_n) for another h. */
static void scale_entries(const stepper *s, general *g, double h) {
    const sodae_glm_table *t = &g->set.table;
    int nv = s->e->nv, nr = s->e->nr, n = s->e->nl + s->e->np;
    for (int i = 0; i < t->steps; i++) {
        double c = pow(h / g->h, t->derivative[i]);
        scale(nv, c, g->now.q + i * nv, g->here.q + i * nv);
        scale(nv, c, g->now.v + i * nv, g->here.v + i * nv);
        scale(nr, c, g->now.r + i * nr, g->here.r + i * nr);
        scale(g->carries ? n : 0, c, g->now.mu + i * n, g->here.mu + i * n);
        scale(g->carries ? n : 0, c, g->now.mu_rate + i * n, g->here.mu_rate + i * n);
    }
}

sodae_status general_begin(stepper *s, general *g, double h) {
    const double grid = 1e-9; /* t0 + n h differ by rounding */
    int same = g->h > 0 && fabs(h - g->h) <= grid * h;
    if (same || (g->h > 0 && g->at_now)) {
        scale_entries(s, g, same ? g->h : h);
        return SODAE_OK;
    }
    return g->set.table.steps == 1 ? start_at_once(s, g, h) : start_by_points(s, g, h);
}
