/* Claims about derivatives found by differences. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problem/eval.h"
#include "problems/each.h"

/* The problem without any derivative, and without what follows from the equations. */
static sodae_problem stripped(const sodae_problem *p) {
    sodae_problem bare = *p;
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++) bare.derivative[f][x] = (sodae_term){0};
    for (int f = SODAE_REACTION; f < SODAE_FUNCTIONS; f++) bare.value[f] = (sodae_term){0};
    return bare;
}

typedef struct bench {
    arena memory;
    eval e;
    sodae_failure failure;
} bench;

static void open_bench(bench *b, const sodae_problem *p, const sodae_space *space) {
    *b = (bench){.memory = {0}};
    assert_int_equal(eval_open(&b->e, &b->memory, p, space, &b->failure), SODAE_OK);
}

static double largest(int n, const double *x) {
    double m = 0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(x[i]));
    return m;
}

/* A point near the initial state. */
static sodae_point nearby(const each_case *c, run_state *x) {
    const sodae_problem *p = c->problem;
    unsigned long long seed = 11;
    double dq[RUN_MAX];
    for (int i = 0; i < p->nv; i++) {
        dq[i] = 0.01 * each_noise(&seed);
        x->v[i] = p->initial.v[i] + 0.1 * each_noise(&seed);
        x->a[i] = each_noise(&seed), x->lambda[i] = each_noise(&seed);
        x->psi[i] = each_noise(&seed);
    }
    for (int i = 0; i < p->nr; i++) x->r[i] = p->initial.r[i];
    for (int i = 0; i < p->nw; i++) x->w[i] = p->initial.w ? p->initial.w[i] : 0.1;
    for (int i = 0; i < p->ns; i++) x->s[i] = p->initial.s ? p->initial.s[i] : 0.1;
    sodae_space_retract(c->space, p->initial.q, dq, x->q);
    return (sodae_point){.t = p->initial.t + 0.05,
                         .q = x->q,
                         .v = x->v,
                         .a = x->a,
                         .lambda = x->lambda,
                         .psi = x->psi,
                         .r = x->r,
                         .w = x->w,
                         .s = x->s};
}

static void check_block(bench *given, bench *found, sodae_function f, sodae_variable x,
                        const sodae_point *at) {
    const eval_block *g = &given->e.block[f][x], *d = &found->e.block[f][x];
    assert_int_equal(eval_derivative(&given->e, f, x, at), SODAE_OK);
    assert_int_equal(eval_derivative(&found->e, f, x, at), SODAE_OK);
    double size = 1 + largest(pattern_nnz(&d->pattern), d->values);
    int equations = f == SODAE_HOLONOMIC || f == SODAE_NONHOLONOMIC || f == SODAE_CONTACT;
    double tol = (equations ? 1e-9 : f >= SODAE_REACTION ? 1e-5 : 2e-6) * size, value_f[RUN_MAX];
    if (f == SODAE_FORCE) { /* rounding of large forces, over the step of a forward difference */
        assert_int_equal(eval_value(&given->e, f, at, value_f), SODAE_OK);
        tol += 1e-7 * largest(g->pattern.rows, value_f);
    }
    for (int j = 0; j < g->pattern.cols; j++) {
        int k = g->pattern.colptr[j];
        for (int i = 0; i < g->pattern.rows; i++) {
            int here = k < g->pattern.colptr[j + 1] && g->pattern.rowind[k] == i;
            double value = here ? g->values[k] : 0;
            k += here;
            /* without a pattern full, or empty where the form of the equations has 0 */
            double other = pattern_nnz(&d->pattern) ? d->values[j * g->pattern.rows + i] : 0;
            if (!(fabs(value - other) <= tol))
                fail_msg("%s: d %s[%d] / d %s[%d] = %.9g, differences say %.9g", given->e.p->name,
                         sodae_function_name(f), i, sodae_variable_name(x), j, value, other);
        }
    }
}

/* By t only those of constraints are: what nobody asks for is not differenced. */
static int is_asked_for(sodae_function f, sodae_variable x) {
    return x != SODAE_T || f == SODAE_HOLONOMIC || f == SODAE_CONTACT;
}

