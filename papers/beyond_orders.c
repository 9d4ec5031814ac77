/* Orders of all methods with all formulations that they allow, at constant and changing steps. */
#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>

enum { KIND_ROWS = 25, KINDS = 8, GRIDS = 3 };

static const char *const formulations[KINDS] = {
    "index3", "stabilized", "soi2", "index2", "index1", "ggl", "ggl2", "minimal-extension"};
static const char *const grids[GRIDS] = {"", "--steps-pattern 100/121,120/121,144/121,120/121",
                                         "--steps-pattern 20/27,60/27,20/27,8/27"};
static const char *const captions[GRIDS] = {"Constant steps: orders of q, v, λ",
                                            "Steps 1 : 1.2 : 1.44 : 1.2", "Steps 1 : 3 : 1 : 0.4"};

typedef struct method_row {
    const char *name, *flags;
    int coarse; /* reaches rounding soon: larger steps */
} method_row;

static const method_row methods[KIND_ROWS] = {
    {"generalized-α", "--method generalized-alpha --rho-inf 0.8", 0},
    {"HHT", "--method hht --alpha -0.1", 0},
    {"Newmark", "--method newmark", 0},
    {"BDF 1", "--method bdf --order 1", 0},
    {"BDF 2", "--method bdf --order 2", 0},
    {"BDF 3", "--method bdf --order 3", 0},
    {"BDF 4", "--method bdf --order 4", 0},
    {"BDF 5", "--method bdf --order 5", 0},
    {"modified BDF 1", "--method modified-bdf --order 1", 0},
    {"modified BDF 2", "--method modified-bdf --order 2", 0},
    {"modified BDF 3", "--method modified-bdf --order 3", 0},
    {"modified BDF 4", "--method modified-bdf --order 4", 0},
    {"modified BDF 5", "--method modified-bdf --order 5", 0},
    {"direct BDF 2", "--method direct-bdf --order 2", 0},
    {"direct BDF 3", "--method direct-bdf --order 3", 0},
    {"direct BDF 4", "--method direct-bdf --order 4", 0},
    {"Radau IIA 1", "--method radau-iia --stages 1", 0},
    {"Radau IIA 2", "--method radau-iia --stages 2", 0},
    {"Radau IIA 3", "--method radau-iia --stages 3", 1},
    {"Gauss 1", "--method gauss --stages 1", 0},
    {"Gauss 2", "--method gauss --stages 2", 0},
    {"Gauss 3", "--method gauss --stages 3", 1},
    {"MSR(2,2)", "--method msr --steps 2 --stages 2", 0},
    {"MSR(2,3)", "--method msr --steps 2 --stages 3", 1},
    {"DC(4,2)", "--method dc --steps 4 --stages 2", 0},
};

/* Errors with one step; nonzero: the pair is refused. */
static int errors(const method_row *m, const char *formulation, const char *grid, double h,
                  double *error) {
    static const cli_part parts[3] = {CLI_Q, CLI_V, CLI_LAMBDA};
    trace t;
    trace_try(&t, "circular-track --t-end 1.5 --step %.17g %s --formulation %s %s", h, m->flags,
              formulation, grid);
    for (int i = 0; i < 3 && !t.failed; i++) error[i] = t.worst[parts[i]];
    int failed = t.failed;
    trace_free(&t);
    return failed;
}

/* Of q, v, λ over one halving; NaN where the error is rounding already. */
static int orders(const method_row *m, const char *formulation, const char *grid, double *order) {
    double h = m->coarse ? 0.0625 : 0.00625, one[3], half[3];
    if (errors(m, formulation, grid, h, one)) return 1;
    if (errors(m, formulation, grid, h / 2, half)) return 1;
    for (int i = 0; i < 3; i++) {
        double rounding = (i < 2 ? 1e-12 : 1e-9) * pow(0.025 / h, 2);
        order[i] = half[i] > rounding ? log2(one[i] / half[i]) : NAN;
    }
    return 0;
}

static void cell(page *p, const double *order) {
    char text[3][16];
    for (int i = 0; i < 3; i++)
        snprintf(text[i], sizeof text[i], isnan(order[i]) ? "–" : "%.1f", order[i]);
    if (order[0] < -0.3)
        table_text(p, "unstable");
    else
        table_text(p, "%s %s %s", text[0], text[1], text[2]);
}

static void show_grid(page *p, int grid, double *worst) {
    table_begin(p, captions[grid],
                "method|index3|stabilized|soi2|index2|index1|ggl|ggl2|minimal-extension");
    for (int i = 0; i < KIND_ROWS; i++) {
        table_row(p);
        table_text(p, "%s", methods[i].name);
        for (int k = 0; k < KINDS; k++) {
            double order[3];
            if (orders(&methods[i], formulations[k], grids[grid], order)) {
                table_text(p, "%s", "");
                continue;
            }
            cell(p, order);
            for (int j = 0; j < 3 && i == 0; j++) *worst = fmax(*worst, fabs(order[j] - 2));
        }
    }
    table_end(p);
}

static void run(page *p) {
    page_say(p, "Every method with every formulation that it allows, on the circular track from "
                "t = 1 to 1.5: orders of the largest errors of q, v and λ over all steps, from "
                "halving the step; empty: refused, with the reason; “–”: the error is rounding.");
    for (int grid = 0; grid < GRIDS; grid++) {
        double worst = 0;
        show_grid(p, grid, &worst);
        page_claim_in(p, worst, 0, 0.1, "largest distance of an order of generalized-α from 2");
    }
    trace_show_command(p, "sodae converge circular-track --t-end 1.5 --norm max --halvings 3 "
                          "--step 0.025 --method bdf --order 3 --formulation index3");
}

const experiment beyond_orders = {"beyond", "Orders", "All methods, all formulations", run};
