/* Claims about impacts between bodies that touch: equal bodies on a line, x1 <= x2 <= ..., which
 * exchange their velocities when they meet. The first comes from -1 with velocity 1, the others
 * stand at 0. */
#include "claims.h"
#include "integrator/run.h"
#include "integrator/store.h"
#include "output/balls.h"
#include "output/each_method.h"
#include "problems/each.h"

#include <string.h>

enum { BODIES = 5, EXTRA = 3 };

static const double end = 3;

typedef struct pair {
    int left;
    double late; /* before that time the two stop each other */
} pair;

typedef struct row {
    sodae_problem problem;
    sodae_event event[BODIES - 1 + EXTRA]; /* i: i and i + 1 meet */
    pair pair[BODIES - 1];
    double q[BODIES], v[BODIES], r[1];
} row;

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < BODIES; i++) out[i] = 0;
    return 0;
}

static int no_rate(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0;
    return 0;
}

static int gap(const sodae_point *at, double *out, void *user) {
    const pair *p = user;
    out[0] = at->q[p->left + 1] - at->q[p->left];
    return 0;
}

static int meet(const sodae_point *at, const sodae_solution *state, void *user) {
    const pair *p = user;
    int i = p->left, k = i + 1;
    double mean = (at->v[i] + at->v[k]) / 2;
    state->v[i] = at->t < p->late ? mean : at->v[k];
    state->v[k] = at->t < p->late ? mean : at->v[i];
    return 0;
}

static int noon(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->t - 2;
    return 0;
}

static int keep_all(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    for (int i = 0; i < BODIES; i++) state->v[i] = at->v[i];
    return 0;
}

static int pull_last(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)at, (void)user;
    state->v[BODIES - 1] = 1;
    return 0;
}

static void row_open(row *x, int direction, double play) {
    *x = (row){.problem = {.name = "row", .nv = BODIES, .constant_mass = 1}, .q = {-1}, .v = {1}};
    x->problem.value[SODAE_FORCE].fn = nothing;
    x->problem.initial = (sodae_point){.q = x->q, .v = x->v};
    for (int i = 1; i < BODIES; i++) x->q[i] = (i - 1) * play;
    for (int i = 0; i < BODIES - 1; i++) {
        x->pair[i].left = i;
        x->event[i] = (sodae_event){
            .name = "meet", .when = gap, .direction = direction, .act = meet, .user = &x->pair[i]};
    }
    x->problem.events = x->event;
    x->problem.nevents = BODIES - 1;
}

static void add(row *x, sodae_event e) {
    x->event[x->problem.nevents++] = e;
}

/* All are where they were but the last, which has gone on with the velocity of the first. */
static void check_end(const sodae *s, const event_log *log, int events, const sodae_options *o) {
    const sodae_view *view = sodae_state(s);
    double off = fabs(view->q[BODIES - 1] - (end - 1));
    for (int i = 0; i < BODIES - 1; i++) off = fmax(off, fabs(view->q[i]) + fabs(view->v[i]));
    if (log->count != events || !(off <= 1e-8))
        fail_msg("%s, step %g, rtol %g: %d events, off by %.2g", sodae_method_name(o->method),
                 o->step, o->rtol, log->count, off);
    for (int i = 0; i < BODIES - 1; i++) {
        assert_int_equal(log->event[i], i);
        CHECK_NEAR(log->t[i], 1, 1e-8);
    }
}

static void check_row(const row *x, const sodae_options *o, int events) {
    event_log log = {0};
    sodae *s = run_start(&x->problem, o);
    assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
    check_end(s, &log, events, o);
    sodae_free(s);
}

static void an_impact_goes_through_bodies_that_touch_to_the_last_one(void **unused) {
    (void)unused;
    row x;
    sodae_options o;
    row_open(&x, -1, 0);
    each_method m = before_first;
    int runs = 0;
    for (; next_method(&x.problem, 0.0123, &m, &o); runs++) check_row(&x, &o, BODIES - 1);
    CHECK_IN(runs, 15, 2 * SODAE_METHODS);
}

static void so_it_does_at_every_tolerance_and_through_every_play(void **unused) {
    static const int methods[] = {SODAE_RADAU_IIA, SODAE_BDF, SODAE_GENERALIZED_ALPHA, SODAE_MSR};
    static const double plays[] = {0, 1e-16, 1e-15, 1e-13, 1e-12, 1e-11, 1e-9};
    (void)unused;
    for (int m = 0; m < 4; m++)
        for (double rtol = 1e-3; rtol > 1e-10; rtol /= 1e3)
            for (int k = 0; k < 7; k++) {
                row x;
                sodae_options o = sodae_default_options();
                o.method = methods[m], o.rtol = rtol;
                row_open(&x, -1, plays[k]);
                check_row(&x, &o, BODIES - 1);
            }
}

