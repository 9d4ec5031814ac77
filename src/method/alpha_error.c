/* Local errors. With A = v' and a_n = A(t_n + alpha h) + O(h^2) the expansions of (9a-d) give
 *     q+ - q(t+) = -h^3/6 (1 - 6 beta - 3 alpha) A',
 *     v+ - v(t+) =  h^3 (1/12 - alpha^2/2 - alpha (1 - 2 alpha_m + alpha)/2) A'';
 * A' and A'' by differences of the carried a, filtered by the iteration matrix (what the
 * constraints hold is not in error; those at velocity level do not hold q), multipliers by their
 * second difference. The local error is O(h^3), its share of the tolerance O(h): order 2.
 *
 * Differences of small steps are noisy: rounding of v is eps v/h in a. Sums of differences are not
 * (they telescope): within the noise of the step the mean over the last steps counts. */
#include "method/alpha.h"

#include "base/vec.h"
#include "estimate/error.h"

#include <math.h>

/* Rounding of a: q and v follow from it. */
static double rounding(const alpha *A) {
    return form_margin * form_rounding(&A->form, 0, A->form.kind->halves - 1);
}

/* x, an error ~ h^3 known up to `noise`, becomes the value nearest to its mean over the last steps;
 * `at`: its place among the means, which have seen `count` values of it. */
static void take_mean(const stepper *s, alpha *A, double h, double noise, int at, long count,
                      double *x) {
    double unit = h * h * h,
           weight = 1.0 / (count < ALPHA_MEMORY ? (double)count + 1 : ALPHA_MEMORY);
    for (int i = 0; i < s->e->nv; i++) {
        double own = x[i] / unit, before = count ? A->mean[at + i] : own;
        double mean = before + weight * (own - before);
        A->mean_next[at + i] = mean;
        x[i] = fmin(x[i] + noise, fmax(x[i] - noise, mean * unit));
    }
}

static double position_constant(const alpha *A) {
    return (1 - 6 * A->be - 3 * A->al) / 6;
}

static double velocity_constant(const alpha *A) {
    return 1.0 / 12 - A->al * A->al / 2 - A->al * (1 - 2 * A->am + A->al) / 2;
}

/* h^3 (...) r''' */
static double rate_error(const stepper *s, alpha *A, double h) {
    double Cv = velocity_constant(A);
    error_bend(s->e->nr, Cv * h, A->y_next, A->y, A->y_before, h, A->gap, A->rjerk);
    return error_norm_r(s, A->rjerk);
}

/* h^3 (...) A'' */
static void velocity_error(const stepper *s, alpha *A, double h) {
    double Cv = velocity_constant(A);
    int nv = s->e->nv;
    error_bend(nv, Cv * h, s->next.a, A->a, A->a_before, h, A->gap, A->u);
    form_filter(&A->form, A->u);
    take_mean(s, A, h, 4 * fabs(Cv) * h * rounding(A), nv, s->step - 1, A->u); /* 1 + 2 + 1 */
}

/* The part of the multipliers that a step does not resolve. */
static double multiplier_error(const stepper *s, alpha *A, double h, double hp) {
    const eval *e = s->e;
    const state *n = &s->now, *m = &s->next;
    error_bend(e->nl, 1.0 / 12, m->lambda, n->lambda, A->lambda_last, h, hp, A->l1);
    error_bend(e->np, 1.0 / 12, m->psi, n->psi, A->psi_last, h, hp, A->l2);
    return error_norm_lambda(s, A->l1, A->l2);
}

/* In index 3 v carries the normal part of the error of q over h. */
static double normal_error(const stepper *s, alpha *A, double h) {
    for (int i = 0; i < s->e->nv; i++) A->u[i] = A->w[i] / h;
    return error_norm_v(s, A->u);
}

/* Stiff forces hold q, and v follows from its differences: an error of v that does not add up.
 * After a change of the step v keeps what belonged to the old one and a alternates by that over h,
 * also in steps that have no error of their own, the smaller the more. A' over two steps does not
 * alternate; of the single one a part counts, so that no oscillation of several tolerances is
 * overlooked. */
TUNING(small, 20, "tolerances in v: an oscillation of 10 in both directions, see below");

static sodae_status held_error(stepper *s, alpha *A, double h, double *size) {
    int nv = s->e->nv;
    double c = s->step ? position_constant(A) * h * h * h / (h + A->gap) : 0;
    for (int i = 0; i < nv; i++) {
        double twice = c * (s->next.a[i] - A->a_before[i]);
        A->jerk[i] = fabs(twice) > 4 / small * fabs(A->w[i]) ? twice : 4 / small * A->w[i];
    }
    sodae_status st = error_stiff(s, &A->form, A->jerk, A->room, A->u);
    vec_scale(nv, 1 / h, A->u);
    *size = error_norm_v(s, A->u);
    return st;
}

/* Small oscillations that forces hold. Of one with amplitude a in v the method makes at most a
 * again: it is wrong by no more than 2 a, however long the run, and its local errors do not add up.
 * To follow it would take short steps, in which nothing damps it. With sigma = 2 sin(omega h/2)
 *     S u = c omega^2 F u,   u = F Cv a omega h sigma^2 cos,   u - u_before = .. sigma sin
 * give omega and a, S being that of error_stiffness. (A' would not do: there slow motions outweigh
 * the oscillation; nor F: it knows dampers, too.) Where one of u and its difference passes zero,
 * its S belongs to other components: both have to agree. Differences show the amplitude up
 * to omega h = pi. */
