/* Pulses of functions of t alone.
 *
 * The problem gives bounds of its signals over intervals, not only values: what is within bounds
 * over the whole step is known to be so, however short a pulse there might be. A step passes when
 * no signal leaves the range seen at its ends and at an instant between them, widened by itself.
 * Where bounds do not show that, intervals are halved; a pulse is found when the middle of one lies
 * outside of the range by a tenth of what the bounds leave possible. The step then ends before it,
 * and those after it become shorter until their own instants show the pulse, whose size the error
 * estimate decides. A signal whose bounds are too wide for that is given up, so that the others
 * have their chance, and the step is counted as one that may pass over a pulse. What changes the
 * equations by too little to be noticed does not count.
 */
#include "integrator/integrator.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>

enum {
    MOST_INTERVALS = 256,
    MOST_HALVINGS = 60,
    MOST_LOOKS = 20000,
    MOST_CHECKS = 32,
    MOST_MORE = 16000,
    ENOUGH = 300,
    FEW_INTERVALS = 8
};

static const double part = 0.1;    /* of what bounds leave possible, to be a pulse */
static const double noticed = 0.1; /* of the tolerance */
static const double foot = 8; /* a pulse begins so many times earlier than where it was found */

static const sodae_function looked_at[] = {SODAE_FORCE,   SODAE_HOLONOMIC, SODAE_NONHOLONOMIC,
                                           SODAE_DYNAMIC, SODAE_AUXILIARY, SODAE_CONTACT};
enum { FUNCTIONS = sizeof looked_at / sizeof *looked_at };

typedef struct span {
    double low, high;
} span;

static int rows(const sodae *s) {
    int n = pattern_nnz(&s->eval.mass);
    for (int i = 0; i < FUNCTIONS; i++) n += sodae_function_rows(s->problem, looked_at[i]);
    return n;
}

void signals_open(sodae *s) {
    const sodae_problem *p = s->problem;
    signals *g = &s->signals;
    size_t all = (size_t)(p->nsignals + p->nswitches), n = (size_t)p->nsignals;
    if (!all) return;
    g->low = arena_doubles(&s->memory, all), g->high = arena_doubles(&s->memory, all);
    g->before = arena_doubles(&s->memory, all);
    for (int i = 0; i < 2; i++) g->constraints[i] = arena_doubles(&s->memory, (size_t)p->nlambda);
    g->least = arena_doubles(&s->memory, n), g->most = arena_doubles(&s->memory, n);
    g->open = arena_ints(&s->memory, n), g->size = arena_doubles(&s->memory, n);
    g->measured[0] = g->measured[1] = NAN;
    for (int i = 0; i < 2; i++) g->hull[i] = arena_doubles(&s->memory, n);
    for (int i = 0; i < 2; i++) g->ends[i] = arena_doubles(&s->memory, n);
    for (int i = 0; i < 2 && n; i++) g->list[i] = arena_doubles(&s->memory, 2 * MOST_INTERVALS);
    for (int i = 0; i < 4 && n; i++) g->rows[i] = arena_doubles(&s->memory, (size_t)rows(s));
}

