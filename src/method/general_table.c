/* Tables made of others, and what every table has to be. */
#include <sodae/table.h>

#include "base/failure.h"

#include <math.h>

enum { K = SODAE_TABLE_STEPS, S = SODAE_TABLE_STAGES };

static const double agree = 1e-10; /* coefficients are given with ten digits at least */

static int sizes_fit(int steps, int stages) {
    return steps >= 1 && steps <= K && stages >= 1 && stages <= S;
}

sodae_status sodae_table_first_order(int steps, int stages, const double *A, const double *B,
                                     const double *At, const double *Bt, const double *c,
                                     sodae_glm_table *out) {
    if (!A || !B || !At || !Bt || !c || !out || !sizes_fit(steps, stages))
        return SODAE_BAD_ARGUMENT;
    int k = steps, s = stages;
    sodae_glm_table *t = out;
    *t = (sodae_glm_table){.size = sizeof *t, .steps = k, .stages = s};
    for (int i = 0; i < k; i++) {
        t->at[i] = -i, t->factor[i] = 1;
        for (int j = 0; j < k; j++) t->A[i][j] = t->E[i][j] = A[i * k + j];
        for (int j = 0; j < s; j++) t->F[i][j] = B[i * s + j];
        for (int l = 0; l < s; l++) {
            for (int j = 0; j < k; j++) t->B[i][j] += B[i * s + l] * At[l * k + j];
            for (int j = 0; j < s; j++) t->D[i][j] += B[i * s + l] * Bt[l * s + j];
        }
    }
    for (int i = 0; i < s; i++) {
        t->c[i] = c[i];
        for (int j = 0; j < k; j++) t->At[i][j] = t->Et[i][j] = At[i * k + j];
        for (int j = 0; j < s; j++) t->Ft[i][j] = Bt[i * s + j];
        for (int l = 0; l < s; l++) {
            for (int j = 0; j < k; j++) t->Bt[i][j] += Bt[i * s + l] * At[l * k + j];
            for (int j = 0; j < s; j++) t->Dt[i][j] += Bt[i * s + l] * Bt[l * s + j];
        }
    }
    return SODAE_OK;
}

sodae_status sodae_table_runge_kutta(int stages, const double *a, const double *b, const double *c,
                                     sodae_glm_table *out) {
    static const double one[S] = {1, 1, 1, 1, 1, 1, 1, 1};
    double sums[S] = {0};
    if (!a || !b || !out || !sizes_fit(1, stages)) return SODAE_BAD_ARGUMENT;
    for (int k = 0; k < stages * stages; k++) sums[k / stages] += a[k];
    return sodae_table_first_order(1, stages, one, b, one, a, c ? c : sums, out);
}

static int is_finite(int rows, int cols, int stride, const double *x) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++)
            if (!isfinite(x[i * stride + j])) return 0;
    return 1;
}

static const char *not_finite(const sodae_glm_table *t) {
    int k = t->steps, s = t->stages;
    const struct {
        const char *name;
        int rows, cols, stride;
        const double *x;
    } all[] = {
        {"A", k, k, K, t->A[0]},        {"B", k, k, K, t->B[0]},   {"D", k, s, S, t->D[0]},
        {"E", k, k, K, t->E[0]},        {"F", k, s, S, t->F[0]},   {"At", s, k, K, t->At[0]},
        {"Bt", s, k, K, t->Bt[0]},      {"Dt", s, s, S, t->Dt[0]}, {"Et", s, k, K, t->Et[0]},
        {"Ft", s, s, S, t->Ft[0]},      {"c", 1, s, S, t->c},      {"error", 1, s, S, t->error},
        {"factor", 1, k, K, t->factor}, {"at", 1, k, K, t->at}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!is_finite(all[i].rows, all[i].cols, all[i].stride, all[i].x)) return all[i].name;
    return NULL;
}

static int rows_agree(int n, const double *x, const double *y) {
    for (int j = 0; j < n; j++)
        if (!(fabs(x[j] - y[j]) <= agree)) return 0;
    return 1;
}

