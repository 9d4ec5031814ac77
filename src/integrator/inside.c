/* The state inside the last step.
 *
 * Where v' belongs to q and v at the ends of steps, it makes the interpolation of q a hundred times
 * better, and inside v' and the multipliers are those of the interpolated q and v. Not so where
 * forces are stiff: they make v' wrong by k/m times an error of q, and h^2 k/m of it would come
 * back into q; there v' and multipliers are interpolated, too. Whether they are stiff is seen from
 * the two polynomials P (by v) and Q (by v and v') in the middle: errors of v' point where forces
 * are stiff, and so does Q - P then.
 *
 * P and Q reach back over steps before. Where these have seen another motion - oscillations of
 * stiff forces that are damped from step to step, something sharp at the end of the last step -
 * they are worse inside than the polynomial U of the stages (output/stages.c), which then is
 * taken. */
#include "integrator/integrator.h"

#include "base/vec.h"
#include "method/error.h"

#include <float.h>
#include <math.h>

/* h^2 |v'(Q) - v'(P)| in units of |Q - P|: the square of an angle that steps without stiff forces
 * do not exceed. */
static const double most = 10;

enum { HERMITE = 4 }; /* order of v by v' */

/* Of the step: errors of v that vanish at its ends and in the middle are largest there. */
static const double instants[2] = {0.28, 0.72};

/* Where the step is so short that v_i as a difference of q has more rounding than tolerance, v by
 * v' takes its place. */
static void less_rounding(sodae *s, double t, state *out) {
    static const double digits = 10 * DBL_EPSILON;
    const stepper *z = &s->stepper;
    const sodae_space *space = s->eval.space;
    double h = z->now.t - z->next.t, *v = s->dense_scratch + s->eval.nv;
    int known = 0;
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        for (int k = 0; k < g->nv; k++) {
            int i = g->v0 + k;
            double size = g->group->abelian ? fabs(z->now.q[g->q0 + k]) : 1;
            if (digits * size <= h * error_tolerance_v(z, i)) continue;
            if (!known++)
                dense_velocity(&s->dense, &s->eval, z->dense_points, t, s->dense_scratch, v);
            out->v[i] = v[i];
        }
    }
}

static void interpolate(sodae *s, double t, int by_vdot, state *out) {
    stepper *z = &s->stepper;
    dense_hermite(&s->eval, &z->next, &z->now, t, s->dense_scratch, out);
    dense_history_at(&s->dense, &s->eval, t, out);
    int order =
        dense_through(&s->dense, &s->eval, z->dense_points, by_vdot, t, s->dense_scratch, out);
    z->dense_order = order ? order : HERMITE;
    if (order && z->dense_settles) less_rounding(s, t, out);
}

/* Stages count where the ends of steps are joined by what belongs to q and v. */
static int has_stages(const sodae *s) {
    return s->stepper.dense_settles && s->stepper.inner.count > 0 && s->dense.n > 1;
}

/* The motion that `by` says, and the rest of the state beside it. */
static void interpolate_by(sodae *s, double t, dense_by by, state *out) {
    stepper *z = &s->stepper;
    interpolate(s, t, by == DENSE_BY_VDOT, out);
    if (by == DENSE_BY_VDOT || !has_stages(s)) return;
    dense_by_stages(&z->inner, &s->dense, &s->eval, t, s->dense_scratch, out);
    z->dense_order = z->inner.count + 2;
}

/* Where no v' follows it is left as it is; what functions of the problem say is told. */
static sodae_status settle(sodae *s, state *x) {
    sodae_status st = consistent_settle(&s->consistent, x);
    return undo_helps(st) ? st : SODAE_OK;
}

/* Are forces stiff? By P and Q in the middle; Q is left there, with its v'. */
static sodae_status find_stiff(sodae *s, int *stiff) {
    stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, *d = s->dense_scratch;
    state *P = &s->middle[0], *Q = &s->middle[1];
    interpolate(s, z->next.t + h / 2, 0, P), interpolate(s, z->next.t + h / 2, 1, Q);
    sodae_status st = settle(s, P);
    if (!st) st = settle(s, Q);
    if (st) return st;
    sodae_space_difference(s->eval.space, P->q, Q->q, d);
    double rounding = 10 * DBL_EPSILON / fmax(z->tol.rtol, DBL_EPSILON);
    double moved = fmax(error_norm_q(z, d), rounding);
    for (int i = 0; i < s->eval.nv; i++) d[i] = h * h * (Q->vdot[i] - P->vdot[i]);
    *stiff = error_norm_q(z, d) > most * moved;
    return SODAE_OK;
}

/* What the motion `by` leaves of v' = v'(q, v) at x, whose state there is at[1], makes of v: its
 * polynomial has the error c d/dx (x^3 (1 - x)^3) in v, so at most `part` times h times the
 * defect in the middle. Tolerances. */
static double defect(sodae *s, double x, dense_by by, const state *at) {
    static const double near = 1e-5, part = 0.15;
    stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, t = z->next.t + x * h, *d = s->defect;
    state *o = &s->middle[0];
    interpolate_by(s, t + near * h, by, o);
    vec_copy(s->eval.nv, o->v, d);
    interpolate_by(s, t - near * h, by, o);
    for (int i = 0; i < s->eval.nv; i++)
        d[i] = part * ((d[i] - o->v[i]) / (2 * near) - h * at->vdot[i]);
    return error_norm_v(z, d);
}

