/* The one table of options: it feeds C strings, command line, model files and documentation. */
#include <sodae/options.h>

#include "base/failure.h"
#include "base/number.h"
#include "base/plan.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const method_names[] = {"auto",       "generalized-alpha",
                                           "newmark",    "hht",
                                           "alpha",      "extended-hht",
                                           "gauss",      "radau-iia",
                                           "msr",        "dc",
                                           "bdf",        "modified-bdf",
                                           "direct-bdf", "dopri5",
                                           "dop853",     "glm",
                                           NULL};
static const char *const method_helps[] = {
    "generalized-alpha with fixed steps; under error control dop853 or dopri5, then radau-iia",
    "Chung-Hulbert generalized-alpha, damping set by rho_inf",
    "Newmark: trapezoidal rule by default, beta = 0 gives Stoermer",
    "Hilber-Hughes-Taylor, damping set by alpha in [-1/3, 0]",
    "alpha family with raw coefficients alpha_m, alpha_f, beta, gamma",
    "HHT extended to holonomic constraints (Jay and Negrut), with b and variant",
    "Gauss collocation: without constraints, index2, index1 or minimal-extension",
    "Radau IIA collocation, lambda from the last stage",
    "multistep Radau collocation: (steps, stages) = (2,2), (3,2), (4,2), (2,3)",
    "direct multistep collocation of q: (steps, stages) = (3,2), (4,2), (3,3)",
    "BDF on the first order form, orders 1 to 6",
    "Sand's modified BDF on the second order form: full order in lambda after step changes",
    "BDF for q'' from the interpolant of q: full order after step changes, orders 1 to 5",
    "explicit Runge-Kutta of order 5 (Dormand and Prince) with projection onto the constraints",
    "explicit Runge-Kutta of order 8 (Hairer, Norsett and Wanner) with projection",
    "the general linear method of a table of your own: --table, or table in solver",
    NULL};
static const char *const formulation_names[] = {
    "auto", "index3", "stabilized",        "soi2", "index2", "odae", "index1",
    "ggl",  "ggl2",   "minimal-extension", NULL};
static const char *const formulation_helps[] = {
    "the method's own choice",
    "holonomic constraints at position level, nonholonomic at velocity level",
    "position and velocity level with a second multiplier eta (GGL)",
    "overdetermined: position half and velocity half with one matrix",
    "holonomic constraints at velocity level",
    "position and velocity level, the form of extended-hht",
    "all constraints at acceleration level",
    "position and velocity level, first order form, for bdf, radau-iia and msr",
    "position and velocity level, second order form, for the BDF family, radau-iia, msr and dc",
    "all levels, dependent velocities and accelerations as unknowns",
    NULL};
static const char *const variants[] = {"standard",          "explicit",    "midpoint",
                                       "midpoint-explicit", "lunk-simeon", NULL};
static const char *const starts[] = {"auto", "plain", "a-alpha", "shifted", "perturbed", NULL};
static const char *const differences[] = {"central", "one-sided", NULL};
static const char *const masses[] = {"auto", "end", "fresh", "previous", NULL};

static const char *const order_choices[] = {"auto", "ramp", NULL};
static const char *const strategies[] = {"auto", "chapter4", NULL};
static const char *const eta_rates[] = {"auto", "drop", "keep", NULL};
static const char *const projections[] = {"off", "position", "velocity", "both", NULL};
static const char *const rules[] = {"auto", "differences", "project", "increment", "a-only", NULL};

static const char *const jacobians[] = {"auto", "never", "step", "iteration", NULL};
static const char *const linear_solvers[] = {"auto",    "dense", "ldl", "klu",
                                             "umfpack", "mumps", NULL};

#define AT(field) offsetof(sodae_options, field)
/* The last column: the methods, and what else an option needs. */
#define ROW(field, kind, least, most, list, of, text, ...)                                         \
    {                                                                                              \
        .name = #field, .type = SODAE_OPTION_##kind, .offset = AT(field), .low = least,            \
        .high = most, .choices = list, .unit = of, .help = text, .methods = __VA_ARGS__            \
    }
#define REAL(field, low, high, unit, help, ...)                                                    \
    ROW(field, REAL, low, high, NULL, unit, help, __VA_ARGS__)
