/* Rigid bars in a plane with revolute joints: q = (x, y, angle) of every bar's centre, two
 * equations for every joint, all Jacobians sparse. Gravity points down. */
#pragma once

#include "problems/catalogue.h"
#include "problems/reference.h"

#define LINKAGE_GRAVITY 9.81

/* The point (x, y) of bar `first` (-1: of the ground) is the point (x, y) of bar `second`:
 * g = second - first, so that lambda is the force of `second` on `first`. */
typedef struct linkage_joint {
    int first, second;
    double first_at[2], second_at[2];
} linkage_joint;

typedef struct linkage_bar {
    double mass, inertia;
} linkage_bar;

/* `problem` comes first and its `user` points here. */
typedef struct linkage {
    sodae_problem problem;
    int bars, joints;
    linkage_bar *bar;
    linkage_joint *joint;
    double *q, *v;
    int *colptr, *rowind, *place; /* pattern of G; joint and side of each entry, 2 joint + side */
    int *numbers;                 /* 0, 1, 2, ...: a diagonal */
    int *none;                    /* 0, 0, 0, ...: no entries */
    int *angle_ptr, *angle_row;   /* one entry for every angle */
    reference ref;                /* minimal coordinates */
} linkage;

/* Room for bars and joints; NULL: out of memory. Bars, joints and initial values are set by the
 * caller, then linkage_finish makes the problem. */
linkage *linkage_create(const char *name, int bars, int joints);
void linkage_finish(linkage *l);
void linkage_free(sodae_problem *problem);
