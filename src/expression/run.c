/* The evaluation of tapes. */
#include "expression/table.h"
#include "expression/tape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void load(const tape *t, const double *const *blocks, double *x) {
    memcpy(x, t->filled, (size_t)t->nfilled * sizeof *x);
    for (int k = 0; k < t->ninputs; k++) {
        const tape_input *in = &t->inputs[k];
        const double *block = blocks[in->kind];
        if (block)
            for (int i = 0; i < in->count; i++) x[in->to[i]] = block[in->from[i]];
        else
            for (int i = 0; i < in->count; i++) x[in->to[i]] = 0;
    }
}

/* x[to] = value */
#define STEP(op, value)                                                                            \
    case op:                                                                                       \
        x[s->to] = (value);                                                                        \
        break;
#define A x[s->a]
#define B x[s->b]
#define C x[s->c]

static void run(const tape *t, const double *const *blocks, double *restrict x,
                double *restrict out) {
    load(t, blocks, x);
    const tape_step *restrict s = t->steps, *end = s + t->nsteps;
    for (; s < end; s++) {
        double angle;
        switch (s->op) {
            STEP(EXPR_ADD, A + B)
            STEP(EXPR_SUB, A - B)
            STEP(EXPR_MUL, A * B)
            STEP(EXPR_DIV, A / B)
            STEP(EXPR_NEG, -A)
            STEP(EXPR_SIN, sin(A))
            STEP(EXPR_COS, cos(A))
            STEP(EXPR_SQRT, sqrt(A))
            STEP(EXPR_EXP, exp(A))
            STEP(EXPR_IF, A != 0 ? B : C)
            STEP(TAPE_MADD, C + A * B)
            STEP(TAPE_MSUB, A * B - C)
            STEP(TAPE_NMADD, C - A * B)
            STEP(TAPE_MOVE, A)
        case TAPE_SINCOS:
            angle = A;
            x[s->to] = sin(angle);
            x[s->b] = cos(angle);
            break;
        case EXPR_TABLE:
            x[s->to] = expr_table_number(&t->tables[s->b / TABLE_COLUMNS], s->b % TABLE_COLUMNS, A);
            break;
        case TAPE_STORE:
            out[s->to] = A;
            break;
        default:
            x[s->to] = expr_apply(s->op, A, B, C);
        }
    }
    memcpy(out, x, (size_t)t->direct * sizeof *out);
}

#undef STEP
#undef A
#undef B
#undef C

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
