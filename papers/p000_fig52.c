/* 000, Fig. 5.2: y₁ in R₁ replaced by (3.5). */
#include "papers/p000.h"

static const converge_figure figure = {
    .title = "Fig. 5.2: with (3.5)",
    .command = P000_TEST " --variant explicit",
    .h = 0.1,
    .rows = 7,
    .at_end = 1,
    .slope = 2,
    .ncurves = 3,
    .curves = {P000_Y(1.97, 2.03), P000_Z(1.97, 2.03), P000_A(1.97, 2.03)},
};

static void run(page *p) {
    page_say(p, "The same with R₁ = r(t₁, y₀ + h z₀, Λ₁), equation (3.5). The paper states that "
                "order 2 is kept.");
    converge_show(p, &figure, "Global errors at t = 1, R₁ evaluated at y₀ + h z₀.");
}

const experiment p000_fig52 = {"000", "Fig. 5.2", "Order 2 with the explicit position (3.5)", run};
