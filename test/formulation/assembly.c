/* Claims about the assembly of initial values that are far from the constraints. */
#include "model/parse.h"

#include <stdio.h>

enum { TEXT = 40000 };

static void add(char *text, const char *format, int a, int b, double x) {
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, format, a, b, x);
}

/* The part of mass i, j of a chain of n bars of length and mass 1, by absolute angles. */
static double share(int n, int i, int j) {
    int k = i > j ? i : j;
    return n - 1 - k + (i == j ? 1.0 / 3 : 0.5);
}

/* A chain of n links whose ends are d apart; q_i falls from 0.9 to -0.9. */
static sodae_model *chain(int n, double d, const char *hold) {
    static char text[TEXT];
    strcpy(text, "sodae: 1\nequations:\n  positions: [");
    for (int i = 0; i < n; i++) add(text, i ? ", q%d" : "q%d", i + 1, 0, 0);
    strcat(text, "]\n  velocities: [");
    for (int i = 0; i < n; i++) add(text, i ? ", u%d" : "u%d", i + 1, 0, 0);
    strcat(text, "]\n  mass:\n");
    for (int i = 0; i < n; i++) {
        add(text, "    - [", 0, 0, 0);
        for (int j = 0; j < n; j++) {
            if (j) strcat(text, ", ");
            add(text, "\"cos(q%d - q%d)*%.17g\"", i + 1, j + 1, share(n, i, j));
        }
        strcat(text, "]\n");
    }
    strcat(text, "  force: [");
    for (int i = 0; i < n; i++) strcat(text, i ? ", 0" : "0");
    strcat(text, "]\n  holonomic: [\"");
    for (int i = 0; i < n; i++) add(text, "+ cos(q%d)", i + 1, 0, 0);
    add(text, "- %d - %d - %.17g\", \"", 0, 0, d);
    for (int i = 0; i < n; i++) add(text, "+ sin(q%d)", i + 1, 0, 0);
    strcat(text, "\"]\ninitial:\n  positions: [");
    for (int i = 0; i < n; i++) {
        if (i) strcat(text, ", ");
        add(text, "%d - %d + %.17g", 0, 0,
            n == 4 ? (const double[]){0.9, 0.5, -0.5, -0.9}[i] : 0.9 * (1 - 2.0 * i / (n - 1)));
    }
    strcat(text, "]\n  velocities: {u1: 1}\n  hold: ["), strcat(text, hold), strcat(text, "]\n");
    return parse(text);
}

/* Twice the Euclidean nearest, found by an independent code: 0.38, 0.68, 0.88 rad. */
static void closed_chains_move_as_little_as_needed(void **unused) {
    static const struct {
        int n;
        double least, most;
    } chains[] = {{4, 0.37, 0.76}, {5, 0.67, 1.4}, {8, 0.87, 1.8}};
    (void)unused;
    for (int c = 0; c < 3; c++) {
        sodae_model *model = chain(chains[c].n, 2, "");
        sodae_options o = sodae_default_options();
        sodae *s = begin_run(sodae_model_problem(model), &o);
        const sodae_start_report *r = sodae_started(s);
        CHECK_IN(r->q_moved, chains[c].least, chains[c].most);
        CHECK_IN(r->position_after, 0, 1e-12);
        CHECK_IN(r->iterations, 2, 50);
        assert_int_equal(r->q_moved_name[0], 'q');
        assert_non_null(strstr(r->far_moved, "q1 by "));
        sodae_free(s);
        sodae_model_free(model);
    }
}

static void small_corrections_give_no_warning(void **unused) {
    (void)unused;
    sodae_model *model = parse("sodae: 1\nequations: {positions: [x, y], force: [0, -1], "
                               "holonomic: [x^2 + y^2 - 1]}\n"
                               "initial: {positions: [0.6, -0.81]}\n");
    sodae_options o = sodae_default_options();
    sodae *s = begin_run(sodae_model_problem(model), &o);
    CHECK_IN(sodae_started(s)->q_moved, 0.005, 0.01);
    assert_string_equal(sodae_started(s)->q_moved_name, "y");
    assert_string_equal(sodae_started(s)->far_moved, "");
    sodae_free(s);
    sodae_model_free(model);
}

