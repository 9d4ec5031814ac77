/* Claims about options, statuses and memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/failure.h"
#include "claims.h"

#include <sodae/sodae.h>

static void every_option_reads_back_what_was_set(void **unused) {
    (void)unused;
    for (int i = 0; sodae_option_table(i); i++) {
        const sodae_option_info *info = sodae_option_table(i);
        sodae_options o = sodae_default_options();
        char text[64], again[64];
        if (info->type == SODAE_OPTION_CHOICE)
            snprintf(text, sizeof text, "%s", info->choices[1]);
        else if (info->type == SODAE_OPTION_SWITCH)
            snprintf(text, sizeof text, "on");
        else
            snprintf(text, sizeof text, "%.17g", info->low > 0 ? info->low : floor(info->high / 2));
        if (info->type == SODAE_OPTION_REAL)
            snprintf(text, sizeof text, "%.17g", fmax(info->low, fmin(0.25, info->high)));
        assert_int_equal(sodae_options_set(&o, info->name, text, NULL), SODAE_OK);
        assert_int_equal(sodae_options_get(&o, info->name, again, sizeof again), SODAE_OK);
        if (info->type <= SODAE_OPTION_LONG)
            CHECK_NEAR(atof(again), atof(text), 0);
        else
            assert_string_equal(again, text);
        assert_true(strlen(info->help) > 5);
    }
}

static void values_out_of_range_are_refused_and_change_nothing(void **unused) {
    static const char *const nonsense[] = {"", "x", "nan", "1e999", "0x1p3x", "1 2", "-inf"};
    (void)unused;
    const sodae_options untouched = sodae_default_options();
    for (int i = 0; sodae_option_table(i); i++) {
        const sodae_option_info *info = sodae_option_table(i);
        for (size_t k = 0; k < sizeof nonsense / sizeof *nonsense; k++) {
            sodae_options o = untouched;
            sodae_failure why;
            assert_int_equal(sodae_options_set(&o, info->name, nonsense[k], &why),
                             SODAE_BAD_OPTION);
            assert_string_equal(why.where, info->name);
            assert_memory_equal(&o, &untouched, sizeof o);
        }
    }
    sodae_options o = untouched;
    assert_int_equal(sodae_options_set(&o, "rho_inf", "1.0001", NULL), SODAE_BAD_OPTION);
    assert_int_equal(sodae_options_set(&o, "rho_inf", "-0.0001", NULL), SODAE_BAD_OPTION);
    assert_int_equal(sodae_options_set(&o, "newton_max", "2.5", NULL), SODAE_BAD_OPTION);
    assert_int_equal(sodae_options_set(&o, "no such option", "1", NULL), SODAE_BAD_OPTION);
    assert_int_equal(sodae_options_set(NULL, "rho_inf", "1", NULL), SODAE_BAD_ARGUMENT);
}

static void a_value_out_of_range_in_c_is_found_and_named(void **unused) {
    (void)unused;
    sodae_failure why;
    sodae_options o = sodae_default_options();
    assert_int_equal(sodae_options_check(&o, &why), SODAE_OK);
    o.rho_inf = 1.5;
    assert_int_equal(sodae_options_check(&o, &why), SODAE_BAD_OPTION);
    assert_string_equal(why.where, "rho_inf");
    o = sodae_default_options();
    o.method = SODAE_METHODS;
    assert_int_equal(sodae_options_check(&o, &why), SODAE_BAD_OPTION);
    assert_string_equal(why.where, "method");
    o = sodae_default_options();
    o.step = INFINITY;
    assert_int_equal(sodae_options_check(&o, &why), SODAE_BAD_OPTION);
    assert_string_equal(why.where, "step");
}

static void methods_and_formulations_have_names_and_help(void **unused) {
    (void)unused;
    for (int m = 0; m < SODAE_METHODS; m++) {
        assert_true(strlen(sodae_method_name(m)) > 1);
        assert_true(strlen(sodae_method_help(m)) > 5);
    }
    for (int f = 0; f < SODAE_FORMULATIONS; f++) {
        assert_true(strlen(sodae_formulation_name(f)) > 2);
        assert_true(strlen(sodae_formulation_help(f)) > 5);
    }
    assert_null(sodae_method_name(SODAE_METHODS));
    assert_null(sodae_formulation_name(SODAE_FORMULATIONS));
    assert_null(sodae_method_name(-1));
}

static void every_status_has_a_name_and_a_meaning(void **unused) {
    (void)unused;
    static const sodae_status all[] = {
#define ONE(name, value, text) SODAE_##name,
        SODAE_STATUS_LIST(ONE)
#undef ONE
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_string_not_equal(sodae_status_name(all[i]), "UNKNOWN");
        assert_true(strlen(sodae_status_text(all[i])) > 5);
        for (size_t k = 0; k < i; k++) assert_int_not_equal(all[i], all[k]);
    }
    assert_string_equal(sodae_status_name((sodae_status)-999), "UNKNOWN");
}

static void long_names_are_cut_not_overrun(void **unused) {
    (void)unused;
    char name[1000];
    sodae_failure f;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(failure_set(&f, SODAE_SINGULAR, name, "%s", name), SODAE_SINGULAR);
    assert_int_equal(strlen(f.where), sizeof f.where - 1);
    assert_int_equal(strlen(f.message), sizeof f.message - 1);
    assert_int_equal(failure_set(NULL, SODAE_SINGULAR, name, "%s", name), SODAE_SINGULAR);
}

static void lists_are_cut_between_names(void **unused) {
    static const struct {
        const char *names;
        size_t size;
        const char *cut;
    } cases[] = {
        {"", 10, ""},
        {"ab, cd; ef", 11, "ab, cd; ef"},
        {"ab, cd; ef, gh", 14, "ab, cd, ..."},
        {"ab, cd; ef, gh", 12, "ab, cd, ..."},
        {"ab, cd; ef, gh", 11, "ab, ..."},
        {"a,b, cd, ef", 10, "a,b, ..."},
        {"abcdefghijkl, m", 10, "abcd..."},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        failure_list(cases[i].names, text, cases[i].size);
        assert_string_equal(text, cases[i].cut);
    }
}

static void memory_is_zero_and_aligned_and_sizes_do_not_wrap(void **unused) {
    (void)unused;
    arena a = {0};
    for (size_t n = 0; n < 50; n++) {
        double *x = arena_doubles(&a, n);
        assert_non_null(x);
        assert_int_equal((uintptr_t)x % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < n; i++) assert_true(x[i]++ == 0);
    }
    assert_null(arena_take(&a, SIZE_MAX / 4, 8));
    assert_int_equal(a.failed, 1);
    assert_null(arena_doubles(&a, 1)); /* a failure lasts */
    arena_free(&a);
    assert_int_equal(a.failed, 0);
}

static void the_numbers_of_the_version_are_its_text(void **unused) {
    (void)unused;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SODAE_VERSION_MAJOR, SODAE_VERSION_MINOR,
             SODAE_VERSION_PATCH);
    assert_string_equal(text, SODAE_VERSION);
    assert_string_equal(text, sodae_version());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_numbers_of_the_version_are_its_text),
        cmocka_unit_test(every_option_reads_back_what_was_set),
        cmocka_unit_test(values_out_of_range_are_refused_and_change_nothing),
        cmocka_unit_test(a_value_out_of_range_in_c_is_found_and_named),
        cmocka_unit_test(methods_and_formulations_have_names_and_help),
        cmocka_unit_test(every_status_has_a_name_and_a_meaning),
        cmocka_unit_test(long_names_are_cut_not_overrun),
        cmocka_unit_test(lists_are_cut_between_names),
        cmocka_unit_test(memory_is_zero_and_aligned_and_sizes_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
