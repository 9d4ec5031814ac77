/* Options: a value with defaults, copied by sodae_create. One table describes them all. */
#pragma once

#include <sodae/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sodae_method {
    SODAE_METHOD_AUTO,       /* by step, formulation and coefficients: sodae_method_of */
    SODAE_GENERALIZED_ALPHA, /* Chung-Hulbert coefficients from rho_inf */
    SODAE_NEWMARK,           /* beta, gamma; trapezoidal by default, Stoermer with beta = 0 */
    SODAE_HHT,               /* alpha in [-1/3, 0] */
    SODAE_ALPHA,             /* alpha_m, alpha_f, beta, gamma as given */
    SODAE_EXTENDED_HHT,      /* Jay and Negrut's extension for holonomic constraints */
    SODAE_GAUSS,             /* collocation at the Gauss nodes, `stages` */
    SODAE_RADAU_IIA,         /* collocation at the Radau nodes, `stages` */
    SODAE_MSR,               /* multistep Radau collocation, `steps` and `stages` */
    SODAE_DC,                /* direct multistep collocation of q, `steps` and `stages` */
    SODAE_BDF,               /* BDF on the first order form, orders 1 to 6 */
    SODAE_MODIFIED_BDF,      /* Sand's modified BDF on the second order form, orders 1 to 6 */
    SODAE_DIRECT_BDF,        /* q' and q'' of one interpolant of q, orders 1 to 5 */
    SODAE_DOPRI5,            /* explicit Runge-Kutta of order 5 with projection */
    SODAE_DOP853,            /* explicit Runge-Kutta of order 8 with projection */
    SODAE_GLM,               /* the general linear method of `table` */
    SODAE_METHODS
} sodae_method;

typedef enum sodae_formulation {
    SODAE_FORMULATION_AUTO,  /* the method's own choice */
    SODAE_INDEX3,            /* holonomic at position level, nonholonomic at velocity level */
    SODAE_STABILIZED,        /* position and velocity level with a second multiplier (GGL) */
    SODAE_SOI2,              /* overdetermined: position half and velocity half */
    SODAE_INDEX2,            /* holonomic at velocity level */
    SODAE_ODAE,              /* position and velocity level inside extended HHT */
    SODAE_INDEX1,            /* holonomic and nonholonomic at acceleration level */
    SODAE_GGL,               /* position and velocity level, first order form (7.10) */
    SODAE_GGL2,              /* position and velocity level, second order form (7.19) */
    SODAE_MINIMAL_EXTENSION, /* all levels, dependent velocities and accelerations as unknowns */
    SODAE_FORMULATIONS
} sodae_formulation;

typedef enum sodae_variant {
    SODAE_VARIANT_STANDARD,
    SODAE_VARIANT_EXPLICIT,
    SODAE_VARIANT_MIDPOINT,
    SODAE_VARIANT_MIDPOINT_EXPLICIT,
    SODAE_VARIANT_LUNK_SIMEON
} sodae_variant;

typedef enum sodae_start_kind {
    SODAE_START_AUTO,
    SODAE_START_PLAIN,    /* a_0 = v'(t_0) */
    SODAE_START_A_ALPHA,  /* 002 eq 10 */
    SODAE_START_SHIFTED,  /* 003 eq 57 */
    SODAE_START_PERTURBED /* 003 eqs 56 and 57 */
} sodae_start_kind;

typedef enum sodae_difference {
    SODAE_DIFFERENCE_CENTRAL,
    SODAE_DIFFERENCE_ONE_SIDED
} sodae_difference;

typedef enum sodae_mass_alpha {
    SODAE_MASS_AUTO,
    SODAE_MASS_END,     /* balance at t_{n+1}: 003 eqs 9d-9e */
    SODAE_MASS_FRESH,   /* weighted balance, M_alpha evaluated again: 001, 002 */
    SODAE_MASS_PREVIOUS /* weighted balance, M_alpha a_alpha carried over */
} sodae_mass_alpha;

typedef enum sodae_jacobian {
    SODAE_JACOBIAN_AUTO,     /* when convergence is slow */
    SODAE_JACOBIAN_NEVER,    /* only when the step changes or the iteration grows */
    SODAE_JACOBIAN_STEP,     /* in every step */
    SODAE_JACOBIAN_ITERATION /* in every iteration: full Newton */
} sodae_jacobian;

