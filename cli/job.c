#include "cli/job.h"

#include "cli/guess.h"
#include "cli/number.h"

#include <sodae/integrator.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a name stands for: a parameter, else an option, else an initial value. The prefixes
 * `parameter.`, `option.` and `initial.` choose one of them. */
typedef struct meaning {
    const sodae_option_info *option;
    int parameter;       /* -1: none */
    const char *initial; /* its name, known when the problem is made; NULL: none */
} meaning;

static const sodae_option_info *find_option(const char *name) {
    const sodae_option_info *info;
    for (int i = 0; (info = sodae_option_table(i)); i++)
        if (!strcmp(info->name, name)) return info;
    return NULL;
}

static int find_parameter(const cli_target *target, const char *name) {
    const char *known;
    for (int i = 0; target && (known = cli_target_parameter(target, i)); i++)
        if (!strcmp(known, name)) return i;
    return -1;
}

/* What follows the prefix; NULL: it is not there. */
static const char *after(const char *name, const char *prefix) {
    size_t n = strlen(prefix);
    return strncmp(name, prefix, n) ? NULL : name + n;
}

static meaning meaning_of(const cli_target *target, const cli_setting *setting) {
    const char *name = setting->name, *option = after(name, "option."),
               *parameter = after(name, "parameter."), *initial = after(name, "initial.");
    meaning m = {NULL, -1, NULL};
    if (setting->is_option || option) {
        m.option = find_option(option ? option : name);
    } else if (parameter) {
        m.parameter = find_parameter(target, parameter);
    } else if (initial) {
        m.initial = target ? initial : NULL;
    } else {
        m.parameter = find_parameter(target, name);
        if (m.parameter < 0) m.option = find_option(name);
        if (m.parameter < 0 && !m.option && target) m.initial = name;
    }
    return m;
}

static cli_exit unknown_name(const cli_target *target, const char *name, cli_error *error) {
    cli_guess guess = cli_guess_for(name);
    for (int i = 0; sodae_option_table(i); i++) cli_guess_try(&guess, sodae_option_table(i)->name);
    for (int i = 0; target && cli_target_parameter(target, i); i++)
        cli_guess_try(&guess, cli_target_parameter(target, i));
    if (target) cli_initial_guess(target, &guess);
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, name, "'%s' is neither an option%s%s%s%s",
                    name, target ? ", nor a parameter of " : "", target ? target->name : "",
                    target ? ", nor an initial value" : "", cli_guess_hint(&guess).text);
}

/* The library names what is allowed; a slip of the keyboard gets a hint as well. */
static void add_hint(cli_error *error, const sodae_option_info *info, const char *value) {
    if (info->type != SODAE_OPTION_CHOICE) return;
    cli_guess guess = cli_guess_for(value);
    for (int i = 0; info->choices[i]; i++) cli_guess_try(&guess, info->choices[i]);
    char *message = error->failure.message;
    size_t used = strlen(message);
    snprintf(message + used, sizeof error->failure.message - used, "%s",
             cli_guess_hint(&guess).text);
}

/* Real options may be fractions here; NaN, which the library takes for "not given", may not. */
static cli_exit set_option(sodae_options *options, const sodae_option_info *info, const char *value,
                           cli_error *error) {
    char text[40];
    double x;
    if (info->type == SODAE_OPTION_REAL) {
        if (cli_number(value, &x))
            return cli_fail(error, CLI_USAGE, SODAE_BAD_OPTION, info->name,
                            "option %s expects a finite number, not '%s'", info->name, value);
        snprintf(text, sizeof text, "%.15g", x); /* as it was given, where that is enough */
        if (strtod(text, NULL) != x) snprintf(text, sizeof text, "%.17g", x);
        value = text;
    }
    sodae_failure why = {0};
    sodae_status status = sodae_options_set(options, info->name, value, &why);
    if (status >= 0) return CLI_OK;
    cli_fail_from(error, status, &why);
    add_hint(error, info, value);
    return error->code;
}

/* Options and parameters at once; initial values wait until the problem is made. */
static cli_exit apply(sodae_options *options, cli_target *target, const cli_setting *setting,
                      cli_error *error) {
    meaning m = meaning_of(target, setting);
    if (m.option) return set_option(options, m.option, setting->value, error);
    if (m.parameter >= 0)
        return cli_target_set_parameter(target, m.parameter, setting->value, error);
    return m.initial ? CLI_OK : unknown_name(target, setting->name, error);
}

