/* Claims about singular configurations: found, named, and nobody is accused in vain. */
#include <string.h>

#include "claims.h"
#include "integrator/frame.h"
#include "integrator/run.h"
#include "problems/each.h"
#include "verify/verified.h"

#define PI 3.14159265358979323846

static sodae_options radau(double rtol) {
    sodae_options o = run_options(SODAE_RADAU_IIA, SODAE_FORMULATION_AUTO, NAN);
    o.rtol = rtol;
    return o;
}

static sodae_options fixed(double step) {
    sodae_options o = sodae_default_options();
    o.step = step;
    return o;
}

static void check_frame(const sodae_options *o, int twin, double tol) {
    frame f;
    frame_open(&f, 1, 1, twin);
    sodae *s = run_start(&f.problem, o);
    assert_true(sodae_advance(s, 8, NULL, NULL) >= 0);
    int count;
    const sodae_singularity *x = sodae_singularities(s, &count);
    assert_int_equal(count, 3);
    assert_int_equal(sodae_counters(s)->singularities, 3);
    for (int i = 0; i < count; i++) {
        CHECK_NEAR(x[i].t, 1 + i * PI, tol);
        CHECK_NEAR(x[i].until, x[i].t, 0);
        assert_int_equal(x[i].constraints, 3 + twin);
        assert_int_equal(x[i].rank, 2);
        assert_string_equal(
            x[i].names, twin ? "holonomic[1] (left), holonomic[2] (right), holonomic[3] (coupler), "
                               "holonomic[4] (twin)"
                             : "holonomic[1] (left), holonomic[2] (right), holonomic[3] "
                               "(coupler)");
    }
    sodae_free(s);
}

static void a_parallelogram_is_singular_when_flat_whatever_the_steps(void **unused) {
    (void)unused;
    sodae_options all[] = {fixed(0.01), fixed(0.0123), fixed(0.1), radau(1e-3), radau(1e-8)};
    double tol[] = {1e-4, 1e-4, 1e-2, 2e-3, 1e-6};
    for (int i = 0; i < 5; i++) check_frame(&all[i], 0, tol[i]);
}

/* A dependence that is always there is reported at the start, once. */
static void constraints_that_are_always_dependent_do_not_hide_a_singular_configuration(void **u) {
    (void)u;
    sodae_options o = fixed(0.01);
    check_frame(&o, 1, 1e-4);
    frame f;
    frame_open(&f, 1, 1, 1);
    sodae *s = run_start(&f.problem, &o);
    assert_int_equal(sodae_started(s)->redundant, 1);
    assert_int_equal(sodae_advance(s, 0.9, NULL, NULL), SODAE_OK);
    assert_null(sodae_singularities(s, NULL));
    sodae_free(s);
}

static void the_minimal_extension_refuses_constraints_that_say_the_same(void **unused) {
    (void)unused;
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_GAUSS, SODAE_MSR, SODAE_DC, SODAE_BDF};
    for (int m = 0; m < 5; m++)
        for (int twin = 0; twin < 2; twin++) {
            frame f;
            frame_open(&f, 1, 1, twin);
            sodae_options o = run_options(methods[m], SODAE_MINIMAL_EXTENSION, NAN);
            sodae *s = NULL;
            assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
            assert_int_equal(sodae_start(s), twin ? SODAE_NOT_ALLOWED : SODAE_OK);
            if (twin) assert_non_null(strstr(sodae_last_failure(s)->message, "are independent"));
            sodae_free(s);
        }
}

/* Low at the start, full behind it: one entry, which ends where it began. */
static void a_start_on_a_singular_configuration_is_reported_when_it_ends(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        frame f;
        frame_open(&f, 1, 0, 0);
        sodae_options o = controlled ? radau(1e-6) : fixed(0.01);
        sodae *s = NULL;
        assert_int_equal(sodae_create(&s, &f.problem, &o, NULL), SODAE_OK);
        assert_int_equal(sodae_start(s), SODAE_NOT_UNIQUE);
        assert_int_equal(sodae_started(s)->redundant, 1);
        assert_null(sodae_singularities(s, NULL));
        assert_int_equal(sodae_advance(s, 1, NULL, NULL), SODAE_OK);
        int count;
        const sodae_singularity *x = sodae_singularities(s, &count);
        assert_int_equal(count, 1);
        CHECK_NEAR(x->t, 0, 0);
        CHECK_NEAR(x->until, 0, 1e-3);
        assert_int_equal(x->rank, 2);
        assert_int_equal(sodae_advance(s, 4, NULL, NULL), SODAE_OK);
        x = sodae_singularities(s, &count);
        assert_int_equal(count, 2);
        CHECK_NEAR(x[1].t, PI, 1e-4);
        sodae_free(s);
    }
}

