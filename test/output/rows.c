/* Claims about constraints that modes switch: with mode 0 a row is lambda = 0, an action that sets
 * it imposes the row, with v projected in the mass metric. Every method and formulation, against
 * solutions by hand. */
#include "claims.h"

#include <sodae/sodae.h>

#include <string.h>

static const double pi = 3.14159265358979323846;

/* A point falls from height 1 onto a slope y = k x, stays on it without restitution, and is lifted
 * by a force that grows with time: masses 2 of x and 1 of z, which a second row holds at z = x, and
 * 1 of y. */
static const double slope = 0.5, weight = 10, lift = 5, mx = 3;

static int fall_mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 9; i++) out[i] = i % 4 ? 0 : i == 0 ? 2 : 1;
    return 0;
}

static int fall_force(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = out[2] = 0;
    out[1] = -weight + lift * at->t;
    return 0;
}

static int fall_rows(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[1] - slope * at->q[0];
    out[1] = at->q[2] - at->q[0];
    return 0;
}

static int above_slope(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->mode[0] ? 1 : at->q[1] - slope * at->q[0];
    return 0;
}

/* The slope pushes by -lambda. */
static int pressed(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->mode[0] ? -at->lambda[0] : 1;
    return 0;
}

static int land(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    state->mode[0] = 1;
    return 0;
}

static int leave(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    state->mode[0] = 0;
    return 0;
}

/* 1 - weight t^2/2 + lift t^3/6 = 0 */
static double land_time(void) {
    double t = 0.4;
    for (int i = 0; i < 20; i++)
        t -= (1 - weight * t * t / 2 + lift * t * t * t / 6) / (-weight * t + lift * t * t / 2);
    return t;
}

static int fall_exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    double t1 = land_time(), t2 = weight / lift, S = slope * slope / mx + 1, c = slope / (mx * S);
    double vy = -weight * t1 + lift * t1 * t1 / 2; /* before */
    double at = fmin(t, t2), d = fmax(at - t1, 0);
    double x = 0, vx = 0, y = 1 - weight * t * t / 2 + lift * t * t * t / 6;
    double v = -weight * t + lift * t * t / 2, lambda = 0;
    if (t > t1) {
        double a0 = c * (-weight + lift * t1), j = c * lift, v0 = slope * vy / (mx * S);
        x = v0 * d + a0 * d * d / 2 + j * d * d * d / 6, vx = v0 + a0 * d + j * d * d / 2;
        y = slope * x, v = slope * vx;
        lambda = (-weight + lift * t) / S;
    }
    if (t > t2) {
        d = t - t2;
        y += v * d + lift * d * d * d / 6, v += lift * d * d / 2;
        x += vx * d, lambda = 0;
    }
    out->q[0] = out->q[2] = x, out->q[1] = y;
    out->v[0] = out->v[2] = vx, out->v[1] = v;
    out->lambda[0] = lambda; /* the other: 1 z'' = -lambda_1 */
    out->lambda[1] = t > t1 && t < t2 ? -slope * lambda / mx : 0;
    return 0;
}

static const int fall_active[2] = {0, -1};
static const sodae_event fall_events[2] = {
    {.name = "land", .when = above_slope, .direction = -1, .act = land},
    {.name = "leave", .when = pressed, .direction = -1, .act = leave},
};
static const double fall_q[3] = {0, 1, 0}, fall_v[3] = {0, 0, 0};

static sodae_problem falling(void) {
    return (sodae_problem){
        .size = sizeof(sodae_problem),
        .name = "falling",
        .nv = 3,
        .nlambda = 2,
        .constant_mass = 1,
        .value = {[SODAE_MASS] = {.fn = fall_mass},
                  [SODAE_FORCE] = {.fn = fall_force},
                  [SODAE_HOLONOMIC] = {.fn = fall_rows}},
        .initial = {.q = fall_q, .v = fall_v},
        .exact = fall_exact,
        .nevents = 2,
        .events = fall_events,
        .nmodes = 1,
        .active = fall_active,
    };
}

/* x'' = -x + F(t) - mu sign(v) from x = 2 at rest: amplitudes 2, 1.4, 0.8, 0.2, stuck at -0.2 from
 * 3 pi on; F = t - 10 from t = 10 on breaks it loose at 10.1. Modes: sticks, direction of sliding.
 */
