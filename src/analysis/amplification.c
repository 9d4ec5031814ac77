/* Error amplification of paper 003: E_{n+1} = T E_n + ..., T = T_+^-1 T_0. */
#include <sodae/analysis.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linear/lapack.h"

/* Matrices are written row by row as in the paper and stored by columns. */
static void by_columns(const double rows[9], double A[9]) {
    for (int i = 0; i < 9; i++) A[i] = rows[3 * (i % 3) + i / 3];
}

/* `q` is 1/z^2, 0 for z -> infinity. */
static void fill(const sodae_alpha_coefficients *c, sodae_error_system system, double q,
                 double Tplus[9], double T0[9]) {
    double am = c->alpha_m, af = c->alpha_f, be = c->beta, ga = c->gamma;
    if (system == SODAE_ERROR_INDEX3) { /* (46) */
        by_columns((double[]){0, q, -be, 1, 0, -ga, 0, 1 - af, 1 - am}, Tplus);
        by_columns((double[]){1, q, 0.5 - be, 1, 0, 1 - ga, 0, -af, -am}, T0);
    } else { /* blockdiag(-alpha_m/(1-alpha_m), (59)) */
        by_columns((double[]){1 - am, 0, 0, 0, 0, -ga, 0, 1 - af, 1 - am}, Tplus);
        by_columns((double[]){-am, 0, 0, 0, 0, 1 - ga, 0, -af, -am}, T0);
    }
}

static sodae_status amplification(const sodae_alpha_coefficients *c, sodae_error_system system,
                                  double q, double T[9], double Tplus[9], double T0[9]) {
    double left[9], right[9];
    const int n = 3;
    int pivot[3], info;
    fill(c, system, q, left, right);
    if (Tplus) memcpy(Tplus, left, sizeof left);
    if (T0) memcpy(T0, right, sizeof right);
    memcpy(T, right, sizeof right);
    dgetrf_(&n, &n, left, &n, pivot, &info);
    if (info != 0) return SODAE_SINGULAR;
    dgetrs_("N", &n, &n, left, &n, pivot, T, &n, &info);
    return SODAE_OK;
}

sodae_status sodae_amplification(const sodae_alpha_coefficients *c, sodae_error_system system,
                                 double T[9], double Tplus[9], double T0[9]) {
    if (!c || !T || (system != SODAE_ERROR_INDEX3 && system != SODAE_ERROR_STABILIZED))
        return SODAE_BAD_ARGUMENT;
    return amplification(c, system, 0, T, Tplus, T0);
}

sodae_status sodae_alpha_overshoot(const sodae_alpha_coefficients *c, double h_omega, int n_max,
                                   double *largest, int *at) {
    double T[9];
    if (!c || !(h_omega > 0)) return SODAE_BAD_ARGUMENT;
    sodae_status st = amplification(c, SODAE_ERROR_INDEX3, 1 / (h_omega * h_omega), T, NULL, NULL);
    return st ? st : sodae_amplification_growth(T, n_max, largest, at, NULL, NULL, NULL);
}

/* Largest singular value. */
static int norm2(const double A[9], double *norm) {
    double copy[9], s[3], none = 0, work[64];
    const int n = 3, one = 1, size = 64;
    int info;
    memcpy(copy, A, sizeof copy);
    for (int i = 0; i < 9; i++)
        if (!isfinite(A[i])) { /* LAPACK would print */
            *norm = INFINITY;
            return 1;
        }
    dgesvd_("N", "N", &n, &n, copy, &n, s, &none, &one, &none, &one, work, &size, &info);
    *norm = s[0];
    return info == 0;
}

static void multiply(const double T[9], double A[9]) {
    double product[9];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            product[i + 3 * j] =
                T[i] * A[3 * j] + T[i + 3] * A[3 * j + 1] + T[i + 6] * A[3 * j + 2];
    memcpy(A, product, sizeof product);
}

static void second_row(const double A[9], int n, double row2_max[3], int row2_n[3]) {
    for (int j = 0; j < 3; j++) {
        double entry = fabs(A[1 + 3 * j]);
        if (n > 1 && !(entry > row2_max[j])) continue;
        row2_max[j] = entry;
        if (row2_n) row2_n[j] = n;
    }
}

sodae_status sodae_amplification_growth(const double T[9], int n_max, double *largest, int *at,
                                        double *norms, double row2_max[3], int row2_n[3]) {
    double A[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, best = -1, norm, row[3];
    if (!T || n_max < 0) return SODAE_BAD_ARGUMENT;
    for (int n = 0; n <= n_max; n++) {
        if (n > 0) multiply(T, A);
        if (!norm2(A, &norm)) return SODAE_NOT_FINITE;
        if (norms) norms[n] = norm;
        if (n > 0) second_row(A, n, row2_max ? row2_max : row, row2_n);
        if (!(norm > best)) continue;
        best = norm;
        if (at) *at = n;
    }
    if (largest) *largest = best;
    return SODAE_OK;
}

/* The terms grow while (n+1) rho / (n-1) > 1, that is n < (1+rho)/(1-rho). */
double sodae_c_inf(double rho_inf, int *at) {
    if (!(rho_inf >= 0 && rho_inf < 1)) {
        if (at) *at = INT_MAX;
        return INFINITY;
    }
    double peak = (1 + rho_inf) / (1 - rho_inf);
    double n = fmax(2, ceil(peak * (1 - 1e-13)));
    if (at) *at = n < INT_MAX ? (int)n : INT_MAX;
    return n * (n - 1) / 2 * pow(rho_inf, n - 2);
}
