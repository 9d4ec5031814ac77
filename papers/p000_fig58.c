/* 000, Fig. 5.8: convergence for the rod pendulum, α = −0.3. */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.8: α = −0.3, b = 0",
    .command = "spring-pendulum --method extended-hht --alpha -0.3 --set option.b=0 --t-end 2",
    .h = 0.04,
    .rows = 8,
    .at_end = 1,
    .slope = 2,
    .ncurves = 4,
    .curves = {{CLI_Q, 3, "y₃", "|y₃,ₙ − y₃(tₙ)|", PLOT_SQUARE, 1.98, 2.02},
               {CLI_V, 3, "z₃", "|z₃,ₙ − z₃(tₙ)|", PLOT_CIRCLE, 1.97, 2.2},
               {CLI_Q, 0, "y", "‖yₙ − y(tₙ)‖", PLOT_DOT, 1.98, 2.02},
               {CLI_V, 0, "z", "‖zₙ − z(tₙ)‖", PLOT_DOT, 1.97, 2.2}},
};

static void run(page *p) {
    page_say(p, "α = −0.3, b = 0, errors at t = 2. The paper states order 2 in y₃ and z₃; z₃ comes "
                "down to it from above.");
    converge_show(p, &figure, "Global errors at t = 2.");
}

const experiment p000_fig58 = {"000", "Fig. 5.8", "Rod pendulum with damping", run};
