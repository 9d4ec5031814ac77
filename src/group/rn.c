#include <sodae/space.h>

#include <string.h>

static void identity(const sodae_group *self, int n, double *q) {
    (void)self;
    memset(q, 0, (size_t)n * sizeof *q);
}

static void copy(const sodae_group *self, int n, const double *x, double *y) {
    (void)self;
    memcpy(y, x, (size_t)n * sizeof *y);
}

static void compose(const sodae_group *self, int n, const double *q1, const double *q2, double *q) {
    (void)self;
    for (int i = 0; i < n; i++) q[i] = q1[i] + q2[i];
}

static void inverse(const sodae_group *self, int n, const double *q, double *qinv) {
    (void)self;
    for (int i = 0; i < n; i++) qinv[i] = -q[i];
}

static void tangent(const sodae_group *self, int n, const double *dq, double *T) {
    (void)self, (void)dq;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) T[i + n * j] = i == j;
}

static void bracket(const sodae_group *self, int n, const double *v, const double *w, double *out) {
    (void)v, (void)w;
    identity(self, n, out);
}

const sodae_group sodae_rn = {
    .name = "R^n",
    .abelian = 1,
    .identity = identity,
    .exp = copy,
    .compose = compose,
    .log = copy,
    .inverse = inverse,
    .tangent = tangent,
    .tangent_inverse = tangent,
    .bracket = bracket,
};
