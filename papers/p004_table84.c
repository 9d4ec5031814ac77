/* 004, Tables 8.4 and 8.5: the two-stage Radau IIA method under error control. */
#include "papers/p004.h"
#include "problems/catalogue.h"

#include <stdio.h>

enum { ROWS = 10, PARTS = 5, ALL = 6 };

static const char *const names[] = {"q₁", "q₂", "λ", "q̇₁", "q̇₂", "λ̇"};

typedef struct line {
    int steps;
    double error[ALL]; /* q1, q2, lambda, q1', q2', lambda' */
} line;

static const line printed[ROWS] = {
    {12, {4.08e-9, 3.75e-10, 2.32e-4, 4.71e-7, 3.04e-6, 2.02e-2}},
    {13, {1.57e-7, 2.98e-8, 9.71e-4, 8.16e-6, 2.50e-5, 4.05e-2}},
    {14, {9.82e-7, 2.85e-7, 1.87e-3, 2.92e-5, 5.66e-5, 7.45e-2}},
    {15, {1.82e-6, 7.66e-7, 8.83e-4, 9.12e-6, 1.80e-5, 1.33e-1}},
    {17, {3.00e-6, 1.64e-6, 5.04e-4, 1.24e-5, 9.96e-6, 9.57e-2}},
    {19, {4.18e-6, 2.86e-6, 2.64e-4, 1.28e-5, 1.29e-5, 4.03e-2}},
    {20, {5.36e-6, 4.51e-6, 5.92e-4, 2.25e-5, 7.03e-6, 3.06e-2}},
    {21, {6.55e-6, 6.74e-6, 1.38e-3, 3.80e-5, 1.49e-6, 5.22e-2}},
    {22, {7.67e-6, 9.65e-6, 1.14e-3, 3.33e-5, 1.92e-5, 7.99e-2}},
    {24, {8.62e-6, 1.34e-5, 1.03e-3, 2.35e-5, 3.31e-5, 8.54e-2}},
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

/* lambda' of the exact solution, by differences. */
static double exact_rate(const sodae_problem *p, double t) {
    static const double weight[] = {1, -8, 8, -1}, d = 1e-3;
    static const int at[] = {-2, -1, 1, 2};
    double sum = 0, lambda = 0;
    sodae_solution x = {.size = sizeof x, .lambda = &lambda};
    for (int i = 0; i < 4; i++)
        if (!p->exact(t + at[i] * d, &x, p->user)) sum += weight[i] * lambda;
    return sum / (12 * d);
}

/* One row at t by dense output; lambda' where the step ends that passes t. */
static int at_time(sodae *s, const sodae_problem *p, double t, line *found) {
    double q[2], v[2], lambda, exact_q[2], exact_v[2], exact_lambda;
    sodae_solution is = {.size = sizeof is, .q = q, .v = v, .lambda = &lambda};
    sodae_solution should = {
        .size = sizeof should, .q = exact_q, .v = exact_v, .lambda = &exact_lambda};
    if (sodae_advance_dense(s, t, 3, &is) || p->exact(t, &should, p->user)) return 0;
    const sodae_view *now = sodae_state(s);
    for (int i = 0; i < 2; i++)
        found->error[i] = fabs(q[i] - exact_q[i]), found->error[3 + i] = fabs(v[i] - exact_v[i]);
    found->error[2] = fabs(lambda - exact_lambda);
    found->error[5] = now->lambda_rate ? fabs(*now->lambda_rate - exact_rate(p, now->t)) : NAN;
    found->steps = (int)sodae_counters(s)->steps;
    return 1;
}

/* strategy=chapter4, all rows in one run; how many are found. */
static int measure_chapter4(line found[ROWS]) {
    static const char *const settings[][2] = {
        {"method", "radau-iia"}, {"strategy", "chapter4"}, {"formulation", "index3"},
        {"rtol", "1e-4"},        {"atol", "1e-4"},         {"atol_v", "1e-2"},
        {"atol_lambda", "1e-2"}, {"first_step", "1e-4"},   {"multiplier_rate", "on"}};
    const double start = 0;
    const catalogue_entry *entry = catalogue_find("unit-circle");
    sodae_problem *problem = entry->create(&start);
    sodae_options o = sodae_default_options();
    sodae *s = NULL;
    int rows = 0;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sodae_options_set(&o, settings[i][0], settings[i][1], NULL);
    if (problem && !sodae_create(&s, problem, &o, NULL) && sodae_start(s) >= 0)
        while (rows < ROWS && at_time(s, problem, 0.1 * (rows + 1), &found[rows])) rows++;
    sodae_free(s);
    entry->free(problem);
    return rows;
}

/* Parts first .. first + 2 of the rows. */
static void chapter4_table(page *p, const char *title, const line *found, int rows, int first) {
    char heads[120];
    snprintf(heads, sizeof heads, "t|steps|sodae|%s|sodae|%s|sodae|%s|sodae", names[first],
             names[first + 1], names[first + 2]);
    table_begin(p, title, heads);
    for (int i = 0; i < rows; i++) {
        table_row(p);
        table_text(p, "%.1f", 0.1 * (i + 1));
        table_text(p, "%d", printed[i].steps);
        table_text(p, "%d", found[i].steps);
        for (int k = first; k < first + 3; k++) {
            table_text(p, "%.2e", printed[i].error[k]);
            table_text(p, "%.2e", found[i].error[k]);
        }
    }
    table_end(p);
}

static void chapter4(page *p) {
    line found[ROWS] = {{0}};
    int rows = measure_chapter4(found), agree = 0;
    while (agree < rows && found[agree].steps == printed[agree].steps) agree++;
    page_say(p, "The method of the thesis: two stages in index 3 under the control of chapter 4 "
                "(end of 6.3), first step 10⁻⁴, rows by dense output. λ̇ is that of (6.25a) at the "
                "end of the step that passes t; it is of order s − 2 = 0, does not converge, and "
                "enters neither q, v nor λ.");
    chapter4_table(p, "Table 8.4: printed / sodae", found, rows, 0);
    chapter4_table(p, "Table 8.5: printed / sodae", found, rows, 3);
    page_claim(p, rows == ROWS && agree >= 5 && found[ROWS - 1].steps == printed[ROWS - 1].steps,
               "chapter 4: the steps of the first %d rows are the printed ones; at t = 1 %d, "
               "printed %d",
               agree, found[ROWS - 1].steps, printed[ROWS - 1].steps);
    page_say(p,
             "(4.19) is taken without 1/N; with it the rows have 12, 13, 14, 14, 17, 21, 22, 22, "
             "23 and 27 steps.");
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
    chapter4(p);
}

const experiment p004_table84 = {"004", "Tables 8.4, 8.5", "Runge-Kutta method under error control",
                                 run};
