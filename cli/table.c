/* sodae analyse --method glm --table FILE: what a table promises. */
#include "cli/analyse.h"
#include "cli/job.h"
#include "cli/steps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { K = SODAE_TABLE_STEPS, FORMS = 4 };

static const sodae_formulation forms[FORMS] = {SODAE_INDEX1, SODAE_INDEX2, SODAE_INDEX3,
                                               SODAE_STABILIZED};

static json_t *order(int p) {
    return p < 0 ? json_null() : json_integer(p);
}

json_t *cli_table_orders_json(const sodae_table_orders *o) {
    json_t *list = json_object();
    json_object_set_new(list, "q", order(o->q));
    json_object_set_new(list, "v", order(o->v));
    json_object_set_new(list, "lambda", order(o->lambda));
    json_object_set_new(list, "theorem", json_string(o->theorem));
    return list;
}

static json_t *report_json(const char *method, const sodae_glm_table *t,
                           const sodae_table_report *r) {
    json_t *o = json_object(), *M = json_array(), *expected = json_object();
    json_object_set_new(o, "status", json_string("OK"));
    json_object_set_new(o, "method", json_string(method));
    json_object_set_new(o, "steps", json_integer(t->steps));
    json_object_set_new(o, "stages", json_integer(t->stages));
    json_object_set_new(o, "order", json_integer(r->order));
    json_object_set_new(o, "stage_order", json_integer(r->stage_order));
    json_object_set_new(o, "B", order(r->B)), json_object_set_new(o, "C", order(r->C));
    json_object_set_new(o, "D", order(r->D));
    json_object_set_new(o, "lifted", json_boolean(r->lifted));
    json_object_set_new(o, "stiffly_accurate", json_boolean(r->stiffly_accurate));
    json_object_set_new(o, "zero_stable", json_boolean(r->zero_stable));
    json_object_set_new(o, "regular", json_boolean(r->regular));
    json_object_set_new(o, "stable_at_infinity", json_boolean(r->stable_at_infinity));
    json_object_set_new(o, "strictly_stable_at_infinity",
                        json_boolean(r->strictly_stable_at_infinity));
    json_object_set_new(o, "one_at_infinity", json_boolean(r->one_at_infinity));
    json_object_set_new(o, "rho_infinity", cli_json_real(r->rho_infinity));
    for (int i = 0; i < t->steps; i++)
        json_array_append_new(M, cli_json_reals(r->M_infinity[i], t->steps));
    json_object_set_new(o, "M_infinity", M);
    json_object_set_new(o, "angle", cli_json_real(r->angle));
    json_object_set_new(o, "error_order", json_integer(r->error_order));
    for (int i = 0; i < FORMS; i++)
        json_object_set_new(expected, sodae_formulation_name((int)forms[i]),
                            cli_table_orders_json(&r->expected[i]));
    json_object_set_new(o, "orders", expected);
    return o;
}

static const char *word(int yes) {
    return yes ? "yes" : "no";
}

static void print_infinity(const sodae_glm_table *t, const sodae_table_report *r) {
    if (!r->regular) {
        printf("at infinity  Ft or Dt has no inverse: for index1 alone\n");
        return;
    }
    if (t->steps == 1)
        printf("R(inf)       %.10g\n", r->M_infinity[0][0]);
    else
        for (int i = 0; i < t->steps; i++) {
            printf("%-13s", i ? "" : "M(inf)");
            for (int j = 0; j < t->steps; j++)
                printf(" %13.8g", fabs(r->M_infinity[i][j]) < 1e-15 ? 0 : r->M_infinity[i][j]);
            printf("\n");
        }
    printf("at infinity  rho(M(inf)) %.6g, %s%s\n", r->rho_infinity,
           r->strictly_stable_at_infinity ? "strictly stable"
           : r->stable_at_infinity        ? "stable"
                                          : "not stable",
           r->one_at_infinity ? ", 1 is an eigenvalue" : "");
}

static void print_report(const char *method, const sodae_glm_table *t,
                         const sodae_table_report *r) {
    printf("method       %s: %d value%s handed on, %d stage%s%s\n", method, t->steps,
           t->steps > 1 ? "s" : "", t->stages, t->stages > 1 ? "s" : "",
           r->lifted ? "" : ", not a method for y' = f");
    printf("order        %d%s, stage order %d\n", r->order,
           r->order == SODAE_TABLE_ORDER ? " or more" : "", r->stage_order);
    if (r->B >= 0) printf("conditions   B(%d), C(%d), D(%d) of (5.9)\n", r->B, r->C, r->D);
    printf("stable       at 0: %s; A(alpha): %.1f degrees\n", word(r->zero_stable), r->angle);
    print_infinity(t, r);
    printf("y(t_n+1) is a stage (stiffly accurate): %s\n", word(r->stiffly_accurate));
    if (r->error_order) printf("estimate     O(h^%d)\n", r->error_order);
    printf("\norders expected, by 004       q   v  lambda\n");
    for (int i = 0; i < FORMS; i++) {
        const sodae_table_orders *o = &r->expected[i];
        const char *name = sodae_formulation_name((int)forms[i]);
        if (o->q < 0)
            printf("%-25s    -   -   -  no theorem\n", name);
        else
            printf("%-25s  %3d %3d %3d  Theorem %s\n", name, o->q, o->v, o->lambda, o->theorem);
    }
}

