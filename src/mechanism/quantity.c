/* Value, W and H of quantities: functions of dot products, forces and torques along directions. */
#include "mechanism/quantity.h"

#include "group/rotation.h"

#include <math.h>
#include <string.h>

enum { N = 12 };

static const double pi = 3.14159265358979323846;

/* A vector at a point and its derivative by the two bodies, 3 x 12 by rows. */
typedef struct vector_value {
    double x[3], D[3 * N];
} vector_value;

int mech_vectors(mech_kind kind) {
    static const int count[] = {[MECH_DOT] = 2,  [MECH_DISTANCE] = 1, [MECH_ANGLE] = 3,
                                [MECH_DISK] = 3, [MECH_ROTATION] = 6, [MECH_FORCE] = 2,
                                [MECH_EDGE] = 4, [MECH_TORQUE] = 1,   [MECH_PLANAR_ANGLE] = 0};
    return count[kind];
}

static int is_zero(const double a[3]) {
    return a[0] == 0 && a[1] == 0 && a[2] == 0;
}

void mech_vector_value(const mech_vector *v, const mech_motion *const m[2], double out[3]) {
    double Ra[3];
    memcpy(out, v->c, sizeof v->c);
    for (int i = 0; i < 2; i++) {
        if (v->s[i] != 0) v3_add(v->s[i], m[i]->x, out);
        if (is_zero(v->a[i])) continue;
        m3_apply(m[i]->R, v->a[i], Ra);
        v3_add(1, Ra, out);
    }
}

/* First and second derivative by time while u is constant: x'' = R (w x U) on SE(3), else 0, and
 * (R a)'' = R (w x (w x a)). */
static void vector_rates(const mech_vector *v, const mech_motion *const m[2], double first[3],
                         double second[3]) {
    double local[3], more[3], world[3];
    memset(first, 0, 3 * sizeof *first);
    memset(second, 0, 3 * sizeof *second);
    for (int i = 0; i < 2; i++) {
        const double *w = m[i]->u + 3;
        if (v->s[i] != 0) v3_add(v->s[i], m[i]->v, first);
        if (is_zero(v->a[i]) && !(m[i]->se3 && v->s[i] != 0)) continue;
        v3_cross(w, v->a[i], local);
        m3_apply(m[i]->R, local, world);
        v3_add(1, world, first);
        if (m[i]->se3) v3_add(v->s[i], m[i]->u, local);
        v3_cross(w, local, more);
        m3_apply(m[i]->R, more, world);
        v3_add(1, world, second);
    }
}

/* column c .. c + 2 of a 3 x 12 matrix += s R hat(a) */
static void add_turned(double s, const double R[9], const double a[3], double *D, int c) {
    const double hat[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) D[i * N + c + j] += s * R[3 * i + k] * hat[3 * k + j];
}

/* dV = s dx + R (w x a) = s dx - R hat(a) w */
static void evaluate(const mech_vector *v, const mech_motion *const m[2], vector_value *out) {
    mech_vector_value(v, m, out->x);
    memset(out->D, 0, sizeof out->D);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) out->D[k * N + 6 * i + k] = v->s[i];
        if (!is_zero(v->a[i])) add_turned(-1, m[i]->R, v->a[i], out->D, 6 * i + 3);
    }
}

/* W of s = A . B without the derivative matrices: (s_A B + s_B A; a_A x R^T B + a_B x R^T A). */
static double dot_first(const mech_vector *A, const mech_vector *B, const mech_motion *const m[2],
                        double *W) {
    double a[3], b[3], turned[3], part[3];
    mech_vector_value(A, m, a);
    mech_vector_value(B, m, b);
    for (int i = 0; i < 2; i++) {
        double *w = W + 6 * i;
        for (int k = 0; k < 3; k++) w[k] = A->s[i] * b[k] + B->s[i] * a[k], w[3 + k] = 0;
        if (!is_zero(A->a[i])) {
            m3_apply_transposed(m[i]->R, b, turned);
            v3_cross(A->a[i], turned, w + 3);
        }
        if (is_zero(B->a[i])) continue;
        m3_apply_transposed(m[i]->R, a, turned);
        v3_cross(B->a[i], turned, part);
        v3_add(1, part, w + 3);
    }
    return v3_dot(a, b);
}

/* H += s hat(a) hat(b) at (c, c) */
static void add_hats(double s, const double a[3], const double b[3], double *H, int c) {
    double ab = v3_dot(a, b); /* hat(a) hat(b) = b a^T - (a . b) I */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H[(c + i) * N + c + j] += s * (b[i] * a[j] - (i == j ? ab : 0));
}

