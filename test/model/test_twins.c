/* Every example that has a twin in C agrees with it to rounding, functions and derivatives alike.
 */
#include "claims.h"
#include "problems/catalogue.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 256 };

typedef struct state {
    double q[16], v[8], a[8], lambda[8], psi[8];
    sodae_point at;
} state;

static sodae_model *load(const char *name) {
    char path[512];
    sodae_model *model;
    sodae_failure why;
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, name);
    if (sodae_model_load(path, NULL, &model, &why)) fail_msg("%s", why.message);
    return model;
}

/* A point near the initial state, off every special value. */
static void disturb(const sodae_problem *p, int seed, state *s) {
    double w[8];
    int nq = p->space ? p->space->nq : p->nv;
    *s = (state){.at = {.t = p->initial.t + 0.1 * seed}};
    for (int i = 0; i < 8; i++) {
        w[i] = 0.3 * seed * sin(1.0 + 2.3 * i + seed);
        s->v[i] = i < p->nv ? p->initial.v[i] + 0.2 * seed * cos(0.7 * i + seed) : 0;
        s->a[i] = cos(1.9 * i + seed);
        s->lambda[i] = 1.1 + sin(3.1 * i + seed);
        s->psi[i] = 0.9 + cos(2.7 * i + seed);
    }
    memcpy(s->q, p->initial.q, (size_t)nq * sizeof *s->q);
    if (p->space)
        sodae_space_retract(p->space, s->q, w, s->q);
    else
        for (int i = 0; i < p->nv; i++) s->q[i] += w[i];
    s->at.q = s->q, s->at.v = s->v, s->at.a = s->a, s->at.lambda = s->lambda, s->at.psi = s->psi;
}

static void full(const sodae_problem *p, const sodae_term *term, int rows, int columns,
                 const sodae_point *at, double *out) {
    double x[LARGEST];
    assert_true(rows * columns <= LARGEST);
    assert_int_equal(term->fn(at, x, p->user), 0);
    memset(out, 0, LARGEST * sizeof *out);
    if (!term->pattern.colptr) {
        memcpy(out, x, (size_t)(rows * columns) * sizeof *out);
        return;
    }
    for (int j = 0; j < columns; j++)
        for (int e = term->pattern.colptr[j]; e < term->pattern.colptr[j + 1]; e++)
            out[term->pattern.rowind[e] + rows * j] = x[e];
}

static int compare(const sodae_problem *p, const sodae_term *term, const sodae_problem *twin,
                   const sodae_term *twin_term, int rows, int columns, const sodae_point *at,
                   const char *what) {
    double x[LARGEST], y[LARGEST], size = 1;
    for (int i = 0; i < p->nv; i++) size = fmax(size, at->v[i] * at->v[i]); /* terms that cancel */
    if (!twin_term->fn || rows * columns == 0) return 0;
    if (!term->fn) fail_msg("%s: the model does not give %s", twin->name, what);
    full(p, term, rows, columns, at, x);
    full(twin, twin_term, rows, columns, at, y);
    for (int i = 0; i < rows * columns; i++) size = fmax(size, fabs(y[i]));
    for (int i = 0; i < rows * columns; i++)
        if (!(fabs(x[i] - y[i]) <= 4e-15 * size))
            fail_msg("%s: %s, entry %d: %.17g, the twin has %.17g", twin->name, what, i, x[i],
                     y[i]);
    return 1;
}

static int compare_all(const sodae_problem *p, const sodae_problem *twin, const sodae_point *at) {
    int count = 0;
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        sodae_function function = (sodae_function)f;
        int rows = f == SODAE_MASS ? p->nv : sodae_function_rows(twin, function);
        int columns = f == SODAE_MASS ? p->nv : 1;
        if (f != SODAE_MASS || p->value[f].fn)
            count += compare(p, &p->value[f], twin, &twin->value[f], rows, columns, at,
                             sodae_function_name(function));
        for (int x = 0; x < SODAE_VARIABLES; x++) {
            char what[64];
            snprintf(what, sizeof what, "d %s / d %s", sodae_function_name(function),
                     sodae_variable_name((sodae_variable)x));
            count += compare(p, &p->derivative[f][x], twin, &twin->derivative[f][x], rows,
                             sodae_variable_columns(p, (sodae_variable)x), at, what);
        }
    }
    return count;
}

static void check_sizes(const sodae_problem *p, const sodae_problem *twin) {
    assert_int_equal(p->nv, twin->nv);
    assert_int_equal(p->nlambda, twin->nlambda);
    assert_int_equal(p->npsi, twin->npsi);
    assert_int_equal(p->in_force, twin->in_force);
    assert_int_equal(p->constant_mass, twin->constant_mass);
    int nq = p->space ? p->space->nq : p->nv;
    CHECK_NEAR(p->initial.t, twin->initial.t, 0);
    for (int i = 0; i < nq; i++) CHECK_NEAR(p->initial.q[i], twin->initial.q[i], 1e-15);
    for (int i = 0; i < p->nv; i++) CHECK_NEAR(p->initial.v[i], twin->initial.v[i], 1e-14);
}

