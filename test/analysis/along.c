/* Claims about the strangeness index along an interval. */
#include <sodae/strangeness.h>

#include "claims.h"

/* coefficient k of (t + s)^p */
static double power(double t, int p, int k) {
    double c = 1;
    for (int i = 0; i < k; i++) c = c * (p - i) / (i + 1);
    return k > p ? 0 : c * pow(t, p - k);
}

/* E = [[-t, t^2], [-1, t]], A = -I: (c(t) t, c(t)) solves it for every c. */
static int not_unique(double t, int terms, double *A2, double *A1, double *A0, double *f,
                      void *user) {
    (void)A2, (void)f, (void)user;
    for (int k = 0; k < terms; k++) {
        double *E = A1 + 4 * k;
        E[0] = -power(t, 1, k), E[1] = -(k == 0), E[2] = power(t, 2, k), E[3] = power(t, 1, k);
        A0[4 * k] = A0[4 * k + 3] = k == 0;
    }
    return 0;
}

/* 0 = -x1 + t x2 + sin t, x1' - t x2' = -cos t: the pencil is singular, the solution unique. */
static int unique(double t, int terms, double *A2, double *A1, double *A0, double *f, void *user) {
    (void)A2, (void)f, (void)user;
    for (int k = 0; k < terms; k++) {
        A1[4 * k + 1] = k == 0, A1[4 * k + 3] = -power(t, 1, k);
        A0[4 * k] = -(k == 0), A0[4 * k + 2] = power(t, 1, k);
    }
    return 0;
}

/* (t - 0.3) x' = x */
static int singular_point(double t, int terms, double *A2, double *A1, double *A0, double *f,
                          void *user) {
    (void)A2, (void)f, (void)user;
    for (int k = 0; k < terms; k++) A1[k] = power(t - 0.3, 1, k), A0[k] = -(k == 0);
    return 0;
}

/* max(t - 0.37, 0) x' = x */
static int switching(double t, int terms, double *A2, double *A1, double *A0, double *f,
                     void *user) {
    (void)A2, (void)f, (void)user;
    for (int k = 0; k < terms; k++) A1[k] = t > 0.37 ? power(t - 0.37, 1, k) : 0, A0[k] = -(k == 0);
    return 0;
}

/* 004 (3.9) */
static int second_order(double t, int terms, double *A2, double *A1, double *A0, double *f,
                        void *user) {
    (void)t, (void)terms, (void)user;
    A2[0] = A1[0] = A0[1] = A0[2] = 1;
    f[0] = f[1] = 1;
    return 0;
}

static sodae_along_report along(const sodae_linear_system *system) {
    sodae_along_report r;
    assert_int_equal(sodae_strangeness_along(system, 0, 1, &r, NULL), SODAE_OK);
    assert_int_equal(r.count, SODAE_ALONG_POINTS);
    return r;
}

static void the_twins_with_moving_kernels_get_the_answers_of_theorem_2_1_8(void **state) {
    (void)state;
    sodae_linear_system a = {.m = 2, .n = 2, .series = not_unique}, b = {2, 2, .series = unique};
    sodae_along_report ra = along(&a), rb = along(&b);
    for (int i = 0; i < ra.count; i++) {
        const sodae_strangeness *p = &ra.point[i], *q = &rb.point[i];
        assert_true(p->decided && p->mu == 1 && p->d == 0 && p->a == 1 && p->u == 1 && p->v == 1);
        assert_int_equal(p->d_index, -1);
        assert_true(q->decided && q->mu == 1 && q->d == 0 && q->a == 2 && q->u == 0 && q->v == 0);
        assert_int_equal(q->d_index, 2);
    }
    assert_int_equal(ra.nchanges + rb.nchanges, 0);
}

static void a_change_of_rank_is_located_to_a_millionth_of_the_interval(void **state) {
    (void)state;
    sodae_linear_system a = {1, 1, .series = switching};
    sodae_along_report r = along(&a);
    assert_int_equal(r.nchanges, 1);
    assert_true(r.change[0].t0 <= 0.37 + 1e-8 && r.change[0].t1 >= 0.37);
    CHECK_IN(r.change[0].t1 - r.change[0].t0, 0, 1e-6);
    assert_true(r.change[0].before.a == 1 && r.change[0].after.d == 1);
}

static void a_singular_point_between_two_samples_is_found(void **state) {
    (void)state;
    sodae_linear_system a = {1, 1, .series = singular_point};
    sodae_along_report r = along(&a);
    assert_int_equal(r.nchanges, 1);
    assert_true(r.change[0].isolated);
    CHECK_NEAR((r.change[0].t0 + r.change[0].t1) / 2, 0.3, 1e-6);
}

static void the_second_order_form_of_3_9_is_algebraic(void **state) {
    (void)state;
    const int twice[2] = {1, 0};
    sodae_linear_system a = {2, 2, twice, .series = second_order};
    sodae_strangeness q;
    sodae_free_form form;
    assert_int_equal(sodae_strangeness_at(&a, 0, &q, &form), SODAE_OK);
    assert_true(q.decided && q.mu == 2 && q.d == 0 && q.a == 3);
    assert_true(q.second_decided && q.a0 == 2 && q.d1 == 0 && q.d2 == 0 && q.derivatives == 2);
    assert_true(form.d == 0 && form.a == 3 && form.size == 3);
    sodae_free_form_free(&form);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_twins_with_moving_kernels_get_the_answers_of_theorem_2_1_8),
        cmocka_unit_test(a_change_of_rank_is_located_to_a_millionth_of_the_interval),
        cmocka_unit_test(a_singular_point_between_two_samples_is_found),
        cmocka_unit_test(the_second_order_form_of_3_9_is_algebraic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
