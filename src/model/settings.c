/* `sodae`, `name`, `run`, `solver`. */
#include "base/number.h"
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int read_version(model_build *b) {
    const tree_node *version = tree_get(b->root, "sodae");
    place_section(b, "sodae", 0);
    if (!version)
        return place_fail(b, b->root, "the version of the format is missing; write 'sodae: 1'");
    if (version->kind != TREE_SCALAR || strcmp(version->text, "1"))
        return place_fail(b, version, "this program reads version 1 of the format only");
    return 0;
}

static int read_name(model_build *b) {
    const tree_node *name = tree_get(b->root, "name");
    place_section(b, "name", 0);
    if (name && name->kind != TREE_SCALAR) return place_fail(b, name, "expected a title");
    const char *text = name ? name->text : b->report.label;
    b->model->problem.name = expr_pool_text(&b->model->memory, text, strlen(text));
    b->model->label = expr_pool_text(&b->model->memory, b->report.label, strlen(b->report.label));
    return b->model->memory.failed ? report_memory(&b->report) : 0;
}

static int read_number(model_build *b, const tree_node *run, const char *key, double *out) {
    entry e = {tree_get(run, key), NULL};
    char section[32];
    *out = NAN;
    snprintf(section, sizeof section, "run.%s", key);
    place_section(b, section, 0);
    return e.node ? lists_number(b, &e, out) : 0;
}

/* The run ends with the last of them, unless t_end is given. */
static int read_times(model_build *b, const tree_node *list) {
    sodae_model *m = b->model;
    entries items;
    place_section(b, "run.times", 0);
    if (!list) return 0;
    if (lists_expand(b, list, &items)) return 1;
    double *t = EXPR_TAKE(&m->memory, double, items.count + 1);
    if (!t) return report_memory(&b->report);
    for (int i = 0; i < items.count; i++) {
        place_section(b, "run.times", i + 1);
        if (lists_number(b, &items.item[i], &t[i])) return 1;
        if (i && !(t[i] > t[i - 1]))
            return place_fail(b, items.item[i].node, "times must increase");
    }
    m->ntimes = items.count;
    m->times = items.count ? t : NULL;
    if (items.count && isnan(m->t_end)) m->t_end = t[items.count - 1];
    if (items.count && t[items.count - 1] > m->t_end)
        return place_fail(b, list, "times behind t_end are not reached");
    return 0;
}

static int read_run(model_build *b) {
    const tree_node *run = tree_get(b->root, "run");
    sodae_model *m = b->model;
    if (run && keys_check(&b->report, run, KEYS_RUN, "run")) return 1;
    if (read_number(b, run, "t_end", &m->t_end)) return 1;
    if (read_number(b, run, "output_step", &m->output_step)) return 1;
    if (m->output_step <= 0)
        return place_fail(b, tree_get(run, "output_step"), "expected a positive number");
    return read_times(b, tree_get(run, "times"));
}

static const sodae_option_info *find_option(const char *name, suggestion *best) {
    const sodae_option_info *o;
    for (int i = 0; (o = sodae_option_table(i)); i++) {
        if (!strcmp(o->name, name)) return o;
        suggest_offer(best, o->name);
    }
    suggest_offer(best, "atol_q");
    suggest_offer(best, "table");
    return NULL;
}

/* A number may be an expression of parameters: step: T/200. */
static int number_of(model_build *b, const tree_node *value, char *text, size_t size) {
    entry e = {value, NULL};
    double x;
    if (lists_number(b, &e, &x)) return 1;
    number_write(x, 17, text, size);
    return 0;
}

/* orders: [1, 2, 2, 3] is 1,2,2,3; "" when it is no list of numbers or too long. */
static const char *joined(const tree_node *list, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < list->count; i++) {
        const tree_node *x = list->item[i];
        if (x->kind != TREE_SCALAR || used + x->length + 2 > size) return "";
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", x->text);
    }
    return list->count ? text : "";
}

