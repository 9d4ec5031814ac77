/* Points of L_l (2.20) along a solution. The state of a run is completed by higher derivatives:
 * Gauss-Newton on the derivative array F_l = 0 for the Taylor coefficients of x, corrections of
 * least size. On a group x moves by xi: q o exp(xi), v + xi' + [v, xi]. */
#include "analysis/array.h"
#include "analysis/reduce.h"

#include "base/failure.h"
#include "base/vec.h"

#include <math.h>
#include <sodae/integrator.h>
#include <string.h>

enum { MOST_UNKNOWNS = 30, MOST_ITERATIONS = 20 };

typedef struct follower {
    const sodae_curve_system *sys;
    const sodae_space *space;
    reduction form;
    int by_initial; /* 1: no run begins; the initial values stand for the solution */
    int started;
    sodae *run;
    sodae_failure *why;
} follower;

static void stop(follower *f) {
    sodae_free(f->run);
    f->run = NULL;
    f->started = 0;
}

static const sodae_problem *problem_of(const follower *f) {
    return f->sys->run ? f->sys->run : f->sys->problem;
}

/* State of the run at t; runs go forward, an earlier t begins again. */
static sodae_status run_to(follower *f, double t) {
    sodae_options o = sodae_default_options();
    o.rtol = 1e-8;
    o.check_derivatives = 0;
    sodae_status st = SODAE_OK;
    if (f->started && sodae_state(f->run)->t > t) stop(f);
    if (!f->run) st = sodae_create(&f->run, problem_of(f), &o, f->why);
    if (st >= 0 && !f->started) st = sodae_start(f->run);
    if (st >= 0) f->started = 1;
    if (st >= 0 && sodae_state(f->run)->t < t) st = sodae_advance(f->run, t, NULL, NULL);
    if (st < 0 && f->run) *f->why = *sodae_last_failure(f->run);
    if (st >= 0 && sodae_state(f->run)->t < t)
        return failure_set(f->why, SODAE_NOT_ALLOWED, problem_of(f)->name,
                           "an event stops the run before the end of the interval");
    return st < 0 ? st : SODAE_OK;
}

/* The blocks of x but q, with their sizes. */
static void blocks_of(const sodae_problem *p, sodae_curve *c, double **block[6], int size[6]) {
    double **const all[6] = {&c->v, &c->r, &c->w, &c->s, &c->lambda, &c->psi};
    const int sizes[6] = {p->nv, p->nr, p->nw, p->ns, p->nlambda, p->npsi};
    for (int b = 0; b < 6; b++) block[b] = all[b], size[b] = sizes[b];
}

static void curve_open(sodae_curve *c, arena *a, const sodae_problem *p, double t, int terms) {
    double **block[6];
    int size[6];
    *c = (sodae_curve){.t = t, .terms = terms};
    blocks_of(p, c, block, size);
    c->q = arena_doubles(a, (size_t)sodae_problem_nq(p));
    for (int b = 0; b < 6; b++) *block[b] = arena_doubles(a, (size_t)size[b] * (size_t)(terms + 1));
}

static void set_first(const double *from, int count, int stride, double *to) {
    for (int i = 0; i < count && from; i++) to[(long)i * stride] = from[i];
}

static sodae_status curve_start(follower *f, sodae_curve *c) {
    const sodae_problem *p = f->sys->problem;
    const sodae_point *at = &p->initial;
    sodae_point now;
    if (!f->by_initial) {
        sodae_status st = run_to(f, c->t);
        if (st) return st;
        const sodae_view *v = sodae_state(f->run);
        now = (sodae_point){.t = v->t,
                            .q = v->q,
                            .v = v->v,
                            .a = v->vdot,
                            .lambda = v->lambda,
                            .psi = v->psi,
                            .r = v->r,
                            .w = v->w,
                            .s = v->s};
        if (f->sys->run) now = (sodae_point){.t = v->t, .q = v->w};
        at = &now;
    }
    int n = c->terms + 1;
    vec_copy(sodae_problem_nq(p), at->q, c->q);
    set_first(at->v, p->nv, n, c->v);
    set_first(at->a, p->nv, n, c->v + 1);
    set_first(at->r, p->nr, n, c->r);
    set_first(at->w, p->nw, n, c->w);
    set_first(at->s, p->ns, n, c->s);
    set_first(at->lambda, p->nlambda, n, c->lambda);
    set_first(at->psi, p->npsi, n, c->psi);
    return SODAE_OK;
}

