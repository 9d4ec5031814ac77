/* Claims about the complete orthogonal decomposition, its singular values, and eigenvalues. */
#include <float.h>

#include "claims.h"
#include "linear/eigen.h"
#include "linear/qr.h"
#include "noise.h"

enum { ROWS = 9, COLS = 6 };

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* B of `rows` x rank times C of rank x cols. */
static void random_matrix(int rows, int cols, int rank, unsigned long long *seed, double *A) {
    for (int k = 0; k < rows * cols; k++) A[k] = 0;
    for (int l = 0; l < rank; l++) {
        double x[ROWS], y[ROWS];
        for (int i = 0; i < rows; i++) x[i] = noise(seed);
        for (int j = 0; j < cols; j++) y[j] = noise(seed);
        for (int k = 0; k < rows * cols; k++) A[k] += x[k % rows] * y[k / rows];
    }
}

/* |A v| of singular vectors is sigma, they are orthogonal, and so are their images. */
static void check_singular(int rows, int cols, const double *A, const double *sigma,
                           const double *V) {
    double image[ROWS][ROWS] = {{0}};
    for (int k = 0; k < cols; k++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) image[k][i] += A[j * rows + i] * V[k * cols + j];
    for (int k = 0; k < cols; k++)
        for (int l = 0; l <= k; l++) {
            CHECK_NEAR(dot(cols, V + k * cols, V + l * cols), k == l, 1e-14);
            CHECK_NEAR(dot(rows, image[k], image[l]), k == l ? sigma[k] * sigma[k] : 0,
                       1e-14 * sigma[0] * sigma[0]);
            if (l < k) assert_true(sigma[k] <= sigma[l]);
        }
}

static void rank_and_singular_vectors_are_found(void **unused) {
    unsigned long long seed = 3;
    (void)unused;
    for (int trial = 0; trial < 60; trial++) {
        int wide = trial % 2, rows = wide ? COLS : ROWS, cols = wide ? ROWS : COLS;
        int rank = trial / 2 % (COLS + 1);
        double A[ROWS * COLS], sigma[ROWS], V[ROWS * ROWS];
        arena memory = {0};
        qr q;
        qr_open(&q, &memory, rows, cols);
        random_matrix(rows, cols, rank, &seed, A);
        for (int k = 0; k < rows * cols; k++) q.A[k] = A[k];
        qr_decompose(&q, 0);
        assert_int_equal(qr_pivots_above(&q, 1e-12), rank);
        qr_singular_values(&q, sigma, V);
        if (rank > 0) check_singular(rows, cols, A, sigma, V);
        for (int k = rank; k < cols; k++) CHECK_IN(sigma[k], 0, 1e-14 * (sigma[0] + 1));
        arena_free(&memory);
    }
}

/* A^T (A x - b) = 0, and x is orthogonal to the null vectors. */
static void solutions_of_least_size_are_found(void **unused) {
    unsigned long long seed = 4;
    (void)unused;
    for (int trial = 0; trial < 60; trial++) {
        int rank = 1 + trial % COLS, n = COLS;
        double A[COLS * COLS], b[COLS], x[COLS], sigma[COLS], V[COLS * COLS];
        arena memory = {0};
        qr q;
        qr_open(&q, &memory, n, n);
        random_matrix(n, n, rank, &seed, A);
        for (int k = 0; k < n * n; k++) q.A[k] = A[k];
        for (int i = 0; i < n; i++) x[i] = b[i] = noise(&seed);
        qr_decompose(&q, 1e-12);
        assert_int_equal(q.rank, rank);
        qr_solve(&q, x, x);
        for (int k = 0; k < n * n; k++) b[k % n] -= A[k] * x[k / n];
        double size = sqrt(dot(n, x, x));
        for (int j = 0; j < n; j++) CHECK_NEAR(dot(n, A + j * n, b), 0, 1e-13 * (1 + size));
        qr_singular_values(&q, sigma, V);
        for (int k = rank; k < n; k++) CHECK_NEAR(dot(n, V + k * n, x), 0, 1e-14 * size);
        arena_free(&memory);
    }
}

/* Radau IIA with three stages (Hairer, Wanner: Solving ODEs II, IV.8). */
static void eigenvalues_of_coefficients_have_all_digits(void **unused) {
    double r = sqrt(6);
    double F[9] = {(88 - 7 * r) / 360,     (296 - 169 * r) / 1800, (-2 + 3 * r) / 225,
                   (296 + 169 * r) / 1800, (88 + 7 * r) / 360,     (-2 - 3 * r) / 225,
                   (16 - r) / 36,          (16 + r) / 36,          1. / 9};
    long double re[3], im[3], V[9];
    (void)unused;
    assert_int_equal(eigen_small(3, F, re, im, V), 1);
    CHECK_NEAR((double)re[0], (6 + cbrt(81) - cbrt(9)) / 30, 2e-16);
    CHECK_NEAR((double)re[1], (12 - cbrt(81) + cbrt(9)) / 60, 2e-16);
    CHECK_NEAR((double)im[1], (cbrt(81) + cbrt(9)) * sqrt(3) / 60, 2e-16);
    assert_true(re[1] == re[2] && im[1] == -im[2] && im[0] == 0);
    for (int i = 0; i < 3; i++) { /* F (x + i y) = mu (x + i y) */
        long double x = V[i * 3 + 1], y = V[i * 3 + 2], Fx = 0, Fy = 0;
        for (int j = 0; j < 3; j++)
            Fx += F[i * 3 + j] * V[j * 3 + 1], Fy += F[i * 3 + j] * V[j * 3 + 2];
        CHECK_NEAR((double)(Fx - re[1] * x + im[1] * y), 0, 1e-18);
        CHECK_NEAR((double)(Fy - re[1] * y - im[1] * x), 0, 1e-18);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_and_singular_vectors_are_found),
        cmocka_unit_test(solutions_of_least_size_are_found),
        cmocka_unit_test(eigenvalues_of_coefficients_have_all_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
