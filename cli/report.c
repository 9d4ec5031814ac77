#include "cli/report.h"

#include <math.h>

static void put_state(json_t *report, const sodae_view *view) {
    const struct {
        const char *name;
        const double *x;
        int count, always;
    } blocks[] = {
        {"q", view->q, view->nq, 1},
        {"v", view->v, view->nv, 1},
        {"a", view->a, view->nv, 1},
        {"vdot", view->vdot, view->nv, 1},
        {"lambda", view->lambda, view->nlambda, 1},
        {"psi", view->psi, view->npsi, 1},
        {"lambda_start", view->lambda_start, view->nlambda, 0},
        {"eta", view->eta, view->nlambda, 0},
        {"lambda_rate", view->lambda_rate, view->nlambda, 0},
        {"r", view->r, view->nr, 0},
        {"w", view->w, view->nw, 0},
        {"s", view->s, view->ns, 0},
    };
    json_object_set_new(report, "t", cli_json_real(view->t));
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        if (blocks[i].always || (blocks[i].x && blocks[i].count))
            json_object_set_new(report, blocks[i].name,
                                cli_json_reals(blocks[i].x, blocks[i].count));
}

/* All numbers at the end by name, and the units that are known. */
static void put_channels(json_t *report, const cli_simulation *sim) {
    const channel_list *c = &sim->output.channels;
    json_t *values = json_object(), *units = json_object();
    if (!sim->output.row) return;
    channel_row(c, sodae_state(sim->integrator), sim->output.row);
    for (int i = 0; i < c->count; i++) {
        json_object_set_new(values, c->item[i].name, cli_json_real(sim->output.row[i]));
        if (*c->item[i].unit)
            json_object_set_new(units, c->item[i].name, json_string(c->item[i].unit));
    }
    json_object_set_new(report, "channels", values);
    json_object_set_new(report, "units", units);
}

static json_t *levels(double position, double velocity) {
    json_t *object = json_object();
    json_object_set_new(object, "position", cli_json_real(position));
    json_object_set_new(object, "velocity", cli_json_real(velocity));
    return object;
}

static json_t *counters(const sodae_statistics *s) {
    json_t *object = json_object(), *evaluations = json_object();
    json_object_set_new(object, "steps", json_integer(s->steps));
    json_object_set_new(object, "refused", json_integer(s->refused));
    json_object_set_new(object, "rounding", json_integer(s->rounding));
    json_object_set_new(object, "lowered", json_integer(s->lowered));
    json_object_set_new(object, "impacts", json_integer(s->impacts));
    if (s->impacts) {
        json_object_set_new(object, "impact_v", cli_json_real(s->impact_v));
        json_object_set_new(object, "impact_t", cli_json_real(s->impact_t));
    }
    json_object_set_new(object, "refused_error", json_integer(s->refused_error));
    json_object_set_new(object, "refused_newton", json_integer(s->refused_newton));
    json_object_set_new(object, "refused_callback", json_integer(s->refused_callback));
    json_object_set_new(object, "refused_monitor", json_integer(s->refused_monitor));
    json_object_set_new(object, "singularities", json_integer(s->singularities));
    json_object_set_new(object, "newton_iterations", json_integer(s->newton_iterations));
    json_object_set_new(object, "jacobians", json_integer(s->jacobians));
    json_object_set_new(object, "factorizations", json_integer(s->factorizations));
    json_object_set_new(object, "solves", json_integer(s->solves));
    if (s->linear_solver) {
        json_object_set_new(object, "linear_solver", json_string(s->linear_solver));
        json_object_set_new(object, "linear_reason", json_string(s->linear_reason));
    }
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        if (s->evaluations[f])
            json_object_set_new(evaluations, sodae_function_name(f),
                                json_integer(s->evaluations[f]));
    json_object_set_new(object, "evaluations", evaluations);
    return object;
}