/* A step may end on the singular configuration itself. Steps may fail there, with the reason. */
static void a_grid_point_on_the_singular_configuration_is_one_entry(void **unused) {
    (void)unused;
    for (int k = 1; k <= 3; k++) {
        frame f;
        frame_open(&f, 1, 0.25, 0);
        sodae_options o = fixed(0.25 / k / 4);
        sodae *s = run_start(&f.problem, &o);
        sodae_status st = sodae_advance(s, 1, NULL, NULL);
        int count;
        const sodae_singularity *x = sodae_singularities(s, &count);
        if (st) {
            assert_non_null(strstr(sodae_last_failure(s)->dependent, "left"));
        } else {
            assert_int_equal(count, 1);
            CHECK_NEAR(x->t, 0.25, 5e-3);
            CHECK_IN(x->until, x->t, x->t + 1e-3);
        }
        sodae_free(s);
    }
}

/* A shorter crank turns all the way round and passes close by: no dependence. */
static void a_near_miss_is_not_reported(void **unused) {
    (void)unused;
    sodae_options all[] = {fixed(0.01), radau(1e-3), radau(1e-6)};
    for (int i = 0; i < 3; i++) {
        frame f;
        frame_open(&f, 0.98, 1, 0);
        sodae *s = run_start(&f.problem, &all[i]);
        assert_int_equal(sodae_advance(s, 8, NULL, NULL), SODAE_OK);
        assert_null(sodae_singularities(s, NULL));
        sodae_free(s);
    }
}

/* Times of flat bars by bisection on the reference solution. */
static double flat_after(const sodae_problem *p, double *t) {
    double a = *t + 1e-3, q[256], b;
    sodae_solution out = {.size = sizeof(sodae_solution), .q = q};
    assert_int_equal(p->exact(a, &out, p->user), 0);
    int side = q[1] > 0;
    for (b = a; (q[1] > 0) == side; b += 0.01) p->exact(b, &out, p->user);
    for (int i = 0; i < 60; i++) {
        double m = (a + b) / 2;
        p->exact(m, &out, p->user);
        *((q[1] > 0) == side ? &a : &b) = m;
    }
    return *t = b;
}

static void the_four_bar_loses_one_rank_for_each_window(void **unused) {
    (void)unused;
    for (int n = 1; n <= 6; n += n < 2 ? 1 : 4) {
        const catalogue_entry *entry = catalogue_find("four-bar");
        sodae_problem *p = each_create(entry, "n", n);
        sodae_options o = radau(1e-7);
        sodae *s = run_start(p, &o);
        assert_int_equal(sodae_advance(s, 4, NULL, NULL), SODAE_OK);
        int count;
        double t = 0;
        const sodae_singularity *x = sodae_singularities(s, &count);
        assert_int_equal(count, 4);
        for (int i = 0; i < count; i++) {
            CHECK_NEAR(x[i].t, flat_after(p, &t), 1e-4);
            assert_int_equal(x[i].rank, x[i].constraints - n);
        }
        sodae_free(s);
        entry->free(p);
    }
}

static void check_innocent(const each_case *c) {
    static const char *const excused[] = {"four-bar"};
    if (!strcmp(c->entry->name, excused[0])) return;
    sodae_options all[] = {radau(1e-3), fixed(c->entry->step)};
    for (int i = 0; i < 2; i++) {
        sodae *s = NULL;
        double end = fmin(c->entry->t_end, c->problem->initial.t + 2000 * c->entry->step);
        assert_int_equal(sodae_create(&s, c->problem, &all[i], NULL), SODAE_OK);
        if (sodae_start(s) >= 0) sodae_advance(s, end, NULL, NULL);
        if (sodae_counters(s)->singularities)
            fail_msg("%s: %s at t = %g", c->entry->name, sodae_singularities(s, NULL)->names,
                     sodae_singularities(s, NULL)->t);
        sodae_free(s);
    }
}

static void no_other_problem_of_the_catalogue_is_accused(void **unused) {
    (void)unused;
    each_problem(check_innocent);
}

/* (x^2 + y^2)^2 = x^2 - y^2, run through with speed 1 from (1, 0): G = 0 at the crossing, after a
 * quarter of the whole length 5.244115108584. */
