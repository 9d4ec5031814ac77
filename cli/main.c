/* The sodae command. */
#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/json.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <string.h>

static const cli_command commands[] = {
    {"run", "TARGET", "integrate a problem and report the end state", CLI_RUN, cli_run},
    {"resume", "FILE", "go on with a run that ended early, from its restart file", CLI_RESUME,
     cli_resume},
    {"replay", "FILE", "run the failing step of an earlier run again (its JSON report, or -)",
     CLI_REPLAY, cli_replay},
    {"converge", "TARGET", "halve the step and observe the orders", CLI_CONVERGE, cli_converge},
    {"analyse", "[TARGET]", "stability of a method, or the index of a problem's equations",
     CLI_ANALYSE, cli_analyse},
    {"check", "TARGET", "counts, rank, index and initial values of a problem", CLI_CHECK,
     cli_check},
    {"show", "FILE", "the equations that a mechanism file makes", CLI_SHOW, cli_show},
    {"equilibrium", "FILE", "the static equilibrium of a mechanism", CLI_EQUILIBRIUM,
     cli_equilibrium},
    {"modes", "FILE", "frequencies, damping and shapes of the linearised mechanism", CLI_MODES,
     cli_modes},
    {"import", "FILE", "a robot or machine (URDF, MuJoCo's XML) as a mechanism file", CLI_IMPORT,
     cli_import},
    {"info", "RESULTS", "what a file of results holds", CLI_INFO, cli_info},
    {"export", "RESULTS", "a file of results as CSV", CLI_EXPORT, cli_export},
    {"diff", "A B", "largest differences of two files of results by channel", CLI_DIFF, cli_diff},
    {"plot", "RESULTS CHANNEL...", "a picture of channels, by gnuplot", CLI_PLOT, cli_plot},
    {"new", "NAME", "write a commented model, NAME.yaml, to start from", CLI_NEW, cli_new},
    {"sweep", "TARGET", "a run for each set of values, one table", CLI_SWEEP, cli_sweep},
    {"compare", "TARGET", "work and precision of many methods", CLI_COMPARE, cli_compare},
    {"schema", "", "the JSON Schema of model files", CLI_SCHEMA, cli_schema},
    {"papers", "[ONLY]", "run the experiments of the papers and check their claims", CLI_PAPERS,
     cli_papers},
    {"list", "WHAT", "problems, methods, formulations or options", CLI_LIST, cli_list},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

const cli_command *cli_command_table(int i) {
    return i >= 0 && i < COMMANDS ? &commands[i] : NULL;
}

static const cli_command *find_command(const char *name, cli_error *error) {
    cli_guess guess = cli_guess_for(name);
    for (int i = 0; i < COMMANDS; i++) {
        if (!strcmp(commands[i].name, name)) return &commands[i];
        cli_guess_try(&guess, commands[i].name);
    }
    static const char *const words[] = {"help", "version", "--help", "--version"};
    for (int i = 0; i < 4; i++) cli_guess_try(&guess, words[i]);
    cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, name, "unknown command '%s'%s", name,
             cli_guess_hint(&guess).text);
    return NULL;
}

/* Words that stand alone: --version, --help, help [COMMAND]. Returns 0 when it was one. */
static int alone(int argc, char **argv, cli_error *error) {
    const char *word = argc > 1 ? argv[1] : "--help";
    if (!strcmp(word, "--version") || !strcmp(word, "version")) {
        printf("sodae %s\n", sodae_version());
        return 0;
    }
    int help = !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");
    if (!help) return 1;
    const cli_command *command = argc > 2 ? find_command(argv[2], error) : NULL;
    if (!error->code) cli_help(command);
    return 0;
}

static cli_exit dispatch(const cli_command *command, int argc, char **argv, cli_error *error) {
    cli_request request;
    cli_exit code = cli_request_parse(&request, command->bit, argc, argv, error);
    if (request.help) {
        cli_help(command);
        return CLI_OK;
    }
    if (!code) code = command->run(&request, error);
    if (code && request.json) cli_json_print_failure(error);
    return code;
}

/* Present when LAPACK is OpenBLAS with threads. */
void openblas_set_num_threads(int count) __attribute__((weak));

/* Matrices of a step are small: threads of BLAS wait for each other longer than they compute. */
static void use_one_thread(void) {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
}

int main(int argc, char **argv) {
    use_one_thread();
    cli_error error = {0};
    cli_exit code = CLI_OK;
    if (alone(argc, argv, &error)) {
        const cli_command *command = find_command(argv[1], &error);
        if (command) code = dispatch(command, argc - 2, argv + 2, &error);
    } else if (argc < 2)
        return CLI_USAGE;
    if (!code) code = error.code;
    if (!code) code = cli_flush(&error);
    if (code) cli_complain(&error);
    return code;
}
