/* 004, Table 2.2: implicit Euler with constant steps, errors of λ. */
#include "papers/p004.h"

static const double times[] = {1.005, 1.01, 1.015, 1.02, 1.03, 1.04, 1.05};
static const double printed[2][7] = {{2.0400, 0.0409, 0.0419, 0.0429, 0.0451, 0.0474, 0.0497},
                                     {NAN, 2.0810, NAN, 0.0836, 0.0877, 0.0921, 0.0967}};
enum { ROWS = 7 };

static void run(page *p) {
    trace t[2];
    double worst = 0;
    const char *const h[] = {"0.005", "0.01"};
    for (int k = 0; k < 2; k++)
        trace_run(&t[k], p,
                  "circular-track --method bdf --order 1 --orders ramp --step %s --t-end 1.05",
                  h[k]);
    page_say(p, "Example 2.4.7 as a first order system, implicit Euler. λ is wrong by O(1) in the "
                "first step, where the step size changes from 0 to h.");
    table_begin(
        p, "|λ(t<sub>j</sub>) − λ<sub>j</sub>|",
        "t<sub>j</sub>|printed, h = 0.005|sodae|difference|printed, h = 0.01|sodae|difference");
    for (int i = 0; i < ROWS; i++) {
        table_row(p);
        table_text(p, "%.3f", times[i]);
        for (int k = 0; k < 2; k++) {
            double found = p004_lambda_error(&t[k], times[i]);
            if (isnan(printed[k][i])) {
                page_add(p, "<td></td><td></td><td></td>");
                continue;
            }
            worst = fmax(worst, fabs(found - printed[k][i]));
            table_text(p, "%.4f", printed[k][i]);
            table_text(p, "%.4f", found);
            table_text(p, "%+.4f", found - printed[k][i]);
        }
    }
    table_end(p);
    page_claim_in(p, worst, 0, 2.5e-4, "largest difference to the printed numbers");
    page_misprint(p, "2.0400, 2.0810; 0.0474, 0.0836", "2.0402, 2.0808; 0.0473 (0.04735), 0.0835",
                  "printed with four significant digits and padded with zeros; the last two are "
                  "1·10⁻⁴ too large, rounded up or left by an unfinished Newton iteration");
    trace_show_command(p, t[0].command);
    for (int k = 0; k < 2; k++) trace_free(&t[k]);
}

const experiment p004_table22 = {"004", "Table 2.2", "Implicit Euler, constant steps", run};