/* v += xi' + [v, xi] up to coefficient `terms`; xi_k at xi + k n. */
static void move_velocities(const follower *f, sodae_curve *c, const double *xi, int n,
                            double *room) {
    int nv = f->sys->problem->nv, stride = c->terms + 1;
    double *v = room, *add = room + nv;
    for (int k = c->terms; k >= 0; k--) { /* downward: [v, xi] has the old v */
        for (int i = 0; i < nv; i++) add[i] = (k + 1) * xi[(k + 1) * n + i];
        for (int j = 0; j <= k && !f->space->abelian; j++) {
            double *bracket = room + 2 * nv;
            for (int i = 0; i < nv; i++) v[i] = c->v[i * stride + j];
            sodae_space_bracket(f->space, v, xi + (k - j) * n, bracket);
            vec_add(nv, 1, bracket, add);
        }
        for (int i = 0; i < nv; i++) c->v[i * stride + k] += add[i];
    }
}

static void move(const follower *f, sodae_curve *c, const double *xi, int n, double *room) {
    const sodae_problem *p = f->sys->problem;
    double **block[6];
    int size[6], first = p->nv;
    blocks_of(p, c, block, size);
    move_velocities(f, c, xi, n, room);
    sodae_space_retract(f->space, c->q, xi, c->q);
    for (int b = 1; b < 6; b++) {
        for (int i = 0; i < size[b]; i++)
            for (int k = 0; k <= c->terms; k++)
                (*block[b])[i * (c->terms + 1) + k] += xi[k * n + first + i];
        first += size[b];
    }
}

/* Entries that are rounding errors in their row: with columns of size one they would count. */
static void clean_rows(mat J) {
    for (int i = 0; i < J.m; i++) {
        double size = 0;
        for (int j = 0; j < J.n; j++) size = fmax(size, fabs(*mat_at(J, i, j)));
        for (int j = 0; j < J.n; j++)
            if (fabs(*mat_at(J, i, j)) < 1e-14 * size) *mat_at(J, i, j) = 0;
    }
}

/* Coefficients that the run knows: x, and v, v' of the positions. */
static int is_known(const follower *f, int n, int column) {
    int k = column / n, i = column % n;
    return k == 0 || (k <= 2 && i < f->sys->problem->nv && f->sys->twice[i]);
}

/* The correction of least size, in units that make rows and columns of the Jacobian of size one;
 * what the run knows is to move less than the rest by the square root of the run's tolerance. */
static mat correction(ranks *w, const follower *f, int n, mat J, mat F, double *size) {
    double *R = arena_doubles(w->a, (size_t)J.m), *S = arena_doubles(w->a, (size_t)J.n);
    if (!R || !S) w->failed = 1;
    if (w->failed) return F;
    for (int i = 0; i < J.m; i++) R[i] = 1;
    for (int j = 0; j < J.n; j++) S[j] = 1;
    clean_rows(J);
    mat scaled = mat_equilibrated(w, J, R, S);
    for (int j = 0; j < J.n && !w->failed; j++) {
        if (!is_known(f, n, j)) continue;
        S[j] *= 0x1p-13;
        for (int i = 0; i < J.m; i++) *mat_at(scaled, i, j) *= 0x1p-13;
    }
    *size = 0;
    for (int i = 0; i < F.m; i++) *size = fmax(*size, fabs(F.x[i] *= R[i]));
    mat xi = mat_product(w, mat_pseudo_inverse(w, scaled), F);
    for (int j = 0; j < xi.m; j++) xi.x[j] *= -S[j];
    return xi;
}

