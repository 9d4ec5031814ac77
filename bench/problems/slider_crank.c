/* Slider crank with an elastic connecting rod: Simeon, Math. Modelling of Systems 2 (1996), 1-18;
 * Mazzia, Magherini, Test Set for IVP Solvers, release 2.4, consistent initial values. q = (phi1,
 * phi2, x3, e1..e4), e1 and e2 lateral sine modes, e3 and e4 a longitudinal quadratic element. The
 * source has pi = 3.1415927. With D = phi1 - phi2, s = sin D, c = cos D:
 *   M01 = l1 l2 m2 c/2 + rho l1 (s c2.e + c c1.e),  M11 = J2 + e.MQ e + 2 rho c12.e
 *   M0e = rho l1 (-s c1 + c c2),  M1e = rho (c21 - BQ e),  Mee = MQ,  BQ antisymmetric */
#include "bench/problems/problem.h"

#include <math.h>
#include <string.h>

#define PI 3.1415927
static const double m2 = 0.151104, m3 = 0.075552, l1 = 0.15, l2 = 0.3, J1 = 0.002727,
                    J2 = 0.0045339259, E = 0.2e12, wide = 0.008, rho = 7870, speed = 150;

/* N: the coordinates but the slider x3, which is only in g; tables of derivatives leave it out. */
enum { NV = 7, N = 6 };
static const int full[N] = {0, 1, 3, 4, 5, 6};

typedef struct rod {
    double MQ[4][4], KQ[4][4], BQ[4][4], c1[4], c2[4], c12[4], c21[4];
} rod;

/* At a point: the angles, e and e' times the matrices and vectors of the rod. */
typedef struct swing {
    double s, c, s1, c1, s2, c2;
    double c1e, c2e, c1d, c2d, c12e, c12d;
    double Me[4], Md[4], Be[4], Bd[4], Ke[4];
} swing;

static void set_rod(rod *p) {
    double area = wide * wide, fm = rho * area * l2, fk = E * area / l2, fb = area * l2;
    double slender = area / (l2 * l2), b13 = -fb * 16 / pow(PI, 3);
    double b14 = fb * (8 / pow(PI, 3) - 1 / PI), b24 = fb / (2 * PI);
    memset(p, 0, sizeof *p);
    p->MQ[0][0] = p->MQ[1][1] = fm / 2;
    p->MQ[2][2] = 8 * fm, p->MQ[2][3] = p->MQ[3][2] = fm, p->MQ[3][3] = 2 * fm;
    p->KQ[0][0] = fk * pow(PI, 4) / 24 * slender, p->KQ[1][1] = fk * pow(PI, 4) * 2 / 3 * slender;
    p->KQ[2][2] = fk * 16 / 3, p->KQ[2][3] = p->KQ[3][2] = -fk * 8 / 3, p->KQ[3][3] = fk * 7 / 3;
    p->BQ[0][2] = b13, p->BQ[2][0] = -b13, p->BQ[0][3] = b14, p->BQ[3][0] = -b14;
    p->BQ[1][3] = b24, p->BQ[3][1] = -b24;
    p->c1[2] = fb * 2 / 3, p->c1[3] = fb / 6, p->c2[0] = fb * 2 / PI;
    p->c12[2] = l2 * fb / 3, p->c12[3] = l2 * fb / 6;
    p->c21[0] = l2 * fb / PI, p->c21[1] = -l2 * fb / (2 * PI);
}

static double dot(const double *x, const double *y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
}

static void apply(const double A[4][4], const double *x, double *y) {
    for (int i = 0; i < 4; i++) y[i] = dot(A[i], x);
}

