/* 003, section 4.1: how much the matrix T amplifies, and c∞. */
#include "papers/experiment.h"

#include <sodae/analysis.h>

#include <math.h>

enum { POWERS = 400, RHOS = 691 };

static double growth(double rho, int *at, double row[3], int row_at[3]) {
    double T[9], largest = NAN;
    sodae_alpha_coefficients c = sodae_chung_hulbert(rho);
    sodae_amplification(&c, SODAE_ERROR_INDEX3, T, NULL, NULL);
    sodae_amplification_growth(T, POWERS, &largest, at, NULL, row, row_at);
    return largest;
}

static void factors(page *p) {
    static const struct {
        double rho, printed;
        int at;
    } known[] = {{0.9, 34.3, 14}, {0.6, 7.4, 3}};
    table_begin(p, "max ‖T<sup>n</sup>‖₂", "ρ<sub>∞</sub>|printed|sodae|difference|n printed|n");
    for (int i = 0; i < 2; i++) {
        int at;
        double found = growth(known[i].rho, &at, NULL, NULL);
        table_row(p);
        table_text(p, "%g", known[i].rho);
        table_compare(p, known[i].printed, found);
        table_text(p, "%d", known[i].at);
        table_text(p, "%d", at);
    }
    table_end(p);
    for (int i = 0; i < 2; i++) {
        int at;
        double found = growth(known[i].rho, &at, NULL, NULL);
        page_claim(p, fabs(found - known[i].printed) < 0.05 && at == known[i].at,
                   "ρ<sub>∞</sub> = %g: printed %g at n = %d, found %.3f at n = %d", known[i].rho,
                   known[i].printed, known[i].at, found, at);
    }
}

static void c_inf(page *p) {
    static const double rho[] = {0.6, 0.9, 0.99}, printed[] = {2.2, 28.5, 2.7e3};
    table_begin(p, "c<sub>∞</sub> = max n(n−1)/2 ρ<sub>∞</sub><sup>n−2</sup>",
                "ρ<sub>∞</sub>|printed|sodae|difference");
    for (int i = 0; i < 3; i++) {
        table_row(p);
        table_text(p, "%g", rho[i]);
        table_compare(p, printed[i], sodae_c_inf(rho[i], NULL));
    }
    table_end(p);
    for (int i = 0; i < 3; i++)
        page_claim_near(p, sodae_c_inf(rho[i], NULL), printed[i], 0.02, "c<sub>∞</sub>");
}

/* max ‖Tⁿ‖ over ρ and the approximation 0.9/(1 − ρ^0.25) of the paper. */
static void approximation(page *p) {
    double rho[RHOS], found[RHOS], formula[RHOS], worst = 0, at = 0;
    for (int i = 0; i < RHOS; i++) {
        rho[i] = 0.3 + 0.001 * i;
        int n;
        found[i] = growth(rho[i], &n, NULL, NULL);
        formula[i] = 0.9 / (1 - pow(rho[i], 0.25));
        double off = fabs(formula[i] / found[i] - 1);
        if (off > worst) worst = off, at = rho[i];
    }
    plot picture = {.title = "Largest amplification",
                    .x_label = "ρ",
                    .y_label = "max ‖Tⁿ‖₂",
                    .log_y = 1,
                    .ncurves = 2,
                    .curves = {{"max ‖Tⁿ‖₂", PLOT_NONE, 0, rho, found, RHOS, 1},
                               {"0.9/(1 − ρ^0.25)", PLOT_NONE, 0, rho, formula, RHOS, 1}}};
    plots_begin(p);
    plot_draw(p, &picture);
    plots_end(p, "The approximation of section 4.1.");
    page_claim(p, worst > 0.033 && worst < 0.034 && fabs(at - 0.528) < 0.0015,
               "the approximation is off by at most %.2f %% on [0.3, 0.99], at ρ = %.3f",
               100 * worst, at);
    page_misprint(p, "“with a relative error &lt; 3 %” on [0.3, 0.99]",
                  "at most 3.4 %; more than 3 % on [0.524, 0.533] and [0.638, 0.644]",
                  "evaluated on a grid of 0.001");
}

static void run(page *p) {
    double row[3];
    int at[3], n;
    page_say(p, "T = T₊⁻¹T₀ has the threefold eigenvalue −ρ<sub>∞</sub> in one Jordan block: its "
                "powers grow before they decay.");
    factors(p);
    c_inf(p);
    approximation(p);
    growth(0.9, &n, row, at);
    page_claim(
        p, fabs(row[0] - 31.933) < 1e-3 && at[0] == 15,
        "second row of T<sup>n</sup>, ρ<sub>∞</sub> = 0.9: largest %.3f, %.3f, %.3f at n = %d, "
        "%d, %d",
        row[0], row[1], row[2], at[0], at[1], at[2]);
    page_misprint(
        p, "maxima of the second row of T<sup>n</sup> for ρ<sub>∞</sub> = 0.9: 31.91, 0.81, 0.31",
        "31.933 (n = 15), 0.900 (n = 1), 0.309 (n = 25)",
        "31.911 is the value at n = 16 and 0.81 that at n = 2");
    page_misprint(p, "(55b) with e<sub>n+1</sub> − α<sub>m</sub>/(1−α<sub>m</sub>) e<sub>n</sub>",
                  "+ instead of −", "see (39): the eigenvalue is −α<sub>m</sub>/(1−α<sub>m</sub>)");
}

const experiment p003_factors = {"003", "Section 4.1", "Amplification factors", run};
