/* 000, Fig. 5.4: alternating steps with the correction (2.3). */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.4: h/3, 2h/3, aₙ by (2.3)",
    .command = P000_TEST " --steps-pattern 1/3,2/3",
    .h = 0.1,
    .rows = 8,
    .abscissa = 0.5,
    .at_end = 1,
    .slope = 2,
    .ncurves = 3,
    .curves = {P000_Y(1.97, 2.03), P000_Z(1.97, 2.03), P000_A(1.97, 2.03)},
};

static void run(page *p) {
    page_say(p, "The same steps with a ← f + (hₙ/hₙ₋₁)(a − f) before every change, equation (2.3). "
                "The paper states order 2.");
    converge_show(p, &figure, "Global errors at t = 1; h is the length of a pair of steps.");
}

const experiment p000_fig54 = {"000", "Fig. 5.4", "Order 2 when a is corrected", run};
