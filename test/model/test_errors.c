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
    check(HEAD "  force: [0, -X]\n" TAIL,
          "m.yaml:4:15: unknown name 'X' in force[2]; did you mean 'x'?");
    check(HEAD "  force: [0, xx]\n" TAIL,
          "m.yaml:4:14: unknown name 'xx' in force[2]; did you mean 'x'?");
    check(HEAD "  force: [0, yz]\n" TAIL, "m.yaml:4:14: unknown name 'yz' in force[2]");
    check(HEAD "  force:\n    - 0\n    - 2*x + \n" TAIL,
          "m.yaml:6:12: the expression ends too early in force[2]; "
          "expected a number, a name or '('");
    check(HEAD "  force:\n    - 0\n    - >\n      2*x +\n      sni(x)\n" TAIL,
          "m.yaml:8:7: unknown function 'sni' in force[2]; did you mean 'sin'?");
    check(HEAD "  force: [0, \"3 $ x\"]\n" TAIL,
          "m.yaml:4:17: unexpected '$' in force[2]; an expression has numbers, names, "
          "+ - * / ^ ( ) and functions");
    check(HEAD "  force: [0, x + x[1,2]]\n" TAIL,
          "m.yaml:4:18: index 2 is outside of 1 to 1 in force[2]");
    check(HEAD "  force: [0, x + atan2(x)]\n" TAIL,
          "m.yaml:4:18: atan2 takes 2 arguments, but got 1 in force[2]");
    check("sodae: 1\nlet: {a: 2*b, b: 1}\n",
          "m.yaml:1:1: equations: the section 'equations' is missing");
}

static void wrong_counts_are_reported_in_the_users_words(void **state) {
    (void)state;
    check(HEAD "  force: [0]\n" TAIL, "m.yaml:4:10: force: there is 1 equation for 2 velocities");
    check(HEAD "  force: [0, 0]\n  mass: [1]\n" TAIL,
          "m.yaml:5:9: mass: the diagonal has 1 entry for 2 velocities");
    check(HEAD "  force: [0, 0]\n  holonomic: [x]\n  holonomic_multipliers: [a, b]\n" TAIL,
          "m.yaml:5:14: holonomic: there is 1 equation for 2 holonomic_multipliers");
    check(HEAD "  force: [0, 0]\n  velocities: [a]\n" TAIL,
          "m.yaml:5:15: velocities: found 1 name for 2 positions");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1]}\n",
          "m.yaml:5:22: initial.positions: there are too few values: 2 are needed");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, 2, 3]}\n",
          "m.yaml:5:22: initial.positions: there are too many values: 2 are needed");
    check(HEAD "  force: [0, lambda]\n  holonomic: [x, theta]\n" TAIL,
          "m.yaml:4:14: force[2]: 'lambda': a family needs an index like [1]");
    check(HEAD "  force: [0, 2*lambda]\n  holonomic: [x, theta]\n" TAIL,
          "m.yaml:4:14: cannot multiply a number and a family, which needs an index like [1] in "
          "force[2]");
    check(HEAD "  force: [0, lambda2]\n  holonomic: [x]\n" TAIL,
          "m.yaml:3:3: equations: lambda2 is used, but there is 1 holonomic equation");
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
          "m.yaml:5:15: holonomic[1]: 'x - v_x': must not depend on velocities");
    check(HEAD "  force: [0, 0]\n  mass: [1, v_x]\n" TAIL,
          "m.yaml:5:9: mass: may depend on time and positions only");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, x]}\n",
          "m.yaml:5:26: initial.positions[2]: 'x': must be a number, known before the run");
    check(HEAD "  force: [0, 0]\n" TAIL "exact: {positions: [t, x]}\n",
          "m.yaml:6:24: exact.positions[2]: 'x': may depend on t only");
}

