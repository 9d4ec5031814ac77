/* Bounds of tapes: what the outputs can be while t runs over an interval.
 *
 * Every operation maps intervals to an interval that holds all its values (interval arithmetic,
 * R. E. Moore 1966). Bounds of expressions in which t occurs more than once are wider than needed,
 * by about the width of the interval; smaller intervals have closer bounds. What is not defined
 * somewhere has no bounds: -inf, inf. */
#include "expression/tape.h"

#include <math.h>
#include <string.h>

typedef struct span {
    double lo, hi;
} span;

static const span anything = {-INFINITY, INFINITY};

static span ordered(double a, double b) {
    if (isnan(a) || isnan(b)) return anything;
    return a < b ? (span){a, b} : (span){b, a};
}

static span sum(span a, span b) {
    double lo = a.lo + b.lo, hi = a.hi + b.hi;
    return isnan(lo) || isnan(hi) ? anything : (span){lo, hi};
}

static span negative(span a) {
    return (span){-a.hi, -a.lo};
}

static span product(span a, span b) {
    double p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    span out = {p[0], p[0]};
    for (int i = 0; i < 4; i++) {
        if (isnan(p[i])) return anything;
        out.lo = p[i] < out.lo ? p[i] : out.lo, out.hi = p[i] > out.hi ? p[i] : out.hi;
    }
    return out;
}

static span magnitude(span a) {
    if (a.lo >= 0) return a;
    return a.hi <= 0 ? negative(a) : (span){0, fmax(-a.lo, a.hi)};
}

/* The product of a number with itself is not negative. */
static span square(span a) {
    span m = magnitude(a);
    return (span){m.lo * m.lo, m.hi * m.hi};
}

static span quotient(span a, span b) {
    if (b.lo <= 0 && b.hi >= 0) return anything;
    return product(a, ordered(1 / b.lo, 1 / b.hi));
}

/* Exact quotients at a point, so that bounds of a point are the value. */
static span divide(span a, span b) {
    if (a.lo == a.hi && b.lo == b.hi) return ordered(a.lo / b.lo, a.lo / b.lo);
    return quotient(a, b);
}

static span raise(span a, span b) {
    double n = b.lo;
    int whole = b.lo == b.hi && n == floor(n), even = whole && fmod(n, 2) == 0;
    int defined = a.lo > 0 || (a.lo >= 0 && b.lo >= 0) || (whole && n >= 0);
    if (a.lo == a.hi && b.lo == b.hi) return ordered(pow(a.lo, n), pow(a.lo, n));
    if (!defined && !(whole && a.hi < 0)) return anything;
    if (a.lo < 0 && a.hi > 0 && even) return (span){0, pow(fmax(-a.lo, a.hi), n)};
    if (b.lo == b.hi) return ordered(pow(a.lo, n), pow(a.hi, n));
    span first = ordered(pow(a.lo, b.lo), pow(a.lo, b.hi));
    span last = ordered(pow(a.hi, b.lo), pow(a.hi, b.hi));
    return (span){fmin(first.lo, last.lo), fmax(first.hi, last.hi)};
}

/* sin(x + quarter pi/2): extrema at x = (k - quarter) pi/2, k odd. */
static span wave(span a, int quarter) {
    static const double half_pi = 1.5707963267948966;
    double lo = quarter ? cos(a.lo) : sin(a.lo);
    if (a.lo == a.hi) return ordered(lo, lo);
    if (!(a.hi - a.lo < 4 * half_pi) || fabs(a.lo) > 1e15) return (span){-1, 1};
    span out = ordered(lo, quarter ? cos(a.hi) : sin(a.hi));
    double first = ceil(a.lo / half_pi + quarter), last = floor(a.hi / half_pi + quarter);
    for (double k = first; k <= last; k++) {
        double turn = fmod(k, 4);
        if (turn == 1 || turn == -3) out.hi = 1;
        if (turn == 3 || turn == -1) out.lo = -1;
    }
    return out;
}

static span tangent(span a) {
    static const double pi = 3.14159265358979323846;
    if (floor(a.lo / pi + 0.5) != floor(a.hi / pi + 0.5)) return anything;
    return ordered(tan(a.lo), tan(a.hi));
}

/* atan2 jumps on the cut y = 0, x <= 0 alone. Elsewhere it grows or falls all along lines of
 * constant x or y, so that the corners of a box have its extrema. */
