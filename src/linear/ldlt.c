#include "linear/ldlt.h"

#include "base/vec.h"

#include <suitesparse/amd.h>

#include <limits.h>
#include <math.h>

/* Entry (i, j) of A in P A P^T: above the diagonal it is in this column and in the other as its
 * row.
 */
static int later(const int *inverse, int i, int j) {
    return inverse[i] > inverse[j] ? inverse[i] : inverse[j];
}

static int earlier(const int *inverse, int i, int j) {
    return inverse[i] < inverse[j] ? inverse[i] : inverse[j];
}

static int count_upper(const pattern *p) {
    int count = 0;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) count += p->rowind[k] < j;
    return count;
}

/* Counts the columns, then fills them. */
static void place_entries(ldlt *f, const pattern *p, const int *inverse, int *next) {
    int n = f->n;
    for (int i = 0; i < n; i++) f->diagonal[i] = -1;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < n; j++)
            for (int k = p->colptr[j]; k < p->colptr[j + 1] && p->rowind[k] <= j; k++) {
                int i = p->rowind[k], c = later(inverse, i, j);
                if (i == j)
                    f->diagonal[c] = k;
                else if (!pass)
                    f->first[c + 1]++;
                else
                    f->row[next[c]] = earlier(inverse, i, j), f->at[next[c]++] = k;
            }
        for (int i = 0; i < n && !pass; i++) f->first[i + 1] += f->first[i];
        for (int i = 0; i < n && !pass; i++) next[i] = f->first[i];
    }
}

/* From row i up the elimination tree to a column that column k has seen: row k of L has entries in
 * the columns passed on the way (J. W. H. Liu: SIAM J. Matrix Anal. Appl. 11, 1990). Returns their
 * number. */
static int climb(const ldlt *f, int i, int k) {
    int length = 0;
    for (; f->seen[i] != k; i = f->parent[i]) f->path[length++] = i, f->seen[i] = k;
    return length;
}

/* The elimination tree and the columns of L; -1: more numbers than an int counts. */
static int find_structure(ldlt *f) {
    size_t total = 0;
    for (int k = 0; k < f->n; k++) {
        f->parent[k] = -1, f->seen[k] = k;
        for (int e = f->first[k]; e < f->first[k + 1]; e++)
            for (int i = f->row[e]; f->seen[i] != k; i = f->parent[i]) {
                if (f->parent[i] < 0) f->parent[i] = k;
                f->seen[i] = k, f->end[i]++, total++;
            }
    }
    if (total > INT_MAX) return -1;
    for (int k = 0; k < f->n; k++) f->colptr[k + 1] = f->colptr[k] + f->end[k];
    return 0;
}

static int open(ldlt *f, arena *a, const pattern *p, int numbers) {
    *f = (ldlt){.n = p->cols, .numbers = numbers, .failed = -1};
    size_t n = (size_t)f->n, of = (size_t)numbers, upper = (size_t)count_upper(p);
    f->order = arena_ints(a, n), f->diagonal = arena_ints(a, n);
    f->first = arena_ints(a, n + 1), f->row = arena_ints(a, upper), f->at = arena_ints(a, upper);
    f->colptr = arena_ints(a, n + 1), f->parent = arena_ints(a, n), f->end = arena_ints(a, n);
    f->path = arena_ints(a, n), f->seen = arena_ints(a, n);
    f->D = arena_doubles(a, of * n), f->x = arena_doubles(a, of * n);
    if (a->failed) return -1;
    if (f->n && amd_order(f->n, p->colptr, p->rowind, f->order, NULL, NULL) < AMD_OK) a->failed = 1;
    for (int i = 0; i < f->n && !a->failed; i++) f->seen[f->order[i]] = i;
    if (!a->failed) place_entries(f, p, f->seen, f->path);
    if (!a->failed && find_structure(f)) a->failed = 1;
    if (a->failed) return -1;
    size_t entries = (size_t)f->colptr[f->n];
    f->rowind = arena_ints(a, entries), f->L = arena_doubles(a, of * entries);
    return a->failed ? -1 : 0;
}

int ldlt_open(ldlt *f, arena *a, const pattern *p) {
    return open(f, a, p, 1);
}

