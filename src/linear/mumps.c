/* Sparse LDL^T with much fill by sequential MUMPS (Amestoy, Duff, L'Excellent, Koster: SIAM J.
 * Matrix Anal. Appl. 23, 2001): fronts by BLAS, pivots in them. The library is loaded when it is
 * asked for. */
#include "linear/lapack.h"
#include "linear/library.h"
#include "linear/sparse.h"

#include "base/vec.h"

#include <dmumps_c.h>

static const char library[] = "libdmumps_seq-5.5.so";
enum { INITIALISE = -1, ANALYSE = 1, FACTOR = 2, SOLVE = 3, FINISH = -2 };

typedef struct mumps {
    const pattern *pattern;
    int entries; /* of the lower triangle */
    int *row, *col, *from;
    double *values, *x, *b; /* of the lower triangle; buffers of the residual */
    int broken;
    void (*call)(DMUMPS_STRUC_C *);
    DMUMPS_STRUC_C id;
} mumps;

static int run(mumps *m, int job) {
    int threads = lapack_begin();
    m->id.job = job;
    m->call(&m->id);
    lapack_end(threads);
    return m->id.infog[0] >= 0;
}

static void end(void *self) {
    run(self, FINISH);
}

/* Lower triangle, counted from 1. */
static void list_entries(mumps *m) {
    const pattern *p = m->pattern;
    int at = 0;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] >= j)
                m->row[at] = p->rowind[k] + 1, m->col[at] = j + 1, m->from[at++] = k;
    m->entries = at;
}

static void quiet(mumps *m) {
    m->id.icntl[0] = m->id.icntl[1] = m->id.icntl[2] = -1, m->id.icntl[3] = 0; /* prints nothing */
    m->id.icntl[6] = 7;   /* order as it thinks best */
    m->id.icntl[13] = 50; /* per cent of room for pivots */
}

static void *analyse(arena *a, const pattern *p) {
    mumps *m = arena_take(a, 1, sizeof *m);
    size_t n = (size_t)p->cols, nnz = ((size_t)pattern_nnz(p) + n) / 2;
    if (!m || !pattern_is_symmetric(a, p)) return NULL;
    m->pattern = p, m->broken = 1;
    m->row = arena_ints(a, nnz), m->col = arena_ints(a, nnz), m->from = arena_ints(a, nnz);
    m->values = arena_doubles(a, nnz);
    m->x = arena_doubles(a, n), m->b = arena_doubles(a, n);
    m->call = (void (*)(DMUMPS_STRUC_C *))library_find(library, "dmumps_c");
    if (a->failed || !m->call) return NULL;
    list_entries(m);
    m->id.par = 1, m->id.sym = 2, m->id.comm_fortran = -987654;
    if (!run(m, INITIALISE)) return NULL;
    arena_at_end(a, end, m);
    quiet(m);
    m->id.n = p->cols, m->id.nnz = m->entries;
    m->id.irn = m->row, m->id.jcn = m->col, m->id.a = m->values;
    return run(m, ANALYSE) ? m : NULL;
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    mumps *m = work;
    (void)pins, (void)units;
    m->broken = 1;
    if (!isfinite(vec_max(pattern_nnz(m->pattern), values))) return SODAE_NOT_FINITE;
    if (!pattern_values_symmetric(m->pattern, values)) return SODAE_SINGULAR;
    for (int k = 0; k < m->entries; k++) m->values[k] = values[m->from[k]];
    m->broken = !run(m, FACTOR);
    if (!m->broken)
        m->broken = !(sparse_residual(&linear_mumps, m, m->pattern, values, 0, m->x, m->b) <=
                      SPARSE_RESIDUAL);
    return m->broken ? SODAE_SINGULAR : SODAE_OK;
}

static double condition(void *work) {
    return ((const mumps *)work)->broken ? 0 : 1;
}

static void solve(void *work, double *b, const linear_pins *pins) {
    mumps *m = work;
    (void)pins;
    m->id.rhs = b;
    int done = !m->broken && run(m, SOLVE);
    for (int i = 0; i < m->pattern->cols && !done; i++) b[i] = NAN;
}

const linear_backend linear_mumps = {
    .name = "mumps", .analyse = analyse, .factor = factor, .condition = condition, .solve = solve};
