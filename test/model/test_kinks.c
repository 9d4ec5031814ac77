/* Contacts, gaps and dry friction: steps end where the equations have a kink. */
#include "claims.h"
#include "model/parse.h"
#include "verify/verified.h"

#include <stdio.h>

static const double pi = 3.14159265358979323846;
static const double g = 9.81, k = 1e3, height = 1; /* a ball of mass 1 on a stiff ground */
static const char ball[] =
    "sodae: 1\nequations: {positions: [y], force: [\"-9.81 + 1e3*max(0, -y)\"]}\n"
    "initial: {positions: [1]}\n";

/* Fall, contact, rise, again and again. */
static void ball_at(double t, double *y, double *v) {
    double w = sqrt(k), fall = sqrt(2 * height / g), speed = g * fall;
    double contact = (2 * pi - 2 * atan(speed * w / g)) / w;
    t = fmod(t, 2 * fall + contact);
    double x = t - fall, left = 2 * fall + contact - t;
    if (t < fall) {
        *y = height - g * t * t / 2, *v = -g * t;
    } else if (x <= contact) {
        *y = g / k * (cos(w * x) - 1) - speed / w * sin(w * x);
        *v = -g / w * sin(w * x) - speed * cos(w * x);
    } else {
        *y = height - g * left * left / 2, *v = g * left;
    }
}

/* x'' = -25 x - 0.5 sign(v) from 1: half oscillations about 0.02, then -0.02, ... */
static const char sledge[] =
    "sodae: 1\nequations: {positions: [x], velocities: [v], force: [\"-25*x - 0.5*sign(v)\"]}\n"
    "initial: {positions: [1]}\n";

static void sledge_at(double t, double *x, double *v) {
    double half = pi / 5, from = 1;
    int n = (int)floor(t / half);
    for (int i = 0; i < n; i++) from = (i % 2 ? -0.04 : 0.04) - from;
    double middle = n % 2 ? -0.02 : 0.02, u = 5 * (t - n * half);
    *x = middle + (from - middle) * cos(u), *v = -5 * (from - middle) * sin(u);
}

/* x'' = -sign(sin 200 x)/2 from 0.001 with v = 2: an arc of a parabola every 0.0157. */
static const char washboard[] =
    "sodae: 1\nequations: {positions: [x], velocities: [v], force: [\"-0.5*sign(sin(200*x))\"]}\n"
    "initial: {positions: [0.001], velocities: [2]}\n";

static void washboard_at(double end, double *x, double *v) {
    double t = 0;
    *x = 0.001, *v = 2;
    for (int i = 1;; i++) {
        double a = i % 2 ? -0.5 : 0.5, way = i * pi / 200 - *x, speed = sqrt(*v * *v + 2 * a * way);
        double lasts = 2 * way / (*v + speed);
        if (t + lasts >= end) {
            double u = end - t;
            *x += *v * u + a * u * u / 2, *v += a * u;
            return;
        }
        t += lasts, *x += way, *v = speed;
    }
}

static sodae_options options(double rtol, sodae_method method) {
    sodae_options o = sodae_default_options();
    o.rtol = o.atol = rtol, o.method = method, o.max_steps = 200000;
    return o;
}

static sodae *start(const sodae_problem *p, double rtol, sodae_method method) {
    sodae_options o = options(rtol, method);
    return begin_run(p, &o);
}

/* The largest error in tolerances at 400 times; the integrator stands at t_end. */
static double worst(sodae *s, double rtol, double t_end,
                    void (*exact)(double, double *, double *)) {
    enum { ROWS = 400 };
    double q, v, y, w, most = 0;
    const sodae_solution at = {.size = sizeof(sodae_solution), .q = &q, .v = &v};
    for (int i = 1; i <= ROWS; i++) {
        double t = t_end * i / ROWS;
        assert_int_equal(sodae_advance_dense(s, t, t_end, &at), SODAE_OK);
        exact(t, &y, &w);
        most = fmax(most, fabs(q - y) / (rtol * (1 + fabs(y))));
        most = fmax(most, fabs(v - w) / (rtol * (1 + fabs(w))));
    }
    return most;
}