/* One step on the first `level` coefficients; *size: the largest entry of the scaled residual. */
static sodae_status gauss_newton(follower *f, sodae_curve *c, int n, int level, double *size) {
    arena a = {0};
    ranks w = {.a = &a, .tolerance = 1e-9, .kept = INFINITY};
    int m = f->sys->m;
    size_t entries = (size_t)c->terms * (size_t)m * (size_t)n;
    double *A[3];
    for (int p = 0; p < 3; p++) A[p] = arena_doubles(&a, entries);
    double *room = arena_doubles(&a, 3 * (size_t)n);
    mat F = mat_zero(&w, c->terms * m, 1);
    F.m = level * m;
    sodae_status st = a.failed ? SODAE_NO_MEMORY : SODAE_OK;
    if (!st && f->sys->series(c, A[2], A[1], A[0], F.x, f->sys->user)) st = SODAE_NOT_FINITE;
    for (int i = 0; i < F.m && !st; i++)
        if (!isfinite(F.x[i])) st = SODAE_NOT_FINITE;
    if (!st) {
        mat J = array_jacobian(&w, A, m, n, level - 1, 0, c->terms + 1);
        mat xi = correction(&w, f, n, J, F, size);
        st = w.failed ? SODAE_NO_MEMORY : SODAE_OK;
        if (!st) move(f, c, xi.x, n, room);
    }
    arena_free(&a);
    return st;
}

/* Iterates while the residual falls; it must end below the tolerance of ranks. */
static sodae_status complete_level(follower *f, sodae_curve *c, int n, int level) {
    double size = INFINITY, before = INFINITY;
    for (int k = 0; k < MOST_ITERATIONS; k++) {
        sodae_status st = gauss_newton(f, c, n, level, &size);
        if (st) return st;
        if (size < 1e-13 || (size < 1e-10 && size > before / 2)) return SODAE_OK;
        before = size;
    }
    return size < 1e-9 ? SODAE_OK : SODAE_NEWTON_FAILED;
}

/* Level by level: the coefficients of F up to one less are zero when the next one is added. */
static sodae_status complete(follower *f, sodae_curve *c, int n) {
    sodae_status st = SODAE_OK;
    for (int level = 1; level <= c->terms && !st; level++) st = complete_level(f, c, n, level);
    return st;
}

/* The equations as they are. */
static sodae_status plain_series(follower *o, arena *a, double t, int terms, double *const A[3],
                                 double *f) {
    const sodae_problem *p = o->sys->problem;
    sodae_curve c;
    curve_open(&c, a, p, t, terms);
    sodae_status st = a->failed ? SODAE_NO_MEMORY : SODAE_OK;
    if (!st && !o->sys->linear) st = curve_start(o, &c);
    if (!st && !o->sys->linear) st = complete(o, &c, sodae_problem_unknowns(p));
    if (!st && o->sys->series(&c, A[2], A[1], A[0], f, o->sys->user)) st = SODAE_NOT_FINITE;
    for (int i = 0; i < terms * o->sys->m; i++)
        f[i] = -f[i]; /* F = A2 x'' + A1 x' + A0 x - f at x = 0 */
    return st;
}

static int series(double t, int terms, double *A2, double *A1, double *A0, double *f, void *user) {
    follower *o = user;
    const reduction *r = &o->form;
    double *const out[3] = {A0, A1, A2};
    int more = reduction_terms(r, terms);
    arena a = {0};
    sodae_status st = SODAE_OK;
    if (more == terms) {
        st = plain_series(o, &a, t, terms, out, f);
    } else {
        size_t rows = (size_t)more * (size_t)r->m;
        double *A[3];
        for (int p = 0; p < 3; p++) A[p] = arena_doubles(&a, rows * (size_t)r->n);
        double *g = arena_doubles(&a, rows);
        st = a.failed ? SODAE_NO_MEMORY : plain_series(o, &a, t, more, A, g);
        if (!st) reduction_apply(r, terms, A, g, out, f);
    }
    arena_free(&a);
    return st != SODAE_OK;
}

