/* Claims about SO(3), S^3 and SE(3), against power series in long double. */
#include <sodae/space.h>
#include <string.h>

#include "claims.h"

#define PI 3.14159265358979323846L

/* Reproducible numbers in (-1,1). */
static double noise(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*state / 0x1p63;
}

static void direction(uint64_t *state, long double n[3]) {
    long double length;
    do {
        for (int i = 0; i < 3; i++) n[i] = noise(state);
        length = sqrtl(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    } while (length < 0.1L || length > 1);
    for (int i = 0; i < 3; i++) n[i] /= length;
}

/* A vector of length t (to rounding of its components). */
static void vector(uint64_t *state, long double t, double w[3]) {
    long double n[3];
    direction(state, n);
    for (int i = 0; i < 3; i++) w[i] = (double)(t * n[i]);
}

/* S = sum_k A^k / (k + shift)!, n x n by rows: exp(A) for shift 0. */
static void power_series(int n, const long double *A, int shift, long double *S) {
    long double term[36], next[36];
    for (int i = 0; i < n * n; i++) S[i] = term[i] = i % (n + 1) == 0;
    for (int k = 1; k < 80; k++) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                next[n * i + j] = 0;
                for (int m = 0; m < n; m++) next[n * i + j] += term[n * i + m] * A[n * m + j];
                next[n * i + j] /= k + shift;
            }
        memcpy(term, next, sizeof term);
        for (int i = 0; i < n * n; i++) S[i] += term[i];
    }
}

/* Adds sign * skew(w) at row r, column c of an n x n matrix by rows. */
static void put_skew(int n, long double *A, int r, int c, int sign, const double *w) {
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        A[n * (r + k) + c + j] = sign * (long double)w[i];
        A[n * (r + j) + c + k] = -sign * (long double)w[i];
    }
}

/* exp of the 4 x 4 matrix [W u; 0 0]: R by rows and x. */
static void reference_exp(const double *u, const double *w, long double R[9], long double x[3]) {
    long double A[16] = {0}, S[16];
    put_skew(4, A, 0, 0, 1, w);
    for (int i = 0; i < 3; i++) A[4 * i + 3] = u ? u[i] : 0;
    power_series(4, A, 0, S);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) R[3 * i + j] = S[4 * i + j];
        x[i] = S[4 * i + 3];
    }
}

/* Sizes from 1e-300 to 3.14. */
static const double sizes[] = {1e-300, 1e-200, 1e-160, 1e-155, 1e-100, 1e-20, 1e-12, 1e-9,
                               1e-8,   3e-8,   1e-7,   1e-6,   1e-5,   1e-4,  1e-3,  1e-2,
                               0.03,   0.1,    0.3,    0.7,    1,      1.5,   2,     2.5,
                               2.9,    2.999,  3.001,  3.1,    3.14};
enum { NSIZES = sizeof sizes / sizeof *sizes };

static void exp_of_rotations_is_exact_to_rounding(void **state) {
    (void)state;
    uint64_t seed = 1;
    const sodae_group *g = &sodae_so3;
    for (int i = 0; i < 40 * NSIZES; i++) {
        double w[3], q[9];
        long double R[9], x[3], t = sizes[i % NSIZES];
        vector(&seed, t, w);
        g->exp(g, 0, w, q);
        reference_exp(NULL, w, R, x);
        for (int k = 0; k < 9; k++) CHECK_NEAR(q[k], (double)R[k], 1.2e-15);
        CHECK_IN(g->defect(g, 0, q), 0, 4e-15);
    }
}

static double distance3(const double *x, const double *y, double sign) {
    return sqrt(pow(x[0] - sign * y[0], 2) + pow(x[1] - sign * y[1], 2) +
                pow(x[2] - sign * y[2], 2));
}

static void log_undoes_exp_to_rounding_from_tiny_to_large_angles(void **state) {
    (void)state;
    uint64_t seed = 2;
    const sodae_group *groups[] = {&sodae_so3, &sodae_so3_quaternion, &sodae_s3};
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < 40 * NSIZES; i++) {
            double w[3], q[9], back[3];
            long double t = sizes[i % NSIZES];
            vector(&seed, t, w);
            groups[m]->exp(groups[m], 0, w, q);
            groups[m]->log(groups[m], 0, q, back);
            CHECK_NEAR(distance3(back, w, 1) / (double)t, 0, 1e-15);
        }
}

