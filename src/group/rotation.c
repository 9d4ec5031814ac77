#include "group/rotation.h"

#include <math.h>

/* c = sum (-s)^k / (2k+3)!,  e = sum (-s)^k (2k+2) / (2k+4)!  with e = (2(1 - cos t) - t sin t) /
 * t^4. 16 terms leave less than 1e-19 for s <= 9; above, the closed forms cancel at most a factor
 * of 3. */
enum { TERMS = 16 };
#define SERIES_BELOW 9.0
#define SMALL        0.0625

/* Ratios of neighbouring terms, without -s. */
#define C_RATIO(k) (1.0 / ((2.0 * (k) + 4) * (2.0 * (k) + 5)))
#define E_RATIO(k) ((2.0 * (k) + 4) / ((2.0 * (k) + 2) * (2.0 * (k) + 5) * (2.0 * (k) + 6)))
#define ALL(R)                                                                                     \
    {                                                                                              \
        R(0), R(1), R(2), R(3), R(4), R(5), R(6), R(7), R(8), R(9), R(10), R(11), R(12), R(13),    \
            R(14), R(15)                                                                           \
    }
static const double c_ratio[TERMS] = ALL(C_RATIO), e_ratio[TERMS] = ALL(E_RATIO);

/* sum = first (1 - r_0 s (1 - r_1 s (...))) and its derivative by s. */
static double series(double first, const double ratio[TERMS], double s, double *derivative) {
    double sum = 1, slope = 0;
    for (int k = TERMS; k-- > 0;) {
        slope = -ratio[k] * (sum + s * slope);
        sum = 1 - ratio[k] * s * sum;
    }
    *derivative = first * slope;
    return first * sum;
}

/* sum (-s)^k / (2k+1)! and sum (-s)^k / (2k+2)! to 2e-17 for s < 1/16: of the turn of a step. */
static void small_sine_parts(double s, double *a, double *b) {
    *a = 1 - 1.0 / 6 * s *
                 (1 - 1.0 / 20 * s * (1 - 1.0 / 42 * s * (1 - 1.0 / 72 * s * (1 - 1.0 / 110 * s))));
    *b = 0.5 * (1 - 1.0 / 12 * s *
                        (1 - 1.0 / 30 * s *
                                 (1 - 1.0 / 56 * s * (1 - 1.0 / 90 * s * (1 - 1.0 / 132 * s)))));
}

/* a = sin t / t, b = (1 - cos t) / t^2 = sin(t/2)^2 / (2 (t/2)^2); returns s. */
static double sine_parts(const double w[3], double *a, double *b) {
    double s = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (s < SMALL) {
        small_sine_parts(s, a, b);
        return s;
    }
    double t = sqrt(s);
    double sinc = t > 0 ? sin(t / 2) / (t / 2) : 1;
    *a = t > 0 ? sin(t) / t : 1;
    *b = sinc * sinc / 2;
    return s;
}

void group_angle_of(const double w[3], group_angle *g) {
    double e, de, s = sine_parts(w, &g->a, &g->b);
    if (s < SERIES_BELOW) {
        g->c = series(1.0 / 6, c_ratio, s, &g->dc);
        e = series(1.0 / 12, e_ratio, s, &de);
    } else {
        e = (2 * g->b - g->a) / s;
        de = (g->a - cos(sqrt(s))) / (2 * s * s) - 2 * e / s;
        g->c = (1 - g->a) / s;
        g->dc = (g->b - 3 * g->c) / (2 * s);
    }
    g->db = -e / 2;
    g->d = e / (2 * g->b);
    g->dd = (de * g->b + e * e / 2) / (2 * g->b * g->b);
}

void group_skew_polynomial(const double w[3], double p, double q, double A[9]) {
    double x = w[0], y = w[1], z = w[2];
    A[0] = 1 - q * (y * y + z * z);
    A[4] = 1 - q * (x * x + z * z);
    A[8] = 1 - q * (x * x + y * y);
    A[1] = q * x * y + p * z;
    A[3] = q * x * y - p * z;
    A[2] = q * x * z - p * y;
    A[6] = q * x * z + p * y;
    A[5] = q * y * z + p * x;
    A[7] = q * y * z - p * x;
}

void group_skew_derivative(const double w[3], const double u[3], double p, double q, double dp,
                           double dq, double A[9]) {
    double wu = 2 * (w[0] * u[0] + w[1] * u[1] + w[2] * u[2]);
    double skew[3];
    for (int i = 0; i < 3; i++) skew[i] = p * u[i] + wu * dp * w[i];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int k = (j + 1) % 3, l = (j + 2) % 3;
            /* W U + U W = u w^T + w u^T - 2 (w.u) I; its diagonal without cancellation. */
            double square = i == j ? -(w[k] * w[k] + w[l] * w[l]) : w[i] * w[j];
            double mixed = i == j ? -2 * (w[k] * u[k] + w[l] * u[l]) : u[i] * w[j] + w[i] * u[j];
            A[i + 3 * j] = q * mixed + wu * dq * square;
        }
    A[1] += skew[2], A[3] -= skew[2];
    A[6] += skew[1], A[2] -= skew[1];
    A[5] += skew[0], A[7] -= skew[0];
}

