/* Claims about linearised problems and the index of the catalogue's problems. */
#include <sodae/analysis.h>

#include <string.h>

#include "claims.h"
#include "problems/catalogue.h"

enum { MAX = 40 };

static sodae_problem *make(const catalogue_entry *entry) {
    double parameters[16];
    for (int i = 0; i < entry->nparameters; i++) parameters[i] = entry->parameters[i].value;
    sodae_problem *p = entry->create(parameters);
    assert_non_null(p);
    return p;
}

typedef struct motion {
    double q[MAX], v[MAX], a[MAX], lambda[MAX], psi[MAX], r[MAX], w[MAX], s[MAX];
} motion;

static motion at_time(const sodae_problem *p, double t) {
    motion m = {0};
    sodae_solution out = {.size = sizeof(sodae_solution),
                          .q = m.q,
                          .v = m.v,
                          .a = m.a,
                          .lambda = m.lambda,
                          .psi = m.psi,
                          .r = m.r,
                          .w = m.w,
                          .s = m.s};
    assert_int_equal(p->exact(t, &out, p->user), 0);
    return m;
}

static sodae_point point_of(double t, const motion *m) {
    return (sodae_point){.t = t,
                         .q = m->q,
                         .v = m->v,
                         .a = m->a,
                         .lambda = m->lambda,
                         .psi = m->psi,
                         .r = m->r,
                         .w = m->w,
                         .s = m->s};
}

/* A2 x2 + A1 x1 + A0 x0, and the largest term in it. */
static double residual(const sodae_problem *p, const sodae_point *at, const double *x2,
                       const double *x1, const double *x0, double *size) {
    double A[3][MAX * MAX], worst = 0;
    const double *x[3] = {x2, x1, x0};
    int n = sodae_problem_unknowns(p);
    sodae_failure why;
    assert_int_equal(sodae_problem_linearise(p, at, A[0], A[1], A[2], &why), SODAE_OK);
    *size = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < n; j++) {
                double term = A[k][i + n * j] * x[k][j];
                sum += term;
                *size = fmax(*size, fabs(term));
            }
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

/* x0 = (v, r', w', s', lambda', psi') by differences of the solution, x1, x2 likewise. */
static void shift_in_time(const sodae_problem *p, double t, double h, double *x2, double *x1,
                          double *x0) {
    const double weights[4] = {1, -8, 8, -1}, moves[4] = {-2, -1, 1, 2};
    motion here = at_time(p, t);
    int nv = p->nv;
    memset(x2, 0, MAX * sizeof *x2), memset(x1, 0, MAX * sizeof *x1);
    memset(x0, 0, MAX * sizeof *x0);
    for (int i = 0; i < nv; i++) x0[i] = here.v[i], x1[i] = here.a[i];
    for (int m = 0; m < 4; m++) {
        motion moved = at_time(p, t + moves[m] * h);
        double factor = weights[m] / (12 * h);
        int n = nv;
        for (int i = 0; i < nv; i++) x2[i] += factor * moved.a[i];
        for (int i = 0; i < p->nr; i++) x0[n++] += factor * moved.r[i];
        for (int i = 0; i < p->nlambda; i++) x0[n++] += factor * moved.lambda[i];
        for (int i = 0; i < p->npsi; i++) x0[n++] += factor * moved.psi[i];
    }
}

/* (q(t + e) - q(t))/e solves the linearised equations of an autonomous problem. */
static void a_shift_in_time_solves_the_linearised_equations(void **unused) {
    static const char *const names[] = {"pendulum",  "spring-pendulum", "rolling-disk",
                                        "heavy-top", "heavy-top-se3",   "paraboloid",
                                        "chain",     "rod-chain"};
    (void)unused;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const catalogue_entry *entry = catalogue_find(names[k]);
        sodae_problem *p = make(entry);
        double x2[MAX], x1[MAX], x0[MAX], size, t = 0.3;
        shift_in_time(p, t, 1e-4, x2, x1, x0);
        motion m = at_time(p, t);
        sodae_point at = point_of(t, &m);
        double worst = residual(p, &at, x2, x1, x0, &size);
        if (!(worst <= 1e-7 * size)) fail_msg("%s: %g of %g", names[k], worst, size);
        entry->free(p);
    }
}

