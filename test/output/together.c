/* Claims about events at the same time as an impact whose state the constraints move off the wall:
 * a pendulum of length 1 swings from 60 degrees against a wall at x = -0.3. */
#include "claims.h"
#include "integrator/run.h"
#include "integrator/store.h"
#include "output/each_method.h"
#include "output/rod.h"
#include "problems/each.h"

static const double wall = -0.3, restitution = 0.7, end = 2;

typedef enum other { NOTHING, REPORTED, COUNTS, COUNTS_LATER, TURNS_BACK } other;
static const char *const others[] = {"nothing", "reported", "counts", "counts later", "turns back"};

typedef struct pendulum {
    sodae_problem problem;
    sodae_event event[2]; /* impact; what the velocity makes of it */
    double q[2], v[2], r[1];
    double later; /* when the other event comes, where it comes by time */
} pendulum;

static int gap(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] - wall;
    return 0;
}

static int swing(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->v[1] - at->q[1] * at->v[0];
    return 0;
}

static int time_left(const sodae_point *at, double *out, void *user) {
    const pendulum *x = user;
    out[0] = at->t - x->later;
    return 0;
}

static int rebound(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) state->v[i] = -restitution * at->v[i];
    return 0;
}

static int count(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->r[0] = at->r[0] + 1;
    return 0;
}

/* Once. */
static int turn_back(const sodae_point *at, const sodae_solution *state, void *user) {
    for (int i = 0; i < 2 && at->r[0] == 0; i++) state->v[i] = -at->v[i];
    return count(at, state, user);
}

static void pendulum_open(pendulum *x, other kind, double later) {
    *x = (pendulum){.q = {sqrt(3) / 2, -0.5}, .later = later};
    x->problem = (sodae_problem){
        .size = sizeof(sodae_problem), .name = "pendulum", .nv = 2, .nlambda = 1, .nr = 1};
    x->problem.constant_mass = 1;
    x->problem.value[SODAE_FORCE].fn = weight;
    x->problem.value[SODAE_HOLONOMIC].fn = rod;
    x->problem.value[SODAE_DYNAMIC].fn = nothing;
    x->problem.initial = (sodae_point){.q = x->q, .v = x->v, .r = x->r};
    x->event[0] = (sodae_event){.name = "impact", .when = gap, .direction = -1, .act = rebound};
    x->event[1] = (sodae_event){.name = others[kind], .when = swing};
    if (kind == COUNTS || kind == COUNTS_LATER) x->event[1].act = count;
    if (kind == COUNTS_LATER) x->event[1].when = time_left;
    if (kind == TURNS_BACK) x->event[1].act = turn_back;
    x->problem.events = x->event;
    x->problem.nevents = kind == NOTHING ? 1 : 2;
    x->problem.user = x;
}

/* What a sink saw. */
typedef struct story {
    int impacts, rest;
    double first, last, lowest; /* times of impacts; the smallest gap */
    double x, vx;               /* at the end */
} story;

static int see(const sodae_view *view, void *user) {
    story *y = user;
    y->lowest = fmin(y->lowest, view->q[0] - wall);
    y->rest += view->event == 1;
    if (view->event != 0) return 0;
    if (!y->impacts++) y->first = view->t;
    y->last = view->t;
    return 0;
}

static story run(other kind, double later, const sodae_options *o) {
    pendulum x;
    story y = {.first = NAN, .last = NAN};
    pendulum_open(&x, kind, later);
    sodae *s = run_start(&x.problem, o);
    if (sodae_advance(s, end, see, &y))
        fail_msg("%s, %s: %s", sodae_method_name(o->method), others[kind],
                 sodae_last_failure(s)->message);
    y.x = sodae_state(s)->q[0], y.vx = sodae_state(s)->v[0];
    sodae_free(s);
    return y;
}

/* Impacts at 0.637 and 1.950, with a turn at each and one between them: the motion is the one
 * without the other event, but for errors of another grid. */
static void check_same(const story *y, const story *alone, other kind, const sodae_options *o) {
    double off = fmax(fabs(y->x - alone->x), fabs(y->vx - alone->vx));
    double may = isnan(o->step) ? 100 * o->rtol : 2e-2;
    int expected = kind == COUNTS_LATER ? 1 : 3;
    if (y->impacts != 2 || y->rest != expected || !(off <= may) || !(y->lowest > -may))
        fail_msg("%s, step %g, rtol %g, %s: %d impacts, %d others, off by %.2g, gap %.2g",
                 sodae_method_name(o->method), o->step, o->rtol, others[kind], y->impacts, y->rest,
                 off, y->lowest);
}

