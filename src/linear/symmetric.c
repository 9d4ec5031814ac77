#include "linear/sparse.h"

#include "base/vec.h"

int pattern_is_symmetric(arena *a, const pattern *p) {
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)pattern_nnz(p));
    pattern t = pattern_transposed(scratch, p);
    int same = !scratch->failed;
    for (int j = 0; j <= p->cols && same; j++) same = t.colptr[j] == p->colptr[j];
    for (int k = 0; k < pattern_nnz(p) && same; k++) same = t.rowind[k] == p->rowind[k];
    arena_return(a, &own);
    return same;
}

static double entry(const pattern *p, const double *values, int row, int col) {
    int low = p->colptr[col], high = p->colptr[col + 1] - 1;
    while (low < high) {
        int mid = (low + high) / 2;
        if (p->rowind[mid] < row)
            low = mid + 1;
        else
            high = mid;
    }
    return values[low];
}

int pattern_values_symmetric(const pattern *p, const double *values) {
    double most = SPARSE_SYMMETRIC * vec_max(pattern_nnz(p), values);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (fabs(values[k] - entry(p, values, j, p->rowind[k])) > most) return 0;
    return 1;
}
