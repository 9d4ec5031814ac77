/* What constraints do along the motion t' = 1, q' = v, v' = 0, s' = sdot, by differences.
 *
 * Second derivatives of g, where neither G nor the rate is given, are those of values. With D_q
 * along q' = v, s' = -h_s^-1 h_q v at rest in t, and D_t along t' = 1, s' = -h_s^-1 h_t at rest in
 * q,
 *
 *     g_tt + 2 g_tq v + g_qq(v,v) = D²g - g_s h_s^-1 D²h,  D² = D_q² + 2 D_q D_t + D_t²,
 *
 * as s' itself changes by -h_s^-1 D²h. Each has steps of its own: those by q are as long as they
 * may be, however slow the motion is, so that rounding counts by v² and by v. The mixed one is what
 * D² along both has more than the two others.
 */
#include "problem/line.h"

#include "base/vec.h"

typedef struct motion {
    eval *e;
    sodae_function f;
    const sodae_point *at;
    double *q, *dq, *s, *by_q, *by_t; /* shifted q, its shift, shifted s; the parts of s' */
    double along_q, along_t;          /* how much of both motions the line has */
} motion;

static sodae_status value_along(void *of, double d, double *y) {
    motion *m = of;
    const eval *e = m->e;
    double dq = d * m->along_q, dt = d * m->along_t;
    sodae_point p = *m->at;
    p.t += dt;
    for (int j = 0; j < e->nv; j++) m->dq[j] = dq * m->at->v[j];
    sodae_space_retract(e->space, m->at->q, m->dq, m->q);
    for (int j = 0; j < e->ns; j++) m->s[j] = m->at->s[j] + dq * m->by_q[j] + dt * m->by_t[j];
    p.q = m->q;
    if (e->ns) p.s = m->s;
    return eval_value(m->e, m->f, &p, y);
}

static sodae_status open_motion(motion *m) {
    eval *e = m->e;
    m->q = eval_scratch(e, e->nq), m->dq = eval_scratch(e, e->nv);
    m->s = eval_scratch(e, e->ns);
    m->by_q = eval_scratch(e, e->ns), m->by_t = eval_scratch(e, e->ns);
    if (!m->by_t) return SODAE_NO_MEMORY;
    if (!e->ns) return SODAE_OK;
    sodae_point rest = *m->at;
    vec_zero(e->nv, m->dq);
    rest.v = m->dq;
    sodae_status st = eval_contact_rate(e, &rest, m->by_t);
    if (!st) st = eval_contact_rate(e, m->at, m->by_q);
    if (!st) vec_add(e->ns, -1, m->by_t, m->by_q);
    return st;
}

/* How far q or s is moved: by its unit, by that of first derivatives, or by an eighth of its place,
 * if that is more. Where functions vary over lengths of the unit only the first is safe; where over
 * lengths of q itself the last has the least rounding. */
enum { UNIT, FIRST, FAR };

static double width(const motion *m, sodae_variable x, int n, int kind) {
    double most = 0;
    for (int j = 0; j < n; j++) {
        double w = eval_unit(m->e, x);
        if (kind == FIRST) w = ldexp(eval_step(m->e, m->at, x, j), 11);
        if (kind == FAR) w = fmax(w, eval_size(m->e, m->at, x, j) / 8);
        most = fmax(most, w);
    }
    return most;
}

/* The time in which q and s change by that; 0: they rest. */
static double duration(const motion *m, int kind) {
    const eval *e = m->e;
    double v = vec_max(e->nv, m->at->v), sdot = vec_max(e->ns, m->by_q);
    double T = v > 0 ? width(m, SODAE_Q, e->nv, kind) / v : INFINITY;
    if (sdot > 0) T = fmin(T, width(m, SODAE_S, e->ns, kind) / sdot);
    return isfinite(T) ? eval_power_of_two(T) : 0;
}

/* Rounding of f along the motion: g and h have that of q, their rates and k that of v. */
static sodae_status rounding(void *of, double *out) {
    const motion *m = of;
    if (m->f == SODAE_HOLONOMIC_RATE)
        return eval_rounding(m->e, SODAE_HOLONOMIC, SODAE_Q, SODAE_V, m->at, out);
    sodae_variable x = m->f == SODAE_NONHOLONOMIC ? SODAE_V : SODAE_Q;
    return eval_rounding(m->e, m->f, x, x, m->at, out);
}

/* How far in time differences reach: those of values, and those inside a rate. */
static double reach(const motion *m, int order, double h) {
    if (m->along_t == 0) return 0;
    return order == 1 ? 3.5 * h + 6 * eval_step(m->e, m->at, SODAE_T, 0) : 7 * h;
}

