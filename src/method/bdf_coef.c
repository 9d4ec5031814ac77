/* Coefficients of the BDF family for any history of steps and orders.
 *
 * Everything comes from divided differences on the grid sigma = (t - t_n) / h, newest point first:
 *
 *   ordinary  v_n = p_k'(t_n),  a_n = BDF_k of v                                       (2.28)
 *   modified  a_n = sum_i alpha_i v[t_n ... t_{n-i}], alpha from: exact for all polynomials q of
 *             degree k + 1 when every v is what its own formula makes of q           (3.21)-(3.26)
 *   direct    a_n = p_{k+1}''(t_n)                                                             */
#include "linear/small.h"
#include "method/bdf.h"

#include "base/vec.h"

/* D[j][l]: weight of datum l in the divided difference over nodes 0 ... j, 1 / prod_{m!=l} (x_l -
 * x_m); 0 for l > j. Nodes repeated at the end carry derivatives: the datum of repetition m is the
 * m-th derivative of p, and the recursion of divided differences makes their rows. */
static void differences(int n, const double *x, double D[][BDF_DATA]) {
    int p = n - 1; /* last node that is not a repetition */
    while (p > 0 && x[p] == x[p - 1]) p--;
    for (int j = 0; j <= p; j++) {
        double own = 1;
        for (int l = 0; l < j; l++) D[j][l] = D[j - 1][l] / (x[l] - x[j]), own *= x[j] - x[l];
        D[j][j] = 1 / own;
        for (int l = j + 1; l < n; l++) D[j][l] = 0;
    }
    for (int l = 0; l < n && p < n - 1; l++) {
        double T[BDF_DATA], factorial = 1;
        for (int i = 0; i < n; i++) T[i] = (i < p ? i : p) == l;
        for (int level = 1; level < n; level++) {
            factorial *= level;
            for (int i = 0; i + level < n; i++)
                if (x[i] != x[i + level])
                    T[i] = (T[i + 1] - T[i]) / (x[i + level] - x[i]);
                else
                    T[i] = l == p + level ? 1 / factorial : 0;
            if (level > p) D[level][l] = T[0];
        }
    }
}

/* Weights of p'(0) and p''(0) for nodes x with x[0] = 0:
 *   p' = sum_j D_j prod_{0<i<j} (-x_i),  p'' = 2 sum_j D_j prod_{0<i<j} (-x_i) sum_{0<i<j} 1/(-x_i)
 */
static void derivatives(int n, const double *x, double *first, double *second) {
    double D[BDF_DATA][BDF_DATA], product = 1, sum = 0;
    differences(n, x, D);
    for (int l = 0; l < n; l++) first[l] = second[l] = 0;
    for (int j = 1; j < n; j++) {
        for (int l = 0; l < n; l++) {
            first[l] += D[j][l] * product;
            second[l] += 2 * D[j][l] * product * sum;
        }
        product *= -x[j];
        sum += 1 / -x[j];
    }
}

/* Lagrange's weights at 0 of the polynomials through the newest 1, 2, ... old points, each from the
 * one before. */
void bdf_grid_weights(bdf_grid *g) {
    const double *x = g->sigma + 1;
    int most = g->count < BDF_WEIGHTS ? g->count : BDF_WEIGHTS;
    g->weight[1][1] = 1;
    for (int n = 1; n < most; n++) {
        const double *before = g->weight[n];
        double *w = g->weight[n + 1], last = 1;
        for (int l = 0; l < n; l++) {
            double part = 1 / (x[n] - x[l]);
            w[l + 1] = before[l + 1] * (x[n] * part);
            last *= -x[l] * part;
        }
        w[n + 1] = last;
    }
}

void bdf_extrapolation(int old, int hermite, const bdf_grid *g, double *w, double *ws) {
    double x[BDF_DATA] = {0}, D[BDF_DATA][BDF_DATA], product = 1, all[BDF_DATA] = {0};
    double scale = g->h;
    int n = old + hermite;
    for (int l = 0; l < BDF_HERMITE; l++) ws[l] = 0;
    if (!hermite) {
        vec_copy(old, g->weight[old] + 1, w + 1);
        return;
    }
    for (int i = 0; i < n; i++) x[i] = g->sigma[i < old ? i + 1 : old];
    differences(n, x, D);
    for (int j = 0; j < n; j++) {
        for (int l = 0; l < n; l++) all[l] += D[j][l] * product;
        product *= -x[j];
    }
    for (int l = 0; l < old; l++) w[l + 1] = all[l];
    for (int l = 0; l < hermite; l++, scale *= g->h) ws[l] = all[old + l] * scale;
}