sodae_status signals_bounds(sodae *s, double a, double b) {
    const sodae_problem *p = s->problem;
    int code = p->signals(a, b, s->signals.low, s->signals.high, p->user);
    if (!code) return SODAE_OK;
    sodae_status st = code > 0 ? SODAE_CALLBACK_REFUSED : SODAE_CALLBACK_FAILED;
    return failure_set(&s->failure, st, "signals", "callback 'signals' returned %d at t = %.9g",
                       code, a);
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* Values at t. */
static sodae_status values(sodae *s, double t, double *out) {
    sodae_status st = signals_bounds(s, t, t);
    for (int i = 0; i < s->problem->nsignals; i++) out[i] = s->signals.low[i];
    return st;
}

/* The range of what is seen at the ends and, if given, between them, widened by itself. What is not
 * defined has any: its function says so itself. */
static span range(double a, double b, const double *inside) {
    double low = smaller(a, b), high = larger(a, b);
    if (inside) low = smaller(low, *inside), high = larger(high, *inside);
    double width = high - low;
    return isfinite(width) ? (span){low - width, high + width} : (span){-INFINITY, INFINITY};
}

/* What each signal may be inside the step, as far as its ends tell. */
static sodae_status allow_by_ends(sodae *s, double t1) {
    signals *g = &s->signals;
    sodae_status st = values(s, s->stepper.now.t, g->ends[0]);
    if (!st) st = values(s, t1, g->ends[1]);
    for (int i = 0; i < s->problem->nsignals; i++) {
        span x = range(g->ends[0][i], g->ends[1][i], NULL);
        g->least[i] = x.low, g->most[i] = x.high;
    }
    return st;
}

/* And by an instant between them: two are tried, of which a pulse may hit one. */
static sodae_status allow(sodae *s, double t1) {
    static const double inside[] = {0.37, 0.66};
    signals *g = &s->signals;
    double t = s->stepper.now.t;
    int n = s->problem->nsignals;
    for (int i = 0; i < n; i++) g->least[i] = -INFINITY, g->most[i] = INFINITY;
    for (int k = 0; k < 2; k++) {
        double at = t + inside[k] * (t1 - t);
        sodae_status st = signals_bounds(s, at, at);
        if (st) return st;
        for (int i = 0; i < n; i++) {
            span x = range(g->ends[0][i], g->ends[1][i], &g->low[i]);
            g->least[i] = larger(g->least[i], x.low), g->most[i] = smaller(g->most[i], x.high);
        }
    }
    return SODAE_OK;
}

/* How far outside a value has to be, as the bounds of the last level are. */
static double far(const signals *g, int i) {
    double width = part * (g->hull[1][i] - g->hull[0][i]);
    return isfinite(width) ? width : 0;
}

/* Once in a run: how large each signal is, as some instants show. No signal need be known better
 * than to the relative tolerance; one that is zero but for pulses has none to spare. */
static sodae_status measure(sodae *s) {
    enum { INSTANTS = 64 };
    signals *g = &s->signals;
    double a = s->t_start, length = s->stepper.span;
    if (g->measured[0] == a && g->measured[1] == length) return SODAE_OK;
    vec_zero(s->problem->nsignals, g->size);
    for (int k = 0; k <= INSTANTS; k++) {
        double t = a + length * k / INSTANTS;
        sodae_status st = signals_bounds(s, t, t);
        if (st) return st;
        for (int i = 0; i < s->problem->nsignals; i++)
            if (isfinite(g->low[i])) g->size[i] = larger(g->size[i], fabs(g->low[i]));
    }
    g->measured[0] = a, g->measured[1] = length;
    return SODAE_OK;
}

/* Do the values or bounds at hand of signal i lie more than d outside? */
static int is_beyond(const signals *g, int i, double d) {
    return g->low[i] < g->least[i] - d || g->high[i] > g->most[i] + d;
}

/* Do the bounds at hand show that nothing happens? Those that do not are counted. */
static int is_clear(const sodae *s) {
    const signals *g = &s->signals;
    int clear = 1;
    for (int i = 0; i < s->problem->nsignals; i++) {
        double d = larger(far(g, i) / 2, noticed * s->stepper.tol.rtol * g->size[i]);
        if (g->open[i] < 0 || !is_beyond(g, i, d)) continue;
        g->open[i]++;
        clear = 0;
    }
    return clear;
}

/* Does the value at hand of signal i lie outside? */
static int is_outside(const signals *g, int i) {
    double d = far(g, i);
    int known = d > 0 && isfinite(g->low[i]) && isfinite(g->high[i]);
    return g->open[i] >= 0 && known && is_beyond(g, i, d);
}

static int some_outside(const sodae *s) {
    for (int i = 0; i < s->problem->nsignals; i++)
        if (is_outside(&s->signals, i)) return 1;
    return 0;
}

/* Values at hand that do not count belong to what is allowed: only more than that is looked for. */
static void allow_values(const sodae *s) {
    const signals *g = &s->signals;
    for (int i = 0; i < s->problem->nsignals; i++) {
        if (!is_outside(g, i)) continue;
        double by = larger(g->least[i] - g->low[i], g->low[i] - g->most[i]);
        g->least[i] -= 2 * by, g->most[i] += 2 * by;
    }
}

/* All equations at time t, at the state in s->inside. */
static sodae_status evaluate(sodae *s, double t, double *out) {
    sodae_point at = state_point(&s->inside);
    at.t = t;
    for (int i = 0; i < FUNCTIONS; i++) {
        int n = sodae_function_rows(s->problem, looked_at[i]);
        sodae_status st = n ? eval_value(&s->eval, looked_at[i], &at, out) : SODAE_OK;
        if (st) return st;
        out += n;
    }
    return eval_mass(&s->eval, &at, out);
}

/* What of a change that lasts for d would not be noticed: |M| tol / d of forces, tol / d of r',
 * elsewhere rtol. `M` are the masses. */
static void unnoticed(const sodae *s, double d, const double *M, double *size) {
    const eval *e = &s->eval;
    const state *n = &s->stepper.now;
    const tolerance *tol = &s->stepper.tol;
    int all = rows(s), mass = all - pattern_nnz(&e->mass), r = e->nv + e->nl + e->np;
    for (int i = 0; i < all; i++) size[i] = tol->rtol * (i < mass ? 1 : fabs(M[i - mass]));
    vec_zero(e->nv, size);
    for (int k = 0; k < pattern_nnz(&e->mass); k++) size[e->mass.rowind[k]] += fabs(M[k]);
    for (int i = 0; i < e->nv; i++) {
        double atol = tol->each_v ? tol->each_v[i] : tol->atol_v;
        size[i] *= (atol + tol->rtol * fabs(n->v[i])) / d;
    }
    for (int i = 0; i < e->nr; i++) size[r + i] = (tol->atol_q + tol->rtol * fabs(n->r[i])) / d;
    for (int i = 0; i < all; i++) size[i] *= noticed;
}

/* Does what happens at t, in an interval of length d, count? Compared with the instants beside it,
 * at the state to which the current velocity leads. */
static int counts(sodae *s, double t, double d, double t1) {
    const stepper *z = &s->stepper;
    signals *g = &s->signals;
    double a = fmax(z->now.t, t - 2 * d), b = fmin(t1, t + 2 * d), x = (t - a) / (b - a);
    sodae_failure kept = s->failure;
    state_copy(&s->eval, &z->now, &s->inside);
    for (int i = 0; i < s->eval.nv; i++) s->dense_scratch[i] = (t - z->now.t) * z->now.v[i];
    sodae_space_retract(s->eval.space, z->now.q, s->dense_scratch, s->inside.q);
    sodae_status st = evaluate(s, t, g->rows[0]);
    if (!st) st = evaluate(s, a, g->rows[1]);
    if (!st) st = evaluate(s, b, g->rows[2]);
    s->failure = kept;
    if (st) return 1;
    unnoticed(s, d, g->rows[1] + rows(s) - pattern_nnz(&s->eval.mass), g->rows[3]);
    for (int i = 0; i < rows(s); i++) {
        double change = g->rows[0][i] - (1 - x) * g->rows[1][i] - x * g->rows[2][i];
        if (fabs(change) > g->rows[3][i]) return 1;
    }
    return 0;
}

/* The search for a pulse in a step to t1. */
typedef struct search {
    double t1;
    int looks, checks; /* that are left; without looks for signals that are not clear in a few
                          intervals only */
    int more;          /* looks beyond them */
    int count;         /* intervals in list[0] */
    int full;          /* 1: there are more than the list holds */
    int found;         /* 1: a pulse */
    int given_up;      /* signals whose bounds are too wide to tell */
    double before;     /* the pulse begins after this time */
} search;

static void widen(const sodae *s, double *low, double *high) {
    const signals *g = &s->signals;
    for (int i = 0; i < s->problem->nsignals; i++) {
        low[i] = smaller(low[i], g->low[i]);
        high[i] = larger(high[i], g->high[i]);
    }
}

/* The middle of an interval of length d. */
static sodae_status look_inside(sodae *s, search *k, double t, double d) {
    signals *g = &s->signals;
    sodae_status st = signals_bounds(s, t, t);
    if (st || !some_outside(s)) return st;
    if (k->checks == 0) {
        k->given_up++;
        return st;
    }
    k->checks--;
    k->found = counts(s, t, d, k->t1);
    k->before = g->list[1][0] - foot * d;
    if (!k->found) allow_values(s);
    return st;
}

/* One half of an interval: clear, or on the list of the next level, or a pulse. */
static sodae_status look_at(sodae *s, search *k, double a, double b, int *count) {
    signals *g = &s->signals;
    sodae_status st = signals_bounds(s, a, b);
    k->looks--;
    if (st || is_clear(s)) return st;
    k->full = *count >= (k->looks > 0 ? MOST_INTERVALS : FEW_INTERVALS);
    if (k->full) return st;
    g->list[1][2 * *count] = a, g->list[1][2 * *count + 1] = b;
    ++*count;
    return look_inside(s, k, a + (b - a) / 2, b - a);
}

/* Bounds of all intervals on the list. */
static sodae_status take_hull(sodae *s, search *k) {
    signals *g = &s->signals;
    for (int i = 0; i < s->problem->nsignals; i++)
        g->hull[0][i] = INFINITY, g->hull[1][i] = -INFINITY;
    for (int i = 0; i < k->count; i++) {
        sodae_status st = signals_bounds(s, g->list[0][2 * i], g->list[0][2 * i + 1]);
        if (st) return st;
        k->looks--;
        widen(s, g->hull[0], g->hull[1]);
    }
    return SODAE_OK;
}

/* Both halves of all intervals of list[0], into list[1]. */
static sodae_status halve_each(sodae *s, search *k, int *count) {
    signals *g = &s->signals;
    sodae_status st = SODAE_OK;
    *count = k->full = 0;
    for (int i = 0; i < s->problem->nsignals; i++) g->open[i] = g->open[i] < 0 ? -1 : 0;
    for (int i = 0; i < k->count && !k->found && !k->full && !st; i++) {
        double a = g->list[0][2 * i], b = g->list[0][2 * i + 1], middle = a + (b - a) / 2;
        if (b - a < 4 * DBL_EPSILON * fmax(fabs(a), fabs(b))) continue;
        st = look_at(s, k, a, middle, count);
        if (!st && !k->found && !k->full) st = look_at(s, k, middle, b, count);
    }
    return st;
}

/* Signals that are not clear in more than `most` intervals are not looked at any more, so that the
 * others have their chance. */
static void give_up(sodae *s, search *k, int most) {
    signals *g = &s->signals;
    for (int i = 0; i < s->problem->nsignals; i++)
        if (g->open[i] > most) g->open[i] = -1, k->given_up++;
}

static int most_open(const sodae *s) {
    int most = 0;
    for (int i = 0; i < s->problem->nsignals; i++)
        if (s->signals.open[i] > most) most = s->signals.open[i];
    return most;
}

static sodae_status next_level(sodae *s, search *k) {
    signals *g = &s->signals;
    int count;
    sodae_status st = take_hull(s, k);
    if (!st) st = halve_each(s, k, &count);
    while (!st && k->full && !k->found) {
        give_up(s, k, most_open(s) / 2);
        st = halve_each(s, k, &count);
    }
    if (st || k->found) return st;
    double *list = g->list[0];
    g->list[0] = g->list[1], g->list[1] = list;
    k->count = count;
    if (k->looks < -k->more) give_up(s, k, 0);
    return st;
}

static sodae_status find_pulse(sodae *s, double t1, search *k) {
    signals *g = &s->signals;
    double t = s->stepper.now.t, looks = MOST_LOOKS * (t1 - t) / s->stepper.span;
    *k = (search){.t1 = t1, .looks = (int)fmin(fmax(looks, 64), 4000)};
    k->checks = MOST_CHECKS;
    k->more = MOST_MORE / (8 + s->problem->nsignals / 8) + ENOUGH; /* each costs by their number */
    for (int i = 0; i < s->problem->nsignals; i++) g->hull[0][i] = g->hull[1][i] = g->open[i] = 0;
    sodae_status st = measure(s);
    if (!st) st = allow_by_ends(s, t1);
    if (!st) st = signals_bounds(s, t, t1);
    if (st || is_clear(s)) return st;
    st = allow(s, t1);
    g->list[0][0] = t, g->list[0][1] = t1, k->count = 1;
    for (int i = 0; i < MOST_HALVINGS && k->count && !k->found && !st; i++) st = next_level(s, k);
    return st;
}

sodae_status signals_limit(sodae *s, double *t1) {
    double t = s->stepper.now.t, smallest = 64 * DBL_EPSILON * fmax(fabs(t), fabs(*t1));
    search k = {0};
    s->signals.unclear = 0;
    if (!s->problem->nsignals) return SODAE_OK;
    while (*t1 - t > smallest) {
        sodae_status st = find_pulse(s, *t1, &k);
        s->signals.unclear = !k.found && k.given_up > 0;
        if (st || !k.found) return st;
        double h = *t1 - t;
        *t1 = k.before - t > h / 4 ? k.before : t + h / 4;
    }
    return SODAE_OK;
}