static void check_derivatives(const each_case *c) {
    sodae_problem bare = stripped(c->problem);
    run_state x = {.q = {0}};
    sodae_point at = nearby(c, &x);
    bench given, found;
    open_bench(&given, c->problem, c->space);
    open_bench(&found, &bare, c->space);
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int y = 0; y < SODAE_VARIABLES; y++)
            if (c->problem->derivative[f][y].fn &&
                is_asked_for((sodae_function)f, (sodae_variable)y))
                check_block(&given, &found, (sodae_function)f, (sodae_variable)y, &at);
    static const sodae_function built[] = {SODAE_REACTION, SODAE_HOLONOMIC_RATE,
                                           SODAE_HOLONOMIC_DRIFT, SODAE_NONHOLONOMIC_DRIFT};
    for (int k = 0; k < 4; k++) {
        double a[RUN_MAX] = {0}, b[RUN_MAX] = {0};
        int n = sodae_function_rows(c->problem, built[k]);
        if (!c->problem->value[built[k]].fn || n == 0) continue;
        assert_int_equal(eval_value(&given.e, built[k], &at, a), SODAE_OK);
        assert_int_equal(eval_value(&found.e, built[k], &at, b), SODAE_OK);
        double tol = (k < 2 ? 1e-9 : 1e-6) * (1 + largest(n, a));
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], a[i], tol);
    }
    arena_free(&given.memory);
    arena_free(&found.memory);
}

static void differences_agree_with_what_is_supplied(void **unused) {
    (void)unused;
    each_problem(check_derivatives);
}

/* Runs with nothing but the equations: the same orders, nearly the same errors. */
static void runs_without_any_derivative_reach_the_same_solution(void **unused) {
    static const struct {
        const char *problem;
        double h, length;
    } cases[] = {{"pendulum", 0.01, 0.5},         {"soi2-test", 0.0125, 0.5},
                 {"all-blocks", 0.0125, 0.5},     {"heavy-top", 2.5e-4, 0.02},
                 {"heavy-top-se3", 2.5e-4, 0.02}, {"nonholonomic-test", 3.125e-3, 0.5}};
    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const catalogue_entry *entry = catalogue_find(cases[c].problem);
        sodae_problem *p = each_create(entry, NULL, 0), bare = stripped(p);
        for (int f = SODAE_INDEX3; f <= SODAE_INDEX2; f++) {
            sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, f, 0.8);
            run_errors given = run_fixed(p, o, cases[c].h, cases[c].length, NULL, 0);
            run_errors order = run_orders(&bare, o, cases[c].h, cases[c].length, NULL, 0);
            run_errors found = run_fixed(&bare, o, cases[c].h, cases[c].length, NULL, 0);
            for (int i = 0; i < RUN_PARTS; i++) {
                if (given.of[i] == 0) continue;
                CHECK_NEAR(found.of[i] / given.of[i], 1, 1e-2);
                if (!(order.of[i] >= 1.8 && order.of[i] <= 2.2))
                    fail_msg("%s, %s: order %.2f in %s", p->name, sodae_formulation_name(f),
                             order.of[i], run_part_names[i]);
            }
        }
        entry->free(p);
    }
}

/* A chain of springs: force i depends on q[i-1], q[i], q[i+1]. */
enum { LINKS = 30 };

static int chain(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int i = 0; i < LINKS; i++) {
        double left = i ? at->q[i - 1] : 0, right = i < LINKS - 1 ? at->q[i + 1] : 0;
        out[i] = left - 2 * at->q[i] + right + sin(at->q[i]);
    }
    return 0;
}

