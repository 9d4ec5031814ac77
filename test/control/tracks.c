/* Claims about features that are short against the step and small beside something else. */
#include "bodies.h"

/* y = slope x + height exp(-((x - place)/width)^2), passed with the speed 1 in x. */
typedef struct track {
    double slope, height, place, width;
    sodae_problem p;
    double q[2], v[2];
} track;

static double above(const track *k, double x) {
    double d = (x - k->place) / k->width;
    return k->height * exp(-d * d);
}

static int coast(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = out[1] = 0;
    return 0;
}

static int on_track(const sodae_point *at, double *out, void *user) {
    const track *k = user;
    *out = at->q[1] - k->slope * at->q[0] - above(k, at->q[0]);
    return 0;
}

static void make(track *k, double slope, double height, double place, double wide) {
    *k = (track){slope, height, place, wide, .v = {1, slope}};
    k->p = (sodae_problem){.name = "track", .nv = 2, .nlambda = 1, .constant_mass = 1, .user = k};
    k->p.value[SODAE_FORCE].fn = coast;
    k->p.value[SODAE_HOLONOMIC].fn = on_track;
    k->p.initial = (sodae_point){.q = k->q, .v = k->v};
}

/* How much longer the way over the bump is, in units of x: the speed along the track is constant.
 * The trapezoidal rule has it to rounding. */
static double longer(const track *k) {
    double sum = 0, dx = k->width / 100;
    for (int i = -800; i <= 800; i++) {
        double x = k->place + i * dx, bend = -2 * (x - k->place) / (k->width * k->width);
        double flat = hypot(1, k->slope), steep = hypot(1, k->slope + bend * above(k, x));
        sum += dx * (steep / flat - 1);
    }
    return sum;
}

static const int methods[] = {
    SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_RADAU_IIA,   SODAE_MSR,
    SODAE_BDF,         SODAE_DIRECT_BDF,        SODAE_MODIFIED_BDF};
enum { METHODS = sizeof methods / sizeof *methods };

/* The bump is 1/1000 of what the slope makes of y. */
static void a_bump_of_a_steep_track_is_not_stepped_over(void **unused) {
    track k;
    (void)unused;
    make(&k, 1, 0.1, 47, 0.5);
    CHECK_IN(longer(&k), 0.003, 0.01);
    for (int m = 0; m < METHODS; m++) {
        sodae *s = run_to(&k.p, methods[m], 1e-5, 100);
        CHECK_NEAR(sodae_state(s)->q[0], 100 - longer(&k), 1e-3);
        CHECK_IN((double)sodae_counters(s)->steps, 10, 4000);
        sodae_free(s);
    }
}

/* Between the ends of steps, too: it was off by 500 tolerances there. */
static void a_track_is_followed_inside_of_steps(void **unused) {
    static const double tol = 1e-6;
    track k;
    (void)unused;
    make(&k, 0, 0.01, 3.5, 0.05);
    for (int m = 0; m < METHODS; m++) {
        sodae_options o = sodae_default_options();
        o.method = methods[m], o.rtol = tol;
        sodae *s = run_start(&k.p, &o);
        double off = 0, highest = 0;
        for (int i = 1; i <= 1000; i++) {
            run_state x;
            sodae_solution out = run_buffers(&x);
            assert_int_equal(sodae_advance_dense(s, 0.01 * i - 0.0037, 10, &out), SODAE_OK);
            off = fmax(off, fabs(x.q[1] - above(&k, x.q[0])));
            highest = fmax(highest, x.q[1]);
        }
        CHECK_IN(off / tol, 0, 150);
        CHECK_IN(highest, 0.0095, 0.0102);
        CHECK_IN((double)sodae_counters(s)->steps, 20, 8000);
        sodae_free(s);
    }
}

/* x'' = x + 1000 exp(-((x - 2000)/100)^2), x = sinh t before. */
static int hill_on_a_slope(const sodae_point *at, double *out, void *user) {
    double d = (at->q[0] - 2000) / 100;
    (void)user;
    out[0] = at->q[0] + 1000 * exp(-d * d);
    return 0;
}

/* v^2 - x^2 = 1 + 2 area; the force at the end is ten times as large as the hill. */
static void a_hill_beside_a_larger_force_is_not_stepped_over(void **unused) {
    static const double zero = 0, one = 1;
    double area = 1000 * 100 * sqrt(acos(-1));
    sodae_problem p = one_body(hill_on_a_slope, &zero);
    (void)unused;
    p.initial.v = &one;
    for (int m = 0; m < METHODS; m++) {
        sodae *s = run_to(&p, methods[m], 1e-6, 10);
        double x = sodae_state(s)->q[0], v = sodae_state(s)->v[0];
        CHECK_NEAR((v - x) * (v + x) / 2, area, 0.02 * area);
        CHECK_IN((double)sodae_counters(s)->steps, 10, 20000);
        sodae_free(s);
    }
}

/* A stiff spring at a large distance: its rounding alone is many times what counts of a pulse. */
static int noisy(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -1e8 * (at->q[0] - 1e4);
    return 0;
}

static void rounding_is_no_feature(void **unused) {
    static const double far = 1e4;
    sodae_problem p = one_body(noisy, &far);
    (void)unused;
    sodae *s = run_to(&p, SODAE_METHOD_AUTO, 1e-9, 10);
    CHECK_NEAR(sodae_state(s)->q[0], far, 1e-6);
    CHECK_IN((double)sodae_counters(s)->steps, 3, 100);
    sodae_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bump_of_a_steep_track_is_not_stepped_over),
        cmocka_unit_test(a_track_is_followed_inside_of_steps),
        cmocka_unit_test(a_hill_beside_a_larger_force_is_not_stepped_over),
        cmocka_unit_test(rounding_is_no_feature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
