/* Claims about sparsity patterns and matrices put together from blocks. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "linear/matrix.h"
#include "noise.h"

enum { LARGEST = 12 };

/* Every entry with the given probability. */
static pattern random_pattern(arena *a, int rows, int cols, double density,
                              unsigned long long *seed) {
    int *colptr = arena_ints(a, LARGEST + 1), *rowind = arena_ints(a, LARGEST * LARGEST), nnz = 0;
    for (int j = 0; j < cols; j++) {
        for (int i = 0; i < rows; i++)
            if (noise(seed) < 2 * density - 1) rowind[nnz++] = i;
        colptr[j + 1] = nnz;
    }
    return pattern_view(rows, cols, colptr, rowind);
}

static double *random_values(arena *a, const pattern *p, unsigned long long *seed) {
    double *x = arena_doubles(a, (size_t)pattern_nnz(p));
    for (int k = 0; k < pattern_nnz(p); k++) x[k] = noise(seed);
    return x;
}

static void add_dense(int n, const pattern *p, const double *x, double alpha, int row0, int col0,
                      int transposed, double *full) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int i = p->rowind[k], r = transposed ? j : i, c = transposed ? i : j;
            full[(col0 + c) * n + row0 + r] += alpha * x[k];
        }
}

/* The entry (i, j), 0 where there is none. */
static double entry(const pattern *p, const double *x, int i, int j) {
    for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
        if (p->rowind[k] == i) return x[k];
    return 0;
}

static void increasing_in_each_column(const pattern *p) {
    assert_int_equal(p->colptr[0], 0);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            CHECK_IN(p->rowind[k], 0, p->rows - 1);
            if (k > p->colptr[j]) assert_true(p->rowind[k] > p->rowind[k - 1]);
        }
}

static void blocks_add_up_to_the_dense_matrix(void **unused) {
    (void)unused;
    unsigned long long seed = 1;
    for (int trial = 0; trial < 300; trial++) {
        arena a = {0};
        matrix m;
        int n = 1 + trial % LARGEST, count = 1 + trial % 7;
        double full[LARGEST * LARGEST] = {0};
        pattern part[7];
        int row0[7], col0[7], transposed[7], number[7];
        matrix_open(&m, &a, n, count);
        for (int b = 0; b < count; b++) {
            int rows = 1 + (int)(fabs(noise(&seed)) * n), cols = 1 + (int)(fabs(noise(&seed)) * n);
            transposed[b] = noise(&seed) < 0;
            row0[b] = (int)(fabs(noise(&seed)) * (n - rows + 1));
            col0[b] = (int)(fabs(noise(&seed)) * (n - cols + 1));
            part[b] = transposed[b] ? random_pattern(&a, cols, rows, 0.5, &seed)
                                    : random_pattern(&a, rows, cols, 0.5, &seed);
            number[b] = matrix_announce(&m, &part[b], row0[b], col0[b], transposed[b]);
        }
        assert_int_equal(matrix_close(&m, &a), 0);
        increasing_in_each_column(&m.pattern);
        matrix_clear(&m);
        for (int b = 0; b < count; b++)
            for (int twice = 0; twice < 2; twice++) {
                double alpha = noise(&seed), *x = random_values(&a, &part[b], &seed);
                matrix_add(&m, number[b], alpha, x);
                add_dense(n, &part[b], x, alpha, row0[b], col0[b], transposed[b], full);
            }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                CHECK_NEAR(entry(&m.pattern, m.values, i, j), full[j * n + i], 0);
        arena_free(&a);
    }
}

static void more_blocks_than_announced_are_noticed(void **unused) {
    (void)unused;
    arena a = {0};
    matrix m;
    pattern p = pattern_full(&a, 2, 2);
    matrix_open(&m, &a, 2, 1);
    matrix_announce(&m, &p, 0, 0, 0);
    matrix_announce(&m, &p, 0, 0, 0);
    assert_int_equal(matrix_close(&m, &a), -1);
    arena_free(&a);
}

static void products_agree_with_the_dense_ones(void **unused) {
    (void)unused;
    unsigned long long seed = 2;
    for (int trial = 0; trial < 100; trial++) {
        arena a = {0};
        int rows = 1 + trial % 9, cols = 1 + trial % 11;
        pattern p = random_pattern(&a, rows, cols, 0.4, &seed);
        double *x = random_values(&a, &p, &seed), full[LARGEST * LARGEST] = {0};
        add_dense(LARGEST, &p, x, 1, 0, 0, 0, full);
        double u[LARGEST], y[LARGEST] = {0}, z[LARGEST] = {0};
        for (int i = 0; i < LARGEST; i++) u[i] = noise(&seed);
        pattern_multiply(&p, x, 2, u, y);
        pattern_multiply_transposed(&p, x, -3, u, z);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < cols; j++) {
                y[i] -= 2 * full[j * LARGEST + i] * u[j];
                z[j] += 3 * full[j * LARGEST + i] * u[i];
            }
        for (int i = 0; i < LARGEST; i++) CHECK_NEAR(fabs(y[i]) + fabs(z[i]), 0, 1e-14);
        arena_free(&a);
    }
}

static void places_find_every_entry(void **unused) {
    (void)unused;
    unsigned long long seed = 3;
    for (int trial = 0; trial < 100; trial++) {
        arena a = {0};
        int rows = 1 + trial % 8, cols = 1 + trial % 10, down = trial % 3, right = trial % 2;
        pattern p = random_pattern(&a, rows, cols, 0.4, &seed);
        pattern whole = pattern_full(&a, rows + down, cols + right);
        const int *place = pattern_places(&a, &p, down, right, &whole);
        for (int j = 0; j < cols; j++)
            for (int k = p.colptr[j]; k < p.colptr[j + 1]; k++)
                assert_int_equal(place[k], (j + right) * whole.rows + p.rowind[k] + down);
        arena_free(&a);
    }
}

static void rotating_columns_are_filled_up_together(void **unused) {
    (void)unused;
    arena a = {0};
    const int colptr[] = {0, 1, 1, 2, 3}, rowind[] = {0, 2, 1}, group[] = {0, 3, 4};
    pattern p = pattern_view(3, 4, colptr, rowind), c = pattern_closed(&a, &p, group, 2);
    const int closed_colptr[] = {0, 2, 4, 6, 7}, closed_rowind[] = {0, 2, 0, 2, 0, 2, 1};
    assert_memory_equal(c.colptr, closed_colptr, sizeof closed_colptr);
    assert_memory_equal(c.rowind, closed_rowind, sizeof closed_rowind);
    arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_add_up_to_the_dense_matrix),
        cmocka_unit_test(more_blocks_than_announced_are_noticed),
        cmocka_unit_test(products_agree_with_the_dense_ones),
        cmocka_unit_test(places_find_every_entry),
        cmocka_unit_test(rotating_columns_are_filled_up_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
