/* Claims about motion that constraints prescribe in time, between the ends of steps. */
#include "claims.h"
#include "integrator/run.h"

#include <string.h>

/* x = A sin(w t) by a constraint, next to y'' = -y; or its velocity, by a nonholonomic one. */
typedef struct drive {
    double A, w;
    sodae_problem p;
    double q[2], v[2];
    long calls; /* of the force */
} drive;

static int force(const sodae_point *at, double *out, void *user) {
    ((drive *)user)->calls++;
    out[0] = 0, out[1] = -at->q[1];
    return 0;
}

static int prescribed(const sodae_point *at, double *out, void *user) {
    const drive *d = user;
    *out = at->q[0] - d->A * sin(d->w * at->t);
    return 0;
}

static int prescribed_velocity(const sodae_point *at, double *out, void *user) {
    const drive *d = user;
    *out = at->v[0] - d->A * d->w * cos(d->w * at->t);
    return 0;
}

/* Of both: d/dt of the constraint on velocities, without v'. */
static int drift(const sodae_point *at, double *out, void *user) {
    const drive *d = user;
    *out = d->A * d->w * d->w * sin(d->w * at->t);
    return 0;
}

/* Held where it is, whatever the time. */
static int held(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->q[0];
    return 0;
}

/* To and fro at constant speed: the velocity jumps at t = 1. */
static int jumping(const sodae_point *at, double *out, void *user) {
    const drive *d = user;
    *out = at->q[0] - d->A * fabs(at->t - 1);
    return 0;
}

static void make(drive *d, double A, double w, sodae_fn *g, int nonholonomic) {
    *d = (drive){.A = A, .w = w, .v = {A * w, 1}};
    d->p = (sodae_problem){
        .size = sizeof(sodae_problem), .name = "drive", .nv = 2, .constant_mass = 1, .user = d};
    d->p.nlambda = !nonholonomic, d->p.npsi = nonholonomic;
    d->p.value[SODAE_FORCE].fn = force;
    d->p.value[nonholonomic ? SODAE_NONHOLONOMIC : SODAE_HOLONOMIC].fn = g;
    d->p.value[nonholonomic ? SODAE_NONHOLONOMIC_DRIFT : SODAE_HOLONOMIC_DRIFT].fn =
        g == prescribed || nonholonomic ? drift : NULL;
    d->p.value[SODAE_HOLONOMIC_RATE].fn = g == prescribed ? prescribed_velocity : NULL;
    d->p.initial = (sodae_point){.q = d->q, .v = d->v};
}

/* Largest errors, in tolerances, at many times inside steps; steps. */
typedef struct seen {
    double q, v, reaction, free;
    long steps;
} seen;

static double off(double x, double exact, double size, double tol) {
    return fabs(x - exact) / (tol * (1 + size));
}

static void look(const drive *d, double t, const run_state *x, double tol, seen *e) {
    double A = d->A, w = d->w, reaction = A * w * w * sin(w * t);
    const double *l = d->p.nlambda ? x->lambda : x->psi;
    e->q = fmax(e->q, off(x->q[0], A * sin(w * t), A, tol));
    e->v = fmax(e->v, off(x->v[0], A * w * cos(w * t), A * w, tol));
    e->reaction = fmax(e->reaction, off(*l, reaction, A * w * w, tol));
    e->free = fmax(e->free, off(x->v[1], cos(t), 1, tol));
}

static seen run(const drive *d, int method, double tol, double t_end) {
    sodae_options o = sodae_default_options();
    if (method >= 0) o.method = method;
    o.rtol = tol;
    long before = d->calls;
    sodae *s = run_start(&d->p, &o);
    seen e = {0};
    int looks = (int)(40 * t_end * fmax(1, d->w));
    for (int i = 1; i <= looks; i++) {
        run_state x;
        sodae_solution out = run_buffers(&x);
        double t = t_end * (i - 0.37) / looks;
        assert_int_equal(sodae_advance_dense(s, t, t_end, &out), SODAE_OK);
        look(d, t, &x, tol, &e);
    }
    e.steps = sodae_counters(s)->steps;
    /* those of steps that were taken back, too */
    assert_int_equal(sodae_counters(s)->evaluations[SODAE_FORCE], d->calls - before);
    sodae_free(s);
    return e;
}

