/* Work and precision of all methods on each problem. */
#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>

typedef struct contender {
    const char *name, *options;
    plot_marker marker;
} contender;

static const contender contenders[] = {
    {"gen-α, index 3", "generalized-alpha --formulation index3", PLOT_SQUARE},
    {"gen-α, stabilized", "generalized-alpha --formulation stabilized", PLOT_CIRCLE},
    {"gen-α, SOI2", "generalized-alpha --formulation soi2", PLOT_CROSS},
    {"extended HHT", "extended-hht", PLOT_PLUS},
    {"Radau IIA, s = 2", "radau-iia --stages 2", PLOT_SQUARE},
    {"Radau IIA, s = 3", "radau-iia --stages 3", PLOT_CIRCLE},
    {"MSR(2,2)", "msr --steps 2 --stages 2", PLOT_CROSS},
    {"MSR(3,2)", "msr --steps 3 --stages 2", PLOT_PLUS},
    {"DC(4,2)", "dc --steps 4 --stages 2", PLOT_STAR},
    {"modified BDF", "modified-bdf", PLOT_TRIANGLE},
    {"direct BDF", "direct-bdf", PLOT_DOT},
    {"BDF, GGL", "bdf --formulation ggl", PLOT_STAR},
};
enum { CONTENDERS = sizeof contenders / sizeof contenders[0], TOLERANCES = 5 };

static const char *const problems[] = {"pendulum",     "spring-pendulum", "heavy-top",
                                       "rolling-disk", "unit-circle",     "all-blocks",
                                       "andrews",      "truck11"};
enum { PROBLEMS = sizeof problems / sizeof problems[0] };

typedef struct record {
    int n;
    double work[TOLERANCES], q[TOLERANCES], multipliers[TOLERANCES];
} record;

/* Tolerances 10⁻³ to 10⁻⁷; a method that has become slow is not asked for more. */
static void measure(const char *problem, const contender *c, record *r) {
    const double patience = 20000; /* evaluations */
    r->n = 0;
    for (int k = 0; k < TOLERANCES; k++) {
        trace t;
        trace_try(&t, "%s --method %s --rtol 1e-%d", problem, c->options, k + 3);
        double work = (double)t.counters.evaluations[SODAE_FORCE];
        int stop = t.failed || work > patience;
        if (!t.failed) {
            r->work[r->n] = work;
            r->q[r->n] = t.end[CLI_Q];
            r->multipliers[r->n++] = fmax(t.end[CLI_LAMBDA], t.end[CLI_PSI]);
        }
        trace_free(&t);
        if (stop) return;
    }
}

static void draw(page *p, const char *problem, const record *records) {
    static const char *const sides[] = {"q", "multipliers"};
    plots_begin(p);
    for (int side = 0; side < 2; side++) {
        char title[80];
        snprintf(title, sizeof title, "%s: %s", problem, sides[side]);
        plot picture = {.title = title,
                        .x_label = "error at the end",
                        .y_label = "evaluations of the force",
                        .log_x = 1,
                        .log_y = 1};
        for (int i = 0; i < CONTENDERS; i++)
            if (records[i].n)
                plot_curve_add(&picture,
                               &(plot_curve){.name = contenders[i].name,
                                             .marker = contenders[i].marker,
                                             .x = side ? records[i].multipliers : records[i].q,
                                             .y = records[i].work,
                                             .n = records[i].n,
                                             .colour = i + 1});
        plot_draw(p, &picture);
    }
    plots_end(p, problem);
}

/* The method that reaches the error with the least work; its work, infinite if none does. */
static int cheapest(const record *records, double error, int multipliers, double *work) {
    int best = -1;
    *work = INFINITY;
    for (int i = 0; i < CONTENDERS; i++)
        for (int k = 0; k < records[i].n; k++)
            if ((multipliers ? records[i].multipliers[k] : records[i].q[k]) <= error &&
                records[i].work[k] < *work) {
                *work = records[i].work[k];
                best = i;
            }
    return best;
}

static void winner(page *p, const record *records, double error, int multipliers) {
    double work;
    int best = cheapest(records, error, multipliers, &work);
    if (best < 0)
        table_text(p, "–");
    else
        table_text(p, "%s (%.0f)", contenders[best].name, work);
}

static void run(page *p) {
    static const double errors[] = {1e-3, 1e-5};
    record records[PROBLEMS][CONTENDERS];
    page_say(p,
             "Error control with rtol = atol = 10⁻³ to 10⁻⁷. Work is counted in evaluations of the "
             "force, Jacobians by differences included where the problem gives none, so that the "
             "pictures are the same on every machine; computing time is measured in bench/. A "
             "curve ends where a method fails or has needed more than 20000 evaluations.");
    for (int i = 0; i < PROBLEMS; i++) {
        for (int m = 0; m < CONTENDERS; m++) measure(problems[i], &contenders[m], &records[i][m]);
        draw(p, problems[i], records[i]);
    }
    table_begin(p, "Cheapest method (evaluations)",
                "problem|q to 10⁻³|q to 10⁻⁵|multipliers to 10⁻³|multipliers to 10⁻⁵");
    for (int i = 0; i < PROBLEMS; i++) {
        table_row(p);
        table_text(p, "%s", problems[i]);
        for (int k = 0; k < 4; k++) winner(p, records[i], errors[k % 2], k / 2);
    }
    table_end(p);
    for (int i = 0; i < PROBLEMS; i++) {
        double work;
        int best = cheapest(records[i], 1e-5, 0, &work);
        page_claim(p, best >= 4,
                   "%s: for q to 10⁻⁵ a method of higher order than 2 is cheapest (%s)",
                   problems[i], best < 0 ? "none" : contenders[best].name);
    }
}

const experiment beyond_work = {"beyond", "Work and precision", "All methods on each problem", run};
