/* Claims about the simplified Newton iteration. */
#include "nonlinear/newton.h"

#include <stdio.h>
#include <string.h>

#include "claims.h"

enum { MOST = 3, LONGEST = 200 };

/* A small system with a matrix that may be wrong by a factor. */
typedef struct toy {
    int n;
    void (*F)(const double *x, double *res);
    void (*diagonal)(const double *x, double *d); /* the matrix: diagonal is enough here */
    double wrong;                                 /* the matrix is multiplied by this */
    sodae_status residual_says, matrix_says;
    double matrix[MOST], step[LONGEST];
    int steps, residuals, matrices;
    arena memory;
    newton newton;
    sodae_failure failure, *record;
} toy;

static sodae_status residual(void *self, const double *x, double *res) {
    toy *T = self;
    T->residuals++;
    T->F(x, res);
    return T->residual_says;
}

static sodae_status matrix(void *self, const double *x) {
    toy *T = self;
    T->matrices++;
    T->diagonal(x, T->matrix);
    for (int i = 0; i < T->n; i++) T->matrix[i] *= T->wrong;
    return T->matrix_says;
}

static void correct(void *self, double *res) {
    toy *T = self;
    for (int i = 0; i < T->n; i++) res[i] /= T->matrix[i];
}

static double size(void *self, const double *dx, double *state) {
    toy *T = self;
    double d = 0;
    for (int i = 0; i < T->n; i++)
        if (!(fabs(dx[i]) <= d)) d = fabs(dx[i]);
    if (T->steps < LONGEST) T->step[T->steps++] = d;
    return *state = d;
}

static void name(void *self, int row, char *text, size_t room) {
    (void)self;
    snprintf(text, room, "equation %d", row + 1);
}

static void root_of_two(const double *x, double *res) {
    res[0] = x[0] * x[0] - 2;
}
static void twice(const double *x, double *d) {
    d[0] = 2 * x[0];
}

static void two_and_a_hopeless_one(const double *x, double *res) {
    res[0] = x[0] - 1;
    res[1] = x[1] * x[1] + 5;
    res[2] = x[2] - 3;
}

static void one_two_one(const double *x, double *d) {
    d[0] = d[2] = 1, d[1] = 2 * x[1];
}

static void line(const double *x, double *res) {
    res[0] = 7 * x[0] - 3;
}
static void seven(const double *x, double *d) {
    d[0] = 7 + 0 * x[0];
}

static void not_a_number(const double *x, double *res) {
    res[0] = sqrt(-1 - x[0] * x[0]);
}

static void open_toy(toy *T, int n, void (*F)(const double *, double *),
                     void (*d)(const double *, double *)) {
    *T = (toy){.n = n, .F = F, .diagonal = d, .wrong = 1};
    newton_system system = {n, residual, matrix, correct, size, name, T, NULL};
    T->record = &T->failure;
    assert_int_equal(newton_open(&T->newton, &T->memory, system, &T->record), SODAE_OK);
}

static void close_toy(toy *T) {
    arena_free(&T->memory);
}

static sodae_status solve(toy *T, double *x, int most) {
    T->steps = T->residuals = T->matrices = 0;
    return newton_solve(&T->newton, x, &(newton_options){.rtol = 1e-14, .max = most});
}

static void linear_equations_take_one_step_and_a_look(void **unused) {
    (void)unused;
    toy T;
    double x = 100;
    open_toy(&T, 1, line, seven);
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    CHECK_NEAR(x, 3.0 / 7, 1e-15);
    CHECK_IN(T.steps, 2, 3);
    assert_int_equal(T.matrices, 1);
    close_toy(&T);
}

static void a_frozen_matrix_converges_linearly_at_the_known_rate(void **unused) {
    (void)unused;
    toy T;
    double x = 1.5, rate = 1 - 2 * sqrt(2) / 3;
    open_toy(&T, 1, root_of_two, twice);
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    CHECK_NEAR(x, sqrt(2), 1e-14);
    assert_int_equal(T.matrices, 1);
    for (int i = 2; i < 8; i++) CHECK_IN(T.step[i] / T.step[i - 1], 0.9 * rate, 1.1 * rate);
    close_toy(&T);
}

static void a_slow_start_gets_new_matrices_and_converges_quadratically(void **unused) {
    (void)unused;
    toy T;
    double x = 10;
    open_toy(&T, 1, root_of_two, twice);
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    CHECK_NEAR(x, sqrt(2), 1e-14);
    CHECK_IN(T.matrices, 4, 7);
    CHECK_IN(T.steps, 6, 14);
    /* d_{k+1} = d_k^2 / (2 x_{k+1}), x > sqrt 2, while the matrix is new each time */
    CHECK_IN(T.step[4] / (T.step[3] * T.step[3]), 0.31, 0.354);
    close_toy(&T);
}

