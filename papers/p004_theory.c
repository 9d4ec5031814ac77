/* 004, Table 2.1, Theorems 2.4.1, 2.4.2 and 5.3.4, Example 3.2.2; the summary and misprints. */
#include "papers/p004.h"

#include <sodae/analysis.h>
#include <sodae/stability.h>

#include <stdio.h>

static void run_table21(page *p) {
    /* times 60: 60 sum_i alpha_i y_(n-i) = 60 h f_n */
    static const double printed[SODAE_BDF_ORDERS][SODAE_BDF_ORDERS + 1] = {
        {60, -60},
        {90, -120, 30},
        {110, -180, 90, -20},
        {125, -240, 180, -80, 15},
        {137, -300, 300, -200, 75, -12},
        {147, -360, 450, -400, 225, -72, 10}};
    double worst = 0;
    table_begin(p,
                "BDF: Σ α<sub>i</sub> y<sub>n−i</sub> = h f<sub>n</sub>, error constant C, "
                "angle of A(α) stability",
                "k|60 α<sub>0</sub>, 60 α<sub>1</sub>, …|C|A(α) [°]");
    for (int k = 1; k <= SODAE_BDF_ORDERS; k++) {
        sodae_bdf_report r;
        if (sodae_bdf_check(k, &r) < 0) return;
        char text[160] = "";
        for (int i = 0, at = 0; i <= k; i++) {
            worst = fmax(worst, fabs(60 * r.alpha[i] - printed[k - 1][i]));
            at += snprintf(text + at, sizeof text - (size_t)at, "%s%.0f", i ? ", " : "",
                           60 * r.alpha[i]);
        }
        worst = fmax(worst, fabs(r.error_constant * (k + 1) - 1));
        table_row(p);
        table_text(p, "%d", k);
        table_text(p, "%s", text);
        table_text(p, "1/%.0f", 1 / r.error_constant);
        table_text(p, "%.2f", r.angle);
    }
    table_end(p);
    page_claim_in(p, worst, 0, 1e-11, "Table 2.1 and C = 1/(k + 1): largest difference");
}

const experiment p004_table21 = {"004", "Table 2.1", "Coefficients of BDF", run_table21};

/* The order of λ at the end of circular-track, seen in the last halving; a cell and a claim. */
static void order_cell(page *p, const char *command, double h, int rows, cli_part part,
                       double order, double off, const char *what) {
    const converge_figure figure = {.title = what,
                                    .command = command,
                                    .h = h,
                                    .rows = rows,
                                    .at_end = 1,
                                    .ncurves = 1,
                                    .curves = {{part, 0, "λ", "λ", PLOT_DOT, 0, 0}}};
    converge_result result;
    converge_run(p, &figure, &result);
    double seen = converge_order(&result, 0, rows - 1);
    table_text(p, "%.0f", order);
    table_text(p, "%.2f", seen);
    page_claim(p, fabs(seen - order) <= off, "%s: order %.0f predicted, %.2f seen", what, order,
               seen);
}

static void run_bdf(page *p) {
    page_say(p, "Index 3, one holonomic constraint (Example 2.4.7): with constant steps λ has the "
                "order k of the method (Theorem 2.4.1), with steps that alternate as 1 : 1.5 the "
                "order min(k, k − ν + 2) = k − 1 (Theorem 2.4.2).");
    table_begin(p, "Order of λ", "k|constant steps: predicted|sodae|alternating: predicted|sodae");
    for (int k = 1; k <= 3; k++) {
        char command[160], what[80];
        table_row(p);
        table_text(p, "%d", k);
        for (int changing = 0; changing < 2; changing++) {
            snprintf(command, sizeof command,
                     "circular-track --method bdf --order %d --formulation index3 --t-end 1.5%s", k,
                     changing ? " --steps-pattern 1,1.5" : "");
            snprintf(what, sizeof what, "λ of BDF %d, %s steps", k,
                     changing ? "alternating" : "constant");
            order_cell(p, command, 0.01, 5, CLI_LAMBDA, k - changing, 0.1, what);
        }
    }
    table_end(p);
}

const experiment p004_theorem242 = {"004", "Theorems 2.4.1, 2.4.2", "BDF in index 3", run_bdf};

