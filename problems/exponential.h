/* What the test problems of papers 000, 001 and 002 share: y = (e^t, e^-2t), and from 001 (7.1)
 *   M(t,y) = [y1, y2 - e^-2t; sin(y1 - e^t), y1 y2]. */
#pragma once

#include <sodae/problem.h>

sodae_fn catalogue_exp_mass, catalogue_exp_mass_q;
/* g = y1^2 y2 - 1 and what follows from it. */
sodae_fn catalogue_exp_g, catalogue_exp_G, catalogue_exp_rate, catalogue_exp_rate_q,
    catalogue_exp_drift;
/* q, v, a of the solution. */
void catalogue_exp_exact(double t, const sodae_solution *out);
