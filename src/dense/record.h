/* The record of a step: a value from which the state inside the step is interpolated.
 *
 * It holds the ends of the last steps of one smooth piece, the newest last, so that the step lies
 * between the last two, and the stages of collocation. It does not change when the integrator
 * moves on; a step that an event has cut stays readable up to the cut. */
#pragma once

#include "problem/state.h"

/* Through so many points v' and multipliers: a cubic, as more make a wave of one that is off. */
enum { RECORD_POINTS = 8, RECORD_VALUES = 4 };

/* The numbers lie in the pool: records of steps in a row have most points in common. */
typedef struct record_point {
    unsigned slot; /* its number in the pool */
    double t;
    double *q, *v, *r;
    double *x; /* v', r', lambda, psi, w, s: interpolated by values alone */
} record_point;

typedef struct record_pool record_pool;

typedef struct record {
    record_pool *pool;
    int n; /* points known; fewer than 2: there is no step */
    record_point point[RECORD_POINTS];
    inner_stages inner; /* stages between the last two points; count = 0: none */
    int through;        /* through how many ends of steps q and v are interpolated, at least 2 */
    int settles;        /* 1: v' and multipliers inside belong to q and v there */
    int stiff;          /* 1: the stages are right where forces are stiff, v' is not */
    int stiff_r;        /* 1: the stages are right where rates of r are stiff, r' is not */
    int by_values;      /* 1: q and v are interpolated by their values alone, 004 (4.31) */
    int *mode;          /* modes of the run during the step */
    double to;          /* readable up to here: the end of the step, or where it was cut */
} record;

/* Three records, of which two are kept while the third is written, and room for their points: two
 * that follow each other have `room` + 1, a new one is added. */
struct record_pool {
    record record[3];
    int room; /* points of a record */
    record_point slot[RECORD_POINTS + 2];
};

/* Room for so many points, RECORD_VALUES to RECORD_POINTS. */
void record_open(record_pool *p, arena *a, const eval *e, int room);
/* Room for the stages of collocation. */
void record_open_stages(record_pool *p, arena *a, const eval *e);
/* Nothing of it is needed any more. */
static inline void record_clear(record *r) {
    r->n = 0;
}
/* One point: nothing before it belongs to the same smooth piece. */
void record_begin(record *r, const eval *e, const state *s);
/* r <- the points of `past` and `end`; without the oldest where there is no more room. */
void record_extend(record *r, const record *past, const eval *e, const state *end);

static inline int record_has_step(const record *r) {
    return r->n >= 2;
}
static inline int record_has_stages(const record *r) {
    return record_has_step(r) && r->inner.count > 0 && r->inner.whole;
}
static inline double record_from(const record *r) {
    return r->point[r->n - 2].t;
}

/* The state at t inside the step. q, v and r: Hermite interpolation of q by v, and by v' where that
 * belongs to q and v, through the ends of up to `through` steps; the polynomial of collocation
 * through the stages where forces are stiff. The rest: Lagrange interpolation. */
void record_state(const record *r, eval *e, double t, state *out);
/* The same of q, v, r and s alone. */
void record_motion(const record *r, eval *e, double t, state *out);
/* All of it by the polynomials through the stages, where record_has_stages: they fulfil the
 * equations at the stages with the v' and multipliers that the method found there. */
void record_stages(const record *r, eval *e, double t, state *out);
/* The error of v inside the step ~ h^this. */
int record_order(const record *r, eval *e);

/* Names what is needed to interpolate the next step. loading: no other record is kept. */
typedef void record_visit(void *user, const char *name, double *x, int count);
void record_each(record *r, const eval *e, int loading, record_visit *visit, void *user);
