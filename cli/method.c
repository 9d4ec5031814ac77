/* sodae analyse --method M for BDF and collocation methods. */
#include "cli/analyse.h"

#include "cli/number.h"

#include <sodae/stability.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { REGION = 721, MOST_STEPS = 64 };

static cli_exit write_region(FILE *file, const char *name, int k, sodae_status status, double *re,
                             double *im) {
    for (int i = 0; i < REGION && status >= 0; i++)
        fprintf(file, "%s,%d,%.17g,%.17g\n", name, k, re[i], im[i]);
    return CLI_OK;
}

/* The boundary of the region of every order or number of stages, as CSV. */
static cli_exit write_regions(const char *path, int method, int first, int last, cli_error *error) {
    double re[REGION], im[REGION];
    FILE *file = fopen(path, "w");
    if (!file)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s'", path);
    fprintf(file, "method,k,re,im\n");
    for (int k = first; k <= last; k++) {
        sodae_status status =
            method == SODAE_GAUSS || method == SODAE_RADAU_IIA
                ? sodae_collocation_region(method == SODAE_GAUSS ? SODAE_COLLOCATION_GAUSS
                                                                 : SODAE_COLLOCATION_RADAU,
                                           k, REGION, re, im)
                : sodae_bdf_region(k, REGION, re, im);
        write_region(file, sodae_method_name(method), k, status, re, im);
    }
    if (fclose(file))
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s'", path);
    return CLI_OK;
}

static json_t *bdf_json(const sodae_bdf_report *r) {
    json_t *o = json_object();
    json_object_set_new(o, "order", json_integer(r->order));
    json_object_set_new(o, "alpha", cli_json_reals(r->alpha, r->order + 1));
    json_object_set_new(o, "error_constant", cli_json_real(r->error_constant));
    json_object_set_new(o, "angle", cli_json_real(r->angle));
    json_object_set_new(o, "parasitic", cli_json_real(r->parasitic));
    return o;
}

static void print_bdf(const sodae_bdf_report *r) {
    printf("%2d  %8.4f  %9.6f  %9.6f  ", r->order, r->angle, r->error_constant, r->parasitic);
    for (int i = 0; i <= r->order; i++) printf(" %9.6f", r->alpha[i]);
    printf("\n");
}

static void bdf(int json, json_t *report) {
    json_t *list = json_array();
    if (!json)
        printf("sum alpha_i y_(n-i) = h f_n, error - C h^(k+1) y^(k+1) (004 Table 2.1)\n"
               " k   A(angle)         C  parasitic   alpha_0, alpha_1, ..\n");
    for (int k = 1; k <= SODAE_BDF_ORDERS; k++) {
        sodae_bdf_report r;
        sodae_bdf_check(k, &r);
        json_array_append_new(list, bdf_json(&r));
        if (!json) print_bdf(&r);
    }
    json_object_set_new(report, "bdf", list);
}

/* "1,1.2,0.5" and "1,2,2": ratios of steps and their orders, oldest first. */
static cli_exit read_history(const cli_request *request, double *ratios, int *orders, int *steps,
                             cli_error *error) {
    const char *text = request->ratios ? request->ratios : "";
    char entry[64];
    *steps = cli_list_count(request->past_orders ? request->past_orders : "");
    int given = cli_list_count(text);
    for (int i = 0; i < *steps && i < MOST_STEPS; i++) {
        long order = 0;
        ratios[i] = 1;
        if (cli_list_entry(request->past_orders, i, entry, sizeof entry) ||
            cli_integer(entry, &order) || order < 1 || order > i + 1 || order > SODAE_BDF_ORDERS)
            *steps = 0;
        orders[i] = (int)order;
        if (given && (cli_list_entry(text, i, entry, sizeof entry) ||
                      cli_number(entry, &ratios[i]) || !(ratios[i] > 0)))
            *steps = 0;
    }
    if (*steps < 1 || *steps > MOST_STEPS || (given && given != *steps))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "past-orders",
                        "--past-orders and --ratios are lists of one length, oldest first; orders "
                        "grow by at most one from 1, ratios h_i / h_(i-1) are positive");
    return CLI_OK;
}

