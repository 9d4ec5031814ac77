/* Claims about linear DAEs of second order: quantities of (3.2) and indices of paper 004. */
#include "analysis/strangeness.h"

#include <sodae/analysis.h>

#include <string.h>

#include "analysis/pencils.h"
#include "claims.h"
#include "linear/noise.h"

static void check(const example *e, const sodae_linear_report *r) {
    if (r->mu != e->mu || memcmp(&r->initial, &e->initial, sizeof r->initial) != 0)
        fail_msg("%s: mu %d instead of %d; r %d a %d s %d %d %d %d d %d %d u %d v %d", e->name,
                 r->mu, e->mu, r->initial.r, r->initial.a, r->initial.s012, r->initial.s12,
                 r->initial.s02, r->initial.s01, r->initial.d2, r->initial.d1, r->initial.u,
                 r->initial.v);
    if (r->all.mu != e->all_mu || r->all.d_index != e->all_d ||
        r->velocities.mu != e->velocities_mu || r->velocities.d_index != e->velocities_d)
        fail_msg("%s: first order %d %d, %d %d", e->name, r->all.mu, r->all.d_index,
                 r->velocities.mu, r->velocities.d_index);
    assert_int_equal(r->final.s012 + r->final.s12 + r->final.s02 + r->final.s01, 0);
    assert_int_equal(r->final.u, 0);
    assert_int_equal(r->final.v, 0);
    assert_true(r->gap.clear && r->all.gap.clear && r->velocities.gap.clear);
    CHECK_IN(r->gap.smallest_kept, 1e-5, 1e3);
    CHECK_IN(r->gap.largest_dropped, 0, 1e-11);
}

/* thesis.md section 8 */
static void indices_of_the_examples_are_those_of_the_table(void **unused) {
    (void)unused;
    for (int k = 0; k < EXAMPLES; k++) {
        const example *e = &examples[k];
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(e->n, e->A2, e->A1, e->A0, 0, &r, NULL),
                         SODAE_OK);
        check(e, &r);
    }
}

static void indices_do_not_change_under_equivalence_transformations(void **unused) {
    (void)unused;
    unsigned long long seed = 5;
    for (int k = 0; k < EXAMPLES * 20; k++) {
        const example *e = &examples[k % EXAMPLES];
        double P[9], Q[9], A2[9], A1[9], A0[9];
        int n = e->n;
        for (int i = 0; i < n * n; i++) {
            P[i] = 0.4 * noise(&seed) + (i % (n + 1) == 0);
            Q[i] = 0.4 * noise(&seed) + (i % (n + 1) == 0);
        }
        pencil_transform(n, P, e->A2, Q, 1, A2);
        pencil_transform(n, P, e->A1, Q, 1, A1);
        pencil_transform(n, P, e->A0, Q, 1, A0);
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(n, A2, A1, A0, 0, &r, NULL), SODAE_OK);
        check(e, &r);
    }
}

static void indices_do_not_change_with_the_units(void **unused) {
    (void)unused;
    unsigned long long seed = 6;
    for (int k = 0; k < EXAMPLES * 20; k++) {
        const example *e = &examples[k % EXAMPLES];
        double P[9] = {0}, Q[9] = {0}, A2[9], A1[9], A0[9], tau = pow(10, 4 * noise(&seed));
        int n = e->n;
        for (int i = 0; i < n * n; i += n + 1)
            P[i] = pow(10, 6 * noise(&seed)), Q[i] = pow(10, 6 * noise(&seed));
        pencil_transform(n, P, e->A2, Q, tau * tau, A2);
        pencil_transform(n, P, e->A1, Q, tau, A1);
        pencil_transform(n, P, e->A0, Q, 1, A0);
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(n, A2, A1, A0, 0, &r, NULL), SODAE_OK);
        assert_int_equal(r.mu, e->mu);
        assert_memory_equal(&r.initial, &e->initial, sizeof r.initial);
        assert_int_equal(r.all.d_index, e->all_d);
        assert_int_equal(r.velocities.d_index, e->velocities_d);
    }
}

