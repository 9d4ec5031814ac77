/* sodae analyse TARGET: index and strangeness of the equations (paper 004, chapters 3, 4 and 7). */
#include "cli/analyse.h"
#include "cli/commands.h"
#include "cli/job.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The quantities of (3.2) by name. */
typedef struct quantity {
    const char *name;
    int value;
} quantity;

enum { SECOND = 10, FIRST = 6 };
/* The matrices of larger problems are not written. */
enum { MOST_TEXT = 8, MOST_JSON = 50 };

static void second_order(const sodae_second_order_quantities *q, quantity out[SECOND]) {
    const quantity list[SECOND] = {
        {"r", q->r},     {"a", q->a},   {"s012", q->s012}, {"s12", q->s12}, {"s02", q->s02},
        {"s01", q->s01}, {"d2", q->d2}, {"d1", q->d1},     {"u", q->u},     {"v", q->v}};
    for (int i = 0; i < SECOND; i++) out[i] = list[i];
}

static void first_order(const sodae_first_order_quantities *q, quantity out[FIRST]) {
    const quantity list[FIRST] = {{"r", q->r}, {"a", q->a}, {"s", q->s},
                                  {"d", q->d}, {"u", q->u}, {"v", q->v}};
    for (int i = 0; i < FIRST; i++) out[i] = list[i];
}

static json_t *quantities_json(const quantity *q, int count) {
    json_t *object = json_object();
    for (int i = 0; i < count; i++)
        json_object_set_new(object, q[i].name, json_integer(q[i].value));
    return object;
}

static json_t *index_or_null(int index) {
    return index < 0 ? json_null() : json_integer(index);
}

static void add_gap(json_t *object, const sodae_rank_gap *gap) {
    json_object_set_new(object, "smallest_kept", cli_json_real(gap->smallest_kept));
    json_object_set_new(object, "largest_dropped", cli_json_real(gap->largest_dropped));
    json_object_set_new(object, "clear", json_boolean(gap->clear));
}

static json_t *first_json(const sodae_first_order_report *r) {
    json_t *object = json_object();
    quantity initial[FIRST], final[FIRST];
    first_order(&r->initial, initial);
    first_order(&r->final, final);
    json_object_set_new(object, "size", json_integer(r->size));
    json_object_set_new(object, "mu", json_integer(r->mu));
    json_object_set_new(object, "d_index", index_or_null(r->d_index));
    json_object_set_new(object, "initial", quantities_json(initial, FIRST));
    json_object_set_new(object, "final", quantities_json(final, FIRST));
    add_gap(object, &r->gap);
    return object;
}

static json_t *form_json(const sodae_linear_form *form) {
    int n = form->n;
    if (n == 0) return json_null();
    json_t *object = json_object(), *F = json_array();
    json_object_set_new(object, "A2", cli_json_matrix(form->A2, n));
    json_object_set_new(object, "A1", cli_json_matrix(form->A1, n));
    json_object_set_new(object, "A0", cli_json_matrix(form->A0, n));
    for (int k = 0; k <= form->derivatives; k++)
        json_array_append_new(F, cli_json_matrix(form->F + k * n * n, n));
    json_object_set_new(object, "F", F);
    return object;
}

static json_t *linear_json(const sodae_linear_report *r, const sodae_linear_form *form) {
    json_t *object = json_object();
    quantity initial[SECOND], final[SECOND];
    second_order(&r->initial, initial);
    second_order(&r->final, final);
    json_object_set_new(object, "size", json_integer(r->n));
    json_object_set_new(object, "mu", json_integer(r->mu));
    json_object_set_new(object, "initial", quantities_json(initial, SECOND));
    json_object_set_new(object, "final", quantities_json(final, SECOND));
    json_object_set_new(object, "strangeness_free", form_json(form));
    json_object_set_new(object, "first_order_all", first_json(&r->all));
    json_object_set_new(object, "first_order_velocities", first_json(&r->velocities));
    json_object_set_new(object, "tolerance", cli_json_real(r->tolerance));
    json_object_set_new(object, "agree", json_boolean(r->agree));
    add_gap(object, &r->gap);
    return object;
}

/* Where the index comes from; the derivative array wins over a frozen pencil. */
static const char *source_of(const sodae_index_report *r, const cli_along *along) {
    static const char *const sources[] = {NULL, "conditions", "linearised"};
    int frozen = r->source != SODAE_INDEX_BY_CONDITIONS && !along->constant;
    return frozen && along->known ? "derivative array" : sources[r->source];
}

