/* 004, Tables 8.4 and 8.5: the two-stage Radau IIA method under error control. */
#include "papers/p004.h"

enum { ROWS = 10, PARTS = 5 };

static const char *const names[] = {"q₁", "q₂", "λ", "q̇₁", "q̇₂"};

typedef struct line {
    int steps;
    double error[PARTS]; /* q1, q2, lambda, q1', q2' */
} line;

static const line printed[ROWS] = {
    {12, {4.08e-9, 3.75e-10, 2.32e-4, 4.71e-7, 3.04e-6}},
    {13, {1.57e-7, 2.98e-8, 9.71e-4, 8.16e-6, 2.50e-5}},
    {14, {9.82e-7, 2.85e-7, 1.87e-3, 2.92e-5, 5.66e-5}},
    {15, {1.82e-6, 7.66e-7, 8.83e-4, 9.12e-6, 1.80e-5}},
    {17, {3.00e-6, 1.64e-6, 5.04e-4, 1.24e-5, 9.96e-6}},
    {19, {4.18e-6, 2.86e-6, 2.64e-4, 1.28e-5, 1.29e-5}},
    {20, {5.36e-6, 4.51e-6, 5.92e-4, 2.25e-5, 7.03e-6}},
    {21, {6.55e-6, 6.74e-6, 1.38e-3, 3.80e-5, 1.49e-6}},
    {22, {7.67e-6, 9.65e-6, 1.14e-3, 3.33e-5, 1.92e-5}},
    {24, {8.62e-6, 1.34e-5, 1.03e-3, 2.35e-5, 3.31e-5}},
};

static void measure(page *p, const char *stages, double t_end, line *found) {
    trace t;
    trace_run(&t, p,
              "unit-circle --method radau-iia %s--rtol 1e-4 --atol 1e-4 --atol-v 1e-2 "
              "--atol-lambda 1e-2 --error-lambda on --t-end %g",
              stages, t_end);
    found->steps = (int)t.counters.steps;
    for (int k = 0; k < PARTS; k++) {
        trace_block block = k < 2 ? TRACE_Q : k == 2 ? TRACE_LAMBDA : TRACE_V;
        trace_block exact = k < 2 ? TRACE_EXACT_Q : k == 2 ? TRACE_EXACT_LAMBDA : TRACE_EXACT_V;
        int i = k < 2 ? k : k == 2 ? 0 : k - 3;
        found->error[k] = fabs(trace_last(&t, block, i) - trace_last(&t, exact, i));
    }
    trace_free(&t);
}

static void show(page *p, const char *title, const char *stages, line *found) {
    table_begin(p, title, "t|steps|sodae|q₁|sodae|q₂|sodae|λ|sodae|q̇₁|sodae|q̇₂|sodae");
    for (int i = 0; i < ROWS; i++) {
        measure(p, stages, 0.1 * (i + 1), &found[i]);
        table_row(p);
        table_text(p, "%.1f", 0.1 * (i + 1));
        table_text(p, "%d", printed[i].steps);
        table_text(p, "%d", found[i].steps);
        for (int k = 0; k < PARTS; k++) {
            table_text(p, "%.2e", printed[i].error[k]);
            table_text(p, "%.2e", found[i].error[k]);
        }
    }
    table_end(p);
}

/* Largest ratio of found and printed over the rows. */
static double worst(const line *found, int part) {
    double most = 0;
    for (int i = 0; i < ROWS; i++)
        most = fmax(most, part < 0 ? (double)found[i].steps / printed[i].steps
                                   : found[i].error[part] / printed[i].error[part]);
    return most;
}

static double largest(const line *rows, int part) {
    double most = 0;
    for (int i = 0; i < ROWS; i++) most = fmax(most, rows[i].error[part]);
    return most;
}

static void claim_largest(page *p, const char *whose, const line *found) {
    for (int k = 0; k < PARTS; k++)
        page_claim(p, largest(found, k) <= largest(printed, k),
                   "%s, %s: largest error printed %.2e, found %.2e", whose, names[k],
                   largest(printed, k), largest(found, k));
    page_claim(p, worst(found, -1) <= 1, "%s, steps: found / printed, the worst of ten rows: %.2g",
               whose, worst(found, -1));
}

static void run(page *p) {
    line four[ROWS], own[ROWS], two[ROWS];
    page_say(p,
             "Motion on the unit circle, tolerances of the thesis, first step found by sodae: "
             "printed, then found. With four stages every row has smaller errors, with fewer "
             "steps. With the number of stages that sodae takes when none is given, here two, and "
             "with two as in the thesis, it takes fewer steps, too; its largest errors are "
             "smaller, those of a few rows larger. All are far below the tolerances.");
    show(p, "Absolute errors: printed / sodae with four stages", "--stages 4 ", four);
    show(p, "Absolute errors: printed / sodae", "", own);
    show(p, "Absolute errors: printed / sodae with two stages", "--stages 2 ", two);
    for (int k = 0; k < PARTS; k++)
        page_claim(p, worst(four, k) <= 1,
                   "four stages, %s: found / printed, the worst of ten rows: %.2g", names[k],
                   worst(four, k));
    page_claim_in(p, worst(four, -1), 0.1, 1,
                  "four stages, steps: found / printed, the worst of ten rows");
    claim_largest(p, "sodae", own);
    claim_largest(p, "two stages", two);
    page_say(p,
             "λ̇ of Table 8.5 is left out: for two stages it does not converge (order s − 2 = 0), "
             "it never enters q, v or λ, and sodae does not carry it.");
}

const experiment p004_table84 = {"004", "Tables 8.4, 8.5", "Runge-Kutta method under error control",
                                 run};
