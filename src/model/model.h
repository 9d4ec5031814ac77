/* A model: a problem, the tapes behind its callbacks, and the settings of the file. */
#pragma once

#include "expression/pool.h"
#include "expression/tape.h"
#include "model/report.h"

#include <sodae/mechanism.h>
#include <sodae/model.h>
#include <sodae/strangeness.h>
#include <sodae/table.h>

typedef struct model_setting {
    const char *name, *value, *label; /* label of the file */
    int line, column;
} model_setting;

typedef struct model_parameter {
    const char *name;
    int rows, cols;   /* of a number 1, 1 */
    double *values;   /* by rows */
    const char *unit; /* NULL: not given */
} model_parameter;

enum { MODEL_ACTIONS = 3 }; /* positions, velocities, dynamic */

typedef struct model_event {
    tape when;
    tape change[MODEL_ACTIONS]; /* the whole block after the event; empty: unchanged */
    int line, column;
} model_event;

/* An expression of a mechanism: value and derivatives. */
typedef struct model_law {
    tape tape;
    struct model_law *next;
} model_law;

typedef struct model_output {
    const char *name;
    int rows, cols;
} model_output;

/* A branch of the equations: chosen by a mode, the sign of `when`. */
typedef struct model_branch {
    tape when;
    int mode;
} model_branch;

/* Residual and A0, A1, A2 of m equations for n unknowns; n = 0: too many. */
typedef struct model_curve {
    int m, n, linear, constant;
    int *twice;
    tape residual, A[3], rate_of_q;
    sodae_pattern pattern[3];
} model_curve;

struct sodae_model {
    sodae_problem problem; /* its `user` is the model */
    tape value[SODAE_FUNCTIONS];
    tape derivative[SODAE_FUNCTIONS][SODAE_VARIABLES];
    tape exact[8];          /* q, v, a, lambda, psi, r, w, s */
    int exact_given[8];     /* which of them are known; NaN otherwise */
    tape switching;         /* functions whose signs are the modes */
    model_branch *branches; /* nbranches: one for each mode */
    int nbranches;
    model_curve curve;
    int printed;                  /* 1: `linear` or `first_order`, no equations of motion */
    sodae_problem as_printed;     /* of these: their unknowns, for the analysis */
    int integrated;               /* 1: `problem` integrates these */
    sodae_failure not_integrated; /* why not */
    sodae_linear_flow *flow;      /* solutions of linear ones */
    expr_pool memory;             /* names, patterns, initial values */
    sodae_space *space;
    const char *label;
    int nfiles;
    model_source *files; /* that the text names */
    double t_end, output_step;
    int nsettings, nparameters;
    model_setting *settings;
    model_parameter *parameters;
    model_event *events; /* problem.nevents */
    int ntimes;
    const double *times;        /* of `run` */
    sodae_mechanism *mechanism; /* NULL: the file has equations */
    int mechanism_noutputs;
    model_output *mechanism_outputs;
    int mechanism_nchannels; /* all numbers by name: outputs, bodies, joints, beams, energies */
    tape mechanism_tape;     /* all of them, one after the other */
    struct model_law *laws;  /* expressions of its forces and motions */
    const double *atol[3];   /* of q, v, lambda by component; NULL: not given */
    sodae_glm_table *table;  /* of solver; NULL: none */
    tape outputs;            /* the numbers of all outputs */
    const char **output_names, **output_units; /* of each number; unit NULL: not given */
    const char **units[SODAE_VARIABLES];       /* by number; NULL: none of the block has one */
    const char *energy_unit;                   /* NULL: not given */
    int conserved;                             /* the energy should stay as it is */
};

/* Numbers that have a name among the outputs. */
static inline int model_output_count(const sodae_model *m) {
    return m->mechanism ? m->mechanism_nchannels : m->outputs.nout;
}

/* How large a model may become while it is built. */
typedef struct model_limits {
    int nodes;     /* of the graph */
    long work;     /* operations while the text is expanded */
    size_t memory; /* bytes */
} model_limits;

/* What a model is made from. */
typedef struct model_text {
    const char *text;
    size_t size;
    const char *label;
    sodae_model_open *open; /* NULL: files below the folder of the label */
    void *user;             /* of `open` */
    const char *const *overrides;
} model_text;

/* sodae_model_parse with limits of its own; `why` must be given. */
sodae_status model_parse(const model_text *from, const model_limits *limits, sodae_model **model,
                         sodae_failure *why);

/* mechanism_channels.c: nonzero when memory ran out or the state cannot be evaluated. */
int mechanism_name_channels(sodae_model *model);
int mechanism_channels(const sodae_model *model, const sodae_point *at, double *out);

/* callbacks.c: the function of each tape, all alike but for the tape. */
sodae_fn *callbacks_value(sodae_function f);
sodae_fn *callbacks_derivative(sodae_function f, sodae_variable x);
int callbacks_exact(double t, const sodae_solution *out, void *user);
/* A tape at a point with the modes of the point; with given ones, NULL: there are none in it. */
int model_run(const sodae_model *m, const tape *t, const sodae_point *at, double *out);
int model_tape(const tape *t, const sodae_point *at, const double *modes, double *out);
/* Of events; `user` is the model_event. */
int callbacks_when(const sodae_point *at, double *out, void *user);
int callbacks_act(const sodae_point *at, const sodae_solution *state, void *user);

/* switching.c: callbacks of the problem, and of hidden events; `user` is the model_branch. */
int branch_modes(const sodae_point *at, int controlled, int *mode, void *user);
int branch_prepare(const sodae_point *at, void *user);
int branch_when(const sodae_point *at, double *out, void *user);
double branch_next(double t, void *user);
int branch_act(const sodae_point *at, const sodae_solution *state, void *user);
int branch_act_in_time(const sodae_point *at, const sodae_solution *state, void *user);
/* Modes as the state decides. */
int branch_written(const sodae_model *m, const sodae_point *at, double *out);
