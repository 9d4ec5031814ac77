/* BDF: coefficients, A(alpha) stability, boundary of the stability region; modified BDF (3.26). */
#include <sodae/stability.h>

#include "linear/lapack.h"

#include <complex.h>
#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* sum_j (1/j) (1 - 1/zeta)^j: z on the boundary for |zeta| = 1 */
static double complex delta(int k, double complex zeta) {
    double complex d = 1 - 1 / zeta, power = d, sum = 0;
    for (int j = 1; j <= k; j++, power *= d) sum += power / j;
    return sum;
}

/* Angle of z from the negative real axis, at most 90 degrees. */
static double angle_of(int k, double theta) {
    double complex z = delta(k, cexp(I * theta));
    return creal(z) < 0 ? atan2(fabs(cimag(z)), -creal(z)) : pi / 2;
}

/* Smallest angle on the boundary: a scan, then golden section around the smallest. */
static double smallest_angle(int k) {
    enum { SCAN = 4000 };
    const double golden = (sqrt(5) - 1) / 2;
    int best = 1;
    if (k <= 2) return pi / 2;
    for (int i = 1; i < SCAN; i++)
        if (angle_of(k, pi * i / SCAN) < angle_of(k, pi * best / SCAN)) best = i;
    double a = pi * (best - 1) / SCAN, b = pi * (best + 1) / SCAN;
    while (b - a > 1e-10) {
        double x = b - golden * (b - a), y = a + golden * (b - a);
        if (angle_of(k, x) < angle_of(k, y))
            b = y;
        else
            a = x;
    }
    return angle_of(k, (a + b) / 2);
}

/* Largest |root| of sum alpha_i zeta^(k-i) after division by zeta - 1. */
static double parasitic_root(int k, const double *alpha) {
    double A[SODAE_BDF_ORDERS * SODAE_BDF_ORDERS] = {0}, re[SODAE_BDF_ORDERS], im[SODAE_BDF_ORDERS];
    double work[64], none, largest = 0, c = alpha[0];
    int n = k - 1, one = 1, size = 64, info;
    if (n == 0) return 0;
    for (int i = 1; i <= n; i++) {
        c += alpha[i];
        A[(i - 1) * n] = -c / alpha[0];
        if (i < n) A[i + (i - 1) * n] = 1;
    }
    dgeev_("N", "N", &n, A, &n, re, im, &none, &one, &none, &one, work, &size, &info);
    for (int i = 0; i < n; i++) largest = fmax(largest, hypot(re[i], im[i]));
    return info ? NAN : largest;
}

sodae_status sodae_bdf_check(int k, sodae_bdf_report *r) {
    if (k < 1 || k > SODAE_BDF_ORDERS || !r) return SODAE_BAD_ARGUMENT;
    *r = (sodae_bdf_report){.order = k, .error_constant = 1.0 / (k + 1)};
    for (int j = 1; j <= k; j++) { /* (1/j) nabla^j */
        double binomial = 1;
        for (int i = 0; i <= j; i++) {
            r->alpha[i] += (i % 2 ? -binomial : binomial) / j;
            binomial = binomial * (j - i) / (i + 1);
        }
    }
    r->angle = smallest_angle(k) * 180 / pi;
    r->parasitic = parasitic_root(k, r->alpha);
    return SODAE_OK;
}

sodae_status sodae_bdf_region(int k, int points, double *re, double *im) {
    if (k < 1 || k > SODAE_BDF_ORDERS || points < 2 || !re || !im) return SODAE_BAD_ARGUMENT;
    for (int i = 0; i < points; i++) {
        double complex z = delta(k, cexp(I * 2 * pi * i / (points - 1)));
        re[i] = creal(z), im[i] = cimag(z);
    }
    return SODAE_OK;
}

enum { MOST_STEPS = 64 };

/* Times of the grid, t[0] = 0, t[i + 1] the end of step i. */
static void grid(int steps, const double *ratios, double newest, double *t) {
    double h = 1;
    t[0] = 0;
    for (int i = 0; i < steps; i++) {
        if (i) h *= i == steps - 1 ? newest : ratios[i];
        t[i + 1] = t[i] + h;
    }
}

/* p'(t_n) of the monomial ((t - origin) / H)^s by BDF of order k at point n; exact at point 0. */
static double velocity(const double *t, int n, int k, double origin, double H, int s) {
    double sum = 0, c0 = 0;
    if (n == 0) return s * pow((t[0] - origin) / H, s - 1) / H;
    for (int j = 1; j <= k; j++) {
        double weight = 1 / (t[n - j] - t[n]);
        for (int m = 1; m <= k; m++)
            if (m != j) weight *= (t[n] - t[n - m]) / (t[n - j] - t[n - m]);
        c0 -= weight;
        sum += weight * pow((t[n - j] - origin) / H, s);
    }
    return sum + c0 * pow((t[n] - origin) / H, s);
}