int sodae_table_stage(const sodae_glm_table *t, int i) {
    for (int m = t->stages - 1; m >= 0; m--)
        if (fabs(t->c[m] - 1) <= agree && rows_agree(t->steps, t->A[i], t->At[m]) &&
            rows_agree(t->steps, t->B[i], t->Bt[m]) && rows_agree(t->steps, t->E[i], t->Et[m]) &&
            rows_agree(t->stages, t->D[i], t->Dt[m]) && rows_agree(t->stages, t->F[i], t->Ft[m]))
            return m;
    return -1;
}

/* The first m for which the estimate of t^m / m is not 0. */
int sodae_table_error_order(const sodae_glm_table *t) {
    for (int m = 1; m <= SODAE_TABLE_ORDER; m++) {
        double sum = 0, size = 0;
        for (int i = 0; i < t->stages; i++) {
            double term = t->error[i] * (m > 1 ? pow(t->c[i], m - 1) : 1);
            sum += term, size += fabs(term);
        }
        if (fabs(sum) > agree * size) return m;
    }
    return 0;
}

/* U of y = 1: A.0.3. */
static double of_one(const sodae_glm_table *t, int j) {
    return t->derivative[j] == 0 ? t->factor[j] : 0;
}

/* U of y = t at t = 0, with h = 1. */
static double of_time(const sodae_glm_table *t, int j) {
    return t->derivative[j] == 0   ? t->factor[j] * t->at[j]
           : t->derivative[j] == 1 ? t->factor[j]
                                   : 0;
}

/* Constant and linear solutions are met: the stages are where c says, values go on. */
static sodae_status check_consistency(const sodae_glm_table *t, sodae_failure *why) {
    for (int i = 0; i < t->stages; i++) {
        double one = 0, velocity = 0, time = 0;
        for (int j = 0; j < t->steps; j++) {
            one += t->At[i][j] * of_one(t, j), velocity += t->Et[i][j] * of_one(t, j);
            time += t->At[i][j] * of_time(t, j) + t->Bt[i][j] * of_one(t, j);
        }
        if (!(fabs(one - 1) <= 1e-10) || !(fabs(velocity - 1) <= 1e-10))
            return failure_set(why, SODAE_BAD_OPTION, "table",
                               "the table is not consistent: for y = 1 stage %d has the value %.9g "
                               "(At) and, for y' = 1, %.9g (Et)",
                               i + 1, one, velocity);
        if (!(fabs(time - t->c[i]) <= 1e-10))
            return failure_set(why, SODAE_BAD_OPTION, "table",
                               "c[%d] is %.9g, but by At and Bt stage %d lies at %.9g", i + 1,
                               t->c[i], i + 1, time);
    }
    return SODAE_OK;
}

sodae_status sodae_table_check(const sodae_glm_table *t, sodae_failure *why) {
    sodae_status st = failure_size(why, SODAE_BAD_OPTION, "sodae_glm_table", t->size, sizeof *t);
    if (st) return st;
    if (!sizes_fit(t->steps, t->stages))
        return failure_set(
            why, SODAE_BAD_OPTION, "table",
            "the table has %d values that are handed on and %d stages; 1 to %d and 1 "
            "to %d are possible",
            t->steps, t->stages, K, S);
    const char *bad = not_finite(t);
    if (bad)
        return failure_set(why, SODAE_BAD_OPTION, "table",
                           "%s of the table has an entry that is no "
                           "finite number",
                           bad);
    int known = 0;
    for (int i = 0; i < t->steps; i++) {
        int d = t->derivative[i];
        if (t->at[i] > 0 || t->at[i] < -K || d < 0 || d > 6 || t->factor[i] == 0)
            return failure_set(why, SODAE_BAD_OPTION, "table",
                               "value %d that is handed on: `at` lies between -%d and 0, "
                               "`derivative` between 0 and 6, `factor` is not 0",
                               i + 1, K);
        known |= t->at[i] == 0 && d == 0 && t->factor[i] == 1;
    }
    if (!known)
        return failure_set(why, SODAE_BAD_OPTION, "table",
                           "none of the values handed on is y(t_n) itself (at 0, derivative 0)");
    return check_consistency(t, why);
}
