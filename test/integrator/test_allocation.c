/* Claims about memory: every allocation may fail, stepping never allocates. The linker sends malloc
 * and calloc of the library here. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);

static long taken, fails_at; /* allocations so far; the one that fails, 0: none */

static int refuse(void) {
    return ++taken == fails_at;
}

void *__wrap_malloc(size_t size) {
    return refuse() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return refuse() ? NULL : __real_calloc(count, size);
}

static const struct {
    const char *problem;
    int method, formulation;
} cases[] = {
    {"pendulum", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"all-blocks", SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {"heavy-top", SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {"rolling-disk", SODAE_HHT, SODAE_INDEX2},
    {"hht-test", SODAE_EXTENDED_HHT, SODAE_ODAE},
    {"pendulum", SODAE_RADAU_IIA, SODAE_FORMULATION_AUTO},
    {"heavy-top", SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION},
    {"heavy-top", SODAE_DC, SODAE_INDEX3},
    {"heavy-top", SODAE_DC, SODAE_GGL2},
    {"pendulum", SODAE_BDF, SODAE_FORMULATION_AUTO},
    {"heavy-top", SODAE_METHOD_AUTO, SODAE_FORMULATION_AUTO},
};
enum { CASES = sizeof cases / sizeof *cases };

static void every_allocation_may_fail(void **unused) {
    (void)unused;
    for (int c = 0; c < CASES; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
        long failures = 0;
        for (fails_at = 1;; fails_at++) {
            sodae *s = (sodae *)&o;
            sodae_failure why = {.status = SODAE_OK};
            taken = 0;
            sodae_status st = sodae_create(&s, p, &o, &why);
            if (st == SODAE_OK) {
                st = sodae_start(s);
                assert_true(st >= 0 || st == SODAE_NO_MEMORY);
                sodae_free(s);
                if (taken < fails_at) break;
                continue;
            }
            assert_int_equal(st, SODAE_NO_MEMORY);
            assert_int_equal(why.status, SODAE_NO_MEMORY);
            assert_null(s);
            failures++;
        }
        fails_at = 0;
        CHECK_IN((double)failures, 4, 5000); /* the integrator, its space, chunks of its arena */
        entry->free(p);
    }
}

static void derivatives_are_checked_or_memory_runs_out(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_status st = SODAE_NO_MEMORY;
    long n = 0;
    for (; st == SODAE_NO_MEMORY; n++) {
        taken = 0, fails_at = n + 1;
        st = sodae_check_derivatives(p, NULL, 0, NULL);
    }
    fails_at = 0;
    assert_int_equal(st, SODAE_OK);
    CHECK_IN((double)n, 4, 5000);
    entry->free(p);
}

static void stepping_never_allocates(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++)
        for (int c = 0; c < CASES; c++) {
            const catalogue_entry *entry = catalogue_find(cases[c].problem);
            sodae_problem *p = each_create(entry, NULL, 0);
            sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
            if (!controlled) o.step = entry->step / 10;
            o.rtol = 1e-4;
            sodae *s = run_start(p, &o);
            double t = p->initial.t, q[RUN_MAX];
            taken = 0;
            assert_int_equal(sodae_advance(s, t + entry->step, NULL, NULL), SODAE_OK);
            const sodae_view *v = sodae_state(s);
            assert_int_equal(
                sodae_interpolate(s, v->t - v->h / 2,
                                  &(sodae_solution){.size = sizeof(sodae_solution), .q = q}),
                0);
            assert_int_equal(taken, 0);
            sodae_free(s);
            entry->free(p);
        }
}

typedef struct run_end {
    double q[EACH_MAX], v[EACH_MAX];
    long steps;
    uint64_t history; /* of the bytes of all that persists */
} run_end;

/* FNV-1a */
static int hash(const char *name, double *x, int n, void *user) {
    uint64_t *h = user;
    const unsigned char *bytes = (const unsigned char *)x;
    (void)name;
    for (size_t i = 0; i < (size_t)n * sizeof *x; i++) *h = (*h ^ bytes[i]) * 1099511628211u;
    return 0;
}

static run_end run_to_end(sodae *s, double t_end) {
    run_end x = {.steps = 0};
    assert_true(sodae_start(s) >= 0);
    assert_int_equal(sodae_advance(s, t_end, NULL, NULL), SODAE_OK);
    const sodae_view *view = sodae_state(s);
    memcpy(x.q, view->q, (size_t)view->nq * sizeof *x.q);
    memcpy(x.v, view->v, (size_t)view->nv * sizeof *x.v);
    x.steps = view->step;
    long before = taken; /* the block that is saved */
    assert_int_equal(sodae_history_save(s, hash, &x.history), SODAE_OK);
    taken = before;
    return x;
}

static void a_reset_integrator_runs_as_a_new_one_and_allocates_nothing(void **unused) {
    (void)unused;
    for (int c = 0; c < 2 * CASES; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c / 2].problem);
        sodae_problem *p = each_create(entry, NULL, 0), other = *p;
        sodae_options o = run_options(cases[c / 2].method, cases[c / 2].formulation, NAN);
        double v[EACH_MAX], t_end = p->initial.t + 0.05;
        if (c % 2) o.step = 1e-3;
        for (int i = 0; i < p->nv; i++) v[i] = 0.9 * p->initial.v[i];
        other.initial.v = v;
        sodae *s, *fresh;
        assert_int_equal(sodae_create(&fresh, &other, &o, NULL), SODAE_OK);
        assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
        run_end first = run_to_end(s, t_end), expected = run_to_end(fresh, t_end);
        taken = 0;
        assert_int_equal(sodae_reset(s, &other), SODAE_OK);
        run_end found = run_to_end(s, t_end);
        assert_int_equal(taken, 0);
        assert_memory_equal(&found, &expected, sizeof found);
        assert_int_equal(sodae_reset(s, p), SODAE_OK);
        found = run_to_end(s, t_end);
        assert_memory_equal(&found, &first, sizeof found);
        other.nevents++;
        assert_true(sodae_reset(s, &other) < 0);
        sodae_free(s);
        sodae_free(fresh);
        entry->free(p);
    }
}