json_t *cli_json_start(sodae_status status, const sodae_start_report *s) {
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string(sodae_status_name(status)));
    json_object_set_new(object, "position_before", cli_json_real(s->position_before));
    json_object_set_new(object, "velocity_before", cli_json_real(s->velocity_before));
    json_object_set_new(object, "position_after", cli_json_real(s->position_after));
    json_object_set_new(object, "velocity_after", cli_json_real(s->velocity_after));
    json_object_set_new(object, "q_moved", cli_json_real(s->q_moved));
    json_object_set_new(object, "v_moved", cli_json_real(s->v_moved));
    if (s->q_moved > 0) json_object_set_new(object, "q_moved_name", json_string(s->q_moved_name));
    if (s->v_moved > 0) json_object_set_new(object, "v_moved_name", json_string(s->v_moved_name));
    if (s->far_moved[0]) json_object_set_new(object, "moved_far", json_string(s->far_moved));
    json_object_set_new(object, "iterations", json_integer(s->iterations));
    json_object_set_new(object, "size_q", cli_json_real(s->size_q));
    json_object_set_new(object, "size_v", cli_json_real(s->size_v));
    json_object_set_new(object, "atol", cli_json_real(s->atol_q));
    json_object_set_new(object, "atol_v", cli_json_real(s->atol_v));
    json_object_set_new(object, "atol_lambda", cli_json_real(s->atol_lambda));
    if (s->redundant) {
        json_object_set_new(object, "redundant", json_integer(s->redundant));
        json_object_set_new(object, "not_unique", json_string(s->redundant_names));
    }
    return object;
}

json_t *cli_json_errors(const double errors[CLI_PARTS]) {
    json_t *object = json_object();
    for (int i = 0; i < CLI_PARTS; i++)
        if (!isnan(errors[i]))
            json_object_set_new(object, cli_part_name(i), cli_json_real(errors[i]));
    return object;
}

static void put_errors(json_t *report, const cli_measure *m) {
    json_t *at = json_object();
    for (int i = 0; i < CLI_PARTS; i++)
        if (!isnan(m->worst[i]))
            json_object_set_new(at, cli_part_name(i), json_integer(m->worst_at[i]));
    json_object_set_new(report, "error", cli_json_errors(m->now));
    json_object_set_new(report, "max_error", cli_json_errors(m->worst));
    json_object_set_new(report, "max_error_at", at);
}

static json_t *timing(const cli_simulation *sim) {
    json_t *object = json_object();
    double all = sim->seconds_start + sim->seconds_steps + sim->seconds_output;
    json_object_set_new(object, "seconds", cli_json_real(all));
    json_object_set_new(object, "start", cli_json_real(sim->seconds_start));
    json_object_set_new(object, "steps", cli_json_real(sim->seconds_steps));
    json_object_set_new(object, "output", cli_json_real(sim->seconds_output));
    json_object_set_new(object, "verification", cli_json_real(sim->seconds_verify));
    const sodae_seconds *s = &sodae_counters(sim->integrator)->seconds;
    if (!sim->job->options.timing) return object;
    json_t *phases = json_object();
    json_object_set_new(phases, "all", cli_json_real(s->all));
    json_object_set_new(phases, "callbacks", cli_json_real(s->callbacks));
    json_object_set_new(phases, "factorizations", cli_json_real(s->factorizations));
    json_object_set_new(phases, "solves", cli_json_real(s->solves));
    json_object_set_new(phases, "rest",
                        cli_json_real(s->all - s->callbacks - s->factorizations - s->solves));
    json_object_set_new(object, "phases", phases);
    return object;
}

