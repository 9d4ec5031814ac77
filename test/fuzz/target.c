/* Parser, compiler and evaluator of model files over arbitrary bytes.
 *
 * Whatever loads must evaluate: every function and derivative at the initial state and beside it.
 */
#include "model/model.h"

#include <sodae/sodae.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 20 };

static void evaluate(const sodae_problem *p, const sodae_point *at, double *room) {
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        if (p->value[f].fn && p->value[f].fn(at, room, p->user) > 0) abort();
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if (p->derivative[f][x].fn && p->derivative[f][x].fn(at, room, p->user) > 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    sodae_model *model = NULL;
    sodae_failure why = {0};
    double *room;
    const model_limits limits = {.nodes = 100000, .work = 100000, .memory = 64 << 20};
    if (size > 1 << 16) return 0;
    if (model_parse((const char *)data, size, "fuzz", NULL, &limits, &model, &why) != SODAE_OK) {
        if (!why.message[0] || model) abort(); /* no error without a message */
        return 0;
    }
    const sodae_problem *p = sodae_model_problem(model);
    if (p->nv <= 200 && p->nlambda <= 200 && p->npsi <= 200 && p->nr + p->nw + p->ns <= 200 &&
        (room = malloc(ROOM * sizeof *room))) {
        sodae_point at = p->initial;
        double *a = calloc((size_t)p->nv, sizeof *a);
        evaluate(p, &at, room);
        at.t += 0.5;
        at.a = a;
        evaluate(p, &at, room);
        free(a);
        free(room);
    }
    sodae_options options = sodae_default_options();
    sodae_model_options(model, &options, &why);
    sodae_model_free(model);
    return 0;
}
