/* General linear methods for second order DAEs, (A.16)-(A.22) of paper 004 with one term more: the
 * velocities may contain h^-1 K y (without it no method with v from differences of q is a member).
 * Collocation Runge-Kutta methods are the tables with one point of the past.
 *
 *   Q_i = sum_j At_ij q_{n-j} + h sum_j Bt_ij v_{n-j} + h^2 sum_j Dt_ij A_j                  (A.16)
 *   V_i = sum_j Kt_ij q_{n-j} / h + sum_j Et_ij v_{n-j} + h sum_j Ft_ij A_j
 *   R_i = sum_j Er_ij r_{n-j} + h sum_j Fr_ij R'_j
 *
 * Row `stages` of each matrix gives the new state; with c_s = 1 it is the last stage itself. */
#pragma once

#include "base/tuning.h"
#include "estimate/error.h"
#include "method/method.h"

TUNING(glm_direct_rounding, 1e-12,
       "of v: differences of q over h in direct collocation; 20 times what Newton leaves of q");

enum { GLM_STEPS = 4, GLM_STAGES = 5, GLM_ROWS = GLM_STAGES + 1, GLM_OLD = 3 };

typedef enum glm_family {
    GLM_GAUSS,  /* one point of the past, Gauss nodes */
    GLM_RADAU,  /* multistep Radau collocation; with one point of the past Radau IIA */
    GLM_DIRECT, /* Radau nodes, collocation of q'' by one polynomial through the past of q */
} glm_family;

typedef struct glm_table {
    glm_family family;
    int steps, stages;
    int stiffly;            /* c_s = 1: the last stage is the new state */
    double past[GLM_STEPS]; /* (t_{n-j} - t_n) / h: 0, then negative */
    double c[GLM_STAGES];
    double At[GLM_ROWS][GLM_STEPS], Bt[GLM_ROWS][GLM_STEPS], Dt[GLM_ROWS][GLM_STAGES];
    double Kt[GLM_ROWS][GLM_STEPS], Et[GLM_ROWS][GLM_STEPS], Ft[GLM_ROWS][GLM_STAGES];
    double Er[GLM_ROWS][GLM_STEPS], Fr[GLM_ROWS][GLM_STAGES];
    double gq, gv; /* 1 / |Dt^-1|, 1 / |Ft^-1| of the stage rows: the smallest gains */
    /* local error of a rate: h (sum_j past_error_j f_{n-j} + sum_i stage_error_i F_i) */
    double past_error[GLM_STEPS], stage_error[GLM_STAGES];
    double own_error[GLM_STAGES]; /* the same from the stages alone, one order less */
    double past_lower[GLM_STEPS], stage_lower[GLM_STAGES]; /* likewise h^(k+s-2) y^(k+s-2) */
    /* that estimate is c_estimate h^(k+s) y^(k+s); the local error of the formula is at most
     * c_local h^(order+1) y^(order+1), for all elementary differentials */
    int order;
    double c_estimate, c_local;
    /* where forces are stiff, the error is c_stiff h^(s+1) y^(s+1) (Gauss), or c_stiff h^s v^(s) */
    double c_stiff;
} glm_table;

/* Nodes for the given past; every order condition that s free nodes can meet is met. */
void glm_nodes(glm_family family, int steps, const double *past, int stages, double *c);
/* All matrices from past and nodes. */
void glm_fill(glm_table *t, glm_family family, int steps, const double *past, int stages);
/* Weights w_i with p(x) = sum_i w_i p(c_i) for polynomials of degree < n. */
void glm_lagrange(int n, const double *c, double x, double *w);
/* The same for p'(x). */
void glm_lagrange_rate(int n, const double *c, double x, double *w);

/* Stages of one table and the equations they must meet. */
typedef struct glm_set {
    glm_table table;
    form form;
    double h; /* step of the coefficients in `form`; 0: none */
} glm_set;

/* One point of the past. */
typedef struct glm_point {
    double h; /* length of the step that begins here */
    double *q, *v, *vdot, *r, *rdot;
    double *dq;   /* what that step added to q, with all its digits: q o exp(dq) */
    double *back; /* from the present state to it */
} glm_point;

typedef struct glm {
    glm_family family;
    int steps, stages; /* stages: of the next step, with one point of the past */
    const form_kind *kind;
    int belongs;  /* v' and multipliers belong to q and v of the new state */
    int held;     /* and both levels of the constraints are held */
    int eta_keep; /* ggl2: eta' is kept */
    int apart;    /* ggl2 of direct collocation: q is carried by q' = v - G^T eta, in p.v and ... */
    double *rate_now; /* ... that of the present state, unless it is the first */
    int charted;      /* minimal extension: the chart of all forms is that of the last step */
    /* With one point of the past, by the number of stages: several where that may change (least to
     * most), or Radau IIA for the first steps - 1 steps of a method with more points. */
    glm_set one[GLM_STAGES + 1], more;
    int least, usual, most, next_stages; /* next_stages: what the last estimate asks for */
    glm_set *used;                       /* the one that did the last step */
    int known;                           /* points in `past` */
    int refusals;                        /* in a row */
    glm_point past[GLM_STEPS - 1];       /* the newest first; the present state is not among them */
    /* for the guess: the stages of the last accepted step, and the last one before them */
    double *last, last_c[GLM_STAGES + 1], last_h;
    int last_points;
    double worst, next_worst; /* largest contraction of the last solution, of that on trial */
    double *unit, *turn;      /* the identity of the group; a small element */
    /* (6.21): are multipliers carried with their rates, are these known, both of now and next */
    int carries, rated;
    double *value, *next_value, *rate, *next_rate;
    int last_stages;
    /* strategy=chapter4: old states before the present one, all unknowns; failures of the test */
    int chapter4, olds, failures;
    double *old[GLM_OLD], old_t[GLM_OLD];
    /* one stage at the new state, for the error; valid for that step and that matrix of the stages
     */
    form filter;
    double filter_h;
    long filter_matrix;
    int noisy;     /* that estimate was rounding of the force */
    double weight; /* errors of multipliers in the test, in units of those of q, v, r; at least 1 */
    state moved;   /* a buffer */
    error_vector lower;                                     /* h^(k+s-2) y^(k+s-2) */
    double *a_used, *dq, *dv, *dr, *dn, *df, *noise, *room; /* buffers */
    double *kept;                                           /* dq, dv, dr of the estimate */
    double *jerk, *bent, *earlier;                          /* v'', r'', a residual of `filter` */
    double *fading; /* 1: an oscillation of this component of v need not be followed */
} glm;

