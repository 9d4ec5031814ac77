/* 000, Fig. 5.6: the angle of the rod pendulum over time. */
#include "papers/p000.h"

#include <math.h>
#include <stdio.h>

typedef struct sample {
    double t, y3, z3;
} sample;

/* Angle and its rate by an explicit method of order 8 on (5.5), 13 digits. */
static const sample samples[] = {
    {0.1, 5.394433848868, 2.769831111369},  {0.2, 5.265022466131, -4.625303891553},
    {0.5, 4.405782798391, 2.756282484707},  {1.0, 4.578481487894, -0.326536288170},
    {2.0, 4.727778699884, -0.198184434704}, {4.0, 4.711868115942, 0.001202266114},
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void compare(page *p, const trace *t) {
    double worst = 0;
    table_begin(p, "Angle and rate, h = 1/2000",
                "t|y₃|reference|difference|z₃|reference|difference");
    for (int i = 0; i < SAMPLES; i++) {
        int row = trace_row_at(t, samples[i].t);
        double y3 = trace_value(t, row, TRACE_Q, 2), z3 = trace_value(t, row, TRACE_V, 2);
        worst = fmax(worst, fabs(y3 - samples[i].y3));
        table_row(p);
        table_text(p, "%g", samples[i].t);
        table_text(p, "%.8f", y3);
        table_text(p, "%.8f", samples[i].y3);
        table_real(p, y3 - samples[i].y3);
        table_text(p, "%.8f", z3);
        table_text(p, "%.8f", samples[i].z3);
        table_real(p, z3 - samples[i].z3);
    }
    table_end(p);
    page_claim_in(p, worst, 0, 1e-5, "largest difference of y₃ to the reference");
    page_claim_in(p, trace_last(t, TRACE_Q, 2), 4.711, 4.713,
                  "y₃(4), near the angle 3π/2 = 4.712 at which the spring is relaxed");
}

static void run(page *p) {
    trace t;
    trace_run(&t, p,
              "spring-pendulum --method extended-hht --alpha 0 --set option.b=0 "
              "--step 1/2000 --t-end 4");
    if (!t.failed) {
        plot picture = {
            .title = "Fig. 5.6: angle y₃(t)", .x_label = "t", .y_label = "y₃", .ncurves = 1};
        picture.curves[0] = (plot_curve){.name = "y₃",
                                         .x = trace_column(&t, TRACE_TIME, 0),
                                         .y = trace_column(&t, TRACE_Q, 2),
                                         .n = t.rows / 10,
                                         .stride = 10 * t.width};
        page_say(p, "Rod with torsional spring and damper, started at y₃ = 3π/2 with z₃ = 10.");
        plots_begin(p);
        plot_draw(p, &picture);
        plots_end(p, "The oscillation dies out within four seconds, as in the paper's picture.");
        compare(p, &t);
        trace_show_command(p, t.command);
    }
    trace_free(&t);
}

const experiment p000_fig56 = {"000", "Fig. 5.6", "The rod pendulum", run};
