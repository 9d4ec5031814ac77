/* Claims about the choice of a sparse backend: on the matrices it is made for each one solves as
 * the dense one does, what is refused goes to the next, and factors depend on the values alone. */
#include "linear/sparse.h"

#include "claims.h"
#include "noise.h"

#include <stdlib.h>
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

/* One that never comes costs nothing; until then, saved runs included, there are no factors. */
static void a_later_matrix_is_analysed_when_it_comes(void **unused) {
    (void)unused;
    static system_of s;
    linear_solver solver, at_once;
    arena memory[2] = {{0}};
    const char *why;
    make(&s, 0.3, 3);
    assert_int_equal(linear_open_later(&solver, &memory[0], LINEAR_AUTO, &s.pattern), 0);
    assert_int_equal(linear_open_choice(&at_once, &memory[1], LINEAR_AUTO, 0, 0, &s.pattern), 0);
    assert_string_equal(linear_name(&solver, &why), "auto");
    assert_string_equal(linear_name(&at_once, &why), "klu");
    assert_true(linear_rcond(&solver) == 0);
    assert_int_equal(linear_factor(&solver, s.values), SODAE_OK);
    assert_string_equal(linear_name(&solver, &why), "klu");
    CHECK_IN(error(&solver, &s), 0, 1e-11);
    arena_free(&memory[0]), arena_free(&memory[1]), arena_free(&s.memory);
}

/* Stages by eigenvalues: who has their factors, not who would have those of the whole. */
static void the_name_is_that_of_who_has_the_factors(void **unused) {
    (void)unused;
    static system_of s;
    linear_solver whole, part;
    const char *why;
    make(&s, 0, 3);
    assert_int_equal(linear_open_choice(&whole, &s.memory, LINEAR_KLU, 0, 1, &s.pattern), 0);
    assert_int_equal(linear_open_choice(&part, &s.memory, LINEAR_LDL, 0, 1, &s.pattern), 0);
    assert_int_equal(linear_factor(&part, s.values), SODAE_OK);
    assert_string_equal(linear_name(&whole, &why), "klu");
    whole.parts = &part;
    assert_string_equal(linear_name(&whole, &why), "ldl");
    assert_string_equal(why, "asked for");
    arena_free(&s.memory);
}

static void auto_takes_ldl_for_symmetric_and_klu_for_unsymmetric_values(void **unused) {
    (void)unused;
    check(LINEAR_AUTO, 0, "ldl");
    check(LINEAR_AUTO, 0.3, "klu"); /* LDL^T has refused it */
    check(LINEAR_LDL, 0.3, "klu");
}

/* M + z K on the bodies with z = exp(1.7 i), as collocation has it; twist: of K. */
static void make_complex(system_of *s, double twist, double *values) {
    const double z[2] = {cos(1.7), sin(1.7)};
    int nnz = s->colptr[N];
    for (int j = 0; j < N; j++)
        for (int k = s->colptr[j]; k < s->colptr[j + 1]; k++) {
            int i = s->rowind[k], bodies = i % 3 < 2 && j % 3 < 2;
            double K = !bodies ? 0 : i == j ? 30 : i > j ? 4 + twist : 4;
            values[k] = s->values[k] + z[0] * K, values[nnz + k] = z[1] * K;
        }
}

static double complex_error(linear_solver *solver, const system_of *s, const double *values) {
    double x[2 * N], b[2 * N] = {0}, most = 0;
    int nnz = s->colptr[N];
    unsigned long long seed = 5;
    for (int i = 0; i < 2 * N; i++) x[i] = noise(&seed);
    pattern_multiply(&s->pattern, values, 1, x, b);
    pattern_multiply(&s->pattern, values + nnz, -1, x + N, b);
    pattern_multiply(&s->pattern, values, 1, x + N, b + N);
    pattern_multiply(&s->pattern, values + nnz, 1, x, b + N);
    linear_solve(solver, b);
    for (int i = 0; i < 2 * N; i++) most = fmax(most, fabs(b[i] - x[i]));
    return most;
}

