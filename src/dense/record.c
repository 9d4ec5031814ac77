#include "dense/record.h"

#include "base/tuning.h"
#include "base/vec.h"
#include "dense/dense.h"

TUNING(uneven, 10,
       "ratio of steps: two changes by 3, the most of the controller, pass, three do not");

void record_open(record_pool *p, arena *a, const eval *e, int room) {
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr;
    p->room = room;
    for (int i = 0; i < room + 2; i++)
        p->slot[i] = (record_point){.slot = (unsigned)i,
                                    .q = arena_doubles(a, (size_t)e->nq),
                                    .v = arena_doubles(a, nv),
                                    .r = arena_doubles(a, nr),
                                    .x = arena_doubles(a, (size_t)state_rest(e))};
    for (int i = 0; i < 3; i++) {
        record *r = &p->record[i];
        *r = (record){.pool = p, .through = 2};
        r->mode = arena_ints(a, (size_t)e->p->nmodes);
    }
}

void record_open_stages(record_pool *p, arena *a, const eval *e) {
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr;
    for (int i = 0; i < 3; i++) {
        inner_stages *s = &p->record[i].inner;
        s->theta = arena_doubles(a, INNER_STAGES * nv);
        s->v = arena_doubles(a, INNER_STAGES * nv);
        s->r = arena_doubles(a, INNER_STAGES * nr);
        s->x = arena_doubles(a, (INNER_STAGES + 1) * (size_t)state_rest(e));
    }
}

/* Room for a point that no record has; r itself gets new ones. */
static record_point *free_slot(record *r) {
    record_pool *p = r->pool;
    unsigned used = 0, slot = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < p->record[i].n; j++) used |= 1u << p->record[i].point[j].slot;
    while (used >> slot & 1) slot++;
    return &p->slot[slot];
}

enum { PARTS = 3 + 3 };

/* The parts of a state that are interpolated by values, in the order of record_point.x. */
static void parts(const eval *e, const state *s, double *part[PARTS], int size[PARTS]) {
    double *all[PARTS] = {s->vdot, s->rdot, s->lambda, s->psi, s->w, s->s};
    int sizes[PARTS] = {e->nv, e->nr, e->nl, e->np, e->nw, e->ns};
    for (int i = 0; i < PARTS; i++) part[i] = all[i], size[i] = sizes[i];
}

static void add_point(record *r, const eval *e, const state *s) {
    record_point *p = &r->point[r->n];
    *p = *free_slot(r);
    r->n++;
    double *part[PARTS], *x = p->x;
    int size[PARTS];
    p->t = s->t;
    vec_copy(e->nq, s->q, p->q), vec_copy(e->nv, s->v, p->v), vec_copy(e->nr, s->r, p->r);
    parts(e, s, part, size);
    for (int i = 0; i < PARTS; x += size[i++]) vec_copy(size[i], part[i], x);
}

void record_begin(record *r, const eval *e, const state *s) {
    r->n = 0;
    r->inner.count = 0;
    r->to = s->t;
    add_point(r, e, s);
}

void record_extend(record *r, const record *past, const eval *e, const state *end) {
    int first = past->n == past->pool->room;
    r->n = past->n - first;
    for (int i = 0; i < r->n; i++) r->point[i] = past->point[i + first];
    add_point(r, e, end);
    for (int i = 0; i < e->p->nmodes; i++) r->mode[i] = e->mode[i];
    r->inner.count = 0;
    r->to = end->t;
}

/* How far parts that rotate have turned from point i to the next one. */
static double turned(const record *r, eval *e, int i) {
    double most = 0;
    int top = e->top;
    double *xi = eval_scratch(e, e->nv);
    sodae_space_difference(e->space, r->point[i + 1].q, r->point[i].q, xi);
    for (int p = 0; p < e->space->nparts; p++) {
        const sodae_part *g = &e->space->parts[p];
        if (!g->group->abelian) most = fmax(most, vec_max(g->nv, xi + g->v0));
    }
    e->top = top;
    return most;
}

/* How many of the last points are of use. */
static int useful(const record *r, eval *e) {
    int last = r->n - 1, n = 2;
    if (r->by_values) return r->n < r->through ? r->n : r->through;
    double step = r->point[last].t - r->point[last - 1].t, angle = 0;
    for (; n < r->through && n < r->n; n++) {
        int i = last - n;
        double gap = r->point[i + 1].t - r->point[i].t;
        if (gap * uneven < step || gap > uneven * step) break;
        if (!e->space->abelian) angle += turned(r, e, i);
        if (!(angle < 3 * acos(-1) / 4)) break; /* log is unique up to pi */
    }
    return n;
}

