#include "dense/root.h"

#include <float.h>
#include <math.h>

sodae_status root_find(root_fn *f, void *user, double a, double fa, double b, double fb,
                       double *t) {
    for (int it = 0; it < 4 * DBL_MANT_DIG; it++) {
        double width = b - a;
        if (fb == 0 || width <= 2 * DBL_EPSILON * fmax(fabs(a), fabs(b))) break;
        /* every third time a bisection, so that the interval shrinks whatever f is */
        double c = it % 3 == 2 ? a + width / 2 : b - fb * width / (fb - fa), fc;
        if (!(c > a && c < b)) c = a + width / 2;
        if (!(c > a && c < b)) break;
        sodae_status st = f(c, user, &fc);
        if (st) return st;
        if ((fc < 0) == (fb < 0) && fc != 0) {
            b = c, fb = fc;
            fa /= 2; /* Illinois: the end that stays is weighed less */
        } else {
            if (fc == 0)
                b = c, fb = 0;
            else
                a = c, fa = fc, fb /= 2;
        }
    }
    *t = b;
    return SODAE_OK;
}

/* Where the parabola through the three points has its extremum. */
static double vertex(const root_dip *d) {
    double left = d->t[1] - d->t[0], right = d->t[2] - d->t[1];
    double a = (d->f[0] - d->f[1]) / left, b = (d->f[2] - d->f[1]) / right;
    return d->t[1] + (a * right - b * left) / (a + b) / 2;
}

/* A quarter of the longer side from the middle: shrinks it. */
static double aside(const root_dip *d) {
    double left = d->t[1] - d->t[0], right = d->t[2] - d->t[1];
    return d->t[1] + (right > left ? right : -left) / 4;
}

/* How far below the middle a convex function can lie: on the lines through it and an end. */
static double deepest(const root_dip *d, double side) {
    double left = d->t[1] - d->t[0], right = d->t[2] - d->t[1];
    return fmax(side * (d->f[0] - d->f[1]) / left * right,
                side * (d->f[2] - d->f[1]) / right * left);
}

static void take(root_dip *d, double t, double f, double side) {
    int nearer = side * f < side * d->f[1], end = (t < d->t[1]) == nearer ? 2 : 0;
    d->t[end] = nearer ? d->t[1] : t, d->f[end] = nearer ? d->f[1] : f;
    if (nearer) d->t[1] = t, d->f[1] = f;
}

sodae_status root_in_dip(root_fn *f, void *user, double noise, root_dip *d, int *found) {
    double side = d->f[0] < 0 ? -1 : 1;
    for (int it = 0; it < ROOT_DIP_CALLS && !(side * d->f[1] < -noise); it++) {
        double value, width = d->t[2] - d->t[0], depth = deepest(d, side);
        if (side * d->f[1] > depth || depth <= noise) break;
        double t = it % 2 ? aside(d) : vertex(d);
        if (!(fabs(t - d->t[1]) > sqrt(DBL_EPSILON) * width)) t = aside(d);
        if (!(t > d->t[0] && t < d->t[2] && t != d->t[1])) break;
        sodae_status st = f(t, user, &value);
        if (st) return st;
        take(d, t, value, side);
    }
    *found = side * d->f[1] < -noise;
    return SODAE_OK;
}