/* Integral over [-1, 0] of N_j = prod_{i<j} (sigma - x_i), less beta N_j(0); N holds the
 * coefficients of N_j, by powers. */
static double integral(int j, const double *N, double beta) {
    double value = -beta * N[0], sign = 1;
    for (int i = 0; i <= j; i++, sign = -sign) value += sign * N[i] / (i + 1);
    return value;
}

static void multiply(int j, double x, double *N) {
    N[j + 1] = 0;
    for (int i = j + 1; i >= 0; i--) N[i] = (i ? N[i - 1] : 0) - x * N[i];
}

int bdf_quadrature(int data, int hermite, double c0, const bdf_grid *g, double *b, double *bs) {
    int old = data < g->count ? data : g->count,
        n = old < data && hermite > 0 ? old + hermite : old;
    double x[BDF_DATA] = {0}, D[BDF_DATA][BDF_DATA], N[BDF_DATA + 1] = {1}, all[BDF_DATA] = {0};
    double scale = g->h;
    if (n > data) n = data;
    for (int i = 0; i < n; i++) x[i] = g->sigma[i < old ? i + 1 : old];
    differences(n, x, D);
    for (int j = 0; j < n; j++) {
        double part = integral(j, N, 1 / (c0 * g->h));
        for (int l = 0; l < n; l++) all[l] += D[j][l] * part;
        multiply(j, x[j], N);
    }
    for (int l = 0; l < old; l++) b[l + 1] = all[l] * g->h;
    for (int l = 0; l < BDF_HERMITE - 1; l++) {
        scale *= g->h;
        bs[l] = old + l < n ? all[old + l] * scale : 0;
    }
    return old;
}

/* p = q_n + sigma (divided difference), so p'(0) = sum_l w_l (q_n - q_l) / -sigma_l, w the weights
 * at 0 through the old points. */
void bdf_derivative_weights(int k, const bdf_grid *g, double *c) {
    const double *w = g->weight[k];
    c[0] = 0;
    for (int l = 1; l <= k; l++) {
        c[l] = w[l] / (g->sigma[l] * g->h);
        c[0] -= c[l];
    }
}

/* N_s = prod_{m=0..s} (sigma - x_m) at y, and its derivative. */
static double basis(const double *x, int s, double y) {
    double value = 1;
    for (int m = 0; m <= s; m++) value *= y - x[m];
    return value;
}

static double basis_slope(const double *x, int s, double y) {
    double value = 0;
    for (int l = 0; l <= s; l++) {
        double term = 1;
        for (int m = 0; m <= s; m++) term *= m == l ? 1 : y - x[m];
        value += term;
    }
    return value;
}

/* What the formula of v_{n-i} makes of N_s on the nodes x, times h. */
static double velocity_of(const bdf_grid *g, const bdf_formula *f, const double *x, int s, int i) {
    const double *c = i ? g->c[i] : f->vq;
    int k = i ? g->order[i] : f->order;
    double value = 0;
    if (k == 0) return basis_slope(x, s, g->sigma[i]);
    for (int j = 0; j <= k; j++) value += g->h * c[j] * basis(x, s, g->sigma[i + j]);
    return value;
}

