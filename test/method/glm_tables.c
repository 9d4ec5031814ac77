/* Nodes and matrices of collocation and general linear methods (004). */
#include "method/glm_run.h"

static glm_table radau(int steps, int stages, double ratio) {
    double past[GLM_STEPS] = {0};
    glm_table t;
    for (int j = 1; j < steps; j++) past[j] = past[j - 1] - ratio;
    glm_fill(&t, GLM_RADAU, steps, past, stages);
    return t;
}

static glm_table gauss(int stages) {
    double past[1] = {0};
    glm_table t;
    glm_fill(&t, GLM_GAUSS, 1, past, stages);
    return t;
}

/* sum_i b_i c_i^(m-1) = 1/m up to the order, and not beyond. */
static void check_order(const glm_table *t, int order) {
    for (int m = 1; m <= order + 1; m++) {
        double sum = 0;
        for (int i = 0; i < t->stages; i++) sum += t->Ft[t->stages][i] * pow(t->c[i], m - 1);
        if (m <= order)
            CHECK_NEAR(sum, 1.0 / m, 4e-15);
        else
            CHECK_IN(fabs(sum - 1.0 / m), 1e-5, 1);
    }
    for (int i = 0; i < t->stages; i++) /* C(s): stage order */
        for (int m = 1; m <= t->stages; m++) {
            double sum = 0;
            for (int j = 0; j < t->stages; j++) sum += t->Ft[i][j] * pow(t->c[j], m - 1);
            CHECK_NEAR(sum, pow(t->c[i], m) / m, 4e-15);
        }
}

static void order_conditions_hold_to_the_highest_order(void **unused) {
    (void)unused;
    for (int s = 1; s <= 4; s++) {
        glm_table r = radau(1, s, 1), g = gauss(s);
        check_order(&r, 2 * s - 1);
        check_order(&g, 2 * s);
    }
}

/* Table 6.1. */
static void two_stages_are_the_printed_ones(void **unused) {
    (void)unused;
    glm_table r = radau(1, 2, 1), g = gauss(2);
    double w = sqrt(3);
    double A[2][2] = {{5.0 / 12, -1.0 / 12}, {0.75, 0.25}};
    double At[2][2] = {{1.0 / 9, -1.0 / 18}, {0.5, 0}};
    double B[2][2] = {{0.25, 0.25 - w / 6}, {0.25 + w / 6, 0.25}};
    CHECK_NEAR(r.c[0], 1.0 / 3, 1e-15);
    CHECK_NEAR(g.c[0], 0.5 - w / 6, 1e-15);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            CHECK_NEAR(r.Ft[i][j], A[i][j], 2e-15);
            CHECK_NEAR(r.Dt[i][j], At[i][j], 2e-15);
            CHECK_NEAR(g.Ft[i][j], B[i][j], 2e-15);
        }
    CHECK_NEAR(g.Dt[2][0], 0.25 + w / 12, 2e-15); /* b A */
    CHECK_NEAR(g.Dt[2][1], 0.25 - w / 12, 2e-15);
}

static void msr22_is_the_closed_form(void **unused) {
    (void)unused;
    glm_table t = radau(2, 2, 1);
    double w = sqrt(17);
    double At[2][2] = {{(19 + 101 * w) / 416, (397 - 101 * w) / 416},
                       {(38 - 6 * w) / 13, (-25 + 6 * w) / 13}};
    double Ft[2][2] = {{(87 - 11 * w) / 104, -(3 + 5 * w) / 416},
                       {(-63 + 25 * w) / 52, (15 - w) / 52}};
    double Bt[2][2] = {{(-541 + 277 * w) / 1664, (1921 - 473 * w) / 1664},
                       {(38 - 6 * w) / 13, (-50 + 12 * w) / 13}};
    double Dt[2][2] = {{(333 - 69 * w) / 416, (29 - 21 * w) / 1664}, {(-31 + 9 * w) / 13, 0}};
    CHECK_NEAR(t.c[0], (w - 1) / 8, 1e-15);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            CHECK_NEAR(t.At[i][j], At[i][j], 1e-14);
            CHECK_NEAR(t.Et[i][j], At[i][j], 1e-14);
            CHECK_NEAR(t.Ft[i][j], Ft[i][j], 1e-14);
            CHECK_NEAR(t.Bt[i][j], Bt[i][j], 1e-14);
            CHECK_NEAR(t.Dt[i][j], Dt[i][j], 1e-14);
        }
}