static void coloured_differences_need_as_many_calls_as_colours(void **unused) {
    (void)unused;
    int colptr[LINKS + 1] = {0}, rowind[3 * LINKS], nnz = 0;
    double zero[LINKS] = {0}, q[LINKS];
    for (int j = 0; j < LINKS; j++) {
        for (int i = j - 1; i <= j + 1; i++)
            if (i >= 0 && i < LINKS) rowind[nnz++] = i;
        colptr[j + 1] = nnz;
        q[j] = 0.1 * j;
    }
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "chain",
                       .nv = LINKS,
                       .initial = {.q = q, .v = zero}};
    p.value[SODAE_FORCE].fn = chain;
    p.derivative[SODAE_FORCE][SODAE_Q].pattern = (sodae_pattern){colptr, rowind};
    const sodae_group *rn = &sodae_rn;
    sodae_space *space;
    assert_int_equal(sodae_space_create(&rn, &p.nv, 1, &space), SODAE_OK);
    bench b;
    open_bench(&b, &p, space);
    const eval_block *block = &b.e.block[SODAE_FORCE][SODAE_Q];
    assert_int_equal(block->colours, 3);
    sodae_point at = {.q = q, .v = zero};
    assert_int_equal(eval_derivative(&b.e, SODAE_FORCE, SODAE_Q, &at), SODAE_OK);
    assert_int_equal(b.e.calls[SODAE_FORCE], 1 + 3);
    for (int j = 0; j < LINKS; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++)
            CHECK_NEAR(block->values[k], rowind[k] == j ? cos(q[j]) - 2 : 1, 1e-6);
    arena_free(&b.memory);
    sodae_space_free(space);
}

/* Joint friction that begins where a multiplier exceeds 1. */
static int friction(const sodae_point *at, double *out, void *user) {
    (void)user;
    for (int i = 0; i < LINKS; i++) out[i] = -9.81;
    for (int i = 0; i < LINKS; i++) out[i] -= 0.3 * fmax(0, at->lambda[i] - 1);
    return 0;
}

static void one_call_shows_that_a_force_does_not_depend_on_multipliers_here(void **unused) {
    (void)unused;
    double zero[LINKS] = {0}, lambda[LINKS] = {0};
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "friction",
                       .nv = LINKS,
                       .nlambda = LINKS,
                       .initial = {.q = zero, .v = zero}};
    p.value[SODAE_FORCE].fn = friction;
    const sodae_group *rn = &sodae_rn;
    sodae_space *space;
    assert_int_equal(sodae_space_create(&rn, &p.nv, 1, &space), SODAE_OK);
    bench b;
    open_bench(&b, &p, space);
    const eval_block *block = &b.e.block[SODAE_FORCE][SODAE_LAMBDA];
    sodae_point at = {.q = zero, .v = zero, .lambda = lambda};
    for (int k = 0; k < 4; k++) {
        int depends = k % 2;
        lambda[LINKS - 1] = depends ? 2 : 0;
        b.e.calls[SODAE_FORCE] = 0;
        assert_int_equal(eval_derivative(&b.e, SODAE_FORCE, SODAE_LAMBDA, &at), SODAE_OK);
        assert_int_equal(b.e.calls[SODAE_FORCE], depends ? 2 + LINKS : 2);
        for (int i = 0; i < LINKS * LINKS; i++)
            CHECK_NEAR(block->values[i], depends && i == LINKS * LINKS - 1 ? -0.3 : 0, 1e-6);
    }
    arena_free(&b.memory);
    sodae_space_free(space);
}

/* One entry of a derivative is spoilt. */
typedef struct spoilt {
    const sodae_problem *inner;
    sodae_function f;
    sodae_variable x;
    int entry;
} spoilt;

static spoilt victim;

static int wrong(const sodae_point *at, double *out, void *user) {
    int code = victim.inner->derivative[victim.f][victim.x].fn(at, out, user);
    out[victim.entry] += 0.01;
    return code;
}

static void a_wrong_entry_is_named(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0), bad = *p;
    sodae_failure why;
    assert_int_equal(sodae_check_derivatives(p, NULL, 0, &why), SODAE_OK);
    static const struct {
        sodae_function f;
        int entry;
        const char *name;
    } cases[] = {{SODAE_HOLONOMIC, 1, "d holonomic[1] (length) / d q[2]"},
                 {SODAE_FORCE, 2, "d force[1] (x) / d q[2]"},
                 {SODAE_REACTION, 1, "d reaction[2] / d q[1]"},
                 {SODAE_HOLONOMIC_RATE, 0, "d holonomic_rate[1] / d q[1]"}};
    for (int k = 0; k < 4; k++) {
        bad = *p;
        victim = (spoilt){p, cases[k].f, SODAE_Q, cases[k].entry};
        bad.derivative[cases[k].f][SODAE_Q].fn = wrong;
        assert_int_equal(sodae_check_derivatives(&bad, NULL, 0, &why), SODAE_BAD_PROBLEM);
        assert_string_equal(why.where, cases[k].name);
        CHECK_IN(why.size, 0.0099, 0.0101);
    }
    entry->free(p);
}

