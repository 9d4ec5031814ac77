#include "each.h"

#include <string.h>

#include "claims.h"

sodae_problem *each_create(const catalogue_entry *entry, const char *name, double value) {
    double parameters[16];
    int found = name == NULL;
    for (int i = 0; i < entry->nparameters; i++) {
        const catalogue_parameter *p = &entry->parameters[i];
        parameters[i] = p->value;
        if (name && strcmp(p->name, name) == 0) parameters[i] = value, found = 1;
    }
    assert_true(found);
    return entry->create(parameters);
}

static void run(void (*check)(const each_case *), const catalogue_entry *entry, const char *name,
                double value) {
    each_case c = {.entry = entry, .problem = each_create(entry, name, value)};
    assert_non_null(c.problem);
    const sodae_group *rn = &sodae_rn;
    sodae_space *own = NULL;
    assert_int_equal(sodae_space_create(&rn, &c.problem->nv, 1, &own), SODAE_OK);
    c.space = c.problem->space ? (sodae_space *)c.problem->space : own;
    check(&c);
    sodae_space_free(own);
    entry->free(c.problem);
}

void each_problem(void (*check)(const each_case *)) {
    static const struct {
        const char *problem, *parameter;
        double value;
    } others[] = {{"hht-test", "velocity_level", 1},
                  {"spring-pendulum", "velocity_level", 1},
                  {"rolling-disk", "sign", -1},
                  {"rolling-disk", "printed_f4", 1},
                  {"rolling-disk", "r", 0.7},
                  {"pendulum", "direction", -1},
                  {"pendulum", "x0", 0},
                  {"cubic", "t0", 0.4},
                  {"heavy-top", "mass", 9},
                  {"truck", "pneumatic", 0},
                  {"slider-crank", "nonlinear", 1},
                  {"four-bar", "n", 1},
                  {"four-bar", "n", 4},
                  {"chain", "n", 1},
                  {"chain", "n", 16},
                  {"rod-chain", "n", 1},
                  {"rod-chain", "n", 10},
                  {"circular-track", "t0", 0.3},
                  {"heavy-top-se3", "omega3", 2}};
    for (int i = 0; catalogue_at(i); i++) run(check, catalogue_at(i), NULL, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        run(check, catalogue_find(others[i].problem), others[i].parameter, others[i].value);
}

int each_known(const each_case *c) {
    const sodae_problem *p = c->problem;
    double t = p->initial.t + 0.123456 * (c->entry->t_end - p->initial.t);
    return p->exact &&
           p->exact(t, &(sodae_solution){.size = sizeof(sodae_solution), .q = NULL}, p->user) == 0;
}

/* Compressed columns spread over a full matrix. */
static void spread(const sodae_pattern *pattern, int rows, int columns, const double *values,
                   double *full) {
    for (int i = 0; i < rows * columns; i++) full[i] = pattern->colptr ? 0 : values[i];
    for (int j = 0; pattern->colptr && j < columns; j++)
        for (int k = pattern->colptr[j]; k < pattern->colptr[j + 1]; k++)
            full[pattern->rowind[k] + rows * j] = values[k];
}

int each_derivative(const sodae_problem *p, sodae_function f, sodae_variable x,
                    const sodae_point *at, double *out) {
    double values[EACH_MAX * EACH_MAX];
    memset(values, 0x7f, sizeof values);
    int code = p->derivative[f][x].fn(at, values, p->user);
    spread(&p->derivative[f][x].pattern, sodae_function_rows(p, f), sodae_variable_columns(p, x),
           values, out);
    return code;
}

int each_value(const sodae_problem *p, sodae_function f, const sodae_point *at, double *out) {
    if (f != SODAE_MASS) return p->value[f].fn(at, out, p->user);
    double M[EACH_MAX * EACH_MAX] = {0}, values[EACH_MAX * EACH_MAX];
    for (int i = 0; i < p->nv; i++) M[i * (p->nv + 1)] = 1;
    if (p->value[f].fn) {
        if (p->value[f].fn(at, values, p->user)) return 1;
        spread(&p->value[f].pattern, p->nv, p->nv, values, M);
    }
    for (int i = 0; i < p->nv; i++) {
        out[i] = 0;
        for (int j = 0; j < p->nv; j++) out[i] += M[i + p->nv * j] * at->a[j];
    }
    return 0;
}

double each_noise(unsigned long long *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(long long)*state / 0x1p63;
}
