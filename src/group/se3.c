/* SE(3): q = (x, R), (x1,R1) o (x2,R2) = (x1 + R1 x2, R1 R2), v = (U, Omega), x' = R U. */
#include <sodae/space.h>

#include <string.h>

#include "group/rotation.h"

static void identity(const sodae_group *self, int n, double *q) {
    (void)self, (void)n;
    for (int i = 0; i < 3; i++) q[i] = 0;
    for (int i = 0; i < 9; i++) q[3 + i] = i % 4 == 0;
}

/* exp(u,w) = (V(w) u, exp(w)),  V = I + b W + c W^2 */
static void motion_exp(const sodae_group *self, int n, const double *dq, double *q) {
    (void)self, (void)n;
    group_angle g;
    double V[9];
    group_angle_of(dq + 3, &g);
    group_skew_polynomial(dq + 3, -g.b, g.c, V); /* row by row */
    group_rotation_apply(V, dq, q);
    group_skew_polynomial(dq + 3, -g.a, g.b, q + 3);
}

static void compose(const sodae_group *self, int n, const double *q1, const double *q2, double *q) {
    (void)self, (void)n;
    group_rotation_apply(q1 + 3, q2, q);
    for (int i = 0; i < 3; i++) q[i] += q1[i];
    group_rotation_product(q1 + 3, q2 + 3, q + 3);
}

/* w = log R, u = V^-1 x with V^-1 = I - W/2 + d W^2 */
static void motion_log(const sodae_group *self, int n, const double *q, double *dq) {
    (void)self, (void)n;
    group_angle g;
    double Vinv[9];
    group_rotation_log(q + 3, dq + 3);
    group_angle_of(dq + 3, &g);
    group_skew_polynomial(dq + 3, 0.5, g.d, Vinv); /* row by row */
    group_rotation_apply(Vinv, q, dq);
}

static void inverse(const sodae_group *self, int n, const double *q, double *qinv) {
    (void)self, (void)n;
    for (int i = 0; i < 9; i++) qinv[3 + i] = q[3 + 3 * (i % 3) + i / 3];
    group_rotation_apply(qinv + 3, q, qinv);
    for (int i = 0; i < 3; i++) qinv[i] = -qinv[i];
}

/* ad(u,w) = [W U; 0 W]: a power series f of it is [f(W) f'(W)U; 0 f(W)]. */
static void blocks(const double A[9], const double X[9], double T[36]) {
    memset(T, 0, 36 * sizeof *T);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            T[i + 6 * j] = T[3 + i + 6 * (3 + j)] = A[i + 3 * j];
            T[i + 6 * (3 + j)] = X[i + 3 * j];
        }
}

static void tangent(const sodae_group *self, int n, const double *dq, double *T) {
    (void)self, (void)n;
    group_angle g;
    double A[9], X[9];
    group_angle_of(dq + 3, &g);
    group_skew_polynomial(dq + 3, -g.b, g.c, A);
    group_skew_derivative(dq + 3, dq, -g.b, g.c, -g.db, g.dc, X);
    blocks(A, X, T);
}

static void tangent_inverse(const sodae_group *self, int n, const double *dq, double *Tinv) {
    (void)self, (void)n;
    group_angle g;
    double A[9], X[9];
    group_angle_of(dq + 3, &g);
    group_skew_polynomial(dq + 3, 0.5, g.d, A);
    group_skew_derivative(dq + 3, dq, 0.5, g.d, 0, g.dd, X);
    blocks(A, X, Tinv);
}

/* [(U1,Om1), (U2,Om2)] = (Om1 x U2 - Om2 x U1, Om1 x Om2) */
static void bracket(const sodae_group *self, int n, const double *v, const double *w, double *out) {
    (void)self, (void)n;
    double cross[3];
    group_cross(v + 3, w, out);
    group_cross(w + 3, v, cross);
    for (int i = 0; i < 3; i++) out[i] -= cross[i];
    group_cross(v + 3, w + 3, out + 3);
}

static double defect(const sodae_group *self, int n, const double *q) {
    (void)self, (void)n;
    return group_rotation_defect(q + 3);
}

const sodae_group sodae_se3 = {
    .name = "SE(3)",
    .nq = 12,
    .nv = 6,
    .identity = identity,
    .exp = motion_exp,
    .compose = compose,
    .log = motion_log,
    .inverse = inverse,
    .tangent = tangent,
    .tangent_inverse = tangent_inverse,
    .bracket = bracket,
    .defect = defect,
};
