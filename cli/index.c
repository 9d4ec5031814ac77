/* sodae analyse TARGET: index and strangeness of the equations (paper 004, chapters 3, 4 and 7). */
#include "cli/analyse.h"
#include "cli/commands.h"
#include "cli/job.h"

#include <math.h>
#include <stdio.h>

/* The quantities of (3.2) by name. */
typedef struct quantity {
    const char *name;
    int value;
} quantity;

enum { SECOND = 10, FIRST = 6 };

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

static json_t *linear_json(const sodae_linear_report *r) {
    json_t *object = json_object();
    quantity initial[SECOND], final[SECOND];
    second_order(&r->initial, initial);
    second_order(&r->final, final);
    json_object_set_new(object, "size", json_integer(r->n));
    json_object_set_new(object, "mu", json_integer(r->mu));
    json_object_set_new(object, "initial", quantities_json(initial, SECOND));
    json_object_set_new(object, "final", quantities_json(final, SECOND));
    json_object_set_new(object, "first_order_all", first_json(&r->all));
    json_object_set_new(object, "first_order_velocities", first_json(&r->velocities));
    json_object_set_new(object, "tolerance", cli_json_real(r->tolerance));
    add_gap(object, &r->gap);
    return object;
}

static json_t *as_json(const char *name, const sodae_index_report *r) {
    json_t *object = json_object();
    json_object_set_new(object, "status", json_string("OK"));
    json_object_set_new(object, "problem", json_string(name));
    json_object_set_new(object, "t", cli_json_real(r->t));
    json_object_set_new(object, "consistent", json_boolean(r->consistent));
    json_object_set_new(object, "d_index", index_or_null(r->d_index));
    json_object_set_new(object, "constraints", json_integer(r->constraints));
    json_object_set_new(object, "rank", json_integer(r->rank));
    json_object_set_new(object, "condition_7_4", json_boolean(r->regular));
    json_object_set_new(object, "condition_4_3", json_boolean(r->solvable));
    json_object_set_new(object, "smallest_7_4", cli_json_real(r->least_regular));
    json_object_set_new(object, "smallest_4_3", cli_json_real(r->least_solvable));
    json_object_set_new(object, "linear", r->linear.n ? linear_json(&r->linear) : json_null());
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

static void print_linear(const sodae_linear_report *r) {
    quantity initial[SECOND], final[SECOND];
    second_order(&r->initial, initial);
    second_order(&r->final, final);
    printf("\nlinearised, A2 x'' + A1 x' + A0 x = f\n");
    printf("  second order, %d equations: strangeness index mu = %d\n", r->n, r->mu);
    print_quantities("quantities (3.2)", initial, SECOND);
    print_quantities("strangeness-free", final, SECOND);
    print_gap(&r->gap);
    print_first("first order, x' where x'' appears", &r->velocities);
    print_first("first order, x' for all of x", &r->all);
    printf("  ranks by singular values after scaling, tolerance %.1e\n", r->tolerance);
}

static void print(const char *name, const sodae_index_report *r) {
    printf("%s at t = %g, %s initial values\n", name, r->t, r->consistent ? "consistent" : "given");
    if (r->d_index >= 0)
        printf("  differential index %d\n", r->d_index);
    else
        printf("  differential index not known: a condition below fails\n");
    if (r->constraints) {
        printf("  rank %d of %d constraints\n", r->rank, r->constraints);
        printf("  (7.4) G M^-1 G^T is %s, smallest singular value %.2e\n",
               r->regular ? "regular" : "singular", r->least_regular);
        printf(
            "  (4.3) G M^-1 (G^T - f_lambda + f_w d_w^-1 d_lambda) is %s, smallest singular value "
            "%.2e\n",
            r->solvable ? "regular" : "singular", r->least_solvable);
    }
    if (r->linear.n)
        print_linear(&r->linear);
    else
        printf("\ntoo many unknowns to analyse the linearised equations\n");
}

cli_exit cli_analyse_problem(const cli_request *request, cli_error *error) {
    cli_job job;
    sodae_index_report report;
    sodae_failure why = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) {
        sodae_status status = sodae_problem_analyse(&job.target.problem, NULL, 0, &report, &why);
        if (status < 0)
            code = cli_fail_from(error, status, &why);
        else if (request->json)
            code = cli_json_print(as_json(job.target.name, &report), error);
        else {
            print(job.target.name, &report);
            code = cli_flush(error);
        }
    }
    cli_job_close(&job);
    return code;
}
