/* The seam between methods and formulations.
 *
 * A method describes its stages as affine maps of the unknowns x_j (accelerations):
 *     q_i = q0_i o exp( dq_i + sum_j cq_ij x_j ),  v_i = v0_i + sum_j cv_ij x_j,
 *     a_i = a0_i + sum_j ca_ij x_j,  and for first order states  r_i = r0_i + sum_j cr_ij y_j,
 *     r'_i = rd0_i + sum_j crd_ij y_j.
 * A formulation is a list of rows (equations) to be met at each stage; from these numbers and the
 * problem alone it writes residual and iteration matrix. Unknowns of a stage, in this order:
 *     x (nv), y (nr), w (nw), s (ns), lambda (nl), psi (np), and eta (nl) if there are two rows for
 *     each holonomic constraint; eta enters as q_i = q0_i o exp( ... - ceta sum_j ce_ij B_j^T eta_j
 * ), B_j fixed.
 *
 * Where a method weighs forces and reactions apart (`apart`), the stages behind the first one have
 * x alone, and of the rows the balance: at their own place, with multipliers, r, w and s of the
 * first. */
#pragma once

#include "base/tuning.h"
#include "linear/lu.h"
#include "linear/matrix.h"
#include "linear/solver.h"
#include "nonlinear/newton.h"
#include "problem/state.h"

/* An equation at a stage, with the problem functions it consists of. */
typedef enum form_row {
    ROW_BALANCE,        /* M a - f */
    ROW_DYNAMIC,        /* r' - f_r */
    ROW_AUXILIARY,      /* d */
    ROW_CONTACT,        /* h */
    ROW_POSITION,       /* g / sq */
    ROW_VELOCITY,       /* (G v + g_t) / sv */
    ROW_ACCELERATION,   /* G a + drift */
    ROW_KINEMATIC,      /* k / sv */
    ROW_KINEMATIC_RATE, /* K a + drift */
    ROWS
} form_row;

/* Unknowns that shift v and a of the stage instead of q (extend.c). */
typedef enum form_shift {
    SHIFT_NONE,
    SHIFT_GGL,  /* v += G^T eta, a += G^T eta' + G'^T eta */
    SHIFT_CHART /* v += E eta, a += E nu: the dependent velocities and accelerations are unknowns */
} form_shift;

/* The multipliers in the balance of a stage. */
typedef enum form_reads { READS_NONE, READS_LAMBDA, READS_ETA } form_reads;

typedef struct form_balance {
    form_reads reads; /* lambda and psi, or eta in place of lambda */
    int given;        /* 1: its state is, w and s included */
} form_balance;

/* A formulation and its properties: methods ask for these, never for its name. */
typedef struct form_kind {
    const char *name;
    int rows;
    form_row row[8];
    /* levels of the holonomic constraints that hold at the end of a step */
    int holds_position, holds_velocity, holds_acceleration;
    int second_multiplier; /* 1: eta moves q */
    int fixed_state;       /* 1: q, v and r are given, no unknown moves them */
    int halves;            /* 2: position half and velocity half (SOI2) */
    form_shift shift;
    const form_balance *apart; /* of each stage; NULL: all stages are whole */
} form_kind;

/* Index 3: accelerations and multipliers follow from positions alone. */
static inline int form_follows_position(const form_kind *kind) {
    return kind->holds_position && !kind->holds_velocity;
}

/* Positions and velocities are held: neither follows from differences of the other. */
static inline int form_holds_both(const form_kind *kind) {
    return kind->holds_position && kind->holds_velocity;
}

/* The constraints' accelerations are imposed, those of nonholonomic ones included. */
static inline int form_holds_accelerations(const form_kind *kind, int nonholonomic) {
    return kind->holds_acceleration && (nonholonomic == 0 || !kind->holds_velocity);
}

extern const form_kind form_index3, form_index2, form_index1, form_stabilized, form_soi2;
extern const form_kind form_ggl, form_minimal;
/* Index 1 at a fixed state: accelerations and multipliers. */
extern const form_kind form_accelerations;

