#include "output/root.h"

#include <float.h>
#include <math.h>

sodae_status root_find(root_fn *f, void *user, double a, double fa, double b, double fb,
                       double *t) {
    for (int it = 0; it < 200; it++) {
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
