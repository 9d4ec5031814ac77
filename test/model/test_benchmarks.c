/* Benchmarks of structural and multibody dynamics as model files: digits from reduced equations,
 * modes, closed forms or, for the beams, independent spectral elements. Default settings. */
#include "claims.h"

#include <sodae/sodae.h>
#include <stdio.h>

typedef struct run {
    sodae_model *model;
    sodae *s;
    const sodae_view *end;
} run;

/* The largest error of v2, v3 of stiff-soft on the way, in tolerances. */
typedef struct watch {
    const sodae_problem *problem;
    double rtol, worst;
} watch;

/* set: parameters, the last one NULL. */
static run prepare_by(sodae_method method, const char *name, const char *const *set, double rtol) {
    run r;
    char path[512];
    sodae_failure why;
    sodae_options o = sodae_default_options();
    o.rtol = o.atol = rtol, o.method = method;
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, name);
    if (sodae_model_load(path, set, &r.model, &why)) fail_msg("%s", why.message);
    if (sodae_create(&r.s, sodae_model_problem(r.model), &o, &why) < 0) fail_msg("%s", why.message);
    return r;
}

static run prepare(const char *name, const char *const *set, double rtol) {
    return prepare_by(SODAE_METHOD_AUTO, name, set, rtol);
}

static void go(run *r, double t, sodae_sink *sink, void *user) {
    sodae_status st = sodae_start(r->s);
    if (st >= 0) st = sodae_advance(r->s, t, sink, user);
    if (st < 0) fail_msg("%s", sodae_last_failure(r->s)->message);
    r->end = sodae_state(r->s);
}

static run begin_by(sodae_method method, const char *name, const char *const *set, double rtol,
                    double t) {
    run r = prepare_by(method, name, set, rtol);
    go(&r, t, NULL, NULL);
    return r;
}

static run begin(const char *name, const char *const *set, double rtol, double t) {
    return begin_by(SODAE_METHOD_AUTO, name, set, rtol, t);
}

static void finish(run *r) {
    sodae_free(r->s);
    sodae_model_free(r->model);
}

/* In tolerances. */
static double error_of(const double *x, const double *digits, int n, double rtol) {
    double far = 0;
    for (int i = 0; i < n; i++)
        far = fmax(far, fabs(x[i] - digits[i]) / (rtol * (1 + fabs(digits[i]))));
    return far;
}

static int see_velocities(const sodae_view *now, void *user) {
    watch *w = user;
    double v[3];
    if (w->problem->exact(now->t, &(sodae_solution){.size = sizeof(sodae_solution), .v = v},
                          w->problem->user))
        return -1;
    w->worst = fmax(w->worst, error_of(now->v + 1, v + 1, 2, w->rtol));
    return 0;
}

static void the_oscillator_chain_meets_the_digits_of_its_modes(void **unused) {
    static const double tip[] = {9.53900912498922, 0.5010306954591727, -5.426536202225684};
    (void)unused;
    for (int k = 3; k <= 9; k += 3)
        for (int i = 0; i < 3; i++) {
            double rtol = pow(10, -k), t = pow(10, i), modes[10];
            run r = begin("oscillator-chain", NULL, rtol, t);
            const sodae_problem *p = sodae_model_problem(r.model);
            assert_int_equal(
                p->exact(t, &(sodae_solution){.size = sizeof(sodae_solution), .q = modes}, p->user),
                0);
            CHECK_NEAR(modes[9], tip[i], 1e-12);
            CHECK_IN(error_of(r.end->q, modes, 10, rtol), 1e-4, 1);
            CHECK_IN((double)sodae_counters(r.s)->steps, 3, k == 9 ? 1500 : 400);
            finish(&r);
        }
}

static void the_rheonomic_slider_meets_its_closed_form(void **unused) {
    static const double q[] = {0.0800640628862825, -0.8329546125203442};
    static const double v[] = {0.8320409530030652, 0.5857395069694368};
    (void)unused;
    for (int k = 3; k <= 9; k += 3)
        for (int radau = 0; radau < 2; radau++) {
            double rtol = pow(10, -k), most = radau ? 1 : 5;
            run r = begin_by(radau ? SODAE_RADAU_IIA : SODAE_METHOD_AUTO, "rheonomic-slider", NULL,
                             rtol, 5);
            CHECK_IN(error_of(r.end->q, q, 2, rtol), 0.01, most);
            CHECK_IN(error_of(r.end->v, v, 2, rtol), 0.01, most);
            CHECK_NEAR(r.end->lambda[0], cos(5), 10 * rtol);
            CHECK_IN((double)sodae_counters(r.s)->steps, 10, 100);
            finish(&r);
        }
}

