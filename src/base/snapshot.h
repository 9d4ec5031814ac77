/* What persists from step to step, as named arrays. A part names its numbers in one function; what
 * happens to them (measured, taken, restored, listed) is up to the visitor. */
#pragma once

typedef struct snapshot_visitor {
    void (*each)(struct snapshot_visitor *v, const char *name, double *x, int count);
    int loading; /* 1: x is written to */
} snapshot_visitor;

/* A whole number between 0 and `most`; others are not taken. */
static inline void snapshot_int(snapshot_visitor *v, const char *name, int *i, int most) {
    double x = *i;
    v->each(v, name, &x, 1);
    if (v->loading && x >= 0 && x <= most) *i = (int)x;
}

/* A part that registers itself where it is opened. */
typedef void snapshot_fn(void *self, snapshot_visitor *v);
