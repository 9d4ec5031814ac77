/* Claims about the sparse factors of symmetric matrices. */
#include "linear/ldlt.h"

#include "claims.h"
#include "noise.h"

#include <string.h>

/* A net of m x m masses, each with two coordinates and a bar to its left neighbour; both triangles.
 * K = M + a little stiffness, G of the bars, -delta for the multipliers. */
enum { M = 6, BODIES = M * M, N = 3 * BODIES, MOST = 40 * BODIES };

typedef struct entries {
    double full[N][N];
    int colptr[N + 1], rowind[MOST];
    double values[MOST];
} entries;

static void add(entries *e, int i, int j, double x) {
    e->full[i][j] += x;
    if (i != j) e->full[j][i] += x;
}

static void bar(entries *e, int body, int other, unsigned long long *seed) {
    for (int k = 0; k < 2; k++) {
        double g = noise(seed) + (k ? 1.5 : -1.5);
        add(e, 3 * body + 2, 3 * body + k, g);
        if (other >= 0) add(e, 3 * body + 2, 3 * other + k, -g);
    }
}

static void compress(entries *e, int only_upper) {
    int nnz = 0;
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++)
            if (e->full[i][j] != 0 && (!only_upper || i <= j))
                e->rowind[nnz] = i, e->values[nnz++] = e->full[i][j];
        e->colptr[j + 1] = nnz;
    }
}

static void make_net(entries *e, double delta, int only_upper) {
    unsigned long long seed = 3;
    memset(e, 0, sizeof *e);
    for (int b = 0; b < BODIES; b++) {
        for (int k = 0; k < 2; k++) add(e, 3 * b + k, 3 * b + k, 2 + noise(&seed));
        add(e, 3 * b + 2, 3 * b + 2, -delta);
        bar(e, b, b % M ? b - 1 : -1, &seed);
        if (b >= M)
            for (int k = 0; k < 2; k++) add(e, 3 * b + k, 3 * (b - M) + k, 0.1 * noise(&seed));
    }
    compress(e, only_upper);
}

static double solve_error(ldlt *f, const entries *e, unsigned long long seed) {
    double x[N], b[N], most = 0;
    for (int i = 0; i < N; i++) x[i] = noise(&seed);
    for (int i = 0; i < N; i++) {
        b[i] = 0;
        for (int j = 0; j < N; j++) b[i] += e->full[i][j] * x[j];
    }
    ldlt_solve(f, b);
    for (int i = 0; i < N; i++) most = fmax(most, fabs(b[i] - x[i]));
    return most;
}

static void check_net(int only_upper) {
    static entries e;
    arena a = {0};
    ldlt f;
    make_net(&e, 1e-3, only_upper);
    pattern p = {N, N, e.colptr, e.rowind};
    assert_int_equal(ldlt_open(&f, &a, &p), 0);
    CHECK_IN(ldlt_entries(&f), e.colptr[N] / 4., 20. * N);
    size_t bytes = a.bytes;
    for (int trial = 0; trial < 3; trial++) { /* the same pattern with other values */
        assert_int_equal(ldlt_factor(&f, e.values), 0);
        assert_int_equal(f.negative, BODIES); /* one for each multiplier */
        CHECK_IN(solve_error(&f, &e, 7), 0, 1e-11);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) e.full[i][j] *= 1.5;
        compress(&e, only_upper);
    }
    assert_int_equal(a.bytes, bytes);
    arena_free(&a);
}

static void quasidefinite_systems_are_solved_from_both_triangles(void **unused) {
    (void)unused;
    check_net(0);
}

static void the_upper_triangle_is_enough(void **unused) {
    (void)unused;
    check_net(1);
}

/* A chain in its natural order has no fill; neither has it in the order of AMD. */
static void a_long_chain_fills_nothing(void **unused) {
    (void)unused;
    enum { LONG = 50000 };
    arena a = {0};
    pattern p = {LONG, LONG, arena_ints(&a, LONG + 1), arena_ints(&a, 2 * LONG)};
    double *values = arena_doubles(&a, 2 * LONG), *b = arena_doubles(&a, LONG);
    int nnz = 0;
    for (int j = 0; j < LONG; j++) {
        if (j) p.rowind[nnz] = j - 1, values[nnz++] = -1;
        p.rowind[nnz] = j, values[nnz++] = 2.5;
        p.colptr[j + 1] = nnz;
        b[j] = j == 0 || j == LONG - 1 ? 1.5 : 0.5; /* times (1, ..., 1) */
    }
    ldlt f;
    assert_int_equal(ldlt_open(&f, &a, &p), 0);
    CHECK_IN(ldlt_entries(&f), LONG - 1, LONG - 1);
    assert_int_equal(ldlt_factor(&f, values), 0);
    assert_int_equal(f.negative, 0);
    ldlt_solve(&f, b);
    for (int j = 0; j < LONG; j++) CHECK_NEAR(b[j], 1, 1e-14);
    arena_free(&a);
}

/* Zeros on the diagonal, there or not, count as the number given: bars without -delta. */
static void zeros_on_the_diagonal_are_shifted(void **unused) {
    (void)unused;
    static entries e, shifted;
    make_net(&shifted, 1e-3, 0);
    for (int kept = 0; kept < 2; kept++) {
        arena a = {0};
        ldlt f;
        make_net(&e, kept ? 1e-3 : 0, 0);
        for (int j = 0; j < N && kept; j++)
            for (int k = e.colptr[j]; k < e.colptr[j + 1]; k++)
                if (e.rowind[k] == j && j % 3 == 2) e.values[k] = 0;
        pattern p = {N, N, e.colptr, e.rowind};
        assert_int_equal(ldlt_open(&f, &a, &p), 0);
        assert_int_equal(ldlt_factor_shifted(&f, e.values, -1e-3), 0);
        assert_int_equal(f.negative, BODIES);
        CHECK_IN(solve_error(&f, &shifted, 11), 0, 1e-11);
        arena_free(&a);
    }
}

static void a_zero_pivot_names_its_row(void **unused) {
    (void)unused;
    arena a = {0};
    ldlt f;
    pattern p = pattern_diagonal(&a, 4);
    assert_int_equal(ldlt_open(&f, &a, &p), 0);
    assert_int_equal(ldlt_factor(&f, (double[]){1, 2, 0, 3}), -1);
    assert_int_equal(f.failed, 2);
    assert_int_equal(ldlt_factor(&f, (double[]){1, NAN, 1, 3}), -1);
    assert_int_equal(f.failed, 1);
    assert_int_equal(ldlt_factor(&f, (double[]){1, -2, 1, 3}), 0);
    assert_int_equal(f.negative, 1);
    arena_free(&a);
}

static void nothing_is_solved_too(void **unused) {
    (void)unused;
    arena a = {0};
    ldlt f;
    pattern p = pattern_diagonal(&a, 0);
    assert_int_equal(ldlt_open(&f, &a, &p), 0);
    assert_int_equal(ldlt_factor(&f, NULL), 0);
    ldlt_solve(&f, NULL);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quasidefinite_systems_are_solved_from_both_triangles),
        cmocka_unit_test(the_upper_triangle_is_enough),
        cmocka_unit_test(a_long_chain_fills_nothing),
        cmocka_unit_test(zeros_on_the_diagonal_are_shifted),
        cmocka_unit_test(a_zero_pivot_names_its_row),
        cmocka_unit_test(nothing_is_solved_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
