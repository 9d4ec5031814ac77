/* 000, Fig. 5.7: convergence for the rod pendulum, α = 0. */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.7: α = 0, b = 0",
    .command = "spring-pendulum --method extended-hht --alpha 0 --set option.b=0 --t-end 2",
    .h = 0.04,
    .rows = 8,
    .at_end = 1,
    .slope = 2,
    .ncurves = 4,
    .curves = {{CLI_Q, 3, "y₃", "|y₃,ₙ − y₃(tₙ)|", PLOT_SQUARE, 1.98, 2.02},
               {CLI_V, 3, "z₃", "|z₃,ₙ − z₃(tₙ)|", PLOT_CIRCLE, 0, 0},
               {CLI_Q, 0, "y", "‖yₙ − y(tₙ)‖", PLOT_DOT, 1.98, 2.02},
               {CLI_V, 0, "z", "‖zₙ − z(tₙ)‖", PLOT_DOT, 1.97, 2.03}},
};

static void run(page *p) {
    page_say(p, "α = 0, b = 0, errors at t = 2. The paper states order 2 in y₃ and z₃. The second "
                "order term of z₃ happens to be very small at t = 2, so that for large steps z₃ "
                "falls faster than h²; the whole vector z shows order 2 plainly.");
    converge_show(p, &figure, "Global errors at t = 2.");
}

const experiment p000_fig57 = {"000", "Fig. 5.7", "Rod pendulum without damping", run};
