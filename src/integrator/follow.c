/* Inside of steps the motion has to follow the constraints, too.
 *
 * They are met at the ends of steps and at stages, however long the step is, and error estimates
 * leave out what they determine: a drive may turn many times within a step that passes, a track may
 * bend at its very end. Whoever looks into the step sees it. Therefore the state inside must meet
 * them: at two instants
 *
 *     |g_i| <= most sum_j |G_ij| tol(q_j),    |(G v + g_t)_i| <= most sum_j |G_ij| tol(v_j),
 *
 * and k likewise with K, in excess of what is left of them at the end of the step (drift,
 * rounding). A larger violation says that no motion within that many tolerances follows the
 * constraints. It falls as the error of the interpolation does, h^dense_order. So does what the
 * equations of motion say of v there (integrator_doubt), which has to pass, too. That is asked of
 * methods with stages also where there are no constraints: polynomials through stages and through
 * ends of steps may disagree in any motion.
 *
 * A step over a singular configuration must be accurate enough to tell that from a near miss
 * (watch_doubt). */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Tolerances: where constraints depend on time, and where not. There the motion along them is in
 * the error test, and only a track that the step does not see at all is off by that much. */
static const double most_driven = 10, most_still = 100;

/* Tolerances of v: where polynomials of different kinds disagree by more, none of them is right. */
static const double most_doubted = 50;

/* Of the step: the error of v has its maximum near the first, that of q near the second. */
static const double instants[2] = {0.28, 0.53};

/* Of the first step refused, and of its size: below the one and above the other the violation does
 * not fall, and constraints are not smooth there: no interpolation follows a velocity that jumps.
 * Then that step is taken as it was. */
static const double shorter = 1e-6, fallen = 0.1;

/* g, G v + g_t, k */
static int rows(const eval *e) {
    return 2 * e->nl + e->np;
}

size_t follow_room(const eval *e) {
    return (size_t)(3 * rows(e) + 2 * e->ns + pattern_nnz(&e->G) + pattern_nnz(&e->K));
}

/* Everything that says where constraints are, at the new state and another time. */
static sodae_status constraints_at(sodae *s, double t, double *out) {
    eval *e = &s->eval;
    sodae_point at = state_point(&s->stepper.next);
    at.t = t;
    sodae_status st = e->nl ? eval_value(e, SODAE_HOLONOMIC, &at, out) : SODAE_OK;
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, &at, out + e->nl);
    if (!st && e->ns) st = eval_value(e, SODAE_CONTACT, &at, out + e->nl + e->np);
    return st;
}

sodae_status follow_look(sodae *s) {
    const eval *e = &s->eval;
    stepper *z = &s->stepper;
    int n = e->nl + e->np + e->ns;
    double *here = s->follow, *there = here + n, h = z->next.t - z->now.t;
    z->driven = 0;
    if (e->nl + e->np == 0) return SODAE_OK;
    sodae_status st = constraints_at(s, z->next.t, here);
    for (int i = 0; i < 2 && !st && !z->driven; i++) {
        st = constraints_at(s, z->now.t + instants[i] * h, there);
        z->driven = memcmp(here, there, (size_t)n * sizeof *here) != 0;
    }
    return st;
}

/* At `x`, with the contact coordinates that belong to it. */
static sodae_status residuals(sodae *s, state *x, double *r) {
    sodae_status st = consistent_position(&s->consistent, x, r);
    sodae_point at = state_point(x);
    return st ? st : consistent_rates(&s->consistent, &at, r + s->eval.nl);
}

/* out_i += sum_j |A_ij| size_j; the size of q or v is what may be wrong in it: its tolerance, and
 * the last digits, of itself and as time has them. */
static void add_allowed(const sodae *s, const pattern *p, const double *A, int of_v, double *out) {
    const stepper *z = &s->stepper;
    const state *n = &z->now;
    double most = z->driven ? most_driven : most_still;
    double largest = of_v ? vec_max(s->eval.nv, n->v) : vec_max(s->eval.nq, n->q);
    for (int j = 0; j < p->cols; j++) {
        double rate = fabs(of_v ? n->vdot[j] : n->v[j]);
        double rounding = 4 * DBL_EPSILON * (largest + fabs(n->t) * rate);
        double tol = of_v ? error_tolerance_v(z, j) : error_tolerance_q(z, j);
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            out[p->rowind[k]] += fabs(A[k]) * (most * tol + rounding);
    }
}

/* What each row may be; G and K at the end of the step. */
static sodae_status allowed(sodae *s, double *out) {
    eval *e = &s->eval;
    double *G = s->follow + 3 * rows(e) + 2 * e->ns, *K = G + pattern_nnz(&e->G);
    sodae_point at = state_point(&s->stepper.now);
    vec_zero(rows(e), out);
    sodae_status st = e->nl ? eval_G(e, &at, G) : SODAE_OK;
    if (!st && e->np) st = eval_K(e, &at, K);
    if (st) return st;
    if (e->nl) add_allowed(s, &e->G, G, 0, out), add_allowed(s, &e->G, G, 1, out + e->nl);
    if (e->np) add_allowed(s, &e->K, K, 1, out + 2 * e->nl);
    return SODAE_OK;
}

/* The violation at s->inside; 1 is the largest that may pass. */
static sodae_status violation_there(sodae *s, const double *left, const double *may, double *size) {
    double *r = s->follow;
    sodae_status st = residuals(s, &s->inside, r);
    for (int i = 0; i < rows(&s->eval) && !st; i++) {
        double excess = fabs(r[i]) - fabs(left[i]);
        if (excess > 0) *size = fmax(*size, excess / may[i]);
    }
    return st;
}

/* Inside of the last step. Which of the motions is the best one takes two factorizations to find
 * out; mostly all of them pass. */
