/* sodae modes: frequencies, damping and shapes of the linearised mechanism. */
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/statics.h"

#include <sodae/integrator.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double steady = 1e-6; /* larger changes of the matrices are reported */

static void copy(double *to, const double *from, int n) {
    if (n && from) memcpy(to, from, (size_t)n * sizeof *to);
}

static void take(cli_statics *s, const sodae_view *x) {
    copy(s->q, x->q, x->nq);
    copy(s->v, x->v, x->nv);
    copy(s->lambda, x->lambda, x->nlambda);
    copy(s->psi, x->psi, x->npsi);
    copy(s->r, x->r, x->nr);
    s->at.t = x->t;
}

/* A time in which nothing turns by more than 1e-3. */
static double a_little(const sodae_view *x) {
    double most = 1;
    for (int i = 0; i < x->nv; i++) most = fmax(most, fabs(x->v[i]));
    return 1e-3 / most;
}

/* The start and a state a little later. */
static cli_exit follow(const cli_job *job, cli_statics *now, cli_statics *later, cli_error *error) {
    sodae *s = NULL;
    sodae_failure why = {0};
    sodae_options options = job->options;
    options.rtol = 1e-10;
    sodae_status st = sodae_create(&s, &job->target.problem, &options, &why);
    if (st < 0) return cli_fail_from(error, st, &why);
    st = sodae_start(s);
    if (st >= 0) {
        take(now, sodae_state(s));
        st = sodae_advance(s, now->at.t + a_little(sodae_state(s)), NULL, NULL);
    }
    if (st >= 0) take(later, sodae_state(s));
    cli_exit code = st < 0 ? cli_fail_from(error, st, sodae_last_failure(s)) : CLI_OK;
    sodae_free(s);
    return code;
}

static double size_of(const sodae_modes *x, int i) {
    return hypot(x->re[i], x->im[i]);
}

/* The first of each pair, by size. */
static int *sorted(const sodae_modes *x, int *count) {
    int *order = calloc((size_t)x->count + 1, sizeof *order), n = 0;
    for (int i = 0; order && i < x->count; i++) {
        if (x->im[i] < 0) continue;
        int k = n++;
        for (; k > 0 && size_of(x, order[k - 1]) > size_of(x, i); k--) order[k] = order[k - 1];
        order[k] = i;
    }
    *count = n;
    return order;
}

/* The body that moves most. */
static const char *leader(const cli_statics *s, const sodae_modes *x, int i) {
    const double *re = x->shape + (size_t)i * (size_t)x->nv, *im = re + x->nv;
    int most = 0, n = sodae_mechanism_is_planar(s->m) ? 3 : 6;
    double size = -1;
    for (int k = 0; k < x->nv; k++) {
        double each = hypot(re[k], x->im[i] > 0 ? im[k] : 0);
        if (each > size) size = each, most = k;
    }
    return sodae_mechanism_body_name(s->m, most / n);
}

static double damping(const sodae_modes *x, int i) {
    return size_of(x, i) > 0 ? -x->re[i] / size_of(x, i) : 0;
}

static const char *note(const sodae_modes *x) {
    return x->change > steady ? "not a steady motion: frozen values" : NULL;
}

static void print(const cli_statics *s, const sodae_modes *x, const int *order, int count) {
    const double pi = 3.14159265358979323846;
    if (note(x)) printf("%s (the matrices change by %.1e)\n", note(x), x->change);
    if (x->nearest) printf("more than 500 states: the modes nearest to 0\n");
    printf("      real part      imaginary part   frequency [1/s]   damping     moves most\n");
    for (int k = 0; k < count; k++) {
        int i = order[k];
        printf("%17.9g %17.9g %17.9g %11.3g     %s\n", x->re[i], x->im[i], size_of(x, i) / (2 * pi),
               damping(x, i), leader(s, x, i));
    }
}

static json_t *shape_json(const cli_statics *s, const sodae_modes *x, int i) {
    json_t *object = json_object();
    int n = sodae_mechanism_is_planar(s->m) ? 3 : 6;
    const char *name;
    for (int b = 0; (name = sodae_mechanism_body_name(s->m, b)); b++) {
        const double *re = x->shape + (size_t)i * (size_t)x->nv + n * b;
        json_t *parts = json_object();
        json_object_set_new(parts, "real", cli_json_reals(re, n));
        if (x->im[i] > 0) json_object_set_new(parts, "imaginary", cli_json_reals(re + x->nv, n));
        json_object_set_new(object, name, parts);
    }
    return object;
}

static json_t *as_json(const cli_statics *s, const sodae_modes *x, const int *order, int count) {
    const double pi = 3.14159265358979323846;
    json_t *report = json_object(), *list = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "axes", json_string(x->body_axes ? "body" : "space"));
    json_object_set_new(report, "change", cli_json_real(x->change));
    if (note(x)) json_object_set_new(report, "note", json_string(note(x)));
    json_object_set_new(report, "nearest", json_boolean(x->nearest));
    for (int k = 0; k < count; k++) {
        int i = order[k];
        json_t *mode = json_object();
        json_object_set_new(mode, "real", cli_json_real(x->re[i]));
        json_object_set_new(mode, "imaginary", cli_json_real(x->im[i]));
        json_object_set_new(mode, "frequency", cli_json_real(size_of(x, i) / (2 * pi)));
        json_object_set_new(mode, "damping", cli_json_real(damping(x, i)));
        json_object_set_new(mode, "shape", shape_json(s, x, i));
        json_array_append_new(list, mode);
    }
    json_object_set_new(report, "modes", list);
    return report;
}

static cli_exit show(const cli_request *request, const cli_statics *s, const sodae_modes *x,
                     cli_error *error) {
    int count, *order = sorted(x, &count);
    cli_exit code = order ? CLI_OK : cli_out_of_memory(error);
    if (!code && request->json)
        code = cli_json_print(as_json(s, x, order, count), error);
    else if (!code) {
        print(s, x, order, count);
        code = cli_flush(error);
    }
    free(order);
    return code;
}

cli_exit cli_modes(const cli_request *request, cli_error *error) {
    cli_job job;
    cli_statics now = {0}, later = {0};
    sodae_modes modes = {0};
    sodae_failure why = {0};
    cli_exit code = cli_job_open(&job, request, error);
    if (!code) code = cli_statics_open(&now, &job, error);
    if (!code) code = cli_statics_open(&later, &job, error);
    if (!code)
        code = request->equilibrium ? cli_statics_find(&now, error)
                                    : follow(&job, &now, &later, error);
    if (!code) {
        const sodae_point *next = request->equilibrium ? NULL : &later.at;
        sodae_status st = sodae_mechanism_modes(now.m, &now.at, next, &modes, &why);
        code = st < 0 ? cli_fail_from(error, st, &why) : show(request, &now, &modes, error);
    }
    sodae_modes_free(&modes);
    cli_statics_close(&now);
    cli_statics_close(&later);
    cli_job_close(&job);
    return code;
}