static void what_is_not_finite_at_the_start_is_named(void **state) {
    (void)state;
    check(HEAD "  force: [0, 1/(x - 1)]\n" TAIL,
          "m.yaml:4:14: force[2]: '1/(x - 1)': not finite at the initial state (a division by zero "
          "or a bad argument?)");
    check(HEAD "  force: [0, sqrt(x - 1)]\n" TAIL,
          "m.yaml:4:14: force[2]: 'sqrt(x - 1)': its derivative by 'x' is not finite at the "
          "initial state");
    check(HEAD "  force: [0, sqrt(lambda1)]\n  holonomic: [x - 1]\n" TAIL,
          "m.yaml:4:14: force[2]: 'sqrt(lambda1)': its derivative by 'lambda1' is not finite at "
          "the initial state; give a guess in 'initial'");
    check(HEAD "  force: [0, 0]\ninitial: {positions: [1, 1/0]}\n",
          "m.yaml:5:26: initial.positions[2]: '1/0': is not finite (a division by zero?)");
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
          "m.yaml:1:8: sodae: '2': this program reads version 1 of the format only");
    check(HEAD "  force: [0, sin(x]\n" TAIL, "m.yaml:4:17: this bracket is never closed");
    sodae_model *model;
    sodae_failure why;
    assert_int_equal(sodae_model_parse("sodae: 1\nna\0me", 14, "m", NULL, &model, &why),
                     SODAE_BAD_FILE);
    assert_string_equal(why.message, "m:2:3: a NUL byte is not allowed");
    assert_int_equal(sodae_model_load("no/such/file", NULL, &model, &why), SODAE_BAD_FILE);
    assert_string_equal(why.message, "no/such/file: the file cannot be opened");
}

static void bytes_are_checked_where_they_stand(void **state) {
    (void)state;
    check("sodae: 1\nname: a\xE4o\n", "m.yaml:2:8: byte 0xE4 is not UTF-8; save the file as UTF-8");
    check("sodae: 1\nname: \xC0\xAF\n",
          "m.yaml:2:7: byte 0xC0 is not UTF-8; save the file as UTF-8");
    check("sodae: 1\nname: \xED\xA0\x80\n",
          "m.yaml:2:7: byte 0xED is not UTF-8; save the file as UTF-8");
    check("sodae: 1\n# \xCE\xB8\x01\n", "m.yaml:2:4: the character U+0001 is not allowed");
    check("\xFF\xFEs", "m.yaml:1:1: this is UTF-16; save the file as UTF-8");
    check("\xEF\xBB\xBF" HEAD "  force: [0, thta]\n" TAIL,
          "m.yaml:4:14: unknown name 'thta' in force[2]; did you mean 'theta'?");
    check("sodae: 1\r\nequations:\r\n  positions: [x]\r\n  force: [y]\r\n",
          "m.yaml:4:11: unknown name 'y' in force[1]");
    check("sodae: 1\requations:\r  positions: [x]\r  force: [1 +\r    y]\r",
          "m.yaml:5:5: unknown name 'y' in force[1]");
    check(HEAD "  force: [0,\t\tx +\tthta]\n" TAIL,
          "m.yaml:4:19: unknown name 'thta' in force[2]; did you mean 'theta'?");
}

static void common_mistakes_get_advice(void **state) {
    (void)state;
    check("sodae: 1\nequations:\n\tpositions: [x]\n",
          "m.yaml:3:1: this is not valid YAML: found character that cannot start any token, while "
          "scanning for the next token; indent with blanks, not with tabs");
    check(
        HEAD "  force:\n    - [x, 1]*2\n" TAIL,
        "m.yaml:5:13: this is not valid YAML: did not find expected '-' indicator, while parsing a "
        "block collection; put quotes around an expression that starts with '['");
    check(HEAD "  force: [0, 'sin(x]\n" TAIL,
          "m.yaml:4:14: this is not valid YAML: found unexpected end of stream, while scanning a "
          "quoted scalar...");
    check(HEAD "  force: [0, x**2]\n" TAIL,
          "m.yaml:4:16: unexpected '*' in force[2]; powers are written x^2");
    check(HEAD "  force: [0, 'if(0 < x < 1, 1, 2)']\n" TAIL,
          "m.yaml:4:24: unexpected '<' in force[2]; join comparisons with 'and'");
    check(HEAD "  force: [0, x\xE2\x88\x92"
               "1]\n" TAIL,
          "m.yaml:4:15: unexpected '\xE2\x88\x92' in force[2]; write '-' for this minus sign");
    check(HEAD "  force: [0, 2\xC2\xB7x]\n" TAIL,
          "m.yaml:4:15: unexpected '\xC2\xB7' in force[2]; write '*' for this dot");
    check(HEAD "  force: [0, math.sin(x)]\n" TAIL,
          "m.yaml:4:18: unexpected '.' in force[2]; an expression has numbers, names, "
          "+ - * / ^ ( ) and functions");
    check(HEAD "  force: [0, x && theta]\n" TAIL,
          "m.yaml:4:16: '&' has no meaning here in force[2]; write 'and'");
    check(HEAD "  force: [0, x = 1]\n" TAIL,
          "m.yaml:4:16: '=' has no meaning here in force[2]; an equation is written 'left - "
          "right', a comparison '=='");
    check(HEAD "  force: [0, x']\n" TAIL,
          "m.yaml:4:15: unexpected \"'\" in force[2]; velocities have "
          "names of their own, as v_x");
    check(HEAD "  force: [0, ln(x)]\n" TAIL,
          "m.yaml:4:14: unknown function 'ln' in force[2]; the natural logarithm is log(x)");
    check(HEAD "  force: [0, 2*Pi]\n" TAIL,
          "m.yaml:4:16: unknown name 'Pi' in force[2]; did you mean 'pi'?");
    check(
        "sodae: 1\nequations:\n  positions: [{name: R, space: SO3}]\n  force: [R^T*[1, 0, 0]]\n",
        "m.yaml:4:11: only numbers have powers, not a 3 x 3 matrix in force[1]; use transpose, or "
        "dot");
    check(HEAD "  force: [0, x > 1]\n" TAIL,
          "m.yaml:4:14: a condition is allowed only inside if(condition, a, b) in force[2]");
    check(
        HEAD "  force: [0, 0]\n  mass: [[1, 0], [0]]\n" TAIL,
        "m.yaml:5:18: mass[2]: the diagonal has more than 2 entries, one for each velocity; a full "
        "matrix has 2 rows of 2");
    check(HEAD "  force: [0, 0]\n" TAIL "solver: {rho: 1}\n",
          "m.yaml:6:10: unknown option 'rho' in solver");
    check(HEAD "  force: [0, 0]\n" TAIL "solver: {rhoinf: 1}\n",
          "m.yaml:6:10: unknown option 'rhoinf' in solver; did you mean 'rho_inf'?");
    check(HEAD "  force: [0, 0]\n" TAIL "solver: {step: soon}\n",
          "m.yaml:6:16: unknown name 'soon' in solver.step");
}

