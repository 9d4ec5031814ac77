/* Andrews' squeezing mechanism: Mazzia, Magherini, Test Set for IVP Solvers, release 2.4; Hairer,
 * Wanner, Solving Ordinary Differential Equations II, section VII.7. q = (beta, theta, gamma, phi,
 * delta, omega, epsilon). M and all second derivatives are blocks of (beta, theta), gamma, (phi,
 * delta), (omega, epsilon); each loop has (beta, theta) and one of the others. */
#include "bench/problems/problem.h"

#include <math.h>
#include <string.h>

static const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.0705,
                    m6 = 0.00706, m7 = 0.05498, i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6,
                    i4 = 5.667e-7, i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5;
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014,
                    yc = 0.072, c0 = 4530, l0 = 0.07785, mom = 0.033;
static const double d = 0.028, da = 0.0115, e = 0.02, rr = 0.007, ra = 0.00092, ss = 0.035,
                    sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916,
                    u = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04;
static const double ee = 0.02 - 0.01421, zz = 0.02 - 0.01421; /* e - e_a, z_f - f_a */
#define C2 (m2 * da * rr)
#define C4 (m4 * zt * ee)
#define C6 (m6 * u * zz)

enum { NV = 7, NL = 6 };

/* Sines and cosines at a point, and the nonzeros of G by columns. */
typedef struct trig {
    double sb, cb, st, ct, sg, cg, sp, cp, sd, cd, so, co, se, ce;
    double sbt, cbt, spd, cpd, soe, coe; /* of beta + theta, phi + delta, omega + epsilon */
} trig;

static int prepare(const sodae_point *at, void *user) {
    const double *q = at->q;
    trig *T = at->work;
    (void)user;
    T->sb = sin(q[0]), T->cb = cos(q[0]), T->st = sin(q[1]), T->ct = cos(q[1]);
    T->sg = sin(q[2]), T->cg = cos(q[2]), T->sp = sin(q[3]), T->cp = cos(q[3]);
    T->sd = sin(q[4]), T->cd = cos(q[4]), T->so = sin(q[5]), T->co = cos(q[5]);
    T->se = sin(q[6]), T->ce = cos(q[6]);
    T->sbt = T->sb * T->ct + T->cb * T->st, T->cbt = T->cb * T->ct - T->sb * T->st;
    T->spd = T->sp * T->cd + T->cp * T->sd, T->cpd = T->cp * T->cd - T->sp * T->sd;
    T->soe = T->so * T->ce + T->co * T->se, T->coe = T->co * T->ce - T->so * T->se;
    return 0;
}