#define CHOICE(field, choices, help, ...) ROW(field, CHOICE, 0, 0, choices, "", help, __VA_ARGS__)
#define OTHER(field, type, low, high, help, ...)                                                   \
    ROW(field, type, low, high, NULL, "", help, __VA_ARGS__)
#define FIXED_STEPS .steps = SODAE_FIXED_STEPS
#define CONTROLLED  .steps = SODAE_CONTROLLED_STEPS
#define ONLY(f)     .formulations = 1u << SODAE_##f

/* The methods that an option belongs to. */
#define BIT(m) (1u << SODAE_##m)
enum {
    ALL = 0,
    CHUNG_HULBERT = BIT(GENERALIZED_ALPHA),
    EXTENDED = BIT(EXTENDED_HHT),
    DAMPED = BIT(HHT) | EXTENDED,
    RAW = BIT(ALPHA),
    WEIGHTED = RAW | BIT(NEWMARK),
    ALPHA_FAMILY = CHUNG_HULBERT | BIT(HHT) | WEIGHTED,
    CORRECTED = ALPHA_FAMILY | EXTENDED,
    MULTISTEP = BIT(MSR) | BIT(DC),
    COLLOCATION = MULTISTEP | BIT(GAUSS) | BIT(RADAU_IIA),
    BDF_FAMILY = BIT(BDF) | BIT(MODIFIED_BDF) | BIT(DIRECT_BDF),
    PROJECTED = COLLOCATION | BDF_FAMILY,
    EXPLICIT = BIT(DOPRI5) | BIT(DOP853),
    ITERATED = (BIT(METHODS) - 1) & ~(EXPLICIT | BIT(METHOD_AUTO))
};

