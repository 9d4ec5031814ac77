/* Evaluation of M, f, g, G: tapes of model files against hand-written C, in one run.
 *
 *   evaluation TWO_LINK.yaml ANDREWS.yaml */
#include <math.h>
#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void hand_fn(const double *q, const double *v, double *out);

typedef struct hand {
    const char *name;
    int nv, ng;
    hand_fn *M, *f, *g, *G; /* full matrices, by columns */
} hand;

/* ---- two links -------------------------------------------------------------------------- */
enum { M1 = 1 };
static const double L = 0.5, grav = 9.81;

static void link_M(const double *q, const double *v, double *M) {
    (void)q, (void)v;
    memset(M, 0, 36 * sizeof *M);
    M[0] = M[7] = M[21] = M[28] = M1;
    M[14] = M[35] = M1 * L * L / 3;
}

static void link_f(const double *q, const double *v, double *f) {
    (void)q, (void)v;
    f[0] = f[2] = f[3] = f[5] = 0;
    f[1] = f[4] = -M1 * grav;
}

static void link_g(const double *q, const double *v, double *g) {
    (void)v;
    double c1 = L * cos(q[2]), s1 = L * sin(q[2]), c2 = L * cos(q[5]), s2 = L * sin(q[5]);
    g[0] = q[0] - c1;
    g[1] = q[1] - s1;
    g[2] = q[3] - 2 * c1 - c2;
    g[3] = q[4] - 2 * s1 - s2;
}

static void link_G(const double *q, const double *v, double *G) {
    (void)v;
    double c1 = L * cos(q[2]), s1 = L * sin(q[2]), c2 = L * cos(q[5]), s2 = L * sin(q[5]);
    memset(G, 0, 24 * sizeof *G);
    G[0] = G[5] = G[14] = G[19] = 1;
    G[8] = s1, G[9] = -c1, G[10] = 2 * s1, G[11] = -2 * c1;
    G[22] = s2, G[23] = -c2;
}

/* ---- Andrews' mechanism ------------------------------------------------------------------ */
static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .0705, m6 = .00706,
                    m7 = .05498, i1 = 2.194e-6, i2 = 4.41e-7, i3 = 5.255e-6, i4 = 5.667e-7,
                    i5 = 1.169e-5, i6 = 5.667e-7, i7 = 1.912e-5, xa = -.06934, ya = -.00227,
                    xb = -.03635, yb = .03273, xc = .014, yc = .072, d = .028, da = .0115, e = .02,
                    ea = .01421, zf = .02, fa = .01421, rr = .007, ra = .00092, ss = .035,
                    sa = .01874, sb = .01043, sc = .018, sd = .02, ta = .02308, tb = .00916,
                    u = .04, ua = .01228, ub = .00449, zt = .04, c0 = 4530, l0 = .07785, mom = .033;

static void squeezer_M(const double *q, const double *v, double *M) {
    (void)v;
    double ee = e - ea, zz = zf - fa, ct = cos(q[1]), sp = sin(q[3]), so = sin(q[5]);
    memset(M, 0, 49 * sizeof *M);
    M[0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * ct + da * da) + i1 + i2;
    M[1] = M[7] = m2 * (da * da - da * rr * ct) + i2;
    M[8] = m2 * da * da + i2;
    M[16] = m3 * (sa * sa + sb * sb) + i3;
    M[24] = m4 * ee * ee + i4;
    M[25] = M[31] = m4 * (ee * ee + zt * ee * sp) + i4;
    M[32] = m4 * (zt * zt + 2 * zt * ee * sp + ee * ee) + m5 * (ta * ta + tb * tb) + i4 + i5;
    M[40] = m6 * zz * zz + i6;
    M[41] = M[47] = m6 * (zz * zz - u * zz * so) + i6;
    M[48] = m6 * (zz * zz - 2 * u * zz * so + u * u) + m7 * (ua * ua + ub * ub) + i6 + i7;
}

static void squeezer_f(const double *q, const double *v, double *f) {
    double ee = e - ea, zz = zf - fa, st = sin(q[1]), cg = cos(q[2]), sg = sin(q[2]);
    double cp = cos(q[3]), co = cos(q[5]);
    double xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb;
    double l = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)), pull = -c0 * (l - l0) / l;
    double Fx = pull * (xd - xc), Fy = pull * (yd - yc);
    f[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * st;
    f[1] = m2 * da * rr * v[0] * v[0] * st;
    f[2] = Fx * (sc * cg - sd * sg) + Fy * (sd * cg + sc * sg);
    f[3] = m4 * zt * ee * v[4] * v[4] * cp;
    f[4] = -m4 * zt * ee * v[3] * (v[3] + 2 * v[4]) * cp;
    f[5] = -m6 * u * zz * v[6] * v[6] * co;
    f[6] = m6 * u * zz * v[5] * (v[5] + 2 * v[6]) * co;
}

