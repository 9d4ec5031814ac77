/* Reference solutions: y' = f(y) integrated to about 1e-15, for any times asked. */
#pragma once

enum { REFERENCE_MAX = 40, REFERENCE_KEPT = 64 };

typedef void reference_rhs(const long double *y, long double *dy, const void *user);

typedef struct reference_state {
    long double t, y[REFERENCE_MAX];
} reference_state;

/* The start and the states reached lately: a time is reached from the last one before it. */
typedef struct reference {
    int n;
    reference_rhs *rhs;
    const void *user;
    long double h; /* size of the next step */
    reference_state start, kept[REFERENCE_KEPT];
    int count, next;
} reference;

void reference_start(reference *ref, int n, reference_rhs *rhs, const void *user,
                     const long double *y0);
/* y(t); returns 0, or 1 when the solution cannot be followed up to t. */
int reference_at(reference *ref, double t, long double *y);
