/* SOI2 on a Lie group: the heavy top with position and velocity constraint. */
#include "papers/experiment.h"

static const converge_figure constant = {
    .title = "SOI2 on R³ × SO(3), constant steps",
    .command = "heavy-top --formulation soi2 --rho-inf 0.6 --t-end 0.5",
    .h = 0.002,
    .rows = 5,
    .slope = 2,
    .ncurves = 3,
    .curves = {{CLI_Q, 0, "q", "max ‖e_q‖", PLOT_SQUARE, 1.9, 2.1},
               {CLI_V, 0, "v", "max ‖e_v‖", PLOT_CIRCLE, 1.9, 2.1},
               {CLI_LAMBDA, 0, "λ", "max ‖e_λ‖", PLOT_PLUS, 1.9, 2.1}},
};
static const converge_figure changing = {
    .title = "the same, steps 2h/3 and 4h/3",
    .command = "heavy-top --formulation soi2 --rho-inf 0.6 --t-end 0.5 --steps-pattern 2/3,4/3",
    .h = 0.001,
    .rows = 5,
    .slope = 2,
    .ncurves = 3,
    .curves = {{CLI_Q, 0, "q", "max ‖e_q‖", PLOT_SQUARE, 1.9, 2.1},
               {CLI_V, 0, "v", "max ‖e_v‖", PLOT_CIRCLE, 1.9, 2.1},
               {CLI_LAMBDA, 0, "λ", "max ‖e_λ‖", PLOT_PLUS, 1.9, 2.1}},
};

static void run(page *p) {
    page_say(p, "Paper 002 works on vector spaces, paper 003 has no overdetermined form. Together: "
                "position and velocity constraints of the heavy top hold exactly after every step, "
                "and all components keep order 2, also when the step changes.");
    converge_show(p, &constant, "Largest errors over all steps.");
    converge_show(p, &changing, "Largest errors over all steps, the step changes every time.");
    trace t;
    trace_run(&t, p,
              "heavy-top --formulation soi2 --rho-inf 0.6 --step 1e-3 --t-end 0.5 "
              "--newton-rtol 1e-14");
    page_claim(p, t.counters.worst_position < 1e-12 && t.counters.worst_velocity < 1e-11,
               "residuals after a step: %.1e in the position, %.1e in the velocity constraint",
               t.counters.worst_position, t.counters.worst_velocity);
    trace_free(&t);
}

const experiment beyond_lie = {"beyond", "SOI2 on Lie groups", "Heavy top, overdetermined form",
                               run};
