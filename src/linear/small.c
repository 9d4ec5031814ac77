#include "linear/small.h"

#include <math.h>

static void swap(int n, long double *x, long double *y) {
    for (int j = 0; j < n; j++) {
        long double z = x[j];
        x[j] = y[j], y[j] = z;
    }
}

static void subtract(int n, long double c, const long double *x, long double *y) {
    for (int j = 0; j < n; j++) y[j] -= c * x[j];
}

int small_solve(int n, long double *A, int a, int columns, long double *X, int x) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (fabsl(A[i * a + k]) > fabsl(A[p * a + k])) p = i;
        if (!(fabsl(A[p * a + k]) > 0)) return 0;
        swap(n, A + k * a, A + p * a);
        swap(columns, X + k * x, X + p * x);
        for (int i = 0; i < n; i++) {
            if (i == k) continue;
            long double factor = A[i * a + k] / A[k * a + k];
            subtract(n - k, factor, A + k * a + k, A + i * a + k);
            subtract(columns, factor, X + k * x, X + i * x);
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < columns; j++) X[i * x + j] /= A[i * a + i];
    return 1;
}
