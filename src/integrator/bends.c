/* Bends: what is short against the step, however small it is beside the rest.
 *
 * A smooth function of the step, sampled at t_k = k h/count, has second differences
 *
 *     f_k-2m - 2 f_k-m + f_k = (m h/count)^2 f'',
 *
 * and f'' is of the size that four points of the whole step show. A pulse, a bump or a wall that
 * lasts about m samples has one of the size of itself, whatever straight line it stands on. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <math.h>

/* m = 1, 2, ..., LONGEST; fewer samples than FEWEST cannot tell a bend from a curve. */
enum { LONGEST = 16, KEPT = 2 * LONGEST + 1, FEWEST = 16 };

/* How much more than the four points show a smooth function may be curved. */
static const double smooth = 30;

/* Of the step. */
const double bends_points[4] = {0, 0.37, 0.66, 1};

size_t bends_room(int n) {
    return (size_t)(KEPT + 2) * (size_t)n;
}

/* f'' h^2 of the parabola through three of the points. */
static double curvature(const double *x, const double *f) {
    double left = (f[1] - f[0]) / (x[1] - x[0]), right = (f[2] - f[1]) / (x[2] - x[1]);
    return 2 * (right - left) / (x[2] - x[0]);
}

void bends_begin(bends *b, int n, double *room, const double *const f[4]) {
    b->n = n;
    b->curved = room;
    b->may = room + n;
    b->kept = room + 2 * n;
    for (int i = 0; i < n; i++) {
        double x[4] = {f[0][i], f[1][i], f[2][i], f[3][i]};
        b->curved[i] = smooth * fmax(fabs(curvature(bends_points, x)),
                                     fabs(curvature(bends_points + 1, x + 1)));
    }
    vec_copy(n, f[0], b->kept);
}

double bends_next(bends *b, int k, int count, const double *f, int *row, int *from) {
    int n = b->n;
    vec_copy(n, f, b->kept + (size_t)(k % KEPT) * (size_t)n);
    if (count < FEWEST) return 0;
    for (int m = 1; m <= LONGEST && 2 * m <= k; m *= 2) {
        const double *middle = b->kept + (size_t)((k - m) % KEPT) * (size_t)n;
        const double *first = b->kept + (size_t)((k - 2 * m) % KEPT) * (size_t)n;
        double part = (double)m / count;
        for (int i = 0; i < n; i++) {
            double bend = fabs(first[i] - 2 * middle[i] + f[i]);
            if (bend <= b->may[i] + part * part * b->curved[i]) continue;
            *row = i, *from = k - 2 * m;
            return bend;
        }
    }
    return 0;
}