static int prepare(const sodae_point *at, void *user) {
    const rod *p = user;
    const double *q = at->q, *e = q + 3, *d = at->v + 3;
    swing *w = at->work;
    w->s1 = sin(q[0]), w->c1 = cos(q[0]), w->s2 = sin(q[1]), w->c2 = cos(q[1]);
    w->s = w->s1 * w->c2 - w->c1 * w->s2, w->c = w->c1 * w->c2 + w->s1 * w->s2;
    w->c1e = dot(p->c1, e), w->c2e = dot(p->c2, e), w->c12e = dot(p->c12, e);
    w->c1d = dot(p->c1, d), w->c2d = dot(p->c2, d), w->c12d = dot(p->c12, d);
    apply(p->MQ, e, w->Me), apply(p->MQ, d, w->Md), apply(p->KQ, e, w->Ke);
    apply(p->BQ, e, w->Be), apply(p->BQ, d, w->Bd);
    return 0;
}

/* M by columns, the entry of the slider behind those of the angles. */
static int mass(const sodae_point *at, double *out, void *user) {
    const rod *p = user;
    const swing *w = at->work;
    double A[N][N];
    A[0][0] = J1 + m2 * l1 * l1;
    A[0][1] = A[1][0] = l1 * l2 * m2 * w->c / 2 + rho * l1 * (w->s * w->c2e + w->c * w->c1e);
    A[1][1] = J2 + dot(at->q + 3, w->Me) + 2 * rho * w->c12e;
    for (int i = 0; i < 4; i++) {
        A[0][2 + i] = A[2 + i][0] = rho * l1 * (-w->s * p->c1[i] + w->c * p->c2[i]);
        A[1][2 + i] = A[2 + i][1] = rho * (p->c21[i] - w->Be[i]);
        for (int j = 0; j < 4; j++) A[2 + i][2 + j] = p->MQ[i][j];
    }
    memcpy(out, A, 2 * sizeof *A);
    out[2 * N] = m3;
    memcpy(out + 2 * N + 1, A + 2, 4 * sizeof *A);
    return 0;
}

