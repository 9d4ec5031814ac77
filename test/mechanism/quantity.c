/* First and second derivatives of every kind of quantity against differences. */
#include "claims.h"

#include "group/rotation.h"
#include "mechanism/quantity.h"

#include <string.h>

enum { N = 12 };

/* A fixed sequence of numbers in (-1, 1). */
static double number(void) {
    static unsigned long long u = 1;
    u = u * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(u >> 11) / 4503599627370496.0 - 1;
}

static void some_motion(mech_motion *m) {
    double w[3];
    for (int i = 0; i < 3; i++) m->x[i] = number(), w[i] = number();
    for (int i = 0; i < 6; i++) m->v[i] = number();
    group_rotation_exp(w, m->R);
    m->angle = number();
}

/* m moved by e along direction j of a body. */
static mech_motion moved(const mech_motion *m, int j, double e) {
    mech_motion out = *m;
    double w[3] = {0}, R[9];
    if (j < 3) out.x[j] += e;
    if (j >= 3) {
        w[j - 3] = e;
        group_rotation_exp(w, R);
        group_rotation_product(m->R, R, out.R);
    }
    if (j == 5) out.angle += e;
    return out;
}

static mech_value at(const mech_quantity *q, const mech_motion m[2], int j, double e) {
    mech_motion shifted[2] = {m[0], m[1]};
    const mech_motion *pair[2] = {&shifted[0], &shifted[1]};
    mech_value out;
    shifted[j / 6] = moved(&m[j / 6], j % 6, e);
    mech_quantity_value(q, pair, 0, &out);
    return out;
}

/* Fourth order differences. */
static double slope(double far_left, double left, double right, double far_right, double h) {
    return (8 * (right - left) - (far_right - far_left)) / (12 * h);
}

static void check(const mech_quantity *q, const mech_motion m[2], int integrable) {
    const double h = 1e-3;
    const mech_motion *pair[2] = {&m[0], &m[1]};
    double H[N * N];
    mech_value here;
    mech_quantity_value(q, pair, 0, &here);
    mech_quantity_second(q, pair, H);
    for (int j = 0; j < N; j++) {
        mech_value ll = at(q, m, j, -2 * h), l = at(q, m, j, -h), r = at(q, m, j, h),
                   rr = at(q, m, j, 2 * h);
        if (integrable) CHECK_NEAR(slope(ll.z, l.z, r.z, rr.z, h), here.W[j], 1e-8);
        for (int i = 0; i < N; i++)
            CHECK_NEAR(slope(ll.W[i], l.W[i], r.W[i], rr.W[i], h), H[i * N + j], 1e-8);
    }
    double rate = 0;
    for (int i = 0; i < N; i++) rate += here.W[i] * m[i / 6].v[i % 6];
    CHECK_NEAR(here.rate, rate, 1e-13);
}

static void some_vector(mech_vector *v, int slot, int is_point) {
    *v = (mech_vector){0};
    for (int i = 0; i < 3; i++) v->a[slot][i] = number();
    if (is_point) v->s[slot] = 1;
}

static void unit(double x[3]) {
    double size = sqrt(v3_dot(x, x));
    for (int i = 0; i < 3; i++) x[i] /= size;
}

static void fill(mech_quantity *q, mech_vector *v) {
    for (int i = 0; i < 6; i++) some_vector(&v[i], i % 2, 0);
    if (q->kind == MECH_FORCE || q->kind == MECH_EDGE) some_vector(&v[1], 1, 1);
    if (q->kind == MECH_DOT || q->kind == MECH_DISTANCE || q->kind == MECH_DISK) {
        mech_vector *gap = &v[q->kind == MECH_DISTANCE ? 0 : 1];
        *gap = (mech_vector){.s = {-1, 1}, .c = {3, 0, 0}};
        for (int i = 0; i < 6; i++) gap->a[i / 3][i % 3] = number();
    }
    if (q->kind == MECH_DISK) some_vector(&v[2], 1, 0), unit(v[2].a[1]);
    if (q->kind == MECH_DISK) unit(v[0].a[0]);
    if (q->kind == MECH_EDGE) some_vector(&v[2], 1, 0), some_vector(&v[3], 0, 0);
    if (q->kind == MECH_EDGE) unit(v[2].a[1]), unit(v[3].a[0]);
    for (int i = 0; q->kind == MECH_ROTATION && i < 6; i++) {
        v[i] = (mech_vector){0};
        v[i].a[i / 3][i % 3] = 1;
    }
}

