/* Beams: nodes, elements, inertia and loads of the nodes. */
#include "base/failure.h"
#include "base/tuning.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TUNING(symmetric, 1e-12, "of the first stiffness: digits that files are written with");
TUNING(same_point, 1e-9, "of the length of an element: ends this near are one node");
TUNING(cancelled, 1e-9, "of m L: rounding of the moments of equal neighbours, which cancel");

static int all_finite(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return 0;
    return 1;
}

static const char *wrong_nodes(const sodae_mechanism *m, const sodae_beam *b) {
    if (m->finished) return "the mechanism is finished";
    if (m->planar) return "beams need space; this mechanism is planar";
    if (b->elements < 1) return "it needs at least one element";
    if (!all_finite(b->nodes, 12 * (b->elements + 1))) return "its nodes are not finite";
    for (int i = 0; b->body && i <= b->elements; i++)
        if (b->body[i] < SODAE_OWN_NODE || b->body[i] >= m->bodies.count)
            return "there is no such body";
    return NULL;
}

/* Positive definite by its leading minors. */
static int positive(const double J[9]) {
    double minor = J[0] * J[4] - J[1] * J[3];
    double det =
        J[2] * (J[3] * J[7] - J[4] * J[6]) - J[5] * (J[0] * J[7] - J[1] * J[6]) + J[8] * minor;
    return J[0] > 0 && minor > 0 && det > 0;
}

static const char *wrong_section(const sodae_beam *b) {
    for (int i = 0; i < 36; i++)
        if (fabs(b->stiffness[i] - b->stiffness[6 * (i % 6) + i / 6]) >
            symmetric * fabs(b->stiffness[0]))
            return "the section stiffness is not symmetric";
    if (!(b->mass > 0) || !isfinite(b->mass)) return "the mass for each length must be positive";
    if (!positive(b->inertia)) return "the inertia of the section must be positive definite";
    if (!(b->damping >= 0)) return "the damping must not be negative";
    return b->length >= 0 ? NULL : "its length must be positive";
}

/* Adds the body of an own node. */
static int add_node(sodae_mechanism *m, const char *name, int i, const double H[12]) {
    char text[120];
    if (MECH_PUSH(m, m->bodies)) return -1;
    snprintf(text, sizeof text, "%.100s.%d", name, i);
    mech_body *body = &m->bodies.at[m->bodies.count];
    *body = (mech_body){.name = mech_copy_text(m, text), .se3 = 1, .node = 1};
    memcpy(body->given.at, H, sizeof body->given.at);
    memcpy(body->given.rotation, H + 3, sizeof body->given.rotation);
    return m->bodies.count++;
}

void mech_pose_in_body(const sodae_mechanism *m, int body, const double H[12], double C[12]) {
    mech_point_in_body(m, body, H, C);
    for (int j = 0; j < 3; j++) {
        double world[3] = {H[3 + j], H[6 + j], H[9 + j]}, local[3];
        mech_direction_in_body(m, body, world, local);
        for (int i = 0; i < 3; i++) C[3 + 3 * i + j] = local[i];
    }
}

static int make_nodes(sodae_mechanism *m, const char *name, const sodae_beam *b, mech_end *node) {
    for (int i = 0; i <= b->elements; i++) {
        const double *H = b->nodes + 12 * i;
        int body = b->body ? b->body[i] : SODAE_OWN_NODE;
        node[i] = (mech_end){.body = body, .offset = body != SODAE_OWN_NODE};
        if (body == SODAE_OWN_NODE && (node[i].body = add_node(m, name, i, H)) < 0) return 1;
        if (body >= 0) m->bodies.at[body].se3 = 1;
        mech_pose_in_body(m, node[i].body, H, node[i].C);
    }
    return 0;
}

/* Length of each element: its share of the whole, or that of the helix, |d_u|. */
static double element_length(const sodae_beam *b, const double d[6]) {
    return b->length > 0 ? b->length / b->elements : sqrt(v3_dot(d, d));
}

static int is_diagonal(const double K[36]) {
    for (int i = 0; i < 36; i++)
        if (i % 7 && K[i] != 0) return 0;
    return 1;
}