static const sodae_option_info table[] = {
    CHOICE(method, method_names, "the integration method", ALL),
    CHOICE(formulation, formulation_names, "which constraints are imposed, at which level", ALL),
    REAL(step, 1e-90, 1e90, "s", "fixed step size; without it the error decides", ALL),
    REAL(rho_inf, 0, 1, "", "generalized-alpha: spectral radius at infinity; 0 damps most",
         CHUNG_HULBERT),
    REAL(alpha, -1.0 / 3, 0, "", "hht, extended-hht: damping; 0 is the trapezoidal rule", DAMPED),
    REAL(alpha_m, -1e3, 0.999, "", "alpha: weight of the old inertia term", RAW),
    REAL(alpha_f, -1e3, 0.999, "", "alpha: weight of the old force", RAW),
    REAL(beta, 0, 1e3, "", "alpha, newmark: position weight of the new acceleration", WEIGHTED),
    REAL(gamma, 0, 1e3, "", "alpha, newmark: velocity weight of the new acceleration", WEIGHTED),
    REAL(b, -1e3, 1e3, "", "extended-hht: weight of the new reaction; 1/2 only for lunk-simeon",
         EXTENDED),
    CHOICE(variant, variants, "extended-hht: where the new reaction is evaluated", EXTENDED),
    CHOICE(start, starts, "starting values of the alpha family", ALPHA_FAMILY),
    CHOICE(difference, differences, "differences for v'' in the starting values", ALPHA_FAMILY),
    REAL(difference_step, 1e-6, 1, "",
         "s of 003 section 4.2: they reach over s h; not given: 1, one-sided 0.01", ALPHA_FAMILY),
    CHOICE(mass_alpha, masses, "inertia term: at the end of the step, or weighted", ALPHA_FAMILY),
    OTHER(step_correction, SWITCH, 0, 1, "correct the carried values when the step changes",
          CORRECTED),
    CHOICE(step_rule, rules, "how they are corrected; auto: differences for index3", ALPHA_FAMILY),
    REAL(newton_rtol, 0, 1, "",
         "relative size of the last increment; not given: 1e-10 with fixed alpha steps, rounding "
         "with "
         "other fixed ones, else a part of rtol",
         ITERATED),
    REAL(newton_atol, 0, 1e90, "",
         "with it Newton ends at increments below newton_atol + newton_rtol |x| (003 section 5), "
         "without a look at the contraction",
         ALPHA_FAMILY, FIXED_STEPS),
    OTHER(newton_max, INT, 2, 1000, "Newton iterations before the step is refused", ITERATED),
    CHOICE(jacobian, jacobians,
           "when the iteration matrix is rebuilt; auto: when convergence is slow", ITERATED),
    CHOICE(linear_solver, linear_solvers,
           "who factors matrices; auto: dense up to order 64, then by symmetry and fill", ALL),
    REAL(projection_tol, 0, 1, "",
         "initial values are not moved for smaller residuals (times gradients and size of q)", ALL),
    OTHER(timing, SWITCH, 0, 1, "seconds by phase in the statistics", ALL),
    OTHER(max_steps, LONG, 1, 1e15, "steps of one run at most", ALL),
    OTHER(stages, INT, 0, 4, "gauss, radau-iia, msr, dc: stages; 0: the method's own", COLLOCATION),
    OTHER(steps, INT, 0, 4, "msr, dc: points of the past; 0: the method's own", MULTISTEP),
    OTHER(order, INT, 0, 6, "BDF family with fixed steps: order; 0: 2", BDF_FAMILY, FIXED_STEPS),
    OTHER(max_order, INT, 0, 6,
          "BDF family under error control: highest order; 0: the method's own", BDF_FAMILY,
          CONTROLLED),
    CHOICE(
        strategy, strategies,
        "modified-bdf and radau-iia under error control: auto, or by chapter 4 of the thesis, as "
        "printed (orders 1 and 2; two stages), with lambda in the error test",
        BIT(MODIFIED_BDF) | BIT(RADAU_IIA), CONTROLLED),
    ROW(orders, CHOICE, 1, 6, order_choices, "",
        "BDF family with fixed steps: full order at once; 1, 2, ..., order; or by step, as "
        "1,2,2,3 (the last one stays)",
        BDF_FAMILY, FIXED_STEPS, .list = 1),
    OTHER(multiplier_correction, SWITCH, 0, 1,
          "bdf, index3: multipliers of the new q and v, without the errors of changing steps",
          BIT(BDF), FIXED_STEPS, ONLY(INDEX3)),
    OTHER(multiplier_rate, SWITCH, 0, 1,
          "radau-iia: lambda' by (6.25a) of 004, one order less than lambda, in the report",
          BIT(RADAU_IIA)),
    CHOICE(eta_rate, eta_rates, "ggl2: the rate of eta in the balance of forces", PROJECTED,
           ONLY(GGL2)),
    CHOICE(projection, projections,
           "BDF family, collocation: onto the constraints after every step", PROJECTED),
    REAL(baumgarte_alpha, 0, 1e300, "1/s",
         "index1 of BDF family and collocation: weight of the velocity level", PROJECTED,
         ONLY(INDEX1)),
    REAL(baumgarte_beta, 0, 1e300, "1/s",
         "index1 of BDF family and collocation: weight of the position level", PROJECTED,
         ONLY(INDEX1)),
    OTHER(force, SWITCH, 0, 1, "run what is known not to converge", ALL),
    OTHER(check_derivatives, SWITCH, 0, 1, "compare given derivatives with differences at create",
          ALL),
    REAL(rtol, 0, 1, "", "relative tolerance of q (and v, lambda)", ALL, CONTROLLED),
    REAL(rtol_v, 0, 1e6, "", "relative tolerance of v; not given: rtol", ALL, CONTROLLED),
    REAL(rtol_lambda, 0, 1e6, "", "relative tolerance of lambda and psi; not given: rtol", ALL,
         CONTROLLED),
    REAL(atol, 0, 1e300, "",
         "absolute tolerance; not given: rtol times the size of q at the start, at most 1", ALL,
         CONTROLLED),
    REAL(atol_v, 0, 1e300, "",
         "absolute tolerance of v; not given: atol, or as that by the size of v", ALL, CONTROLLED),
    REAL(atol_lambda, 0, 1e300, "",
         "absolute tolerance of lambda and psi; not given: atol, or rtol", ALL, CONTROLLED),
    OTHER(error_lambda, SWITCH, 0, 1, "multipliers take part in the error test", ALL, CONTROLLED),
    REAL(first_step, 1e-90, 1e90, "s", "first step under error control; not given: found", ALL,
         CONTROLLED),
    REAL(min_step, 0, 1e300, "s", "smallest step under error control", ALL, CONTROLLED),
    REAL(max_step, 1e-90, 1e90, "s", "largest step under error control", ALL, CONTROLLED),
};

enum { OPTIONS = sizeof table / sizeof *table };