static void run_gauss(page *p) {
    static const int v[] = {2, 2, 4, 4}, lambda[] = {0, 0, 2, 2};
    page_say(p, "Gauss' methods in index 2, |R(∞)| = 1: λ has the order q − 1 of the stages for "
                "R(∞) = −1 and q − 2 for R(∞) = 1.");
    table_begin(p, "Orders in index 2", "s|v: predicted|sodae|λ: predicted|sodae");
    for (int s = 1; s <= 4; s++) {
        char command[160], what[80];
        snprintf(command, sizeof command,
                 "circular-track --method gauss --stages %d --formulation index2 --force on "
                 "--t-end 1.5",
                 s);
        table_row(p);
        table_text(p, "%d", s);
        snprintf(what, sizeof what, "v of Gauss, %d stages", s);
        order_cell(p, command, 0.05, s < 3 ? 5 : 4, CLI_V, v[s - 1], 0.1, what);
        snprintf(what, sizeof what, "λ of Gauss, %d stages", s);
        order_cell(p, command, 0.05, 4, CLI_LAMBDA, lambda[s - 1], 0.1, what);
    }
    table_end(p);
}

const experiment p004_theorem534 = {"004", "Theorem 5.3.4", "Gauss in index 2", run_gauss};

static void run_example322(page *p) {
    /* (3.9) by columns */
    static const double A2[] = {1, 0, 0, 0}, A1[] = {1, 0, 0, 0}, A0[] = {0, 1, 1, 0};
    sodae_linear_report r;
    if (sodae_linear_dae_analyse(2, A2, A1, A0, 0, &r, NULL) < 0) {
        page_claim(p, 0, "(3.9) is analysed");
        return;
    }
    page_say(p,
             "x₁″ + x₁′ + x₂ = f₁, x₁ = f₂: strangeness index %d in second order form, %d when x′ "
             "is introduced for both unknowns, d-index %d.",
             r.mu, r.all.mu, r.all.d_index);
    page_claim(p, r.mu == 2 && r.all.mu == 3, "μ = 2 of (3.9), μ = 3 of the first order form");
    page_misprint(p, "(3.12) v₂ = f₁′ − f₂′ − f₂‴", "v₂ = f₁′ − f₂″ − f₂‴",
                  "v₂ is the derivative of x₂ = f₁ − f₂′ − f₂″");
    page_misprint(p, "(3.13) [x₁; x₂] = [f₁ − f₂′ − f₂″; f₂]", "[f₂; f₁ − f₂′ − f₂″]",
                  "x₁ = f₂ is the second equation");
    page_misprint(p, "Theorem 2.1.8: Z of size ((μ + 1)n, a − v)", "a + v",
                  "Zᵀ M<sub>μ</sub> = 0 has a rows that hold x and v that hold nothing");
    page_misprint(p, "Theorem 2.4.6: for k ≤ 2", "k ≥ 2", "k = 1 is the other case");
    page_misprint(p, "Definition 5.1.1: |y(t₀ + h) − y₁| ≤ K h<sup>p</sup>", "K h<sup>p+1</sup>",
                  "the series agree up to and including h<sup>p</sup>");
    page_misprint(p,
                  "(6.27) T<sub>i1</sub> = f<sub>a,Q″</sub> + (GᵀΛ)<sub>Q″</sub>, likewise "
                  "T<sub>i3</sub>",
                  "minus before the terms with G",
                  "F = M Q″ − f<sub>a</sub> + GᵀΛ stands with −T in DF");
    page_misprint(p,
                  "(8.13) f<sub>11</sub> = ã<sub>11</sub> f<sub>Q</sub> − a<sub>11</sub> "
                  "f<sub>Q̇</sub>/h",
                  "plus", "chain rule");
}

const experiment p004_example322 = {"004", "Example 3.2.2", "Strangeness of (3.9), misprints",
                                    run_example322};

static void run_summary(page *p) {
    static const converge_figure figure = {
        .title = "Radau IIA, s = 2, unit circle",
        .command = "unit-circle --method radau-iia --stages 2 --formulation index3",
        .h = 0.05,
        .rows = 5,
        .at_end = 1,
        .slope = 3,
        .ncurves = 3,
        .curves = {{CLI_Q, 0, "q", "‖qₙ − q(tₙ)‖", PLOT_SQUARE, 2.9, 3.1},
                   {CLI_V, 0, "v", "‖vₙ − v(tₙ)‖", PLOT_CIRCLE, 2.9, 3.1},
                   {CLI_LAMBDA, 0, "λ", "|λₙ − λ(tₙ)|", PLOT_DOT, 1.9, 2.1}}};
    page_misprint(p, "“O(h⁴) for q, O(h³) for q̇” of the two-stage method", "O(h³) for both",
                  "(6.19) makes the local error O(h⁴), the order is 3; on other problems v has "
                  "order 2 and λ order 1");
    converge_show(p, &figure, "Orders on the unit circle.");
}

const experiment p004_summary = {"004", "Summary", "Order of the two-stage Radau method",
                                 run_summary};
