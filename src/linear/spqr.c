#include "linear/spqr.h"

#include "base/vec.h"
#include "linear/lapack.h"
#include "linear/library.h"

#include <suitesparse/SuiteSparseQR_C.h>

static const char spqr[] = "libspqr.so.2", cholmod[] = "libcholmod.so.3";

typedef SuiteSparse_long qr_fn(int, double, SuiteSparse_long, int, cholmod_sparse *,
                               cholmod_sparse *, cholmod_dense *, cholmod_sparse **,
                               cholmod_dense **, cholmod_sparse **, SuiteSparse_long **,
                               cholmod_sparse **, SuiteSparse_long **, cholmod_dense **,
                               cholmod_common *);
typedef int common_fn(cholmod_common *);
typedef int free_sparse_fn(cholmod_sparse **, cholmod_common *);
typedef void *free_fn(size_t, size_t, void *, cholmod_common *);

typedef struct calls {
    qr_fn *factor;
    common_fn *start, *finish;
    free_sparse_fn *free_sparse;
    free_fn *free;
} calls;

static int load(calls *c) {
    c->factor = (qr_fn *)library_find(spqr, "SuiteSparseQR_C");
    c->start = (common_fn *)library_find(cholmod, "cholmod_l_start");
    c->finish = (common_fn *)library_find(cholmod, "cholmod_l_finish");
    c->free_sparse = (free_sparse_fn *)library_find(cholmod, "cholmod_l_free_sparse");
    c->free = (free_fn *)library_find(cholmod, "cholmod_l_free");
    return c->factor && c->start && c->finish && c->free_sparse && c->free;
}

static double longest_column(const pattern *A, const double *values) {
    double most = 0;
    for (int j = 0; j < A->cols; j++) {
        double sum = 0;
        for (int k = A->colptr[j]; k < A->colptr[j + 1]; k++) sum += values[k] * values[k];
        most = fmax(most, sum);
    }
    return sqrt(most);
}

/* Column k of R is that of a column that counts if it reaches the next row. */
static void mark(const cholmod_sparse *R, const SuiteSparse_long *order, int *dead) {
    const SuiteSparse_long *first = R->p, *row = R->i;
    SuiteSparse_long live = 0;
    for (SuiteSparse_long k = 0; k < (SuiteSparse_long)R->ncol; k++) {
        int counts = first[k + 1] > first[k] && row[first[k + 1] - 1] == live;
        dead[order ? order[k] : k] = !counts;
        live += counts;
    }
}

static int find(const calls *c, const pattern *A, const SuiteSparse_long *first,
                const SuiteSparse_long *row, const double *values, double tol, int *dead) {
    cholmod_common common;
    cholmod_sparse *R = NULL, matrix = {.nrow = (size_t)A->rows,
                                        .ncol = (size_t)A->cols,
                                        .nzmax = (size_t)pattern_nnz(A),
                                        .p = (void *)first,
                                        .i = (void *)row,
                                        .x = (void *)values,
                                        .itype = CHOLMOD_LONG,
                                        .xtype = CHOLMOD_REAL,
                                        .dtype = CHOLMOD_DOUBLE,
                                        .sorted = 1,
                                        .packed = 1};
    SuiteSparse_long *order = NULL;
    int threads = lapack_begin();
    c->start(&common);
    common.print = 0;
    SuiteSparse_long rank = c->factor(SPQR_ORDERING_DEFAULT, tol, 0, 0, &matrix, NULL, NULL, NULL,
                                      NULL, &R, &order, NULL, NULL, NULL, &common);
    if (rank >= 0 && R) mark(R, order, dead);
    c->free_sparse(&R, &common);
    if (order) c->free((size_t)A->cols, sizeof *order, order, &common);
    c->finish(&common);
    lapack_end(threads);
    return (int)rank;
}

int spqr_rank(const pattern *A, const double *values, double tol, int *dead) {
    calls c;
    arena own = {0};
    size_t cols = (size_t)A->cols, nnz = (size_t)pattern_nnz(A);
    SuiteSparse_long *first = arena_take(&own, cols + 1, sizeof *first);
    SuiteSparse_long *row = arena_take(&own, nnz, sizeof *row);
    int rank = -1;
    if (!own.failed && load(&c)) {
        for (size_t j = 0; j <= cols; j++) first[j] = A->colptr[j];
        for (size_t k = 0; k < nnz; k++) row[k] = A->rowind[k];
        rank = find(&c, A, first, row, values, tol * longest_column(A, values), dead);
    }
    arena_free(&own);
    return rank;
}
