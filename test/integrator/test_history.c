/* Claims about the history of a run: saved, loaded, and a failing step tried again. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "integrator/store.h"
#include "problems/each.h"

static const struct {
    const char *problem;
    int method, formulation;
} cases[] = {
    {"pendulum", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"pendulum", SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {"soi2-test", SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {"all-blocks", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"heavy-top", SODAE_NEWMARK, SODAE_STABILIZED},
    {"hht-test", SODAE_EXTENDED_HHT, SODAE_ODAE},
    {"pendulum", SODAE_RADAU_IIA, SODAE_INDEX3},
    {"pendulum", SODAE_MSR, SODAE_INDEX3},
    {"pendulum", SODAE_DC, SODAE_INDEX3},
    {"heavy-top", SODAE_RADAU_IIA, SODAE_INDEX3},
    {"all-blocks", SODAE_RADAU_IIA, SODAE_STABILIZED},
    {"heavy-top", SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION},
    {"heavy-top", SODAE_MSR, SODAE_MINIMAL_EXTENSION},
    {"all-blocks", SODAE_GAUSS, SODAE_MINIMAL_EXTENSION},
    {"pendulum", SODAE_DC, SODAE_MINIMAL_EXTENSION},
    {"heavy-top", SODAE_RADAU_IIA, SODAE_GGL2},
    {"pendulum", SODAE_MSR, SODAE_GGL2},
    {"all-blocks", SODAE_DC, SODAE_GGL2},
    {"heavy-top", SODAE_DC, SODAE_INDEX3},
    {"pendulum", SODAE_BDF, SODAE_GGL},
    {"heavy-top", SODAE_BDF, SODAE_INDEX3},
    {"all-blocks", SODAE_MODIFIED_BDF, SODAE_INDEX3},
    {"pendulum", SODAE_DIRECT_BDF, SODAE_INDEX3},
    {"rolling-disk", SODAE_DIRECT_BDF, SODAE_INDEX3},
    {"unit-circle", SODAE_DIRECT_BDF, SODAE_INDEX2},
    {"unit-circle", SODAE_MODIFIED_BDF, SODAE_INDEX3}, /* by chapter 4 */
    {"unit-circle", SODAE_RADAU_IIA, SODAE_INDEX3},    /* too, with lambda' */
    {"heavy-top", SODAE_BDF, SODAE_GGL2},
    {"heavy-top", SODAE_BDF, SODAE_MINIMAL_EXTENSION},
    {"pendulum", SODAE_DIRECT_BDF, SODAE_MINIMAL_EXTENSION},
    {"car-axis", SODAE_RADAU_IIA, SODAE_STABILIZED}, /* driven: steps depend on dense output */
    {"car-axis", SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {"car-axis", SODAE_BDF, SODAE_GGL},
    {"car-axis", SODAE_DOPRI5, SODAE_INDEX1},
    {"heavy-top", SODAE_DOP853, SODAE_INDEX1},
    {"spring-damper", SODAE_DOPRI5, SODAE_INDEX1},
};
enum { CASES = sizeof cases / sizeof *cases };

static void the_same_start_is_the_same_run(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
        o.step = NAN, o.rtol = o.atol = 1e-5;
        sodae *s = run_start(p, &o);
        const sodae_view *x = sodae_state(s);
        double first[2][64], end = p->initial.t + 0.1;
        assert_true(x->nq <= 64 && x->nv <= 64);
        assert_int_equal(sodae_advance(s, end, NULL, NULL), SODAE_OK);
        memcpy(first[0], x->q, (size_t)x->nq * sizeof *x->q);
        memcpy(first[1], x->v, (size_t)x->nv * sizeof *x->v);
        long steps = x->step;
        assert_true(sodae_start(s) >= 0);
        assert_int_equal(sodae_advance(s, end, NULL, NULL), SODAE_OK);
        if (x->step != steps || memcmp(first[0], x->q, (size_t)x->nq * sizeof *x->q) ||
            memcmp(first[1], x->v, (size_t)x->nv * sizeof *x->v))
            fail_msg("case %d is another run: %ld steps, not %ld", c, x->step, steps);
        sodae_free(s);
        entry->free(p);
    }
}

