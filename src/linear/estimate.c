/* |A^-1|_1 by W. W. Hager's ascent on the unit ball, with N. J. Higham's vector of alternating
 * signs against cancellation (ACM TOMS 14, 1988, algorithm 4.1). */
#include "linear/lu.h"

#include "base/vec.h"

enum { MOST = 5 }; /* steps of the ascent, as in the algorithm */

typedef void solver(const lu *f, double *b);

static double sum_of_sizes(int n, const double *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(x[i]);
    return sum;
}

static int largest(int n, const double *x) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[best])) best = i;
    return best;
}

/* s <- signs of y; 1: s has them already */
static int take_signs(int n, const double *y, double *s) {
    int same = 1;
    for (int i = 0; i < n; i++) {
        double sign = y[i] < 0 ? -1 : 1;
        same = same && s[i] == sign;
        s[i] = sign;
    }
    return same;
}

static double ascend(const lu *f, int n, solver *solve, solver *transposed, double *work) {
    double *y = work, *s = work + n, *z = work + 2 * n, norm;
    for (int i = 0; i < n; i++) y[i] = 1. / n, s[i] = 0;
    solve(f, y);
    norm = sum_of_sizes(n, y);
    for (int k = 0, last = -1; k < MOST && n > 1; k++) {
        if (take_signs(n, y, s)) break;
        vec_copy(n, s, z);
        transposed(f, z);
        int j = largest(n, z);
        if (last >= 0 && !(fabs(z[j]) > fabs(z[last]))) break;
        last = j;
        vec_zero(n, y);
        y[j] = 1;
        solve(f, y);
        double next = sum_of_sizes(n, y);
        if (!(next > norm)) break;
        norm = next;
    }
    return norm;
}

static double inverse_norm(const lu *f, int n, solver *solve, solver *transposed, double *work) {
    double norm = ascend(f, n, solve, transposed, work), *y = work;
    for (int i = 0; i < n && n > 1; i++) y[i] = (i % 2 ? -1 : 1) * (1 + i / (n - 1.));
    if (n > 1) solve(f, y);
    return n > 1 ? larger(norm, 2 * sum_of_sizes(n, y) / (3. * n)) : norm;
}

double lu_inverse_norm(const lu *f, double *work) {
    return inverse_norm(f, f->n, lu_solve, lu_solve_transposed, work);
}

double lu_complex_inverse_norm(const lu *f, double *work) {
    return inverse_norm(f, 2 * f->n, lu_complex_solve, lu_complex_solve_transposed, work);
}
