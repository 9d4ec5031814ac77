/* The matrices of a general linear method from its past points and nodes.
 *
 * Radau and Gauss: u of degree k + s - 1 with u(p_j) = y_{n-j}, u'(c_i) = f_i; one and the same
 * formula for q' = v, v' = a and r' = f_r, condensed:  Et = At, Bt = Ft Et, Dt = Ft^2, Kt = 0. With
 * k = 1 that is At = 1, Bt = c, Ft = A, Dt = A^2 and, for the new state, b and b A (Table 6.1).
 * Direct: u(p_j) = q_{n-j}, u''(c_i) = a_i, v = u'; for r the Radau formula on the same nodes.
 * The polynomials are found in the basis (x/R)^m, R = the reach of the past. */
#include "linear/small.h"
#include "method/glm.h"

#include <math.h>

enum { SIZE = GLM_STEPS + GLM_STAGES };

typedef long double real;

/* The value (order 0) or a derivative of (x/R)^m with respect to x. */
static real monomial(int m, int order, real x, real R) {
    real y = 1;
    if (m < order) return 0;
    for (int i = 0; i < order; i++) y *= (real)(m - i) / R;
    for (int i = order; i < m; i++) y *= x / R;
    return y;
}

/* Weights of the derivative `out` of u at the nodes and at 1, where u is given by its values at the
 * past and its derivatives of order `in` at the nodes. */
static void weigh(const glm_table *t, int in, int out, double past[GLM_ROWS][GLM_STEPS],
                  double stage[GLM_ROWS][GLM_STAGES]) {
    int k = t->steps, s = t->stages, n = k + s;
    real A[SIZE][SIZE], X[SIZE][GLM_ROWS], R = fmaxl(1, -t->past[k - 1]);
    for (int m = 0; m < n; m++) { /* transposed: W M = E */
        for (int j = 0; j < k; j++) A[m][j] = monomial(m, 0, t->past[j], R);
        for (int i = 0; i < s; i++) A[m][k + i] = monomial(m, in, t->c[i], R);
        for (int i = 0; i <= s; i++) X[m][i] = monomial(m, out, i < s ? t->c[i] : 1, R);
    }
    small_solve(n, A[0], SIZE, s + 1, X[0], GLM_ROWS);
    for (int i = 0; i <= s; i++) {
        for (int j = 0; j < k; j++) past[i][j] = (double)X[j][i];
        for (int j = 0; j < s; j++) stage[i][j] = (double)X[k + j][i];
    }
}

/* q through v: Bt = Ft Et, Dt = Ft^2. */
static void condense(glm_table *t) {
    for (int i = 0; i <= t->stages; i++) {
        for (int j = 0; j < t->steps; j++) {
            t->Bt[i][j] = 0;
            for (int m = 0; m < t->stages; m++) t->Bt[i][j] += t->Ft[i][m] * t->Et[m][j];
        }
        for (int j = 0; j < t->stages; j++) {
            t->Dt[i][j] = 0;
            for (int m = 0; m < t->stages; m++) t->Dt[i][j] += t->Ft[i][m] * t->Ft[m][j];
        }
    }
}

/* 1 / |C^-1| in the maximum norm. */
static double smallest_gain(int s, double C[GLM_ROWS][GLM_STAGES]) {
    real A[SIZE][SIZE], X[SIZE][GLM_ROWS], norm = 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) A[i][j] = C[i][j], X[i][j] = i == j;
    small_solve(s, A[0], SIZE, s, X[0], GLM_ROWS);
    for (int i = 0; i < s; i++) {
        real sum = 0;
        for (int j = 0; j < s; j++) sum += fabsl(X[i][j]);
        norm = fmaxl(norm, sum);
    }
    return (double)(1 / norm);
}

/* Error of the quadrature over [0,1] that leaves out the last of n points: the divided difference
 * of the rate times the integral of prod_{m<n} (x - x_m). Returns the integral. */
static real leave_out_last(int n, const real *x, double *weights) {
    real p[SIZE + 1] = {1}, integral = 0;
    for (int m = 0; m < n - 1; m++) /* p <- p (x - x_m), lowest power first */
        for (int d = m + 1; d >= 0; d--) p[d] = (d ? p[d - 1] : 0) - x[m] * (d <= m ? p[d] : 0);
    for (int d = 0; d < n; d++) integral += p[d] / (d + 1);
    for (int m = 0; m < n; m++) {
        real w = integral;
        for (int l = 0; l < n; l++)
            if (l != m) w /= x[m] - x[l];
        weights[m] = (double)w;
    }
    return integral;
}

/* The derivative of order n - 3 of a rate by all points but two, those without which the others
 * lie around the same instant. */
