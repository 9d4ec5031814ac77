/* Claims about the choice of a sparse backend: on the matrices it is made for each one solves as
 * the dense one does, what is refused goes to the next, and factors depend on the values alone. */
#include "linear/sparse.h"

#include "claims.h"
#include "noise.h"

#include <string.h>

enum { BODIES = 40, N = 3 * BODIES, MOST = 20 * BODIES };

typedef struct system {
    arena memory;
    double full[N][N];
    int colptr[N + 1], rowind[MOST];
    double values[MOST];
    pattern pattern;
} system_of;

static void put(system_of *s, int i, int j, double x) {
    s->full[i][j] = x;
}

/* A chain of bodies with two coordinates and a bar; twist: what makes it unsymmetric. */
static void make(system_of *s, double twist, unsigned long long seed) {
    int nnz = 0;
    memset(s, 0, sizeof *s);
    for (int b = 0; b < BODIES; b++)
        for (int k = 0; k < 2; k++) {
            double g = noise(&seed) + 1.5;
            put(s, 3 * b + k, 3 * b + k, 2 + noise(&seed));
            put(s, 3 * b + k, 3 * b + 1 - k, k ? twist : -twist);
            put(s, 3 * b + 2, 3 * b + k, g), put(s, 3 * b + k, 3 * b + 2, g);
            if (b) put(s, 3 * b + 2, 3 * b - 3 + k, -g), put(s, 3 * b - 3 + k, 3 * b + 2, -g);
        }
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++) {
            int twisted = j / 3 == i / 3 && i % 3 < 2 && j % 3 < 2;
            if (s->full[i][j] != 0 || twisted) s->rowind[nnz] = i, s->values[nnz++] = s->full[i][j];
        }
        s->colptr[j + 1] = nnz;
    }
    s->pattern = (pattern){N, N, s->colptr, s->rowind};
}

static double error(linear_solver *solver, const system_of *s) {
    double x[N], b[N], most = 0;
    unsigned long long seed = 9;
    for (int i = 0; i < N; i++) x[i] = noise(&seed);
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) b[i] += s->full[i][j] * x[j];
    }
    linear_solve(solver, b);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(b[i] - x[i]));
    return most;
}

static void check(linear_choice choice, double twist, const char *expected) {
    static system_of s;
    linear_solver solver;
    const char *why;
    make(&s, twist, 3);
    assert_int_equal(linear_open_choice(&solver, &s.memory, choice, 0, 1, &s.pattern), 0);
    for (int trial = 0; trial < 3; trial++) {
        assert_int_equal(linear_factor(&solver, s.values), SODAE_OK);
        CHECK_IN(error(&solver, &s), 0, 1e-11);
        for (int k = 0; k < s.colptr[N]; k++) s.values[k] *= 1.25;
        for (int i = 0; i < N * N; i++) s.full[i / N][i % N] *= 1.25;
    }
    assert_string_equal(linear_name(&solver, &why), expected);
    assert_true(strlen(why) > 5);
    arena_free(&s.memory);
}

static void each_backend_solves_what_it_is_made_for(void **unused) {
    (void)unused;
    check(LINEAR_DENSE, 0.3, "dense");
    check(LINEAR_LDL, 0, "ldl");
    check(LINEAR_KLU, 0.3, "klu");
    check(LINEAR_UMFPACK, 0.3, "umfpack");
    check(LINEAR_MUMPS, 0, "mumps");
}

static void auto_takes_ldl_for_symmetric_and_klu_for_unsymmetric_values(void **unused) {
    (void)unused;
    check(LINEAR_AUTO, 0, "ldl");
    check(LINEAR_AUTO, 0.3, "klu"); /* LDL^T has refused it */
    check(LINEAR_LDL, 0.3, "klu");
}

static void complex_matrices_are_solved_by_klu_and_umfpack(void **unused) {
    (void)unused;
    static system_of s;
    static double values[2 * MOST];
    for (int which = 0; which < 2; which++) {
        linear_solver solver;
        double b[2 * N];
        make(&s, 0.3, 5);
        int nnz = s.colptr[N];
        for (int k = 0; k < nnz; k++) values[k] = s.values[k], values[nnz + k] = 0.5 * s.values[k];
        assert_int_equal(linear_open_choice(&solver, &s.memory, which ? LINEAR_UMFPACK : LINEAR_KLU,
                                            1, 0, &s.pattern),
                         0);
        assert_int_equal(linear_factor(&solver, values), SODAE_OK);
        for (int i = 0; i < N; i++) { /* (1 + i/2) A times (1, ..., 1) */
            b[i] = 0;
            for (int j = 0; j < N; j++) b[i] += s.full[i][j];
            b[N + i] = 0.5 * b[i];
        }
        linear_solve(&solver, b);
        for (int i = 0; i < 2 * N; i++) CHECK_NEAR(b[i], i < N, 1e-12);
        arena_free(&s.memory);
    }
}

static void a_singular_matrix_is_refused_and_its_row_is_known(void **unused) {
    (void)unused;
    static system_of s;
    linear_solver solver;
    make(&s, 0.3, 5);
    int bar = 3 * 7 + 2; /* without entries but in the pattern */
    for (int j = 0; j < N; j++)
        for (int k = s.colptr[j]; k < s.colptr[j + 1]; k++)
            if (s.rowind[k] == bar || j == bar) s.values[k] = 0;
    assert_int_equal(linear_open_choice(&solver, &s.memory, LINEAR_KLU, 0, 0, &s.pattern), 0);
    assert_int_equal(linear_factor(&solver, s.values), SODAE_SINGULAR);
    assert_int_equal(linear_weakest(&solver), bar);
    arena_free(&s.memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_backend_solves_what_it_is_made_for),
        cmocka_unit_test(auto_takes_ldl_for_symmetric_and_klu_for_unsymmetric_values),
        cmocka_unit_test(complex_matrices_are_solved_by_klu_and_umfpack),
        cmocka_unit_test(a_singular_matrix_is_refused_and_its_row_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
