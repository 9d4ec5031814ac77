/* A thin disk on a plane without slip, as a free body: q = (x, quaternion), v = (x', Omega in the
 * body frame), axis e3. With c = R^T e_z and n = -(c1, c2, 0)/|.|, the direction of the lowest
 * point of the rim in the body frame, the material point there rests: x' + r R (Omega x n) = 0. The
 * third row is holonomic, z = r sin(tilt), but stated at velocity level like the others. The
 * contact is bilateral: the normal force changes its sign. Data of the public example rolling_disk
 * of the gena suite (Hante, Arnold). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/digits.h"
#include "problems/entries.h"
#include "problems/heavy.h"

typedef struct disk {
    sodae_problem problem;
    sodae_space *space;
    double q[7], v[6];
} disk;

static const double r = 1, m = 15, GRAVITY = 9.81;
static const double J[3] = {15 / 4.0, 15 / 4.0, 15 / 2.0}; /* m r^2 diag(1/4, 1/4, 1/2) */

/* R by rows, n, and 1/|(c1, c2)|. */
typedef struct pose {
    double R[9], c[3], n[3], s;
} pose;

static pose look(const double *q) {
    pose p;
    double w = q[3], x = q[4], y = q[5], z = q[6];
    const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                         2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                         2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(p.R, R, sizeof R);
    memcpy(p.c, R + 6, sizeof p.c);
    p.s = 1 / hypot(p.c[0], p.c[1]);
    p.n[0] = -p.c[0] * p.s, p.n[1] = -p.c[1] * p.s, p.n[2] = 0;
    return p;
}

/* Change of n when R turns by w: c changes by c x w, n keeps its length. */
static void turn_n(const pose *p, const double *w, double *dn) {
    double dc[3];
    catalogue_cross(p->c, w, dc);
    double along = p->n[0] * dc[0] + p->n[1] * dc[1];
    for (int i = 0; i < 2; i++) dn[i] = -p->s * (dc[i] - along * p->n[i]);
    dn[2] = 0;
}

static int mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 3; i++) out[7 * i] = m, out[7 * (i + 3)] = J[i];
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    double JOmega[3];
    (void)user;
    for (int i = 0; i < 3; i++) JOmega[i] = J[i] * at->v[3 + i];
    out[0] = out[1] = 0, out[2] = -m * GRAVITY;
    catalogue_cross(JOmega, at->v + 3, out + 3);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    memset(out, 0, 36 * sizeof *out);
    return 0;
}

/* J e_j x Omega + J Omega x e_j */
static int force_v(const sodae_point *at, double *out, void *user) {
    const double *Omega = at->v + 3;
    (void)user;
    memset(out, 0, 36 * sizeof *out);
    for (int j = 0; j < 3; j++) {
        double mixed[3], e[3] = {j == 0, j == 1, j == 2};
        for (int i = 0; i < 3; i++) mixed[i] = (J[j] - J[i]) * Omega[i];
        catalogue_cross(e, mixed, out + 3 + 6 * (3 + j));
    }
    return 0;
}

static int k(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    double arm[3];
    (void)user;
    catalogue_cross(at->v + 3, p.n, arm);
    catalogue_rotate(p.R, arm, out);
    for (int i = 0; i < 3; i++) out[i] = at->v[i] + r * out[i];
    return 0;
}

static int k_v(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    (void)user;
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, arm[3], *column = out + 3 * (3 + j);
        memcpy(out + 3 * j, e, sizeof e);
        catalogue_cross(e, p.n, arm);
        catalogue_rotate(p.R, arm, column);
        for (int i = 0; i < 3; i++) column[i] *= r;
    }
    return 0;
}

/* Change of k when R turns by w: r R (w x (Omega x n) + Omega x dn). */
static void turn_k(const pose *p, const double *Omega, const double *w, double *out) {
    double arm[3], dn[3], first[3], second[3];
    catalogue_cross(Omega, p->n, arm);
    catalogue_cross(w, arm, first);
    turn_n(p, w, dn);
    catalogue_cross(Omega, dn, second);
    for (int i = 0; i < 3; i++) first[i] = r * (first[i] + second[i]);
    catalogue_rotate(p->R, first, out);
}

static int k_q(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    (void)user;
    memset(out, 0, 9 * sizeof *out);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        turn_k(&p, at->v + 3, e, out + 3 * (3 + j));
    }
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    (void)user;
    turn_k(&p, at->v + 3, at->v + 3, out);
    return 0;
}

