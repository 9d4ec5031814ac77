#include "cli/rerun_check.h"

#include <stdio.h>
#include <string.h>

typedef enum kind { NUMBER, SIZE, COUNT, TEXT, TEXTS, STEPS, OBJECT, NUMBERS, GUESSES } kind;

typedef struct field {
    const char *name;
    kind kind;
    int optional;
} field;

static const char *const expected[] = {
    [NUMBER] = "a number",
    [SIZE] = "a number, or null",
    [COUNT] = "a whole number that is not negative",
    [TEXT] = "a text",
    [TEXTS] = "a list of texts",
    [STEPS] = "a list of steps, each with t and h",
    [OBJECT] = "an object",
    [NUMBERS] = "a list of numbers",
    [GUESSES] = "a list of numbers, or null where they are not finite",
};

static const char *type_name(const json_t *x) {
    switch (json_typeof(x)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

static int is_size(const json_t *x) {
    return json_is_number(x) || json_is_null(x);
}

static int is_step(const json_t *x) {
    return is_size(json_object_get(x, "t")) && is_size(json_object_get(x, "h"));
}

/* What each entry of a list has to be; NULL: not a list. */
typedef int entry_test(const json_t *x);

static int is_number(const json_t *x) {
    return json_is_number(x);
}

static int is_text(const json_t *x) {
    return json_is_string(x);
}

static entry_test *const entries[] = {
    [TEXTS] = is_text, [STEPS] = is_step, [NUMBERS] = is_number, [GUESSES] = is_size};

static int is_single(const json_t *x, kind k) {
    switch (k) {
    case NUMBER:
        return json_is_number(x);
    case SIZE:
        return is_size(x);
    case COUNT:
        return json_is_integer(x) && json_integer_value(x) >= 0;
    case TEXT:
        return json_is_string(x);
    default:
        return json_is_object(x);
    }
}

/* The first entry that is not as it should be; -1: none. */
static int bad_entry(const json_t *list, entry_test *test) {
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!test(json_array_get(list, i))) return (int)i;
    return -1;
}

static cli_exit wrong(cli_error *error, const char *path, const char *name, const char *is,
                      kind k) {
    return cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, name, "%.160s: %s %s; %s is expected", path,
                    name, is, expected[k]);
}

static cli_exit check(const json_t *x, const char *name, kind k, const char *path,
                      cli_error *error) {
    char is[40], entry[100];
    int list = k == TEXTS || k == STEPS || k == NUMBERS || k == GUESSES;
    if (!x) return wrong(error, path, name, "is missing", k);
    snprintf(is, sizeof is, "is %s", type_name(x));
    if (list ? !json_is_array(x) : !is_single(x, k)) return wrong(error, path, name, is, k);
    int bad = list ? bad_entry(x, entries[k]) : -1;
    if (bad < 0) return CLI_OK;
    snprintf(entry, sizeof entry, "%.80s[%d]", name, bad + 1);
    snprintf(is, sizeof is, "is %s", type_name(json_array_get(x, (size_t)bad)));
    return wrong(error, path, entry, k == STEPS ? "is no step" : is, k);
}

/* The fields of the object `name`, up to one without a name. */
static cli_exit check_fields(const json_t *object, const char *name, const field *f,
                             const char *path, cli_error *error) {
    cli_exit code = CLI_OK;
    for (; f->name && !code; f++) {
        char text[64];
        const json_t *x = json_object_get(object, f->name);
        snprintf(text, sizeof text, "%s.%s", name, f->name);
        if (x || !f->optional) code = check(x, text, f->kind, path, error);
    }
    return code;
}

/* Which arrays there are is up to the method: the integrator asks for them by name. */
static cli_exit check_history(json_t *history, const char *path, cli_error *error) {
    const char *name;
    json_t *x;
    cli_exit code = CLI_OK;
    json_object_foreach(history, name, x) {
        char text[100];
        snprintf(text, sizeof text, "replay.history.%.80s", name);
        if (!code) code = check(x, text, GUESSES, path, error);
    }
    return code;
}

cli_exit cli_rerun_check(const json_t *report, const char *path, cli_error *error) {
    static const field failure[] = {
        {"t", SIZE, 0}, {"h", SIZE, 0}, {"step", COUNT, 0}, {"history", STEPS, 0}, {0}};
    static const field replay[] = {
        {"target", TEXT, 0},  {"model", TEXT, 1},     {"settings", TEXTS, 0},
        {"t_end", NUMBER, 0}, {"state", OBJECT, 0},   {"steps_pattern", TEXT, 1},
        {"table", TEXT, 1},   {"history", OBJECT, 1}, {0}};
    /* multipliers, w and s are where a search begins; they need not be known */
    static const field state[] = {{"t", NUMBER, 0},       {"q", NUMBERS, 0},
                                  {"v", NUMBERS, 0},      {"a", GUESSES, 0},
                                  {"lambda", GUESSES, 0}, {"psi", GUESSES, 0},
                                  {"r", NUMBERS, 0},      {"w", GUESSES, 0},
                                  {"s", GUESSES, 0},      {0}};
    const json_t *again = json_object_get(report, "replay");
    cli_exit code = check(again, "replay", OBJECT, path, error);
    if (!code)
        code = check_fields(json_object_get(report, "failure"), "failure", failure, path, error);
    if (!code) code = check_fields(again, "replay", replay, path, error);
    if (!code)
        code = check_fields(json_object_get(again, "state"), "replay.state", state, path, error);
    return code ? code : check_history(json_object_get(again, "history"), path, error);
}