/* Entries -2, -1, 1, 2 in a share of the places. */
static void sparse(int n, double share, unsigned long long *seed, double *A) {
    for (int i = 0; i < n * n; i++) {
        int there = fabs(noise(seed)) < share;
        double x = noise(seed);
        A[i] = there ? copysign(fabs(x) < 0.5 ? 1 : 2, x) : 0;
    }
}

/* Systems with few terms, singular A2 and often singular A1. */
static void structured(int k, int n, unsigned long long *seed, double (*A)[MAX * MAX]) {
    sparse(n, k % 2 ? 0.12 : 0.25, seed, A[2]);
    sparse(n, k % 3 ? 0.08 : 0.2, seed, A[1]);
    sparse(n, 0.35, seed, A[0]);
}

/* mu steps, their quantities. */
static int history(int n, double (*A)[MAX * MAX], int plain, sodae_second_order_quantities *q) {
    arena a = {0};
    ranks w = {.a = &a, .tolerance = 1e-9, .kept = INFINITY};
    pencil2 p = {mat_copy(&w, n, n, A[2]), mat_copy(&w, n, n, A[1]), mat_copy(&w, n, n, A[0]),
                 mat_zero(&w, n, 0)};
    int mu = 0;
    q[0] = strangeness_quantities2(&w, p);
    while (mu < 2 * MAX && q[mu].s012 + q[mu].s12 + q[mu].s02 + q[mu].s01 > 0) {
        p = strangeness_reduce2(&w, p, plain);
        q[++mu] = strangeness_quantities2(&w, p);
    }
    assert_false(w.failed);
    arena_free(&a);
    return mu;
}

/* The same system in other unknowns and other equations. */
static void disguise(int n, double spread, double units, unsigned long long *seed,
                     double (*A)[MAX * MAX], double (*B)[MAX * MAX]) {
    double P[MAX * MAX], Q[MAX * MAX];
    for (int i = 0; i < n * n; i++) {
        P[i] = spread * noise(seed) + (i % (n + 1) == 0);
        Q[i] = spread * noise(seed) + (i % (n + 1) == 0);
    }
    for (int i = 0; i < n; i++) {
        double row = pow(10, units * noise(seed)), column = pow(10, units * noise(seed));
        for (int j = 0; j < n; j++) P[i + n * j] *= row, Q[j + n * i] *= column;
    }
    for (int k = 0; k < 3; k++) pencil_transform(n, P, A[k], Q, 1, B[k]);
}

static void check_same(int k, const sodae_linear_report *r, const sodae_linear_report *s) {
    if (r->mu != s->mu || memcmp(&r->initial, &s->initial, sizeof r->initial) != 0 ||
        memcmp(&r->final, &s->final, sizeof r->final) != 0 || r->all.d_index != s->all.d_index ||
        r->velocities.d_index != s->velocities.d_index)
        fail_msg("system %d: mu %d and %d, d-index %d and %d", k, r->mu, s->mu,
                 r->velocities.d_index, s->velocities.d_index);
}

