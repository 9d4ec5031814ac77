/* Claims about the BDF family under error control: what a formulation does to steps and errors. */
#include "bdf_run.h"

typedef struct outcome {
    double steps, refused, error; /* error: the largest of q and v on the way, in tolerances */
    double matrices, iterations;  /* factored; residuals */
    double solves, constraints;   /* back-solves; evaluations of g */
    char solver[16];              /* of the last matrix */
} outcome;

typedef struct observer {
    const sodae_problem *problem;
    double tolerance, error;
} observer;

static double in_tolerances(int n, const double *x, const double *exact, double tolerance) {
    double size = 0;
    for (int i = 0; i < n; i++)
        size = fmax(size, fabs(x[i] - exact[i]) / (tolerance * (1 + fabs(exact[i]))));
    return size;
}

static int observe(const sodae_view *view, void *user) {
    observer *o = user;
    double q[256], v[256], lambda[256], r[8], w[8], s[8];
    sodae_solution to = {
        .size = sizeof(sodae_solution), .q = q, .v = v, .lambda = lambda, .r = r, .w = w, .s = s};
    if (!o->problem->exact || o->problem->exact(view->t, &to, o->problem->user)) return 0;
    o->error = fmax(o->error, in_tolerances(view->nq, view->q, q, o->tolerance));
    o->error = fmax(o->error, in_tolerances(view->nv, view->v, v, o->tolerance));
    return 0;
}

/* The problem itself is freed. */
static outcome run_to(const char *problem, sodae_problem *p, double span, const char *method,
                      const char *formulation, double rtol) {
    char settings[128];
    observer o = {.problem = p, .tolerance = rtol};
    sodae_failure why = {0};
    sodae *s = NULL;
    snprintf(settings, sizeof settings, "method=%s formulation=%s rtol=%g max_steps=100000", method,
             formulation, rtol);
    sodae_options options = run_options(settings);
    if (sodae_create(&s, p, &options, &why)) fail_msg("%s: %s", settings, why.message);
    if (sodae_start(s) < 0 || sodae_advance(s, sodae_state(s)->t + span, observe, &o) < 0)
        fail_msg("%s %s: %s", problem, settings, sodae_last_failure(s)->message);
    const sodae_statistics *n = sodae_counters(s);
    outcome out = {(double)n->steps,
                   (double)n->refused,
                   o.error,
                   (double)n->factorizations,
                   (double)n->newton_iterations,
                   (double)n->solves,
                   (double)n->evaluations[SODAE_HOLONOMIC],
                   ""};
    snprintf(out.solver, sizeof out.solver, "%s", n->linear_solver);
    sodae_free(s);
    catalogue_find(problem)->free(p);
    return out;
}

static outcome run(const char *problem, double span, const char *method, const char *formulation,
                   double rtol) {
    return run_to(problem, run_problem(problem), span, method, formulation, rtol);
}

/* Velocities of the formula and of the state are two things in ggl2: their difference is no error.
 * Below the tolerance errors are chance: Newton's iteration ends at another place in each. */
static void ggl2_takes_the_steps_of_ggl(void **unused) {
    static const struct {
        const char *problem;
        double span;
    } table[] = {{"hht-test", 1},   {"spring-pendulum", 1}, {"soi2-test", 1}, {"heavy-top", 0.1},
                 {"andrews", 0.03}, {"four-bar", 0.6},      {"chain", 0.5},   {"rod-chain", 0.3}};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        double rtol = k ? 1e-6 : 1e-4, steps[2] = {0, 0};
        for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
            outcome first = run(table[i].problem, table[i].span, "bdf", "ggl", rtol);
            outcome second = run(table[i].problem, table[i].span, "bdf", "ggl2", rtol);
            steps[0] += first.steps, steps[1] += second.steps;
            CHECK_IN(second.error, 0.005, fmax(1, 1.5 * first.error));
        }
        CHECK_IN(steps[1] / steps[0], 0.9, 1.15);
    }
}