/* Two come one behind the other, and one from the other side: what is exchanged last comes back. */
static void bodies_that_touch_pass_on_several_impacts_at_once(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        row x;
        event_log log = {0};
        sodae_options o = sodae_default_options();
        if (!controlled) o.step = 0.1;
        row_open(&x, -1, 0);
        x.q[1] = -1, x.v[1] = 1, x.q[4] = 1, x.v[4] = -1;
        sodae *s = run_start(&x.problem, &o);
        assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
        static const double v[BODIES] = {-1, 0, 0, 1, 1};
        for (int i = 0; i < BODIES; i++) {
            CHECK_NEAR(sodae_state(s)->v[i], v[i], 1e-10);
            CHECK_NEAR(sodae_state(s)->q[i], 2 * v[i], 1e-10);
        }
        assert_int_equal(log.count, 8); /* as many as there are pairs in the wrong order */
        sodae_free(s);
    }
}

/* The second and the third have stopped each other at t = 0.5; over a saved history, too. */
static void a_contact_that_its_own_action_has_closed_passes_an_impact_on(void **unused) {
    static store kept;
    (void)unused;
    for (int direction = -1; direction <= 0; direction++)
        for (int controlled = 0; controlled < 2; controlled++) {
            row x;
            event_log log = {0};
            sodae_options o = sodae_default_options();
            if (!controlled) o.step = 0.1;
            row_open(&x, direction, 0);
            for (int i = 1; i < BODIES; i++) x.q[i] = i == 2 ? 0 : i == 1 ? -0.25 : i;
            x.v[1] = 0.5, x.v[2] = 0, x.pair[1].late = 0.8;
            sodae *s = run_start(&x.problem, &o), *next = run_start(&x.problem, &o);
            assert_int_equal(sodae_advance(s, 0.7, log_events, &log), SODAE_OK);
            assert_int_equal(log.count, 1);
            CHECK_NEAR(sodae_state(s)->v[1], 0.25, 1e-12);
            kept.count = kept.used = 0;
            assert_int_equal(sodae_history_save(s, store_put, &kept), SODAE_OK);
            assert_int_equal(sodae_history_load(next, store_get, &kept), SODAE_OK);
            assert_int_equal(sodae_advance(next, 1.5, log_events, &log), SODAE_OK);
            assert_int_equal(log.count, 3);
            assert_int_equal(log.event[1], 0);
            assert_int_equal(log.event[2], 1);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(sodae_state(next)->v[i], i < 2 ? 0.25 : 1, 1e-10);
            sodae_free(s), sodae_free(next);
        }
}

static int count(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->r[0] = at->r[0] + 1;
    return 0;
}

/* Once, whatever their order, and not when anything acts later. */
static void what_changes_no_motion_at_a_closed_contact_happens_once(void **unused) {
    (void)unused;
    for (int first = 0; first < 2; first++) {
        row x;
        sodae_options o;
        row_open(&x, -1, 0);
        int contact = first ? BODIES : BODIES - 2, seen = first ? BODIES - 2 : BODIES - 1;
        sodae_event e = x.event[BODIES - 2];
        add(&x, (sodae_event){.name = "behind"});
        add(&x, (sodae_event){.name = "last"});
        x.event[contact] = x.event[seen] = x.event[seen + 1] = e;
        x.event[seen].act = NULL, x.event[seen + 1].act = count;
        add(&x, (sodae_event){.name = "noon", .when = noon, .act = keep_all});
        x.problem.nr = 1, x.problem.initial.r = x.r;
        x.problem.value[SODAE_DYNAMIC].fn = no_rate;
        for (each_method m = before_first; next_method(&x.problem, 0.1, &m, &o);) {
            int happened[BODIES - 1 + EXTRA] = {0};
            event_log log = {0};
            sodae *s = run_start(&x.problem, &o);
            assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
            for (int n = 0; n < log.count; n++) happened[log.event[n]]++;
            for (int i = 0; i < BODIES - 1 + EXTRA; i++) assert_int_equal(happened[i], 1);
            CHECK_NEAR(sodae_state(s)->r[0], 1, 1e-9);
            CHECK_NEAR(sodae_state(s)->q[BODIES - 1], end - 1, 1e-8);
            sodae_free(s);
        }
    }
}

