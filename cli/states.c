#include "cli/states.h"

#include "cli/json.h"

#include <math.h>
#include <stdlib.h>

static void put(json_t *object, const char *name, const double *x, int count) {
    json_object_set_new(object, name, cli_json_reals(x, count));
}

static void put_known(json_t *object, const char *name, double x) {
    if (!isnan(x)) json_object_set_new(object, name, cli_json_real(x));
}

static json_t *body_json(const sodae_body_state *b) {
    json_t *object = json_object();
    put(object, "position", b->position, 3);
    put(object, "quaternion", b->quaternion, 4);
    put(object, "velocity", b->velocity, 3);
    put(object, "angular_velocity", b->angular_velocity, 3);
    return object;
}

/* A gear or a motion has a value, other joints a force and a torque. */
static json_t *joint_json(const sodae_joint_state *j) {
    json_t *object = json_object();
    if (isnan(j->value)) {
        put(object, "force", j->force, 3);
        put(object, "torque", j->torque, 3);
        put(object, "point", j->point, 3);
    }
    put_known(object, "angle", j->angle);
    put_known(object, "displacement", j->displacement);
    put_known(object, "rate", j->rate);
    put_known(object, "speed", j->speed);
    put_known(object, "value", j->value);
    return object;
}

static json_t *as_json(const sodae_mechanism *m, double t, const sodae_body_state *bodies,
                       const sodae_joint_state *joints, const sodae_mechanism_energy *energy) {
    json_t *state = json_object(), *all_bodies = json_object(), *all_joints = json_object();
    const char *name;
    json_object_set_new(state, "t", cli_json_real(t));
    for (int i = 0; (name = sodae_mechanism_body_name(m, i)); i++)
        json_object_set_new(all_bodies, name, body_json(&bodies[i]));
    for (int i = 0; (name = sodae_mechanism_joint_name(m, i)); i++)
        json_object_set_new(all_joints, name, joint_json(&joints[i]));
    json_object_set_new(state, "bodies", all_bodies);
    json_object_set_new(state, "joints", all_joints);
    json_object_set_new(state, "kinetic", cli_json_real(energy->kinetic));
    json_object_set_new(state, "potential", cli_json_real(energy->potential));
    json_object_set_new(state, "energy", cli_json_real(energy->kinetic + energy->potential));
    return state;
}

/* Numbers, vectors as lists, matrices as lists of rows. */
static json_t *output_json(const double *x, int rows, int cols) {
    if (rows * cols == 1) return cli_json_real(x[0]);
    if (cols == 1) return cli_json_reals(x, rows);
    json_t *list = json_array();
    for (int i = 0; i < rows; i++) json_array_append_new(list, cli_json_reals(x + i * cols, cols));
    return list;
}

static void put_outputs(json_t *state, const sodae_model *model, const sodae_point *at) {
    const char *name;
    int rows, cols, total = 0;
    for (int i = 0; sodae_model_mechanism_output(model, i, &rows, &cols); i++) total += rows * cols;
    double *x = calloc((size_t)total + 1, sizeof *x);
    if (total && x && !sodae_model_mechanism_outputs(model, at, x)) {
        json_t *outputs = json_object();
        const double *next = x;
        for (int i = 0; (name = sodae_model_mechanism_output(model, i, &rows, &cols)); i++) {
            json_object_set_new(outputs, name, output_json(next, rows, cols));
            next += rows * cols;
        }
        json_object_set_new(state, "outputs", outputs);
    }
    free(x);
}

static json_t *rows_json(const double *x, int rows, int cols) {
    json_t *list = json_array();
    for (int i = 0; i < rows; i++) json_array_append_new(list, cli_json_reals(x + i * cols, cols));
    return list;
}

static json_t *beam_json(const sodae_mechanism *m, const sodae_point *at, int beam, int n) {
    double *x = calloc(13 * (size_t)n + 7, sizeof *x), *p = x + 3 * (n + 1), *f = p + 4 * (n + 1);
    json_t *object = json_object();
    if (x && !sodae_mechanism_beam_results(m, at, beam, x, p, f, f + 3 * n)) {
        json_object_set_new(object, "position", rows_json(x, n + 1, 3));
        json_object_set_new(object, "quaternion", rows_json(p, n + 1, 4));
        json_object_set_new(object, "force", rows_json(f, n, 3));
        json_object_set_new(object, "moment", rows_json(f + 3 * n, n, 3));
    }
    free(x);
    return object;
}

/* By node: position, quaternion; by element: force, moment. */
static void put_beams(json_t *state, const sodae_mechanism *m, const sodae_point *at) {
    json_t *beams = json_object();
    const char *name;
    int n;
    for (int i = 0; (name = sodae_mechanism_beam_name(m, i, &n)); i++)
        json_object_set_new(beams, name, beam_json(m, at, i, n));
    if (json_object_size(beams))
        json_object_set_new(state, "beams", beams);
    else
        json_decref(beams);
}

json_t *cli_state(const cli_target *target, const sodae_view *view) {
    const sodae_mechanism *m = target->model ? sodae_model_mechanism(target->model) : NULL;
    sodae_mechanism_energy energy;
    int nb = 0, nj = 0;
    if (!m) return NULL;
    while (sodae_mechanism_body_name(m, nb)) nb++;
    while (sodae_mechanism_joint_name(m, nj)) nj++;
    sodae_body_state *bodies = calloc((size_t)nb + 1, sizeof *bodies);
    sodae_joint_state *joints = calloc((size_t)nj + 1, sizeof *joints);
    sodae_point at = {.t = view->t,
                      .q = view->q,
                      .v = view->v,
                      .a = view->vdot,
                      .lambda = view->lambda,
                      .psi = view->psi,
                      .r = view->r};
    json_t *state = NULL;
    if (bodies && joints && !sodae_mechanism_results(m, &at, bodies, joints, &energy))
        state = as_json(m, view->t, bodies, joints, &energy);
    if (state) put_outputs(state, target->model, &at);
    if (state) put_beams(state, m, &at);
    free(bodies);
    free(joints);
    return state;
}

json_t *cli_redundant_joints(const sodae_mechanism *m) {
    json_t *names = json_array();
    int count = 0;
    while (sodae_mechanism_joint_name(m, count)) count++;
    unsigned char *joints = calloc((size_t)count + 1, 1);
    if (joints && sodae_mechanism_redundant(m, NULL, joints) > 0)
        for (int i = 0; i < count; i++)
            if (joints[i])
                json_array_append_new(names, json_string(sodae_mechanism_joint_name(m, i)));
    free(joints);
    return names;
}
