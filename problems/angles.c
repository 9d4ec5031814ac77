#include "problems/angles.h"

#include <math.h>

/* A x = b for a positive definite A, by columns; x overwrites b. */
static void solve(int n, long double A[ANGLES_MAX][ANGLES_MAX], long double *b) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            long double f = A[i][k] / A[k][k];
            for (int j = k + 1; j < n; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
}

void angles_rate(int n, const long double *part, const long double *own, const long double *weight,
                 long double gravity, const long double *y, long double *dy) {
    long double A[ANGLES_MAX][ANGLES_MAX];
    for (int i = 0; i < n; i++) {
        dy[i] = y[n + i];
        dy[n + i] = -gravity * weight[i] * cosl(y[i]);
        for (int j = 0; j < n; j++) {
            long double c = i == j ? own[i] : part[i > j ? i : j];
            A[i][j] = c * cosl(y[i] - y[j]);
            dy[n + i] -= c * sinl(y[i] - y[j]) * y[n + j] * y[n + j];
        }
    }
    solve(n, A, dy + n);
}

void angles_place(int n, double l, const long double *y, const long double *dy, double where,
                  int stride, double *q, double *v, double *a) {
    long double end[6] = {0};
    for (int i = 0; i < n; i++) {
        long double c = l * cosl(y[i]), s = l * sinl(y[i]), w = y[n + i], b = dy[n + i];
        long double along[6] = {c, s, -w * s, w * c, -b * s - w * w * c, b * c - w * w * s};
        for (int k = 0; k < 2; k++) {
            q[stride * i + k] = (double)(end[k] + where * along[k]);
            v[stride * i + k] = (double)(end[2 + k] + where * along[2 + k]);
            a[stride * i + k] = (double)(end[4 + k] + where * along[4 + k]);
        }
        for (int k = 0; k < 6; k++) end[k] += along[k];
    }
}