static sodae_status violation(sodae *s, double h, double *size) {
    static const double far_below = 0.5;
    int n = rows(&s->eval), motions = integrator_motions(s);
    double *left = s->follow + n, *may = left + n, t = s->stepper.now.t;
    *size = 0;
    if (n == 0) return SODAE_OK;
    state_copy(&s->eval, &s->stepper.now, &s->inside);
    sodae_status st = residuals(s, &s->inside, left);
    if (!st) st = allowed(s, may);
    if (st) return st;
    double by_stages = 0;
    *size = 0;
    for (int k = 2 * motions - 1; k >= 0 && !st; k--) {
        st = integrator_one_motion(s, t - (1 - instants[k % 2]) * h, k / 2, &s->inside);
        if (!st) st = violation_there(s, left, may, k / 2 < 2 ? size : &by_stages);
    }
    if (st == SODAE_CALLBACK_FAILED || (!st && fmax(*size, by_stages) <= far_below)) return st;
    *size = 0, st = SODAE_OK;
    for (int k = 0; k < 2 && !st; k++) {
        st = integrator_motion_at(s, t - (1 - instants[k]) * h, &s->inside);
        if (!st) st = violation_there(s, left, may, size);
        int of_stages = s->dense.by == DENSE_STIFF || s->dense.by == DENSE_BY_STAGES;
        if (st || motions < 3 || !of_stages) continue;
        /* stages meet the constraints in any case, even those of another branch */
        st = integrator_one_motion(s, s->inside.t, s->dense.by != DENSE_STIFF, &s->inside);
        if (!st) st = violation_there(s, left, may, size);
    }
    return st;
}

/* Back to where the step began. */
static sodae_status refuse(sodae *s, double h, const follow_step *d) {
    sodae_statistics before = d->statistics;
    sodae_status st = history_give_back(s, s->kept);
    s->has_kept = 1;
    memcpy(before.evaluations, s->statistics.evaluations, sizeof before.evaluations);
    s->statistics = before;
    s->singular = d->singular;
    integrator_refused(s, h, SODAE_OK);
    return st;
}

/* A function of the problem says stop: the step has not happened. */
static sodae_status stop(sodae *s, double h, const follow_step *d) {
    sodae_failure why = s->failure;
    refuse(s, h, d);
    s->failure = why;
    s->failure.h = h;
    return SODAE_CALLBACK_FAILED;
}

int follow_is_wanted(const sodae *s) {
    const stepper *z = &s->stepper;
    return s->eval.nl + s->eval.np > 0 || (z->dense_settles && z->inner.count > 0);
}

void follow_keep(sodae *s, follow_step *d) {
    history_keep(s);
    d->statistics = s->statistics;
    d->singular = s->singular;
}

/* The step is to be tried again; one whose violation does not fall, without this test. */
static sodae_status try_again(sodae *s, double h, double least, double size, follow_step *d) {
    controller c = s->controller_before;
    if (!(d->first > 0)) d->first = h, d->size = size;
    c.refused = d->refused++;
    double next = h * controller_factor(&c, size, s->stepper.dense_order, 0);
    int in_vain = next < least || (h < shorter * d->first && !(size < fallen * d->size));
    sodae_status st = refuse(s, h, d);
    s->controller = in_vain ? s->controller_before : c;
    s->h_next = in_vain ? d->first : next;
    if (in_vain) s->follow_from = s->stepper.now.t + d->first;
    return st;
}

/* What the equations of motion say of v inside. Where that does not fall as h^2 at least, it is
 * noise of v', as tiny steps and those near singular configurations have it, and is not asked for
 * again on the way that the first step refused would have gone. follows: constraints are met. */
static sodae_status doubt_of_v(sodae *s, double h, int follows, follow_step *d, double *size) {
    static const double half = 0.5;
    double begin = s->stepper.next.t, part = h / d->doubted_h;
    *size = 0;
    if (begin < s->doubt_from) return SODAE_OK;
    sodae_status st = integrator_doubt(s, most_doubted, size);
    int known = d->doubted > 0;
    if (st || !follows || !(*size > 1) || (known && part > half)) return st;
    if (known && *size > part * part * d->doubted)
        s->doubt_from = begin + d->first, *size = 0;
    else
        d->doubted = *size, d->doubted_h = h;
    return SODAE_OK;
}

/* The next step, in units of this one, for what has that size in it. */
static double next_factor(const sodae *s, double size) {
    double factor = 0.9 * pow(size, -1.0 / s->stepper.dense_order);
    return factor > 0.95 && factor < 1.2 ? 1 : factor;
}

sodae_status follow_test(sodae *s, double h, double least, follow_step *d, int *passed) {
    /* noise must not hold steps where they are, nor what is far below */
    static const double grows = 1.5, far_below = 0.01;
    double size = 0, unsure = 0, doubt = 0;
    *passed = 1;
    if (s->stepper.next.t < s->follow_from) { /* where the step began */
        s->statistics.unwatched++;
        return SODAE_OK;
    }
    sodae_status st = violation(s, h, &size);
    if (!st) st = doubt_of_v(s, h, size <= 1, d, &unsure);
    if (!st && fmax(size, unsure) <= 1) st = watch_doubt(s, &doubt);
    double worst = doubt > 1 ? doubt : fmax(size, unsure);
    if (st == SODAE_CALLBACK_FAILED) return stop(s, h, d);
    *passed = !st && worst <= 1;
    if (!*passed) return try_again(s, h, least, st ? INFINITY : worst, d);
    double by_doubt = unsure < far_below ? INFINITY : fmax(next_factor(s, unsure), grows);
    s->h_next = fmin(s->h_next, h * fmin(next_factor(s, size), by_doubt));
    return SODAE_OK;
}
