/* First order: Kunkel, Mehrmann, Differential-Algebraic Equations (EMS 2006), section 3.1. */
#include "analysis/strangeness.h"

sodae_first_order_quantities strangeness_quantities1(ranks *w, pencil1 p) {
    mat T = mat_kernel(w, p.E), Z = mat_left_kernel(w, p.E);
    mat ZA = mat_tproduct(w, Z, p.A), ZAT = mat_product(w, ZA, T);
    mat V = mat_left_kernel(w, ZAT);
    mat range = mat_left_kernel(w, T); /* of E^T */
    sodae_first_order_quantities q = {.r = mat_rank(w, p.E), .a = mat_rank(w, ZAT)};
    q.s = mat_rank(w, mat_tproduct(w, V, mat_product(w, ZA, range)));
    q.d = q.r - q.s;
    q.u = p.E.n - q.r - q.a - q.s;
    q.v = p.E.m - q.r - q.a - q.s;
    return q;
}

/* Rows of E x' that are combinations of derivatives of algebraic rows lose their derivative. */
pencil1 strangeness_reduce1(ranks *w, pencil1 p) {
    mat Z = mat_left_kernel(w, p.E);
    mat R = mat_complement(w, mat_transposed(w, Z));
    mat E1 = mat_product(w, R, p.E), A1 = mat_product(w, R, p.A);
    mat ZA = mat_tproduct(w, Z, p.A), K = mat_product(w, mat_row_basis(w, ZA), ZA);
    /* W E1 lies in the row space of K */
    mat W = mat_dependent(w, E1, K), C = mat_complement(w, W);
    mat E = mat_product(w, C, E1);
    mat A = mat_above(w, mat_product(w, C, A1), mat_above(w, mat_product(w, W, A1), K));
    int m = p.E.m, n = p.E.n;
    pencil1 next = {mat_above(w, E, mat_zero(w, m - E.m, n)),
                    mat_above(w, A, mat_zero(w, m - A.m, n))};
    return next;
}
