/* Heavy top of paper 003, section 5, q = (x, p) with p a unit quaternion, v = (x', Omega):
 * g = x - R(p) X, M = diag(m, m, m, J), f = (m gamma, J Omega x Omega), X = e2. */
#include "bench/problems/problem.h"

#include <math.h>
#include <string.h>

static const double m = 15, J[3] = {0.234375, 0.46875, 0.234375}, gravity = 9.81;

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* R(p) a = a + 2 p0 (u x a) + 2 u x (u x a) with u = (p1, p2, p3); `sign` -1: R^T a. */
static void rotate(const double *p, double sign, const double *a, double *out) {
    double ua[3], uua[3];
    cross(p + 1, a, ua), cross(p + 1, ua, uua);
    for (int i = 0; i < 3; i++) out[i] = a[i] + 2 * (sign * p[0] * ua[i] + uua[i]);
}

/* X x a for X = e2 */
static void arm(const double *a, double *out) {
    out[0] = a[2], out[1] = 0, out[2] = -a[0];
}

static int mass(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    for (int i = 0; i < 3; i++) out[i] = m, out[3 + i] = J[i];
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const double *w = at->v + 3, L[3] = {J[0] * w[0], J[1] * w[1], J[2] * w[2]};
    (void)user;
    out[0] = out[1] = 0, out[2] = -m * gravity;
    cross(L, w, out + 3);
    return 0;
}

/* Column j of the block of rotations: J_j e_j x Omega + L x e_j */
static int force_v(const sodae_point *at, double *out, void *user) {
    const double *w = at->v + 3;
    (void)user;
    out[0] = out[4] = out[8] = 0;
    out[3] = (J[1] - J[2]) * w[2], out[6] = (J[1] - J[2]) * w[1];
    out[1] = (J[2] - J[0]) * w[2], out[7] = (J[2] - J[0]) * w[0];
    out[2] = (J[0] - J[1]) * w[1], out[5] = (J[0] - J[1]) * w[0];
    return 0;
}

static int holonomic(const sodae_point *at, double *out, void *user) {
    static const double X[3] = {0, 1, 0};
    (void)user;
    rotate(at->q + 3, 1, X, out);
    for (int i = 0; i < 3; i++) out[i] = at->q[i] - out[i];
    return 0;
}

/* Columns of R (a x ) for a = X x Omega, say: -d/d(theta) of R a = R (a x theta). */
static void turned(const double *p, const double *a, double *out) {
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, c[3];
        cross(a, e, c);
        rotate(p, 1, c, out + 3 * j);
    }
}

static int holonomic_q(const sodae_point *at, double *out, void *user) {
    static const double X[3] = {0, 1, 0};
    (void)user;
    out[0] = out[1] = out[2] = 1;
    turned(at->q + 3, X, out + 3);
    return 0;
}

/* G v = x' + R (X x Omega) */
static int rate(const sodae_point *at, double *out, void *user) {
    double a[3];
    (void)user;
    arm(at->v + 3, a);
    rotate(at->q + 3, 1, a, out);
    for (int i = 0; i < 3; i++) out[i] += at->v[i];
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    double a[3];
    (void)user;
    arm(at->v + 3, a);
    turned(at->q + 3, a, out);
    for (int i = 0; i < 9; i++) out[i] = -out[i];
    return 0;
}

/* R (Omega x (X x Omega)) */
static int drift(const sodae_point *at, double *out, void *user) {
    double a[3], c[3];
    (void)user;
    arm(at->v + 3, a);
    cross(at->v + 3, a, c);
    rotate(at->q + 3, 1, c, out);
    return 0;
}

/* (lambda, -X x R^T lambda) */
static int reaction(const sodae_point *at, double *out, void *user) {
    double b[3];
    (void)user;
    rotate(at->q + 3, -1, at->lambda, b);
    arm(b, out + 3);
    for (int i = 0; i < 3; i++) out[i] = at->lambda[i], out[3 + i] = -out[3 + i];
    return 0;
}

/* R^T lambda turns by b x theta: -X x (b x e_j) = -(b X_j - e_j X.b) by columns */
static int reaction_q(const sodae_point *at, double *out, void *user) {
    double b[3];
    (void)user;
    rotate(at->q + 3, -1, at->lambda, b);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) out[3 * j + i] = (i == j ? b[1] : 0) - (j == 1 ? b[i] : 0);
    return 0;
}

/* ---- eliminated by hand: S = G M^-1 G^T = 1/m + B J^-1 B^T, B = R X~ ---------------------- */

