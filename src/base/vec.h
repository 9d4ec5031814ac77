/* Small vector operations; n may be 0. */
#pragma once

#include <math.h>
#include <string.h>

static inline void vec_copy(int n, const double *x, double *y) {
    if (n > 0) memcpy(y, x, (size_t)n * sizeof(double));
}

static inline void vec_zero(int n, double *x) {
    if (n > 0) memset(x, 0, (size_t)n * sizeof(double));
}

/* y += a x */
static inline void vec_add(int n, double a, const double *x, double *y) {
    for (int i = 0; i < n; i++) y[i] += a * x[i];
}

static inline void vec_scale(int n, double a, double *x) {
    for (int i = 0; i < n; i++) x[i] *= a;
}

/* A sum is finite only if all terms are; large ones may add up to more than there is. */
static inline int vec_is_finite(int n, const double *x) {
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) a += x[i], b += x[i + 1], c += x[i + 2], d += x[i + 3];
    for (; i < n; i++) a += x[i];
    if (isfinite((a + b) + (c + d))) return 1;
    for (i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

/* x, but no less than `least`. */
static inline double at_least(double least, double x) {
    return x > least ? x : least;
}

/* The larger of two sizes; NaN if either is, so that nothing bad is ever lost. */
static inline double larger(double a, double b) {
    return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
}

static inline double vec_max(int n, const double *x) {
    double m = 0;
    for (int i = 0; i < n; i++) {
        double size = fabs(x[i]);
        if (size <= m) continue;
        if (isnan(size)) return NAN;
        m = size;
    }
    return m;
}
