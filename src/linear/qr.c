#include "linear/qr.h"

#include "base/vec.h"
#include "linear/lanes.h"

#include <float.h>

void qr_open(qr *q, arena *a, int rows, int cols) {
    size_t m = (size_t)rows, n = (size_t)cols;
    *q = (qr){.rows = rows, .cols = cols};
    q->A = arena_doubles(a, m * n), q->T = arena_doubles(a, n * n);
    q->beta = arena_doubles(a, 2 * n), q->norm = arena_doubles(a, 2 * n);
    q->y = arena_doubles(a, m + n);
    q->place = arena_ints(a, n);
}

/* I - beta (1, v)(1, v)^T maps (head, tail) to (head', 0); tail <- v. Returns beta. */
static double reflection(int n, double *head, double *tail) {
    double square = lanes_dot(n, tail, tail);
    if (square == 0) return 0;
    double size = copysign(sqrt(*head * *head + square), *head), first = *head + size;
    for (int i = 0; i < n; i++) tail[i] /= first;
    *head = -size;
    return first / size;
}

static void reflect(int n, double beta, const double *v, double *head, double *tail) {
    double c = beta * (*head + lanes_dot(n, v, tail));
    *head -= c;
    vec_add(n, -c, v, tail);
}

static double *column(const qr *q, int j) {
    return q->A + (ptrdiff_t)j * q->rows;
}

static void swap(double *x, double *y) {
    double z = *x;
    *x = *y, *y = z;
}

/* The column with the largest rest becomes column k. */
static void choose_column(qr *q, int k) {
    int best = k, n = q->cols;
    for (int j = k + 1; j < n; j++)
        if (q->norm[j] > q->norm[best]) best = j;
    if (best == k) return;
    for (int i = 0; i < q->rows; i++) swap(column(q, k) + i, column(q, best) + i);
    swap(q->norm + k, q->norm + best), swap(q->norm + n + k, q->norm + n + best);
    int place = q->place[k];
    q->place[k] = q->place[best], q->place[best] = place;
}

/* Norm of column j below row k, after its entry in row k is known: the rest of a difference of
 * squares, computed again where it has lost half of the digits (LAPACK working note 176). */
static void reduce_norm(qr *q, int k, int j) {
    double *norm = q->norm + j, *computed = q->norm + q->cols + j, part = column(q, j)[k] / *norm;
    double left = *norm > 0 ? fmax(0, 1 - part * part) : 0, seen = *norm / *computed;
    if (left * seen * seen > sqrt(DBL_EPSILON)) {
        *norm *= sqrt(left);
        return;
    }
    const double *x = column(q, j) + k + 1;
    *norm = *computed = sqrt(lanes_dot(q->rows - k - 1, x, x));
}

/* A P = Q R, row by row of R as long as it is not negligible. */
static void triangularise(qr *q, double negligible) {
    int m = q->rows, n = q->cols, most = m < n ? m : n;
    for (int j = 0; j < n; j++) {
        q->place[j] = j;
        q->norm[j] = q->norm[n + j] = sqrt(lanes_dot(m, column(q, j), column(q, j)));
    }
    for (q->rank = 0; q->rank < most; q->rank++) {
        int k = q->rank;
        choose_column(q, k);
        double *x = column(q, k) + k;
        q->beta[k] = reflection(m - k - 1, x, x + 1);
        if (!(fabs(*x) > negligible * fabs(q->A[0]))) return;
        for (int j = k + 1; j < n; j++) {
            double *y = column(q, j) + k;
            reflect(m - k - 1, q->beta[k], x + 1, y, y + 1);
            reduce_norm(q, k, j);
        }
    }
}

static double *row(const qr *q, int k) {
    return q->T + (ptrdiff_t)k * q->cols;
}