static void modified_json(json_t *report, const sodae_modified_bdf_report *r) {
    json_t *o = json_object();
    json_object_set_new(o, "order", json_integer(r->order));
    json_object_set_new(o, "pole", json_boolean(r->pole));
    json_object_set_new(o, "alpha", cli_json_reals(r->alpha, r->order));
    json_object_set_new(o, "relative", cli_json_reals(r->relative, r->order));
    json_object_set_new(o, "beta", cli_json_reals(r->beta, r->order + 1));
    json_object_set_new(o, "poles", cli_json_reals(r->poles, r->npoles));
    json_object_set_new(report, "modified", o);
}

static void print_list(const char *name, const double *x, int count) {
    printf("%-13s", name);
    for (int i = 0; i < count; i++) printf(" %.12g", x[i]);
    printf("\n");
}

static cli_exit modified(const cli_request *request, sodae_modified_bdf_report *r,
                         cli_error *error) {
    double ratios[MOST_STEPS];
    int orders[MOST_STEPS], steps;
    *r = (sodae_modified_bdf_report){0};
    if (!request->past_orders && !request->ratios) return CLI_OK;
    cli_exit code = read_history(request, ratios, orders, &steps, error);
    if (code) return code;
    sodae_status status = sodae_modified_bdf_check(steps, ratios, orders, r);
    return status < 0 ? cli_fail_from(error, status, NULL) : CLI_OK;
}

static void print_modified(const sodae_modified_bdf_report *r) {
    printf("\nmodified BDF (3.26), order %d, a_n = sum beta_i v_(n-i) / h, first step 1\n",
           r->order);
    if (r->pole)
        printf("a pole: (3.26) is singular for these steps\n");
    else {
        print_list("alpha_i", r->alpha, r->order);
        print_list("over BDF", r->relative, r->order);
        print_list("beta_i", r->beta, r->order + 1);
    }
    if (r->npoles)
        print_list("poles at the newest ratio", r->poles, r->npoles);
    else
        printf("no poles at any newest ratio from 0.05 to 20\n");
}

static void collocation(int method, int json, json_t *report) {
    json_t *list = json_array();
    if (!json)
        printf(" s  order  stage order  R(inf)  index 1: y, z  index 2: y, z (004 chapter 5)\n");
    for (int s = 1; s <= SODAE_COLLOCATION_STAGES; s++) {
        sodae_collocation_report r;
        sodae_collocation_check(
            method == SODAE_GAUSS ? SODAE_COLLOCATION_GAUSS : SODAE_COLLOCATION_RADAU, s, &r);
        json_t *o = json_object();
        json_object_set_new(o, "stages", json_integer(s));
        json_object_set_new(o, "order", json_integer(r.order));
        json_object_set_new(o, "stage_order", json_integer(r.stage_order));
        json_object_set_new(o, "r_infinity", cli_json_real(r.r_infinity));
        json_object_set_new(o, "stiffly_accurate", json_boolean(r.stiffly_accurate));
        json_object_set_new(o, "index1", json_pack("[ii]", r.index1[0], r.index1[1]));
        json_object_set_new(o, "index2", json_pack("[ii]", r.index2[0], r.index2[1]));
        json_array_append_new(list, o);
        if (!json)
            printf("%2d  %5d  %11d  %6g  %10d, %d  %10d, %d\n", s, r.order, r.stage_order,
                   r.r_infinity, r.index1[0], r.index1[1], r.index2[0], r.index2[1]);
    }
    json_object_set_new(report, "collocation", list);
}

int cli_method_known(int method) {
    return method == SODAE_GAUSS || method == SODAE_RADAU_IIA || method == SODAE_BDF ||
           method == SODAE_MODIFIED_BDF;
}

cli_exit cli_analyse_method(const cli_request *request, int method, cli_error *error) {
    sodae_modified_bdf_report history;
    cli_exit code = modified(request, &history, error);
    if (code) return code;
    json_t *report = json_object();
    int stages = method == SODAE_GAUSS || method == SODAE_RADAU_IIA;
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "method", json_string(sodae_method_name(method)));
    if (!request->json) printf("method       %s\n", sodae_method_name(method));
    if (stages)
        collocation(method, request->json, report);
    else
        bdf(request->json, report);
    if (history.order) modified_json(report, &history);
    if (history.order && !request->json) print_modified(&history);
    if (request->out)
        code = write_regions(request->out, method, 1,
                             stages ? SODAE_COLLOCATION_STAGES : SODAE_BDF_ORDERS, error);
    if (!code && request->json) return cli_json_print(report, error);
    json_decref(report);
    return code ? code : cli_flush(error);
}
