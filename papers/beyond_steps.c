/* Index 3 on a Lie group with steps that change, which paper 003 leaves open; λ of extended HHT. */
#include "papers/experiment.h"

static const converge_figure index3 = {
    .title = "index 3, steps 2h/3 and 4h/3",
    .command = "heavy-top --formulation index3 --rho-inf 0.6 --t-end 0.1 --steps-pattern 2/3,4/3",
    .h = 0.001,
    .rows = 5,
    .slope = 2,
    .ncurves = 3,
    .curves = {{CLI_Q, 0, "q", "max ‖e_q‖", PLOT_SQUARE, 1.9, 2.1},
               {CLI_V, 0, "v", "max ‖e_v‖", PLOT_CIRCLE, 1.9, 2.1},
               {CLI_LAMBDA, 0, "λ", "max ‖e_λ‖", PLOT_PLUS, 1.9, 2.1}},
};
static const converge_figure extended = {
    .title = "extended HHT, steps h/3 and 2h/3",
    .command = "hht-test --method extended-hht --alpha -0.15 --set option.b=0.3 --t-end 1 "
               "--steps-pattern 1/3,2/3",
    .h = 0.1,
    .rows = 6,
    .at_end = 1,
    .slope = 1,
    .ncurves = 3,
    .curves = {{CLI_Q, 0, "y", "‖yₙ − y(tₙ)‖", PLOT_SQUARE, 1.95, 2.05},
               {CLI_V, 0, "z", "‖zₙ − z(tₙ)‖", PLOT_CIRCLE, 1.95, 2.05},
               {CLI_LAMBDA, 0, "λ", "‖Λ₁ − λ(tₙ)‖", PLOT_PLUS, 0.95, 1.05}},
};

static void run(page *p) {
    page_say(p,
             "Paper 003 leaves steps of varying size to further research. With v and a perturbed "
             "again for every step the heavy top keeps order 2 over all steps.");
    converge_show(p, &index3, "Heavy top on R³ × SO(3), largest errors over all steps.");
    page_say(p,
             "Λ₁ of extended HHT, which paper 000 does not look at, is a first order value of λ.");
    converge_show(p, &extended, "First test problem of paper 000, errors at t = 1.");
}

const experiment beyond_steps = {"beyond", "Changing steps", "Index 3 and extended HHT", run};
