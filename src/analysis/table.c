/* What a table promises: order, stability at 0 and at infinity, and the orders of q, v and lambda
 * by the theorems of 004 chapter 5 and appendix A. */
#include <sodae/table.h>

#include "analysis/angle.h"
#include "analysis/trees.h"
#include "linear/small.h"

#include <complex.h>
#include <math.h>

enum { K = SODAE_TABLE_STEPS, S = SODAE_TABLE_STAGES };

static const double digits = 1e-10; /* coefficients are given with ten digits at least */

static int conditions_B(const sodae_glm_table *t) {
    int p = 0;
    for (;; p++) {
        double sum = 0;
        for (int i = 0; i < t->stages; i++) sum += t->F[0][i] * (p ? pow(t->c[i], p) : 1);
        if (fabs(sum - 1.0 / (p + 1)) > digits || p == 2 * S) return p;
    }
}

static int conditions_C(const sodae_glm_table *t) {
    for (int q = 0; q < 2 * S; q++)
        for (int i = 0; i < t->stages; i++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) sum += t->Ft[i][j] * (q ? pow(t->c[j], q) : 1);
            if (fabs(sum - pow(t->c[i], q + 1) / (q + 1)) > digits) return q;
        }
    return 2 * S;
}

static int conditions_D(const sodae_glm_table *t) {
    for (int r = 0; r < 2 * S; r++)
        for (int j = 0; j < t->stages; j++) {
            double sum = 0;
            for (int i = 0; i < t->stages; i++)
                sum += t->F[0][i] * (r ? pow(t->c[i], r) : 1) * t->Ft[i][j];
            if (fabs(sum - t->F[0][j] / (r + 1) * (1 - pow(t->c[j], r + 1))) > digits) return r;
        }
    return 2 * S;
}

static double product(int n, int x, const double *row, const double *column) {
    double sum = 0;
    for (int l = 0; l < n; l++) sum += row[l] * column[l * x];
    return sum;
}

/* (A.17) is a method for y' = f twice: A = E, B = F Et, D = F Ft, and so for the stages. */
static int is_lifted(const sodae_glm_table *t) {
    double off = 0;
    for (int i = 0; i < t->steps; i++) {
        for (int j = 0; j < t->steps; j++) {
            off = fmax(off, fabs(t->A[i][j] - t->E[i][j]));
            off = fmax(off, fabs(t->B[i][j] - product(t->stages, K, t->F[i], &t->Et[0][j])));
        }
        for (int j = 0; j < t->stages; j++)
            off = fmax(off, fabs(t->D[i][j] - product(t->stages, S, t->F[i], &t->Ft[0][j])));
    }
    for (int i = 0; i < t->stages; i++) {
        for (int j = 0; j < t->steps; j++) {
            off = fmax(off, fabs(t->At[i][j] - t->Et[i][j]));
            off = fmax(off, fabs(t->Bt[i][j] - product(t->stages, K, t->Ft[i], &t->Et[0][j])));
        }
        for (int j = 0; j < t->stages; j++)
            off = fmax(off, fabs(t->Dt[i][j] - product(t->stages, S, t->Ft[i], &t->Ft[0][j])));
    }
    return off <= digits;
}

/* A.0.7 for the value y(t_n+1), of which multipliers are part. */
static int is_stiffly_accurate(const sodae_glm_table *t) {
    for (int i = 0; i < t->steps; i++)
        if (t->at[i] == 0 && t->derivative[i] == 0 && sodae_table_stage(t, i) >= 0) return 1;
    return 0;
}

static int has_inverse(const sodae_glm_table *t, const double m[][S]) {
    long double A[S * S], b[S] = {0};
    for (int i = 0; i < t->stages; i++)
        for (int j = 0; j < t->stages; j++) A[i * t->stages + j] = m[i][j];
    return small_solve(t->stages, A, t->stages, 1, b, 1);
}

static void at_infinity(const sodae_glm_table *t, double M[][K]) {
    int s = t->stages, k = t->steps;
    long double A[S * S], X[S * K];
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) A[i * s + j] = t->Ft[i][j];
        for (int j = 0; j < k; j++) X[i * k + j] = t->Et[i][j];
    }
    int regular = small_solve(s, A, s, k, X, k);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) {
            long double sum = t->E[i][j];
            for (int l = 0; l < s && regular; l++) sum -= t->F[i][l] * X[l * k + j];
            M[i][j] = (double)(regular ? sum : NAN);
        }
}