/* pi - gap for gaps 1e-1 ... 1e-15 and 0; at the last ones rounding may choose the other side. */
static void log_is_exact_to_rounding_near_pi(void **state) {
    (void)state;
    uint64_t seed = 3;
    for (int e = 1; e <= 16; e++)
        for (int i = 0; i < 50; i++) {
            double w[3], q[9], back[3];
            long double R[9], x[3], gap = e == 16 ? 0 : powl(10, -e);
            vector(&seed, PI - gap, w);
            reference_exp(NULL, w, R, x);
            for (int k = 0; k < 9; k++) q[k] = (double)R[k];
            sodae_so3.log(&sodae_so3, 0, q, back);
            double off = distance3(back, w, 1);
            if (e >= 14) off = fmin(off, distance3(back, w, -1));
            CHECK_NEAR(off / (double)PI, 0, 1e-15);
        }
}

static void log_at_pi_about_an_axis_is_pi(void **state) {
    (void)state;
    for (int axis = 0; axis < 3; axis++) {
        double R[9] = {0}, w[3];
        for (int i = 0; i < 3; i++) R[4 * i] = i == axis ? 1 : -1;
        sodae_so3.log(&sodae_so3, 0, R, w);
        for (int i = 0; i < 3; i++) CHECK_NEAR(fabs(w[i]), i == axis ? (double)PI : 0, 0);
    }
}

static void quaternions_of_opposite_sign_are_one_rotation_but_two_points_of_s3(void **state) {
    (void)state;
    double w[3] = {0.3, -0.4, 0.5}, q[4], minus[4], a[3], b[3];
    sodae_s3.exp(&sodae_s3, 0, w, q);
    for (int i = 0; i < 4; i++) minus[i] = -q[i];
    sodae_so3_quaternion.log(&sodae_so3_quaternion, 0, minus, a);
    CHECK_NEAR(distance3(a, w, 1), 0, 2e-16);
    sodae_s3.log(&sodae_s3, 0, minus, b);
    double t = sqrt(0.5), length = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    CHECK_NEAR(length, 2 * (double)PI - t, 2e-15);
    sodae_s3.exp(&sodae_s3, 0, b, q);
    for (int i = 0; i < 4; i++) CHECK_NEAR(q[i], minus[i], 5e-16);
    double one[4] = {-1, 0, 0, 0};
    sodae_s3.log(&sodae_s3, 0, one, b);
    CHECK_NEAR(b[0], 2 * (double)PI, 1e-15);
}

/* T = sum (-ad)^k / (k+1)!; on SE(3) ad = [W U; 0 W]. */
static void reference_tangent(int n, const double *dq, long double *T) {
    long double A[36] = {0};
    if (n == 3) {
        put_skew(3, A, 0, 0, -1, dq);
    } else {
        put_skew(6, A, 0, 0, -1, dq + 3);
        put_skew(6, A, 3, 3, -1, dq + 3);
        put_skew(6, A, 0, 3, -1, dq);
    }
    power_series(n, A, 1, T);
}

static void check_tangent(const sodae_group *g, const double *dq) {
    int n = g->nv;
    double T[36], Tinv[36];
    long double S[36];
    g->tangent(g, 0, dq, T);
    g->tangent_inverse(g, 0, dq, Tinv);
    reference_tangent(n, dq, S);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double scale = fmax(1, n == 6 ? fabs(dq[0]) + fabs(dq[1]) + fabs(dq[2]) : 1);
            long double one = 0;
            CHECK_NEAR(T[i + n * j], (double)S[n * i + j], 4e-16 * scale);
            for (int k = 0; k < n; k++) one += S[n * i + k] * (long double)Tinv[k + n * j];
            CHECK_NEAR((double)one, i == j, 3e-15 * scale);
        }
}

static void tangent_of_rotations_and_its_inverse_are_exact_to_rounding(void **state) {
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < 40 * NSIZES; i++) {
        double w[3];
        vector(&seed, sizes[i % NSIZES], w);
        check_tangent(&sodae_so3, w);
        check_tangent(&sodae_s3, w);
    }
}

static void tangent_of_se3_and_its_inverse_are_exact_to_rounding(void **state) {
    (void)state;
    uint64_t seed = 5;
    for (int i = 0; i < 40 * NSIZES; i++) {
        double dq[6];
        vector(&seed, i % 3 ? 1 : 5, dq);
        vector(&seed, sizes[i % NSIZES], dq + 3);
        check_tangent(&sodae_se3, dq);
    }
}