static void a_stop_at_a_closed_contact_ends_the_run_at_the_impact(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        row x;
        event_log log = {0};
        sodae_options o = sodae_default_options();
        if (!controlled) o.step = 0.1;
        row_open(&x, -1, 0);
        x.event[BODIES - 2].stop = 1;
        sodae *s = run_start(&x.problem, &o);
        assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_EVENT);
        CHECK_NEAR(sodae_state(s)->t, 1, 1e-10);
        assert_int_equal(sodae_state(s)->event, BODIES - 2);
        assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
        check_end(s, &log, BODIES - 1, &o);
        sodae_free(s);
    }
}

/* All move together, up to rounding; at t = 2 something acts, with and without effect. */
static void bodies_that_move_together_or_apart_do_not_meet(void **unused) {
    (void)unused;
    for (int pulls = 0; pulls < 2; pulls++)
        for (int k = 0; k < 8; k++) {
            row x;
            event_log log = {0};
            sodae_options o = sodae_default_options();
            if (k % 2) o.step = 0.1;
            row_open(&x, -1, 0);
            for (int i = 0; i < BODIES; i++)
                x.q[i] = 1.0 / 3, x.v[i] = 0.3 * (1 + (i * k % 5 - 2) * 4e-16);
            add(&x,
                (sodae_event){.name = "noon", .when = noon, .act = pulls ? pull_last : keep_all});
            sodae *s = run_start(&x.problem, &o);
            assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
            int at_noon = 0;
            for (int n = 0; n < log.count; n++) at_noon += fabs(log.t[n] - 2) < 1e-9;
            assert_int_equal(at_noon, 1);
            CHECK_NEAR(sodae_state(s)->v[BODIES - 1], pulls ? 1 : 0.3, 1e-12);
            CHECK_NEAR(sodae_state(s)->v[BODIES - 2], 0.3, 1e-12);
            sodae_free(s);
        }
}

static int place(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[BODIES - 1];
    return 0;
}

static int turn_last(const sodae_point *at, const sodae_solution *state, void *user) {
    (void)user;
    state->v[BODIES - 1] = -at->v[BODIES - 1];
    return 0;
}

/* The last one has a wall behind it, which sends all of it back. */
static void an_impact_on_a_wall_comes_back_through_bodies_that_touch(void **unused) {
    (void)unused;
    row x;
    event_log log = {0};
    sodae_options o = sodae_default_options();
    row_open(&x, -1, 0);
    add(&x, (sodae_event){.name = "wall", .when = place, .direction = 1, .act = turn_last});
    sodae *s = run_start(&x.problem, &o);
    assert_int_equal(sodae_advance(s, end, log_events, &log), SODAE_OK);
    CHECK_NEAR(sodae_state(s)->q[0], -2, 1e-10);
    CHECK_NEAR(sodae_state(s)->q[BODIES - 1], 0, 1e-10);
    assert_int_equal(log.count, 2 * BODIES - 1);
    sodae_free(s);
}

static void impacts_without_end_between_walls_without_play_are_told(void **unused) {
    (void)unused;
    for (int controlled = 0; controlled < 2; controlled++) {
        row x;
        sodae_options o = sodae_default_options();
        if (!controlled) o.step = 0.1;
        row_open(&x, -1, 0);
        for (int i = 0; i < BODIES - 1; i++) x.q[i] = -9 + i, x.v[i] = 0;
        add(&x, (sodae_event){.name = "left", .when = place, .direction = -1, .act = turn_last});
        add(&x, (sodae_event){.name = "right", .when = place, .direction = 1, .act = turn_last});
        add(&x, (sodae_event){.name = "noon", .when = noon, .act = pull_last});
        sodae *s = run_start(&x.problem, &o);
        assert_int_equal(sodae_advance(s, end, NULL, NULL), SODAE_STEP_TOO_SMALL);
        assert_non_null(strstr(sodae_last_failure(s)->message, "again and again"));
        CHECK_NEAR(sodae_state(s)->t, 2, 1e-10);
        CHECK_NEAR(sodae_state(s)->q[BODIES - 1], 0, 1e-12);
        CHECK_IN((double)sodae_counters(s)->events, 100, 5000);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_goes_through_bodies_that_touch_to_the_last_one),
        cmocka_unit_test(so_it_does_at_every_tolerance_and_through_every_play),
        cmocka_unit_test(bodies_that_touch_pass_on_several_impacts_at_once),
        cmocka_unit_test(a_contact_that_its_own_action_has_closed_passes_an_impact_on),
        cmocka_unit_test(what_changes_no_motion_at_a_closed_contact_happens_once),
        cmocka_unit_test(a_stop_at_a_closed_contact_ends_the_run_at_the_impact),
        cmocka_unit_test(bodies_that_move_together_or_apart_do_not_meet),
        cmocka_unit_test(an_impact_on_a_wall_comes_back_through_bodies_that_touch),
        cmocka_unit_test(impacts_without_end_between_walls_without_play_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
