/* A parsed command line. */
#pragma once

#include "cli/error.h"

#include <sodae/model.h>

#include <stddef.h>

/* The subcommands, as bits so that a flag can belong to several. */
enum {
    CLI_RUN = 1,
    CLI_CONVERGE = 2,
    CLI_ANALYSE = 4,
    CLI_LIST = 8,
    CLI_CHECK = 16,
    CLI_SCHEMA = 32,
    CLI_PAPERS = 64,
    CLI_REPLAY = 128,
    CLI_INFO = 256,
    CLI_EXPORT = 512,
    CLI_DIFF = 1024,
    CLI_PLOT = 2048,
    CLI_NEW = 4096,
    CLI_SWEEP = 8192,
    CLI_COMPARE = 16384,
    CLI_SHOW = 32768,
    CLI_EQUILIBRIUM = 65536,
    CLI_MODES = 131072,
    CLI_RESUME = 262144,
    CLI_IMPORT = 524288,
    CLI_TAKES_WORDS = CLI_DIFF | CLI_PLOT,
    CLI_INTEGRATES = CLI_RUN | CLI_CONVERGE | CLI_SWEEP | CLI_COMPARE,
    CLI_TAKES_TARGET = CLI_INTEGRATES | CLI_CHECK | CLI_SHOW | CLI_EQUILIBRIUM | CLI_MODES,
    CLI_TAKES_OPTIONS = CLI_TAKES_TARGET | CLI_ANALYSE | CLI_REPLAY,
    CLI_EVERY = 1048575
};

enum { CLI_SETTINGS = 64, CLI_WORDS = 64, CLI_VARIED = 16 };

/* name=value from --set, or from a flag of the option table. */
typedef struct cli_setting {
    char name[48];
    const char *value;
    int is_option; /* given as a flag: can only be an option */
} cli_setting;

typedef struct cli_request {
    unsigned command;
    const char *target; /* the word after the command; NULL: none */
    int nwords;         /* of all words after the command, the target among them */
    const char *words[CLI_WORDS];
    int argc; /* the command line as it was given */
    char **argv;
    int help, json, verify, quiet, csv, log, equilibrium;
    int lenient;       /* 1: settings of an earlier run; those without a meaning now are no error */
    const char *model; /* text of the model instead of the file, or of standard input */
    sodae_model_open *open; /* with it: the files that it names; NULL: those on the disk */
    void *open_user;
    const char *out, *pattern, *norm, *omega, *ratios, *past_orders, *channels, *against;
    const char *table; /* of method glm, a file; NULL: none on the command line */
    const struct sodae_glm_table *read_table; /* with it: what the file said; NULL: it is read */
    double max_seconds;                       /* NaN: no limit */
    const char *checkpoint;                   /* NULL: as the results say */
    const char *max_steps;                    /* of a run that goes on */
    double checkpoint_every;                  /* [s] */
    const char *methods, *formulations, *rtols, *reference; /* of a comparison */
    double limit;                                           /* [s] */
    int nvaried;                                            /* of a sweep */
    const char *varied[CLI_VARIED], *sample;
    long workers; /* 0: one for each core */
    int resume;
    double t_end;       /* NaN: the target's own */
    double output_step; /* NaN: the target's own */
    long every;         /* 0: the target's own */
    long halvings, powers;
    int nsettings;
    cli_setting settings[CLI_SETTINGS];
} cli_request;

typedef enum cli_kind { CLI_SWITCH, CLI_TEXT, CLI_REAL, CLI_COUNT, CLI_SET, CLI_VARY } cli_kind;

/* One flag of the command itself; the options of the library come from their own table. */
typedef struct cli_argument {
    const char *name; /* without "--" */
    cli_kind kind;
    unsigned commands;
    size_t offset; /* in cli_request */
    long least;    /* smallest value of a COUNT */
    const char *value, *help;
} cli_argument;

/* Entry i of the table, NULL past the end. */
const cli_argument *cli_argument_table(int i);

/* The words after the name of the command. */
cli_exit cli_request_parse(cli_request *request, unsigned command, int argc, char **argv,
                           cli_error *error);