int ldlt_open_complex(ldlt *f, arena *a, const pattern *p) {
    return open(f, a, p, 2);
}

int ldlt_open_like(ldlt *f, arena *a, const ldlt *other) {
    *f = *other;
    f->failed = -1;
    size_t of = (size_t)f->numbers;
    f->L = arena_doubles(a, of * (size_t)f->colptr[f->n]);
    f->D = arena_doubles(a, of * (size_t)f->n);
    return a->failed ? -1 : 0;
}

size_t ldlt_room(const ldlt *other) {
    size_t n = (size_t)other->n, entries = (size_t)other->colptr[n];
    return 2 * n + entries +
           ((3 * n + entries) * sizeof(int) + sizeof(double) - 1) / sizeof(double);
}

void ldlt_open_in(ldlt *f, const ldlt *other, double *room) {
    size_t n = (size_t)other->n, entries = (size_t)other->colptr[n];
    *f = *other;
    f->failed = -1;
    f->D = room, f->x = f->D + n, f->L = f->x + n;
    f->end = (int *)(f->L + entries), f->path = f->end + n, f->seen = f->path + n;
    f->rowind = f->seen + n;
}

/* Row k of L and d_k: x holds column k of P A P^T above the diagonal; the columns of L before k are
 * complete down to row k - 1. */
static double eliminate(ldlt *f, int k, const int *columns, int count, double d) {
    double *x = f->x;
    for (int c = 0; c < count; c++) {
        int i = columns[c], end = f->end[i];
        double y = x[i], l = y / f->D[i];
        x[i] = 0;
        for (int e = f->colptr[i]; e < end; e++) x[f->rowind[e]] -= f->L[e] * y;
        f->rowind[end] = k, f->L[end] = l, f->end[i] = end + 1;
        d -= l * y;
    }
    return d;
}

/* The same with complex numbers. */
static void eliminate_complex(ldlt *f, int k, const int *columns, int count, double d[2]) {
    double *x = f->x;
    for (int c = 0; c < count; c++) {
        int i = columns[c], end = f->end[i];
        const double *D = f->D + 2 * (ptrdiff_t)i;
        double re = x[2 * i], im = x[2 * i + 1], *L = f->L + 2 * (ptrdiff_t)f->colptr[i];
        double l = re * D[0] - im * D[1], m = re * D[1] + im * D[0];
        x[2 * i] = x[2 * i + 1] = 0;
        for (int e = f->colptr[i]; e < end; e++, L += 2) {
            double *to = x + 2 * (ptrdiff_t)f->rowind[e];
            to[0] -= L[0] * re - L[1] * im, to[1] -= L[0] * im + L[1] * re;
        }
        f->rowind[end] = k, L[0] = l, L[1] = m, f->end[i] = end + 1;
        d[0] -= l * re - m * im, d[1] -= l * im + m * re;
    }
}

/* Columns of row k of L in the order of elimination: the paths up the tree from the entries of
 * column k, each before those found earlier. Returns where they begin in f->path. */
static inline int find_columns(ldlt *f, int k) {
    int top = f->n;
    f->seen[k] = k;
    for (int e = f->first[k]; e < f->first[k + 1]; e++) {
        for (int length = climb(f, f->row[e], k); length > 0;) f->path[--top] = f->path[--length];
    }
    return top;
}

/* 0: the pivot is 0 or not finite. */
static int pivot(ldlt *f, const double *values, double instead, int k) {
    double d = ldlt_diagonal(f, values, k);
    int top = find_columns(f, k);
    for (int e = f->first[k]; e < f->first[k + 1]; e++) f->x[f->row[e]] = values[f->at[e]];
    f->D[k] = eliminate(f, k, f->path + top, f->n - top, d == 0 ? instead : d);
    f->negative += f->D[k] < 0;
    return f->D[k] != 0 && isfinite(f->D[k]);
}

