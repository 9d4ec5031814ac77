/* sodae analyse for methods that are no tables: direct-bdf, dc, dopri5, dop853. */
#include "cli/analyse.h"

#include <sodae/stability.h>

#include <math.h>
#include <stdio.h>

static const char direct_words[] =
    "on q'' = 2 Re(z) q' - |z|^2 q; h^2 a_(n+1) = sum of weights q_n, q_(n-1), .., q of the stages";

/* direct-bdf of every order; dc with every (steps, stages). */
static int entries(sodae_method by, const int (**list)[2]) {
    static const int bdf[][2] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
    static const int dc[][2] = {{3, 2}, {4, 2}, {3, 3}};
    *list = by == SODAE_DC ? dc : bdf;
    return by == SODAE_DC ? 3 : 5;
}

static json_t *direct_json(const int *of, const sodae_direct_report *r) {
    json_t *o = json_object();
    json_object_set_new(o, "k", json_integer(of[0]));
    json_object_set_new(o, "stages", json_integer(r->stages));
    json_object_set_new(o, "order", json_integer(r->order));
    json_object_set_new(o, "nodes", cli_json_reals(r->c, r->stages));
    json_object_set_new(o, "angle", cli_json_real(r->angle));
    json_object_set_new(o, "parasitic", cli_json_real(r->parasitic));
    json_object_set_new(o, "weights", cli_json_reals(r->weight, r->past + r->stages));
    return o;
}

static void direct(sodae_method by, int json, json_t *report) {
    const int(*list)[2];
    int n = entries(by, &list);
    json_t *all = json_array();
    if (!json) printf("%s\n k  stages  order  A(angle)  parasitic   weights\n", direct_words);
    for (int i = 0; i < n; i++) {
        sodae_direct_report r;
        sodae_direct_check(by, list[i][0], list[i][1], &r);
        json_array_append_new(all, direct_json(list[i], &r));
        if (json) continue;
        printf("%2d  %6d  %5d  %8.1f  %9.6f  ", list[i][0], r.stages, r.order, r.angle,
               r.parasitic);
        for (int j = 0; j < r.past + r.stages; j++) printf(" %9.6f", r.weight[j]);
        printf("\n");
    }
    json_object_set_new(report, "direct", all);
}

static void explicit(sodae_method by, int json, json_t *report) {
    sodae_explicit_report r;
    sodae_explicit_check(by, &r);
    json_object_set_new(report, "order", json_integer(r.order));
    json_object_set_new(report, "stages", json_integer(r.stages));
    json_object_set_new(report, "R", cli_json_reals(r.R, r.stages + 1));
    json_object_set_new(report, "real", cli_json_real(r.real));
    json_object_set_new(report, "imaginary", cli_json_real(r.imaginary));
    if (json) return;
    printf("order        %d, %d stages, explicit\n", r.order, r.stages);
    printf("stable       h lambda from -%.6g to 0; h omega to %.6g\n", r.real, r.imaginary);
    printf("R(z)        ");
    for (int j = 0; j <= r.stages; j++) printf(" %.10g", r.R[j]);
    printf("  (z^0, z^1, ..)\n");
}

cli_exit cli_radii_write(const char *path, double reach, cli_radius *radius, const void *of,
                         cli_error *error) {
    enum { SIDE = 121 };
    FILE *file = fopen(path, "w");
    if (file) {
        fprintf(file, "re,im,rho\n");
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                double re = reach * (2.0 * i / (SIDE - 1) - 1),
                       im = reach * (2.0 * j / (SIDE - 1) - 1), rho;
                radius(of, re, im, &rho);
                fprintf(file, "%.17g,%.17g,%.17g\n", re, im, rho);
            }
        if (fclose(file) == 0) return CLI_OK;
    }
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write '%.200s'", path);
}

static void radius_of(const void *of, double re, double im, double *rho) {
    const sodae_options *o = of;
    int dc = o->method == SODAE_DC;
    int k = dc ? o->steps : o->order;
    if (sodae_method_radius(o->method, k ? k : dc ? 3 : 2, o->stages ? o->stages : 2, re, im, rho))
        *rho = NAN;
}

int cli_stability_known(int method) {
    return method == SODAE_DIRECT_BDF || method == SODAE_DC || method == SODAE_DOPRI5 ||
           method == SODAE_DOP853;
}

cli_exit cli_analyse_stability(const cli_request *request, const sodae_options *options,
                               cli_error *error) {
    sodae_method by = options->method;
    json_t *report = json_object();
    cli_exit code = CLI_OK;
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "method", json_string(sodae_method_name((int)by)));
    if (!request->json) printf("method       %s\n", sodae_method_name((int)by));
    if (by == SODAE_DIRECT_BDF || by == SODAE_DC)
        direct(by, request->json, report);
    else
        explicit(by, request->json, report);
    int is_explicit = by == SODAE_DOPRI5 || by == SODAE_DOP853;
    if (request->out)
        code = cli_radii_write(request->out, is_explicit ? 8 : 20, radius_of, options, error);
    if (!code && request->json) return cli_json_print(report, error);
    json_decref(report);
    return code ? code : cli_flush(error);
}
