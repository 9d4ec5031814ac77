/* sodae analyse MODEL: strangeness index along the interval from the derivative array. */
#include "cli/analyse.h"

#include <sodae/model.h>

#include <math.h>
#include <stdio.h>

enum { MOST_FORM = 12 };

cli_exit cli_along_find(cli_along *along, const cli_target *target, double t_end,
                        sodae_formulation form, cli_error *error) {
    sodae_curve_system system;
    *along = (cli_along){.name = target->name};
    if (!target->model) {
        snprintf(along->why.message, sizeof along->why.message,
                 "problems written in C give no derivatives of their equations by t");
        return CLI_OK;
    }
    if (sodae_model_curves(target->model, &system, &along->why) < 0) return CLI_OK;
    if (!sodae_model_is_printed(target->model)) {
        system.problem = &target->problem;
        system.form = along->form_of = form;
    } else if (!system.linear && !sodae_model_not_integrated(target->model))
        system.run = &target->problem;
    along->linear = system.linear, along->constant = system.constant;
    if (system.constant) t_end = NAN; /* one point holds for all */
    sodae_status status =
        sodae_curve_along(&system, t_end, &along->report, &along->form, &along->why);
    if (status == SODAE_NO_MEMORY) return cli_fail_from(error, status, &along->why);
    along->known = status >= 0;
    if (status < 0 && !along->why.message[0])
        snprintf(along->why.message, sizeof along->why.message, "%s", sodae_status_text(status));
    return CLI_OK;
}

void cli_along_free(cli_along *along) {
    sodae_free_form_free(&along->form);
}

int cli_along_index(const cli_along *along) {
    const sodae_along_report *r = &along->report;
    if (!along->known || r->nchanges) return -1;
    for (int i = 0; i < r->count; i++)
        if (!r->point[i].decided || r->point[i].d_index != r->point[0].d_index) return -1;
    return r->point[0].d_index;
}

static json_t *point_json(const sodae_strangeness *s) {
    json_t *o = json_object();
    json_object_set_new(o, "t", cli_json_real(s->t));
    json_object_set_new(o, "decided", json_boolean(s->decided));
    json_object_set_new(o, "found", json_boolean(s->found));
    json_object_set_new(o, "mu", json_integer(s->mu));
    json_object_set_new(o, "d", json_integer(s->d));
    json_object_set_new(o, "a", json_integer(s->a));
    json_object_set_new(o, "u", json_integer(s->u));
    json_object_set_new(o, "v", json_integer(s->v));
    json_object_set_new(o, "d_index", s->d_index < 0 ? json_null() : json_integer(s->d_index));
    json_t *ranks = json_array();
    for (int i = 0; i < 3; i++) json_array_append_new(ranks, json_integer(s->rank[i]));
    json_object_set_new(o, "ranks", ranks);
    json_object_set_new(o, "margins", cli_json_reals(s->margin, 3));
    return o;
}

static json_t *second_json(const sodae_strangeness *s, int graded) {
    json_t *o = json_object();
    json_object_set_new(o, "mu", json_integer(s->second_mu));
    json_object_set_new(o, "derivatives", json_integer(s->derivatives));
    json_object_set_new(o, "decided", json_boolean(s->second_decided));
    if (graded) return o;
    json_object_set_new(o, "d2", json_integer(s->d2));
    json_object_set_new(o, "d1", json_integer(s->d1));
    json_object_set_new(o, "a", json_integer(s->a0));
    json_object_set_new(o, "u", json_integer(s->u2));
    json_object_set_new(o, "v", json_integer(s->v2));
    return o;
}

