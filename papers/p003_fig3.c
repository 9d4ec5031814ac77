/* 003, Fig. 3: reference solution of the heavy top. */
#include "papers/experiment.h"

#include <math.h>

enum { EVERY = 40 };

static void draw(page *p, const trace *t) {
    int n = (t->rows - 1) / EVERY + 1, stride = EVERY * t->width;
    const double *time = trace_column(t, TRACE_TIME, 0);
    plot height = {.title = "Fig. 3: x₃(t)", .x_label = "t", .y_label = "x₃", .ncurves = 1};
    plot force = {.title = "Fig. 3: λ(t)", .x_label = "t", .y_label = "λ", .ncurves = 3};
    static const char *const names[] = {"λ₁", "λ₂", "λ₃"};
    height.curves[0] = (plot_curve){
        .name = "x₃", .x = time, .y = trace_column(t, TRACE_Q, 2), .n = n, .stride = stride};
    for (int i = 0; i < 3; i++)
        force.curves[i] = (plot_curve){.name = names[i],
                                       .x = time,
                                       .y = trace_column(t, TRACE_LAMBDA, i),
                                       .n = n,
                                       .stride = stride};
    plots_begin(p);
    plot_draw(p, &height);
    plot_draw(p, &force);
    plots_end(p, "Stabilized index 2 form with h = 2.5·10⁻⁵, as in the paper.");
}

static void run(page *p) {
    /* minimal coordinates, explicit order 8, 13 digits */
    static const double x[] = {0.173343964098, 0.640088592071, -0.748490791134};
    static const double lambda[] = {-517.600739477, -396.843101490, 404.574925163};
    trace t;
    trace_run(&t, p, "heavy-top --formulation stabilized --rho-inf 0.9 --step 2.5e-5 --t-end 1");
    page_say(p, "The paper computes its reference with the stabilized index 2 form and h = "
                "2.5·10⁻⁵. sodae also knows a solution in minimal coordinates to 13 digits.");
    if (!t.failed) draw(p, &t);
    table_begin(p, "State at t = 1", "|sodae, h = 2.5·10⁻⁵|minimal coordinates|difference");
    for (int i = 0; i < 6; i++) {
        double got = i < 3 ? trace_last(&t, TRACE_Q, i) : trace_last(&t, TRACE_LAMBDA, i - 3);
        double exact = i < 3 ? x[i] : lambda[i - 3];
        table_row(p);
        table_text(p, "%s<sub>%d</sub>", i < 3 ? "x" : "λ", i % 3 + 1);
        table_text(p, "%.9g", got);
        table_text(p, "%.12g", exact);
        table_real(p, got - exact);
    }
    table_end(p);
    page_claim_in(p, t.worst[CLI_Q], 4.9e-6, 5.2e-6,
                  "largest error of q on [0, 1]; an independent run found 5.05e-6");
    page_claim_in(p, t.worst[CLI_LAMBDA], 2.4e-3, 2.7e-3,
                  "largest error of λ on [0, 1]; an independent run found 2.53e-3");
    trace_show_command(p, t.command);
    trace_free(&t);
}

const experiment p003_fig3 = {"003", "Fig. 3", "Heavy top: reference solution", run};
