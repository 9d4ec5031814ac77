/* 004, Tables 2.3 and 3.1: implicit Euler and modified Euler on changing steps, errors of λ. */
#include "papers/p004.h"

enum { STEPS = 10 };
static const double sizes[STEPS] = {1, 1, .2, .04, .008, .008, .016, .032, .064, .064};
static const double printed[2][STEPS] = {
    {2.0080, 0.0080, 8.0303, 8.0348, 8.0357, 0.0001, 1.0047, 1.0048, 1.0052, 0.0006},
    {0.0080, 0.0120, 0.0057, 0.0012, 0.0003, 0.0001, 0.0002, 0.0004, 0.0007, 0.0008}};

static void run(page *p) {
    enum { EULER, MODIFIED, CORRECTED, FINER, RUNS };
    trace t[RUNS];
    double worst[RUNS] = {0};
    const char *const method[RUNS] = {"bdf", "modified-bdf", "bdf --multiplier-correction on",
                                      "bdf --multiplier-correction on"};
    for (int k = 0; k < RUNS; k++)
        trace_run(&t[k], p,
                  "circular-track --method %s --order 1 --orders ramp --step %g --t-end %.7f "
                  "--steps-pattern 1,1,0.2,0.04,0.008,0.008,0.016,0.032,0.064,0.064",
                  method[k], k == FINER ? 5e-4 : 1e-3, k == FINER ? 1.001216 : 1.002432);
    page_say(p, "Example 2.4.7 with steps that change again and again. Implicit Euler is wrong by "
                "O(1) in λ after every change; the modified formula on the second order system is "
                "not.");
    table_begin(
        p, "|λ(t<sub>j</sub>) − λ<sub>j</sub>|",
        "step|size ×10⁻³|Euler, printed|sodae|difference|modified, printed|sodae|difference|"
        "Euler, corrected|half the steps");
    for (int i = 0; i < STEPS; i++) {
        table_row(p);
        table_text(p, "%d", i + 1);
        table_text(p, "%.3f", sizes[i]);
        for (int k = 0; k < 2; k++) {
            double found = trace_value(&t[k], i + 1, TRACE_ERROR, CLI_LAMBDA);
            worst[k] = fmax(worst[k], fabs(found - printed[k][i]));
            table_text(p, "%.4f", printed[k][i]);
            table_text(p, "%.4f", found);
            table_text(p, "%+.4f", found - printed[k][i]);
        }
        for (int k = CORRECTED; k < RUNS; k++) {
            double found = trace_value(&t[k], i + 1, TRACE_ERROR, CLI_LAMBDA);
            worst[k] = fmax(worst[k], found);
            table_text(p, "%.2e", found);
        }
    }
    table_end(p);
    page_claim_in(p, worst[0], 0, 6e-5, "Table 2.3: largest difference, four decimals printed");
    page_claim_in(p, worst[1], 0, 6e-5, "Table 3.1: largest difference, four decimals printed");
    page_say(
        p, "Corrected: λ is that of the new q and v, whose errors do not jump by O(1)/h where the "
           "step changes; q and v go on as they were (option multiplier_correction).");
    page_claim_in(p, worst[CORRECTED], 0, 1e-3, "Euler, corrected: largest error of λ, O(h)");
    page_claim_in(p, log2(worst[CORRECTED] / worst[FINER]), 0.9, 2.1,
                  "its order when all steps are halved");
    trace_show_command(p, t[MODIFIED].command);
    trace_show_command(p, t[CORRECTED].command);
    for (int k = 0; k < RUNS; k++) trace_free(&t[k]);
}

const experiment p004_table31 = {"004", "Tables 2.3, 3.1",
                                 "Euler and modified Euler on changing steps", run};
