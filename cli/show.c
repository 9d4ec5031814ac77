/* sodae show: the equations that a mechanism file makes. */
#include "cli/commands.h"
#include "cli/job.h"
#include "cli/json.h"
#include "cli/states.h"

#include <sodae/integrator.h>

#include <stdio.h>

typedef struct picture {
    const char *name;
    const sodae_problem *problem;
    const sodae_mechanism *m;
    sodae_start_report start;
    json_t *redundant; /* names of joints whose reactions are not unique */
} picture;

static cli_exit look(picture *p, const cli_job *job, cli_error *error) {
    sodae *s = NULL;
    sodae_failure why = {0};
    p->name = job->target.name;
    p->problem = &job->target.problem;
    p->m = job->target.model ? sodae_model_mechanism(job->target.model) : NULL;
    if (!p->m)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, p->name,
                        "%s is no mechanism file; see: sodae check %s", p->name, p->name);
    sodae_status status = sodae_create(&s, p->problem, &job->options, &why);
    if (status >= 0) {
        status = sodae_start(s);
        why = *sodae_last_failure(s);
        p->start = *sodae_started(s);
        p->redundant = cli_redundant_joints(p->m);
    }
    sodae_free(s);
    return status < 0 ? cli_fail_from(error, status, &why) : CLI_OK;
}

/* Constraints of contacts and friction, which do not always hold. */
static int switched(const picture *p) {
    int count = 0;
    for (int i = 0; p->problem->active && i < p->problem->nlambda + p->problem->npsi; i++)
        count += p->problem->active[i] >= 0;
    return count;
}

static int freedom(const picture *p) {
    return p->problem->nv - p->problem->nlambda - p->problem->npsi + switched(p) +
           p->start.redundant;
}

static void print_redundant(const picture *p) {
    printf("redundant           %d constraint%s; reactions are not unique in ", p->start.redundant,
           p->start.redundant == 1 ? "" : "s");
    for (size_t i = 0; i < json_array_size(p->redundant); i++)
        printf("%s%s", i ? ", " : "", json_string_value(json_array_get(p->redundant, i)));
    printf("\n");
}

static void print_sizes(const picture *p) {
    int bodies = 0, joints = 0, forces = 0;
    while (sodae_mechanism_body_name(p->m, bodies)) bodies++;
    while (sodae_mechanism_joint_name(p->m, joints)) joints++;
    while (sodae_mechanism_force_name(p->m, forces)) forces++;
    printf("mechanism           %s%s\n", p->name,
           sodae_mechanism_is_planar(p->m) ? ", planar" : "");
    printf("parts               %d bodies, %d joints, %d forces\n", bodies, joints, forces);
    printf("unknowns            %d positions, %d velocities, %d counters of turns\n",
           sodae_problem_nq(p->problem), p->problem->nv, p->problem->nr);
    printf("constraints         %d holonomic, %d nonholonomic", p->problem->nlambda,
           p->problem->npsi);
    if (switched(p)) printf(", contacts and friction switch %d of them", switched(p));
    printf("\n");
    printf("degrees of freedom  %d\n", freedom(p));
    if (p->start.redundant) print_redundant(p);
    if (sodae_mechanism_moved(p->m) > 0)
        printf("start               positions are moved by up to %.3g\n",
               sodae_mechanism_moved(p->m));
}

static void print(const picture *p) {
    const char *name;
    char text[400];
    print_sizes(p);
    printf("\nbody[..] is a point, body<..> a direction in the body frame.\n");
    for (int i = 0; (name = sodae_mechanism_joint_name(p->m, i)); i++)
        printf("%s%s (%s)", i ? ", " : "joints: ", name,
               sodae_joint_type_name(sodae_mechanism_joint_type(p->m, i)));
    printf("\n");
    for (int i = 0; !sodae_mechanism_equation(p->m, i, &name, text, sizeof text); i++)
        printf("  %-16s %s\n", name, text);
}

static json_t *as_json(const picture *p) {
    json_t *report = json_object(), *list = json_array();
    const char *name;
    char text[400];
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "mechanism", json_string(p->name));
    json_object_set_new(report, "velocities", json_integer(p->problem->nv));
    json_object_set_new(report, "holonomic", json_integer(p->problem->nlambda));
    json_object_set_new(report, "nonholonomic", json_integer(p->problem->npsi));
    json_object_set_new(report, "degrees_of_freedom", json_integer(freedom(p)));
    json_object_set_new(report, "redundant", json_integer(p->start.redundant));
    json_object_set(report, "not_unique", p->redundant);
    for (int i = 0; !sodae_mechanism_equation(p->m, i, &name, text, sizeof text); i++)
        json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "equation", text));
    json_object_set_new(report, "constraints", list);
    return report;
}

cli_exit cli_show(const cli_request *request, cli_error *error) {
    cli_job job;
    picture p = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) code = look(&p, &job, error);
    if (!code && request->json)
        code = cli_json_print(as_json(&p), error);
    else if (!code) {
        print(&p);
        code = cli_flush(error);
    }
    json_decref(p.redundant);
    cli_job_close(&job);
    return code;
}
