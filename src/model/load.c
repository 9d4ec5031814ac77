/* Models from files and text. */
#include "model/build.h"
#include "model/keys.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const model_limits usual_limits = {
    .nodes = 4 << 20, .work = 8000000, .memory = (size_t)2 << 30};

static int build(model_build *b) {
    b->root = tree_read(&b->report, &b->pool);
    if (!b->root || parts_join(b)) return 1;
    if (tree_get(b->root, "bodies") || tree_get(b->root, "beams")) return mechanism_read(b);
    if (keys_check(&b->report, b->root, KEYS_TOP, "the file")) return 1;
    b->equations = tree_get(b->root, "equations");
    if (printed_is(b)) return printed_read(b);
    place_section(b, "equations", 0);
    if (!b->equations) return place_fail(b, b->root, "the section 'equations' is missing");
    if (keys_check(&b->report, b->equations, KEYS_EQUATIONS, "equations")) return 1;
    b->count_multipliers = equations_multipliers;
    return definitions_parameters(b) || data_read(b) || settings_read(b) || coordinates_read(b) ||
           velocities_read(b) || variables_read(b) || definitions_let(b) || equations_read(b) ||
           settings_tolerances(b) || events_read(b) || initial_read(b) || variables_directions(b) ||
           lagrangian_read(b) || exact_read(b) || outputs_read(b) || units_read(b) ||
           branches_find(b) || derivatives_make(b) || check_initial(b) ||
           (branches_restore(b), curve_make(b)) || events_check(b);
}

sodae_status model_parse(const model_text *from, const model_limits *limits, sodae_model **model,
                         sodae_failure *why) {
    model_build b = {.report = {.label = from->label ? from->label : "model",
                                .name = "",
                                .text = from->text ? from->text : "",
                                .size = from->size,
                                .why = why},
                     .overrides = from->overrides,
                     .open = from->open,
                     .open_user = from->user,
                     .work = limits->work,
                     .pool = {.limit = limits->memory}};
    b.model = calloc(1, sizeof *b.model);
    if (b.model) b.model->memory.limit = limits->memory;
    int bad = !b.model || expr_graph_init(&b.graph, limits->nodes);
    if (bad)
        report_memory(&b.report);
    else
        bad = build(&b);
    if (bad && !b.report.failed) report_memory(&b.report);
    expr_graph_free(&b.graph);
    expr_pool_free(&b.pool);
    if (bad)
        sodae_model_free(b.model);
    else
        *model = b.model;
    return bad ? why->status : SODAE_OK;
}

sodae_status sodae_model_parse(const char *text, size_t size, const char *label,
                               const char *const *overrides, sodae_model **model,
                               sodae_failure *why) {
    return sodae_model_parse_with(text, size, label, NULL, NULL, overrides, model, why);
}

sodae_status sodae_model_parse_with(const char *text, size_t size, const char *label,
                                    sodae_model_open *open, void *user,
                                    const char *const *overrides, sodae_model **model,
                                    sodae_failure *why) {
    const model_text from = {text, size, label, open, user, overrides};
    sodae_failure local;
    if (!why) why = &local;
    *why = (sodae_failure){.t = NAN};
    if (!model || (!text && size)) return why->status = SODAE_BAD_ARGUMENT;
    *model = NULL;
    return model_parse(&from, &usual_limits, model, why);
}

/* The whole stream, at most one byte more than is allowed. */
static char *read_all(FILE *file, size_t *size) {
    size_t room = 1 << 16;
    char *text = malloc(room);
    for (*size = 0; text;) {
        size_t got = fread(text + *size, 1, room - *size, file);
        *size += got;
        if (got == 0 || *size > TREE_BYTES) break;
        if (*size < room) continue;
        char *more = realloc(text, room *= 2);
        if (!more) free(text);
        text = more;
    }
    if (text && ferror(file)) {
        free(text);
        text = NULL;
    }
    return text;
}

sodae_status sodae_model_load(const char *path, const char *const *overrides, sodae_model **model,
                              sodae_failure *why) {
    sodae_failure local;
    if (!why) why = &local;
    *why = (sodae_failure){.t = NAN, .status = SODAE_BAD_FILE};
    if (!path || !model) return why->status = SODAE_BAD_ARGUMENT;
    *model = NULL;
    int from_input = !strcmp(path, "-");
    const char *label = from_input ? "standard input" : path;
    FILE *file = from_input ? stdin : fopen(path, "rb");
    if (!file) {
        snprintf(why->message, sizeof why->message, "%.200s: the file cannot be opened", path);
        return SODAE_BAD_FILE;
    }
    size_t size;
    char *text = read_all(file, &size);
    if (!from_input) fclose(file);
    if (!text) {
        snprintf(why->message, sizeof why->message, "%.200s: the file cannot be read", label);
        return SODAE_BAD_FILE;
    }
    sodae_status status = sodae_model_parse(text, size, label, overrides, model, why);
    free(text);
    return status;
}

