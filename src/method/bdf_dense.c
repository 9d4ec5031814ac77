/* Dense output: the state inside the last step from the history of the method.
 *
 * Every part of the state is interpolated through its last values, of degree k + 1 where the
 * history is long enough, hence of the order of the method: the increments of q in the chart around
 * the newest point, v, v' and r with what is known of their derivatives at the start, multipliers
 * and the rest by values alone.
 *
 * The first points of fixed steps come from the starter and are too few for that; there the starter
 * leads to the instant itself. */
#include "method/bdf.h"

#include "base/vec.h"

/* Weights of `old` values and `hermite` derivatives at the oldest, for t. */
typedef struct weights {
    int old, hermite;
    double w[BDF_DATA], ws[BDF_HERMITE];
} weights;

static weights weights_at(const bdf *B, const bdf_grid *g, double y, int known) {
    weights a = {0};
    int wanted = B->past[0]->order + 2, most = BDF_DATA - BDF_HERMITE;
    if (wanted > most) wanted = most;
    if (B->chapter4) wanted = 6, known = 0; /* (4.31) */
    a.old = wanted < B->count ? wanted : B->count;
    if (B->from_start && a.old == B->count) a.hermite = wanted - a.old;
    if (a.hermite > known) a.hermite = known;
    bdf_interpolation(a.old, a.hermite, g, y, a.w, a.ws);
    return a;
}

typedef double *(*part_of)(const bdf_point *p);
static double *v_of(const bdf_point *p) {
    return p->state_v;
}
static double *a_of(const bdf_point *p) {
    return p->vdot;
}
static double *r_of(const bdf_point *p) {
    return p->r;
}
static double *rdot_of(const bdf_point *p) {
    return p->rdot;
}
static double *lambda_of(const bdf_point *p) {
    return p->lambda;
}
static double *psi_of(const bdf_point *p) {
    return p->psi;
}
static double *w_of(const bdf_point *p) {
    return p->w;
}
static double *s_of(const bdf_point *p) {
    return p->s;
}

static void combine(const bdf *B, const weights *a, int n, part_of part, double *out) {
    vec_zero(n, out);
    for (int i = 1; i <= a->old; i++) vec_add(n, a->w[i], part(B->past[i - 1]), out);
}

static void place(stepper *s, bdf *B, const weights *a, double *q) {
    int nv = s->e->nv;
    double *theta = B->predicted, *start = theta + nv;
    vec_zero(nv, theta);
    bdf_chart(s, B, theta, a->old, B->d);
    for (int i = 1; i <= a->old; i++) vec_add(nv, a->w[i], B->d + (i - 1) * nv, theta);
    if (a->hermite) bdf_start_data(s, B, B->d + (a->old - 1) * nv, start);
    for (int i = 0; i < a->hermite; i++) vec_add(nv, a->ws[i], start + i * nv, theta);
    sodae_space_retract(s->e->space, s->now.q, theta, q);
}

/* From the beginning of the last step, which the starter has made, to t. */
static sodae_status start_to(stepper *s, bdf *B, double t, state *out) {
    return bdf_start_motion(s, B, &s->next, t - s->next.t, t, out);
}

/* s->next is the beginning of the last step, unless the history was loaded. */
static int is_started(const stepper *s, const bdf *B) {
    double off = s->now.t - s->h_last - s->next.t;
    return B->starter && B->count > 1 && B->past[0]->order == 0 &&
           fabs(off) < 1e-6 * fabs(s->h_last);
}

sodae_status bdf_interpolate(stepper *s, double t, state *out) {
    bdf *B = s->memory;
    if (is_started(s, B)) {
        sodae_status st = start_to(s, B, t, out);
        if (!st || st == SODAE_CALLBACK_FAILED) return st;
    }
    const eval *e = s->e;
    bdf_grid g;
    double h = s->h_last, y = (t - s->now.t) / h - 1; /* the newest point is at -1 */
    bdf_grid_fill(B, h, &g);
    weights values = weights_at(B, &g, y, 0), once = weights_at(B, &g, y, 1);
    weights twice = weights_at(B, &g, y, 2);
    s->dense_order = once.old + once.hermite;
    out->t = t;
    place(s, B, &twice, out->q);
    combine(B, &once, e->nv, v_of, out->v);
    vec_add(e->nv, once.ws[0], B->a0, out->v);
    combine(B, &once, e->nr, r_of, out->r);
    vec_add(e->nr, once.ws[0], B->r1, out->r);
    combine(B, &values, e->nv, a_of, out->vdot);
    vec_copy(e->nv, out->vdot, out->a);
    combine(B, &values, e->nr, rdot_of, out->rdot);
    combine(B, &values, e->nl, lambda_of, out->lambda);
    combine(B, &values, e->np, psi_of, out->psi);
    combine(B, &values, e->nw, w_of, out->w);
    combine(B, &values, e->ns, s_of, out->s);
    return SODAE_OK;
}