TUNING(matters, 0.2, "of the share: a smaller error shortens no step, fading or not");

typedef struct oscillation {
    double u, du, scale, unit; /* omega h = scale (S u/F u)^1/2; Cv */
    double in_v, in_q;         /* tolerances; that of q over h */
} oscillation;

/* Is a small, S y being `ratio` times F y for y = u or y = du? */
static int is_small(const oscillation *o, double ratio) {
    double x = fmin(acos(-1), o->scale * sqrt(fmax(ratio, 0))), sigma = 2 * sin(x / 2);
    double size = (1 + ratio) * hypot(o->u, o->du / sigma);
    return x > 0 && size < small * o->unit * fmin(o->in_v, x * o->in_q) * x * sigma * sigma;
}

/* By (1 - F) y instead of S y, which is no smaller: is it worth while to ask for S? */
static int may_be_small(const oscillation *o, double Fu, double Fdu) {
    return is_small(o, o->u / Fu - 1) || is_small(o, o->du / Fdu - 1);
}

static oscillation seen_in(const stepper *s, const alpha *A, double h, int i) {
    return (oscillation){.u = A->u[i],
                         .du = A->du[i],
                         .scale = sqrt(A->form.ca[0] / A->be),
                         .unit = fabs(velocity_constant(A)),
                         .in_v = error_tolerance_v(s, i),
                         .in_q = error_tolerance_q(s, i) / h};
}

/* Sets `fading`; F u is in A->jerk. */
static sodae_status see_fading(const stepper *s, alpha *A, double h) {
    int nv = s->e->nv, any = 0;
    double unit = velocity_constant(A) * h * h * h;
    for (int i = 0; i < nv; i++) A->Fdu[i] = A->du[i] = A->u[i] - unit * A->bend[i];
    form_filter(&A->form, A->Fdu);
    for (int i = 0; i < nv; i++) {
        oscillation o = seen_in(s, A, h, i);
        A->fading[i] = may_be_small(&o, A->jerk[i], A->Fdu[i]);
        any = any || A->fading[i] > 0;
    }
    if (!any) return SODAE_OK;
    sodae_status st = error_stiffness(s, &A->form, A->u, A->room, A->Su);
    if (!st) st = error_stiffness(s, &A->form, A->du, A->room, A->Sdu);
    for (int i = 0; i < nv && !st; i++) {
        oscillation o = seen_in(s, A, h, i);
        A->fading[i] = is_small(&o, A->Su[i] / A->jerk[i]) && is_small(&o, A->Sdu[i] / A->Fdu[i]);
    }
    return st;
}

/* What fades is measured against the tolerance, the rest against the share of the step. */
static void let_fade(const stepper *s, alpha *A, double share, double *x) {
    for (int i = 0; i < s->e->nv; i++)
        if (A->fading[i] > 0) x[i] *= share;
}

/* Errors of q and v, in w and u, that add up; of the filtered error F u of v the part F^2 u does,
 * the rest belongs to what stiff forces hold and damping takes away. In units of the share. */
static sodae_status adding_up(const stepper *s, alpha *A, double h, double share, double *size) {
    int nv = s->e->nv;
    vec_copy(nv, A->u, A->jerk);
    form_filter(&A->form, A->jerk);
    for (int i = 0; i < nv; i++) A->du[i] = A->u[i] - A->jerk[i];
    double held = error_norm_v(s, A->du) * share;
    double adds = larger(error_norm_v(s, A->jerk), error_norm_q(s, A->w));
    sodae_status st = SODAE_OK;
    if (s->step > 1 && adds > matters * share) {
        st = see_fading(s, A, h);
        let_fade(s, A, share, A->w);
        let_fade(s, A, share, A->jerk);
        adds = larger(error_norm_v(s, A->jerk), error_norm_q(s, A->w));
    }
    for (int i = 0; i < nv; i++) A->bend_next[i] = A->u[i] / (velocity_constant(A) * h * h * h);
    *size = larger(*size, larger(adds, held));
    return st;
}

sodae_status alpha_error(stepper *s, double h, step_error *out) {
    alpha *A = s->memory;
    const eval *e = s->e;
    double Cq = position_constant(A), share = error_share(s, h, 2), size = 0;
    for (int i = 0; i < e->nv; i++) A->w[i] = Cq * h * h * (s->next.a[i] - A->a[i]);
    take_mean(s, A, h, 2 * fabs(Cq) * h * h * rounding(A), 0, s->step, A->w);
    if (form_follows_position(A->form.kind) && e->nl) size = normal_error(s, A, h) * share;
    double held;
    sodae_status st = held_error(s, A, h, &held);
    size = larger(size, held * share);
    if (e->np == 0 && A->form.kind->holds_position) form_filter(&A->form, A->w);
    size = larger(size, rate_error(s, A, h));
    if (s->step) {
        velocity_error(s, A, h);
        if (!st) st = adding_up(s, A, h, share, &size);
        size = larger(size, multiplier_error(s, A, h, s->h_last) * share);
    } else {
        size = larger(size, error_norm_q(s, A->w));
    }
    *out = (step_error){.size = size / share,
                        .order = 2,
                        .smooth_steps = 1,
                        .rounding = error_share_is_rounding(s, h)};
    return st;
}
