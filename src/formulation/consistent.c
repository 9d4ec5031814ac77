#include "formulation/consistent.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <stdio.h>

TUNING(far_moved, 0.1,
       "of its size: a position that the start moves farther is named in a warning");
TUNING(small_value, 1e-2, "of the largest position: smaller ones have no size of their own");

sodae_status consistent_open(consistent *c, arena *a, eval *e) {
    *c = (consistent){.e = e};
    sodae_status st = projector_open(&c->projector, a, e);
    if (!st) st = form_open(&c->acceleration, a, e, &form_accelerations, 1);
    if (st) return st;
    state_open(&c->shifted, a, e);
    size_t nv = (size_t)e->nv;
    c->g = arena_doubles(a, (size_t)e->nl), c->k = arena_doubles(a, (size_t)e->np);
    c->d = arena_doubles(a, nv);
    c->sums = arena_doubles(a, (size_t)(e->nl > e->np ? e->nl : e->np));
    c->l = arena_doubles(a, (size_t)(e->nl + e->ns));
    c->z = arena_doubles(a, (size_t)c->acceleration.n);
    c->factored = arena_doubles(a, (size_t)pattern_nnz(&c->acceleration.A.pattern));
    c->q_given = arena_doubles(a, (size_t)e->nq), c->v_given = arena_doubles(a, nv);
    c->q_back = arena_doubles(a, (size_t)e->nq), c->s_back = arena_doubles(a, (size_t)e->ns);
    c->size = arena_doubles(a, (size_t)(2 * e->nl + e->np));
    if (a->failed) return SODAE_NO_MEMORY;
    for (int i = 0; i < 2 * e->nl + e->np; i++) c->size[i] = 1;
    c->acceleration.ca[0] = 1; /* x is the acceleration, q, v and r stay */
    c->acceleration.crd[0] = 1;
    return SODAE_OK;
}

sodae_status consistent_position(consistent *c, state *s, double *g) {
    sodae_status st = consistent_contact(c, s);
    sodae_point at = state_point(s);
    return st ? st : eval_value(c->e, SODAE_HOLONOMIC, &at, g);
}

static sodae_status velocity_residual(consistent *c, const sodae_point *at) {
    eval *e = c->e;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_RATE, at, c->g) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, at, c->k);
    return st;
}

/* The factors at a velocity level, with what is held at the start. */
static sodae_status factor_velocity(consistent *c, const sodae_point *at) {
    c->projector.held = c->hold_v;
    sodae_status st = projector_factor(&c->projector, at);
    c->projector.held = NULL;
    return st;
}

sodae_status consistent_velocity_step(consistent *c, state *s) {
    sodae_point at = state_point(s);
    sodae_status st = factor_velocity(c, &at);
    if (!st) st = velocity_residual(c, &at);
    if (st) return st;
    projector_solve(&c->projector, c->g, c->k, c->d);
    vec_add(c->e->nv, -1, c->d, s->v);
    return SODAE_OK;
}

static sodae_status project_velocity(consistent *c, state *s, double tol,
                                     sodae_start_report *report) {
    eval *e = c->e;
    double last = INFINITY;
    for (int it = 0; it < 50; it++) {
        sodae_point at = state_point(s);
        sodae_status st = velocity_residual(c, &at);
        if (!st && it == 0) st = factor_velocity(c, &at);
        if (st) return st;
        double size = fmax(vec_max(e->nl, c->g), vec_max(e->np, c->k));
        double v = fmax(e->size_v, vec_max(e->nv, s->v));
        report->velocity_after = size;
        if (it == 0) report->velocity_before = size;
        if ((consistent_negligible(c, &e->G, c->projector.G, v, tol, c->g) &&
             consistent_negligible(c, &e->K, c->projector.K, v, tol, c->k)) ||
            (size >= last && size < 1e-11 * v))
            return SODAE_OK;
        last = size;
        if (it > 0 && e->np) st = factor_velocity(c, &at); /* K may change with v */
        if (st) return st;
        projector_solve(&c->projector, c->g, c->k, c->d);
        if (!isfinite(vec_max(e->nv, c->d))) break;
        vec_add(e->nv, -1, c->d, s->v);
        report->v_moved += vec_max(e->nv, c->d);
        report->iterations++;
    }
    int holonomic = vec_max(e->nl, c->g) >= vec_max(e->np, c->k);
    return holonomic ? consistent_refuse(c, SODAE_HOLONOMIC_RATE, c->g, e->nl, s->t)
                     : consistent_refuse(c, SODAE_NONHOLONOMIC, c->k, e->np, s->t);
}

