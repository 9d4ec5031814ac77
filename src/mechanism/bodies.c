/* Inertia and weight of bodies. M is constant in the directions of a body's group. On SE(3) with
 * v = (U, Omega), static moment S and b = R^T g
 *
 *   M = [m I, -S~; S~, I],   M v' = ad(v)^T M v + (m b, S x b),
 *
 * on R^3 x SO(3) S = 0 and only -Omega x (I Omega) is left of the first term. */
#include "mechanism/mechanism.h"

#include <string.h>

void mech_body_mass(const sodae_mechanism *m, mech_body *body) {
    const sodae_body *given = &body->given;
    const double *S = body->S;
    const double hat[9] = {0, -S[2], S[1], S[2], 0, -S[0], -S[1], S[0], 0};
    memset(body->M, 0, sizeof body->M);
    for (int i = 0; i < (m->planar ? 2 : 3); i++) body->M[i * (m->n + 1)] = given->mass;
    if (m->planar) {
        body->M[8] = given->inertia[8];
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            body->M[6 * (3 + i) + 3 + j] = given->inertia[3 * i + j];
            body->M[6 * i + 3 + j] = -hat[3 * i + j];
            body->M[6 * (3 + i) + j] = hat[3 * i + j];
        }
}

static void momentum(const mech_body *body, const double u[6], double p[6]) {
    for (int i = 0; i < 6; i++) {
        p[i] = 0;
        for (int j = 0; j < 6; j++) p[i] += body->M[6 * i + j] * u[j];
    }
}

/* out = ad(v)^T p = (-Omega x n, -U x n - Omega x m) */
static void coadjoint(const double v[6], const double p[6], double out[6]) {
    double x[3];
    v3_cross(p, v + 3, out);
    v3_cross(p, v, x);
    v3_cross(p + 3, v + 3, out + 3);
    v3_add(1, x, out + 3);
}

static void on_se3(const sodae_mechanism *m, const mech_body *body, const mech_motion *x,
                   double scale, double out[6]) {
    double p[6], b[3], moment[3];
    momentum(body, x->u, p);
    coadjoint(x->u, p, out);
    m3_apply_transposed(x->R, m->gravity, b);
    v3_add(scale * body->given.mass, b, out);
    v3_cross(body->S, b, moment);
    v3_add(scale, moment, out + 3);
}

void mech_body_force(const sodae_mechanism *m, const mech_work *w, int b, double scale,
                     double *out) {
    const mech_body *body = &m->bodies.at[b];
    const double *omega = w->motion[b].v + 3;
    double L[3];
    if (body->se3) {
        on_se3(m, body, &w->motion[b], scale, out);
        return;
    }
    for (int k = 0; k < (m->planar ? 2 : 3); k++) out[k] = scale * body->given.mass * m->gravity[k];
    if (m->planar) {
        out[2] = 0;
        return;
    }
    m3_apply(body->given.inertia, omega, L);
    v3_cross(L, omega, out + 3);
}

/* d/dv ad(v)^T M v: column c is ad(e_c)^T M v + ad(v)^T M e_c; on R^3 x SO(3) v is (0, Omega). */
void mech_body_force_v(const sodae_mechanism *m, const mech_work *w, int b, double *out) {
    const mech_body *body = &m->bodies.at[b];
    double v[6] = {0}, p[6], e[6], column[6], d[6];
    int step, at = mech_place(&m->acting, m->n, b, b, &step), first = body->se3 ? 0 : 3;
    memcpy(v + first, w->motion[b].u + first, (size_t)(6 - first) * sizeof *v);
    momentum(body, v, p);
    for (int c = first; c < 6; c++) {
        for (int i = 0; i < 6; i++) e[i] = i == c;
        coadjoint(e, p, d);
        momentum(body, e, column);
        coadjoint(v, column, e);
        for (int r = first; r < 6; r++) out[at + c * step + r] += d[r] + e[r];
    }
}

/* b is fixed in the world: db = b~ dOmega on SE(3). */
void mech_body_force_q(const sodae_mechanism *m, const mech_work *w, int b, double scale,
                       double *out) {
    const mech_body *body = &m->bodies.at[b];
    if (body->se3)
        mech_add_dead(m, w, b, m->gravity, scale * body->given.mass, body->S, scale, out);
}

void mech_add_dead(const sodae_mechanism *m, const mech_work *w, int body, const double p[3],
                   double weight, const double arm[3], double scale, double *out) {
    double b[3], e[3], d[3], moment[3];
    int step, at = mech_place(&m->acting, m->n, body, body, &step);
    m3_apply_transposed(w->motion[body].R, p, b);
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < 3; i++) e[i] = i == c;
        v3_cross(b, e, d);
        v3_cross(arm, d, moment);
        for (int r = 0; r < 3; r++) {
            out[at + (3 + c) * step + r] += weight * d[r];
            out[at + (3 + c) * step + 3 + r] += scale * moment[r];
        }
    }
}

void mech_body_energy(const sodae_mechanism *m, const mech_work *w, int b,
                      sodae_mechanism_energy *out) {
    const mech_body *body = &m->bodies.at[b];
    const mech_motion *x = &w->motion[b];
    double L[3];
    if (body->se3) {
        double p[6], arm[3];
        momentum(body, x->u, p);
        for (int i = 0; i < 6; i++) out->kinetic += 0.5 * x->u[i] * p[i];
        m3_apply(x->R, body->S, arm);
        out->potential -= v3_dot(m->gravity, arm);
    } else {
        m3_apply(body->given.inertia, x->v + 3, L);
        out->kinetic += 0.5 * body->given.mass * v3_dot(x->v, x->v) + 0.5 * v3_dot(x->v + 3, L);
    }
    out->potential -= body->given.mass * v3_dot(m->gravity, x->x);
}

int mech_mass(const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    (void)at;
    memcpy(out, m->mass,
           (size_t)m->problem.value[SODAE_MASS].pattern.colptr[m->problem.nv] * sizeof *out);
    return 0;
}
