/* sodae equilibrium: where a mechanism rests. */
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/states.h"
#include "cli/statics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

cli_exit cli_statics_open(cli_statics *s, const cli_job *job, cli_error *error) {
    const sodae_problem *p = &job->target.problem;
    *s = (cli_statics){.m = job->target.model ? sodae_model_mechanism(job->target.model) : NULL};
    if (!s->m)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, job->target.name,
                        "%s is no mechanism file", job->target.name);
    size_t nq = (size_t)sodae_problem_nq(p), nv = (size_t)p->nv, nl = (size_t)p->nlambda;
    s->q = calloc(nq + nv + nl + (size_t)(p->npsi + p->nr) + 1, sizeof *s->q);
    if (!s->q) return cli_out_of_memory(error);
    s->v = s->q + nq, s->lambda = s->v + nv, s->psi = s->lambda + nl, s->r = s->psi + p->npsi;
    s->at = (sodae_point){.t = p->initial.t,
                          .q = s->q,
                          .v = s->v,
                          .a = s->v,
                          .lambda = s->lambda,
                          .psi = s->psi,
                          .r = s->r};
    return CLI_OK;
}

cli_exit cli_statics_find(cli_statics *s, cli_error *error) {
    sodae_failure why = {0};
    sodae_status st = sodae_mechanism_equilibrium(s->m, s->q, s->lambda, s->psi, &s->report, &why);
    return st < 0 ? cli_fail_from(error, st, &why) : CLI_OK;
}

void cli_statics_close(cli_statics *s) {
    free(s->q);
    s->q = NULL;
}

/* By the eigenvalues of the linearised motion: rounding makes a double zero 1e-8 of the largest. */
static const char *stability(const cli_statics *s) {
    sodae_modes modes;
    double most = 0, size = 0, least = INFINITY;
    if (sodae_mechanism_modes(s->m, &s->at, NULL, &modes, NULL)) return "not known";
    for (int i = 0; i < modes.count; i++) {
        double each = hypot(modes.re[i], modes.im[i]);
        most = fmax(most, modes.re[i]), size = fmax(size, each), least = fmin(least, each);
    }
    int count = modes.count;
    sodae_modes_free(&modes);
    if (!count) return "stable: nothing can move";
    return most > 1e-7 * size ? "unstable" : least <= 1e-7 * size ? "neutral" : "stable";
}

static void print(const cli_statics *s, const char *stable) {
    sodae_mechanism_energy energy;
    const char *name;
    int count = 0;
    while (sodae_mechanism_body_name(s->m, count)) count++;
    sodae_body_state *bodies = calloc((size_t)count + 1, sizeof *bodies);
    printf("equilibrium         %d load steps, %d iterations\n", s->report.steps,
           s->report.iterations);
    printf("stability           %s\n", stable);
    if (s->report.free)
        printf("free                %d direction%s, for example of %s\n", s->report.free,
               s->report.free == 1 ? "" : "s", s->report.free_body);
    if (bodies && !sodae_mechanism_results(s->m, &s->at, bodies, NULL, &energy)) {
        printf("potential energy    %.10g\n\n", energy.potential);
        for (int i = 0; (name = sodae_mechanism_body_name(s->m, i)); i++)
            printf("  %-16s %14.9g %14.9g %14.9g\n", name, bodies[i].position[0],
                   bodies[i].position[1], bodies[i].position[2]);
    }
    free(bodies);
}

static json_t *as_json(const cli_statics *s, const cli_job *job, const char *stable) {
    const sodae_view view = {.t = s->at.t,
                             .q = s->q,
                             .v = s->v,
                             .vdot = s->v,
                             .lambda = s->lambda,
                             .psi = s->psi,
                             .r = s->r};
    json_t *report = json_object(), *states = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "load_steps", json_integer(s->report.steps));
    json_object_set_new(report, "iterations", json_integer(s->report.iterations));
    json_object_set_new(report, "stability", json_string(stable));
    json_object_set_new(report, "free_directions", json_integer(s->report.free));
    if (s->report.free) json_object_set_new(report, "free_body", json_string(s->report.free_body));
    json_array_append_new(states, cli_state(&job->target, &view));
    json_object_set_new(report, "states", states);
    return report;
}

cli_exit cli_equilibrium(const cli_request *request, cli_error *error) {
    cli_job job;
    cli_statics s = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) code = cli_statics_open(&s, &job, error);
    if (!code) code = cli_statics_find(&s, error);
    if (!code && request->json)
        code = cli_json_print(as_json(&s, &job, stability(&s)), error);
    else if (!code) {
        print(&s, stability(&s));
        code = cli_flush(error);
    }
    cli_statics_close(&s);
    cli_job_close(&job);
    return code;
}
