/* The strategy of chapter 4 as printed (estimate/chapter4.h): orders 1 and 2.
 *
 * L. Wunderlich: Numerical Solution of Second Order Differential-Algebraic Equations (004), 4.2 to
 * 4.4; (4.31) is in bdf_dense.c. y are all unknowns: q, r, w, s, lambda, psi, v. Formulas are
 * Sand's on any grid; where they have a pole, the step is refused as if Newton's iteration had
 * failed. */
#include "method/bdf.h"

#include "base/vec.h"
#include "estimate/chapter4.h"

#include <math.h>
#include <stddef.h>

enum { INITIAL = 4, POINTS = CHAPTER4_POINTS }; /* INITIAL: steps without a test */

/* BDF(2,1), BDF(3,1,2), BDF(1,2,2), BDF(2,2,2), then what the last step wants. */
int bdf_chapter4_order(const bdf *B) {
    static const int orders[INITIAL] = {1, 2, 2, 2};
    return B->count <= INITIAL ? orders[B->count - 1] : B->next_order;
}

/* In the chart around the newest point; relative to 1 rad where things rotate. */
static void add_q(stepper *s, bdf *B, chapter4_norm *m) {
    const sodae_space *space = s->e->space;
    double *x = B->defect;
    bdf_predict(s, B, POINTS - 1);
    bdf_join(s, B, -1, B->ahead, B->fresh->dq, x);
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        for (int i = 0; i < g->nv; i++) {
            int j = g->v0 + i;
            double y = g->group->abelian ? s->now.q[g->q0 + i] : 1;
            chapter4_add(m, x[j], y, s->tol.rtol, s->tol.each_q ? s->tol.each_q[j] : s->tol.atol_q);
        }
    }
}

/* A part of the unknowns: where it stands in a point, its values before and after the step. */
typedef struct part {
    size_t at;
    int n;
    const double *now, *next;
    double rtol, atol;
    const double *each;
} part;

static void add_part(const bdf *B, const double *w, const part *p, chapter4_norm *m) {
    for (int i = 0; i < p->n; i++) {
        double x = p->next[i];
        for (int j = 1; j <= POINTS; j++) {
            const char *point = (const char *)B->past[j - 1];
            x -= w[j] * (*(double *const *)(point + p->at))[i]; /* (4.23) */
        }
        chapter4_add(m, x, p->now[i], p->rtol, p->each ? p->each[i] : p->atol);
    }
}

/* (4.24) */
static double estimate(stepper *s, bdf *B) {
    const eval *e = s->e;
    const state *a = &s->now, *b = &s->next;
    const tolerance *t = &s->tol;
    const part parts[] = {
        {offsetof(bdf_point, r), e->nr, a->r, b->r, t->rtol, t->atol_q, NULL},
        {offsetof(bdf_point, w), e->nw, a->w, b->w, t->rtol, t->atol_q, NULL},
        {offsetof(bdf_point, s), e->ns, a->s, b->s, t->rtol, t->atol_q, NULL},
        {offsetof(bdf_point, lambda), e->nl, a->lambda, b->lambda, t->rtol_lambda, t->atol_lambda,
         t->each_lambda},
        {offsetof(bdf_point, psi), e->np, a->psi, b->psi, t->rtol_lambda, t->atol_lambda, NULL},
        {offsetof(bdf_point, state_v), e->nv, a->v, b->v, t->rtol_v, t->atol_v, t->each_v},
    };
    double w[BDF_DATA], ws[BDF_HERMITE];
    chapter4_norm m = {0};
    bdf_extrapolation(POINTS, 0, &B->grid, w, ws);
    add_q(s, B, &m);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) add_part(B, w, &parts[i], &m);
    return chapter4_size(&m);
}

/* The order is maintained in the first two failures of the test, and 1 from the third on. */
void bdf_chapter4_refused(bdf *B) {
    B->test_failures += B->too_large;
    B->too_large = 0;
    if (B->test_failures >= 3) B->next_order = 1;
}

step_error bdf_chapter4_error(stepper *s, bdf *B, double h) {
    int k = B->formula.order;
    double ERR = B->count > INITIAL ? estimate(s, B) : 0;
    double r = pow(2 * ERR, -1.0 / (k + 1)); /* (4.26) */
    double factor = 1;
    if (ERR > 1)
        factor = chapter4_after_failure(B->test_failures, r);
    else if (B->count >= INITIAL)
        factor = chapter4_after_success(B->refusals, r);
    if (ERR <= 1) B->wanted_order = B->refusals ? k : 2; /* after a failure the order stays */
    B->too_large = ERR > 1;
    return (step_error){.size = ERR, .order = k + 1, .h_wanted = factor * h};
}

double bdf_chapter4_first(const stepper *s, double t_end) {
    const bdf *B = s->memory;
    return B->chapter4 ? chapter4_first(s, t_end) : 0;
}

double bdf_chapter4_least(const stepper *s, double t_end) {
    const bdf *B = s->memory;
    return B->chapter4 ? chapter4_least(s, t_end) : 0;
}
