/* Real LU: panels of four pivots, then the four rows are subtracted at once from the rows below,
 * two of which share the loads. */
#include "linear/lu.h"

#include "base/vec.h"
#include "linear/lanes.h"
#include "linear/lapack.h"

#include <string.h>

enum { PANEL = 4 };

static int padded(int n) {
    return (n + PANEL - 1) / PANEL * PANEL;
}

/* A, x, then pointers and numbers of rows, which are not larger than doubles. */
static size_t room_of(int n, int stride) {
    return (size_t)n * (size_t)stride + (size_t)stride + 2 * (size_t)n;
}

static lu place(int n, int stride, double *room) {
    double *x = room + (size_t)n * (size_t)stride, *rows = x + stride;
    return (lu){n, stride, room, x, (double **)rows, (int *)(rows + n)};
}

size_t lu_room(int n) {
    return room_of(n, padded(n));
}

size_t lu_complex_room(int n) {
    return room_of(n, 2 * padded(n));
}

lu lu_place(int n, double *room) {
    return place(n, padded(n), room);
}

lu lu_complex_place(int n, double *room) {
    return place(n, 2 * padded(n), room);
}

void lu_clear(lu *f) {
    memset(f->A, 0, (size_t)f->n * (size_t)f->stride * sizeof *f->A);
}

/* Column k + t of the panel at k less what its first t columns take, the last of which is divided
 * by its pivot; the row with the pivot. */
static inline double *find_pivot(int n, int k, int t, double **r, int *number, double inverse) {
    double u[PANEL], most = 0;
    int c = k + t, best = c;
    for (int j = 0; j < t; j++) {
        u[j] = r[k + j][c];
        for (int m = 0; m < j; m++) u[j] -= r[k + j][k + m] * u[m];
        r[k + j][c] = u[j];
    }
    for (int i = c; i < n; i++) {
        double *row = r[i] + k, x = row[t];
        if (t) row[t - 1] *= inverse;
        for (int m = 0; m < t; m++) x -= row[m] * u[m];
        row[t] = x;
        if (fabs(x) > most) most = fabs(x), best = i;
    }
    double *p = r[best];
    int which = number[best];
    r[best] = r[c], r[c] = p;
    number[best] = number[c], number[c] = which;
    return most > 0 ? p + c : NULL;
}

/* 0: a pivot is zero. */
static inline int eliminate(int n, int k, int t, double **r, int *number, double *inverse) {
    double *pivot = find_pivot(n, k, t, r, number, *inverse);
    if (!pivot) return 0;
    *inverse = *pivot = 1 / *pivot;
    return 1;
}

/* Up to four columns, one by one, so that the compiler knows how many there are before each. */
static inline int panel(int n, int k, double **r, int *number) {
    double inverse = 1;
    int last = (n - k < PANEL ? n : k + PANEL) - 1;
    if (!eliminate(n, k, 0, r, number, &inverse) ||
        (k + 1 < n && !eliminate(n, k, 1, r, number, &inverse)) ||
        (k + 2 < n && !eliminate(n, k, 2, r, number, &inverse)) ||
        (k + 3 < n && !eliminate(n, k, 3, r, number, &inverse)))
        return 0;
    for (int i = last + 1; i < n; i++) r[i][last] *= inverse;
    return 1;
}

/* y -= l x */
static inline void subtract(int n, double l, const double *restrict x, double *restrict y) {
    for (int j = 0; j < n; j++) y[j] -= l * x[j];
}

/* y -= l[0] p[0] + .. + l[3] p[3] in columns from..to-1, whole panels, and z with m. */
static inline void subtract_panel(int from, int to, double *const *p, const double *l,
                                  const double *m, double *restrict y, double *restrict z) {
    const double *restrict a = p[0], *restrict b = p[1], *restrict c = p[2], *restrict d = p[3];
    double l0 = l[0], l1 = l[1], l2 = l[2], l3 = l[3], m0 = m[0], m1 = m[1], m2 = m[2], m3 = m[3];
    for (int k = from; k < to; k += PANEL)
        for (int j = k; j < k + PANEL; j++) {
            y[j] = y[j] - l0 * a[j] - l1 * b[j] - l2 * c[j] - l3 * d[j];
            z[j] = z[j] - m0 * a[j] - m1 * b[j] - m2 * c[j] - m3 * d[j];
        }
}