static const double mu = 0.3;

static double drive(double t) {
    return fmax(t - 10, 0);
}

static int slip_force(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = -at->q[0] + drive(at->t) - (at->mode[0] ? 0 : mu * at->mode[1]);
    return 0;
}

static int slip_row(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->v[0];
    return 0;
}

static int slides(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->mode[0] ? 1 : at->v[0] * at->mode[1];
    return 0;
}

static int holds(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->mode[0] ? mu - fabs(at->psi[0]) : 1;
    return 0;
}

static int stop_sliding(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    double f = -at->q[0] + drive(at->t);
    state->mode[0] = fabs(f) <= mu;
    state->mode[1] = f > 0 ? 1 : -1;
    return 0;
}

static int break_loose(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->mode[0] = 0;
    state->mode[1] = at->psi[0] > 0 ? 1 : -1;
    return 0;
}

static int slip_modes(const sodae_point *at, int controlled, int *mode, void *user) {
    (void)at, (void)controlled, (void)user;
    mode[0] = 0, mode[1] = -1;
    return 0;
}

static int slip_exact(double t, const sodae_solution *out, void *user) {
    (void)user;
    int n = (int)floor(t / pi);
    double side = n % 2 ? 1 : -1, amplitude = 2 - (2 * n + 1) * mu, d = t - 10.1;
    out->psi[0] = 0;
    if (n < 3) {
        out->q[0] = -side * (mu + amplitude * cos(t - n * pi));
        out->v[0] = side * amplitude * sin(t - n * pi);
    } else if (d < 0) {
        out->q[0] = -0.2, out->v[0] = 0;
        out->psi[0] = 0.2 + drive(t);
    } else {
        out->q[0] = d - 0.2 - sin(d), out->v[0] = 1 - cos(d);
    }
    return 0;
}

static const int slip_active[1] = {0};
static const double slip_q[1] = {2}, slip_v[1] = {0}, slip_breaks[1] = {10};
static const sodae_event slip_events[2] = {
    {.name = "stops", .when = slides, .direction = -1, .act = stop_sliding},
    {.name = "breaks loose", .when = holds, .direction = -1, .act = break_loose},
};

static sodae_problem slipping(void) {
    return (sodae_problem){
        .size = sizeof(sodae_problem),
        .name = "slipping",
        .nv = 1,
        .npsi = 1,
        .constant_mass = 1,
        .value = {[SODAE_FORCE] = {.fn = slip_force}, [SODAE_NONHOLONOMIC] = {.fn = slip_row}},
        .initial = {.q = slip_q, .v = slip_v},
        .exact = slip_exact,
        .nevents = 2,
        .events = slip_events,
        .nbreakpoints = 1,
        .breakpoints = slip_breaks,
        .nmodes = 2,
        .modes = slip_modes,
        .active = slip_active,
    };
}

/* The largest errors at the ends of steps and in the middle of them. */
typedef struct watch {
    sodae *s;
    const sodae_problem *p;
    double q, v, lambda;
} watch;

/* Times at which something happens differ by the error of the run: v jumps there, or the
 * multipliers do. */
static int is_near_event(const sodae_problem *p, double t) {
    double falls[] = {land_time(), 2}, slips[] = {3 * pi, 10.1};
    const double *times = p->npsi ? slips : falls;
    return fabs(t - times[0]) < 5e-3 || fabs(t - times[1]) < 5e-3;
}

static void compare(watch *w, double t, const double *q, const double *v, const double *lambda,
                    const double *psi) {
    double xq[3], xv[3], xl[2], xp[1];
    sodae_solution x = {.size = sizeof x, .q = xq, .v = xv, .lambda = xl, .psi = xp};
    if (is_near_event(w->p, t)) return;
    w->p->exact(t, &x, NULL);
    for (int i = 0; i < w->p->nv; i++) w->q = fmax(w->q, fabs(q[i] - xq[i]));
    for (int i = 0; i < w->p->nv; i++) w->v = fmax(w->v, fabs(v[i] - xv[i]));
    for (int i = 0; i < w->p->nlambda; i++) w->lambda = fmax(w->lambda, fabs(lambda[i] - xl[i]));
    for (int i = 0; i < w->p->npsi; i++) w->lambda = fmax(w->lambda, fabs(psi[i] - xp[i]));
}

