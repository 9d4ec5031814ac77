/* Error-controlled runs of the test problems against runs with as many equal steps. */
#include "papers/experiment.h"

#include <math.h>

static const char *const problems[] = {
    "hht-test",     "spring-pendulum", "nonholonomic-test", "rolling-disk",   "soi2-test",
    "pendulum",     "heavy-top",       "heavy-top-se3",     "circular-track", "unit-circle",
    "all-blocks",   "paraboloid",      "spring-damper",     "truck",          "truck11",
    "pendulum-a01", "andrews",         "car-axis",          "slider-crank",
};
enum { PROBLEMS = sizeof problems / sizeof problems[0], METHODS = 3 };
static const char *const methods[METHODS] = {"generalized-alpha", "radau-iia --stages 3",
                                             "direct-bdf"};

typedef struct outcome {
    int failed;
    long steps;
    double q, multipliers;
} outcome;

static outcome keep(const trace *t) {
    return (outcome){t->failed, t->counters.steps, t->end[CLI_Q],
                     fmax(t->end[CLI_LAMBDA], t->end[CLI_PSI])};
}

static void cells(page *p, const outcome *o, int with_steps) {
    if (o->failed) {
        page_add(p, "%s<td>–</td><td>–</td>", with_steps ? "<td>–</td>" : "");
        return;
    }
    if (with_steps) table_text(p, "%ld", o->steps);
    table_text(p, "%.1e", o->q);
    if (isnan(o->multipliers))
        table_text(p, "%s", "");
    else
        table_text(p, "%.1e", o->multipliers);
}

/* generalized-alpha under error control, the same number of equal steps, then the other methods. */
static void look_at(page *p, const char *problem, outcome found[METHODS + 1]) {
    for (int m = 0; m < METHODS; m++) {
        trace t;
        trace_try(&t, "%s --method %s --rtol 1e-4", problem, methods[m]);
        found[m ? m + 1 : 0] = keep(&t);
        if (m == 0) {
            double length =
                trace_last(&t, TRACE_TIME, 0) - (t.rows ? trace_value(&t, 0, TRACE_TIME, 0) : 0);
            trace fixed;
            trace_try(&fixed, "%s --method %s --step %.17g", problem, methods[0],
                      length / (double)t.counters.steps);
            found[1] = keep(&fixed);
            trace_free(&fixed);
        }
        trace_free(&t);
    }
    table_row(p);
    table_text(p, "%s", problem);
    for (int m = 0; m <= METHODS; m++) cells(p, &found[m], m != 1);
}

static void run(page *p) {
    outcome found[PROBLEMS][METHODS + 1];
    page_say(p,
             "rtol = atol = 10⁻⁴ on every problem of the papers and on some benchmarks, with the "
             "problem’s own end of the run. For generalized-α also equal steps, as many as error "
             "control took. Errors at the end: q, then the multipliers. A dash: the run fails.");
    table_begin(p, "Steps, errors of q, errors of λ and ψ",
                "problem|gen-α|q|λ, ψ|equal q|λ, ψ|Radau 3|q|λ, ψ|direct BDF|q|λ, ψ");
    for (int i = 0; i < PROBLEMS; i++) look_at(p, problems[i], found[i]);
    table_end(p);
    int worst = 0;
    for (int i = 0; i < PROBLEMS; i++) {
        if (found[i][0].failed) page_claim(p, 0, "%s runs with generalized-α", problems[i]);
        if (found[i][0].q > found[worst][0].q) worst = i;
    }
    page_claim_in(p, found[worst][0].q, 0, 2e-2, "largest error of q with generalized-α");
    page_say(p, "It belongs to %s, whose errors grow along the way.", problems[worst]);
}

const experiment beyond_control = {"beyond", "Error control", "Steps chosen by the error", run};
