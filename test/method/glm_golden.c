/* Golden numbers of collocation and general linear methods: 004 Example 8.1.1, ten steps to t = 1,
 * found in 50-digit arithmetic. */
#include "method/glm_run.h"

typedef struct golden {
    const char *by, *options;
    double q[2], v[2], lambda;
    int own_lambda; /* 1: lambda is that of the last stage; 0: by (6.21) from a rate found by
                       differences */
} golden;

static const golden one_step[] = {
    {"radau-iia",
     "stages=1",
     {0.79730216140710, 0.60358037030338},
     {0.52550045542156, -0.63760836212963},
     0.27386503848378,
     1},
    {"radau-iia",
     "stages=2",
     {0.84145999275096, 0.54031942459952},
     {0.54026681523685, -0.84143025585163},
     0.45583947580603,
     1},
    {"radau-iia",
     "stages=3",
     {0.84147098243363, 0.54030230956585},
     {0.54029177966627, -0.84147771936494},
     0.45502329373108,
     1},
    {"gauss",
     "stages=2 formulation=index3 force=yes",
     {0.84147029935655, 0.54030302244549},
     {0.53988980233586, -0.84173423924119},
     0.59081713672966,
     0},
};
static const golden many_steps[] = {
    {"msr",
     "steps=2 stages=2",
     {0.84147199229942, 0.54030073678984},
     {0.54025884161347, -0.84150112773284},
     0.45660990230400,
     1},
    {"msr",
     "steps=3 stages=2",
     {0.84147101002115, 0.54030226660081},
     {0.54030220030289, -0.84147118453974},
     0.45465430398568,
     1},
    {"msr",
     "steps=2 stages=3",
     {0.84147098462568, 0.54030230615192},
     {0.54030230153649, -0.84147098706861},
     0.45464848611214,
     1},
    {"dc",
     "steps=3 stages=2",
     {0.84143020607809, 0.54036580970616},
     {0.54026186386222, -0.84126795289417},
     0.45438633444347,
     1},
};

static void check(const golden *g, int exact_past) {
    run r;
    run_start(&r, "unit-circle", g->by, g->options);
    if (exact_past) run_exact_past(&r, 0.1);
    run_steps(&r, 0.1, 10);
    const sodae_view *z = sodae_state(r.s);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(z->q[i], g->q[i], 3e-14);
        CHECK_NEAR(z->v[i], g->v[i], g->own_lambda ? 1e-13 : 1e-12); /* gauss adds up */
    }
    CHECK_NEAR(z->lambda[0], g->lambda, g->own_lambda ? 2e-12 : 3e-10);
    run_close(&r);
}

static void collocation_meets_the_golden_numbers(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof one_step / sizeof *one_step; i++) check(&one_step[i], 0);
}

static void general_linear_methods_meet_the_golden_numbers(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof many_steps / sizeof *many_steps; i++) check(&many_steps[i], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(collocation_meets_the_golden_numbers),
        cmocka_unit_test(general_linear_methods_meet_the_golden_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
