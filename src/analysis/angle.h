/* Angles of A(alpha) stability by rays. */
#pragma once

/* The largest angle, in half degrees, on whose rays radius(z) <= 1 for |z| = least .. 1e5, radius
 * of z = re + i im with im >= 0; 0: none. */
double angle_of_stability(double (*radius)(const void *method, double re, double im),
                          const void *method, double least);
