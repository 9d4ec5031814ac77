/* Claims about contact coordinates under error control. */
#include "claims.h"
#include "integrator/run.h"

/* A bead on the wire y = sin(c) under its weight; c = x, by an equation that hides it or without.
 */
static int force(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0, out[1] = -1;
    return 0;
}

static int wire(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->q[1] - sin(at->q[0]);
    return 0;
}

static int wire_at_contact(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->q[1] - sin(at->s[0]);
    return 0;
}

static int contact(const sodae_point *at, double *out, void *user) {
    (void)user;
    double c = at->s[0], x = at->q[0];
    *out = c + 0.1 * c * c * c - x - 0.1 * x * x * x;
    return 0;
}

static const double start_q[2] = {0, 0}, start_v[2] = {1.6, 1.6};

/* Steps to t = 6 and the error of the energy there, in tolerances. */
static double run(int with_contact, int method, double tol, double *error) {
    sodae_problem p = {
        .size = sizeof(sodae_problem), .name = "bead", .nv = 2, .nlambda = 1, .ns = with_contact};
    p.constant_mass = 1;
    p.value[SODAE_FORCE].fn = force;
    p.value[SODAE_HOLONOMIC].fn = with_contact ? wire_at_contact : wire;
    if (with_contact) p.value[SODAE_CONTACT].fn = contact;
    p.initial = (sodae_point){.q = start_q, .v = start_v};
    sodae_options o = sodae_default_options();
    o.method = method, o.rtol = tol;
    sodae *s = run_start(&p, &o);
    assert_int_equal(sodae_advance(s, 6, NULL, NULL), SODAE_OK);
    const double *q = sodae_state(s)->q, *v = sodae_state(s)->v;
    *error = fabs((v[0] * v[0] + v[1] * v[1]) / 2 + q[1] - 1.6 * 1.6) / tol;
    double steps = (double)sodae_counters(s)->steps;
    sodae_free(s);
    return steps;
}

/* An error of v that was none, but that of a matrix of another step, took ten times as many. */
static void contact_coordinates_cost_no_steps_at_small_tolerances(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_MSR};
    (void)unused;
    for (int m = 0; m < 2; m++)
        for (int c = 4; c <= 8; c++) {
            double error, plain, tol = pow(10, -c);
            double with = run(1, methods[m], tol, &error);
            double without = run(0, methods[m], tol, &plain);
            CHECK_IN(with / without, 0.7, 1.4);
            CHECK_IN(error, 0, 20);
            CHECK_IN(plain, 0, 20);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contact_coordinates_cost_no_steps_at_small_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