static int lemniscate(const sodae_point *at, double *out, void *user) {
    double x = at->q[0] * at->q[0], y = at->q[1] * at->q[1];
    (void)user;
    out[0] = (x + y) * (x + y) - (x - y);
    return 0;
}

static int no_force(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = out[1] = 0;
    return 0;
}

static void one_constraint_alone_that_holds_nothing_is_reported(void **unused) {
    static const double q[] = {1, 0}, v[] = {0, 1}, quarter = 5.244115108584 / 4;
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "lemniscate",
                       .nv = 2,
                       .nlambda = 1,
                       .constant_mass = 1};
    int count;
    (void)unused;
    p.value[SODAE_FORCE].fn = no_force;
    p.value[SODAE_HOLONOMIC].fn = lemniscate;
    p.initial = (sodae_point){.q = q, .v = v};
    sodae_options o = radau(1e-6);
    sodae *s = run_start(&p, &o);
    assert_int_equal(sodae_advance(s, 5, NULL, NULL), SODAE_OK);
    const sodae_singularity *x = sodae_singularities(s, &count);
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(x[i].t, (2 * i + 1) * quarter, 1e-5);
        assert_int_equal(x[i].rank, 0);
        assert_string_equal(x[i].names, "holonomic[1]");
    }
    sodae_free(s);
}

static void a_failure_near_a_singular_configuration_names_the_constraints(void **unused) {
    (void)unused;
    frame f;
    frame_open(&f, 1, 1, 0);
    f.broken_below = 5e-4;
    sodae_options o = radau(1e-6);
    o.max_step = 1e-4;
    sodae *s = run_start(&f.problem, &o);
    assert_int_equal(sodae_advance(s, 2, NULL, NULL), SODAE_STEP_TOO_SMALL);
    const sodae_failure *why = sodae_last_failure(s);
    CHECK_NEAR(why->t, 1 - 5e-4, 1e-4);
    assert_non_null(
        strstr(why->dependent, "(left), holonomic[2] (right), holonomic[3] (coupler) (almost"));
    assert_non_null(strstr(why->advice, "depend on each other"));
    sodae_free(s);
}

/* Angles of a crank (1), a coupler (2) and a rocker (r) on the ground (2). With r = 1 it becomes
 * flat when the crank is, and goes on; a little longer, the rocker turns back there. */
static int rocker(const sodae_point *at, double *out, void *user) {
    double r = *(const double *)user, a = at->q[0], p = at->q[1], c = at->q[2];
    out[0] = cos(a) + 2 * cos(p) - 2 - r * cos(c);
    out[1] = sin(a) + 2 * sin(p) - r * sin(c);
    return 0;
}

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = out[1] = out[2] = 0;
    return 0;
}

static int inertias(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 9; i++) out[i] = 0;
    out[0] = 10, out[4] = 1, out[8] = 0.3;
    return 0;
}

static sodae_problem rocker_problem(double *r, const double *q, const double *v) {
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "rocker",
                       .nv = 3,
                       .nlambda = 2,
                       .constant_mass = 1,
                       .user = r};
    p.value[SODAE_FORCE].fn = nothing, p.value[SODAE_HOLONOMIC].fn = rocker;
    p.value[SODAE_MASS].fn = inertias;
    p.initial = (sodae_point){.q = q, .v = v};
    return p;
}

/* The limit is 10 tolerances; a closer run is 24 of them away. */
static void a_turn_near_a_singular_configuration_is_inaccurate(void **unused) {
    static const double q[3] = {1, 0.0017825116236301886, 1.0019230948106055};
    static const double v[3] = {3, -0.0034277831949968184, 2.987329197666982};
    double r = 1.003;
    sodae_problem p = rocker_problem(&r, q, v);
    sodae_options o = radau(1e-5);
    sodae_verification e;
    (void)unused;
    assert_int_equal(verified(&p, &o, 4, &e), SODAE_INACCURATE);
    CHECK_IN(e.error, 11, 1000);
}

/* M of three velocities, by columns, with the constraints y = x and, of two, z = 1. */
static int any_mass(const sodae_point *at, double *M, void *user) {
    (void)at;
    memcpy(M, user, 9 * sizeof *M);
    return 0;
}

static int pull(const sodae_point *at, double *f, void *user) {
    (void)at, (void)user;
    f[0] = f[1] = f[2] = 1;
    return 0;
}

static int one_rod(const sodae_point *at, double *g, void *user) {
    (void)user;
    g[0] = at->q[1] - at->q[0];
    return 0;
}

