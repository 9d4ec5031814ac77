/* Taylor arithmetic on tapes: the coefficients of t^0, t^1, ... of every value along a curve.
 * Recurrences: Griewank, Walther, Evaluating Derivatives (SIAM 2008), section 13.2. */
#include "expression/table.h"
#include "expression/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* (a b)_k */
static double product(const double *a, const double *b, int k) {
    double sum = 0;
    for (int j = 0; j <= k; j++) sum += a[j] * b[k - j];
    return sum;
}

/* (u' w)_(k-1) / k, the k-th coefficient of the integral of u' w */
static double integral(const double *u, const double *w, int k) {
    double sum = 0;
    for (int j = 1; j <= k; j++) sum += j * u[j] * w[k - j];
    return sum / k;
}

static void multiply(const double *a, const double *b, int n, double *out) {
    for (int k = 0; k < n; k++) out[k] = product(a, b, k);
}

/* out b = a */
static void divide(const double *a, const double *b, int n, double *out) {
    for (int k = 0; k < n; k++) {
        double sum = a[k];
        for (int j = 0; j < k; j++) sum -= out[j] * b[k - j];
        out[k] = sum / b[0];
    }
}

/* s' = u' c, c' = sign u' s: sin and cos (sign -1), sinh and cosh (sign 1) */
static void pair(const double *u, int n, int sign, double *s, double *c) {
    s[0] = sign < 0 ? sin(u[0]) : sinh(u[0]);
    c[0] = sign < 0 ? cos(u[0]) : cosh(u[0]);
    for (int k = 1; k < n; k++) {
        s[k] = integral(u, c, k);
        c[k] = sign * integral(u, s, k);
    }
}

/* y' = (1 + sign y^2) u': tan (sign 1), tanh (sign -1) */
static void tangent(const double *u, int n, int sign, double *y, double *w) {
    y[0] = sign > 0 ? tan(u[0]) : tanh(u[0]);
    for (int k = 0; k < n; k++) {
        if (k > 0) y[k] = integral(u, w, k);
        w[k] = (k == 0) + sign * product(y, y, k);
    }
}

static void exponential(const double *u, int n, double *y) {
    y[0] = exp(u[0]);
    for (int k = 1; k < n; k++) y[k] = integral(u, y, k);
}

/* y^2 = u */
static void root(const double *u, int n, double *y) {
    y[0] = sqrt(u[0]);
    for (int k = 1; k < n; k++) {
        double sum = u[k];
        for (int j = 1; j < k; j++) sum -= y[j] * y[k - j];
        y[k] = sum == 0 ? 0 : sum / (2 * y[0]); /* a zero that stands still has no slope */
    }
}

/* y' w = sign u' */
static void quotient(const double *u, const double *w, int n, int sign, double y0, double *y) {
    y[0] = y0;
    for (int k = 1; k < n; k++) {
        double sum = sign * k * u[k];
        for (int j = 1; j < k; j++) sum -= j * y[j] * w[k - j];
        y[k] = sum / (k * w[0]);
    }
}

/* 1 + sign u^2 */
static void one_and_square(const double *u, int n, int sign, double *w) {
    for (int k = 0; k < n; k++) w[k] = (k == 0) + sign * product(u, u, k);
}

/* y' (a^2 + b^2) = a' b - a b' */
static void angle(const double *a, const double *b, int n, double *y) {
    y[0] = atan2(a[0], b[0]);
    for (int k = 1; k < n; k++) {
        double sum = 0;
        for (int j = 1; j <= k; j++) sum += j * (a[j] * b[k - j] - b[j] * a[k - j]);
        for (int j = 1; j < k; j++) sum -= j * y[j] * (product(a, a, k - j) + product(b, b, k - j));
        y[k] = sum / (k * (a[0] * a[0] + b[0] * b[0]));
    }
}

static int is_constant(const double *u, int n) {
    for (int k = 1; k < n; k++)
        if (u[k] != 0) return 0;
    return 1;
}

/* y' a = c y a' for a constant exponent c, else exp(b log a) */
static void power(const double *a, const double *b, int n, double *y, double *w, double *v) {
    if (!is_constant(b, n)) {
        quotient(a, a, n, 1, log(a[0]), w);
        multiply(b, w, n, v);
        exponential(v, n, y);
        return;
    }
    y[0] = pow(a[0], b[0]);
    for (int k = 1; k < n; k++) {
        double sum = 0;
        for (int j = 1; j <= k; j++) sum += (j * (b[0] + 1) - k) * a[j] * y[k - j];
        y[k] = sum == 0 ? 0 : sum / (k * a[0]);
    }
}

