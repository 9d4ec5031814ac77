/* Complex LU: panels of two pivots. */
#include "linear/lu.h"

#include "base/vec.h"
#include "linear/lanes.h"

static double size(const double *p, int half, int j) {
    return fabs(p[j]) + fabs(p[half + j]);
}

/* y -= (re + i im) x for n numbers; imaginary parts `half` behind. */
static void subtract(int n, int half, double re, double im, const double *restrict x,
                     double *restrict y) {
    for (int j = 0; j < n; j++) y[j] = y[j] - re * x[j] + im * x[half + j];
    for (int j = 0; j < n; j++) y[half + j] = y[half + j] - re * x[half + j] - im * x[j];
}

/* p[c] <- 1 / p[c]; numbers are of size 1 after equilibration */
static void invert(double *p, int half, int c) {
    double re = p[c], im = p[half + c], square = re * re + im * im;
    p[c] = re / square, p[half + c] = -im / square;
}

/* Pivot c, and the columns up to `end` of the rows below. */
static int eliminate(int n, int half, int c, int end, double **r) {
    int best = c;
    for (int i = c + 1; i < n; i++)
        if (size(r[i], half, c) > size(r[best], half, c)) best = i;
    double *p = r[best];
    if (!(size(p, half, c) > 0)) return 0;
    r[best] = r[c], r[c] = p;
    invert(p, half, c);
    for (int i = c + 1; i < n; i++) {
        double *y = r[i], a = y[c], b = y[half + c];
        double re = y[c] = a * p[c] - b * p[half + c];
        double im = y[half + c] = a * p[half + c] + b * p[c];
        subtract(end - c - 1, half, re, im, p + c + 1, y + c + 1);
    }
    return 1;
}

/* y -= l p + m s in columns from..half-1, l and m in the columns k and k + 1 of y. */
static void subtract_panel(int from, int half, int k, const double *restrict p,
                           const double *restrict s, double *restrict y) {
    double lr = y[k], li = y[half + k], mr = y[k + 1], mi = y[half + k + 1];
    const double *restrict q = p + half, *restrict t = s + half;
    double *restrict z = y + half;
    for (int j = from; j < half; j++) {
        y[j] = y[j] - lr * p[j] + li * q[j] - mr * s[j] + mi * t[j];
        z[j] = z[j] - lr * q[j] - li * p[j] - mr * t[j] - mi * s[j];
    }
}

int lu_complex_factor(lu *f) {
    int n = f->n, half = f->stride / 2;
    double **r = f->at;
    for (int i = 0; i < n; i++) r[i] = f->A + (ptrdiff_t)i * f->stride;
    for (int k = 0; k < n; k += 2) {
        int end = k + 2 < n ? k + 2 : n;
        for (int c = k; c < end; c++)
            if (!eliminate(n, half, c, end, r)) return 0;
        if (end == n) break;
        subtract(half - end, half, r[k + 1][k], r[k + 1][half + k], r[k] + end, r[k + 1] + end);
        for (int i = end; i < n; i++) subtract_panel(end, half, k, r[k], r[k + 1], r[i]);
    }
    for (int i = 0; i < n; i++) f->row[i] = (int)((r[i] - f->A) / f->stride);
    return 1;
}

/* x[i] - the sum of y[j] x[j] over j = from..to-1 */
static void reduce(int half, int from, int to, const double *y, int i, double *x) {
    int n = to - from;
    const double *re = y + from, *im = re + half, *xr = x + from, *xi = xr + half;
    x[i] -= lanes_dot(n, re, xr) - lanes_dot(n, im, xi);
    x[half + i] -= lanes_dot(n, re, xi) + lanes_dot(n, im, xr);
}

/* x[i] <- x[i] (re + i im) */
static void scale(int half, double re, double im, int i, double *x) {
    double a = x[i], b = x[half + i];
    x[i] = a * re - b * im, x[half + i] = a * im + b * re;
}

void lu_complex_solve(const lu *f, double *b) {
    int n = f->n, half = f->stride / 2;
    double *x = f->x;
    for (int i = 0; i < n; i++) {
        x[i] = b[f->row[i]], x[half + i] = b[n + f->row[i]];
        reduce(half, 0, i, f->at[i], i, x);
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *u = f->at[i];
        reduce(half, i + 1, n, u, i, x);
        scale(half, u[i], u[half + i], i, x);
    }
    vec_copy(n, x, b), vec_copy(n, x + half, b + n);
}

/* x[j] -= conj(y[j]) x[i] over j = from..to-1 */
static void spread(int half, int from, int to, const double *y, int i, double *x) {
    double re = x[i], im = x[half + i];
    for (int j = from; j < to; j++) {
        x[j] -= y[j] * re + y[half + j] * im;
        x[half + j] -= y[j] * im - y[half + j] * re;
    }
}

void lu_complex_solve_transposed(const lu *f, double *b) {
    int n = f->n, half = f->stride / 2;
    double *x = f->x;
    vec_copy(n, b, x), vec_copy(n, b + n, x + half);
    for (int i = 0; i < n; i++) {
        const double *u = f->at[i];
        scale(half, u[i], -u[half + i], i, x);
        spread(half, i + 1, n, u, i, x);
    }
    for (int i = n - 1; i >= 0; i--) spread(half, 0, i, f->at[i], i, x);
    for (int i = 0; i < n; i++) b[f->row[i]] = x[i], b[n + f->row[i]] = x[half + i];
}

/* As in lu.c; the diagonal holds inverses. */
double lu_complex_inverse_bound(const lu *f) {
    int n = f->n, half = f->stride / 2;
    double *y = f->x, sum = 0;
    for (int i = 0; i < n; i++) {
        y[i] = 1;
        for (int j = 0; j < i; j++) y[i] += size(f->at[i], half, j) * y[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) y[i] += size(f->at[i], half, j) * y[j];
        sum += y[i] *= size(f->at[i], half, i);
    }
    return sum;
}
