/* The error of a whole run, estimated after it. */
#include "cli/simulate.h"

#include <math.h>
#include <stdio.h>

/* Closer runs are mostly rounding, and take very many steps. */
static const double closest = 1e-12;
static const double few = 10; /* tolerances */

const char *cli_error_of(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    const sodae_problem *p = &sim->job->target.problem;
    int named = e->of != SODAE_Q || sodae_problem_nq(p) == p->nv;
    const char *const *names = named ? p->variable_names[e->of] : NULL;
    if (e->entry < 0)
        snprintf(text, size, "multipliers");
    else if (names && names[e->entry])
        snprintf(text, size, "%.40s", names[e->entry]);
    else
        snprintf(text, size, "%s[%d]", sodae_variable_name(e->of), e->entry + 1);
    return text;
}

/* "the error of x, about 0.1," or "the error of multipliers". */
static const char *whose(const cli_simulation *sim, char *text, size_t size) {
    char name[60], amount[40] = "";
    if (sim->error.entry >= 0) snprintf(amount, sizeof amount, ", about %.2g,", sim->error.amount);
    snprintf(text, size, "the error of %s%s", cli_error_of(sim, name, sizeof name), amount);
    return text;
}

/* Where an error is small against all but what is near its zero; of q, v keeps what it has. */
static const char *or_atol(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    const sodae_options *o = &sim->job->options;
    double atol = isnan(o->atol) ? o->rtol : o->atol, atol_v = isnan(o->atol_v) ? atol : o->atol_v;
    char kept[40] = "";
    *text = '\0';
    if (e->of != SODAE_V) snprintf(kept, sizeof kept, " --atol-v %.3g", atol_v);
    if (!o->atol_q_each && !o->atol_v_each && e->amount <= few * o->rtol * e->size)
        snprintf(text, size,
                 "; if it is small enough, for values of up to %.2g, try --atol%s %.1g%s", e->size,
                 e->of == SODAE_V ? "-v" : "", e->amount / few, kept);
    return text;
}

static cli_exit inaccurate(const cli_simulation *sim, cli_error *error) {
    const sodae_verification *e = &sim->error;
    double times = e->error, rtol = sim->job->options.rtol;
    double wanted = rtol / pow(10, ceil(log10(times / 10))), better = fmax(closest, wanted);
    char left[60] = "", of[100], atol[160];
    if (wanted < 0.9 * closest)
        snprintf(left, sizeof left, ", which would leave about %.0e", times * closest);
    char where[60] = "the end state is";
    if (!(fmax(e->end.q, fmax(e->end.v, e->end.r)) > e->error / 2))
        snprintf(where, sizeof where, "the state at t = %.6g is", e->t);
    whose(sim, of, sizeof of), or_atol(sim, atol, sizeof atol);
    if (e->rtol > rtol && e->rtol < 100 * rtol) /* no closer run came to this end */
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                        "%s not as accurate as asked for: %s is estimated as %.2g times the "
                        "tolerance; with smaller tolerances the run fails or ends otherwise: try "
                        "another method or formulation%s",
                        where, of, times, atol);
    if (better >= rtol)
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                        "%s not as accurate as asked for: %s is estimated as %.2g times the "
                        "tolerance, which lies below rounding%s",
                        where, of, times, atol);
    return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "rtol",
                    "%s not as accurate as asked for: %s is estimated as %.2g times the "
                    "tolerance (motions may make small errors grow); try --rtol %.0e%s, or a "
                    "shorter run%s",
                    where, of, times, better, left, atol);
}

const char *cli_simulation_verdict(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    char worth[300];
    cli_verdict_text(&sim->verdict, sodae_counters(sim->integrator), worth, sizeof worth);
    if (sim->verified == SODAE_INACCURATE)
        snprintf(text, size, "INACCURATE, error about %.2g tolerances at t = %.6g; %s", e->error,
                 e->t, worth);
    else if (sim->verified == SODAE_UNVERIFIED)
        snprintf(text, size, "UNVERIFIED, the error is not known; %s", worth);
    else
        snprintf(text, size, "%s", worth);
    return text;
}

cli_exit cli_verify(cli_simulation *sim, cli_error *error) {
    const cli_job *job = sim->job;
    int asked = isnan(job->options.step) && !job->pattern && sodae_state(sim->integrator)->step > 0;
    if (!asked) return CLI_OK;
    double before = cli_clock();
    sim->verified = sodae_verify(sim->integrator, &sim->error);
    sim->seconds_verify = cli_clock() - before;
    if (sim->verified == SODAE_OK) return CLI_OK;
    if (sim->verified == SODAE_INACCURATE) return inaccurate(sim, error);
    if (sim->verified == SODAE_NO_MEMORY) return cli_out_of_memory(error);
    return cli_fail(error, CLI_UNVERIFIED, SODAE_UNVERIFIED, "rtol",
                    "the error of this run is not known: runs with other tolerances fail or end "
                    "otherwise; compare it with other tolerances or another method "
                    "(--no-verify: do not ask)");
}
