/* What is known about a set of alpha coefficients. */
#pragma once

#include "cli/json.h"
#include "cli/request.h"

#include <sodae/analysis.h>

/* Powers of the error amplification matrix of one formulation (paper 003, eqs 46 and 59). */
typedef struct cli_growth {
    const char *name; /* "index3", "stabilized" */
    double T[9], Tplus[9], T0[9];
    double largest; /* max ||T^n|| and where */
    int at;
    double row2[3]; /* max |(T^n)_2j| over n >= 1 and where */
    int row2_at[3];
} cli_growth;

enum { CLI_SYSTEMS = 2 };

typedef struct cli_analysis {
    const char *method;
    sodae_alpha_coefficients c;
    sodae_alpha_report check;
    cli_growth growth[CLI_SYSTEMS];
    double c_inf;
    int c_inf_at;
    int count; /* of the table of spectral radii */
    double *omega, *radius;
} cli_analysis;

json_t *cli_analysis_json(const cli_analysis *analysis);
void cli_analysis_print(const cli_analysis *analysis);

/* Index and strangeness of the target's equations. */
cli_exit cli_analyse_problem(const cli_request *request, cli_error *error);
