/* Claims about the dense solver. */
#include <float.h>
#include <string.h>

#include "claims.h"
#include "linear/small.h"
#include "linear/solver.h"
#include "noise.h"

enum { N = 7 };

typedef struct bench {
    arena memory;
    pattern full;
    linear_solver solver;
} bench;

static void open_bench(bench *b, int n) {
    *b = (bench){.memory = {0}};
    b->full = pattern_full(&b->memory, n, n);
    assert_int_equal(linear_open(&b->solver, &b->memory, &linear_dense, &b->full), 0);
}

static void close_bench(bench *b) {
    arena_free(&b->memory);
}

static void random_matrix(double *A, unsigned long long *seed) {
    for (int k = 0; k < N * N; k++) A[k] = noise(seed);
}

static void multiply(const double *A, const double *x, double *b) {
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) b[i] += A[j * N + i] * x[j];
    }
}

static void random_systems_are_solved(void **unused) {
    (void)unused;
    unsigned long long seed = 5;
    bench B;
    open_bench(&B, N);
    for (int trial = 0; trial < 100; trial++) {
        double A[N * N], x[N], b[N];
        random_matrix(A, &seed);
        for (int i = 0; i < N; i++) x[i] = noise(&seed);
        multiply(A, x, b);
        assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
        CHECK_IN(linear_rcond(&B.solver), 1e-5, 1);
        linear_solve(&B.solver, b);
        for (int i = 0; i < N; i++) CHECK_NEAR(b[i], x[i], 1e-14 / linear_rcond(&B.solver));
    }
    assert_int_equal(B.solver.factorizations, 100);
    assert_int_equal(B.solver.solves, 100);
    close_bench(&B);
}

/* Rows and columns in the worst units one can think of: powers of two up to 2^+-400. */
static void units_of_rows_and_columns_do_not_matter(void **unused) {
    (void)unused;
    unsigned long long seed = 6;
    bench B;
    open_bench(&B, N);
    for (int trial = 0; trial < 50; trial++) {
        double A[N * N], x[N], b[N], plain;
        random_matrix(A, &seed);
        assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
        plain = linear_rcond(&B.solver);
        for (int i = 0; i < N; i++) {
            int row = (int)(400 * noise(&seed));
            for (int j = 0; j < N; j++) A[j * N + i] = ldexp(A[j * N + i], row);
        }
        for (int i = 0; i < N; i++) x[i] = noise(&seed);
        multiply(A, x, b);
        assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
        CHECK_IN(linear_rcond(&B.solver) / plain, 0.99, 1.01);
        linear_solve(&B.solver, b);
        for (int i = 0; i < N; i++) CHECK_NEAR(b[i], x[i], 1e-13 / plain);
    }
    close_bench(&B);
}

static void numbers_near_the_limits_of_double_are_no_trouble(void **unused) {
    (void)unused;
    bench B;
    double A[4] = {4e-320, 0, 0, 1e308}, b[2] = {8e-320, 3e307};
    open_bench(&B, 2);
    assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
    linear_solve(&B.solver, b);
    CHECK_NEAR(b[0], 2, 1e-3); /* 4e-320 has four digits */
    CHECK_NEAR(b[1], 0.3, 1e-15);
    close_bench(&B);
}

static void singular_matrices_are_refused(void **unused) {
    (void)unused;
    unsigned long long seed = 7;
    bench B;
    open_bench(&B, N);
    for (int trial = 0; trial < 60; trial++) {
        double A[N * N];
        random_matrix(A, &seed);
        int i = trial % N, j = (trial + 1 + trial / N % (N - 1)) % N;
        if (i == j) continue;
        for (int k = 0; k < N; k++) /* two equal rows, a zero column, two dependent columns */
            if (trial % 3 == 0)
                A[k * N + i] = A[k * N + j];
            else if (trial % 3 == 1)
                A[i * N + k] = 0;
            else
                A[i * N + k] = 3 * A[j * N + k];
        assert_int_equal(linear_factor(&B.solver, A), SODAE_SINGULAR);
        CHECK_IN(linear_rcond(&B.solver), 0, DBL_EPSILON);
    }
    close_bench(&B);
}

/* diag(1, ..., 1) plus a perturbed repetition: the condition is 1/delta, and so says the estimate.
 */
static void the_condition_estimate_follows_the_distance_to_singularity(void **unused) {
    (void)unused;
    bench B;
    open_bench(&B, 2);
    for (double delta = 1e-1; delta > 1e-13; delta /= 10) {
        double A[4] = {1, 1, 1, 1 + delta};
        assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
        CHECK_IN(linear_rcond(&B.solver) / (delta / 4), 0.8, 1.25);
    }
    double nearly[4] = {1, 1, 1, 1 + 2e-16};
    assert_int_equal(linear_factor(&B.solver, nearly), SODAE_SINGULAR);
    close_bench(&B);
}