/* Derivatives in this file: A[j][i] is that of row full[i] by column full[j]. */
static int mass_q(const sodae_point *at, double *out, void *user) {
    const rod *p = user;
    const swing *w = at->work;
    const double a0 = at->a[0], a1 = at->a[1], *a = at->a + 3;
    double(*A)[N] = (double(*)[N])out, Ba[4], s = w->s, c = w->c;
    double turn = -l1 * l2 * m2 * s / 2 + rho * l1 * (c * w->c2e - s * w->c1e);
    apply(p->BQ, a, Ba);
    A[0][0] = turn * a1 - rho * l1 * (c * dot(p->c1, a) + s * dot(p->c2, a));
    A[0][1] = turn * a0;
    for (int i = 0; i < 4; i++) {
        double M01 = rho * l1 * (s * p->c2[i] + c * p->c1[i]);
        A[0][2 + i] = -a0 * rho * l1 * (c * p->c1[i] + s * p->c2[i]);
        A[2 + i][0] = a1 * M01;
        A[2 + i][1] = a0 * M01 + 2 * a1 * (w->Me[i] + rho * p->c12[i]) + rho * Ba[i];
        for (int j = 0; j < 4; j++) A[2 + i][2 + j] = -a1 * rho * p->BQ[j][i];
    }
    for (int i = 0; i < N; i++) A[1][i] = -A[0][i];
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const rod *p = user;
    const swing *w = at->work;
    double w1 = at->v[0], w2 = at->v[1], s = w->s, c = w->c, couple = l1 * l2 * m2 / 2;
    out[0] = w2 * w2 * (-couple * s + rho * l1 * (-s * w->c1e + c * w->c2e)) -
             2 * rho * l1 * w2 * (c * w->c1d + s * w->c2d);
    out[1] = w1 * w1 * (couple * s + rho * l1 * (s * w->c1e - c * w->c2e)) -
             2 * w2 * (rho * w->c12d + dot(at->v + 3, w->Me));
    out[2] = 0;
    for (int i = 0; i < 4; i++)
        out[3 + i] = w2 * w2 * (w->Me[i] + rho * p->c12[i]) - w->Ke[i] +
                     rho * (l1 * w1 * w1 * (c * p->c1[i] + s * p->c2[i]) + 2 * w2 * w->Bd[i]);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const rod *p = user;
    const swing *w = at->work;
    double(*A)[N] = (double(*)[N])out, w1 = at->v[0], w2 = at->v[1], s = w->s, c = w->c;
    double couple = l1 * l2 * m2 / 2, turn = c * w->c1e + s * w->c2e;
    A[0][0] =
        w2 * w2 * (-couple * c - rho * l1 * turn) - 2 * rho * l1 * w2 * (c * w->c2d - s * w->c1d);
    A[0][1] = w1 * w1 * (couple * c + rho * l1 * turn);
    for (int i = 0; i < 4; i++) {
        double across = rho * l1 * (-s * p->c1[i] + c * p->c2[i]);
        A[0][2 + i] = w1 * w1 * across;
        A[2 + i][0] = w2 * w2 * across;
        A[2 + i][1] = -w1 * w1 * across - 2 * w2 * w->Md[i];
        for (int j = 0; j < 4; j++) A[2 + i][2 + j] = w2 * w2 * p->MQ[j][i] - p->KQ[j][i];
    }
    for (int i = 0; i < N; i++) A[1][i] = -A[0][i];
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const rod *p = user;
    const swing *w = at->work;
    double(*A)[N] = (double(*)[N])out, w1 = at->v[0], w2 = at->v[1], s = w->s, c = w->c;
    double couple = l1 * l2 * m2 / 2, bend = rho * l1 * (s * w->c1e - c * w->c2e);
    A[0][0] = 0;
    A[0][1] = 2 * w1 * (couple * s + bend);
    A[1][0] = -2 * w2 * (couple * s + bend) - 2 * rho * l1 * (c * w->c1d + s * w->c2d);
    A[1][1] = -2 * (rho * w->c12d + dot(at->v + 3, w->Me));
    for (int i = 0; i < 4; i++) {
        double ahead = rho * l1 * (c * p->c1[i] + s * p->c2[i]),
               stretch = w->Me[i] + rho * p->c12[i];
        A[0][2 + i] = 2 * w1 * ahead;
        A[1][2 + i] = 2 * w2 * stretch + 2 * rho * w->Bd[i];
        A[2 + i][0] = -2 * w2 * ahead;
        A[2 + i][1] = -2 * w2 * stretch;
        for (int j = 0; j < 4; j++) A[2 + i][2 + j] = 2 * rho * w2 * p->BQ[j][i];
    }
    return 0;
}

static int holonomic(const sodae_point *at, double *out, void *user) {
    const swing *w = at->work;
    const double *q = at->q, l = l2 + q[6];
    (void)user;
    out[0] = l1 * w->s1 + l * w->s2;
    out[1] = q[2] - l1 * w->c1 - l * w->c2;
    out[2] = q[0] - speed * at->t;
    return 0;
}

static int holonomic_q(const sodae_point *at, double *out, void *user) {
    const swing *w = at->work;
    double l = l2 + at->q[6];
    (void)user;
    out[0] = l1 * w->c1, out[1] = l1 * w->s1, out[2] = 1;
    out[3] = l * w->c2, out[4] = l * w->s2;
    out[5] = 1;
    out[6] = w->s2, out[7] = -w->c2;
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    const swing *w = at->work;
    const double *v = at->v, l = l2 + at->q[6];
    (void)user;
    out[0] = -l1 * w->s1 * v[0], out[1] = l1 * w->c1 * v[0], out[2] = 0;
    out[3] = -l * w->s2 * v[1] + w->c2 * v[6], out[4] = l * w->c2 * v[1] + w->s2 * v[6];
    out[5] = 0;
    out[6] = w->c2 * v[1], out[7] = w->s2 * v[1];
    return 0;
}

