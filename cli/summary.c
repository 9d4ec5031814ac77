/* The report of one run, for people. */
#include "cli/report.h"

#include <math.h>
#include <stdio.h>

typedef struct column {
    const char *name;
    const double *x;
    int count;
} column;

enum { COLUMNS = 10 };

/* Blocks side by side, one row per component. */
static void print_table(const column *columns, int count) {
    int rows = 0;
    printf("   ");
    for (int j = 0; j < count; j++) {
        printf("  %18s", columns[j].name);
        if (columns[j].count > rows) rows = columns[j].count;
    }
    putchar('\n');
    for (int i = 0; i < rows; i++) {
        int last = 0;
        for (int j = 0; j < count; j++)
            if (i < columns[j].count) last = j;
        printf("%3d", i + 1);
        for (int j = 0; j <= last; j++)
            if (i < columns[j].count)
                printf("  %18.11g", columns[j].x[i]);
            else
                printf("  %18s", "");
        putchar('\n');
    }
}

static void print_state(const sodae_view *view) {
    const column all[COLUMNS] = {
        {"q", view->q, view->nq},       {"v", view->v, view->nv},
        {"a", view->a, view->nv},       {"lambda", view->lambda, view->nlambda},
        {"psi", view->psi, view->npsi}, {"eta", view->eta, view->eta ? view->nlambda : 0},
        {"r", view->r, view->nr},       {"w", view->w, view->nw},
        {"s", view->s, view->ns},
    };
    column present[COLUMNS];
    int count = 0;
    for (int i = 0; i < COLUMNS; i++)
        if (all[i].x && all[i].count) present[count++] = all[i];
    print_table(present, count);
}

static void print_errors(const cli_measure *m) {
    printf("\n%-8s  %14s  %14s  %8s\n", "error", "at the end", "largest", "at step");
    for (int i = 0; i < CLI_PARTS; i++)
        if (!isnan(m->worst[i]))
            printf("%-8s  %14.6e  %14.6e  %8ld\n", cli_part_name(i), m->now[i], m->worst[i],
                   m->worst_at[i]);
}

static void print_start(const sodae_start_report *s) {
    char text[400];
    if (s->redundant)
        printf("%s, those of least size are given\n",
               cli_dependence_text(s->redundant_names, 0, "", text, sizeof text));
    if (s->q_moved == 0 && s->v_moved == 0) return;
    printf("initial values moved onto the constraints: q by %.3g, v by %.3g "
           "(residuals %.3g, %.3g before)\n",
           s->q_moved, s->v_moved, s->position_before, s->velocity_before);
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
        printf("  t = %-18.12g %s\n", d->events[i].t, cli_event_name(p, d->events[i].event));
    if (d->count > SHOWN) printf("  and %ld more (--json has them all)\n", d->count - SHOWN);
}

static void print_statistics(const cli_simulation *sim, const sodae_statistics *s) {
    double all = sim->seconds_start + sim->seconds_steps + sim->seconds_output;
    printf("\nsteps        %ld, refused %ld", s->steps, s->refused);
    if (s->refused)
        printf(" (error test %ld, Newton %ld, functions of the problem %ld%s", s->refused_error,
               s->refused_newton, s->refused_callback, s->refused_kink ? "" : ")");
    if (s->refused_kink) printf(", kinks %ld)", s->refused_kink);
    printf("\nNewton       iterations %ld, Jacobians %ld, factorizations %ld, solves %ld\n",
           s->newton_iterations, s->jacobians, s->factorizations, s->solves);
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

/* Only what the problem has. */
static const char *errors_text(const sodae_errors *e, const sodae_problem *p, char *text,
                               size_t size) {
    int used = snprintf(text, size, "q %.2g, v %.2g", e->q, e->v);
    if (p->nr) used += snprintf(text + used, size - (size_t)used, ", r %.2g", e->r);
    if (p->nlambda + p->npsi)
        snprintf(text + used, size - (size_t)used, ", multipliers %.2g", e->lambda);
    return text;
}

static void print_verification(const cli_simulation *sim) {
    const sodae_verification *e = &sim->error;
    const sodae_problem *p = &sim->job->target.problem;
    char largest[120], end[120];
    if (isnan(e->error)) {
        printf("not verified runs with other tolerances (%ld steps, %.2g s) fail or end otherwise: "
               "the error is not known\n",
               e->steps, sim->seconds_verify);
        return;
    }
    printf("%s by a run with rtol %.2g (%ld steps, %.2g s): errors in tolerances about\n"
           "             %s; largest at t = %.6g\n"
           "             %s at the end\n",
           sim->verified == SODAE_UNVERIFIED ? "doubtful    " : "verified    ", e->rtol, e->steps,
           sim->seconds_verify, errors_text(&e->largest, p, largest, sizeof largest), e->t,
           errors_text(&e->end, p, end, sizeof end));
    if (!isnan(e->stop)) printf("             time of the stop: error about %.2g\n", e->stop);
}

void cli_summary(const cli_simulation *sim) {
    const cli_job *job = sim->job;
    const sodae_view *view = sodae_state(sim->integrator);
    const sodae_statistics *s = sodae_counters(sim->integrator);
    char verdict[400];
    printf("problem      %s\n", job->target.name);
    printf("method       %s, formulation %s\n", cli_method(job), cli_formulation(job));
    printf("time         %g to %.15g in %ld steps", job->target.problem.initial.t, view->t,
           view->step);
    if (sim->stopped >= 0)
        printf(", stopped by '%s'", cli_event_name(&job->target.problem, sim->stopped));
    putchar('\n');
    print_start(&sim->start);
    putchar('\n');
    print_state(view);
    if (sim->measure.known && view->step > 0) print_errors(&sim->measure);
    printf("\n%-12s  %14s  %14s\n", "constraints", "position", "velocity");
    printf("%-12s  %14.3e  %14.3e\n", "at the end", sim->residual_position, sim->residual_velocity);
    printf("%-12s  %14.3e  %14.3e\n", "worst", s->worst_position, s->worst_velocity);
    print_singularities(sim);
    print_events(sim);
    print_statistics(sim, s);
    if (job->options.timing) print_phases(&s->seconds);
    if (sim->error.done) print_verification(sim);
    if (job->pattern) printf("step pattern %s of h = %g\n", job->pattern, job->options.step);
    if (sim->csv.path) printf("results in %s\n", sim->csv.path);
    printf("verdict: %s\n", cli_simulation_verdict(sim, verdict, sizeof verdict));
}
