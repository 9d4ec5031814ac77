/* Which formulations a table of the user can do; room. */
#include "method/general.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/small.h"

#include <math.h>

static const form_kind *formulation(const stepper *s, int f) {
    switch (f) {
    case SODAE_FORMULATION_AUTO:
        return s->controlled ? &form_stabilized : &form_index3;
    case SODAE_INDEX3:
        return &form_index3;
    case SODAE_INDEX2:
        return &form_index2;
    case SODAE_INDEX1:
        return &form_index1;
    case SODAE_STABILIZED:
    case SODAE_GGL: /* (7.10): the same equations */
        return &form_stabilized;
    default:
        return NULL;
    }
}

static int is_regular(int s, const double m[][SODAE_TABLE_STAGES]) {
    long double A[SODAE_TABLE_STAGES * SODAE_TABLE_STAGES], b[SODAE_TABLE_STAGES] = {0};
    for (int k = 0; k < s * s; k++) A[k] = m[k / s][k % s];
    return small_solve(s, A, s, 1, b, 1);
}

/* Q = q_n + h Ft V: the coordinates of a group can be collocated. */
static int is_lifted_tableau(const sodae_glm_table *t) {
    for (int i = 0; i < t->stages; i++)
        for (int j = 0; j < t->stages; j++) {
            double sum = 0;
            for (int l = 0; l < t->stages; l++) sum += t->Ft[i][l] * t->Ft[l][j];
            if (!(fabs(sum - t->Dt[i][j]) <= 1e-12)) return 0;
        }
    return t->steps == 1;
}

static sodae_status refuse(const stepper *s, const char *where, const char *reason) {
    return failure_set(s->e->failure, SODAE_NOT_ALLOWED, where, "the table of glm: %s", reason);
}

static sodae_status check_control(const stepper *s, const general *g) {
    if (!s->controlled) return SODAE_OK;
    if (!g->error_order)
        return refuse(s, "table",
                      "it brings no estimate (embedded or error), so that the error cannot choose "
                      "the steps; give a step");
    if (!g->at_now)
        return refuse(s, "table",
                      "it hands on values of old points, which belong to one size of the step; "
                      "give a step");
    if (form_follows_position(g->kind) && s->e->nl)
        return refuse(s, "formulation",
                      "with index3 an embedded estimate sees the normal accelerations of the "
                      "stages, of size 1/h; use stabilized, index2 or index1, or give a step");
    return SODAE_OK;
}

static sodae_status check_fit(const stepper *s, const general *g, int wanted) {
    const sodae_glm_table *t = &g->set.table;
    const form_kind *kind = g->kind;
    int constrained = s->e->nl + s->e->np > 0;
    if (!kind)
        return failure_set(s->e->failure, SODAE_NOT_ALLOWED, "formulation",
                           "glm does not take %s; use index3, index2, index1 or stabilized",
                           sodae_formulation_name(wanted));
    if (!s->e->space->abelian && !is_lifted_tableau(t))
        return refuse(s, "table",
                      "rotations need a Runge-Kutta tableau (one value that is handed on, "
                      "lifted by (6.14e))");
    if (constrained && kind->holds_velocity && !is_regular(t->stages, t->Ft))
        return refuse(s, "table",
                      "Ft has no inverse: velocity constraints do not determine the multipliers; "
                      "use index1");
    if (constrained && kind->holds_position && !is_regular(t->stages, t->Dt))
        return refuse(s, "table",
                      "Dt has no inverse: position constraints do not determine the multipliers; "
                      "use index1");
    return check_control(s, g);
}

static void open_values(const stepper *s, const general *g, arena *a, general_values *y) {
    size_t k = (size_t)g->set.table.steps, nv = (size_t)s->e->nv, nr = (size_t)s->e->nr;
    size_t m = (size_t)(s->e->nl + s->e->np);
    y->q = arena_doubles(a, k * nv), y->v = arena_doubles(a, k * nv);
    y->r = arena_doubles(a, k * nr);
    y->mu = arena_doubles(a, k * m), y->mu_rate = arena_doubles(a, k * m);
}

static sodae_status open_set(stepper *s, arena *a, general_set *set, const form_kind *kind) {
    sodae_status st = form_open(&set->form, a, s->e, kind, set->table.stages);
    set->form.linear.watch = &s->e->watch;
    if (!st && !s->e->space->abelian) st = form_open_curve(&set->form, a);
    return st;
}

static sodae_status open_starter(stepper *s, arena *a, general *g) {
    if (g->set.table.steps == 1) return SODAE_OK;
    for (int i = 0; i < GENERAL_POINTS; i++) state_open(&g->point[i], a, s->e);
    sodae_table_of(SODAE_RADAU_IIA, 1, 4, &g->starter.table);
    return open_set(s, a, &g->starter, &form_index1);
}

/* What the table is. */
static void describe(general *g, const sodae_glm_table *t) {
    g->set.table = *t;
    g->at_now = 1;
    for (int i = 0; i < t->steps; i++) {
        if (t->at[i] != 0) g->at_now = 0;
        if (t->at[i] == 0 && t->derivative[i] == 0) g->value = i;
    }
    g->stage = sodae_table_stage(t, g->value);
    g->error_order = sodae_table_error_order(t);
}

sodae_status general_open(stepper *s, arena *a, int wanted) {
    general *g = arena_take(a, 1, sizeof *g);
    if (!g) return SODAE_NO_MEMORY;
    if (!s->o->table)
        return failure_set(s->e->failure, SODAE_NOT_ALLOWED, "table",
                           "method glm needs a table: sodae_options.table, --table FILE, or "
                           "'table: FILE' in solver");
    s->memory = g;
    describe(g, s->o->table);
    g->kind = formulation(s, wanted);
    sodae_status st = check_fit(s, g, wanted);
    if (st) return st;
    size_t nv = (size_t)s->e->nv;
    int constrained = s->e->nl + s->e->np > 0;
    int held = form_holds_accelerations(g->kind, s->e->np);
    st = open_set(s, a, &g->set, g->kind);
    if (!st) st = open_starter(s, a, g);
    open_values(s, g, a, &g->now), open_values(s, g, a, &g->here), open_values(s, g, a, &g->next);
    g->dq = arena_doubles(a, nv), g->dv = arena_doubles(a, nv);
    g->dr = arena_doubles(a, (size_t)s->e->nr);
    s->a_used = g->a_used = arena_doubles(a, nv);
    if (g->kind->second_multiplier) s->eta = arena_doubles(a, (size_t)s->e->nl);
    g->carries = constrained && g->stage < 0 && is_regular(g->set.table.stages, g->set.table.Dt);
    s->reach = g->set.table.steps;
    s->dense_points = 3;
    s->settles = s->controlled && constrained && (!held || g->carries);
    s->dense_settles = s->settles || !constrained || (held && !g->carries);
    return st ? st : a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}