/* Who factors matrices; up to order 64 auto is dense. */
typedef enum sodae_linear_solver {
    SODAE_LINEAR_AUTO,    /* by order, symmetry and fill */
    SODAE_LINEAR_DENSE,   /* own LU */
    SODAE_LINEAR_LDL,     /* sparse LDL^T of symmetric matrices */
    SODAE_LINEAR_KLU,     /* sparse LU */
    SODAE_LINEAR_UMFPACK, /* the same where factors fill; GPL, loaded at run time */
    SODAE_LINEAR_MUMPS    /* symmetric matrices whose factors fill; loaded at run time */
} sodae_linear_solver;

/* How a step change corrects the carried a and v: see docs. */
typedef enum sodae_step_rule {
    SODAE_STEP_RULE_AUTO,
    SODAE_STEP_RULE_DIFFERENCES, /* a += alpha (h - h') v'', v re-perturbed after projection */
    SODAE_STEP_RULE_PROJECT,     /* a by 002 eq 15, v re-perturbed after projection */
    SODAE_STEP_RULE_INCREMENT,   /* a by 002 eq 15, v moved by the difference of perturbations */
    SODAE_STEP_RULE_A_ONLY       /* a by 002 eq 15 */
} sodae_step_rule;

typedef enum sodae_orders {
    SODAE_ORDERS_AUTO, /* full order from the first step, by the underlying equation of motion */
    SODAE_ORDERS_RAMP, /* 1, 2, ..., order */
    SODAE_ORDERS_LIST  /* those of order_list, and formulas as prescribed, near poles too */
} sodae_orders;

enum { SODAE_ORDER_LIST = 256 }; /* room for orders by step */

/* The rate of the second multiplier in the second order GGL form. */
typedef enum sodae_eta_rate { SODAE_ETA_AUTO, SODAE_ETA_DROP, SODAE_ETA_KEEP } sodae_eta_rate;

/* How modified BDF chooses steps and orders under error control. */
typedef enum sodae_strategy {
    SODAE_STRATEGY_AUTO,
    SODAE_STRATEGY_CHAPTER4 /* 004, 4.3 to 4.5, as printed: orders 1 and 2 */
} sodae_strategy;

/* Onto which constraints each step is projected. */
typedef enum sodae_projection {
    SODAE_PROJECTION_OFF,
    SODAE_PROJECTION_POSITION,
    SODAE_PROJECTION_VELOCITY,
    SODAE_PROJECTION_BOTH
} sodae_projection;

typedef struct sodae_glm_table sodae_glm_table; /* sodae/table.h */

/* NaN in a real option means: not given, the method's own default. */
typedef struct sodae_options {
    size_t size; /* sizeof(sodae_options), set by sodae_default_options */
    sodae_method method;
    sodae_formulation formulation;
    double step;                          /* fixed step h [s]; NaN: chosen by the error */
    double rho_inf, alpha;                /* coefficients of the alpha family */
    double alpha_m, alpha_f, beta, gamma; /* raw coefficients */
    double b;                             /* weight of extended HHT */
    sodae_variant variant;
    sodae_start_kind start;
    sodae_difference difference;
    double difference_step; /* over this part of h */
    sodae_mass_alpha mass_alpha;
    int step_correction; /* 1: correct a (and v) when the step changes */
    sodae_step_rule step_rule;
    double newton_rtol; /* relative size of the last increment of q and v */
    double newton_atol; /* > 0: weights newton_atol + newton_rtol |x| of increments, 003 sect. 5 */
    int newton_max;     /* iterations before a step is refused */
    sodae_jacobian jacobian;
    sodae_linear_solver linear_solver;
    double projection_tol; /* times gradients and size of q: smaller residuals are left alone */
    long max_steps;
    int timing;        /* 1: seconds by phase in the statistics */
    int stages, steps; /* of collocation and general linear methods; 0: the method's own */
    int force;         /* 1: run what is known not to converge */
    /* 1: sodae_create compares each derivative that is given with differences in one direction */
    int check_derivatives;
    int order, max_order; /* of the BDF family: fixed steps, error control; 0: the method's own */
    sodae_orders orders;  /* how fixed steps begin */
    /* with SODAE_ORDERS_LIST the orders of the first, second, ... step, up to a 0 or the end; later
     * steps have the last one. Step n is of order n at most. */
    signed char order_list[SODAE_ORDER_LIST];
    int multiplier_correction;   /* 1: bdf, index3, fixed steps: multipliers of the new q and v */
    int multiplier_rate;         /* 1: radau-iia: lambda' by (6.25a) of 004 in the view */
    sodae_strategy strategy;     /* of modified BDF, Radau IIA under error control */
    sodae_eta_rate eta_rate;     /* ggl2: eta' */
    sodae_projection projection; /* after every step: BDF family, collocation */
    double baumgarte_alpha, baumgarte_beta; /* index1: g'' + 2 alpha g' + beta^2 g = 0 [1/s] */
    /* Error control, when step is NaN. */
    double rtol, atol;          /* relative; absolute, NaN: rtol times min(1, size) at the start */
    double atol_v, atol_lambda; /* NaN: as atol, of lambda rtol where that is NaN too */
    double rtol_v, rtol_lambda; /* NaN: as rtol */
    /* by component, finite and not negative (sodae_create looks); NULL: none */
    const double *atol_q_each, *atol_v_each, *atol_lambda_each;
    int error_lambda;                      /* 1: multipliers take part in the error test */
    double first_step, min_step, max_step; /* [s]; NaN: found, 0, no limit */
    /* of SODAE_GLM, which `auto` is where there is one; copied by sodae_create; NULL: none */
    const sodae_glm_table *table;
} sodae_options;

