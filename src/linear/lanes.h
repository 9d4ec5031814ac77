/* Inner products in four partial sums: a fixed order of additions that vectorises without leave to
 * reassociate. */
#pragma once

/* Compiled twice: with four lanes where the processor has them. The order of operations is that of
 * the source, and nothing is contracted: the bits are the same. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define LANES __attribute__((target_clones("avx2", "default")))
#else
#define LANES
#endif

/* y_j *= x_j; n is a multiple of four. */
static inline void lanes_multiply(int n, const double *restrict x, double *restrict y) {
    for (int k = 0; k < n; k += 4)
        for (int j = k; j < k + 4; j++) y[j] *= x[j];
}

static inline double lanes_dot(int n, const double *x, const double *y) {
    double a = 0, b = 0, c = 0, d = 0;
    int j = 0;
    for (; j + 3 < n; j += 4) {
        a += x[j] * y[j], b += x[j + 1] * y[j + 1];
        c += x[j + 2] * y[j + 2], d += x[j + 3] * y[j + 3];
    }
    for (; j < n; j++) a += x[j] * y[j];
    return (a + b) + (c + d);
}
