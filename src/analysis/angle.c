#include "analysis/angle.h"

#include <math.h>

double angle_of_stability(double (*radius)(const void *, double, double), const void *method,
                          double least) {
    enum { RAYS = 180, POINTS = 161 };
    const double pi = 3.14159265358979323846, slack = 1e-9; /* rounding of the radius */
    for (int a = 0; a <= RAYS; a++)
        for (int i = 0; i < POINTS; i++) {
            double r = least * pow(1e5 / least, i / (POINTS - 1.0)), angle = pi * a / 360;
            if (!(radius(method, -r * cos(angle), r * sin(angle)) <= 1 + slack))
                return a ? (a - 1) / 2.0 : 0;
        }
    return 90;
}
