/* Small dense systems of coefficients of methods, in extended precision: X <- A^-1 X, A n x n and X
 * n x columns by rows, `a` and `x` numbers from row to row. Row pivots; A is overwritten. 0: A is
 * singular. */
#pragma once

int small_solve(int n, long double *A, int a, int columns, long double *X, int x);
