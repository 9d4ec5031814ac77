/* Claims about steps with very many events: a ball falls freely, in few long steps, while six
 * functions of time oscillate. */
#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"
#include "verify/verified.h"

enum { WAVES = 6 };

static const double g = 9.81, end = 3.99, pi = 3.14159265358979323846;

typedef struct wave {
    double frequency, phase;
    long *calls;
} wave;

typedef struct fall {
    sodae_problem problem;
    sodae_event event[WAVES + 1]; /* the last one stops */
    wave wave[WAVES];
    long calls; /* of the six functions */
    double q[1], v[1];
} fall;

static int weight(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = -g;
    return 0;
}

static int swing(const sodae_point *at, double *out, void *user) {
    wave *w = user;
    ++*w->calls;
    out[0] = sin(w->frequency * at->t + w->phase);
    return 0;
}

static int time_left(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = end - at->t;
    return 0;
}

static void fall_open(fall *x, double frequency) {
    *x = (fall){
        .problem = {.size = sizeof(sodae_problem), .name = "fall", .nv = 1, .constant_mass = 1},
        .q = {100}};
    x->problem.value[SODAE_FORCE].fn = weight;
    x->problem.initial = (sodae_point){.q = x->q, .v = x->v};
    for (int i = 0; i < WAVES; i++) {
        x->wave[i] = (wave){frequency, 0.5 * (i + 1), &x->calls};
        x->event[i] = (sodae_event){.name = "wave", .when = swing, .user = &x->wave[i]};
    }
    x->event[WAVES] = (sodae_event){.name = "end", .when = time_left, .stop = 1};
    x->problem.events = x->event;
    x->problem.nevents = WAVES + 1;
}

static int zeros_of(const wave *w) {
    return (int)(floor((w->frequency * end + w->phase) / pi) - floor(w->phase / pi));
}

/* What a sink saw. */
typedef struct story {
    const fall *of;
    int stops; /* 1: at every row */
    int found[WAVES + 1];
    double t, off; /* of the last row; the largest distance from a zero, in time */
} story;

static int see(const sodae_view *view, void *user) {
    story *y = user;
    assert_true(view->t >= y->t);
    y->t = view->t;
    if (view->event < 0) return y->stops;
    y->found[view->event]++;
    if (view->event == WAVES) return y->stops;
    const wave *w = &y->of->wave[view->event];
    double phase = (w->frequency * view->t + w->phase) / pi;
    y->off = fmax(y->off, fabs(phase - round(phase)) * pi / w->frequency);
    return y->stops;
}

static void run(fall *x, story *y) {
    sodae_options o = sodae_default_options();
    sodae *s = run_start(&x->problem, &o);
    sodae_status st;
    while ((st = sodae_advance(s, 4, see, y)) == SODAE_STOPPED && y->found[WAVES] == 0) continue;
    assert_int_equal(st, y->stops ? SODAE_STOPPED : SODAE_EVENT);
    for (int i = 0; i < WAVES; i++) assert_int_equal(y->found[i], zeros_of(&x->wave[i]));
    assert_int_equal(y->found[WAVES], 1);
    CHECK_IN(y->off, 0, 1e-13);
    CHECK_IN(sodae_counters(s)->steps, 3, 60);
    CHECK_NEAR(sodae_state(s)->t, end, 1e-14);
    CHECK_NEAR(sodae_state(s)->q[0], 100 - g * end * end / 2, 1e-6);
    if (!y->stops) {
        sodae_verification v;
        assert_int_equal(verified(&x->problem, &o, 4, &v), SODAE_OK);
    }
    sodae_free(s);
}

/* 2286 of them, most in the last step, and a stop behind them. */
static void of_very_many_events_in_a_step_none_is_lost(void **unused) {
    (void)unused;
    fall x;
    for (int stops = 0; stops < 2; stops++) {
        fall_open(&x, 300);
        story y = {.of = &x, .stops = stops};
        run(&x, &y);
    }
}

/* Calls for each event that is found, besides those for looking at the steps. */
static void an_event_that_is_found_costs_the_same_however_many_there_are(void **unused) {
    (void)unused;
    for (double frequency = 75; frequency <= 300; frequency *= 2) {
        fall x;
        fall_open(&x, frequency);
        sodae_options o = sodae_default_options();
        story y = {.of = &x};
        sodae *s = run_start(&x.problem, &o);
        assert_int_equal(sodae_advance(s, 4, see, &y), SODAE_EVENT);
        double found = WAVES * frequency * end / pi, looked = WAVES * 500.0;
        CHECK_IN(((double)x.calls - looked) / found, 20, 60);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_very_many_events_in_a_step_none_is_lost),
        cmocka_unit_test(an_event_that_is_found_costs_the_same_however_many_there_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