static int mass(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    (void)user;
    out[3] = m2 * da * da + i2;
    out[1] = out[2] = out[3] - C2 * T->ct;
    out[0] = m1 * ra * ra + m2 * (rr * rr + da * da) + i1 + i2 - 2 * C2 * T->ct;
    out[4] = m3 * (sa * sa + sb * sb) + i3;
    out[5] = m4 * ee * ee + i4;
    out[6] = out[7] = out[5] + C4 * T->sp;
    out[8] = m4 * (zt * zt + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5 + 2 * C4 * T->sp;
    out[9] = m6 * zz * zz + i6;
    out[10] = out[11] = out[9] - C6 * T->so;
    out[12] = m6 * (zz * zz + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7 - 2 * C6 * T->so;
    return 0;
}

static int mass_q(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    const double *a = at->a;
    (void)user;
    memset(out, 0, 13 * sizeof *out);
    out[2] = C2 * T->st * (2 * a[0] + a[1]), out[3] = C2 * T->st * a[0];
    out[5] = C4 * T->cp * a[4], out[6] = C4 * T->cp * (a[3] + 2 * a[4]);
    out[9] = -C6 * T->co * a[6], out[10] = -C6 * T->co * (a[5] + 2 * a[6]);
    return 0;
}

/* D - C along the spring, and dD/dgamma. */
static void spring(const trig *T, double *x, double *y, double *xg, double *yg) {
    *x = sd * T->cg + sc * T->sg + xb - xc, *y = sd * T->sg - sc * T->cg + yb - yc;
    *xg = sc * T->cg - sd * T->sg, *yg = sd * T->cg + sc * T->sg;
}

static int force(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    const double *v = at->v;
    double x, y, xg, yg;
    (void)user;
    spring(T, &x, &y, &xg, &yg);
    double l = sqrt(x * x + y * y), pull = -c0 * (l - l0) / l;
    out[0] = mom - C2 * v[1] * (v[1] + 2 * v[0]) * T->st;
    out[1] = C2 * v[0] * v[0] * T->st;
    out[2] = pull * (x * xg + y * yg);
    out[3] = C4 * v[4] * v[4] * T->cp;
    out[4] = -C4 * v[3] * (v[3] + 2 * v[4]) * T->cp;
    out[5] = -C6 * v[6] * v[6] * T->co;
    out[6] = C6 * v[5] * (v[5] + 2 * v[6]) * T->co;
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    const double *v = at->v;
    double x, y, xg, yg;
    (void)user;
    spring(T, &x, &y, &xg, &yg);
    double l2 = x * x + y * y, l = sqrt(l2), along = x * xg + y * yg, pull = -c0 * (l - l0) / l;
    double turn = xg * xg + yg * yg - x * (x - xb + xc) - y * (y - yb + yc);
    memset(out, 0, 13 * sizeof *out);
    out[2] = -C2 * v[1] * (v[1] + 2 * v[0]) * T->ct, out[3] = C2 * v[0] * v[0] * T->ct;
    out[4] = pull * turn - c0 * l0 * along * along / (l2 * l);
    out[5] = -C4 * v[4] * v[4] * T->sp, out[6] = C4 * v[3] * (v[3] + 2 * v[4]) * T->sp;
    out[9] = C6 * v[6] * v[6] * T->so, out[10] = -C6 * v[5] * (v[5] + 2 * v[6]) * T->so;
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    const double *v = at->v;
    (void)user;
    memset(out, 0, 13 * sizeof *out);
    out[0] = -2 * C2 * v[1] * T->st, out[1] = 2 * C2 * v[0] * T->st;
    out[2] = -2 * C2 * (v[1] + v[0]) * T->st;
    out[6] = -2 * C4 * (v[3] + v[4]) * T->cp, out[7] = 2 * C4 * v[4] * T->cp;
    out[8] = -2 * C4 * v[3] * T->cp;
    out[10] = 2 * C6 * (v[5] + v[6]) * T->co, out[11] = -2 * C6 * v[6] * T->co;
    out[12] = 2 * C6 * v[5] * T->co;
    return 0;
}

static int holonomic(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    double x = rr * T->cb - d * T->cbt, y = rr * T->sb - d * T->sbt;
    (void)user;
    out[0] = x - ss * T->sg - xb;
    out[1] = y + ss * T->cg - yb;
    out[2] = x - e * T->spd - zt * T->cd - xa;
    out[3] = y + e * T->cpd - zt * T->sd - ya;
    out[4] = x - zf * T->coe - u * T->se - xa;
    out[5] = y - zf * T->soe + u * T->ce - ya;
    return 0;
}

static int holonomic_q(const sodae_point *at, double *out, void *user) {
    const trig *T = at->work;
    (void)user;
    for (int k = 0; k < 6; k += 2) {
        out[k] = -rr * T->sb + d * T->sbt, out[k + 1] = rr * T->cb - d * T->cbt;
        out[6 + k] = d * T->sbt, out[7 + k] = -d * T->cbt;
    }
    out[12] = -ss * T->cg, out[13] = -ss * T->sg;
    out[14] = -e * T->cpd, out[15] = -e * T->spd;
    out[16] = out[14] + zt * T->sd, out[17] = out[15] - zt * T->cd;
    out[18] = zf * T->soe, out[19] = -zf * T->coe;
    out[20] = out[18] - u * T->ce, out[21] = out[19] - u * T->se;
    return 0;
}

/* Second derivatives: of the loops' x and y by beta twice, by theta and any; of their own angles.
 */
typedef struct bend {
    double xbb, ybb, xt, yt, own[10];
} bend;

static bend bend_of(const trig *T) {
    bend h = {.xt = d * T->cbt, .yt = d * T->sbt};
    h.xbb = h.xt - rr * T->cb, h.ybb = h.yt - rr * T->sb;
    h.own[0] = ss * T->sg, h.own[1] = -ss * T->cg;
    h.own[2] = e * T->spd, h.own[3] = -e * T->cpd;
    h.own[4] = h.own[2] + zt * T->cd, h.own[5] = h.own[3] + zt * T->sd;
    h.own[6] = zf * T->coe, h.own[7] = zf * T->soe;
    h.own[8] = h.own[6] + u * T->se, h.own[9] = h.own[7] - u * T->ce;
    return h;
}

/* (G w)_q in the pattern of G */
static int rate_q(const sodae_point *at, double *out, void *user) {
    bend h = bend_of(at->work);
    const double *w = at->v;
    (void)user;
    for (int k = 0; k < 6; k += 2) {
        out[k] = h.xbb * w[0] + h.xt * w[1], out[k + 1] = h.ybb * w[0] + h.yt * w[1];
        out[6 + k] = h.xt * (w[0] + w[1]), out[7 + k] = h.yt * (w[0] + w[1]);
    }
    for (int i = 0; i < 2; i++) {
        out[12 + i] = h.own[i] * w[2];
        out[14 + i] = h.own[2 + i] * (w[3] + w[4]);
        out[16 + i] = h.own[2 + i] * w[3] + h.own[4 + i] * w[4];
        out[18 + i] = h.own[6 + i] * (w[5] + w[6]);
        out[20 + i] = h.own[6 + i] * w[5] + h.own[8 + i] * w[6];
    }
    return 0;
}

/* d/dv of the drift, twice the above. */
static int drift_v(const sodae_point *at, double *out, void *user) {
    rate_q(at, out, user);
    for (int i = 0; i < 22; i++) out[i] *= 2;
    return 0;
}

/* G w from the entries of G, or the drift from those of (G v)_q. */
static void across(const double *G, const double *w, double *out) {
    for (int i = 0; i < 2; i++) {
        double front = G[i] * w[0] + G[6 + i] * w[1];
        out[i] = front + G[12 + i] * w[2];
        out[2 + i] = front + G[14 + i] * w[3] + G[16 + i] * w[4];
        out[4 + i] = front + G[18 + i] * w[5] + G[20 + i] * w[6];
    }
}

static int rate(const sodae_point *at, double *out, void *user) {
    double G[22];
    holonomic_q(at, G, user);
    across(G, at->v, out);
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    double G[22];
    rate_q(at, G, user);
    across(G, at->v, out);
    return 0;
}

/* out = G^T lambda */
static void pull(const double *G, const double *l, double *out) {
    double x = l[0] + l[2] + l[4], y = l[1] + l[3] + l[5];
    out[0] = G[0] * x + G[1] * y, out[1] = G[6] * x + G[7] * y;
    out[2] = G[12] * l[0] + G[13] * l[1];
    out[3] = G[14] * l[2] + G[15] * l[3], out[4] = G[16] * l[2] + G[17] * l[3];
    out[5] = G[18] * l[4] + G[19] * l[5], out[6] = G[20] * l[4] + G[21] * l[5];
}

static int reaction(const sodae_point *at, double *out, void *user) {
    double G[22];
    holonomic_q(at, G, user);
    pull(G, at->lambda, out);
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    bend h = bend_of(at->work);
    const double *l = at->lambda;
    double x = l[0] + l[2] + l[4], y = l[1] + l[3] + l[5];
    (void)user;
    out[0] = h.xbb * x + h.ybb * y;
    out[1] = out[2] = out[3] = h.xt * x + h.yt * y;
    out[4] = h.own[0] * l[0] + h.own[1] * l[1];
    out[5] = out[6] = out[7] = h.own[2] * l[2] + h.own[3] * l[3];
    out[8] = h.own[4] * l[2] + h.own[5] * l[3];
    out[9] = out[10] = out[11] = h.own[6] * l[4] + h.own[7] * l[5];
    out[12] = h.own[8] * l[4] + h.own[9] * l[5];
    return 0;
}

/* ---- eliminated by hand: S = G M^-1 G^T, M by its blocks ---------------------------------- */

typedef struct eliminated {
    trig T;
    double M[13], G[22], L[36]; /* L by rows, 1/diagonal */
} eliminated;

/* x = M^-1 x */
static void divide(const double *M, double *x) {
    static const int block[3] = {0, 5, 9}, first[3] = {0, 3, 5};
    for (int k = 0; k < 3; k++) {
        const double *A = M + block[k];
        double *y = x + first[k], det = 1 / (A[0] * A[3] - A[1] * A[1]), y0 = y[0];
        y[0] = det * (A[3] * y0 - A[1] * y[1]), y[1] = det * (A[0] * y[1] - A[1] * y0);
    }
    x[2] /= M[4];
}

static void factor(eliminated *s, const sodae_point *at) {
    mass(at, s->M, NULL), holonomic_q(at, s->G, NULL);
    for (int i = 0; i < NL; i++) {
        double row[NL] = {0}, column[NV], *L = s->L + NL * i;
        row[i] = 1;
        pull(s->G, row, column);
        divide(s->M, column);
        across(s->G, column, row);
        for (int j = 0; j <= i; j++) {
            double sum = row[j];
            for (int k = 0; k < j; k++) sum -= L[k] * s->L[NL * j + k];
            L[j] = i == j ? 1 / sqrt(sum) : sum * s->L[(NL + 1) * j];
        }
    }
}

static void solve(const eliminated *s, double *x) {
    const double *L = s->L;
    for (int i = 0; i < NL; i++) {
        for (int k = 0; k < i; k++) x[i] -= L[NL * i + k] * x[k];
        x[i] *= L[(NL + 1) * i];
    }
    for (int i = NL - 1; i >= 0; i--) {
        for (int k = i + 1; k < NL; k++) x[i] -= L[NL * k + i] * x[k];
        x[i] *= L[(NL + 1) * i];
    }
}

/* w -= M^-1 G^T x */
static void correct(const eliminated *s, const double *x, double *w) {
    double dw[NV];
    pull(s->G, x, dw);
    divide(s->M, dw);
    for (int i = 0; i < NV; i++) w[i] -= dw[i];
}

static void accelerate(const double *q, const double *v, double *a, double *lambda) {
    eliminated s;
    double gamma[NL];
    sodae_point at = {.q = q, .v = v, .work = &s.T};
    prepare(&at, NULL);
    factor(&s, &at);
    force(&at, a, NULL), drift(&at, gamma, NULL);
    divide(s.M, a);
    across(s.G, a, lambda);
    for (int i = 0; i < NL; i++) lambda[i] += gamma[i];
    solve(&s, lambda);
    correct(&s, lambda, a);
}

static void project(double *q, double *v) {
    eliminated s;
    double x[NL], worst = 1;
    sodae_point at = {.q = q, .v = v, .work = &s.T};
    for (int pass = 0; pass < 3; pass++) {
        prepare(&at, NULL);
        holonomic(&at, x, NULL);
        worst = 0;
        for (int i = 0; i < NL; i++) worst = fmax(worst, fabs(x[i]));
        if (worst < 1e-15) break;
        if (pass == 0) factor(&s, &at);
        solve(&s, x), correct(&s, x, q);
    }
    if (worst >= 1e-15) prepare(&at, NULL);
    factor(&s, &at);
    across(s.G, v, x), solve(&s, x), correct(&s, x, v);
}

static const hand_elimination by_hand = {accelerate, project};

/* ------------------------------------------------------------------------------------------ */

int andrews(bench_problem *b, int n) {
    static const int ptr[] = {0, 2, 4, 5, 7, 9, 11, 13},
                     row[] = {0, 1, 0, 1, 2, 3, 4, 3, 4, 5, 6, 5, 6},
                     G_ptr[] = {0, 6, 12, 14, 16, 18, 20, 22},
                     G_row[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5};
    static const double q0[NV] = {-0.0617138900142764496, 0,
                                  0.455279819163070380,   0.222668390165885884,
                                  0.487364979543842550,   -0.222668390165885884,
                                  1.23054744454982119};
    const sodae_pattern blocks = {ptr, row}, G = {G_ptr, G_row};
    sodae_problem *p = &b->p;
    double *q, *v;
    (void)n;
    p->nv = NV, p->nlambda = NL;
    bench_initial(b, &q, &v);
    memcpy(q, q0, sizeof q0);
    p->work_size = sizeof(trig), p->prepare = prepare;
    p->value[SODAE_MASS] = (sodae_term){mass, blocks};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_MASS][SODAE_Q] = (sodae_term){mass_q, blocks};
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){force_q, blocks};
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){force_v, blocks};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V] = (sodae_term){drift_v, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_Q].pattern = G;
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, blocks};
    b->hand = &by_hand;
    return 0;
}
