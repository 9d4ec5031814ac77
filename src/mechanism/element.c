#include "mechanism/element.h"

#include "group/rotation.h"
#include "mechanism/vector.h"

#include <math.h>
#include <string.h>

/* d(s) = (1 - (t/2) cot(t/2)) / t^2 = 2 sum_n 1 / (4 pi^2 n^2 - s) with s = t^2, so that
 * d'' = 4 sum_n 1 / (4 pi^2 n^2 - s)^3. The first term as it is, the others as a series in s,
 * sum_k (k+1)(k+2)/2 (zeta(2k+6) - 1) s^k / (4 pi^2)^(k+3): 12 terms reach rounding up to t = pi.
 */
static double second_slope(double s) {
    static const double zeta_less_1[] = {
        0.017343061984449139715,   0.0040773561979443393787, 0.00099457512781808533715,
        0.00024608655330804829864, 6.1248135058704829259e-5, 1.5282259408651871733e-5,
        3.8172932649998398565e-6,  9.5396203387279611315e-7, 2.3845050272773299e-7,
        5.9608189051259479612e-8,  1.4901554828365041235e-8, 3.7253340247884570548e-9};
    const double p = 39.478417604357434475;
    double sum = 0;
    for (int k = 11; k >= 0; k--) sum = sum * (s / p) + 0.5 * (k + 1) * (k + 2) * zeta_less_1[k];
    return 4 * (1 / ((p - s) * (p - s) * (p - s)) + sum / (p * p * p));
}

void element_relative(const double HA[12], const double HB[12], double d[6]) {
    double H[12], gap[3];
    v3_sub(HB, HA, gap);
    m3_apply_transposed(HA + 3, gap, H);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[3 + 3 * i + j] =
                HA[3 + i] * HB[3 + j] + HA[6 + i] * HB[6 + j] + HA[9 + i] * HB[9 + j];
    sodae_se3.log(&sodae_se3, 6, H, d);
}

/* out = [A X; 0 A], all by rows; A, X by columns */
static void put_blocks(double sign, const double A[9], const double X[9], double out[36]) {
    memset(out, 0, 36 * sizeof *out);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            out[6 * i + j] = out[6 * (3 + i) + 3 + j] = sign * A[i + 3 * j];
            out[6 * i + 3 + j] = sign * X[i + 3 * j];
        }
}

/* P = [-T^-1(-d)  T^-1(d)], T^-1(d) = [A X; 0 A], A = I + W/2 + d W^2, X its derivative along u. */
static void gradients(const double d[6], double P[2][36]) {
    group_angle g;
    double A[9], X[9];
    group_angle_of(d + 3, &g);
    for (int k = 0; k < 2; k++) {
        double half = k ? 0.5 : -0.5;
        group_skew_polynomial(d + 3, half, g.d, A);
        group_skew_derivative(d + 3, d, half, g.d, 0, g.dd, X);
        put_blocks(k ? 1 : -1, A, X, P[k]);
    }
}

static void apply(const double A[36], const double x[6], double y[6]) {
    for (int i = 0; i < 6; i++) {
        y[i] = 0;
        for (int j = 0; j < 6; j++) y[i] += A[6 * i + j] * x[j];
    }
}

/* C = A B; C is neither. */
static void product(const double A[36], const double B[36], double C[36]) {
    for (int i = 0; i < 6; i++) {
        double row[6] = {0};
        for (int k = 0; k < 6; k++)
            for (int j = 0; j < 6; j++) row[j] += A[6 * i + k] * B[6 * k + j];
        memcpy(C + 6 * i, row, sizeof row);
    }
}

static void transpose(const double A[36], double B[36]) {
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) B[6 * i + j] = A[6 * j + i];
}

/* s_d = tau K / L P v */
static void damping_part(const element_data *e, const element_state *s, double out[6]) {
    double rate[6], other[6];
    apply(s->P[0], s->v[0], rate);
    apply(s->P[1], s->v[1], other);
    for (int i = 0; i < 6; i++) rate[i] = e->damping / e->L * (rate[i] + other[i]);
    apply(e->K, rate, out);
}