static void errors_follow_the_tolerance_over_kinks_and_jumps(void **unused) {
    static const struct {
        const char *text;
        double t_end;
        void (*exact)(double, double *, double *);
        double steps; /* at most, at 1e-3 and with each digit more that many times */
    } cases[] = {
        {ball, 4, ball_at, 120}, {sledge, 6, sledge_at, 120}, {washboard, 4, washboard_at, 1000}};
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sodae_model *m = parse(cases[i].text);
        double most = cases[i].steps;
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 10, most *= 1.35) {
            const sodae_problem *p = sodae_model_problem(m);
            sodae_options o = options(rtol, SODAE_METHOD_AUTO);
            sodae *s = begin_run(p, &o);
            sodae_verification e;
            CHECK_IN(worst(s, rtol, cases[i].t_end, cases[i].exact), 0, 30);
            CHECK_IN((double)sodae_counters(s)->steps, 30, most);
            sodae_free(s);
            assert_int_equal(verified(p, &o, cases[i].t_end, &e), SODAE_OK);
        }
        sodae_model_free(m);
    }
}

static void every_method_meets_them(void **unused) {
    static const sodae_method methods[] = {SODAE_BDF, SODAE_GENERALIZED_ALPHA, SODAE_MODIFIED_BDF,
                                           SODAE_MSR};
    (void)unused;
    sodae_model *m = parse(ball);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        sodae *s = start(sodae_model_problem(m), 1e-5, methods[i]);
        CHECK_IN(worst(s, 1e-5, 2, ball_at), 1e-4, 60);
        sodae_free(s);
    }
    sodae_model_free(m);
}

/* Before the first contact everything is a parabola, also inside the step that ends there. */
static void output_inside_of_a_step_that_ends_at_a_kink_is_right(void **unused) {
    static const sodae_method methods[] = {SODAE_RADAU_IIA, SODAE_MSR, SODAE_BDF,
                                           SODAE_MODIFIED_BDF, SODAE_DIRECT_BDF};
    (void)unused;
    sodae_model *m = parse(ball);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (double rtol = 1e-5; rtol > 1e-10; rtol /= 100) {
            sodae *s = start(sodae_model_problem(m), rtol, methods[i]);
            CHECK_IN(worst(s, rtol, 0.4515, ball_at), 0, 2);
            sodae_free(s);
        }
    sodae_model_free(m);
}

/* A spring touches a stiff one for an instant in every oscillation, 1e-6 deep: missed by steps of
 * 0.5. The end is that of 80000 steps. */
static void contacts_that_hardly_touch_are_found(void **unused) {
    static const char text[] =
        "sodae: 1\nequations: {positions: [x], force: [\"-x - 1e4*max(0, x - 0.999999)\"]}\n"
        "initial: {positions: [0], velocities: [1]}\n";
    (void)unused;
    sodae_model *m = parse(text);
    for (int radau = 0; radau < 2; radau++)
        for (double rtol = 1e-8; rtol > 1e-10; rtol /= 10) { /* from 1e-7 on a matter of errors */
            sodae *s =
                start(sodae_model_problem(m), rtol, radau ? SODAE_RADAU_IIA : SODAE_METHOD_AUTO);
            assert_int_equal(sodae_advance(s, 40, NULL, NULL), SODAE_OK);
            CHECK_NEAR(sodae_state(s)->q[0], 0.74502624, 1e-8 + (radau ? 60 : 100) * rtol);
            CHECK_IN((double)sodae_counters(s)->steps, 50, 600);
            sodae_free(s);
        }
    sodae_model_free(m);
}

