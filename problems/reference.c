/* Extrapolation of the explicit midpoint rule (Gragg 1965; Hairer, Norsett, Wanner, Solving
 * Ordinary Differential Equations I, section II.9): with n_j = 2j substeps the error has an
 * expansion in h^2, removed column by column up to order 16. */
#include "problems/reference.h"

#include <float.h>
#include <math.h>

enum { ROWS = 8, STEPS = 1000000 };
enum { EMPTY, WRITTEN, READY };

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
    ref->n = n;
    ref->rhs = rhs;
    ref->user = user;
    ref->start = (reference_state){.h = 1e-2L};
    for (int i = 0; i < n; i++) ref->start.y[i] = y0[i];
    for (int k = 0; k < REFERENCE_KEPT; k++) atomic_init(&ref->slot[k], EMPTY);
}

/* State k + 1 of the march. Threads that come at the same time compute the same numbers; the first
 * one writes them. */
static void keep(reference *ref, int k, const reference_state *state) {
    int empty = EMPTY;
    if (k >= REFERENCE_KEPT || !atomic_compare_exchange_strong(&ref->slot[k], &empty, WRITTEN))
        return;
    ref->kept[k] = *state;
    atomic_store_explicit(&ref->slot[k], READY, memory_order_release);
}

/* The last known state before t; returns its number in the march. */
static int nearest(reference *ref, long double t, reference_state *state) {
    int k = 0;
    while (k < REFERENCE_KEPT &&
           atomic_load_explicit(&ref->slot[k], memory_order_acquire) == READY &&
           ref->kept[k].t <= t)
        k++;
    *state = k ? ref->kept[k - 1] : ref->start;
    return k;
}

int reference_at(reference *ref, double t, long double *y) {
    reference_state state;
    if (!isfinite(t)) return 1;
    int k = nearest(ref, t, &state), marching = t > ref->start.t;
    for (int tries = 0; state.t != t; tries++) {
        long double left = t - state.t, proposed;
        int last = fabsl(left) < state.h;
        long double h = last ? left : copysignl(state.h, left);
        if (tries == STEPS || state.h < 1e-14L) return 1;
        int accepted = step(ref, state.y, h, &proposed);
        if (last) marching = 0;
        if (!last || !accepted) state.h = fabsl(proposed);
        if (!accepted) continue;
        state.t = last ? (long double)t : state.t + h;
        if (marching) keep(ref, k++, &state);
    }
    for (int i = 0; i < ref->n; i++) y[i] = state.y[i];
    return 0;
}
