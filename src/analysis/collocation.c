/* Gauss and Radau IIA: R(z) = P(z)/Q(z), the Pade approximant (m, s) of exp(z), m = s or s - 1:
 *   P = sum_j (m! (m+s-j)!) / ((m+s)! (m-j)! j!) z^j,  Q = the same with m and s exchanged, -z. */
#include <sodae/stability.h>

#include <complex.h>
#include <math.h>

typedef struct pade {
    int m, s;
    double p[SODAE_COLLOCATION_STAGES + 1], q[SODAE_COLLOCATION_STAGES + 1];
} pade;

static pade pade_of(sodae_collocation kind, int s) {
    pade r = {.m = kind == SODAE_COLLOCATION_GAUSS ? s : s - 1, .s = s};
    r.p[0] = r.q[0] = 1;
    for (int j = 1; j <= s; j++) {
        r.p[j] = r.p[j - 1] * (r.m - j + 1) / ((r.m + s - j + 1.0) * j);
        r.q[j] = -r.q[j - 1] * (s - j + 1) / ((r.m + s - j + 1.0) * j);
    }
    return r;
}

/* log R and its derivative */
static double complex value(const pade *r, double complex z, double complex *slope) {
    double complex p = 0, q = 0, dp = 0, dq = 0;
    for (int j = r->s; j >= 0; j--) {
        dp = dp * z + p, dq = dq * z + q;
        p = p * z + r->p[j], q = q * z + r->q[j];
    }
    *slope = dp / p - dq / q;
    return p / q;
}

static int is_wrong(sodae_collocation kind, int stages) {
    return stages < 1 || stages > SODAE_COLLOCATION_STAGES ||
           (kind != SODAE_COLLOCATION_GAUSS && kind != SODAE_COLLOCATION_RADAU);
}

sodae_status sodae_collocation_check(sodae_collocation kind, int s, sodae_collocation_report *r) {
    if (is_wrong(kind, s) || !r) return SODAE_BAD_ARGUMENT;
    *r = (sodae_collocation_report){.stages = s, .stage_order = s};
    if (kind == SODAE_COLLOCATION_RADAU) { /* R(infinity) = 0, b_i = a_si */
        r->order = 2 * s - 1;
        r->stiffly_accurate = 1;
        r->index1[0] = r->index1[1] = r->index2[0] = r->order;
        r->index2[1] = s;
        return SODAE_OK;
    }
    int odd = s % 2;
    r->order = 2 * s;
    r->r_infinity = odd ? -1 : 1;
    r->index1[0] = r->order, r->index1[1] = odd ? s + 1 : s;
    r->index2[0] = odd ? s + 1 : s, r->index2[1] = odd ? s - 1 : s - 2;
    return SODAE_OK;
}

/* R(z) = exp(i theta), followed from z = 0 by Newton's iteration; theta goes round once for each
 * sheet. Gauss: the upper imaginary axis, where the argument tends to pi s; to 98 % of it. */
sodae_status sodae_collocation_region(sodae_collocation kind, int stages, int points, double *re,
                                      double *im) {
    enum { INSIDE = 20 };
    const double pi = 3.14159265358979323846;
    if (is_wrong(kind, stages) || points < 2 || !re || !im) return SODAE_BAD_ARGUMENT;
    pade r = pade_of(kind, stages);
    double complex z = 0, slope;
    double whole = pi * stages * (kind == SODAE_COLLOCATION_GAUSS ? 0.98 : 2), theta = 0;
    re[0] = im[0] = 0;
    for (int i = 1; i < points; i++) {
        double step = whole / (points - 1) / INSIDE;
        for (int k = 0; k < INSIDE; k++) {
            theta += step;
            value(&r, z, &slope);
            z += I * step / slope;
            for (int n = 0; n < 4; n++) {
                double complex R = value(&r, z, &slope);
                z -= clog(R * cexp(-I * theta)) / slope;
            }
        }
        re[i] = creal(z), im[i] = cimag(z);
    }
    return SODAE_OK;
}