sodae_options sodae_default_options(void) {
    return (sodae_options){
        .size = sizeof(sodae_options),
        .method = SODAE_METHOD_AUTO,
        .step = NAN,
        .rho_inf = NAN,
        .alpha = NAN,
        .alpha_m = NAN,
        .alpha_f = NAN,
        .beta = NAN,
        .gamma = NAN,
        .b = NAN,
        .baumgarte_alpha = NAN,
        .baumgarte_beta = NAN,
        .step_correction = 1,
        .check_derivatives = 1,
        .newton_rtol = NAN,
        .difference_step = NAN,
        .newton_max = 30,
        .projection_tol = 1e-13,
        .max_steps = 1000000000,
        .rtol = 1e-6,
        .atol = NAN,
        .atol_v = NAN,
        .atol_lambda = NAN,
        .rtol_v = NAN,
        .rtol_lambda = NAN,
        .first_step = NAN,
        .min_step = NAN,
        .max_step = NAN,
    };
}

const sodae_option_info *sodae_option_table(int i) {
    return i >= 0 && i < OPTIONS ? &table[i] : NULL;
}

/* The names of the bits of a set. */
static void list_names(unsigned set, const char *const *names, char *text, size_t size) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; names[i] && used < size; i++)
        if (set >> i & 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", names[i]);
}

int sodae_option_counts(const sodae_option_info *o, int method, int formulation, int fixed,
                        char *why, size_t size) {
    char owners[160];
    size_t room = why ? size : 0;
    if (o->methods && method != SODAE_METHOD_AUTO && !(o->methods >> method & 1)) {
        list_names(o->methods, method_names, owners, sizeof owners);
        if (o->methods == ITERATED) snprintf(owners, sizeof owners, "methods that iterate");
        snprintf(why, room, "means nothing to method %s; it belongs to %s", method_names[method],
                 owners);
        return 0;
    }
    if (o->formulations && formulation != SODAE_FORMULATION_AUTO &&
        !(o->formulations >> formulation & 1)) {
        list_names(o->formulations, formulation_names, owners, sizeof owners);
        snprintf(why, room, "means nothing to formulation %s; it belongs to %s",
                 formulation_names[formulation], owners);
        return 0;
    }
    if (o->steps == SODAE_ANY_STEPS || (o->steps == SODAE_FIXED_STEPS) == !!fixed) return 1;
    snprintf(why, room,
             fixed ? "means nothing with fixed steps; it belongs to error control"
                   : "means nothing under error control; it belongs to fixed steps (option step)");
    return 0;
}

int sodae_option_given(const sodae_options *options, const sodae_option_info *o) {
    const sodae_options fresh = sodae_default_options();
    char value[64], usual[64];
    return !sodae_options_get(options, o->name, value, sizeof value) &&
           !sodae_options_get(&fresh, o->name, usual, sizeof usual) && strcmp(value, usual) != 0;
}

static size_t size_of(const sodae_option_info *o) {
    return o->type == SODAE_OPTION_REAL ? sizeof(double) : sizeof(int);
}

int plan_fits(const sodae_options *given, int method) {
    const sodae_options fresh = sodae_default_options();
    for (int i = 0; i < OPTIONS; i++) {
        const sodae_option_info *o = &table[i];
        const char *x = (const char *)given + o->offset, *usual = (const char *)&fresh + o->offset;
        if (!o->methods || o->methods >> method & 1 || !memcmp(x, usual, size_of(o))) continue;
        if (o->type != SODAE_OPTION_REAL || !isnan(*(const double *)x)) return 0;
    }
    return 1;
}

void sodae_options_forget_method(sodae_options *options) {
    const sodae_options fresh = sodae_default_options();
    options->formulation = fresh.formulation;
    options->table = NULL;
    for (int i = 0; i < OPTIONS; i++) {
        const sodae_option_info *o = &table[i];
        if (!o->methods) continue;
        memcpy((char *)options + o->offset, (const char *)&fresh + o->offset, size_of(o));
    }
}

static const sodae_option_info *find(const char *name) {
    for (int i = 0; i < OPTIONS; i++)
        if (!strcmp(table[i].name, name)) return &table[i];
    return NULL;
}

