#include "linear/eigen.h"

#include <complex.h>
#include <float.h>
#include <math.h>

typedef long double complex number;

enum { MOST = EIGEN_MOST, ROUNDS = 100, REFINEMENTS = 4 };

/* c: coefficients of det(z - F), c[s] = 1 (Faddeev, Le Verrier). */
static void characteristic(int s, const double *F, long double *c) {
    long double M[MOST * MOST] = {0}, N[MOST * MOST];
    c[s] = 1;
    for (int k = 1; k <= s; k++) { /* M <- F M + c[s-k+1], c[s-k] = -tr(F M)/k */
        long double trace = 0;
        for (int i = 0; i < s; i++) M[i * s + i] += c[s - k + 1];
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                N[i * s + j] = 0;
                for (int l = 0; l < s; l++) N[i * s + j] += F[i * s + l] * M[l * s + j];
            }
        for (int i = 0; i < s * s; i++) M[i] = N[i];
        for (int i = 0; i < s; i++) trace += M[i * s + i];
        c[s - k] = -trace / k;
    }
}

/* Not less than the largest zero / 2 (Fujiwara). */
static long double size_of_zeros(int s, const long double *c) {
    long double size = 0;
    for (int k = 1; k <= s; k++) size = fmaxl(size, powl(fabsl(c[s - k]), 1.0L / k));
    return size;
}

/* All zeros at once (Aberth, Ehrlich), which converges with the third order where they are simple:
 * after a change of 1e-7 the error is below rounding. */
static void find_zeros(int s, const long double *c, long double size, number *z) {
    long double change = size;
    number start = size;
    for (int k = 0; k < s; k++) z[k] = start *= 0.4L + 0.9L * I;
    for (int round = 0; round < ROUNDS && change > 1e-7L * size; round++) {
        change = 0;
        for (int k = 0; k < s; k++) {
            number p = c[s], slope = 0, near = 0;
            for (int i = s - 1; i >= 0; i--) slope = slope * z[k] + p, p = p * z[k] + c[i];
            if (p == 0) continue;
            for (int i = 0; i < s; i++)
                if (i != k) near += 1 / (z[k] - z[i]);
            number d = 1 / (slope / p - near);
            z[k] -= d;
            change = fmaxl(change, cabsl(d));
        }
    }
}

static void swap(number *x, number *y) {
    number z = *x;
    *x = *y, *y = z;
}

/* x <- A^-1 x; a zero pivot is a tiny one, as in inverse iteration. */
static void solve(int s, number *A, number *x) {
    for (int k = 0; k < s; k++) {
        int p = k;
        for (int i = k + 1; i < s; i++)
            if (cabsl(A[i * s + k]) > cabsl(A[p * s + k])) p = i;
        for (int j = 0; j < s; j++) swap(A + k * s + j, A + p * s + j);
        swap(x + k, x + p);
        if (A[k * s + k] == 0) A[k * s + k] = LDBL_EPSILON * LDBL_EPSILON;
        for (int i = k + 1; i < s; i++) {
            number l = A[i * s + k] / A[k * s + k];
            for (int j = k; j < s; j++) A[i * s + j] -= l * A[k * s + j];
            x[i] -= l * x[k];
        }
    }
    for (int k = s - 1; k >= 0; k--) {
        for (int j = k + 1; j < s; j++) x[k] -= A[k * s + j] * x[j];
        x[k] /= A[k * s + k];
    }
}

/* Inverse iteration (F - mu) y = x from x = (1, .., 1); with the largest number x_p = 1 of an
 * eigenvector mu + 1 / y_p is its eigenvalue. */
static number refine(int s, const double *F, number mu, number *x) {
    for (int i = 0; i < s; i++) x[i] = 1;
    for (int round = 0, p = 0; round < REFINEMENTS; round++) {
        number A[MOST * MOST];
        for (int i = 0; i < s * s; i++) A[i] = F[i] - (i % (s + 1) ? 0 : mu);
        solve(s, A, x);
        if (round > 0) mu += 1 / x[p];
        for (int i = 0; i < s; i++)
            if (cabsl(x[i]) > cabsl(x[p])) p = i;
        number largest = x[p];
        for (int i = 0; i < s; i++) x[i] /= largest;
    }
    return mu;
}

/* Falling real parts; conjugates, of which one is dropped later, do not matter. */
static void sort(int s, number *z) {
    for (int k = 1; k < s; k++)
        for (int i = k; i > 0 && creall(z[i]) > creall(z[i - 1]); i--) swap(z + i, z + i - 1);
}

int eigen_small(int s, const double *F, long double *re, long double *im, long double *V) {
    static const long double real = 1e-9L; /* pairs so close have the same vector, almost */
    long double c[MOST + 1];
    number z[MOST], x[MOST];
    characteristic(s, F, c);
    long double size = size_of_zeros(s, c);
    if (!(size > 0) || !isfinite(size)) return 0;
    find_zeros(s, c, size, z);
    sort(s, z);
    int count = 0;
    for (int k = 0; k < s; k++) {
        int pair = fabsl(cimagl(z[k])) > real * size;
        if (pair && cimagl(z[k]) < 0) continue;
        if (count + 1 + pair > s) return 0;
        number mu = refine(s, F, pair ? z[k] : creall(z[k]), x);
        for (int j = 0; j <= pair; j++, count++) {
            re[count] = creall(mu), im[count] = j ? -cimagl(mu) : cimagl(mu);
            for (int i = 0; i < s; i++) V[i * s + count] = j ? cimagl(x[i]) : creall(x[i]);
        }
    }
    return count == s;
}
