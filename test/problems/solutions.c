/* Claims about the exact and reference solutions of the catalogue's problems. */
#include <string.h>

#include "claims.h"
#include "each.h"

typedef struct state {
    double q[EACH_MAX], v[EACH_MAX], a[EACH_MAX], lambda[EACH_MAX], psi[EACH_MAX];
    double r[EACH_MAX], w[EACH_MAX], s[EACH_MAX];
} state;

static state at_time(const sodae_problem *p, double t) {
    state s = {0};
    sodae_solution out = {.size = sizeof(sodae_solution),
                          .q = s.q,
                          .v = s.v,
                          .a = s.a,
                          .lambda = s.lambda,
                          .psi = s.psi,
                          .r = s.r,
                          .w = s.w,
                          .s = s.s};
    assert_int_equal(p->exact(t, &out, p->user), 0);
    return s;
}

static sodae_point point_of(double t, const state *s) {
    return (sodae_point){.t = t,
                         .q = s->q,
                         .v = s->v,
                         .a = s->a,
                         .lambda = s->lambda,
                         .psi = s->psi,
                         .r = s->r,
                         .w = s->w,
                         .s = s->s};
}

static double largest(const double *x, int n) {
    double size = 0;
    for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_equations(const each_case *c) {
    const sodae_problem *p = c->problem;
    if (!each_known(c)) return;
    const double part[] = {0, 0.01, 0.1, 0.3, 0.31, 0.7, 1, 0.5, 0.99, 1.01};
    /* the disk that rolls meets its singular lean soon after t = 1 */
    double t0 = p->initial.t, length = strcmp(p->name, "rolling-disk") ? c->entry->t_end - t0 : 1;
    for (size_t k = 0; k < sizeof part / sizeof *part; k++) {
        double t = t0 + part[k] * length, Ma[EACH_MAX], f[EACH_MAX], r[EACH_MAX] = {0};
        state s = at_time(p, t);
        sodae_point at = point_of(t, &s);
        double size = 1 + largest(s.v, p->nv);
        if (p->nlambda) {
            each_value(p, SODAE_HOLONOMIC, &at, f);
            CHECK_NEAR(largest(f, p->nlambda), 0, 1e-14 * (1 + largest(s.q, 2)));
            each_value(p, SODAE_HOLONOMIC_RATE, &at, f);
            CHECK_NEAR(largest(f, p->nlambda), 0, 1e-14 * size);
        }
        if (p->npsi) {
            each_value(p, SODAE_NONHOLONOMIC, &at, f);
            CHECK_NEAR(largest(f, p->npsi), 0, 1e-14 * size * size * size);
        }
        if (p->ns) {
            each_value(p, SODAE_CONTACT, &at, f);
            CHECK_NEAR(largest(f, p->ns), 0, 1e-15 * size);
        }
        if (p->nw) {
            each_value(p, SODAE_AUXILIARY, &at, f);
            CHECK_NEAR(largest(f, p->nw), 0, 1e-15 * size);
        }
        each_value(p, SODAE_MASS, &at, Ma);
        each_value(p, SODAE_FORCE, &at, f);
        if (!p->in_force && p->nlambda + p->npsi) each_value(p, SODAE_REACTION, &at, r);
        double scale = 1 + largest(f, p->nv) + largest(r, p->nv);
        if (p->nlambda && isnan(s.lambda[0])) continue;
        for (int i = 0; i < p->nv; i++) CHECK_NEAR(Ma[i], f[i] - r[i], 2e-14 * scale);
    }
}

static void exact_solutions_satisfy_the_equations(void **unused) {
    (void)unused;
    each_problem(check_equations);
}

static void check_motion(const each_case *c) {
    const sodae_problem *p = c->problem;
    const double weights[4] = {1, -8, 8, -1}, moves[4] = {-2, -1, 1, 2};
    if (!each_known(c)) return;
    double h = strncmp(p->name, "heavy", 5) == 0 ? 2e-5 : 5e-5;
    for (int k = 0; k < 4; k++) {
        double t = p->initial.t + 0.23 * k, dq[EACH_MAX], slope_q[EACH_MAX] = {0},
               slope_v[EACH_MAX] = {0}, slope_r[EACH_MAX] = {0}, rdot[EACH_MAX];
        state s = at_time(p, t);
        for (int m = 0; m < 4; m++) {
            state moved = at_time(p, t + moves[m] * h);
            sodae_space_difference(c->space, s.q, moved.q, dq);
            for (int i = 0; i < p->nv; i++) {
                slope_q[i] += weights[m] * dq[i] / (12 * h);
                slope_v[i] += weights[m] * (moved.v[i] - s.v[i]) / (12 * h);
            }
            for (int i = 0; i < p->nr; i++) slope_r[i] += weights[m] * moved.r[i] / (12 * h);
        }
        double v = 1 + largest(s.v, p->nv), a = v + largest(s.a, p->nv);
        for (int i = 0; i < p->nv; i++) {
            CHECK_NEAR(slope_q[i], s.v[i], 1e-9 * v);
            CHECK_NEAR(slope_v[i], s.a[i], 1e-8 * a);
        }
        sodae_point at = point_of(t, &s);
        if (p->nr) each_value(p, SODAE_DYNAMIC, &at, rdot);
        for (int i = 0; i < p->nr; i++) CHECK_NEAR(slope_r[i], rdot[i], 1e-9 * v);
    }
}

static void velocities_and_accelerations_are_derivatives(void **unused) {
    (void)unused;
    each_problem(check_motion);
}

static void check_start(const each_case *c) {
    const sodae_problem *p = c->problem;
    if (!each_known(c)) return;
    state s = at_time(p, p->initial.t);
    for (int i = 0; i < (p->space ? p->space->nq : p->nv); i++)
        CHECK_NEAR(s.q[i], p->initial.q[i], 1e-15);
    for (int i = 0; i < p->nv; i++) CHECK_NEAR(s.v[i], p->initial.v[i], 4e-15);
    for (int i = 0; i < p->nr; i++) CHECK_NEAR(s.r[i], p->initial.r[i], 1e-15);
}

static void exact_solutions_begin_at_the_initial_values(void **unused) {
    (void)unused;
    each_problem(check_start);
}

/* Forwards in small steps, backwards, and far away: the answers agree, bit for bit. */
static void check_order(const each_case *c) {
    const sodae_problem *p = c->problem;
    if (!each_known(c)) return;
    double t0 = p->initial.t;
    state forwards[101];
    for (int k = 0; k <= 100; k++) forwards[k] = at_time(p, t0 + 0.01 * k);
    for (int k = 100; k >= 0; k -= 10) {
        state s = at_time(p, t0 + 0.01 * k);
        for (int i = 0; i < p->nv; i++) CHECK_NEAR(s.v[i], forwards[k].v[i], 0);
    }
    sodae_problem *fresh = each_create(c->entry, NULL, 0), *again = each_create(c->entry, NULL, 0);
    at_time(fresh, t0 + 0.9), at_time(fresh, t0 + 0.2);
    state s = at_time(fresh, t0 + 1), r = at_time(again, t0 + 1);
    for (int i = 0; i < p->nv; i++) CHECK_NEAR(s.v[i], r.v[i], 0);
    c->entry->free(fresh);
    c->entry->free(again);
}

static void reference_solutions_do_not_depend_on_the_order_of_questions(void **unused) {
    (void)unused;
    each_problem(check_order);
}

/* Reference states are good to about 1e-8 of the forces that balance in them. */
static void check_end(const each_case *c) {
    const sodae_problem *p = c->problem;
    double t = c->entry->t_end, Ma[EACH_MAX], f[EACH_MAX], r[EACH_MAX], g[EACH_MAX];
    if (each_known(c)) return;
    state s = at_time(p, t);
    sodae_point at = point_of(t, &s);
    if (p->nlambda) {
        each_value(p, SODAE_HOLONOMIC, &at, g);
        CHECK_NEAR(largest(g, p->nlambda), 0, 1e-11 * (1 + largest(s.q, p->nv)));
        each_value(p, SODAE_HOLONOMIC_RATE, &at, g);
        CHECK_NEAR(largest(g, p->nlambda), 0, 1e-11 * (1 + largest(s.v, p->nv)));
    }
    if (p->npsi) {
        each_value(p, SODAE_NONHOLONOMIC, &at, g);
        CHECK_NEAR(largest(g, p->npsi), 0, 1e-11 * (1 + largest(s.v, p->nv)));
    }
    each_value(p, SODAE_MASS, &at, Ma);
    each_value(p, SODAE_FORCE, &at, f);
    each_value(p, SODAE_REACTION, &at, r);
    double scale = 1 + largest(f, p->nv) + largest(r, p->nv);
    for (int i = 0; i < p->nv; i++) CHECK_NEAR(Ma[i], f[i] - r[i], 1e-8 * scale);
}

static void reference_end_states_satisfy_the_equations(void **unused) {
    (void)unused;
    each_problem(check_end);
}

/* 000 Fig 5.6 */
static void spring_pendulum_follows_its_reference(void **unused) {
    static const double table[][3] = {
        {0.05, 5.146579212953, 7.039223698035}, {0.1, 5.394433848868, 2.769831111369},
        {0.2, 5.265022466131, -4.625303891553}, {0.3, 4.691212054016, -5.655310465992},
        {0.5, 4.405782798391, 2.756282484707},  {1, 4.578481487894, -0.326536288170},
        {1.5, 4.700665540103, -0.565793376958}, {2, 4.727778699884, -0.198184434704},
        {3, 4.713781520780, 0.030303564559},    {4, 4.711868115942, 0.001202266114},
    };
    (void)unused;
    const catalogue_entry *entry = catalogue_find("spring-pendulum");
    sodae_problem *p = each_create(entry, NULL, 0);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        state s = at_time(p, table[k][0]);
        CHECK_NEAR(s.q[2], table[k][1], 1e-12);
        CHECK_NEAR(s.v[2], table[k][2], 1.5e-12);
    }
    entry->free(p);
}

