/* Paper 001 (7.2): a disk on a plane, y = (contact x, contact y, lean, heading, spin). The terms of
 * the printed f3 and f4 that cancel are left out. sign = +1: the constraints as printed,
 * z1 = r c4 z5, z2 = r s4 z5; sign = -1: a disk that rolls. printed_f4 = 1 leaves out I2 z5 c3 z3,
 * which the paper lost: the energy then wanders. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "problems/entries.h"
#include "problems/reference.h"

typedef struct rolling_disk {
    sodae_problem problem;
    double m, r, I1, I2, g;
    double b;      /* sign * r */
    double spin;   /* I2, or 0 with the printed f4 */
    double kappa;  /* m r^2 - I1 + I2 */
    reference ref; /* y and z3, z4, z5 */
    double q[5], v[5];
} rolling_disk;

static int mass(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    double c3 = cos(at->q[2]), s3 = sin(at->q[2]), c4 = cos(at->q[3]), s4 = sin(at->q[3]);
    double mr = d->m * d->r;
    memset(out, 0, 25 * sizeof *out);
    out[0] = out[6] = d->m;
    out[2] = out[10] = -mr * c3 * s4;
    out[3] = out[15] = -mr * s3 * c4;
    out[7] = out[11] = mr * c3 * c4;
    out[8] = out[16] = -mr * s3 * s4;
    out[12] = mr * d->r + d->I1;
    out[18] = (mr * d->r + d->I2) * s3 * s3 + d->I1 * c3 * c3;
    out[19] = out[23] = d->I2 * s3;
    out[24] = d->I2;
    return 0;
}

static int mass_q(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    const double *a = at->a;
    double c3 = cos(at->q[2]), s3 = sin(at->q[2]), c4 = cos(at->q[3]), s4 = sin(at->q[3]);
    double mr = d->m * d->r, *y3 = out + 10, *y4 = out + 15;
    memset(out, 0, 25 * sizeof *out);
    y3[0] = mr * (s3 * s4 * a[2] - c3 * c4 * a[3]);
    y3[1] = -mr * (s3 * c4 * a[2] + c3 * s4 * a[3]);
    y3[2] = mr * s3 * (s4 * a[0] - c4 * a[1]);
    y3[3] = -mr * c3 * (c4 * a[0] + s4 * a[1]) + 2 * d->kappa * s3 * c3 * a[3] + d->I2 * c3 * a[4];
    y3[4] = d->I2 * c3 * a[3];
    y4[0] = mr * (-c3 * c4 * a[2] + s3 * s4 * a[3]);
    y4[1] = -mr * (c3 * s4 * a[2] + s3 * c4 * a[3]);
    y4[2] = -mr * c3 * (c4 * a[0] + s4 * a[1]);
    y4[3] = mr * s3 * (s4 * a[0] - c4 * a[1]);
    return 0;
}

static int force(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    double c3 = cos(at->q[2]), s3 = sin(at->q[2]), c4 = cos(at->q[3]), s4 = sin(at->q[3]);
    double mr = d->m * d->r, z3 = at->v[2], z4 = at->v[3], z5 = at->v[4];
    double S = z3 * z3 + z4 * z4, P = 2 * z3 * z4;
    out[0] = mr * (-s3 * s4 * S + c3 * c4 * P);
    out[1] = mr * (s3 * c4 * S + c3 * s4 * P);
    out[2] =
        (mr * d->r - d->I1) * z4 * z4 * s3 * c3 + d->I2 * (z5 + z4 * s3) * z4 * c3 + mr * d->g * s3;
    out[3] = -(2 * d->kappa * z4 * s3 + d->spin * z5) * c3 * z3;
    out[4] = -d->I2 * c3 * z3 * z4;
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    double c3 = cos(at->q[2]), s3 = sin(at->q[2]), c4 = cos(at->q[3]), s4 = sin(at->q[3]);
    double mr = d->m * d->r, z3 = at->v[2], z4 = at->v[3], z5 = at->v[4];
    double S = z3 * z3 + z4 * z4, P = 2 * z3 * z4, c33 = c3 * c3 - s3 * s3;
    double *y3 = out + 10, *y4 = out + 15;
    memset(out, 0, 25 * sizeof *out);
    y3[0] = -mr * (c3 * s4 * S + s3 * c4 * P);
    y3[1] = mr * (c3 * c4 * S - s3 * s4 * P);
    y3[2] = (mr * d->r - d->I1) * z4 * z4 * c33 +
            d->I2 * z4 * (z4 * c3 * c3 - (z5 + z4 * s3) * s3) + mr * d->g * c3;
    y3[3] = -(2 * d->kappa * z4 * c33 - d->spin * z5 * s3) * z3;
    y3[4] = d->I2 * s3 * z3 * z4;
    y4[0] = -mr * (s3 * c4 * S + c3 * s4 * P);
    y4[1] = mr * (-s3 * s4 * S + c3 * c4 * P);
    return 0;
}

