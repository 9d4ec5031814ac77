/* Reference solutions: y' = f(y) integrated to about 1e-15, for any times asked. */
#pragma once

#include <stdatomic.h>

enum { REFERENCE_MAX = 40, REFERENCE_KEPT = 512 };

typedef void reference_rhs(const long double *y, long double *dy, const void *user);

typedef struct reference_state {
    long double t, h, y[REFERENCE_MAX]; /* h: size of the next step */
} reference_state;

/* One march from the start, the same for all times asked: its first states are kept. A slot is
 * written once and read afterwards, so that threads may share the solution without a lock. */
typedef struct reference {
    int n;
    reference_rhs *rhs;
    const void *user;
    reference_state start, kept[REFERENCE_KEPT];
    atomic_int slot[REFERENCE_KEPT];
} reference;

void reference_start(reference *ref, int n, reference_rhs *rhs, const void *user,
                     const long double *y0);
/* y(t); returns 0, or 1 when the solution cannot be followed up to t. Safe for threads. */
int reference_at(reference *ref, double t, long double *y);
