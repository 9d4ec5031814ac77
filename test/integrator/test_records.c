/* Claims about failure records: complete whatever failed, and met again from the history. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "integrator/store.h"

/* What ends the run, at t = 1 or, where events accumulate, soon after it. */
typedef enum kind {
    FORCE_NAN,
    FORCE_STOPS,
    WHEN_NAN,
    WHEN_STOPS,
    ACTION_STOPS,
    ACTION_NAN,
    STATE_STOPS, /* the force at the state that an action leaves */
    ENDLESS,
    JUMP,
    MANY,
    KINDS
} kind;

static const char *const names[KINDS] = {"force is not finite",   "force ends the run",
                                         "event is not finite",   "event ends the run",
                                         "action ends the run",   "action gives no number",
                                         "state after an action", "events without end",
                                         "jump in time",          "max_steps"};

typedef struct model {
    sodae_problem problem;
    sodae_event event[2];
    kind kind;
    double q, v;
} model;

static int force(const sodae_point *at, double *out, void *user) {
    const model *m = user;
    *out = m->kind == ENDLESS ? -9.81 : -at->q[0];
    int late = at->t > 1 && (m->kind == FORCE_NAN || m->kind == JUMP);
    if (late) *out = NAN;
    return at->t > 1 && m->kind == FORCE_STOPS ? -1 : m->kind == STATE_STOPS && at->v[0] > 50;
}

static int early(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->t - 0.2;
    return 0;
}

/* The run has a restart before it fails. */
static int slow_down(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[0] = 0.9 * at->v[0];
    return 0;
}

static int late(const sodae_point *at, double *out, void *user) {
    const model *m = user;
    int acts = m->kind == ACTION_STOPS || m->kind == ACTION_NAN || m->kind == STATE_STOPS;
    *out = m->kind == ENDLESS ? at->q[0] : acts || m->kind == KINDS ? at->t - 1 : 2;
    if (at->t > 1 && m->kind == WHEN_NAN) *out = NAN;
    return at->t > 1 && m->kind == WHEN_STOPS ? -1 : 0;
}

static int act(const sodae_point *at, const sodae_solution *state, void *user) {
    const model *m = user;
    if (m->kind == ENDLESS) state->v[0] = -0.5 * at->v[0];
    if (m->kind == ACTION_NAN) state->v[0] = NAN;
    if (m->kind == STATE_STOPS) state->v[0] = 100;
    return m->kind == ACTION_STOPS ? -1 : 0;
}

static const double jump_time[] = {1};

static void model_open(model *m, kind k) {
    *m = (model){
        .problem = {.size = sizeof(sodae_problem), .name = "records", .nv = 1, .constant_mass = 1},
        .kind = k,
        .q = 1};
    m->problem.value[SODAE_FORCE].fn = force;
    m->problem.initial = (sodae_point){.q = &m->q, .v = &m->v};
    m->event[0] = (sodae_event){.name = "early", .when = early, .act = slow_down};
    m->event[1] = (sodae_event){.name = "late", .when = late, .act = act, .direction = 0};
    if (k == ENDLESS) m->event[1].direction = -1;
    m->problem.events = m->event;
    m->problem.nevents = 2;
    m->problem.user = m;
    if (k != JUMP) return;
    m->problem.nbreakpoints = 1;
    m->problem.breakpoints = jump_time;
}

static sodae_options options_of(kind k, int method, int controlled) {
    sodae_options o = run_options(method, SODAE_INDEX3, NAN);
    o.step = controlled ? NAN : 0.01;
    o.jacobian = SODAE_JACOBIAN_ITERATION; /* nothing but the history makes a difference */
    if (k == MANY) o.max_steps = 25;
    return o;
}