typedef enum sodae_option_type {
    SODAE_OPTION_REAL,
    SODAE_OPTION_INT,
    SODAE_OPTION_LONG,
    SODAE_OPTION_CHOICE, /* one of `choices`, stored as its position */
    SODAE_OPTION_SWITCH  /* on, off */
} sodae_option_type;

/* The steps that an option is for. */
typedef enum sodae_option_steps {
    SODAE_ANY_STEPS,
    SODAE_FIXED_STEPS,     /* `step` is given */
    SODAE_CONTROLLED_STEPS /* it is not: the error decides */
} sodae_option_steps;

typedef struct sodae_option_info {
    const char *name;
    sodae_option_type type;
    size_t offset;              /* in sodae_options */
    double low, high;           /* allowed range, both ends included */
    const char *const *choices; /* NULL-terminated names, for CHOICE */
    const char *unit;           /* "" if none */
    const char *help;
    unsigned methods;      /* bit m: it means something to method m; 0: to all */
    unsigned formulations; /* bit f: it means something with formulation f; 0: with all */
    sodae_option_steps steps;
    int list; /* 1: CHOICE or a list of whole numbers from low to high, as 1,2,2,3 (order_list) */
} sodae_option_info;

SODAE_API sodae_options sodae_default_options(void);

/* The table, in a fixed order: info of option i, NULL past the end. */
SODAE_API const sodae_option_info *sodae_option_table(int i);

/* Does the option mean anything to the method, with this formulation, and with fixed steps (or
 * under error control)? If not, `why` (may be NULL) gets the reason: "means nothing to ...". AUTO
 * knows everything. */
SODAE_API int sodae_option_counts(const sodae_option_info *option, int method, int formulation,
                                  int fixed, char *why, size_t size);
/* Is its value another than the default? */
SODAE_API int sodae_option_given(const sodae_options *options, const sodae_option_info *option);

/* The formulation and all options that belong to some methods only become the default: those of a
 * model file are not meant for another method. */
SODAE_API void sodae_options_forget_method(sodae_options *options);

/* Set or print one option by name. `why` may be NULL; it names the option and what is allowed. */
SODAE_API sodae_status sodae_options_set(sodae_options *options, const char *name,
                                         const char *value, sodae_failure *why);
SODAE_API sodae_status sodae_options_get(const sodae_options *options, const char *name, char *text,
                                         size_t size);
/* All values in range? */
SODAE_API sodae_status sodae_options_check(const sodae_options *options, sodae_failure *why);

/* Names as the command line knows them ("generalized-alpha", "index3") and one line of help;
 * NULL past the end. */
SODAE_API const char *sodae_method_name(int method);
SODAE_API const char *sodae_method_help(int method);
SODAE_API const char *sodae_formulation_name(int formulation);
SODAE_API const char *sodae_formulation_help(int formulation);

#ifdef __cplusplus
}
#endif