static void a_loop_that_cannot_close_is_refused_by_name(void **unused) {
    (void)unused;
    sodae_model *model = chain(4, 5, "");
    sodae_failure why;
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, sodae_model_problem(model), NULL, &why), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_INCONSISTENT);
    assert_string_equal(sodae_last_failure(s)->where, "holonomic[1]");
    assert_non_null(strstr(sodae_last_failure(s)->message, "no state near"));
    CHECK_IN(sodae_last_failure(s)->size, -1.2, -0.9);
    sodae_free(s);
    sodae_model_free(model);
}

static void held_coordinates_stay_bit_for_bit(void **unused) {
    (void)unused;
    sodae_model *model = chain(4, 2, "q1, u1");
    const sodae_problem *p = sodae_model_problem(model);
    sodae_options o = sodae_default_options();
    sodae *s = begin_run(p, &o);
    const sodae_view *v = sodae_state(s);
    double position, velocity;
    CHECK_NEAR(v->q[0], p->initial.q[0], 0);
    CHECK_NEAR(v->v[0], 1, 0);
    CHECK_IN(fabs(v->q[3] - p->initial.q[3]), 0.1, 1);
    CHECK_IN(fabs(v->v[3]), 0.1, 2);
    assert_int_equal(sodae_residuals(s, &position, &velocity), SODAE_OK);
    CHECK_IN(position, 0, 1e-12);
    CHECK_IN(velocity, 0, 1e-12);
    assert_int_equal(sodae_advance(s, 0.1, NULL, NULL), SODAE_OK);
    CHECK_IN(fabs(v->q[0] - p->initial.q[0]), 0.01, 1); /* only the start holds it */
    sodae_free(s);
    sodae_model_free(model);
}

static void held_coordinates_that_leave_no_freedom_are_refused(void **unused) {
    (void)unused;
    sodae_model *model = chain(4, 2, "q1, q2, q3");
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, sodae_model_problem(model), NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_INCONSISTENT);
    assert_string_equal(sodae_last_failure(s)->where, "hold");
    sodae_free(s);
    sodae_model_free(model);
}

/* Names of positions go by direction: R stores nine numbers and turns in three. */
static void positions_behind_a_rotation_are_named(void **unused) {
    (void)unused;
    sodae_model *model = parse("sodae: 1\nequations:\n  positions:\n    - {name: R, space: SO3}\n"
                               "    - {name: x, space: R3}\n  force: [0, 0, 0, 0, 0, 0]\n"
                               "  holonomic: [\"x[2] - 1\", \"R[1,2]\"]\n"
                               "initial: {positions: {x: [1, 0.4, 2]}}\n");
    sodae_options o = sodae_default_options();
    sodae *s = begin_run(sodae_model_problem(model), &o);
    assert_string_equal(sodae_started(s)->q_moved_name, "x[2]");
    assert_string_equal(sodae_started(s)->far_moved, "x[2] by 0.6");
    sodae_free(s);
    sodae_model_free(model);
}

/* The third constraint follows from the others where they are met, and only there: as in linkages
 * that move although counting says that they cannot. */
static void redundant_constraints_are_met_from_afar(void **unused) {
    static const double off[] = {1e-8, 1e-5, 1e-3, 0.05};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "sodae: 1\nequations:\n  positions: [x, y, z]\n  force: [0, -9.81, 0]\n  "
                 "holonomic: [(x^2 + y^2 - 1)/2, z, (x^2 + y^2 - 1)*x + z*y]\n"
                 "initial: {positions: [0.6 + %g, -0.8 - 2*%g, %g]}\n",
                 off[k], off[k], off[k]);
        sodae_model *model = parse(text);
        sodae_options o = sodae_default_options();
        sodae *s = begin_run(sodae_model_problem(model), &o);
        const sodae_start_report *r = sodae_started(s);
        CHECK_IN(r->q_moved, 1.5 * off[k], 3 * off[k]);
        CHECK_IN(r->position_after, 0, 1e-12);
        assert_int_equal(r->redundant, 1);
        assert_int_equal(sodae_advance(s, 0.5, NULL, NULL), SODAE_OK);
        sodae_free(s);
        sodae_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_chains_move_as_little_as_needed),
        cmocka_unit_test(small_corrections_give_no_warning),
        cmocka_unit_test(positions_behind_a_rotation_are_named),
        cmocka_unit_test(redundant_constraints_are_met_from_afar),
        cmocka_unit_test(a_loop_that_cannot_close_is_refused_by_name),
        cmocka_unit_test(held_coordinates_stay_bit_for_bit),
        cmocka_unit_test(held_coordinates_that_leave_no_freedom_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
