/* The stages of one step and the values that it hands on: (A.17), with multipliers (A.20), (A.22).
 *
 * With eta (stabilized) q' is v - B^T eta, so that h Ft and h F have their part in q. On groups,
 * where one value is handed on and the table is that of a method for y' = f, the coordinates of
 * q_n o exp(theta) are collocated: theta_i = h sum_j Ft_ij T(theta_j)^-1 v_j. */
#include "method/general.h"

#include "base/vec.h"
#include "linear/small.h"

#include <float.h>
#include <math.h>

static double smallest_gain(int s, const double m[][SODAE_TABLE_STAGES]) {
    long double A[SODAE_TABLE_STAGES * SODAE_TABLE_STAGES],
        X[SODAE_TABLE_STAGES * SODAE_TABLE_STAGES];
    double largest = 0;
    for (int k = 0; k < s * s; k++) A[k] = m[k / s][k % s], X[k] = k / s == k % s;
    if (!small_solve(s, A, s, s, X, s)) return 1;
    for (int i = 0; i < s; i++) {
        double sum = 0;
        for (int j = 0; j < s; j++) sum += fabs((double)X[i * s + j]);
        largest = fmax(largest, sum);
    }
    return 1 / largest;
}

static void set_coefficients(general_set *set, double h) {
    const sodae_glm_table *t = &set->table;
    form *f = &set->form;
    int s = t->stages;
    if (set->h == h) return;
    for (int k = 0; k < s * s; k++) {
        int i = k / s, j = k % s;
        f->cq[k] = h * h * t->Dt[i][j];
        f->cv[k] = f->cr[k] = h * t->Ft[i][j];
        f->ca[k] = f->crd[k] = i == j;
        f->ce[k] = t->Ft[i][j];
        if (f->curve) f->cl[k] = h * t->Ft[i][j];
    }
    f->sq = h * h * smallest_gain(s, t->Dt);
    f->sv = f->ev = h * smallest_gain(s, t->Ft);
    f->ceta = h * h; /* the unknown is eta/h */
    f->eu = h;
    newton_forget(&f->newton);
    set->h = h;
}

/* sum <- sum_j w_j y_j of blocks of n numbers. */
static void combine(int k, int n, const double *w, const double *y, double *sum) {
    vec_zero(n, sum);
    for (int j = 0; j < k; j++)
        if (w[j] != 0) vec_add(n, w[j], y + j * n, sum);
}

static void set_stage(const stepper *s, const general_set *set, int i, const state *x,
                      const general_values *y, double h) {
    const sodae_glm_table *t = &set->table;
    form_stage *stage = &set->form.stage[i];
    int k = t->steps, nv = s->e->nv;
    vec_copy(s->e->nq, x->q, stage->q0);
    combine(k, nv, t->Et[i], y->v, stage->v0);
    combine(k, s->e->nr, t->Et[i], y->r, stage->r0);
    vec_zero(nv, stage->dq);
    if (set->form.curve) return;
    for (int j = 0; j < k; j++) vec_add(nv, h * t->Bt[i][j], y->v + j * nv, stage->dq);
    if (k == 1) return;
    for (int j = 0; j < k; j++) vec_add(nv, t->At[i][j], y->q + j * nv, stage->dq);
    vec_add(nv, -1, x->q, stage->dq);
}

/* Newton goes down to rounding with prescribed steps: what it leaves is systematic and adds up. */
static newton_options accuracy(const stepper *s, double h) {
    newton_options limits = error_newton(s, h, 1);
    if (!isnan(s->o->newton_rtol)) return limits;
    limits.doubt = newton_flatters;
    if (!s->controlled) limits.rtol = DBL_EPSILON / 2, limits.by_state = 0;
    return limits;
}