/* The drift is (G v)_q v. */
static int drift_v(const sodae_point *at, double *out, void *user) {
    rate_q(at, out, user);
    for (int i = 0; i < 8; i++) out[i] *= 2;
    return 0;
}

static void across(const double *G, const double *v, double *out) {
    out[0] = G[0] * v[0] + G[3] * v[1] + G[6] * v[6];
    out[1] = G[1] * v[0] + G[4] * v[1] + G[5] * v[2] + G[7] * v[6];
    out[2] = G[2] * v[0];
}

static int rate(const sodae_point *at, double *out, void *user) {
    double G[8];
    holonomic_q(at, G, user);
    across(G, at->v, out);
    out[2] -= speed;
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    double G[8];
    rate_q(at, G, user);
    across(G, at->v, out);
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const double *l = at->lambda;
    double G[8];
    holonomic_q(at, G, user);
    out[0] = G[0] * l[0] + G[1] * l[1] + G[2] * l[2], out[1] = G[3] * l[0] + G[4] * l[1];
    out[2] = G[5] * l[1], out[3] = out[4] = out[5] = 0, out[6] = G[6] * l[0] + G[7] * l[1];
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    const swing *w = at->work;
    const double *l = at->lambda, rod_length = l2 + at->q[6];
    (void)user;
    out[0] = l1 * (w->c1 * l[1] - w->s1 * l[0]);
    out[1] = rod_length * (w->c2 * l[1] - w->s2 * l[0]);
    out[2] = out[3] = w->c2 * l[0] + w->s2 * l[1];
    return 0;
}

/* Columns of the angles and of the rod have all rows but the slider's; `slider` 1: its own column
 * has its row. */
static sodae_pattern all_but(bench_problem *b, int slider) {
    int *ptr = bench_room(b, NV + 1, sizeof *ptr), *row = bench_room(b, N * N + 1, sizeof *row),
        k = 0;
    for (int j = 0; j < NV; j++) {
        for (int i = 0; i < N && j != 2; i++) row[k++] = full[i];
        if (j == 2 && slider) row[k++] = 2;
        ptr[j + 1] = k;
    }
    return (sodae_pattern){ptr, row};
}

int slider_crank(bench_problem *b, int n) {
    static const double q0[NV] = {
        0, 0, 0.45001693283965788, 0, 0, 1.0333980955262189e-05, 1.6932839657902479e-05};
    static const double v0[NV] = {150,
                                  -74.995767029006245,
                                  -2.68938672e-06,
                                  0.44489611054015349,
                                  0.0046343403399512128,
                                  -1.78591076e-06,
                                  -2.68938672e-06};
    static const int G_ptr[] = {0, 3, 5, 6, 6, 6, 6, 8}, G_row[] = {0, 1, 2, 0, 1, 1, 0, 1},
                     bend_ptr[] = {0, 1, 3, 3, 3, 3, 3, 4}, bend_row[] = {0, 1, 6, 1};
    const sodae_pattern G = {G_ptr, G_row}, wide_open = all_but(b, 0);
    sodae_problem *p = &b->p;
    double *q, *v;
    (void)n;
    b->timed = 1;
    p->nv = NV, p->nlambda = 3;
    bench_initial(b, &q, &v);
    memcpy(q, q0, sizeof q0), memcpy(v, v0, sizeof v0);
    rod *r = bench_room(b, 1, sizeof *r);
    set_rod(r);
    p->user = r, p->work_size = sizeof(swing), p->prepare = prepare;
    p->value[SODAE_MASS] = (sodae_term){mass, all_but(b, 1)};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_MASS][SODAE_Q] = (sodae_term){mass_q, wide_open};
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){force_q, wide_open};
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){force_v, wide_open};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = (sodae_term){holonomic_q, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V] = (sodae_term){drift_v, G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_Q].pattern = G;
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, {bend_ptr, bend_row}};
    return 0;
}