static void squeezer_g(const double *q, const double *v, double *g) {
    (void)v;
    double X = rr * cos(q[0]) - d * cos(q[0] + q[1]), Y = rr * sin(q[0]) - d * sin(q[0] + q[1]);
    g[0] = X - ss * sin(q[2]) - xb;
    g[1] = Y + ss * cos(q[2]) - yb;
    g[2] = X - e * sin(q[3] + q[4]) - zt * cos(q[4]) - xa;
    g[3] = Y + e * cos(q[3] + q[4]) - zt * sin(q[4]) - ya;
    g[4] = X - zf * cos(q[5] + q[6]) - u * sin(q[6]) - xa;
    g[5] = Y - zf * sin(q[5] + q[6]) + u * cos(q[6]) - ya;
}

static void squeezer_G(const double *q, const double *v, double *G) {
    (void)v;
    double c01 = d * cos(q[0] + q[1]), s01 = d * sin(q[0] + q[1]);
    double Xb = -rr * sin(q[0]) + s01, Yb = rr * cos(q[0]) - c01;
    double c34 = e * cos(q[3] + q[4]), s34 = e * sin(q[3] + q[4]);
    double c56 = zf * cos(q[5] + q[6]), s56 = zf * sin(q[5] + q[6]);
    memset(G, 0, 42 * sizeof *G);
    G[0] = G[2] = G[4] = Xb, G[1] = G[3] = G[5] = Yb;
    G[6] = G[8] = G[10] = s01, G[7] = G[9] = G[11] = -c01;
    G[12] = -ss * cos(q[2]), G[13] = -ss * sin(q[2]);
    G[20] = -c34, G[21] = -s34;
    G[26] = -c34 + zt * sin(q[4]), G[27] = -s34 - zt * cos(q[4]);
    G[34] = s56, G[35] = -c56;
    G[40] = s56 - u * cos(q[6]), G[41] = -c56 - u * sin(q[6]);
}

/* ------------------------------------------------------------------------------------------ */
static double now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { RUNS = 5000, ROUNDS = 400 };

static double time_hand(const hand *h, double *q, const double *v, double *out) {
    double start = now();
    for (int i = 0; i < RUNS; i++) {
        q[2] += 1e-9;
        h->M(q, v, out), h->f(q, v, out + 64), h->g(q, v, out + 80), h->G(q, v, out + 96);
    }
    return (now() - start) / RUNS;
}

static double time_tapes(const sodae_problem *p, double *q, const double *v, double *out) {
    sodae_point at = p->initial;
    at.q = q, at.v = v;
    double start = now();
    for (int i = 0; i < RUNS; i++) {
        q[2] += 1e-9;
        p->value[SODAE_MASS].fn(&at, out, p->user);
        p->value[SODAE_FORCE].fn(&at, out + 64, p->user);
        p->value[SODAE_HOLONOMIC].fn(&at, out + 80, p->user);
        p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn(&at, out + 96, p->user);
    }
    return (now() - start) / RUNS;
}

/* The largest difference of G, as a sign that both compute the same. */
static double difference(const sodae_problem *p, const hand *h, const double *q, const double *v) {
    double a[256] = {0}, b[256], worst = 0;
    const sodae_term *G = &p->derivative[SODAE_HOLONOMIC][SODAE_Q];
    sodae_point at = p->initial;
    at.q = q, at.v = v;
    G->fn(&at, b, p->user);
    h->G(q, v, a);
    for (int j = 0; j < h->nv; j++)
        for (int k = G->pattern.colptr[j]; k < G->pattern.colptr[j + 1]; k++)
            worst = fmax(worst, fabs(a[G->pattern.rowind[k] + h->ng * j] - b[k]));
    return worst;
}

int main(int argc, char **argv) {
    static const hand hands[] = {{"two-link", 6, 4, link_M, link_f, link_g, link_G},
                                 {"andrews", 7, 6, squeezer_M, squeezer_f, squeezer_g, squeezer_G}};
    double q[8], v[8], out[256];
    for (int i = 0; i < 2 && i + 1 < argc; i++) {
        sodae_model *model;
        sodae_failure why;
        if (sodae_model_load(argv[i + 1], NULL, &model, &why)) return puts(why.message), 1;
        const sodae_problem *p = sodae_model_problem(model);
        memcpy(q, p->initial.q, (size_t)p->nv * sizeof *q);
        for (int k = 0; k < p->nv; k++) v[k] = 0.1 * k;
        double by_hand = 1, by_tape = 1; /* best of many short rounds, in turns */
        for (int k = 0; k < ROUNDS; k++) {
            by_hand = fmin(by_hand, time_hand(&hands[i], q, v, out));
            by_tape = fmin(by_tape, time_tapes(p, q, v, out));
        }
        printf("%-10s hand %6.1f ns   tape %6.1f ns   ratio %.2f   (G differs by %.1e)\n",
               hands[i].name, 1e9 * by_hand, 1e9 * by_tape, by_tape / by_hand,
               difference(p, &hands[i], q, v));
        sodae_model_free(model);
    }
    return 0;
}
