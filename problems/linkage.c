#include "problems/linkage.h"

#include <math.h>
#include <stdlib.h>

enum { FIRST, SECOND };

static int body_of(const linkage_joint *j, int side) {
    return side == FIRST ? j->first : j->second;
}

/* R(angle) (x, y): the arm from the centre to the joint. */
static void arm_of(const linkage_joint *j, int side, const double *q, double arm[2]) {
    const double *r = side == FIRST ? j->first_at : j->second_at;
    int body = body_of(j, side);
    double angle = body < 0 ? 0 : q[3 * body + 2], c = cos(angle), s = sin(angle);
    arm[0] = c * r[0] - s * r[1];
    arm[1] = s * r[0] + c * r[1];
}

static int mass(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    (void)at;
    for (int k = 0; k < l->bars; k++) {
        out[3 * k] = out[3 * k + 1] = l->bar[k].mass;
        out[3 * k + 2] = l->bar[k].inertia;
    }
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    (void)at;
    for (int k = 0; k < l->bars; k++) {
        out[3 * k] = out[3 * k + 2] = 0;
        out[3 * k + 1] = -l->bar[k].mass * LINKAGE_GRAVITY;
    }
    return 0;
}

static int nothing(const sodae_point *at, double *out, void *user) {
    (void)at, (void)out, (void)user;
    return 0;
}

static int g(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    for (int k = 0; k < 2 * l->joints; k++) out[k] = 0;
    for (int k = 0; k < 2 * l->joints; k++) {
        int side = k % 2, body = body_of(&l->joint[k / 2], side);
        double arm[2], sign = side == FIRST ? -1 : 1, *g2 = out + k - side;
        arm_of(&l->joint[k / 2], side, at->q, arm);
        for (int i = 0; i < 2; i++) g2[i] += sign * ((body < 0 ? 0 : at->q[3 * body + i]) + arm[i]);
    }
    return 0;
}

/* Each entry of a matrix with the pattern of G: columns x and y hold `plain`, the column of the
 * angle holds the arm turned by `quarters` quarters. */
static void fill(const linkage *l, const double *q, double plain, int quarters, const double *scale,
                 double *out) {
    for (int j = 0; j < 3 * l->bars; j++)
        for (int k = l->colptr[j]; k < l->colptr[j + 1]; k++) {
            int side = l->place[k] % 2, row = l->rowind[k] % 2;
            double sign = side == FIRST ? -1 : 1, arm[2];
            if (j % 3 < 2) {
                out[k] = sign * plain;
                continue;
            }
            arm_of(&l->joint[l->place[k] / 2], side, q, arm);
            double turned = quarters == 1 ? (row == 0 ? -arm[1] : arm[0]) : -arm[row];
            out[k] = sign * turned * (scale ? scale[j] : 1);
        }
}

static int G(const sodae_point *at, double *out, void *user) {
    fill(user, at->q, 1, 1, NULL, out);
    return 0;
}

/* d(G v)/dq: the arm turned twice, times the angular velocity */
static int rate_q(const sodae_point *at, double *out, void *user) {
    fill(user, at->q, 0, 2, at->v, out);
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    for (int k = 0; k < 2 * l->joints; k++) out[k] = 0;
    for (int k = 0; k < 2 * l->joints; k++) {
        int side = k % 2, body = body_of(&l->joint[k / 2], side);
        double arm[2], sign = side == FIRST ? -1 : 1, *g2 = out + k - side;
        if (body < 0) continue;
        const double *v = at->v + 3 * body;
        arm_of(&l->joint[k / 2], side, at->q, arm);
        g2[0] += sign * (v[0] - v[2] * arm[1]);
        g2[1] += sign * (v[1] + v[2] * arm[0]);
    }
    return 0;
}

/* -omega^2 arm */
static int drift(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    for (int k = 0; k < 2 * l->joints; k++) out[k] = 0;
    for (int k = 0; k < 2 * l->joints; k++) {
        int side = k % 2, body = body_of(&l->joint[k / 2], side);
        double arm[2], sign = side == FIRST ? -1 : 1, *g2 = out + k - side;
        if (body < 0) continue;
        double w = at->v[3 * body + 2];
        arm_of(&l->joint[k / 2], side, at->q, arm);
        for (int i = 0; i < 2; i++) g2[i] -= sign * w * w * arm[i];
    }
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    for (int i = 0; i < 3 * l->bars; i++) out[i] = 0;
    for (int k = 0; k < 2 * l->joints; k++) {
        int side = k % 2, body = body_of(&l->joint[k / 2], side);
        const double *f = at->lambda + k - side;
        double arm[2], sign = side == FIRST ? -1 : 1;
        if (body < 0) continue;
        arm_of(&l->joint[k / 2], side, at->q, arm);
        out[3 * body] += sign * f[0];
        out[3 * body + 1] += sign * f[1];
        out[3 * body + 2] += sign * (arm[0] * f[1] - arm[1] * f[0]);
    }
    return 0;
}