static int is_constant(const mech_vector *v) {
    return v->s[0] == 0 && v->s[1] == 0 && is_zero(v->a[0]) && is_zero(v->a[1]);
}

/* H += s (D_A^T D_B + D_B^T D_A) */
static void add_products(double s, const mech_vector *A, const mech_vector *B,
                         const mech_motion *const m[2], double *H) {
    vector_value a, b;
    evaluate(A, m, &a);
    evaluate(B, m, &b);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < N; i++) {
            double ai = s * a.D[k * N + i], bi = s * b.D[k * N + i];
            if (ai == 0 && bi == 0) continue;
            for (int j = 0; j < N; j++) H[i * N + j] += ai * b.D[k * N + j] + bi * a.D[k * N + j];
        }
}

/* H += s H(A . B),  H(A . B) = D_A^T D_B + D_B^T D_A + hat(a_A) hat(R^T B) + hat(a_B) hat(R^T A) */
static void dot_second(double s, const mech_vector *A, const mech_vector *B,
                       const mech_motion *const m[2], double *H) {
    double a[3], b[3], turned[3];
    if (!is_constant(A) && !is_constant(B)) add_products(s, A, B, m, H);
    mech_vector_value(A, m, a);
    mech_vector_value(B, m, b);
    for (int i = 0; i < 2; i++) {
        if (!is_zero(A->a[i])) {
            m3_apply_transposed(m[i]->R, b, turned);
            add_hats(s, A->a[i], turned, H, 6 * i + 3);
        }
        if (is_zero(B->a[i])) continue;
        m3_apply_transposed(m[i]->R, a, turned);
        add_hats(s, B->a[i], turned, H, 6 * i + 3);
    }
}

static void add_outer(double s, const double *a, const double *b, double *H) {
    if (s == 0) return;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) H[i * N + j] += s * a[i] * b[j];
}

/* z = f(s1, s2) of dot products: which they are. */
typedef struct product_list {
    int count, pair[2][2];
} product_list;

static const product_list products_of[] = {
    [MECH_DOT] = {1, {{0, 1}, {0, 0}}},   [MECH_DISTANCE] = {1, {{0, 0}, {0, 0}}},
    [MECH_ANGLE] = {2, {{0, 2}, {1, 2}}}, [MECH_PLANAR_ANGLE] = {0},
    [MECH_DISK] = {2, {{0, 1}, {0, 2}}},
};

/* Values and derivatives of these products and of f. */
typedef struct composite {
    double s[2], W[2][N];
    double f, f1[2], f11, f12, f22;
} composite;

static void compose(const mech_quantity *q, composite *c) {
    double a = c->s[0], b = c->s[1];
    c->f = c->f1[0] = c->f1[1] = c->f11 = c->f12 = c->f22 = 0;
    if (q->kind == MECH_DISTANCE) {
        c->f = sqrt(a), c->f1[0] = 0.5 / c->f, c->f11 = -0.25 / (a * c->f);
    } else if (q->kind == MECH_ANGLE) {
        double rr = a * a + b * b;
        c->f = atan2(a, b), c->f1[0] = b / rr, c->f1[1] = -a / rr;
        c->f22 = 2 * a * b / (rr * rr), c->f11 = -c->f22;
        c->f12 = (a * a - b * b) / (rr * rr);
    } else {
        double root = sqrt(1 - b * b);
        c->f = a - q->radius * root, c->f1[0] = 1, c->f1[1] = q->radius * b / root;
        c->f22 = q->radius / (root * root * root);
    }
}

static void evaluate_composite(const mech_quantity *q, const mech_motion *const m[2],
                               composite *c) {
    const product_list *of = &products_of[q->kind];
    c->s[1] = 0;
    for (int i = 0; i < of->count; i++)
        c->s[i] = dot_first(&q->v[of->pair[i][0]], &q->v[of->pair[i][1]], m, c->W[i]);
    compose(q, c);
}

static void composite_value(const mech_quantity *q, const mech_motion *const m[2],
                            mech_value *out) {
    composite c;
    if (q->kind == MECH_DOT) {
        out->z = dot_first(&q->v[0], &q->v[1], m, out->W);
        return;
    }
    evaluate_composite(q, m, &c);
    out->z = c.f;
    for (int i = 0; i < products_of[q->kind].count; i++)
        for (int j = 0; j < N; j++) out->W[j] += c.f1[i] * c.W[i][j];
}

