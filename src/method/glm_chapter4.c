/* Radau IIA under the control of chapter 4 (004, end of 6.3): estimate/chapter4.h, with one order,
 * on R^n. p in (4.23) is of degree 3, so that ERR = O(h^4): k = 3 in (4.26). (4.19) is taken
 * without 1/N: Table 8.4 then has its 24 steps to t = 1, with it 27. lambda' of (6.25a) is left out
 * of the norm: it does not converge for two stages, and steps would become too small. */
#include "method/glm.h"

#include "base/vec.h"
#include "estimate/chapter4.h"

#include <math.h>

enum { ORDER = CHAPTER4_POINTS - 1 };

/* All unknowns of a state: q, v, r, w, s, lambda, psi. */
typedef struct part {
    const double *x;
    int n;
} part;

enum { PARTS = 7 };

static void parts_of(const stepper *s, const state *x, part *out) {
    const eval *e = s->e;
    const part all[PARTS] = {{x->q, e->nv}, {x->v, e->nv},      {x->r, e->nr},  {x->w, e->nw},
                             {x->s, e->ns}, {x->lambda, e->nl}, {x->psi, e->np}};
    for (int k = 0; k < PARTS; k++) out[k] = all[k];
}

static int unknowns(const stepper *s) {
    part all[PARTS];
    int n = 0;
    parts_of(s, &s->now, all);
    for (int k = 0; k < PARTS; k++) n += all[k].n;
    return n;
}

void glm_chapter4_open(const stepper *s, arena *a, glm *g) {
    for (int j = 0; j < GLM_OLD; j++) g->old[j] = arena_doubles(a, (size_t)unknowns(s));
}

/* The old state becomes one of the past, the newest first. */
void glm_chapter4_accept(const stepper *s, glm *g) {
    double *y = g->old[GLM_OLD - 1];
    part all[PARTS];
    for (int j = GLM_OLD - 1; j > 0; j--) g->old[j] = g->old[j - 1], g->old_t[j] = g->old_t[j - 1];
    g->old[0] = y, g->old_t[0] = s->next.t;
    parts_of(s, &s->next, all);
    for (int k = 0; k < PARTS; y += all[k++].n) vec_copy(all[k].n, all[k].x, y);
    if (g->olds < GLM_OLD) g->olds++;
    g->refusals = g->failures = 0;
}

/* RTOL and ATOL of entry i of a part. */
static void tolerances(const tolerance *t, int k, int i, double *rtol, double *atol) {
    const double *const each[PARTS] = {t->each_q, t->each_v,      NULL, NULL,
                                       NULL,      t->each_lambda, NULL};
    int v = k == 1, multiplier = k >= 5;
    *rtol = v ? t->rtol_v : multiplier ? t->rtol_lambda : t->rtol;
    *atol = each[k] ? each[k][i] : v ? t->atol_v : multiplier ? t->atol_lambda : t->atol_q;
}

/* (4.24) */
static double estimate(const stepper *s, const glm *g) {
    double t[CHAPTER4_POINTS] = {s->now.t}, w[CHAPTER4_POINTS];
    part now[PARTS], next[PARTS];
    chapter4_norm m = {0};
    int at = 0;
    for (int j = 0; j < GLM_OLD; j++) t[j + 1] = g->old_t[j];
    glm_lagrange(CHAPTER4_POINTS, t, s->next.t, w);
    parts_of(s, &s->now, now), parts_of(s, &s->next, next);
    for (int k = 0; k < PARTS; k++)
        for (int i = 0; i < now[k].n; i++, at++) {
            double x = next[k].x[i] - w[0] * now[k].x[i], rtol, atol; /* (4.23) */
            for (int j = 0; j < GLM_OLD; j++) x -= w[j + 1] * g->old[j][at];
            tolerances(&s->tol, k, i, &rtol, &atol);
            chapter4_add(&m, x, now[k].x[i], rtol, atol);
        }
    m.N = 1;
    return chapter4_size(&m);
}

void glm_chapter4_error(stepper *s, glm *g, double h, step_error *out) {
    double ERR = g->olds == GLM_OLD ? estimate(s, g) : 0;
    double r = pow(2 * ERR, -1.0 / (ORDER + 1)), factor; /* (4.26) */
    if (ERR > 1)
        factor = chapter4_after_failure(g->failures, r);
    else
        factor = g->olds < GLM_OLD - 1 ? 1 : chapter4_after_success(g->refusals, r);
    if (ERR > 1) g->failures++;
    *out = (step_error){.size = ERR, .order = ORDER + 1, .h_wanted = factor * h};
}