static void indices_and_multipliers_have_names_of_their_own(void **state) {
    (void)state;
#define VECTOR "sodae: 1\nequations:\n  positions: [{name: x, size: 4}]\n"
    check(VECTOR "  force: [{repeat: {pi: 1..4}, item: pi}]\n",
          "m.yaml:4:21: the index 'pi' has a meaning already in force; choose another one");
    check(VECTOR "  force: [{repeat: {t: 1..4}, item: t}]\n",
          "m.yaml:4:21: the index 't' has a meaning already in force; choose another one");
    check(VECTOR "  force: [{repeat: {x: 1..4}, item: x}]\n",
          "m.yaml:4:21: the index 'x' has a meaning already in force; choose another one");
    check(VECTOR "  force: [{repeat: {2i: 1..4}, item: 0}]\n",
          "m.yaml:4:21: force: '2i' is not a name; a name is made of letters, digits and _");
    check(VECTOR "  force:\n    - repeat: {i: 1..2}\n      items: [{repeat: {i: 1..2}, item: i}]\n",
          "m.yaml:6:25: the index 'i' has a meaning already in force; choose another one");
    check(HEAD "  force: [0, 'sum(x, 1, 3, x)']\n" TAIL,
          "m.yaml:4:19: the index 'x' has a meaning already in force[2]; choose another one");
    check(
        "sodae: 1\nequations:\n  positions: [lambda1]\n  force: [0]\n  holonomic: [lambda1]\n",
        "m.yaml:3:3: holonomic: the multiplier 'lambda1' has the name of something else (line 3); "
        "name the multipliers in 'holonomic_multipliers'");
    check(
        "sodae: 1\nequations:\n  positions: [x, v_x]\n  force: [0, 0]\n",
        "m.yaml:3:15: positions: the velocity of 'x' would be 'v_x', but that name is used already "
        "(line 3); name the velocities in 'velocities'");
    check("sodae: 1\nparameters: {pi: 3}\nequations: {positions: [x], force: [0]}\n",
          "m.yaml:2:14: parameters: the name 'pi' has a meaning of its own; choose another one");
}

