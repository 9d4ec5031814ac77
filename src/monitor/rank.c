/* Singular configurations: times at which constraints depend on each other that else do not.
 *
 * A step usually passes such a point without meeting it, so that no matrix is ever singular. With
 * C = [G; K] (rows divided by their largest norm), C0 and C1 at the ends of a step,
 *
 *     C = (1 - x) C0 + x C1,   C C^T = (1 - x)^2 C0 C0^T + x^2 C1 C1^T + 2 x (1 - x) S,
 *     S = (C0 C1^T + C1 C0^T) / 2,
 *
 * is regular all the way where S has a Cholesky factor: the smallest singular value sigma goes to
 * zero and up again like |t - t*|, its direction C^T u / sigma turns round and u^T S u < 0. Only
 * where S has none there is a singular value decomposition; if then the direction of a singular
 * value has turned (almost), the smallest value of sigma on the dense output is searched. Where the
 * rank is low already there is a decomposition at each step. */
#include "monitor/rank.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "formulation/rank.h"

#include <float.h>
#include <string.h>

enum { RANK_ROOM = 16 };

/* Entries a and b of a column, in rows i >= j: they add to entry i m + j of C C^T. */
typedef struct rank_pair {
    int a, b, slot;
} rank_pair;

struct rank_monitor {
    rank_finder finder; /* of the last decomposition */
    /* values of G, then K: at the last step, now, inside a step */
    double *before, *now, *inside;
    int *row_of; /* of each value */
    rank_pair *pair;
    int pairs;
    double *row;                       /* 1 / largest norm of each constraint's row so far */
    double *u, *y, *z, *S;             /* buffers */
    double zero;                       /* singular values below this part of the largest are zero */
    int known, rank;                   /* 1: there is a last step; the rank there */
    sodae_singularity low, *listed;    /* since when the rank is low; its entry in the list */
    sodae_singularity list[RANK_ROOM]; /* the first ones */
    long count;                        /* all of them */
    state at;
};

TUNING(deep, 0.02, "a dip below this part of the change over a step is a zero");

/* Parts in a dependence below this are not known: its vector turns by the rest of the dip. */
static double least_part(void) {
    return 2 * deep;
}

static int wanted(engine *s) {
    int m = engine_eval(s)->nl + engine_eval(s)->np;
    return m > 0 && m <= LINEAR_DENSE_MOST;
}

static int entries(const eval *e) {
    return pattern_nnz(&e->G) + pattern_nnz(&e->K);
}

/* Rows of the values, and the pairs that share a column. */
static void open_pairs(rank_monitor *w, arena *a, const eval *e) {
    const pattern *J[] = {&e->G, &e->K};
    int first[] = {0, pattern_nnz(J[0])}, m = e->nl + e->np, most = 0;
    w->row_of = arena_ints(a, (size_t)entries(e));
    for (int j = 0; j < e->nv; j++) {
        int n = 0;
        for (int half = 0; half < 2; half++) n += J[half]->colptr[j + 1] - J[half]->colptr[j];
        most += n * (n + 1) / 2;
    }
    w->pair = arena_take(a, (size_t)most, sizeof *w->pair);
    for (int j = 0; j < e->nv && !a->failed; j++) {
        int at[LINEAR_DENSE_MOST], n = 0;
        for (int half = 0; half < 2; half++)
            for (int k = J[half]->colptr[j]; k < J[half]->colptr[j + 1]; k++) {
                at[n++] = first[half] + k;
                w->row_of[first[half] + k] = J[half]->rowind[k] + half * e->nl;
            }
        for (int x = 0; x < n; x++)
            for (int y = 0; y <= x; y++)
                w->pair[w->pairs++] =
                    (rank_pair){at[x], at[y], w->row_of[at[x]] * m + w->row_of[at[y]]};
    }
}

