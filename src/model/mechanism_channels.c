/* Numbers of a mechanism by name: its outputs, bodies/rod/position, joints/pin/force,
 * beams/blade/moment, energy/kinetic. One walk gives the names, or the values in the same order. */
#include "mechanism/mechanism.h"
#include "model/build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct walk {
    sodae_model *model; /* names are kept there; NULL: values are wanted, or only their count */
    double *out;
    int count, failed;
    char place[140];
} walk;

static void go_to(walk *w, const char *group, const char *name) {
    snprintf(w->place, sizeof w->place, "%s/%.100s/", group, name);
}

/* Unless `units` gives another one. */
static const char *usual_unit(const char *what) {
    static const char *const units[][2] = {
        {"position", "m"}, {"displacement", "m"}, {"velocity", "m/s"},
        {"speed", "m/s"},  {"angle", "rad"},      {"angular_velocity", "rad/s"},
        {"rate", "rad/s"}, {"force", "N"},        {"torque", "N m"},
        {"moment", "N m"}, {"kinetic", "J"},      {"potential", "J"}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(what, units[i][0])) return units[i][1];
    return NULL;
}

static void name_number(walk *w, const char *what, const char *index) {
    char text[200];
    snprintf(text, sizeof text, "%s%s%s", w->place, what, index);
    if (w->place[0]) w->model->output_units[w->count] = usual_unit(what);
    w->model->output_names[w->count] = expr_pool_text(&w->model->memory, text, strlen(text));
    w->failed |= !w->model->output_names[w->count];
}

/* rows x cols numbers by rows; cols 0: a quaternion. */
static void put(walk *w, const char *what, int rows, int cols, const double *x) {
    static const char letters[] = "wxyz";
    int quaternion = cols == 0, count = quaternion ? 4 : rows * cols;
    for (int i = 0; i < count; i++, w->count++) {
        char index[32] = "";
        if (w->out) w->out[w->count] = x[i];
        if (!w->model) continue;
        if (quaternion)
            snprintf(index, sizeof index, ".%c", letters[i]);
        else if (cols > 1)
            snprintf(index, sizeof index, "[%d,%d]", i / cols + 1, i % cols + 1);
        else if (rows > 1)
            snprintf(index, sizeof index, "[%d]", i + 1);
        name_number(w, what, index);
    }
}

static void put_outputs(walk *w, const sodae_model *model, const double *x) {
    w->place[0] = 0;
    for (int i = 0; i < model->mechanism_noutputs; i++) {
        const model_output *o = &model->mechanism_outputs[i];
        put(w, o->name, o->rows, o->cols, x);
        if (x) x += o->rows * o->cols;
    }
}

/* All numbers at a state; arrays of zeros where only names are wanted. */
typedef struct numbers {
    sodae_body_state *bodies;
    sodae_joint_state *joints;
    sodae_mechanism_energy energy;
    double *outputs, *nodes; /* nodes: of one beam */
} numbers;

static void put_body(walk *w, const sodae_mechanism *m, int b, const sodae_body_state *x,
                     double angle) {
    go_to(w, "bodies", m->bodies.at[b].name);
    put(w, "position", m->planar ? 2 : 3, 1, x->position);
    if (m->planar)
        put(w, "angle", 1, 1, &angle);
    else
        put(w, "quaternion", 4, 0, x->quaternion);
    put(w, "velocity", m->planar ? 2 : 3, 1, x->velocity);
    put(w, "angular_velocity", m->planar ? 1 : 3, 1, x->angular_velocity + (m->planar ? 2 : 0));
}

static void put_joint(walk *w, const sodae_mechanism *m, const mech_joint *j,
                      const sodae_joint_state *x) {
    go_to(w, "joints", j->name);
    if (j->type == SODAE_JOINT_GEAR || j->type == SODAE_JOINT_MOTION) {
        put(w, "value", 1, 1, &x->value);
        return;
    }
    if (j->angle >= 0) put(w, "angle", 1, 1, &x->angle);
    if (j->displacement >= 0) put(w, "displacement", 1, 1, &x->displacement);
    if (j->angle >= 0 || j->displacement >= 0) put(w, "rate", 1, 1, &x->rate);
    if (j->angle < 0 && j->displacement >= 0 && w->model)
        w->model->output_units[w->count - 1] = "m/s";
    if (j->angle >= 0 && j->displacement >= 0) put(w, "speed", 1, 1, &x->speed);
    put(w, "force", m->planar ? 2 : 3, 1, x->force);
    put(w, "torque", m->planar ? 1 : 3, 1, x->torque + (m->planar ? 2 : 0));
}

