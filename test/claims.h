/* What every test needs: cmocka, two-sided checks. */
#pragma once

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* lo <= x <= hi, with the numbers in the message. */
#define CHECK_IN(x, lo, hi)                                                                        \
    do {                                                                                           \
        double check_x = (x), check_lo = (lo), check_hi = (hi);                                    \
        if (!(check_x >= check_lo && check_x <= check_hi))                                         \
            fail_msg("%s = %.17g is not in [%g, %g]", #x, check_x, check_lo, check_hi);            \
    } while (0)

/* |x - y| <= tol. */
#define CHECK_NEAR(x, y, tol)                                                                      \
    do {                                                                                           \
        double near_x = (x), near_y = (y), near_tol = (tol);                                       \
        if (!(fabs(near_x - near_y) <= near_tol))                                                  \
            fail_msg("%s = %.17g, expected %.17g, off by %.3g > %.3g", #x, near_x, near_y,         \
                     fabs(near_x - near_y), near_tol);                                             \
    } while (0)