/* Checks and room: glm_open.c. */
sodae_status glm_open(stepper *s, arena *a, int formulation);

/* glm_set.c: see stepper.dense_points. */
int glm_dense_points(glm_family family, int steps, int stages);
/* Coefficients that do not depend on the step: all of them with one point of the past. */
void glm_set_table(glm_set *set, const double *past);
/* All counters are shown as one, with those of the set in use: after a step and after its error. */
void glm_gather(glm *g);
/* The error hook and its room: glm_error.c. */
sodae_status glm_open_error(stepper *s, arena *a);
sodae_status glm_error(stepper *s, double h, step_error *out);

/* glm_rate.c: next_value and next_rate by (6.21). */
sodae_status glm_carry_multipliers(stepper *s, glm *g, const glm_set *set, double h);

/* glm_chapter4.c */
void glm_chapter4_open(const stepper *s, arena *a, glm *g);
void glm_chapter4_accept(const stepper *s, glm *g);
void glm_chapter4_error(stepper *s, glm *g, double h, step_error *out);

/* glm_chart.c: the dependent coordinates for a step from s->now; those of the result of Gauss. */
void glm_share_chart(glm *g);
sodae_status glm_choose_chart(stepper *s, glm *g, form *f);
/* The estimate in dq, dv as far as constraints make it of the motion itself, not of errors of
 * independent coordinates; in tolerances. */
sodae_status glm_dependent_motion(stepper *s, glm *g, double *size);
void glm_visit_chart(glm *g, snapshot_visitor *v);

/* glm_undamped.c. The error of q with the past or from the stages alone, whichever is smaller: an
 * error of v_n that this step forgets would not become small with it. Gauss: errors of v that stiff
 * forces leave, in units of what may pass; in dn. */
void glm_own_error_q(const stepper *s, const glm *g, double h, double *dq);
sodae_status glm_undamped(stepper *s, glm *g, double h, double *size);

/* glm_stiff.c: the error of v that stiff forces leave; it does not add up. */
sodae_status glm_stiff_velocity(stepper *s, glm *g, double h, double *dv);

/* glm_fade.c: sets `fading` from the filtered estimate in dq and dv, and takes out of it what need
 * not be followed; overwrites df. */
void glm_see_fading(const stepper *s, glm *g);

/* glm_multiplier.c. What errors make of multipliers that belong to the new state: those of size
 * `estimate` in dq, dv, dr, times *weight in units of the tolerances (at least 1); that in dn,
 * *other. */
sodae_status glm_multipliers_of_errors(stepper *s, glm *g, double estimate, double *weight,
                                       double *other);

/* Motions with a smaller omega h are followed by the stages. */
TUNING(glm_unresolved, 0.5, "rad a step: there a sine is its cubic to 0.1 %");

/* What carries q: v, or v - G^T eta where these are two things. */
static inline const double *glm_rate(const stepper *s, const glm *g) {
    return g->apart && g->last_stages ? g->rate_now : s->now.v;
}
/* glm_rounding.c: rounding of the new v, off the velocity constraints; the estimate in dq and dr
 * less rounding. */
double glm_velocity_rounding(const glm *g);
sodae_status glm_without_rounding(stepper *s, glm *g, double h);
/* The estimate in dv less rounding of the force; overwrites df. */
sodae_status glm_less_rounding(stepper *s, glm *g, double h);

/* Estimated size and frequency of the solution y: |y^(m) h^m| = size x^m; size of v in units of 1.
 */
typedef struct glm_motion {
    double size, x;
} glm_motion;

/* glm_motion.c. In units of the tolerances: the motion seen by an estimate in dq, dv, dr (which
 * it changes) and `lower`. */
glm_motion glm_motion_seen(const stepper *s, glm *g, double estimate);
/* The local error that the formula makes of it, in the step's share of the tolerance, ~ h^order;
 * and how much of the motion the stages miss, ~ h^(k+s): 1 is too much. */
double glm_formula_error(const stepper *s, const glm_table *t, double h, glm_motion m);
double glm_motion_missed(const glm_table *t, glm_motion m);
/* Of motions that are seen between the steps only, with that estimate: in tolerances. */
double glm_passing_error(const stepper *s, const glm_table *t, double estimate);
/* Number of stages for the next step; *h_wanted: its size, set if the number changes. */
int glm_next_stages(const stepper *s, const glm *g, double h, glm_motion m, double *h_wanted);
/* The same where an error decides that does not add up, `held` in units of the tolerance. */
int glm_stages_if_held(const stepper *s, const glm *g, double h, glm_motion m, double held);
