/* A chain of bodies with spherical joints, as a mechanism and as callbacks: instructions of one
 * step.
 *
 *   mechanism_chain mechanism|callbacks BODIES STEPS METHOD
 *
 * The difference of two numbers of steps under callgrind, or of the times printed, is the cost. */
#include <sodae/sodae.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double I[3] = {0.02, 0.09, 0.085}, mass = 1.1, g[3] = {0.1, 0.3, -9.81};
static const double arm[2][3] = {{-0.5, 0, 0}, {0.5, 0, 0}}; /* to the joint before, behind */

typedef struct chain {
    int n;
    sodae_problem p;
} chain;

static void apply(const double *R, const double *a, double *out) {
    for (int i = 0; i < 3; i++)
        out[i] = R[3 * i] * a[0] + R[3 * i + 1] * a[1] + R[3 * i + 2] * a[2];
}

static void apply_back(const double *R, const double *a, double *out) {
    for (int i = 0; i < 3; i++) out[i] = R[i] * a[0] + R[3 + i] * a[1] + R[6 + i] * a[2];
}

static void cross(const double *a, const double *b, double *out) {
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static int mass_value(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    (void)at;
    for (int i = 0; i < 6 * c->n; i++) out[i] = i % 6 < 3 ? mass : I[i % 6 - 3];
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int i = 0; i < c->n; i++, out += 6) {
        const double *w = at->v + 6 * i + 3, L[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]};
        for (int k = 0; k < 3; k++) out[k] = mass * g[k];
        cross(L, w, out + 3);
    }
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int i = 0; i < c->n; i++, out += 9) {
        const double *w = at->v + 6 * i + 3;
        for (int k = 0; k < 3; k++) {
            double e[3] = {0}, a[3], b[3], L[3] = {I[0] * w[0], I[1] * w[1], I[2] * w[2]},
                   Le[3] = {0};
            e[k] = 1, Le[k] = I[k];
            cross(Le, w, a);
            cross(L, e, b);
            for (int j = 0; j < 3; j++) out[3 * k + j] = a[j] + b[j];
        }
    }
    return 0;
}

/* Joint j holds the end of body j - 1, the ground for j = 0, to the beginning of body j. */
static int holonomic(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    double end[3] = {0, 0, 0}, a[3];
    for (int j = 0; j < c->n; j++, out += 3) {
        const double *x = at->q + 12 * j;
        apply(x + 3, arm[0], a);
        for (int k = 0; k < 3; k++) out[k] = x[k] + a[k] - end[k];
        apply(x + 3, arm[1], a);
        for (int k = 0; k < 3; k++) end[k] = x[k] + a[k];
    }
    return 0;
}

/* -R hat(a) by columns */
static void turned(const double *R, const double *a, double s, double *out, int stride) {
    for (int k = 0; k < 3; k++) {
        double e[3] = {0}, b[3], d[3];
        e[k] = 1;
        cross(e, a, b);
        apply(R, b, d);
        for (int j = 0; j < 3; j++) out[k * stride + j] = s * d[j];
    }
}

/* Columns of body j: rows of joint j, then of joint j + 1. */
static int holonomic_q(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int j = 0; j < c->n; j++) {
        const double *R = at->q + 12 * j + 3;
        int last = j == c->n - 1, width = last ? 3 : 6;
        for (int k = 0; k < 3; k++) {
            *out++ = 1;
            if (!last) *out++ = -1;
        }
        turned(R, arm[0], 1, out, width);
        if (!last) turned(R, arm[1], -1, out + 3, width);
        out += 3 * width;
    }
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    double end[3] = {0, 0, 0}, a[3], b[3];
    for (int j = 0; j < c->n; j++, out += 3) {
        const double *R = at->q + 12 * j + 3, *v = at->v + 6 * j;
        cross(v + 3, arm[0], a);
        apply(R, a, b);
        for (int k = 0; k < 3; k++) out[k] = v[k] + b[k] - end[k];
        cross(v + 3, arm[1], a);
        apply(R, a, b);
        for (int k = 0; k < 3; k++) end[k] = v[k] + b[k];
    }
    return 0;
}

