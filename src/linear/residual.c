#include "linear/sparse.h"

#include "base/vec.h"

/* b += alpha A x, complex numbers as all real parts, then all imaginary parts; returns the largest
 * real or imaginary part of A. */
static double multiply(const pattern *p, const double *values, int complex, double alpha,
                       const double *x, double *b) {
    int n = p->cols, nnz = pattern_nnz(p);
    pattern_multiply(p, values, alpha, x, b);
    if (!complex) return vec_max(nnz, values);
    pattern_multiply(p, values + nnz, -alpha, x + n, b);
    pattern_multiply(p, values, alpha, x + n, b + n);
    pattern_multiply(p, values + nnz, alpha, x, b + n);
    return vec_max(2 * nnz, values);
}

double sparse_residual(const linear_backend *of, void *work, const pattern *p, const double *values,
                       int complex, double *x, double *b) {
    int n = p->cols, count = complex ? 2 * n : n;
    for (int i = 0; i < count; i++) x[i] = i < n, b[i] = 0;
    double size = multiply(p, values, complex, 1, x, b), right = vec_max(count, b);
    vec_copy(count, b, x);
    of->solve(work, x, &(linear_pins){0});
    double of_x = vec_max(count, x);
    multiply(p, values, complex, -1, x, b);
    double residual = vec_max(count, b) / (size * of_x + right);
    return isfinite(residual) ? residual : INFINITY;
}