static void check_disk(double printed_f4, const double y[5], const double z[5],
                       const double psi[2]) {
    const catalogue_entry *entry = catalogue_find("rolling-disk");
    sodae_problem *p = each_create(entry, "printed_f4", printed_f4);
    state s = at_time(p, 10);
    for (int i = 0; i < 5; i++) {
        CHECK_NEAR(s.q[i], y[i], 2e-12);
        CHECK_NEAR(s.v[i], z[i], 2e-12);
    }
    for (int i = 0; i < 2; i++) CHECK_NEAR(s.psi[i], psi[i], 5e-11);
    entry->free(p);
}

static void rolling_disk_follows_its_reference(void **unused) {
    (void)unused;
    check_disk(
        0,
        (double[]){1.024486015149, 0.020159250166, 4.443259949784, 0.100412799225, 1.92534026668},
        (double[]){0.081540795809, 0.008215369253, -3.494811110113, 0.050708691476, 0.081953606834},
        (double[]){2.74485689563, -25.98010106904});
    check_disk(1,
               (double[]){1.133378889024, -0.083548650059, 4.444339142828, -0.159897466594,
                          2.037865331163},
               (double[]){0.110044681345, -0.017747374414, -3.493189665599, -0.01126854516,
                          0.111466592264},
               (double[]){-4.16419866834, -25.75036416146});
}