static void *open_rank(arena *a, engine *s) {
    rank_monitor *w = arena_take(a, 1, sizeof *w);
    const eval *e = engine_eval(s);
    size_t m = (size_t)(e->nl + e->np), nv = (size_t)e->nv;
    size_t nnz = (size_t)entries(e);
    if (!w) return NULL;
    rank_open(&w->finder, a, e);
    open_pairs(w, a, e);
    w->before = arena_doubles(a, nnz), w->now = arena_doubles(a, nnz);
    w->inside = arena_doubles(a, nnz);
    w->row = arena_doubles(a, m), w->u = arena_doubles(a, m);
    w->y = arena_doubles(a, nv), w->z = arena_doubles(a, nv);
    w->S = arena_doubles(a, m * m);
    state_open(&w->at, a, e);
    return a->failed ? NULL : w;
}

static sodae_status evaluate(engine *s, const state *x, double *C) {
    eval *e = engine_eval(s);
    sodae_point at = state_point(x);
    sodae_status st = e->nl ? eval_G(e, &at, C) : SODAE_OK;
    return !st && e->np ? eval_K(e, &at, C + pattern_nnz(&e->G)) : st;
}

/* y = C^T D u, D the scale of the rows, u the singular vector k. */
static void product(const rank_monitor *w, const double *C, int k, double *y) {
    const eval *e = w->finder.e;
    double *u = w->u;
    for (int i = 0; i < w->finder.m; i++) u[i] = w->row[i] * rank_vector(&w->finder, k, i);
    vec_zero(e->nv, y);
    pattern_multiply_transposed(&e->G, C, 1, u, y);
    pattern_multiply_transposed(&e->K, C + pattern_nnz(&e->G), 1, u + e->nl, y);
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Rows are measured by the largest norm they ever had: one that vanishes is a dependence too. */
static void scale_rows(rank_monitor *w, const double *C) {
    const eval *e = w->finder.e;
    int m = w->finder.m;
    vec_zero(m, w->u);
    for (int k = 0; k < entries(e); k++) w->u[w->row_of[k]] += C[k] * C[k];
    for (int i = 0; i < m; i++) {
        double norm = sqrt(w->u[i]);
        if (norm > 0 && (w->row[i] == 0 || norm * w->row[i] > 1)) w->row[i] = 1 / norm;
    }
}

static void decompose(rank_monitor *w, const double *C) {
    rank_decompose(&w->finder, C, C + pattern_nnz(&w->finder.e->G), w->row, w->zero);
}

/* Singular vector k of the finder, which belong to C: what is left of sigma_k at C1, its sign kept.
 */
static double followed(const rank_monitor *w, const double *C, const double *C1, int k) {
    int nv = w->finder.e->nv;
    product(w, C, k, w->y);
    product(w, C1, k, w->z);
    return dot(nv, w->y, w->z) / w->finder.sigma[k];
}

/* The lower triangle of 2 S, rows not scaled. */
static void find_products(rank_monitor *w) {
    int m = w->finder.m;
    const double *restrict x = w->now, *restrict y = w->before;
    double *restrict S = w->S;
    vec_zero(m * m, S);
    for (const rank_pair *p = w->pair, *end = p + w->pairs; p < end; p++)
        S[p->slot] += x[p->a] * y[p->b] + y[p->a] * x[p->b];
}

/* Is C regular between the ends of the step? */
static int is_regular(rank_monitor *w) {
    int m = w->finder.m;
    double *S = w->S;
    find_products(w);
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            double x = S[i * m + j] * w->row[i] * w->row[j] / 2;
            for (int k = 0; k < j; k++) x -= S[i * m + k] * S[j * m + k];
            if (i == j && !(x > w->zero)) return 0;
            S[i * m + j] = i == j ? sqrt(x) : x / S[j * m + j];
        }
    return 1;
}

/* Has a singular value passed zero in the step? The finder holds those of its end. */
static int turned(const rank_monitor *w) {
    for (int k = w->rank - 1; k >= 0; k--)
        if (followed(w, w->now, w->before, k) < w->finder.sigma[k] / 4) return 1;
    return 0;
}

/* What singular values are relative to: the largest, or that of the rows when they were largest, as
 * one constraint has no other. */