int element_evaluate(const element_data *e, const double HA[12], const double HB[12],
                     const double vA[6], const double vB[6], element_state *s) {
    double strain[6], more[6];
    element_relative(HA, HB, s->d);
    if (!(v3_dot(s->d + 3, s->d + 3) <= ELEMENT_MOST * ELEMENT_MOST)) return 1;
    for (int i = 0; i < 6; i++) strain[i] = s->d[i] / e->L - e->f0[i];
    apply(e->K, strain, s->sigma);
    gradients(s->d, s->P);
    memcpy(s->v[0], vA, sizeof s->v[0]);
    memcpy(s->v[1], vB, sizeof s->v[1]);
    if (e->damping != 0) {
        damping_part(e, s, more);
        for (int i = 0; i < 6; i++) s->sigma[i] += more[i];
    }
    for (int j = 0; j < 12; j++) {
        s->f[j] = 0;
        for (int k = 0; k < 6; k++) s->f[j] += s->P[j / 6][6 * k + j % 6] * s->sigma[k];
    }
    return 0;
}

/* M += s hat(w) at (r, c) */
static void add_hat(double s, const double w[3], double M[36], int r, int c) {
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        M[6 * (r + i) + c + j] -= s * w[k];
        M[6 * (r + j) + c + i] += s * w[k];
    }
}

/* ad(x) = [phi~ u~; 0 phi~];  ad(e)^T s = C(s) e, C(s) = [0 n~; n~ m~];  ad(e) w = -ad(w) e */
static void adjoint(double s, const double x[6], double out[36]) {
    memset(out, 0, 36 * sizeof *out);
    add_hat(s, x + 3, out, 0, 0);
    add_hat(s, x + 3, out, 3, 3);
    add_hat(s, x, out, 0, 3);
}

static void by_direction(int dual, const double x[6], double out[36]) {
    if (!dual) {
        adjoint(-1, x, out);
        return;
    }
    memset(out, 0, 36 * sizeof *out);
    add_hat(1, x, out, 0, 3);
    add_hat(1, x, out, 3, 0);
    add_hat(1, x + 3, out, 3, 3);
}

/* The derivative by d of T^-1(d) x or, dual, of T^-T(d) x, at fixed x, is half + odd, at -d it is
 * half - odd. With B = ad(d) or ad(d)^T, x_k = B^k x, B'(x_k) = `by_direction` and
 * T^-1 = I + B/2 + a B^2 + b B^4, a = d - s d', b = -d', a'/t = -2 s d'', b'/t = -2 d'':
 *
 *   half = B'(x)/2,  odd = a X + b (B'(x3) + B B'(x2) + B^2 X) + (a'/t x2 + b'/t x4) (0, phi)^T,
 *   X = B'(x1) + B B'(x) */