void sodae_model_free(sodae_model *model) {
    if (!model) return;
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        tape_free(&model->value[f]);
        for (int x = 0; x < SODAE_VARIABLES; x++) tape_free(&model->derivative[f][x]);
    }
    for (int i = 0; i < 8; i++) tape_free(&model->exact[i]);
    tape_free(&model->switching);
    tape_free(&model->outputs);
    for (int i = 0; i < model->nbranches; i++) tape_free(&model->branches[i].when);
    tape_free(&model->curve.residual);
    tape_free(&model->curve.rate_of_q);
    for (int i = 0; i < 3; i++) tape_free(&model->curve.A[i]);
    for (int i = 0; i < model->problem.nevents - model->nbranches; i++) {
        tape_free(&model->events[i].when);
        for (int k = 0; k < MODEL_ACTIONS; k++) tape_free(&model->events[i].change[k]);
    }
    for (model_law *law = model->laws; law; law = law->next) tape_free(&law->tape);
    tape_free(&model->mechanism_tape);
    sodae_mechanism_free(model->mechanism);
    if (model->space) sodae_space_free(model->space);
    sodae_linear_flow_free(model->flow);
    expr_pool_free(&model->memory);
    free(model);
}

const char *sodae_model_file(const sodae_model *model, int i, const char **text, size_t *size) {
    if (i < 0 || i >= model->nfiles) return NULL;
    *text = model->files[i].text;
    *size = model->files[i].size;
    return model->files[i].name;
}

const sodae_problem *sodae_model_problem(const sodae_model *model) {
    return &model->problem;
}

sodae_status sodae_model_options(const sodae_model *model, sodae_options *options,
                                 sodae_failure *why) {
    for (int i = 0; i < model->nsettings; i++) {
        const model_setting *s = &model->settings[i];
        sodae_failure inner = {0};
        sodae_status status = sodae_options_set(options, s->name, s->value, &inner);
        if (status == SODAE_OK) continue;
        if (why) {
            *why = inner;
            snprintf(why->message, sizeof why->message, "%.80s:%d:%d: %.200s", s->label, s->line,
                     s->column, inner.message);
        }
        return status;
    }
    if (model->table) options->table = model->table;
    if (model->atol[0]) options->atol_q_each = model->atol[0];
    if (model->atol[1]) options->atol_v_each = model->atol[1];
    if (model->atol[2]) options->atol_lambda_each = model->atol[2];
    return SODAE_OK;
}

double sodae_model_t_end(const sodae_model *model) {
    return model->t_end;
}

double sodae_model_output_step(const sodae_model *model) {
    return model->output_step;
}

const double *sodae_model_times(const sodae_model *model, int *count) {
    *count = model->ntimes;
    return model->times;
}

const sodae_mechanism *sodae_model_mechanism(const sodae_model *model) {
    return model->mechanism;
}

const char *sodae_model_energy_unit(const sodae_model *model) {
    return model->energy_unit;
}

int sodae_model_energy_is_conserved(const sodae_model *model) {
    return model->conserved;
}

const char *sodae_model_output(const sodae_model *model, int i, const char **unit) {
    if (i < 0 || i >= model_output_count(model)) return NULL;
    if (unit) *unit = model->output_units[i];
    return model->output_names[i];
}

int sodae_model_outputs(const sodae_model *model, const sodae_point *at, double *out) {
    if (model->mechanism) return mechanism_channels(model, at, out);
    if (!model->outputs.nout) return 0;
    return model_run(model, &model->outputs, at, out) ? 1 : 0;
}

const char *sodae_model_unit(const sodae_model *model, sodae_variable x, int i) {
    return model->units[x] ? model->units[x][i] : NULL;
}

const char *sodae_model_parameter(const sodae_model *model, int i, double *value) {
    if (i < 0 || i >= model->nparameters) return NULL;
    const model_parameter *p = &model->parameters[i];
    if (value) *value = p->rows * p->cols == 1 ? p->values[0] : NAN;
    return p->name;
}

const double *sodae_model_parameter_values(const sodae_model *model, int i, int *rows, int *cols) {
    if (i < 0 || i >= model->nparameters) return NULL;
    const model_parameter *p = &model->parameters[i];
    *rows = p->rows, *cols = p->cols;
    return p->values;
}
