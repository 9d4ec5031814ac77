/* Tables: piecewise cubic functions of one argument.
 *
 * f(x) = c0 + d (c1 + d (c2 + d c3)), d = x - x_k, in the interval k that holds x. The numbers of
 * an interval are nodes of the graph that do not move with x, so that derivatives by the rules of
 * sums and products are exact. */
#pragma once

enum { TABLE_KNOT, TABLE_C0, TABLE_C1, TABLE_C2, TABLE_C3, TABLE_COLUMNS };

/* Interval 0 lies before the first knot, the last one behind the last: straight lines. */
typedef struct expr_table {
    int count; /* intervals: knots + 1 */
    const double (
        *row)[TABLE_COLUMNS]; /* of each interval; row[k][TABLE_KNOT] increases from 1 on */
} expr_table;

/* Column of the interval that holds x. */
double expr_table_number(const expr_table *table, int column, double x);

/* Fills the rows of a table with n knots, n + 1 of them, from n values. With `cubic` the natural
 * spline, else straight lines. `work`: 2 n numbers. The knots increase, n > 1. */
void expr_table_fill(double (*row)[TABLE_COLUMNS], const double *x, const double *y, int n,
                     int cubic, double *work);
