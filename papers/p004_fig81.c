/* 004, Figs. 8.1 and 8.2: λ of the unit circle, modified and ordinary BDF. */
#include "papers/ida.h"
#include "papers/p004.h"

enum { ROOM = 400 };

typedef struct curve {
    double t[ROOM], lambda[ROOM], error[ROOM], worst;
    int n;
} curve;

static void add(curve *c, double t, double lambda) {
    if (c->n == ROOM) return;
    c->t[c->n] = t;
    c->lambda[c->n] = lambda;
    c->error[c->n] = fabs(lambda - sin(t) * cos(t));
    c->worst = fmax(c->worst, c->error[c->n++]);
}

static void ours(page *p, curve *c) {
    trace t;
    trace_run(&t, p,
              "unit-circle --method modified-bdf --rtol 1e-4 --atol 1e-4 --atol-v 1e-2 "
              "--first-step 1e-4 --t-end 1");
    for (int i = 1; i < t.rows; i++)
        add(c, trace_value(&t, i, TRACE_TIME, 0), trace_value(&t, i, TRACE_LAMBDA, 0));
    trace_free(&t);
}

static void draw(page *p, const curve *exact, const curve *modified, const curve *ordinary) {
    static const char name[] = "ordinary BDF (IDA)";
    plot solution = {
        .title = "Fig. 8.1: λ",
        .x_label = "t",
        .y_label = "λ",
        .y_low = -0.5,
        .y_high = 1,
        .ncurves = 3,
        .curves = {{"exact", PLOT_NONE, 0, exact->t, exact->lambda, exact->n, 1},
                   {"modified BDF", PLOT_CIRCLE, 0, modified->t, modified->lambda, modified->n, 1},
                   {name, PLOT_CROSS, 0, ordinary->t, ordinary->lambda, ordinary->n, 1}}};
    plot error = {
        .title = "Fig. 8.2: errors of λ",
        .x_label = "t",
        .y_label = "|λₙ − λ(tₙ)|",
        .log_y = 1,
        .ncurves = 2,
        .curves = {{"modified BDF", PLOT_CIRCLE, 0, modified->t, modified->error, modified->n, 1},
                   {name, PLOT_CROSS, 0, ordinary->t, ordinary->error, ordinary->n, 1}}};
    plots_begin(p);
    plot_draw(p, &solution);
    plot_draw(p, &error);
    plots_end(p, "Index 3 with the tolerances of Table 8.1, all steps; λ outside the frame is cut "
                 "off.");
}

static void run(page *p) {
    curve exact = {0}, modified = {0}, ordinary = {0};
    for (int i = 0; i <= 100; i++) add(&exact, 0.01 * i, sin(0.01 * i) * cos(0.01 * i));
    ours(p, &modified);
    for (int i = 0; i < IDA_STEPS; i++) add(&ordinary, ida_steps[i].t, ida_steps[i].lambda);
    page_say(p, "In the thesis λ of modified BDF lies on the exact curve and λ of DASSL does not. "
                "IDA 6.4.1 stands in for DASSL; its numbers are quoted.");
    draw(p, &exact, &modified, &ordinary);
    page_claim_in(p, modified.worst, 0, 2e-2, "largest error of λ, modified BDF");
    page_claim(p, ordinary.worst > 0.1, "largest error of λ, ordinary BDF: %.3g, not small",
               ordinary.worst);
}

const experiment p004_fig81 = {"004", "Figs. 8.1, 8.2", "λ by modified and ordinary BDF", run};