static void composite_second(const mech_quantity *q, const mech_motion *const m[2], double *H) {
    const product_list *of = &products_of[q->kind];
    composite c;
    if (q->kind == MECH_DOT) {
        dot_second(1, &q->v[0], &q->v[1], m, H);
        return;
    }
    evaluate_composite(q, m, &c);
    for (int i = 0; i < of->count; i++)
        dot_second(c.f1[i], &q->v[of->pair[i][0]], &q->v[of->pair[i][1]], m, H);
    add_outer(c.f11, c.W[0], c.W[0], H);
    if (of->count < 2) return;
    add_outer(c.f12, c.W[0], c.W[1], H);
    add_outer(c.f12, c.W[1], c.W[0], H);
    add_outer(c.f22, c.W[1], c.W[1], H);
}

/* A . B, its first and second derivative by time while u is constant. */
static void dot_path(const mech_vector *A, const mech_vector *B, const mech_motion *const m[2],
                     double s[3]) {
    double a[3][3], b[3][3];
    mech_vector_value(A, m, a[0]);
    mech_vector_value(B, m, b[0]);
    vector_rates(A, m, a[1], a[2]);
    vector_rates(B, m, b[1], b[2]);
    s[0] = v3_dot(a[0], b[0]);
    s[1] = v3_dot(a[1], b[0]) + v3_dot(a[0], b[1]);
    s[2] = v3_dot(a[2], b[0]) + 2 * v3_dot(a[1], b[1]) + v3_dot(a[0], b[2]);
}

/* z'' = f_i s_i'' + f_ij s_i' s_j' */
static double composite_drift(const mech_quantity *q, const mech_motion *const m[2]) {
    const product_list *of = &products_of[q->kind];
    double x[2][3] = {{0}};
    composite c;
    for (int i = 0; i < of->count; i++)
        dot_path(&q->v[of->pair[i][0]], &q->v[of->pair[i][1]], m, x[i]);
    if (q->kind == MECH_DOT) return x[0][2];
    for (int i = 0; i < 2; i++) c.s[i] = x[i][0];
    compose(q, &c);
    return c.f1[0] * x[0][2] + c.f1[1] * x[1][2] + c.f11 * x[0][1] * x[0][1] +
           2 * c.f12 * x[0][1] * x[1][1] + c.f22 * x[1][1] * x[1][1];
}

/* p = c - r m, m = u / |u|, u = n - (n . e) e: the lowest point of the edge of a disk. */
static void evaluate_edge(const mech_quantity *q, const mech_motion *const m[2], vector_value *p) {
    vector_value e, n;
    double u[3], unit[3], Du[3], ne, length;
    evaluate(&q->v[1], m, p);
    evaluate(&q->v[2], m, &e);
    evaluate(&q->v[3], m, &n);
    ne = v3_dot(n.x, e.x);
    for (int i = 0; i < 3; i++) u[i] = n.x[i] - ne * e.x[i];
    length = sqrt(v3_dot(u, u));
    for (int i = 0; i < 3; i++) unit[i] = u[i] / length, p->x[i] -= q->radius * unit[i];
    for (int j = 0; j < N; j++) {
        double dn[3] = {n.D[j], n.D[N + j], n.D[2 * N + j]};
        double de[3] = {e.D[j], e.D[N + j], e.D[2 * N + j]};
        double dne = v3_dot(dn, e.x) + v3_dot(n.x, de);
        for (int i = 0; i < 3; i++) Du[i] = dn[i] - dne * e.x[i] - ne * de[i];
        double along = v3_dot(unit, Du);
        for (int i = 0; i < 3; i++)
            p->D[i * N + j] -= q->radius * (Du[i] - along * unit[i]) / length;
    }
}

void mech_point_of_force(const mech_quantity *q, const mech_motion *const m[2], double p[3]) {
    double e[3], n[3], u[3];
    mech_vector_value(&q->v[1], m, p);
    if (q->kind == MECH_FORCE) return;
    mech_vector_value(&q->v[2], m, e);
    mech_vector_value(&q->v[3], m, n);
    double ne = v3_dot(n, e);
    for (int i = 0; i < 3; i++) u[i] = n[i] - ne * e[i];
    v3_add(-q->radius / sqrt(v3_dot(u, u)), u, p);
}