static void indices_of_random_systems_do_not_change_under_equivalence(void **unused) {
    (void)unused;
    unsigned long long seed = 21;
    int unclear = 0, strange = 0;
    enum { SYSTEMS = 600 };
    for (int k = 0; k < SYSTEMS; k++) {
        int n = 2 + k % 5;
        double A[3][MAX * MAX], B[3][MAX * MAX], C[3][MAX * MAX];
        structured(k, n, &seed, A);
        disguise(n, 0.3, 0, &seed, A, B);
        disguise(n, 0, 3, &seed, A, C);
        sodae_linear_report r, s, t;
        assert_int_equal(sodae_linear_dae_analyse(n, A[2], A[1], A[0], 0, &r, NULL), SODAE_OK);
        assert_int_equal(sodae_linear_dae_analyse(n, B[2], B[1], B[0], 0, &s, NULL), SODAE_OK);
        assert_int_equal(sodae_linear_dae_analyse(n, C[2], C[1], C[0], 0, &t, NULL), SODAE_OK);
        unclear += !r.gap.clear + !s.gap.clear + !t.gap.clear;
        strange += r.mu >= 2;
        if (!r.gap.clear || !s.gap.clear || !t.gap.clear) continue;
        check_same(k, &r, &s);
        check_same(k, &r, &t);
        sodae_second_order_quantities q[2 * MAX + 1], o[2 * MAX + 1];
        assert_int_equal(history(n, A, 0, q), r.mu);
        assert_int_equal(history(n, B, 0, o), r.mu);
        assert_memory_equal(q, o, sizeof *q * (size_t)(r.mu + 1));
    }
    CHECK_IN(unclear, 0, 0.02 * SYSTEMS);
    CHECK_IN(strange, 0.1 * SYSTEMS, SYSTEMS);
}

/* x'' + l1 = 0, y'' + l2 = 0, x = 0, and y' = 0 or y' + x = 0: A0 of row 8 is zero in (3.2). */
static void algebraic_terms_of_velocity_constraints_do_not_count(void **unused) {
    (void)unused;
    for (int c = 0; c < 2; c++) {
        double A2[16] = {0}, A1[16] = {0}, A0[16] = {0};
        A2[0] = A2[1 + 4] = A0[8] = A0[1 + 12] = A0[2] = A1[3 + 4] = 1;
        A0[3] = c;
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(4, A2, A1, A0, 0, &r, NULL), SODAE_OK);
        assert_int_equal(r.mu, 1);
        assert_int_equal(r.velocities.d_index, 3);
        assert_true(r.gap.clear);
    }
}

/* x3'' + x4' + l1, x4'' + l2, x3, l2 with x4 = y4 - c x3: two steps from the form with y4 = x4. */
static void mu_is_that_of_almost_all_condensed_forms(void **unused) {
    (void)unused;
    for (int c = 0; c < 2; c++) {
        double A[3][MAX * MAX] = {{0}};
        A[2][0] = A[2][1 + 4] = A[1][4] = A[0][8] = A[0][1 + 12] = A[0][2] = A[0][3 + 12] = 1;
        A[1][0] = A[2][1] = -c;
        sodae_linear_report r;
        sodae_second_order_quantities q[2 * MAX + 1];
        assert_int_equal(sodae_linear_dae_analyse(4, A[2], A[1], A[0], 0, &r, NULL), SODAE_OK);
        assert_int_equal(r.mu, 3);
        assert_int_equal(history(4, A, 0, q), 3);
        if (c == 0) assert_int_equal(history(4, A, 1, q), 2);
    }
}

/* Columns of P orthonormal, times 10^(magnitude [-1, 1]); transposed for Q. */
static void bad_basis(int n, double magnitude, int transposed, unsigned long long *seed,
                      double *P) {
    double U[MAX * MAX];
    for (int i = 0; i < n * n; i++) U[i] = noise(seed);
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < 2 * j; k++) {
            double dot = 0;
            for (int i = 0; i < n; i++) dot += U[i + n * j] * U[i + n * (k % j)];
            for (int i = 0; i < n; i++) U[i + n * j] -= dot * U[i + n * (k % j)];
        }
        double norm = 0;
        for (int i = 0; i < n; i++) norm += U[i + n * j] * U[i + n * j];
        for (int i = 0; i < n; i++) U[i + n * j] /= sqrt(norm);
    }
    for (int j = 0; j < n; j++) {
        double scale = pow(10, magnitude * noise(seed));
        for (int i = 0; i < n; i++) P[transposed ? j + n * i : i + n * j] = scale * U[i + n * j];
    }
}