static void set_lower(glm_table *t, int n, const real *x) {
    int out[2] = {0, 1};
    real mean = 0, best = INFINITY;
    for (int m = 0; m < n; m++) mean += x[m] / n;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            real off = fabsl(x[i] + x[j] - 2 * mean);
            if (off < best) best = off, out[0] = i, out[1] = j;
        }
    for (int m = 0; m < n; m++) {
        real w = tgammal(n - 2);
        for (int l = 0; l < n; l++)
            if (l != m && l != out[0] && l != out[1]) w /= x[m] - x[l];
        if (m == out[0] || m == out[1]) w = 0;
        *(m < t->steps ? &t->past_lower[m] : &t->stage_lower[m - t->steps]) = (double)w;
    }
}

static void set_error(glm_table *t) {
    int k = t->steps, s = t->stages, n = k + s;
    double weights[SIZE];
    real x[SIZE];
    for (int j = 0; j < k; j++) x[j] = t->past[j];
    for (int i = 0; i < s; i++) x[k + i] = t->c[i];
    t->c_estimate = (double)(fabsl(leave_out_last(n, x, weights)) / tgammal(n));
    for (int j = 0; j < k; j++) t->past_error[j] = weights[j];
    for (int i = 0; i < s; i++) t->stage_error[i] = weights[k + i];
    leave_out_last(s, x + k, t->own_error);
    set_lower(t, n, x);
}

/* y' = f(t): the formula is wrong by what it makes of y = x^(p+1) / (p+1)!. For y' = f(y) errors of
 * the stages come in: the defect of the collocation polynomial is O(h^(k+s-1)) and by orthogonality
 * of the nodes seen through the derivative of order p + 1 - k - s of the flow only, so that for
 * y' = y the error is larger by binomial(p, k + s - 1). */
static void set_local_error(glm_table *t) {
    int k = t->steps, s = t->stages;
    int p = t->order = t->family == GLM_GAUSS ? 2 * s : k + 2 * s - 2;
    real d = 1, below = k + s - 1;
    for (int j = 0; j < k; j++) d -= t->Er[s][j] * powl(t->past[j], p + 1);
    for (int i = 0; i < s; i++) d -= t->Fr[s][i] * (p + 1) * powl(t->c[i], p);
    real binomial = tgammal(p + 1) / tgammal(below + 1) / tgammal(p - below + 1);
    t->c_local = (double)(fabsl(d) / tgammal(p + 2) * binomial);
    /* prod (1 - c_i) / (s + 1)!, the error at 1 of the polynomial through y(0) and y(c_i), or of
     * its derivative where 1 is among the c_i */
    t->c_stiff = 1 / (double)tgammal(s + 2);
    for (int i = 0; i < (t->stiffly ? s - 1 : s); i++) t->c_stiff *= 1 - t->c[i];
}

void glm_fill(glm_table *t, glm_family family, int steps, const double *past, int stages) {
    *t = (glm_table){.family = family, .steps = steps, .stages = stages};
    for (int j = 0; j < steps; j++) t->past[j] = past[j];
    t->stiffly = family != GLM_GAUSS;
    glm_nodes(family, steps, past, stages, t->c);
    weigh(t, 1, 0, t->Er, t->Fr);
    if (family == GLM_DIRECT) {
        weigh(t, 2, 0, t->At, t->Dt);
        weigh(t, 2, 1, t->Kt, t->Ft);
    } else {
        for (int i = 0; i <= stages; i++) {
            for (int j = 0; j < steps; j++) t->At[i][j] = t->Et[i][j] = t->Er[i][j];
            for (int j = 0; j < stages; j++) t->Ft[i][j] = t->Fr[i][j];
        }
        condense(t);
    }
    t->gq = smallest_gain(stages, t->Dt);
    t->gv = smallest_gain(stages, t->Ft);
    set_error(t);
    if (family != GLM_DIRECT) set_local_error(t);
}

void glm_lagrange_rate(int n, const double *c, double x, double *w) {
    for (int i = 0; i < n; i++) {
        w[i] = 0;
        for (int k = 0; k < n; k++) {
            double product = k == i ? 0 : 1 / (c[i] - c[k]);
            for (int j = 0; j < n; j++)
                if (j != i && j != k) product *= (x - c[j]) / (c[i] - c[j]);
            w[i] += product;
        }
    }
}

void glm_lagrange(int n, const double *c, double x, double *w) {
    for (int i = 0; i < n; i++) {
        w[i] = 1;
        for (int j = 0; j < n; j++)
            if (j != i) w[i] *= (x - c[j]) / (c[i] - c[j]);
    }
}