void qr_decompose(qr *q, double negligible) {
    triangularise(q, negligible);
    int n = q->cols, r = q->rank;
    for (int k = 0; k < r; k++)
        for (int j = 0; j < n; j++) row(q, k)[j] = j < k ? 0 : column(q, j)[k];
    for (int k = r - 1; k >= 0 && r < n; k--) { /* R = (T 0) Z */
        double *x = row(q, k);
        q->beta[n + k] = reflection(n - r, x + k, x + r);
        for (int i = 0; i < k; i++)
            reflect(n - r, q->beta[n + k], x + r, row(q, i) + k, row(q, i) + r);
    }
}

int qr_pivots_above(const qr *q, double tol) {
    int count = 0;
    while (count < q->rank && fabs(row(q, count)[count]) > tol * fabs(q->T[0])) count++;
    return count;
}

/* x <- P Z^T y; y is overwritten */
static void turn_back(const qr *q, double *y, double *x) {
    int n = q->cols, r = q->rank;
    for (int k = 0; k < r && r < n; k++)
        reflect(n - r, q->beta[n + k], row(q, k) + r, y + k, y + r);
    for (int j = 0; j < n; j++) x[q->place[j]] = y[j];
}

void qr_solve(qr *q, const double *b, double *x) {
    int m = q->rows, n = q->cols, r = q->rank;
    double *y = q->y;
    vec_copy(m, b, y);
    for (int k = 0; k < r; k++)
        reflect(m - k - 1, q->beta[k], column(q, k) + k + 1, y + k, y + k + 1);
    for (int k = r - 1; k >= 0; k--)
        y[k] = (y[k] - lanes_dot(r - 1 - k, row(q, k) + k + 1, y + k + 1)) / row(q, k)[k];
    vec_zero(n - r, y + r);
    turn_back(q, y, x);
}

/* Makes two rows of T orthogonal; 0: they are. */
static int rotate(int r, double *p, double *s) {
    double a = lanes_dot(r, p, p), b = lanes_dot(r, s, s), c = lanes_dot(r, p, s);
    double rounding = r * DBL_EPSILON; /* of c */
    if (!(c * c > rounding * rounding * a * b)) return 0;
    double z = (b - a) / (2 * c), t = copysign(1 / (fabs(z) + sqrt(1 + z * z)), z);
    double cosine = 1 / sqrt(1 + t * t), sine = t * cosine;
    for (int j = 0; j < r; j++) {
        double x = p[j], y = s[j];
        p[j] = cosine * x - sine * y, s[j] = sine * x + cosine * y;
    }
    return 1;
}

/* One-sided Jacobi rotations J T = diag(sigma) U^T. The pivots have ordered the rows of T by size,
 * so that a few sweeps are enough (Z. Drmac, K. Veselic: SIAM J. Matrix Anal. Appl. 29, 2008). */
static void diagonalise(qr *q) {
    enum { SWEEPS = 30 };
    for (int sweep = 0, busy = 1; sweep < SWEEPS && busy; sweep++) {
        busy = 0;
        for (int i = 0; i < q->rank; i++)
            for (int j = i + 1; j < q->rank; j++) busy |= rotate(q->rank, row(q, i), row(q, j));
    }
}

/* The number of x[k] in falling order. */
static int place_of(int n, const double *x, int k) {
    int at = 0;
    for (int i = 0; i < n; i++) at += x[i] > x[k] || (x[i] == x[k] && i < k);
    return at;
}

void qr_singular_values(qr *q, double *sigma, double *V) {
    int n = q->cols, r = q->rank;
    double *size = q->norm;
    diagonalise(q);
    for (int k = 0; k < r; k++) size[k] = sqrt(lanes_dot(r, row(q, k), row(q, k)));
    for (int k = 0; k < n; k++) {
        int at = k < r ? place_of(r, size, k) : k;
        sigma[at] = k < r ? size[k] : 0;
        vec_zero(n, q->y);
        if (k < r)
            vec_add(r, 1 / size[k], row(q, k), q->y);
        else
            q->y[k] = 1;
        turn_back(q, q->y, V + (ptrdiff_t)at * n);
    }
}
