/* Claims about features that are short against the step and small against another coordinate. */
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
    k->p = (sodae_problem){.size = sizeof(sodae_problem),
                           .name = "track",
                           .nv = 2,
                           .nlambda = 1,
                           .constant_mass = 1,
                           .user = k};
    k->p.value[SODAE_FORCE].fn = coast;
    k->p.value[SODAE_HOLONOMIC].fn = on_track;
    k->p.initial = (sodae_point){.q = k->q, .v = k->v};
}

static const int methods[] = {
    SODAE_METHOD_AUTO, SODAE_GENERALIZED_ALPHA, SODAE_RADAU_IIA,   SODAE_MSR,
    SODAE_BDF,         SODAE_DIRECT_BDF,        SODAE_MODIFIED_BDF};
enum { METHODS = sizeof methods / sizeof *methods };

/* Between the ends of steps, too: it was off by 500 tolerances there. */
static void a_track_is_followed_inside_of_steps(void **unused) {
    static const double tol = 1e-6;
    track k;
    (void)unused;
    make(&k, 0, 0.01, 3.5, 0.05);
    for (int m = 0; m < METHODS; m++) {
        sodae_options o = sodae_default_options();
        o.method = methods[m], o.rtol = tol, o.max_step = 0.05; /* of the bump's width */
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
        CHECK_IN((double)sodae_counters(s)->steps, 200, 8000);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_track_is_followed_inside_of_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