static int force_v(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    double c3 = cos(at->q[2]), s3 = sin(at->q[2]), c4 = cos(at->q[3]), s4 = sin(at->q[3]);
    double mr = d->m * d->r, z3 = at->v[2], z4 = at->v[3], z5 = at->v[4];
    double *v3 = out + 10, *v4 = out + 15, *v5 = out + 20;
    memset(out, 0, 25 * sizeof *out);
    v3[0] = 2 * mr * (-s3 * s4 * z3 + c3 * c4 * z4);
    v3[1] = 2 * mr * (s3 * c4 * z3 + c3 * s4 * z4);
    v3[3] = -(2 * d->kappa * z4 * s3 + d->spin * z5) * c3;
    v3[4] = -d->I2 * c3 * z4;
    v4[0] = 2 * mr * (-s3 * s4 * z4 + c3 * c4 * z3);
    v4[1] = 2 * mr * (s3 * c4 * z4 + c3 * s4 * z3);
    v4[2] = 2 * (mr * d->r - d->I1) * z4 * s3 * c3 + d->I2 * (z5 + 2 * z4 * s3) * c3;
    v4[3] = -2 * d->kappa * s3 * c3 * z3;
    v4[4] = -d->I2 * c3 * z3;
    v5[2] = d->I2 * z4 * c3;
    v5[3] = -d->spin * c3 * z3;
    return 0;
}

/* k = (z1 - b c4 z5, z2 - b s4 z5) */
static int k(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b;
    out[0] = at->v[0] - b * cos(at->q[3]) * at->v[4];
    out[1] = at->v[1] - b * sin(at->q[3]) * at->v[4];
    return 0;
}

static int k_v(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b;
    memset(out, 0, 10 * sizeof *out);
    out[0] = out[3] = 1;
    out[8] = -b * cos(at->q[3]);
    out[9] = -b * sin(at->q[3]);
    return 0;
}

static int k_q(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b;
    memset(out, 0, 10 * sizeof *out);
    out[6] = b * sin(at->q[3]) * at->v[4];
    out[7] = -b * cos(at->q[3]) * at->v[4];
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b * at->v[3] * at->v[4];
    out[0] = b * sin(at->q[3]);
    out[1] = -b * cos(at->q[3]);
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b;
    const double *psi = at->psi;
    out[0] = psi[0], out[1] = psi[1], out[2] = out[3] = 0;
    out[4] = -b * (cos(at->q[3]) * psi[0] + sin(at->q[3]) * psi[1]);
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    double b = ((const rolling_disk *)user)->b;
    memset(out, 0, 25 * sizeof *out);
    out[19] = b * (sin(at->q[3]) * at->psi[0] - cos(at->q[3]) * at->psi[1]);
    return 0;
}

static int energy(const sodae_point *at, double *out, void *user) {
    const rolling_disk *d = user;
    double M[25], twice = 0;
    mass(at, M, user);
    for (int i = 0; i < 25; i++) twice += at->v[i % 5] * M[i] * at->v[i / 5];
    out[0] = twice / 2 + d->m * d->g * d->r * cos(at->q[2]);
    return 0;
}

/* With z = N (z3, z4, z5) from the constraints: N^T M N (z3, z4, z5)' = N^T (f - M N' (z3, z4,
 * z5)), the lean apart, heading and spin coupled. y = (y1..y5, z3, z4, z5). */
static void roll(const long double *y, long double *dy, const void *user) {
    const rolling_disk *d = user;
    long double c3 = cosl(y[2]), s3 = sinl(y[2]), z3 = y[5], z4 = y[6], z5 = y[7];
    long double m = d->m, r = d->r, b = d->b, mr2 = m * r * r, mrb = m * r * b;
    long double f3 =
        (mr2 - d->I1) * z4 * z4 * s3 * c3 + d->I2 * (z5 + z4 * s3) * z4 * c3 + m * r * d->g * s3;
    long double f4 = -(2 * (mr2 - d->I1 + d->I2) * z4 * s3 + d->spin * z5) * c3 * z3;
    long double f5 = (2 * mrb - d->I2) * c3 * z3 * z4;
    long double M44 = (mr2 + d->I2) * s3 * s3 + d->I1 * c3 * c3, M45 = (d->I2 - mrb) * s3;
    long double M55 = b * b * m + d->I2, det = M44 * M55 - M45 * M45;
    dy[0] = b * cosl(y[3]) * z5;
    dy[1] = b * sinl(y[3]) * z5;
    dy[2] = z3, dy[3] = z4, dy[4] = z5;
    dy[5] = (f3 - mrb * c3 * z4 * z5) / (mr2 + d->I1);
    dy[6] = (M55 * f4 - M45 * f5) / det;
    dy[7] = (M44 * f5 - M45 * f4) / det;
}

