/* Simplified Newton iteration x <- x - A^-1 F(x).
 *
 * With contraction theta the error after an increment of size d is theta/(1-theta) d; iteration
 * ends when that is below rtol, or when a fresh matrix brings no further progress and d is at the
 * level of rounding: the constraint rows are divided by h^2, so that no smaller increment may
 * exist. Only q and v are asked for that level: near a singular configuration multipliers have no
 * digits left. */
#include "nonlinear/newton.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <math.h>

static const double rounding = 1e-7; /* stalled increments below this are rounding, not failure */
static const double noise = 1e-12;   /* below this nothing but rounding is left */
static const double slow = 0.1;      /* a contraction worse than this asks for a new matrix */
static const double hopeless = 2.0;  /* increments growing like this with a fresh matrix */

sodae_status newton_open(newton *n, arena *a, newton_system system, sodae_failure *const *failure) {
    *n = (newton){.system = system, .failure = failure};
    n->res = arena_doubles(a, (size_t)system.n);
    newton_restart(n);
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

void newton_forget(newton *n) {
    n->valid = 0;
}

void newton_restart(newton *n) {
    n->valid = 0;
    n->rate = 0.5;
    n->iterations = n->matrices = 0;
}

sodae_status newton_refresh(newton *n, const double *x) {
    n->matrices++;
    n->valid = 0;
    sodae_status st = n->system.matrix(n->system.self, x);
    if (st) return st;
    n->valid = n->fresh = 1;
    return SODAE_OK;
}

sodae_status newton_give_up(newton *n, const double *x, int iterations, double size) {
    int worst = 0;
    if (!n->system.residual(n->system.self, x, n->res))
        for (int i = 0; i < n->system.n; i++)
            if (fabs(n->res[i]) > fabs(n->res[worst])) worst = i;
    char name[64];
    n->system.name(n->system.self, worst, name, sizeof name);
    double residual = n->res[worst];
    sodae_failure *f = n->failure ? *n->failure : NULL;
    failure_set(f, SODAE_NEWTON_FAILED, name,
                "Newton did not converge in %d iteration%s: last increment %.2g, largest residual "
                "%.3g in %s",
                iterations, iterations == 1 ? "" : "s", size, residual, name);
    if (f) f->iterations = iterations, f->size = residual;
    return SODAE_NEWTON_FAILED;
}

/* The last increments, for the failure record. */
static void remember(newton *n, double size) {
    enum { ROOM = sizeof n->sizes / sizeof *n->sizes };
    if (n->nsizes == ROOM) {
        for (int i = 1; i < ROOM; i++) n->sizes[i - 1] = n->sizes[i];
        n->nsizes--;
    }
    n->sizes[n->nsizes++] = size;
}

/* The error after an increment of this size. */
static double left_behind(double rate, double size) {
    return rate < 1 ? rate / (1 - rate) * size : INFINITY;
}

sodae_status newton_solve(newton *n, double *x, const newton_options *options) {
    const newton_system *s = &n->system;
    double last = INFINITY, size = INFINITY, best = INFINITY, state = INFINITY, state_last;
    double worst = 0;
    int stalled = 0;
    n->fresh = n->nsizes = 0;
    if (options->reuse >= NEWTON_STEP) n->valid = 0;
    for (int it = 1; it <= options->max; it++) {
        sodae_status st = s->residual(s->self, x, n->res);
        if (!st && !n->valid) st = newton_refresh(n, x);
        if (st) return st;
        s->correct(s->self, n->res);
        state_last = state;
        n->iterations++;
        size = s->size(s->self, n->res, &state);
        remember(n, size);
        if (!isfinite(size)) return newton_give_up(n, x, it, size);
        vec_add(s->n, -1, n->res, x);
        if (options->linear) return SODAE_OK;
        if (options->state_alone) size = state;

        double theta = size / last;
        if (it > 1) n->rate = theta, worst = fmax(worst, theta);
        double doubt = it == 2 ? fmax(options->doubt, options->expected) : options->doubt;
        double left = left_behind(fmax(n->rate, doubt), size);
        if (options->by_state && state_last > noise)
            left = fmax(left_behind(fmax(state / state_last, doubt), state),
                        left_behind(state / state_last, size));
        double nothing = fmax(DBL_EPSILON * DBL_EPSILON, 0.01 * options->rtol);
        int ends = size <= nothing || (it > 1 && left <= options->rtol);
        if (options->atol > 0 && s->weigh)
            ends = s->weigh(s->self, n->res, options->rtol, options->atol) <= 1;
        if (ends) {
            if (options->renew > 0 && n->rate > options->renew) n->valid = 0;
            n->worst = worst;
            return SODAE_OK;
        }
        /* growing is not standing still, unless nothing but rounding is left to grow */
        int stands = size > 0.9 * best && (theta <= 1 || size < noise);
        double level = options->rounding > 0 ? options->rounding : rounding;
        if (stands && state < level && n->fresh && ++stalled >= 2) return SODAE_OK;
        best = fmin(best, size);
        int lost = size > 1 && state > rounding; /* multipliers alone may have no digits */
        if (theta > hopeless && n->fresh && lost && it > 3) return newton_give_up(n, x, it, size);
        double limit = options->reuse == NEWTON_NEVER ? 1 : slow;
        if (n->fresh) limit = fmax(limit, options->patience);
        if (theta > limit && it > 1 && !(n->fresh && state < level)) n->valid = 0;
        if (options->reuse == NEWTON_ITERATION) n->valid = 0;
        last = size;
    }
    return newton_give_up(n, x, options->max, size);
}