/* With r: r'' appears in A1. */
static void a_shift_in_time_solves_the_equations_with_dynamic_states(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("spring-damper");
    sodae_problem *p = make(entry);
    double x2[MAX], x1[MAX], x0[MAX], size, t = 0.3, h = 1e-3;
    shift_in_time(p, t, h, x2, x1, x0);
    motion before = at_time(p, t - h), m = at_time(p, t), after = at_time(p, t + h);
    x1[1] = (before.r[0] - 2 * m.r[0] + after.r[0]) / (h * h);
    sodae_point at = point_of(t, &m);
    CHECK_IN(residual(p, &at, x2, x1, x0, &size), 0, 1e-4);
    CHECK_IN(size, 10, 1e4);
    entry->free(p);
}

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Gravity does not see a turn about the vertical: xi = (e x x, R^T e) with R^T e = -Omega x R^T e
 * in time, and lambda turns too. This is where the brackets of the group enter. */
static void turning_the_top_about_the_vertical_solves_the_linearised_equations(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = make(entry);
    double t = 0.2, x2[MAX] = {0}, x1[MAX] = {0}, x0[MAX] = {0}, e[3] = {0, 0, 1}, term[3], size;
    motion m = at_time(p, t);
    const double *R = m.q + 3, *W = m.v + 3, *Wd = m.a + 3;
    cross(e, m.q, x0), cross(e, m.v, x1), cross(e, m.a, x2);
    for (int i = 0; i < 3; i++) x0[3 + i] = R[6 + i];
    cross(x0 + 3, W, x1 + 3);
    cross(x1 + 3, W, x2 + 3);
    cross(x0 + 3, Wd, term);
    for (int i = 0; i < 3; i++) x2[3 + i] += term[i];
    cross(e, m.lambda, x0 + 6);
    sodae_point at = point_of(t, &m);
    double worst = residual(p, &at, x2, x1, x0, &size);
    CHECK_IN(worst / size, 0, 1e-12);
    entry->free(p);
}

/* Holonomic constraints: 3; the form with velocities has d-index 3, that with all derivatives 4. */
static void every_problem_has_the_index_of_its_constraints(void **unused) {
    (void)unused;
    for (int k = 0; catalogue_at(k); k++) {
        const catalogue_entry *entry = catalogue_at(k);
        sodae_problem *p = make(entry);
        sodae_index_report r;
        assert_int_equal(sodae_problem_analyse(p, NULL, 0, &r, NULL, NULL), SODAE_OK);
        int expected = p->nlambda ? 3 : p->npsi ? 2 : 0;
        assert_int_equal(r.consistent, 1);
        assert_int_equal(r.constraints, p->nlambda + p->npsi);
        assert_int_equal(r.rank, r.constraints);
        assert_true(r.regular && r.solvable);
        assert_int_equal(r.d_index, expected);
        assert_int_equal(r.linear.velocities.d_index, expected);
        /* the rod of the slider crank is too stiff for clear ranks, and the report says so */
        int stiff = strcmp(entry->name, "slider-crank") == 0;
        assert_int_equal(r.linear.all.gap.clear, !stiff);
        if (!stiff) assert_int_equal(r.linear.all.d_index, expected + 1);
        entry->free(p);
    }
}

/* The matrix of (4.3) for all-blocks, on the scale of (7.4). */
static void auxiliary_variables_enter_the_condition(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("all-blocks");
    sodae_problem *p = make(entry);
    sodae_index_report r;
    assert_int_equal(sodae_problem_analyse(p, NULL, 0, &r, NULL, NULL), SODAE_OK);
    /* t = 0: q1 = s = 0, G = (0, 1), v2 = 0, r = 1, w = 0.2, M^-1_22 = 2/2.96, M^-1_12 = -0.2/2.96
     */
    double dw = 1 + 0.3 * 0.04, x1 = 0.5 * 0.2 / dw, x2 = 1 - 0.2 / dw;
    CHECK_NEAR(r.least_solvable, (-0.2 * x1 + 2 * x2) / 2, 1e-12);
    CHECK_NEAR(r.least_regular, 1, 1e-14);
    assert_int_equal(r.linear.mu, 3);
    entry->free(p);
}