/* W_i = sign_i (d; R_i^T ((p - x_i) x d)) */
static void force_value(const mech_quantity *q, const mech_motion *const m[2], mech_value *out) {
    double d[3], p[3], arm[3], moment[3];
    mech_vector_value(&q->v[0], m, d);
    mech_point_of_force(q, m, p);
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        v3_sub(p, m[i]->x, arm);
        v3_cross(arm, d, moment);
        for (int k = 0; k < 3; k++) moment[k] *= sign, out->W[6 * i + k] = sign * d[k];
        m3_apply_transposed(m[i]->R, moment, out->W + 6 * i + 3);
    }
}

/* Columns c .. c + 2 of rows r .. r + 2 of H += s hat(a): d(R^T y) = hat(R^T y) w. */
static void add_hat(double s, const double a[3], double *H, int r, int c) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        H[(r + i) * N + c + j] -= s * a[k];
        H[(r + j) * N + c + i] += s * a[k];
    }
}

static void force_second(const mech_quantity *q, const mech_motion *const m[2], double *H) {
    vector_value d, p;
    double arm[3], moment[3], dm[3], part[3], turned[3];
    evaluate(&q->v[0], m, &d);
    if (q->kind == MECH_FORCE)
        evaluate(&q->v[1], m, &p);
    else
        evaluate_edge(q, m, &p);
    for (int i = 0; i < 2; i++) {
        double sign = i ? 1 : -1;
        v3_sub(p.x, m[i]->x, arm);
        for (int j = 0; j < N; j++) {
            double dd[3] = {d.D[j], d.D[N + j], d.D[2 * N + j]};
            double dp[3] = {p.D[j], p.D[N + j], p.D[2 * N + j]};
            if (j >= 6 * i && j < 6 * i + 3) dp[j - 6 * i] -= 1;
            v3_cross(dp, d.x, dm);
            v3_cross(arm, dd, part);
            v3_add(1, part, dm);
            m3_apply_transposed(m[i]->R, dm, turned);
            for (int k = 0; k < 3; k++) {
                H[(6 * i + k) * N + j] += sign * dd[k];
                H[(6 * i + 3 + k) * N + j] += sign * turned[k];
            }
        }
        v3_cross(arm, d.x, moment);
        m3_apply_transposed(m[i]->R, moment, turned);
        add_hat(sign, turned, H, 6 * i + 3, 6 * i + 3);
    }
}

/* W_i = sign_i (0; R_i^T d) */
static void torque_value(const mech_vector *v, const mech_motion *const m[2], double *W) {
    double d[3], turned[3];
    mech_vector_value(v, m, d);
    for (int i = 0; i < 2; i++) {
        m3_apply_transposed(m[i]->R, d, turned);
        for (int k = 0; k < 3; k++) W[6 * i + k] = 0, W[6 * i + 3 + k] = i ? turned[k] : -turned[k];
    }
}

static void torque_second(double s, const mech_vector *v, const mech_motion *const m[2],
                          double *H) {
    vector_value d;
    double turned[3];
    evaluate(v, m, &d);
    for (int i = 0; i < 2; i++) {
        double sign = i ? s : -s;
        for (int j = 0; j < N; j++) {
            double dd[3] = {d.D[j], d.D[N + j], d.D[2 * N + j]};
            m3_apply_transposed(m[i]->R, dd, turned);
            for (int k = 0; k < 3; k++) H[(6 * i + 3 + k) * N + j] += sign * turned[k];
        }
        m3_apply_transposed(m[i]->R, d.x, turned);
        add_hat(sign, turned, H, 6 * i + 3, 6 * i + 3);
    }
}

/* theta of F1^T F2, A = J(theta)^-1 = I - Theta/2 + d Theta^2 (by columns), torque rows along F1:
 * theta' = A w,  w_k = T_k v. */
typedef struct rotation_value {
    double theta[3], A[9], T[3][N];
    group_angle angle;
} rotation_value;

static void evaluate_rotation(const mech_quantity *q, const mech_motion *const m[2],
                              rotation_value *r) {
    double F[6][3], R[9];
    for (int i = 0; i < 6; i++) mech_vector_value(&q->v[i], m, F[i]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) R[3 * i + j] = v3_dot(F[i], F[3 + j]);
    group_rotation_log(R, r->theta);
    group_angle_of(r->theta, &r->angle);
    group_skew_polynomial(r->theta, -0.5, r->angle.d, r->A);
    for (int k = 0; k < 3; k++) torque_value(&q->v[k], m, r->T[k]);
}

