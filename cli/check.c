/* sodae check: is the problem well posed, and does its start fit? */
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/json.h"
#include "cli/report.h"

#include <sodae/analysis.h>

#include <stdio.h>
#include <string.h>

enum { MOST_ANALYSED = 600 }; /* dense matrices take more than a few seconds above */
enum { TRANSIENT = 1000 };    /* steps; 003: the largest power is T^14 for rho_inf 0.9 */

typedef struct findings {
    const char *name;
    const sodae_problem *problem;
    int constraints, rank;
    int index;       /* differential index; -1: no answer, e.g. constraints depend on each other */
    char doubt[160]; /* why the index may be wrong; else empty */
    int too_large;   /* index and derivatives were left out */
    sodae_status started;
    sodae_start_report start, assembly; /* assembly: of a mechanism, before its start */
    double transient, growth;  /* of multipliers: what the start leaves, max |T^n|; 0: none */
    sodae_failure derivatives; /* status OK: all that are given agree with differences */
} findings;

/* From the equations at the start (sodae analyse TARGET says more), not from counts: reactions may
 * not reach the constraints. */
static void find_index(findings *f, const sodae_problem *p, const sodae_view *v) {
    const sodae_point at = {.t = v->t,
                            .q = v->q,
                            .v = v->v,
                            .a = v->vdot,
                            .lambda = v->lambda,
                            .psi = v->psi,
                            .r = v->r,
                            .w = v->w,
                            .s = v->s};
    sodae_index_report report;
    if (f->too_large || sodae_problem_index(p, &at, 0, &report, NULL) < 0) return;
    f->index = report.d_index;
    if (!report.clear) memcpy(f->doubt, report.doubt, sizeof f->doubt);
}

/* 003 (54b): multipliers are off by max |T^n| |r_0| at first. */
static void find_transient(findings *f, sodae *s, const sodae_options *o) {
    double T[9];
    sodae_alpha_coefficients c = sodae_alpha_coefficients_of(o);
    if (sodae_start_transient(s, &f->transient) || f->transient == 0) return;
    if (sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL) ||
        sodae_amplification_growth(T, TRANSIENT, &f->growth, NULL, NULL, NULL, NULL))
        f->transient = 0;
}

static cli_exit look(findings *f, const cli_job *job, cli_error *error) {
    const sodae_problem *p = f->problem = &job->target.problem;
    sodae *s = NULL;
    sodae_failure why = {0};
    f->name = job->target.name;
    f->rank = f->constraints = p->nlambda + p->npsi;
    f->index = -1;
    const sodae_mechanism *m = job->target.model ? sodae_model_mechanism(job->target.model) : NULL;
    if (m) f->assembly = *sodae_mechanism_assembly(m);
    f->too_large = sodae_problem_unknowns(p) > MOST_ANALYSED;
    if (!job->target.model && !f->too_large) /* those of a model file are exact by construction */
        f->derivatives.status = sodae_check_derivatives(p, NULL, 0, &f->derivatives);
    sodae_status status = sodae_create(&s, p, &job->options, &why);
    if (status >= 0) {
        f->started = status = sodae_start(s);
        why = *sodae_last_failure(s);
        f->start = *sodae_started(s);
        if (status >= 0) find_index(f, p, sodae_state(s));
        if (status >= 0) find_transient(f, s, &job->options);
    }
    f->rank -= f->start.redundant + f->start.inactive;
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
    json_object_set_new(report, "inactive", json_integer(f->start.inactive));
    json_object_set_new(report, "rank", json_integer(f->rank));
    json_object_set_new(report, "degrees_of_freedom", json_integer(f->problem->nv - f->rank));
    json_object_set_new(report, "index", f->index < 0 ? json_null() : json_integer(f->index));
    if (f->doubt[0]) json_object_set_new(report, "index_doubt", json_string(f->doubt));
    if (f->too_large)
        json_object_set_new(report, "left_out", json_pack("[s, s]", "index", "derivatives"));
    if (f->transient > 0)
        json_object_set_new(report, "transient",
                            json_pack("{s:f, s:f, s:f}", "r0", f->transient, "growth", f->growth,
                                      "multipliers", f->transient * f->growth));
    json_object_set_new(report, "start", cli_json_start(f->started, &f->start));
    return report;
}

static void print(const findings *f) {
    printf("problem             %s\n", f->name);
    for (int i = 0; i < BLOCKS; i++)
        if (count_of(f->problem, i)) printf("%-19d %s\n", count_of(f->problem, i), blocks[i].text);
    printf("%-19d degrees of freedom (rank of the constraints %d of %d", f->problem->nv - f->rank,
           f->rank, f->constraints);
    if (f->start.inactive) printf("; %d not active at the start", f->start.inactive);
    printf(")\n");
    if (f->index >= 0) printf("%-19d differential index\n", f->index);
    if (f->doubt[0])
        printf("                    NOT CLEAR, the index may be wrong: %s\n", f->doubt);
    if (f->too_large)
        printf("left out            index and derivatives: more than %d unknowns\n", MOST_ANALYSED);
    if (f->started < 0) return;
    if (f->start.redundant)
        printf("not unique          reactions of %s\n", f->start.redundant_names);
    printf("initial values      %s: residuals %.3g in position, %.3g in velocity\n",
           f->start.q_moved > 0 || f->start.v_moved > 0 ? "do not fit" : "fit",
           f->start.position_before, f->start.velocity_before);
    char moved[400];
    if (cli_moved(&f->start, moved, sizeof moved)[0]) printf("                    %s\n", moved);
    if (f->transient > 0)
        printf(
            "transient           multipliers off by up to %.3g at first: max|T^n| %.3g times what "
            "the start leaves, %.3g (003 eq 54b)\n",
            f->transient * f->growth, f->growth, f->transient);
    if (f->assembly.q_moved > 0)
        printf("assembly            %s\n", cli_moved(&f->assembly, moved, sizeof moved));
    if (f->assembly.far_moved[0])
        printf("warning             moved far: %s\n", f->assembly.far_moved);
    if (f->start.far_moved[0]) printf("warning             moved far: %s\n", f->start.far_moved);
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
