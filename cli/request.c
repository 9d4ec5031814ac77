#include "cli/request.h"

#include "cli/guess.h"
#include "cli/number.h"

#include <sodae/options.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(cli_request, member)

static const cli_argument arguments[] = {
    {"t-end", CLI_REAL, CLI_INTEGRATES | CLI_ANALYSE | CLI_RESUME, AT(t_end), 0, "T",
     "end of the run [s]"},
    {"set", CLI_SET, CLI_TAKES_OPTIONS, 0, 0, "NAME=VALUE",
     "an option, a parameter of the problem, or an initial value (q0, v0, t0, ...)"},
    {"steps-pattern", CLI_TEXT, CLI_INTEGRATES, AT(pattern), 0, "P",
     "step sizes as multiples of --step, repeated (1/3,2/3), or const, alt, single, smooth, "
     "random, rand20"},
    {"out", CLI_TEXT, CLI_RUN, AT(out), 0, "FILE",
     "results: HDF5 (*.h5), else CSV; - is standard output"},
    {"out", CLI_TEXT, CLI_PLOT, AT(out), 0, "FILE",
     "the picture, *.svg, *.png or *.html; also -o FILE"},
    {"out", CLI_TEXT, CLI_EXPORT, AT(out), 0, "FILE", "instead of standard output"},
    {"channels", CLI_TEXT, CLI_RUN | CLI_EXPORT | CLI_SWEEP, AT(channels), 0, "A,B*",
     "only these channels and the time"},
    {"max-seconds", CLI_REAL, CLI_RUN | CLI_RESUME, AT(max_seconds), 0, "T",
     "end the run after T seconds of wall time, as SIGTERM does"},
    {"checkpoint", CLI_TEXT, CLI_RUN, AT(checkpoint), 0, "FILE",
     "restart file (RESULTS.h5.restart with --out RESULTS.h5); see `sodae resume`"},
    {"checkpoint-every", CLI_REAL, CLI_RUN | CLI_RESUME, AT(checkpoint_every), 0, "T",
     "seconds of wall time between checkpoints (60)"},
    {"max-steps", CLI_TEXT, CLI_RESUME, AT(max_steps), 0, "N", "steps at most from here on"},
    {"quiet", CLI_SWITCH, CLI_RUN | CLI_SWEEP | CLI_RESUME, AT(quiet), 0, "", "no report"},
    {"out", CLI_TEXT, CLI_CONVERGE, AT(out), 0, "FILE", "the table as CSV"},
    {"out", CLI_TEXT, CLI_SWEEP, AT(out), 0, "FILE",
     "the table, HDF5 (*.h5) or CSV; else CSV on standard output"},
    {"vary", CLI_VARY, CLI_SWEEP, 0, 0, "NAME=VALUES",
     "LO:HI:COUNT, a,b,c or @FILE; several make a grid"},
    {"sample", CLI_TEXT, CLI_SWEEP, AT(sample), 0, "latin:N:SEED",
     "N sets by Latin hypercube instead of the grid"},
    {"workers", CLI_COUNT, CLI_SWEEP, AT(workers), 1, "N", "processes (one for each core)"},
    {"resume", CLI_SWITCH, CLI_SWEEP, AT(resume), 0, "", "go on behind the rows of --out"},
    {"out", CLI_TEXT, CLI_COMPARE, AT(out), 0, "FILE",
     "*.csv, *.tex, *.svg or *.png; else a table"},
    {"methods", CLI_TEXT, CLI_COMPARE, AT(methods), 0, "A,B", "by name (all)"},
    {"formulations", CLI_TEXT, CLI_COMPARE, AT(formulations), 0, "A,B", "by name, or all (auto)"},
    {"rtol", CLI_TEXT, CLI_COMPARE, AT(rtols), 0, "FROM:TO", "tolerances by decades (1e-3:1e-9)"},
    {"reference", CLI_TEXT, CLI_COMPARE, AT(reference), 0, "FILE", "results to measure errors by"},
    {"limit", CLI_REAL, CLI_COMPARE, AT(limit), 0, "T", "wall time of all runs [s] (600)"},
    {"csv", CLI_SWITCH, CLI_EXPORT, AT(csv), 0, "", "as CSV"},
    {"against", CLI_TEXT, CLI_PLOT, AT(against), 0, "NAME", "channel of the x axis (time)"},
    {"log", CLI_SWITCH, CLI_PLOT, AT(log), 0, "", "logarithmic y axes, of absolute values"},
    {"out", CLI_TEXT, CLI_PAPERS, AT(out), 0, "DIR", "the report, as DIR/papers.html"},
    {"every", CLI_COUNT, CLI_RUN, AT(every), 1, "N", "write every N-th step and the last"},
    {"output-step", CLI_REAL, CLI_RUN, AT(output_step), 0, "DT",
     "write t0 + k DT and the end, by dense output; steps are not shortened"},
    {"verify", CLI_SWITCH, CLI_RUN, AT(verify), 0, "",
     "estimate the global error by a second run with a tenth of the tolerances"},
    {"halvings", CLI_COUNT, CLI_CONVERGE, AT(halvings), 1, "K", "how often the step is halved (5)"},
    {"norm", CLI_TEXT, CLI_CONVERGE, AT(norm), 0, "end|max", "orders at the end or over all steps"},
    {"omega", CLI_TEXT, CLI_ANALYSE, AT(omega), 0, "LO:HI:N",
     "h*omega of the table (0.01:1000:21)"},
    {"out", CLI_TEXT, CLI_ANALYSE, AT(out), 0, "FILE",
     "boundary of the stability region as CSV (bdf, gauss, radau-iia); a table of radii (others)"},
    {"table", CLI_TEXT, CLI_TAKES_OPTIONS, AT(table), 0, "FILE",
     "the general linear method of this table (method glm)"},
    {"past-orders", CLI_TEXT, CLI_ANALYSE, AT(past_orders), 0, "K,K,..",
     "orders of the steps of modified BDF, oldest first"},
    {"ratios", CLI_TEXT, CLI_ANALYSE, AT(ratios), 0, "R,R,..",
     "ratios h_i/h_(i-1) of these steps (1)"},
    {"powers", CLI_COUNT, CLI_ANALYSE, AT(powers), 1, "N", "powers of T looked at (1000)"},
    {"equilibrium", CLI_SWITCH, CLI_MODES, AT(equilibrium), 0, "",
     "at the static equilibrium instead of the start"},
    {"json", CLI_SWITCH, CLI_EVERY, AT(json), 0, "", "report as JSON on standard output"},
    {"help", CLI_SWITCH, CLI_EVERY, AT(help), 0, "", "this text"},
};
enum { ARGUMENTS = sizeof arguments / sizeof arguments[0] };

