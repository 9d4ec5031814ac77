/* Runs that go back in time. With tau = -t and u = -v the equations keep their form,
 *
 *     dq/dtau = DL_q(e) u,   M du/dtau = f(-tau, q, -u, ..),   g = 0,   k(-tau, q, -u) = 0,
 *     dr/dtau = -f_r,        psi -> -psi,
 *
 * so that everything above this folder goes forward in tau. The functions of the problem see t, v
 * and psi; what they return is odd where it has one rate, or one derivative by t, v or psi. */
#include "problem/eval.h"

#include "base/vec.h"

void eval_negate(int n, const double *x, double *out) {
    for (int i = 0; i < n; i++) out[i] = -x[i];
}

void eval_mirror(const eval *e, sodae_point *at) {
    double *v = e->mirror, *psi = v + e->nv;
    at->t = -at->t;
    if (at->v) eval_negate(e->nv, at->v, v), at->v = v;
    if (at->psi) eval_negate(e->np, at->psi, psi), at->psi = psi;
}

static int is_odd_function(sodae_function f) {
    return f == SODAE_DYNAMIC || f == SODAE_HOLONOMIC_RATE || f == SODAE_NONHOLONOMIC_DRIFT;
}

void eval_mirror_value(sodae_function f, int n, double *out) {
    if (is_odd_function(f)) vec_scale(n, -1, out);
}

void eval_mirror_block(sodae_function f, sodae_variable x, int n, double *values) {
    int odd = x == SODAE_T || x == SODAE_V || x == SODAE_PSI;
    if (odd != is_odd_function(f)) vec_scale(n, -1, values);
}
