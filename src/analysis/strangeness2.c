/* Second order: the quantities of (3.2) and the step (3.5) to (3.8) of paper 004 (after Mehrmann
 * and Shi: Numer. Linear Algebra Appl. 13 (2006), 137-159). T are column kernels, Z left kernels;
 * the row numbers are those of (3.2). */
#include "analysis/strangeness.h"

#define MUL(A, B)  mat_product(w, A, B)
#define TMUL(A, B) mat_tproduct(w, A, B)

sodae_second_order_quantities strangeness_quantities2(ranks *w, pencil2 p) {
    sodae_second_order_quantities q = {0};
    mat T1 = mat_kernel(w, p.A2), Z1 = mat_left_kernel(w, p.A2);
    mat B1 = TMUL(Z1, p.A1), B1T = MUL(B1, T1);
    int first = mat_rank(w, B1T); /* s01 + d1 */
    mat T2 = MUL(T1, mat_kernel(w, B1T)), Z2 = mat_left_kernel(w, B1T);
    mat C1 = TMUL(Z2, B1), Z3 = mat_left_kernel(w, C1), T3 = mat_kernel(w, C1);
    int coupled = mat_rank(w, C1); /* s012 + s12 */
    mat K = TMUL(Z3, TMUL(Z2, TMUL(Z1, p.A0)));
    mat KT2 = MUL(K, T2), K4 = TMUL(mat_left_kernel(w, KT2), K), K4T = MUL(K4, T1);
    mat K5 = TMUL(mat_left_kernel(w, K4T), K4), K5T = MUL(K5, T3);
    q.r = mat_rank(w, p.A2);
    q.a = mat_rank(w, KT2);
    q.s01 = mat_rank(w, K4T);
    q.s02 = mat_rank(w, K5T);
    q.s012 = mat_rank(w, TMUL(mat_left_kernel(w, K5T), K5));
    q.s12 = coupled - q.s012;
    q.d1 = first - q.s01;
    q.d2 = q.r - q.s012 - q.s12 - q.s02;
    q.u = p.A2.n - q.r - q.s01 - q.d1 - q.a;
    q.v = p.A2.m - q.r - first - coupled - q.a - q.s01 - q.s02 - q.s012;
    return q;
}

/* P times the equations. */
static pencil2 times(ranks *w, mat P, pencil2 e) {
    return (pencil2){MUL(P, e.A2), MUL(P, e.A1), MUL(P, e.A0), MUL(P, e.F)};
}

/* The right side of the equations e, differentiated k times. */
static mat derivative(ranks *w, pencil2 e, int k) {
    return e.F.n ? mat_indented(w, e.F, k * e.A0.n) : e.F;
}

/* F - X G, of different widths. */
static mat minus(ranks *w, mat F, mat X, mat G) {
    mat XG = MUL(X, G);
    if (XG.n < F.n) XG = mat_widened(w, XG, F.n - XG.n);
    if (F.n < XG.n) F = mat_widened(w, F, XG.n - F.n);
    return mat_sum(w, 1, F, -1, XG);
}

static mat less(ranks *w, mat A, mat X, mat B) {
    return mat_sum(w, 1, A, -1, MUL(X, B));
}

/* The rows of (3.2) by the derivatives they hold. */
typedef struct blocks {
    pencil2 L;                 /* rows 1-4: x'' */
    pencil2 M;                 /* rows 5, 6: x' on the kernel of A2 */
    pencil2 N;                 /* rows 7, 8: x' elsewhere */
    pencil2 K, K10, K5, empty; /* rows 9-12: algebraic; row 10; rows 11, 12; 0 = .. */
    mat T1, B1T;
} blocks;

/* The rows that Z leaves free. */
static mat rest(ranks *w, mat Z) {
    return mat_complement(w, mat_transposed(w, Z));
}

static blocks divide(ranks *w, pencil2 p) {
    blocks b = {.T1 = mat_kernel(w, p.A2)};
    mat Z1 = mat_left_kernel(w, p.A2);
    b.L = times(w, rest(w, Z1), p);
    pencil2 B = times(w, mat_transposed(w, Z1), p);
    b.B1T = MUL(B.A1, b.T1);
    mat Z2 = mat_left_kernel(w, b.B1T);
    b.M = times(w, rest(w, Z2), B);
    pencil2 C = times(w, mat_transposed(w, Z2), B);
    mat Z3 = mat_left_kernel(w, C.A1);
    b.N = times(w, rest(w, Z3), C);
    pencil2 all = times(w, mat_transposed(w, Z3), C);
    b.K = times(w, mat_row_basis(w, all.A0), all);
    b.empty = times(w, mat_transposed(w, mat_left_kernel(w, all.A0)), all);
    mat T2 = MUL(b.T1, mat_kernel(w, b.B1T));
    /* rows 10-12 vanish on T2 */
    pencil2 K4 = times(w, mat_transposed(w, mat_left_kernel(w, MUL(b.K.A0, T2))), b.K);
    mat Z5 = mat_left_kernel(w, MUL(K4.A0, b.T1));
    b.K5 = times(w, mat_transposed(w, Z5), K4);
    b.K10 = times(w, rest(w, Z5), K4);
    return b;
}

/* Coefficients c with V c complementary to span(V) and span(T) together inside span(V). */
static mat outside(ranks *w, mat V, mat T) {
    mat A = TMUL(mat_left_kernel(w, T), V);
    return mat_left_kernel(w, mat_kernel(w, A));
}

