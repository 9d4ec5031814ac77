/* Local errors as for HHT without constraints (see alpha_error.c; alpha_m = 0), from the mean
 * acceleration m_n = (v_{n+1} - v_n)/h of each step, which unlike the multipliers is of order 2:
 *     e_q = h^3/6 (1 - 6 beta - 3 alpha) v'',  e_v = h^3 (1/12 - alpha/2 - alpha^2) v''',
 * and the error of r is that of v with r''' for v'''.
 *
 * Constraints hold q and v at the end of the step, (3.4d,e), so that errors have no part normal to
 * them: e - M^-1 R (G M^-1 R)^-1 G e is left. Without that the motion of a constraint that depends
 * on time would be an error, however well it is met. The index 2 form holds v alone. Multipliers
 * are those of the new state, tested by what a step does not see of them, h^2 lambda''/12. */
#include "method/extended_hht.h"

#include "base/vec.h"
#include "estimate/error.h"

/* h^3 v'' and h^3 v''' in u, w; the first steps know less. */
static void differences(const stepper *s, hht *H, double h) {
    int nv = s->e->nv;
    double hp = s->h_last, gap = (h + hp) / 2, gap_before = (hp + H->h_before) / 2;
    for (int i = 0; i < nv; i++) {
        double m = (s->next.v[i] - s->now.v[i]) / h;
        double slope = s->step > 0 ? (m - H->mean[i]) / gap : (m - s->now.vdot[i]) / (h / 2);
        double before = s->step > 1 ? (H->mean[i] - H->mean_before[i]) / gap_before : slope;
        H->u[i] = h * h * h * slope;
        H->w[i] = h * h * h * (slope - before) / ((gap + gap_before) / 2);
    }
    if (s->step < 2) vec_zero(nv, H->w);
}

/* h^3 r''' in r1, from the rates. */
static void differences_of_r(const stepper *s, hht *H, double h) {
    double hp = s->h_last, gap = (h + hp) / 2;
    for (int i = 0; i < s->e->nr; i++) {
        double slope = (s->next.rdot[i] - s->now.rdot[i]) / h;
        double before = s->step > 0 ? (s->now.rdot[i] - H->rdot_last[i]) / hp : H->bend[i];
        H->r1[i] = h * h * h * (slope - before) / (s->step > 0 ? gap : h / 2);
    }
}

static double multiplier_error(const stepper *s, hht *H, double h) {
    const state *n = &s->now, *m = &s->next;
    double hp = s->h_last;
    double c = 1.0 / 12;
    error_bend(s->e->nl, c, m->lambda, n->lambda, H->lambda_last, h, hp, H->dlambda);
    error_bend(s->e->np, c, m->psi, n->psi, H->psi_last, h, hp, H->dpsi);
    return error_norm_lambda(s, H->dlambda, H->dpsi);
}

sodae_status extended_hht_error(stepper *s, double h, step_error *out) {
    hht *H = s->memory;
    const eval *e = s->e;
    double Cq = (1 - 6 * H->be - 3 * H->al) / 6, Cv = 1.0 / 12 - H->al / 2 - H->al * H->al;
    differences(s, H, h), differences_of_r(s, H, h);
    vec_scale(e->nv, Cq, H->u), vec_scale(e->nv, Cv, H->w), vec_scale(e->nr, Cv, H->r1);
    if (e->nl && !H->index2) consistent_free_part(s->c, H->u);
    if (e->nl + e->np) consistent_free_part(s->c, H->w);
    double size = error_norm(s, (error_vector){H->u, H->w, H->r1}) / error_share(s, h, 2);
    if (s->step) size = larger(size, multiplier_error(s, H, h));
    *out = (step_error){.size = size, .order = 2, .smooth_steps = 1};
    return SODAE_OK;
}