/* The far corner at t = 0.5; bars between held points of the row are redundant. */
static void nets_of_rigid_bars_meet_ten_digits(void **unused) {
    static const struct {
        const char *set[4];
        int last, redundant;
        double x[3], v[3];
    } nets[] = {
        {{"n=3", "row=1", "twist=0"},
         24,
         2,
         {0.16756460631005518, 1, -0.985861049810619},
         {-5.245247408937768, 0, -0.8903967478511982}},
        {{"n=3", "row=0", "twist=0"},
         24,
         0,
         {0.8419861443068765, 0.8419861443068765, -1.2244551349423454},
         {-2.0568919495836755, -2.0568919495836755, -4.832640474747782}},
        {{"n=4", "row=0", "twist=0"},
         45,
         0,
         {0.8159388681859195, 0.8159388681859195, -1.2259940033921704},
         {-2.33529420767355, -2.33529420767355, -4.890303398113471}},
        {{"n=5", "row=0", "twist=1"},
         72,
         0,
         {0.8035792182736371, 0.8035792182736371, -0.8423093106427384},
         {-1.5376245202564615, -1.5376245202564615, -5.106043741348374}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        for (int k = 3; k <= (i < 3 ? 9 : 6); k += 3) {
            double rtol = pow(10, -k);
            run r = begin("net", nets[i].set, rtol, 0.5);
            assert_int_equal(sodae_started(r.s)->redundant, nets[i].redundant);
            CHECK_IN(error_of(r.end->q + nets[i].last, nets[i].x, 3, rtol), 1e-7, 0.2);
            CHECK_IN(error_of(r.end->v + nets[i].last, nets[i].v, 3, rtol), 1e-4, 2);
            CHECK_IN((double)sodae_counters(r.s)->steps, 8, 300);
            finish(&r);
        }
}

/* From rest the stiff spring rings and is followed; the digits are those of the modes. */
static void a_stiff_spring_that_rings_is_followed(void **unused) {
    static const char *const rings[] = {"ring=1", NULL};
    static const double u[] = {0.9316728991552039, 0.17665012548577327};
    static const double v[] = {0.7489032926107889, 0.4853032515362254};
    (void)unused;
    run r = begin("stiff-soft", rings, 1e-5, 1);
    CHECK_IN(error_of(r.end->q + 1, u, 2, 1e-5), 1e-6, 1);
    CHECK_IN(error_of(r.end->v + 1, v, 2, 1e-5), 1e-3, 2);
    CHECK_IN((double)sodae_counters(r.s)->steps, 1000, 20000);
    finish(&r);
}

/* The stiff spring holds u2, and v2 follows from its differences: an error that does not add up. If
 * it passed unseen the spring would ring, and steps would have to follow that: 26000 at 1e-9. */
static void a_stiff_spring_at_rest_costs_no_steps(void **unused) {
    static const double u[] = {-0.5365729680305238, -0.2642088505339513};
    static const double v[] = {1.012624336054813, -4.589796584907012};
    (void)unused;
    for (int k = 4; k <= 9; k++) {
        double rtol = pow(10, -k);
        watch w = {.rtol = rtol};
        run r = prepare("stiff-soft", NULL, rtol);
        w.problem = sodae_model_problem(r.model);
        go(&r, 10, see_velocities, &w);
        CHECK_IN(w.worst, 0.1, 3);
        CHECK_IN(error_of(r.end->q + 1, u, 2, rtol), 1e-7, 0.1);
        CHECK_IN(error_of(r.end->v + 1, v, 2, rtol), 1e-5, 3);
        CHECK_IN((double)sodae_counters(r.s)->steps, 20, 1000);
        finish(&r);
    }
}

/* Displacement of the free end in the frame of the root. */
static void tip_of_the_beam(const sodae_view *end, double L, double *u) {
    double t = end->t, T = 15, turn = 2 * acos(-1) / T;
    double psi = t < T ? 6 / T * (t * t / 2 + (cos(turn * t) - 1) / turn / turn) : 6 * t - 45;
    const double *q = end->q + 24;
    u[0] = cos(psi) * q[0] + sin(psi) * q[1] - L;
    u[1] = cos(psi) * q[1] - sin(psi) * q[0];
    u[2] = q[2] - psi;
}

/* The digits have an error of 1e-7. Shear vibrates with 1.3e5 rad/s and must not decide the steps.
 */
static void the_spin_up_beam_meets_seven_digits(void **unused) {
    static const struct {
        double t, u[3];
    } digits[] = {
        {2.5, {-0.0013226770240539357, -0.1512835588473753, -0.020621126341384105}},
        {7.5, {-0.017741864388622332, -0.5590834585593757, -0.07477863055727366}},
    };
    (void)unused;
    static const struct {
        sodae_method method;
        double rtol, most;
    } runs[] = {{SODAE_METHOD_AUTO, 1e-5, 2000},
                {SODAE_METHOD_AUTO, 1e-6, 2000},
                {SODAE_RADAU_IIA, 1e-3, 600},
                {SODAE_RADAU_IIA, 1e-6, 600}};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 2; i++) {
            double rtol = runs[k].rtol, u[3];
            run r = begin_by(runs[k].method, "spin-up-beam", NULL, rtol, digits[i].t);
            tip_of_the_beam(r.end, 10, u);
            CHECK_IN(error_of(u, digits[i].u, 3, rtol), 1e-9, 1);
            CHECK_IN((double)sodae_counters(r.s)->steps, 10, runs[k].most);
            finish(&r);
        }
}

/* Rounding of x = 10 makes forces that excite the fastest waves, by 1e-10 in v. To follow them
 * would take millions of steps at 1e-9, and at 1e-6 where lengths are numbers of millimetres. */
static void rounding_of_stiff_forces_does_not_decide_steps(void **unused) {
    static const char *const millimetres[] = {"L=1e4",      "EA=2.8e10", "GA=1e10", "EI=1.4e13",
                                              "rho=1.2e-3", "J=6e-1",    NULL};
    static const double metres[] = {-0.0013226770240539357, -0.1512835588473753,
                                    -0.020621126341384105};
    double u[3];
    (void)unused;
    run r = begin("spin-up-beam", NULL, 1e-9, 2.5);
    tip_of_the_beam(r.end, 10, u);
    CHECK_IN(error_of(u, metres, 3, 1e-9), 1e-3, 5);
    CHECK_IN((double)sodae_counters(r.s)->steps, 60, 300);
    finish(&r);
    r = begin("spin-up-beam", millimetres, 1e-6, 2.5);
    tip_of_the_beam(r.end, 1e4, u);
    u[0] /= 1000, u[1] /= 1000;
    CHECK_IN(error_of(u, metres, 3, 1e-6), 1e-5, 1);
    CHECK_IN((double)sodae_counters(r.s)->steps, 30, 200);
    finish(&r);
}

/* Elbow and free end at t = 1: 4e-4 is what elements of degree 6 leave. At 1e-2 and 1e-3 dopri5
 * follows the waves with h omega = 1, where steps of a chain are, too: auto does not change then.
 */
static void the_right_angle_cantilever_meets_three_digits(void **unused) {
    static const double elbow[] = {9.945804685308039, 0.02288089656962957, 0.9513072713832162};
    static const double tip[] = {9.996982940627827, 9.976611343727559, 0.05403112391807625};
    (void)unused;
    static const struct {
        sodae_method method;
        double rtol, most;
    } runs[] = {{SODAE_METHOD_AUTO, 1e-2, 3000},
                {SODAE_METHOD_AUTO, 1e-4, 400},
                {SODAE_METHOD_AUTO, 1e-6, 600},
                {SODAE_RADAU_IIA, 1e-2, 400},
                {SODAE_RADAU_IIA, 1e-4, 400}};
    for (int k = 0; k < 5; k++) {
        run r = begin_by(runs[k].method, "right-angle-cantilever", NULL, runs[k].rtol, 1);
        CHECK_IN(error_of(r.end->q + 72, elbow, 3, 1e-4), 1e-3, 4);
        CHECK_IN(error_of(r.end->q + 144, tip, 3, 1e-4), 1e-3, 4);
        CHECK_IN((double)sodae_counters(r.s)->steps, 5, runs[k].most);
        finish(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_chain_meets_the_digits_of_its_modes),
        cmocka_unit_test(the_rheonomic_slider_meets_its_closed_form),
        cmocka_unit_test(nets_of_rigid_bars_meet_ten_digits),
        cmocka_unit_test(a_stiff_spring_that_rings_is_followed),
        cmocka_unit_test(a_stiff_spring_at_rest_costs_no_steps),
        cmocka_unit_test(the_spin_up_beam_meets_seven_digits),
        cmocka_unit_test(rounding_of_stiff_forces_does_not_decide_steps),
        cmocka_unit_test(the_right_angle_cantilever_meets_three_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
