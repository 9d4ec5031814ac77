/* Claims: what is too large is refused in words, what is large and sparse is created. */
#include <stdlib.h>
#include <string.h>

#include "claims.h"

#include <sodae/sodae.h>

static int springs(const sodae_point *at, double *out, void *user) {
    int n = *(int *)user;
    for (int i = 0; i < n; i++) out[i] = -at->q[i];
    return 0;
}

/* n springs; no derivative is given, all patterns are diagonal or empty. */
static sodae_status create(int n, double step, sodae_failure *why) {
    double *q = calloc((size_t)n, sizeof *q);
    int *colptr = calloc((size_t)n + 1, sizeof *colptr),
        *diagonal = calloc((size_t)n + 1, sizeof *diagonal);
    for (int i = 0; i <= n; i++) diagonal[i] = i;
    sodae_problem p = {.size = sizeof(sodae_problem),
                       .name = "springs",
                       .nv = n,
                       .initial = {.q = q, .v = q},
                       .user = &n};
    p.value[SODAE_FORCE].fn = springs;
    p.derivative[SODAE_FORCE][SODAE_Q].pattern = (sodae_pattern){diagonal, diagonal};
    p.derivative[SODAE_FORCE][SODAE_V].pattern = (sodae_pattern){colptr, colptr};
    sodae_options o = sodae_default_options();
    o.step = step;
    sodae *s;
    sodae_status st = sodae_create(&s, &p, &o, why);
    sodae_free(s);
    free(q), free(colptr), free(diagonal);
    return st;
}

static void large_problems_are_created_or_need_more_memory(void **unused) {
    static const int sizes[] = {3000, 8000, 10930, 11585};
    (void)unused;
    for (int i = 0; i < 8; i++) {
        sodae_failure why = {0};
        sodae_status st = create(sizes[i / 2], i % 2 ? 0.01 : NAN, &why);
        if (st != SODAE_OK) assert_int_equal(st, SODAE_NO_MEMORY);
        if (st != SODAE_OK) assert_non_null(strstr(why.message, "memory ran out: "));
    }
}

static void problems_that_are_too_large_are_refused(void **unused) {
    (void)unused;
    double q[1] = {0};
    sodae_problem p = {
        .size = sizeof(sodae_problem), .nv = (1 << 26) + 1, .initial = {.q = q, .v = q}};
    sodae_failure why = {0};
    p.value[SODAE_FORCE].fn = springs;
    assert_int_equal(sodae_problem_check(&p, &why), SODAE_BAD_PROBLEM);
    assert_string_equal(why.where, "nv");
    assert_non_null(strstr(why.message, "the problem is too large: "));
}

/* Differences need the pattern of a large block; one that does not change is known to be empty. */
static void a_large_block_without_a_pattern_is_named(void **unused) {
    (void)unused;
    int n = 2000;
    double *q = calloc((size_t)n, sizeof *q);
    sodae_problem p = {
        .size = sizeof(sodae_problem), .nv = n, .initial = {.q = q, .v = q}, .user = &n};
    sodae_options o = sodae_default_options();
    sodae_failure why = {0};
    sodae *s;
    o.step = 0.01;
    p.value[SODAE_FORCE].fn = springs;
    assert_int_equal(sodae_create(&s, &p, &o, &why), SODAE_BAD_PROBLEM);
    assert_string_equal(why.where, "d force / d q");
    assert_non_null(strstr(why.message, "has 2000 x 2000 entries and no pattern"));
    free(q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_problems_are_created_or_need_more_memory),
        cmocka_unit_test(problems_that_are_too_large_are_refused),
        cmocka_unit_test(a_large_block_without_a_pattern_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