enum { DEFAULT = -1 };

/* Ends of steps alone were right: the default was off by 10^5 tolerances between them. */
static void driven_motion_is_right_inside_of_steps(void **unused) {
    static const double speeds[] = {1, 20, 300, 1000};
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int c = 3; c <= 6; c += 3) {
            drive d;
            double w = speeds[k], tol = pow(10, -c);
            make(&d, 0.01, w, prescribed, 0);
            seen e = run(&d, DEFAULT, tol, k < 2 ? 5 : 0.5);
            CHECK_IN(e.q, 0, 20);
            CHECK_IN(e.v, k ? 0.05 : 0, 20); /* not by steps that are much too small */
            CHECK_IN(e.reaction, 0, 20);
            CHECK_IN(e.free, 0, 10);
        }
}

/* The reaction of a method of order 2, in tolerances, where v is within 20 of them. Cubic Hermite
 * interpolation of v = A w cos(w t) by v' leaves (h w)^4/384 of A w, so that
 * (h w)^4/384 <= 20 tol (1 + A w)/(A w), with A w = 3 for the faster drive. lambda = A w^2 sin(w t)
 * then is off by (h w)^2/12 at the ends of steps (the error constant of second order methods that
 * take v' from differences), by (h w)^4/24 more between them (Lagrange, four points). */
static double reaction_of_order_2(double tol) {
    double hw2 = sqrt(384 * 20 * tol * (1 + 3) / 3);
    return (hw2 / 12 + hw2 * hw2 / 24) / tol;
}

static void driven_motion_is_right_inside_of_steps_of_every_method(void **unused) {
    const struct {
        int method;
        double least_v, most_reaction;
    } all[] = {{SODAE_GENERALIZED_ALPHA, 1, reaction_of_order_2(1e-4)},
               {SODAE_EXTENDED_HHT, 1, reaction_of_order_2(1e-4)},
               {SODAE_MSR, 1, 20},
               {SODAE_GAUSS, 0, 20},
               {SODAE_DC, 0, 20},
               {SODAE_BDF, 0, 50},
               {SODAE_MODIFIED_BDF, 0, 50},
               {SODAE_DIRECT_BDF, 0, 50}};
    (void)unused;
    for (size_t m = 0; m < sizeof all / sizeof *all; m++)
        for (int k = 0; k < 2; k++) {
            drive d;
            make(&d, 0.01, k ? 300 : 20, prescribed, 0);
            seen e = run(&d, all[m].method, 1e-4, k ? 0.5 : 3);
            CHECK_IN(e.q, 0, 20);
            CHECK_IN(e.v, k ? all[m].least_v : 0, 20);
            CHECK_IN(e.reaction, 0, all[m].most_reaction);
        }
}

static long steps_of(const drive *d, int method, double tol, int error_lambda) {
    sodae_options o = sodae_default_options();
    o.method = method, o.rtol = tol, o.error_lambda = error_lambda, o.max_steps = 100000;
    sodae *s = run_start(&d->p, &o);
    assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
    long steps = sodae_counters(s)->steps;
    sodae_free(s);
    return steps;
}

/* Constraints hold the driven direction: no error there. It took up to a thousand times as many
 * steps, or ended with a step that was too small. */
static void extended_hht_takes_the_steps_of_hht_where_motion_is_driven(void **unused) {
    static const double speeds[] = {20, 100, 300, 1000};
    (void)unused;
    for (int k = 0; k < 4; k++)
        for (int c = 3; c <= 6; c++) {
            drive d;
            make(&d, 0.01, speeds[k], prescribed, 0);
            double tol = pow(10, -c), hht = (double)steps_of(&d, SODAE_HHT, tol, 0);
            CHECK_IN((double)steps_of(&d, SODAE_EXTENDED_HHT, tol, 0) / hht, 0.8, 1.25);
        }
}