/* With a matrix of its own in every iteration nothing but the history can make a difference. */
static void check_case(int c, int controlled) {
    const catalogue_entry *entry = catalogue_find(cases[c].problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
    double t0 = p->initial.t;
    o.step = controlled ? NAN : 0.003;
    o.rtol = o.atol = 1e-5;
    o.jacobian = SODAE_JACOBIAN_ITERATION;
    if (!strcmp(entry->name, "unit-circle") && o.method != SODAE_DIRECT_BDF) {
        if (controlled) o.strategy = SODAE_STRATEGY_CHAPTER4, o.rtol = o.atol = 1e-3;
        o.multiplier_rate = o.method == SODAE_RADAU_IIA;
    }
    store *kept = calloc(1, sizeof *kept);
    sodae *a = run_start(p, &o), *b = run_start(p, &o);
    double end = t0 + (controlled ? 0.1 : 0.06);
    assert_int_equal(sodae_advance(a, t0 + 0.03, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
    if (sodae_advance(a, end, NULL, NULL))
        fail_msg("case %d: %s", c, sodae_last_failure(a)->message);
    assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
    CHECK_NEAR(sodae_state(b)->t, t0 + 0.03, 0);
    assert_int_equal(sodae_advance(b, end, NULL, NULL), SODAE_OK);
    const sodae_view *x = sodae_state(a), *y = sodae_state(b);
    assert_int_equal(x->step, y->step);
    for (int i = 0; i < x->nq; i++) CHECK_NEAR(x->q[i], y->q[i], 0);
    for (int i = 0; i < x->nv; i++) CHECK_NEAR(x->v[i], y->v[i], 0);
    for (int i = 0; i < x->nv; i++) CHECK_NEAR(x->a[i], y->a[i], 0);
    for (int i = 0; i < x->nlambda; i++) CHECK_NEAR(x->lambda[i], y->lambda[i], 0);
    for (int i = 0; i < x->nr; i++) CHECK_NEAR(x->r[i], y->r[i], 0);
    if (o.multiplier_rate) CHECK_NEAR(*x->lambda_rate, *y->lambda_rate, 0);
    sodae_free(a), sodae_free(b);
    free(kept);
    entry->free(p);
}

static void prescribed_steps(sodae *s, const sodae_view *x, int count, double *q) {
    for (int n = 0; n < count; n++)
        if (sodae_step(s, 1e-3)) fail_msg("%s", sodae_last_failure(s)->message);
    memcpy(q, x->q, (size_t)x->nq * sizeof *q);
}

/* Steps of a given size between those that the error decides: behind a second start and behind a
 * history they are those of the first run, whatever was estimated last. */
static void steps_of_a_given_size_under_error_control_remember_nothing_else(void **unused) {
    static const char *const problems[] = {"pendulum", "heavy-top"};
    (void)unused;
    for (int i = 0; i < 2; i++)
        for (int m = SODAE_METHOD_AUTO; m < SODAE_GLM; m++) {
            const catalogue_entry *entry = catalogue_find(problems[i]);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = sodae_default_options();
            o.method = (sodae_method)m, o.rtol = 1e-5;
            store *kept = calloc(1, sizeof *kept);
            sodae *a = run_start(p, &o), *b = run_start(p, &o);
            double q[2][RUN_MAX], v[2][RUN_MAX];
            size_t size = (size_t)p->nv * sizeof(double);
            assert_int_equal(sodae_advance(a, 0.1, NULL, NULL), SODAE_OK);
            assert_true(sodae_start(a) >= 0);
            prescribed_steps(a, sodae_state(a), 6, q[0]);
            prescribed_steps(b, sodae_state(b), 6, q[1]);
            assert_memory_equal(q[0], q[1], size);
            assert_int_equal(sodae_advance(a, 0.1, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
            sodae_free(b), b = run_start(p, &o);
            assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
            prescribed_steps(a, sodae_state(a), 3, q[0]);
            prescribed_steps(b, sodae_state(b), 3, q[1]);
            assert_int_equal(sodae_advance(a, 0.3, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_advance(b, 0.3, NULL, NULL), SODAE_OK);
            memcpy(v[0], sodae_state(a)->v, size), memcpy(v[1], sodae_state(b)->v, size);
            assert_memory_equal(q[0], q[1], size);
            assert_memory_equal(v[0], v[1], size);
            assert_int_equal(sodae_state(a)->step, sodae_state(b)->step);
            sodae_free(a), sodae_free(b);
            free(kept);
            entry->free(p);
        }
}

static void a_run_goes_on_from_its_history_bit_for_bit(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) check_case(c, 0);
}

static void under_error_control_too(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) check_case(c, 1);
}

typedef struct trace {
    long stop, seen;
    double sum; /* of the bits' values: equal for equal runs, and for no others but by chance */
    sodae **saved;
} trace;

static int ignore(const char *name, double *x, int count, void *user) {
    (void)name, (void)x, (void)count, (void)user;
    return 0;
}

static int follow(const sodae_view *v, void *user) {
    trace *t = user;
    for (int i = 0; i < v->nq; i++) t->sum = t->sum * 0.75 + v->q[i];
    for (int i = 0; i < v->nv; i++) t->sum = t->sum * 0.75 + v->v[i] + v->t;
    if (t->saved) assert_int_equal(sodae_history_save(*t->saved, ignore, NULL), SODAE_OK);
    return ++t->seen == t->stop;
}

/* With default options, broken off by its sink on the way; and saved at every step. */
static void check_broken_in(const char *problem, int method, int formulation, double step) {
    const catalogue_entry *entry = catalogue_find(problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(method, formulation, NAN);
    double end = p->initial.t + 0.5;
    o.step = step, o.rtol = 1e-5;
    store *kept = calloc(1, sizeof *kept);
    sodae *a = run_start(p, &o), *b = run_start(p, &o), *c = run_start(p, &o);
    trace whole = {.saved = &a}, part = {0};
    assert_int_equal(sodae_advance(a, end, follow, &whole), SODAE_OK);
    part.stop = whole.seen * (isnan(step) ? 3 : 2) / 4;
    assert_int_equal(sodae_advance(b, end, follow, &part), SODAE_STOPPED);
    assert_int_equal(sodae_history_save(b, store_put, kept), SODAE_OK);
    assert_int_equal(sodae_history_load(c, store_get, kept), SODAE_OK);
    part.stop = 0;
    assert_int_equal(sodae_advance(c, end, follow, &part), SODAE_OK);
    assert_int_equal(part.seen, whole.seen);
    CHECK_NEAR(part.sum, whole.sum, 0);
    sodae_free(a), sodae_free(b), sodae_free(c);
    free(kept);
    entry->free(p);
}

static void check_broken(const char *problem, int method, double step) {
    check_broken_in(problem, method, SODAE_FORMULATION_AUTO, step);
}

static void a_broken_run_of_collocation_is_the_whole_one_in_every_formulation(void **unused) {
    static const int radau[] = {SODAE_INDEX1,     SODAE_INDEX2, SODAE_INDEX3,
                                SODAE_STABILIZED, SODAE_GGL2,   SODAE_MINIMAL_EXTENSION};
    static const int direct[] = {SODAE_INDEX1, SODAE_INDEX3, SODAE_GGL2};
    static const char *const problems[] = {"pendulum", "car-axis", "all-blocks"};
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int fixed = 0; fixed < 2; fixed++) {
            double step = fixed ? 0.01 : NAN;
            for (int f = 0; f < 6; f++)
                check_broken_in(problems[i], SODAE_RADAU_IIA, radau[f], step);
            for (int f = 0; f < 6; f++) check_broken_in(problems[i], SODAE_MSR, radau[f], step);
            for (int f = 0; f < 3; f++) check_broken_in(problems[i], SODAE_DC, direct[f], step);
            check_broken_in(problems[i], SODAE_GAUSS, SODAE_INDEX1, step);
        }
    check_broken("rolling-disk", SODAE_RADAU_IIA, NAN);
}

/* Prescribed steps keep the grid t0 + n h, the matrix is the one of the step before. */
static void a_broken_run_is_the_whole_one_with_default_options(void **unused) {
    (void)unused;
    const char *problems[] = {"pendulum", "car-axis", "hht-test", "all-blocks"};
    for (int i = 0; i < 4; i++)
        for (int m = SODAE_GENERALIZED_ALPHA; m <= SODAE_ALPHA; m++) {
            check_broken(problems[i], m, 0.01);
            check_broken(problems[i], m, NAN);
        }
    const char *bdf[] = {"pendulum", "car-axis", "hht-test", "all-blocks", "rolling-disk"};
    for (int i = 0; i < 5; i++)
        for (int m = SODAE_BDF; m <= SODAE_DIRECT_BDF; m++) {
            if (m == SODAE_MODIFIED_BDF && i == 4) continue; /* refused */
            check_broken(bdf[i], m, 0.01);
            check_broken(bdf[i], m, NAN);
        }
    check_broken("pendulum", SODAE_EXTENDED_HHT, 0.01);
    check_broken("car-axis", SODAE_EXTENDED_HHT, 0.01);
    check_broken("hht-test", SODAE_EXTENDED_HHT, NAN);
}

/* Largest difference in v between a run and one that goes on from its history, where factors of
 * earlier steps are used: the second run makes them of the same values. */
static double difference_after(const char *problem, int formulation) {
    const catalogue_entry *entry = catalogue_find(problem);
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_DIRECT_BDF, formulation, NAN);
    o.step = 0.01;
    store *kept = calloc(1, sizeof *kept);
    sodae *a = run_start(p, &o), *b = run_start(p, &o);
    double most = 0, size = 0;
    assert_int_equal(sodae_advance(a, p->initial.t + 0.5, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
    assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
    for (int n = 0; n < 20; n++) {
        assert_int_equal(sodae_step(a, o.step), SODAE_OK);
        assert_int_equal(sodae_step(b, o.step), SODAE_OK);
        const sodae_view *x = sodae_state(a), *y = sodae_state(b);
        for (int i = 0; i < x->nv; i++) most = fmax(most, fabs(x->v[i] - y->v[i]));
        for (int i = 0; i < x->nv; i++) size = fmax(size, fabs(x->v[i]));
    }
    sodae_free(a), sodae_free(b);
    free(kept);
    entry->free(p);
    return most / size;
}

static void matrices_of_earlier_steps_make_no_difference_to_direct_bdf(void **unused) {
    (void)unused;
    CHECK_NEAR(difference_after("rolling-disk", SODAE_INDEX3), 0, 0);
    CHECK_NEAR(difference_after("unit-circle", SODAE_INDEX2), 0, 0);
    CHECK_NEAR(difference_after("soi2-test", SODAE_INDEX2), 0, 0);
}

static void a_history_of_another_kind_is_refused_and_nothing_changes(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    store *kept = calloc(1, sizeof *kept);
    sodae_options o = run_options(SODAE_BDF, SODAE_INDEX3, NAN);
    o.step = 0.01;
    sodae *a = run_start(p, &o);
    o.method = SODAE_GENERALIZED_ALPHA;
    sodae *b = run_start(p, &o);
    assert_int_equal(sodae_advance(a, 0.1, NULL, NULL), SODAE_OK);
    assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
    assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_BAD_ARGUMENT);
    assert_string_equal(sodae_last_failure(b)->where, "a_last");
    CHECK_NEAR(sodae_state(b)->t, 0, 0);
    assert_int_equal(sodae_advance(b, 0.1, NULL, NULL), SODAE_OK);
    for (int i = 0; i < kept->used; i++)
        kept->x[i] = i % 2 ? NAN : 1e300; /* nonsense is survived */
    assert_int_equal(sodae_history_load(a, store_get, kept), SODAE_BAD_ARGUMENT);
    sodae_free(a), sodae_free(b);
    free(kept);
    entry->free(p);
}

/* Numbers that count something are not believed beyond their range. */
static void absurd_counts_in_a_history_do_no_harm(void **unused) {
    static const double absurd[] = {-1, 1e9, 0.5, NAN, INFINITY, 15};
    (void)unused;
    for (int c = 0; c < CASES; c++)
        for (int k = 0; k < 6; k++) {
            const catalogue_entry *entry = catalogue_find(cases[c].problem);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
            o.step = 0.003;
            store *kept = calloc(1, sizeof *kept);
            sodae *s = run_start(p, &o);
            assert_int_equal(sodae_advance(s, p->initial.t + 0.03, NULL, NULL), SODAE_OK);
            assert_int_equal(sodae_history_save(s, store_put, kept), SODAE_OK);
            for (int i = 0; i < kept->count; i++)
                if (kept->array[i].size == 1 && strcmp(kept->array[i].name, "t"))
                    kept->x[kept->array[i].at] = absurd[k];
            if (sodae_history_load(s, store_get, kept) >= 0) sodae_step(s, 0.003);
            sodae_free(s);
            free(kept);
            entry->free(p);
        }
}

/* Fails from the given time on, as long as there is motion. */
static double broken_from;
static sodae_fn *whole;

static int breaks(const sodae_point *at, double *out, void *user) {
    int code = whole(at, out, user);
    if (at->t > broken_from) out[0] = 1e3 * sin(1e9 * at->q[0]);
    return code;
}

static void a_failing_step_tried_again_fails_the_same_way(void **unused) {
    (void)unused;
    int failed = 0, iterating = 0;
    for (int c = 0; c < CASES; c++) {
        /* explicit methods have no iteration that such a force could spoil */
        if (cases[c].method == SODAE_DOPRI5 || cases[c].method == SODAE_DOP853) continue;
        iterating++;
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0), q = *p;
        sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
        o.step = 0.003;
        whole = p->value[SODAE_FORCE].fn, broken_from = p->initial.t + 0.05;
        q.value[SODAE_FORCE].fn = breaks;
        store *kept = calloc(1, sizeof *kept);
        sodae *a = run_start(&q, &o), *b = run_start(&q, &o);
        sodae_status st = sodae_advance(a, p->initial.t + 1, NULL, NULL);
        sodae_failure why = *sodae_last_failure(a);
        if (st < 0) {
            assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
            assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
            assert_int_equal(sodae_retry(b), st);
            const sodae_failure *again = sodae_last_failure(b);
            assert_string_equal(again->message, why.message);
            assert_true(again->size == why.size); /* also where it is infinite */
            CHECK_NEAR(again->t, why.t, 0);
            CHECK_NEAR(again->h, why.h, 0);
            assert_int_equal(again->step, why.step);
            assert_int_equal(again->increments, why.increments);
            failed++;
        }
        sodae_free(a), sodae_free(b);
        free(kept);
        entry->free(p);
    }
    assert_int_equal(failed, iterating);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_start_is_the_same_run),
        cmocka_unit_test(a_run_goes_on_from_its_history_bit_for_bit),
        cmocka_unit_test(steps_of_a_given_size_under_error_control_remember_nothing_else),
        cmocka_unit_test(under_error_control_too),
        cmocka_unit_test(a_broken_run_is_the_whole_one_with_default_options),
        cmocka_unit_test(a_broken_run_of_collocation_is_the_whole_one_in_every_formulation),
        cmocka_unit_test(matrices_of_earlier_steps_make_no_difference_to_direct_bdf),
        cmocka_unit_test(a_history_of_another_kind_is_refused_and_nothing_changes),
        cmocka_unit_test(absurd_counts_in_a_history_do_no_harm),
        cmocka_unit_test(a_failing_step_tried_again_fails_the_same_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
