/* Claims about auto under error control: an explicit method, and radau-iia once it does not fit. */
#include "bodies.h"
#include "integrator/store.h"
#include "problems/each.h"

#include <stdlib.h>
#include <string.h>

typedef struct ran {
    const catalogue_entry *entry;
    sodae_problem *p;
    sodae *s;
} ran;

static ran run_entry(const char *problem, double rtol) {
    ran w = {.entry = catalogue_find(problem)};
    sodae_options o = sodae_default_options();
    o.rtol = rtol;
    w.p = each_create(w.entry, NULL, 0);
    w.s = run_start(w.p, &o);
    if (sodae_advance(w.s, w.entry->t_end, NULL, NULL))
        fail_msg("%s: %s", problem, sodae_last_failure(w.s)->message);
    return w;
}

static void end_entry(ran *w) {
    sodae_free(w->s);
    w->entry->free(w->p);
}

static void where_forces_are_not_stiff_the_run_stays_explicit(void **unused) {
    static const char *const problems[] = {"pendulum", "heavy-top", "heavy-top-se3", "chain",
                                           "andrews",  "car-axis",  "rod-chain",     "unit-circle"};
    (void)unused;
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        for (int k = 3; k <= 7; k += 2) {
            ran w = run_entry(problems[i], pow(10, -k));
            const sodae_statistics *c = sodae_counters(w.s);
            assert_int_equal(c->method, k == 3 ? SODAE_DOPRI5 : SODAE_DOP853);
            assert_int_equal(c->formulation, SODAE_INDEX1);
            assert_null(c->method_reason);
            assert_true(isnan(c->changed_t));
            end_entry(&w);
        }
}

/* Pivots of a chain fall as 1 / n. */
static void long_chains_stay_explicit(void **unused) {
    (void)unused;
    sodae_problem *p = each_create(catalogue_find("chain"), "n", 100);
    for (int k = 3; k <= 5; k += 2) {
        sodae *s = run_to(p, SODAE_METHOD_AUTO, pow(10, -k), 0.2);
        assert_null(sodae_counters(s)->method_reason);
        sodae_free(s);
    }
    catalogue_find("chain")->free(p);
}

static void stiff_forces_change_the_method_once(void **unused) {
    static const struct {
        const char *problem;
        double latest;
    } cases[] = {{"slider-crank", 0.002}, {"truck", 4}};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int k = 3; k <= 5; k += 2) {
            ran w = run_entry(cases[i].problem, pow(10, -k));
            const sodae_statistics *c = sodae_counters(w.s);
            assert_int_equal(c->method, SODAE_RADAU_IIA);
            assert_int_equal(c->formulation, SODAE_STABILIZED);
            CHECK_IN(c->changed_t, 1e-6, cases[i].latest);
            CHECK_IN(c->changed_rho, 0.3, 20);
            assert_non_null(strstr(c->method_reason, "changed to radau-iia at t = "));
            assert_non_null(strstr(c->method_reason, "stiff, h rho = "));
            CHECK_IN((double)c->steps, 20, 500);
            end_entry(&w);
        }
}

/* A filter of cos t with 1e6 /s, or an integral of the motion. */
static int filter_rate(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -1e6 * (at->r[0] - cos(at->t));
    return 0;
}

static int integral_rate(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = 2 + 1e-3 * at->q[0];
    return 0;
}

/* Rounding of r keeps accepted steps below the limit of stability at tight tolerances. An integral
 * changes slowly for its differences, and has no rate of its own. */
static void slow_rates_of_r_change_the_method_where_they_are_stiff(void **unused) {
    static const double q = 1, v = 0, r = 1;
    (void)unused;
    for (int k = 2; k <= 12; k++)
        for (int stiff = 0; stiff < 2; stiff++) {
            sodae_problem p = {.size = sizeof(sodae_problem), .nv = 1, .nr = 1};
            p.value[SODAE_FORCE].fn = spring;
            p.value[SODAE_DYNAMIC].fn = stiff ? filter_rate : integral_rate;
            p.initial = (sodae_point){.q = &q, .v = &v, .r = &r};
            sodae *s = run_to(&p, SODAE_METHOD_AUTO, pow(10, -k), 5);
            const sodae_statistics *c = sodae_counters(s);
            assert_int_equal(c->method, stiff   ? SODAE_RADAU_IIA
                                        : k < 5 ? SODAE_DOPRI5
                                                : SODAE_DOP853);
            CHECK_IN((double)c->steps, 5, 600);
            if (stiff) CHECK_NEAR(sodae_state(s)->r[0], cos(5), 1e-6 + pow(10, -k));
            sodae_free(s);
        }
}

