/* Orders of collocation and general linear methods for index 3. */
#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>

typedef struct member {
    const char *name, *options;
    int n;               /* steps on [1, 2] in the finer run */
    double q, v, lambda; /* orders to expect */
} member;

static const member members[] = {
    {"Radau IIA, s = 2", "--method radau-iia --stages 2", 160, 3, 2, 1},
    {"Radau IIA, s = 3", "--method radau-iia --stages 3", 80, 5, 3, 2},
    {"MSR(2,2)", "--method msr --steps 2 --stages 2", 160, 4, 3, 2},
    {"MSR(3,2)", "--method msr --steps 3 --stages 2", 80, 5, 4, 3},
    {"MSR(2,3)", "--method msr --steps 2 --stages 3", 80, 6, 4, 3},
    {"DC(3,2)", "--method dc --steps 3 --stages 2", 640, 3, 3, 3},
    {"DC(4,2)", "--method dc --steps 4 --stages 2", 160, 4, 4, 4},
    {"DC(3,3)", "--method dc --steps 3 --stages 3", 160, 4, 4, 4},
};
enum { MEMBERS = sizeof members / sizeof members[0] };

/* Errors at t = 2 in the finer of two runs, and orders. */
static void measure(page *p, const member *m, int changing, double order[3]) {
    char command[200];
    snprintf(command, sizeof command, "circular-track %s --t-end 2%s", m->options,
             changing ? " --steps-pattern 1,3,1,0.4" : "");
    converge_figure figure = {.command = command,
                              .h = changing ? 1 / (5.4 * m->n / 8) : 2.0 / m->n,
                              .rows = 2,
                              .at_end = 1,
                              .ncurves = 3,
                              .curves = {{CLI_Q, 0, "q", "q", PLOT_SQUARE, 0, 0},
                                         {CLI_V, 0, "v", "v", PLOT_CIRCLE, 0, 0},
                                         {CLI_LAMBDA, 0, "λ", "λ", PLOT_PLUS, 0, 0}}};
    converge_result result;
    converge_run(p, &figure, &result);
    table_row(p);
    table_text(p, "%s", m->name);
    for (int c = 0; c < 3; c++) {
        order[c] = converge_order(&result, c, 1);
        table_real(p, result.error[c][1]);
        table_order(p, order[c]);
    }
}

static void constant_steps(page *p) {
    double order[MEMBERS][3];
    table_begin(p, "Constant steps: errors at t = 2 and orders", "method|q|order|v|order|λ|order");
    for (int i = 0; i < MEMBERS; i++) measure(p, &members[i], 0, order[i]);
    table_end(p);
    for (int i = 0; i < MEMBERS; i++)
        page_claim(
            p,
            fabs(order[i][0] - members[i].q) < 0.35 && fabs(order[i][1] - members[i].v) < 0.35 &&
                fabs(order[i][2] - members[i].lambda) < 0.35,
            "%s: orders %.2f, %.2f, %.2f of q, v, λ; expected %g, %g, %g", members[i].name,
            order[i][0], order[i][1], order[i][2], members[i].q, members[i].v, members[i].lambda);
}

static void changing_steps(page *p) {
    double order[MEMBERS][3];
    table_begin(p, "Steps 1, 3, 1, 0.4 times h, as many: errors at t = 2 and orders",
                "method|q|order|v|order|λ|order");
    for (int i = 0; i < MEMBERS; i++) measure(p, &members[i], 1, order[i]);
    table_end(p);
    for (int i = 0; i < MEMBERS; i++)
        page_claim(p, fabs(order[i][2] - members[i].lambda) < 0.35,
                   "%s on changing steps: λ converges with order %.2f, expected %g",
                   members[i].name, order[i][2], members[i].lambda);
}

static void run(page *p) {
    page_say(p,
             "Index 3, Example 2.4.7 on [1, 2]. Multistep Radau collocation (MSR) gains one order "
             "over Radau IIA at the same cost; direct collocation (DC) has equal orders in q, v "
             "and λ. Steps may change.");
    constant_steps(p);
    changing_steps(p);
}

const experiment beyond_glm = {"beyond", "Orders of GLMs", "Collocation and general linear methods",
                               run};
