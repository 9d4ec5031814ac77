/* sodae check: is the problem well posed, and does its start fit? */
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/json.h"
#include "cli/report.h"

#include <stdio.h>

typedef struct findings {
    const char *name;
    const sodae_problem *problem;
    int constraints, rank;
    int index; /* differential index; -1: the constraints depend on each other */
    sodae_status started;
    sodae_start_report start;
    sodae_failure derivatives; /* status OK: all that are given agree with differences */
} findings;

/* Position constraints are differentiated three times until the multipliers appear as an ODE. */
static int differential_index(const sodae_problem *p) {
    if (p->nlambda) return 3;
    if (p->npsi) return 2;
    return p->nw || p->ns ? 1 : 0;
}

static cli_exit look(findings *f, const cli_job *job, cli_error *error) {
    const sodae_problem *p = f->problem = &job->target.problem;
    sodae *s = NULL;
    sodae_failure why = {0};
    f->name = job->target.name;
    f->rank = f->constraints = p->nlambda + p->npsi;
    f->index = differential_index(p);
    if (!job->target.model) /* those of a model file are exact by construction */
        f->derivatives.status = sodae_check_derivatives(p, NULL, 0, &f->derivatives);
    sodae_status status = sodae_create(&s, p, &job->options, &why);
    if (status >= 0) {
        f->started = status = sodae_start(s);
        why = *sodae_last_failure(s);
        f->start = *sodae_started(s);
    }
    f->rank -= f->start.redundant;
    if (f->start.redundant) f->index = -1;
    sodae_free(s);
    if (status < 0) return cli_fail_from(error, status, &why);
    if (f->derivatives.status < 0)
        return cli_fail_from(error, f->derivatives.status, &f->derivatives);
    return CLI_OK;
}

static const struct {
    const char *key, *text;
} blocks[] = {
    {"positions", "numbers stored for q"},  {"velocities", "velocities v"},
    {"holonomic", "holonomic constraints"}, {"nonholonomic", "nonholonomic constraints"},
    {"dynamic", "dynamic states r"},        {"auxiliary", "auxiliary variables w"},
    {"contact", "contact coordinates s"},
};
enum { BLOCKS = sizeof blocks / sizeof blocks[0] };

static int count_of(const sodae_problem *p, int block) {
    const int counts[BLOCKS] = {
        sodae_problem_nq(p), p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    return counts[block];
}

static json_t *as_json(const findings *f) {
    json_t *report = json_object(), *counts = json_object();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "problem", json_string(f->name));
    for (int i = 0; i < BLOCKS; i++)
        json_object_set_new(counts, blocks[i].key, json_integer(count_of(f->problem, i)));
    json_object_set_new(report, "counts", counts);
    json_object_set_new(report, "constraints", json_integer(f->constraints));
    json_object_set_new(report, "rank", json_integer(f->rank));
    json_object_set_new(report, "degrees_of_freedom", json_integer(f->problem->nv - f->rank));
    json_object_set_new(report, "index", f->index < 0 ? json_null() : json_integer(f->index));
    json_object_set_new(report, "start", cli_json_start(f->started, &f->start));
    return report;
}

static void print(const findings *f) {
    printf("problem             %s\n", f->name);
    for (int i = 0; i < BLOCKS; i++)
        if (count_of(f->problem, i)) printf("%-19d %s\n", count_of(f->problem, i), blocks[i].text);
    printf("%-19d degrees of freedom (rank of the constraints %d of %d)\n",
           f->problem->nv - f->rank, f->rank, f->constraints);
    if (f->index >= 0) printf("%-19d differential index\n", f->index);
    if (f->started < 0) return;
    if (f->start.redundant)
        printf("not unique          reactions of %s\n", f->start.redundant_names);
    printf("initial values      %s: residuals %.3g in position, %.3g in velocity\n",
           f->start.q_moved > 0 || f->start.v_moved > 0 ? "do not fit" : "fit",
           f->start.position_before, f->start.velocity_before);
    if (f->start.q_moved > 0 || f->start.v_moved > 0)
        printf("                    moved onto the constraints: q by %.3g, v by %.3g\n",
               f->start.q_moved, f->start.v_moved);
}

cli_exit cli_check(const cli_request *request, cli_error *error) {
    cli_job job;
    findings f = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) {
        code = look(&f, &job, error);
        if (code && request->json)
            error->report = as_json(&f);
        else if (request->json)
            code = cli_json_print(as_json(&f), error);
        else {
            print(&f);
            if (!code) code = cli_flush(error);
        }
    }
    cli_job_close(&job);
    return code;
}