/* Independent coordinates with much inertia take the smaller errors. */
static void minimal_extension_takes_the_steps_of_other_forms(void **unused) {
    static const struct {
        const char *problem, *method, *other;
        double span, least;
    } table[] = {{"heavy-top", "bdf", "ggl", 0.2, 0.4},
                 {"heavy-top", "direct-bdf", "index3", 0.2, 0.7},
                 {"heavy-top", "modified-bdf", "index3", 0.1, 0.2},
                 {"pendulum-a01", "bdf", "ggl", 10, 0.7},
                 {"slider-crank", "direct-bdf", "index3", 0.06, 0.7},
                 {"chain", "direct-bdf", "index3", 0.5, 0.7}};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        outcome other = run(table[i].problem, table[i].span, table[i].method, table[i].other, 1e-4);
        outcome minimal =
            run(table[i].problem, table[i].span, table[i].method, "minimal-extension", 1e-4);
        CHECK_IN(minimal.steps / other.steps, table[i].least, 1.3);
        CHECK_IN(minimal.error, 0, 10);
    }
}

/* The drift is a part of the error. */
static void errors_of_index1_are_those_of_the_tolerance(void **unused) {
    static const char *const methods[] = {"bdf", "direct-bdf", "modified-bdf"};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        outcome a01 = run("pendulum-a01", 10, methods[m], "index1", 1e-4);
        outcome top = run("heavy-top", m == 2 ? 0.1 : 1, methods[m], "index1", 1e-4);
        CHECK_IN(a01.error, 0.3, 10);
        CHECK_IN(top.error, 0.3, 10);
    }
}

/* Modified coefficients on velocities of the chart: a hundred times the accuracy takes 100^(1/5)
 * times the steps of order 5; with body velocities they were those of a lower order. */
static void modified_bdf_follows_the_tolerance_on_rotations(void **unused) {
    static const char *const problems[] = {"heavy-top", "heavy-top-se3"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        outcome loose = run(problems[i], 0.05, "modified-bdf", "index3", 1e-3);
        outcome tight = run(problems[i], 0.05, "modified-bdf", "index3", 1e-5);
        CHECK_IN(tight.steps / loose.steps, 1.6, 3.5);
        CHECK_IN(loose.error, 0.1, 20);
        CHECK_IN(tight.error, 0.1, 20);
    }
}

/* Normal errors of the velocities, which jump with the step in index3, and their rounding take no
 * part in the test. */
static void ordinary_bdf_follows_tight_tolerances_in_index3(void **unused) {
    static const struct {
        const char *problem;
        double span, most;
    } table[] = {{"rod-chain", 0.3, 1}, {"four-bar", 2, 10}, {"andrews", 0.03, 50}};
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        outcome ggl = run(table[i].problem, table[i].span, "bdf", "ggl", 1e-8);
        outcome index3 = run(table[i].problem, table[i].span, "bdf", "index3", 1e-8);
        CHECK_IN(index3.steps / ggl.steps, 0.8, 1.5);
        CHECK_IN(index3.error, 0.01, table[i].most);
    }
}

/* The normal part of v by an older matrix, repeated until nothing is left of it. */
static void direct_bdf_with_velocity_constraints_keeps_its_matrix(void **unused) {
    static const char *const problems[] = {"andrews", "rod-chain", "circular-track"};
    static const double spans[] = {0.03, 0.3, 0.5}; /* hundreds of steps, not the start alone */
    (void)unused;
    for (int i = 0; i < 3; i++) {
        outcome index2 = run(problems[i], spans[i], "direct-bdf", "index2", 1e-7);
        outcome index3 = run(problems[i], spans[i], "direct-bdf", "index3", 1e-7);
        CHECK_IN(index2.matrices / index3.matrices, 0.1, 2);
        CHECK_IN(index2.steps / index3.steps, 0.7, 1.3);
    }
    outcome disk = run("rolling-disk", 4, "direct-bdf", "index3", 1e-6);
    CHECK_IN(disk.matrices / disk.steps, 0.01, 0.2);
    CHECK_IN(disk.error, 0.01, 5);
}

/* IDA's economy, in the mean of all runs 2 residuals and 10 steps of one matrix. Back-solves: 2 for
 * Newton, 2 for the constraints, 2 for the estimate, a few for other orders now and then. Where
 * constraints do not depend on time nobody looks at them inside a step that was foreseen, and where
 * they do, as those of the car axis, in steps longer than before only. */