/* The larger of two. */
static sodae_status largest_defect(sodae *s, dense_by by, double *size) {
    stepper *z = &s->stepper;
    state *at = &s->middle[1];
    sodae_status st = SODAE_OK;
    *size = 0;
    for (int k = 0; k < 2 && !st; k++) {
        interpolate_by(s, z->next.t + instants[k] * (z->now.t - z->next.t), by, at);
        st = settle(s, at);
        if (!st) *size = fmax(*size, defect(s, instants[k], by, at));
    }
    return st;
}

/* Q mostly leaves no defect that counts; where it does, U may leave less. */
static sodae_status choose(sodae *s) {
    static const double counts = 10;
    double by_stages;
    s->dense.by = DENSE_BY_VDOT;
    s->dense.doubt = defect(s, 0.5, DENSE_BY_VDOT, &s->middle[1]);
    if (!(s->dense.doubt > counts) || !has_stages(s)) return SODAE_OK;
    sodae_status st = largest_defect(s, DENSE_BY_VDOT, &s->dense.doubt);
    if (!st) st = largest_defect(s, DENSE_BY_STAGES, &by_stages);
    if (st || by_stages >= s->dense.doubt) return st;
    s->dense.by = DENSE_BY_STAGES, s->dense.doubt = by_stages;
    return SODAE_OK;
}

/* How far U is from P or Q, or from itself with v'_n, whichever is the nearest. Tolerances of v. */
static double isolation(sodae *s, int with_others) {
    stepper *z = &s->stepper;
    double *d = s->defect, far[3] = {0};
    state *U = &s->middle[0], *other = &s->middle[1];
    for (int k = 0; k < 2; k++) {
        double t = z->next.t + instants[k] * (z->now.t - z->next.t);
        interpolate_by(s, t, DENSE_BY_STAGES, U);
        for (int by_vdot = 0; by_vdot < 2; by_vdot++) {
            interpolate(s, t, by_vdot, other);
            for (int i = 0; i < s->eval.nv; i++) d[i] = other->v[i] - U->v[i];
            far[by_vdot] = fmax(far[by_vdot], error_norm_v(z, d));
        }
        dense_stages_error(&z->inner, &s->dense, &s->eval, instants[k], d);
        far[2] = fmax(far[2], error_norm_v(z, d));
    }
    return with_others ? fmin(far[1], fmin(far[0], far[2])) : far[1];
}

/* Sets dense.by and dense.doubt. */
static sodae_status compare(sodae *s) {
    int stiff;
    sodae_status st = find_stiff(s, &stiff);
    if (st) return st;
    if (!stiff) return choose(s);
    s->dense.by = DENSE_STIFF;
    s->dense.doubt = has_stages(s) ? isolation(s, 1) : 0;
    return SODAE_OK;
}

/* Defects take two factorizations; where U and Q differ by much less than what may pass, there is
 * hardly one. Not nothing, for both go through the same ends. */
sodae_status integrator_doubt(sodae *s, double may, double *size) {
    static const double far_below = 0.1;
    *size = 0;
    if (!has_stages(s) || isolation(s, 0) <= far_below * may) return SODAE_OK;
    sodae_status st = s->dense.by < 0 ? compare(s) : SODAE_OK;
    *size = s->dense.doubt / may;
    return st;
}

/* Two points are a line for v' and multipliers: too little for collocation, even where they do not
 * belong to q and v at the ends of steps. */
static int first_of_collocation(const sodae *s) {
    return s->stepper.dense_points && s->dense.n < 3;
}

/* *settles: v' and multipliers are to be those of q and v. */
static sodae_status motion(sodae *s, double t, state *out, int *settles) {
    stepper *z = &s->stepper;
    *settles = 0;
    if (s->method->interpolate) return s->method->interpolate(z, t, out);
    int wanted = z->dense_settles || first_of_collocation(s);
    sodae_status st = wanted && s->dense.by < 0 ? compare(s) : SODAE_OK;
    *settles = wanted && s->dense.by > DENSE_STIFF;
    if (!st) interpolate_by(s, t, *settles && z->dense_settles ? s->dense.by : DENSE_STIFF, out);
    return st;
}

sodae_status integrator_motion_at(sodae *s, double t, state *out) {
    int settles;
    return motion(s, t, out, &settles);
}

int integrator_motions(const sodae *s) {
    if (s->method->interpolate || !s->stepper.dense_settles) return 1;
    return has_stages(s) ? 3 : 2;
}

sodae_status integrator_one_motion(sodae *s, double t, int which, state *out) {
    if (s->method->interpolate) return s->method->interpolate(&s->stepper, t, out);
    if (which < 2)
        interpolate(s, t, which, out);
    else
        interpolate_by(s, t, DENSE_BY_STAGES, out);
    return SODAE_OK;
}

sodae_status integrator_state_at(sodae *s, double t, state *out) {
    const stepper *z = &s->stepper;
    int settles;
    if (t == z->now.t) {
        state_copy(&s->eval, &z->now, out);
        return SODAE_OK;
    }
    sodae_status st = motion(s, t, out, &settles);
    if (st) return st;
    return settles ? settle(s, out) : reactions_inside(s, out);
}

sodae_status integrator_shown_at(sodae *s, double t, state *out) {
    sodae_failure kept = s->failure;
    sodae_status st = integrator_state_at(s, t, out);
    if (st != SODAE_CALLBACK_REFUSED && st != SODAE_NOT_FINITE) return st;
    s->failure = kept;
    if (s->dense.by < 0) interpolate_by(s, t, DENSE_STIFF, out);
    return SODAE_OK;
}
