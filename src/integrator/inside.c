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
 * taken. Where forces are stiff P may be better than U all the same, and r has the same choice:
 * stiff.c. */
#include "integrator/inside.h"

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

void inside_r(sodae *s, double t, dense_rate by, double *r) {
    stepper *z = &s->stepper;
    const dense_history *d = &s->dense;
    if (by == DENSE_R_BY_RATES) {
        dense_r_by_rates(d, &s->eval, z->dense_points, t, s->dense_scratch, r);
        return;
    }
    int all = by == DENSE_R_BY_ALL ? dense_useful(d, &s->eval, DENSE_POINTS, s->dense_scratch) : 2;
    dense_r_by_stages(&z->inner, d, &s->eval, all - 2, t, r);
}

/* What r has by r' is replaced where stages tell more. */
static void replace_r(sodae *s, double t, state *out) {
    const int *by = s->dense.r_by;
    for (int kind = DENSE_R_BY_ALL; kind <= DENSE_R_BY_STAGES; kind++) {
        int any = 0;
        for (int i = 0; i < s->eval.nr; i++) any += by[i] == kind;
        if (any) inside_r(s, t, kind, s->stiff);
        for (int i = 0; i < s->eval.nr && any; i++)
            if (by[i] == kind) out->r[i] = s->stiff[i];
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
    if (s->dense.by >= 0 && inside_has_stages(s)) replace_r(s, t, out);
}

/* Stages count where the ends of steps are joined by what belongs to q and v. */
int inside_has_stages(const sodae *s) {
    return s->stepper.dense_settles && s->stepper.inner.count > 0 && s->dense.n > 1;
}

void inside_by(sodae *s, double t, dense_by by, state *out) {
    stepper *z = &s->stepper;
    interpolate(s, t, by == DENSE_BY_VDOT, out);
    if (by == DENSE_BY_V || by == DENSE_BY_VDOT || !inside_has_stages(s)) return;
    dense_by_stages(&z->inner, &s->dense, &s->eval, t, s->dense_scratch, out);
    z->dense_order = z->inner.count + 2;
}

sodae_status inside_settle(sodae *s, state *x) {
    sodae_status st = consistent_settle(&s->consistent, x);
    return undo_helps(st) ? st : SODAE_OK;
}

/* Are forces stiff? By P and Q in the middle; Q is left there, with its v'. */
static sodae_status find_stiff(sodae *s, int *stiff) {
    stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, *d = s->dense_scratch;
    state *P = &s->middle[0], *Q = &s->middle[1];
    interpolate(s, z->next.t + h / 2, 0, P), interpolate(s, z->next.t + h / 2, 1, Q);
    sodae_status st = inside_settle(s, P);
    if (!st) st = inside_settle(s, Q);
    if (st) return st;
    sodae_space_difference(s->eval.space, P->q, Q->q, d);
    double rounding = 10 * DBL_EPSILON / fmax(z->tol.rtol, DBL_EPSILON);
    double moved = fmax(error_norm_q(z, d), rounding);
    for (int i = 0; i < s->eval.nv; i++) d[i] = h * h * (Q->vdot[i] - P->vdot[i]);
    *stiff = error_norm_q(z, d) > most * moved;
    return SODAE_OK;
}

/* What an error of v is worth, in tolerances: of v, and of q, which is wrong by a third of h dv or
 * less and has to be better. */
static double worth(const stepper *z, double h, double *dv) {
    double of_v = error_norm_v(z, dv);
    vec_scale(z->e->nv, h, dv);
    return fmax(of_v, error_norm_q(z, dv));
}

/* What the motion `by` leaves of v' = v'(q, v) at x, whose state there is at[1], makes of v: its
 * polynomial has the error c d/dx (x^3 (1 - x)^3) in v, so at most `part` times h times the
 * defect in the middle. Tolerances. */
static double defect(sodae *s, double x, dense_by by, const state *at) {
    static const double near = 1e-5, part = 0.15;
    stepper *z = &s->stepper;
    double h = z->now.t - z->next.t, t = z->next.t + x * h, *d = s->defect;
    state *o = &s->middle[0];
    inside_by(s, t + near * h, by, o);
    vec_copy(s->eval.nv, o->v, d);
    inside_by(s, t - near * h, by, o);
    for (int i = 0; i < s->eval.nv; i++)
        d[i] = part * ((d[i] - o->v[i]) / (2 * near) - h * at->vdot[i]);
    return worth(z, h, d);
}

/* The larger of two. */
static sodae_status largest_defect(sodae *s, dense_by by, double *size) {
    stepper *z = &s->stepper;
    state *at = &s->middle[1];
    sodae_status st = SODAE_OK;
    *size = 0;
    for (int k = 0; k < 2 && !st; k++) {
        inside_by(s, z->next.t + instants[k] * (z->now.t - z->next.t), by, at);
        st = inside_settle(s, at);
        if (!st) *size = fmax(*size, defect(s, instants[k], by, at));
        if (!st && by == DENSE_BY_STAGES) *size = fmax(*size, stiff_drift(s, at->t));
    }
    return st;
}

/* Q mostly leaves no defect that counts; where it does, U may leave less. */
static sodae_status choose(sodae *s) {
    static const double counts = 10;
    double by_stages;
    s->dense.by = DENSE_BY_VDOT;
    s->dense.doubt = defect(s, 0.5, DENSE_BY_VDOT, &s->middle[1]);
    if (!(s->dense.doubt > counts) || !inside_has_stages(s)) return SODAE_OK;
    sodae_status st = largest_defect(s, DENSE_BY_VDOT, &s->dense.doubt);
    if (!st) st = largest_defect(s, DENSE_BY_STAGES, &by_stages);
    if (st || by_stages >= s->dense.doubt) return st;
    s->dense.by = DENSE_BY_STAGES, s->dense.doubt = by_stages;
    return SODAE_OK;
}

/* How far U is from Q, in v, and in q three times; r by the stages from r by r'. Tolerances. */
static double distance(sodae *s) {
    static const double times = 3;
    stepper *z = &s->stepper;
    int nv = s->eval.nv, nr = s->eval.nr;
    double *d = s->defect, far = 0;
    state *U = &s->middle[0], *Q = &s->middle[1];
    for (int k = 0; k < 2; k++) {
        double t = z->next.t + instants[k] * (z->now.t - z->next.t);
        inside_by(s, t, DENSE_BY_STAGES, U), interpolate(s, t, 1, Q);
        for (int i = 0; i < nv; i++) d[i] = Q->v[i] - U->v[i];
        far = fmax(far, error_norm_v(z, d));
        sodae_space_difference(s->eval.space, U->q, Q->q, d);
        far = fmax(far, times * error_norm_q(z, d));
        if (!nr) continue;
        inside_r(s, t, DENSE_R_BY_RATES, Q->r), inside_r(s, t, DENSE_R_BY_STAGES, U->r);
        vec_add(nr, -1, U->r, Q->r);
        far = fmax(far, error_norm_r(z, Q->r));
    }
    return far;
}

/* How far U is from P or Q, or from itself with v'_n, whichever is the nearest. Tolerances of v. */
static double isolation(sodae *s) {
    stepper *z = &s->stepper;
    double *d = s->defect, far[3] = {0};
    state *U = &s->middle[0], *other = &s->middle[1];
    for (int k = 0; k < 2; k++) {
        double t = z->next.t + instants[k] * (z->now.t - z->next.t);
        inside_by(s, t, DENSE_BY_STAGES, U);
        for (int by_vdot = 0; by_vdot < 2; by_vdot++) {
            interpolate(s, t, by_vdot, other);
            for (int i = 0; i < s->eval.nv; i++) d[i] = other->v[i] - U->v[i];
            far[by_vdot] = fmax(far[by_vdot], error_norm_v(z, d));
        }
        dense_stages_error(&z->inner, &s->dense, &s->eval, instants[k], d);
        far[2] = fmax(far[2], error_norm_v(z, d));
    }
    return fmin(far[1], fmin(far[0], far[2]));
}

/* Forces are stiff: P or U. */
static sodae_status choose_stiff(sodae *s) {
    dense_by by = DENSE_STIFF;
    double size = 0;
    s->dense.by = by;
    s->dense.doubt = 0;
    if (!inside_has_stages(s)) return SODAE_OK;
    sodae_status st = stiff_motion(s, &by, &size);
    s->dense.doubt = fmax(isolation(s), size);
    s->dense.by = by;
    return st;
}

/* Sets dense.by, dense.r_by and dense.doubt. Which polynomials of r were used to find out whether
 * forces are stiff does not matter: the same for both. */
static sodae_status compare(sodae *s) {
    int stiff;
    double of_r = 0;
    for (int i = 0; i < s->eval.nr; i++) s->dense.r_by[i] = DENSE_R_BY_RATES;
    sodae_status st = find_stiff(s, &stiff);
    if (!st && s->eval.nr && inside_has_stages(s))
        st = stiff_rates(s, stiff ? DENSE_STIFF : DENSE_BY_VDOT, &of_r);
    if (!st) st = stiff ? choose_stiff(s) : choose(s);
    s->dense.doubt = fmax(s->dense.doubt, of_r);
    return st;
}

/* Defects take two factorizations; where U and Q differ by much less than what may pass, there is
 * hardly one. Not nothing, for both go through the same ends. */
sodae_status integrator_doubt(sodae *s, double may, double *size) {
    static const double far_below = 0.1;
    *size = 0;
    if (!inside_has_stages(s) || distance(s) <= far_below * may) return SODAE_OK;
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
    if (!st) inside_by(s, t, wanted && z->dense_settles ? s->dense.by : DENSE_STIFF, out);
    return st;
}

sodae_status integrator_motion_at(sodae *s, double t, state *out) {
    int settles;
    return motion(s, t, out, &settles);
}

int integrator_motions(const sodae *s) {
    if (s->method->interpolate || !s->stepper.dense_settles) return 1;
    return inside_has_stages(s) ? 3 : 2;
}

sodae_status integrator_one_motion(sodae *s, double t, int which, state *out) {
    if (s->method->interpolate) return s->method->interpolate(&s->stepper, t, out);
    if (which < 2)
        interpolate(s, t, which, out);
    else
        inside_by(s, t, DENSE_BY_STAGES, out);
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
    return settles ? inside_settle(s, out) : reactions_inside(s, out);
}

sodae_status integrator_shown_at(sodae *s, double t, state *out) {
    sodae_failure kept = s->failure;
    sodae_status st = integrator_state_at(s, t, out);
    if (st != SODAE_CALLBACK_REFUSED && st != SODAE_NOT_FINITE) return st;
    s->failure = kept;
    if (s->dense.by < 0) inside_by(s, t, DENSE_STIFF, out);
    return SODAE_OK;
}
