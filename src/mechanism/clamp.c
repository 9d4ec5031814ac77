/* Reactions of clamps: what a body or ground exerts on the node of a beam that has become part of
 * it. The node has its share of the beam: forces of its elements, inertia, weight and loads,
 *
 *   F = sum f_e + M a - ad(v)^T M v - (m b, S x b) - loads,   b = R^T g, in node axes. */
#include "mechanism/mechanism.h"

#include <string.h>

/* Sums over the elements of a node: length L/2, +-L^2/12 t, and the forces of the elements. */
typedef struct share {
    double length, moment[3], f[6];
} share;

static share share_of(const mech_work *w, const sodae_mechanism *m, const mech_beam *b, int node) {
    share s = {0};
    for (int k = 0; k < 2; k++) {
        int e = k ? node - 1 : node; /* the node is the end k of it */
        if (e < 0 || e >= b->count) continue;
        const element_data *d = &m->elements.at[b->first + e].data;
        s.length += d->L / 2;
        if (!b->given.plain) v3_add((k ? -1 : 1) * d->L * d->L / 12, d->f0, s.moment);
        for (int i = 0; i < 6; i++) s.f[i] += w->strain[b->first + e].f[6 * k + i];
    }
    return s;
}

/* f -= (weight b, arm x b) */
static void subtract_load(double weight, const double arm[3], const double b[3], double f[6]) {
    double moment[3];
    v3_cross(arm, b, moment);
    v3_add(-weight, b, f);
    v3_add(-1, moment, f + 3);
}

/* A body of mass m with static moment S: its momentum (m U - S x W, S x U + J W - S x (S x W)/m).
 */
static void momentum(const mech_beam *b, const share *s, const double v[6], double p[6]) {
    double m = b->given.mass * s->length, S[3], x[3], y[3];
    for (int i = 0; i < 3; i++) S[i] = b->given.mass * s->moment[i];
    v3_cross(S, v + 3, x);
    for (int i = 0; i < 3; i++) p[i] = m * v[i] - x[i];
    m3_apply(b->given.inertia, v + 3, p + 3);
    for (int i = 0; i < 3; i++) p[3 + i] *= s->length;
    v3_cross(S, x, y);
    v3_add(-1 / m, y, p + 3);
    v3_cross(S, v, y);
    v3_add(1, y, p + 3);
}

/* f += M a - ad(v)^T M v */
static void add_inertia(const mech_beam *b, const share *s, const double v[6], const double a[6],
                        double f[6]) {
    double p[6], x[3];
    momentum(b, s, a, p);
    for (int i = 0; i < 6; i++) f[i] += p[i];
    momentum(b, s, v, p);
    v3_cross(v + 3, p, x);
    v3_add(1, x, f);
    v3_cross(v, p, x);
    v3_add(1, x, f + 3);
    v3_cross(v + 3, p + 3, x);
    v3_add(1, x, f + 3);
}

void mech_clamp_reaction(const sodae_mechanism *m, const mech_work *w, const mech_joint *j,
                         const double *a, const double point[3], double force[3],
                         double torque[3]) {
    const mech_beam *b = &m->beams.at[j->beam];
    const mech_end *end = &b->node[j->node];
    share s = share_of(w, m, b, j->node);
    double H[12], local[3], sign = j->clamp == 2 ? 1 : -1, arm[3], moment[3], S[3];
    mech_end_pose(w, end, H);
    if (a && end->body >= 0 && end->body < m->bodies.count) {
        double v[6], rate[6];
        mech_end_velocity(end, w->motion[end->body].u, v);
        mech_end_velocity(end, a + 6 * end->body, rate);
        add_inertia(b, &s, v, rate, s.f);
    }
    for (int i = 0; i < 3; i++) S[i] = b->given.mass * s.moment[i];
    m3_apply_transposed(H + 3, m->gravity, local);
    subtract_load(b->given.mass * s.length, S, local, s.f);
    m3_apply_transposed(H + 3, b->given.dead, local);
    subtract_load(s.length, s.moment, local, s.f);
    subtract_load(s.length, s.moment, b->given.follower, s.f);
    m3_apply(H + 3, s.f, force);
    m3_apply(H + 3, s.f + 3, torque);
    v3_sub(H, point, arm);
    v3_cross(arm, force, moment);
    for (int i = 0; i < 3; i++) torque[i] = sign * (torque[i] + moment[i]), force[i] *= sign;
}