static void a_good_matrix_serves_many_solves_until_it_is_forgotten(void **unused) {
    (void)unused;
    toy T;
    double x = 1.4;
    open_toy(&T, 1, root_of_two, twice);
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    assert_int_equal(T.matrices, 1);
    for (int i = 0; i < 10; i++) {
        x = 1.4 + 0.002 * i;
        assert_int_equal(solve(&T, &x, 30), SODAE_OK);
        assert_int_equal(T.matrices, 0);
    }
    newton_forget(&T.newton);
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    assert_int_equal(T.matrices, 1);
    close_toy(&T);
}

/* The matrix is a quarter of the true one, so that every error is multiplied by -3, from a guess as
 * good as one likes, after a solve whose contraction was excellent. */
static void growing_increments_never_pass(void **unused) {
    (void)unused;
    for (int stale = 0; stale < 2; stale++)
        for (double off = 1e-3; off > 1e-13; off /= 3) {
            toy T;
            double x = sqrt(2) + 1e-9;
            open_toy(&T, 1, root_of_two, twice);
            if (stale) {
                assert_int_equal(solve(&T, &x, 30), SODAE_OK);
                newton_forget(&T.newton);
            }
            T.wrong = 0.25;
            x = sqrt(2) + off;
            sodae_status st = solve(&T, &x, 100);
            if (st == SODAE_OK)
                CHECK_NEAR(x, sqrt(2), 1e-12);
            else
                assert_int_equal(st, SODAE_NEWTON_FAILED);
            if (off > 1e-12) assert_int_equal(st, SODAE_NEWTON_FAILED);
            close_toy(&T);
        }
}

static void every_iteration_ends_at_its_limit(void **unused) {
    (void)unused;
    for (int most = 1; most <= 40; most += 13) {
        toy T;
        double x = 1.9;
        open_toy(&T, 1, root_of_two, twice);
        T.wrong = 10; /* contraction 0.9, new matrices do not help */
        assert_int_equal(solve(&T, &x, most), SODAE_NEWTON_FAILED);
        assert_int_equal(T.failure.iterations, most);
        assert_int_equal(T.steps, most);
        CHECK_IN(T.residuals, most, most + 1);
        CHECK_IN(T.matrices, 1, most);
        close_toy(&T);
    }
}

static void failure_names_the_equation_with_the_largest_residual(void **unused) {
    (void)unused;
    toy T;
    double x[3] = {0, 0.7, 0}, res[3];
    open_toy(&T, 3, two_and_a_hopeless_one, one_two_one);
    assert_int_equal(solve(&T, x, 20), SODAE_NEWTON_FAILED);
    assert_string_equal(T.failure.where, "equation 2");
    assert_non_null(strstr(T.failure.message, "equation 2"));
    two_and_a_hopeless_one(x, res);
    CHECK_NEAR(T.failure.size, res[1], 0);
    CHECK_IN(T.failure.size, 5, INFINITY);
    close_toy(&T);
}

static void what_is_not_a_number_is_refused_at_once(void **unused) {
    (void)unused;
    toy T;
    double x = 1;
    open_toy(&T, 1, not_a_number, seven);
    assert_int_equal(solve(&T, &x, 30), SODAE_NEWTON_FAILED);
    assert_int_equal(T.steps, 1);
    CHECK_NEAR(x, 1, 0); /* and x is not spoilt by it */
    close_toy(&T);
}

static void the_words_of_residual_and_matrix_are_passed_on(void **unused) {
    (void)unused;
    toy T;
    double x = 1.5;
    open_toy(&T, 1, root_of_two, twice);
    T.matrix_says = SODAE_SINGULAR;
    assert_int_equal(solve(&T, &x, 30), SODAE_SINGULAR);
    T.matrix_says = SODAE_OK, T.residual_says = SODAE_CALLBACK_REFUSED;
    assert_int_equal(solve(&T, &x, 30), SODAE_CALLBACK_REFUSED);
    T.residual_says = SODAE_OK;
    assert_int_equal(solve(&T, &x, 30), SODAE_OK);
    assert_int_equal(T.matrices, 1); /* the matrix that failed was not kept */
    CHECK_NEAR(x, sqrt(2), 1e-14);
    close_toy(&T);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_equations_take_one_step_and_a_look),
        cmocka_unit_test(a_frozen_matrix_converges_linearly_at_the_known_rate),
        cmocka_unit_test(a_slow_start_gets_new_matrices_and_converges_quadratically),
        cmocka_unit_test(a_good_matrix_serves_many_solves_until_it_is_forgotten),
        cmocka_unit_test(growing_increments_never_pass),
        cmocka_unit_test(every_iteration_ends_at_its_limit),
        cmocka_unit_test(failure_names_the_equation_with_the_largest_residual),
        cmocka_unit_test(what_is_not_a_number_is_refused_at_once),
        cmocka_unit_test(the_words_of_residual_and_matrix_are_passed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