static int rods(const sodae_point *at, double *g, void *user) {
    (void)user;
    g[0] = at->q[1] - at->q[0];
    g[1] = at->q[2] - 1;
    return 0;
}

static void masses_are_positive_where_the_constraints_leave_room(void **unused) {
    static const struct {
        double M[9];
        int constraints;
        const char *message;
    } cases[] = {
        {{1, 0, 0, 0, 2, 0, 0, 0, 3}, 0, NULL},
        {{1, 0, 0, 0, -2, 0, 0, 0, 3},
         0,
         "the mass matrix is not positive: look at the mass of v[2]"},
        {{1, 2, 0, 2, 1, 0, 0, 0, 3},
         0,
         "the mass matrix is not positive: look at the mass of v[2]"},
        {{1, 2, 0, -2, 1, 0, 0, 0, 3}, 0, NULL},   /* not symmetric */
        {{1e-9, 0, 0, 0, 0, 0, 0, 0, 3}, 1, NULL}, /* y has no mass, but that of x */
        {{2, 0, 0, 0, -1, 0, 0, 0, 3}, 1, NULL},   /* 2 - 1 along x = y */
        {{1, 0, 0, 0, -2, 0, 0, 0, 3},
         1,
         "the mass matrix is not positive on the constraints: look at the mass of v[2]"},
        {{1, 0, 0, 0, 1, 0, 0, 0, -3},
         1,
         "the mass matrix is not positive on the constraints: look at the mass of v[3]"},
        {{1, 0, 0, 0, 1, 0, 0, 0, -3}, 2, NULL}, /* z does not move */
    };
    (void)unused;
    double q[3] = {1, 1, 1}, v[3] = {0};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double M[9];
        memcpy(M, cases[k].M, sizeof M);
        sodae_problem p = {.size = sizeof p,
                           .name = "masses",
                           .nv = 3,
                           .nlambda = cases[k].constraints,
                           .user = M,
                           .initial = {.q = q, .v = v}};
        p.value[SODAE_MASS].fn = any_mass;
        p.value[SODAE_FORCE].fn = pull;
        if (p.nlambda) p.value[SODAE_HOLONOMIC].fn = p.nlambda == 1 ? one_rod : rods;
        sodae *s = NULL;
        assert_int_equal(sodae_create(&s, &p, NULL, NULL), SODAE_OK);
        sodae_status st = sodae_start(s);
        if (st && !cases[k].message) fail_msg("case %zu: %s", k, sodae_last_failure(s)->message);
        assert_int_equal(st, cases[k].message ? SODAE_BAD_PROBLEM : SODAE_OK);
        if (st) assert_string_equal(sodae_last_failure(s)->message, cases[k].message);
        sodae_free(s);
    }
}

/* Steps shorter than the rounding of the search: far from t = 0, or right behind an impact. */
static void the_search_ends_at_the_rounding_of_the_time(void **unused) {
    (void)unused;
    frame f;
    frame_open(&f, 1, 1, 0);
    f.problem.initial.t = 1e9;
    sodae_options o = fixed(0.01);
    sodae *s = run_start(&f.problem, &o);
    assert_true(sodae_advance(s, 1e9 + 2, NULL, NULL) >= 0);
    int count;
    const sodae_singularity *x = sodae_singularities(s, &count);
    assert_int_equal(count, 1);
    CHECK_NEAR(x->t - 1e9, 1, 1e-4);
    sodae_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masses_are_positive_where_the_constraints_leave_room),
        cmocka_unit_test(a_parallelogram_is_singular_when_flat_whatever_the_steps),
        cmocka_unit_test(
            constraints_that_are_always_dependent_do_not_hide_a_singular_configuration),
        cmocka_unit_test(the_minimal_extension_refuses_constraints_that_say_the_same),
        cmocka_unit_test(a_start_on_a_singular_configuration_is_reported_when_it_ends),
        cmocka_unit_test(a_grid_point_on_the_singular_configuration_is_one_entry),
        cmocka_unit_test(the_search_ends_at_the_rounding_of_the_time),
        cmocka_unit_test(a_near_miss_is_not_reported),
        cmocka_unit_test(a_turn_near_a_singular_configuration_is_inaccurate),
        cmocka_unit_test(one_constraint_alone_that_holds_nothing_is_reported),
        cmocka_unit_test(the_four_bar_loses_one_rank_for_each_window),
        cmocka_unit_test(no_other_problem_of_the_catalogue_is_accused),
        cmocka_unit_test(a_failure_near_a_singular_configuration_names_the_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
