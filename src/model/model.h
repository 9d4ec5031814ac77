/* A model: a problem, the tapes behind its callbacks, and the settings of the file. */
#pragma once

#include "expression/pool.h"
#include "expression/tape.h"

#include <sodae/model.h>

typedef struct model_setting {
    const char *name, *value;
    int line, column;
} model_setting;

typedef struct model_parameter {
    const char *name;
    double value; /* NaN for vectors */
} model_parameter;

enum { MODEL_ACTIONS = 3 }; /* positions, velocities, dynamic */

typedef struct model_event {
    tape when;
    tape change[MODEL_ACTIONS]; /* the whole block after the event; empty: unchanged */
    int line, column;
} model_event;

struct sodae_model {
    sodae_problem problem; /* its `user` is the model */
    tape value[SODAE_FUNCTIONS];
    tape derivative[SODAE_FUNCTIONS][SODAE_VARIABLES];
    tape exact[8];      /* q, v, a, lambda, psi, r, w, s */
    int exact_given[8]; /* which of them are known; NaN otherwise */
    tape signals;       /* functions of t alone: those that change, then switches */
    tape kinks;         /* functions that change their signs at kinks in the state */
    expr_pool memory;   /* names, patterns, initial values */
    sodae_space *space;
    const char *label;
    double t_end, output_step;
    int nsettings, nparameters;
    model_setting *settings;
    model_parameter *parameters;
    model_event *events;   /* problem.nevents */
    const double *atol[3]; /* of q, v, lambda by component; NULL: not given */
};

/* How large a model may become while it is built. */
typedef struct model_limits {
    int nodes;     /* of the graph */
    long work;     /* operations while the text is expanded */
    size_t memory; /* bytes */
} model_limits;

/* sodae_model_parse with limits of its own; `why` must be given. */
sodae_status model_parse(const char *text, size_t size, const char *label,
                         const char *const *overrides, const model_limits *limits,
                         sodae_model **model, sodae_failure *why);

/* callbacks.c: the function of each tape, all alike but for the tape. */
sodae_fn *callbacks_value(sodae_function f);
sodae_fn *callbacks_derivative(sodae_function f, sodae_variable x);
int callbacks_exact(double t, const sodae_solution *out, void *user);
int callbacks_signals(double t0, double t1, double *low, double *high, void *user);
int callbacks_kinks(const sodae_point *at, double *out, void *user);
/* One signal of which nothing is known, for those that are too many: the integrator tells so. */
int callbacks_no_bounds(double t0, double t1, double *low, double *high, void *user);
/* Of events; `user` is the model_event. */
int callbacks_when(const sodae_point *at, double *out, void *user);
int callbacks_act(const sodae_point *at, const sodae_solution *state, void *user);
