/* sodae replay: the failing step of an earlier run, once more. */
#include "cli/commands.h"
#include "cli/report.h"
#include "cli/rerun.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the step is run again. */
typedef struct again {
    int loaded;    /* 1: with the history of then */
    int exact;     /* 1: of the same size, too */
    double h;      /* first tried */
    double t;      /* of the failure of then: steps up to there, one at least */
    int edited;    /* 1: the state in the record is not that of its history */
    char why[320]; /* it is not loaded */
} again;

static const char *note(const again *a) {
    return a->loaded ? "with the history of then"
                     : "the method's history begins again at this state";
}

static int given(const cli_request *request, const char *option) {
    for (int i = 0; i < request->nsettings; i++) {
        const char *name = request->settings[i].name;
        if (!strcmp(name, option) || (!strncmp(name, "option.", 7) && !strcmp(name + 7, option)))
            return 1;
    }
    return 0;
}

/* With prescribed steps the one that failed, unless another is asked for now. Under error control
 * the largest of the steps before is the first that is tried. */
static double first_tried(const cli_rerun *r, const cli_job *job, const cli_request *now) {
    const sodae_options *o = &job->options;
    if (isnan(o->step)) return given(now, "first_step") ? o->first_step : r->h_before;
    return r->h > 0 && !given(now, "step") ? r->h : o->step;
}

/* By more than the last digits; NaN: after one step. */
static int is_passed(const sodae_view *view, void *user) {
    static const double clearly = 1e-9;
    const again *a = user;
    return !(view->t <= a->t + clearly * fabs(a->t));
}

/* What failed may have been an event, behind the end of a first step of another size. */
static sodae_status steps_beyond(sodae *s, again *a, double t_end) {
    sodae_status status = sodae_step(s, a->h);
    const sodae_view *view = sodae_state(s);
    while (!status && !is_passed(view, a) && view->t < t_end) status = sodae_step(s, a->h);
    return status;
}

static cli_exit try_step(cli_simulation *sim, again *a, cli_error *error) {
    const cli_job *job = sim->job;
    sodae *s = sim->integrator;
    sodae_status status;
    if (a->exact)
        status = sodae_retry(s);
    else if (isnan(job->options.step))
        status = sodae_advance(s, job->t_end, is_passed, a);
    else
        status = steps_beyond(s, a, job->t_end);
    if (status < 0) return cli_fail_from(error, status, sodae_last_failure(s));
    sodae_residuals(s, &sim->residual_position, &sim->residual_velocity);
    sim->done = 1;
    return CLI_OK;
}

static void print_before(const cli_rerun *r, const cli_job *job, const again *a) {
    double h = a->h;
    if (r->message) printf("failed then  %s\n", r->message);
    printf("replay       %s, %s, formulation %s\n", job->target.name, cli_method(job),
           cli_formulation(job));
    printf("from         t = %.15g, after %ld steps; %s\n",
           json_number_value(json_object_get(r->state, "t")), r->step, note(a));
    if (a->why[0]) printf("history      not taken: %s\n", a->why);
    if (h > 0)
        printf("step         h = %.9g%s\n", h,
               isnan(job->options.step) ? " is tried first; the error decides" : "");
    else
        printf("step         the error decides\n");
}

static void print_start(const cli_simulation *sim) {
    const sodae_start_report *s = &sim->start;
    printf("start        residuals %.3g in position, %.3g in velocity", s->position_before,
           s->velocity_before);
    if (s->q_moved > 0 || s->v_moved > 0)
        printf("; q moved by %.3g, v by %.3g", s->q_moved, s->v_moved);
    putchar('\n');
    if (s->redundant) printf("not unique   reactions of %s\n", s->redundant_names);
}

