/* Claims about the functions and derivatives of the catalogue's problems. */
#include <string.h>

#include "claims.h"
#include "each.h"

typedef struct place {
    double t, q[EACH_MAX], v[EACH_MAX], a[EACH_MAX], lambda[EACH_MAX], psi[EACH_MAX];
    double r[EACH_MAX], w[EACH_MAX], s[EACH_MAX];
} place;

static sodae_point point_of(const place *x) {
    return (sodae_point){.t = x->t,
                         .q = x->q,
                         .v = x->v,
                         .a = x->a,
                         .lambda = x->lambda,
                         .psi = x->psi,
                         .r = x->r,
                         .w = x->w,
                         .s = x->s};
}

/* The initial state, moved by `size`. */
static place perturbed(const each_case *c, double size, unsigned long long *seed) {
    const sodae_problem *p = c->problem;
    place x = {.t = p->initial.t + size * each_noise(seed)};
    double dq[EACH_MAX];
    for (int i = 0; i < p->nv; i++) {
        dq[i] = size * each_noise(seed);
        x.v[i] = p->initial.v[i] + size * each_noise(seed);
        x.a[i] = each_noise(seed);
        x.lambda[i] = each_noise(seed), x.psi[i] = each_noise(seed);
    }
    for (int i = 0; i < p->nr; i++) x.r[i] = each_noise(seed);
    for (int i = 0; i < p->nw; i++) x.w[i] = each_noise(seed);
    for (int i = 0; i < p->ns; i++) x.s[i] = each_noise(seed);
    sodae_space_retract(c->space, p->initial.q, dq, x.q);
    return x;
}

static void shift(const each_case *c, sodae_variable x, int j, double e, place *at) {
    double dq[EACH_MAX] = {0};
    dq[j] = e;
    switch (x) {
    case SODAE_T:
        at->t += e;
        break;
    case SODAE_Q:
        sodae_space_retract(c->space, at->q, dq, at->q);
        break;
    case SODAE_V:
        at->v[j] += e;
        break;
    case SODAE_LAMBDA:
        at->lambda[j] += e;
        break;
    case SODAE_PSI:
        at->psi[j] += e;
        break;
    case SODAE_R:
        at->r[j] += e;
        break;
    case SODAE_W:
        at->w[j] += e;
        break;
    case SODAE_S:
        at->s[j] += e;
        break;
    default:
        fail();
    }
}

/* Fourth order central differences; moves the place by `move` times -2, -1, 1, 2. */
static const double weights[4] = {1, -8, 8, -1}, moves[4] = {-2, -1, 1, 2};
#define STEP 1e-4

/* The air spring of a truck must not be turned inside out. */
static double perturbation(const each_case *c) {
    return strncmp(c->entry->name, "truck", 5) == 0 ? 0.02 : 0.3;
}

static void compare(const each_case *c, sodae_function f, sodae_variable x, const place *at) {
    const sodae_problem *p = c->problem;
    int rows = sodae_function_rows(p, f), columns = sodae_variable_columns(p, x);
    double supplied[EACH_MAX * EACH_MAX], size = 1;
    sodae_point here = point_of(at);
    assert_int_equal(each_derivative(p, f, x, &here, supplied), 0);
    for (int i = 0; i < rows * columns; i++) size = fmax(size, fabs(supplied[i]));
    for (int j = 0; j < columns; j++) {
        double slope[EACH_MAX] = {0}, value[EACH_MAX], rounding = 0;
        for (int s = 0; s < 4; s++) {
            place moved = *at;
            shift(c, x, j, moves[s] * STEP, &moved);
            sodae_point there = point_of(&moved);
            assert_int_equal(each_value(p, f, &there, value), 0);
            for (int i = 0; i < rows; i++) {
                slope[i] += weights[s] * value[i] / (12 * STEP);
                rounding = fmax(rounding, 1e-15 * fabs(value[i]) / STEP);
            }
        }
        for (int i = 0; i < rows; i++)
            if (!(fabs(slope[i] - supplied[i + rows * j]) <= 1e-9 * size + rounding))
                fail_msg("%s: function %d by variable %d, entry (%d,%d): %.12g, differences %.12g",
                         c->entry->name, f, x, i, j, supplied[i + rows * j], slope[i]);
    }
}