/* X <- (I - z Ft)^-1 z Et. 0: singular. */
static int solve_stages(const sodae_glm_table *t, double complex z, double complex X[S][K]) {
    int s = t->stages, k = t->steps;
    double complex A[S][S];
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) A[i][j] = (i == j) - z * t->Ft[i][j];
        for (int j = 0; j < k; j++) X[i][j] = z * t->Et[i][j];
    }
    for (int c = 0; c < s; c++) {
        int p = c;
        for (int i = c + 1; i < s; i++)
            if (cabs(A[i][c]) > cabs(A[p][c])) p = i;
        if (cabs(A[p][c]) == 0) return 0;
        for (int j = 0; j < s; j++) {
            double complex w = A[c][j];
            A[c][j] = A[p][j], A[p][j] = w;
        }
        for (int j = 0; j < k; j++) {
            double complex w = X[c][j];
            X[c][j] = X[p][j], X[p][j] = w;
        }
        for (int i = 0; i < s; i++) {
            double complex factor = i == c ? 0 : A[i][c] / A[c][c];
            for (int j = 0; j < s && i != c; j++) A[i][j] -= factor * A[c][j];
            for (int j = 0; j < k && i != c; j++) X[i][j] -= factor * X[c][j];
        }
    }
    for (int i = 0; i < s; i++)
        for (int j = 0; j < k; j++) X[i][j] /= A[i][i];
    return 1;
}

/* |M^N|^(1/N), N = 2^DOUBLINGS; *bounded: do powers up to 2^LOOKS stay below 100 times the largest
 * entry? An eigenvalue of modulus 1 that is defective makes them grow like N; one that is off by
 * the digits of the coefficients does not. */
static double radius_of(int k, double complex M[K][K], int *bounded) {
    enum { DOUBLINGS = 40, LOOKS = 14 };
    const double clear = 0.01; /* log |M^N| / N is off by log(condition) / N */
    double log_size = 0, first = 0, sum = 0;
    for (int n = 0; n <= DOUBLINGS; n++) {
        double complex P[K][K] = {{0}};
        double size = 0;
        for (int i = 0; i < k * k; i++) size = fmax(size, cabs(M[i / k][i % k]));
        if (n == 0) first = log(fmax(size, 1));
        if (!(size > 1e-150)) return 0; /* nilpotent */
        log_size += log(size) / pow(2, n), sum = 2 * sum + log(size);
        if (n <= LOOKS && sum > first + log(100)) *bounded = 0;
        if (n == DOUBLINGS || (n >= LOOKS && fabs(log_size) > clear)) break;
        for (int i = 0; i < k; i++)
            for (int j = 0; j < k; j++)
                for (int l = 0; l < k; l++) P[i][j] += M[i][l] / size * (M[l][j] / size);
        for (int i = 0; i < k * k; i++) M[i / k][i % k] = P[i / k][i % k];
    }
    return exp(log_size);
}

/* Spectral radius of a real matrix; *stable: its powers are bounded; *one: 1 is an eigenvalue. */
static double spectrum(int k, const double M[][K], int *stable, int *one) {
    double complex N[K][K];
    long double A[K * K], x[K];
    *stable = 1, *one = 0;
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) N[i][j] = M[i][j], A[i * k + j] = M[i][j] - (i == j);
        x[i] = 1 + i / 7.0L; /* no eigenvector of simple matrices */
    }
    *one = !small_solve(k, A, k, 1, x, 1);
    for (int i = 0; i < k; i++) *one |= !(fabsl(x[i]) < 1e8L);
    return radius_of(k, N, stable);
}

static double radius_at(const sodae_glm_table *t, double complex z, double complex M[K][K]) {
    double complex X[S][K], N[K][K];
    int bounded = 1;
    if (!solve_stages(t, z, X)) return INFINITY;
    for (int i = 0; i < t->steps; i++)
        for (int j = 0; j < t->steps; j++) {
            M[i][j] = t->E[i][j];
            for (int l = 0; l < t->stages; l++) M[i][j] += t->F[i][l] * X[l][j];
            N[i][j] = M[i][j];
        }
    return radius_of(t->steps, N, &bounded);
}

sodae_status sodae_table_stability(const sodae_glm_table *t, double re, double im, double *M_re,
                                   double *M_im, double *radius) {
    double complex M[K][K];
    if (!t || !radius || sodae_table_check(t, NULL)) return SODAE_BAD_ARGUMENT;
    *radius = radius_at(t, re + I * im, M);
    for (int i = 0; i < t->steps * t->steps && isfinite(*radius); i++) {
        double complex m = M[i / t->steps][i % t->steps];
        if (M_re) M_re[i] = creal(m);
        if (M_im) M_im[i] = cimag(m);
    }
    return SODAE_OK;
}

static double radius_on_ray(const void *table, double re, double im) {
    double complex M[K][K];
    return radius_at(table, re + I * im, M);
}

static int least(int a, int b) {
    return a < b ? a : b;
}

static const sodae_table_orders none = {-1, -1, -1, ""};

/* y = (q, v), z = lambda. Theorems 5.2.1, A.0.8. */
static sodae_table_orders index1(const sodae_table_report *r, int tableau) {
    int p = r->order, q = r->stage_order, z;
    if (r->stiffly_accurate)
        z = p;
    else if (!r->regular || !r->stable_at_infinity)
        return none;
    else
        z = r->one_at_infinity ? least(p - 1, q) : least(p, q + 1);
    return (sodae_table_orders){p, p, z, tableau ? "5.2.1" : "A.0.8"};
}