/* Residual bending acts across e1 in a section with principal axes, else across the strain of the
 * reference. */
static const char *make_element(const sodae_beam *b, int i, const mech_end *node,
                                mech_element *out) {
    static const double e1[6] = {1};
    double d[6];
    *out = (mech_element){.end = {node[i], node[i + 1]}};
    element_data *e = &out->data;
    element_relative(b->nodes + 12 * i, b->nodes + 12 * (i + 1), d);
    e->L = element_length(b, d);
    e->damping = b->damping;
    if (!(e->L > 0)) return "two of its nodes coincide";
    if (v3_dot(d + 3, d + 3) > ELEMENT_MOST * ELEMENT_MOST)
        return "its axis turns by more than 2.8 rad within an element; use more elements";
    for (int k = 0; k < 6; k++) e->f0[k] = d[k] / e->L;
    if (element_residual_bending(b->stiffness, e->L, is_diagonal(b->stiffness) ? e1 : e->f0, e->K))
        return "the section stiffness is not positive definite";
    if (b->plain) memcpy(e->K, b->stiffness, sizeof e->K);
    return NULL;
}

/* The share of a point of a body, made where it is missing; NULL when memory ran out. */
static mech_share *share_at(sodae_mechanism *m, const mech_end *end, double L) {
    for (int i = 0; i < m->shares.count; i++) {
        double gap[3];
        mech_share *s = &m->shares.at[i];
        v3_sub(s->at, end->C, gap);
        if (s->body == end->body && sqrt(v3_dot(gap, gap)) <= same_point * L) return s;
    }
    if (MECH_PUSH(m, m->shares)) return NULL;
    mech_share *s = &m->shares.at[m->shares.count++];
    *s = (mech_share){.body = end->body, .L = L};
    memcpy(s->at, end->C, sizeof s->at);
    return s;
}

/* J += weight R Jn R^T */
static void add_turned(double weight, const double R[9], const double Jn[9], double J[9]) {
    double T[9];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            T[3 * i + j] = R[3 * i] * Jn[j] + R[3 * i + 1] * Jn[3 + j] + R[3 * i + 2] * Jn[6 + j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            J[3 * i + j] += weight * (T[3 * i] * R[3 * j] + T[3 * i + 1] * R[3 * j + 1] +
                                      T[3 * i + 2] * R[3 * j + 2]);
}

/* Half of the mass of an element and its static moment +-rho A L^2/12 t at each end. */
static int add_inertia(sodae_mechanism *m, const sodae_beam *b, const mech_element *e) {
    for (int k = 0; k < 2; k++) {
        const mech_end *end = &e->end[k];
        double L = e->data.L, t[3];
        if (end->body < 0) continue;
        mech_share *s = share_at(m, end, L);
        if (!s) return 1;
        s->m += b->mass * L / 2;
        add_turned(L / 2, end->C + 3, b->inertia, s->J);
        m3_apply(end->C + 3, e->data.f0, t);
        if (!b->plain) v3_add((k ? -1 : 1) * b->mass * L * L / 12, t, s->S);
        s->L = fmin(s->L, L);
    }
    return 0;
}

/* A load p for each length: pL/2 and +-L^2/12 t x p at each end. */
static int add_load(sodae_mechanism *m, const sodae_beam *b, const mech_element *e, int follower) {
    const double *p = follower ? b->follower : b->dead;
    if (v3_dot(p, p) == 0) return 0;
    for (int k = 0; k < 2; k++) {
        const mech_end *end = &e->end[k];
        double L = e->data.L, t[3];
        if (end->body < 0) continue;
        if (MECH_PUSH(m, m->loads)) return 1;
        mech_load *load = &m->loads.at[m->loads.count++];
        *load = (mech_load){.body = end->body, .follower = follower, .weight = L / 2};
        m3_apply(end->C + 3, e->data.f0, t);
        v3_add(L / 2, end->C, load->arm);
        if (!b->plain) v3_add((k ? -1 : 1) * L * L / 12, t, load->arm);
        memcpy(load->p, p, sizeof load->p);
        if (follower) m3_apply(end->C + 3, p, load->p);
    }
    return 0;
}

static const char *make_elements(sodae_mechanism *m, const sodae_beam *b, const mech_end *node) {
    for (int i = 0; i < b->elements; i++) {
        if (MECH_PUSH(m, m->elements)) return NULL;
        mech_element *e = &m->elements.at[m->elements.count];
        const char *wrong = make_element(b, i, node, e);
        if (wrong) return wrong;
        m->elements.count++;
        if (add_inertia(m, b, e) || add_load(m, b, e, 0) || add_load(m, b, e, 1)) return NULL;
    }
    return NULL;
}

int sodae_mechanism_beam(sodae_mechanism *m, const char *name, const sodae_beam *beam,
                         sodae_failure *why) {
    const char *wrong = wrong_nodes(m, beam);
    if (!wrong) wrong = wrong_section(beam);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "beam %.60s: %s", name, wrong);
    mech_end *node = arena_take(&m->memory, (size_t)beam->elements + 1, sizeof *node);
    if (!node || MECH_PUSH(m, m->beams) || make_nodes(m, name, beam, node))
        return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    m->beams.at[m->beams.count] =
        (mech_beam){mech_copy_text(m, name), m->elements.count, beam->elements, node, *beam};
    m->beams.at[m->beams.count].given.nodes = NULL;
    m->beams.at[m->beams.count].given.body = NULL;
    wrong = make_elements(m, beam, node);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "beam %.60s: %s", name, wrong);
    if (m->memory.failed) return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    return m->beams.count++;
}

