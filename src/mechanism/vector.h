/* Vectors of 3 and rotation matrices, row by row. */
#pragma once

static inline double v3_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void v3_cross(const double a[3], const double b[3], double c[3]) {
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
    c[0] = x, c[1] = y;
}

/* y += s x */
static inline void v3_add(double s, const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] += s * x[i];
}

static inline void v3_sub(const double a[3], const double b[3], double c[3]) {
    for (int i = 0; i < 3; i++) c[i] = a[i] - b[i];
}

/* y = R x and y = R^T x; y is not x. */
static inline void m3_apply(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

static inline void m3_apply_transposed(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = R[i] * x[0] + R[3 + i] * x[1] + R[6 + i] * x[2];
}