/* The sign of an entry that is 0 at the initial state: only a point near it shows that. */
static int wrong_sign(const sodae_point *at, double *out, void *user) {
    int code = victim.inner->derivative[victim.f][victim.x].fn(at, out, user);
    out[victim.entry] = -out[victim.entry];
    return code;
}

static void a_wrong_derivative_is_found_at_create(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    sodae_problem *p = each_create(entry, NULL, 0), bad = *p;
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s = NULL;
    double q[2] = {1, 0}, v[2] = {0, 0};
    bad.initial.q = q, bad.initial.v = v;
    victim = (spoilt){p, SODAE_HOLONOMIC, SODAE_Q, 1};
    bad.derivative[SODAE_HOLONOMIC][SODAE_Q].fn = wrong_sign;
    assert_int_equal(sodae_check_derivatives(&bad, NULL, 0, &why), SODAE_BAD_PROBLEM);
    assert_int_equal(sodae_create(&s, &bad, &o, &why), SODAE_BAD_PROBLEM);
    assert_string_equal(why.where, "d holonomic[1] (length) / d q");
    assert_null(s);
    o.check_derivatives = 0;
    assert_int_equal(sodae_create(&s, &bad, &o, &why), SODAE_OK);
    assert_int_equal(sodae_reset(s, &bad), SODAE_OK);
    sodae_free(s);
    o.check_derivatives = 1;
    bad.derivative[SODAE_HOLONOMIC][SODAE_Q] = p->derivative[SODAE_HOLONOMIC][SODAE_Q];
    assert_int_equal(sodae_create(&s, &bad, &o, &why), SODAE_OK);
    victim = (spoilt){p, SODAE_HOLONOMIC, SODAE_Q, 1};
    bad.derivative[SODAE_HOLONOMIC][SODAE_Q].fn = wrong_sign;
    assert_int_equal(sodae_reset(s, &bad), SODAE_OK);
    sodae_free(s);
    entry->free(p);
}

static int slightly_wrong(const sodae_point *at, double *out, void *user) {
    int code = victim.inner->derivative[victim.f][victim.x].fn(at, out, user);
    out[victim.entry] *= 1.01;
    return code;
}

static int opposite(const sodae_point *at, double *out, void *user) {
    int code = victim.inner->derivative[victim.f][victim.x].fn(at, out, user);
    for (int i = 0; i < victim.entry; i++) out[i] = -out[i];
    return code;
}

static void create_finds(const sodae_problem *p, sodae_function f, sodae_fn *callback, int entry,
                         const char *name) {
    sodae_problem bad = *p;
    sodae_failure why;
    sodae *s = NULL;
    victim = (spoilt){p, f, SODAE_Q, entry};
    bad.derivative[f][SODAE_Q].fn = callback;
    assert_int_equal(sodae_create(&s, &bad, NULL, &why), SODAE_BAD_PROBLEM);
    assert_string_equal(why.where, name);
}

/* Entries of G that are 0 at the start are small near by, and so are their errors: the sine of an
 * angle of rods that lie still, y of a pendulum that starts at (1, 0). */
static void small_errors_of_constraints_are_found_at_create(void **unused) {
    (void)unused;
    const catalogue_entry *rods = catalogue_find("rod-chain"), *one = catalogue_find("pendulum");
    sodae_problem *chain_of_rods = each_create(rods, NULL, 0), *p = each_create(one, NULL, 0);
    sodae_problem level = *p;
    double q[2] = {1, 0}, v[2] = {0, 0};
    level.initial.q = q, level.initial.v = v;
    create_finds(chain_of_rods, SODAE_HOLONOMIC, wrong_sign, 4, "d holonomic[1] / d q");
    create_finds(&level, SODAE_HOLONOMIC, slightly_wrong, 1, "d holonomic[1] (length) / d q");
    rods->free(chain_of_rods);
    one->free(p);
}