/* Weight of the j-th value in y[t_n, .., t_(n-i)]. */
static double difference_weight(const double *t, int n, int i, int j) {
    double product = 1;
    for (int m = 0; m <= i; m++)
        if (m != j) product *= t[n - j] - t[n - m];
    return 1 / product;
}

/* (3.26), k x k by columns: sum_i alpha_i v[t_n, .., t_(n-i)] = p''(t_n) for ((t - t_n)/H)^(s+1).
 * Column i is scaled by H^(i+1). */
static void conditions(const double *t, int n, const int *orders, int k, double *A) {
    double H = t[n] - t[n - k];
    for (int s = 1; s <= k; s++)
        for (int i = 1; i <= k; i++) {
            double sum = 0;
            for (int j = 0; j <= i; j++) {
                int order = n - j > 0 ? orders[n - j - 1] : 0;
                sum += difference_weight(t, n, i, j) * velocity(t, n - j, order, t[n], H, s + 1);
            }
            A[s - 1 + (i - 1) * k] = sum * pow(H, i + 1);
        }
}

/* Factors A; the sign of the determinant, 0 where a pivot is rounding. */
static int factor(int k, double *A, int *pivots) {
    int info, sign = 1;
    double largest = 0;
    for (int i = 0; i < k * k; i++) largest = fmax(largest, fabs(A[i]));
    dgetrf_(&k, &k, A, &k, pivots, &info);
    for (int i = 0; i < k; i++) {
        if (fabs(A[i + i * k]) <= 1e-12 * largest) return 0;
        if ((A[i + i * k] < 0) != (pivots[i] != i + 1)) sign = -sign;
    }
    return sign;
}

static int sign_at(int steps, const double *ratios, const int *orders, double newest) {
    double t[MOST_STEPS + 1], A[SODAE_BDF_ORDERS * SODAE_BDF_ORDERS];
    int pivots[SODAE_BDF_ORDERS], k = orders[steps - 1];
    grid(steps, ratios, newest, t);
    conditions(t, steps, orders, k, A);
    return factor(k, A, pivots);
}

/* Ratios of the newest step between 0.05 and 20 where the determinant changes its sign. */
static void find_poles(int steps, const double *ratios, const int *orders,
                       sodae_modified_bdf_report *r) {
    enum { SCAN = 600 };
    double a = 0.05;
    for (int i = 1; i <= SCAN && r->npoles < 8; i++) {
        double b = 0.05 * pow(400, (double)i / SCAN), low = a, high = b;
        int before = sign_at(steps, ratios, orders, a), after = sign_at(steps, ratios, orders, b);
        a = b;
        if (before == after || before == 0) continue;
        while (high - low > 1e-12 * high) {
            double middle = (low + high) / 2;
            if (sign_at(steps, ratios, orders, middle) == before)
                low = middle;
            else
                high = middle;
            if (middle == low && middle == high) break;
        }
        r->poles[r->npoles++] = (low + high) / 2;
    }
}

static int is_possible(int steps, const double *ratios, const int *orders) {
    if (steps < 1 || steps > MOST_STEPS || !ratios || !orders) return 0;
    for (int i = 0; i < steps; i++)
        if (!(ratios[i] > 0) || orders[i] < 1 || orders[i] > SODAE_BDF_ORDERS || orders[i] > i + 1)
            return 0;
    return 1;
}

sodae_status sodae_modified_bdf_check(int steps, const double *ratios, const int *orders,
                                      sodae_modified_bdf_report *r) {
    if (!r || !is_possible(steps, ratios, orders)) return SODAE_BAD_ARGUMENT;
    double t[MOST_STEPS + 1], A[SODAE_BDF_ORDERS * SODAE_BDF_ORDERS], b[SODAE_BDF_ORDERS] = {2};
    int pivots[SODAE_BDF_ORDERS], k = orders[steps - 1], one = 1, info, n = steps;
    grid(steps, ratios, ratios[steps - 1], t);
    *r = (sodae_modified_bdf_report){.order = k, .h = t[n] - t[n - 1]};
    conditions(t, n, orders, k, A);
    r->pole = factor(k, A, pivots) == 0;
    if (steps > 1) find_poles(steps, ratios, orders, r);
    if (r->pole) return SODAE_OK;
    dgetrs_("N", &k, &one, A, &k, pivots, b, &k, &info);
    double product = 1, H = t[n] - t[n - k];
    for (int i = 1; i <= k; i++) {
        r->alpha[i - 1] = b[i - 1] * pow(H, i - 1);
        r->relative[i - 1] = r->alpha[i - 1] / product;
        product *= t[n] - t[n - i];
        for (int j = 0; j <= i; j++)
            r->beta[j] += r->h * r->alpha[i - 1] * difference_weight(t, n, i, j);
    }
    return SODAE_OK;
}
