/* What is known about a set of alpha coefficients. */
#pragma once

#include "cli/json.h"
#include "cli/request.h"
#include "cli/target.h"

#include <sodae/analysis.h>
#include <sodae/table.h>

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
    int extended; /* extended HHT: the theorems and T of 003 are not about it */
    sodae_alpha_coefficients c;
    sodae_alpha_report check;
    sodae_alpha_conditions theorems;
    cli_growth growth[CLI_SYSTEMS];
    double c_inf;
    int c_inf_at;
    int count; /* of the table of spectral radii and overshoot */
    double *omega, *radius, *overshoot;
} cli_analysis;

json_t *cli_analysis_json(const cli_analysis *analysis);
void cli_analysis_print(const cli_analysis *analysis);

/* The derivative array along an interval, or the reason why there is none. */
typedef struct cli_along {
    int known;
    int linear, constant;
    sodae_formulation form_of;
    const char *name;
    sodae_along_report report;
    sodae_free_form form;
    sodae_failure why;
} cli_along;

/* form: of the text model's holonomic constraints; AUTO: as they are. */
cli_exit cli_along_find(cli_along *along, const cli_target *target, double t_end,
                        sodae_formulation form, cli_error *error);
void cli_along_free(cli_along *along);
json_t *cli_along_json(const cli_along *along);
void cli_along_print(const cli_along *along);
/* The d-index that holds at every point; -1: not defined, not decided, or it changes. */
int cli_along_index(const cli_along *along);

/* BDF and collocation: what analyse knows about them besides the alpha family. */
int cli_method_known(int method);
cli_exit cli_analyse_method(const cli_request *request, int method, cli_error *error);

/* cli/stability.c: direct-bdf, dc, dopri5, dop853; radii on a grid as CSV. */
typedef void cli_radius(const void *of, double re, double im, double *rho);
int cli_stability_known(int method);
cli_exit cli_analyse_stability(const cli_request *request, const sodae_options *options,
                               cli_error *error);
/* |Re z|, |Im z| up to `reach`. */
cli_exit cli_radii_write(const char *path, double reach, cli_radius *radius, const void *of,
                         cli_error *error);

/* cli/table.c: tables of general linear methods; the orders that theorems promise for a run of
 * `job`, 0: its method is no such table. */
struct cli_job;
cli_exit cli_analyse_table(const cli_request *request, sodae_options *options, cli_error *error);
int cli_table_expected(const struct cli_job *job, sodae_table_orders *out);
json_t *cli_table_orders_json(const sodae_table_orders *orders);

/* Index and strangeness of the target's equations. */
cli_exit cli_analyse_problem(const cli_request *request, cli_error *error);