typedef struct form_stage {
    double t;
    double *q0, *dq, *v0, *a0, *r0, *rd0; /* filled by the method; NULL at a fixed state */
    double *B;                            /* G(q_n) for eta */
    /* fixed inertia term M x + m instead of M(t,q) a, for the weighted balance; NULL: none */
    const double *mass, *inertia;
    const double *w, *s; /* where its state is given */
    /* the stage at the current unknowns; q, v and r of a fixed state are those of its point */
    double *theta, *q, *v, *a, *r, *rd;
} form_stage;

/* Multipliers for which a formulation has rows: lambda, psi, eta, nu. */
enum { FORM_OFF = 4 };

typedef struct form_curve form_curve;
typedef struct form_split form_split;

typedef struct form {
    const form_kind *kind;
    eval *e;
    int stages, n, N; /* unknowns of one stage, of all (halves included) */
    int at_y, at_w, at_s, at_lambda, at_psi, at_eta, at_nu;
    int row0[ROWS], count[ROWS];     /* first row of each kind in a stage, how many */
    double *cq, *cv, *ca, *cr, *crd; /* stages x stages, by rows */
    double *ce;                      /* the same for eta; the identity unless the method sets it */
    double ceta, sq, sv;             /* eta coefficient, row scales of g and of velocities */
    double sq_factored;              /* sq of the matrix that was factored last */
    /* shifts: eta_i = ev sum_j ce_ij u_j (chart: ev u_i), eta' = er u + ea eta + eta0, weight eg of
     * G'^T eta; the unknown is u */
    double ev, er, ea, eg, *eta0;
    /* B of the shift by eta; of each stage: what eta shifts v by, transposed, and its rate */
    pattern shift;
    double *along, *along_rate;
    double *S, *Sdot;                    /* buffers of the chart, nv x nl by columns */
    int *dependent, *candidate, charted; /* columns of the chart; 0: none chosen yet */
    lu fit;                              /* of G_2 */
    pattern normal;                      /* of G G^T, for the fit of eta */
    double *normal_values, *eta;         /* its values; eta and eta' of a stage */
    linear_solver normal_solver;
    double baumgarte_alpha,
        baumgarte_beta; /* g'' + 2 alpha g' + beta^2 g = 0, k' + 2 alpha k = 0 */
    int projected;      /* 1: the method moves v onto the constraints after every step */
    int symmetric;      /* 1: the matrix leaves out what q does to G v */
    int remembered;     /* 1: later steps take differences of what this one leaves */
    /* several stages on a Lie group (curve.c); NULL: q_i as above */
    form_curve *curve;
    double *cl, eu; /* theta_i = dq_i + sum_j cl_ij T(theta_j)^-1 (v_j - eu B_j^T eta_j) */
    int swings;     /* 1: theta_i = dq_i + sum_j cq_ij theta''_j instead (swing.c) */
    /* several stages by eigenvalues of their coefficients (split.c); NULL: by one matrix */
    form_split *split;
    int one_matrix; /* the last matrix was that of all stages together */
    form_stage *stage;
    double *x;    /* unknowns: N */
    int tangents; /* stage whose T are in `tangent`, from 1; 0: none */
    double *G, *K, *M, *tmp, *product, *turned, *tangent, *row, *rounded; /* buffers */
    double *none; /* multipliers that are 0 */
    matrix A;
    linear_solver linear;
    linear_null pinned; /* dependent constraints, as the factored matrix has them */
    int restoring;      /* 1: the matrix of a history is factored again */
    linear_units units;
    /* by how much the last matrix amplifies rounding of the constraints, 1 where it does not: large
     * near configurations in which constraints depend on each other (who they are: projector_factor
     * at such a state, then rank, sigma and names). */
    double amplified;
    double gain;                    /* |M| / |(G, K)| at the last matrix */
    int judged;                     /* 0: there is no error test, and amplified is 1 */
    const struct form_term **terms; /* what the rows of this formulation consist of */
    const pattern **term_pattern;
    int nterms, *block; /* block[(i * stages + j) * nterms + k]; -1: none */
    int *eta_block;     /* block[(i * stages + j) * ROWS + row]; -1: none */
    int **slots;        /* of the products of each term with B (product.c) */
    int *nu_block;      /* block[i * ROWS + row] */
    pattern identity, eta_pattern[ROWS];
    pattern off_pattern[FORM_OFF]; /* diagonals: rows of constraints and their multipliers */
    double *off;                   /* values of one */
    int *off_block;
    newton newton;
} form;

