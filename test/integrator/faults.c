#include "integrator/faults.h"

#include <math.h>
#include <string.h>

/* What is to be wrong with this call. */
static fault_kind wrong(fault *f, fault_where where) {
    if (!(f->where & where)) return FAULT_NONE;
    long n = ++f->calls, last = f->until > f->at ? f->until : f->at;
    return n >= f->at && (f->forever || n <= last) ? f->kind : FAULT_NONE;
}

static int code_of(fault_kind kind) {
    return (kind == FAULT_REFUSE) - (kind == FAULT_STOP);
}

static int call_fn(sodae_fn *fn, const sodae_point *at, double *out, void *user, fault_kind kind) {
    if (code_of(kind)) return code_of(kind);
    int code = fn(at, out, user);
    if (kind == FAULT_NAN) out[0] = NAN;
    return code;
}

/* The term may be a value or a derivative. */
static int call(const sodae_term *inner, const sodae_point *at, double *out, fault *f) {
    return call_fn(inner->fn, at, out, f->inner->user, wrong(f, FAULT_FUNCTIONS));
}

static void *user_of(const fault_event *e) {
    return e->inner->user ? e->inner->user : e->fault->inner->user;
}

static int when(const sodae_point *at, double *out, void *user) {
    fault_event *e = user;
    return call_fn(e->inner->when, at, out, user_of(e), wrong(e->fault, FAULT_WHEN));
}

/* The state is written to first. */
static int act(const sodae_point *at, const sodae_solution *state, void *user) {
    fault_event *e = user;
    fault_kind kind = wrong(e->fault, FAULT_ACT);
    int code = e->inner->act(at, state, user_of(e));
    if (kind == FAULT_NAN) state->v[0] = NAN;
    if (code_of(kind)) state->q[0] = 7, state->v[0] = 100;
    return code_of(kind) ? code_of(kind) : code;
}

static void wrap_events(fault *f) {
    for (int i = 0; i < f->inner->nevents && i < FAULT_EVENTS; i++) {
        const sodae_event *inner = &f->inner->events[i];
        f->slot[i] = (fault_event){f, inner};
        f->events[i] = *inner;
        f->events[i].when = when;
        f->events[i].act = inner->act ? act : NULL;
        f->events[i].user = &f->slot[i];
    }
    f->problem.events = f->events;
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
    *f = (fault){.problem = *inner, .inner = inner, .where = FAULT_ANYWHERE};
    f->problem.user = f;
    f->problem.exact = NULL;
    if (inner->nevents) wrap_events(f);
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
