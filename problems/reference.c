/* Extrapolation of the explicit midpoint rule (Gragg 1965; Hairer, Norsett, Wanner, Solving
 * Ordinary Differential Equations I, section II.9): with n_j = 2j substeps the error has an
 * expansion in h^2, removed column by column up to order 16. */
#include "problems/reference.h"

#include <float.h>
#include <math.h>

enum { ROWS = 8, STEPS = 1000000 };

static long double tolerance(void) {
    return fmaxl(1e-16L, 30 * LDBL_EPSILON);
}

/* z_{k+1} = z_{k-1} + 2 (h/n) f(z_k) */
static void midpoint(const reference *ref, const long double *y, long double h, int n,
                     long double *z) {
    long double before[REFERENCE_MAX], f[REFERENCE_MAX], s = h / n;
    ref->rhs(y, f, ref->user);
    for (int i = 0; i < ref->n; i++) before[i] = y[i], z[i] = y[i] + s * f[i];
    for (int k = 1; k < n; k++) {
        ref->rhs(z, f, ref->user);
        for (int i = 0; i < ref->n; i++) {
            long double ahead = before[i] + 2 * s * f[i];
            before[i] = z[i], z[i] = ahead;
        }
    }
}

/* Row j of the tableau over row j-1 in T; returns the distance of its last two entries. */
static long double next_row(const reference *ref, const long double *y, long double h, int j,
                            long double T[ROWS][REFERENCE_MAX]) {
    long double now[REFERENCE_MAX], worst = 0;
    midpoint(ref, y, h, 2 * (j + 1), now);
    for (int k = 0; k < j; k++) {
        long double ratio = (long double)(j + 1) / (j - k), divisor = ratio * ratio - 1;
        for (int i = 0; i < ref->n; i++) {
            long double above = T[k][i];
            T[k][i] = now[i];
            now[i] += (now[i] - above) / divisor;
        }
    }
    for (int i = 0; i < ref->n; i++) {
        T[j][i] = now[i];
        if (j > 0) worst = fmaxl(worst, fabsl(now[i] - T[j - 1][i]) / (1 + fabsl(y[i])));
        if (!isfinite(now[i])) return INFINITY;
    }
    return worst;
}

/* One step; y becomes the new state if a row converges. Proposes the next step. */
static int step(const reference *ref, long double *y, long double h, long double *proposed) {
    long double T[ROWS][REFERENCE_MAX], worst = INFINITY;
    for (int j = 0; j < ROWS; j++) {
        worst = next_row(ref, y, h, j, T);
        if (j < 2 || !(worst <= tolerance())) continue;
        for (int i = 0; i < ref->n; i++) y[i] = T[j][i];
        *proposed = j + 2 < ROWS ? 2 * h : h;
        return 1;
    }
    long double factor = isfinite(worst) ? 0.8L * powl(tolerance() / worst, 1.0L / (2 * ROWS)) : 0;
    *proposed = h * fminl(0.9L, fmaxl(0.2L, factor));
    return 0;
}

void reference_start(reference *ref, int n, reference_rhs *rhs, const void *user,
                     const long double *y0) {
    *ref = (reference){.n = n, .rhs = rhs, .user = user, .h = 1e-2L};
    for (int i = 0; i < n; i++) ref->start.y[i] = y0[i];
}

static void keep(reference *ref, const reference_state *state) {
    ref->kept[ref->next] = *state;
    ref->next = (ref->next + 1) % REFERENCE_KEPT;
    if (ref->count < REFERENCE_KEPT) ref->count++;
}

/* The last known state before t. */
static reference_state nearest(const reference *ref, long double t) {
    const reference_state *best = &ref->start;
    for (int i = 0; i < ref->count; i++)
        if (ref->kept[i].t <= t && ref->kept[i].t > best->t) best = &ref->kept[i];
    return *best;
}

int reference_at(reference *ref, double t, long double *y) {
    if (!isfinite(t)) return 1;
    reference_state state = nearest(ref, t);
    for (int k = 0; state.t != t; k++) {
        long double left = t - state.t, proposed;
        int last = fabsl(left) <= ref->h;
        long double h = last ? left : copysignl(ref->h, left);
        if (k == STEPS || ref->h < 1e-14L) return 1;
        int accepted = step(ref, state.y, h, &proposed);
        if (!last || !accepted) ref->h = fabsl(proposed);
        if (!accepted) continue;
        state.t = last ? (long double)t : state.t + h;
        if (t > ref->start.t) keep(ref, &state);
    }
    for (int i = 0; i < ref->n; i++) y[i] = state.y[i];
    return 0;
}