const cli_argument *cli_argument_table(int i) {
    return i >= 0 && i < ARGUMENTS ? &arguments[i] : NULL;
}

static cli_exit bad(cli_error *error, const char *flag, const char *what) {
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, flag, "--%s: %s", flag, what);
}

/* Names with '_' for '-', as the option table has them; cut when too long to be one. */
static void option_name(const char *flag, char *name, size_t size) {
    snprintf(name, size, "%s", flag);
    for (char *c = name; *c; c++)
        if (*c == '-') *c = '_';
}

static const sodae_option_info *find_option(const char *flag) {
    char name[48];
    option_name(flag, name, sizeof name);
    const sodae_option_info *info;
    for (int i = 0; (info = sodae_option_table(i)); i++)
        if (!strcmp(info->name, name)) return info;
    return NULL;
}

static const cli_argument *find_argument(const char *flag, unsigned command) {
    for (int i = 0; i < ARGUMENTS; i++)
        if (arguments[i].commands & command && !strcmp(arguments[i].name, flag))
            return &arguments[i];
    return NULL;
}

/* `word` as it was given, `flag` without dashes and value. */
static cli_exit unknown(const char *word, const char *flag, unsigned command, cli_error *error) {
    cli_guess guess = cli_guess_for(flag);
    for (int i = 0; i < ARGUMENTS; i++)
        if (arguments[i].commands & command) cli_guess_try(&guess, arguments[i].name);
    for (int i = 0; command & CLI_TAKES_OPTIONS && sodae_option_table(i); i++) {
        char name[48];
        snprintf(name, sizeof name, "%s", sodae_option_table(i)->name);
        for (char *c = name; *c; c++)
            if (*c == '_') *c = '-';
        cli_guess_try(&guess, name);
    }
    int known = cli_guess_hint(&guess).text[0];
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, flag, "unknown flag %.*s%s%s%s%s",
                    word[1] == '-' ? 2 : 1, word, flag, known ? "; did you mean '--" : "",
                    known ? guess.best : "", known ? "'?" : "");
}

