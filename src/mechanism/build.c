/* The parts of a mechanism, and what all of them need. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int mech_grow(arena *memory, void **at, int count, int *room, size_t size) {
    if (count < *room) return memory->failed;
    int more = *room ? 2 * *room : 8;
    void *bytes = arena_take(memory, (size_t)more, size);
    if (memory->failed) return 1;
    if (count) memcpy(bytes, *at, (size_t)count * size);
    *at = bytes;
    *room = more;
    return 0;
}

const char *mech_copy_text(sodae_mechanism *m, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = arena_take(&m->memory, size, 1);
    return copy ? memcpy(copy, text, size) : "";
}

sodae_mechanism *sodae_mechanism_create(int planar, const double gravity[3]) {
    sodae_mechanism *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->problem.size = sizeof m->problem;
    m->problem.exact_derivatives = 1;
    m->planar = planar != 0;
    m->n = planar ? 3 : 6;
    if (gravity) memcpy(m->gravity, gravity, sizeof m->gravity);
    if (planar) m->gravity[2] = 0;
    return m;
}

void sodae_mechanism_free(sodae_mechanism *m) {
    if (!m) return;
    sodae_space_free(m->space);
    sodae_space_free(m->whole_space);
    arena_free(&m->memory);
    free(m);
}

/* Eigenvalues of the symmetric matrix A by Jacobi rotations, which converge in a few sweeps. */
static void eigenvalues(const double A[9], double out[3]) {
    double a[9];
    memcpy(a, A, sizeof a);
    for (int turn = 0; turn < 60; turn++) {
        int p = turn % 3 == 2 ? 1 : 0, q = turn % 3 == 0 ? 1 : 2, r = 3 - p - q;
        if (a[3 * p + q] == 0) continue;
        double theta = (a[4 * q] - a[4 * p]) / (2 * a[3 * p + q]);
        double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        double c = 1 / sqrt(t * t + 1), s = t * c, pr = a[3 * p + r], qr = a[3 * q + r];
        a[4 * p] -= t * a[3 * p + q];
        a[4 * q] += t * a[3 * p + q];
        a[3 * p + q] = a[3 * q + p] = 0;
        a[3 * p + r] = a[3 * r + p] = c * pr - s * qr;
        a[3 * q + r] = a[3 * r + q] = s * pr + c * qr;
    }
    for (int i = 0; i < 3; i++) out[i] = a[4 * i];
}

/* Principal values a, b, c of a rigid body are positive and a <= b + c. */
static const char *wrong_inertia(const double I[9]) {
    const double slack = 1e-9; /* digits that a file may have lost */
    double e[3], size = fabs(I[0]) + fabs(I[4]) + fabs(I[8]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            if (!(fabs(I[3 * i + j] - I[3 * j + i]) <= slack * size))
                return "the inertia is not symmetric";
    eigenvalues(I, e);
    for (int i = 0; i < 3; i++)
        if (!(e[i] > 0)) return "the inertia is not positive definite";
    for (int i = 0; i < 3; i++)
        if (e[i] > (e[(i + 1) % 3] + e[(i + 2) % 3]) * (1 + slack))
            return "no rigid body has this inertia: a principal value exceeds the sum of the "
                   "others";
    return NULL;
}

static const char *wrong_body(const sodae_mechanism *m, const sodae_body *body) {
    if (!(body->mass > 0 && isfinite(body->mass))) return "the mass must be positive";
    if (!m->planar) return wrong_inertia(body->inertia);
    return body->inertia[8] > 0 && isfinite(body->inertia[8]) ? NULL
                                                              : "the inertia must be positive";
}

int sodae_mechanism_body(sodae_mechanism *m, const char *name, const sodae_body *body,
                         sodae_failure *why) {
    const char *wrong = m->finished ? "the mechanism is finished" : wrong_body(m, body);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "body %.60s: %s", name, wrong);
    if (MECH_PUSH(m, m->bodies)) return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    mech_body *b = &m->bodies.at[m->bodies.count];
    *b = (mech_body){
        .name = mech_copy_text(m, name), .given = *body, .se3 = body->se3 && !m->planar};
    if (m->planar) {
        double c = cos(body->angle), s = sin(body->angle);
        const double R[9] = {c, -s, 0, s, c, 0, 0, 0, 1};
        memcpy(b->given.rotation, R, sizeof R);
        b->given.at[2] = 0;
        memset(b->given.inertia, 0, 8 * sizeof(double));
    }
    return m->bodies.count++;
}

int mech_add_quantity(sodae_mechanism *m, mech_kind kind, int b1, int b2) {
    if (MECH_PUSH(m, m->quantities)) return -1;
    mech_vector *v = arena_take(&m->memory, (size_t)mech_vectors(kind) + 1, sizeof *v);
    if (!v) return -1;
    m->quantities.at[m->quantities.count] =
        (mech_quantity){.kind = kind, .body = {b1, b2}, .turn = -1, .v = v};
    return m->quantities.count++;
}

void mech_direction_in_body(const sodae_mechanism *m, int b, const double world[3], double out[3]) {
    if (b >= 0)
        m3_apply_transposed(m->bodies.at[b].given.rotation, world, out);
    else
        memcpy(out, world, 3 * sizeof *out);
}

void mech_point_in_body(const sodae_mechanism *m, int b, const double world[3], double out[3]) {
    double arm[3];
    memcpy(arm, world, sizeof arm);
    if (b >= 0) v3_sub(world, m->bodies.at[b].given.at, arm);
    mech_direction_in_body(m, b, arm, out);
}

void mech_point_at_start(const sodae_mechanism *m, int b, const double local[3], double out[3]) {
    memcpy(out, local, 3 * sizeof *out);
    if (b < 0) return;
    m3_apply(m->bodies.at[b].given.rotation, local, out);
    v3_add(1, m->bodies.at[b].given.at, out);
}

const char *sodae_mechanism_body_name(const sodae_mechanism *m, int body) {
    return body >= 0 && body < m->bodies.count ? m->bodies.at[body].name : NULL;
}

const char *sodae_mechanism_joint_name(const sodae_mechanism *m, int joint) {
    return joint >= 0 && joint < m->joints.count ? m->joints.at[joint].name : NULL;
}

const char *sodae_mechanism_force_name(const sodae_mechanism *m, int force) {
    return force >= 0 && force < m->forces.count ? m->forces.at[force].name : NULL;
}

sodae_joint_type sodae_mechanism_joint_type(const sodae_mechanism *m, int joint) {
    return m->joints.at[joint].type;
}

int sodae_mechanism_is_planar(const sodae_mechanism *m) {
    return m->planar;
}

const sodae_start_report *sodae_mechanism_assembly(const sodae_mechanism *m) {
    return &m->assembly;
}

double sodae_mechanism_moved(const sodae_mechanism *m) {
    return m->moved;
}

const sodae_problem *sodae_mechanism_problem(const sodae_mechanism *m) {
    return m->finished ? mech_whole(m) : NULL;
}