/* d/de exp(dq + e w) = exp(dq) o (T w): by differences of the group itself. */
static void tangent_is_the_derivative_of_exp(void **state) {
    (void)state;
    const sodae_group *groups[] = {&sodae_so3, &sodae_so3_quaternion, &sodae_s3, &sodae_se3};
    uint64_t seed = 6;
    for (int m = 0; m < 4; m++) {
        const sodae_group *g = groups[m];
        int n = g->nv;
        double dq[6], T[36], w[6], x[6], inv[12], q[12], d[12], slope[6];
        for (int i = 0; i < n; i++) dq[i] = noise(&seed), w[i] = noise(&seed);
        g->exp(g, 0, dq, q);
        g->inverse(g, 0, q, inv);
        for (int i = 0; i < n; i++) slope[i] = 0;
        const double e = 1e-3, weight[4] = {1, -8, 8, -1}, at[4] = {-2, -1, 1, 2};
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < n; i++) x[i] = dq[i] + at[s] * e * w[i];
            g->exp(g, 0, x, q);
            g->compose(g, 0, inv, q, d);
            g->log(g, 0, d, x);
            for (int i = 0; i < n; i++) slope[i] += weight[s] * x[i] / (12 * e);
        }
        g->tangent(g, 0, dq, T);
        for (int i = 0; i < n; i++) {
            double Tw = 0;
            for (int j = 0; j < n; j++) Tw += T[i + n * j] * w[j];
            CHECK_NEAR(slope[i], Tw, 1e-11);
        }
    }
}

static void exp_and_log_of_se3_are_exact_to_rounding(void **state) {
    (void)state;
    uint64_t seed = 7;
    const sodae_group *g = &sodae_se3;
    for (int i = 0; i < 40 * NSIZES; i++) {
        double dq[6], q[12], back[6];
        long double R[9], x[3];
        vector(&seed, 1, dq);
        vector(&seed, sizes[i % NSIZES], dq + 3);
        g->exp(g, 0, dq, q);
        reference_exp(dq, dq + 3, R, x);
        for (int k = 0; k < 3; k++) CHECK_NEAR(q[k], (double)x[k], 5e-16);
        for (int k = 0; k < 9; k++) CHECK_NEAR(q[3 + k], (double)R[k], 1.2e-15);
        g->log(g, 0, q, back);
        CHECK_NEAR(distance3(back, dq, 1), 0, 3e-15);
        CHECK_NEAR(distance3(back + 3, dq + 3, 1) / sizes[i % NSIZES], 0, 1e-15);
    }
}

static void brackets_are_antisymmetric_and_satisfy_jacobi(void **state) {
    (void)state;
    const sodae_group *groups[] = {&sodae_so3, &sodae_so3_quaternion, &sodae_s3, &sodae_se3};
    uint64_t seed = 8;
    for (int m = 0; m < 4; m++) {
        const sodae_group *g = groups[m];
        double v[3][6], in[6], out[6], sum[6] = {0}, vw[6], wv[6], size = 0;
        for (int i = 0; i < 18; i++) v[i / 6][i % 6] = noise(&seed);
        g->bracket(g, 0, v[0], v[1], vw);
        g->bracket(g, 0, v[1], v[0], wv);
        for (int a = 0; a < 3; a++) {
            g->bracket(g, 0, v[(a + 1) % 3], v[(a + 2) % 3], in);
            g->bracket(g, 0, v[a], in, out);
            for (int i = 0; i < g->nv; i++) sum[i] += out[i];
        }
        for (int i = 0; i < g->nv; i++) {
            CHECK_NEAR(vw[i], -wv[i], 0);
            CHECK_NEAR(sum[i], 0, 1e-15);
            size = fmax(size, fabs(vw[i]));
        }
        CHECK_IN(size, 0.01, 4);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_of_rotations_is_exact_to_rounding),
        cmocka_unit_test(log_undoes_exp_to_rounding_from_tiny_to_large_angles),
        cmocka_unit_test(log_is_exact_to_rounding_near_pi),
        cmocka_unit_test(log_at_pi_about_an_axis_is_pi),
        cmocka_unit_test(quaternions_of_opposite_sign_are_one_rotation_but_two_points_of_s3),
        cmocka_unit_test(tangent_of_rotations_and_its_inverse_are_exact_to_rounding),
        cmocka_unit_test(tangent_of_se3_and_its_inverse_are_exact_to_rounding),
        cmocka_unit_test(tangent_is_the_derivative_of_exp),
        cmocka_unit_test(exp_and_log_of_se3_are_exact_to_rounding),
        cmocka_unit_test(brackets_are_antisymmetric_and_satisfy_jacobi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