static span angle(span y, span x) {
    if (x.lo == x.hi && y.lo == y.hi) return ordered(atan2(y.lo, x.lo), atan2(y.lo, x.lo));
    if (x.lo <= 0 && y.lo <= 0 && y.hi >= 0) return (span){-3.1416, 3.1416};
    span first = ordered(atan2(y.lo, x.lo), atan2(y.lo, x.hi));
    span last = ordered(atan2(y.hi, x.lo), atan2(y.hi, x.hi));
    return (span){fmin(first.lo, last.lo), fmax(first.hi, last.hi)};
}

/* 1, 0 or not known. */
static span truth(int surely, int never) {
    return (span){surely ? 1 : 0, never ? 0 : 1};
}

static int is_true(span a) {
    return a.lo > 0 || a.hi < 0;
}

static int is_false(span a) {
    return a.lo == 0 && a.hi == 0;
}

static span choice(span a, span b, span c) {
    if (is_true(a)) return b;
    return is_false(a) ? c : (span){fmin(b.lo, c.lo), fmax(b.hi, c.hi)};
}

/* Growing functions of one argument, where they are defined. */
static span growing(int op, span a) {
    return ordered(expr_apply(op, a.lo, 0, 0), expr_apply(op, a.hi, 0, 0));
}

static span apply(int op, span a, span b, span c) {
    switch (op) {
    case EXPR_ADD:
        return sum(a, b);
    case EXPR_SUB:
        return sum(a, negative(b));
    case EXPR_DIV:
        return divide(a, b);
    case EXPR_NEG:
        return negative(a);
    case EXPR_POW:
        return raise(a, b);
    case EXPR_ATAN2:
        return angle(a, b);
    case EXPR_MIN:
        return (span){fmin(a.lo, b.lo), fmin(a.hi, b.hi)};
    case EXPR_MAX:
        return (span){fmax(a.lo, b.lo), fmax(a.hi, b.hi)};
    case EXPR_LT:
        return truth(a.hi < b.lo, a.lo >= b.hi);
    case EXPR_LE:
        return truth(a.hi <= b.lo, a.lo > b.hi);
    case EXPR_EQ:
        return truth(a.lo == a.hi && b.lo == b.hi && a.lo == b.lo, a.hi < b.lo || a.lo > b.hi);
    case EXPR_AND:
        return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
    case EXPR_OR:
        return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
    case EXPR_NOT:
        return truth(is_false(a), is_true(a));
    case EXPR_IF:
        return choice(a, b, c);
    case EXPR_SIN:
        return wave(a, 0);
    case EXPR_COS:
        return wave(a, 1);
    case EXPR_TAN:
        return tangent(a);
    case EXPR_ACOS:
        return ordered(acos(a.lo), acos(a.hi));
    case EXPR_COSH:
        return growing(op, magnitude(a));
    case EXPR_ABS:
        return magnitude(a);
    case TAPE_MOVE:
        return a;
    default: /* asin, atan, sinh, tanh, exp, log, sqrt, sign */
        return growing(op, a);
    }
}

/* a b, alone or with c. */
static span multiply(int op, span ab, span c) {
    if (op == TAPE_MADD) return sum(c, ab);
    if (op == TAPE_MSUB) return sum(ab, negative(c));
    return op == TAPE_NMADD ? sum(c, negative(ab)) : ab;
}

static int is_product(int op) {
    return op == EXPR_MUL || op == TAPE_MADD || op == TAPE_MSUB || op == TAPE_NMADD;
}

static void run(const tape *t, double t0, double t1, span *x, double *low, double *high) {
    for (int i = 0; i < t->nfilled; i++) x[i] = (span){t->filled[i], t->filled[i]};
    for (int k = 0; k < t->ninputs; k++)
        for (int i = 0; i < t->inputs[k].count; i++) x[t->inputs[k].to[i]] = (span){t0, t1};
    for (const tape_step *s = t->steps, *end = s + t->nsteps; s < end; s++) {
        int table = s->op == EXPR_TABLE; /* its b is no place */
        span a = x[s->a], b = x[table ? s->a : s->b], c = x[s->c];
        if (table)
            x[s->to] = anything;
        else if (s->op == TAPE_SINCOS)
            x[s->to] = wave(a, 0), x[s->b] = wave(a, 1);
        else if (is_product(s->op))
            x[s->to] = multiply(s->op, s->a == s->b ? square(a) : product(a, b), c);
        else
            x[s->to] = apply(s->op, a, b, c);
    }
    for (int i = 0; i < t->nout; i++) low[i] = x[i].lo, high[i] = x[i].hi;
}

void tape_range(const tape *t, double t0, double t1, double *low, double *high) {
    span x[TAPE_RANGE];
    memset(x, 0, (size_t)t->frame * sizeof *x);
    run(t, t0, t1, x, low, high);
}