/* What direction i of q is measured by: its larger value, or a rotation of 1 rad. */
static double own_size(const consistent *c, const state *s, int i) {
    const sodae_part *g = c->e->space->parts;
    while (i >= g->v0 + g->nv) g++;
    if (!g->group->abelian) return 1;
    int k = g->q0 + i - g->v0;
    double least = small_value * vec_max(c->e->nq, s->q);
    return fmax(fmax(fabs(c->q_given[k]), fabs(s->q[k])), least);
}

/* "phi by 0.4, x by 0.2": positions in c->d that were moved far. */
static void name_far(const consistent *c, const state *s, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < c->e->nv; i++) {
        char name[64], item[96];
        if (!(fabs(c->d[i]) > far_moved * own_size(c, s, i))) continue;
        sodae_position_name(c->e->p, i, name, sizeof name);
        int n = snprintf(item, sizeof item, "%s%s by %.3g", used ? ", " : "", name, c->d[i]);
        int fits = used + (size_t)n + 6 < size;
        used += (size_t)snprintf(text + used, size - used, "%s", fits ? item : ", ...");
        if (!fits) return;
    }
}

/* What the start has moved, by name: the largest change of a component. */
static void name_moved(consistent *c, const state *s, sodae_start_report *report) {
    const eval *e = c->e;
    int q = 0, v = 0;
    sodae_space_difference(e->space, c->q_given, s->q, c->d);
    for (int i = 1; i < e->nv; i++)
        if (fabs(c->d[i]) > fabs(c->d[q])) q = i;
    for (int i = 1; i < e->nv; i++)
        if (fabs(s->v[i] - c->v_given[i]) > fabs(s->v[v] - c->v_given[v])) v = i;
    if (report->q_moved > 0) {
        report->q_moved = fabs(c->d[q]);
        sodae_position_name(e->p, q, report->q_moved_name, sizeof report->q_moved_name);
    }
    if (report->q_moved > 0) name_far(c, s, report->far_moved, sizeof report->far_moved);
    if (report->v_moved > 0) {
        report->v_moved = fabs(s->v[v] - c->v_given[v]);
        sodae_entry_name(e->p, SODAE_V, v, report->v_moved_name, sizeof report->v_moved_name);
    }
}

sodae_status consistent_project(consistent *c, state *s, double tol, int position, int velocity,
                                sodae_start_report *report) {
    *report = (sodae_start_report){0};
    sodae_status st = consistent_contact(c, s);
    if (!st && position && c->e->nl) st = consistent_assemble(c, s, tol, report);
    if (!st && velocity) st = project_velocity(c, s, tol, report);
    return st;
}

/* Held coordinates are held at the start alone. */
sodae_status consistent_state(consistent *c, state *s, double tol, int first,
                              sodae_start_report *report) {
    eval *e = c->e;
    vec_copy(e->nq, s->q, c->q_given), vec_copy(e->nv, s->v, c->v_given);
    c->first = first;
    if (first) c->hold_q = e->p->hold_q, c->hold_v = e->p->hold_v;
    sodae_status st = consistent_project(c, s, tol, 1, 1, report);
    int held = c->hold_q || c->hold_v;
    c->hold_q = c->hold_v = NULL, c->first = 0;
    if (st) { /* a second try begins where the first one did */
        vec_copy(e->nq, c->q_given, s->q), vec_copy(e->nv, c->v_given, s->v);
        return st;
    }
    name_moved(c, s, report);
    sodae_point at = state_point(s);
    return held ? projector_factor(&c->projector, &at) : SODAE_OK;
}

/* Not where a function changes with the multipliers, by its derivatives in the matrix just built.
 */
static int is_linear(const eval *e) {
    static const sodae_function f[] = {SODAE_FORCE, SODAE_DYNAMIC};
    static const sodae_variable x[] = {SODAE_LAMBDA, SODAE_PSI};
    for (int i = 0; i < 4; i++) {
        const eval_block *b = &e->block[f[i / 2]][x[i % 2]];
        if (vec_max(pattern_nnz(&b->pattern), b->values) != 0) return 0;
    }
    return e->nw + e->ns == 0;
}

/* once: one increment where that is the solution. */
static sodae_status accelerate(consistent *c, state *s, int once) {
    newton_options exact = {.rtol = 1e-15, .max = 60, .linear = once};
    eval *e = c->e;
    form *f = &c->acceleration;
    sodae_status st = consistent_contact(c, s);
    if (st) return st;
    sodae_point at = state_point(s);
    form_fix(f, &at);
    form_guess(f, s->vdot, s->rdot, &at, f->x);
    newton_forget(&f->newton);
    st = form_solve(f, &exact);
    exact.linear = 0;
    if (!st && once && !is_linear(e)) st = form_solve(f, &exact);
    if (st) return st;
    vec_copy(e->nv, f->x, s->vdot);
    vec_copy(e->nr, f->x + f->at_y, s->rdot);
    form_give(f, f->x, s);
    return SODAE_OK;
}

