#include "integrator/faults.h"

#include <math.h>
#include <string.h>

/* The term may be a value or a derivative. */
static int call(const sodae_term *inner, const sodae_point *at, double *out, fault *f) {
    long n = ++f->calls;
    long last = f->until > f->at ? f->until : f->at;
    int hit = f->kind != FAULT_NONE && n >= f->at && (f->forever || n <= last);
    if (hit && f->kind == FAULT_REFUSE) return 1;
    if (hit && f->kind == FAULT_STOP) return -1;
    int code = inner->fn(at, out, f->inner->user);
    if (hit) out[0] = NAN;
    return code;
}

#define VALUE(F)                                                                                   \
    static int value_##F(const sodae_point *at, double *out, void *user) {                         \
        fault *f = user;                                                                           \
        return call(&f->inner->value[F], at, out, f);                                              \
    }
#define DERIVATIVE(F, X)                                                                           \
    static int derivative_##F##_##X(const sodae_point *at, double *out, void *user) {              \
        fault *f = user;                                                                           \
        return call(&f->inner->derivative[F][X], at, out, f);                                      \
    }
#define ROW(F)                                                                                     \
    VALUE(F)                                                                                       \
    DERIVATIVE(F, 0)                                                                               \
    DERIVATIVE(F, 1)                                                                               \
    DERIVATIVE(F, 2)                                                                               \
    DERIVATIVE(F, 3)                                                                               \
    DERIVATIVE(F, 4)                                                                               \
    DERIVATIVE(F, 5)                                                                               \
    DERIVATIVE(F, 6)                                                                               \
    DERIVATIVE(F, 7)
ROW(0)
ROW(1)
ROW(2)
ROW(3)
ROW(4)
ROW(5)
ROW(6)
ROW(7)
ROW(8)
ROW(9)
ROW(10)
ROW(11)

#define LIST(F)                                                                                    \
    {                                                                                              \
        value_##F, derivative_##F##_0, derivative_##F##_1, derivative_##F##_2, derivative_##F##_3, \
            derivative_##F##_4, derivative_##F##_5, derivative_##F##_6, derivative_##F##_7         \
    }
static sodae_fn *const wrappers[12][9] = {LIST(0), LIST(1), LIST(2), LIST(3), LIST(4),  LIST(5),
                                          LIST(6), LIST(7), LIST(8), LIST(9), LIST(10), LIST(11)};

_Static_assert(SODAE_FUNCTIONS == 12 && SODAE_VARIABLES == 8, "one wrapper for each callback");

void fault_wrap(fault *f, const sodae_problem *inner) {
    *f = (fault){.problem = *inner, .inner = inner};
    f->problem.user = f;
    f->problem.exact = NULL;
    for (int i = 0; i < SODAE_FUNCTIONS; i++) {
        if (inner->value[i].fn) f->problem.value[i].fn = wrappers[i][0];
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if (inner->derivative[i][x].fn) f->problem.derivative[i][x].fn = wrappers[i][x + 1];
    }
}

void fault_arm(fault *f, fault_kind kind, long at) {
    f->kind = kind;
    f->at = at;
    f->calls = 0;
}
