/* The report of one run, for people. */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Numbers at the end by name; a large model shows the first ones only. */
static void print_state(const cli_simulation *sim) {
    enum { SHOWN = 40 };
    const channel_list *c = &sim->output.channels;
    int width = 8;
    channel_row(c, sodae_state(sim->integrator), sim->output.row);
    for (int i = 1; i < c->count && i <= SHOWN; i++)
        if ((int)strlen(c->item[i].name) > width) width = (int)strlen(c->item[i].name);
    for (int i = 1; i < c->count && i <= SHOWN; i++)
        printf("%-*s  %18.11g%s%s\n", width, c->item[i].name, sim->output.row[i],
               *c->item[i].unit ? "  " : "", c->item[i].unit);
    if (c->count - 1 > SHOWN) printf("and %d more (--json has them all)\n", c->count - 1 - SHOWN);
}

static void print_errors(const cli_measure *m) {
    printf("\n%-8s  %14s  %14s  %8s\n", "error", "at the end", "largest", "at step");
    for (int i = 0; i < CLI_PARTS; i++)
        if (!isnan(m->worst[i]))
            printf("%-8s  %14.6e  %14.6e  %8ld\n", cli_part_name(i), m->now[i], m->worst[i],
                   m->worst_at[i]);
}

const char *cli_moved(const sodae_start_report *s, char *text, size_t size) {
    text[0] = 0;
    if (s->q_moved > 0 && s->v_moved > 0)
        snprintf(text, size, "moved onto the constraints: q by %.3g (%s), v by %.3g (%s)",
                 s->q_moved, s->q_moved_name, s->v_moved, s->v_moved_name);
    else if (s->q_moved > 0 || s->v_moved > 0)
        snprintf(text, size, "moved onto the constraints: %s by %.3g (%s)",
                 s->q_moved > 0 ? "q" : "v", s->q_moved > 0 ? s->q_moved : s->v_moved,
                 s->q_moved > 0 ? s->q_moved_name : s->v_moved_name);
    return text;
}

static void print_start(const sodae_start_report *s) {
    char text[400];
    if (s->redundant)
        printf("%s, those of least size are given\n",
               cli_dependence_text(s->redundant_names, 0, "", text, sizeof text));
    if (!cli_moved(s, text, sizeof text)[0]) return;
    printf("initial values %s (residuals %.3g, %.3g before)\n", text, s->position_before,
           s->velocity_before);
    if (s->far_moved[0])
        printf("warning      initial values moved by more than a tenth of their size: %s\n",
               s->far_moved);
}

/* Mechanisms are assembled before they are started. */
static const sodae_start_report *start_of(const cli_simulation *sim) {
    const sodae_model *model = sim->job->target.model;
    const sodae_mechanism *m = model ? sodae_model_mechanism(model) : NULL;
    return m && sodae_mechanism_assembly(m)->q_moved > 0 ? sodae_mechanism_assembly(m)
                                                         : &sim->start;
}

/* Relative to the size of each constraint. */
static void print_residuals(const cli_simulation *sim, const sodae_statistics *s) {
    printf("\n%-12s  %14s  %14s   relative to their size\n", "constraints", "position", "velocity");
    printf("%-12s  %14.3e  %14.3e\n", "at the end", sim->relative_position, sim->relative_velocity);
    printf("%-12s  %14.3e  %14.3e\n", "worst", s->worst_relative_position,
           s->worst_relative_velocity);
}

static void print_unresolved(const cli_simulation *sim) {
    char names[200];
    if (!sodae_unresolved(sim->integrator, names, sizeof names)) return;
    printf("unresolved   largest values below 100 atol: %s; give a smaller atol\n", names);
}

static void print_singularities(const cli_simulation *sim) {
    enum { SHOWN = 5 };
    int count;
    char text[400];
    const sodae_singularity *x = sodae_singularities(sim->integrator, &count);
    long all = sodae_counters(sim->integrator)->singularities;
    if (!all) return;
    printf("\n%ld singular configuration%s\n", all, all > 1 ? "s" : "");
    for (int i = 0; i < count && i < SHOWN; i++)
        printf("  %s\n", cli_singularity_text(&x[i], text, sizeof text));
    if (all > SHOWN) printf("  and %ld more (--json has the first 16)\n", all - SHOWN);
}

