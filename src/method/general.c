/* General linear methods for second order DAEs with a table of the user.
 *
 * L. Wunderlich: Numerical solution of second order differential-algebraic equations, 2005 (004),
 * appendix A:
 *
 *   y[n+1] = A y[n] + h B y'[n] + h^2 D Y'',   y'[n+1] = E y'[n] + h F Y''                 (A.17)
 *   Y = At y[n] + h Bt y'[n] + h^2 Dt Y'',     Y' = Et y'[n] + h Ft Y''
 *   M Y'' = f(Y, Y', Lambda),  0 = g(Y)                                                    (A.21)
 *
 * The unknowns of a stage are Y'' and Lambda. Where y(t_{n+1}) is a stage lambda_{n+1} is its
 * Lambda; else multipliers are carried with their rates by (A.20). First order states r go as v
 * does. The estimate h sum_i error_i Y''_i, for q with Y', loses what the constraints determine. */
#include "method/general.h"

#include "base/vec.h"

#include <math.h>

static general *memory(const stepper *s) {
    return s->memory;
}

static sodae_status prepare(stepper *s, double h) {
    (void)h;
    vec_copy(s->e->nv, s->now.vdot, memory(s)->a_used);
    return SODAE_OK;
}

/* q_n o exp(theta), theta = h sum_j F_j theta'_j: of the only value. */
static void move_on_group(stepper *s, general *g, double h) {
    const sodae_glm_table *t = &g->set.table;
    vec_zero(s->e->nv, g->dq);
    for (int j = 0; j < t->stages; j++)
        vec_add(s->e->nv, h * t->F[0][j], form_coordinate_rate(&g->set.form, j), g->dq);
    sodae_space_retract(s->e->space, s->now.q, g->dq, s->next.q);
}

/* The new state is a stage. */
static void take_stage(stepper *s, general *g) {
    const eval *e = s->e;
    form *f = &g->set.form;
    const form_stage *stage = &f->stage[g->stage];
    state *n = &s->next;
    vec_copy(e->nq, stage->q, n->q), vec_copy(e->nv, stage->v, n->v);
    vec_copy(e->nr, stage->r, n->r), vec_copy(e->nr, stage->rd, n->rdot);
    vec_copy(e->nv, stage->a, n->vdot);
    form_give(f, form_unknowns(f, g->stage), n);
    if (e->space->abelian) vec_copy(e->nv, n->q, g->next.q + g->value * e->nv);
    vec_copy(e->nv, n->v, g->next.v + g->value * e->nv);
}

/* It is not: accelerations of the new state, multipliers by (A.20) where they are carried. */
static sodae_status take_value(stepper *s, general *g, double h) {
    const eval *e = s->e;
    state *n = &s->next;
    int at = g->value, m = e->nl + e->np;
    if (e->space->abelian)
        vec_copy(e->nv, g->next.q + at * e->nv, n->q);
    else
        move_on_group(s, g, h);
    vec_copy(e->nv, g->next.v + at * e->nv, n->v), vec_copy(e->nr, g->next.r + at * e->nr, n->r);
    vec_copy(e->nv, s->now.vdot, n->vdot); /* guess */
    vec_copy(e->nl, s->now.lambda, n->lambda), vec_copy(e->np, s->now.psi, n->psi);
    vec_copy(e->nw, s->now.w, n->w), vec_copy(e->ns, s->now.s, n->s);
    sodae_status st = consistent_acceleration(s->c, n);
    if (st || !g->carries) return st;
    vec_copy(e->nl, g->next.mu + at * m, n->lambda);
    vec_copy(e->np, g->next.mu + at * m + e->nl, n->psi);
    return SODAE_OK;
}

static sodae_status step(stepper *s, double h, double t1) {
    general *g = memory(s);
    prepare(s, h);
    sodae_status st = general_begin(s, g, h);
    if (!st) st = general_solve(s, &g->set, &s->now, &g->here, h, t1);
    if (st) return st;
    general_hand_on(s, &g->set, &g->here, h, g->carries, &g->next);
    s->next.t = t1;
    if (g->stage >= 0)
        take_stage(s, g);
    else
        st = take_value(s, g, h);
    if (!st && s->settles) st = consistent_settle(s->c, &s->next);
    vec_copy(s->e->nv, s->next.vdot, s->next.a);
    return st;
}

static sodae_status error(stepper *s, double h, step_error *out) {
    general *g = memory(s);
    const eval *e = s->e;
    const sodae_glm_table *t = &g->set.table;
    vec_zero(e->nv, g->dq), vec_zero(e->nv, g->dv), vec_zero(e->nr, g->dr);
    for (int j = 0; j < t->stages; j++) {
        const form_stage *stage = &g->set.form.stage[j];
        vec_add(e->nv, h * t->error[j], stage->v, g->dq);
        vec_add(e->nv, h * t->error[j], stage->a, g->dv);
        vec_add(e->nr, h * t->error[j], stage->rd, g->dr);
    }
    if (e->nl && g->kind->holds_position) consistent_free_part(s->c, g->dq);
    if (e->nl + e->np) consistent_free_part(s->c, g->dv);
    int p = g->error_order - 1;
    double size = error_norm(s, (error_vector){g->dq, g->dv, g->dr}) / error_share(s, h, p);
    *out = (step_error){.size = size, .order = p, .rounding = error_share_is_rounding(s, h)};
    return SODAE_OK;
}

static void accept(stepper *s, double h) {
    general *g = memory(s);
    const form *f = &g->set.form;
    general_values now = g->now;
    g->now = g->next, g->next = now;
    g->h = h;
    int last = g->stage >= 0 ? g->stage : f->stages - 1;
    for (int i = 0; i < s->e->nl && s->eta; i++) s->eta[i] = h * f->x[last * f->n + f->at_eta + i];
}

static void restart(stepper *s) {
    general *g = memory(s);
    g->h = g->set.h = g->starter.h = 0;
}

static void visit_values(const stepper *s, general *g, snapshot_visitor *v) {
    const eval *e = s->e;
    int k = g->set.table.steps, m = g->carries ? k * (e->nl + e->np) : 0;
    v->each(v, "handed_on.q", g->now.q, k * e->nv);
    v->each(v, "handed_on.v", g->now.v, k * e->nv);
    v->each(v, "handed_on.r", g->now.r, k * e->nr);
    v->each(v, "handed_on.multipliers", g->now.mu, m);
    v->each(v, "handed_on.rates", g->now.mu_rate, m);
}

static void history(stepper *s, snapshot_visitor *v) {
    general *g = memory(s);
    v->each(v, "h", &g->h, 1);
    v->each(v, "set_h", &g->set.h, 1);
    v->each(v, "starter_h", &g->starter.h, 1);
    visit_values(s, g, v);
}

static form *equations(const stepper *s) {
    return &memory(s)->set.form;
}

const method method_general = {
    .open = general_open,
    .prepare = prepare,
    .step = step,
    .error = error,
    .accept = accept,
    .restart = restart,
    .history = history,
    .equations = equations,
};