sodae_status consistent_acceleration(consistent *c, state *s) {
    return accelerate(c, s, 0);
}

sodae_status consistent_settle(consistent *c, state *s) {
    state_copy(c->e, s, &c->shifted);
    sodae_status st = accelerate(c, &c->shifted, 1);
    c->settled = !st;
    if (st == SODAE_SINGULAR || st == SODAE_NEWTON_FAILED) return SODAE_OK;
    if (!st) state_copy(c->e, &c->shifted, s);
    return st;
}

void consistent_free_part(consistent *c, double *x) {
    form *f = &c->acceleration;
    if (!f->newton.valid) return;
    vec_zero(c->e->nv, c->d);
    pattern_multiply(&c->e->mass, f->M, 1, x, c->d);
    form_yield(f, c->d);
    vec_copy(c->e->nv, c->d, x);
}

sodae_status consistent_nearby(consistent *c, const state *s, double d) {
    state_along(c->e, s, d, c->d, &c->shifted);
    return consistent_acceleration(c, &c->shifted);
}

sodae_status consistent_jerk(consistent *c, const state *s, double h, int one_sided, double *jerk,
                             double *rjerk) {
    int nv = c->e->nv, nr = c->e->nr;
    double d = one_sided ? h / 100 : h, distance = one_sided ? d : 2 * d;
    sodae_status st = consistent_nearby(c, s, d);
    vec_copy(nv, c->shifted.vdot, jerk);
    vec_copy(nr, c->shifted.rdot, rjerk);
    const state *back = s;
    if (!one_sided) {
        if (!st) st = consistent_nearby(c, s, -d);
        back = &c->shifted;
    }
    vec_add(nv, -1, back->vdot, jerk);
    vec_add(nr, -1, back->rdot, rjerk);
    vec_scale(nv, 1 / distance, jerk);
    vec_scale(nr, 1 / distance, rjerk);
    return st;
}

sodae_status consistent_multiplier_rate(consistent *c, const state *s, double d, double *rate) {
    static const double weight[] = {1, -8, 8, -1};
    static const int at[] = {-2, -1, 1, 2};
    int nl = c->e->nl, np = c->e->np;
    vec_zero(nl + np, rate);
    for (int i = 0; i < 4; i++) {
        sodae_status st = consistent_nearby(c, s, at[i] * d);
        if (st) return st;
        vec_add(nl, weight[i] / (12 * d), c->shifted.lambda, rate);
        vec_add(np, weight[i] / (12 * d), c->shifted.psi, rate + nl);
    }
    return SODAE_OK;
}

void consistent_normal_part(consistent *c, const double *w, double *out) {
    eval *e = c->e;
    vec_zero(e->nl, c->g);
    pattern_multiply(&e->G, c->projector.G, 1, w, c->g);
    projector_solve(&c->projector, c->g, NULL, out);
}

sodae_status consistent_rates(consistent *c, const sodae_point *at, double *rates) {
    sodae_status st = velocity_residual(c, at);
    vec_copy(c->e->nl, c->g, rates);
    vec_copy(c->e->np, c->k, rates + c->e->nl);
    return st;
}

static double relative(int n, const double *r, const double *size) {
    double most = 0;
    for (int i = 0; i < n; i++) most = larger(most, fabs(r[i]) / size[i]);
    return most;
}

sodae_status consistent_residuals(consistent *c, const sodae_point *at, double *position,
                                  double *velocity) {
    eval *e = c->e;
    *position = *velocity = 0;
    sodae_status st = velocity_residual(c, at);
    if (st) return st;
    *velocity = fmax(vec_max(e->nl, c->g), vec_max(e->np, c->k));
    c->relative[1] =
        larger(relative(e->nl, c->g, c->size + e->nl), relative(e->np, c->k, c->size + 2 * e->nl));
    if (e->nl) st = eval_value(e, SODAE_HOLONOMIC, at, c->g);
    *position = vec_max(e->nl, c->g);
    c->relative[0] = relative(e->nl, c->g, c->size);
    return st;
}

/* |N^T x|, x = (g, k), if that is a good part of |x|, else 0. */
static double part_along(const eval *e, const linear_null *N, const double *g, const double *k) {
    static const double part = 0.1;
    double all = fmax(vec_max(e->nl, g), k ? vec_max(e->np, k) : 0), along = 0;
    for (int l = 0; l < N->depends; l++) {
        const double *n = N->N + l * N->m;
        double sum = 0;
        for (int i = 0; i < e->nl; i++) sum += n[i] * g[i];
        for (int i = 0; i < e->np && k; i++) sum += n[e->nl + i] * k[i];
        along = fmax(along, fabs(sum));
    }
    return along > part * all ? along : 0;
}

/* Is C^T N = 0 up to rounding, at the last factored point? Not so for dependences that hold where
 * the constraints are met, at a state that has drifted off them. */