static int put_beam(walk *w, const sodae_mechanism *m, int i, const sodae_point *at, double *x) {
    const mech_beam *b = &m->beams.at[i];
    int n = b->count + 1;
    double *quaternion = x + 3 * n, *force = quaternion + 4 * n, *moment = force + 3 * n;
    if (w->out && sodae_mechanism_beam_results(m, at, i, x, quaternion, force, moment)) return 1;
    go_to(w, "beams", b->name);
    put(w, "position", n, 3, x);
    put(w, "quaternion", n, 4, quaternion);
    put(w, "force", b->count, 3, force);
    put(w, "moment", b->count, 3, moment);
    return 0;
}

static int walk_all(walk *w, const sodae_model *model, const sodae_point *at, const numbers *x) {
    const sodae_mechanism *m = model->mechanism;
    int bad = 0;
    put_outputs(w, model, x->outputs);
    for (int b = 0; b < m->bodies.count; b++)
        if (!m->bodies.at[b].node)
            put_body(w, m, b, &x->bodies[b], m->planar ? at->q[3 * b + 2] : 0);
    for (int j = 0; j < m->joints.count; j++) put_joint(w, m, &m->joints.at[j], &x->joints[j]);
    for (int i = 0; i < m->beams.count && !bad; i++) bad = put_beam(w, m, i, at, x->nodes);
    snprintf(w->place, sizeof w->place, "energy/");
    put(w, "kinetic", 1, 1, &x->energy.kinetic);
    put(w, "potential", 1, 1, &x->energy.potential);
    return bad;
}

static int most_nodes(const sodae_mechanism *m) {
    int most = 0;
    for (int i = 0; i < m->beams.count; i++)
        if (m->beams.at[i].count + 1 > most) most = m->beams.at[i].count + 1;
    return most;
}

static int open_numbers(const sodae_model *model, numbers *x) {
    const sodae_mechanism *m = model->mechanism;
    *x = (numbers){.bodies = calloc((size_t)m->bodies.count + 1, sizeof *x->bodies),
                   .joints = calloc((size_t)m->joints.count + 1, sizeof *x->joints),
                   .outputs = calloc((size_t)model->mechanism_tape.nout + 1, sizeof *x->outputs),
                   .nodes = calloc(13 * (size_t)most_nodes(m) + 1, sizeof *x->nodes)};
    return !x->bodies || !x->joints || !x->outputs || !x->nodes;
}

static void close_numbers(numbers *x) {
    free(x->bodies);
    free(x->joints);
    free(x->outputs);
    free(x->nodes);
}

int mechanism_name_channels(sodae_model *model) {
    numbers x;
    walk w = {0};
    const sodae_point *at = &model->problem.initial;
    int bad = open_numbers(model, &x);
    if (!bad) {
        walk_all(&w, model, at, &x);
        model->output_names = EXPR_TAKE(&model->memory, const char *, w.count + 1);
        model->output_units = EXPR_TAKE(&model->memory, const char *, w.count + 1);
        model->mechanism_nchannels = w.count;
        bad = !model->output_names || !model->output_units;
    }
    w = (walk){.model = model};
    if (!bad) bad = walk_all(&w, model, at, &x) || w.failed;
    close_numbers(&x);
    return bad;
}

int mechanism_channels(const sodae_model *model, const sodae_point *at, double *out) {
    numbers x;
    walk w = {.out = out};
    int bad = open_numbers(model, &x) ||
              sodae_mechanism_results(model->mechanism, at, x.bodies, x.joints, &x.energy) ||
              sodae_model_mechanism_outputs(model, at, x.outputs) || walk_all(&w, model, at, &x);
    close_numbers(&x);
    return bad;
}
