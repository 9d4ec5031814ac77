/* Stages by the eigenvalues of their coefficients: the solution is that of the full matrix. */
#include "method/glm_run.h"

/* Matrices of all stages together from now on. */
static void use_one_matrix(run *r) {
    glm *g = engine_stepper(r->s->engine)->memory;
    g->more.form.split = NULL;
    for (int i = 1; i <= GLM_STAGES; i++) g->one[i].form.split = NULL;
}

static void the_solution_is_that_of_the_full_matrix(void **unused) {
    static const struct {
        const char *problem, *by, *options;
        double h;
    } table[] = {
        {"chain", "radau-iia", "stages=2 formulation=index3", 0.01},
        {"chain", "radau-iia", "stages=3 formulation=index2", 0.01},
        {"chain", "radau-iia", "stages=3 formulation=stabilized", 0.01},
        {"chain", "radau-iia", "stages=4 formulation=index1", 0.01},
        {"chain", "radau-iia", "formulation=index3 linear_solver=ldl", 0.01},
        {"chain", "radau-iia", "formulation=stabilized linear_solver=klu", 0.01},
        {"chain", "radau-iia", "formulation=stabilized stages=4 linear_solver=klu", 0.01},
        {"chain", "gauss", "stages=3", 0.01},
        {"chain", "msr", "steps=3 formulation=stabilized", 0.01},
        {"chain", "msr", "stages=3 formulation=index3", 0.01},
        {"rod-chain", "radau-iia", "formulation=stabilized", 0.005},
        {"rod-chain", "radau-iia", "formulation=stabilized linear_solver=klu", 0.005},
        {"andrews", "radau-iia", "formulation=stabilized", 1e-4},
        {"andrews", "radau-iia", "formulation=stabilized linear_solver=klu", 1e-4},
        {"rolling-disk", "radau-iia", "formulation=stabilized linear_solver=klu", 0.02},
        {"rolling-disk", "radau-iia", "stages=3", 0.02},
        {"truck11", "radau-iia", "stages=4", 0.01},
        {"all-blocks", "radau-iia", "formulation=stabilized", 0.02},
        {"all-blocks", "msr", "formulation=index3", 0.02},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        run a, b;
        run_start(&a, table[i].problem, table[i].by, table[i].options);
        run_start(&b, table[i].problem, table[i].by, table[i].options);
        glm *g = engine_stepper(a.s->engine)->memory;
        if (!g->used->form.split) fail_msg("%s: one matrix", table[i].problem);
        use_one_matrix(&b);
        run_steps(&a, table[i].h, 10);
        run_steps(&b, table[i].h, 10);
        if (g->used->form.one_matrix) fail_msg("%s: the full matrix", table[i].problem);
        const sodae_view *x = sodae_state(a.s), *y = sodae_state(b.s);
        CHECK_IN(run_distance(x->nq, x->q, y->q), 0, 1e-11);
        for (int k = 0; k < x->nv; k++) CHECK_NEAR(x->v[k], y->v[k], 1e-10 * (1 + fabs(y->v[k])));
        for (int k = 0; k < x->nlambda; k++)
            CHECK_NEAR(x->lambda[k], y->lambda[k], 1e-7 * (1 + fabs(y->lambda[k])));
        run_close(&a);
        run_close(&b);
    }
}

/* A chain of 30 links with its options. */
static void start_chain(run *r, const char *solver) {
    sodae_failure why;
    sodae_options o = sodae_default_options();
    o.method = SODAE_RADAU_IIA, o.formulation = SODAE_STABILIZED, o.step = 0.005;
    assert_int_equal(sodae_options_set(&o, "linear_solver", solver, &why), SODAE_OK);
    r->entry = catalogue_find("chain");
    r->problem = r->entry->create((double[]){30});
    assert_int_equal(sodae_create(&r->s, r->problem, &o, &why), SODAE_OK);
    assert_int_equal(sodae_start(r->s), SODAE_OK);
    run_steps(r, o.step, 40);
}

/* Sparse matrices are those of index 3, symmetric ones; Newton needs no more of them. */
static void eta_is_condensed_at_no_cost(void **unused) {
    (void)unused;
    run sparse, dense;
    const char *why;
    start_chain(&sparse, "auto");
    start_chain(&dense, "dense");
    const form *f = &((glm *)engine_stepper(sparse.s->engine)->memory)->used->form;
    assert_string_equal(linear_name(&f->linear, &why), "ldl");
    assert_int_equal(f->linear.parts->pattern->cols, f->e->nv + f->e->nl);
    const sodae_statistics *x = sodae_counters(sparse.s), *y = sodae_counters(dense.s);
    CHECK_IN((double)x->newton_iterations / (double)y->newton_iterations, 0.8, 1.2);
    CHECK_IN((double)x->factorizations / (double)y->factorizations, 0.5, 1.5);
    CHECK_IN(run_distance(60, sodae_state(sparse.s)->q, sodae_state(dense.s)->q), 0, 1e-10);
    run_close(&sparse), run_close(&dense);
}

/* Where the motion bends too much in a step for one point of the derivatives. */
static void the_full_matrix_takes_over_where_one_point_is_not_enough(void **unused) {
    (void)unused;
    run a, b;
    run_start(&a, "andrews", "radau-iia", "stages=4");
    run_start(&b, "andrews", "radau-iia", "stages=4");
    use_one_matrix(&b);
    run_steps(&a, 2.5e-3, 4);
    run_steps(&b, 2.5e-3, 4);
    glm *g = engine_stepper(a.s->engine)->memory;
    assert_int_equal(g->used->form.one_matrix, 1);
    CHECK_IN(run_distance(7, sodae_state(a.s)->q, sodae_state(b.s)->q), 0, 1e-9);
    run_close(&a);
    run_close(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_solution_is_that_of_the_full_matrix),
        cmocka_unit_test(eta_is_condensed_at_no_cost),
        cmocka_unit_test(the_full_matrix_takes_over_where_one_point_is_not_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