static void check_record(const sodae *s, kind k, sodae_status st) {
    const sodae_failure *f = sodae_last_failure(s);
    const sodae_view *view = sodae_state(s);
    assert_int_equal(f->status, st);
    assert_int_equal(f->step, view->step);
    assert_int_equal(f->step, sodae_counters(s)->steps);
    CHECK_IN(f->step, 9, 1000);
    assert_int_equal(f->history, 8);
    CHECK_IN(f->history_t[7], view->t - f->h, view->t);
    CHECK_IN(f->history_h[7], 1e-16, 0.9);
    for (int i = 1; i < 8; i++) CHECK_IN(f->history_t[i] - f->history_t[i - 1], 0, 0.9);
    CHECK_IN(f->h, 1e-17, 0.9);
    CHECK_IN(f->t, view->t - f->h, view->t + f->h);
    CHECK_IN(f->t, k == MANY ? 1e-3 : 0.7, k == MANY ? 20 : k == ENDLESS ? 1.4 : 1.01);
    if (k != FORCE_NAN && k != FORCE_STOPS && k != JUMP) CHECK_IN(f->increments, 1, 12);
    CHECK_IN((double)strlen(f->advice), 20, sizeof f->advice - 1);
    CHECK_IN((double)strlen(f->where), 1, sizeof f->where - 1);
}

static void check_again(const model *m, const sodae_options *o, sodae *first, sodae_status st) {
    store *kept = calloc(1, sizeof *kept);
    sodae_failure why = *sodae_last_failure(first);
    sodae *s = run_start(&m->problem, o);
    assert_int_equal(sodae_history_save(first, store_put, kept), SODAE_OK);
    assert_int_equal(sodae_history_load(s, store_get, kept), SODAE_OK);
    CHECK_IN(sodae_state(s)->step, (double)why.step - 1, (double)why.step);
    assert_int_equal(sodae_retry(s), st);
    const sodae_failure *f = sodae_last_failure(s);
    assert_string_equal(f->message, why.message);
    assert_string_equal(f->where, why.where);
    assert_string_equal(f->advice, why.advice);
    CHECK_NEAR(f->t, why.t, 0);
    CHECK_NEAR(f->h, why.h, 0);
    assert_int_equal(f->step, why.step);
    for (int i = 0; i < 8; i++) CHECK_NEAR(f->history_t[i], why.history_t[i], 0);
    sodae_free(s);
    free(kept);
}

static void check_kind(kind k, int method, int controlled) {
    model m;
    model_open(&m, k);
    sodae_options o = options_of(k, method, controlled);
    sodae *s = run_start(&m.problem, &o);
    sodae_status st = sodae_advance(s, k == MANY ? 30 : 3, NULL, NULL);
    print_message("%s, method %d%s: %s\n", names[k], method, controlled ? " under control" : "",
                  sodae_last_failure(s)->message);
    assert_true(st < 0);
    check_record(s, k, st);
    check_again(&m, &o, s, st);
    sodae_free(s);
}

static const int methods[] = {SODAE_RADAU_IIA, SODAE_GENERALIZED_ALPHA, SODAE_BDF};

static void with_fixed_steps_every_failure_is_complete_and_met_again(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < KINDS; k++)
            if (k != MANY) check_kind((kind)k, methods[i], 0); /* those are counted before */
}

static void under_error_control_too(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < KINDS; k++) check_kind((kind)k, methods[i], 1);
}

/* An event that the record remembers is found at the same time as without a stop on the way. */
static void events_go_on_from_a_history_bit_for_bit(void **unused) {
    (void)unused;
    for (int i = 0; i < 3; i++) {
        model m;
        model_open(&m, KINDS); /* nothing fails */
        m.event[1].stop = 1;
        sodae_options o = options_of(KINDS, methods[i], 1);
        store *kept = calloc(1, sizeof *kept);
        sodae *a = run_start(&m.problem, &o), *b = run_start(&m.problem, &o);
        sodae_solution none = {.size = sizeof(sodae_solution), .q = NULL};
        assert_int_equal(sodae_advance_dense(a, 0.7, 3, &none), SODAE_OK);
        assert_int_equal(sodae_history_save(a, store_put, kept), SODAE_OK);
        assert_int_equal(sodae_history_load(b, store_get, kept), SODAE_OK);
        assert_int_equal(sodae_advance(a, 3, NULL, NULL), SODAE_EVENT);
        assert_int_equal(sodae_advance(b, 3, NULL, NULL), SODAE_EVENT);
        const sodae_view *x = sodae_state(a), *y = sodae_state(b);
        CHECK_IN(x->t, 1 - 1e-12, 1 + 1e-12);
        CHECK_NEAR(x->t, y->t, 0);
        CHECK_NEAR(x->q[0], y->q[0], 0);
        CHECK_NEAR(x->v[0], y->v[0], 0);
        assert_int_equal(x->step, y->step);
        sodae_free(a), sodae_free(b);
        free(kept);
    }
}