static pencil2 above(ranks *w, pencil2 a, pencil2 b) {
    int more = b.F.n - a.F.n;
    mat Fa = more > 0 ? mat_widened(w, a.F, more) : a.F;
    mat Fb = more < 0 ? mat_widened(w, b.F, -more) : b.F;
    return (pencil2){mat_above(w, a.A2, b.A2), mat_above(w, a.A1, b.A1), mat_above(w, a.A0, b.A0),
                     mat_above(w, Fa, Fb)};
}

/* X -= Y S with Y such that X1 U = 0; S has no x'' */
static void clear_columns(ranks *w, mat U, pencil2 S, pencil2 *X) {
    if (U.n == 0) return;
    mat Y = MUL(MUL(X->A1, U), mat_pseudo_inverse(w, MUL(S.A1, U)));
    X->A1 = less(w, X->A1, Y, S.A1);
    X->A0 = less(w, X->A0, Y, S.A0);
    X->F = minus(w, X->F, Y, S.F);
}

/* A1 becomes zero in columns 1, 2 (rows 1-6) and 5, 6 (rows 1-4), as in (3.2). */
static void clean(ranks *w, blocks *b) {
    mat T3 = mat_kernel(w, b->N.A1);
    mat Z6 = mat_left_kernel(w, MUL(b->K5.A0, T3));
    mat row11 = MUL(rest(w, Z6), b->K5.A0);
    mat V = mat_kernel(w, row11);
    mat C12 = MUL(V, outside(w, V, T3));
    mat C56 = MUL(b->T1, mat_left_kernel(w, mat_kernel(w, b->B1T)));
    clear_columns(w, C12, b->N, &b->M);
    clear_columns(w, mat_beside(w, C12, C56), above(w, b->M, b->N), &b->L);
}

/* Columns from..to of A. */
static mat columns(ranks *w, mat A, int from, int to) {
    return mat_copy(w, A.m, to - from, A.x + (long)A.m * from);
}

/* What is known of x' and x'' from K5 and N. */
static mat known(ranks *w, pencil2 K5, pencil2 N) {
    return mat_above(w, K5.A0, N.A1);
}

static mat none(ranks *w, mat A) {
    return mat_zero(w, A.m, A.n);
}

/* Rows 5 and 6: x5' goes by the derivative of row 10, other x' by those of K5 and by N. */
static pencil2 reduce_first(ranks *w, const blocks *b) {
    mat W = MUL(MUL(b->K10.A0, b->T1), mat_pseudo_inverse(w, MUL(b->M.A1, b->T1)));
    pencil2 r = times(w, W, b->M), stay = times(w, mat_complement(w, W), b->M);
    r.A1 = mat_sum(w, 1, r.A1, -1, b->K10.A0);
    r.F = minus(w, r.F, mat_identity(w, r.F.m), derivative(w, b->K10, 1));
    mat S = known(w, b->K5, b->N);
    if (S.m && r.A1.m) {
        mat X = MUL(r.A1, mat_pseudo_inverse(w, S)), X5 = columns(w, X, 0, b->K5.A0.m),
            XN = columns(w, X, b->K5.A0.m, X.n);
        r.A1 = less(w, r.A1, X, S);
        r.A0 = less(w, r.A0, XN, b->N.A0);
        r.F = minus(w, minus(w, r.F, XN, b->N.F), X5, derivative(w, b->K5, 1));
    }
    r.A1 = mat_cleaned(w, r.A1, 1e-12);
    return above(w, r, stay);
}

/* Rows 1-3, W of them: x'' goes by the second derivative of K5 and the first of row 8. */
static pencil2 reduce_second(ranks *w, const blocks *b, pencil2 N8, mat W) {
    mat S = known(w, b->K5, N8), Y = MUL(MUL(W, b->L.A2), mat_pseudo_inverse(w, S));
    mat Y5 = columns(w, Y, 0, b->K5.A0.m), Y8 = columns(w, Y, b->K5.A0.m, Y.n);
    pencil2 r = times(w, W, b->L);
    r.A2 = none(w, r.A2);
    r.A1 = less(w, r.A1, Y8, N8.A0);
    r.F = minus(w, minus(w, r.F, Y5, derivative(w, b->K5, 2)), Y8, derivative(w, N8, 1));
    return r;
}

/* Row 7, W of N: x' goes by the derivative of K5. */
static pencil2 reduce_coupled(ranks *w, const blocks *b, mat W) {
    pencil2 r = times(w, W, b->N);
    mat Y = MUL(r.A1, mat_pseudo_inverse(w, b->K5.A0));
    r.A1 = none(w, r.A1);
    r.F = minus(w, r.F, Y, derivative(w, b->K5, 1));
    return r;
}

/* Rows without the derivatives that are zero but for rounding. */
static pencil2 only(ranks *w, pencil2 e, int order) {
    if (order < 2) e.A2 = none(w, e.A2);
    if (order < 1) e.A1 = none(w, e.A1);
    if (order < 0) e.A0 = none(w, e.A0);
    return e;
}

pencil2 strangeness_reduce2(ranks *w, pencil2 p) {
    blocks b = divide(w, p);
    clean(w, &b);
    mat W7 = mat_dependent(w, b.N.A1, b.K5.A0);
    pencil2 N8 = times(w, mat_complement(w, W7), b.N);
    mat W = mat_dependent(w, b.L.A2, known(w, b.K5, N8));
    pencil2 out = times(w, mat_complement(w, W), b.L);
    out = above(w, out, only(w, reduce_second(w, &b, N8, W), 1));
    out = above(w, out, only(w, reduce_first(w, &b), 1));
    out = above(w, out, only(w, reduce_coupled(w, &b, W7), 0));
    out = above(w, out, only(w, N8, 1));
    out = above(w, out, only(w, b.K, 0));
    return above(w, out, only(w, b.empty, -1));
}
