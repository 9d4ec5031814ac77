/* 003, Fig. 5: ‖η‖ and λ₃ of the stabilized index 2 form. */
#include "papers/experiment.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 2001 };

typedef struct history {
    double t[ROWS], eta[ROWS], largest;
    int n;
} history;

static void eta_history(page *p, const char *h, history *out) {
    trace t;
    trace_run(&t, p, "heavy-top --formulation stabilized --rho-inf 0.9 --step %s --t-end 1", h);
    for (int i = 1; i < t.rows && i < ROWS; i++) {
        out->t[out->n] = trace_value(&t, i, TRACE_TIME, 0);
        out->eta[out->n] = trace_norm(&t, i, TRACE_ETA);
        out->largest = fmax(out->largest, out->eta[out->n++]);
    }
    trace_free(&t);
}

static void draw(page *p, const history *coarse, const history *fine, const trace *t) {
    plot left = {.title = "Fig. 5 left: ‖ηₙ‖",
                 .x_label = "t",
                 .y_label = "‖ηₙ‖",
                 .ncurves = 2,
                 .curves = {{"h = 10⁻³", PLOT_NONE, 0, coarse->t, coarse->eta, coarse->n, 1},
                            {"h = 5·10⁻⁴", PLOT_NONE, 0, fine->t, fine->eta, fine->n, 1}}};
    plot right = {.title = "Fig. 5 right: λ₃, h = 10⁻³",
                  .x_label = "t",
                  .y_label = "λ₃",
                  .y_low = -440,
                  .y_high = -200,
                  .ncurves = 2,
                  .curves = {{"ρ = 0.9", PLOT_DOT, 1, trace_column(t, TRACE_TIME, 0),
                              trace_column(t, TRACE_LAMBDA, 2), t->rows, t->width},
                             {"reference", PLOT_NONE, 0, trace_column(t, TRACE_TIME, 0),
                              trace_column(t, TRACE_EXACT_LAMBDA, 2), t->rows, t->width}}};
    plots_begin(p);
    plot_draw(p, &left);
    plot_draw(p, &right);
    plots_end(p, "Stabilized index 2 form, ρ<sub>∞</sub> = 0.9.");
}

static void run(page *p) {
    history *coarse = calloc(1, sizeof *coarse), *fine = calloc(1, sizeof *fine);
    trace t;
    trace_run(&t, p,
              "heavy-top --formulation stabilized --rho-inf 0.9 --start plain --step 1e-3 "
              "--t-end 0.1");
    if (coarse && fine && !t.failed) {
        eta_history(p, "1e-3", coarse);
        eta_history(p, "5e-4", fine);
        page_say(p, "With both constraints imposed there are no oscillations; η goes to zero with "
                    "second order.");
        draw(p, coarse, fine, &t);
        page_claim_in(p, log2(coarse->largest / fine->largest), 1.97, 2.03, "order of max ‖η‖");
        page_claim_in(p, coarse->largest, 1.143e-2, 1.145e-2,
                      "max ‖η‖ for h = 10⁻³; an independent run found 1.1440e-2");
        page_claim_in(p, t.worst[CLI_LAMBDA], 0, 1.3, "largest error of λ in the first 100 steps");
    }
    trace_show_command(p, t.command);
    trace_free(&t);
    free(coarse);
    free(fine);
}

const experiment p003_fig5 = {"003", "Fig. 5", "Heavy top: stabilized index 2 form", run};
