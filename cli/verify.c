/* The error of a whole run, estimated after it. */
#include "cli/simulate.h"

#include <math.h>
#include <stdio.h>

/* Closer runs are mostly rounding, and take very many steps. */
static const double closest = 1e-12;
static const double few = 10; /* tolerances */

static const sodae_culprit *culprit(const sodae_verification *e) {
    return e->of == SODAE_Q ? &e->q : e->of == SODAE_V ? &e->v : e->of == SODAE_R ? &e->r : NULL;
}

const char *cli_error_of(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    const sodae_problem *p = &sim->job->target.problem;
    const sodae_culprit *c = culprit(e);
    if (!c)
        snprintf(text, size, "multipliers");
    else if (c->entry < 0)
        return NULL;
    else if (e->of == SODAE_Q)
        sodae_position_name(p, c->entry, text, size);
    else
        sodae_entry_name(p, e->of, c->entry, text, size);
    return text;
}

/* "the error of x, about 0.1," or "the error of multipliers". */
static const char *whose(const cli_simulation *sim, char *text, size_t size) {
    const sodae_culprit *c = culprit(&sim->error);
    char name[100] = "", amount[40] = "";
    cli_error_of(sim, name, sizeof name);
    if (c) snprintf(amount, sizeof amount, ", about %.2g,", c->amount);
    snprintf(text, size, "the error of %s%s", name, amount);
    return text;
}

/* An absolute tolerance with which the errors of q or v would be few, if they are small against all
 * but what is near its zero; else the one that it has. */
static double enough(const sodae_culprit *c, double error, double rtol, double has) {
    return error > few && c->amount <= few * rtol * c->size ? c->amount / few : has;
}

static const char *or_atol(const cli_simulation *sim, char *text, size_t size) {
    const sodae_verification *e = &sim->error;
    const sodae_options *o = &sim->job->options;
    double has_q = isnan(o->atol) ? o->rtol : o->atol, has_v = isnan(o->atol_v) ? has_q : o->atol_v;
    double of_q = enough(&e->q, e->largest.q, o->rtol, has_q);
    double of_v = enough(&e->v, e->largest.v, o->rtol, has_v);
    int helps = (e->of == SODAE_Q && of_q > has_q) || (e->of == SODAE_V && of_v > has_v);
    *text = '\0';
    if (helps && !o->atol_q_each && !o->atol_v_each)
        snprintf(text, size,
                 "; if it is small enough, for values of up to %.2g, try --atol %.1g --atol-v %.1g",
                 culprit(e)->size, of_q, of_v);
    return text;
}

static cli_exit inaccurate(const cli_simulation *sim, cli_error *error) {
    const sodae_verification *e = &sim->error;
    double times = e->error, rtol = sim->job->options.rtol;
    double wanted = rtol / pow(10, ceil(log10(times / 10))), better = fmax(closest, wanted);
    char left[60] = "", of[180], atol[160];
    if (wanted < 0.9 * closest)
        snprintf(left, sizeof left, ", which would leave about %.0e", times * closest);
    char where[60] = "the end state is";
    if (!(fmax(e->end.q, fmax(e->end.v, e->end.r)) > e->error / 2))
        snprintf(where, sizeof where, "the state at t = %.6g is", e->t);
    whose(sim, of, sizeof of), or_atol(sim, atol, sizeof atol);
    if (e->max_step > 0) /* smaller tolerances alone need not help */
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "max_step",
                        "%s not as accurate as asked for: %s is estimated as %.2g times the "
                        "tolerance; steps may be too long to follow something that grows from "
                        "below the tolerances: try --max-step %.2g, or --rtol %.0e",
                        where, of, times, e->max_step, better);
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
    if (e->acted != e->acted_there)
        return cli_fail(error, CLI_INACCURATE, SODAE_INACCURATE, "events",
                        "%s not as accurate as asked for: %s is estimated as %.2g times the "
                        "tolerance; with rtol %.2g %ld events act instead of %ld: try that "
                        "tolerance, or a smaller max_step, and look at events that hardly happen",
                        where, of, times, e->rtol, e->acted_there, e->acted);
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
    const sodae_verification *e = &sim->error;
    int asked = isnan(job->options.step) && !job->pattern && sodae_state(sim->integrator)->step > 0;
    if (!asked) return CLI_OK;
    double before = cli_clock();
    sim->verified = sodae_verify(sim->integrator, &sim->error);
    sim->seconds_verify = cli_clock() - before;
    if (sim->verified == SODAE_OK) return CLI_OK;
    if (sim->verified == SODAE_INACCURATE) return inaccurate(sim, error);
    if (sim->verified == SODAE_NO_MEMORY) return cli_out_of_memory(error);
    if (e->acted != e->acted_there)
        return cli_fail(error, CLI_UNVERIFIED, SODAE_UNVERIFIED, "events",
                        "the error of this run is not known: with rtol %.2g %ld events act instead "
                        "of %ld; try that tolerance, or a smaller max_step, and look at events "
                        "that hardly happen (--no-verify: do not ask)",
                        e->rtol, e->acted_there, e->acted);
    if (e->max_step > 0)
        return cli_fail(error, CLI_UNVERIFIED, SODAE_UNVERIFIED, "max_step",
                        "the error of this run is not known: its steps are too long to follow "
                        "something that may grow from below the tolerances; compare it with "
                        "--max-step %.2g (--no-verify: do not ask)",
                        e->max_step);
    return cli_fail(error, CLI_UNVERIFIED, SODAE_UNVERIFIED, "rtol",
                    "the error of this run is not known: runs with other tolerances fail or end "
                    "otherwise; compare it with other tolerances or another method "
                    "(--no-verify: do not ask)");
}