static sodae_status refuse(const sodae_option_info *o, const char *value, sodae_failure *why) {
    char allowed[192] = "on, off";
    if (o->type == SODAE_OPTION_CHOICE) {
        allowed[0] = 0;
        for (int i = 0; o->choices[i]; i++) {
            size_t used = strlen(allowed);
            snprintf(allowed + used, sizeof allowed - used, "%s%s", i ? ", " : "", o->choices[i]);
        }
        size_t used = strlen(allowed);
        if (o->list)
            snprintf(allowed + used, sizeof allowed - used,
                     ", or a list as 1,2,2,3 of at most %d numbers from %g to %g, the n-th at most "
                     "n",
                     SODAE_ORDER_LIST, o->low, o->high);
    } else if (o->type != SODAE_OPTION_SWITCH) {
        char low[32], high[32];
        number_write(o->low, 6, low, sizeof low);
        number_write(o->high, 6, high, sizeof high);
        snprintf(allowed, sizeof allowed, "%s in [%s, %s]",
                 o->type == SODAE_OPTION_REAL ? "a number" : "a whole number", low, high);
    }
    return failure_set(why, SODAE_BAD_OPTION, o->name, "option %s: '%.40s' is not allowed (%s)",
                       o->name, value, allowed);
}

static int set_choice(const sodae_option_info *o, const char *value, int *out) {
    static const char *const switches[] = {"off",  "on", "no", "yes", "false",
                                           "true", "0",  "1",  NULL};
    int is_switch = o->type == SODAE_OPTION_SWITCH;
    const char *const *choices = is_switch ? switches : o->choices;
    for (int i = 0; choices[i]; i++)
        if (!strcmp(choices[i], value)) {
            *out = is_switch ? i % 2 : i;
            return 1;
        }
    return 0;
}

static int set_number(const sodae_option_info *o, const char *value, void *out) {
    double x;
    if (!number_read(value, &x) || !(x >= o->low && x <= o->high)) return 0;
    if (o->type == SODAE_OPTION_REAL) {
        *(double *)out = x;
        return 1;
    }
    if (x != floor(x)) return 0;
    if (o->type == SODAE_OPTION_INT)
        *(int *)out = (int)x;
    else
        *(long *)out = (long)x;
    return 1;
}

/* "1,2,2,3" into `list`, which is filled up by 0; 0: it is no such list. */
static int read_list(const sodae_option_info *o, const char *value, signed char *list) {
    int n = 0;
    for (const char *c = value;; c++) {
        char *end;
        if (n == SODAE_ORDER_LIST || *c < '0' || *c > '9') return 0;
        long x = strtol(c, &end, 10);
        if (x < o->low || x > o->high || x > n + 1) return 0;
        list[n++] = (signed char)x;
        c = end;
        if (!*c) break;
        if (*c != ',') return 0;
    }
    while (n < SODAE_ORDER_LIST) list[n++] = 0;
    return 1;
}

static int set_list(const sodae_option_info *o, const char *value, sodae_options *options) {
    signed char list[SODAE_ORDER_LIST];
    if (!o->list || !read_list(o, value, list)) return 0;
    memcpy(options->order_list, list, sizeof list);
    options->orders = SODAE_ORDERS_LIST;
    return 1;
}