/* Friction that is at rest where the run begins, and an event there. */
static void an_event_at_the_start_does_not_happen_on_an_edge_either(void **unused) {
    static const char text[] =
        "sodae: 1\nequations: {positions: [x], velocities: [v], force: [\"-x - 0.01*sign(v)\"]}\n"
        "initial: {positions: [1]}\nevents: [{name: turn, when: v}]\n";
    (void)unused;
    sodae_model *m = parse(text);
    for (double rtol = 1e-2; rtol > 1e-9; rtol /= 10) {
        sodae *s = start(sodae_model_problem(m), rtol, SODAE_METHOD_AUTO);
        assert_int_equal(sodae_advance(s, 7, NULL, NULL), SODAE_OK);
        assert_int_equal(sodae_counters(s)->events, 2); /* pi, 2 pi */
        sodae_free(s);
    }
    sodae_model_free(m);
}

typedef struct ends {
    double last, nearest; /* y at the last end; the farthest from zero that a step passed it by */
    int passed;
} ends;

static int look(const sodae_view *view, void *user) {
    ends *e = user;
    double y = view->q[0];
    if (e->last * y <= 0 && e->last != 0) {
        e->nearest = fmax(e->nearest, fmin(fabs(y), fabs(e->last)));
        e->passed++;
    }
    e->last = y;
    return 0;
}

static void steps_end_at_the_edge_of_a_contact(void **unused) {
    (void)unused;
    sodae_model *m = parse(ball);
    for (double rtol = 1e-4; rtol > 1e-9; rtol /= 100) {
        sodae *s = start(sodae_model_problem(m), rtol, SODAE_METHOD_AUTO);
        ends e = {.last = 1};
        assert_int_equal(sodae_advance(s, 4, look, &e), SODAE_OK);
        CHECK_IN(e.passed, 8, 8); /* a bounce takes 0.91 */
        CHECK_IN(e.nearest, 0, 1e-11);
        sodae_free(s);
    }
    sodae_model_free(m);
}

/* Bounces on a shelf, below which the air is thicker: the action leaves the ball on the edge. */
static const char shelf[] =
    "sodae: 1\nequations: {positions: [y], velocities: [v], force: [\"-9.81 + if(y < 0.5, 3, "
    "0)\"]}\n"
    "initial: {positions: [1]}\n"
    "events: [{name: hit, when: y - 0.5, direction: down, do: {velocities: {v: -0.9*v}}}]\n";

static void from_the_edge_a_motion_goes_on_as_on_the_side_it_leads_to(void **unused) {
    double speed = sqrt(g), end = 3, t = speed / g;
    int hits = 1;
    (void)unused;
    for (speed *= 0.9; t + 2 * speed / g < end; speed *= 0.9, hits++) t += 2 * speed / g;
    double y = 0.5 + speed * (end - t) - g / 2 * (end - t) * (end - t);
    sodae_model *m = parse(shelf);
    for (double rtol = 1e-3; rtol > 1e-10; rtol /= 10) {
        sodae *s = start(sodae_model_problem(m), rtol, SODAE_METHOD_AUTO);
        assert_int_equal(sodae_advance(s, end, NULL, NULL), SODAE_OK);
        CHECK_NEAR(sodae_state(s)->q[0], y, 1e-10);
        CHECK_IN((double)sodae_counters(s)->steps, 10, 60);
        assert_int_equal(sodae_counters(s)->events, hits);
        sodae_free(s);
    }
    sodae_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_follow_the_tolerance_over_kinks_and_jumps),
        cmocka_unit_test(every_method_meets_them),
        cmocka_unit_test(output_inside_of_a_step_that_ends_at_a_kink_is_right),
        cmocka_unit_test(contacts_that_hardly_touch_are_found),
        cmocka_unit_test(an_event_at_the_start_does_not_happen_on_an_edge_either),
        cmocka_unit_test(steps_end_at_the_edge_of_a_contact),
        cmocka_unit_test(from_the_edge_a_motion_goes_on_as_on_the_side_it_leads_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