/* Columns behind the panel at k; `zero` is the second row of the last pair where n is odd. */
static inline void update(int n, int stride, int k, double **r, double *zero) {
    int end = k + PANEL;
    for (int i = k + 1; i < end; i++)
        for (int j = k; j < i; j++) subtract(stride - end, r[i][j], r[j] + end, r[i] + end);
    for (int i = end; i < n; i += 2) {
        double *y = r[i], *z = i + 1 < n ? r[i + 1] : zero;
        subtract_panel(end, stride, r + k, y + k, z + k, y, z);
    }
}

LANES static int factor(lu *f) {
    double **r = f->at;
    int n = f->n;
    vec_zero(f->stride, f->x);
    for (int i = 0; i < n; i++) r[i] = f->A + i * f->stride, f->row[i] = i;
    for (int k = 0; k < n; k += PANEL) {
        if (!panel(n, k, r, f->row)) return 0;
        if (k + PANEL < n) update(n, f->stride, k, r, f->x);
    }
    return 1;
}

LANES static void solve(const lu *f, double *b) {
    int n = f->n;
    double *x = f->x;
    for (int i = 0; i < n; i++) x[i] = b[f->row[i]] - lanes_dot(i, f->at[i], x);
    for (int i = n - 1; i >= 0; i--) {
        const double *u = f->at[i];
        x[i] = (x[i] - lanes_dot(n - 1 - i, u + i + 1, x + i + 1)) * u[i];
    }
    vec_copy(n, x, b);
}

static void solve_transposed(const lu *f, double *b) {
    int n = f->n;
    double *x = f->x;
    vec_copy(n, b, x);
    for (int i = 0; i < n; i++) {
        const double *u = f->at[i];
        x[i] *= u[i];
        subtract(n - 1 - i, x[i], u + i + 1, x + i + 1);
    }
    for (int i = n - 1; i >= 0; i--) subtract(i, x[i], f->at[i], x);
    for (int i = 0; i < n; i++) b[f->row[i]] = x[i];
}

/* LAPACK stores by columns: it has the factors of A^T. */
static void solve_large(const lu *f, const char *transposed, double *b) {
    int one = 1, info, threads = lapack_begin();
    dgetrs_(transposed, &f->n, &one, f->A, &f->stride, f->row, b, &f->n, &info);
    lapack_end(threads);
}

int lu_factor(lu *f) {
    if (f->n <= LU_OWN) return factor(f);
    int info, threads = lapack_begin();
    dgetrf_(&f->n, &f->n, f->A, &f->stride, f->row, &info);
    lapack_end(threads);
    return info == 0;
}

void lu_solve(const lu *f, double *b) {
    if (f->n <= LU_OWN)
        solve(f, b);
    else
        solve_large(f, "T", b);
}

void lu_solve_transposed(const lu *f, double *b) {
    if (f->n <= LU_OWN)
        solve_transposed(f, b);
    else
        solve_large(f, "N", b);
}

/* With the comparison matrices of lu_inverse_bound, pivots |l_ij| <= 1 and r_i the largest |u_ij| /
 * |u_ii| of row i: component k of M(L)^-1 (1, .., 1) is at most 2^(k-1), and the sum of the
 * solution over rows i and below at most 1 + r_i times that below row i, plus the component over
 * |u_ii|. */
double lu_inverse_rough_bound(const lu *f) {
    int n = f->n;
    double all = 1, least = 0;
    if (n > LU_OWN) return INFINITY;
    for (int i = 0; i < n; i++) {
        const double *u = f->at[i];
        double most = 0, inverse = fabs(u[i]);
        for (int j = i + 1; j < n; j++) most = fabs(u[j]) > most ? fabs(u[j]) : most;
        all *= 2 * (1 + most * inverse);
        least = inverse > least ? inverse : least;
    }
    return all * least;
}

/* N. J. Higham: Accuracy and Stability of Numerical Algorithms, sec. 8.2: |A^-1| <= M(U)^-1 M(L)^-1
 * P with the comparison matrices M(T) = |t_ii| on, -|t_ij| off the diagonal, so that |A^-1|_1 is at
 * most the sum over M(U)^-1 M(L)^-1 (1, .., 1). */
double lu_inverse_bound(const lu *f) {
    int n = f->n;
    double *y = f->x, sum = 0;
    if (n > LU_OWN) return INFINITY;
    for (int i = 0; i < n; i++) {
        const double *l = f->at[i];
        y[i] = 1;
        for (int j = 0; j < i; j++) y[i] += fabs(l[j]) * y[j];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *u = f->at[i];
        for (int j = i + 1; j < n; j++) y[i] += fabs(u[j]) * y[j];
        sum += y[i] *= fabs(u[i]);
    }
    return sum;
}
