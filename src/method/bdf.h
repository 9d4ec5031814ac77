/* What the files of the BDF family share: history, formula, one step. */
#pragma once

#include "estimate/error.h"
#include "method/method.h"

enum {
    BDF_MAX = 6,                 /* highest order */
    BDF_DEPTH = 2 * BDF_MAX + 2, /* points kept: the formula of the oldest velocity needs 2k + 1 */
    BDF_DATA = BDF_MAX + 5,      /* data of one interpolant */
    BDF_WEIGHTS = BDF_MAX + 2,   /* points of the longest extrapolation */
    BDF_HERMITE = 3              /* derivatives of q known at the start: v, v', v'' */
};

typedef enum bdf_kind { BDF_ORDINARY, BDF_MODIFIED, BDF_DIRECT } bdf_kind;

/* bdf_table.c */
extern const double bdf_growth[3][BDF_MAX + 1];
extern const double bdf_least_ratio[BDF_MAX + 1], bdf_most_ratio[BDF_MAX + 1];
extern const double bdf_growth_of_start[BDF_MAX + 1];

/* One accepted point. v = sum_i c_i q_{-i} by the formula of its own step, or exact (order 0). */
typedef struct bdf_point {
    double h; /* the step that led here */
    int order;
    double c[BDF_MAX + 1];
    int by_start; /* 1: v has a part of v_0 and v'_0 too, which c does not tell */
    double *q, *v, *r, *lambda, *psi, *w, *s, *eta;
    double *state_v, *vdot, *rdot; /* of the state, for dense output */
    double *dq;                    /* from the point before to this one */
    double *y;                     /* error of r' by that of multipliers and velocities */
    double *rest;                  /* what rounding has taken from q, where q is a vector */
} bdf_point;

/* The grid that a formula sees: times before t_n in units of h, sigma[0] = 0 > sigma[1] > ... */
typedef struct bdf_grid {
    double h;
    int count; /* old points */
    double sigma[BDF_DEPTH + 1];
    int order[BDF_DEPTH + 1];       /* of the formula that gave v; 0: exact */
    const double *c[BDF_DEPTH + 1]; /* its weights [1/s] */
    int from_start;                 /* 1: the oldest point is the start, where v and v' are known */
    /* of value i in the extrapolation to t_n through n old values: weight[n][i], i = 1 ... n */
    double weight[BDF_WEIGHTS + 1][BDF_WEIGHTS + 1];
} bdf_grid;

/* v_n = sum_i vq_i q_{n-i} + vs (v_0, v'_0),
 * a_n = sum_i aq_i q_{n-i} + sum_{i>0} av_i v_{n-i} + as (v_0, v'_0) + ar v'_0,
 * av_0: weight of v_n in aq.
 */
typedef struct bdf_formula {
    bdf_kind kind;
    int order, old; /* old values q_{n-1} ... q_{n-old} */
    int degree;     /* of the interpolant whose derivative v_n is */
    double vq[BDF_DATA], aq[BDF_DATA], av[BDF_MAX + 1];
    double vs[2], as[2];
    double ar; /* ordinary: weight of v'_0 where v_0 is the oldest of too few velocities */
    double alpha[BDF_MAX + 1]; /* modified: alpha_1 ... alpha_k of (3.26) */
    double growth;             /* modified: max |alpha_i| / pi_i; infinite at a pole */
} bdf_formula;

/* Coefficients of order k on a grid: ordinary, modified (3.26), direct (v = p_{k+1}' if `high`). */
void bdf_coefficients(bdf_kind kind, int high, int k, const bdf_grid *g, bdf_formula *f);
/* C with h^2 (a_n - v'(t_n)) = C delta, where delta = h^{k+2} q[t_n ... t_{n-k-2}] and
 * q_n - P(t_n) = product * delta for the extrapolation P of degree k + 1. Ordinary BDF: the error
 * of v' is meant. */
double bdf_error_constant(const bdf_grid *g, const bdf_formula *f, double *product);
/* Fills in the weights of a grid whose sigma are known. */
void bdf_grid_weights(bdf_grid *g);
/* Weights of p_k'(t_n) through t_n ... t_{n-k}. */
void bdf_derivative_weights(int k, const bdf_grid *g, double *c);
/* The same where one value is missing and the derivative at the oldest is known; *start: its
 * weight. Returns the number of old values. */
int bdf_rate_weights(int k, const bdf_grid *g, double *c, double *start);
/* Weights of the polynomial through `old` old points and `hermite` derivatives at the oldest:
 * P(t_n) = sum_{i=1..old} w_i q_{n-i} + ws[0] v_0 + ws[1] v'_0 + ws[2] v''_0. */
