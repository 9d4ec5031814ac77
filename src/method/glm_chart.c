/* The minimal extension (7.31) of collocation.
 *
 * Only the independent coordinates are those of the formula: q_1, v_1 and A_1 = x_1 of the stages.
 * The dependent ones are algebraic, at every stage: x_2 places q_2 (g = 0), two further unknowns
 * are v_2 and A_2 (extend.c), so that constraints of all levels hold there and lambda belongs to q
 * and v. It is collocation of an ordinary differential equation, of the order that the method has
 * for these. On Lie groups q' = q v has the directions of v_2 free to meet g = 0, a system of index
 * 2, for which Radau keeps its order, and Gauss by the way that its new state takes to the
 * constraints: along these directions (consistent_dependent).
 *
 * The chart is chosen at the beginning of a step, one for the forms of all numbers of stages and
 * for that of the error estimate. */
#include "method/glm.h"

#include "base/vec.h"
#include "estimate/error.h"

static form *owner(glm *g) {
    return &g->one[g->least].form;
}

void glm_share_chart(glm *g) {
    int *dependent = owner(g)->dependent;
    for (int i = g->least; i <= g->most; i++) g->one[i].form.dependent = dependent;
    g->more.form.dependent = g->filter.dependent = dependent;
}

sodae_status glm_choose_chart(stepper *s, glm *g, form *f) {
    if (g->kind->shift != SHIFT_CHART || s->e->nl == 0) return SODAE_OK;
    sodae_point at = state_point(&s->now);
    f->charted = g->charted;
    sodae_status st = form_choose_chart(f, &at);
    g->charted = f->charted;
    return st;
}

/* d_2 + G_2^-1 G_1 d_1, in g->df. */
static sodae_status own_part(stepper *s, glm *g, const double *d) {
    sodae_point at = state_point(&s->next);
    vec_copy(s->e->nv, d, g->df);
    sodae_status st = form_follow(&g->filter, &at, g->df);
    for (int i = 0; i < s->e->nv; i++) g->df[i] = d[i] - g->df[i];
    return st;
}

/* Dependent coordinates follow the constraints, whatever the formula makes of them: their motion
 * is no error at the ends of steps, however fast it is (a light body that spins on a heavy one).
 * Between the steps it must be seen all the same. It does not add up. */
sodae_status glm_dependent_motion(stepper *s, glm *g, double *size) {
    *size = 0;
    if (g->kind->shift != SHIFT_CHART || s->e->nl == 0) return SODAE_OK;
    sodae_status st = own_part(s, g, g->dq);
    double estimate = error_norm_q(s, g->df);
    if (!st) st = own_part(s, g, g->dv);
    estimate = larger(estimate, error_norm_v(s, g->df));
    *size = glm_passing_error(s, &g->used->table, estimate);
    return st;
}

void glm_visit_chart(glm *g, snapshot_visitor *v) {
    form *f = owner(g);
    f->charted = g->charted;
    history_chart(v, f);
    g->charted = f->charted;
}