static void put_verdict(json_t *report, const cli_simulation *sim) {
    const cli_verdict *d = &sim->verdict;
    char text[400];
    if (!isnan(d->energy_start)) {
        json_t *energy = json_object();
        json_object_set_new(energy, "start", cli_json_real(d->energy_start));
        json_object_set_new(energy, "end", cli_json_real(d->energy_end));
        json_object_set_new(energy, "changed_by_events", cli_json_real(d->energy_taken));
        if (d->conserved) {
            json_object_set_new(energy, "drift", cli_json_real(d->energy_drift));
            json_object_set_new(energy, "relative_drift", cli_json_real(cli_verdict_drift(d)));
        }
        json_object_set_new(report, "energy", energy);
    }
    if (sim->done)
        json_object_set_new(report, "verdict",
                            json_string(cli_simulation_verdict(sim, text, sizeof text)));
}

/* Work, dissipated and numerically dissipated energy of a mechanism. */
static void put_energies(json_t *report, const cli_simulation *sim) {
    const double *x = sim->output.channels.meter;
    if (!sim->meter.m) return;
    json_t *object = json_object();
    json_object_set_new(object, "work", cli_json_real(x[0]));
    json_object_set_new(object, "dissipated", cli_json_real(x[1]));
    json_object_set_new(object, "numerical", cli_json_real(x[2]));
    json_object_set_new(object, "balance", cli_json_real(x[3]));
    json_object_set_new(report, "energies", object);
}

static void put_verification(json_t *report, const cli_simulation *sim) {
    const sodae_verification *e = &sim->verification;
    json_t *object = json_object();
    json_object_set_new(object, "rtol", cli_json_real(e->rtol));
    json_object_set_new(object, "steps", json_integer(e->steps));
    json_object_set_new(object, "states", json_integer(e->compared));
    json_object_set_new(object, "q", cli_json_real(e->q));
    json_object_set_new(object, "v", cli_json_real(e->v));
    json_object_set_new(object, "r", cli_json_real(e->r));
    json_object_set_new(object, "multipliers", cli_json_real(e->multipliers));
    json_object_set_new(object, "error", cli_json_real(e->error));
    json_object_set_new(object, "t", cli_json_real(e->t));
    if (e->entry >= 0) {
        json_object_set_new(object, "of", json_string(e->name));
        json_object_set_new(object, "variable", json_string(sodae_variable_name(e->of)));
        json_object_set_new(object, "amount", cli_json_real(e->amount));
    }
    json_object_set_new(object, "rtol_needed", cli_json_real(e->rtol_needed));
    json_object_set_new(report, "verification", object);
}

static void put_unresolved(json_t *report, const cli_simulation *sim) {
    char names[400];
    if (sodae_unresolved(sim->integrator, names, sizeof names))
        json_object_set_new(report, "unresolved", json_string(names));
}

static void put_singularities(json_t *report, const cli_simulation *sim) {
    int count;
    const sodae_singularity *x = sodae_singularities(sim->integrator, &count);
    json_t *list = json_array();
    char text[400];
    for (int i = 0; i < count; i++, x++) {
        json_t *item = json_object();
        json_object_set_new(item, "t", cli_json_real(x->t));
        json_object_set_new(item, "until", cli_json_real(x->until)); /* null: still so */
        json_object_set_new(item, "constraints", json_integer(x->constraints));
        json_object_set_new(item, "rank", json_integer(x->rank));
        json_object_set_new(item, "size", cli_json_real(x->size));
        json_object_set_new(item, "not_unique", json_string(x->names));
        json_object_set_new(item, "text", json_string(cli_singularity_text(x, text, sizeof text)));
        json_array_append_new(list, item);
    }
    json_object_set_new(report, "singular", list);
}

static void put_events(json_t *report, const cli_simulation *sim) {
    const sodae_problem *p = &sim->job->target.problem;
    json_t *events = json_array();
    for (long i = 0; i < sim->verdict.count; i++) {
        const cli_happening *h = &sim->verdict.events[i];
        json_t *event = json_object();
        json_object_set_new(event, "name", json_string(cli_event_name(p, h->event)));
        json_object_set_new(event, "t", cli_json_real(h->t));
        json_array_append_new(events, event);
    }
    json_object_set_new(report, "events", events);
    if (sim->stopped >= 0)
        json_object_set_new(report, "stopped_by", json_string(cli_event_name(p, sim->stopped)));
}

