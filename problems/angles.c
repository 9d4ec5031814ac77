#include "problems/angles.h"

#include <math.h>

/* A x = b for a positive definite A, of which j >= i is given; x overwrites b. */
static void solve(int n, long double A[ANGLES_MAX][ANGLES_MAX], long double *b) {
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            long double f = A[k][i] / A[k][k];
            for (int j = i; j < n; j++) A[i][j] -= f * A[k][j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j] * b[j];
        b[i] /= A[i][i];
    }
}

void angles_rate(int n, const long double *part, const long double *own, const long double *weight,
                 long double gravity, const long double *y, long double *dy) {
    long double A[ANGLES_MAX][ANGLES_MAX], c[ANGLES_MAX], s[ANGLES_MAX];
    for (int i = 0; i < n; i++) {
        c[i] = cosl(y[i]), s[i] = sinl(y[i]);
        dy[i] = y[n + i];
        dy[n + i] = -gravity * weight[i] * c[i];
        A[i][i] = own[i];
    }
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            A[i][j] = part[j] * (c[i] * c[j] + s[i] * s[j]);
            long double m = part[j] * (s[i] * c[j] - c[i] * s[j]);
            dy[n + i] -= m * y[n + j] * y[n + j];
            dy[n + j] += m * y[n + i] * y[n + i];
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
