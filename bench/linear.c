/* Factor and solve with the own LU and with LAPACK: CPU times of one run, side by side; and the
 * rank of constraints. Set OPENBLAS_NUM_THREADS=1. */
#include "linear/lapack.h"
#include "linear/lu.h"
#include "linear/qr.h"

#include "base/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 300, PASSES = 5 };

void zgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void zgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda,
             const int *ipiv, double *b, const int *ldb, int *info);

typedef struct bench {
    int n, width; /* width 2: complex */
    double *A, *full, *room, *b;
    int pivot[MOST];
    lu own;
} bench;

static void own(bench *x) {
    int n = x->n, half = x->own.stride / 2;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < x->width; k++)
            vec_copy(n, x->A + (i * x->width + k) * n, x->own.A + i * x->own.stride + k * half);
    (x->width == 1 ? lu_factor : lu_complex_factor)(&x->own);
    (x->width == 1 ? lu_solve : lu_complex_solve)(&x->own, x->b);
}

static void lapack(bench *x) {
    int n = x->n, one = 1, info;
    vec_copy(n * n * x->width, x->A, x->full);
    (x->width == 1 ? dgetrf_ : zgetrf_)(&n, &n, x->full, &n, x->pivot, &info);
    (x->width == 1 ? dgetrs_ : zgetrs_)("N", &n, &one, x->full, &n, x->pivot, x->b, &n, &info);
}

/* Least time of a call in some passes, in microseconds. */
static double least_time(bench *x, void call(bench *)) {
    double least = INFINITY, n = x->n, repeats = 1 + 2e7 / (n * n * n + 500);
    for (int pass = 0; pass < PASSES; pass++) {
        clock_t begin = clock();
        for (int i = 0; i < repeats; i++) {
            for (int k = 0; k < x->n * x->width; k++) x->b[k] = 1;
            call(x);
        }
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC / repeats);
    }
    return 1e6 * least;
}

static void compare(bench *x, int n, int width) {
    x->n = n, x->width = width;
    x->own = width == 1 ? lu_place(n, x->room) : lu_complex_place(n, x->room);
    for (int k = 0; k < n * n * width; k++) x->A[k] = rand() / (RAND_MAX + 1.) - 0.5;
    double t = least_time(x, own), theirs = least_time(x, lapack);
    printf("%-8s %4d %10.2f %10.2f %8.2f\n", width == 1 ? "real" : "complex", n, t, theirs,
           t / theirs);
}

/* C^T of nv x m, of full rank or one less. */
static void time_rank(int nv, int m, int missing) {
    arena a = {0};
    qr q;
    qr_open(&q, &a, nv, m);
    double *A = arena_doubles(&a, (size_t)(nv * m)), *sigma = arena_doubles(&a, (size_t)m);
    double *V = arena_doubles(&a, (size_t)(m * m)), least = INFINITY;
    for (int k = 0; k < nv * m; k++) A[k] = rand() / (RAND_MAX + 1.) - 0.5;
    if (missing) vec_copy(nv, A, A + nv), vec_add(nv, 2, A + 3 * nv, A + nv);
    for (int pass = 0; pass < PASSES; pass++) {
        clock_t begin = clock();
        for (int i = 0; i < 1000; i++) {
            vec_copy(nv * m, A, q.A);
            qr_decompose(&q, 0);
            if (qr_pivots_above(&q, 1e-12) < m) qr_singular_values(&q, sigma, V);
        }
        least = fmin(least, (double)(clock() - begin) / CLOCKS_PER_SEC / 1000);
    }
    printf("rank %d x %d, %d missing: %.2f us\n", nv, m, missing, 1e6 * least);
    arena_free(&a);
}

int main(void) {
    static const int orders[] = {4, 9, 13, 20, 30, 64, 100, 128, 200, 300};
    static bench x;
    x.A = malloc(2 * MOST * MOST * sizeof(double)),
    x.full = malloc(2 * MOST * MOST * sizeof(double));
    x.room = malloc(lu_complex_room(MOST) * sizeof(double)),
    x.b = malloc(2 * MOST * sizeof(double));
    printf("%-8s %4s %10s %10s %8s\n", "", "n", "own us", "LAPACK us", "ratio");
    for (int width = 1; width <= 2; width++)
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) compare(&x, orders[k], width);
    for (int missing = 0; missing < 2; missing++) time_rank(20, 14, missing);
    free(x.A), free(x.full), free(x.room), free(x.b);
    return 0;
}