/* h^2 lambda''/12 = tol (1 + lambda) wherever lambda is small: 730 steps at least. */
static void multipliers_of_extended_hht_are_tested_where_asked_for(void **unused) {
    (void)unused;
    drive d;
    make(&d, 0.01, 20, prescribed, 0);
    CHECK_IN((double)steps_of(&d, SODAE_EXTENDED_HHT, 1e-4, 0), 25, 250);
    double with = (double)steps_of(&d, SODAE_EXTENDED_HHT, 1e-4, 1);
    CHECK_IN(with, 300, 1500);
    CHECK_IN(with / (double)steps_of(&d, SODAE_HHT, 1e-4, 1), 0.8, 1.25);
}

static void driven_velocities_are_right_inside_of_steps(void **unused) {
    (void)unused;
    drive d;
    make(&d, 0.01, 300, prescribed_velocity, 1);
    seen e = run(&d, DEFAULT, 1e-6, 0.5);
    CHECK_IN(e.v, 1e-3, 20);
    CHECK_IN(e.reaction, 0, 20);
}

/* Rounding of w t is as large in x as that of t times the speed: modified and direct BDF took it
 * for an error, at 1e-6, and steps shrank until nothing else was left. */
static void rounding_of_time_does_not_refuse_steps(void **unused) {
    static const int methods[] = {SODAE_MODIFIED_BDF, SODAE_DIRECT_BDF};
    (void)unused;
    for (int m = 0; m < 2; m++) {
        drive d;
        make(&d, 0.01, 300, prescribed, 0);
        d.p.initial.t = 4 * 3.14159265358979323846; /* 600 periods */
        seen e = {0};
        sodae_options o = sodae_default_options();
        o.method = methods[m], o.rtol = 1e-6;
        sodae *s = run_start(&d.p, &o);
        sodae_status st = sodae_advance(s, d.p.initial.t + 0.5, NULL, NULL);
        e.steps = sodae_counters(s)->steps;
        double t = sodae_state(s)->t;
        e.v = off(sodae_state(s)->v[0], 3 * cos(300 * t), 3, o.rtol);
        sodae_free(s);
        assert_int_equal(st, SODAE_OK);
        CHECK_IN(e.v, 0, 10);
        CHECK_IN((double)e.steps, 1000, 40000);
    }
}

static int reaches(const sodae_point *at, double *out, void *user) {
    *out = at->q[0] - *(const double *)user;
    return 0;
}

/* 0.1 is ten amplitudes away; the interpolation was there. */
static void events_of_driven_motion_happen_only_where_it_comes(void **unused) {
    static const double level[] = {0.1, 0.009};
    (void)unused;
    for (int k = 0; k < 2; k++)
        for (double w = 20; w < 2000; w *= 7) {
            drive d;
            make(&d, 0.01, w, prescribed, 0);
            sodae_event e = {
                .name = "there", .when = reaches, .stop = 1, .user = (void *)&level[k]};
            d.p.nevents = 1, d.p.events = &e;
            sodae_options o = sodae_default_options();
            sodae *s = run_start(&d.p, &o);
            sodae_status st = sodae_advance(s, 1, NULL, NULL);
            double t = sodae_state(s)->t;
            sodae_free(s);
            assert_int_equal(st, k ? SODAE_EVENT : SODAE_OK);
            CHECK_NEAR(t, k ? asin(0.9) / w : 1, 1e-4 / w);
        }
}

static void slow_drives_cost_no_steps(void **unused) {
    (void)unused;
    for (int c = 3; c <= 9; c += 3) {
        drive slow, still;
        make(&slow, 0.01, 1, prescribed, 0);
        make(&still, 0, 1, held, 0);
        double tol = pow(10, -c);
        double ratio =
            (double)run(&slow, DEFAULT, tol, 5).steps / (double)run(&still, DEFAULT, tol, 5).steps;
        CHECK_IN(ratio, 0.8, 1.25);
    }
}