static double largest_of(const rank_monitor *w) {
    return fmax(1, w->finder.sigma[0]);
}

/* Singular value number `which` at t inside the last step, relative. */
static double size_at(rank_monitor *w, engine *s, double t, int which, sodae_status *st) {
    if (!*st) engine_motion_at(s, engine_last(s), t, &w->at);
    if (!*st) *st = evaluate(s, &w->at, w->inside);
    if (*st) return INFINITY;
    decompose(w, w->inside);
    return w->finder.sigma[which] / largest_of(w);
}

/* Smallest value on the last step by golden section; the larger one of its ends. */
static sodae_status smallest(rank_monitor *w, engine *s, int which, double *t, double *size,
                             double *ends) {
    static const double golden = 0.6180339887498949;
    double hi = engine_time(s), lo = hi - engine_stepper(s)->h_last;
    double ulps = 4 * DBL_EPSILON * fmax(fabs(lo), fabs(hi)); /* times closer are the same */
    double little = fmax(sqrt(DBL_EPSILON) * engine_stepper(s)->h_last, ulps);
    sodae_status st = SODAE_OK;
    double first = size_at(w, s, lo, which, &st), last = size_at(w, s, hi, which, &st);
    double x1 = hi - golden * (hi - lo), x2 = lo + golden * (hi - lo);
    double f1 = size_at(w, s, x1, which, &st), f2 = size_at(w, s, x2, which, &st);
    while (!st && hi - lo > little) {
        if (f1 < f2) {
            hi = x2, x2 = x1, f2 = f1, x1 = hi - golden * (hi - lo);
            f1 = size_at(w, s, x1, which, &st);
        } else {
            lo = x1, x1 = x2, f1 = f2, x2 = lo + golden * (hi - lo);
            f2 = size_at(w, s, x2, which, &st);
        }
    }
    *ends = fmax(first, last);
    *t = f1 < f2 ? x1 : x2;
    *size = size_at(w, s, *t, which, &st);
    return st;
}

/* One point is met twice when a step ends on it. */
static sodae_singularity *same(rank_monitor *w, double t, double h) {
    if (!w->count || w->count > RANK_ROOM) return NULL;
    sodae_singularity *last = &w->list[w->count - 1];
    return fabs(eval_time(w->finder.e, t) - last->until) <= deep * h ? last : NULL;
}

static sodae_singularity *add(rank_monitor *w, double t, double until, int rank, double size) {
    w->count++;
    if (w->count > RANK_ROOM) return NULL;
    const eval *e = w->finder.e;
    sodae_singularity *x = &w->list[w->count - 1];
    if (isfinite(until)) until = eval_time(e, until);
    *x = (sodae_singularity){.t = eval_time(e, t),
                             .until = until,
                             .constraints = w->finder.m,
                             .rank = rank,
                             .size = size};
    return x;
}

/* The step just done has passed a zero, or seems to. The finder holds its decomposition there. */
static sodae_status has_passed(rank_monitor *w, engine *s, int rank) {
    double t, size, ends;
    sodae_status st = smallest(w, s, rank - 1, &t, &size, &ends);
    if (st || size > deep * ends || same(w, t, engine_stepper(s)->h_last)) return st;
    while (rank > 0 && w->finder.sigma[rank - 1] <= deep * ends * largest_of(w)) rank--;
    sodae_singularity *x = add(w, t, t, rank, w->finder.sigma[rank] / largest_of(w));
    if (x) rank_names(&w->finder, rank, least_part(), x->names, sizeof x->names);
    return SODAE_OK;
}

/* The rank at the new reference: lower than before, or higher again? What is low from the start
 * stands in the start report and is listed here only when it ends. */
