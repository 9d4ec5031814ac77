/* 003, Fig. 1 and section 4.2: transient errors of λ for the pendulum, and how they vanish. */
#include "papers/experiment.h"

#include <math.h>
#include <stdio.h>

typedef struct maximum {
    double x0, h;
    const char *start, *text;
    double printed;
    int bound; /* 1: the paper prints a bound */
} maximum;

static const maximum maxima[] = {
    {0.2, 0.02, "plain", "x₀ = 0.2, v₀ = v(t₀), a₀ = v̇(t₀)", 2.48e-1, 0},
    {0.2, 0.01, "plain", "x₀ = 0.2, v₀ = v(t₀), a₀ = v̇(t₀)", 1.23e-1, 0},
    {0.2, 0.02, "perturbed", "x₀ = 0.2, (56) and (57)", 3.99e-3, 0},
    {0.2, 0.01, "perturbed", "x₀ = 0.2, (56) and (57)", 9.96e-4, 0},
    {0.0, 0.02, "plain", "x₀ = 0, v₀ = v(t₀), a₀ = v̇(t₀)", 3.95e-3, 1},
    {0.0, 0.01, "plain", "x₀ = 0, v₀ = v(t₀), a₀ = v̇(t₀)", 9.85e-4, 1},
    {0.0, 0.02, "perturbed", "x₀ = 0, (56) and (57)", 3.95e-3, 1},
    {0.0, 0.01, "perturbed", "x₀ = 0, (56) and (57)", 9.85e-4, 1},
};
enum { MAXIMA = sizeof maxima / sizeof maxima[0], STEPS = 100 };

static void pendulum(trace *t, page *p, double x0, double h, const char *start) {
    trace_run(t, p, "pendulum --set x0=%g --rho-inf 0.9 --start %s --step %g --t-end 2", x0, start,
              h);
}

/* λₙ − λ(tₙ) over the first steps, for x₀ = 0 and 0.2. */
static void picture(page *p, double h) {
    char title[60];
    double t[2][STEPS + 1], e[2][STEPS + 1];
    const double x0[2] = {0, 0.2};
    snprintf(title, sizeof title, "Fig. 1: h = %g", h);
    plot drawing = {.title = title, .x_label = "t", .y_label = "λₙ − λ(tₙ)"};
    for (int k = 0; k < 2; k++) {
        trace run;
        pendulum(&run, p, x0[k], h, "plain");
        int n = run.rows <= STEPS ? run.rows : STEPS + 1;
        for (int i = 0; i < n; i++) {
            t[k][i] = trace_value(&run, i, TRACE_TIME, 0);
            e[k][i] =
                trace_value(&run, i, TRACE_LAMBDA, 0) - trace_value(&run, i, TRACE_EXACT_LAMBDA, 0);
        }
        plot_curve_add(&drawing, &(plot_curve){.name = k ? "x₀ = 0.2" : "x₀ = 0",
                                               .marker = k ? PLOT_PLUS : PLOT_DOT,
                                               .no_line = 1,
                                               .x = t[k],
                                               .y = e[k],
                                               .n = n});
        trace_free(&run);
    }
    plot_draw(p, &drawing);
}

static void compare(page *p) {
    table_begin(p, "max |λₙ − λ(tₙ)| over [0, 2], ρ<sub>∞</sub> = 0.9",
                "start|h|printed|sodae|difference|at step");
    for (int i = 0; i < MAXIMA; i++) {
        const maximum *m = &maxima[i];
        trace t;
        pendulum(&t, p, m->x0, m->h, m->start);
        double worst = t.worst[CLI_LAMBDA];
        table_row(p);
        table_text(p, "%s", m->text);
        table_text(p, "%g", m->h);
        table_text(p, "%s%.2e", m->bound ? "≤ " : "", m->printed);
        table_text(p, "%.3e", worst);
        table_text(p, "%+.2f %%", 100 * (worst / m->printed - 1));
        table_text(p, "%ld", t.worst_at[CLI_LAMBDA]);
        trace_free(&t);
    }
    table_end(p);
}

static void claim(page *p) {
    for (int i = 0; i < MAXIMA; i++) {
        const maximum *m = &maxima[i];
        char what[120];
        trace t;
        pendulum(&t, p, m->x0, m->h, m->start);
        double worst = t.worst[CLI_LAMBDA];
        snprintf(what, sizeof what, "%s, h = %g", m->text, m->h);
        if (m->bound)
            page_claim(p, worst <= 1.0003 * m->printed && worst >= 0.99 * m->printed,
                       "%s: printed bound %.3g, found %.4g", what, m->printed, worst);
        else
            page_claim_near(p, worst, m->printed, 0.005, what);
        trace_free(&t);
    }
}

static void run(page *p) {
    page_say(p,
             "Mathematical pendulum in Cartesian coordinates, index 3, ρ<sub>∞</sub> = 0.9. From "
             "x₀ = 0.2 the error of λ oscillates with an amplitude O(h) and is gone after about "
             "100 steps; from x₀ = 0, and from the perturbed starting values (56), (57), it stays "
             "O(h²).");
    plots_begin(p);
    picture(p, 0.02);
    picture(p, 0.01);
    plots_end(p, "Error of λ over the first 100 steps, started with exact values.");
    compare(p);
    claim(p);
    page_misprint(p, "|e<sub>λ</sub>| is largest at n = 15",
                  "n = 16 for h = 0.02 and 0.01, n = 15 for h ≤ 0.005",
                  "‖T<sup>n</sup>‖ is flat near its maximum, and the error also moves with the "
                  "solution");
    page_misprint(p, "the sign of ẋ₀ is not given; g = (0, g)ᵀ", "ẋ₀ &gt; 0; g = (0, m g)ᵀ",
                  "the printed maxima belong to ẋ₀ &gt; 0; with m = 1 the second does not matter");
}

const experiment p003_fig1 = {"003", "Fig. 1", "Transient errors of λ and their cure", run};