void bdf_extrapolation(int old, int hermite, const bdf_grid *g, double *w, double *ws);

/* Weights of q_n - q_{n-1} = v_n / c0 + sum_j b_j v_{n-j} + bs (v'_0, v''_0), exact where v is the
 * polynomial through `data` old velocities, of which at most `hermite` are derivatives of the
 * start. Returns the number of old velocities. */
int bdf_quadrature(int data, int hermite, double c0, const bdf_grid *g, double *b, double *bs);

/* Constraints at velocity level for which direct BDF integrates q by a quadrature of v. */
typedef enum bdf_hold { BDF_HOLD_NONE, BDF_HOLD_NONHOLONOMIC, BDF_HOLD_ALL } bdf_hold;

/* The control of the order before the first refusal of a step. */
typedef struct bdf_course {
    int next_order, hold, settle, stale, stiff, test_failures, count;
    double grain;
} bdf_course;

typedef struct bdf {
    bdf_kind kind;
    int order, max_order; /* of fixed steps; the highest under error control */
    int starter;          /* 1: the first points come from the underlying equation of motion */
    int high;             /* direct: v = p_{k+1}', for constraints at velocity level */
    bdf_hold held;        /* which of them */
    int keeps_v;          /* 1: the history holds the velocity of the state, 0: of the formula */
    int eta_keep;         /* ggl2: eta' is kept */
    int ggl;              /* first order GGL */
    form form;
    bdf_point point[BDF_DEPTH + 1], *past[BDF_DEPTH], *fresh;
    int count, from_start;
    int next_order;               /* under error control */
    int controlled, wanted_order; /* error control is on; what it wants after this step */
    int stale;                    /* the history is to be given up before the next step */
    int stiff;                    /* forces hold a part of the last step's error */
    double passes;                /* what repeated filters have left of it */
    int hold, refusals;           /* steps to wait before the order may grow; refusals in a row */
    int settle;                   /* steps to wait before the order may change at all */
    double refused_size;          /* error of the last refused step */
    double proportional[BDF_MAX + 1]; /* tolerance_proportional of each order */
    bdf_course before;
    double grain;                 /* how large rounding errors are, in units of eps */
    int chapter4;                 /* steps and orders by bdf_chapter4.c */
    int test_failures, too_large; /* of its error test since the last success; the last step */
    int prescribed;               /* orders by step are given, and their formulas are kept */
    bdf_grid grid;
    bdf_formula formula;
    int r_order;
    double rc[BDF_MAX + 1], rs; /* r_n' = sum_i rc_i r_{n-i} + rs r'_0 */
    int starter_works;          /* 0: it was given up */
    double *v0, *a0, *j0;       /* v, v' and v'' at the start; v'' under error control only */
    double *r1, *r2;            /* r' and r'' there */
    int jerk_known;
    double *base, *d, *u;  /* chart: base point, local coordinates of old points, buffer */
    double *newest;        /* the same of `around` points, the newest being the base */
    int around;            /* 0: the history has moved on */
    double *ahead;         /* from the newest point to the base */
    double *one, *turn;    /* the identity of the group, a small element */
    double *predicted;     /* buffer */
    double *defect, *dr;   /* of a_n, and of r_n */
    double y_certain;      /* the part of y of the last step that is not rounding */
    double whole;          /* the size of its defect in all directions */
    double c_matrix;       /* b_0 of the factored matrix */
    double cr_matrix;      /* its coefficient of r */
    double rate, t_matrix; /* contraction by 1 s of age, 0: not seen yet; when it was built */
    double bend;        /* that of a new matrix by an increment of one tolerance, 0: not seen yet */
    double rate_lambda; /* that of the multipliers alone */
    double seen_lambda; /* their least first increment since then; 0: none yet */
    double left_lambda; /* what the last step has left of their error */
    double weight_lambda; /* sum of |w| of their extrapolation */
    int splits;           /* ggl under error control: q moves onto g = 0 after the iteration */
    /* buffers of the starter */
    double *z, *z0, *z1, *dz, *table;
    state work;
} bdf;

/* 1: the history is such that the modified formula of order k is stable and far from its poles. */
int bdf_is_quiet(const bdf *B, int k);
/* The formula of order k for the step to come: modified only where the history is quiet. */
void bdf_take_formula(const bdf *B, int k, bdf_formula *f);
/* The same for the step itself: order 6, where it is not quiet, becomes 5. */
void bdf_take_step_formula(const bdf *B, int k, bdf_formula *f);
/* A pole of the modified formula: NOT_ALLOWED where a prescribed order meets it, NEWTON_FAILED
 * where a smaller step may avoid it. */
