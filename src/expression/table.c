#include "expression/table.h"

double expr_table_number(const expr_table *table, int column, double x) {
    int low = 0,
        high = table->count; /* x is not before the knot of `low`, and before that of high */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (x >= table->row[middle][TABLE_KNOT])
            low = middle;
        else
            high = middle;
    }
    return table->row[low][column];
}

/* Second derivatives m of the natural spline: tridiagonal equations
 *   h_{k-1} m_{k-1} + 2 (h_{k-1} + h_k) m_k + h_k m_{k+1} = 6 (s_k - s_{k-1}),  m_0 = m_{n-1} = 0,
 * with h the lengths and s the slopes of the intervals. */
static void second_derivatives(const double *x, const double *y, int n, double *m, double *upper) {
    m[0] = upper[0] = m[n - 1] = 0;
    for (int k = 1; k < n - 1; k++) {
        double before = x[k] - x[k - 1], after = x[k + 1] - x[k];
        double jump = (y[k + 1] - y[k]) / after - (y[k] - y[k - 1]) / before;
        double pivot = 2 * (before + after) - before * upper[k - 1];
        upper[k] = after / pivot;
        m[k] = (6 * jump - before * m[k - 1]) / pivot;
    }
    for (int k = n - 2; k > 0; k--) m[k] -= upper[k] * m[k + 1];
}

void expr_table_fill(double (*row)[TABLE_COLUMNS], const double *x, const double *y, int n,
                     int cubic, double *work) {
    double *m = work;
    for (int k = 0; k < n; k++) m[k] = 0;
    if (cubic) second_derivatives(x, y, n, m, work + n);
    for (int k = 0; k + 1 < n; k++) {
        double h = x[k + 1] - x[k], *to = row[k + 1];
        to[TABLE_KNOT] = x[k];
        to[TABLE_C0] = y[k];
        to[TABLE_C1] = (y[k + 1] - y[k]) / h - h * (2 * m[k] + m[k + 1]) / 6;
        to[TABLE_C2] = m[k] / 2;
        to[TABLE_C3] = (m[k + 1] - m[k]) / (6 * h);
    }
    double h = x[n - 1] - x[n - 2], *first = row[0], *last = row[n];
    const double *before = row[n - 1];
    first[TABLE_KNOT] = x[0], first[TABLE_C0] = y[0], first[TABLE_C1] = row[1][TABLE_C1];
    first[TABLE_C2] = first[TABLE_C3] = last[TABLE_C2] = last[TABLE_C3] = 0;
    last[TABLE_KNOT] = x[n - 1], last[TABLE_C0] = y[n - 1];
    last[TABLE_C1] = before[TABLE_C1] + h * (2 * before[TABLE_C2] + 3 * h * before[TABLE_C3]);
}
