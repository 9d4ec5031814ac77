/* Where the stages are: the map from the unknowns to q, v, a, r and r'. */
#include "formulation/form.h"

#include "base/vec.h"

/* exp(-ceta sum_j ce_ij B_j^T eta_j): the shift of the position by the second multiplier. */
static void add_eta(const form *f, int i, const double *x, double *theta) {
    for (int j = 0; j < f->stages; j++)
        pattern_multiply_transposed(&f->e->G, f->stage[j].B, -f->ceta * f->ce[i * f->stages + j],
                                    x + j * f->n + f->at_eta, theta);
}

/* z_i = z0_i + sum_j c_ij x_j for the part [at, at + n) of the unknowns. */
static void affine(const form *f, int i, const double *c, const double *x, int at, int n,
                   const double *z0, double *z) {
    const double *ci = c + i * f->stages;
    int stages = at == 0 ? f->stages : form_wholes(f);
    for (int k = 0; k < n; k++) z[k] = z0[k] + ci[0] * x[at + k];
    for (int j = 1; j < stages; j++) vec_add(n, ci[j], x + form_first(f, j) + at, z);
}

/* theta, v and a of the only stage. */
static void place_one(const form *f, const double *restrict x, const double *restrict last,
                      form_stage *s) {
    double cq = f->cq[0], cv = f->cv[0], ca = f->ca[0];
    double *restrict theta = s->theta, *restrict v = s->v, *restrict a = s->a;
    const double *restrict dq = s->dq, *restrict v0 = s->v0, *restrict a0 = s->a0;
    for (int k = 0; k < f->e->nv; k++) {
        theta[k] = dq[k] + cq * x[k];
        v[k] = v0[k] + cv * last[k];
        a[k] = a0[k] + ca * last[k];
    }
}

void form_fix(form *f, const sodae_point *at) {
    form_stage *s = f->stage;
    s->t = at->t;
    s->q = (double *)at->q, s->v = (double *)at->v, s->r = (double *)at->r; /* never written to */
}

/* Positions come from the first half, velocities and r from the last. */
void form_place(form *f, const double *x) {
    const double *last = x + (f->kind->halves - 1) * f->n * f->stages;
    int nv = f->e->nv;
    f->tangents = 0;
    if (f->kind->fixed_state) {
        vec_copy(nv, x, f->stage->a), vec_copy(f->e->nr, x + f->at_y, f->stage->rd);
        return;
    }
    for (int i = 0; i < f->stages; i++) {
        form_stage *s = &f->stage[i];
        if (f->stages == 1) {
            place_one(f, x, last, s);
        } else {
            if (!f->curve) affine(f, i, f->cq, x, 0, nv, s->dq, s->theta);
            affine(f, i, f->cv, last, 0, nv, s->v0, s->v);
            affine(f, i, f->ca, last, 0, nv, s->a0, s->a);
        }
        if (!f->curve && f->kind->second_multiplier) add_eta(f, i, x, s->theta);
        if (!f->curve) sodae_space_retract(f->e->space, s->q0, s->theta, s->q);
        if (f->e->nr == 0) continue;
        affine(f, i, f->cr, last, f->at_y, f->e->nr, s->r0, s->r);
        affine(f, i, f->crd, last, f->at_y, f->e->nr, s->rd0, s->rd);
    }
    if (f->curve && f->swings)
        form_swing(f);
    else if (f->curve)
        form_bend(f, x);
}

sodae_point form_point(const form *f, int i, const double *u) {
    const form_stage *s = &f->stage[i];
    if (f->kind->apart) u -= form_first(f, i);
    return (sodae_point){.t = s->t,
                         .q = s->q,
                         .v = s->v,
                         .a = s->a,
                         .lambda = u + f->at_lambda,
                         .psi = u + f->at_psi,
                         .r = s->r,
                         .w = s->w ? s->w : u + f->at_w,
                         .s = s->s ? s->s : u + f->at_s};
}

sodae_point form_balance_point(const form *f, int i, const sodae_point *at) {
    sodae_point here = *at;
    if (!f->kind->apart) return here;
    form_reads reads = f->kind->apart[i].reads;
    if (reads == READS_ETA) here.lambda = at->psi + f->e->np; /* at_eta */
    if (reads == READS_NONE) here.lambda = f->none;
    if (reads != READS_LAMBDA) here.psi = f->none;
    return here;
}

/* The point of one half of SOI2: both see q(x~), s~ and v(x), each its own r; the position half
 * takes a(x~), and its kinematic constraints v(x~). */
sodae_point form_half_point(form *f, int half, int i, const double *x) {
    if (f->kind->halves == 1) return form_point(f, i, x + form_first(f, i));
    form_stage *s = &f->stage[i];
    const double *own = x + half * f->n * f->stages;
    sodae_point at = form_point(f, i, own + form_first(f, i));
    at.s = x + i * f->n + f->at_s;
    affine(f, i, f->cr, own, f->at_y, f->e->nr, s->r0, s->r);
    affine(f, i, f->crd, own, f->at_y, f->e->nr, s->rd0, s->rd);
    if (half == 0) {
        affine(f, i, f->ca, x, 0, f->e->nv, s->a0, f->row);
        affine(f, i, f->cv, x, 0, f->e->nv, s->v0, f->row + f->e->nv);
        at.a = f->row;
    }
    return at;
}