/* A start that fails leaves nothing of the run before. */
static void there_is_no_history_of_a_failed_start(void **unused) {
    (void)unused;
    model m;
    model_open(&m, ACTION_NAN);
    sodae_options o = options_of(ACTION_NAN, SODAE_RADAU_IIA, 1);
    store *kept = calloc(1, sizeof *kept);
    sodae *s = run_start(&m.problem, &o);
    assert_int_equal(sodae_advance(s, 3, NULL, NULL), SODAE_NOT_FINITE);
    assert_int_equal(sodae_history_save(s, store_put, kept), SODAE_OK);
    m.q = NAN;
    assert_true(sodae_start(s) < 0);
    assert_int_equal(sodae_history_save(s, store_put, kept), SODAE_WRONG_ORDER);
    sodae_free(s);
    free(kept);
}

/* From t = 0.9 on no error is small enough; the mass vanishes there in steps below `tiny`. */
typedef struct falling {
    sodae_problem problem;
    double q, v, now, tiny;
} falling;

static int noise(const sodae_point *at, double *out, void *user) {
    (void)user;
    *out = at->t > 0.9 ? 1e9 * sin(1e12 * at->t) : 0;
    return 0;
}

static int mass(const sodae_point *at, double *out, void *user) {
    const falling *x = user;
    int near = at->t - x->now < x->tiny && at->t > x->now;
    *out = at->t > 0.9 && near ? 0 : 1;
    return 0;
}

static int follow(const sodae_view *view, void *user) {
    ((falling *)user)->now = view->t;
    return 0;
}

static sodae_failure fall(double tiny) {
    falling x = {.problem = {.size = sizeof(sodae_problem), .name = "falling", .nv = 1},
                 .v = 1,
                 .tiny = tiny};
    x.problem.value[SODAE_MASS].fn = mass;
    x.problem.value[SODAE_FORCE].fn = noise;
    x.problem.initial = (sodae_point){.q = &x.q, .v = &x.v};
    x.problem.user = &x;
    sodae_options o = run_options(SODAE_RADAU_IIA, SODAE_INDEX3, NAN);
    o.step = NAN;
    o.max_step = 0.01;
    sodae *s = run_start(&x.problem, &o);
    assert_int_equal(sodae_advance(s, 2, follow, &x), SODAE_STEP_TOO_SMALL);
    sodae_failure f = *sodae_last_failure(s);
    const sodae_statistics *c = sodae_counters(s);
    print_message("%s\n  %s, %ld refused by the error\n", f.message, f.advice, c->refused_error);
    CHECK_IN((double)c->refused_newton, 1, 200);
    sodae_free(s);
    return f;
}

static void a_matrix_that_is_singular_in_tiny_steps_only_is_not_the_reason(void **unused) {
    (void)unused;
    sodae_failure f = fall(1e-12);
    assert_non_null(strstr(f.message, "the error test kept failing"));
    assert_string_equal(f.where, "step");
    f = fall(1); /* in all steps: then it is */
    assert_non_null(strstr(f.message, "singular"));
    assert_string_equal(f.where, "iteration matrix");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_fixed_steps_every_failure_is_complete_and_met_again),
        cmocka_unit_test(under_error_control_too),
        cmocka_unit_test(events_go_on_from_a_history_bit_for_bit),
        cmocka_unit_test(there_is_no_history_of_a_failed_start),
        cmocka_unit_test(a_matrix_that_is_singular_in_tiny_steps_only_is_not_the_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
