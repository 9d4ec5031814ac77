/* Claims about BLAS and LAPACK: up to order 64 nothing is called in create, start and step, so that
 * results do not depend on the kernels of a processor. The linker sends the routines of lapack.h
 * here. */
#include "claims.h"
#include "integrator/run.h"
#include "linear/lapack.h"
#include "problems/each.h"

#include <sodae/model.h>

static long calls;

void __real_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void __real_dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
                    const int *lda, const int *ipiv, double *b, const int *ldb, int *info);
void __wrap_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
void __wrap_dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
                    const int *lda, const int *ipiv, double *b, const int *ldb, int *info);
void __wrap_dgecon_(void);
void __wrap_dpotrf_(void);
void __wrap_dtrtrs_(void);
void __wrap_dgeev_(void);
void __wrap_dgesvd_(void);

void __wrap_dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info) {
    calls++;
    __real_dgetrf_(m, n, a, lda, ipiv, info);
}

void __wrap_dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
                    const int *lda, const int *ipiv, double *b, const int *ldb, int *info) {
    calls++;
    __real_dgetrs_(trans, n, nrhs, a, lda, ipiv, b, ldb, info);
}

void __wrap_dgecon_(void) {
    fail_msg("dgecon");
}

void __wrap_dpotrf_(void) {
    fail_msg("dpotrf");
}

void __wrap_dtrtrs_(void) {
    fail_msg("dtrtrs");
}

void __wrap_dgeev_(void) {
    fail_msg("dgeev");
}

void __wrap_dgesvd_(void) {
    fail_msg("dgesvd");
}

static long calls_of(const sodae_problem *p, const sodae_options *o, double length) {
    calls = 0;
    sodae *s = run_start(p, o);
    sodae_status st = sodae_advance(s, sodae_state(s)->t + length, NULL, NULL);
    if (st < 0) fail_msg("%s", sodae_last_failure(s)->message);
    sodae_free(s);
    return calls;
}

static void check(const sodae_problem *p, int method, int formulation, double length) {
    sodae_options o = run_options(method, formulation, NAN);
    for (int fixed = 0; fixed < 2; fixed++) {
        o.step = fixed ? length / 20 : NAN, o.rtol = 1e-4;
        assert_int_equal(calls_of(p, &o, length), 0);
    }
}

static const struct {
    const char *problem;
    int method, formulation;
} cases[] = {
    {"pendulum", SODAE_METHOD_AUTO, SODAE_FORMULATION_AUTO},
    {"all-blocks", SODAE_GENERALIZED_ALPHA, SODAE_SOI2},
    {"heavy-top", SODAE_GENERALIZED_ALPHA, SODAE_STABILIZED},
    {"andrews", SODAE_GENERALIZED_ALPHA, SODAE_INDEX3},
    {"hht-test", SODAE_EXTENDED_HHT, SODAE_ODAE},
    {"andrews", SODAE_RADAU_IIA, SODAE_FORMULATION_AUTO},
    {"heavy-top", SODAE_RADAU_IIA, SODAE_MINIMAL_EXTENSION},
    {"heavy-top", SODAE_GAUSS, SODAE_FORMULATION_AUTO},
    {"pendulum", SODAE_MSR, SODAE_FORMULATION_AUTO},
    {"heavy-top", SODAE_DC, SODAE_GGL2},
    {"andrews", SODAE_BDF, SODAE_FORMULATION_AUTO},
    {"slider-crank", SODAE_MODIFIED_BDF, SODAE_FORMULATION_AUTO},
    {"rolling-disk-s3", SODAE_BDF, SODAE_INDEX2},
};

static void small_problems_need_no_lapack(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const catalogue_entry *entry = catalogue_find(cases[i].problem);
        sodae_problem *p = each_create(entry, NULL, 0);
        check(p, cases[i].method, cases[i].formulation, 20 * entry->step);
        entry->free(p);
    }
}

/* Bricard's mechanism: 30 velocities, 30 constraints of rank 29; index 3 has order 60. */
static void dependent_constraints_need_no_lapack(void **unused) {
    sodae_model *model;
    (void)unused;
    assert_int_equal(sodae_model_load(EXAMPLES "/bricard.yaml", NULL, &model, NULL), SODAE_OK);
    check(sodae_model_problem(model), SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, 0.01);
    sodae_model_free(model);
}

/* 172 links: order 516. */
static void large_sparse_problems_need_no_lapack(void **unused) {
    const catalogue_entry *entry = catalogue_find("chain");
    sodae_problem *p = each_create(entry, "n", 172);
    sodae_options o = run_options(SODAE_GENERALIZED_ALPHA, SODAE_INDEX3, NAN);
    (void)unused;
    o.step = 1e-3;
    assert_int_equal(calls_of(p, &o, 3e-3), 0);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_problems_need_no_lapack),
        cmocka_unit_test(dependent_constraints_need_no_lapack),
        cmocka_unit_test(large_sparse_problems_need_no_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
