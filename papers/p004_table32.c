/* 004, Table 3.2: BDF and modified BDF of orders 1 and 2. */
#include "papers/p004.h"

static const double times[] = {1.005, 1.01, 1.015, 1.02, 1.03, 1.04, 1.05};
enum { ROWS = 7, RUNS = 4 };
/* BDF and modified BDF for h = 0.005, then for h = 0.01. */
static const double printed[RUNS][ROWS] = {{2.0400, 4.0190, 1.0120, 0.0012, 0.0013, 0.0013, 0.0014},
                                           {0.0402, 0.0010, 0.0010, 0.0009, 0.0009, 0.0009, 0.0010},
                                           {NAN, 2.0810, NAN, 4.0350, 1.0280, 0.0052, 0.0054},
                                           {NAN, 0.0809, NAN, 0.0041, 0.0041, 0.0038, 0.0038}};

static void run(page *p) {
    trace t[RUNS];
    double worst[2] = {0};
    for (int k = 0; k < RUNS; k++)
        trace_run(&t[k], p,
                  "circular-track --method %s --order 2 --orders ramp --step %s --t-end 1.05",
                  k % 2 ? "modified-bdf" : "bdf", k < 2 ? "0.005" : "0.01");
    page_say(p, "Order 1 in the first step, then order 2. Ordinary BDF is wrong by O(1) in λ while "
                "the order changes; modified BDF is not.");
    table_begin(
        p, "|λ(t<sub>j</sub>) − λ<sub>j</sub>|: printed, found",
        "t<sub>j</sub>|BDF, h = 0.005|sodae|modified|sodae|BDF, h = 0.01|sodae|modified|sodae");
    for (int i = 0; i < ROWS; i++) {
        table_row(p);
        table_text(p, "%.3f", times[i]);
        for (int k = 0; k < RUNS; k++) {
            double found = p004_lambda_error(&t[k], times[i]);
            if (isnan(printed[k][i])) {
                page_add(p, "<td></td><td></td>");
                continue;
            }
            worst[k % 2] = fmax(worst[k % 2], fabs(found - printed[k][i]));
            table_text(p, "%.4f", printed[k][i]);
            table_text(p, "%.4f", found);
        }
    }
    table_end(p);
    page_claim_in(p, worst[0], 0, 2.6e-4, "BDF: largest difference (printed with four digits)");
    page_claim_in(p, worst[1], 0, 6e-5, "modified BDF: largest difference, four decimals printed");
    trace_show_command(p, t[1].command);
    for (int k = 0; k < RUNS; k++) trace_free(&t[k]);
}

const experiment p004_table32 = {"004", "Table 3.2", "BDF and modified BDF of orders 1 and 2", run};