static void write_list(const signed char *list, char *text, size_t size) {
    size_t used = 0;
    for (int i = 0; i < SODAE_ORDER_LIST && list[i] && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%d", i ? "," : "", list[i]);
}

/* The list that is in use is one that could have been read. */
static int list_is_right(const sodae_option_info *o, const signed char *list) {
    for (int i = 0; i < SODAE_ORDER_LIST && (i == 0 || list[i]); i++)
        if (list[i] < o->low || list[i] > o->high || list[i] > i + 1) return 0;
    return 1;
}

sodae_status sodae_options_set(sodae_options *options, const char *name, const char *value,
                               sodae_failure *why) {
    if (!options || !name || !value)
        return failure_set(why, SODAE_BAD_ARGUMENT, "sodae_options_set", "an argument is NULL");
    const sodae_option_info *o = find(name);
    if (!o) return failure_set(why, SODAE_BAD_OPTION, name, "there is no option '%.60s'", name);
    void *out = (char *)options + o->offset;
    int choice = o->type == SODAE_OPTION_CHOICE || o->type == SODAE_OPTION_SWITCH;
    int done = choice ? set_choice(o, value, out) || set_list(o, value, options)
                      : set_number(o, value, out);
    return done ? SODAE_OK : refuse(o, value, why);
}

/* As few digits as give the same number: 1e-06, not 9.9999999999999995e-07. */
static void write_shortest(double x, char *text, size_t size) {
    double back;
    for (int digits = 6; digits <= 17; digits++) {
        number_write(x, digits, text, size);
        if (isnan(x) || (number_read(text, &back) && back == x)) return;
    }
}

sodae_status sodae_options_get(const sodae_options *options, const char *name, char *text,
                               size_t size) {
    const sodae_option_info *o = options && name && text ? find(name) : NULL;
    if (!o) return SODAE_BAD_OPTION;
    const void *in = (const char *)options + o->offset;
    switch (o->type) {
    case SODAE_OPTION_REAL:
        write_shortest(*(const double *)in, text, size);
        break;
    case SODAE_OPTION_INT:
        snprintf(text, size, "%d", *(const int *)in);
        break;
    case SODAE_OPTION_LONG:
        snprintf(text, size, "%ld", *(const long *)in);
        break;
    case SODAE_OPTION_CHOICE:
        if (o->list && *(const int *)in == SODAE_ORDERS_LIST)
            write_list(options->order_list, text, size);
        else
            snprintf(text, size, "%s", o->choices[*(const int *)in]);
        break;
    case SODAE_OPTION_SWITCH:
        snprintf(text, size, "%s", *(const int *)in ? "on" : "off");
        break;
    }
    return SODAE_OK;
}

static int choice_count(const sodae_option_info *o) {
    int n = 0;
    while (o->choices[n]) n++;
    return n;
}

static int in_range(const sodae_option_info *o, const void *in, char *text, size_t size) {
    double x = 0, low = o->low, high = o->high;
    switch (o->type) {
    case SODAE_OPTION_REAL:
        x = *(const double *)in;
        if (isnan(x)) return 1; /* not given */
        break;
    case SODAE_OPTION_LONG:
        x = (double)*(const long *)in;
        break;
    case SODAE_OPTION_CHOICE:
        low = 0, high = choice_count(o) - 1 + o->list;
        x = *(const int *)in;
        break;
    default:
        x = *(const int *)in;
    }
    if (x >= low && x <= high) return 1;
    number_write(x, 6, text, size);
    return 0;
}

static const double finest = 1e-14; /* 45 units in the last place */

sodae_status sodae_options_check(const sodae_options *options, sodae_failure *why) {
    sodae_status st =
        failure_size(why, SODAE_BAD_OPTION, "sodae_options", options->size, sizeof *options);
    if (st) return st;
    for (int i = 0; i < OPTIONS; i++) {
        char text[32];
        if (!in_range(&table[i], (const char *)options + table[i].offset, text, sizeof text))
            return refuse(&table[i], text, why);
        if (table[i].list && options->orders == SODAE_ORDERS_LIST &&
            !list_is_right(&table[i], options->order_list)) {
            write_list(options->order_list, text, sizeof text);
            return refuse(&table[i], text, why);
        }
    }
    int lists = options->atol_q_each && options->atol_v_each;
    if (plan_controlled(options) && isnan(options->rtol))
        return failure_set(why, SODAE_BAD_OPTION, "rtol", "rtol is not a number");
    if (plan_controlled(options) && options->rtol == 0 && !(options->atol > 0) && !lists)
        return failure_set(why, SODAE_BAD_OPTION, "rtol",
                           "rtol and atol are both 0: no step is exact; give atol a value");
    if (isnan(options->step) && options->rtol > 0 && options->rtol < finest)
        return failure_set(why, SODAE_BAD_OPTION, "rtol",
                           "rtol %.3g is below %g, which double precision does not reach: give a "
                           "larger one",
                           options->rtol, finest);
    if (options->min_step > options->max_step) /* false while either is not given */
        return failure_set(why, SODAE_BAD_OPTION, "min_step",
                           "min_step %g is larger than max_step %g", options->min_step,
                           options->max_step);
    return SODAE_OK;
}

static const char *entry(const char *const *list, int count, int i) {
    return i >= 0 && i < count ? list[i] : NULL;
}

const char *sodae_method_name(int m) {
    return entry(method_names, SODAE_METHODS, m);
}
const char *sodae_method_help(int m) {
    return entry(method_helps, SODAE_METHODS, m);
}
const char *sodae_formulation_name(int f) {
    return entry(formulation_names, SODAE_FORMULATIONS, f);
}
const char *sodae_formulation_help(int f) {
    return entry(formulation_helps, SODAE_FORMULATIONS, f);
}