static void an_impact_acts_once_whatever_else_happens_at_that_time(void **unused) {
    (void)unused;
    pendulum x;
    pendulum_open(&x, COUNTS, 0);
    each_method m = before_first;
    sodae_options o;
    int methods = 0;
    for (; next_method(&x.problem, 0.01, &m, &o); methods++) {
        story alone = run(NOTHING, 0, &o);
        assert_int_equal(alone.impacts, 2);
        CHECK_NEAR(alone.first, 0.637064, isnan(o.step) ? 1e-5 : 2e-3);
        for (int k = 0; k < (SANITIZED ? 1 : 3); k++) {
            other kind = (other)(REPORTED + (methods + k) % 3);
            story y = run(kind, alone.first + 1e-12, &o);
            check_same(&y, &alone, kind, &o);
        }
    }
    CHECK_IN(methods, 15, 2 * SODAE_METHODS);
}

static void an_impact_acts_once_at_every_tolerance(void **unused) {
    (void)unused;
    for (double rtol = 1e-2; rtol > 1e-9; rtol /= 10)
        for (int kind = REPORTED; kind <= COUNTS; kind++) {
            sodae_options o = sodae_default_options();
            o.rtol = rtol;
            story alone = run(NOTHING, 0, &o), y = run((other)kind, 0, &o);
            assert_int_equal(alone.impacts, 2);
            check_same(&y, &alone, (other)kind, &o);
        }
}

static int stop_at_impact(const sodae_view *view, void *user) {
    see(view, user);
    return view->event == 0;
}

/* Right after the impact, which is known to have acted. */
static void an_impact_acts_once_over_a_saved_history(void **unused) {
    (void)unused;
    static store kept;
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_BDF, SODAE_GENERALIZED_ALPHA};
    for (int i = 0; i < 6; i++) {
        sodae_options o = sodae_default_options();
        o.method = methods[i / 2], o.step = i % 2 ? 0.01 : NAN, o.rtol = 1e-4;
        story alone = run(NOTHING, 0, &o), y = {0};
        pendulum x;
        pendulum_open(&x, COUNTS_LATER, alone.first + 1e-12);
        sodae *s = run_start(&x.problem, &o), *next = run_start(&x.problem, &o);
        assert_int_equal(sodae_advance(s, end, stop_at_impact, &y), SODAE_STOPPED);
        kept.count = kept.used = 0;
        assert_int_equal(sodae_history_save(s, store_put, &kept), SODAE_OK);
        assert_int_equal(sodae_history_load(next, store_get, &kept), SODAE_OK);
        assert_int_equal(sodae_advance(next, end, see, &y), SODAE_OK);
        y.x = sodae_state(next)->q[0], y.vx = sodae_state(next)->v[0];
        check_same(&y, &alone, COUNTS_LATER, &o);
        sodae_free(s), sodae_free(next);
    }
}

/* Then it does act twice: the body would pass through the wall otherwise. */
static void an_impact_acts_again_where_another_action_turns_the_motion_round(void **unused) {
    (void)unused;
    pendulum x;
    pendulum_open(&x, TURNS_BACK, 0);
    each_method m = before_first;
    sodae_options o;
    while (next_method(&x.problem, 0.01, &m, &o)) {
        story y = run(TURNS_BACK, 0, &o);
        double may = isnan(o.step) ? 1e-6 : 1e-4;
        if (y.impacts != 2 || y.rest != 3 || !(y.last - y.first < may) || !(y.lowest > -may))
            fail_msg("%s, step %g: %d impacts, %.2g apart, gap %.2g", sodae_method_name(o.method),
                     o.step, y.impacts, y.last - y.first, y.lowest);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_acts_once_whatever_else_happens_at_that_time),
        cmocka_unit_test(an_impact_acts_once_at_every_tolerance),
        cmocka_unit_test(an_impact_acts_once_over_a_saved_history),
        cmocka_unit_test(an_impact_acts_again_where_another_action_turns_the_motion_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
