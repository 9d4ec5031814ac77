/* Characteristic quantities and reduction steps of linear DAEs with constant coefficients. */
#pragma once

#include "analysis/subspace.h"

#include <sodae/analysis.h>

/* E x' = A x + f */
typedef struct pencil1 {
    mat E, A;
} pencil1;

/* A2 x'' + A1 x' + A0 x = F0 f + F1 f' + ..., F = (F0, F1, ...) or without columns: not followed */
typedef struct pencil2 {
    mat A2, A1, A0, F;
} pencil2;

sodae_first_order_quantities strangeness_quantities1(ranks *w, pencil1 p);
pencil1 strangeness_reduce1(ranks *w, pencil1 p);

sodae_second_order_quantities strangeness_quantities2(ranks *w, pencil2 p);
/* One step; `plain`: by the form (3.2) that keeps rows short, else by a form that stands for almost
 * all. */
pencil2 strangeness_reduce2(ranks *w, pencil2 p, int plain);
