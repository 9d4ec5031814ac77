/* What the files of the alpha family share. */
#pragma once

#include "method/method.h"

#include <sodae/analysis.h>

enum { ALPHA_MEMORY = 16 }; /* steps that a mean looks back */

typedef struct alpha {
    double am, af, al, be, ga; /* alpha_m, alpha_f, alpha = alpha_m - alpha_f, beta, gamma */
    int start, mass, rule;     /* resolved options */
    form form;
    /* values this step starts from: v_n, a_n and rates, after the corrections */
    double *v, *a, *y, *Ma;
    double *y_now;                     /* carried rates of r, belonging to t_n + alpha h */
    double *a_last, *y_last, *Ma_last; /* what the previous step started from */
    /* what the error test compares with: a and y of the step before, v' of (9d), at a distance of
     * `gap` */
    double *a_before, *y_before, *vdot_used, gap;
    double *Ma_carried; /* M a at the end of the previous step (`previous`) */
    double *y_next, *Ma_next;
    double *vdot_now, *vdot_next; /* v' of (9d), which the state shows only with fixed steps */
    double *eta_guess;
    double *lambda_last, *psi_last, *l1, *l2; /* for the error of the multipliers */
    int weighed;              /* nv where the balance is weighted, else 0: the length of M a */
    int judged;               /* nv under error control, else 0: the length of what follows */
    double *mean, *mean_next; /* running means of A' and A''; with the step on trial */
    /* A'' as the error test sees it, of the last step and of the one on trial; see alpha_error.c */
    double *bend, *bend_next, *fading, *du, *Fdu, *Su, *Sdu;
    double *jerk, *rjerk, *w, *u, *room; /* buffers */
    double *f0, *f1, *fr1, *inertia, *M1;
    double h_matrix; /* step of the factored matrix */
    double h_start;  /* of the first step whose starting values are there; 0: none are */
    int slow, pause; /* the last solution with an old matrix was slow; steps with new ones ahead */
    state work;
    linear_solver mass_solver; /* for M_alpha a_alpha = ... */
} alpha;

/* Starting values (alpha_start.c): fills A->v, A->a, A->y for the first step. */
sodae_status alpha_start(stepper *s, alpha *A, double h);
/* S^-1 r_0 of 003 (41), (53), the largest component; powers of T amplify it. 0 but for index 3. */
sodae_status alpha_transient(stepper *s, double h, double *lambda);
/* Corrections after a step change (alpha_start.c). */
sodae_status alpha_change(stepper *s, alpha *A, double h);
/* Under error control: multipliers and v' of the new state (alpha_start.c). */
sodae_status alpha_settle(stepper *s, alpha *A);
/* l(h)/h = h^2/6 ((1 - 6 beta - 3 alpha) v'' + [v,v']/2), 003 eq 17. */
void alpha_defect(const stepper *s, const alpha *A, double h, const double *jerk, double *l);
/* Everything of one step that follows the choice of v, a, y. */
sodae_status alpha_solve(stepper *s, alpha *A, double h, double t1);
/* The error hook (alpha_error.c). */
sodae_status alpha_error(stepper *s, double h, step_error *out);
