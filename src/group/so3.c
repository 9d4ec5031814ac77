/* SO(3) as rotation matrices, row by row. Products are plain: R exp(w), never made orthogonal. */
#include <sodae/space.h>

#include "group/rotation.h"

static void identity(const sodae_group *self, int n, double *q) {
    (void)self, (void)n;
    for (int i = 0; i < 9; i++) q[i] = i % 4 == 0;
}

static void rotation_exp(const sodae_group *self, int n, const double *dq, double *q) {
    (void)self, (void)n;
    group_rotation_exp(dq, q);
}

static void compose(const sodae_group *self, int n, const double *q1, const double *q2, double *q) {
    (void)self, (void)n;
    group_rotation_product(q1, q2, q);
}

static void rotation_log(const sodae_group *self, int n, const double *q, double *dq) {
    (void)self, (void)n;
    group_rotation_log(q, dq);
}

static void inverse(const sodae_group *self, int n, const double *q, double *qinv) {
    (void)self, (void)n;
    for (int i = 0; i < 9; i++) qinv[i] = q[3 * (i % 3) + i / 3];
}

static double defect(const sodae_group *self, int n, const double *q) {
    (void)self, (void)n;
    return group_rotation_defect(q);
}

const sodae_group sodae_so3 = {
    .name = "SO(3)",
    .nq = 9,
    .nv = 3,
    .identity = identity,
    .exp = rotation_exp,
    .compose = compose,
    .log = rotation_log,
    .inverse = inverse,
    .tangent = group_so3_tangent,
    .tangent_inverse = group_so3_tangent_inverse,
    .bracket = group_so3_bracket,
    .defect = defect,
};