static void function(int op, const double *u, int n, double *y, double *w, double *v) {
    switch (op) {
    case EXPR_SIN:
        pair(u, n, -1, y, w);
        break;
    case EXPR_COS:
        pair(u, n, -1, w, y);
        break;
    case EXPR_SINH:
        pair(u, n, 1, y, w);
        break;
    case EXPR_COSH:
        pair(u, n, 1, w, y);
        break;
    case EXPR_TAN:
        tangent(u, n, 1, y, w);
        break;
    case EXPR_TANH:
        tangent(u, n, -1, y, w);
        break;
    case EXPR_ASIN:
    case EXPR_ACOS:
        one_and_square(u, n, -1, v);
        root(v, n, w);
        quotient(u, w, n, op == EXPR_ASIN ? 1 : -1, expr_apply(op, u[0], 0, 0), y);
        break;
    case EXPR_ATAN:
        one_and_square(u, n, 1, w);
        quotient(u, w, n, 1, atan(u[0]), y);
        break;
    case EXPR_EXP:
        exponential(u, n, y);
        break;
    case EXPR_LOG:
        quotient(u, u, n, 1, log(u[0]), y);
        break;
    case EXPR_SQRT:
        root(u, n, y);
        break;
    default:
        for (int k = 1; k < n; k++) y[k] = op == EXPR_ABS ? copysign(1, u[0]) * u[k] : 0;
        y[0] = expr_apply(op, u[0], 0, 0);
    }
}

static void copy(const double *from, int n, double *to) {
    memcpy(to, from, (size_t)n * sizeof *to);
}

/* y = alpha a b + beta c */
static void fused(double alpha, const double *a, const double *b, double beta, const double *c,
                  int n, double *y) {
    for (int k = 0; k < n; k++) y[k] = alpha * product(a, b, k) + beta * c[k];
}

/* y, w, v: room for n numbers each, not in the frame, whose places are used again */
static void apply(const tape *t, const tape_step *s, const double *x, int n, double *y, double *w,
                  double *v) {
    int table = s->op == EXPR_TABLE; /* its b is no place */
    const double *a = x + (size_t)s->a * (size_t)n, *b = table ? a : x + (size_t)s->b * (size_t)n,
                 *c = x + (size_t)s->c * (size_t)n;
    switch (s->op) {
    case EXPR_ADD:
        for (int k = 0; k < n; k++) y[k] = a[k] + b[k];
        break;
    case EXPR_SUB:
        for (int k = 0; k < n; k++) y[k] = a[k] - b[k];
        break;
    case EXPR_NEG:
        for (int k = 0; k < n; k++) y[k] = -a[k];
        break;
    case EXPR_MUL:
        multiply(a, b, n, y);
        break;
    case EXPR_DIV:
        divide(a, b, n, y);
        break;
    case EXPR_POW:
        power(a, b, n, y, w, v);
        break;
    case EXPR_ATAN2:
        angle(a, b, n, y);
        break;
    case EXPR_MIN:
        copy(a[0] <= b[0] ? a : b, n, y);
        break;
    case EXPR_MAX:
        copy(a[0] >= b[0] ? a : b, n, y);
        break;
    case EXPR_IF:
        copy(a[0] != 0 ? b : c, n, y);
        break;
    case TAPE_MADD:
        fused(1, a, b, 1, c, n, y);
        break;
    case TAPE_MSUB:
        fused(1, a, b, -1, c, n, y);
        break;
    case TAPE_NMADD:
        fused(-1, a, b, 1, c, n, y);
        break;
    case EXPR_TABLE: /* the interval does not move */
        for (int k = 1; k < n; k++) y[k] = 0;
        y[0] = expr_table_number(&t->tables[s->b / TABLE_COLUMNS], s->b % TABLE_COLUMNS, a[0]);
        break;
    case TAPE_SINCOS:
        pair(a, n, -1, y, w);
        break;
    case TAPE_MOVE:
    case TAPE_STORE:
        copy(a, n, y);
        break;
    default:
        if (s->op >= EXPR_SIN) {
            function(s->op, a, n, y, w, v);
            break;
        }
        for (int k = 1; k < n; k++) y[k] = 0; /* conditions */
        y[0] = expr_apply(s->op, a[0], b[0], c[0]);
    }
}

static void load(const tape *t, int n, const double *const *blocks, double *x) {
    for (int i = 0; i < t->nfilled; i++) x[(size_t)i * (size_t)n] = t->filled[i];
    for (int k = 0; k < t->ninputs; k++) {
        const tape_input *in = &t->inputs[k];
        const double *block = blocks[in->kind];
        for (int i = 0; i < in->count && block; i++)
            copy(block + (size_t)in->from[i] * (size_t)n, n, x + (size_t)in->to[i] * (size_t)n);
    }
}

int tape_taylor(const tape *t, int n, const double *const blocks[TAPE_BLOCKS], double *out) {
    size_t size = (size_t)n;
    double *x = calloc(((size_t)t->frame + 3) * size, sizeof *x);
    if (!x) return 1;
    double *y = x + (size_t)t->frame * size, *w = y + n, *v = w + n;
    load(t, n, blocks, x);
    for (const tape_step *s = t->steps, *end = s + t->nsteps; s < end; s++) {
        apply(t, s, x, n, y, w, v);
        copy(y, n, (s->op == TAPE_STORE ? out : x) + (size_t)s->to * size);
        if (s->op == TAPE_SINCOS) copy(w, n, x + (size_t)s->b * size);
    }
    memcpy(out, x, (size_t)t->direct * size * sizeof *out);
    free(x);
    return 0;
}