static void derivative(int dual, const double d[6], const double x[6], double half[36],
                       double odd[36]) {
    group_angle g;
    double B[36], A[36], xk[5][6], D[4][36], X[36], Y[36], Z[36], s = v3_dot(d + 3, d + 3);
    group_angle_of(d + 3, &g);
    double slope = -2 * second_slope(s), a = g.d - s * g.dd, b = -g.dd;
    adjoint(1, d, A);
    if (dual)
        transpose(A, B);
    else
        memcpy(B, A, sizeof B);
    memcpy(xk[0], x, sizeof xk[0]);
    for (int k = 0; k < 4; k++) {
        apply(B, xk[k], xk[k + 1]);
        by_direction(dual, xk[k], D[k]);
    }
    product(B, D[0], X);
    for (int i = 0; i < 36; i++) X[i] += D[1][i];
    product(B, X, Y);
    for (int i = 0; i < 36; i++) Y[i] += D[2][i];
    product(B, Y, Z);
    for (int i = 0; i < 36; i++) {
        half[i] = D[0][i] / 2;
        odd[i] = a * X[i] + b * (D[3][i] + Z[i]);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            odd[6 * i + 3 + j] += slope * (s * xk[2][i] + xk[4][i]) * d[3 + j];
}

/* KT = [G_A; G_B] [P_A P_B] */
static void expand(double G[2][36], const element_state *s, double KT[144]) {
    double W[36];
    for (int h = 0; h < 2; h++)
        for (int k = 0; k < 2; k++) {
            product(G[h], s->P[k], W);
            for (int i = 0; i < 6; i++)
                memcpy(KT + 12 * (6 * h + i) + 6 * k, W + 6 * i, 6 * sizeof *W);
        }
}

/* out = P_h^T Q */
static void projected(const element_state *s, int h, const double Q[36], double out[36]) {
    double T[36];
    transpose(s->P[h], T);
    product(T, Q, out);
}

/* Q = K / L, with damping + tau K / L (E(-d, v_A) + E(d, v_B)) */
static void stiffness(const element_data *e, const element_state *s, double Q[36]) {
    double E[36], half[36], odd[36], more[36];
    for (int i = 0; i < 36; i++) Q[i] = e->K[i] / e->L, E[i] = 0;
    if (e->damping == 0) return;
    for (int k = 0; k < 2; k++) {
        derivative(0, s->d, s->v[k], half, odd);
        for (int i = 0; i < 36; i++) E[i] += half[i] + (k ? odd[i] : -odd[i]);
    }
    product(Q, E, more);
    for (int i = 0; i < 36; i++) Q[i] += e->damping * more[i];
}

/* KT = ([D(-d, sigma); D(d, sigma)] + P^T Q) P */
void element_tangent(const element_data *e, const element_state *s, double KT[144]) {
    double Q[36], half[36], odd[36], G[2][36];
    stiffness(e, s, Q);
    derivative(1, s->d, s->sigma, half, odd);
    for (int h = 0; h < 2; h++) {
        projected(s, h, Q, G[h]);
        for (int i = 0; i < 36; i++) G[h][i] += half[i] + (h ? odd[i] : -odd[i]);
    }
    expand(G, s, KT);
}

void element_damping(const element_data *e, const element_state *s, double KT[144]) {
    double Q[36], G[2][36];
    for (int i = 0; i < 36; i++) Q[i] = e->damping * e->K[i] / e->L;
    for (int h = 0; h < 2; h++) projected(s, h, Q, G[h]);
    expand(G, s, KT);
}

double element_energy(const element_data *e, const element_state *s) {
    double strain[6], elastic[6], sum = 0;
    for (int i = 0; i < 6; i++) strain[i] = s->d[i] / e->L - e->f0[i];
    apply(e->K, strain, elastic);
    for (int i = 0; i < 6; i++) sum += 0.5 * e->L * strain[i] * elastic[i];
    return sum;
}

double element_dissipation(const element_data *e, const element_state *s) {
    double sd[6], rate, sum = 0;
    if (e->damping == 0) return 0;
    damping_part(e, s, sd);
    for (int i = 0; i < 6; i++) {
        rate = 0;
        for (int j = 0; j < 6; j++)
            rate += s->P[0][6 * i + j] * s->v[0][j] + s->P[1][6 * i + j] * s->v[1][j];
        sum += rate * sd[i];
    }
    return sum;
}

/* out = A^-1 of a symmetric matrix by Cholesky's factors; nonzero: it is not positive definite. */
static int inverse(const double A[36], double out[36]) {
    double L[36] = {0};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j <= i; j++) {
            double sum = A[6 * i + j];
            for (int k = 0; k < j; k++) sum -= L[6 * i + k] * L[6 * j + k];
            if (i == j && !(sum > 0)) return 1;
            L[6 * i + j] = i == j ? sqrt(sum) : sum / L[7 * j];
        }
    for (int c = 0; c < 6; c++) {
        double x[6];
        for (int i = 0; i < 6; i++) {
            x[i] = i == c;
            for (int k = 0; k < i; k++) x[i] -= L[6 * i + k] * x[k];
            x[i] /= L[7 * i];
        }
        for (int i = 5; i >= 0; i--) {
            for (int k = i + 1; k < 6; k++) x[i] -= L[6 * k + i] * x[k];
            x[i] /= L[7 * i];
        }
        for (int i = 0; i < 6; i++) out[6 * i + c] = x[i];
    }
    return 0;
}

int element_residual_bending(const double K[36], double L, const double f0[6], double out[36]) {
    double c[36], column[3], turned[3];
    if (inverse(K, c)) return 1;
    double more[9];
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, t[3];
        v3_cross(f0, e, t);
        for (int i = 0; i < 3; i++)
            column[i] =
                c[6 * (3 + i) + 3] * t[0] + c[6 * (3 + i) + 4] * t[1] + c[6 * (3 + i) + 5] * t[2];
        v3_cross(column, f0, turned); /* t~^T x = -t x x */
        for (int i = 0; i < 3; i++) more[3 * i + j] = turned[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) c[6 * i + j] += L * L / 12 * more[3 * i + j];
    return inverse(c, out);
}