static void initial_and_exact_values_are_checked(void **state) {
    (void)state;
#define BODY "sodae: 1\nequations:\n  positions: [{name: R, space: SO3}]\n  force: [0, 0, 0]\n"
    check(
        BODY "initial: {positions: [{axis: [1, 0, 0], angle: 1, foo: 2}]}\n",
        "m.yaml:5:23: initial.positions[1]: expected a matrix, a quaternion or {axis: [..], angle: "
        "..}");
    check(BODY "initial: {positions: [{quaternion: [1, 0, 0, 0], angle: 1}]}\n",
          "m.yaml:5:23: initial.positions[1]: expected one of quaternion, matrix, axis and angle");
    check(BODY "initial: {positions: [{axis: [0, 0, 0], angle: 1}]}\n",
          "m.yaml:5:30: initial.positions[1]: the axis is zero");
    check(HEAD "  force: [0, 0]\n" TAIL "exact: {positions: [0, 1/t]}\n",
          "m.yaml:6:20: exact.positions[2]: not finite at the initial time (a division by zero?)");
    check(HEAD "  force: [0, 0]\n" TAIL "energy: 1/(x - 1)\n",
          "m.yaml:6:9: energy[1]: '1/(x - 1)': not finite at the initial state (a division by zero "
          "or a bad argument?)");
    check(HEAD "  force: [0, 0]\n  mass: [1, 1/(x - 1)]\n" TAIL,
          "m.yaml:5:9: mass: not finite at the initial state (a division by zero or a bad "
          "argument?)");
    check("sodae: 1\nparameters: {m: 1/0}\nequations: {positions: [x], force: [0]}\n",
          "m.yaml:2:17: parameter m: '1/0': not finite (a division by zero?)");
}

/* Text that repeats `part`, between a head and a tail. */
static void check_long(const char *head, const char *part, int count, const char *tail,
                       const char *expected) {
    size_t size = strlen(head) + strlen(part) * (size_t)count + strlen(tail) + 1, at;
    char *text = malloc(size);
    at = (size_t)snprintf(text, size, "%s", head);
    for (int i = 0; i < count; i++) at += (size_t)snprintf(text + at, size - at, "%s", part);
    snprintf(text + at, size - at, "%s", tail);
    check(text, expected);
    free(text);
}

static void depth_and_length_have_bounds(void **state) {
    (void)state;
    static const char head[] = HEAD "  force: [0, '", tail[] = "']\n" TAIL;
    static const char deep[] =
        ": the expression is nested too deeply in force[2]; at most 200 levels "
        "are allowed; name parts of it in 'let'";
    static const struct {
        const char *part;
        int column;
    } cases[] = {{"(", 215}, {"-", 215}, {"x^", 415}, {"if(x > 0, ", 2008}, {"sin(", 815}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[300];
        snprintf(expected, sizeof expected, "m.yaml:4:%d%s", cases[i].column, deep);
        check_long(head, cases[i].part, 20000, tail, expected);
    }
    check_long(HEAD "  force: [0, x", "[1]", 20000, "]\n", "m.yaml:4:...");
    check_long(head, "x + ", 50000, "thta']\n" TAIL,
               "m.yaml:4:200015: unknown name 'thta' in force[2]; did you mean 'theta'?");
    check_long("a: ", "{b: ", 1000, "\n",
               "m.yaml:1:797: the file is nested more than 200 levels deep");
    check_long(HEAD "  force: [0, ", "9", 5000, "]\n" TAIL,
               "m.yaml:4:14: this number has too many digits in force[2]");
    check(HEAD "  force: [0, 1e999]\n" TAIL, "m.yaml:4:14: this number is too large in force[2]");
}

static void a_map_with_very_many_keys_is_refused_at_once(void **state) {
    (void)state;
    enum { KEYS = 200000, ROOM = 20 };
    char *text = malloc(KEYS * ROOM);
    size_t at = (size_t)snprintf(text, ROOM, "parameters:\n");
    for (int i = 0; i < KEYS; i++)
        at += (size_t)snprintf(text + at, KEYS * ROOM - at, "  p%d: 1\n", i);
    check(text, "m.yaml:10002:3: there are more than 10000 keys in one map");
    free(text);
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
        cmocka_unit_test(wrong_counts_are_reported_in_the_users_words),
        cmocka_unit_test(names_are_checked),
        cmocka_unit_test(dependencies_are_checked),
        cmocka_unit_test(what_is_not_finite_at_the_start_is_named),
        cmocka_unit_test(yaml_that_the_format_does_not_need_is_refused),
        cmocka_unit_test(bytes_are_checked_where_they_stand),
        cmocka_unit_test(common_mistakes_get_advice),
        cmocka_unit_test(indices_and_multipliers_have_names_of_their_own),
        cmocka_unit_test(initial_and_exact_values_are_checked),
        cmocka_unit_test(depth_and_length_have_bounds),
        cmocka_unit_test(a_map_with_very_many_keys_is_refused_at_once),
        cmocka_unit_test(deep_and_huge_files_are_refused),
        cmocka_unit_test(overrides_must_meet_a_parameter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
