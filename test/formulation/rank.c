/* Rank of many constraints by sparse factors: a chain of bars of length 1, with some bars twice. */
#include "claims.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct chain {
    sodae_problem p;
    int n, extra; /* bars, and how many of them stand there twice: the first ones */
    int *colptr, *rowind;
    double *q, *v;
    const char **names;
    char (*text)[24];
} chain;

static int bar_of(const chain *c, int row) {
    return row < c->n ? row : row - c->n;
}

static int weight(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    (void)at;
    for (int i = 0; i < c->n; i++) out[2 * i] = 0, out[2 * i + 1] = -1;
    return 0;
}

static int lengths(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int row = 0; row < c->n + c->extra; row++) {
        int i = bar_of(c, row);
        double x = at->q[2 * i] - (i ? at->q[2 * i - 2] : 0);
        double y = at->q[2 * i + 1] - (i ? at->q[2 * i - 1] : 0);
        out[row] = (x * x + y * y - 1) / 2;
    }
    return 0;
}

/* Column of x of mass i, then of y: its bar, the next one, and those again if they are there twice.
 */
static int gradients(const sodae_point *at, double *out, void *user) {
    const chain *c = user;
    for (int j = 0; j < 2 * c->n; j++)
        for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++) {
            int i = bar_of(c, c->rowind[k]);
            double d = at->q[2 * i + j % 2] - (i ? at->q[2 * i - 2 + j % 2] : 0);
            out[k] = i == j / 2 ? d : -d;
        }
    return 0;
}

static void open_chain(chain *c, int n, int extra) {
    *c = (chain){.n = n, .extra = extra};
    size_t m = (size_t)(n + extra), nv = 2 * (size_t)n;
    c->colptr = calloc(nv + 1, sizeof(int)), c->rowind = calloc(4 * nv, sizeof(int));
    c->q = calloc(nv, sizeof(double)), c->v = calloc(nv, sizeof(double));
    c->names = calloc(m, sizeof *c->names), c->text = calloc(m, sizeof *c->text);
    for (int j = 0, at = 0; j < 2 * n; j++) {
        for (int row = 0; row < n + extra; row++) {
            int i = bar_of(c, row);
            if (i == j / 2 || i == j / 2 + 1) c->rowind[at++] = row;
        }
        c->colptr[j + 1] = at;
    }
    for (size_t row = 0; row < m; row++) {
        snprintf(c->text[row], sizeof *c->text, "%s %d", (int)row < n ? "bar" : "again",
                 bar_of(c, (int)row) + 1);
        c->names[row] = c->text[row];
    }
    for (int i = 0; i < n; i++) c->q[2 * i] = i + 1;
    c->p = (sodae_problem){.size = sizeof c->p, .nv = 2 * n, .nlambda = (int)m, .user = c};
    c->p.value[SODAE_FORCE].fn = weight, c->p.value[SODAE_HOLONOMIC].fn = lengths;
    c->p.derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){gradients, {c->colptr, c->rowind}};
    c->p.equation_names[SODAE_HOLONOMIC] = c->names;
    c->p.initial = (sodae_point){.q = c->q, .v = c->v};
}

static void close_chain(chain *c) {
    free(c->colptr), free(c->rowind), free(c->q), free(c->v), free(c->names), free(c->text);
}

static sodae *create(const chain *c) {
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    o.step = 1e-3;
    assert_int_equal(sodae_create(&s, &c->p, &o, &why), SODAE_OK);
    return s;
}

/* 64 constraints are looked at by full factors, more by sparse ones. */
static void bars_that_stand_twice_are_counted_and_named(void **unused) {
    static const int bars[] = {40, 100}, twice[] = {1, 3};
    (void)unused;
    for (int k = 0; k < 4; k++) {
        chain c;
        int extra = twice[k / 2];
        open_chain(&c, bars[k % 2], extra);
        sodae *s = create(&c);
        assert_int_equal(sodae_start(s), SODAE_NOT_UNIQUE);
        assert_int_equal(sodae_started(s)->redundant, extra);
        assert_non_null(strstr(sodae_started(s)->redundant_names, "again 1"));
        assert_int_equal(sodae_advance(s, 0.01, NULL, NULL), SODAE_OK);
        CHECK_IN(sodae_counters(s)->worst_position, 0, 1e-12);
        sodae_free(s);
        close_chain(&c);
    }
}

/* Too many for multipliers of least size. */
static void among_many_bars_the_dependent_ones_are_refused_by_name(void **unused) {
    (void)unused;
    for (int extra = 0; extra < 3; extra += 2) {
        chain c;
        open_chain(&c, 700, extra);
        sodae *s = create(&c);
        sodae_status st = sodae_start(s);
        assert_int_equal(st, extra ? SODAE_REDUNDANT : SODAE_OK);
        if (extra) {
            const char *message = sodae_last_failure(s)->message;
            assert_non_null(strstr(message, "702 constraints have rank 700"));
            assert_non_null(strstr(message, " 1)"));
            assert_non_null(strstr(message, " 2)"));
        }
        sodae_free(s);
        close_chain(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bars_that_stand_twice_are_counted_and_named),
        cmocka_unit_test(among_many_bars_the_dependent_ones_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
