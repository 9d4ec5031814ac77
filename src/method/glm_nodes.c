/* Nodes of (multistep) Radau and Gauss collocation.
 *
 * Let u be the polynomial with given values at the points p_j of the past and given slopes at the
 * nodes c_i. u(1) is of the highest order when every e with e(p_j) = 0, e'(c_i) = 0 of degree
 * <= k + 2s - 2 (Radau) has e(1) = 0. With c_s = 1 such an e is
 * prod_j (x - p_j) (x - 1)^2 prod_{m != i} (x - c_m)^2, and e'(c_i) = 0 says
 *
 *   sum_j 1/(c_i - p_j) + 2/(c_i - 1) + sum_{m != i, m < s} 2/(c_i - c_m) = 0,   i = 1..s-1:
 *
 * unit charges at the past, double charges at the nodes, in equilibrium. One point of the past
 * gives the zeros of the Jacobi polynomial P^(1,0), Radau IIA; two with step ratio rho the root of
 * x^2 - (2 - 3 rho)/4 x - rho/4. Gauss: unit charges at 0 and 1, all s nodes free. The energy is
 * convex and self-concordant, so that Newton with the step 1/(1 + decrement) always arrives. */
#include "linear/small.h"
#include "method/glm.h"

#include <math.h>

enum { MOST = 200 };

typedef long double real;

typedef struct charges {
    int fixed, free;
    real at[GLM_STEPS + 1], size[GLM_STEPS + 1];
    real c[GLM_STAGES];
} charges;

/* Force and (negative) stiffness of the free charges. */
static void force(const charges *k, real *F, real H[GLM_STAGES][GLM_STAGES]) {
    for (int i = 0; i < k->free; i++) {
        F[i] = H[i][i] = 0;
        for (int j = 0; j < k->fixed; j++) {
            real d = 1 / (k->c[i] - k->at[j]);
            F[i] += k->size[j] * d;
            H[i][i] += k->size[j] * d * d;
        }
        for (int m = 0; m < k->free; m++) {
            if (m == i) continue;
            real d = 1 / (k->c[i] - k->c[m]);
            F[i] += 2 * d;
            H[i][i] += 2 * d * d;
            H[i][m] = -2 * d * d;
        }
    }
}

static void settle(charges *k) {
    real last = INFINITY;
    for (int it = 0; it < MOST; it++) {
        real F[GLM_STAGES], d[GLM_STAGES], H[GLM_STAGES][GLM_STAGES], decrement = 0;
        force(k, F, H);
        for (int i = 0; i < k->free; i++) d[i] = F[i];
        small_solve(k->free, H[0], GLM_STAGES, 1, d, 1);
        for (int i = 0; i < k->free; i++) decrement += F[i] * d[i];
        decrement = sqrtl(fmaxl(decrement, 0));
        if (decrement >= last && decrement < 1e-12L) return;
        real step = decrement > 0.1L ? 1 / (1 + decrement) : 1;
        for (int i = 0; i < k->free; i++) k->c[i] += step * d[i];
        last = decrement;
    }
}

void glm_nodes(glm_family family, int steps, const double *past, int stages, double *c) {
    charges k = {.fixed = steps + 1, .free = family == GLM_GAUSS ? stages : stages - 1};
    for (int j = 0; j < steps; j++) k.at[j] = past[j], k.size[j] = 1;
    k.at[steps] = 1;
    k.size[steps] = family == GLM_GAUSS ? 1 : 2;
    for (int i = 0; i < k.free; i++) k.c[i] = (i + 0.5L) / (real)(k.free + 0.5L);
    settle(&k);
    for (int i = 0; i < k.free; i++) c[i] = (double)k.c[i];
    if (family != GLM_GAUSS) c[stages - 1] = 1;
}