/* N x' + x = f with one Jordan block of size n: d-index n, and n + 1 with all derivatives. */
static void badly_scaled_nilpotent_pencils_are_right_or_not_clear(void **unused) {
    (void)unused;
    unsigned long long seed = 11;
    int unclear = 0, right = 0, runs = 0;
    for (int n = 2; n <= 5; n++)
        for (int k = 0; k < 300; k++) {
            double N[25] = {0}, I[25] = {0}, A2[25] = {0}, A1[25], A0[25], P[25], Q[25];
            for (int i = 0; i < n; i++) I[i + n * i] = 1;
            for (int i = 0; i + 1 < n; i++) N[i + n * (i + 1)] = 1;
            bad_basis(n, k % 7 * 0.5, 0, &seed, P);
            bad_basis(n, k % 7 * 0.5, 1, &seed, Q);
            pencil_transform(n, P, N, Q, 1, A1);
            pencil_transform(n, P, I, Q, 1, A0);
            sodae_linear_report r;
            sodae_status st = sodae_linear_dae_analyse(n, A2, A1, A0, 0, &r, NULL);
            runs++;
            if (st == SODAE_SINGULAR) continue; /* says that it cannot decide */
            assert_int_equal(st, SODAE_OK);
            int fine = r.mu == n - 1 && r.velocities.d_index == n && r.all.d_index == n + 1;
            right += fine;
            unclear += !r.gap.clear;
            assert_int_equal(r.gap.clear, r.all.gap.clear);
            assert_int_equal(r.gap.clear, r.velocities.gap.clear);
            if (r.gap.clear && !fine)
                fail_msg("J%d, 1e%g: mu %d, d-index %d and %d", n, k % 7 * 0.5, r.mu,
                         r.velocities.d_index, r.all.d_index);
        }
    CHECK_IN(right, 0.85 * runs, runs);
    CHECK_IN(unclear, 1, 0.4 * runs);
}

static void units_of_any_size_do_not_overflow(void **unused) {
    (void)unused;
    const double zero = 0, tiny = 1e-320;
    sodae_linear_report r;
    sodae_linear_form form;
    for (double e = 1e-20; e > 1e-305; e *= 1e-40)
        for (int turned = 0; turned < 2; turned++) {
            double A2 = turned ? 1 / e : e, A0 = turned ? e : 1 / e;
            assert_int_equal(sodae_linear_dae_analyse(1, &A2, &zero, &A0, 0, &r, &form), SODAE_OK);
            assert_int_equal(r.all.d_index, 0);
            assert_int_equal(r.velocities.d_index, 0);
            assert_int_equal(r.final.d2, 1);
            assert_true(r.gap.clear);
            CHECK_NEAR(fmax(form.A2[0], form.A0[0]), 1, 1e-15);
            sodae_linear_form_free(&form);
        }
    assert_int_equal(sodae_linear_dae_analyse(1, &zero, &zero, &tiny, 0, &r, NULL), SODAE_OK);
    assert_int_equal(r.velocities.d_index, 1);
}

/* Two constraints on two masses whose directions differ by e: all forms agree, or none is clear. */
static void nearly_dependent_constraints_have_one_answer_or_are_not_clear(void **unused) {
    (void)unused;
    for (int k = 2; k <= 12; k++) {
        double A2[16] = {0}, A1[16] = {0}, A0[16] = {0}, e = pow(10, -k);
        const double g[2][2] = {{1, 1}, {1, 1 + e}};
        A2[0] = A2[5] = A0[0] = A0[5] = 1;
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < 2; i++) A0[2 + c + 4 * i] = A0[i + 4 * (2 + c)] = g[c][i];
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(4, A2, A1, A0, 0, &r, NULL), SODAE_OK);
        int fine = r.mu == 1 && r.velocities.d_index == 3 && r.all.d_index == 4;
        if (k <= 7 ? !fine : k < 12 && r.gap.clear)
            fail_msg("1e-%d: mu %d, d-index %d and %d, clear %d", k, r.mu, r.velocities.d_index,
                     r.all.d_index, r.gap.clear);
        if (k <= 6) assert_true(r.gap.clear && r.agree);
    }
}