static void follow_rank(rank_monitor *w, engine *s, int before, double t_before) {
    double t = engine_time(s);
    int r = w->rank = w->finder.rank, m = w->finder.m;
    if (w->known && r > before && before < m) {
        sodae_singularity *x = w->listed ? w->listed : add(w, w->low.t, t_before, before, 0);
        if (x && !w->listed) memcpy(x->names, w->low.names, sizeof x->names);
        if (x) x->until = eval_time(w->finder.e, t_before);
    }
    if (r == before || r == m) return;
    double size = w->finder.sigma[r] / w->finder.sigma[0];
    w->low = (sodae_singularity){.t = t};
    rank_names(&w->finder, r, least_part(), w->low.names, sizeof w->low.names);
    w->listed = w->known && r < before ? add(w, t, INFINITY, r, size) : NULL;
    if (w->listed) memcpy(w->listed->names, w->low.names, sizeof w->low.names);
}

static void set_zero(rank_monitor *w, engine *s) {
    double residual = 0;
    for (int i = 0; i < w->finder.m; i++) residual = fmax(residual, engine_residual(s) * w->row[i]);
    w->zero = engine_zero(residual);
}

/* The rank at the current state. */
static void refer(rank_monitor *w, engine *s, int before, double t_before) {
    set_zero(w, s);
    decompose(w, w->now);
    follow_rank(w, s, before, t_before);
}

static sodae_status begin(void *self, engine *s) {
    rank_monitor *w = self;
    if (engine_steps(s) == 0) {
        w->known = 0, w->count = 0, w->listed = NULL;
        vec_zero(w->finder.m, w->row);
    }
    sodae_failure *kept = probe_begin(s);
    sodae_status st = evaluate(s, engine_now(s), w->now);
    probe_end(s, kept);
    if (st) return st == SODAE_CALLBACK_FAILED ? eval_stopped(engine_eval(s), st) : SODAE_OK;
    scale_rows(w, w->now);
    refer(w, s, w->known ? w->rank : w->finder.m, engine_time(s));
    w->known = 1;
    vec_copy(entries(engine_eval(s)), w->now, w->before);
    return SODAE_OK;
}

/* A look that cannot be had is no failure, unless a function of the problem says stop. */
static sodae_status look(rank_monitor *w, engine *s) {
    sodae_failure *kept = probe_begin(s);
    refer(w, s, w->rank, engine_time(s) - engine_stepper(s)->h_last);
    sodae_status st = turned(w) ? has_passed(w, s, w->rank) : SODAE_OK;
    probe_end(s, kept);
    return st == SODAE_CALLBACK_FAILED ? eval_stopped(engine_eval(s), st) : SODAE_OK;
}

/* Before the commit, as a function of the problem may fail. */
static sodae_status judge(void *self, engine *s, trial *t) {
    rank_monitor *w = self;
    (void)t;
    return evaluate(s, engine_next(s), w->now);
}

/* Behind a cut the monitor begins again. */
static sodae_status passed(void *self, engine *s, const trial *t) {
    rank_monitor *w = self;
    if (t->cut) return SODAE_OK;
    scale_rows(w, w->now);
    int quiet = w->rank == w->finder.m && is_regular(w);
    sodae_status st = quiet ? SODAE_OK : look(w, s);
    double *swap = w->before;
    w->before = w->now, w->now = swap;
    return st;
}

const sodae_singularity *rank_list(const rank_monitor *w, int *listed, long *all) {
    *all = w->count;
    *listed = w->count < RANK_ROOM ? (int)w->count : RANK_ROOM;
    return w->list;
}

double rank_near(rank_monitor *w, engine *s, double tol, char *names, size_t size) {
    const double *sigma = w->finder.sigma;
    names[0] = 0;
    if (!w->known || evaluate(s, engine_now(s), w->inside)) return 0;
    decompose(w, w->inside);
    int r = w->finder.rank, always = w->rank;
    double least = always ? sigma[always - 1] / largest_of(w) : 0;
    while (r > 0 && sigma[r - 1] <= tol * largest_of(w)) r--;
    if (r < always || w->listed) rank_names(&w->finder, r, least_part(), names, size);
    return least;
}

const monitor monitor_rank = {
    .name = "rank",
    .wanted = wanted,
    .open = open_rank,
    .begin = begin,
    .judge = judge,
    .passed = passed,
};