/* Rows of the rotations alone, as in holonomic_q. */
static int rate_q(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int j = 0; j < c->n; j++) {
        const double *R = at->q + 12 * j + 3, *w = at->v + 6 * j + 3;
        int last = j == c->n - 1, width = last ? 3 : 6;
        double a[3];
        cross(w, arm[0], a);
        turned(R, a, 1, out, width);
        cross(w, arm[1], a);
        if (!last) turned(R, a, -1, out + 3, width);
        out += 3 * width;
    }
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    double end[3] = {0, 0, 0}, a[3], b[3];
    for (int j = 0; j < c->n; j++, out += 3) {
        const double *R = at->q + 12 * j + 3, *w = at->v + 6 * j + 3;
        cross(w, arm[0], a), cross(w, a, b), apply(R, b, a);
        for (int k = 0; k < 3; k++) out[k] = a[k] - end[k];
        cross(w, arm[1], a), cross(w, a, b), apply(R, b, end);
    }
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int j = 0; j < c->n; j++, out += 6) {
        const double *R = at->q + 12 * j + 3, *l = at->lambda + 3 * j;
        double a[3], b[3];
        apply_back(R, l, a);
        cross(arm[0], a, out + 3);
        for (int k = 0; k < 3; k++) out[k] = l[k];
        if (j == c->n - 1) break;
        apply_back(R, l + 3, a);
        cross(arm[1], a, b);
        for (int k = 0; k < 3; k++) out[k] -= l[3 + k], out[3 + k] -= b[k];
    }
    return 0;
}

/* a x (b x e) for columns e: hat(a) hat(R^T lambda) */
static int reaction_q(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int j = 0; j < c->n; j++, out += 9) {
        const double *R = at->q + 12 * j + 3, *l = at->lambda + 3 * j;
        double b[2][3] = {{0}};
        apply_back(R, l, b[0]);
        if (j < c->n - 1) apply_back(R, l + 3, b[1]);
        for (int k = 0; k < 3; k++) {
            double e[3] = {0}, x[3], y[3], z[3];
            e[k] = 1;
            cross(b[0], e, x), cross(arm[0], x, y);
            cross(b[1], e, x), cross(arm[1], x, z);
            for (int i = 0; i < 3; i++) out[3 * k + i] = y[i] - z[i];
        }
    }
    return 0;
}

static sodae_pattern pattern(int columns, int nnz) {
    return (sodae_pattern){calloc((size_t)columns + 1, sizeof(int)),
                           calloc((size_t)nnz + 1, sizeof(int))};
}

/* Columns of bodies; `x`: those of translations too. */
static sodae_pattern rows_by_bodies(int n, int x) {
    sodae_pattern s = pattern(6 * n, 30 * n);
    int *colptr = (int *)s.colptr, *row = (int *)s.rowind, nnz = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k < 6; k++) {
            int both = j < n - 1 ? 2 : 1;
            for (int b = 0; b < both; b++)
                for (int i = 0; i < 3; i++)
                    if (k >= 3 || (x && i == k)) row[nnz++] = 3 * (j + b) + i;
            colptr[6 * j + k + 1] = nnz;
        }
    return s;
}

static sodae_pattern blocks(int n, int diagonal) {
    sodae_pattern s = pattern(6 * n, 15 * n);
    int *colptr = (int *)s.colptr, *row = (int *)s.rowind, nnz = 0;
    for (int j = 0; j < 6 * n; j++) {
        int k = j % 6;
        for (int i = 3; i < 6; i++)
            if (k >= 3 && (!diagonal || i == k)) row[nnz++] = j - k + i;
        if (diagonal && k < 3) row[nnz++] = j;
        colptr[j + 1] = nnz;
    }
    return s;
}