static void nodes_of_multistep_radau_are_the_printed_ones(void **unused) {
    (void)unused;
    CHECK_NEAR(radau(3, 2, 1).c[0], 0.424086, 5e-7);
    CHECK_NEAR(radau(4, 2, 1).c[0], 0.447844, 5e-7);
    CHECK_NEAR(radau(2, 3, 1).c[0], 0.177892, 5e-7);
    CHECK_NEAR(radau(2, 3, 1).c[1], 0.673235, 5e-7);
}

/* The node of MSR(2,2) is the root of x^2 - (2 - 3 rho)/4 x - rho/4; superconvergence for every
 * ratio means that u(1) is exact for degree k + 2s - 2. */
static void nodes_follow_the_step_ratio(void **unused) {
    (void)unused;
    static const double ratios[] = {1e-6, 0.1, 1.0 / 3, 0.5, 1, 2, 3, 10, 1e6};
    for (size_t n = 0; n < sizeof ratios / sizeof *ratios; n++) {
        double rho = ratios[n], b = 2 - 3 * rho;
        double w = sqrt(9 * rho * rho + 4 * rho + 4); /* (b + w) / 8 without cancellation */
        double root = b > 0 ? (b + w) / 8 : 2 * rho / (w - b);
        CHECK_NEAR(radau(2, 2, rho).c[0], root, 1e-14);
        for (int k = 2; k <= 4; k++) {
            glm_table t = radau(k, k == 2 ? 3 : 2, rho);
            int s = t.stages, most = k + 2 * s - 2;
            if (rho < 0.1 || rho > 10) continue;
            for (int m = 1; m <= most; m++) {
                double sum = 0, size = 1;
                for (int j = 1; j < k; j++) {
                    sum += t.At[s][j] * pow(t.past[j], m);
                    size += fabs(t.At[s][j] * pow(t.past[j], m));
                }
                for (int i = 0; i < s; i++) sum += t.Ft[s][i] * m * pow(t.c[i], m - 1);
                CHECK_NEAR(sum, 1, 1e-12 * size);
            }
        }
    }
}

static void direct_collocation_is_exact_for_polynomials(void **unused) {
    (void)unused;
    double past[GLM_STEPS] = {0, -1, -1.5, -3};
    for (int k = 3; k <= 4; k++)
        for (int s = 2; s <= 3; s++) {
            glm_table t;
            glm_fill(&t, GLM_DIRECT, k, past, s);
            for (int i = 0; i < s; i++)
                for (int m = 0; m < k + s; m++) {
                    double q = 0, v = 0;
                    for (int j = 0; j < k; j++) {
                        double y = m ? pow(past[j], m) : 1;
                        q += t.At[i][j] * y, v += t.Kt[i][j] * y;
                    }
                    for (int j = 0; j < s && m > 1; j++) {
                        double a = m * (m - 1) * pow(t.c[j], m - 2);
                        q += t.Dt[i][j] * a, v += t.Ft[i][j] * a;
                    }
                    CHECK_NEAR(q, m ? pow(t.c[i], m) : 1, 1e-12);
                    CHECK_NEAR(v, m ? m * pow(t.c[i], m - 1) : 0, 1e-12);
                }
        }
}

/* The error functional sees x^(k+s-1), where the embedded quadrature errs, and nothing below. */
static void the_error_weights_annihilate_lower_degrees(void **unused) {
    (void)unused;
    for (int k = 1; k <= 3; k++)
        for (int s = 1; s <= 4; s++) {
            glm_table t = radau(k, s, 0.7);
            for (int m = 0; m < k + s; m++) {
                double sum = 0, size = 0;
                for (int j = 0; j < k; j++) {
                    double x = t.past_error[j] * (m ? pow(t.past[j], m) : 1);
                    sum += x, size += fabs(x);
                }
                for (int i = 0; i < s; i++) {
                    double x = t.stage_error[i] * (m ? pow(t.c[i], m) : 1);
                    sum += x, size += fabs(x);
                }
                if (m < k + s - 1)
                    CHECK_NEAR(sum, 0, 1e-12 * size);
                else
                    CHECK_IN(fabs(sum), 1e-4, 2);
            }
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_conditions_hold_to_the_highest_order),
        cmocka_unit_test(two_stages_are_the_printed_ones),
        cmocka_unit_test(msr22_is_the_closed_form),
        cmocka_unit_test(nodes_of_multistep_radau_are_the_printed_ones),
        cmocka_unit_test(nodes_follow_the_step_ratio),
        cmocka_unit_test(direct_collocation_is_exact_for_polynomials),
        cmocka_unit_test(the_error_weights_annihilate_lower_degrees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