/* Same arrays, other parameters: masses and forces of the last run are not known any more. */
static void a_reset_integrator_reads_the_parameters_anew(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0), *heavy = each_create(entry, "mass", 20);
    sodae_problem other = *p;
    other.user = heavy->user;
    for (int c = 0; c < CASES; c++) {
        if (strcmp(cases[c].problem, "heavy-top")) continue;
        for (int controlled = 0; controlled < 2; controlled++) {
            sodae_options o = run_options(cases[c].method, cases[c].formulation, NAN);
            double t_end = p->initial.t + 0.02;
            if (!controlled) o.step = 1e-3;
            sodae *s, *fresh;
            assert_int_equal(sodae_create(&fresh, &other, &o, NULL), SODAE_OK);
            assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
            run_end light = run_to_end(s, t_end), expected = run_to_end(fresh, t_end);
            assert_int_equal(sodae_reset(s, &other), SODAE_OK);
            assert_int_equal(sodae_counters(s)->steps, 0);
            assert_true(sodae_advance(s, t_end, NULL, NULL) < 0); /* not started */
            run_end found = run_to_end(s, t_end);
            assert_memory_equal(&found, &expected, sizeof found);
            assert_memory_not_equal(&found, &light, sizeof found);
            sodae_free(s), sodae_free(fresh);
        }
    }
    entry->free(p), entry->free(heavy);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reset_integrator_runs_as_a_new_one_and_allocates_nothing),
        cmocka_unit_test(a_reset_integrator_reads_the_parameters_anew),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(derivatives_are_checked_or_memory_runs_out),
        cmocka_unit_test(stepping_never_allocates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