sodae_status bdf_check_pole(const stepper *s, const bdf *B);

/* After a rejection: the newest point moves onto the constraints that Newton has left. */
sodae_status bdf_meet_constraints(stepper *s, bdf *B);
/* 1: a function of the problem failed or refused the point. */
static inline int bdf_is_of_callback(sodae_status st) {
    return st == SODAE_CALLBACK_FAILED || st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE;
}

/* The step by Newton's iteration down to a part of `allowed`, a share of the tolerance. */
sodae_status bdf_iterate(stepper *s, bdf *B, double allowed);

/* v of the stage, on the normals of constraints at velocity level, by quadrature. */
sodae_status bdf_hold_velocity(stepper *s, bdf *B);

/* History. */
void bdf_grid_fill(const bdf *B, double h, bdf_grid *g);
void bdf_push(stepper *s, bdf *B, double h);
void bdf_forget(stepper *s, bdf *B);
void bdf_remember(stepper *s, bdf *B, snapshot_visitor *v);
/* v'' at the start by a difference over a part of h. */
sodae_status bdf_find_jerk(stepper *s, bdf *B, double h);
/* A new start at s->now with consistent v and v'. */
sodae_status bdf_renew(stepper *s, bdf *B);
/* Extrapolation to t_n through the newest old data of degree `degree` (or less): base and ahead. */
void bdf_predict(const stepper *s, bdf *B, int degree);
/* The base is rounded: where q is a vector, `ahead` becomes the way that really leads to it. */
void bdf_measure_way(const stepper *s, const bdf *B);
/* v, v' and v'' of the start as derivatives of the local coordinates theta, one after the other. */
void bdf_start_data(const stepper *s, const bdf *B, const double *theta, double *derivatives);
/* Local coordinates of `old` old points around the newest moved by `ahead` (NULL: not moved), one
 * after the other. */
void bdf_chart(const stepper *s, const bdf *B, const double *ahead, int old, double *d);
/* out = log(exp(sign x) exp(y)) */
void bdf_join(const stepper *s, const bdf *B, double sign, const double *x, const double *y,
              double *out);
/* v <- T(theta)^-1 v. */
void bdf_to_chart(const stepper *s, const double *theta, const double *v, double *out);

/* How many points a start at full order needs; the next point by extrapolation of v' = a(t,q,v). */
int bdf_points_needed(const bdf *B);
sodae_status bdf_start_step(stepper *s, bdf *B, double h, double t1);
/* The state at t1, h after `from`, by the same extrapolation. */
sodae_status bdf_start_motion(stepper *s, bdf *B, const state *from, double h, double t1, state *n);
sodae_status bdf_open_starter(stepper *s, bdf *B, arena *a);

/* Order and step. 1: the step follows the error, as far as is known. */
int bdf_is_controlled(const stepper *s, const bdf *B);
void bdf_begin_control(bdf *B);
/* Order of the next step; the local error of the last and the order wanted after it. */
int bdf_choose_order(const stepper *s, const bdf *B);
sodae_status bdf_error(stepper *s, double h, step_error *error);
/* The first try of a step; it was accepted, refused, or given up. */
void bdf_begin_step(bdf *B);
void bdf_adopt_order(bdf *B);
void bdf_refused(bdf *B);
void bdf_give_up(bdf *B);
/* Local error of order k in units of what may pass; NaN when the history is too short for it. */
double bdf_error_of(stepper *s, bdf *B, int k, double h);
/* The part of the tolerance that the local error may take. */
double bdf_local_tolerance(const stepper *s, const bdf *B, int k, double h);

/* y of the step just done, whose v is too small by wrong_v. */
void bdf_find_rate_error(stepper *s, bdf *B, const double *wrong_v);
/* The part of r in the local error of order k, which makes `ratio` of y, in units of what may pass.
 */
double bdf_error_of_r(stepper *s, bdf *B, int k, double ratio);

/* Chapter 4 of the thesis as printed: order of the next step, test of the last one with step and
 * order wanted after it, first and smallest step of a run to t_end (0: not by chapter 4). */
int bdf_chapter4_order(const bdf *B);
step_error bdf_chapter4_error(stepper *s, bdf *B, double h);
void bdf_chapter4_refused(bdf *B);
double bdf_chapter4_first(const stepper *s, double t_end);
double bdf_chapter4_least(const stepper *s, double t_end);

/* The state at t inside the last step. */
