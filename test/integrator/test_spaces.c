/* Claims about runs on products and on groups that a user has made. */
#include <string.h>

#include "claims.h"
#include "integrator/run.h"
#include "problems/each.h"

/* SO(3) as a user would write it: only what is required, the rest is derived. */
static sodae_group bare_so3(void) {
    return (sodae_group){.name = "mine",
                         .nq = sodae_so3.nq,
                         .nv = sodae_so3.nv,
                         .exp = sodae_so3.exp,
                         .compose = sodae_so3.compose,
                         .tangent = sodae_so3.tangent};
}

static void run_by(const sodae_problem *p, int method, int formulation, double rtol,
                   run_state *end) {
    sodae_options o =
        run_options(method, formulation, method == SODAE_GENERALIZED_ALPHA ? 0.9 : NAN);
    o.step = rtol > 0 ? NAN : 1e-3;
    if (rtol > 0) o.rtol = rtol;
    sodae *s = run_start(p, &o);
    sodae_status st = sodae_advance(s, 0.05, NULL, NULL);
    if (st) fail_msg("%s", sodae_last_failure(s)->message);
    const sodae_view *v = sodae_state(s);
    memcpy(end->q, v->q, (size_t)v->nq * sizeof *v->q);
    memcpy(end->v, v->v, (size_t)v->nv * sizeof *v->v);
    memcpy(end->lambda, v->lambda, (size_t)v->nlambda * sizeof *v->lambda);
    sodae_free(s);
}

static void run_to(const sodae_problem *p, int formulation, double rtol, run_state *end) {
    run_by(p, SODAE_GENERALIZED_ALPHA, formulation, rtol, end);
}

static void a_group_made_by_the_user_gives_the_same_top(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("heavy-top");
    sodae_problem *p = each_create(entry, NULL, 0), own = *p;
    sodae_group mine = bare_so3();
    const sodae_group *groups[] = {&sodae_rn, &mine};
    sodae_space *space;
    assert_int_equal(sodae_space_create(groups, (int[]){3, 0}, 2, &space), SODAE_OK);
    own.space = space;
    for (int f = SODAE_INDEX3; f <= SODAE_INDEX2; f++)
        for (int controlled = 0; controlled < 2; controlled++) {
            run_state a = {.q = {0}}, b = {.q = {0}};
            double rtol = controlled ? 1e-4 : 0, tol = controlled ? 1e-3 : 1e-9;
            run_to(p, f, rtol, &a);
            run_to(&own, f, rtol, &b);
            for (int i = 0; i < 12; i++) CHECK_NEAR(b.q[i], a.q[i], tol);
            for (int i = 0; i < 6; i++) CHECK_NEAR(b.v[i], a.v[i], 10 * tol);
        }
    static const int by[][2] = {{SODAE_DC, SODAE_INDEX3},
                                {SODAE_DC, SODAE_MINIMAL_EXTENSION},
                                {SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION}};
    for (int m = 0; m < 3; m++) {
        run_state a = {.q = {0}}, b = {.q = {0}};
        run_by(p, by[m][0], by[m][1], 0, &a);
        run_by(&own, by[m][0], by[m][1], 0, &b);
        for (int i = 0; i < 12; i++) CHECK_NEAR(b.q[i], a.q[i], 1e-9);
        for (int i = 0; i < 6; i++) CHECK_NEAR(b.v[i], a.v[i], 1e-7);
    }
    sodae_space_free(space);
    entry->free(p);
}

/* A pendulum and a top that know nothing of each other, in one product space: each moves as alone.
 */
static sodae_problem *parts[2];

static int both(sodae_function f, const sodae_point *at, double *out) {
    sodae_point second = *at;
    second.q = at->q + 2, second.v = at->v + 2;
    second.lambda = at->lambda ? at->lambda + 1 : NULL;
    int rows = sodae_function_rows(parts[0], f);
    return parts[0]->value[f].fn(at, out, parts[0]->user) ||
           parts[1]->value[f].fn(&second, out + rows, parts[1]->user);
}

static int force(const sodae_point *at, double *out, void *user) {
    (void)user;
    return both(SODAE_FORCE, at, out);
}

static int constraints(const sodae_point *at, double *out, void *user) {
    (void)user;
    return both(SODAE_HOLONOMIC, at, out);
}

static int mass(const sodae_point *at, double *out, void *user) {
    double M[6];
    (void)user;
    sodae_point second = *at;
    second.q = at->q + 2;
    memset(out, 0, 64 * sizeof *out);
    out[0] = out[9] = 1;
    int code = parts[1]->value[SODAE_MASS].fn(&second, M, parts[1]->user);
    for (int j = 0; j < 6; j++) out[(j + 2) * 9] = M[j];
    return code;
}

static void parts_of_a_product_move_as_if_alone(void **unused) {
    (void)unused;
    const catalogue_entry *one = catalogue_find("pendulum"), *two = catalogue_find("heavy-top");
    parts[0] = each_create(one, NULL, 0), parts[1] = each_create(two, NULL, 0);
    const sodae_group *groups[] = {&sodae_rn, &sodae_rn, &sodae_so3};
    sodae_space *space;
    assert_int_equal(sodae_space_create(groups, (int[]){2, 3, 0}, 3, &space), SODAE_OK);
    double q[14], v[8];
    memcpy(q, parts[0]->initial.q, 2 * sizeof *q),
        memcpy(q + 2, parts[1]->initial.q, 12 * sizeof *q);
    memcpy(v, parts[0]->initial.v, 2 * sizeof *v),
        memcpy(v + 2, parts[1]->initial.v, 6 * sizeof *v);
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "both",
                       .space = space,
                       .nv = 8,
                       .nlambda = 4,
                       .constant_mass = 1};
    p.value[SODAE_MASS].fn = mass;
    p.value[SODAE_FORCE].fn = force;
    p.value[SODAE_HOLONOMIC].fn = constraints;
    p.initial = (sodae_point){.q = q, .v = v};
    for (int f = SODAE_INDEX3; f <= SODAE_INDEX2; f++) {
        run_state pendulum = {.q = {0}}, top = {.q = {0}}, together = {.q = {0}};
        run_to(parts[0], f, 0, &pendulum);
        run_to(parts[1], f, 0, &top);
        run_to(&p, f, 0, &together);
        for (int i = 0; i < 2; i++) CHECK_NEAR(together.q[i], pendulum.q[i], 1e-10);
        for (int i = 0; i < 12; i++) CHECK_NEAR(together.q[i + 2], top.q[i], 1e-9);
        for (int i = 0; i < 6; i++) CHECK_NEAR(together.v[i + 2], top.v[i], 1e-7);
        CHECK_NEAR(together.lambda[0], pendulum.lambda[0], 1e-5);
        for (int i = 0; i < 3; i++) CHECK_NEAR(together.lambda[i + 1], top.lambda[i], 1e-3);
    }
    sodae_space_free(space);
    one->free(parts[0]), two->free(parts[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_group_made_by_the_user_gives_the_same_top),
        cmocka_unit_test(parts_of_a_product_move_as_if_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