static void print_events(const cli_simulation *sim) {
    enum { SHOWN = 20 };
    const sodae_problem *p = &sim->job->target.problem;
    const cli_verdict *d = &sim->verdict;
    if (!p->nevents) return;
    printf("\n%ld event%s\n", d->count, d->count == 1 ? "" : "s");
    for (long i = 0; i < d->count && i < SHOWN; i++)
        printf("  t = %-18.12g %s\n", d->events[i].t, cli_event_name(p, (int)d->events[i].event));
    if (d->count > SHOWN) printf("  and %ld more (--json has them all)\n", d->count - SHOWN);
}

static void print_statistics(const cli_simulation *sim, const sodae_statistics *s) {
    double all = sim->seconds_start + sim->seconds_steps + sim->seconds_output;
    printf("\nsteps        %ld, refused %ld", s->steps, s->refused);
    if (s->refused)
        printf(" (error test %ld, Newton %ld, functions of the problem %ld, monitors %ld)",
               s->refused_error, s->refused_newton, s->refused_callback, s->refused_monitor);
    printf("\nNewton       iterations %ld, Jacobians %ld, factorizations %ld, solves %ld\n",
           s->newton_iterations, s->jacobians, s->factorizations, s->solves);
    if (s->linear_solver) printf("matrices     %s (%s)\n", s->linear_solver, s->linear_reason);
    printf("evaluations ");
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        if (s->evaluations[f]) printf(" %s %ld", sodae_function_name(f), s->evaluations[f]);
    printf("\nseconds      %.3g: start %.2g, steps %.2g, output %.2g; %.0f steps per second\n", all,
           sim->seconds_start, sim->seconds_steps, sim->seconds_output,
           all > 0 ? (double)s->steps / all : 0);
}

static void print_phases(const sodae_seconds *s) {
    double all = s->all > 0 ? s->all : 1;
    printf(
        "of them      callbacks %.0f %%, factorizations %.0f %%, solves %.0f %%, rest %.0f %% of "
        "%.3g\n",
        100 * s->callbacks / all, 100 * s->factorizations / all, 100 * s->solves / all,
        100 * (all - s->callbacks - s->factorizations - s->solves) / all, s->all);
}

static void print_verification(const cli_simulation *sim) {
    const sodae_verification *e = &sim->verification;
    const sodae_problem *p = &sim->job->target.problem;
    printf("closer run   rtol %.2g, %ld steps, %.2g s", e->rtol, e->steps, sim->seconds_verify);
    if (sim->verified == SODAE_UNVERIFIED) {
        printf(": the error is not known\n");
        return;
    }
    printf("; compared at %ld states\nerrors       in tolerances: q %.2g, v %.2g", e->compared,
           e->q, e->v);
    if (p->nr) printf(", r %.2g", e->r);
    if (p->nlambda + p->npsi) printf(", multipliers %.2g", e->multipliers);
    if (e->entry >= 0)
        printf("; largest: %s (%s) at t = %.6g, by %.2g", e->name, sodae_variable_name(e->of), e->t,
               e->amount);
    putchar('\n');
}

void cli_summary(const cli_simulation *sim) {
    const cli_job *job = sim->job;
    const sodae_view *view = sodae_state(sim->integrator);
    const sodae_statistics all = cli_counters(sim), *s = &all;
    char verdict[400];
    printf("problem      %s\n", job->target.name);
    printf("method       %s, formulation %s\n", sodae_method_name((int)s->method),
           sodae_formulation_name((int)s->formulation));
    if (s->method_reason) printf("             %s\n", s->method_reason);
    printf("time         %g to %.15g in %ld step%s", job->target.problem.initial.t, view->t,
           view->step, view->step == 1 ? "" : "s");
    if (sim->stopped >= 0)
        printf(", stopped by '%s'", cli_event_name(&job->target.problem, sim->stopped));
    putchar('\n');
    print_start(start_of(sim));
    putchar('\n');
    print_state(sim);
    if (sim->measure.known && view->step > 0) print_errors(&sim->measure);
    if (job->target.problem.nlambda + job->target.problem.npsi) print_residuals(sim, s);
    print_unresolved(sim);
    print_singularities(sim);
    print_events(sim);
    print_statistics(sim, s);
    if (job->options.timing) print_phases(&s->seconds);
    if (sim->verification.steps) print_verification(sim);
    if (job->pattern) printf("step pattern %s of h = %g\n", job->pattern, job->options.step);
    if (sim->output.path)
        printf("results in %s: %ld rows\n", sim->output.path,
               results_rows(sim->output.writer, NULL));
    for (int i = 0; cli_simulation_warning(sim, &i, verdict, sizeof verdict);)
        printf("warning: %s\n", verdict);
    printf("verdict: %s\n", cli_simulation_verdict(sim, verdict, sizeof verdict));
}