/* No interpolation is right where the velocity jumps: the step ends there, and it is an impact. */
static void a_drive_whose_velocity_jumps_at_a_breakpoint_is_followed(void **unused) {
    static const double turns[] = {1};
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_RADAU_IIA};
    (void)unused;
    for (int m = 0; m < 2; m++) {
        drive d;
        make(&d, 0.01, -1, jumping, 0);
        d.q[0] = 0.01;
        d.p.nbreakpoints = 1, d.p.breakpoints = turns;
        sodae_options o = sodae_default_options();
        o.rtol = 1e-5, o.method = methods[m];
        sodae *s = run_start(&d.p, &o);
        sodae_status st = sodae_advance(s, 2, NULL, NULL);
        double q = sodae_state(s)->q[0], v = sodae_state(s)->v[0];
        long refused = sodae_counters(s)->refused, steps = sodae_counters(s)->steps;
        sodae_free(s);
        assert_int_equal(st, SODAE_OK);
        CHECK_NEAR(q, 0.01, 1e-9);
        CHECK_NEAR(v, 0.01, 1e-6);
        CHECK_IN((double)refused, 0, 200);
        CHECK_IN((double)steps, 5, 3000);
    }
}

/* Arrays of a history, in the order in which they come. */
typedef struct arrays {
    int used;
    double x[4000];
} arrays;

static int put(const char *name, double *x, int count, void *user) {
    arrays *a = user;
    (void)name;
    assert_true(a->used + count <= (int)(sizeof a->x / sizeof *a->x));
    memcpy(a->x + a->used, x, (size_t)count * sizeof *x);
    a->used += count;
    return 0;
}

static int get(const char *name, double *x, int count, void *user) {
    arrays *a = user;
    (void)name;
    memcpy(x, a->x + a->used, (size_t)count * sizeof *x);
    a->used += count;
    return 0;
}

/* Steps depend on the interpolation, and that on points of the past. */
static void driven_runs_go_on_from_their_history_bit_for_bit(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_GENERALIZED_ALPHA, SODAE_MSR};
    (void)unused;
    for (int m = 0; m < 3; m++) {
        drive d;
        arrays kept = {0};
        make(&d, 0.01, 300, prescribed, 0);
        sodae_options o = sodae_default_options();
        o.method = methods[m], o.jacobian = SODAE_JACOBIAN_ITERATION;
        sodae *a = run_start(&d.p, &o), *b = run_start(&d.p, &o);
        assert_int_equal(sodae_advance(a, 0.1, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_history_save(a, put, &kept), SODAE_OK);
        kept.used = 0;
        assert_int_equal(sodae_history_load(b, get, &kept), SODAE_OK);
        assert_int_equal(sodae_advance(a, 0.3, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_advance(b, 0.3, NULL, NULL), SODAE_OK);
        const sodae_view *x = sodae_state(a), *y = sodae_state(b);
        assert_int_equal(x->step, y->step);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(x->q[i], y->q[i], 0);
            CHECK_NEAR(x->v[i], y->v[i], 0);
        }
        CHECK_IN((double)x->step, 30, 3000);
        sodae_free(a), sodae_free(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_motion_is_right_inside_of_steps),
        cmocka_unit_test(driven_motion_is_right_inside_of_steps_of_every_method),
        cmocka_unit_test(extended_hht_takes_the_steps_of_hht_where_motion_is_driven),
        cmocka_unit_test(multipliers_of_extended_hht_are_tested_where_asked_for),
        cmocka_unit_test(driven_velocities_are_right_inside_of_steps),
        cmocka_unit_test(rounding_of_time_does_not_refuse_steps),
        cmocka_unit_test(events_of_driven_motion_happen_only_where_it_comes),
        cmocka_unit_test(slow_drives_cost_no_steps),
        cmocka_unit_test(driven_runs_go_on_from_their_history_bit_for_bit),
        cmocka_unit_test(a_drive_whose_velocity_jumps_at_a_breakpoint_is_followed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
