/* Which equations may be solved explicitly. */
#include "method/erk.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

TUNING(symmetric, 1e-10, "of the largest entry: rounding of M, and not another matrix");

static sodae_status refuse(const stepper *s, const char *where, const char *reason) {
    return failure_set(s->e->failure, SODAE_NOT_ALLOWED, where, "%s is explicit: %s; use radau-iia",
                       sodae_method_name((int)s->o->method), reason);
}

static sodae_status check_fit(const stepper *s, int formulation) {
    const sodae_problem *p = s->e->p;
    if (formulation != SODAE_INDEX1)
        return refuse(s, "formulation",
                      "it solves for accelerations (index1) and projects onto the constraints of "
                      "position and velocity");
    if (p->nw) return refuse(s, "auxiliary", "auxiliary variables w would need an iteration");
    if (p->ns) return refuse(s, "contact", "contact coordinates s would need an iteration");
    if (p->in_force) return refuse(s, "force", "reactions in the force would need an iteration");
    return SODAE_OK;
}

sodae_status erk_open(stepper *s, arena *a, int formulation) {
    erk *m = arena_take(a, 1, sizeof *m);
    sodae_status st = m ? check_fit(s, formulation) : SODAE_NO_MEMORY;
    if (st) return st;
    const eval *e = s->e;
    s->memory = m;
    s->kind = &form_index1;
    m->table = s->o->method == SODAE_DOPRI5 ? &erk_dopri5 : &erk_dop853;
    m->n = 2 * e->nv + e->nr;
    st = range_open(&m->range, a, s->e);
    if (st) return st;
    size_t n = (size_t)m->n, rows = (size_t)(e->nl + e->np);
    state_open(&m->x, a, e);
    for (int i = 0; i <= m->table->stages; i++) m->k[i] = arena_doubles(a, n);
    m->y = arena_doubles(a, n), m->last = arena_doubles(a, n);
    m->error = arena_doubles(a, n), m->lower = arena_doubles(a, n);
    m->c = arena_doubles(a, rows), m->mu = arena_doubles(a, rows);
    s->dense_points = m->table->dense_points;
    s->dense_settles = 1;
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* The force with other multipliers: what fails, or differs in a bit, depends on them. */
static int force_differs(stepper *s, erk *m, double multiplier) {
    eval *e = s->e;
    const state *n = &s->now;
    sodae_point at = state_point(n);
    double *lambda = m->x.lambda, *psi = m->x.psi;
    for (int i = 0; i < e->nl; i++) lambda[i] = multiplier * (1 + fabs(n->lambda[i]));
    for (int i = 0; i < e->np; i++) psi[i] = multiplier * (1 + fabs(n->psi[i]));
    at.lambda = lambda, at.psi = psi;
    sodae_status st = eval_value(e, SODAE_FORCE, &at, m->error);
    for (int i = 0; i < e->nv && !st; i++)
        if (m->error[i] != m->x.vdot[i]) return 1;
    return st != SODAE_OK;
}

/* NaN also finds what is multiplied by 0 now. Failures inside are no failures of the run. */
static sodae_status check_force(stepper *s, erk *m) {
    eval *e = s->e;
    sodae_point at = state_point(&s->now);
    if (e->nl + e->np == 0) return SODAE_OK;
    sodae_status st = eval_value(e, SODAE_FORCE, &at, m->x.vdot);
    if (st) return st;
    sodae_failure dummy, *kept = e->failure, stop = e->stop;
    e->failure = &dummy;
    int differs = force_differs(s, m, 1) || force_differs(s, m, -1) || force_differs(s, m, NAN);
    e->failure = kept, e->stop = stop;
    return differs ? refuse(s, "force", "forces that depend on multipliers would need an iteration")
                   : SODAE_OK;
}

static int is_symmetric(const range *r) {
    const pattern *M = &r->e->mass;
    double size = vec_max(pattern_nnz(M), r->M);
    for (int j = 0; j < M->cols; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            int i = M->rowind[k], l = M->colptr[i];
            while (l < M->colptr[i + 1] && M->rowind[l] < j) l++;
            double other = l < M->colptr[i + 1] && M->rowind[l] == j ? r->M[l] : 0;
            if (!(fabs(r->M[k] - other) <= symmetric * size)) return 0;
        }
    return 1;
}

sodae_status erk_prepare(stepper *s, double h) {
    erk *m = s->memory;
    eval *e = s->e;
    (void)h;
    if (e->redundant)
        return refuse(s, "constraints", "the multipliers of redundant constraints are not unique");
    sodae_status st = check_force(s, m);
    sodae_point at = state_point(&s->now);
    sodae_failure dummy, *kept = e->failure;
    if (st) return st;
    e->failure = &dummy;
    st = range_set(&m->range, &at, 1);
    e->failure = kept;
    if (st == SODAE_SINGULAR)
        return refuse(s, "mass",
                      "the mass matrix is not positive definite, or constraints depend "
                      "on each other");
    if (st) return range_set(&m->range, &at, 1); /* says why */
    return is_symmetric(&m->range) ? SODAE_OK
                                   : refuse(s, "mass", "the mass matrix is not symmetric");
}