static int is_exact(consistent *c, const linear_null *N) {
    static const double rounding = 1e-12;
    eval *e = c->e;
    const double *G = c->projector.G, *K = c->projector.K;
    double most = 0, size = fmax(vec_max(pattern_nnz(&e->G), G), vec_max(pattern_nnz(&e->K), K));
    for (int l = 0; l < N->depends; l++) {
        const double *n = N->N + l * N->m;
        vec_zero(e->nv, c->d);
        pattern_multiply_transposed(&e->G, G, 1, n, c->d);
        pattern_multiply_transposed(&e->K, K, 1, n + e->nl, c->d);
        most = fmax(most, vec_max(e->nv, c->d));
    }
    return most <= rounding * size;
}

/* C v' + (g_tt + 2 g_tq v + g_qq(v,v), k_t + k_q v), C at the last factored point. */
static sodae_status acceleration_residual(consistent *c, const sodae_point *at, const double *a) {
    eval *e = c->e;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC_DRIFT, at, c->g) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC_DRIFT, at, c->k);
    if (st) return st;
    pattern_multiply(&e->G, c->projector.G, 1, a, c->g);
    pattern_multiply(&e->K, c->projector.K, 1, a, c->k);
    return SODAE_OK;
}

/* What is along N at the levels of accelerations, velocities and positions that are asked for. */
static sodae_status along_null(consistent *c, const state *x, const linear_null *N, int level,
                               double *along) {
    eval *e = c->e;
    sodae_point at = state_point(x);
    sodae_status st = SODAE_OK;
    if (level & CONSISTENT_ACCELERATION) {
        st = acceleration_residual(c, &at, x->vdot);
        if (!st) along[0] = part_along(e, N, c->g, c->k);
    }
    if (!st && (level & CONSISTENT_VELOCITY)) {
        st = velocity_residual(c, &at);
        if (!st) along[1] = part_along(e, N, c->g, c->k);
    }
    if (st || !(level & CONSISTENT_POSITION) || !e->nl) return st;
    st = eval_value(e, SODAE_HOLONOMIC, &at, c->g);
    if (!st) along[2] = part_along(e, N, c->g, NULL);
    return st;
}

/* c->shifted <- x with one step of its position and of its velocity onto the constraints, by the
 * last factors. Constraints that contradict each other do so there as well; what the tolerance of a
 * step has left along N is quadratically small. */
static sodae_status step_closer(consistent *c, const state *x) {
    eval *e = c->e;
    state_copy(e, x, &c->shifted);
    sodae_status st = consistent_position(c, &c->shifted, c->g);
    if (st) return st;
    projector_solve(&c->projector, c->g, NULL, c->d);
    vec_scale(e->nv, -1, c->d);
    sodae_space_retract(e->space, x->q, c->d, c->shifted.q);
    sodae_point at = state_point(&c->shifted);
    st = velocity_residual(c, &at);
    if (st) return st;
    projector_solve(&c->projector, c->g, c->k, c->d);
    vec_add(e->nv, -1, c->d, c->shifted.v);
    return SODAE_OK;
}

/* The largest number above its bound; 0: none is. */
static double exceeds(const double x[3], const double least[3]) {
    double most = 0;
    for (int i = 0; i < 3; i++)
        if (x[i] > least[i]) most = fmax(most, x[i]);
    return most;
}

/* With a drift n^T g = 0 does not give n^T g'' = 0, but -2 n'^T g' - n''^T g, and likewise n^T g' =
 * -n'^T g, with n' = O(v/q). */
sodae_status consistent_contradicts(consistent *c, const state *x, const linear_null *N, int level,
                                    double *by) {
    static const double little = 1e-8, doubt = 10;
    const eval *e = c->e;
    sodae_point at = state_point(x);
    double along[3] = {0, 0, 0}, g = 0, g1 = 0;
    double q = vec_max(e->nq, x->q), v = vec_max(e->nv, x->v), a = vec_max(e->nv, x->vdot);
    double rate = v / fmax(q, e->size_q);
    *by = 0;
    if (N->depends == 0) return SODAE_OK;
    sodae_status st = along_null(c, x, N, level, along);
    if (!st && (level & CONSISTENT_DRIFTS) && !is_exact(c, N))
        st = consistent_residuals(c, &at, &g, &g1);
    if (st) return st;
    double least[3] = {little * fmax(a + rate * v, e->size_v * e->size_v / e->size_q) +
                           doubt * rate * (2 * g1 + rate * g),
                       little * fmax(v, e->size_v) + doubt * rate * g, little * fmax(q, e->size_q)};
    if (!exceeds(along, least)) return SODAE_OK;
    st = step_closer(c, x);
    if (!st) st = along_null(c, &c->shifted, N, level, along);
    *by = st ? 0 : exceeds(along, least);
    return st;
}
