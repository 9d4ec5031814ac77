/* 003, Example 2: q = t³ enforced by a constraint; the error is T^n E₀ exactly. */
#include "papers/experiment.h"

#include <sodae/analysis.h>

#include <math.h>

enum { STEPS = 40 };

static void run(page *p) {
    const double h = 0.1;
    double T[9], power[3] = {1, 0, 0}, n[STEPS + 1], found[STEPS + 1], predicted[STEPS + 1];
    double worst = 0;
    sodae_alpha_coefficients c = sodae_chung_hulbert(0.9);
    double alpha = c.alpha_m - c.alpha_f, C = 1 - 6 * c.beta - 3 * alpha;
    sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL);
    trace t;
    trace_run(&t, p, "cubic --rho-inf 0.9 --start shifted --step 0.1 --t-end 4");
    for (int i = 0; i <= STEPS && i < t.rows; i++) {
        n[i] = i;
        found[i] = trace_value(&t, i, TRACE_EXACT_LAMBDA, 0) - trace_value(&t, i, TRACE_LAMBDA, 0);
        predicted[i] = power[1] * C * h;
        if (i > 0) worst = fmax(worst, fabs(found[i] - predicted[i]));
        double next[3] = {0};
        for (int r = 0; r < 3; r++)
            for (int k = 0; k < 3; k++) next[r] += T[r + 3 * k] * power[k];
        for (int r = 0; r < 3; r++) power[r] = next[r];
    }
    plot picture = {.title = "Example 2: λ(tₙ) − λₙ",
                    .x_label = "n",
                    .y_label = "error of λ",
                    .ncurves = 2,
                    .curves = {{"sodae", PLOT_CIRCLE, 1, n, found, t.rows, 1},
                               {"(Tⁿ)₂₁ C h", PLOT_NONE, 0, n, predicted, t.rows, 1}}};
    page_say(p,
             "A single mass on q = t³, ρ<sub>∞</sub> = 0.9, h = 0.1. The paper's analysis is exact "
             "here: the error of λ after n steps is (T<sup>n</sup>)₂₁ (1 − 6β − 3Δα) h.");
    plots_begin(p);
    plot_draw(p, &picture);
    plots_end(p, "Error of λ, found and predicted.");
    page_claim_in(p, worst, 0, 1e-9, "largest difference to the prediction");
    trace_show_command(p, t.command);
    trace_free(&t);
}

const experiment p003_example2 = {"003", "Example 2", "The prediction is exact for q = t³", run};
