/* sodae compare: methods x formulations x tolerances on one problem. */
#include "cli/compare.h"

#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/number.h"
#include "cli/simulate.h"
#include "results/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RTOLS = 16 };

typedef struct comparison {
    const cli_request *request;
    cli_trials trials;
    double rtol[MOST_RTOLS];
    int nrtols;
    int nq, nv, nlambda;
    double *q, *v, *lambda; /* the reference at the end; q NULL: the exact solution */
    double deadline;
} comparison;

/* A name out of a list; "all": all of them. */
static int wanted(const char *list, const char *name) {
    char entry[48];
    if (!list || !strcmp(list, "all")) return 1;
    for (int i = 0; i < cli_list_count(list); i++)
        if (!cli_list_entry(list, i, entry, sizeof entry) && !strcmp(entry, name)) return 1;
    return 0;
}

static cli_exit check_names(const char *list, const char *flag, const char *(*name)(int),
                            cli_error *error) {
    char entry[48];
    for (int i = 0; list && strcmp(list, "all") && i < cli_list_count(list); i++) {
        int known = 0;
        if (cli_list_entry(list, i, entry, sizeof entry)) entry[0] = '\0';
        cli_guess guess = cli_guess_for(entry);
        for (int k = 0; name(k); k++)
            known |= !strcmp(name(k), entry), cli_guess_try(&guess, name(k));
        if (!known)
            return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, flag, "--%s: unknown name '%s'%s",
                            flag, entry, cli_guess_hint(&guess).text);
    }
    return CLI_OK;
}

/* 1e-3:1e-9 by decades, or a list. */
static cli_exit read_rtols(comparison *c, const char *text, cli_error *error) {
    char part[2][64];
    double from, to;
    if (sscanf(text, "%63[^:]:%63[^:]", part[0], part[1]) == 2) {
        int bad = cli_number(part[0], &from) || cli_number(part[1], &to) || !(to > 0 && from >= to);
        for (int i = 0; !bad && i < MOST_RTOLS && from * pow(10, -i) > to * 0.999; i++)
            c->rtol[c->nrtols++] = from * pow(10, -i);
    } else
        for (int i = 0; i < cli_list_count(text) && i < MOST_RTOLS; i++)
            if (!cli_list_entry(text, i, part[0], sizeof part[0]) && !cli_number(part[0], &from) &&
                from > 0)
                c->rtol[c->nrtols++] = from;
    sodae_options o = sodae_default_options();
    sodae_failure why;
    for (int i = 0; i < c->nrtols; i++) {
        o.rtol = c->rtol[i];
        sodae_status st = sodae_options_check(&o, &why);
        if (st) return cli_fail_from(error, st, &why);
    }
    if (c->nrtols) return CLI_OK;
    return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "rtol",
                    "--rtol %.60s: expects 1e-3:1e-9 or a list", text);
}

static void add_option(cli_request *request, const char *name, const char *value) {
    if (request->nsettings == CLI_SETTINGS) return;
    cli_setting *setting = &request->settings[request->nsettings++];
    *setting = (cli_setting){.value = value, .is_option = 1};
    snprintf(setting->name, sizeof setting->name, "%s", name);
}

/* The request of one run. */
static cli_request request_of(const comparison *c, const char *method, const char *formulation,
                              const char *rtol) {
    cli_request request = *c->request;
    request.command = CLI_RUN;
    if (!method || strcmp(method, "glm")) request.table = NULL;
    if (method) add_option(&request, "method", method);
    if (formulation) add_option(&request, "formulation", formulation);
    add_option(&request, "rtol", rtol);
    return request;
}

static void measure(const comparison *c, const cli_simulation *sim, cli_trial *t) {
    const sodae_view *view = sodae_state(sim->integrator);
    t->steps = view->step;
    t->forces = sodae_counters(sim->integrator)->evaluations[SODAE_FORCE];
    t->seconds = sim->seconds_start + sim->seconds_steps;
    if (!c->q) {
        t->q = sim->measure.now[CLI_Q];
        t->v = sim->measure.now[CLI_V];
        t->lambda = sim->measure.now[CLI_LAMBDA];
        return;
    }
    double *d = calloc((size_t)(c->nv + c->nlambda) + 1, sizeof *d);
    if (!d) return;
    cli_configuration_difference(&sim->job->target.problem, c->q, view->q, d);
    t->q = cli_norm(d, c->nv);
    for (int i = 0; i < c->nv; i++) d[i] = view->v[i] - c->v[i];
    t->v = cli_norm(d, c->nv);
    for (int i = 0; i < c->nlambda; i++) d[i] = view->lambda[i] - c->lambda[i];
    t->lambda = c->nlambda ? cli_norm(d, c->nlambda) : NAN;
    free(d);
}