static void check_derivatives(const each_case *c) {
    unsigned long long seed = 1;
    for (int trial = 0; trial < 5; trial++) {
        place at = perturbed(c, trial == 0 ? 0 : perturbation(c), &seed);
        for (int f = 0; f < SODAE_FUNCTIONS; f++)
            for (int x = 0; x < SODAE_VARIABLES; x++)
                if (c->problem->derivative[f][x].fn)
                    compare(c, (sodae_function)f, (sodae_variable)x, &at);
    }
}

static void every_supplied_derivative_agrees_with_differences(void **state) {
    (void)state;
    each_problem(check_derivatives);
}

/* Given, or known to be zero. */
static int is_known(const sodae_problem *p, sodae_function f, sodae_variable x) {
    const sodae_term *term = &p->derivative[f][x];
    const int *columns = term->pattern.colptr;
    return term->fn || (columns && columns[sodae_variable_columns(p, x)] == 0);
}

static void check_complete(const each_case *c) {
    const sodae_problem *p = c->problem;
    assert_true(is_known(p, SODAE_FORCE, SODAE_Q));
    assert_true(is_known(p, SODAE_FORCE, SODAE_V));
    if (p->nlambda) {
        assert_non_null(p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn);
        assert_non_null(p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q].fn);
        assert_non_null(p->value[SODAE_HOLONOMIC_DRIFT].fn);
        if (p->in_force) assert_non_null(p->derivative[SODAE_FORCE][SODAE_LAMBDA].fn);
    }
    if (p->npsi) {
        assert_non_null(p->derivative[SODAE_NONHOLONOMIC][SODAE_Q].fn);
        assert_non_null(p->derivative[SODAE_NONHOLONOMIC][SODAE_V].fn);
        assert_non_null(p->value[SODAE_NONHOLONOMIC_DRIFT].fn);
        if (p->in_force) assert_non_null(p->derivative[SODAE_FORCE][SODAE_PSI].fn);
    }
    if (!p->in_force && p->nlambda + p->npsi)
        assert_non_null(p->derivative[SODAE_REACTION][SODAE_Q].fn);
    if (!p->constant_mass) assert_non_null(p->derivative[SODAE_MASS][SODAE_Q].fn);
    assert_non_null(p->exact);
    if (p->nr) assert_non_null(p->derivative[SODAE_DYNAMIC][SODAE_R].fn);
    if (p->nw) assert_non_null(p->derivative[SODAE_AUXILIARY][SODAE_W].fn);
    if (p->ns) assert_non_null(p->derivative[SODAE_CONTACT][SODAE_S].fn);
}

static void no_derivative_that_a_method_needs_is_left_to_differences(void **state) {
    (void)state;
    each_problem(check_complete);
}

/* s' = -h_s^-1 h_q v of a problem with at most one contact coordinate. */
static double contact_rate(const sodae_problem *p, const place *at) {
    double hq[EACH_MAX], hs, sum = 0;
    sodae_point here = point_of(at);
    if (p->ns == 0) return 0;
    assert_int_equal(p->ns, 1);
    assert_int_equal(p->derivative[SODAE_CONTACT][SODAE_Q].fn(&here, hq, p->user), 0);
    assert_int_equal(p->derivative[SODAE_CONTACT][SODAE_S].fn(&here, &hs, p->user), 0);
    for (int j = 0; j < p->nv; j++) sum += hq[j] * at->v[j];
    return -sum / hs;
}

/* d/de F(t + e, q o exp(e v), v, s + e s') */
static void along_the_flow(const each_case *c, sodae_function f, const place *at, double *slope) {
    int rows = sodae_function_rows(c->problem, f);
    double sdot = contact_rate(c->problem, at);
    memset(slope, 0, EACH_MAX * sizeof *slope);
    for (int s = 0; s < 4; s++) {
        place moved = *at;
        double dq[EACH_MAX], value[EACH_MAX], e = moves[s] * 1e-4;
        for (int i = 0; i < c->problem->nv; i++) dq[i] = e * at->v[i];
        sodae_space_retract(c->space, at->q, dq, moved.q);
        moved.t += e;
        moved.s[0] += e * sdot;
        sodae_point there = point_of(&moved);
        assert_int_equal(each_value(c->problem, f, &there, value), 0);
        for (int i = 0; i < rows; i++) slope[i] += weights[s] * value[i] / 1.2e-3;
    }
}

