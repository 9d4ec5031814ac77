/* Claims about runs that pass singular configurations with very many steps. */
#include "claims.h"
#include "integrator/frame.h"
#include "integrator/run.h"
#include "problems/each.h"

/* Where each of them ended with STEP_TOO_SMALL: rounding/sigma^2 in the multipliers was taken for
 * divergence, their pole for a stiffness, and smaller steps end nearer. */
static void
parallelograms_under_weight_are_passed_in_every_form_of_the_alpha_family(void **unused) {
    static const struct {
        int formulation;
        double rtol, t;
    } cases[] = {{SODAE_INDEX3, 1e-7, 2.9}, {SODAE_STABILIZED, 1e-8, 1.1}, {SODAE_SOI2, 1e-8, 0.5}};
    (void)unused;
    for (int c = 0; c < 3; c++) {
        frame f;
        frame_open(&f, 1, 1, 0);
        f.weight = 9.81;
        sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, cases[c].formulation, NAN);
        o.rtol = cases[c].rtol;
        sodae *s = run_start(&f.problem, &o);
        double q[4], v[4], energy = f.weight * (f.q[1] + f.q[3]);
        sodae_status st = sodae_advance_dense(
            s, cases[c].t, 3, &(sodae_solution){.size = sizeof(sodae_solution), .q = q, .v = v});
        if (st) fail_msg("%s", sodae_last_failure(s)->message);
        for (int i = 0; i < 4; i++) energy += (f.v[i] * f.v[i] - v[i] * v[i]) / 2;
        energy -= f.weight * (q[1] + q[3]);
        CHECK_IN(fabs(energy) / o.rtol, 0, 30);
        CHECK_IN(fabs(q[1] - q[3]), 0, 1e-12); /* still a parallelogram */
        CHECK_IN((double)sodae_counters(s)->refused, 0, 40);
        sodae_free(s);
    }
}

/* The step that ends almost there has multipliers of 1e7. */
static void the_four_bar_is_passed_in_index_3(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("four-bar");
    sodae_problem *p = each_create(entry, NULL, 0);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, NAN);
    o.rtol = 1e-4;
    sodae *s = run_start(p, &o);
    assert_int_equal(sodae_advance(s, 10, NULL, NULL), SODAE_OK);
    run_errors e = run_errors_now(p, s);
    CHECK_IN(e.of[RUN_Q] / o.rtol, 0.1, 30);
    CHECK_IN((double)sodae_counters(s)->steps, 12000, 16000);
    sodae_free(s);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallelograms_under_weight_are_passed_in_every_form_of_the_alpha_family),
        cmocka_unit_test(the_four_bar_is_passed_in_index_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
