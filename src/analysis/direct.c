/* Stability of methods that are no table (A.17), on q'' = 2 Re(z) q' - |z|^2 q with h = 1, whose
 * solutions are exp(z t) and its conjugate.
 *
 * direct-bdf of order k: v_n = p_k'(t_n), a_n = p_(k+1)''(t_n). dc: one polynomial u through k old
 * values with u''(c_i) = a_i, v_i = u'(c_i). Both take derivatives of polynomials through old q and
 * those of the stages, the last of which is the new one. */
#include <sodae/stability.h>

#include "analysis/angle.h"
#include "linear/lapack.h"
#include "linear/small.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { PAST = 6, STAGES = SODAE_DIRECT_STAGES, POINTS = PAST + STAGES };

typedef struct direct {
    int past, stages, low; /* low: v without the oldest point */
    double at[POINTS];     /* old points 0, -1, .., then the stages */
    double a[STAGES][POINTS], v[STAGES][POINTS];
} direct;

/* Weights of the derivatives 0, 1, 2 at x of the polynomial through n points, by Taylor arithmetic
 * of the basis polynomials. */
static void rates(int n, const double *at, double x, double w[][3]) {
    for (int j = 0; j < n; j++) {
        double p[3] = {1, 0, 0};
        for (int m = 0; m < n; m++) {
            if (m == j) continue;
            double scale = 1 / (at[j] - at[m]), y = (x - at[m]) * scale;
            p[2] = p[2] * y + 2 * p[1] * scale, p[1] = p[1] * y + p[0] * scale, p[0] *= y;
        }
        for (int d = 0; d < 3; d++) w[j][d] = p[d];
    }
}

static void fill(direct *m) {
    int n = m->past + m->stages;
    double w[POINTS][3], at[POINTS];
    for (int i = 0; i < m->stages; i++) {
        rates(n, m->at, m->at[m->past + i], w);
        for (int j = 0; j < n; j++) m->a[i][j] = w[j][2], m->v[i][j] = w[j][1];
        if (!m->low) continue;
        for (int j = 0, k = 0; j < n; j++)
            if (j != m->past - 1) at[k++] = m->at[j];
        rates(n - 1, at, m->at[m->past + i], w);
        for (int j = 0, k = 0; j < n; j++) m->v[i][j] = j == m->past - 1 ? 0 : w[k++][1];
    }
}

static int open(direct *m, sodae_method by, int k, int stages) {
    int bdf = by == SODAE_DIRECT_BDF;
    *m = (direct){.past = bdf ? k + 1 : k, .stages = bdf ? 1 : stages, .low = bdf};
    if (k < 1 || m->past > PAST || m->stages < 1 || m->stages > STAGES) return 0;
    for (int j = 0; j < m->past; j++) m->at[j] = -j;
    m->at[m->past] = 1;
    if (!bdf && sodae_direct_nodes(k, stages, m->at + m->past) < 0) return 0;
    fill(m);
    return 1;
}

/* Roots of q_(n+1) = sum_j row_j q_(n-j), largest first. */
static int by_size(const void *a, const void *b) {
    double x = cabs(*(const double complex *)a), y = cabs(*(const double complex *)b);
    return (x < y) - (x > y);
}

static void roots(const direct *m, double re, double im, double complex *root) {
    int n = m->past, s = m->stages, one = 1, size = 64, info;
    long double A[STAGES * STAGES], X[STAGES * PAST];
    double C[PAST * PAST] = {0}, x[PAST], y[PAST], work[64], none, z2 = re * re + im * im;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < n + s; j++) {
            long double w = m->a[i][j] - 2 * re * m->v[i][j] + (j == n + i ? z2 : 0);
            if (j < n)
                X[i * n + j] = -w;
            else
                A[i * s + j - n] = w;
        }
    }
    int regular = small_solve(s, A, s, n, X, n);
    for (int j = 0; j < n; j++) C[j * n] = (double)X[(s - 1) * n + j];
    for (int j = 1; j < n; j++) C[j + (j - 1) * n] = 1;
    dgeev_("N", "N", &n, C, &n, x, y, &none, &one, &none, &one, work, &size, &info);
    for (int j = 0; j < n; j++) root[j] = regular && !info ? x[j] + I * y[j] : NAN;
    qsort(root, (size_t)n, sizeof *root, by_size);
}

