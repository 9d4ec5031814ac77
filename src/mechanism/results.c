/* Bodies, joints and energies at a state. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The quaternion of R, from the largest of its four parts, with w >= 0. */
static void quaternion_of(const double R[9], double p[4]) {
    double trace = R[0] + R[4] + R[8], square[4] = {trace, R[0], R[4], R[8]};
    int big = 0;
    for (int i = 1; i < 4; i++)
        if (square[i] > square[big]) big = i;
    if (big == 0) {
        p[0] = 1 + trace, p[1] = R[7] - R[5], p[2] = R[2] - R[6], p[3] = R[3] - R[1];
    } else {
        int i = big - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        p[0] = R[3 * k + j] - R[3 * j + k];
        p[1 + i] = 1 + 2 * R[4 * i] - trace;
        p[1 + j] = R[3 * j + i] + R[3 * i + j];
        p[1 + k] = R[3 * k + i] + R[3 * i + k];
    }
    double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (p[0] < 0) size = -size;
    for (int i = 0; i < 4; i++) p[i] = p[i] / size + 0.0;
}

static void body_state(const mech_motion *x, sodae_body_state *out) {
    memcpy(out->position, x->x, sizeof x->x);
    memcpy(out->velocity, x->v, sizeof out->velocity);
    m3_apply(x->R, x->v + 3, out->angular_velocity);
    quaternion_of(x->R, out->quaternion);
}

static const mech_motion *motion_of(const sodae_mechanism *m, const mech_work *w, int body) {
    return &w->motion[body < 0 ? m->bodies.count : body];
}

static void joint_point(const sodae_mechanism *m, const mech_work *w, const mech_joint *j,
                        double out[3]) {
    const mech_motion *b2 = motion_of(m, w, j->body[1]), *pair[2];
    if (j->contact >= 0) {
        mech_motions(w, &m->quantities.at[j->contact], pair);
        mech_point_of_force(&m->quantities.at[j->contact], pair, out);
        return;
    }
    m3_apply(b2->R, j->point, out);
    v3_add(1, b2->x, out);
}

/* force and torque -= s W on body 2, the torque about its centre of mass in its axes */
static void add_reaction(const mech_work *w, const mech_motion *b2, int quantity, double s,
                         double force[3], double torque[3]) {
    double turned[3];
    memcpy(turned, w->value[quantity].W + 6, sizeof turned);
    if (b2->se3) m3_apply(b2->R, w->value[quantity].W + 6, turned);
    v3_add(-s, turned, force);
    v3_add(-s, w->value[quantity].W + 9, torque);
}