static mech_quantity some_quantity(int kind, int n, mech_vector v[6], mech_motion m[2]) {
    mech_quantity q = {.kind = (mech_kind)kind,
                       .component = n % 3,
                       .turn = -1,
                       .radius = 0.3,
                       .offset = 0.1,
                       .v = v};
    fill(&q, v);
    some_motion(&m[0]);
    some_motion(&m[1]);
    return q;
}

static void derivatives_agree_with_differences(void **state) {
    (void)state;
    for (int kind = MECH_DOT; kind <= MECH_TORQUE; kind++)
        for (int n = 0; n < 6; n++) {
            mech_vector v[6];
            mech_motion m[2];
            mech_quantity q = some_quantity(kind, n, v, m);
            check(&q, m, kind <= MECH_ROTATION);
        }
}

/* m after the time e with constant velocities in the directions of its group. */
static mech_motion later(const mech_motion *m, double e) {
    mech_motion out = *m;
    double d[6], T[9], R[9];
    for (int k = 0; k < 6; k++) d[k] = e * m->u[k];
    group_rotation_exp(d + 3, R);
    group_rotation_product(m->R, R, out.R);
    for (int k = 0; k < 3; k++) out.x[k] += d[k];
    if (!m->se3) return out;
    /* x + R (e U + e^2/2 w x U + ...), to the fourth power */
    double sum[3] = {d[0], d[1], d[2]}, power[3] = {d[0], d[1], d[2]}, moved[3];
    for (int n = 2; n <= 4; n++) {
        v3_cross(d + 3, power, T);
        for (int k = 0; k < 3; k++) power[k] = T[k] / n, sum[k] += power[k];
    }
    m3_apply(m->R, sum, moved);
    for (int k = 0; k < 3; k++) out.x[k] = m->x[k] + moved[k];
    return out;
}

/* W u along these motions. */
static double rate_later(const mech_quantity *q, const mech_motion m[2], double e) {
    const mech_motion end[2] = {later(&m[0], e), later(&m[1], e)};
    const mech_motion *pair[2] = {&end[0], &end[1]};
    mech_value out;
    double sum = 0;
    mech_quantity_value(q, pair, 0, &out);
    mech_quantity_turn(pair, out.W);
    for (int k = 0; k < N; k++) sum += out.W[k] * m[k / 6].u[k % 6];
    return sum;
}

static void drifts_are_rates_of_rates_at_constant_velocities(void **state) {
    (void)state;
    const double h = 1e-3;
    for (int kind = MECH_DOT; kind <= MECH_TORQUE; kind++)
        for (int n = 0; n < 8; n++) {
            mech_vector v[6];
            mech_motion m[2];
            mech_value here;
            const mech_motion *pair[2] = {&m[0], &m[1]};
            mech_quantity q = some_quantity(kind, n, v, m);
            for (int i = 0; i < 2; i++) {
                for (int k = 0; k < 6; k++) m[i].u[k] = m[i].v[k];
                m[i].se3 = n >> i & 1;
                if (m[i].se3) m3_apply(m[i].R, m[i].u, m[i].v);
            }
            mech_quantity_value(&q, pair, 0, &here);
            mech_quantity_turn(pair, here.W);
            CHECK_NEAR(slope(rate_later(&q, m, -2 * h), rate_later(&q, m, -h), rate_later(&q, m, h),
                             rate_later(&q, m, 2 * h), h),
                       mech_quantity_drift(&q, pair, here.W), 1e-8);
        }
}

/* An angle follows the number of turns it is given. */
static void angles_count_turns(void **state) {
    (void)state;
    mech_vector v[3] = {{.a = {{0, 1, 0}}}, {.a = {{1, 0, 0}}}, {.a = {{0}, {1, 0, 0}}}};
    mech_quantity q = {.kind = MECH_ANGLE, .turn = 0, .v = v};
    const double angle[] = {0.5, 3.1, 3.2, 100, -250.3};
    for (int i = 0; i < 5; i++) {
        mech_motion m[2] = {{.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}}, {.x = {0}}};
        const mech_motion *pair[2] = {&m[0], &m[1]};
        double w[3] = {0, 0, angle[i]};
        mech_value out;
        group_rotation_exp(w, m[1].R);
        mech_quantity_value(&q, pair, angle[i] + 2.9, &out);
        CHECK_NEAR(out.z, angle[i], 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences),
        cmocka_unit_test(drifts_are_rates_of_rates_at_constant_velocities),
        cmocka_unit_test(angles_count_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