static const sodae_problem *callbacks(chain *c) {
    sodae_problem *p = &c->p;
    int n = c->n, *sizes = calloc((size_t)(2 * n), sizeof *sizes);
    const sodae_group **groups = calloc((size_t)(2 * n), sizeof *groups);
    double *q = calloc((size_t)(12 * n), sizeof *q), *v = calloc((size_t)(6 * n), sizeof *v);
    sodae_space *space;
    sodae_pattern none = pattern(6 * n, 0);
    for (int i = 0; i < n; i++) {
        groups[2 * i] = &sodae_rn, sizes[2 * i] = 3, groups[2 * i + 1] = &sodae_so3;
        q[12 * i] = i + 0.5, q[12 * i + 3] = q[12 * i + 7] = q[12 * i + 11] = 1;
    }
    sodae_space_create(groups, sizes, 2 * n, &space);
    *p = (sodae_problem){.size = sizeof *p,
                         .name = "chain",
                         .space = space,
                         .nv = 6 * n,
                         .nlambda = 3 * n,
                         .constant_mass = 1,
                         .exact_derivatives = 1,
                         .user = c};
    p->initial = (sodae_point){.q = q, .v = v};
    p->value[SODAE_MASS] = (sodae_term){mass_value, blocks(n, 1)};
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++) p->derivative[f][x].pattern = none;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic, p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift, p->value[SODAE_REACTION].fn = reaction;
    p->derivative[SODAE_FORCE][SODAE_V] = (sodae_term){force_v, blocks(n, 0)};
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, rows_by_bodies(n, 1)};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = p->derivative[SODAE_HOLONOMIC][SODAE_Q];
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, rows_by_bodies(n, 0)};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_Q] = (sodae_term){NULL, rows_by_bodies(n, 0)};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V] = (sodae_term){NULL, rows_by_bodies(n, 0)};
    p->derivative[SODAE_REACTION][SODAE_Q] = (sodae_term){reaction_q, blocks(n, 0)};
    return p;
}

static const sodae_problem *mechanism(int n) {
    sodae_failure why = {0};
    sodae_mechanism *m = sodae_mechanism_create(0, g);
    int bad = 0;
    for (int i = 0; i < n; i++) {
        char name[24];
        sodae_body b = {
            .mass = mass, .inertia = {I[0], 0, 0, 0, I[1], 0, 0, 0, I[2]}, .at = {i + 0.5}};
        b.rotation[0] = b.rotation[4] = b.rotation[8] = 1;
        snprintf(name, sizeof name, "b%d", i);
        bad |= sodae_mechanism_body(m, name, &b, &why) < 0;
    }
    for (int i = 0; i < n; i++) {
        char name[24];
        sodae_joint j = {.type = SODAE_JOINT_SPHERICAL, .body = {i - 1, i}, .at = {{i}, {i}}};
        snprintf(name, sizeof name, "j%d", i);
        bad |= sodae_mechanism_joint(m, name, &j, &why) < 0;
    }
    if (bad || sodae_mechanism_finish(m, 0, 0, &why)) fprintf(stderr, "%s\n", why.message), exit(1);
    return sodae_mechanism_problem(m);
}

int main(int argc, char **argv) {
    sodae *s;
    sodae_failure why = {0};
    struct timespec a, b;
    if (argc < 5) return 2;
    chain c = {.n = atoi(argv[2])};
    const sodae_problem *p = argv[1][0] == 'm' ? mechanism(c.n) : callbacks(&c);
    sodae_options o = sodae_default_options();
    if (sodae_options_set(&o, "method", argv[4], &why) ||
        sodae_options_set(&o, "step", "0.001", &why))
        return fprintf(stderr, "%s\n", why.message), 1;
    if (c.n <= 3 && sodae_check_derivatives(p, NULL, 1e-6, &why))
        return fprintf(stderr, "%s\n", why.message), 1;
    if (sodae_create(&s, p, &o, &why) < 0) return fprintf(stderr, "%s\n", why.message), 1;
    if (sodae_start(s) < 0) return fprintf(stderr, "%s\n", sodae_last_failure(s)->message), 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    if (sodae_advance(s, 1e-3 * atoi(argv[3]), NULL, NULL) < 0)
        return fprintf(stderr, "%s\n", sodae_last_failure(s)->message), 1;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    const sodae_view *v = sodae_state(s);
    printf("%.15g %.15g  %.3g s\n", v->q[12 * c.n - 10], v->lambda[2],
           (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec));
    return 0;
}
