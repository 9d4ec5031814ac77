/* 000, Fig. 5.3: alternating steps without the correction (2.3). */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.3: h/3, 2h/3, aₙ unmodified",
    .command = P000_TEST " --steps-pattern 1/3,2/3 --step-correction off",
    .h = 0.1,
    .rows = 9,
    .abscissa = 0.5,
    .at_end = 1,
    .slope = 1,
    .ncurves = 3,
    .curves = {P000_Y(0.95, 1.05), P000_Z(0.95, 1.05), P000_A(0.95, 1.05)},
};

static void run(page *p) {
    page_say(p, "Steps alternate between h/3 and 2h/3 and aₙ is carried over as it is. The paper "
                "states order 1.");
    converge_show(p, &figure, "Global errors at t = 1; h is the length of a pair of steps.");
    page_misprint(p, "order 1, seen on steps down to about 10<sup>−2</sup>",
                  "order 1 shows only for h &lt; 0.01",
                  "the first and second order terms have opposite signs and cancel near h = 0.05; "
                  "there the uncorrected run is even more accurate than the corrected one");
}

const experiment p000_fig53 = {"000", "Fig. 5.3", "Order 1 when the step changes unnoticed", run};
