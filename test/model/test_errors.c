/* Bad files: file, line, column, the offending text, what was expected. Never a crash. */
#include "claims.h"

#include <sodae/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "sodae: 1\nequations:\n  positions: [x, theta]\n"
#define TAIL "initial: {positions: [1, 2]}\n"

static void check(const char *text, const char *expected) {
    sodae_model *model = NULL;
    sodae_failure why;
    sodae_status status = sodae_model_parse(text, strlen(text), "m.yaml", NULL, &model, &why);
    sodae_model_free(model);
    if (status == SODAE_OK) fail_msg("no error in:\n%s", text);
    assert_null(model);
    assert_int_equal(status, SODAE_BAD_FILE);
    size_t n = strlen(expected);
    int cut = n > 3 && !strcmp(expected + n - 3, "..."); /* the beginning only */
    if (cut ? strncmp(why.message, expected, n - 3) : strcmp(why.message, expected))
        fail_msg("\nfound    %s\nexpected %s\nin\n%s", why.message, expected, text);
}

static void errors_in_expressions_have_their_exact_place(void **state) {
    (void)state;
    check(HEAD "  force: [0, -thta]\n" TAIL,
          "m.yaml:4:15: unknown name 'thta' in force[2]; did you mean 'theta'?");
    check(HEAD "  force:\n    - 0\n    - 2*x + \n" TAIL,
          "m.yaml:6:12: the expression ends too early in force[2]; "
          "expected a number, a name or '('");
    check(HEAD "  force:\n    - 0\n    - >\n      2*x +\n      sni(x)\n" TAIL,
          "m.yaml:8:7: unknown function 'sni' in force[2]; did you mean 'sin'?");
    check(HEAD "  force: [0, \"3 $ x\"]\n" TAIL,
          "m.yaml:4:17: unexpected sign in force[2]; an expression has numbers, names, "
          "+ - * / ^ ( ) and functions");
    check(HEAD "  force: [0, x + x[1,2]]\n" TAIL,
          "m.yaml:4:18: index 2 is outside of 1 to 1 in force[2]");
    check(HEAD "  force: [0, x + atan2(x)]\n" TAIL,
          "m.yaml:4:18: atan2 takes 2 arguments, but got 1 in force[2]");
    check("sodae: 1\nlet: {a: 2*b, b: 1}\n",
          "m.yaml:1:1: equations: the section 'equations' is missing");
}

static void wrong_counts_are_told_in_the_users_words(void **state) {
    (void)state;
    check(HEAD "  force: [0]\n" TAIL, "m.yaml:4:10: force: there are 1 equations for 2 velocities");
    check(HEAD "  force: [0, 0]\n  mass: [1]\n" TAIL,
          "m.yaml:5:9: mass: the diagonal has 1 entries for 2 velocities");
    check(HEAD "  force: [0, 0]\n  holonomic: [x]\n  holonomic_multipliers: [a, b]\n" TAIL,
          "m.yaml:5:14: holonomic: there are 1 equations for 2 holonomic_multipliers");
    check(HEAD "  force: [0, 0]\n  velocities: [a]\n" TAIL,
          "m.yaml:5:15: velocities: found 1 names for 2 positions");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1]}\n",
          "m.yaml:5:22: initial.positions: there are too few values");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, 2, 3]}\n",
          "m.yaml:5:22: initial.positions: there are too many values");
    check(HEAD "  force: [0, lambda2]\n  holonomic: [x]\n" TAIL,
          "m.yaml:3:3: equations: lambda2 is used, but there are 1 holonomic equations");
    check(HEAD "  force: [0, 0]\n  dynamic: {states: [r], rates: []}\n" TAIL,
          "m.yaml:5:33: dynamic.rates: there are 0 equations for 1 states");
}

static void names_are_checked(void **state) {
    (void)state;
    check("sodae: 1\nlet: {a: 2*b, b: 1}\nequations: {positions: [x], force: [a]}\n"
          "initial: {positions: [1]}\n",
          "m.yaml:2:12: 'b' is used before it is defined in line 2 in let a; "
          "definitions are computed in the order of the file");
    check("sodae: 1\nlet: {a: 2*a}\nequations: {positions: [x], force: [a]}\n"
          "initial: {positions: [1]}\n",
          "m.yaml:2:12: 'a' is defined by itself in let a; "
          "definitions are computed in the order of the file");
    check("sodae: 1\nparameters: {x: 1}\nequations: {positions: [x], force: [0]}\n"
          "initial: {positions: [1]}\n",
          "m.yaml:3:25: positions[1]: the name 'x' is used twice (first in line 2)");
    check("sodae: 1\nequations: {positions: [t], force: [0]}\ninitial: {positions: [1]}\n",
          "m.yaml:2:25: positions[1]: the name 't' has a meaning of its own; choose another one");
    check("sodae: 1\nequations: {positions: [2x], force: [0]}\ninitial: {positions: [1]}\n",
          "m.yaml:2:25: a name cannot start with a digit in positions[1]; "
          "write '*' between factors");
    check(HEAD "  forces: [0, 0]\n" TAIL,
          "m.yaml:4:3: unknown key 'forces' in equations; did you mean 'force'?");
    check("sodae: 1\nequation: {}\n",
          "m.yaml:2:1: unknown key 'equation' in the file; did you mean 'equations'?");
    check(HEAD "  force: [0, 0]\n" TAIL "solver: {method: hhht}\n",
          "m.yaml:6:18: solver.method: option method: 'hhht' is not allowed...");
}

