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

/* The rows of (3.2) by the derivatives they hold. */
typedef struct blocks {
    mat L2, L1, L0; /* rows 1-4: x'' */
    mat M1, M0;     /* rows 5, 6: x' on the kernel of A2 */
    mat N1, N0;     /* rows 7, 8: x' elsewhere */
    mat K, K10, K5; /* rows 9-12: algebraic; row 10; rows 11, 12 */
    mat T1, B1T;
    int redundant;
} blocks;

static blocks divide(ranks *w, pencil2 p) {
    blocks b = {.T1 = mat_kernel(w, p.A2)};
    mat Z1 = mat_left_kernel(w, p.A2), P2 = mat_complement(w, mat_transposed(w, Z1));
    b.L2 = MUL(P2, p.A2), b.L1 = MUL(P2, p.A1), b.L0 = MUL(P2, p.A0);
    mat B1 = TMUL(Z1, p.A1), B0 = TMUL(Z1, p.A0);
    b.B1T = MUL(B1, b.T1);
    mat Z2 = mat_left_kernel(w, b.B1T), P5 = mat_complement(w, mat_transposed(w, Z2));
    b.M1 = MUL(P5, B1), b.M0 = MUL(P5, B0);
    mat C1 = TMUL(Z2, B1), C0 = TMUL(Z2, B0), Z3 = mat_left_kernel(w, C1);
    mat P7 = mat_complement(w, mat_transposed(w, Z3));
    b.N1 = MUL(P7, C1), b.N0 = MUL(P7, C0);
    mat all = TMUL(Z3, C0);
    b.K = mat_independent_rows(w, all);
    b.redundant = all.m - b.K.m;
    mat T2 = MUL(b.T1, mat_kernel(w, b.B1T));
    mat K4 = TMUL(mat_left_kernel(w, MUL(b.K, T2)), b.K); /* rows 10-12 vanish on T2 */
    mat Z5 = mat_left_kernel(w, MUL(K4, b.T1));
    b.K5 = TMUL(Z5, K4);
    b.K10 = MUL(mat_complement(w, mat_transposed(w, Z5)), K4);
    return b;
}

/* Coefficients c with V c complementary to span(V) and span(T) together inside span(V). */
static mat outside(ranks *w, mat V, mat T) {
    mat A = TMUL(mat_left_kernel(w, T), V);
    return mat_left_kernel(w, mat_kernel(w, A));
}

/* rows (X1, X0) -= F (S1, S0) with F such that X1 U = 0 */
static void clear_columns(ranks *w, mat U, mat S1, mat S0, mat *X1, mat *X0) {
    if (U.n == 0) return;
    mat F = MUL(MUL(*X1, U), mat_pseudo_inverse(w, MUL(S1, U)));
    *X1 = mat_sum(w, 1, *X1, -1, MUL(F, S1));
    *X0 = mat_sum(w, 1, *X0, -1, MUL(F, S0));
}

/* A1 becomes zero in columns 1, 2 (rows 1-6) and 5, 6 (rows 1-4), as in (3.2). */
static void clean(ranks *w, blocks *b) {
    mat T3 = mat_kernel(w, b->N1);
    mat Z6 = mat_left_kernel(w, MUL(b->K5, T3));
    mat row11 = MUL(mat_complement(w, mat_transposed(w, Z6)), b->K5);
    mat V = mat_kernel(w, row11);
    mat C12 = MUL(V, outside(w, V, T3));
    mat C56 = MUL(b->T1, mat_left_kernel(w, mat_kernel(w, b->B1T)));
    clear_columns(w, C12, b->N1, b->N0, &b->M1, &b->M0);
    clear_columns(w, mat_beside(w, C12, C56), mat_above(w, b->M1, b->N1),
                  mat_above(w, b->M0, b->N0), &b->L1, &b->L0);
}

/* W: all combinations of the rows of L that lie in the row space of K. */
static mat dependent(ranks *w, mat L, mat K) {
    if (L.m == 0 || K.m == 0) return mat_zero(w, 0, L.m);
    return mat_transposed(w, mat_left_kernel(w, MUL(L, mat_kernel(w, K))));
}

/* Columns from..end of A. */
static mat tail(ranks *w, mat A, int from) {
    return mat_copy(w, A.m, A.n - from, A.x + (long)A.m * from);
}

static void append(ranks *w, pencil2 *p, mat A2, mat A1, mat A0) {
    p->A2 = mat_above(w, p->A2, A2);
    p->A1 = mat_above(w, p->A1, A1);
    p->A0 = mat_above(w, p->A0, A0);
}

static void append_first(ranks *w, pencil2 *p, mat A1, mat A0) {
    append(w, p, mat_zero(w, A1.m, A1.n), A1, A0);
}

static void append_algebraic(ranks *w, pencil2 *p, mat A0) {
    append(w, p, mat_zero(w, A0.m, A0.n), mat_zero(w, A0.m, A0.n), A0);
}

/* Rows 5 and 6: x5' goes by the derivative of row 10. */
static void reduce_first(ranks *w, const blocks *b, pencil2 *out) {
    mat W = MUL(MUL(b->K10, b->T1), mat_pseudo_inverse(w, MUL(b->M1, b->T1)));
    mat l = mat_sum(w, 1, MUL(W, b->M1), -1, b->K10), z = MUL(W, b->M0);
    mat S = mat_above(w, b->K5, b->N1);
    if (S.m && l.m) {
        mat X = MUL(l, mat_pseudo_inverse(w, S));
        l = mat_sum(w, 1, l, -1, MUL(X, S));
        z = mat_sum(w, 1, z, -1, MUL(tail(w, X, b->K5.m), b->N0));
    }
    append_first(w, out, mat_cleaned(w, l, 1e-12), z);
    mat C = mat_complement(w, W);
    append_first(w, out, MUL(C, b->M1), MUL(C, b->M0));
}

pencil2 strangeness_reduce2(ranks *w, pencil2 p) {
    blocks b = divide(w, p);
    clean(w, &b);
    mat W7 = dependent(w, b.N1, b.K5), C8 = mat_complement(w, W7);
    mat N81 = MUL(C8, b.N1), N80 = MUL(C8, b.N0);
    /* rows 1-3: x'' goes by the second derivative of K5 and the first of row 8 */
    mat S = mat_above(w, b.K5, N81), W = dependent(w, b.L2, S), C4 = mat_complement(w, W);
    mat Y = MUL(MUL(W, b.L2), mat_pseudo_inverse(w, S));
    mat r1 = mat_sum(w, 1, MUL(W, b.L1), -1, MUL(tail(w, Y, b.K5.m), N80)), r0 = MUL(W, b.L0);
    pencil2 out = {MUL(C4, b.L2), MUL(C4, b.L1), MUL(C4, b.L0)};
    append_first(w, &out, r1, r0);
    reduce_first(w, &b, &out);
    append_algebraic(w, &out, MUL(W7, b.N0));
    append_first(w, &out, N81, N80);
    append_algebraic(w, &out, b.K);
    append_algebraic(w, &out, mat_zero(w, b.redundant, p.A2.n));
    return out;
}
