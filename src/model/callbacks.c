/* The callbacks of a problem made from a model: each runs its tape. */
#include "model/model.h"

#include <math.h>
#include <stdlib.h>

/* With modes as the state decides: outside of a run, and where a branch that is held is not defined
 * (sqrt(max(x, 0)) right behind x = 0). */
static int run_written(const sodae_model *m, const tape *t, const sodae_point *at, double *out) {
    double few[64], *modes = m->nbranches <= 64 ? few : NULL;
    if (!modes) modes = malloc((size_t)m->nbranches * sizeof *modes);
    int bad = !modes || branch_written(m, at, modes) || model_tape(t, at, modes, out);
    if (modes != few) free(modes);
    return bad ? -1 : 0;
}

int model_run(const sodae_model *m, const tape *t, const sodae_point *at, double *out) {
    if (!m->nbranches) return model_tape(t, at, NULL, out);
    if (!at->work) return run_written(m, t, at, out);
    if (model_tape(t, at, at->work, out)) return -1;
    for (int i = 0; i < t->nout; i++)
        if (!isfinite(out[i])) return run_written(m, t, at, out);
    return 0;
}

#define FUNCTIONS(X)                                                                               \
    X(MASS)                                                                                        \
    X(FORCE)                                                                                       \
    X(HOLONOMIC)                                                                                   \
    X(NONHOLONOMIC)                                                                                \
    X(DYNAMIC)                                                                                     \
    X(AUXILIARY)                                                                                   \
    X(CONTACT)                                                                                     \
    X(REACTION)                                                                                    \
    X(HOLONOMIC_RATE)                                                                              \
    X(HOLONOMIC_DRIFT)                                                                             \
    X(NONHOLONOMIC_DRIFT)                                                                          \
    X(ENERGY)

#define VARIABLES(X, F) X(F, T) X(F, Q) X(F, V) X(F, LAMBDA) X(F, PSI) X(F, R) X(F, W) X(F, S)

#define VALUE(F)                                                                                   \
    static int value_##F(const sodae_point *at, double *out, void *user) {                         \
        const sodae_model *m = user;                                                               \
        return model_run(m, &m->value[SODAE_##F], at, out);                                        \
    }
#define DERIVATIVE(F, X)                                                                           \
    static int derivative_##F##_##X(const sodae_point *at, double *out, void *user) {              \
        const sodae_model *m = user;                                                               \
        return model_run(m, &m->derivative[SODAE_##F][SODAE_##X], at, out);                        \
    }
#define DERIVATIVES(F) VARIABLES(DERIVATIVE, F)

FUNCTIONS(VALUE)
FUNCTIONS(DERIVATIVES)

#define VALUE_NAME(F)         [SODAE_##F] = value_##F,
#define DERIVATIVE_NAME(F, X) [SODAE_##X] = derivative_##F##_##X,
#define DERIVATIVE_NAMES(F)   [SODAE_##F] = {VARIABLES(DERIVATIVE_NAME, F)},

sodae_fn *callbacks_value(sodae_function f) {
    static sodae_fn *const all[SODAE_FUNCTIONS] = {FUNCTIONS(VALUE_NAME)};
    return all[f];
}

sodae_fn *callbacks_derivative(sodae_function f, sodae_variable x) {
    static sodae_fn *const all[SODAE_FUNCTIONS][SODAE_VARIABLES] = {FUNCTIONS(DERIVATIVE_NAMES)};
    return all[f][x];
}

int callbacks_exact(double t, const sodae_solution *out, void *user) {
    const sodae_model *m = user;
    double *const block[8] = {out->q,   out->v, out->a, out->lambda,
                              out->psi, out->r, out->w, out->s};
    const double *inputs[TAPE_BLOCKS] = {&t};
    for (int i = 0; i < 8; i++)
        if (block[i] && tape_run(&m->exact[i], inputs, block[i])) return 1;
    return 0;
}

int callbacks_when(const sodae_point *at, double *out, void *user) {
    return model_tape(&((const model_event *)user)->when, at, NULL, out);
}

/* `at` and `state` do not share memory: all values are those before the event. */
int callbacks_act(const sodae_point *at, const sodae_solution *state, void *user) {
    const model_event *e = user;
    double *const block[MODEL_ACTIONS] = {state->q, state->v, state->r};
    for (int k = 0; k < MODEL_ACTIONS; k++) {
        const tape *change = &e->change[k];
        if (change->nout && model_tape(change, at, NULL, block[k])) return -1;
    }
    return 0;
}