static cli_exit check_options(const sodae_options *options, cli_error *error) {
    sodae_failure why = {0};
    sodae_status status = sodae_options_check(options, &why);
    return status < 0 ? cli_fail_from(error, status, &why) : CLI_OK;
}

cli_exit cli_options_read(sodae_options *options, const cli_request *request, cli_error *error) {
    cli_exit code = CLI_OK;
    *options = sodae_default_options();
    for (int i = 0; !code && i < request->nsettings; i++)
        code = apply(options, NULL, &request->settings[i], error);
    return code ? code : check_options(options, error);
}

static cli_exit apply_initial(cli_target *target, const cli_request *request, cli_error *error) {
    for (int i = 0; i < request->nsettings; i++) {
        const cli_setting *setting = &request->settings[i];
        const char *name = meaning_of(target, setting).initial;
        if (!name) continue;
        int met;
        cli_exit code = cli_target_set_named(target, name, setting->value, &met, error);
        if (!code && !met) code = unknown_name(target, setting->name, error);
        if (code) return code;
    }
    return CLI_OK;
}

static cli_exit check_times(const cli_job *job, cli_error *error) {
    if (isnan(job->t_end))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "t-end",
                        "the end of the run is missing: give --t-end, or t_end in the file");
    return CLI_OK;
}

static int on_command_line(const cli_job *job, const cli_request *request,
                           const sodae_option_info *option) {
    for (int i = 0; i < request->nsettings; i++)
        if (meaning_of(&job->target, &request->settings[i]).option == option) return 1;
    return 0;
}

/* Options that method, formulation or kind of steps do not know: refused where the user gives them
 * now, a warning where they stand in a file or a record. */
static cli_exit check_idle(cli_job *job, const cli_request *request, cli_error *error) {
    int method = (int)sodae_method_of(&job->target.problem, &job->options);
    int formulation = (int)sodae_formulation_of(&job->target.problem, &job->options);
    int fixed = !isnan(job->options.step);
    const sodae_option_info *o;
    char why[200];
    for (int i = 0; (o = sodae_option_table(i)); i++) {
        if (sodae_option_counts(o, method, formulation, fixed, why, sizeof why)) continue;
        if (!request->lenient && on_command_line(job, request, o))
            return cli_fail(error, CLI_USAGE, SODAE_BAD_OPTION, o->name, "option %s %s", o->name,
                            why);
        if (!sodae_option_given(&job->options, o)) continue;
        snprintf(job->warning, sizeof job->warning, "option %s %s", o->name, why);
        fprintf(stderr, "sodae: warning: %s\n", job->warning);
    }
    return CLI_OK;
}

static int is_given(const cli_job *job, const cli_request *request, const char *name) {
    for (int i = 0; i < request->nsettings; i++) {
        const sodae_option_info *option = meaning_of(&job->target, &request->settings[i]).option;
        if (option && !strcmp(option->name, name)) return 1;
    }
    return 0;
}

/* Tolerances on the command line mean error control, also where the model file has a fixed step. */
static void leave_fixed_step(cli_job *job, const cli_request *request) {
    static const char *const control[] = {"rtol", "rtol_v", "rtol_lambda",
                                          "atol", "atol_v", "atol_lambda"};
    if (!(request->command & (CLI_RUN | CLI_SWEEP)) || request->pattern ||
        is_given(job, request, "step"))
        return;
    for (size_t i = 0; i < sizeof control / sizeof *control; i++)
        if (is_given(job, request, control[i])) job->options.step = NAN;
}

static cli_exit apply_all(cli_job *job, const cli_request *request, cli_error *error) {
    cli_exit code = cli_target_options(&job->target, &job->options, error);
    sodae_method method = job->options.method;
    if (request->table && !is_given(job, request, "method")) job->options.method = SODAE_GLM;
    for (int i = 0; !code && i < request->nsettings; i++)
        if (meaning_of(&job->target, &request->settings[i]).option == find_option("method"))
            code = apply(&job->options, &job->target, &request->settings[i], error);
    if (job->options.method != method) sodae_options_forget_method(&job->options);
    leave_fixed_step(job, request);
    for (int i = 0; !code && i < request->nsettings; i++)
        code = apply(&job->options, &job->target, &request->settings[i], error);
    return code ? code : check_options(&job->options, error);
}