static void energy_range(const char *name, const char *parameter, double value, double t_end,
                         double *low, double *high) {
    const catalogue_entry *entry = catalogue_find(name);
    sodae_problem *p = each_create(entry, parameter, value);
    *low = INFINITY, *high = -INFINITY;
    for (int k = 0; k <= 1000; k++) {
        double E;
        state s = at_time(p, t_end * k / 1000);
        sodae_point at = point_of(0, &s);
        assert_int_equal(each_value(p, SODAE_ENERGY, &at, &E), 0);
        *low = fmin(*low, E), *high = fmax(*high, E);
    }
    entry->free(p);
}

static void the_disk_keeps_its_energy_unless_f4_is_as_printed(void **unused) {
    (void)unused;
    double low, high;
    energy_range("rolling-disk", NULL, 0, 10, &low, &high);
    CHECK_NEAR(low, 19.127964715389, 6e-13);
    CHECK_NEAR(high, 19.127964715389, 6e-13);
    energy_range("rolling-disk", "printed_f4", 1, 10, &low, &high);
    CHECK_NEAR(low, 19.125857219918, 1e-6);
    CHECK_NEAR(high, 19.132902501117, 1e-6);
    energy_range("rolling-disk", "sign", -1, 1, &low, &high);
    CHECK_IN(high - low, 0, 2e-12);
}

