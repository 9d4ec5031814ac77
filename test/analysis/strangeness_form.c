/* Claims about the strangeness-free form of linear DAEs of second order (paper 004). */
#include <sodae/analysis.h>

#include "analysis/pencils.h"
#include "claims.h"
#include "linear/noise.h"

/* Example 3.2.2, (3.13): x1 = f2, x2 = f1 - f2' - f2''. */
static void the_strangeness_free_form_of_3_9_is_algebraic(void **unused) {
    (void)unused;
    const example *e = &examples[0];
    sodae_linear_report r;
    sodae_linear_form form;
    assert_int_equal(sodae_linear_dae_analyse(2, e->A2, e->A1, e->A0, 0, &r, &form), SODAE_OK);
    assert_int_equal(r.final.a, 2);
    assert_int_equal(form.n, 2);
    assert_int_equal(form.derivatives, 2);
    int first = fabs(form.A0[0]) > 0.5 ? 0 : 1; /* the row of x1 */
    const double rows[2][6] = {{0, 1, 0, 0, 0, 0}, {1, 0, 0, -1, 0, -1}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int k = i == first ? 0 : 1;
            CHECK_NEAR(form.A2[i + 2 * j], 0, 1e-15);
            CHECK_NEAR(form.A1[i + 2 * j], 0, 1e-15);
            CHECK_NEAR(fabs(form.A0[i + 2 * j]), j == k, 1e-14);
            for (int d = 0; d < 3; d++)
                CHECK_NEAR(form.F[i + 2 * j + 4 * d] * form.A0[i + 2 * k], rows[k][2 * d + j],
                           1e-14);
        }
    sodae_linear_form_free(&form);
    assert_null(form.A2);
}

/* out = sum of s^k X_k, X_k n x n one after the other */
static void at(int n, int count, const double *const *X, double s, double *out) {
    for (int i = 0; i < n * n; i++) {
        out[i] = 0;
        for (int k = count - 1; k >= 0; k--) out[i] = s * out[i] + X[k][i];
    }
}

/* With f = c exp(s t): what the form says of x is F(s) c, so B(s) = F(s) A(s) for all s. */
static void check_right_side(const example *e, const double *A2, const double *A1, const double *A0,
                             double tau) {
    int n = e->n;
    sodae_linear_report r;
    sodae_linear_form form;
    assert_int_equal(sodae_linear_dae_analyse(n, A2, A1, A0, 0, &r, &form), SODAE_OK);
    assert_in_range(form.derivatives, 0, 2 * r.mu);
    const double *A[3] = {A0, A1, A2}, *B[3] = {form.A0, form.A1, form.A2}, *F[16];
    for (int k = 0; k <= form.derivatives; k++) F[k] = form.F + k * n * n;
    for (int k = -3; k <= 3; k++) {
        double s = 0.4 * k * tau, As[9], Bs[9], Fs[9];
        at(n, 3, A, s, As), at(n, 3, B, s, Bs), at(n, form.derivatives + 1, F, s, Fs);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0, size = fabs(Bs[i + n * j]);
                for (int l = 0; l < n; l++) {
                    sum += Fs[i + n * l] * As[l + n * j];
                    size = fmax(size, fabs(Fs[i + n * l] * As[l + n * j]));
                }
                if (!(fabs(sum - Bs[i + n * j]) <= 1e-9 * size))
                    fail_msg("%s: %g instead of %g at s = %g", e->name, sum, Bs[i + n * j], s);
            }
    }
    sodae_linear_form_free(&form);
}

static void the_right_side_of_the_strangeness_free_form_is_that_of_its_rows(void **unused) {
    (void)unused;
    unsigned long long seed = 8;
    for (int k = 0; k < EXAMPLES * 20; k++) {
        const example *e = &examples[k % EXAMPLES];
        double P[9], Q[9], A2[9], A1[9], A0[9], tau = k < 10 * EXAMPLES ? 1 : 1e3;
        int n = e->n;
        for (int i = 0; i < n * n; i++) {
            P[i] = 0.4 * noise(&seed) + (i % (n + 1) == 0);
            Q[i] = 0.4 * noise(&seed) + (i % (n + 1) == 0);
        }
        pencil_transform(n, P, e->A2, Q, tau * tau, A2);
        pencil_transform(n, P, e->A1, Q, tau, A1);
        pencil_transform(n, P, e->A0, Q, 1, A0);
        check_right_side(e, A2, A1, A0, tau);
    }
}

/* x1 is given twice, by x1' = f1 and x1 = f2. */
static void redundant_rows_tell_what_f_must_fulfil(void **unused) {
    (void)unused;
    const double zero[4] = {0};
    sodae_linear_report r;
    sodae_linear_form form;
    const double A1[4] = {1, 0, 0, 0}, B0[4] = {0, 1, 0, 0}; /* x1' = f1, x1 = f2 */
    assert_int_equal(sodae_linear_dae_analyse(2, zero, A1, B0, 0, &r, &form), SODAE_OK);
    assert_int_equal(form.derivatives, 1);
    int row = form.A0[0] == 0 ? 0 : 1; /* 0 = f1 - f2' */
    for (int j = 0; j < 2; j++) CHECK_NEAR(form.A0[row + 2 * j], 0, 0);
    CHECK_NEAR(form.F[row] + form.F[row + 2 + 4], 0, 1e-14);
    CHECK_NEAR(fabs(form.F[row]), 1, 1e-14);
    CHECK_NEAR(form.F[row + 2], 0, 1e-14);
    CHECK_NEAR(form.F[row + 4], 0, 1e-14);
    sodae_linear_form_free(&form);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_strangeness_free_form_of_3_9_is_algebraic),
        cmocka_unit_test(the_right_side_of_the_strangeness_free_form_is_that_of_its_rows),
        cmocka_unit_test(redundant_rows_tell_what_f_must_fulfil),
        cmocka_unit_test(the_strangeness_free_form_keeps_the_free_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