static void radius_of(const void *table, double re, double im, double *rho) {
    sodae_table_stability(table, re, im, NULL, NULL, rho);
}

/* The table that the options stand for; 0: there is none. */
static int table_of(const sodae_options *o, sodae_glm_table *t) {
    int multi = o->method == SODAE_MSR;
    if (o->method == SODAE_GLM && o->table) {
        *t = *o->table;
        return 1;
    }
    return sodae_table_of(o->method,
                          o->method == SODAE_BDF ? o->order ? o->order : 2
                          : o->steps             ? o->steps
                                                 : 2,
                          o->stages ? o->stages
                          : multi   ? 2
                                    : 3,
                          t) == SODAE_OK;
}

static int steps_change(const cli_job *job) {
    cli_steps steps;
    cli_error ignored = {0};
    int changes = 0;
    if (!job->pattern || cli_steps_make(&steps, job->pattern, job->options.step,
                                        job->target.problem.initial.t, job->t_end, &ignored))
        return 0;
    for (int i = 1; i < steps.count; i++)
        changes |= fabs(steps.h[i] - steps.h[0]) > 1e-9 * fabs(steps.h[0]);
    cli_steps_free(&steps);
    return changes;
}

/* What constant steps alone give: to BDF in index 3 (Theorem 2.4.2; q and v keep their order, as
 * measured), and to Gauss with R(inf) = -1, whose errors cancel in pairs of equal steps. */
static void on_changing_steps(const sodae_options *o, const sodae_table_report *r,
                              sodae_table_orders *e) {
    if (!strcmp(e->theorem, "2.4.1") && o->multiplier_correction) {
        e->theorem = "2.4.2, corrected";
    } else if (!strcmp(e->theorem, "2.4.1")) {
        e->lambda--, e->theorem = "2.4.2";
    } else if (!strcmp(e->theorem, "5.3.4") && r->M_infinity[0][0] < 0) {
        e->q = e->v = r->stage_order, e->lambda = r->stage_order - 2;
    }
}

int cli_table_expected(const cli_job *job, sodae_table_orders *out) {
    sodae_glm_table t;
    sodae_table_report r;
    sodae_options o = job->options;
    const sodae_problem *problem = &job->target.problem;
    o.method = sodae_method_of(problem, &o);
    sodae_formulation form = sodae_formulation_of(problem, &o);
    if (form == SODAE_GGL) form = SODAE_STABILIZED;
    int position = problem->nlambda > 0, velocity = problem->npsi > 0;
    if (!position && form != SODAE_INDEX1) form = velocity ? SODAE_INDEX2 : SODAE_INDEX1;
    if (!table_of(&o, &t) || sodae_table_analyse(&t, &r)) return 0;
    for (int i = 0; i < FORMS; i++)
        if (forms[i] == form) {
            *out = r.expected[i];
            if (steps_change(job)) on_changing_steps(&o, &r, out);
            if (!position && !velocity) out->lambda = -1;
            if (velocity && !r.stiffly_accurate && out->v < out->q) out->q = out->v; /* psi^2 */
            return 1;
        }
    return 0;
}

cli_exit cli_analyse_table(const cli_request *request, sodae_options *options, cli_error *error) {
    sodae_glm_table own, t;
    sodae_table_report r;
    cli_exit code = cli_table_read(request, &own, options, error);
    if (code) return code;
    if (options->method == SODAE_METHOD_AUTO) options->method = SODAE_GLM;
    const char *name = sodae_method_name((int)options->method);
    if (!table_of(options, &t) || sodae_table_analyse(&t, &r))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_OPTION, "table",
                        options->method == SODAE_GLM ? "method glm needs --table FILE"
                                                     : "%s has no such table: (steps, stages)",
                        name);
    if (request->out) code = cli_radii_write(request->out, 20, radius_of, &t, error);
    if (code) return code;
    if (request->json) return cli_json_print(report_json(name, &t, &r), error);
    print_report(name, &t, &r);
    return cli_flush(error);
}
