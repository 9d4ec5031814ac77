/* Claims about linear DAEs of second order: quantities of (3.2) and indices of paper 004. */
#include <sodae/analysis.h>

#include <string.h>

#include "claims.h"

enum { MAX = 8 };

typedef struct example {
    const char *name;
    int n;
    double A2[9], A1[9], A0[9]; /* symmetric or written by columns */
    int mu;
    sodae_second_order_quantities initial;
    int all_mu, all_d, velocities_mu, velocities_d;
} example;

/* Quantities in the order r a | s012 s12 s02 s01 | d2 d1 | u v. */
static const example examples[] = {
    {"(3.9)",
     2,
     {1, 0, 0, 0},
     {1, 0, 0, 0},
     {0, 1, 1, 0},
     2,
     {1, 0, 0, 0, 1, 0, 0, 0, 1, 0},
     3,
     4,
     2,
     3},
    {"pendulum",
     3,
     {1, 0, 0, 0, 1, 0, 0, 0, 0},
     {0},
     {1, 0, 0, 0, 0, 1, 0, 1, 0},
     1,
     {2, 0, 0, 0, 1, 0, 1, 0, 1, 0},
     3,
     4,
     2,
     3},
    {"damped pendulum",
     3,
     {1, 0, 0, 0, 1, 0, 0, 0, 0},
     {0.3, 0, 0, 0, 0.3, 0, 0, 0, 0},
     {1, 0, 0, 0, 0, 1, 0, 1, 0},
     2,
     {2, 0, 0, 0, 1, 0, 1, 0, 1, 0},
     3,
     4,
     2,
     3},
    {"two masses, full damping",
     3,
     {2, 0, 0, 0, 1, 0, 0, 0, 0},
     {0.5, 0.1, 0, 0.1, 0.4, 0, 0, 0, 0},
     {3, -1, 1, -1, 2, 2, 1, 2, 0},
     3,
     {2, 0, 0, 0, 1, 0, 1, 0, 1, 0},
     3,
     4,
     2,
     3},
    {"velocity constraint",
     3,
     {2, 0, 0, 0, 1, 0, 0, 0, 0},
     {0.5, 0.1, 1, 0.1, 0.4, 2, 0, 0, 0},
     {3, -1, 0, -1, 2, 0, 1, 2, 0},
     2,
     {2, 0, 0, 1, 0, 0, 1, 0, 1, 0},
     2,
     3,
     1,
     2},
    {"dynamic force element",
     3,
     {1, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, 0, 0, 1, 0, 0, 0, 0},
     {1, -1, 1, -1, 1, 0, 1, 0, 0},
     1,
     {1, 0, 0, 0, 1, 0, 0, 1, 1, 0},
     3,
     4,
     2,
     3},
    {"three orders",
     3,
     {1, 0, 0, 0, 0, 0, 0, 0, 0},
     {0, 1, 0, 0, 0, 0, 0, 0, 0},
     {0, 0, 1, 1, 0, 0, 0, 1, 0},
     1,
     {1, 0, 1, 0, 0, 0, 0, 0, 2, 0},
     3,
     4,
     2,
     3},
    {"orders 1 and 2",
     2,
     {1, 0, 0, 0},
     {0, 1, 0, 0},
     {0, 1, 1, 0},
     1,
     {1, 0, 0, 1, 0, 0, 0, 0, 1, 0},
     2,
     3,
     1,
     2},
    {"Example 2.1.3",
     3,
     {0},
     {0, 0, 0, 1, 0, 0, 0, 1, 0},
     {1, 0, 0, 0, 1, 0, 0, 0, 1},
     2,
     {0, 0, 0, 0, 0, 1, 0, 1, 1, 0},
     3,
     4,
     2,
     3},
    {"orders 0 and 1",
     2,
     {0},
     {1, 0, 0, 0},
     {0, 1, 1, 0},
     1,
     {0, 0, 0, 0, 0, 1, 0, 0, 1, 0},
     2,
     3,
     1,
     2},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

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

static double noise(unsigned long long *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(long long)*state / 0x1p63;
}

/* out = P A Q / unit */
static void transform(int n, const double *P, const double *A, const double *Q, double unit,
                      double *out) {
    double PA[MAX * MAX] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) PA[i + n * j] += P[i + n * k] * A[k + n * j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i + n * j] = 0;
            for (int k = 0; k < n; k++) out[i + n * j] += PA[i + n * k] * Q[k + n * j] / unit;
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
        transform(n, P, e->A2, Q, 1, A2);
        transform(n, P, e->A1, Q, 1, A1);
        transform(n, P, e->A0, Q, 1, A0);
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
        transform(n, P, e->A2, Q, tau * tau, A2);
        transform(n, P, e->A1, Q, tau, A1);
        transform(n, P, e->A0, Q, 1, A0);
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(n, A2, A1, A0, 0, &r, NULL), SODAE_OK);
        assert_int_equal(r.mu, e->mu);
        assert_memory_equal(&r.initial, &e->initial, sizeof r.initial);
        assert_int_equal(r.all.d_index, e->all_d);
        assert_int_equal(r.velocities.d_index, e->velocities_d);
    }
}

/* Example 3.2.2: (3.9) becomes x = f~, two algebraic equations. */
static void the_strangeness_free_form_of_3_9_is_algebraic(void **unused) {
    (void)unused;
    const example *e = &examples[0];
    sodae_linear_report r;
    double form[12];
    assert_int_equal(sodae_linear_dae_analyse(2, e->A2, e->A1, e->A0, 0, &r, form), SODAE_OK);
    assert_int_equal(r.final.a, 2);
    for (int i = 0; i < 8; i++) CHECK_NEAR(form[i], 0, 1e-15);
    CHECK_NEAR(fabs(form[8] * form[11] - form[9] * form[10]), 1, 1e-14);
}

/* One degree of freedom, whatever the damping. */
static void the_strangeness_free_form_keeps_the_free_motion(void **unused) {
    (void)unused;
    for (int damped = 1; damped <= 3; damped++) {
        const example *e = &examples[damped];
        sodae_linear_report r;
        assert_int_equal(sodae_linear_dae_analyse(3, e->A2, e->A1, e->A0, 0, &r, NULL), SODAE_OK);
        assert_int_equal(2 * r.final.d2 + r.final.d1, 2); /* free initial values */
        assert_int_equal(r.final.d2 + r.final.d1 + r.final.a, 3);
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
        cmocka_unit_test(the_strangeness_free_form_of_3_9_is_algebraic),
        cmocka_unit_test(the_strangeness_free_form_keeps_the_free_motion),
        cmocka_unit_test(equations_that_are_not_regular_have_no_index),
        cmocka_unit_test(ordinary_equations_have_index_zero),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(the_tolerance_decides_and_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
