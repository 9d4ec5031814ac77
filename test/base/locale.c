/* Claims: options and models have a decimal dot in a program whose locale has another. */
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "claims.h"

#include <sodae/sodae.h>

static const char *const locales[] = {"de_DE.UTF-8", "ps_AF.UTF-8"};

static void options_have_a_dot(void) {
    sodae_options o = sodae_default_options();
    sodae_failure why;
    char text[64];
    assert_int_equal(sodae_options_set(&o, "rho_inf", "0.8", &why), SODAE_OK);
    CHECK_NEAR(o.rho_inf, 0.8, 0);
    assert_int_equal(sodae_options_get(&o, "rho_inf", text, sizeof text), SODAE_OK);
    assert_string_equal(text, "0.8");
    assert_int_equal(sodae_options_set(&o, "rtol", "1.5e-6", &why), SODAE_OK);
    CHECK_NEAR(o.rtol, 1.5e-6, 0);
    assert_int_equal(sodae_options_set(&o, "rho_inf", "0,8", &why), SODAE_BAD_OPTION);
    assert_int_equal(sodae_options_set(&o, "alpha", "1", &why), SODAE_BAD_OPTION);
    assert_non_null(strstr(why.message, "[-0.333333, 0]"));
}

static void models_have_a_dot(void) {
    static const char text[] =
        "sodae: 1\nname: p\nparameters: {m: 2.5}\nequations:\n  positions: [x]\n"
        "  velocities: [u]\n  mass: [m]\n  force: [-9.81*m]\n"
        "initial: {positions: [1.5], velocities: [0]}\n"
        "solver: {method: generalized-alpha, rho_inf: 0.8, step: 0.001}\nrun: {t_end: 0.25}\n";
    sodae_model *model = NULL;
    sodae_options o = sodae_default_options();
    double m;
    assert_int_equal(sodae_model_parse(text, strlen(text), "text", NULL, &model, NULL), SODAE_OK);
    assert_string_equal(sodae_model_parameter(model, 0, &m), "m");
    CHECK_NEAR(m, 2.5, 0);
    CHECK_NEAR(sodae_model_t_end(model), 0.25, 0);
    assert_int_equal(sodae_model_options(model, &o, NULL), SODAE_OK);
    CHECK_NEAR(o.rho_inf, 0.8, 0);
    CHECK_NEAR(o.step, 0.001, 0);
    sodae_model_free(model);
}

static void numbers_have_a_dot_in_every_locale(void **unused) {
    (void)unused;
    int found = 0;
    for (int i = 0; i < 2; i++) {
        char half[8];
        if (!setlocale(LC_ALL, locales[i])) continue;
        snprintf(half, sizeof half, "%g", 0.5);
        assert_string_not_equal(half, "0.5");
        options_have_a_dot();
        models_have_a_dot();
        found++;
    }
    setlocale(LC_ALL, "C");
    if (!found) skip();
}

static void numbers_are_read_whole_or_not_at_all(void **unused) {
    static const char *const wrong[] = {"", ".", "1.2.3", "1,5", "1.5x", "e5"};
    (void)unused;
    double x;
    char text[32], digits[160];
    for (int i = 0; i < 6; i++) assert_false(number_read(wrong[i], &x));
    memset(digits, '1', sizeof digits);
    digits[sizeof digits - 1] = 0;
    assert_false(number_read(digits, &x));
    assert_true(number_read("-1.25e2", &x));
    CHECK_NEAR(x, -125, 0);
    number_write(0.1, 17, text, sizeof text);
    assert_string_equal(text, "0.10000000000000001");
    number_write(NAN, 17, text, sizeof text);
    assert_string_equal(text, "nan");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_a_dot_in_every_locale),
        cmocka_unit_test(numbers_are_read_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