const char *sodae_mechanism_beam_name(const sodae_mechanism *m, int beam, int *elements) {
    if (beam < 0 || beam >= m->beams.count) return NULL;
    if (elements) *elements = m->beams.at[beam].count;
    return m->beams.at[beam].name;
}

/* I += s (a b^T - (a . b) 1) = s b~ a~ transposed: a~ b~ = b a^T - (a . b) 1 */
static void add_hats(double s, const double a[3], const double b[3], double I[9]) {
    double ab = v3_dot(a, b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) I[3 * i + j] += s * (b[i] * a[j] - (i == j ? ab : 0));
}

/* The share about the origin of the body: J - S~S~/m is that of a rigid body with its centre of
 * mass in S/m, moved by x: I = J - x~S~ - S~x~ - m x~x~. */
static void add_share(mech_body *body, mech_share *s) {
    const double *x = s->at;
    double size = fmax(fabs(s->S[0]), fmax(fabs(s->S[1]), fabs(s->S[2])));
    if (size < cancelled * s->m * s->L) memset(s->S, 0, sizeof s->S);
    for (int i = 0; i < 9; i++) body->given.inertia[i] += s->J[i];
    add_hats(-1 / s->m, s->S, s->S, body->given.inertia);
    add_hats(-1, x, s->S, body->given.inertia);
    add_hats(-1, s->S, x, body->given.inertia);
    add_hats(-s->m, x, x, body->given.inertia);
    body->given.mass += s->m;
    v3_add(1, s->S, body->S);
    v3_add(s->m, x, body->S);
}

void mech_share_inertia(sodae_mechanism *m) {
    for (int i = 0; i < m->beams.count; i++)
        for (int k = 0; k <= m->beams.at[i].count; k++)
            if (m->beams.at[i].node[k].body < 0) m->beams.at[i].node[k].body = m->bodies.count;
    for (int i = 0; i < m->shares.count; i++)
        add_share(&m->bodies.at[m->shares.at[i].body], &m->shares.at[i]);
}

void mech_place_elements(sodae_mechanism *m) {
    for (int i = 0; i < m->elements.count; i++) {
        mech_element *e = &m->elements.at[i];
        for (int r = 0; r < 2; r++)
            for (int c = 0; c < 2; c++) {
                int row = e->end[r].body, column = e->end[c].body;
                int free = row < m->bodies.count && column < m->bodies.count;
                e->place[r][c] = free ? mech_place(&m->acting, m->n, row, column, &e->step[c]) : -1;
            }
    }
}
