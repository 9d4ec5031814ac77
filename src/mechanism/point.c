/* Kinematics of all bodies and quantities, once for each point. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

size_t mech_work_size(const sodae_mechanism *m) {
    return (size_t)(m->bodies.count + 1) * sizeof(mech_motion) +
           (size_t)m->quantities.count * sizeof(mech_value) +
           (size_t)m->elements.count * sizeof(element_state) +
           ((size_t)m->most_entries + m->impact_room) * sizeof(double);
}

mech_work mech_work_at(const sodae_mechanism *m, void *bytes) {
    mech_motion *motion = bytes;
    mech_value *value = (mech_value *)(motion + m->bodies.count + 1);
    element_state *strain = (element_state *)(value + m->quantities.count);
    double *block = (double *)(strain + m->elements.count);
    return (mech_work){motion, value, strain, block, block + m->most_entries};
}

static void planar_motion(const double *q, const double *v, mech_motion *out) {
    double c = cos(q[2]), s = sin(q[2]);
    *out = (mech_motion){.x = {q[0], q[1], 0},
                         .R = {c, -s, 0, s, c, 0, 0, 0, 1},
                         .v = {v[0], v[1], 0, 0, 0, v[2]},
                         .u = {v[0], v[1], 0, 0, 0, v[2]},
                         .angle = q[2]};
}

static void spatial_motion(const double *q, const double *v, int se3, mech_motion *out) {
    memcpy(out->x, q, sizeof out->x);
    memcpy(out->R, q + 3, sizeof out->R);
    memcpy(out->v, v, sizeof out->v);
    memcpy(out->u, v, sizeof out->u);
    if (se3) m3_apply(out->R, v, out->v);
    out->se3 = se3;
}

void mech_motions(const mech_work *w, const mech_quantity *q, const mech_motion *pair[2]) {
    pair[0] = &w->motion[q->body[0]];
    pair[1] = &w->motion[q->body[1]];
}

void mech_second(const sodae_mechanism *m, const mech_work *w, int quantity, double H[144]) {
    const mech_motion *pair[2];
    mech_motions(w, &m->quantities.at[quantity], pair);
    mech_quantity_second(&m->quantities.at[quantity], pair, H);
    mech_quantity_turn_second(pair, w->value[quantity].W, H);
}

int mech_prepare(const sodae_point *at, void *user) {
    const sodae_mechanism *m = user;
    mech_work w = mech_work_at(m, at->work);
    int nb = m->bodies.count;
    for (int b = 0; b < nb; b++)
        if (m->planar)
            planar_motion(at->q + 3 * b, at->v + 3 * b, &w.motion[b]);
        else
            spatial_motion(at->q + 12 * b, at->v + 6 * b, m->bodies.at[b].se3, &w.motion[b]);
    w.motion[nb] = (mech_motion){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int i = 0; i < m->quantities.count; i++) {
        const mech_quantity *q = &m->quantities.at[i];
        const mech_motion *pair[2];
        mech_motions(&w, q, pair);
        mech_quantity_value(q, pair, q->turn < 0 ? 0 : at->r[q->turn], &w.value[i]);
        mech_quantity_turn(pair, w.value[i].W);
    }
    return mech_beam_strains(m, &w);
}