static void nearly_dependent_constraints_change_the_method(void **unused) {
    (void)unused;
    ran w = run_entry("four-bar", 1e-7);
    const sodae_statistics *c = sodae_counters(w.s);
    assert_int_equal(c->method, SODAE_RADAU_IIA);
    assert_non_null(strstr(c->method_reason, "constraints nearly depend on each other"));
    assert_true(isnan(c->changed_rho));
    end_entry(&w);
}

/* x = cos t, and the same once more. */
static int twice(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = out[1] = at->q[0] - cos(at->t);
    return 0;
}

static int once(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - cos(at->t);
    return 0;
}

static int feels(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0];
    out[1] = -at->q[1] + 0.1 * fabs(at->lambda[0]);
    return 0;
}

static int calm(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0], out[1] = -at->q[1];
    return 0;
}

static void what_is_refused_at_the_start_begins_with_radau(void **unused) {
    static const double q[2] = {1, 1}, v[2] = {0, 0};
    static const char *const reasons[] = {"redundant constraints", "forces that depend on"};
    (void)unused;
    for (int i = 0; i < 2; i++) {
        sodae_problem p = {.size = sizeof(sodae_problem), .nv = 2, .nlambda = i ? 1 : 2};
        p.value[SODAE_FORCE].fn = i ? feels : calm;
        p.value[SODAE_HOLONOMIC].fn = i ? once : twice;
        p.initial = (sodae_point){.q = q, .v = v};
        sodae *s = run_to(&p, SODAE_METHOD_AUTO, 1e-6, 1);
        const sodae_statistics *c = sodae_counters(s);
        assert_int_equal(c->method, SODAE_RADAU_IIA);
        if (!strstr(c->method_reason, reasons[i])) fail_msg("%s", c->method_reason);
        CHECK_NEAR(c->changed_t, 0, 0);
        CHECK_NEAR(sodae_state(s)->q[0], cos(1), 1e-8);
        sodae_free(s);
    }
}

/* What is given for an iteration asks for one. */
static void options_of_an_iteration_keep_radau(void **unused) {
    static const char *const given[][2] = {{"stages", "3"},
                                           {"newton_max", "20"},
                                           {"jacobian", "step"},
                                           {"linear_solver", "klu"},
                                           {"projection", "both"}};
    sodae_problem *p = each_create(catalogue_find("pendulum"), NULL, 0);
    sodae_failure why;
    (void)unused;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        sodae_options o = sodae_default_options();
        assert_int_equal(sodae_method_of(p, &o), SODAE_DOP853);
        assert_int_equal(sodae_options_set(&o, given[i][0], given[i][1], &why), SODAE_OK);
        assert_int_equal(sodae_method_of(p, &o), SODAE_RADAU_IIA);
    }
    catalogue_find("pendulum")->free(p);
}

typedef struct stop {
    long at, seen;
} stop;

static int stop_at(const sodae_view *v, void *user) {
    stop *x = user;
    (void)v;
    return ++x->seen == x->at;
}

