/* Claim: threads that share a problem of the catalogue get its exact solution, bit for bit. Built
 * with the thread sanitizer, which ends the run where two threads race. */
#include <pthread.h>
#include <string.h>

#include "claims.h"
#include "each.h"

enum { THREADS = 4, TIMES = 25 };

typedef struct question {
    const sodae_problem *problem;
    int stride; /* from time to time, prime to TIMES */
    double v[TIMES][EACH_MAX];
} question;

/* Each thread asks for the same times in another order. */
static void *ask(void *user) {
    question *it = user;
    for (int k = 0; k < TIMES; k++) {
        int which = k * it->stride % TIMES;
        double t = it->problem->initial.t + 0.04 * which;
        it->problem->exact(t, &(sodae_solution){.size = sizeof(sodae_solution), .v = it->v[which]},
                           it->problem->user);
    }
    return NULL;
}

static void check_threads(const each_case *c) {
    static const int strides[THREADS] = {1, 1, 24, 7};
    static question questions[THREADS], alone;
    pthread_t threads[THREADS];
    if (!each_known(c)) return;
    sodae_problem *fresh = each_create(c->entry, NULL, 0), *shared = each_create(c->entry, NULL, 0);
    alone = (question){.problem = fresh, .stride = 1};
    ask(&alone);
    for (int i = 0; i < THREADS; i++) {
        questions[i] = (question){.problem = shared, .stride = strides[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, ask, &questions[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(questions[i].v, alone.v, sizeof alone.v);
    }
    c->entry->free(fresh);
    c->entry->free(shared);
}

static void threads_share_an_exact_solution(void **unused) {
    (void)unused;
    each_problem(check_threads);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_share_an_exact_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
