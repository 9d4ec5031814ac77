/* The state inside the last step by one polynomial or another: inside.c, stiff.c. */
#pragma once

#include "integrator/integrator.h"

/* Are there stages that join the ends of steps by what belongs to q and v? */
int inside_has_stages(const sodae *s);
/* The motion that `by` says, and the rest of the state beside it. */
void inside_by(sodae *s, double t, dense_by by, state *out);
/* v', multipliers and r' of q, v and r. Where no v' follows they are left as they are; what
 * functions of the problem say is told. */
sodae_status inside_settle(sodae *s, state *x);
/* r of one kind at t; by stages there have to be some. */
void inside_r(sodae *s, double t, dense_rate by, double *r);

/* Where forces are stiff: the nearer one of DENSE_BY_V and DENSE_STIFF, and how wrong q of it may
 * be, twice or so, in tolerances. */
sodae_status stiff_motion(sodae *s, dense_by *by, double *size);
/* h (q' - v) of the motion by the stages at t, in tolerances of q. */
double stiff_drift(sodae *s, double t);
/* dense.r_by for this motion; how wrong r is then, in tolerances. */
sodae_status stiff_rates(sodae *s, dense_by motion, double *size);
