/* Is a symmetric M positive where the constraints leave room, z^T M z > 0 with C z = 0?
 *
 * Then M + c C^T C is positive for a large c (Finsler), and else it is not for any c: it has a
 * negative pivot. That Z^T M Z is regular was seen when accelerations were found. */
#include "engine/memory.h"

#include "base/failure.h"
#include "base/vec.h"
#include "linear/lu.h"

#include <float.h>

/* Half of the digits: less of the diagonal of M is rounding. A singular mass is a matter of the
 * factorization. */
static double nothing(void) {
    return sqrt(DBL_EPSILON);
}

typedef struct room {
    int n;
    double *M, *scale, *y;
} room;

/* M in units in which its diagonal is 1; 0: it is not symmetric. */
static int scatter_mass(room *z, const pattern *p, const double *M) {
    int n = z->n;
    vec_zero(n * n, z->M);
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

/* M += c C^T C with rows of length 1; of c = eps^(-1/4) rounding leaves three quarters of the
 * digits. */
static void add_rows(room *z, const pattern *C, const double *values) {
    int n = z->n;
    for (int i = 0; i < C->rows; i++) {
        double size = 0;
        vec_zero(n, z->y);
        for (int j = 0; j < n; j++)
            for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++)
                if (C->rowind[k] == i) z->y[j] = values[k] * z->scale[j];
        for (int j = 0; j < n; j++) size += z->y[j] * z->y[j];
        for (int j = 0; j < n && size > 0; j++)
            vec_add(n, z->y[j] / (size * sqrt(nothing())), z->y, z->M + j * n);
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

static int is_positive_diagonal(const pattern *p, const double *M) {
    for (int j = 0; j < p->cols; j++)
        if (p->colptr[j + 1] != j + 1 || p->rowind[j] != j || !(M[j] > 0)) return 0;
    return 1;
}

void engine_open_mass(engine *e, arena *a) {
    size_t n = (size_t)e->eval.nv;
    if (!e->problem->value[SODAE_MASS].fn || e->eval.nv > LU_OWN) return;
    e->mass_room = arena_doubles(a, n * (n + 2));
}

sodae_status engine_check_mass(engine *e) {
    const eval *v = &e->eval;
    const double *M = e->consistent.acceleration.M;
    const projector *p = &e->consistent.projector;
    double *free = e->mass_room;
    int n = v->nv;
    if (!free || is_positive_diagonal(&v->mass, M)) return SODAE_OK;
    room z = {.n = n, .M = free + 2 * n, .scale = free, .y = free + n};
    if (!scatter_mass(&z, &v->mass, M)) return SODAE_OK;
    if (v->nl) add_rows(&z, &v->G, p->G);
    if (v->np) add_rows(&z, &v->K, p->K);
    int bad = negative_pivot(&z);
    if (bad < 0) return SODAE_OK;
    char name[64];
    eval_variable_name(v, SODAE_V, bad, name, sizeof name);
    return failure_set(e->failure, SODAE_BAD_PROBLEM, "mass",
                       "the mass matrix is not positive%s: look at the mass of %s",
                       v->nl + v->np ? " on the constraints" : "", name);
}