static void check_exact(const sodae_problem *p, const sodae_problem *twin) {
    double x[5][8], y[5][8];
    sodae_solution mine = {x[0], x[1], x[2], x[3], x[4], NULL, NULL, NULL};
    sodae_solution its = {y[0], y[1], y[2], y[3], y[4], NULL, NULL, NULL};
    if (!p->exact) return;
    int sizes[5] = {p->nv, p->nv, p->nv, p->nlambda, p->npsi};
    for (int k = 0; k < 5; k++)
        if (!sizes[k]) ((double **)&mine)[k] = ((double **)&its)[k] = NULL;
    assert_int_equal(p->exact(0.7, &mine, p->user), 0);
    assert_int_equal(twin->exact(0.7, &its, twin->user), 0);
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < sizes[k]; i++) CHECK_NEAR(x[k][i], y[k][i], 1e-14);
}

static void models_agree_with_their_twins_in_c(void **unused) {
    static const char *const names[] = {"hht-test",     "spring-pendulum", "nonholonomic-test",
                                        "rolling-disk", "soi2-test",       "pendulum",
                                        "cubic",        "heavy-top",       "heavy-top-se3"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const catalogue_entry *entry = catalogue_find(names[i]);
        double parameters[32];
        assert_non_null(entry);
        for (int k = 0; k < entry->nparameters; k++) parameters[k] = entry->parameters[k].value;
        sodae_problem *twin = entry->create(parameters);
        sodae_model *model = load(names[i]);
        const sodae_problem *p = sodae_model_problem(model);
        check_sizes(p, twin);
        check_exact(p, twin);
        for (int seed = 0; seed < 4; seed++) {
            state s;
            disturb(p, seed, &s);
            CHECK_IN(compare_all(p, twin, &s.at), 8, 60);
        }
        sodae_model_free(model);
        entry->free(twin);
    }
}

static void all_derivatives_of_all_examples_pass_the_check(void **unused) {
    static const char *const names[] = {"hht-test",     "spring-pendulum", "nonholonomic-test",
                                        "rolling-disk", "soi2-test",       "pendulum",
                                        "cubic",        "heavy-top",       "heavy-top-se3",
                                        "andrews",      "chain",           "pendulum-links"};
    (void)unused;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sodae_model *model = load(names[i]);
        sodae_failure why;
        sodae_options options = sodae_default_options();
        if (sodae_problem_check(sodae_model_problem(model), &why)) fail_msg("%s", why.message);
        if (sodae_check_derivatives(sodae_model_problem(model), NULL, 0, &why))
            fail_msg("%s: %s", names[i], why.message);
        assert_int_equal(sodae_model_options(model, &options, &why), SODAE_OK);
        CHECK_IN(options.step, 1e-6, 0.2);
        CHECK_IN(sodae_model_t_end(model), 0.01, 20);
        sodae_model_free(model);
    }
}

/* Published accelerations and multipliers at the start: M a + G^T lambda = f, G a = 0. */
static void andrews_mechanism_starts_with_the_published_accelerations(void **unused) {
    (void)unused;
    static const double a[7] = {14222.4439199541, -10666.8329399656},
                        lambda[6] = {98.5668703962411, -6.12268834425566};
    sodae_model *model = load("andrews");
    const sodae_problem *p = sodae_model_problem(model);
    sodae_point at = p->initial;
    double M[LARGEST], f[7], r[7], G[LARGEST], energy;
    at.lambda = lambda;
    full(p, &p->value[SODAE_MASS], 7, 7, &at, M);
    full(p, &p->derivative[SODAE_HOLONOMIC][SODAE_Q], 6, 7, &at, G);
    p->value[SODAE_FORCE].fn(&at, f, p->user);
    p->value[SODAE_REACTION].fn(&at, r, p->user);
    p->value[SODAE_ENERGY].fn(&at, &energy, p->user);
    for (int i = 0; i < 7; i++) {
        double sum = r[i] - f[i];
        for (int j = 0; j < 7; j++) sum += M[i + 7 * j] * a[j];
        CHECK_NEAR(sum, 0, 1e-12);
    }
    for (int i = 0; i < 6; i++) {
        double sum = 0;
        for (int j = 0; j < 7; j++) sum += G[i + 6 * j] * a[j];
        CHECK_NEAR(sum, 0, 1e-9);
    }
    CHECK_NEAR(energy, 1.43783295753214, 2e-14);
    sodae_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_agree_with_their_twins_in_c),
        cmocka_unit_test(all_derivatives_of_all_examples_pass_the_check),
        cmocka_unit_test(andrews_mechanism_starts_with_the_published_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