static int pivot_complex(ldlt *f, const double *re, const double *im, double instead, int k) {
    double d[2] = {ldlt_diagonal(f, re, k), ldlt_diagonal(f, im, k)};
    int top = find_columns(f, k);
    for (int e = f->first[k]; e < f->first[k + 1]; e++)
        f->x[2 * f->row[e]] = re[f->at[e]], f->x[2 * f->row[e] + 1] = im[f->at[e]];
    if (d[0] == 0 && d[1] == 0) d[0] = instead;
    eliminate_complex(f, k, f->path + top, f->n - top, d);
    double square = d[0] * d[0] + d[1] * d[1];
    f->D[2 * k] = d[0] / square, f->D[2 * k + 1] = -d[1] / square;
    return square > 0 && isfinite(square);
}

static void begin(ldlt *f) {
    f->negative = 0, f->failed = -1;
    for (int k = 0; k < f->n; k++) f->end[k] = f->colptr[k], f->seen[k] = -1;
    for (int k = 0; k < f->n * f->numbers; k++) f->x[k] = 0;
}

int ldlt_factor_shifted(ldlt *f, const double *values, double instead) {
    begin(f);
    for (int k = 0; k < f->n && f->failed < 0; k++)
        if (!pivot(f, values, instead, k)) f->failed = f->order[k];
    return f->failed < 0 ? 0 : -1;
}

int ldlt_factor_complex(ldlt *f, const double *re, const double *im, double instead) {
    begin(f);
    for (int k = 0; k < f->n && f->failed < 0; k++)
        if (!pivot_complex(f, re, im, instead, k)) f->failed = f->order[k];
    return f->failed < 0 ? 0 : -1;
}

int ldlt_factor(ldlt *f, const double *values) {
    return ldlt_factor_shifted(f, values, 0);
}

static void solve_complex(ldlt *f, double *b) {
    int n = f->n;
    double *x = f->x;
    for (int i = 0; i < n; i++) x[2 * i] = b[f->order[i]], x[2 * i + 1] = b[n + f->order[i]];
    for (int j = 0; j < n; j++)
        for (int e = f->colptr[j]; e < f->colptr[j + 1]; e++) {
            double *to = x + 2 * (ptrdiff_t)f->rowind[e], *L = f->L + 2 * (ptrdiff_t)e;
            to[0] -= L[0] * x[2 * j] - L[1] * x[2 * j + 1];
            to[1] -= L[0] * x[2 * j + 1] + L[1] * x[2 * j];
        }
    for (int j = n - 1; j >= 0; j--) {
        const double *D = f->D + 2 * (ptrdiff_t)j;
        double re = x[2 * j] * D[0] - x[2 * j + 1] * D[1];
        double im = x[2 * j] * D[1] + x[2 * j + 1] * D[0];
        for (int e = f->colptr[j]; e < f->colptr[j + 1]; e++) {
            const double *y = x + 2 * (ptrdiff_t)f->rowind[e], *L = f->L + 2 * (ptrdiff_t)e;
            re -= L[0] * y[0] - L[1] * y[1], im -= L[0] * y[1] + L[1] * y[0];
        }
        x[2 * j] = re, x[2 * j + 1] = im;
    }
    for (int i = 0; i < n; i++) b[f->order[i]] = x[2 * i], b[n + f->order[i]] = x[2 * i + 1];
}

void ldlt_solve(ldlt *f, double *b) {
    if (f->numbers == 2) {
        solve_complex(f, b);
        return;
    }
    int n = f->n;
    double *x = f->x;
    for (int i = 0; i < n; i++) x[i] = b[f->order[i]];
    for (int j = 0; j < n; j++)
        for (int e = f->colptr[j]; e < f->colptr[j + 1]; e++) x[f->rowind[e]] -= f->L[e] * x[j];
    for (int j = n - 1; j >= 0; j--) {
        double sum = x[j] / f->D[j];
        for (int e = f->colptr[j]; e < f->colptr[j + 1]; e++) sum -= f->L[e] * x[f->rowind[e]];
        x[j] = sum;
    }
    for (int i = 0; i < n; i++) b[f->order[i]] = x[i];
}

double ldlt_flops(const ldlt *f) {
    double sum = 0;
    for (int i = 0; i < f->n; i++) {
        double column = f->colptr[i + 1] - f->colptr[i];
        sum += column * (column + 2);
    }
    return sum;
}
