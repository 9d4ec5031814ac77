/* 001, Fig. 7.1: nonholonomic test problem (7.1). */
#include "papers/experiment.h"

static const converge_figure figure = {
    .title = "Fig. 7.1: test problem (7.1)",
    .command = "nonholonomic-test --rho-inf 0.2 --mass-alpha fresh --start plain --t-end 1",
    .h = 0.1,
    .rows = 8,
    .at_end = 1,
    .slope = 2,
    .ncurves = 4,
    .curves = {{CLI_Q, 0, "y", "‖yₙ − y(tₙ)‖", PLOT_SQUARE, 1.98, 2.03},
               {CLI_V, 0, "z", "‖zₙ − z(tₙ)‖", PLOT_CIRCLE, 1.98, 2.03},
               {CLI_A, 0, "a", "‖aₙ₊α − a(tₙ + αh)‖", PLOT_CROSS, 1.97, 2.03},
               {CLI_PSI, 0, "ψ", "‖ψₙ − ψ(tₙ)‖", PLOT_STAR, 1.98, 2.03}},
};

static void run(page *p) {
    page_say(p, "M(t,y) neither constant nor symmetric, constraint and reaction nonlinear; "
                "ρ<sub>∞</sub> = 0.2, constant steps, errors at t = 1. The paper states order 2 in "
                "y, z, a and ψ.");
    converge_show(p, &figure, "Global errors at t = 1.");
    page_misprint(p, "Theorem 6.1 bounds a<sub>n+α</sub> without the starting error δ₀",
                  "a term |α<sub>m</sub>/(1−α<sub>m</sub>)|<sup>n</sup> δ₀ has to be added",
                  "the tangential part of the starting error decays with that ratio, 0.333 for "
                  "ρ<sub>∞</sub> = 0.2; at a fixed time it does not show");
}

const experiment p001_fig71 = {"001", "Fig. 7.1", "Order 2 with a nonholonomic constraint", run};