static void equations_that_are_not_regular_have_no_index(void **unused) {
    (void)unused;
    const double A2[4] = {1, 0, 0, 0}, A1[4] = {0}, A0[4] = {1, 0, 0, 0};
    sodae_linear_report r;
    assert_int_equal(sodae_linear_dae_analyse(2, A2, A1, A0, 0, &r, NULL), SODAE_OK);
    assert_int_equal(r.all.d_index, -1);
    assert_int_equal(r.velocities.d_index, -1);
    assert_int_equal(r.final.u, 1);
    assert_int_equal(r.final.v, 1);
}

static void ordinary_equations_have_index_zero(void **unused) {
    (void)unused;
    const double I[4] = {1, 0, 0, 1}, A1[4] = {0.1, 0, 0.2, 0.3}, A0[4] = {2, 1, 1, 3};
    const double zero[4] = {0};
    sodae_linear_report r;
    assert_int_equal(sodae_linear_dae_analyse(2, I, A1, A0, 0, &r, NULL), SODAE_OK);
    assert_int_equal(r.mu, 0);
    assert_int_equal(r.all.d_index, 0);
    assert_int_equal(r.initial.d2, 2);
    assert_int_equal(sodae_linear_dae_analyse(2, zero, zero, I, 0, &r, NULL), SODAE_OK);
    assert_int_equal(r.mu, 0);
    assert_int_equal(r.velocities.d_index, 1);
    assert_int_equal(r.initial.a, 2);
}

static void bad_arguments_are_refused(void **unused) {
    (void)unused;
    const double one[1] = {1}, bad[1] = {NAN};
    sodae_linear_report r;
    assert_int_equal(sodae_linear_dae_analyse(0, one, one, one, 0, &r, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_linear_dae_analyse(1, NULL, one, one, 0, &r, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_linear_dae_analyse(1, one, one, one, 0, NULL, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_linear_dae_analyse(1, one, one, one, NAN, &r, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_linear_dae_analyse(1, one, bad, one, 0, &r, NULL), SODAE_NOT_FINITE);
}

/* A small coefficient counts or not as the tolerance says, and the report shows how close it was.
 */
static void the_tolerance_decides_and_is_reported(void **unused) {
    (void)unused;
    const double zero[4] = {0}, A0[4] = {1, 1, 1, 1 + 1e-7};
    sodae_linear_report fine, coarse;
    assert_int_equal(sodae_linear_dae_analyse(2, zero, zero, A0, 0, &fine, NULL), SODAE_OK);
    assert_int_equal(sodae_linear_dae_analyse(2, zero, zero, A0, 1e-6, &coarse, NULL), SODAE_OK);
    assert_int_equal(fine.initial.a, 2);
    assert_int_equal(coarse.initial.a, 1);
    CHECK_NEAR(fine.tolerance, 1e-9, 0);
    CHECK_NEAR(coarse.tolerance, 1e-6, 0);
    CHECK_IN(fine.gap.smallest_kept, 1e-8, 1e-7);
    CHECK_IN(coarse.gap.largest_dropped, 1e-8, 1e-7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(indices_of_the_examples_are_those_of_the_table),
        cmocka_unit_test(indices_do_not_change_under_equivalence_transformations),
        cmocka_unit_test(indices_do_not_change_with_the_units),
        cmocka_unit_test(indices_of_random_systems_do_not_change_under_equivalence),
        cmocka_unit_test(algebraic_terms_of_velocity_constraints_do_not_count),
        cmocka_unit_test(mu_is_that_of_almost_all_condensed_forms),
        cmocka_unit_test(badly_scaled_nilpotent_pencils_are_right_or_not_clear),
        cmocka_unit_test(units_of_any_size_do_not_overflow),
        cmocka_unit_test(nearly_dependent_constraints_have_one_answer_or_are_not_clear),
        cmocka_unit_test(equations_that_are_not_regular_have_no_index),
        cmocka_unit_test(ordinary_equations_have_index_zero),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(the_tolerance_decides_and_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