/* (3.26) on the basis N_1 ... N_k, each row divided by its right hand side N_s''(0). */
static void solve_conditions(int k, const bdf_grid *g, bdf_formula *f, double D[][BDF_DATA]) {
    long double A[BDF_MAX][BDF_MAX], alpha[BDF_MAX];
    double product = 1, sum = 0, pi = 1;
    for (int s = 1; s <= k; s++) {
        product *= -g->sigma[s];
        sum += 1 / -g->sigma[s];
        for (int i = 1; i <= k; i++) {
            A[s - 1][i - 1] = 0;
            for (int l = 0; l <= i; l++)
                A[s - 1][i - 1] +=
                    D[i][l] * velocity_of(g, f, g->sigma, s, l) / (2 * product * sum);
        }
        alpha[s - 1] = 1;
    }
    int regular = small_solve(k, A[0], BDF_MAX, 1, alpha, 1);
    f->growth = regular ? 0 : INFINITY;
    for (int i = 1; i <= k; i++) f->alpha[i] = (double)alpha[i - 1];
    for (int i = 1; i <= k && regular; i++) {
        f->growth = larger(f->growth, fabs(f->alpha[i]) / pi);
        pi *= -g->sigma[i];
    }
    if (isnan(f->growth)) f->growth = INFINITY;
}

/* a_n = sum_i alpha_i v[t_n ... t_{n-i}] = sum_i av_i v_{n-i} */
static void modified(int k, const bdf_grid *g, bdf_formula *f) {
    double D[BDF_DATA][BDF_DATA], power = 1;
    differences(k + 1, g->sigma, D);
    solve_conditions(k, g, f, D);
    for (int l = 0; l <= k; l++) f->av[l] = 0;
    for (int i = 1; i <= k; i++, power *= g->h) {
        for (int l = 0; l <= i; l++) f->av[l] += f->alpha[i] * D[i][l] / g->h;
        f->alpha[i] *= power;
    }
}

/* p of degree `degree` through q_n, the newest old values and, at the start, v_0 and v'_0: weights
 * of its first or second derivative at t_n. Returns the number of old values. */
static int interpolant(int degree, int order, const bdf_grid *g, double *w, double *ws) {
    int old = degree < g->count ? degree : g->count, hermite = degree - old;
    if (order == 1 && !hermite) return bdf_derivative_weights(degree, g, w), old;
    double x[BDF_DATA], D[2][BDF_DATA], power = order == 1 ? 1 : 1 / g->h;
    for (int i = 0; i <= degree; i++) x[i] = g->sigma[i < old ? i : old];
    derivatives(degree + 1, x, D[0], D[1]);
    for (int i = 0; i <= old; i++) w[i] = D[order - 1][i] * power / g->h;
    for (int i = 0; i < hermite; i++, power *= g->h) ws[i] = D[order - 1][old + 1 + i] * power;
    return old;
}

int bdf_rate_weights(int k, const bdf_grid *g, double *c, double *start) {
    double w[BDF_DATA], ws[BDF_HERMITE] = {0};
    int old = interpolant(k, 1, g, w, ws);
    vec_copy(old + 1, w, c);
    *start = ws[0];
    return old;
}

void bdf_coefficients(bdf_kind kind, int high, int k, const bdf_grid *g, bdf_formula *f) {
    *f = (bdf_formula){.kind = kind, .order = k};
    f->degree = k + (high && kind == BDF_DIRECT);
    f->old = interpolant(f->degree, 1, g, f->vq, f->vs);
    if (kind == BDF_DIRECT) {
        f->old = interpolant(k + 1, 2, g, f->aq, f->as);
        return;
    }
    if (kind == BDF_MODIFIED)
        modified(k, g, f);
    else
        vec_copy(k + 1, f->vq, f->av);
    if (kind == BDF_ORDINARY) f->ar = f->vs[0];
    for (int i = 0; i <= k; i++) f->aq[i] = f->av[0] * f->vq[i];
    for (int i = 0; i < 2; i++) f->as[i] = f->av[0] * f->vs[i];
}

double bdf_error_constant(const bdf_grid *g, const bdf_formula *f, double *product) {
    int k = f->order;
    double x[BDF_DATA] = {0}, all = 1, sum = 0, value = 0;
    for (int i = 1; i <= k + 1; i++) {
        x[i] = g->sigma[i < g->count ? i : g->count];
        all *= -x[i];
        sum += 1 / -x[i];
    }
    *product = all * -g->sigma[k + 2 < g->count ? k + 2 : g->count];
    for (int i = 1; i <= k && f->kind == BDF_MODIFIED; i++)
        value += g->h * f->av[i] * velocity_of(g, f, x, k + 1, i);
    return value - 2 * all * sum;
}
