/* Chains in minimal coordinates: the angles of n links from the x axis. */
#pragma once

#include "problems/reference.h"

enum { ANGLES_MAX = REFERENCE_MAX / 2 };

/* sum_j c_ij [cos(a_i-a_j) a_j'' + sin(a_i-a_j) a_j'^2] = -gravity weight_i cos a_i with
 * c_ij = part_max(i,j), c_ii = own_i, for y = (a, a'). */
void angles_rate(int n, const long double *part, const long double *own, const long double *weight,
                 long double gravity, const long double *y, long double *dy);

/* Point `where` (0..1) of every link of length l, `stride` numbers apart in q, v and a. */
void angles_place(int n, double l, const long double *y, const long double *dy, double where,
                  int stride, double *q, double *v, double *a);