/* K^T psi = (psi, r n x R^T psi) */
static int reaction(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    double body[3];
    (void)user;
    memcpy(out, at->psi, 3 * sizeof *out);
    catalogue_rotate_back(p.R, at->psi, body);
    catalogue_cross(p.n, body, out + 3);
    for (int i = 3; i < 6; i++) out[i] *= r;
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    pose p = look(at->q);
    double body[3], turned[3], dn[3], first[3], second[3];
    (void)user;
    memset(out, 0, 36 * sizeof *out);
    catalogue_rotate_back(p.R, at->psi, body);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2};
        catalogue_cross(body, e, turned);
        catalogue_cross(p.n, turned, first);
        turn_n(&p, e, dn);
        catalogue_cross(dn, body, second);
        for (int i = 0; i < 3; i++) out[3 + i + 6 * (3 + j)] = r * (first[i] + second[i]);
    }
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    (void)user;
    out[0] = m * GRAVITY * at->q[2];
    for (int i = 0; i < 3; i++)
        out[0] += m * at->v[i] * at->v[i] / 2 + J[i] * at->v[3 + i] * at->v[3 + i] / 2;
    return 0;
}

/* v' from the balance: M is diagonal. */
static int exact(double t, const sodae_solution *out, void *user) {
    enum { COLUMNS = 17 };
    for (int i = 0; i < DIGITS_ROLLING_DISK_ROWS; i++) {
        const double *row = digits_rolling_disk + COLUMNS * i, *q = row + 1, *v = q + 7;
        const double *psi = v + 6;
        if (fabs(t - row[0]) > 1e-12 * fabs(row[0])) continue;
        if (out->q) memcpy(out->q, q, 7 * sizeof *q);
        if (out->v) memcpy(out->v, v, 6 * sizeof *v);
        if (out->psi) memcpy(out->psi, psi, 3 * sizeof *psi);
        if (!out->a) return 0;
        sodae_point at = {.t = t, .q = q, .v = v, .psi = psi};
        double held[6];
        force(&at, out->a, user);
        reaction(&at, held, user);
        for (int j = 0; j < 6; j++) out->a[j] = (out->a[j] - held[j]) / (j < 3 ? m : J[j - 3]);
        return 0;
    }
    return 1;
}

/* Tilt 15 degrees: the axis in the plane of y and z, then a quarter turn about it. */
static void set_start(disk *d) {
    static const double q[7] = {
        0, 0, 0.9659258262890676, 0, 0, 0.6087614290087204, 0.7933533402912349};
    static const double v[6] = {5, 0, 0, 0, 15, 5};
    memcpy(d->q, q, sizeof q);
    memcpy(d->v, v, sizeof v);
}

static const char *const slip_names[] = {"slip x", "slip y", "slip z"};

static sodae_problem *create(const double *parameters) {
    const sodae_group *const groups[] = {&sodae_rn, &sodae_so3_quaternion};
    const int sizes[] = {3, 3};
    disk *d = calloc(1, sizeof *d);
    (void)parameters;
    if (!d || sodae_space_create(groups, sizes, 2, &d->space)) {
        free(d);
        return NULL;
    }
    set_start(d);
    sodae_problem *p = &d->problem;
    p->size = sizeof *p;
    p->name = "rolling-disk-s3";
    p->space = d->space;
    p->nv = 6;
    p->npsi = 3;
    p->constant_mass = 1;
    p->value[SODAE_MASS].fn = mass;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_NONHOLONOMIC].fn = k;
    p->value[SODAE_NONHOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn = k_q;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = k_v;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = reaction_q;
    p->equation_names[SODAE_NONHOLONOMIC] = slip_names;
    p->initial = (sodae_point){.q = d->q, .v = d->v};
    p->exact = exact;
    p->user = d;
    return p;
}

static void destroy(sodae_problem *problem) {
    sodae_space_free(((disk *)problem)->space);
    free(problem);
}

const catalogue_entry catalogue_rolling_disk_s3 = {
    .name = "rolling-disk-s3",
    .source = "gena suite, example rolling_disk",
    .summary = "disk on a plane as a free body with quaternion, three nonholonomic constraints",
    .t_end = 2,
    .step = 1e-3,
    .create = create,
    .free = destroy,
};