/* Ones on the diagonal, -c above: pivots tell nothing, the inverse has entries (1 + c)^(n - 2). */
static void good_pivots_do_not_hide_a_bad_condition(void **unused) {
    (void)unused;
    enum { SIZE = 40 };
    static double A[SIZE * SIZE];
    bench B;
    open_bench(&B, SIZE);
    for (int bad = 0; bad < 2; bad++) {
        double c = bad ? 1.9 : 0.5;
        for (int j = 0; j < SIZE; j++)
            for (int i = 0; i < SIZE; i++) A[j * SIZE + i] = i == j ? 1 : i < j ? -c : 0;
        assert_int_equal(linear_factor(&B.solver, A), bad ? SODAE_SINGULAR : SODAE_OK);
        CHECK_IN(linear_rcond(&B.solver), bad ? 1e-22 : 1e-12, bad ? DBL_EPSILON : 1e-7);
    }
    close_bench(&B);
}

static void entries_that_are_not_numbers_are_refused(void **unused) {
    (void)unused;
    bench B;
    open_bench(&B, 2);
    for (int k = 0; k < 4; k++) {
        double A[4] = {2, 1, 1, 2};
        A[k] = k % 2 ? NAN : INFINITY;
        assert_int_equal(linear_factor(&B.solver, A), SODAE_NOT_FINITE);
    }
    close_bench(&B);
}

/* Two equal rows and columns: the solution of least size shares between the twins. */
static void allowed_singular_systems_get_their_smallest_solution(void **unused) {
    (void)unused;
    bench B;
    double A[9] = {2, 1, 1, 1, 0, 0, 1, 0, 0}, b[3] = {5, 1, 1};
    open_bench(&B, 3);
    assert_int_equal(linear_allow_singular(&B.solver, &B.memory), 0);
    assert_int_equal(linear_factor(&B.solver, A), SODAE_OK);
    linear_solve(&B.solver, b);
    CHECK_NEAR(b[0], 1, 1e-14);
    CHECK_NEAR(b[1], 1.5, 1e-14);
    CHECK_NEAR(b[2], 1.5, 1e-14);
    double regular[9] = {1, 0, 0, 0, 2, 0, 0, 0, 4}, c[3] = {1, 2, 4};
    assert_int_equal(linear_factor(&B.solver, regular), SODAE_OK);
    linear_solve(&B.solver, c);
    for (int i = 0; i < 3; i++) CHECK_NEAR(c[i], 1, 0);
    close_bench(&B);
}

/* 2 x + l1 + l2 = 5, x = 1 twice; the second x = 1 + d does not fit: what is along N is dropped. */
static void pinned_unknowns_are_those_of_least_size(void **unused) {
    static const double A[9] = {2, 1e6, 1e6, 1e6, 0, 0, 1e6, 0, 0};
    double vector[2] = {sqrt(0.5), -sqrt(0.5)};
    linear_null null = {.m = 2, .depends = 1, .N = vector};
    (void)unused;
    for (int k = 0; k < 4; k++) { /* pinned or not, d = 0 or not */
        bench B;
        double d = k / 2 * 1e-3, b[3] = {5, 1e6, 1e6 + d};
        open_bench(&B, 3);
        assert_int_equal(pins_open(&B.solver.pins, &B.memory, 1, &null, 2), 0);
        for (int i = 0; i < 2; i++)
            B.solver.pins.pin[0].row[i] = B.solver.pins.pin[0].col[i] = 1 + i;
        null.count = k % 2;
        assert_int_equal(linear_factor(&B.solver, A), null.count ? SODAE_OK : SODAE_SINGULAR);
        if (null.count) {
            CHECK_IN(linear_rcond(&B.solver), 1e-3, 1);
            linear_solve(&B.solver, b);
            CHECK_NEAR(b[0], 1 + d / 2e6, 1e-15);
            for (int i = 1; i < 3; i++) CHECK_NEAR(b[i], (5 - 2 * b[0]) / 2e6, 1e-20);
        }
        close_bench(&B);
    }
}

/* Hilbert's matrix of 6 rows, condition 1.5e7; twice the same row. */
static void small_systems_of_coefficients_keep_their_digits(void **unused) {
    enum { M = 6 };
    long double A[M][M + 1], X[M][2];
    (void)unused;
    for (int singular = 0; singular < 2; singular++) {
        for (int i = 0; i < M; i++) {
            X[i][0] = X[i][1] = 0;
            for (int j = 0; j < M; j++) {
                A[i][j] = 1.0L / (1 + j + (singular && i == 3 ? 1 : i));
                X[i][0] += A[i][j], X[i][1] += j * A[i][j];
            }
        }
        assert_int_equal(small_solve(M, A[0], M + 1, 2, X[0], 2), !singular);
        for (int i = 0; i < M && !singular; i++) {
            CHECK_NEAR((double)X[i][0], 1, 1e-11);
            CHECK_NEAR((double)X[i][1], i, 1e-11);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_systems_are_solved),
        cmocka_unit_test(units_of_rows_and_columns_do_not_matter),
        cmocka_unit_test(numbers_near_the_limits_of_double_are_no_trouble),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(the_condition_estimate_follows_the_distance_to_singularity),
        cmocka_unit_test(good_pivots_do_not_hide_a_bad_condition),
        cmocka_unit_test(entries_that_are_not_numbers_are_refused),
        cmocka_unit_test(allowed_singular_systems_get_their_smallest_solution),
        cmocka_unit_test(small_systems_of_coefficients_keep_their_digits),
        cmocka_unit_test(pinned_unknowns_are_those_of_least_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
