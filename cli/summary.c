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
    if (s->redundant)
        printf("constraints  %s say the same; their reactions are not unique, those of least size "
               "are given\n",
               s->redundant_names);
    if (s->q_moved == 0 && s->v_moved == 0) return;
    printf("initial values moved onto the constraints: q by %.3g, v by %.3g "
           "(residuals %.3g, %.3g before)\n",
           s->q_moved, s->v_moved, s->position_before, s->velocity_before);
}

void cli_summary(const cli_simulation *sim) {
    const cli_job *job = sim->job;
    const sodae_view *view = sodae_state(sim->integrator);
    const sodae_statistics *s = sodae_counters(sim->integrator);
    printf("problem      %s\n", job->target.name);
    printf("method       %s, formulation %s\n", sodae_method_name(job->options.method),
           cli_formulation(job));
    printf("time         %g to %.15g in %ld steps\n", job->target.problem.initial.t, view->t,
           view->step);
    print_start(sodae_started(sim->integrator));
    putchar('\n');
    print_state(view);
    if (sim->measure.known && view->step > 0) print_errors(&sim->measure);
    printf("\n%-12s  %14s  %14s\n", "constraints", "position", "velocity");
    printf("%-12s  %14.3e  %14.3e\n", "at the end", sim->residual_position, sim->residual_velocity);
    printf("%-12s  %14.3e  %14.3e\n", "worst", s->worst_position, s->worst_velocity);
    printf("\nNewton iterations %ld, Jacobians %ld, factorizations %ld, solves %ld\n",
           s->newton_iterations, s->jacobians, s->factorizations, s->solves);
    if (job->pattern) printf("step pattern %s of h = %g\n", job->pattern, job->options.step);
    if (sim->csv.path) printf("results in %s\n", sim->csv.path);
}