/* Before and behind the change, into an integrator that has not changed, and one that has. */
static void a_run_that_is_broken_off_is_the_whole_one(void **unused) {
    const catalogue_entry *entry = catalogue_find("slider-crank");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    double end = 0.004;
    (void)unused;
    o.rtol = 1e-5;
    sodae *whole = run_start(p, &o);
    assert_int_equal(sodae_advance(whole, end, NULL, NULL), SODAE_OK);
    assert_true(sodae_counters(whole)->changed_t < end / 2);
    for (int changed = 0; changed < 2; changed++)
        for (int i = 0; i < 2; i++) {
            store *kept = calloc(1, sizeof *kept);
            stop where = {.at = changed ? sodae_counters(whole)->steps - 3 : 8};
            sodae *a = run_start(p, &o), *b = run_start(p, &o);
            assert_int_equal(sodae_advance(a, end, stop_at, &where), SODAE_STOPPED);
            assert_int_equal(isnan(sodae_counters(a)->changed_t), !changed);
            assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
            if (i) assert_int_equal(sodae_advance(b, end, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
            assert_int_equal(sodae_counters(b)->method, changed ? SODAE_RADAU_IIA : SODAE_DOP853);
            assert_int_equal(sodae_advance(b, end, NULL, NULL), SODAE_OK);
            for (int n = 0; n < p->nv; n++)
                CHECK_NEAR(sodae_state(b)->q[n], sodae_state(whole)->q[n], 0);
            CHECK_NEAR(sodae_counters(b)->changed_t, sodae_counters(whole)->changed_t, 0);
            sodae_free(a), sodae_free(b), free(kept);
        }
    sodae_free(whole);
    entry->free(p);
}

/* Started once more, an integrator begins with the first method. */
static void a_second_start_is_as_the_first(void **unused) {
    const catalogue_entry *entry = catalogue_find("slider-crank");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    double q[2][RUN_MAX];
    (void)unused;
    o.rtol = 1e-5;
    sodae *s = run_start(p, &o);
    for (int i = 0; i < 2; i++) {
        assert_true(sodae_start(s) >= 0);
        assert_int_equal(sodae_counters(s)->method, SODAE_DOP853);
        assert_null(sodae_counters(s)->method_reason);
        assert_int_equal(sodae_advance(s, 0.003, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_counters(s)->method, SODAE_RADAU_IIA);
        memcpy(q[i], sodae_state(s)->q, (size_t)p->nv * sizeof(double));
    }
    assert_memory_equal(q[0], q[1], (size_t)p->nv * sizeof(double));
    sodae_free(s);
    entry->free(p);
}

/* Stages of Radau that the first run has chosen are no choice of the second. */
static void a_second_start_that_is_refused_is_as_the_first(void **unused) {
    static const double q0[2] = {1, 1}, v0[2] = {0, 0};
    sodae_problem p = {.size = sizeof(sodae_problem), .nv = 2, .nlambda = 2};
    double q[2][2];
    long steps[2];
    (void)unused;
    p.value[SODAE_FORCE].fn = calm, p.value[SODAE_HOLONOMIC].fn = twice;
    p.initial = (sodae_point){.q = q0, .v = v0};
    for (int k = 3; k <= 9; k += 2) {
        sodae *s = run_to(&p, SODAE_METHOD_AUTO, pow(10, -k), 3);
        for (int i = 0; i < 2; i++) {
            memcpy(q[i], sodae_state(s)->q, sizeof q[i]);
            steps[i] = sodae_counters(s)->steps;
            assert_true(sodae_start(s) >= 0);
            assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_OK);
        }
        assert_int_equal(steps[0], steps[1]);
        assert_memory_equal(q[0], q[1], sizeof q[0]);
        sodae_free(s);
    }
}

/* A run that has changed, and is then offered a history that is not one. */
static void a_history_that_is_refused_behind_the_change_leaves_no_trace(void **unused) {
    const catalogue_entry *entry = catalogue_find("slider-crank");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    (void)unused;
    o.rtol = 1e-6;
    store *before = calloc(1, sizeof *before), *kept[2], *empty = calloc(1, sizeof *empty);
    sodae *s = run_start(p, &o);
    assert_int_equal(sodae_history_save(s, store_put, before), SODAE_OK);
    before->count = 2; /* the method of the start, and no more */
    assert_int_equal(sodae_advance(s, 0.01, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_counters(s)->method, SODAE_RADAU_IIA);
    for (int i = 0; i < 3; i++) {
        if (i) assert_int_equal(sodae_history_load(s, store_get, i == 1 ? before : empty), -1);
        kept[i > 0] = calloc(1, sizeof **kept);
        assert_int_equal(sodae_history_save(s, store_put, kept[i > 0]), SODAE_OK);
        if (i) assert_memory_equal(kept[0], kept[1], sizeof **kept);
        if (i) free(kept[1]);
    }
    sodae_free(s);
    free(kept[0]), free(before), free(empty);
    entry->free(p);
}

/* Also where the run has turned since. */
static void the_time_of_the_change_is_that_of_the_problem(void **unused) {
    const catalogue_entry *entry = catalogue_find("slider-crank");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = sodae_default_options();
    (void)unused;
    o.rtol = 1e-5;
    sodae *s = run_start(p, &o);
    assert_int_equal(sodae_advance(s, 0.002, NULL, NULL), SODAE_OK);
    double t = sodae_counters(s)->changed_t;
    assert_true(t > 0);
    assert_int_equal(sodae_advance(s, 0.0019, NULL, NULL), SODAE_OK);
    CHECK_NEAR(sodae_counters(s)->changed_t, t, 0);
    assert_non_null(strstr(sodae_counters(s)->method_reason, "at t = 0.00"));
    sodae_free(s);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_forces_are_not_stiff_the_run_stays_explicit),
        cmocka_unit_test(long_chains_stay_explicit),
        cmocka_unit_test(stiff_forces_change_the_method_once),
        cmocka_unit_test(slow_rates_of_r_change_the_method_where_they_are_stiff),
        cmocka_unit_test(nearly_dependent_constraints_change_the_method),
        cmocka_unit_test(what_is_refused_at_the_start_begins_with_radau),
        cmocka_unit_test(options_of_an_iteration_keep_radau),
        cmocka_unit_test(a_run_that_is_broken_off_is_the_whole_one),
        cmocka_unit_test(a_second_start_is_as_the_first),
        cmocka_unit_test(a_second_start_that_is_refused_is_as_the_first),
        cmocka_unit_test(a_history_that_is_refused_behind_the_change_leaves_no_trace),
        cmocka_unit_test(the_time_of_the_change_is_that_of_the_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