/* Lists of tolerances belong to the model, which was made again if parameters were set; numbers on
 * the command line win over them. */
static cli_exit take_tolerances(cli_job *job, const cli_request *request, cli_error *error) {
    sodae_options *o = &job->options, from = sodae_default_options();
    cli_exit code = cli_target_options(&job->target, &from, error);
    o->atol_q_each = from.atol_q_each;
    o->atol_v_each = from.atol_v_each;
    o->atol_lambda_each = from.atol_lambda_each;
    for (int i = 0; !code && i < request->nsettings; i++) {
        const sodae_option_info *option = meaning_of(&job->target, &request->settings[i]).option;
        int all = option && !strcmp(option->name, "atol");
        if (all) o->atol_q_each = NULL;
        if (all || (option && !strcmp(option->name, "atol_v"))) o->atol_v_each = NULL;
        if (all || (option && !strcmp(option->name, "atol_lambda"))) o->atol_lambda_each = NULL;
    }
    return code;
}

cli_exit cli_table_read(const cli_request *request, sodae_glm_table *table, sodae_options *options,
                        cli_error *error) {
    sodae_failure why = {0};
    if (!request->table) return CLI_OK;
    if (options->method != SODAE_METHOD_AUTO && options->method != SODAE_GLM)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_OPTION, "table",
                        "--table means nothing to method %s; it belongs to glm",
                        sodae_method_name(options->method));
    sodae_status status = SODAE_OK;
    if (request->read_table)
        *table = *request->read_table;
    else
        status = sodae_table_load(request->table, table, &why);
    if (status < 0) return cli_fail_from(error, status, &why);
    options->table = table;
    return CLI_OK;
}

cli_exit cli_job_open(cli_job *job, const cli_request *request, cli_error *error) {
    *job = (cli_job){.options = sodae_default_options(),
                     .pattern = request->pattern,
                     .table_file = request->table};
    if (!request->target)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "TARGET",
                        "which problem? (a name of `sodae list problems` or a model file)");
    cli_exit code = cli_target_find(&job->target, request, error);
    if (code) return code;
    job->t_end = isnan(request->t_end) ? job->target.t_end : request->t_end;
    /* without a step the error decides; patterns and step halving need one */
    int needs_step = request->pattern || request->command == CLI_CONVERGE;
    if (needs_step && job->target.entry) job->options.step = job->target.step;
    code = apply_all(job, request, error);
    if (!code) code = cli_table_read(request, &job->table, &job->options, error);
    if (!code && needs_step && isnan(job->options.step))
        code = cli_fail(error, CLI_USAGE, SODAE_BAD_OPTION, "step", "--step has to be given here");
    if (!code) code = cli_target_make(&job->target, error);
    if (!code && request->out)
        code = cli_target_spare(&job->target, request->target, request->out, error);
    if (!code && request->checkpoint)
        code = cli_target_spare(&job->target, request->target, request->checkpoint, error);
    if (!code && job->target.model && sodae_model_not_integrated(job->target.model) &&
        request->command != CLI_ANALYSE)
        code = cli_fail(error, CLI_NOT_ALLOWED, SODAE_NOT_ALLOWED, job->target.name, "%s",
                        sodae_model_not_integrated(job->target.model)->message);
    if (!code) code = check_idle(job, request, error);
    if (!code) code = take_tolerances(job, request, error);
    if (!code) code = apply_initial(&job->target, request, error);
    if (!code && request->command & CLI_INTEGRATES) {
        code = check_times(job, error);
    }
    return code;
}

void cli_job_close(cli_job *job) {
    cli_target_free(&job->target);
}

const char *cli_formulation(const cli_job *job) {
    return sodae_formulation_name((int)sodae_formulation_of(&job->target.problem, &job->options));
}

const char *cli_method(const cli_job *job) {
    return sodae_method_name((int)sodae_method_of(&job->target.problem, &job->options));
}