/* v', r', multipliers, w, s by Lagrange interpolation through the last n points, those behind
 * number `from`. */
static void through_values(const record *r, const eval *e, int n, int from, double t, state *out) {
    double *part[PARTS];
    int size[PARTS], at = 0, first = r->n - n;
    parts(e, out, part, size);
    for (int i = 0; i < PARTS; at += size[i++]) {
        if (i < from || size[i] == 0) continue;
        vec_zero(size[i], part[i]);
        for (int j = first; j < r->n; j++) {
            double w = 1;
            for (int k = first; k < r->n; k++)
                if (k != j) w *= (t - r->point[k].t) / (r->point[j].t - r->point[k].t);
            vec_add(size[i], w, r->point[j].x + at, part[i]);
        }
    }
}

/* v' belongs to q and v, and forces are not stiff. */
static int by_vdot(const record *r) {
    return r->settles && !r->stiff;
}

/* As many points with v' as give the order of n points without, two at least. */
static int points_with_vdot(int n) {
    int m = (2 * n + 2) / 3;
    return m < 2 ? 2 : m;
}

/* Of v, through the ends of n steps. */
static int order_through(const record *r, int n) {
    return by_vdot(r) ? 3 * points_with_vdot(n) - 1 : n == 2 ? 4 : 2 * n - 1;
}

/* Stages where forces are stiff, and in the first step of a smooth piece. */
static int by_stages(const record *r, int n) {
    return r->inner.count > 0 && (r->stiff || n < 3);
}

int record_order(const record *r, eval *e) {
    int n = useful(r, e);
    return by_stages(r, n) ? r->inner.count + 2 : order_through(r, n);
}

static void dynamic_state(const record *r, const eval *e, int n, double t, double *out) {
    if (r->inner.count && (r->stiff_r || n < 3))
        dense_stages_r(r, e, n - 2, t, out);
    else
        dense_rates_r(r, e, n, t, out);
}

static void interpolate(const record *r, eval *e, double t, int from, state *out) {
    int n = useful(r, e), m = r->n < RECORD_VALUES ? r->n : RECORD_VALUES;
    out->t = t;
    through_values(r, e, r->by_values ? n : m, from, t, out);
    if (r->by_values)
        dense_values(r, e, n, t, out);
    else if (by_stages(r, n))
        dense_stages(r, e, t, out);
    else if (by_vdot(r))
        dense_hermite(r, e, points_with_vdot(n), 3, t, out);
    else
        dense_hermite(r, e, n, 2, t, out);
    if (e->nr && !r->by_values) dynamic_state(r, e, n, t, out->r);
}

void record_state(const record *r, eval *e, double t, state *out) {
    interpolate(r, e, t, 0, out);
    vec_copy(e->nv, out->vdot, out->a);
}

void record_motion(const record *r, eval *e, double t, state *out) {
    interpolate(r, e, t, PARTS - 1, out);
}

void record_stages(const record *r, eval *e, double t, state *out) {
    double *part[PARTS], *x = eval_scratch(e, state_rest(e));
    int size[PARTS], at = 0;
    parts(e, out, part, size);
    out->t = t;
    dense_stages(r, e, t, out);
    dense_stages_r(r, e, 0, t, out->r);
    dense_stages_rest(r, state_rest(e), t, x);
    for (int i = 0; i < PARTS; at += size[i++]) vec_copy(size[i], x + at, part[i]);
    vec_copy(e->nv, out->vdot, out->a);
    e->top -= state_rest(e);
}

/* Always as many points: behind those that are known, the first once more. */
void record_each(record *r, const eval *e, int loading, record_visit *visit, void *user) {
    record_pool *pool = r->pool;
    double n = r->n;
    visit(user, "record.points", &n, 1);
    if (n >= 1 && n <= pool->room) r->n = (int)n;
    for (int i = 0; i < r->n && loading; i++) r->point[i] = pool->slot[i];
    for (int i = 0; i < pool->room; i++) {
        record_point *rest = loading ? &pool->slot[pool->room] : &r->point[0];
        record_point *p = i < r->n ? &r->point[i] : rest;
        visit(user, "record.t", &p->t, 1);
        visit(user, "record.q", p->q, e->nq), visit(user, "record.v", p->v, e->nv);
        visit(user, "record.r", p->r, e->nr), visit(user, "record.x", p->x, state_rest(e));
    }
}