static void match(const each_case *c, sodae_function f, const place *at, const double *expected) {
    double value[EACH_MAX], size = 1;
    int rows = sodae_function_rows(c->problem, f);
    sodae_point here = point_of(at);
    assert_int_equal(each_value(c->problem, f, &here, value), 0);
    for (int i = 0; i < rows; i++) size = fmax(size, fabs(value[i]));
    for (int i = 0; i < rows; i++)
        if (!(fabs(value[i] - expected[i]) <= 1e-6 * size))
            fail_msg("%s: function %d, row %d: %.12g, expected %.12g", c->entry->name, f, i,
                     value[i], expected[i]);
}

static void check_rates(const each_case *c) {
    unsigned long long seed = 2;
    double slope[EACH_MAX];
    for (int trial = 0; trial < 5; trial++) {
        place at = perturbed(c, perturbation(c), &seed);
        if (c->problem->nlambda) {
            along_the_flow(c, SODAE_HOLONOMIC, &at, slope);
            match(c, SODAE_HOLONOMIC_RATE, &at, slope);
            along_the_flow(c, SODAE_HOLONOMIC_RATE, &at, slope);
            match(c, SODAE_HOLONOMIC_DRIFT, &at, slope);
        }
        if (c->problem->npsi) {
            along_the_flow(c, SODAE_NONHOLONOMIC, &at, slope);
            match(c, SODAE_NONHOLONOMIC_DRIFT, &at, slope);
        }
    }
}

static void rates_and_drifts_are_time_derivatives_of_the_constraints(void **state) {
    (void)state;
    each_problem(check_rates);
}

/* out += A^T x, A rows x nv by columns. */
static void add_transposed(const sodae_problem *p, sodae_function f, sodae_variable x, int rows,
                           const place *at, const double *multiplier, double *out) {
    double A[EACH_MAX * EACH_MAX];
    sodae_point here = point_of(at);
    if (rows == 0) return;
    assert_int_equal(each_derivative(p, f, x, &here, A), 0);
    for (int j = 0; j < p->nv; j++)
        for (int i = 0; i < rows; i++) out[j] += A[i + rows * j] * multiplier[i];
}

/* out = G^T lambda from G e_j = rate(e_j) - rate(0) */
static void slopes_of_the_rate(const sodae_problem *p, const place *at, double *out) {
    double still[EACH_MAX], moving[EACH_MAX];
    place x = *at;
    sodae_point here = point_of(&x);
    memset(x.v, 0, sizeof x.v);
    assert_int_equal(each_value(p, SODAE_HOLONOMIC_RATE, &here, still), 0);
    for (int j = 0; j < p->nv; j++) {
        x.v[j] = 1;
        assert_int_equal(each_value(p, SODAE_HOLONOMIC_RATE, &here, moving), 0);
        x.v[j] = 0;
        for (int i = 0; i < p->nlambda; i++) out[j] += (moving[i] - still[i]) * at->lambda[i];
    }
}

static void check_reaction(const each_case *c) {
    const sodae_problem *p = c->problem;
    unsigned long long seed = 3;
    if (p->in_force || !p->value[SODAE_REACTION].fn) return;
    for (int trial = 0; trial < 5; trial++) {
        place at = perturbed(c, perturbation(c), &seed);
        double sum[EACH_MAX] = {0};
        if (p->ns)
            slopes_of_the_rate(p, &at, sum);
        else
            add_transposed(p, SODAE_HOLONOMIC, SODAE_Q, p->nlambda, &at, at.lambda, sum);
        add_transposed(p, SODAE_NONHOLONOMIC, SODAE_V, p->npsi, &at, at.psi, sum);
        match(c, SODAE_REACTION, &at, sum);
    }
}

static void reactions_are_transposed_jacobians_times_multipliers(void **state) {
    (void)state;
    each_problem(check_reaction);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_supplied_derivative_agrees_with_differences),
        cmocka_unit_test(no_derivative_that_a_method_needs_is_left_to_differences),
        cmocka_unit_test(rates_and_drifts_are_time_derivatives_of_the_constraints),
        cmocka_unit_test(reactions_are_transposed_jacobians_times_multipliers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