static void put_assembly(json_t *report, const sodae_mechanism *m) {
    const sodae_start_report *a = sodae_mechanism_assembly(m);
    json_object_set_new(report, "assembly_moved", cli_json_real(sodae_mechanism_moved(m)));
    json_object_set_new(report, "assembly_moved_name", json_string(a->q_moved_name));
    if (a->far_moved[0])
        json_object_set_new(report, "assembly_moved_far", json_string(a->far_moved));
}

static void put_mechanism(json_t *report, const cli_simulation *sim) {
    const sodae_model *model = sim->job->target.model;
    if (sim->states) json_object_set(report, "states", sim->states);
    const sodae_mechanism *m = model ? sodae_model_mechanism(model) : NULL;
    if (m && sodae_mechanism_moved(m) > 0) put_assembly(report, m);
    if (m && sim->start.redundant)
        json_object_set_new(report, "not_unique", cli_redundant_joints(m));
}

static void put_warnings(json_t *report, const cli_simulation *sim) {
    json_t *list = json_array();
    char text[400];
    for (int i = 0; cli_simulation_warning(sim, &i, text, sizeof text);)
        json_array_append_new(list, json_string(text));
    if (json_array_size(list)) json_object_set(report, "warnings", list);
    json_decref(list);
}

/* In use at the end of the run, and why, where auto had a choice. */
static void put_method(json_t *report, const cli_simulation *sim) {
    const sodae_statistics *s = sim->started < 0 ? NULL : sodae_counters(sim->integrator);
    int known = s && s->method != SODAE_METHOD_AUTO;
    json_object_set_new(
        report, "method",
        json_string(known ? sodae_method_name((int)s->method) : cli_method(sim->job)));
    json_object_set_new(report, "formulation",
                        json_string(known ? sodae_formulation_name((int)s->formulation)
                                          : cli_formulation(sim->job)));
    if (!known || !s->method_reason) return;
    json_object_set_new(report, "method_reason", json_string(s->method_reason));
    json_object_set_new(report, "changed_t", cli_json_real(s->changed_t));
    if (!isnan(s->changed_rho))
        json_object_set_new(report, "changed_h_rho", cli_json_real(s->changed_rho));
}

json_t *cli_report(const cli_simulation *sim) {
    const cli_job *job = sim->job;
    json_t *report = json_object();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "problem", json_string(job->target.name));
    put_method(report, sim);
    if (job->warning[0]) json_object_set_new(report, "warning", json_string(job->warning));
    if (!sim->integrator || sim->started < 0) return report;

    const sodae_view *view = sodae_state(sim->integrator);
    const sodae_statistics all = cli_counters(sim), *statistics = &all;
    put_warnings(report, sim);
    put_state(report, view);
    put_channels(report, sim);
    json_object_set_new(report, "residual", levels(sim->residual_position, sim->residual_velocity));
    json_object_set_new(report, "worst_residual",
                        levels(statistics->worst_position, statistics->worst_velocity));
    json_object_set_new(report, "relative_residual",
                        levels(sim->relative_position, sim->relative_velocity));
    json_object_set_new(
        report, "worst_relative_residual",
        levels(statistics->worst_relative_position, statistics->worst_relative_velocity));
    put_unresolved(report, sim);
    json_object_set_new(report, "steps", json_integer(view->step));
    json_object_set_new(report, "counters", counters(statistics));
    json_object_set_new(report, "start", cli_json_start(sim->started, &sim->start));
    json_object_set_new(report, "timing", timing(sim));
    if (statistics->singularities) put_singularities(report, sim);
    if (job->target.problem.nevents) put_events(report, sim);
    if (sim->verification.steps) put_verification(report, sim);
    put_verdict(report, sim);
    put_energies(report, sim);
    put_mechanism(report, sim);
    if (sim->measure.known) put_errors(report, &sim->measure);
    return report;
}
