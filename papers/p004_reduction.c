/* 004, chapter 7: what index reduction does to BDF, and why the second order GGL form failed. */
#include "papers/p004.h"

typedef struct form {
    const char *name, *options;
    double q, lambda; /* largest errors an independent run found */
} form;

/* orders 1, 2, 2, ... and h = 1/80 */
static const form forms[] = {
    {"index 3, modified", "--method modified-bdf --formulation index3", 1.90e-4, 3.73e-4},
    {"index 3, ordinary", "--method bdf --formulation index3", 2.86e-4, 5.0e-1},
    {"index 2, modified", "--method modified-bdf --formulation index2 --force on", 3.06e-4, 1.17},
    {"index 2, ordinary", "--method bdf --formulation index2", 1.27e-4, 1.22e-4},
    {"index 1, modified", "--method modified-bdf --formulation index1", 1.89e-4, 3.71e-4},
    {"index 1, ordinary", "--method bdf --formulation index1", 1.27e-4, 1.22e-4},
    {"GGL first order, ordinary", "--method bdf --formulation ggl", 1.86e-4, 3.62e-4},
    {"GGL second order, modified, η̇ kept",
     "--method modified-bdf --formulation ggl2 --eta-rate keep --force on", 3.15e-5, 5.0e-1},
    {"GGL second order, ordinary, η̇ kept", "--method bdf --formulation ggl2 --eta-rate keep",
     1.38e-4, 2.35e-4},
    {"GGL second order, modified, η̇ dropped",
     "--method modified-bdf --formulation ggl2 --eta-rate drop", 3.15e-5, 5.2e-5},
    {"minimal extension, modified", "--method modified-bdf --formulation minimal-extension",
     1.87e-4, 3.64e-4},
    {"minimal extension, ordinary", "--method bdf --formulation minimal-extension", 1.88e-4,
     3.62e-4},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

static void run(page *p) {
    double q[FORMS], lambda[FORMS];
    page_say(p, "Unit circle, constant steps h = 1/80, orders 1, 2, 2, …; largest errors over all "
                "steps, against an independent prototype of the same formulas (*its largest "
                "component of q, sodae’s 2-norm).");
    table_begin(p, "Largest errors on [0, 1]",
                "formulation, BDF|q, prototype*|q, sodae|λ, prototype|λ, sodae|max ‖g‖|max ‖ġ‖");
    for (int i = 0; i < FORMS; i++) {
        trace t;
        trace_run(&t, p, "unit-circle %s --order 2 --orders ramp --step 1/80 --t-end 1",
                  forms[i].options);
        q[i] = t.worst[CLI_Q];
        lambda[i] = t.worst[CLI_LAMBDA];
        table_row(p);
        table_text(p, "%s", forms[i].name);
        table_text(p, "%.2e", forms[i].q);
        table_text(p, "%.2e", q[i]);
        table_text(p, "%.2e", forms[i].lambda);
        table_text(p, "%.2e", lambda[i]);
        table_text(p, "%.0e", t.counters.worst_position);
        table_text(p, "%.0e", t.counters.worst_velocity);
        trace_free(&t);
    }
    table_end(p);
    for (int i = 0; i < FORMS; i++)
        page_claim(p, fabs(lambda[i] / forms[i].lambda - 1) < 0.3, "%s: λ is wrong by at most %.3g",
                   forms[i].name, lambda[i]);
    page_misprint(p, "(8.4): the last force term contains λ̇", "η̇",
                  "(7.19a); with λ̇ the multiplier "
                  "found is not λ");
    page_misprint(p, "(7.6), (7.14), (7.22)–(7.25): 2 Ġ v",
                  "G<sub>q</sub>(v,v) + 2 G<sub>t</sub> v",
                  "differentiate g twice; the worked examples have it right");
    page_misprint(
        p, "modified BDF is designed for index 2 and 3",
        "for index 3; in the index 2 form λ is wrong by O(1) at the start and after changes",
        "Theorem 3.3.3 needs ν = d + 1; use ordinary BDF there");
    page_say(p,
             "Why the second order GGL form failed in the thesis: η is exactly the normal error of "
             "the BDF velocity, and the modified formula for q̈ has compensated that error already. "
             "Adding η̇ compensates it twice. Dropping the term M Gᵀη̇ cures it.");
}

const experiment p004_reduction = {"004", "Chapter 7", "Formulations of reduced index", run};