static cli_exit add_setting(cli_request *request, const char *name, size_t length,
                            const char *value, int is_option, cli_error *error) {
    if (request->nsettings == CLI_SETTINGS) return bad(error, "set", "too many settings");
    cli_setting *setting = &request->settings[request->nsettings++];
    if (length >= sizeof setting->name) return bad(error, "set", "the name is too long");
    memcpy(setting->name, name, length);
    setting->name[length] = '\0';
    setting->value = value;
    setting->is_option = is_option;
    return CLI_OK;
}

static cli_exit store(cli_request *request, const cli_argument *argument, const char *value,
                      cli_error *error) {
    char *at = (char *)request + argument->offset;
    long n;
    switch (argument->kind) {
    case CLI_SWITCH:
        *(int *)at = 1;
        return CLI_OK;
    case CLI_TEXT:
        *(const char **)at = value;
        return CLI_OK;
    case CLI_REAL:
        return cli_number(value, (double *)at) ? bad(error, argument->name, "expects a number")
                                               : CLI_OK;
    case CLI_COUNT:
        if (cli_integer(value, &n) || n < argument->least)
            return bad(error, argument->name, "expects a positive integer");
        *(long *)at = n;
        return CLI_OK;
    case CLI_VARY:
        if (request->nvaried == CLI_VARIED) return bad(error, "vary", "too many are varied");
        request->varied[request->nvaried++] = value;
        return CLI_OK;
    case CLI_SET:
        break;
    }
    const char *equals = strchr(value, '=');
    if (!equals || equals == value) return bad(error, argument->name, "expects name=value");
    return add_setting(request, value, (size_t)(equals - value), equals + 1, 0, error);
}

/* -o is --out. */
static int is_short(const char *word, unsigned command) {
    return !strcmp(word, "-o") && find_argument("out", command);
}

/* One flag at argv[*i], with its value behind '=' or in the next word. */
static cli_exit take_flag(cli_request *request, int argc, char **argv, int *i, cli_error *error) {
    char flag[48];
    const char *word = argv[*i][1] == '-' ? argv[*i] + 2 : "out", *equals = strchr(word, '=');
    const char *value = equals ? equals + 1 : NULL;
    snprintf(flag, sizeof flag, "%.*s", equals ? (int)(equals - word) : (int)strlen(word), word);

    const cli_argument *argument = find_argument(flag, request->command);
    const sodae_option_info *option =
        request->command & CLI_TAKES_OPTIONS ? find_option(flag) : NULL;
    if (!argument && !option) return unknown(argv[*i], flag, request->command, error);
    if (argument && argument->kind == CLI_SWITCH) {
        if (value) return bad(error, flag, "takes no value");
        return store(request, argument, NULL, error);
    }
    if (!value) {
        if (*i + 1 >= argc || !strncmp(argv[*i + 1], "--", 2))
            return bad(error, flag, "needs a value");
        value = argv[++*i];
    }
    if (argument) return store(request, argument, value, error);
    return add_setting(request, option->name, strlen(option->name), value, 1, error);
}

cli_exit cli_request_parse(cli_request *request, unsigned command, int argc, char **argv,
                           cli_error *error) {
    *request = (cli_request){
        .command = command, .t_end = NAN, .output_step = NAN, .halvings = 5, .powers = 1000};
    request->argc = argc;
    request->argv = argv;
    request->max_seconds = NAN;
    request->checkpoint_every = 60;
    request->rtols = "1e-3:1e-9";
    request->limit = 600;
    request->norm = "end";
    request->omega = "0.01:1000:21";
    cli_exit code = CLI_OK;
    for (int i = 0; i < argc; i++) {
        if (!strcmp(argv[i], "-h"))
            request->help = 1;
        else if (!strncmp(argv[i], "--", 2) || is_short(argv[i], command)) {
            cli_error later; /* the first mistake is reported; parsing goes on to see --json */
            cli_exit failed = take_flag(request, argc, argv, &i, code ? &later : error);
            if (!code) code = failed;
        } else if (argv[i][0] == '-' && argv[i][1] && !isdigit((unsigned char)argv[i][1])) {
            if (!code) code = unknown(argv[i], argv[i] + 1, command, error);
        } else if (!request->target || (command & CLI_TAKES_WORDS && request->nwords < CLI_WORDS)) {
            if (!request->target) request->target = argv[i];
            request->words[request->nwords++] = argv[i];
        } else if (!code)
            code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, argv[i],
                            "one argument too many: '%s'", argv[i]);
    }
    return code;
}
