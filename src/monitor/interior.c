/* Rejects a step whose dense output violates the constraints between its ends.
 *
 * Constraints hold at the ends of steps and at stages, however long the step is, and error
 * estimates leave out what constraints determine: a drive may turn many times within a step that
 * passes. At both thirds of the step, where q and v are off by more than two thirds of their
 * largest errors,
 *
 *     |g_i| <= most sum_j |G_ij| tol(q_j),    |(G v + g_t)_i| <= most sum_j |G_ij| tol(v_j),
 *
 * and k likewise with K, in excess of what is left of them at the end of the step (drift,
 * rounding). The violation falls as the error of the interpolation does. The errors of explicit
 * methods contain what is normal to the constraints: they need no such look. Nor does a step at
 * whose end q and v are where the steps before lead, normal to the constraints too. Where
 * constraints depend on time they may have returned to the same values: then one look is enough,
 * and none where a step as long has passed before. From there a period could become the step only
 * by way of lengths and frequencies that are not foreseen. */
#include "monitor/monitor.h"

#include "base/vec.h"
#include "estimate/error.h"

#include <sodae/verify.h>

#include <float.h>
#include <math.h>

typedef struct interior {
    state inside;
    double *residual, *left, *may; /* g, G v + g_t, k: inside; at the end, and rounding; allowed */
    double *G, *K;
    double longest; /* step that was looked at since constraints depend on time */
} interior;

static int wanted(engine *e) {
    return engine_controlled(e) && engine_eval(e)->nl + engine_eval(e)->np > 0;
}

static int rows(const eval *e) {
    return 2 * e->nl + e->np;
}

static void *open_interior(arena *a, engine *e) {
    interior *m = arena_take(a, 1, sizeof *m);
    size_t n = (size_t)rows(engine_eval(e));
    if (!m) return NULL;
    state_open(&m->inside, a, engine_eval(e));
    m->residual = arena_doubles(a, n), m->left = arena_doubles(a, n), m->may = arena_doubles(a, n);
    m->G = arena_doubles(a, (size_t)pattern_nnz(&engine_eval(e)->G));
    m->K = arena_doubles(a, (size_t)pattern_nnz(&engine_eval(e)->K));
    return a->failed ? NULL : m;
}

/* At x, with the contact coordinates that belong to it. */
static sodae_status residuals(engine *e, state *x, double *r) {
    sodae_status st = consistent_position(engine_consistent(e), x, r);
    sodae_point at = state_point(x);
    return st ? st : consistent_rates(engine_consistent(e), &at, r + engine_eval(e)->nl);
}

/* The limit of verification where constraints depend on time. Where they do not, the motion along
 * them is in the error test: its square. */
static double most_tolerances(const stepper *z) {
    return z->driven ? SODAE_VERIFY_LIMIT : SODAE_VERIFY_LIMIT * SODAE_VERIFY_LIMIT;
}

/* may_i += sum_j |A_ij| most tol_j, left_i <- |left_i| + sum_j |A_ij| rounding_j */
static void add_allowed(engine *e, const pattern *p, const double *A, int of_v, double *may,
                        double *left) {
    const stepper *z = engine_stepper(e);
    const state *n = &z->next;
    double most = most_tolerances(z);
    double size_q = vec_max(engine_eval(e)->nq, n->q), size_v = vec_max(engine_eval(e)->nv, n->v);
    for (int i = 0; i < p->rows; i++) left[i] = fabs(left[i]);
    double largest = of_v ? size_v + 4 * size_q / (n->t - z->now.t) : size_q;
    for (int j = 0; j < p->cols; j++) {
        double rate = fabs(of_v ? n->vdot[j] : n->v[j]);
        double rounding = 4 * DBL_EPSILON * (largest + fabs(n->t) * rate);
        double tol = of_v ? error_tolerance_v(z, j) : error_tolerance_q(z, j);
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            may[p->rowind[k]] += fabs(A[k]) * most * tol;
            left[p->rowind[k]] += fabs(A[k]) * rounding;
        }
    }
}

/* With G and K at the end of the step. */
static sodae_status find_allowed(interior *m, engine *e) {
    eval *v = engine_eval(e);
    sodae_point at = state_point(engine_next(e));
    vec_zero(rows(v), m->may);
    sodae_status st = v->nl ? eval_G(v, &at, m->G) : SODAE_OK;
    if (!st && v->np) st = eval_K(v, &at, m->K);
    if (st) return st;
    double *may = m->may, *left = m->left;
    if (v->nl) add_allowed(e, &v->G, m->G, 0, may, left);
    if (v->nl) add_allowed(e, &v->G, m->G, 1, may + v->nl, left + v->nl);
    if (v->np) add_allowed(e, &v->K, m->K, 1, may + 2 * v->nl, left + 2 * v->nl);
    return SODAE_OK;
}

/* The largest violation at t; 1 is the largest that may pass. */
static sodae_status violation_at(interior *m, engine *e, double t, double *size) {
    engine_motion_at(e, engine_trial(e), t, &m->inside);
    sodae_status st = residuals(e, &m->inside, m->residual);
    for (int i = 0; i < rows(engine_eval(e)) && !st; i++) {
        double excess = fabs(m->residual[i]) - m->left[i];
        if (excess > 0) *size = fmax(*size, excess / m->may[i]);
    }
    return st;
}

static int looks(const interior *m, engine *e, double h) {
    const stepper *z = engine_stepper(e);
    int foreseen = z->unforeseen <= SODAE_VERIFY_LIMIT;
    return engine_sees_constraints(e) ? 0 : !foreseen ? 2 : z->driven && h > m->longest;
}

static sodae_status begin(void *self, engine *e) {
    interior *m = self;
    (void)e;
    m->longest = 0;
    return SODAE_OK;
}

static sodae_status passed(void *self, engine *e, const trial *t) {
    interior *m = self;
    m->longest = engine_stepper(e)->driven ? fmax(m->longest, t->h) : 0;
    return SODAE_OK;
}

static void save(void *self, engine *e, snapshot_visitor *v) {
    interior *m = self;
    (void)e;
    v->each(v, "longest", &m->longest, 1);
}

static sodae_status judge(void *self, engine *e, trial *t) {
    interior *m = self;
    const stepper *z = engine_stepper(e);
    double size = 0;
    int many = looks(m, e, t->h);
    if (!t->controlled || !many) return SODAE_OK;
    state_copy(engine_eval(e), &z->next, &m->inside);
    sodae_status st = residuals(e, &m->inside, m->left);
    if (!st) st = find_allowed(m, e);
    for (int i = 1; i <= many && !st; i++) st = violation_at(m, e, z->now.t + i * t->h / 3, &size);
    if (st) return st;
    double longest =
        t->h * pow(fmax(size, DBL_MIN), -1.0 / record_order(engine_trial(e), engine_eval(e)));
    t->h_next = size > 1 ? t->h / 2 : t->h_next > 0 ? fmin(t->h_next, longest) : longest;
    if (size > 1) t->reason = REFUSED_MONITOR;
    return SODAE_OK;
}

const monitor monitor_interior = {.name = "interior",
                                  .wanted = wanted,
                                  .open = open_interior,
                                  .begin = begin,
                                  .judge = judge,
                                  .passed = passed,
                                  .save = save};
