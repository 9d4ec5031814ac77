/* sodae analyse: coefficients, stability, error amplification of a method; with a target the index
 * of its equations. */
#include "cli/analyse.h"

#include "cli/commands.h"
#include "cli/job.h"
#include "cli/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cli_exit grow(cli_growth *g, const char *name, const sodae_alpha_coefficients *c,
                     sodae_error_system system, long powers, cli_error *error) {
    g->name = name;
    sodae_status status = sodae_amplification(c, system, g->T, g->Tplus, g->T0);
    if (status >= 0)
        status = sodae_amplification_growth(g->T, (int)powers, &g->largest, &g->at, NULL, g->row2,
                                            g->row2_at);
    if (status == SODAE_SINGULAR) { /* beta = 0: no such matrix, the rest is still of use */
        for (int i = 0; i < 9; i++) g->T[i] = NAN;
        g->largest = NAN;
        return CLI_OK;
    }
    return status < 0 ? cli_fail_from(error, status, NULL) : CLI_OK;
}

/* LO:HI:N, spaced evenly in the logarithm. */
static cli_exit radii(cli_analysis *a, const char *omega, int powers, cli_error *error) {
    char low[64], high[64];
    double lo, hi;
    long n;
    int used = 0;
    if (sscanf(omega, "%63[^:]:%63[^:]:%n", low, high, &used) != 2 || !used ||
        cli_number(low, &lo) || cli_number(high, &hi) || cli_integer(omega + used, &n) ||
        !(lo > 0 && hi >= lo) || n < 1 || n > 1000000)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "omega",
                        "--omega expects LO:HI:N with 0 < LO <= HI and N >= 1, not '%.80s'", omega);
    a->count = (int)n;
    a->omega = calloc((size_t)n, sizeof(double));
    a->radius = calloc((size_t)n, sizeof(double));
    a->overshoot = calloc((size_t)n, sizeof(double));
    if (!a->omega || !a->radius || !a->overshoot) return cli_out_of_memory(error);
    for (long i = 0; i < n; i++) {
        a->omega[i] = n == 1 ? lo : lo * pow(hi / lo, (double)i / (double)(n - 1));
        a->radius[i] = sodae_alpha_spectral_radius(&a->c, a->omega[i]);
        if (sodae_alpha_overshoot(&a->c, a->omega[i], powers, &a->overshoot[i], NULL) < 0)
            a->overshoot[i] = NAN;
    }
    return CLI_OK;
}

static cli_exit fill(cli_analysis *a, const cli_request *request, cli_error *error) {
    sodae_options options;
    cli_exit code = cli_options_read(&options, request, error);
    if (code) return code;
    if (request->powers > 1000000)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "powers",
                        "--powers is at most 1000000");
    if (options.method == SODAE_METHOD_AUTO) options.method = SODAE_GENERALIZED_ALPHA;
    a->method = sodae_method_name(options.method);
    a->extended = options.method == SODAE_EXTENDED_HHT;
    a->c = sodae_alpha_coefficients_of(&options);
    a->check = sodae_alpha_check(&a->c);
    a->theorems = sodae_alpha_theorems(&a->c);
    a->c_inf = sodae_c_inf(a->check.rho_inf, &a->c_inf_at);
    code = grow(&a->growth[0], "index3", &a->c, SODAE_ERROR_INDEX3, request->powers, error);
    if (!code)
        code = grow(&a->growth[1], "stabilized", &a->c, SODAE_ERROR_STABILIZED, request->powers,
                    error);
    return code ? code : radii(a, request->omega, (int)request->powers, error);
}

static cli_exit write_table(const char *path, const cli_analysis *a, cli_error *error) {
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "h_omega,radius,overshoot\n");
        for (int i = 0; i < a->count; i++)
            fprintf(file, "%.17g,%.17g,%.17g\n", a->omega[i], a->radius[i], a->overshoot[i]);
        if (fclose(file) == 0) return CLI_OK;
    }
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s'", path);
}

cli_exit cli_analyse(const cli_request *request, cli_error *error) {
    cli_analysis a = {0};
    sodae_options options;
    if (request->target) return cli_analyse_problem(request, error);
    cli_exit code = cli_options_read(&options, request, error);
    if (code) return code;
    int one = (options.method == SODAE_GAUSS || options.method == SODAE_RADAU_IIA) &&
              options.stages && !request->out;
    if (request->table || options.method == SODAE_GLM || options.method == SODAE_MSR || one)
        return cli_analyse_table(request, &options, error);
    if (cli_stability_known(options.method)) return cli_analyse_stability(request, &options, error);
    if (cli_method_known(options.method)) return cli_analyse_method(request, options.method, error);
    code = fill(&a, request, error);
    if (!code && request->out) code = write_table(request->out, &a, error);
    if (!code && request->json)
        code = cli_json_print(cli_analysis_json(&a), error);
    else if (!code) {
        cli_analysis_print(&a);
        code = cli_flush(error);
    }
    free(a.omega);
    free(a.radius);
    free(a.overshoot);
    return code;
}
