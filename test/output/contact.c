/* Claims about events whose zeros coincide with an impact that turns the motion round: a ball falls
 * from 1 onto the floor; a pendulum of length 1 swings from 60 degrees against a wall at -0.3. */
#include "claims.h"
#include "integrator/run.h"
#include "output/each_method.h"
#include "output/rod.h"
#include "problems/each.h"

enum { IMPACT, SEEN, BOTH, LEAP, COUNTED, ENOUGH, KINDS };

typedef struct contact {
    sodae_problem problem;
    sodae_event event[KINDS];
    int kind[KINDS]; /* of each event, in the order of the list */
    int swings;      /* 1: the pendulum */
    double late;     /* ENOUGH does not count before */
    double q[2], v[2], r[1];
} contact;

static double gap_of(const sodae_point *at, const contact *x) {
    return x->swings ? at->q[0] + 0.3 : at->q[1];
}

static int gap(const sodae_point *at, double *out, void *user) {
    out[0] = gap_of(at, user);
    return 0;
}

static int twice(const sodae_point *at, double *out, void *user) {
    out[0] = 2 * gap_of(at, user);
    return 0;
}

static int curved(const sodae_point *at, double *out, void *user) {
    double d = gap_of(at, user);
    out[0] = 3 * d + d * d / 7;
    return 0;
}

static int leap(const sodae_point *at, double *out, void *user) {
    out[0] = gap_of(at, user) > 0 ? 1 : -1;
    return 0;
}

static int rising(const sodae_point *at, double *out, void *user) {
    out[0] = -sin(gap_of(at, user));
    return 0;
}

static int gap_when_late(const sodae_point *at, double *out, void *user) {
    const contact *x = user;
    out[0] = fmax(gap_of(at, x), x->late - at->t);
    return 0;
}

static int rebound(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < 2; i++) state->v[i] = -0.8 * at->v[i];
    return 0;
}

static int count(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->r[0] = at->r[0] + 1;
    return 0;
}

static const sodae_event kinds[KINDS] = {
    [IMPACT] = {.name = "impact", .when = gap, .direction = -1, .act = rebound},
    [SEEN] = {.name = "seen", .when = twice, .direction = -1},
    [BOTH] = {.name = "both", .when = curved},
    [LEAP] = {.name = "leap", .when = leap, .direction = -1},
    [COUNTED] = {.name = "counted", .when = rising, .direction = 1, .act = count},
    [ENOUGH] = {.name = "enough", .when = gap_when_late, .stop = 1},
};

/* Order number `order`: turned by so many places, and back to front. */
static void contact_open(contact *x, int swings, int order) {
    *x = (contact){.swings = swings, .late = 1, .q = {0, 1}};
    if (swings) x->q[0] = sqrt(3) / 2, x->q[1] = -0.5;
    x->problem = (sodae_problem){
        .size = sizeof(sodae_problem), .name = "contact", .nv = 2, .nlambda = swings, .nr = 1};
    x->problem.constant_mass = 1;
    x->problem.value[SODAE_FORCE].fn = weight;
    if (swings) x->problem.value[SODAE_HOLONOMIC].fn = rod;
    x->problem.value[SODAE_DYNAMIC].fn = nothing;
    x->problem.initial = (sodae_point){.q = x->q, .v = x->v, .r = x->r};
    for (int i = 0; i < KINDS; i++) {
        int k = (i + order) % KINDS;
        x->kind[i] = order < KINDS ? k : KINDS - 1 - k;
        x->event[i] = kinds[x->kind[i]];
    }
    x->problem.events = x->event;
    x->problem.nevents = KINDS;
    x->problem.user = x;
}

/* What a sink saw. */
typedef struct story {
    const contact *of;
    int happened[KINDS];
    int behind[KINDS]; /* how often with a state in which the motion has turned round */
    double first[KINDS], last[KINDS]; /* times */
} story;

static int see(const sodae_view *view, void *user) {
    story *y = user;
    if (view->event < 0) return 0;
    int kind = y->of->kind[view->event];
    y->behind[kind] += view->v[y->of->swings ? 0 : 1] > 0;
    if (!y->happened[kind]++) y->first[kind] = view->t;
    y->last[kind] = view->t;
    return 0;
}

/* Two impacts; at the second one the run ends. */
static void check_run(const contact *x, const sodae_options *o, int order) {
    sodae *s = run_start(&x->problem, o);
    story y = {.of = x};
    sodae_status st = sodae_advance(s, 3, see, &y);
    int wrong = st != SODAE_EVENT || !(fabs(sodae_state(s)->r[0] - 2) <= 1e-7);
    for (int k = 0; k < KINDS; k++) {
        wrong |= y.happened[k] != (k == ENOUGH ? 1 : 2);
        wrong |= !(fabs(y.last[k] - y.last[IMPACT]) <= 1e-12);
        wrong |= k != ENOUGH && !(fabs(y.first[k] - y.first[IMPACT]) <= 1e-12);
    }
    wrong |= y.behind[SEEN] || y.behind[BOTH] || y.behind[LEAP] || y.behind[IMPACT] != 2;
    if (wrong)
        fail_msg("%s, step %g, %s, order %d: %s; impact %d, seen %d, both %d, leap %d, counted %d "
                 "(%g), enough %d",
                 sodae_method_name(o->method), o->step, x->swings ? "pendulum" : "ball", order,
                 sodae_status_name(st), y.happened[IMPACT], y.happened[SEEN], y.happened[BOTH],
                 y.happened[LEAP], y.happened[COUNTED], sodae_state(s)->r[0], y.happened[ENOUGH]);
    CHECK_NEAR(y.first[IMPACT], x->swings ? 0.637064 : sqrt(2 / 9.81),
               isnan(o->step) ? 1e-3 : 2e-2);
    sodae_free(s);
}

/* Every `stride`-th order. */
static void check_all(int swings, double step, int stride) {
    sodae_options o;
    contact x;
    contact_open(&x, swings, 0);
    int runs = 0;
    for (int order = 0; order < 2 * KINDS; order += stride)
        for (each_method m = before_first; next_method(&x.problem, step, &m, &o); runs++) {
            contact_open(&x, swings, order);
            if (isnan(o.step)) o.rtol = 1e-4;
            check_run(&x, &o, order);
        }
    CHECK_IN(runs, 2 * KINDS / stride * 15, 4 * KINDS * SODAE_METHODS);
}

static void events_at_the_time_of_an_impact_happen_once_whatever_their_order(void **unused) {
    (void)unused;
    check_all(0, 0.1, 1);
}

/* The first impact is at the end of a step, up to rounding. */
static void so_do_events_at_the_end_of_a_step(void **unused) {
    (void)unused;
    check_all(0, sqrt(2 / 9.81) / 5, 3);
}

/* Here the constraint moves the state off the wall. */
static void so_do_events_on_constraints(void **unused) {
    (void)unused;
    check_all(1, 0.02, 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_at_the_time_of_an_impact_happen_once_whatever_their_order),
        cmocka_unit_test(so_do_events_at_the_end_of_a_step),
        cmocka_unit_test(so_do_events_on_constraints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