sodae_status general_solve(stepper *s, general_set *set, const state *x, const general_values *y,
                           double h, double t1) {
    form *f = &set->form;
    set_coefficients(set, h);
    sodae_point at = state_point(x);
    for (int i = 0; i < f->stages; i++) {
        f->stage[i].t = set->table.c[i] == 1 ? t1 : x->t + set->table.c[i] * h;
        set_stage(s, set, i, x, y, h);
        sodae_status st =
            f->kind->second_multiplier && s->e->nl ? eval_G(s->e, &at, f->stage[i].B) : SODAE_OK;
        if (st) return st;
    }
    newton_options limits = accuracy(s, h);
    for (int i = 0; i < f->stages; i++) form_guess(f, x->vdot, x->rdot, &at, form_unknowns(f, i));
    return form_solve(f, &limits);
}

static void hand_on_motion(const stepper *s, general_set *set, int i, const general_values *y,
                           double h, general_values *y1) {
    const sodae_glm_table *t = &set->table;
    form *f = &set->form;
    int k = t->steps, nv = s->e->nv, nr = s->e->nr;
    double *q = y1->q + i * nv, *v = y1->v + i * nv, *r = y1->r + i * nr;
    combine(k, nv, t->A[i], y->q, q);
    combine(k, nv, t->E[i], y->v, v);
    combine(k, nr, t->E[i], y->r, r);
    for (int j = 0; j < k; j++) vec_add(nv, h * t->B[i][j], y->v + j * nv, q);
    for (int j = 0; j < t->stages; j++) {
        const form_stage *stage = &f->stage[j];
        vec_add(nv, h * h * t->D[i][j], stage->a, q);
        vec_add(nv, h * t->F[i][j], stage->a, v);
        vec_add(nr, h * t->F[i][j], stage->rd, r);
        if (f->kind->second_multiplier)
            pattern_multiply_transposed(&s->e->G, stage->B, -f->ceta * t->F[i][j],
                                        form_unknowns(f, j) + f->at_eta, q);
    }
}

/* (A.20) for one multiplier, number m of the unknowns of a stage, `at` of the n multipliers. */
static void hand_on_multiplier(general_set *set, int m, int at, int n, const general_values *y,
                               double h, general_values *y1) {
    const sodae_glm_table *t = &set->table;
    int k = t->steps, stages = t->stages;
    long double A[SODAE_TABLE_STAGES * SODAE_TABLE_STAGES], x[SODAE_TABLE_STAGES];
    for (int i = 0; i < stages; i++) {
        for (int j = 0; j < stages; j++) A[i * stages + j] = t->Dt[i][j];
        x[i] = form_unknowns(&set->form, i)[m];
        for (int j = 0; j < k; j++)
            x[i] -= t->At[i][j] * y->mu[j * n + at] + h * t->Bt[i][j] * y->mu_rate[j * n + at];
    }
    small_solve(stages, A, stages, 1, x, 1); /* x = h^2 Lambda'' */
    for (int i = 0; i < k; i++) {
        long double value = 0, rate = 0;
        for (int j = 0; j < k; j++) {
            value += t->A[i][j] * y->mu[j * n + at] + h * t->B[i][j] * y->mu_rate[j * n + at];
            rate += t->E[i][j] * y->mu_rate[j * n + at];
        }
        for (int j = 0; j < stages; j++) value += t->D[i][j] * x[j], rate += t->F[i][j] * x[j] / h;
        y1->mu[i * n + at] = (double)value, y1->mu_rate[i * n + at] = (double)rate;
    }
}

void general_hand_on(const stepper *s, general_set *set, const general_values *y, double h,
                     int carries, general_values *y1) {
    const form *f = &set->form;
    int nl = s->e->nl, np = s->e->np;
    for (int i = 0; i < set->table.steps; i++) hand_on_motion(s, set, i, y, h, y1);
    for (int i = 0; i < nl && carries; i++)
        hand_on_multiplier(set, f->at_lambda + i, i, nl + np, y, h, y1);
    for (int i = 0; i < np && carries; i++)
        hand_on_multiplier(set, f->at_psi + i, nl + i, nl + np, y, h, y1);
}
