/* What persists from step to step, as named arrays. A part names its numbers in one function; what
 * happens to them (measured, taken, restored, listed) is up to the visitor.
 *
 * How a method keeps its matrix. A form registers itself when it is opened: coefficients, unknowns,
 * the values of the factored matrix, `valid`, `fresh` and `rate` of Newton persist, and loading
 * factors these values again (form_visit). The forms come after the method's own `history`, so what
 * that sets in a form is overwritten. Left to the method are the numbers by which it decides that
 * the matrix still serves, such as the step or coefficient it was built with: name them in
 * `history`. After loading they must equal what they were, or the next step builds a new matrix and
 * the run continues with other last digits. A solver outside of a form is named the same way: the
 * values that were factored, and when loading factor them again. */
#pragma once

typedef struct snapshot_visitor {
    void (*each)(struct snapshot_visitor *v, const char *name, double *x, int count);
    int loading;  /* 1: x is written to */
    int optional; /* 1: zero where the history has none */
} snapshot_visitor;

/* A whole number between 0 and `most`; others are not taken. */
static inline void snapshot_int(snapshot_visitor *v, const char *name, int *i, int most) {
    double x = *i;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x <= most) *i = (int)x;
}

/* A part that registers itself where it is opened. */
typedef void snapshot_fn(void *self, snapshot_visitor *v);