/* Only the moments change, with their own angle. */
static int reaction_q(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    for (int i = 0; i < l->bars; i++) out[i] = 0;
    for (int k = 0; k < 2 * l->joints; k++) {
        int side = k % 2, body = body_of(&l->joint[k / 2], side);
        const double *f = at->lambda + k - side;
        double arm[2], sign = side == FIRST ? -1 : 1;
        if (body < 0) continue;
        arm_of(&l->joint[k / 2], side, at->q, arm);
        out[body] -= sign * (arm[0] * f[0] + arm[1] * f[1]);
    }
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    const linkage *l = user;
    out[0] = 0;
    for (int k = 0; k < l->bars; k++) {
        const linkage_bar *b = &l->bar[k];
        const double *v = at->v + 3 * k;
        out[0] += (b->mass * (v[0] * v[0] + v[1] * v[1]) + b->inertia * v[2] * v[2]) / 2 +
                  b->mass * LINKAGE_GRAVITY * at->q[3 * k + 1];
    }
    return 0;
}

linkage *linkage_create(const char *name, int bars, int joints) {
    linkage *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    size_t nv = 3 * (size_t)bars, entries = 8 * (size_t)joints;
    l->bars = bars, l->joints = joints;
    l->bar = calloc((size_t)bars, sizeof *l->bar);
    l->joint = calloc((size_t)joints, sizeof *l->joint);
    l->q = calloc(2 * nv, sizeof(double));
    l->colptr = calloc(4 * (nv + 1) + 2 * entries + (size_t)bars, sizeof(int));
    l->problem.size = sizeof l->problem;
    l->problem.name = name;
    l->problem.user = l;
    if (!l->bar || !l->joint || !l->q || !l->colptr) {
        linkage_free(&l->problem);
        return NULL;
    }
    l->v = l->q + nv;
    l->numbers = l->colptr + nv + 1;
    l->none = l->numbers + nv + 1;
    l->angle_ptr = l->none + nv + 1;
    l->angle_row = l->angle_ptr + nv + 1;
    l->rowind = l->angle_row + bars;
    l->place = l->rowind + entries;
    return l;
}

/* Column of x: the first equation of each joint of the bar; of y: the second; of the angle: both.
 */
static void set_patterns(linkage *l) {
    int n = 0;
    for (int j = 0; j < 3 * l->bars; j++) {
        for (int k = 0; k < 2 * l->joints; k++)
            for (int row = 0; row < 2; row++) {
                int mine = body_of(&l->joint[k / 2], k % 2) == j / 3;
                if (!mine || (j % 3 < 2 && row != j % 3)) continue;
                l->place[n] = k;
                l->rowind[n++] = 2 * (k / 2) + row;
            }
        l->colptr[j + 1] = n;
        l->numbers[j + 1] = j + 1;
        l->angle_ptr[j + 1] = l->angle_ptr[j] + (j % 3 == 2);
        if (j % 3 == 2) l->angle_row[j / 3] = j;
    }
}

void linkage_finish(linkage *l) {
    sodae_problem *p = &l->problem;
    set_patterns(l);
    p->nv = 3 * l->bars;
    p->nlambda = 2 * l->joints;
    p->constant_mass = 1;
    sodae_pattern of_G = {l->colptr, l->rowind}, empty = {l->none, l->none};
    p->value[SODAE_MASS] = (sodae_term){mass, {l->numbers, l->numbers}};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = g;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){nothing, empty};
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){nothing, empty};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){G, of_G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, of_G};
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, {l->angle_ptr, l->angle_row}};
    p->initial = (sodae_point){.q = l->q, .v = l->v};
}

void linkage_free(sodae_problem *problem) {
    linkage *l = (linkage *)problem;
    free(l->bar);
    free(l->joint);
    free(l->q);
    free(l->colptr);
    free(l);
}