static int look(const sodae_view *view, void *user) {
    watch *w = user;
    double q[3], v[3], l[2], p[1];
    sodae_solution inside = {.size = sizeof inside, .q = q, .v = v, .lambda = l, .psi = p};
    if (!(view->h > 0)) return 0;
    compare(w, view->t, view->q, view->v, view->lambda, view->psi);
    if (sodae_interpolate(w->s, view->t - view->h / 2, &inside)) return 1;
    compare(w, view->t - view->h / 2, q, v, l, p);
    return 0;
}

/* 0: the method does not take the problem in this formulation. */
static int run(const sodae_problem *p, sodae_options *o, double t_end, watch *w) {
    sodae *s;
    sodae_failure why;
    sodae_status st = sodae_create(&s, p, o, &why);
    *w = (watch){.s = s, .p = p};
    if (st) {
        assert_int_equal(st, SODAE_NOT_ALLOWED);
        return 0;
    }
    st = sodae_start(s);
    if (!st) st = sodae_advance(s, t_end, look, w);
    if (st) {
        const sodae_failure *f = sodae_last_failure(s);
        fail_msg("%s, %s, %s: %s", p->name, sodae_method_name(o->method),
                 sodae_formulation_name(o->formulation), f->message);
    }
    assert_true(sodae_counters(s)->events == (p->npsi ? 4 : 2));
    sodae_free(s);
    return 1;
}

/* With prescribed steps methods of order 2 have errors of some h^2, BDF starts with order 1. */
static void check_all(sodae_problem p, double t_end, double step) {
    for (int m = 1; m < SODAE_METHODS; m++)
        for (int f = 1; f < SODAE_FORMULATIONS; f++)
            for (int controlled = 0; controlled < 2; controlled++) {
                sodae_options o = sodae_default_options();
                watch w;
                o.method = (sodae_method)m, o.formulation = (sodae_formulation)f;
                o.step = controlled ? NAN : step;
                o.rtol = 1e-5;
                /* its multipliers are those of the middle of the step */
                if (m == SODAE_EXTENDED_HHT && p.npsi) continue;
                if (!run(&p, &o, t_end, &w)) continue;
                CHECK_IN(w.q, 0, controlled ? 2e-5 : 4 * step * step);
                CHECK_IN(w.v, 0, controlled ? 1e-3 : 4 * step * step);
                CHECK_IN(w.lambda, 0, controlled ? 1e-5 : 3 * step);
            }
}

static void every_method_lands_slides_and_leaves(void **state) {
    (void)state;
    check_all(falling(), 3, 0.01);
}

static void every_method_sticks_and_slips(void **state) {
    (void)state;
    check_all(slipping(), 12, 0.02);
}

/* 300 events of a body that a row holds and lets go at the same place. */
static int let_go(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->mode[0] ? -1 : 1;
    return 0;
}

static void rows_that_switch_forever_end_in_words(void **state) {
    (void)state;
    sodae_event flips[2] = {{.name = "hold", .when = let_go, .act = land},
                            {.name = "release", .when = let_go, .act = leave}};
    sodae_event start = {.name = "begin", .when = above_slope, .direction = -1, .act = land};
    sodae_event all[3] = {start, flips[0], flips[1]};
    sodae_problem p = falling();
    sodae_options o = sodae_default_options();
    sodae *s;
    p.nevents = 3, p.events = all;
    assert_int_equal(sodae_create(&s, &p, &o, NULL), SODAE_OK);
    assert_int_equal(sodae_start(s), SODAE_OK);
    assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_STEP_TOO_SMALL);
    assert_non_null(strstr(sodae_last_failure(s)->message, "chattering or Zeno"));
    sodae_free(s);
}

static void a_row_without_its_mode_is_refused(void **state) {
    (void)state;
    const int wrong[2] = {1, -1};
    sodae_problem p = falling();
    sodae_failure why;
    p.active = wrong;
    assert_int_equal(sodae_problem_check(&p, &why), SODAE_BAD_PROBLEM);
    assert_non_null(strstr(why.message, "active[0] = 1 is neither -1 nor one of the 1 modes"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_lands_slides_and_leaves),
        cmocka_unit_test(every_method_sticks_and_slips),
        cmocka_unit_test(rows_that_switch_forever_end_in_words),
        cmocka_unit_test(a_row_without_its_mode_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