/* The message of the option table, with the choice that was meant. */
static int refuse_value(model_build *b, const tree_node *value, const sodae_option_info *option,
                        const char *text, const char *message) {
    char hint[100];
    suggestion best = suggest_for(text, (int)strlen(text));
    for (int i = 0; option->type == SODAE_OPTION_CHOICE && option->choices[i]; i++)
        suggest_offer(&best, option->choices[i]);
    return report_node(&b->report, value, "solver", "solver.%.40s: %.250s%s%s", option->name,
                       message, best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
}

/* Each option is tried on the defaults, so that errors have their place in the file. */
static int read_option(model_build *b, const tree_node *key, const tree_node *value) {
    sodae_options trial = sodae_default_options();
    sodae_failure why = {0};
    char number[40], section[64], hint[100], list[4 * SODAE_ORDER_LIST];
    const char *text = value->text;
    suggestion best = suggest_for(key->text, (int)key->length);
    const sodae_option_info *option = find_option(key->text, &best);
    model_setting *s = &b->model->settings[b->model->nsettings++];
    if (!option)
        return report_node(&b->report, key, "solver", "unknown option '%.60s' in solver%s%s",
                           key->text, best.best[0] ? "; " : "",
                           suggest_hint(&best, hint, sizeof hint));
    snprintf(section, sizeof section, "solver.%.40s", key->text);
    place_section(b, section, 0);
    if (option->list && value->kind == TREE_LIST)
        text = joined(value, list, sizeof list);
    else if (value->kind != TREE_SCALAR)
        return place_fail(b, value, "expected one value");
    if (option->type != SODAE_OPTION_CHOICE && option->type != SODAE_OPTION_SWITCH) {
        if (number_of(b, value, number, sizeof number)) return 1;
        text = number;
    }
    if (sodae_options_set(&trial, key->text, text, &why))
        return refuse_value(b, value, option, text, why.message);
    s->name = expr_pool_text(&b->model->memory, key->text, key->length);
    s->value = expr_pool_text(&b->model->memory, text, strlen(text));
    const char *label = value->source->label;
    s->label = expr_pool_text(&b->model->memory, label, strlen(label));
    s->line = value->line;
    s->column = value->column;
    return s->name && s->value && s->label ? 0 : report_memory(&b->report);
}

/* atol_q, and the lists atol_v, atol_lambda: they wait until the unknowns are known. */
static int is_tolerance(const tree_node *key, const tree_node *value) {
    if (!strcmp(key->text, "atol_q")) return 1;
    return value->kind == TREE_LIST &&
           (!strcmp(key->text, "atol_v") || !strcmp(key->text, "atol_lambda"));
}

static int read_tolerance(model_build *b, const tree_node *value, const char *key, int count,
                          const double **out) {
    char section[32];
    double *x = EXPR_TAKE(&b->model->memory, double, count + 1);
    int *nodes = EXPR_TAKE(&b->pool, int, count + 1), one;
    const tree_node **places = EXPR_TAKE(&b->pool, const tree_node *, count + 1);
    if (!x || !nodes || !places) return report_memory(&b->report);
    snprintf(section, sizeof section, "solver.%s", key);
    if (value->kind == TREE_SCALAR) {
        if (initial_numbers(b, value, section, 1, &one, places)) return 1;
        for (int i = 0; i < count; i++) nodes[i] = one, places[i] = value;
    } else if (initial_numbers(b, value, section, count, nodes, places))
        return 1;
    for (int i = 0; i < count; i++) {
        place_section(b, section, i + 1);
        if (!expr_is_const(&b->graph, nodes[i], &x[i]) || !isfinite(x[i]) || x[i] < 0)
            return place_fail(b, places[i], "expected numbers that are not negative");
    }
    *out = x;
    return 0;
}

int settings_tolerances(model_build *b) {
    static const char *const keys[] = {"atol_q", "atol_v", "atol_lambda"};
    const tree_node *solver = tree_get(b->root, "solver");
    const int counts[] = {b->nv, b->nv, b->count[SODAE_LAMBDA]};
    for (int i = 0; solver && i < solver->count; i++)
        for (int k = 0; k < 3; k++) {
            const tree_node *key = solver->key[i], *value = solver->item[i];
            if (strcmp(key->text, keys[k]) || !is_tolerance(key, value)) continue;
            if (read_tolerance(b, value, keys[k], counts[k], &b->model->atol[k])) return 1;
        }
    return 0;
}

/* table: FILE, which is one of the files of the model. */
static int read_table(model_build *b, const tree_node *value) {
    place_section(b, "solver.table", 0);
    const model_source *source = files_read(b, value);
    sodae_failure why;
    if (!source) return 1;
    b->model->table = EXPR_TAKE(&b->model->memory, sodae_glm_table, 1);
    if (!b->model->table) return report_memory(&b->report);
    if (sodae_table_parse(source->text, source->size, source->label, b->model->table, &why))
        return place_fail(b, value, "%.250s", why.message);
    return 0;
}

static int read_solver(model_build *b) {
    const tree_node *solver = tree_get(b->root, "solver");
    place_section(b, "solver", 0);
    if (!solver) return 0;
    if (solver->kind != TREE_MAP) return place_fail(b, solver, "expected options and values");
    b->model->settings = EXPR_TAKE(&b->model->memory, model_setting, solver->count + 1);
    if (!b->model->settings) return report_memory(&b->report);
    for (int i = 0; i < solver->count; i++) {
        const tree_node *key = solver->key[i], *value = solver->item[i];
        if (is_tolerance(key, value)) continue;
        if (!strcmp(key->text, "table") ? read_table(b, value) : read_option(b, key, value))
            return 1;
    }
    return 0;
}

int settings_read(model_build *b) {
    return read_version(b) || read_name(b) || read_run(b) || read_solver(b);
}