/* Cholesky factor of S, by rows, with 1/diagonal; and B by columns. */
static void factor(const double *p, double B[9], double L[9]) {
    static const double X[3] = {0, 1, 0};
    turned(p, X, B);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double s = i == j ? 1 / m : 0;
            for (int k = 0; k < 3; k++) s += B[3 * k + i] * B[3 * k + j] / J[k];
            for (int k = 0; k < j; k++) s -= L[3 * i + k] * L[3 * j + k];
            L[3 * i + j] = i == j ? 1 / sqrt(s) : s * L[3 * j + j];
        }
}

static void solve(const double L[9], double *x) {
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[3 * i + k] * x[k];
        x[i] *= L[4 * i];
    }
    for (int i = 2; i >= 0; i--) {
        for (int k = i + 1; k < 3; k++) x[i] -= L[3 * k + i] * x[k];
        x[i] *= L[4 * i];
    }
}

/* x = G u */
static void across(const double B[9], const double *u, double *x) {
    for (int i = 0; i < 3; i++) x[i] = u[i] + B[i] * u[3] + B[3 + i] * u[4] + B[6 + i] * u[5];
}

/* u -= M^-1 G^T x */
static void pull(const double B[9], const double *x, double *u) {
    for (int i = 0; i < 3; i++) {
        u[i] -= x[i] / m;
        u[3 + i] -= (B[3 * i] * x[0] + B[3 * i + 1] * x[1] + B[3 * i + 2] * x[2]) / J[i];
    }
}

static void accelerate(const double *q, const double *v, double *a, double *lambda) {
    double B[9], L[9], gamma[3], f[6];
    sodae_point at = {.q = q, .v = v};
    factor(q + 3, B, L);
    force(&at, f, NULL), drift(&at, gamma, NULL);
    for (int i = 0; i < 3; i++) a[i] = f[i] / m, a[3 + i] = f[3 + i] / J[i];
    across(B, a, lambda);
    for (int i = 0; i < 3; i++) lambda[i] += gamma[i];
    solve(L, lambda);
    pull(B, lambda, a);
}

static void unit(double *p) {
    double s = 1 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++) p[i] *= s;
}

static void project(double *q, double *v) {
    double B[9], L[9], x[3], u[6], w[3], *p = q + 3;
    sodae_point at = {.q = q};
    unit(p);
    for (int pass = 0; pass < 3; pass++) {
        holonomic(&at, x, NULL);
        if (fabs(x[0]) + fabs(x[1]) + fabs(x[2]) < 1e-13) break;
        if (pass == 0) factor(p, B, L);
        memset(u, 0, sizeof u);
        solve(L, x), pull(B, x, u);
        for (int i = 0; i < 3; i++) q[i] += u[i], w[i] = u[3 + i] / 2;
        double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
        p[0] -= p1 * w[0] + p2 * w[1] + p3 * w[2], p[1] += p0 * w[0] + p2 * w[2] - p3 * w[1];
        p[2] += p0 * w[1] + p3 * w[0] - p1 * w[2], p[3] += p0 * w[2] + p1 * w[1] - p2 * w[0];
        unit(p);
    }
    factor(p, B, L);
    across(B, v, x), solve(L, x), pull(B, x, v);
}

static const hand_elimination by_hand = {accelerate, project};

/* ------------------------------------------------------------------------------------------ */

int heavy_top(bench_problem *b, int n) {
    static const int diagonal[] = {0, 1, 2, 3, 4, 5, 6}, turns[] = {0, 0, 0, 0, 3, 6, 9},
                     turn_row[] = {3, 4, 5, 3, 4, 5, 3, 4, 5},
                     rate_row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2}, of_G[] = {0, 1, 2, 3, 6, 9, 12},
                     G_row[] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    const sodae_group *const groups[] = {&sodae_rn, &sodae_so3_quaternion};
    const sodae_pattern turn = {turns, turn_row}, G = {of_G, G_row};
    sodae_problem *p = &b->p;
    sodae_space *space;
    double *q, *v;
    (void)n;
    if (sodae_space_create(groups, (const int[]){3, 0}, 2, &space)) return 1;
    p->space = space, p->nv = 6, p->nlambda = 3, p->constant_mass = 1;
    bench_initial(b, &q, &v);
    q[1] = q[3] = 1;
    v[4] = 150, v[5] = -4.61538, v[0] = -v[5]; /* x' = Omega x X */
    p->value[SODAE_MASS] = (sodae_term){mass, {diagonal, diagonal}};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){force_v, turn};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, {turns, rate_row}};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, turn};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_Q].pattern = (sodae_pattern){turns, rate_row};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V].pattern = (sodae_pattern){turns, rate_row};
    b->hand = &by_hand;
    return 0;
}