/* Constant coefficients: steps (3.8) of the second order form are counted as they are defined. */
static sodae_status count_steps(follower *f, sodae_strangeness *q) {
    int n = f->sys->m, some = 0;
    if (reduction_terms(&f->form, 0)) return SODAE_OK;
    for (int j = 0; j < n; j++) some |= f->sys->twice[j];
    if (!f->sys->constant || !some || n != sodae_problem_unknowns(f->sys->problem)) return SODAE_OK;
    arena a = {0};
    size_t size = (size_t)n * (size_t)n;
    double *A = arena_doubles(&a, 3 * size), *F = arena_doubles(&a, (size_t)n);
    sodae_linear_report report = {0};
    sodae_status st = a.failed ? SODAE_NO_MEMORY : SODAE_OK;
    if (!st && series(q->t, 1, A, A + size, A + 2 * size, F, f)) st = SODAE_NOT_FINITE;
    if (!st) st = sodae_linear_dae_analyse(n, A, A + size, A + 2 * size, 0, &report, NULL);
    if (!st) q->second_mu = report.mu;
    arena_free(&a);
    return st;
}

/* Does a run from the initial values begin? */
static int starts(follower *f) {
    sodae_failure ignored, *why = f->why;
    f->why = &ignored;
    int good = run_to(f, problem_of(f)->initial.t) == SODAE_OK;
    f->why = why;
    if (!good) stop(f);
    return good;
}

sodae_status sodae_curve_along(const sodae_curve_system *sys, double t_end,
                               sodae_along_report *report, sodae_free_form *form,
                               sodae_failure *why) {
    sodae_failure local = {0};
    if (!why) why = &local;
    if (!sys || !report) return failure_set(why, SODAE_BAD_ARGUMENT, "system", "missing");
    const sodae_problem *p = sys->problem;
    const sodae_group *rn = &sodae_rn;
    sodae_space *own = NULL;
    int n = sodae_problem_unknowns(p);
    if (n > MOST_UNKNOWNS && !sys->linear)
        return failure_set(why, SODAE_NOT_ALLOWED, p->name,
                           "%d unknowns; the derivative array is analysed up to %d", n,
                           MOST_UNKNOWNS);
    reduction form_of;
    if (reduction_open(&form_of, p, sys->form))
        return failure_set(why, SODAE_NOT_ALLOWED, p->name,
                           "the derivative array is formed of index3, index2, index1 and "
                           "stabilized (ggl), not of %s",
                           sodae_formulation_name((int)sys->form));
    form_of.m = sys->m;
    sodae_status st = p->space ? SODAE_OK : sodae_space_create(&rn, &p->nv, 1, &own);
    follower f = {.sys = sys, .form = form_of, .space = p->space ? p->space : own, .why = why};
    double t0 = p->initial.t, t1 = isfinite(t_end) && t_end > t0 ? t_end : t0;
    if (!st && !sys->linear) f.by_initial = !starts(&f);
    if (f.by_initial) t1 = t0;
    int two = f.form.velocities;
    sodae_linear_system linear = {reduction_rows(&f.form),
                                  reduction_unknowns(&f.form),
                                  two ? NULL : sys->twice,
                                  !sys->linear,
                                  series,
                                  &f};
    if (form) *form = (sodae_free_form){0};
    if (!st) st = sodae_strangeness_along(&linear, t0, t1, report, form);
    report->by_initial = f.by_initial;
    if (!st) st = count_steps(&f, &report->point[0]);
    if (st == SODAE_NOT_FINITE && !why->message[0])
        failure_set(why, st, p->name, "no point of the derivative array was found near the run");
    stop(&f);
    sodae_space_free(own);
    return st;
}