static void pendulum_and_tops_keep_their_energy(void **unused) {
    (void)unused;
    double low, high;
    energy_range("pendulum", NULL, 0, 2, &low, &high);
    CHECK_NEAR(low, 0.5 - 9.81, 1e-14);
    CHECK_NEAR(high, 0.5 - 9.81, 1e-14);
    energy_range("heavy-top", NULL, 0, 1, &low, &high);
    CHECK_IN((high - low) / high, 0, 1e-14);
    CHECK_NEAR(low, 7.5 * 4.61538 * 4.61538 + 0.234375 * (150 * 150.0 + 4.61538 * 4.61538 / 2),
               1e-10);
    energy_range("heavy-top-se3", NULL, 0, 1, &low, &high);
    CHECK_IN((high - low) / high, 0, 1e-14);
}

static void heavy_tops_follow_their_reference(void **unused) {
    static const double q[12] = {0.173343964098,  0.640088592071,  -0.748490791134, 0.229299640804,
                                 0.173343964098,  0.957796191702,  -0.765340742205, 0.640088592071,
                                 0.0673805804569, -0.601394398917, -0.748490791134, 0.279439282384};
    static const double xdot[3] = {0.570825303425, -4.58872829633, -3.79195515471};
    static const double Omega[3] = {-0.822078101683, 150, -5.92329134812};
    static const double lambda[3] = {-517.600739477, -396.843101490, 404.574925163};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        const catalogue_entry *entry = catalogue_find(k ? "heavy-top-se3" : "heavy-top");
        sodae_problem *p = each_create(entry, NULL, 0);
        state s = at_time(p, 1);
        for (int i = 0; i < 12; i++) CHECK_NEAR(s.q[i], q[i], 1e-12);
        for (int i = 0; i < 3; i++) {
            const double *R = s.q + 3 + 3 * i;
            double x = k ? R[0] * s.v[0] + R[1] * s.v[1] + R[2] * s.v[2] : s.v[i];
            CHECK_NEAR(x, xdot[i], 1e-11);
            CHECK_NEAR(s.v[3 + i], Omega[i], 1e-11);
            CHECK_NEAR(s.lambda[i], lambda[i], 1e-9);
        }
        entry->free(p);
    }
}

static void the_catalogue_finds_what_it_lists(void **unused) {
    (void)unused;
    int count = 0;
    for (; catalogue_at(count); count++) {
        const catalogue_entry *e = catalogue_at(count);
        assert_ptr_equal(catalogue_find(e->name), e);
        sodae_problem *p = each_create(e, NULL, 0);
        assert_string_equal(p->name, e->name);
        CHECK_IN(e->step, 1e-6, e->t_end / 10);
        for (int i = 0; i < e->nparameters; i++)
            CHECK_IN(e->parameters[i].value, e->parameters[i].low, e->parameters[i].high);
        e->free(p);
    }
    assert_int_equal(count, 24);
    assert_null(catalogue_at(-1));
    assert_null(catalogue_find("no such problem"));
    assert_null(catalogue_find(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_solutions_satisfy_the_equations),
        cmocka_unit_test(velocities_and_accelerations_are_derivatives),
        cmocka_unit_test(exact_solutions_begin_at_the_initial_values),
        cmocka_unit_test(reference_solutions_do_not_depend_on_the_order_of_questions),
        cmocka_unit_test(reference_end_states_satisfy_the_equations),
        cmocka_unit_test(spring_pendulum_follows_its_reference),
        cmocka_unit_test(rolling_disk_follows_its_reference),
        cmocka_unit_test(the_disk_keeps_its_energy_unless_f4_is_as_printed),
        cmocka_unit_test(pendulum_and_tops_keep_their_energy),
        cmocka_unit_test(heavy_tops_follow_their_reference),
        cmocka_unit_test(the_catalogue_finds_what_it_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
