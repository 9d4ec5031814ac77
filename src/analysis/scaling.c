/* Least squares of the logarithms (Curtis, Reid: J. Inst. Maths Applics 10 (1972), 118-124), with
 * the unit of time as one more unknown: sum over the nonzero entries of (log2 |a_k,ij| + r_i + c_j
 * - k theta)^2, k the order of the derivative. The result does not depend on the units of the data.
 */
#include "analysis/scaling.h"

#include "base/vec.h"

/* Entries that are this small once the others are of size one are rounding errors. Before anything
 * is scaled: small against the largest entries of their row and of their column in the same matrix.
 */
#define NOISE 1e-14

static double *entry(pencil2 p, int k, int i, int j) {
    return mat_at(k == 2 ? p.A2 : k == 1 ? p.A1 : p.A0, i, j);
}

/* z = (r, c, theta) */
static double logarithm(pencil2 p, const double *z, int k, int i, int j) {
    int m = p.A0.m, n = p.A0.n;
    return log2(fabs(*entry(p, k, i, j))) + z[i] + z[m + j] - k * z[m + n];
}

static void add_term(mat N, mat b, int m, int n, int k, int i, int j, double value) {
    const int at[3] = {i, m + j, m + n};
    const double weight[3] = {1, 1, -k};
    for (int x = 0; x < 3; x++) {
        for (int y = 0; y < 3; y++) *mat_at(N, at[x], at[y]) += weight[x] * weight[y];
        *mat_at(b, at[x], 0) -= weight[x] * value;
    }
}

static double row_size(pencil2 p, int k, int i) {
    double size = 0;
    for (int j = 0; j < p.A0.n; j++) size = fmax(size, fabs(*entry(p, k, i, j)));
    return size;
}

static double column_size(pencil2 p, int k, int j) {
    double size = 0;
    for (int i = 0; i < p.A0.m; i++) size = fmax(size, fabs(*entry(p, k, i, j)));
    return size;
}

static int is_noise(pencil2 p, const double *z, int k, int i, int j) {
    if (z) return logarithm(p, z, k, i, j) < log2(NOISE);
    return fabs(*entry(p, k, i, j)) < NOISE * fmin(row_size(p, k, i), column_size(p, k, j));
}

/* Moves z to the least squares solution over the entries that are not noise at `old` (NULL: none).
 */
static void improve(ranks *w, pencil2 p, const double *old, double *z) {
    int m = p.A0.m, n = p.A0.n, size = m + n + 1;
    mat N = mat_zero(w, size, size), b = mat_zero(w, size, 1);
    if (w->failed) return;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++)
                if (*entry(p, k, i, j) != 0 && !is_noise(p, old, k, i, j))
                    add_term(N, b, m, n, k, i, j, logarithm(p, z, k, i, j));
    mat step = mat_product(w, mat_pseudo_inverse(w, N), b);
    if (!w->failed) vec_add(size, 1, step.x, z);
}

scaling scaling_apply(ranks *w, pencil2 p) {
    int m = p.A0.m, n = p.A0.n;
    ranks own = {.a = w->a, .tolerance = 1e-12, .failed = w->failed};
    scaling s = {0, arena_ints(w->a, (size_t)m), arena_ints(w->a, (size_t)n)};
    double *z = arena_doubles(w->a, (size_t)(m + n + 1));
    if (!s.rows || !s.columns || !z) own.failed = 1;
    for (int round = 0; round < 4 && !own.failed; round++) improve(&own, p, round ? z : NULL, z);
    w->failed = own.failed;
    if (w->failed) return s;
    s.tau = (int)lround(z[m + n]);
    for (int i = 0; i < m; i++) s.rows[i] = (int)lround(z[i]);
    for (int j = 0; j < n; j++) s.columns[j] = (int)lround(z[m + j]);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double *x = entry(p, k, i, j);
                *x = ldexp(*x, s.rows[i] + s.columns[j] - k * s.tau);
            }
    return s;
}