/* Room for everything. */
sodae_status form_open(form *f, arena *a, eval *e, const form_kind *kind, int stages);

/* Names what persists; factors again when it was restored. */
void form_visit(void *self, snapshot_visitor *v);
/* Another run: no matrix, contraction or amplification was seen. */
void form_forget(void *self);

/* Newton from the guess in f->x; on return f->x and the stages hold the solution. */
sodae_status form_solve(form *f, const newton_options *options);

/* x <- the part of x, an error of a, that the constraints and stiff forces leave in q: A (x, mu) =
 * F_a x with the last iteration matrix, F_a x being ca M x in the balance, ca G x and ca K x in
 * constraints at acceleration level, 0 in the others. For error estimates: what the constraints
 * determine is not in error. */
void form_filter(form *f, double *x);
/* y <- the part of y, an error of r', that stiff rates leave in it: A (.., y, ..) = crd y. */
void form_filter_rate(form *f, double *y);
/* x <- the acceleration that a force x makes against them: A (x, mu) = (x, 0). */
void form_yield(form *f, double *x);

/* What rounding of q and v makes of the unknown acceleration of a stage. */
double form_rounding(const form *f, int i, int half);
/* What rounding of q and v makes of the multipliers of a stage (half 1: velocity half of SOI2). */
double form_multiplier_rounding(const form *f, int i, int half);

/* increment.c, for Newton's iteration: relative sizes of increments. */
double form_increment_size(void *self, const double *dx, double *of_state);
double form_weighted_size(void *self, const double *dx, double rtol, double atol);

/* Sets f->gain at the matrix just assembled. */
void form_find_gain(form *f);
/* Rounding may exceed these bounds by so much without a matrix that amplifies it. */
TUNING(form_margin, 10, "roundings of a hundred terms add up like random numbers");
/* Measures f->amplified with the matrix just factored, unless no error test asks for it. */
void form_amplify(form *f);

/* Lie groups with several stages: room; theta'_i of the last placing. */
sodae_status form_open_curve(form *f, arena *a);
const double *form_coordinate_rate(const form *f, int i);

/* The fixed state: the point has to live as long as the form is used there. */
void form_fix(form *f, const sodae_point *at);

/* The map x -> stages; and the point of stage i with the multipliers and w, s found at `u`. */
void form_place(form *f, const double *x);
sodae_point form_point(const form *f, int i, const double *u);
/* The same with the multipliers that are in its balance. */
sodae_point form_balance_point(const form *f, int i, const sodae_point *at);
/* The point of one half of SOI2, or the stage. */
sodae_point form_half_point(form *f, int half, int i, const double *x);

/* modes.c: rows of constraints that are off are multiplier = 0. Diagonal blocks of a matrix whose
 * stages begin at i n, in `block` (FORM_OFF for each stage); their values; the residual of a stage
 * with the unknowns u. */
void form_open_off(form *f, arena *a);
void form_announce_off(const form *f, matrix *A, int stages, int *block);
void form_add_off(const form *f, matrix *A, int stages, const int *block);
void form_residual_off(const form *f, const double *u, double *out);

/* How many stages have all rows. */
static inline int form_wholes(const form *f) {
    return f->kind->apart ? 1 : f->stages;
}
/* The first unknown, and row, of stage i; for i = stages, how many there are. */
static inline int form_first(const form *f, int i) {
    return f->kind->apart && i > 0 ? f->n + (i - 1) * f->e->nv : i * f->n;
}

/* Parts of the unknowns of stage i. */
static inline double *form_unknowns(form *f, int i) {
    return f->x + form_first(f, i);
}

/* x, the unknowns of a stage <- a, r' and w, s, lambda, psi of `at`; NULL and the rest: 0. */
void form_guess(const form *f, const double *a, const double *rdot, const sodae_point *at,
                double *x);