static sodae_status settle(motion *m, line *l, double h, eval_path *path) {
    eval *e = m->e;
    sodae_status st = SODAE_OK;
    l->side = path->side = eval_side(e, m->at->t, reach(m, l->order, h));
    if (!e->p->value[m->f].fn) /* from differences inside: these as here */
        st = eval_value(e, m->f, m->at, l->y);
    e->held = 1;
    if (!st) st = line_settle(l, h, &path->level);
    e->held = 0;
    path->constant = 1;
    for (int i = 0; i < l->rows; i++) path->constant &= l->high[i] == l->low[i];
    return st;
}

/* Df (order 1) or D²f along the line into out, from steps of h. */
static sodae_status along(motion *m, int order, double h, eval_path *path, double *out) {
    eval *e = m->e;
    int top = e->top;
    line l = {.value = value_along, .rounding = rounding, .of = m, .order = order};
    l.side = path->side;
    if (order == 2 && m->along_t == 0) l.longer = (ilogb(duration(m, FAR) / m->along_q) + 1) / 2;
    l.rows = sodae_function_rows(e->p, m->f);
    sodae_status st = line_open(&l, e);
    if (!st) st = e->held ? line_held(&l, h, path->level) : settle(m, &l, h, path);
    if (!st) vec_copy(l.rows, l.best, out);
    e->top = top;
    return st;
}

/* D²f = D_q² + 2 D_q D_t + D_t² */
static sodae_status second(motion *m, sodae_function f, eval_path path[3], double *out) {
    eval *e = m->e;
    int rows = sodae_function_rows(e->p, f);
    double *qq = eval_scratch(e, rows), *both = eval_scratch(e, rows);
    double T = duration(m, UNIT), h = ldexp(1, -7);
    if (!both) return SODAE_NO_MEMORY;
    vec_zero(rows, qq);
    m->f = f, m->along_q = T, m->along_t = 0;
    sodae_status st = T > 0 ? along(m, 2, h, &path[0], qq) : SODAE_OK;
    if (T > 0 && path[0].level < 0) { /* longer steps of q for the mixed one, too */
        T = ldexp(T, -2 * path[0].level);
        vec_scale(rows, ldexp(1, -4 * path[0].level), qq);
    }
    double unit = T > 0 ? 1 / T : 0;
    m->along_q = 0, m->along_t = 1;
    h = eval_time_step(e, h);
    if (!st) st = along(m, 2, h, &path[1], out);
    int mixed = T > 0 && !path[1].constant;
    m->along_q = T;
    if (!st && mixed) st = along(m, 2, h, &path[2], both);
    for (int i = 0; i < rows && !st; i++) {
        double tt = out[i];
        out[i] += unit * unit * qq[i];
        if (mixed) out[i] += unit * (both[i] - qq[i] - tt);
    }
    return st;
}

/* D²g - g_s h_s^-1 D²h */
static sodae_status from_values(motion *m, double *out) {
    eval *e = m->e;
    double *h = eval_scratch(e, e->ns);
    const eval_block *gs = &e->block[SODAE_HOLONOMIC][SODAE_S];
    sodae_status st = second(m, SODAE_HOLONOMIC, e->path, out);
    if (st || !e->ns) return st;
    st = second(m, SODAE_CONTACT, e->path + 3, h);
    if (!st) st = eval_solve_contact(e, m->at, h, 1);
    if (!st) st = eval_derivative(e, SODAE_HOLONOMIC, SODAE_S, m->at);
    if (!st) pattern_multiply(&gs->pattern, gs->values, -1, h, out);
    return st;
}

/* D f along the whole motion. */
static sodae_status from_rate(motion *m, sodae_function f, eval_path *path, double *out) {
    double T = duration(m, FIRST);
    double h = eval_time_step(m->e, ldexp(T > 0 ? fmin(T, 1) : 1, -10));
    m->f = f, m->along_q = m->along_t = 1;
    return along(m, 1, h, path, out);
}

sodae_status eval_holonomic_drift(eval *e, const sodae_point *at, double *out) {
    motion m = {.e = e, .at = at};
    int top = e->top, rate = e->p->value[SODAE_HOLONOMIC_RATE].fn != NULL;
    rate |= e->p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn != NULL;
    sodae_status st = open_motion(&m);
    if (!st) st = rate ? from_rate(&m, SODAE_HOLONOMIC_RATE, e->path, out) : from_values(&m, out);
    e->top = top;
    return st;
}

sodae_status eval_nonholonomic_drift(eval *e, const sodae_point *at, double *out) {
    motion m = {.e = e, .at = at};
    int top = e->top;
    sodae_status st = open_motion(&m);
    if (!st) st = from_rate(&m, SODAE_NONHOLONOMIC, e->path + 6, out);
    e->top = top;
    return st;
}
