/* What beams exert on their nodes. Node and element axes differ by a constant pose C = (xc, Rc)
 * where the node is a body: forces turn with Ad(C^-1)^T, f_body = (Rc n, Rc m + xc x Rc n). */
#include "mechanism/mechanism.h"

#include <string.h>

void mech_end_pose(const mech_work *w, const mech_end *e, double H[12]) {
    const mech_motion *body = &w->motion[e->body];
    if (!e->offset) {
        memcpy(H, body->x, sizeof body->x);
        memcpy(H + 3, body->R, sizeof body->R);
        return;
    }
    m3_apply(body->R, e->C, H);
    v3_add(1, body->x, H);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[3 + 3 * i + j] = body->R[3 * i] * e->C[3 + j] + body->R[3 * i + 1] * e->C[6 + j] +
                               body->R[3 * i + 2] * e->C[9 + j];
}

/* Ad(C^-1) u = (Rc^T (U + Omega x xc), Rc^T Omega) */
void mech_end_velocity(const mech_end *e, const double u[6], double v[6]) {
    double moved[3];
    if (!e->offset) {
        memcpy(v, u, 6 * sizeof *v);
        return;
    }
    v3_cross(u + 3, e->C, moved);
    v3_add(1, u, moved);
    m3_apply_transposed(e->C + 3, moved, v);
    m3_apply_transposed(e->C + 3, u + 3, v + 3);
}

void mech_end_force(const mech_end *e, const double f[6], double out[6]) {
    double n[3], m[3], arm[3];
    if (!e->offset) {
        memcpy(out, f, 6 * sizeof *out);
        return;
    }
    m3_apply(e->C + 3, f, n);
    m3_apply(e->C + 3, f + 3, m);
    v3_cross(e->C, n, arm);
    memcpy(out, n, sizeof n);
    for (int i = 0; i < 3; i++) out[3 + i] = m[i] + arm[i];
}

int mech_beam_strains(const sodae_mechanism *m, const mech_work *w) {
    for (int i = 0; i < m->elements.count; i++) {
        const mech_element *e = &m->elements.at[i];
        double H[2][12], v[2][6];
        for (int k = 0; k < 2; k++) {
            mech_end_pose(w, &e->end[k], H[k]);
            mech_end_velocity(&e->end[k], w->motion[e->end[k].body].u, v[k]);
        }
        if (element_evaluate(&e->data, H[0], H[1], v[0], v[1], &w->strain[i])) return 1;
    }
    return 0;
}

static void add_load(const mech_work *w, const mech_load *load, double scale, double *out) {
    double b[3], moment[3];
    memcpy(b, load->p, sizeof b);
    if (!load->follower) m3_apply_transposed(w->motion[load->body].R, load->p, b);
    v3_cross(load->arm, b, moment);
    v3_add(scale * load->weight, b, out);
    v3_add(scale, moment, out + 3);
}

void mech_beam_forces(const sodae_mechanism *m, const mech_work *w, double scale, double *out) {
    for (int i = 0; i < m->elements.count; i++)
        for (int k = 0; k < 2; k++) {
            const mech_end *end = &m->elements.at[i].end[k];
            double f[6];
            if (end->body >= m->bodies.count) continue;
            mech_end_force(end, w->strain[i].f + 6 * k, f);
            for (int j = 0; j < 6; j++) out[6 * end->body + j] -= f[j];
        }
    for (int i = 0; i < m->loads.count; i++)
        add_load(w, &m->loads.at[i], scale, out + 6 * m->loads.at[i].body);
}

/* Ad_r^T K Ad_c of one 6 x 6 block of KT */
static void turn_block(const mech_end *row, const mech_end *column, double B[36]) {
    double x[6], y[6];
    for (int i = 0; column->offset && i < 6; i++) {
        memcpy(x, B + 6 * i, sizeof x);
        mech_end_force(column, x, B + 6 * i);
    }
    for (int j = 0; row->offset && j < 6; j++) {
        for (int i = 0; i < 6; i++) x[i] = B[6 * i + j];
        mech_end_force(row, x, y);
        for (int i = 0; i < 6; i++) B[6 * i + j] = y[i];
    }
}

static void subtract_blocks(const mech_element *e, const double KT[144], double *out) {
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 2; c++) {
            double B[36];
            int at = e->place[r][c];
            if (at < 0) continue;
            for (int i = 0; i < 6; i++)
                memcpy(B + 6 * i, KT + 12 * (6 * r + i) + 6 * c, 6 * sizeof *B);
            if (e->end[r].offset || e->end[c].offset) turn_block(&e->end[r], &e->end[c], B);
            for (int j = 0; j < 6; j++)
                for (int i = 0; i < 6; i++) out[at + j * e->step[c] + i] -= B[6 * i + j];
        }
}

void mech_beam_forces_q(const sodae_mechanism *m, const mech_work *w, double scale, double *out) {
    double KT[144];
    for (int i = 0; i < m->elements.count; i++) {
        element_tangent(&m->elements.at[i].data, &w->strain[i], KT);
        subtract_blocks(&m->elements.at[i], KT, out);
    }
    for (int i = 0; i < m->loads.count; i++) {
        const mech_load *load = &m->loads.at[i];
        if (load->follower) continue;
        mech_add_dead(m, w, load->body, load->p, scale * load->weight, load->arm, scale, out);
    }
}

void mech_beam_forces_v(const sodae_mechanism *m, const mech_work *w, double *out) {
    double KT[144];
    for (int i = 0; i < m->elements.count; i++) {
        if (m->elements.at[i].data.damping == 0) continue;
        element_damping(&m->elements.at[i].data, &w->strain[i], KT);
        subtract_blocks(&m->elements.at[i], KT, out);
    }
}

double mech_load_power(const sodae_mechanism *m, const mech_work *w) {
    double sum = 0;
    for (int i = 0; i < m->loads.count; i++) {
        const double *u = w->motion[m->loads.at[i].body].u;
        double f[6] = {0};
        add_load(w, &m->loads.at[i], 1, f);
        for (int k = 0; k < 6; k++) sum += f[k] * u[k];
    }
    return sum;
}

double mech_beam_energy(const sodae_mechanism *m, const mech_work *w) {
    double sum = 0;
    for (int i = 0; i < m->elements.count; i++)
        sum += element_energy(&m->elements.at[i].data, &w->strain[i]);
    return sum;
}

double mech_beam_dissipation(const sodae_mechanism *m, const mech_work *w) {
    double sum = 0;
    for (int i = 0; i < m->elements.count; i++)
        sum += element_dissipation(&m->elements.at[i].data, &w->strain[i]);
    return sum;
}
