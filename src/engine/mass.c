/* Is a symmetric M positive where the constraints leave room, Z^T M Z > 0 with C Z = 0?
 *
 * With orthonormal rows R that span those of C, and P = I - R^T R, this is so where P M P + R^T R
 * has a Cholesky factor; without constraints where M has one. That Z^T M Z is regular was seen when
 * accelerations were found. */
#include "engine/engine.h"

#include "base/failure.h"
#include "base/tuning.h"
#include "base/vec.h"

#include <float.h>

TUNING_INT(mass_most, 300, "velocities: n^3 operations stay below those of ten steps");

/* Half of the digits: less of a row, or of the diagonal of M, is rounding. A singular mass is a
 * matter of the factorization. */
static double nothing(void) {
    return sqrt(DBL_EPSILON);
}

typedef struct room {
    int n, m;
    double *M, *R, *scale, *y;
} room;

/* M in units in which its diagonal is 1; 0: it is not symmetric. */
static int scatter_mass(room *z, const pattern *p, const double *M) {
    int n = z->n;
    for (int j = 0; j < n; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) z->M[j * n + p->rowind[k]] = M[k];
    for (int j = 0; j < n; j++) {
        double d = fabs(z->M[j * n + j]);
        z->scale[j] = d > 0 ? 1 / sqrt(d) : 1;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) z->M[j * n + i] *= z->scale[i] * z->scale[j];
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (fabs(z->M[j * n + i] - z->M[i * n + j]) > nothing()) return 0;
    return 1;
}

/* z->y <- row i of C */
static void take_row(room *z, const pattern *C, const double *values, int i) {
    for (int j = 0; j < z->n; j++) {
        z->y[j] = 0;
        for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
            if (C->rowind[k] == i) z->y[j] = values[k] * z->scale[j];
    }
}

static double dot(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Orthogonal to the rows before, twice for rounding; dependent ones are left out. */
static void add_rows(room *z, const pattern *C, const double *values) {
    int n = z->n;
    for (int i = 0; i < C->rows; i++) {
        take_row(z, C, values, i);
        double before = sqrt(dot(n, z->y, z->y));
        for (int k = 0; k < 2 * z->m; k++) {
            const double *r = z->R + (k % z->m) * n;
            vec_add(n, -dot(n, r, z->y), r, z->y);
        }
        double after = sqrt(dot(n, z->y, z->y));
        if (!(after > nothing() * before) || z->m == n) continue;
        vec_scale(n, 1 / after, z->y);
        vec_copy(n, z->y, z->R + z->m++ * n);
    }
}

/* M <- P M P + R^T R, row after row: P M P with one r is M - r y^T - y r^T + (r^T y) r r^T, y = M r
 */
static void confine(room *z) {
    int n = z->n;
    for (int k = 0; k < z->m; k++) {
        const double *r = z->R + k * n;
        for (int j = 0; j < n; j++) z->y[j] = dot(n, z->M + j * n, r);
        double c = dot(n, r, z->y) + 1;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                z->M[j * n + i] += c * r[i] * r[j] - r[i] * z->y[j] - z->y[i] * r[j];
    }
}

/* The first pivot that is negative; -1: none is. M is overwritten. */
static int negative_pivot(room *z) {
    int n = z->n;
    for (int j = 0; j < n; j++) {
        double *L = z->M + j * n, d = L[j];
        if (d < -nothing()) return j;
        if (d <= nothing()) return -1;
        for (int k = j + 1; k < n; k++) vec_add(n - k, -L[k] / d, L + k, z->M + k * n + k);
    }
    return -1;
}

/* -1: M is not symmetric, or positive as far as can be seen; else a velocity with a wrong mass. */
static int find_negative(room *z, const eval *v, const projector *p, const double *M) {
    if (!scatter_mass(z, &v->mass, M)) return -1;
    if (v->nl) add_rows(z, &v->G, p->G);
    if (v->np) add_rows(z, &v->K, p->K);
    confine(z);
    return negative_pivot(z);
}

static int is_positive_diagonal(const pattern *p, const double *M) {
    for (int j = 0; j < p->cols; j++)
        if (p->colptr[j + 1] != j + 1 || p->rowind[j] != j || !(M[j] > 0)) return 0;
    return 1;
}

static size_t rows_of(const eval *v) {
    return (size_t)(v->nl + v->np < v->nv ? v->nl + v->np : v->nv);
}

void engine_open_mass(engine *e, arena *a) {
    const eval *v = &e->eval;
    size_t n = (size_t)v->nv;
    if (!e->problem->value[SODAE_MASS].fn || v->nv > mass_most) return;
    e->mass_room = arena_doubles(a, n * (n + rows_of(v) + 2));
}

sodae_status engine_check_mass(engine *e) {
    const eval *v = &e->eval;
    const double *M = e->consistent.acceleration.M;
    double *free = e->mass_room;
    int n = v->nv;
    if (!free || is_positive_diagonal(&v->mass, M)) return SODAE_OK;
    room z = {.n = n, .M = free + 2 * n, .R = free + 2 * n + n * n, .scale = free, .y = free + n};
    vec_zero(n * n, z.M);
    int bad = find_negative(&z, v, &e->consistent.projector, M);
    if (bad < 0) return SODAE_OK;
    char name[64];
    eval_variable_name(v, SODAE_V, bad, name, sizeof name);
    return failure_set(e->failure, SODAE_BAD_PROBLEM, "mass",
                       "the mass matrix is not positive%s: look at the mass of %s",
                       v->nl + v->np ? " on the constraints" : "", name);
}
