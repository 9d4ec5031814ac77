/* Every example that has a twin in C agrees with it to rounding, functions and derivatives alike.
 */
#include "claims.h"
#include "problems/catalogue.h"

#include <dirent.h>
#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 256 };

enum { ROOM = 32, BLOCKS = 8 };

typedef struct state {
    double q[ROOM], v[ROOM], a[ROOM], lambda[ROOM], psi[ROOM], r[ROOM], w[ROOM], s[ROOM];
    sodae_point at;
} state;

/* An example and its twin; parameters other than the defaults of both. */
static const struct twin {
    const char *name, *set;
    int parameter; /* of the twin */
    double value;
} twins[] = {
    {"hht-test", NULL, 0, 0},
    {"spring-pendulum", NULL, 0, 0},
    {"nonholonomic-test", NULL, 0, 0},
    {"rolling-disk", NULL, 0, 0},
    {"rolling-disk-s3", NULL, 0, 0},
    {"soi2-test", NULL, 0, 0},
    {"pendulum", NULL, 0, 0},
    {"pendulum", "x0=-0.1", 0, -0.1},
    {"cubic", NULL, 0, 0},
    {"heavy-top", NULL, 0, 0},
    {"heavy-top-se3", NULL, 0, 0},
    {"circular-track", NULL, 0, 0},
    {"unit-circle", NULL, 0, 0},
    {"unit-circle", "t0=2", 0, 2},
    {"paraboloid", NULL, 0, 0},
    {"spring-damper", NULL, 0, 0},
    {"all-blocks", NULL, 0, 0},
    {"truck", NULL, 0, 0},
    {"truck", "pneumatic=0", 0, 0},
    {"truck11", NULL, 0, 0},
    {"car-axis", NULL, 0, 0},
    {"andrews", NULL, 0, 0},
    {"slider-crank", NULL, 0, 0},
    {"slider-crank", "published=1", 0, 1},
    {"slider-crank", "nonlinear=1", 1, 1},
    {"pendulum-a01", NULL, 0, 0},
    {"four-bar", NULL, 0, 0},
    {"four-bar", "n=1", 0, 1},
    {"chain", NULL, 0, 0},
    {"chain", "N=3", 0, 3},
    {"rod-chain", NULL, 0, 0},
    {"rod-chain", "n=1", 0, 1},
};
enum { TWINS = sizeof twins / sizeof *twins };

static sodae_model *load(const char *name, const char *set) {
    const char *overrides[] = {set, NULL};
    char path[512];
    sodae_model *model;
    sodae_failure why;
    snprintf(path, sizeof path, "%s/%s.yaml", EXAMPLES, name);
    if (sodae_model_load(path, overrides, &model, &why)) fail_msg("%s", why.message);
    return model;
}

static sodae_problem *make_twin(const struct twin *twin, const catalogue_entry **entry) {
    double parameters[32];
    *entry = catalogue_find(twin->name);
    assert_non_null(*entry);
    for (int k = 0; k < (*entry)->nparameters; k++) parameters[k] = (*entry)->parameters[k].value;
    if (twin->set) parameters[twin->parameter] = twin->value;
    return (*entry)->create(parameters);
}

/* A point near the initial state, off every special value. Steps of a metre or a radian are far for
 * a truck: its springs must not turn inside out. */
static void disturb(const sodae_problem *p, int seed, double far, state *s) {
    double w[ROOM];
    int nq = p->space ? p->space->nq : p->nv;
    *s = (state){.at = {.t = p->initial.t + 0.1 * seed}};
    for (int i = 0; i < ROOM; i++) {
        w[i] = 0.3 * far * seed * sin(1.0 + 2.3 * i + seed);
        s->v[i] = i < p->nv ? p->initial.v[i] + 0.2 * seed * cos(0.7 * i + seed) : 0;
        s->a[i] = cos(1.9 * i + seed);
        s->lambda[i] = 1.1 + sin(3.1 * i + seed);
        s->psi[i] = 0.9 + cos(2.7 * i + seed);
        s->r[i] = 0.4 + sin(0.3 * i + seed);
        s->w[i] = 0.1 - cos(0.4 * i + seed);
        s->s[i] = 0.2 * sin(0.5 * i + seed);
    }
    memcpy(s->q, p->initial.q, (size_t)nq * sizeof *s->q);
    if (p->space)
        sodae_space_retract(p->space, s->q, w, s->q);
    else
        for (int i = 0; i < p->nv; i++) s->q[i] += w[i];
    s->at.q = s->q, s->at.v = s->v, s->at.a = s->a, s->at.lambda = s->lambda, s->at.psi = s->psi;
    s->at.r = s->r, s->at.w = s->w, s->at.s = s->s;
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
        if (!(fabs(x[i] - y[i]) <= 8e-15 * size))
            fail_msg("%s: %s, entry %d: %.17g, the twin has %.17g, off by %.1e of %.1e", twin->name,
                     what, i, x[i], y[i], x[i] - y[i], size);
    return 1;
}

