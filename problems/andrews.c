/* Andrews' squeezing mechanism: Mazzia, Magherini, Test Set for IVP Solvers, release 2.4; Hairer,
 * Wanner, Solving Ordinary Differential Equations II, section VII.7; IFToMM A03. Seven bodies in a
 * plane, seven angles, driven by a constant moment. SI units, lambda as published. */
#include <stdlib.h>

#include "problems/analytic.h"
#include "problems/digits.h"
#include "problems/entries.h"

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705,
                    m6 = 0.00706, m7 = 0.05498, i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6,
                    i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072, c0 = 4530, l0 = 0.07785, mom = 0.033;
static const double d = 0.028, da = 0.0115, e = 0.02, rr = 0.007, ra = 0.00092, ss = 0.035,
                    sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916,
                    u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04;
static const double ee = 0.02 - 0.01421, zz = 0.02 - 0.01421; /* e - e_a, z_f - f_a */

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, NV };

static void mass(const analytic_point *at, const void *user, analytic *out) {
    analytic ct = ccos(at->q[THETA]), sp = csin(at->q[PHI]), so = csin(at->q[OMEGA]);
    (void)user;
    for (int i = 0; i < NV * NV; i++) out[i] = 0;
    out[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + i1 + i2;
    out[1] = out[NV] = m2 * (da * da - da * rr * ct) + i2;
    out[1 + NV] = m2 * da * da + i2;
    out[2 + 2 * NV] = m3 * (sa * sa + sb * sb) + i3;
    out[3 + 3 * NV] = m4 * ee * ee + i4;
    out[4 + 3 * NV] = out[3 + 4 * NV] = m4 * (ee * ee + zt * ee * sp) + i4;
    out[4 + 4 * NV] =
        m4 * (zt * zt + 2 * zt * ee * sp + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5;
    out[5 + 5 * NV] = m6 * zz * zz + i6;
    out[6 + 5 * NV] = out[5 + 6 * NV] = m6 * (zz * zz - u * zz * so) + i6;
    out[6 + 6 * NV] = m6 * (zz * zz - 2 * u * zz * so + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

/* The spring from C to D: D - C and its length. */
static analytic spring(const analytic *q, analytic *dx, analytic *dy) {
    analytic c = ccos(q[GAMMA]), s = csin(q[GAMMA]);
    *dx = sd * c + sc * s + xb - xc;
    *dy = sd * s - sc * c + yb - yc;
    return csqrt(*dx * *dx + *dy * *dy);
}

static void force(const analytic_point *at, const void *user, analytic *out) {
    const analytic *q = at->q, *v = at->v;
    analytic dx, dy, l = spring(q, &dx, &dy), f = -c0 * (l - l0) / l;
    analytic c = ccos(q[GAMMA]), s = csin(q[GAMMA]), st = csin(q[THETA]);
    (void)user;
    out[0] = mom - m2 * da * rr * v[THETA] * (v[THETA] + 2 * v[BETA]) * st;
    out[1] = m2 * da * rr * v[BETA] * v[BETA] * st;
    out[2] = f * (dx * (sc * c - sd * s) + dy * (sd * c + sc * s));
    out[3] = m4 * zt * ee * v[DELTA] * v[DELTA] * ccos(q[PHI]);
    out[4] = -m4 * zt * ee * v[PHI] * (v[PHI] + 2 * v[DELTA]) * ccos(q[PHI]);
    out[5] = -m6 * u * zz * v[EPSILON] * v[EPSILON] * ccos(q[OMEGA]);
    out[6] = m6 * u * zz * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * ccos(q[OMEGA]);
}

static void g(const analytic_point *at, const void *user, analytic *out) {
    const analytic *q = at->q;
    analytic bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA], oe = q[OMEGA] + q[EPSILON];
    analytic x = rr * ccos(q[BETA]) - d * ccos(bt), y = rr * csin(q[BETA]) - d * csin(bt);
    (void)user;
    out[0] = x - ss * csin(q[GAMMA]) - xb;
    out[1] = y + ss * ccos(q[GAMMA]) - yb;
    out[2] = x - e * csin(pd) - zt * ccos(q[DELTA]) - xa;
    out[3] = y + e * ccos(pd) - zt * csin(q[DELTA]) - ya;
    out[4] = x - zf * ccos(oe) - u * csin(q[EPSILON]) - xa;
    out[5] = y - zf * csin(oe) + u * ccos(q[EPSILON]) - ya;
}

static void G(const analytic_point *at, const void *user, analytic *out) {
    const analytic *q = at->q;
    analytic bt = q[BETA] + q[THETA], pd = q[PHI] + q[DELTA], oe = q[OMEGA] + q[EPSILON];
    analytic xt = d * csin(bt), yt = -d * ccos(bt);
    analytic xbeta = -rr * csin(q[BETA]) + xt, ybeta = rr * ccos(q[BETA]) + yt;
    (void)user;
    for (int i = 0; i < 6 * NV; i++) out[i] = 0;
    for (int i = 0; i < 6; i += 2) {
        out[i] = xbeta, out[i + 1] = ybeta;
        out[i + 6] = xt, out[i + 7] = yt;
    }
    out[0 + 6 * GAMMA] = -ss * ccos(q[GAMMA]), out[1 + 6 * GAMMA] = -ss * csin(q[GAMMA]);
    out[2 + 6 * PHI] = -e * ccos(pd), out[3 + 6 * PHI] = -e * csin(pd);
    out[2 + 6 * DELTA] = -e * ccos(pd) + zt * csin(q[DELTA]);
    out[3 + 6 * DELTA] = -e * csin(pd) - zt * ccos(q[DELTA]);
    out[4 + 6 * OMEGA] = zf * csin(oe), out[5 + 6 * OMEGA] = -zf * ccos(oe);
    out[4 + 6 * EPSILON] = zf * csin(oe) - u * ccos(q[EPSILON]);
    out[5 + 6 * EPSILON] = -zf * ccos(oe) - u * csin(q[EPSILON]);
}

/* T + c0 (l - l0)^2 / 2 - mom beta */
static void energy(const analytic_point *at, const void *user, analytic *out) {
    analytic M[NV * NV], dx, dy, stretch = spring(at->q, &dx, &dy) - l0;
    mass(at, user, M);
    out[0] = c0 * stretch * stretch / 2 - mom * at->q[BETA];
    for (int j = 0; j < NV; j++)
        for (int i = 0; i < NV; i++) out[0] += at->v[i] * M[i + NV * j] * at->v[j] / 2;
}

static const char *const variable_names[] = {"beta",  "theta", "gamma",  "phi",
                                             "delta", "omega", "epsilon"};
static const char *const constraint_names[] = {"loop 1 x", "loop 1 y", "loop 2 x",
                                               "loop 2 y", "loop 3 x", "loop 3 y"};

static sodae_problem *create(const double *parameters) {
    static const double q0[NV] = {-0.0617138900142764496, 0,
                                  0.455279819163070380,   0.222668390165885884,
                                  0.487364979543842550,   -0.222668390165885884,
                                  1.23054744454982119};
    static const double lambda0[2] = {98.5668703962411, -6.12268834425566};
    analytic_problem *self = calloc(1, sizeof *self);
    (void)parameters;
    if (!self) return NULL;
    sodae_problem *p = &self->problem;
    p->size = sizeof *p;
    p->name = "andrews";
    p->nv = NV;
    p->nlambda = 6;
    self->mass = mass;
    self->force = force;
    self->holonomic = g;
    self->jacobian = G;
    self->energy = energy;
    for (int i = 0; i < NV; i++) self->q[i] = q0[i];
    for (int i = 0; i < 2; i++) self->lambda[i] = lambda0[i];
    self->table = digits_andrews;
    self->rows = DIGITS_ANDREWS_ROWS;
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_HOLONOMIC] = constraint_names;
    analytic_finish(self, 0);
    return p;
}

const catalogue_entry catalogue_andrews = {
    .name = "andrews",
    .source = "Test Set for IVP Solvers, IFToMM A03",
    .summary = "Andrews' squeezing mechanism, seven bodies, six loop equations",
    .t_end = 0.03,
    .step = 1e-5,
    .create = create,
    .free = analytic_free,
};
