/* Orders of the BDF family: constant steps, and steps that change all the time. */
#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>

enum { KINDS = 3, MOST = 6 };

static const char *const methods[KINDS] = {"modified-bdf", "direct-bdf", "bdf"};
static const char *const names[KINDS] = {"modified", "direct", "ordinary"};

/* Orders of q, v, λ in the last halving. */
static void orders(page *p, const char *command, double h, double *order, double *error) {
    converge_figure figure = {.command = command,
                              .h = h,
                              .rows = 2,
                              .ncurves = 3,
                              .curves = {{CLI_Q, 0, "q", "q", PLOT_SQUARE, 0, 0},
                                         {CLI_V, 0, "v", "v", PLOT_CIRCLE, 0, 0},
                                         {CLI_LAMBDA, 0, "λ", "λ", PLOT_PLUS, 0, 0}}};
    converge_result result;
    converge_run(p, &figure, &result);
    for (int c = 0; c < 3; c++) order[c] = converge_order(&result, c, 1);
    *error = result.error[2][1];
}

static void constant_steps(page *p) {
    double order[MOST + 1][KINDS][3], error;
    table_begin(p, "Constant steps, pendulum-a01 on [0, 1], h = 1/200: orders of q, v, λ",
                "k|modified q|v|λ|direct q|v|λ|ordinary q|v|λ");
    for (int k = 1; k <= MOST; k++) {
        table_row(p);
        table_text(p, "%d", k);
        for (int m = 0; m < KINDS; m++) {
            char command[120];
            snprintf(command, sizeof command, "pendulum-a01 --method %s --order %d --t-end 1",
                     methods[m], k);
            for (int c = 0; c < 3; c++) order[k][m][c] = NAN;
            if (m != 1 || k < MOST) orders(p, command, 1.0 / 100, order[k][m], &error);
            for (int c = 0; c < 3; c++) table_order(p, order[k][m][c]);
        }
    }
    table_end(p);
    for (int k = 1; k <= MOST; k++)
        page_claim(p,
                   fabs(order[k][0][0] - k) < 0.2 && fabs(order[k][0][1] - k) < 0.2 &&
                       fabs(order[k][0][2] - k) < 0.2,
                   "modified BDF of order %d: q, v, λ converge with %.2f, %.2f, %.2f", k,
                   order[k][0][0], order[k][0][1], order[k][0][2]);
}

static void changing_steps(page *p) {
    double order[MOST][KINDS][3], error[MOST][KINDS];
    table_begin(p, "Steps 1, 1.2, 1.44, 1.2 times h, circular-track on [1, 1.5], 120 steps: λ",
                "k|modified error|order|direct error|order|ordinary error|order");
    for (int k = 2; k < MOST; k++) {
        table_row(p);
        table_text(p, "%d", k);
        for (int m = 0; m < KINDS; m++) {
            char command[160];
            snprintf(command, sizeof command,
                     "circular-track --method %s --order %d --t-end 1.5 --steps-pattern "
                     "1,1.2,1.44,1.2",
                     methods[m], k);
            orders(p, command, 0.5 / (4.84 * 15), order[k][m], &error[k][m]);
            table_real(p, error[k][m]);
            table_order(p, order[k][m][2]);
        }
    }
    table_end(p);
    for (int k = 2; k < MOST; k++)
        for (int m = 0; m < KINDS; m++) {
            double expected = m == 2 ? k - 1 : k;
            page_claim(
                p, fabs(order[k][m][2] - expected) < 0.35,
                "%s BDF of order %d on changing steps: λ converges with order %.2f, expected "
                "%g",
                names[m], k, order[k][m][2], expected);
        }
}

static void run(page *p) {
    page_say(p,
             "The thesis has modified BDF of orders 1 and 2. The same derivation works for every "
             "order up to 6, and “direct” BDF, which takes q̇ and q̈ from one interpolant of q, "
             "has no poles. On changing steps ordinary BDF loses one order in λ.");
    constant_steps(p);
    changing_steps(p);
}

const experiment beyond_bdf = {"beyond", "Orders of BDF", "Modified BDF up to order 6", run};