static double largest_root(const void *method, double re, double im) {
    double complex root[PAST];
    roots(method, re, im, root);
    return cabs(root[0]);
}

/* |root - exp(z)| of the root nearest to exp(z). */
static double error_at(const direct *m, double complex z) {
    double complex root[PAST];
    double least = INFINITY;
    roots(m, creal(z), cimag(z), root);
    for (int j = 0; j < m->past; j++) least = fmin(least, cabs(root[j] - cexp(z)));
    return least;
}

sodae_status sodae_direct_check(sodae_method by, int k, int stages, sodae_direct_report *out) {
    direct m;
    double complex root[PAST], z = 0.1 * cexp(2.5 * I);
    if (!out || (by != SODAE_DIRECT_BDF && by != SODAE_DC) || !open(&m, by, k, stages))
        return SODAE_BAD_ARGUMENT;
    *out = (sodae_direct_report){.past = m.past, .stages = m.stages};
    out->order = (int)lround(log2(error_at(&m, z) / error_at(&m, z / 2))) - 1;
    out->angle = angle_of_stability(largest_root, &m, 1e-2);
    roots(&m, 0, 0, root);
    out->parasitic = m.past > 2 ? cabs(root[2]) : 0;
    for (int i = 0; i < m.stages; i++) out->c[i] = m.at[m.past + i];
    for (int j = 0; j < m.past + m.stages; j++) out->weight[j] = m.a[m.stages - 1][j];
    return SODAE_OK;
}

static double size_of_polynomial(const double *c, int degree, double re, double im) {
    double complex z = re + I * im, R = 0;
    for (int j = degree; j >= 0; j--) R = R * z + c[j];
    return cabs(R);
}

sodae_status sodae_method_radius(sodae_method by, int k, int stages, double re, double im,
                                 double *radius) {
    sodae_explicit_report e;
    direct m;
    if (!radius) return SODAE_BAD_ARGUMENT;
    if (sodae_explicit_check(by, &e) == SODAE_OK)
        *radius = size_of_polynomial(e.R, e.stages, re, im);
    else if ((by != SODAE_DIRECT_BDF && by != SODAE_DC) || !open(&m, by, k, stages))
        return SODAE_BAD_ARGUMENT;
    else
        *radius = largest_root(&m, re, im);
    return SODAE_OK;
}

/* How far |R| <= 1 holds from 0 in the direction (re, im). */
static double extent(const sodae_explicit_report *e, double re, double im) {
    enum { SCAN = 4000 };
    const double far = 40, slack = 1e-12;
    double low = 0, high = 0;
    for (int i = 1; i <= SCAN && high == 0; i++) {
        double x = far * i / SCAN;
        if (size_of_polynomial(e->R, e->stages, x * re, x * im) > 1 + slack)
            high = x;
        else
            low = x;
    }
    while (high - low > 1e-12 * high) {
        double x = (low + high) / 2;
        if (x == low || x == high) break;
        if (size_of_polynomial(e->R, e->stages, x * re, x * im) > 1 + slack)
            high = x;
        else
            low = x;
    }
    return low;
}

sodae_status sodae_explicit_check(sodae_method by, sodae_explicit_report *out) {
    if (!out) return SODAE_BAD_ARGUMENT;
    *out = (sodae_explicit_report){0};
    sodae_status st = sodae_explicit_polynomial(by, &out->order, &out->stages, out->R);
    if (st) return st;
    out->real = extent(out, -1, 0), out->imaginary = extent(out, 0, 1);
    return SODAE_OK;
}