static void print_after(const cli_simulation *sim, int changed) {
    const sodae_view *view = sodae_state(sim->integrator);
    const sodae_statistics *c = sodae_counters(sim->integrator);
    printf("Newton       %ld iterations, %ld Jacobians; %ld steps refused before\n",
           c->newton_iterations, c->jacobians, c->refused);
    printf("constraints  %.3g in position, %.3g in velocity\n", sim->residual_position,
           sim->residual_velocity);
    printf("the step succeeds now: t = %.15g", view->t);
    if (view->event >= 0)
        printf(" at event '%s'\n", cli_event_name(&sim->job->target.problem, view->event));
    else
        printf(" with h = %.9g\n", view->h);
    if (!changed)
        printf("nothing was changed here: the model was, or more than this step failed then\n");
}

static json_t *as_json(const cli_simulation *sim, const cli_rerun *r, const again *a) {
    json_t *report = cli_report(sim), *before = json_object();
    json_object_set_new(before, "state", json_incref(r->state));
    json_object_set_new(before, "h", cli_json_real(a->h));
    json_object_set_new(before, "note", json_string(note(a)));
    if (a->why[0]) json_object_set_new(before, "not_taken", json_string(a->why));
    json_object_set(before, "failure", json_object_get(r->report, "failure"));
    json_object_set_new(report, "replayed", before);
    json_object_set(report, "replay", json_object_get(r->report, "replay"));
    return report;
}

/* The run begins as it did then and the history is put in its place. Where there is none, or it
 * does not fit what is asked for now or the state in the record, that becomes the initial one. */
static cli_exit begin(cli_simulation *sim, const cli_rerun *r, cli_job *job,
                      const cli_request *request, again *a, cli_error *error) {
    const cli_rows none = {.output_step = NAN};
    cli_error before = *error;
    int changed = given(request, "step") || given(request, "first_step");
    a->edited = r->history && cli_rerun_is_changed(r);
    int known = r->history && !a->edited;
    cli_exit code = known ? cli_simulation_begin(sim, job, &none, error) : CLI_OK;
    a->loaded = known && !code && cli_rerun_load(r, sim->integrator);
    a->exact = a->loaded && !changed;
    if (a->exact && isnan(job->options.step)) a->h = r->h_next;
    if (a->loaded) return CLI_OK;
    const char *why = "the state in the record is not that of its history";
    if (known) why = code ? error->failure.message : sodae_last_failure(sim->integrator)->message;
    if (r->history) snprintf(a->why, sizeof a->why, "%s", why);
    *error = before;
    cli_simulation_close(sim);
    *sim = (cli_simulation){0};
    code = cli_rerun_apply(r, &job->target, error);
    if (isnan(job->options.step) && a->h > 0) job->options.first_step = a->h;
    return code ? code : cli_simulation_begin(sim, job, &none, error);
}

static cli_exit replay(const cli_rerun *r, cli_job *job, const cli_request *request,
                       cli_error *error) {
    cli_simulation sim = {0};
    again a = {.h = first_tried(r, job, request), .t = r->t};
    cli_exit code = begin(&sim, r, job, request, &a, error);
    if (!request->json) print_before(r, job, &a);
    if (!code && !request->json) print_start(&sim);
    if (!code) code = try_step(&sim, &a, error);
    if (request->json) {
        json_t *report = as_json(&sim, r, &a);
        if (code)
            error->report = report;
        else
            code = cli_json_print(report, error);
    } else {
        if (!code) print_after(&sim, request->nsettings > 0 || a.edited);
        fflush(stdout); /* before the failure is written to standard error */
    }
    cli_simulation_close(&sim);
    return code;
}

cli_exit cli_replay(const cli_request *request, cli_error *error) {
    cli_rerun then;
    cli_job job = {0};
    cli_exit code = cli_rerun_read(&then, request->target, request, error);
    if (!code) code = cli_job_open(&job, &then.request, error);
    if (!code) code = replay(&then, &job, request, error);
    cli_job_close(&job);
    cli_rerun_close(&then);
    return code;
}