static void complex_symmetric_matrices_have_factors_without_pivots(void **unused) {
    (void)unused;
    static system_of s;
    static double values[2 * N * N];
    make(&s, 0, 3);
    for (int twisted = 0; twisted < 2; twisted++) {
        linear_solver solver, like;
        const char *why;
        make_complex(&s, 0.3 * twisted, values);
        assert_int_equal(linear_open_choice(&solver, &s.memory, LINEAR_AUTO, 1, 1, &s.pattern), 0);
        assert_int_equal(linear_open_like(&like, &s.memory, LINEAR_AUTO, 1, 1, &s.pattern, &solver),
                         0);
        assert_int_equal(linear_factor(&solver, values), SODAE_OK);
        CHECK_IN(complex_error(&solver, &s, values), 0, 1e-11);
        assert_string_equal(linear_name(&solver, &why), twisted ? "klu" : "ldl");
        for (int k = 0; k < 2 * s.colptr[N]; k++) values[k] *= 1.25; /* factors are its own */
        assert_int_equal(linear_factor(&like, values), SODAE_OK);
        CHECK_IN(complex_error(&like, &s, values), 0, 1e-11);
        for (int k = 0; k < 2 * s.colptr[N]; k++) values[k] /= 1.25;
        CHECK_IN(complex_error(&solver, &s, values), 0, 1e-11);
    }
    arena_free(&s.memory);
}

/* m points in a straight row of rods, the first one on a fixed place, with tension 0.1:
 * [M + T, G^T; G, 0]. */
static void make_rods(arena *a, int m, pattern *p, double **values) {
    int nnz = 0, n = 3 * m;
    *p = (pattern){n, n, arena_ints(a, (size_t)n + 1), arena_ints(a, 18 * (size_t)m)};
    *values = arena_doubles(a, 18 * (size_t)m);
    for (int j = 0; j < n; j++) { /* columns x, y, lambda of each point */
        int b = j / 3, k = j % 3, last = b == m - 1;
        const double d[2] = {0.8, 0.6};
        const struct {
            int row, is;
            double x;
        } entry[] = {{j - 3, b && k < 2, -0.1},
                     {j - 5, b && k == 2, -d[0]},
                     {j - 4, b && k == 2, -d[1]},
                     {3 * b, k == 2, d[0]},
                     {3 * b + 1, k == 2, d[1]},
                     {j, k < 2, 1.2},
                     {3 * b + 2, k < 2, d[k % 2]},
                     {j + 3, !last && k < 2, -0.1},
                     {3 * b + 5, !last && k < 2, -d[k % 2]}};
        for (int e = 0; e < 9; e++)
            if (entry[e].is) p->rowind[nnz] = entry[e].row, (*values)[nnz++] = entry[e].x;
        p->colptr[j + 1] = nnz;
    }
}

/* What delta leaves of an error: of Newton's increments, and of solutions that are read. */
static double left_of_error(linear_solver *s, const double *values, int m, int roughly) {
    int n = 3 * m;
    double *b = calloc((size_t)n, sizeof *b), *x = calloc((size_t)n, sizeof *x), most = 0;
    for (int i = 0; i < n; i++) x[i] = i % 3 == 2 ? sin(1.5 * i / n) : 1e-3 * cos(7. * i / n);
    pattern_multiply(s->pattern, values, 1, x, b);
    if (roughly)
        linear_correct(s, b);
    else
        linear_solve(s, b);
    for (int i = 0; i < n; i++) most = fmax(most, fabs(b[i] - x[i]));
    free(b), free(x);
    return most;
}

static void long_rows_of_rods_leave_newton_a_small_rate(void **unused) {
    (void)unused;
    for (int m = 100; m <= 100000; m *= 10) {
        arena a = {0};
        linear_solver s;
        pattern p;
        double *values;
        const char *why;
        make_rods(&a, m, &p, &values);
        assert_int_equal(linear_open_choice(&s, &a, LINEAR_AUTO, 0, 1, &p), 0);
        assert_int_equal(linear_factor(&s, values), SODAE_OK);
        assert_string_equal(linear_name(&s, &why), "ldl");
        CHECK_IN(left_of_error(&s, values, m, 1), 1e-9 * m, 1e-7 * m);
        CHECK_IN(left_of_error(&s, values, m, 0), 0, 1e-10 + pow(1e-7 * m, 3)); /* refined twice */
        arena_free(&a);
    }
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
        cmocka_unit_test(a_later_matrix_is_analysed_when_it_comes),
        cmocka_unit_test(the_name_is_that_of_who_has_the_factors),
        cmocka_unit_test(complex_symmetric_matrices_have_factors_without_pivots),
        cmocka_unit_test(long_rows_of_rods_leave_newton_a_small_rate),
        cmocka_unit_test(complex_matrices_are_solved_by_klu_and_umfpack),
        cmocka_unit_test(a_singular_matrix_is_refused_and_its_row_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