void group_rotation_exp(const double w[3], double R[9]) {
    double a, b;
    sine_parts(w, &a, &b);
    group_skew_polynomial(w, -a, b, R);
}

/* c, or e, by the terms that count; `closed` where there is no series. */
static double series_alone(double first, const double ratio[TERMS], double s, double closed) {
    double sum = 1;
    if (!(s < SERIES_BELOW)) return closed;
    for (int k = s < SMALL ? 6 : TERMS; k-- > 0;) sum = 1 - ratio[k] * s * sum;
    return first * sum;
}

void group_rotation_tangent(const double w[3], double T[9]) {
    double a, b, s = sine_parts(w, &a, &b);
    group_skew_polynomial(w, -b, series_alone(1.0 / 6, c_ratio, s, (1 - a) / s), T);
}

void group_rotation_tangent_inverse(const double w[3], double T[9]) {
    double a, b, s = sine_parts(w, &a, &b);
    double e = series_alone(1.0 / 12, e_ratio, s, (2 * b - a) / s);
    group_skew_polynomial(w, 0.5, e / (2 * b), T);
}

void group_quaternion_log(const double q[4], double w[3]) {
    const double two_pi = 6.283185307179586;
    double n = sqrt(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (n == 0 && q[0] < 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) {
        w[0] = two_pi, w[1] = 0, w[2] = 0; /* -1: every direction is as good */
        return;
    }
    double factor = n > 0 ? 2 * atan2(n, q[0]) / n : 2 / q[0];
    for (int i = 0; i < 3; i++) w[i] = factor * q[i + 1];
}

/* Quaternion (times some positive number, w >= 0) from the largest of its four squares: no
 * cancellation at any angle. */
static void quaternion_of(const double R[9], double q[4]) {
    double trace = R[0] + R[4] + R[8];
    int i = R[4] > R[0] ? 1 : 0;
    if (R[8] > R[4 * i]) i = 2;
    if (trace >= R[4 * i]) {
        q[0] = 1 + trace;
        q[1] = R[7] - R[5], q[2] = R[2] - R[6], q[3] = R[3] - R[1];
        return;
    }
    int j = (i + 1) % 3, k = (i + 2) % 3;
    q[0] = R[3 * k + j] - R[3 * j + k];
    q[1 + i] = 1 + R[4 * i] - R[4 * j] - R[4 * k];
    q[1 + j] = R[3 * i + j] + R[3 * j + i];
    q[1 + k] = R[3 * i + k] + R[3 * k + i];
    if (q[0] < 0)
        for (int m = 0; m < 4; m++) q[m] = -q[m];
}

void group_rotation_log(const double R[9], double w[3]) {
    double q[4];
    quaternion_of(R, q);
    group_quaternion_log(q, w);
}

void group_rotation_product(const double R1[9], const double R2[9], double R[9]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[3 * i + j] =
                R1[3 * i] * R2[j] + R1[3 * i + 1] * R2[3 + j] + R1[3 * i + 2] * R2[6 + j];
}

void group_rotation_apply(const double R[9], const double x[3], double y[3]) {
    for (int i = 0; i < 3; i++) y[i] = R[3 * i] * x[0] + R[3 * i + 1] * x[1] + R[3 * i + 2] * x[2];
}

double group_rotation_defect(const double R[9]) {
    double n[3], worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double *x = R + 3 * i, *y = R + 3 * j;
            worst = fmax(worst, fabs(x[0] * y[0] + x[1] * y[1] + x[2] * y[2] - (i == j)));
        }
    group_cross(R, R + 3, n); /* the determinant shows a reflection */
    double det = n[0] * R[6] + n[1] * R[7] + n[2] * R[8];
    return fmax(worst, fabs(det - 1));
}

void group_cross(const double x[3], const double y[3], double z[3]) {
    z[0] = x[1] * y[2] - x[2] * y[1];
    z[1] = x[2] * y[0] - x[0] * y[2];
    z[2] = x[0] * y[1] - x[1] * y[0];
}

void group_so3_tangent(const sodae_group *self, int n, const double *dq, double *T) {
    (void)self, (void)n;
    group_rotation_tangent(dq, T);
}

void group_so3_tangent_inverse(const sodae_group *self, int n, const double *dq, double *Tinv) {
    (void)self, (void)n;
    group_rotation_tangent_inverse(dq, Tinv);
}

void group_so3_bracket(const sodae_group *self, int n, const double *v, const double *w,
                       double *out) {
    (void)self, (void)n;
    group_cross(v, w, out);
}
