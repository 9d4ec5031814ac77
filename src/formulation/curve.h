/* Several stages on a Lie group, for the files that place them. */
#pragma once

#include "formulation/form.h"

struct form_curve {
    double *u, *w; /* stages x nv: velocities, theta' (swing.c: theta', theta'') */
    double *E, *D; /* for each rotating part stages x stages blocks, each by columns */
    int *first, largest;
    double *Y[2], straight[2]; /* c (1 + z ad_u)^-1: real and imaginary part, where things rotate
                                  and where not */
    double *T, *X, *e, *ad;    /* buffers */
    double *room;              /* of LU factors */
};

/* w = T(theta)^-1 u, part by part. */
void form_to_coordinates(form *f, const double *theta, const double *u, double *w);
/* Columns of ad_u, l of all rotating parts at once at ad + l nv. */
void form_curve_bracket(form *f, const double *u, double *ad);
/* Block (i, j) of a part in `of`, which is E or D. */
double *form_curve_block(const form *f, double *of, int part, int i, int j);