/* Reactions of 1e5 N, whose rounding hides changes over very short steps. */
static void wrong_derivatives_of_large_forces_are_found_at_create(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("truck11");
    sodae_problem *p = each_create(entry, NULL, 0);
    create_finds(p, SODAE_REACTION, opposite, p->nv * p->nv, "d reaction[4] / d q");
    entry->free(p);
}

static void create_each(const each_case *c) {
    sodae_failure why;
    sodae *s = NULL;
    if (sodae_create(&s, c->problem, NULL, &why)) fail_msg("%s: %s", c->problem->name, why.message);
    sodae_free(s);
}

static void derivatives_that_are_right_pass_at_create(void **unused) {
    (void)unused;
    each_problem(create_each);
}

/* Friction that bends within 1e-5 m/s, a spring that begins at 0, large and late numbers. */
static int sharp(const sodae_point *at, double *out, void *user) {
    (void)user;
    double x = at->q[0] - 1e6;
    out[0] = -tanh(1e5 * at->v[0]) - 1e9 * fmax(0, x) - 1e-3 * x * x * x * x * x;
    return 0;
}
static int sharp_q(const sodae_point *at, double *out, void *user) {
    (void)user;
    double x = at->q[0] - 1e6;
    out[0] = -1e9 * (x > 0) - 5e-3 * x * x * x * x;
    return 0;
}
static int sharp_v(const sodae_point *at, double *out, void *user) {
    (void)user;
    double c = cosh(fmin(1e5 * fabs(at->v[0]), 300));
    out[0] = -1e5 / (c * c);
    return 0;
}

static void kinks_and_large_numbers_are_no_wrong_derivatives(void **unused) {
    (void)unused;
    double q = 1e6, v = 0;
    sodae_problem p = {.size = sizeof p, .name = "sharp", .nv = 1, .initial = {1e9, &q, &v}};
    sodae_failure why;
    sodae *s = NULL;
    p.value[SODAE_FORCE].fn = sharp;
    p.derivative[SODAE_FORCE][SODAE_Q].fn = sharp_q;
    p.derivative[SODAE_FORCE][SODAE_V].fn = sharp_v;
    for (int k = 0; k < 3; k++) {
        q = 1e6 + (k == 1) * 1e-3, v = k * 1e-5;
        if (sodae_create(&s, &p, NULL, &why)) fail_msg("%s", why.message);
        sodae_free(s);
    }
}

/* A force with no value but at the start, whose derivative is not its own. */
static int at_start_alone(const sodae_point *at, double *out, void *user) {
    out[0] = at->q[0] == 1 ? 0 : NAN;
    return at->q[0] == 1 ? 0 : *(const int *)user;
}
static int five(const sodae_point *at, double *out, void *user) {
    (void)at, (void)user;
    out[0] = 5;
    return 0;
}

static void functions_that_fail_near_the_start_are_skipped_at_create(void **unused) {
    (void)unused;
    double q = 1, v = 0;
    int code;
    sodae_problem p = {.size = sizeof p, .nv = 1, .user = &code, .initial = {.q = &q, .v = &v}};
    p.value[SODAE_FORCE].fn = at_start_alone;
    p.derivative[SODAE_FORCE][SODAE_Q].fn = five;
    for (code = -1; code <= 1; code++) {
        sodae_failure why;
        sodae *s = NULL;
        if (sodae_create(&s, &p, NULL, &why)) fail_msg("code %d: %s", code, why.message);
        assert_int_equal(sodae_start(s), SODAE_OK);
        sodae_free(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_that_fail_near_the_start_are_skipped_at_create),
        cmocka_unit_test(a_wrong_derivative_is_found_at_create),
        cmocka_unit_test(small_errors_of_constraints_are_found_at_create),
        cmocka_unit_test(wrong_derivatives_of_large_forces_are_found_at_create),
        cmocka_unit_test(derivatives_that_are_right_pass_at_create),
        cmocka_unit_test(kinks_and_large_numbers_are_no_wrong_derivatives),
        cmocka_unit_test(differences_agree_with_what_is_supplied),
        cmocka_unit_test(runs_without_any_derivative_reach_the_same_solution),
        cmocka_unit_test(coloured_differences_need_as_many_calls_as_colours),
        cmocka_unit_test(one_call_shows_that_a_force_does_not_depend_on_multipliers_here),
        cmocka_unit_test(a_wrong_entry_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
