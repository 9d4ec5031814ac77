/* Claims about the energy of the catalogue's problems. */
#include "claims.h"
#include "each.h"

static double energy_at(const sodae_problem *p, double t, double *v) {
    double q[EACH_MAX], E;
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q, .v = v};
    sodae_point at = {.t = t, .q = q, .v = v};
    assert_int_equal(p->exact(t, &out, p->user), 0);
    assert_int_equal(p->value[SODAE_ENERGY].fn(&at, &E, p->user), 0);
    return E;
}

/* dE/dt = -c theta'^2 */
static void the_spring_pendulum_loses_energy_in_its_damper_only(void **state) {
    (void)state;
    const catalogue_entry *entry = catalogue_find("spring-pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    const double weights[4] = {1, -8, 8, -1}, moves[4] = {-2, -1, 1, 2}, h = 1e-4;
    for (int k = 0; k < 5; k++) {
        double t = 0.05 + 0.1 * k, slope = 0, v[EACH_MAX];
        for (int m = 0; m < 4; m++)
            slope += weights[m] * energy_at(p, t + moves[m] * h, v) / (12 * h);
        double E = energy_at(p, t, v);
        CHECK_IN(E, -5 * 9.81 * 2, 1000);
        CHECK_NEAR(slope, -100 * v[2] * v[2], 1e-6);
    }
    entry->free(p);
}

static void keeps_energy(const char *name, const char *parameter, double value) {
    const catalogue_entry *entry = catalogue_find(name);
    sodae_problem *p = each_create(entry, parameter, value);
    double v[EACH_MAX], E0 = energy_at(p, 0, v);
    for (int k = 1; k <= 20; k++) CHECK_NEAR(energy_at(p, 0.05 * k, v) / E0, 1, 4e-14);
    entry->free(p);
}

static void undamped_problems_keep_their_energy_with_any_data(void **state) {
    (void)state;
    keeps_energy("rolling-disk", "r", 0.7);
    keeps_energy("rolling-disk", "m", 3);
    keeps_energy("rolling-disk", "I1", 1.5);
    keeps_energy("rolling-disk", "I2", 2.5);
    keeps_energy("rolling-disk", "g", 4);
    keeps_energy("pendulum", "x0", -0.1);
    keeps_energy("spring-pendulum", "c", 0);
    keeps_energy("heavy-top", "mass", 9);
    keeps_energy("heavy-top-se3", "omega2", 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_spring_pendulum_loses_energy_in_its_damper_only),
        cmocka_unit_test(undamped_problems_keep_their_energy_with_any_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