static void rotation_row(const rotation_value *r, int i, double *W) {
    for (int j = 0; j < N; j++)
        W[j] = r->A[i] * r->T[0][j] + r->A[3 + i] * r->T[1][j] + r->A[6 + i] * r->T[2][j];
}

static void rotation_second(const mech_quantity *q, const mech_motion *const m[2], double *H) {
    rotation_value r;
    double dA[9], dtheta[N];
    int i = q->component;
    evaluate_rotation(q, m, &r);
    for (int k = 0; k < 3; k++) torque_second(r.A[3 * k + i], &q->v[k], m, H);
    for (int l = 0; l < 3; l++) {
        double u[3] = {l == 0, l == 1, l == 2};
        group_skew_derivative(r.theta, u, -0.5, r.angle.d, 0, r.angle.dd, dA);
        rotation_row(&r, l, dtheta);
        for (int k = 0; k < 3; k++) add_outer(dA[3 * k + i], r.T[k], dtheta, H);
    }
}

static void rotation_value_of(const mech_quantity *q, const mech_motion *const m[2],
                              mech_value *out) {
    rotation_value r;
    evaluate_rotation(q, m, &r);
    out->z = r.theta[q->component];
    rotation_row(&r, q->component, out->W);
}

void mech_quantity_value(const mech_quantity *q, const mech_motion *const m[2], double turns,
                         mech_value *out) {
    *out = (mech_value){0};
    if (q->kind == MECH_PLANAR_ANGLE)
        out->z = m[1]->angle - m[0]->angle, out->W[5] = -1, out->W[11] = 1;
    else if (q->kind == MECH_TORQUE)
        torque_value(&q->v[0], m, out->W);
    else if (q->kind == MECH_FORCE || q->kind == MECH_EDGE)
        force_value(q, m, out);
    else if (q->kind == MECH_ROTATION)
        rotation_value_of(q, m, out);
    else
        composite_value(q, m, out);
    out->z -= q->offset;
    if (q->kind == MECH_ANGLE) out->z += 2 * pi * rint((turns - out->z) / (2 * pi));
    for (int i = 0; i < 6; i++) out->rate += out->W[i] * m[0]->v[i] + out->W[6 + i] * m[1]->v[i];
}

void mech_quantity_second(const mech_quantity *q, const mech_motion *const m[2], double H[144]) {
    memset(H, 0, N * N * sizeof *H);
    if (q->kind == MECH_TORQUE)
        torque_second(1, &q->v[0], m, H);
    else if (q->kind == MECH_FORCE || q->kind == MECH_EDGE)
        force_second(q, m, H);
    else if (q->kind == MECH_ROTATION)
        rotation_second(q, m, H);
    else if (q->kind != MECH_PLANAR_ANGLE)
        composite_second(q, m, H);
}

double mech_quantity_drift(const mech_quantity *q, const mech_motion *const m[2],
                           const double W[12]) {
    double H[N * N], v[N], sum = 0;
    if (q->kind < MECH_ROTATION) return composite_drift(q, m);
    mech_quantity_second(q, m, H);
    mech_quantity_turn_second(m, W, H);
    memcpy(v, m[0]->u, sizeof m[0]->u);
    memcpy(v + 6, m[1]->u, sizeof m[1]->u);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) sum += v[i] * H[i * N + j] * v[j];
    return sum;
}

/* dx = R dU on SE(3). */
void mech_quantity_turn(const mech_motion *const m[2], double W[12]) {
    for (int i = 0; i < 2; i++) {
        double x[3];
        if (!m[i]->se3) continue;
        memcpy(x, W + 6 * i, sizeof x);
        m3_apply_transposed(m[i]->R, x, W + 6 * i);
    }
}

/* H <- B^T H B with B = diag(R, I); d(R^T w) = hat(R^T w) dOmega. */
void mech_quantity_turn_second(const mech_motion *const m[2], const double W[12], double H[144]) {
    for (int i = 0; i < 2; i++) {
        int c = 6 * i;
        if (!m[i]->se3) continue;
        for (int r = 0; r < N; r++) {
            double x[3];
            memcpy(x, H + r * N + c, sizeof x);
            m3_apply_transposed(m[i]->R, x, H + r * N + c);
        }
        for (int j = 0; j < N; j++) {
            double x[3] = {H[c * N + j], H[(c + 1) * N + j], H[(c + 2) * N + j]}, y[3];
            m3_apply_transposed(m[i]->R, x, y);
            for (int k = 0; k < 3; k++) H[(c + k) * N + j] = y[k];
        }
        add_hat(1, W + c, H, c, c + 3);
    }
}
