#include "bench/kinematics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int kinematics_open(kinematics *k, const sodae_problem *p) {
    *k = (kinematics){.nq = sodae_problem_nq(p), .nv = p->nv};
    k->q_of = calloc((size_t)(2 * k->nv), sizeof *k->q_of), k->turn_of = k->q_of + k->nv;
    for (int i = 0; i < k->nv; i++) k->q_of[i] = i;
    for (int n = 0; p->space && n < p->space->nparts; n++) {
        const sodae_part *g = &p->space->parts[n];
        int turns = g->group == &sodae_so3_quaternion || g->group == &sodae_s3;
        if (!turns && !g->group->abelian) return -1;
        if (turns && k->rotations == KINEMATICS_MAX) return -1;
        for (int i = 0; i < g->nv; i++) {
            k->q_of[g->v0 + i] = turns ? -1 : g->q0 + i;
            k->turn_of[g->v0 + i] = k->rotations;
        }
        if (turns) k->q0[k->rotations] = g->q0, k->v0[k->rotations++] = g->v0;
    }
    return 0;
}

void kinematics_close(kinematics *k) {
    free(k->q_of);
}

void kinematics_at(kinematics *k, const double *q, double *unit) {
    if (unit != q) memcpy(unit, q, (size_t)k->nq * sizeof *q);
    for (int n = 0; n < k->rotations; n++) {
        double *p = unit + k->q0[n], s = 0;
        const double columns[12] = {-p[1], p[0], p[3],  -p[2], -p[2], -p[3],
                                    p[0],  p[1], -p[3], p[2],  -p[1], p[0]};
        for (int i = 0; i < 4; i++) s += p[i] * p[i];
        for (int i = 0; i < 4; i++) p[i] /= sqrt(s);
        for (int i = 0; i < 12; i++) k->S[n][i] = columns[i] / 2, k->T[n][i] = columns[i] * 2 / s;
    }
}

void kinematics_rate(const kinematics *k, const double *v, double *rate) {
    if (!k->rotations) {
        memcpy(rate, v, (size_t)k->nv * sizeof *v);
        return;
    }
    for (int i = 0; i < k->nv; i++)
        if (k->q_of[i] >= 0) rate[k->q_of[i]] = v[i];
    for (int n = 0; n < k->rotations; n++) {
        const double *w = v + k->v0[n], *S = k->S[n];
        for (int i = 0; i < 4; i++)
            rate[k->q0[n] + i] = S[i] * w[0] + S[4 + i] * w[1] + S[8 + i] * w[2];
    }
}

void kinematics_move(kinematics *k, const double *dq, double *q) {
    for (int i = 0; i < k->nv; i++)
        if (k->q_of[i] >= 0) q[k->q_of[i]] += dq[i];
    for (int n = 0; n < k->rotations; n++) {
        const double *w = dq + k->v0[n], *S = k->S[n];
        for (int i = 0; i < 4; i++)
            q[k->q0[n] + i] += S[i] * w[0] + S[4 + i] * w[1] + S[8 + i] * w[2];
    }
    if (k->rotations) kinematics_at(k, q, q);
}