static void reaction(const sodae_mechanism *m, const mech_work *w, const mech_joint *j,
                     const sodae_point *at, sodae_joint_state *out) {
    const mech_motion *b2 = motion_of(m, w, j->body[1]);
    double torque[3] = {0}, arm[3], moment[3];
    memset(out->force, 0, sizeof out->force);
    for (int r = j->row; r < j->row + j->nrows; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_reaction(w, b2, m->rows.at[r].quantity[k], at->lambda[r] * m->rows.at[r].factor[k],
                         out->force, torque);
    for (int r = j->slip; r < j->slip + j->nslips; r++)
        add_reaction(w, b2, m->slips.at[r], at->psi[r], out->force, torque);
    joint_point(m, w, j, out->point);
    if (j->clamp) {
        mech_clamp_reaction(m, w, j, at->a, out->point, out->force, out->torque);
        return;
    }
    m3_apply(b2->R, torque, out->torque);
    v3_sub(out->point, b2->x, arm);
    v3_cross(arm, out->force, moment);
    v3_add(-1, moment, out->torque);
}

static void joint_state(const sodae_mechanism *m, const mech_work *w, const mech_joint *j,
                        const sodae_point *at, sodae_joint_state *out) {
    const mech_value *angle = j->angle < 0 ? NULL : &w->value[j->angle];
    const mech_value *displacement = j->displacement < 0 ? NULL : &w->value[j->displacement];
    int coupling = j->type == SODAE_JOINT_GEAR || j->type == SODAE_JOINT_MOTION;
    *out = (sodae_joint_state){.angle = angle ? angle->z : NAN,
                               .displacement = displacement ? displacement->z : NAN,
                               .rate = angle          ? angle->rate
                                       : displacement ? displacement->rate
                                                      : NAN,
                               .speed = displacement ? displacement->rate : NAN,
                               .value = coupling ? -at->lambda[j->row] : NAN};
    if (!coupling) reaction(m, w, j, at, out);
}

sodae_status sodae_mechanism_results(const sodae_mechanism *m, const sodae_point *at,
                                     sodae_body_state *bodies, sodae_joint_state *joints,
                                     sodae_mechanism_energy *energy) {
    sodae_point here = *at;
    int reactions = joints && (m->rows.count || m->slips.count);
    if (!m->finished || (reactions && !at->lambda && !at->psi)) return SODAE_BAD_ARGUMENT;
    here.work = calloc(1, m->problem.work_size);
    if (!here.work) return SODAE_NO_MEMORY;
    int code = mech_prepare(&here, (void *)m);
    mech_work w = mech_work_at(m, here.work);
    for (int b = 0; bodies && b < m->bodies.count; b++) body_state(&w.motion[b], &bodies[b]);
    for (int i = 0; joints && i < m->joints.count; i++)
        joint_state(m, &w, &m->joints.at[i], at, &joints[i]);
    if (energy) mech_energies(m, &w, energy);
    if (energy) code |= mech_powers(m, &here, energy);
    free(here.work);
    return code ? SODAE_CALLBACK_FAILED : SODAE_OK;
}

static void beam_state(const mech_beam *b, const mech_work *w, double *position, double *quaternion,
                       double *force, double *moment) {
    for (int i = 0; i <= b->count; i++) {
        double H[12];
        mech_end_pose(w, &b->node[i], H);
        if (position) memcpy(position + 3 * i, H, 3 * sizeof *H);
        if (quaternion) quaternion_of(H + 3, quaternion + 4 * i);
    }
    for (int i = 0; i < b->count; i++) {
        const double *sigma = w->strain[b->first + i].sigma;
        if (force) memcpy(force + 3 * i, sigma, 3 * sizeof *sigma);
        if (moment) memcpy(moment + 3 * i, sigma + 3, 3 * sizeof *sigma);
    }
}

sodae_status sodae_mechanism_beam_results(const sodae_mechanism *m, const sodae_point *at, int beam,
                                          double *position, double *quaternion, double *force,
                                          double *moment) {
    sodae_point here = *at;
    if (!m->finished || beam < 0 || beam >= m->beams.count) return SODAE_BAD_ARGUMENT;
    here.work = calloc(1, m->problem.work_size);
    if (!here.work) return SODAE_NO_MEMORY;
    int code = mech_prepare(&here, (void *)m);
    mech_work w = mech_work_at(m, here.work);
    if (!code) beam_state(&m->beams.at[beam], &w, position, quaternion, force, moment);
    free(here.work);
    return code ? SODAE_CALLBACK_FAILED : SODAE_OK;
}

sodae_status sodae_mechanism_watched(const sodae_mechanism *m, const sodae_point *at, double *out) {
    sodae_point here = *at;
    if (!m->finished) return SODAE_BAD_ARGUMENT;
    here.work = calloc(1, m->problem.work_size);
    if (!here.work) return SODAE_NO_MEMORY;
    mech_prepare(&here, (void *)m);
    mech_work w = mech_work_at(m, here.work);
    for (int i = 0; i < m->watched.count; i++) {
        const mech_value *value = &w.value[m->watched.at[i].quantity];
        out[i] = m->watched.at[i].rate ? value->rate : value->z;
    }
    free(here.work);
    return SODAE_OK;
}