/* rows x columns, stored by columns */
static json_t *matrix_json(const double *x, int rows, int columns) {
    json_t *list = json_array();
    for (int i = 0; i < rows; i++) {
        json_t *row = json_array();
        for (int j = 0; j < columns; j++)
            json_array_append_new(row, cli_json_real(x[i + (long)rows * j]));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *form_json(const sodae_free_form *f) {
    json_t *o = json_object();
    if (!f->E1) return json_decref(o), json_null();
    json_object_set_new(o, "E1", matrix_json(f->E1, f->d, f->size));
    json_object_set_new(o, "A1", matrix_json(f->A1, f->d, f->size));
    json_object_set_new(o, "f1", cli_json_reals(f->f1, f->d));
    json_object_set_new(o, "A2", matrix_json(f->A2, f->a, f->size));
    json_object_set_new(o, "f2", cli_json_reals(f->f2, f->a));
    json_object_set_new(o, "f3", cli_json_reals(f->f3, f->v));
    return o;
}

static json_t *changes_json(const sodae_along_report *r) {
    json_t *list = json_array();
    for (int i = 0; i < r->nchanges; i++) {
        const sodae_strangeness_change *c = &r->change[i];
        json_t *o = json_object();
        json_object_set_new(o, "t", cli_json_reals((double[]){c->t0, c->t1}, 2));
        json_object_set_new(o, "isolated", json_boolean(c->isolated));
        json_object_set_new(o, "before", point_json(&c->before));
        json_object_set_new(o, "after", point_json(&c->after));
        json_array_append_new(list, o);
    }
    return list;
}

json_t *cli_along_json(const cli_along *along) {
    const sodae_along_report *r = &along->report;
    json_t *o = json_object(), *points = json_array();
    if (!along->known) {
        json_decref(points);
        json_object_set_new(o, "reason", json_string(along->why.message));
        return o;
    }
    int index = cli_along_index(along);
    if (along->form_of)
        json_object_set_new(o, "formulation",
                            json_string(sodae_formulation_name((int)along->form_of)));
    json_object_set_new(o, "linear", json_boolean(along->linear));
    json_object_set_new(o, "constant", json_boolean(along->constant));
    json_object_set_new(o, "by_initial_values", json_boolean(r->by_initial));
    json_object_set_new(o, "d_index", index < 0 ? json_null() : json_integer(index));
    for (int i = 0; i < r->count; i++) json_array_append_new(points, point_json(&r->point[i]));
    json_object_set_new(o, "points", points);
    json_object_set_new(o, "changes", changes_json(r));
    json_object_set_new(o, "second_order",
                        r->point[0].second_found ? second_json(&r->point[0], !along->linear)
                                                 : json_null());
    json_object_set_new(o, "strangeness_free", form_json(&along->form));
    return o;
}

static void print_quantities(const sodae_strangeness *s) {
    if (!s->found) {
        printf("no strangeness index found within the derivatives tried\n");
        return;
    }
    printf("mu = %d, d %d, a %d, u %d, v %d%s\n", s->mu, s->d, s->a, s->u, s->v,
           s->decided ? "" : ": NOT DECIDED, a margin is below 1e3");
}

static void print_margins(const sodae_along_report *r) {
    double least[3] = {INFINITY, INFINITY, INFINITY};
    const sodae_strangeness *s = &r->point[0];
    for (int i = 0; i < r->count; i++)
        for (int k = 0; k < 3; k++) least[k] = fmin(least[k], r->point[i].margin[k]);
    printf("    ranks              M_mu %d, Z^T N_mu %d, E T_2 %d at the first point\n", s->rank[0],
           s->rank[1], s->rank[2]);
    printf("    smallest margins   %.1e, %.1e, %.1e (sigma_r / sigma_(r+1); below 1e3: not "
           "decided)\n",
           least[0], least[1], least[2]);
}

static void print_solutions(const sodae_strangeness *s) {
    if (!s->decided) return;
    if (s->u) printf("    solutions are not unique: %d undetermined\n", s->u);
    if (s->v) printf("    solutions exist only under %d conditions on f\n", s->v);
    if (!s->u && !s->v) printf("    d-index %d\n", s->d_index);
}

static void print_changes(const sodae_along_report *r) {
    for (int i = 0; i < r->nchanges; i++) {
        const sodae_strangeness_change *c = &r->change[i];
        printf("    %s t = %.9g .. %.9g: ", c->isolated ? "singular point in" : "change in", c->t0,
               c->t1);
        if (c->isolated && c->after.mu == c->before.mu && c->after.a == c->before.a)
            printf("a rank falls at one point\n");
        else
            print_quantities(&c->after);
    }
    if (r->more) printf("    later changes are not located\n");
}

static void print_rows(const char *name, const double *A, int rows, int columns) {
    for (int i = 0; i < rows; i++) {
        printf("    %-18s", i ? "" : name);
        for (int j = 0; j < columns; j++) printf(" %10.4g", A[i + (long)rows * j]);
        printf("\n");
    }
}

static void print_form(const sodae_free_form *f, double t) {
    if (!f->E1 || f->size > MOST_FORM) return;
    printf("  strangeness-free form (2.17) at t = %g, E1 y' = A1 y + f1, 0 = A2 y + f2, 0 = f3%s\n",
           t, f->size > f->n ? ", y = (x', x)" : "");
    print_rows("E1", f->E1, f->d, f->size);
    print_rows("A1", f->A1, f->d, f->size);
    print_rows("f1", f->f1, f->d, 1);
    print_rows("A2", f->A2, f->a, f->size);
    print_rows("f2", f->f2, f->a, 1);
    print_rows("f3", f->f3, f->v, 1);
}

static void print_second(const sodae_strangeness *s, int graded) {
    if (!s->second_found) return;
    printf("  second order form: mu = %d (%d derivatives of the equations)", s->second_mu,
           s->derivatives);
    if (!graded) printf(", d2 %d, d1 %d, a %d, u %d, v %d", s->d2, s->d1, s->a0, s->u2, s->v2);
    printf("%s\n", s->second_decided ? "" : ": NOT DECIDED");
}

void cli_along_print(const cli_along *along) {
    const sodae_along_report *r = &along->report;
    if (!along->known) {
        printf("\nalong the interval: not analysed, %s\n", along->why.message);
        return;
    }
    printf("\nderivative array (004 Theorem 2.1.8), ");
    if (along->form_of) printf("formulation %s, ", sodae_formulation_name((int)along->form_of));
    printf("%s, ", along->constant ? "constant coefficients"
                   : along->linear ? "coefficients of t"
                                   : "along a solution");
    if (r->count > 1)
        printf("%d points of t = %g .. %g\n", r->count, r->point[0].t, r->point[r->count - 1].t);
    else
        printf("t = %g%s\n", r->point[0].t, r->by_initial ? ", given initial values" : "");
    printf("  first order form:  ");
    print_quantities(&r->point[0]);
    print_solutions(&r->point[0]);
    print_margins(r);
    print_changes(r);
    print_second(&r->point[0], !along->linear);
    if (along->linear) print_form(&along->form, r->point[0].t);
}
