/* The evaluation of tapes. */
#include "expression/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void load(const tape *t, const double *const *blocks, double *x) {
    memcpy(x, t->constants, (size_t)t->nconstants * sizeof *x);
    for (int k = 0; k < t->ninputs; k++) {
        const tape_input *in = &t->inputs[k];
        const double *block = blocks[in->kind];
        for (int i = 0; i < in->count; i++) x[in->to[i]] = block ? block[in->from[i]] : 0;
    }
}

static void run(const tape *t, const double *const *blocks, double *x, double *out) {
    load(t, blocks, x);
    const tape_step *end = t->steps + t->nsteps;
    for (const tape_step *s = t->steps; s < end; s++) {
        switch (s->op) {
        case EXPR_ADD:
            x[s->to] = x[s->a] + x[s->b];
            break;
        case EXPR_SUB:
            x[s->to] = x[s->a] - x[s->b];
            break;
        case EXPR_MUL:
            x[s->to] = x[s->a] * x[s->b];
            break;
        case EXPR_DIV:
            x[s->to] = x[s->a] / x[s->b];
            break;
        case EXPR_NEG:
            x[s->to] = -x[s->a];
            break;
        case EXPR_SIN:
            x[s->to] = sin(x[s->a]);
            break;
        case EXPR_COS:
            x[s->to] = cos(x[s->a]);
            break;
        case EXPR_SQRT:
            x[s->to] = sqrt(x[s->a]);
            break;
        case EXPR_IF:
            x[s->to] = x[s->a] != 0 ? x[s->b] : x[s->c];
            break;
        case TAPE_MADD:
            x[s->to] = x[s->c] + x[s->a] * x[s->b];
            break;
        case TAPE_MSUB:
            x[s->to] = x[s->a] * x[s->b] - x[s->c];
            break;
        case TAPE_NMADD:
            x[s->to] = x[s->c] - x[s->a] * x[s->b];
            break;
        case TAPE_SINCOS: {
            double angle = x[s->a];
            x[s->to] = sin(angle);
            x[s->b] = cos(angle);
            break;
        }
        case TAPE_STORE:
            out[s->to] = x[s->a];
            break;
        default:
            x[s->to] = expr_apply(s->op, x[s->a], x[s->b], x[s->c]);
            break;
        }
    }
}

/* Frames live on the stack, in three sizes so that small tapes touch little of it. */
static void run_small(const tape *t, const double *const *blocks, double *out) {
    double x[256];
    run(t, blocks, x, out);
}

static void run_medium(const tape *t, const double *const *blocks, double *out) {
    double x[4096];
    run(t, blocks, x, out);
}

static void run_large(const tape *t, const double *const *blocks, double *out) {
    double x[TAPE_STACK];
    run(t, blocks, x, out);
}

int tape_run(const tape *t, const double *const blocks[TAPE_BLOCKS], double *out) {
    /* called through a table so that the large frame is not merged into the small one */
    static void (*const runs[])(const tape *, const double *const *,
                                double *) = {run_small, run_medium, run_large};
    if (t->frame <= TAPE_STACK) {
        runs[(t->frame > 256) + (t->frame > 4096)](t, blocks, out);
        return 0;
    }
    double *x = malloc((size_t)t->frame * sizeof *x);
    if (!x) return 1;
    run(t, blocks, x, out);
    free(x);
    return 0;
}
