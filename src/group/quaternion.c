/* SO(3) and S^3 as unit quaternions (w,x,y,z): q' = q (0,v) / 2. They differ in the logarithm. */
#include <sodae/space.h>

#include <math.h>

#include "group/rotation.h"

static void identity(const sodae_group *self, int n, double *q) {
    (void)self, (void)n;
    q[0] = 1, q[1] = q[2] = q[3] = 0;
}

/* exp(w) = (cos(t/2), sin(t/2) w / t) */
static void quaternion_exp(const sodae_group *self, int n, const double *dq, double *q) {
    (void)self, (void)n;
    double t = sqrt(dq[0] * dq[0] + dq[1] * dq[1] + dq[2] * dq[2]);
    double factor = t > 0 ? sin(t / 2) / t : 0.5;
    q[0] = cos(t / 2);
    for (int i = 0; i < 3; i++) q[i + 1] = factor * dq[i];
}

/* Product, brought back to length one so that rounding does not add up. */
static void compose(const sodae_group *self, int n, const double *p, const double *r, double *q) {
    (void)self, (void)n;
    q[0] = p[0] * r[0] - p[1] * r[1] - p[2] * r[2] - p[3] * r[3];
    q[1] = p[0] * r[1] + p[1] * r[0] + p[2] * r[3] - p[3] * r[2];
    q[2] = p[0] * r[2] + p[2] * r[0] + p[3] * r[1] - p[1] * r[3];
    q[3] = p[0] * r[3] + p[3] * r[0] + p[1] * r[2] - p[2] * r[1];
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; i++) q[i] /= length;
}

static void log_s3(const sodae_group *self, int n, const double *q, double *dq) {
    (void)self, (void)n;
    group_quaternion_log(q, dq);
}

/* Of q and -q the one with the smaller angle. */
static void log_so3(const sodae_group *self, int n, const double *q, double *dq) {
    (void)self, (void)n;
    double sign = q[0] < 0 ? -1 : 1;
    double p[4] = {sign * q[0], sign * q[1], sign * q[2], sign * q[3]};
    group_quaternion_log(p, dq);
}

static void inverse(const sodae_group *self, int n, const double *q, double *qinv) {
    (void)self, (void)n;
    qinv[0] = q[0];
    for (int i = 1; i < 4; i++) qinv[i] = -q[i];
}

static double defect(const sodae_group *self, int n, const double *q) {
    (void)self, (void)n;
    return fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1);
}

const sodae_group sodae_so3_quaternion = {
    .name = "SO(3) by quaternions",
    .nq = 4,
    .nv = 3,
    .identity = identity,
    .exp = quaternion_exp,
    .compose = compose,
    .log = log_so3,
    .inverse = inverse,
    .tangent = group_so3_tangent,
    .tangent_inverse = group_so3_tangent_inverse,
    .bracket = group_so3_bracket,
    .defect = defect,
};

const sodae_group sodae_s3 = {
    .name = "S^3",
    .nq = 4,
    .nv = 3,
    .identity = identity,
    .exp = quaternion_exp,
    .compose = compose,
    .log = log_s3,
    .inverse = inverse,
    .tangent = group_so3_tangent,
    .tangent_inverse = group_so3_tangent_inverse,
    .bracket = group_so3_bracket,
    .defect = defect,
};
