/* Claims about descriptions that contradict themselves. */
#include <string.h>

#include "claims.h"

#include <sodae/integrator.h>

static int any(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    return 0;
}

static const double zero[6];

static sodae_problem sound(void) {
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "sound",
                       .nv = 3,
                       .nlambda = 1,
                       .npsi = 1,
                       .nr = 1,
                       .nw = 1,
                       .ns = 1};
    for (int f = SODAE_FORCE; f <= SODAE_CONTACT; f++) p.value[f].fn = any;
    p.initial = (sodae_point){.q = zero, .v = zero, .r = zero};
    return p;
}

static void refused(const sodae_problem *p, const char *where) {
    sodae_failure why;
    sodae *s;
    assert_int_equal(sodae_problem_check(p, &why), SODAE_BAD_PROBLEM);
    assert_string_equal(why.where, where);
    assert_true(strlen(why.message) > 10);
    assert_int_equal(sodae_problem_check(p, NULL), SODAE_BAD_PROBLEM);
    assert_int_equal(sodae_create(&s, p, NULL, NULL), SODAE_BAD_PROBLEM);
    assert_null(s);
}

static void a_sound_description_passes(void **unused) {
    (void)unused;
    sodae_problem p = sound();
    assert_int_equal(sodae_problem_check(&p, NULL), SODAE_OK);
    assert_int_equal(sodae_problem_check(NULL, NULL), SODAE_BAD_ARGUMENT);
}

static void structs_of_another_size_are_refused(void **unused) {
    (void)unused;
    sodae_problem p = sound();
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    p.size = 0;
    refused(&p, "size");
    sodae_problem_check(&p, &why);
    assert_non_null(strstr(why.message, ".size = sizeof(sodae_problem)"));
    p.size = sizeof p + 8;
    refused(&p, "size");
    p.size = sizeof p;
    o.size = 0;
    assert_int_equal(sodae_create(&s, &p, &o, &why), SODAE_BAD_OPTION);
    assert_non_null(strstr(why.message, ".size = sizeof(sodae_options)"));
}

static void missing_and_needless_callbacks_are_named(void **unused) {
    static const char *const names[] = {"force",   "holonomic", "nonholonomic",
                                        "dynamic", "auxiliary", "contact"};
    (void)unused;
    for (int f = SODAE_FORCE; f <= SODAE_CONTACT; f++) {
        sodae_problem p = sound();
        p.value[f].fn = NULL;
        refused(&p, names[f - SODAE_FORCE]);
    }
    for (int f = SODAE_HOLONOMIC; f <= SODAE_CONTACT; f++) {
        sodae_problem p = sound();
        int *count[] = {&p.nlambda, &p.npsi, &p.nr, &p.nw, &p.ns};
        *count[f - SODAE_HOLONOMIC] = 0;
        refused(&p, names[f - SODAE_FORCE]);
    }
}

static void counts_that_make_no_sense_are_named(void **unused) {
    static const char *const names[] = {"nv", "nlambda", "npsi", "nr", "nw", "ns"};
    (void)unused;
    for (int i = 0; i < 6; i++) {
        sodae_problem p = sound();
        int *count[] = {&p.nv, &p.nlambda, &p.npsi, &p.nr, &p.nw, &p.ns};
        *count[i] = -1;
        refused(&p, names[i]);
    }
    sodae_problem p = sound();
    p.nv = 0;
    refused(&p, "nv");
}

static void bad_patterns_are_named(void **unused) {
    static const struct {
        int colptr[4], rowind[4];
    } bad[] = {
        {{1, 1, 1, 1}, {0}},          /* does not begin with 0 */
        {{0, 2, 1, 2}, {0, 1}},       /* goes back */
        {{0, 1, 1, 2}, {0, 3}},       /* a row that does not exist */
        {{0, 1, 1, 2}, {-1, 0}},      /* a negative one */
        {{0, 2, 2, 2}, {1, 0}},       /* not increasing */
        {{0, 2, 2, 2}, {1, 1}},       /* twice */
        {{0, 4, 4, 4}, {0, 1, 2, 3}}, /* more than there are rows */
    };
    (void)unused;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        sodae_problem p = sound();
        p.derivative[SODAE_FORCE][SODAE_Q].pattern = (sodae_pattern){bad[i].colptr, bad[i].rowind};
        refused(&p, "d force / d q");
        p = sound();
        p.value[SODAE_MASS].fn = any;
        p.value[SODAE_MASS].pattern = (sodae_pattern){bad[i].colptr, bad[i].rowind};
        refused(&p, "mass");
    }
    sodae_problem p = sound();
    p.derivative[SODAE_FORCE][SODAE_V].pattern = (sodae_pattern){(int[]){0, 1, 1, 1}, NULL};
    refused(&p, "d force / d v");
}

static void a_space_of_another_size_is_refused(void **unused) {
    (void)unused;
    const sodae_group *group = &sodae_se3;
    sodae_space *space;
    assert_int_equal(sodae_space_create(&group, NULL, 1, &space), SODAE_OK);
    sodae_problem p = sound();
    p.space = space;
    refused(&p, "space");
    sodae_space_free(space);
}

static void missing_initial_values_are_named(void **unused) {
    (void)unused;
    sodae_problem p = sound();
    p.initial.q = NULL;
    refused(&p, "initial.q");
    p = sound();
    p.initial.v = NULL;
    refused(&p, "initial.v");
    p = sound();
    p.initial.r = NULL;
    refused(&p, "initial.r");
}

static void bad_events_are_refused(void **unused) {
    (void)unused;
    sodae_event event = {.name = "e", .when = any};
    sodae_problem p = sound();
    p.nevents = 1;
    refused(&p, "events");
    p.events = &event;
    assert_int_equal(sodae_problem_check(&p, NULL), SODAE_OK);
    event.direction = 2;
    refused(&p, "events");
    event = (sodae_event){.name = "e"};
    refused(&p, "events");
    p.nevents = -1;
    refused(&p, "events");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sound_description_passes),
        cmocka_unit_test(structs_of_another_size_are_refused),
        cmocka_unit_test(missing_and_needless_callbacks_are_named),
        cmocka_unit_test(counts_that_make_no_sense_are_named),
        cmocka_unit_test(bad_patterns_are_named),
        cmocka_unit_test(a_space_of_another_size_is_refused),
        cmocka_unit_test(missing_initial_values_are_named),
        cmocka_unit_test(bad_events_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
