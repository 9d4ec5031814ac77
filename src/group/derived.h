/* What a user-made group leaves out, found from exp, compose and tangent. */
#pragma once

#include <sodae/space.h>

/* dq with q0 o exp(dq) = q1 by Newton's iteration; NaN where it does not converge. */
void group_derived_difference(const sodae_part *part, const double *q0, const double *q1,
                              double *dq);
/* Inverse of T(dq) by elimination; NaN where T is singular. */
void group_derived_tangent_inverse(const sodae_part *part, const double *dq, double *Tinv);
/* [v,w] from T(e v) = I - e/2 ad + ... */
void group_derived_bracket(const sodae_part *part, const double *v, const double *w, double *out);
