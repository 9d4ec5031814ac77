/* Claims about the complex solver. */
#include "claims.h"
#include "linear/solver.h"
#include "noise.h"

#include <complex.h>

enum { N = 6 };

static void random_complex_systems_are_solved(void **unused) {
    (void)unused;
    unsigned long long seed = 11;
    arena memory = {0};
    pattern full = pattern_full(&memory, N, N);
    linear_solver solver;
    assert_int_equal(linear_open(&solver, &memory, &linear_complex, &full), 0);
    for (int trial = 0; trial < 100; trial++) {
        double A[2 * N * N], x[2 * N], b[2 * N];
        for (int k = 0; k < 2 * N * N; k++) A[k] = noise(&seed) * (k % N ? 1 : 1e9);
        for (int k = 0; k < 2 * N; k++) x[k] = noise(&seed);
        for (int i = 0; i < N; i++) {
            double complex sum = 0;
            for (int j = 0; j < N; j++)
                sum += (A[j * N + i] + I * A[N * N + j * N + i]) * (x[j] + I * x[N + j]);
            b[i] = creal(sum), b[N + i] = cimag(sum);
        }
        assert_int_equal(linear_factor(&solver, A), SODAE_OK);
        CHECK_IN(linear_rcond(&solver), 1e-6, 1);
        linear_solve(&solver, b);
        for (int k = 0; k < 2 * N; k++) CHECK_NEAR(b[k], x[k], 1e-11);
    }
    arena_free(&memory);
}

static void singular_and_unfinished_matrices_are_reported(void **unused) {
    (void)unused;
    arena memory = {0};
    pattern full = pattern_full(&memory, 2, 2);
    linear_solver solver;
    assert_int_equal(linear_open(&solver, &memory, &linear_complex, &full), 0);
    const double same[8] = {1, 2, 1, 2, 3, 6, 3, 6}, holes[8] = {1, 0, 0, NAN};
    assert_int_equal(linear_factor(&solver, same), SODAE_SINGULAR);
    assert_int_equal(linear_factor(&solver, holes), SODAE_NOT_FINITE);
    arena_free(&memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_complex_systems_are_solved),
        cmocka_unit_test(singular_and_unfinished_matrices_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