/* A pencil frozen at one t decides nothing unless its coefficients are constant. */
static void decide(sodae_index_report *r, const cli_along *along) {
    if (along->known && (along->constant || along->form_of)) return;
    int index = cli_along_index(along), frozen = r->source != SODAE_INDEX_BY_CONDITIONS;
    if (!along->known) {
        if (!frozen || !r->clear) return;
        r->clear = 0;
        snprintf(r->doubt, sizeof r->doubt, "the coefficients are frozen at t = %g", r->t);
        return;
    }
    if (along->linear) r->linear.n = 0; /* the frozen pencil of moving coefficients misleads */
    if (!frozen && index == r->d_index) return;
    r->clear = index >= 0;
    if (frozen) r->d_index = index;
    snprintf(r->doubt, sizeof r->doubt, "%s",
             index < 0 ? "the derivative array below has no single d-index"
             : frozen  ? ""
                       : "the derivative array below has another d-index");
    if (!frozen) r->clear = 0;
}

static json_t *as_json(const char *name, const sodae_index_report *r, const sodae_linear_form *form,
                       const cli_along *along) {
    const char *source = source_of(r, along);
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string("OK"));
    json_object_set_new(object, "problem", json_string(name));
    json_object_set_new(object, "t", cli_json_real(r->t));
    json_object_set_new(object, "consistent", json_boolean(r->consistent));
    json_object_set_new(object, "d_index", index_or_null(r->d_index));
    json_object_set_new(object, "d_index_by",
                        source && r->d_index >= 0 ? json_string(source) : json_null());
    json_object_set_new(object, "d_index_clear", json_boolean(r->clear));
    json_object_set_new(object, "doubt", r->clear ? json_null() : json_string(r->doubt));
    json_object_set_new(object, "constraints", json_integer(r->constraints));
    json_object_set_new(object, "rank", json_integer(r->rank));
    json_object_set_new(object, "mass_regular", json_boolean(r->mass_regular));
    json_object_set_new(object, "condition_7_4", json_boolean(r->regular));
    json_object_set_new(object, "condition_4_3", json_boolean(r->solvable));
    json_object_set_new(object, "smallest_7_4", cli_json_real(r->least_regular));
    json_object_set_new(object, "smallest_4_3", cli_json_real(r->least_solvable));
    add_gap(object, &r->gap);
    json_object_set_new(object, "linear",
                        r->linear.n ? linear_json(&r->linear, form) : json_null());
    json_object_set_new(object, "along", cli_along_json(along));
    return object;
}

static void print_quantities(const char *title, const quantity *q, int count) {
    printf("    %-18s", title);
    for (int i = 0; i < count; i++)
        printf(" %s %d%s", q[i].name, q[i].value, i + 1 < count ? "," : "\n");
}

static void print_gap(const sodae_rank_gap *gap) {
    printf("    %-18s smallest value kept %.1e, largest dropped %.1e%s\n", "ranks",
           gap->smallest_kept, gap->largest_dropped,
           gap->clear ? "" : ": NOT CLEAR, the index may be wrong");
}

static void print_index(const char *text, int index) {
    if (index >= 0)
        printf("%s %d\n", text, index);
    else
        printf("%s not defined: solutions are not unique or do not exist\n", text);
}

static void print_first(const char *title, const sodae_first_order_report *r) {
    quantity initial[FIRST];
    first_order(&r->initial, initial);
    printf("  %s, %d equations: mu = %d,", title, r->size, r->mu);
    print_index(" d-index", r->d_index);
    print_quantities("quantities", initial, FIRST);
    print_gap(&r->gap);
}

static void print_matrix(const char *name, int n, const double *A) {
    int zero = 1;
    for (int i = 0; i < n * n; i++) zero &= A[i] == 0;
    for (int i = 0; i < (zero ? 1 : n); i++) {
        printf("    %-18s", i ? "" : name);
        for (int j = 0; j < (zero ? 1 : n); j++) printf(" %10.4g", A[i + n * j]);
        printf("\n");
    }
}

static void print_form(int n, const sodae_linear_form *form) {
    if (n > MOST_TEXT) {
        printf("    its matrices are written by --json (up to %d equations)\n", MOST_JSON);
        return;
    }
    printf("    A2 x'' + A1 x' + A0 x = F0 f + F1 f' + .., x = (q, r, w, s, lambda, psi), rows of "
           "size 1:\n");
    print_matrix("A2", n, form->A2);
    print_matrix("A1", n, form->A1);
    print_matrix("A0", n, form->A0);
    for (int k = 0; k <= form->derivatives; k++) {
        char name[16];
        snprintf(name, sizeof name, "F%d", k);
        print_matrix(name, n, form->F + k * n * n);
    }
}