static int still(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 0, out[1] = -9.81;
    return 0;
}

/* Friction that takes back the whole reaction. */
static int taken_back(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = at->q[0] * at->lambda[0];
    out[1] = at->q[1] * at->lambda[0] - 9.81;
    return 0;
}

static int circle(const sodae_point *at, double *out, void *user) {
    int count = *(int *)user;
    for (int i = 0; i < count; i++) out[i] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

static void dependent_constraints_and_lost_reactions_are_reported(void **unused) {
    (void)unused;
    const double q[2] = {0, -1}, v[2] = {0.5, 0};
    int count = 2;
    sodae_index_report r;
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "two circles",
                       .nv = 2,
                       .nlambda = 2,
                       .user = &count};
    p.value[SODAE_FORCE].fn = still;
    p.value[SODAE_HOLONOMIC].fn = circle;
    p.initial = (sodae_point){.q = q, .v = v};
    assert_int_equal(sodae_problem_analyse(&p, NULL, 0, &r, NULL, NULL), SODAE_OK);
    assert_int_equal(r.rank, 1);
    assert_int_equal(r.regular, 0);
    assert_int_equal(r.d_index, -1);
    assert_int_equal(r.linear.velocities.d_index, -1);
    count = 1;
    p.nlambda = 1;
    p.value[SODAE_FORCE].fn = taken_back;
    assert_int_equal(sodae_problem_analyse(&p, &p.initial, 0, &r, NULL, NULL), SODAE_OK);
    assert_int_equal(r.regular, 1);
    assert_int_equal(r.solvable, 0);
    assert_int_equal(r.d_index, -1);
    /* what differences leave of f_lambda is no reaction */
    assert_true(r.linear.velocities.d_index < 0 || !r.clear);
}

static void large_problems_are_analysed_as_far_as_dense_matrices_reach(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("chain");
    const double n[3] = {100, 101, 1001};
    for (int k = 0; k < 3; k++) {
        sodae_problem *p = entry->create(n + k);
        sodae_index_report r;
        sodae_failure why;
        if (k == 0) assert_int_equal(sodae_problem_unknowns(p), 300);
        if (k == 2)
            assert_int_equal(sodae_problem_analyse(p, NULL, 0, &r, NULL, &why), SODAE_NOT_ALLOWED);
        if (k == 1) {
            assert_int_equal(sodae_problem_analyse(p, NULL, 0, &r, NULL, &why), SODAE_OK);
            assert_int_equal(r.linear.n, 0);
            assert_int_equal(r.d_index, 3);
        }
        entry->free(p);
    }
}

static void missing_arguments_are_refused(void **unused) {
    (void)unused;
    sodae_index_report r;
    sodae_failure why;
    sodae_problem bad = {.size = sizeof(sodae_problem), .name = "nothing"};
    assert_int_equal(sodae_problem_analyse(NULL, NULL, 0, &r, NULL, &why), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_problem_analyse(&bad, NULL, 0, NULL, NULL, NULL), SODAE_BAD_ARGUMENT);
    assert_int_equal(sodae_problem_analyse(&bad, NULL, 0, &r, NULL, &why), SODAE_BAD_PROBLEM);
    assert_int_equal(sodae_problem_linearise(&bad, NULL, NULL, NULL, NULL, &why),
                     SODAE_BAD_ARGUMENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shift_in_time_solves_the_linearised_equations),
        cmocka_unit_test(a_shift_in_time_solves_the_equations_with_dynamic_states),
        cmocka_unit_test(turning_the_top_about_the_vertical_solves_the_linearised_equations),
        cmocka_unit_test(every_problem_has_the_index_of_its_constraints),
        cmocka_unit_test(auxiliary_variables_enter_the_condition),
        cmocka_unit_test(dependent_constraints_and_lost_reactions_are_reported),
        cmocka_unit_test(large_problems_are_analysed_as_far_as_dense_matrices_reach),
        cmocka_unit_test(missing_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
