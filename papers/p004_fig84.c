/* 004, Figs. 8.4 to 8.7: the planar truck. */
#include "papers/p004.h"

enum { RUNS = 2 };
static const char *const methods[RUNS] = {"modified-bdf", "bdf"};
static const char *const names[RUNS] = {"modified BDF", "ordinary BDF"};

static void draw(page *p, const trace *t) {
    plot seat = {.title = "Figs. 8.4, 8.5: seat p₉(t)", .x_label = "t", .y_label = "p₉"};
    plot force = {.title = "Figs. 8.6, 8.7: λ(t)", .x_label = "t", .y_label = "λ"};
    for (int k = 0; k < RUNS; k++) {
        plot_curve c = {.name = names[k],
                        .x = trace_column(&t[k], TRACE_TIME, 0),
                        .y = trace_column(&t[k], TRACE_Q, 8),
                        .n = t[k].rows,
                        .stride = t[k].width};
        plot_curve_add(&seat, &c);
        c.y = trace_column(&t[k], TRACE_LAMBDA, 0);
        plot_curve_add(&force, &c);
    }
    plots_begin(p);
    plot_draw(p, &seat);
    plot_draw(p, &force);
    plots_end(p, "Motion of the driver’s seat and force in the hinge of the loading area.");
}

static void run(page *p) {
    trace t[RUNS];
    int failed = 0;
    for (int k = 0; k < RUNS; k++) {
        trace_run(
            &t[k], p,
            "truck11 --method %s --rtol 1e-3 --atol 1e-4 --atol-v 1e-3 --max-step 0.1 --t-end 3",
            methods[k]);
        failed |= t[k].failed;
    }
    page_misprint(
        p, "526 steps of modified BDF, 1268 of DASSL over 20 seconds", "cannot be checked",
        "the data of the truck of 1994 (bodies, springs, road) are not public. truck11 has "
        "its bodies, coordinates and joint; wheels, suspensions, cabin and load are those of "
        "the truck of Eich-Soellner and Führer (1998), engine, seat and road are assumed. "
        "The curves are like those of the thesis in kind, not in number");
    if (!failed) draw(p, t);
    page_claim(p, t[0].end[CLI_Q] < 1e-3 && t[1].end[CLI_Q] < 1e-3,
               "positions at t = 3: modified BDF off by %.1e, ordinary by %.1e", t[0].end[CLI_Q],
               t[1].end[CLI_Q]);
    page_claim(p, t[0].end[CLI_LAMBDA] < 340,
               "λ at t = 3 of modified BDF is off by %.2g, a part of %.1e of the static force",
               t[0].end[CLI_LAMBDA], t[0].end[CLI_LAMBDA] / 68056.2088889);
    page_claim(p, fabs(trace_last(&t[0], TRACE_LAMBDA, 0) / 68056.2 - 1) < 0.05,
               "λ comes back to the static force of the load: %.0f of 68056",
               trace_last(&t[0], TRACE_LAMBDA, 0));
    page_say(p, "Steps: modified BDF %ld, ordinary BDF %ld.", t[0].counters.steps,
             t[1].counters.steps);
    trace_show_command(p, t[0].command);
    for (int k = 0; k < RUNS; k++) trace_free(&t[k]);
}

const experiment p004_fig84 = {"004", "Figs. 8.4–8.7", "The planar truck", run};
