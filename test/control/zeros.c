/* Claims about errors where components are small: orbits in metres, on which 1e-6 of a component is
 * little beside its zeros. */
#include "bodies.h"

static const double mu = 3.986e14, turn = 2 * 3.14159265358979323846;

enum { LOOKS = 40 }; /* in a step */

/* An ellipse from its apogee; what was seen of the run. */
typedef struct orbit {
    double a, e, span;  /* m, turns */
    double largest[4];  /* of x, y, vx, vy */
    double rtol, error; /* in tolerances, of what is no less than a hundredth of its largest */
    sodae *s;
} orbit;

static double rate(const orbit *o) {
    return sqrt(mu / (o->a * o->a * o->a));
}

/* The state at t, x = {x, y, vx, vy}: the eccentric anomaly E solves E - e sin E = n t + pi. */
static void exact(const orbit *o, double t, double *x) {
    double n = rate(o), m = remainder(n * t + turn / 2, turn), E = m + o->e * (m > 0 ? 1 : -1);
    double b = o->a * sqrt(1 - o->e * o->e);
    for (int i = 0; i < 50; i++) E -= (E - o->e * sin(E) - m) / (1 - o->e * cos(E));
    double dE = n / (1 - o->e * cos(E));
    x[0] = o->a * (cos(E) - o->e), x[1] = b * sin(E);
    x[2] = -o->a * sin(E) * dE, x[3] = b * cos(E) * dE;
}

static int gravity(const sodae_point *at, double *out, void *user) {
    double r = hypot(at->q[0], at->q[1]);
    (void)user;
    for (int i = 0; i < 2; i++) out[i] = -mu * at->q[i] / (r * r * r);
    return 0;
}

static void find_largest(orbit *o) {
    double x[4];
    for (int i = 0; i <= 1000; i++) {
        exact(o, turn / rate(o) * i / 1000, x);
        for (int k = 0; k < 4; k++) o->largest[k] = fmax(o->largest[k], fabs(x[k]));
    }
}

static int look(const sodae_view *view, void *user) {
    orbit *o = user;
    double x[4], y[4];
    const sodae_solution at = {.q = y, .v = y + 2};
    for (int i = 1; i <= LOOKS; i++) {
        double t = view->t - view->h * (LOOKS - i) / LOOKS;
        assert_int_equal(sodae_interpolate(o->s, t, &at), SODAE_OK);
        exact(o, t, x);
        for (int k = 0; k < 4; k++) {
            double size = fmax(fabs(x[k]), 0.01 * o->largest[k]);
            o->error = fmax(o->error, fabs(y[k] - x[k]) / (o->rtol * (1 + size)));
        }
    }
    return 0;
}

static sodae_status travel(orbit *o, sodae_verification *e) {
    double x[4];
    sodae_problem p = {.name = "orbit", .nv = 2};
    sodae_options options = sodae_default_options();
    exact(o, 0, x);
    p.value[SODAE_FORCE].fn = gravity;
    p.initial = (sodae_point){.q = x, .v = x + 2};
    options.rtol = o->rtol;
    find_largest(o);
    o->s = run_start(&p, &options);
    assert_int_equal(sodae_advance(o->s, o->span * turn / rate(o), look, o), SODAE_OK);
    sodae_status st = sodae_verify(o->s, e);
    sodae_free(o->s);
    return st;
}

static void an_error_beside_a_zero_is_told(void **unused) {
    int told = 0, right = 0;
    (void)unused;
    for (int k = 0; k < 60; k++) {
        orbit o = {.a = 1e7 * (1 + k % 5), .e = 0.1 + 0.15 * (k % 6), .rtol = pow(10, -4 - k % 3)};
        sodae_verification e;
        o.span = 1.05 + 0.37 * (k % 11);
        sodae_status st = travel(&o, &e);
        assert_true(st == SODAE_OK || st == SODAE_INACCURATE);
        CHECK_IN(o.error, st ? 25 : 0.01, st ? 1e6 : 100);
        if (st) CHECK_IN(e.error / o.error, 0.8, 1.2);
        told += st == SODAE_INACCURATE, right += !st;
    }
    CHECK_IN((double)told, 5, 55);
    CHECK_IN((double)right, 5, 55);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_error_beside_a_zero_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
