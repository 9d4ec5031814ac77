/* sodae list: what there is to choose from. */
#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/json.h"
#include "problems/catalogue.h"

#include <sodae/options.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- problems ------------------------------------------------------------------------------- */

static json_t *parameter_json(const catalogue_parameter *p) {
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(p->name));
    json_object_set_new(object, "default", cli_json_real(p->value));
    json_object_set_new(object, "low", cli_json_real(p->low));
    json_object_set_new(object, "high", cli_json_real(p->high));
    json_object_set_new(object, "help", json_string(p->help));
    return object;
}

/* When a run of the problem starts, with its parameters as they come. */
static double start_of(const catalogue_entry *entry) {
    double values[64];
    for (int i = 0; i < entry->nparameters && i < 64; i++) values[i] = entry->parameters[i].value;
    sodae_problem *problem = entry->create(values);
    double t0 = problem ? problem->initial.t : NAN;
    if (problem) entry->free(problem);
    return t0;
}

static json_t *problem_json(const catalogue_entry *entry) {
    json_t *object = json_object(), *parameters = json_array();
    json_object_set_new(object, "name", json_string(entry->name));
    json_object_set_new(object, "source", json_string(entry->source));
    json_object_set_new(object, "summary", json_string(entry->summary));
    json_object_set_new(object, "t0", cli_json_real(start_of(entry)));
    json_object_set_new(object, "t_end", cli_json_real(entry->t_end));
    json_object_set_new(object, "step", cli_json_real(entry->step));
    for (int i = 0; i < entry->nparameters; i++)
        json_array_append_new(parameters, parameter_json(&entry->parameters[i]));
    json_object_set_new(object, "parameters", parameters);
    return object;
}

static json_t *problems(int json) {
    json_t *list = json ? json_array() : NULL;
    const catalogue_entry *entry;
    for (int i = 0; (entry = catalogue_at(i)); i++) {
        if (json) {
            json_array_append_new(list, problem_json(entry));
            continue;
        }
        printf("%-18s %s (%s)\n", entry->name, entry->summary, entry->source);
        for (int k = 0; k < entry->nparameters; k++) {
            const catalogue_parameter *p = &entry->parameters[k];
            printf("%-18s   %s = %g in [%g, %g]: %s\n", "", p->name, p->value, p->low, p->high,
                   p->help);
        }
    }
    return list;
}

/* --- methods and formulations --------------------------------------------------------------- */

static json_t *named(int json, const char *(*name)(int), const char *(*help)(int)) {
    json_t *list = json ? json_array() : NULL;
    for (int i = 0; name(i); i++) {
        if (!json) {
            printf("%-18s %s\n", name(i), help(i));
            continue;
        }
        json_t *object = json_object();
        json_object_set_new(object, "name", json_string(name(i)));
        json_object_set_new(object, "help", json_string(help(i)));
        json_array_append_new(list, object);
    }
    return list;
}

static json_t *methods(int json) {
    return named(json, sodae_method_name, sodae_method_help);
}

static json_t *formulations(int json) {
    return named(json, sodae_formulation_name, sodae_formulation_help);
}

/* --- options -------------------------------------------------------------------------------- */

static const char *type_name(sodae_option_type type) {
    static const char *const names[] = {"real", "integer", "integer", "choice", "switch"};
    return names[type];
}

static void print_range(const sodae_option_info *info) {
    if (info->type == SODAE_OPTION_CHOICE)
        for (int i = 0; info->choices[i]; i++) printf("%s%s", i ? "|" : "", info->choices[i]);
    else if (info->type == SODAE_OPTION_SWITCH)
        printf("on|off");
    else
        printf("%s in [%g, %g]%s%s", type_name(info->type), info->low, info->high,
               *info->unit ? " " : "", info->unit);
}

static json_t *option_json(const sodae_option_info *info, const char *value) {
    json_t *object = json_object();
    json_object_set_new(object, "name", json_string(info->name));
    json_object_set_new(object, "type", json_string(type_name(info->type)));
    if (info->type == SODAE_OPTION_CHOICE) {
        json_t *choices = json_array();
        for (int i = 0; info->choices[i]; i++)
            json_array_append_new(choices, json_string(info->choices[i]));
        json_object_set_new(object, "choices", choices);
    } else if (info->type != SODAE_OPTION_SWITCH) {
        json_object_set_new(object, "low", cli_json_real(info->low));
        json_object_set_new(object, "high", cli_json_real(info->high));
    }
    json_object_set_new(object, "default", value ? json_string(value) : json_null());
    json_object_set_new(object, "unit", json_string(info->unit));
    json_object_set_new(object, "help", json_string(info->help));
    return object;
}

static json_t *options(int json) {
    json_t *list = json ? json_array() : NULL;
    sodae_options defaults = sodae_default_options();
    const sodae_option_info *info;
    for (int i = 0; (info = sodae_option_table(i)); i++) {
        char text[64] = "";
        sodae_options_get(&defaults, info->name, text, sizeof text);
        const char *value = strcmp(text, "nan") ? text : NULL; /* NaN: not given */
        if (json) {
            json_array_append_new(list, option_json(info, value));
            continue;
        }
        printf("%-16s %s\n%-16s ", info->name, info->help, "");
        print_range(info);
        printf("; default %s\n", value ? value : "chosen by the method");
    }
    return list;
}

/* -------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    json_t *(*list)(int json);
} topics[] = {
    {"problems", problems},
    {"methods", methods},
    {"formulations", formulations},
    {"options", options},
};

cli_exit cli_list(const cli_request *request, cli_error *error) {
    const char *topic = request->target ? request->target : "";
    cli_guess guess = cli_guess_for(topic);
    for (size_t i = 0; i < sizeof topics / sizeof topics[0]; i++) {
        if (!strcmp(topics[i].name, topic)) {
            json_t *list = topics[i].list(request->json);
            return request->json ? cli_json_print(list, error) : cli_flush(error);
        }
        cli_guess_try(&guess, topics[i].name);
    }
    if (!topic[0])
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "list",
                        "list what? usage: sodae list problems|methods|formulations|options");
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, topic,
                    "sodae list problems, methods, formulations or options, not '%s'%s", topic,
                    cli_guess_hint(&guess).text);
}