/* psi from the first two rows of M a = f - K^T psi. */
static void multipliers(rolling_disk *d, const double *q, const double *v, const double *a,
                        double *psi) {
    sodae_point at = {.q = q, .v = v};
    double M[25], f[5];
    mass(&at, M, d);
    force(&at, f, d);
    for (int i = 0; i < 2; i++) {
        psi[i] = f[i];
        for (int j = 0; j < 5; j++) psi[i] -= M[i + 5 * j] * a[j];
    }
}

static int exact(double t, const sodae_solution *out, void *user) {
    rolling_disk *d = user;
    long double y[REFERENCE_MAX], dy[REFERENCE_MAX];
    double q[5], v[5], a[5];
    if (reference_at(&d->ref, t, y)) return 1;
    roll(y, dy, d);
    for (int i = 0; i < 5; i++) q[i] = (double)y[i], v[i] = (double)dy[i];
    for (int i = 2; i < 5; i++) a[i] = (double)dy[i + 3];
    a[0] = d->b * (cos(q[3]) * a[4] - sin(q[3]) * v[3] * v[4]);
    a[1] = d->b * (sin(q[3]) * a[4] + cos(q[3]) * v[3] * v[4]);
    if (out->q) memcpy(out->q, q, sizeof q);
    if (out->v) memcpy(out->v, v, sizeof v);
    if (out->a) memcpy(out->a, a, sizeof a);
    if (out->psi) multipliers(d, q, v, a, out->psi);
    return 0;
}

static void set_functions(sodae_problem *p) {
    p->value[SODAE_MASS].fn = mass;
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_NONHOLONOMIC].fn = k;
    p->value[SODAE_NONHOLONOMIC_DRIFT].fn = drift;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_ENERGY].fn = energy;
    p->derivative[SODAE_MASS][SODAE_Q].fn = mass_q;
    p->derivative[SODAE_FORCE][SODAE_Q].fn = force_q;
    p->derivative[SODAE_FORCE][SODAE_V].fn = force_v;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn = k_q;
    p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn = k_v;
    p->derivative[SODAE_REACTION][SODAE_Q].fn = reaction_q;
}

static const char *const variable_names[] = {"x", "y", "lean", "heading", "spin"};
static const char *const constraint_names[] = {"rolling x", "rolling y"};

enum { MASS, RADIUS, INERTIA1, INERTIA2, GRAVITY, SIGN, PRINTED_F4 };

static sodae_problem *create(const double *given) {
    rolling_disk *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    d->m = given[MASS], d->r = given[RADIUS], d->I1 = given[INERTIA1], d->I2 = given[INERTIA2];
    d->g = given[GRAVITY];
    d->b = given[SIGN] < 0 ? -d->r : d->r;
    d->spin = given[PRINTED_F4] != 0 ? 0 : d->I2;
    d->kappa = d->m * d->r * d->r - d->I1 + d->I2;
    memcpy(d->q, (double[]){0.1, 0, 0.3, 0, 1}, sizeof d->q);
    memcpy(d->v, (double[]){d->b * 0.1, 0, 0.02, -0.02, 0.1}, sizeof d->v);
    long double start[8];
    for (int i = 0; i < 8; i++) start[i] = i < 5 ? d->q[i] : d->v[i - 3];
    reference_start(&d->ref, 8, roll, d, start);
    sodae_problem *p = &d->problem;
    p->size = sizeof *p;
    p->name = "rolling-disk";
    p->nv = 5;
    p->npsi = 2;
    set_functions(p);
    p->initial = (sodae_point){.q = d->q, .v = d->v};
    p->variable_names[SODAE_Q] = p->variable_names[SODAE_V] = variable_names;
    p->equation_names[SODAE_FORCE] = variable_names;
    p->equation_names[SODAE_NONHOLONOMIC] = constraint_names;
    p->exact = exact;
    p->user = d;
    return p;
}

static void destroy(sodae_problem *problem) {
    free(problem);
}

static const catalogue_parameter parameters[] = {
    [MASS] = {"m", 2, 1e-6, 1e6, "mass [kg]"},
    [RADIUS] = {"r", 1, 1e-6, 1e6, "radius [m]"},
    [INERTIA1] = {"I1", 2, 1e-9, 1e9, "moment of inertia about a diameter [kg m^2]"},
    [INERTIA2] = {"I2", 2, 1e-9, 1e9, "moment of inertia about the axis [kg m^2]"},
    [GRAVITY] = {"g", 10, -1e3, 1e3, "gravity [m/s^2]"},
    [SIGN] = {"sign", 1, -1, 1, "+1: constraints as printed, -1: a disk that rolls"},
    [PRINTED_F4] = {"printed_f4", 0, 0, 1, "1: f4 as printed, without I2 z5 c3 z3"},
};

const catalogue_entry catalogue_rolling_disk = {
    .name = "rolling-disk",
    .source = "001 (7.2)",
    .summary = "disk on a plane with two nonholonomic constraints",
    .t_end = 10,
    .step = 0.0125,
    .nparameters = sizeof parameters / sizeof *parameters,
    .parameters = parameters,
    .create = create,
    .free = destroy,
};