static void print_linear(const sodae_linear_report *r, const sodae_linear_form *form) {
    quantity initial[SECOND], final[SECOND];
    second_order(&r->initial, initial);
    second_order(&r->final, final);
    printf("\nlinearised, A2 x'' + A1 x' + A0 x = f, coefficients frozen\n");
    printf("  second order, %d equations: strangeness index mu = %d\n", r->n, r->mu);
    print_quantities("quantities (3.2)", initial, SECOND);
    print_gap(&r->gap);
    print_quantities("strangeness-free", final, SECOND);
    print_form(r->n, form);
    print_first("first order, x' where x'' appears", &r->velocities);
    print_first("first order, x' for all of x", &r->all);
    if (!r->agree) printf("  NOT CLEAR: the three forms contradict each other\n");
    printf("  ranks by singular values after scaling, tolerance %.1e\n", r->tolerance);
}

static void print_conditions(const sodae_index_report *r) {
    if (r->constraints) printf("  rank %d of %d constraints\n", r->rank, r->constraints);
    if (!r->mass_regular) printf("  M is singular: (7.4) and (4.3) do not apply\n");
    if (r->constraints && r->mass_regular) {
        printf("  (7.4) G M^-1 G^T is %s, smallest singular value %.2e\n",
               r->regular ? "regular" : "singular", r->least_regular);
        printf(
            "  (4.3) G M^-1 (G^T - f_lambda + f_w d_w^-1 d_lambda) is %s, smallest singular value "
            "%.2e\n",
            r->solvable ? "regular" : "singular", r->least_solvable);
    }
    print_gap(&r->gap);
}

static void print(const char *name, const sodae_index_report *r, const sodae_linear_form *form,
                  const cli_along *along) {
    const char *source = source_of(r, along);
    printf("%s at t = %g, %s initial values\n", name, r->t, r->consistent ? "consistent" : "given");
    if (r->d_index >= 0)
        printf("  differential index %d%s\n", r->d_index,
               !source || !strcmp(source, "conditions") ? ""
               : !strcmp(source, "linearised")          ? ", that of the linearised equations"
                                                        : ", by the derivative array");
    else
        printf("  differential index not known: solutions are not unique or do not exist, or the "
               "index changes\n");
    if (!r->clear) printf("  NOT CLEAR, the index may be wrong: %s\n", r->doubt);
    print_conditions(r);
    if (r->linear.n)
        print_linear(&r->linear, form);
    else if (!along->known || !along->linear)
        printf("\ntoo many unknowns to analyse the linearised equations\n");
    cli_along_print(along);
}

static cli_exit analyse(const cli_target *target, const cli_along *along, int json,
                        cli_error *error) {
    sodae_index_report report;
    sodae_failure why = {0};
    sodae_linear_form form = {0};
    int small = sodae_problem_unknowns(&target->problem) <= MOST_JSON;
    cli_exit code = CLI_OK;
    sodae_status status =
        sodae_problem_analyse(&target->problem, NULL, 0, &report, small ? &form : NULL, &why);
    if (status >= 0) decide(&report, along);
    if (status < 0)
        code = cli_fail_from(error, status, &why);
    else if (json)
        code = cli_json_print(as_json(target->name, &report, &form, along), error);
    else {
        print(target->name, &report, &form, along);
        code = cli_flush(error);
    }
    sodae_linear_form_free(&form);
    return code;
}

/* `linear` and `first_order` have no equations of motion: the derivative array is all. */
static cli_exit analyse_printed(const cli_along *along, int json, cli_error *error) {
    if (!along->known) return cli_fail_from(error, along->why.status, &along->why);
    if (!json) {
        int index = cli_along_index(along);
        printf("%s\n", along->name);
        if (index >= 0) printf("  differential index %d\n", index);
        cli_along_print(along);
        return cli_flush(error);
    }
    json_t *object = cli_along_json(along);
    json_object_set_new(object, "status", json_string("OK"));
    json_object_set_new(object, "problem", json_string(along->name));
    return cli_json_print(object, error);
}

/* That of the command line; one of the file does not change the equations. */
static sodae_formulation form_asked(const cli_job *job, const cli_request *request) {
    for (int i = 0; i < request->nsettings; i++) {
        const char *name = request->settings[i].name;
        if (!strcmp(name, "formulation") || !strcmp(name, "option.formulation"))
            return job->options.formulation;
    }
    return SODAE_FORMULATION_AUTO;
}

cli_exit cli_analyse_problem(const cli_request *request, cli_error *error) {
    cli_job job;
    cli_along *along = calloc(1, sizeof *along);
    if (!along) return cli_out_of_memory(error);
    cli_exit code = cli_job_open(&job, request, error);
    if (!code)
        code = cli_along_find(along, &job.target, job.t_end, form_asked(&job, request), error);
    if (!code && job.target.model && sodae_model_is_printed(job.target.model))
        code = analyse_printed(along, request->json, error);
    else if (!code)
        code = analyse(&job.target, along, request->json, error);
    cli_along_free(along);
    free(along);
    cli_job_close(&job);
    return code;
}