/* Theorems 5.3.2, 5.3.4, A.0.10. They promise the same for q and v; with D(r) superconvergence
 * takes both to min(p, 2q, q + r + 1) where the tableau is stiffly accurate (Hairer, Lubich, Roche
 * 1989, [13] of the thesis), else q alone to min(p, q + r + 1), as measured, unless q is held by
 * multipliers, too (stabilized): what v_n leaves of the constraints does not enter the stages'
 * velocities. */
static sodae_table_orders index2(const sodae_table_report *r, int tableau, int held) {
    int p = r->order, q = r->stage_order;
    if (!r->regular || !r->zero_stable || q < 1) return none;
    if (tableau && fabs(fabs(r->M_infinity[0][0]) - 1) < digits) {
        int plus = r->M_infinity[0][0] > 0;
        if (plus ? q < 2 || p < q : p < q + 1) return none;
        return (sodae_table_orders){plus ? q : q + 1, plus ? q : q + 1, plus ? q - 2 : q - 1,
                                    "5.3.4"};
    }
    if (!r->strictly_stable_at_infinity) return none;
    int v = least(p, q + 1), y = v;
    if (tableau && (r->stiffly_accurate || !held)) y = least(p, q + r->D + 1);
    if (tableau && r->stiffly_accurate) y = v = least(y, 2 * q);
    return (sodae_table_orders){y, v, least(v, q), tableau ? "5.3.2" : "A.0.10"};
}

/* y = q, z = v, u = lambda. Theorems 5.4.1 to 5.4.3, A.0.11; BDF with constant steps: 2.4.1. With
 * D(r) q has the order min(p, 2q, q + r + 1) where the tableau is stiffly accurate, else q + 1: as
 * measured, the theorems promise less. */
static sodae_table_orders index3(const sodae_table_report *r, int tableau, int stages) {
    int p = r->order, q = r->stage_order;
    if (!r->regular || !r->strictly_stable_at_infinity) return none;
    if (stages == 1 && r->stiffly_accurate) return (sodae_table_orders){p, p, p, "2.4.1"};
    if (!tableau) return q >= 3 ? (sodae_table_orders){q, q, q - 1, "A.0.11"} : none;
    if (q < 2 || p < q + 1) return none;
    int promised = q >= 4 && p >= q + 2 && r->D >= 2 ? 2 : q >= 3 && r->D >= 1 ? 1 : 0;
    int y = r->stiffly_accurate ? least(p, least(2 * q, q + r->D + 1)) : q + 1;
    return (sodae_table_orders){y > q + promised ? y : q + promised, q, q - 1,
                                promised == 2 ? "5.4.3"
                                : promised    ? "5.4.2"
                                              : "5.4.1"};
}

static void expect(const sodae_glm_table *t, sodae_table_report *r) {
    int tableau = t->steps == 1 && r->lifted;
    for (int i = 0; i < 4; i++) r->expected[i] = none;
    if (!r->zero_stable) return;
    r->expected[0] = index1(r, tableau);
    if (!r->lifted) return;
    r->expected[1] = index2(r, tableau, 0);
    r->expected[2] = index3(r, tableau, t->stages);
    r->expected[3] = index2(r, tableau, 1);
}

sodae_status sodae_table_analyse(const sodae_glm_table *t, sodae_table_report *r) {
    int stable, one, stable_A, one_A;
    if (!t || !r) return SODAE_BAD_ARGUMENT;
    sodae_status st = sodae_table_check(t, NULL);
    if (st) return st;
    *r = (sodae_table_report){.B = -1, .C = -1, .D = -1};
    if (!trees_orders(t, &r->order, &r->stage_order)) return SODAE_NO_MEMORY;
    r->lifted = is_lifted(t);
    if (t->steps == 1 && r->lifted)
        r->B = conditions_B(t), r->C = conditions_C(t), r->D = conditions_D(t);
    r->stiffly_accurate = is_stiffly_accurate(t);
    double rho = spectrum(t->steps, t->E, &stable, &one);
    double rho_A = spectrum(t->steps, t->A, &stable_A, &one_A);
    r->zero_stable = rho <= 1 + 1e-3 && stable && rho_A <= 1 + 1e-3 && stable_A;
    r->regular = has_inverse(t, t->Ft) && has_inverse(t, t->Dt);
    at_infinity(t, r->M_infinity);
    r->rho_infinity = NAN;
    if (has_inverse(t, t->Ft)) {
        r->rho_infinity = spectrum(t->steps, r->M_infinity, &stable, &r->one_at_infinity);
        r->stable_at_infinity = r->rho_infinity <= 1 + 1e-3 && stable;
        r->strictly_stable_at_infinity = r->rho_infinity < 1 - 1e-3;
    }
    r->angle = angle_of_stability(radius_on_ray, t, 1e-3);
    r->error_order = sodae_table_error_order(t);
    expect(t, r);
    return SODAE_OK;
}