static void bdf_takes_two_residuals_in_a_step(void **unused) {
    static const struct {
        const char *problem;
        double span, least; /* steps of one matrix */
    } table[] = {{"chain", 1, 7}, {"pendulum", 2, 5}, {"andrews", 0.05, 6}, {"car-axis", 1, 15}};
    double residuals = 0, steps = 0, matrices = 0, solves = 0;
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (double rtol = 1e-4; rtol > 5e-7; rtol /= 10) {
            outcome x = run(table[i].problem, table[i].span, "bdf", "auto", rtol);
            CHECK_IN(x.iterations / x.steps, 1, 2.8);
            CHECK_IN(x.steps / x.matrices, table[i].least, 100);
            residuals += x.iterations, steps += x.steps, matrices += x.matrices;
            solves += x.solves;
            CHECK_IN(x.constraints / x.steps, 3, 6);
        }
    CHECK_IN(residuals / steps, 1, 2);
    CHECK_IN(steps / matrices, 10, 30);
    CHECK_IN(solves / steps, 4, 8);
}

/* The top spins so fast that an old matrix contracts by a third only: where four increments would
 * not do, the iteration goes on with a new one, which needs one more. */
static void bdf_goes_on_with_a_new_matrix_where_the_old_one_contracts_slowly(void **unused) {
    (void)unused;
    for (double rtol = 1e-2; rtol > 5e-5; rtol /= 10) {
        outcome top = run("heavy-top", 0.5, "bdf", "auto", rtol);
        CHECK_IN(top.iterations / top.steps, 1, 3.2);
        CHECK_IN(top.error, 0.01, 10);
    }
}

/* Without the derivative of G v by q the matrix is symmetric; where bars of four-bars are in line
 * it is needed. */
static void sparse_matrices_of_bdf_are_symmetric_away_from_singular_configurations(void **unused) {
    (void)unused;
    double links = 40, windows = 10;
    outcome chain =
        run_to("chain", catalogue_find("chain")->create(&links), 0.1, "bdf", "auto", 1e-4);
    assert_string_equal(chain.solver, "ldl");
    CHECK_IN(chain.iterations / chain.steps, 1, 2.2);
    for (double rtol = 1e-5; rtol > 5e-9; rtol /= 10) {
        outcome bars = run_to("four-bar", catalogue_find("four-bar")->create(&windows), 2, "bdf",
                              "auto", rtol);
        CHECK_IN(bars.error, 0.01, 5);
        CHECK_IN(bars.iterations / bars.steps, 1, 2.5);
    }
}

static void order_1_alone_refuses_few_steps(void **unused) {
    static const char *const methods[] = {"bdf", "direct-bdf", "modified-bdf"};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        outcome circle = run("unit-circle", 1, methods[m], "index3 max_order=1", 1e-3);
        CHECK_IN(circle.steps, 500, 1200);
        CHECK_IN(circle.refused, 0, 0.02 * circle.steps);
        CHECK_IN(circle.error, 0.2, 4);
    }
}

/* Steps do not swing where order 2 is the highest. */
static void modified_bdf_of_order_2_is_seldom_refused(void **unused) {
    static const char *const problems[] = {"pendulum", "chain"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        outcome x = run(problems[i], 1, "modified-bdf max_order=2", "index3", 1e-4);
        outcome y = run(problems[i], 1, "direct-bdf max_order=2", "index3", 1e-4);
        CHECK_IN(x.steps / y.steps, 0.7, 1);
        CHECK_IN(x.refused / x.steps, 0, 0.02);
        CHECK_IN(x.error / y.error, 0.5, 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ggl2_takes_the_steps_of_ggl),
        cmocka_unit_test(minimal_extension_takes_the_steps_of_other_forms),
        cmocka_unit_test(errors_of_index1_are_those_of_the_tolerance),
        cmocka_unit_test(modified_bdf_follows_the_tolerance_on_rotations),
        cmocka_unit_test(modified_bdf_of_order_2_is_seldom_refused),
        cmocka_unit_test(ordinary_bdf_follows_tight_tolerances_in_index3),
        cmocka_unit_test(direct_bdf_with_velocity_constraints_keeps_its_matrix),
        cmocka_unit_test(bdf_takes_two_residuals_in_a_step),
        cmocka_unit_test(bdf_goes_on_with_a_new_matrix_where_the_old_one_contracts_slowly),
        cmocka_unit_test(sparse_matrices_of_bdf_are_symmetric_away_from_singular_configurations),
        cmocka_unit_test(order_1_alone_refuses_few_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
