/* 000, Figs. 5.1 to 5.4: the extended HHT-α method on the first test problem. */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.1: constant steps",
    .command = P000_TEST,
    .h = 0.1,
    .rows = 7,
    .at_end = 1,
    .slope = 2,
    .ncurves = 3,
    .curves = {P000_Y(1.97, 2.03), P000_Z(1.97, 2.03), P000_A(1.97, 2.03)},
};

static void run(page *p) {
    page_say(p,
             "Test problem (5.1) with a reaction that is nonlinear in the multiplier; α = −0.15, "
             "b = 0.3, constant steps, errors at t = 1. The paper states order 2.");
    converge_show(p, &figure, "Global errors at t = 1, constant steps.");
}

const experiment p000_fig51 = {"000", "Fig. 5.1", "Order 2 with constant steps", run};
