/* Parser, compiler and evaluator of model files over arbitrary bytes.
 *
 * Whatever loads must evaluate: every function, derivative and event at the initial state and
 * near it. A first line "#set NAME=VALUE" is what --set gives on the command line. */
#include "model/model.h"

#include <math.h>
#include <sodae/sodae.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20, PART = 2048, WORDS = 120 };

static void evaluate(const sodae_problem *p, const sodae_point *at, double *room) {
    if (p->prepare && p->prepare(at, p->user) > 0) abort();
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        if (p->value[f].fn && p->value[f].fn(at, room, p->user) > 0) abort();
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if (p->derivative[f][x].fn && p->derivative[f][x].fn(at, room, p->user) > 0) abort();
    }
}

/* Buffers that the problem must not leave: parts of `room`. */
static void evaluate_rest(const sodae_problem *p, const sodae_point *at, double *room) {
    double *part[8];
    for (int i = 0; i < 8; i++) part[i] = room + i * PART;
    sodae_solution all = {sizeof(sodae_solution),
                          part[0],
                          part[1],
                          part[2],
                          part[3],
                          part[4],
                          part[5],
                          part[6],
                          part[7],
                          NULL,
                          0};
    int mode[512] = {0}; /* models of the fuzzer have fewer */
    all.mode = mode;
    if (p->exact && p->exact(at->t, &all, p->user) > 1) abort();
    for (int i = 0; i < p->nevents && p->nmodes <= 512; i++) {
        const sodae_event *e = &p->events[i];
        if (e->when && e->when(at, part[7], e->user) > 0) abort();
        if (e->next && isnan(e->next(at->t, e->user))) abort();
        if (e->act && !e->hidden && e->act(at, &all, e->user) > 0) abort();
    }
}

static void evaluate_all(const sodae_problem *p) {
    double *room = malloc(ROOM * sizeof *room), *a = calloc((size_t)p->nv, sizeof *a);
    double *multipliers = calloc((size_t)(p->nlambda + p->npsi) + 1, sizeof *multipliers);
    void *work = calloc(1, p->work_size + 1);
    int *mode = calloc((size_t)p->nmodes + 1, sizeof *mode);
    if (room && a && multipliers && work && mode) {
        sodae_point at = p->initial;
        at.work = work;
        at.mode = mode;
        if (!at.lambda) at.lambda = multipliers;
        if (!at.psi) at.psi = multipliers + p->nlambda;
        evaluate(p, &at, room);
        evaluate_rest(p, &at, room);
        at.t += 0.5;
        at.a = a;
        evaluate(p, &at, room);
        evaluate_rest(p, &at, room);
    }
    free(mode);
    free(work);
    free(multipliers);
    free(a);
    free(room);
}

static void evaluate_outputs(const sodae_model *model) {
    int count = 0;
    while (sodae_model_output(model, count, NULL)) count++;
    double *out = malloc(((size_t)count + 1) * sizeof *out);
    if (out && sodae_model_outputs(model, &sodae_model_problem(model)->initial, out) > 1) abort();
    free(out);
}

/* NULL: there is no such line. */
static const char *read_set(const uint8_t *data, size_t size, char text[WORDS]) {
    size_t n = 0;
    if (size < 5 || memcmp(data, "#set ", 5)) return NULL;
    while (5 + n < size && n < WORDS - 1 && data[5 + n] != '\n') n++;
    memcpy(text, data + 5, n);
    text[n] = 0;
    return text;
}

static int no_file(const char *name, const char **text, size_t *size, void *user) {
    (void)name, (void)text, (void)size, (void)user;
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sodae_model *model = NULL;
    sodae_failure why = {0};
    char text[WORDS];
    const char *overrides[] = {read_set(data, size, text), NULL};
    const model_limits limits = {.nodes = 100000, .work = 100000, .memory = 64 << 20};
    if (size > 1 << 16) return 0;
    const model_text from = {(const char *)data, size, "fuzz", no_file, NULL, overrides};
    if (model_parse(&from, &limits, &model, &why)) {
        if (!why.message[0] || model) abort(); /* no error without a message */
        return 0;
    }
    const sodae_problem *p = sodae_model_problem(model);
    if (p->nv <= 200 && p->nlambda <= 200 && p->npsi <= 200 && p->nr + p->nw + p->ns <= 200)
        evaluate_all(p);
    evaluate_outputs(model);
    sodae_options options = sodae_default_options();
    sodae_model_options(model, &options, &why);
    sodae_model_free(model);
    return 0;
}