/* w, s, lambda, psi of n <- those among the unknowns x of a stage. */
void form_give(const form *f, const double *x, state *n);

/* Problem function whose rows the row kind has, for counting and naming. */
sodae_function form_function(form_row row);

/* Chart for SHIFT_CHART: nl columns of G M^-1/2 by pivoting; the old ones are kept while they are
 * good. */
sodae_status form_choose_chart(form *f, const sodae_point *at);
/* The dependent parts of x <- 0. */
void form_drop_dependent(const form *f, double *x);
/* The dependent parts of a displacement d: d_2 <- -G_2^-1 G_1 d_1. */
sodae_status form_follow(form *f, const sodae_point *at, double *d);

/* Shifts of v and a (after form_place), and room for them. */
sodae_status form_open_shift(form *f, arena *a);
sodae_status form_extend(form *f, const double *x);
double form_shifted_increment(const form *f, int i, const double *dx);
/* eta of stage i, number m, from the unknowns of all stages; the weight of those of stage j. */
double form_eta(const form *f, int i, int m, const double *x);
double form_shift_weight(const form *f, int i, int j);
/* v += c times what eta adds to the velocity of stage i. */
void form_unshift(const form *f, int i, double c, double *v);
/* eta with G^T eta = dv in the sense of least squares. */
sodae_status form_fit_shift(form *f, const sodae_point *at, const double *dv, double *eta);

/* The two halves of the work, for form.c: residual.c and assemble.c. */
sodae_status form_residual(void *self, const double *x, double *res);
sodae_status form_announce(form *f, arena *a);
/* Multipliers of dependent constraints, for a matrix of so many stages. */
sodae_status form_announce_pins(form *f, arena *a, linear_solver *s, int stages);
/* Those of now, before a new matrix is factored. */
void form_take_pins(form *f);
/* Takes from a guess what dependent constraints leave open: no increment would change it, and what
 * is extrapolated from step to step would grow. */
void form_remove_pinned(form *f);
sodae_status form_matrix(void *self, const double *x);
/* The same where x was placed last. */
sodae_status form_matrix_here(void *self, const double *x);
/* Its two halves, where it is one matrix: f->A at x; factors of it. */
sodae_status form_assemble(form *f, const double *x);
sodae_status form_factor(form *f);
/* The units of a matrix of so many stages, where they are used. */
void form_use_units(const form *f, linear_units *u, int stages);

/* curve.c: theta and q from the velocities of the stages; their variations and what they make of
 * columns. */
void form_bend(form *f, const double *x);
void form_vary(form *f);
/* swing.c: theta, q and v from the accelerations of the stages; the variations D of q. */
void form_swing(form *f);
void form_vary_swing(form *f);
void form_vary_columns(const form *f, const pattern *p, const double *F, int i, int k, double *out);
/* out <- B with the shift of q_i by u_j, B_j on the pattern of G. */
void form_vary_shift(const form *f, int i, int j, const double *B, double *out);
/* Y = c (1 + z ad_u)^-1 with u of stage i, z and c as (re, im); then F Y and B Y^T by parts. */
void form_turn(form *f, int i, const double *z, const double *c);
void form_turn_columns(const form *f, const pattern *p, const double *F, int imaginary,
                       double *out);
void form_turn_shift(const form *f, const double *B, int imaginary, double *out);

/* split.c: room; the coefficient matrix F of the stages, cv = h F, cq = h^2 F^2, cr = h F, ca = crd
 * = I; may it be used now?; its matrices at the unknowns x; res <- their solution. */
sodae_status form_open_split(form *f, arena *a);
void form_split_set(form *f, const double *F);
int form_split_fits(form *f);
sodae_status form_split_matrix(form *f, const double *x);
void form_split_correct(form *f, double *res);
/* Names what persists of it; its factors from the values. */
void form_split_visit(form *f, snapshot_visitor *v);
sodae_status form_split_factor(form *f);
/* The full matrix for a while; 0: it was the full matrix already. */
int form_split_pause(form *f);
/* For how many matrices still; NULL: there is no choice. */
int *form_split_rest(form *f);