static void run_trial(comparison *c, cli_trial *t) {
    char rtol[40];
    cli_error error = {0};
    cli_job job;
    cli_simulation sim = {0};
    snprintf(rtol, sizeof rtol, "%.17g", t->rtol);
    const cli_request request = request_of(c, t->method, t->formulation, rtol);
    const cli_rows rows = {.output_step = NAN, .max_seconds = c->deadline - cli_clock()};
    cli_exit code = cli_job_open(&job, &request, &error);
    if (!code && !(rows.max_seconds > 0))
        code =
            cli_fail(&error, CLI_USAGE, SODAE_STOPPED, "", "left out: the time is over (--limit)");
    if (!code) code = cli_simulate(&sim, &job, &rows, &error);
    if (!code) {
        measure(c, &sim, t);
        snprintf(t->formulation, sizeof t->formulation, "%s", cli_formulation(&job));
    }
    if (code >= 128)
        snprintf(t->message, sizeof t->message, "ended: the time is over (--limit)");
    else if (code)
        snprintf(t->message, sizeof t->message, "%.199s", error.failure.message);
    cli_simulation_close(&sim);
    cli_job_close(&job);
}

static cli_trial *add_trial(comparison *c) {
    cli_trials *all = &c->trials;
    if (all->count == all->room) {
        int room = all->room ? 2 * all->room : 64;
        cli_trial *item = realloc(all->item, (size_t)room * sizeof *item);
        if (!item) return NULL;
        all->item = item;
        all->room = room;
    }
    cli_trial *t = &all->item[all->count++];
    *t = (cli_trial){.q = NAN, .v = NAN, .lambda = NAN, .order = NAN};
    return t;
}

/* A pair that does not fit is tried once. */
static cli_exit run_pair(comparison *c, const char *method, const char *formulation,
                         cli_error *error) {
    for (int k = 0; k < c->nrtols; k++) {
        cli_trial *t = add_trial(c);
        if (!t) return cli_out_of_memory(error);
        snprintf(t->method, sizeof t->method, "%s", method);
        snprintf(t->formulation, sizeof t->formulation, "%s", formulation);
        t->rtol = c->rtol[k];
        run_trial(c, t);
        const cli_trial *before = k ? t - 1 : NULL;
        if (before && t->steps > before->steps)
            t->order = -log(t->q / before->q) / log((double)t->steps / (double)before->steps);
        if (t->message[0]) break;
    }
    return CLI_OK;
}

static cli_exit run_pairs(comparison *c, cli_error *error) {
    const cli_request *r = c->request;
    const char *formulations = r->formulations ? r->formulations : "auto", *m, *f;
    cli_exit code = check_names(r->methods, "methods", sodae_method_name, error);
    if (!code) code = check_names(formulations, "formulations", sodae_formulation_name, error);
    for (int i = 0; !code && (m = sodae_method_name(i)); i++) {
        if (!strcmp(m, "auto") || !wanted(r->methods, m)) continue;
        if (!strcmp(m, "glm") && !r->table && !r->methods) continue; /* there is no table */
        for (int k = 0; !code && (f = sodae_formulation_name(k)); k++) {
            if (!wanted(formulations, f)) continue;
            if (!strcmp(f, "auto") && !strcmp(formulations, "all")) continue;
            code = run_pair(c, m, f, error);
        }
    }
    return code;
}

static cli_exit make_room(comparison *c, const sodae_problem *p, cli_error *error) {
    c->nq = sodae_problem_nq(p), c->nv = p->nv, c->nlambda = p->nlambda;
    c->q = calloc((size_t)(c->nq + c->nv + c->nlambda) + 1, sizeof *c->q);
    if (!c->q) return cli_out_of_memory(error);
    c->v = c->q + c->nq;
    c->lambda = c->v + c->nv;
    return CLI_OK;
}