static void dependencies_are_checked(void **state) {
    (void)state;
    check(HEAD "  force: [0, 0]\n  holonomic: [x - v_x]\n" TAIL,
          "m.yaml:5:15: holonomic[1]: must not depend on velocities");
    check(HEAD "  force: [0, 0]\n  mass: [1, v_x]\n" TAIL,
          "m.yaml:5:9: mass: may depend on time and positions only");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, x]}\n",
          "m.yaml:5:22: initial.positions[2]: must be a number, known before the run");
    check(HEAD "  force: [0, 0]\n" TAIL "exact: {positions: [t, x]}\n",
          "m.yaml:6:20: exact.positions[2]: may depend on t only");
}

static void what_is_not_finite_at_the_start_is_named(void **state) {
    (void)state;
    check(HEAD "  force: [0, 1/(x - 1)]\n" TAIL,
          "m.yaml:4:14: force[2]: not finite at the initial state (a division by zero or a bad "
          "argument?)");
    check(HEAD "  force: [0, sqrt(x - 1)]\n" TAIL,
          "m.yaml:4:14: force[2]: its derivative by 'x' is not finite at the initial state");
    check(HEAD "  force: [0, sqrt(lambda1^2)]\n  holonomic: [x - 1]\n" TAIL,
          "m.yaml:4:14: force[2]: its derivative by 'lambda1' is not finite at the initial state; "
          "give a guess in 'initial'");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, 1/0]}\n",
          "m.yaml:5:22: initial.positions[2]: is not finite (a division by zero?)");
}

static void yaml_that_the_format_does_not_need_is_refused(void **state) {
    (void)state;
    check("", "m.yaml:1:1: the file is empty");
    check("sodae: 1\nsodae: 1\n", "m.yaml:2:1: the key 'sodae' stands twice (first in line 1)");
    check("sodae: &a 1\n", "m.yaml:1:8: anchors (&) and tags (!) are not allowed");
    check("sodae: *a\n", "m.yaml:1:8: aliases (*name) are not allowed");
    check("sodae: !!int 1\n", "m.yaml:1:8: anchors (&) and tags (!) are not allowed");
    check("sodae: 1\n---\nsodae: 1\n",
          "m.yaml:2:1: expected one document, but here a second one begins");
    check("- 1\n", "m.yaml:1:1: the file: expected keys and values");
    check("sodae: 2\nequations: {}\n",
          "m.yaml:1:8: sodae: this program reads version 1 of the format only");
    check(HEAD "  force: [0, sin(x]\n" TAIL, "m.yaml:4:17: this bracket is never closed");
    sodae_model *model;
    sodae_failure why;
    assert_int_equal(sodae_model_parse("sodae: 1\nna\0me", 14, "m", NULL, &model, &why),
                     SODAE_BAD_FILE);
    assert_string_equal(why.message, "m:2:3: a NUL byte is not allowed");
    assert_int_equal(sodae_model_load("no/such/file", NULL, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message, "no/such/file: the file cannot be opened");
}

static void deep_and_huge_files_are_refused(void **state) {
    (void)state;
    enum { MANY = 17 << 20 };
    char *text = malloc(MANY + 1);
    sodae_model *model;
    sodae_failure why;
    memset(text, '[', 100000);
    assert_int_equal(sodae_model_parse(text, 100000, "m", NULL, &model, &why), SODAE_BAD_FILE);
    memset(text, ' ', MANY);
    assert_int_equal(sodae_model_parse(text, MANY, "m", NULL, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message, "m: the file is larger than 16 MB");
    free(text);
    check("sodae: 1\nequations:\n  positions: [{name: x, size: 5}]\n  force:\n"
          "    - {repeat: {i: 1..900000000}, item: x[1]}\n",
          "m.yaml:5:7: force: the model has too many terms");
}

static void overrides_must_meet_a_parameter(void **state) {
    (void)state;
    const char *text = "sodae: 1\nparameters: {mass: 2}\nequations: {positions: [x], force: "
                       "[mass]}\ninitial: {positions: [1]}\n";
    const char *good[] = {"mass=3*2", NULL}, *bad[] = {"mas=3", NULL}, *odd[] = {"mass=3*", NULL};
    sodae_model *model;
    sodae_failure why;
    double value;
    assert_int_equal(sodae_model_parse(text, strlen(text), "m", good, &model, &why), SODAE_OK);
    assert_string_equal(sodae_model_parameter(model, 0, &value), "mass");
    CHECK_NEAR(value, 6, 0);
    sodae_model_free(model);
    assert_int_equal(sodae_model_parse(text, strlen(text), "m", bad, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message, "m: there is no parameter 'mas'; did you mean 'mass'?");
    assert_int_equal(sodae_model_parse(text, strlen(text), "m", odd, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message, "m: parameter mass=3*: the expression ends too early; "
                                     "expected a number, a name or '('");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_in_expressions_have_their_exact_place),
        cmocka_unit_test(wrong_counts_are_told_in_the_users_words),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(dependencies_are_checked),
        cmocka_unit_test(what_is_not_finite_at_the_start_is_named),
        cmocka_unit_test(yaml_that_the_format_does_not_need_is_refused),
        cmocka_unit_test(deep_and_huge_files_are_refused),
        cmocka_unit_test(overrides_must_meet_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
