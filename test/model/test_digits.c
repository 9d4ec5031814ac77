/* Systems from textbooks as model files, run with several methods: the digits come from the same
 * motions in minimal coordinates or as plain ODEs, by an extrapolated Runge-Kutta method to 1e-14.
 */
#include "claims.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 9 };

static const struct motion {
    const char *name;
    double t, q[LARGEST], v[3];
    int nq, nv;
} motions[] = {
    {"foucault",
     2,
     {-0.20779622691351, 0.121215042758827, -1.98547919694201},
     {1.55655604535787, -1.23173017010292, -0.238104080450336},
     3,
     3},
    {"satellite",
     3,
     {0.242405484812252, -0.793323698528743, -0.558459569069792, -0.0994553600089643,
      0.552275193108443, -0.827708126360084, 0.965063838457553, 0.256182787145646,
      0.054974241894414},
     {0.851862114870043, 0.90110601124773, -0.665268044123462},
     9,
     3},
    {"friction",
     3,
     {-0.649508038655115, -0.760354724929349},
     {-0.909879714207185, 0.777234847382184},
     2,
     2},
    {"fekete", /* published: RADAU5 at 1e-12; the first two points, at rest */
     1000,
     {-0.4070263380333202, 0.3463758772791802, 0.8451942450030429, 0.7752934752521549e-01,
      -0.2628662719972299, 0.9617122871829146},
     {0, 0, 0},
     6,
     3},
};

static sodae_model *load(const char *name) {
    char path[512];
    sodae_model *model;
    sodae_failure why;
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, name);
    if (sodae_model_load(path, NULL, &model, &why)) fail_msg("%s", why.message);
    return model;
}

static sodae *run(const sodae_problem *p, const sodae_options *options, double t) {
    sodae_failure why;
    sodae *s;
    if (sodae_create(&s, p, options, &why) < 0) fail_msg("%s: %s", p->name, why.message);
    sodae_status status = sodae_start(s);
    if (status >= 0) status = sodae_advance(s, t, NULL, NULL);
    if (status < 0) fail_msg("%s: %s", p->name, sodae_last_failure(s)->message);
    return s;
}

static double distance(const double *x, const double *y, int count) {
    double far = 0;
    for (int i = 0; i < count; i++) far = fmax(far, fabs(x[i] - y[i]));
    return far;
}

static void check(sodae_method method, double rtol, double q, double v) {
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++) {
        const struct motion *m = &motions[i];
        sodae_model *model = load(m->name);
        sodae_options options = sodae_default_options();
        options.method = method;
        options.rtol = rtol;
        sodae *s = run(sodae_model_problem(model), &options, m->t);
        const sodae_view *end = sodae_state(s);
        if (!(distance(end->q, m->q, m->nq) <= q && distance(end->v, m->v, m->nv) <= v))
            fail_msg("%s: off by %.1e in q, %.1e in v", m->name, distance(end->q, m->q, m->nq),
                     distance(end->v, m->v, m->nv));
        sodae_free(s);
        sodae_model_free(model);
    }
}

static void radau_meets_ten_digits(void **unused) {
    (void)unused;
    check(SODAE_RADAU_IIA, 1e-9, 1e-10, 1e-8);
}

static void generalized_alpha_meets_its_tolerance(void **unused) {
    (void)unused;
    check(SODAE_GENERALIZED_ALPHA, 1e-5, 5e-5, 2e-4);
}

/* Closed form of v and psi. */
static void chaplygins_sleigh_follows_its_closed_form(void **unused) {
    (void)unused;
    sodae_model *model = load("chaplygin-sleigh");
    const sodae_problem *p = sodae_model_problem(model);
    sodae_options options = sodae_default_options();
    double v[3], psi;
    assert_int_equal(sodae_model_options(model, &options, NULL), SODAE_OK);
    sodae *s = run(p, &options, 4);
    assert_int_equal(
        p->exact(4, &(sodae_solution){.size = sizeof(sodae_solution), .v = v, .psi = &psi},
                 p->user),
        0);
    CHECK_IN(distance(sodae_state(s)->v, v, 3), 1e-12, 1e-8); /* rtol = 1e-8 */
    CHECK_NEAR(sodae_state(s)->psi[0], psi, 1e-7);
    sodae_free(s);
    sodae_model_free(model);
}

static double norm(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* P3, the joint of rods 2 and 3 (IFToMM A04); rotations are stored by rows. */
static double bricards_error(const sodae_view *s) {
    static const double P3[3] = {0.7747178080392464, -0.9798150476556712, -0.19990615895343283};
    const double *x = s->q + 12, *R = s->q + 15;
    double off = 0;
    for (int i = 0; i < 3; i++) off = fmax(off, fabs(x[i] - 0.5 * R[3 * i + 1] - P3[i]));
    return off;
}

/* One constraint follows from the others where they are met, not near it: the rank must not
 * depend on how well that is. Reactions of least size are unique. */
static void bricards_mechanism_moves_with_reactions_of_least_size(void **unused) {
    static const struct {
        sodae_method method;
        double rtol;
    } runs[] = {
        {SODAE_RADAU_IIA, 1e-9},  {SODAE_RADAU_IIA, 1e-6},    {SODAE_RADAU_IIA, 1e-3},
        {SODAE_MSR, 1e-5},        {SODAE_BDF, 1e-5},          {SODAE_MODIFIED_BDF, 1e-5},
        {SODAE_DIRECT_BDF, 1e-5}, {SODAE_EXTENDED_HHT, 1e-3}, {SODAE_GENERALIZED_ALPHA, 1e-4}};
    sodae_model *model = load("bricard");
    double lambda[30];
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        sodae_options o = sodae_default_options();
        o.method = runs[i].method, o.rtol = o.atol = runs[i].rtol;
        sodae *s = run(sodae_model_problem(model), &o, 0.5);
        const sodae_view *end = sodae_state(s);
        assert_int_equal(sodae_started(s)->redundant, 1);
        if (i == 0) memcpy(lambda, end->lambda, sizeof lambda);
        CHECK_IN(bricards_error(end), 1e-14, 3 * o.rtol);
        CHECK_IN(norm(30, end->lambda), 40, 60);
        assert_true(distance(end->lambda, lambda, 30) < 1000 * o.rtol);
        sodae_free(s);
    }
    sodae_model_free(model);
}

/* s, alpha and omega of IFToMM A05 at t = 0.5, by the reduced equations. */
static void the_flyball_governor_meets_ten_digits(void **unused) {
    sodae_model *model = load("flyball");
    sodae_options o = sodae_default_options();
    (void)unused;
    for (int k = 6; k <= 9; k += 3) {
        o.rtol = pow(10, -k);
        sodae *s = run(sodae_model_problem(model), &o, 0.5);
        const sodae_view *end = sodae_state(s);
        CHECK_NEAR(end->q[14], 0.7432494247863293, 0.01 * o.rtol);
        CHECK_NEAR(asin(-end->q[33]), 0.2594913815434067, 0.01 * o.rtol);
        CHECK_NEAR(end->v[5], 5.103415421971394, o.rtol);
        CHECK_IN((double)sodae_counters(s)->steps, 10, k == 6 ? 60 : 200);
        sodae_free(s);
    }
    sodae_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(radau_meets_ten_digits),
        cmocka_unit_test(generalized_alpha_meets_its_tolerance),
        cmocka_unit_test(bricards_mechanism_moves_with_reactions_of_least_size),
        cmocka_unit_test(the_flyball_governor_meets_ten_digits),
        cmocka_unit_test(chaplygins_sleigh_follows_its_closed_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