/* With contact coordinates these need h_s^-1 and are the library's work. */
static int by_library(const sodae_problem *p, int f) {
    return p->ns &&
           (f == SODAE_HOLONOMIC_RATE || f == SODAE_HOLONOMIC_DRIFT || f == SODAE_REACTION);
}

static int compare_all(const sodae_problem *p, const sodae_problem *twin, const sodae_point *at) {
    int count = 0;
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        sodae_function function = (sodae_function)f;
        int rows = f == SODAE_MASS ? p->nv : sodae_function_rows(twin, function);
        int columns = f == SODAE_MASS ? p->nv : 1;
        if (by_library(p, f)) continue;
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

static void check_block(const char *name, const char *what, const double *x, const double *y,
                        int count, double tolerance) {
    for (int i = 0; x && y && i < count; i++)
        if (!(fabs(x[i] - y[i]) <= tolerance * (1 + fabs(y[i]))))
            fail_msg("%s: %s[%d] is %.17g, the twin has %.17g", name, what, i, x[i], y[i]);
}

static void check_sizes(const sodae_problem *p, const sodae_problem *twin) {
    const int sizes[2][6] = {{p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns},
                             {twin->nv, twin->nlambda, twin->npsi, twin->nr, twin->nw, twin->ns}};
    for (int i = 0; i < 6; i++) assert_int_equal(sizes[0][i], sizes[1][i]);
    assert_int_equal(p->in_force, twin->in_force);
    assert_int_equal(p->constant_mass, twin->constant_mass);
    const sodae_point *x = &p->initial, *y = &twin->initial;
    int nq = p->space ? p->space->nq : p->nv;
    CHECK_NEAR(x->t, y->t, 0);
    check_block(p->name, "initial q", x->q, y->q, nq, 1e-15);
    check_block(p->name, "initial v", x->v, y->v, p->nv, 1e-15);
    check_block(p->name, "initial r", x->r, y->r, p->nr, 1e-15);
    check_block(p->name, "initial w", x->w, y->w, p->nw, 1e-15);
    check_block(p->name, "initial s", x->s, y->s, p->ns, 1e-15);
}

static void check_exact(const sodae_problem *p, const sodae_problem *twin) {
    const int sizes[BLOCKS] = {p->nv, p->nv, p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    double x[BLOCKS][ROOM], y[BLOCKS][ROOM], *mine[BLOCKS], *its[BLOCKS];
    if (!p->exact) return;
    for (int k = 0; k < BLOCKS; k++) {
        mine[k] = sizes[k] ? x[k] : NULL;
        its[k] = sizes[k] ? y[k] : NULL;
    }
    sodae_solution a = {sizeof(sodae_solution),
                        mine[0],
                        mine[1],
                        mine[2],
                        mine[3],
                        mine[4],
                        mine[5],
                        mine[6],
                        mine[7],
                        NULL,
                        0};
    sodae_solution b = {sizeof(sodae_solution),
                        its[0],
                        its[1],
                        its[2],
                        its[3],
                        its[4],
                        its[5],
                        its[6],
                        its[7],
                        NULL,
                        0};
    assert_int_equal(p->exact(0.7, &a, p->user), 0);
    assert_int_equal(twin->exact(0.7, &b, twin->user), 0);
    for (int k = 0; k < BLOCKS; k++)
        check_block(p->name, "exact", mine[k], its[k], sizes[k], 1e-14);
}

static void models_agree_with_their_twins_in_c(void **unused) {
    (void)unused;
    for (int i = 0; i < TWINS; i++) {
        const catalogue_entry *entry;
        sodae_problem *twin = make_twin(&twins[i], &entry);
        sodae_model *model = load(twins[i].name, twins[i].set);
        const sodae_problem *p = sodae_model_problem(model);
        double far = strncmp(twins[i].name, "truck", 5) ? 1 : 0.01;
        check_sizes(p, twin);
        check_exact(p, twin);
        for (int seed = 0; seed < 4; seed++) {
            state s;
            disturb(p, seed, far, &s);
            CHECK_IN(compare_all(p, twin, &s.at), 8, 60);
        }
        sodae_model_free(model);
        entry->free(twin);
    }
}

static void every_problem_of_the_catalogue_has_a_model_file(void **unused) {
    (void)unused;
    for (int i = 0; catalogue_at(i); i++) {
        int met = 0;
        for (int k = 0; k < TWINS; k++) met |= !strcmp(twins[k].name, catalogue_at(i)->name);
        if (!met) fail_msg("%s has no twin", catalogue_at(i)->name);
    }
}

typedef struct endpoint {
    double q[ROOM], v[ROOM], lambda[ROOM], psi[ROOM], r[ROOM];
} endpoint;

/* Twenty steps with the settings of the file. */
static void run(const sodae_model *model, const sodae_problem *p, endpoint *end) {
    sodae_options options = sodae_default_options();
    sodae_failure why;
    sodae *s;
    assert_int_equal(sodae_model_options(model, &options, &why), SODAE_OK);
    if (sodae_create(&s, p, &options, &why) < 0) fail_msg("%s: %s", p->name, why.message);
    sodae_status status = sodae_start(s);
    if (status >= 0) status = sodae_advance(s, p->initial.t + 20 * options.step, NULL, NULL);
    if (status < 0) fail_msg("%s: %s", p->name, sodae_last_failure(s)->message);
    const sodae_view *view = sodae_state(s);
    memcpy(end->q, view->q, (size_t)view->nq * sizeof(double));
    memcpy(end->v, view->v, (size_t)view->nv * sizeof(double));
    if (view->nlambda) memcpy(end->lambda, view->lambda, (size_t)view->nlambda * sizeof(double));
    if (view->npsi) memcpy(end->psi, view->psi, (size_t)view->npsi * sizeof(double));
    if (view->nr) memcpy(end->r, view->r, (size_t)view->nr * sizeof(double));
    sodae_free(s);
}

static double largest(const double *x, int count) {
    double size = 1;
    for (int i = 0; i < count; i++) size = fmax(size, fabs(x[i]));
    return size;
}

static void check_run(const sodae_problem *p, const endpoint *x, const endpoint *y) {
    int nq = p->space ? p->space->nq : p->nv;
    check_block(p->name, "q", x->q, y->q, nq, 1e-12);
    check_block(p->name, "v", x->v, y->v, p->nv, 1e-11 * largest(y->v, p->nv));
    check_block(p->name, "lambda", x->lambda, y->lambda, p->nlambda,
                1e-8 * largest(y->lambda, p->nlambda));
    check_block(p->name, "psi", x->psi, y->psi, p->npsi, 1e-8 * largest(y->psi, p->npsi));
    check_block(p->name, "r", x->r, y->r, p->nr, 1e-12);
}

static void runs_of_models_agree_with_those_of_their_twins(void **unused) {
    (void)unused;
    for (int i = 0; i < TWINS; i++) {
        const catalogue_entry *entry;
        sodae_problem *twin = make_twin(&twins[i], &entry);
        sodae_model *model = load(twins[i].name, twins[i].set);
        endpoint mine = {0}, its = {0};
        run(model, sodae_model_problem(model), &mine);
        run(model, twin, &its);
        check_run(twin, &mine, &its);
        sodae_model_free(model);
        entry->free(twin);
    }
}

/* Whatever is in the folder. */
static void all_derivatives_of_all_examples_pass_the_check(void **unused) {
    (void)unused;
    DIR *folder = opendir(EXAMPLES);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char name[128];
        char *dot = strchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml")) continue;
        snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        sodae_model *model = load(name, NULL);
        sodae_failure why;
        sodae_options options = sodae_default_options();
        if (sodae_problem_check(sodae_model_problem(model), &why)) fail_msg("%s", why.message);
        if (sodae_check_derivatives(sodae_model_problem(model), NULL, 0, &why))
            fail_msg("%s: %s", name, why.message);
        assert_int_equal(sodae_model_options(model, &options, &why), SODAE_OK);
        if (!isnan(options.step)) CHECK_IN(options.step, 1e-6, 0.2);
        CHECK_IN(sodae_model_t_end(model), 0.01, 1000);
        sodae_model_free(model);
        count++;
    }
    closedir(folder);
    CHECK_IN(count, 31, 100);
}

/* Published accelerations and multipliers at the start: M a + G^T lambda = f, G a = 0. */
static void andrews_mechanism_starts_with_the_published_accelerations(void **unused) {
    (void)unused;
    static const double a[7] = {14222.4439199541, -10666.8329399656},
                        lambda[6] = {98.5668703962411, -6.12268834425566};
    sodae_model *model = load("andrews", NULL);
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
        cmocka_unit_test(every_problem_of_the_catalogue_has_a_model_file),
        cmocka_unit_test(runs_of_models_agree_with_those_of_their_twins),
        cmocka_unit_test(all_derivatives_of_all_examples_pass_the_check),
        cmocka_unit_test(andrews_mechanism_starts_with_the_published_accelerations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