/* The last row of a file of results, by name. */
static cli_exit pick(comparison *c, const cli_job *job, const results_table *table,
                     cli_error *error) {
    channel_list list;
    cli_exit code = CLI_OK;
    if (!table->rows ||
        fabs(table->column[0][table->rows - 1] - job->t_end) > 1e-9 * fabs(job->t_end))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "reference",
                        "the reference does not end at t = %g", job->t_end);
    if (channel_list_make(&list, &job->target.problem, job->target.model))
        return cli_out_of_memory(error);
    for (int i = 1; !code && i < list.count; i++) {
        const channel *x = &list.item[i];
        double *to = x->block == CHANNEL_Q        ? c->q
                     : x->block == CHANNEL_V      ? c->v
                     : x->block == CHANNEL_LAMBDA ? c->lambda
                                                  : NULL;
        int k = 0;
        while (k < table->count && strcmp(table->item[k].name, x->name) != 0) k++;
        if (to && k < table->count)
            to[x->index] = table->column[k][table->rows - 1];
        else if (to)
            code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "reference",
                            "the reference has no channel '%s'", x->name);
    }
    channel_list_free(&list);
    return code;
}

static cli_exit read_reference(comparison *c, const cli_job *job, cli_error *error) {
    results_table table;
    sodae_failure why = {0};
    const char *path = c->request->reference;
    if (results_read(&table, path, &why)) return cli_fail_from(error, why.status, &why);
    cli_exit code = make_room(c, &job->target.problem, error);
    if (!code) code = pick(c, job, &table, error);
    results_table_free(&table);
    snprintf(c->trials.reference, sizeof c->trials.reference, "%.190s", path);
    return code;
}

static cli_exit keep_state(comparison *c, const cli_job *job, const sodae_view *view,
                           cli_error *error) {
    cli_exit code = make_room(c, &job->target.problem, error);
    if (code) return code;
    memcpy(c->q, view->q, (size_t)c->nq * sizeof *c->q);
    memcpy(c->v, view->v, (size_t)c->nv * sizeof *c->q);
    if (c->nlambda) memcpy(c->lambda, view->lambda, (size_t)c->nlambda * sizeof *c->q);
    return CLI_OK;
}

/* A file, the exact solution, or a run of the default method with a hundredth of the smallest
 * tolerance. */
static cli_exit find_reference(comparison *c, cli_error *error) {
    char rtol[40];
    cli_job job;
    cli_simulation sim = {0};
    double closest = fmax(c->rtol[c->nrtols - 1] / 100, 1e-13);
    snprintf(rtol, sizeof rtol, "%.17g", closest);
    const cli_request request = request_of(c, NULL, NULL, rtol);
    const cli_rows rows = {.output_step = NAN, .max_seconds = c->deadline - cli_clock()};
    cli_exit code = cli_job_open(&job, &request, error);
    if (!code && c->request->reference) {
        code = read_reference(c, &job, error);
    } else if (!code && job.target.problem.exact) {
        snprintf(c->trials.reference, sizeof c->trials.reference, "the exact solution");
    } else if (!code) {
        code = cli_simulate(&sim, &job, &rows, error);
        if (!code) code = keep_state(c, &job, sodae_state(sim.integrator), error);
        snprintf(c->trials.reference, sizeof c->trials.reference, "%s with rtol %.2g",
                 cli_method(&job), closest);
    }
    cli_simulation_close(&sim);
    cli_job_close(&job);
    return code;
}

cli_exit cli_compare(const cli_request *request, cli_error *error) {
    comparison c = {.request = request};
    c.deadline = cli_clock() + request->limit;
    cli_exit code = read_rtols(&c, request->rtols, error);
    if (!code && request->target && !strcmp(request->target, "-"))
        code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "TARGET",
                        "the model is read for every run: it cannot be standard input");
    if (!code) code = find_reference(&c, error);
    if (!code) code = run_pairs(&c, error);
    if (!code) code = cli_trials_write(&c.trials, request->target, request->out, error);
    free(c.q);
    free(c.trials.item);
    return code;
}
