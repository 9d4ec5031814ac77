/* Second order: the quantities of (3.2) and the step (3.5) to (3.8) of paper 004 (after Mehrmann
 * and Shi: Numer. Linear Algebra Appl. 13 (2006), 137-159). T are column kernels, Z left kernels;
 * the row numbers are those of (3.2).
 *
 * (3.2) is not unique, and what (3.8) makes of it depends on the choice: y4 + c y2 and y4 + c y3
 * are as good as y4, row 8 + c row 7 is as good as row 8, y8 + c y7 as y8. Of
 * x3'' + x4' + l1, x4'' + l2, x3, l2 two steps are enough for y4 = x4, y4 = x4 + c x3 takes three.
 * What holds for almost all choices does not change under equivalence; so the choice is made at
 * random. The plain choice, all complements orthogonal, is for forms that are to be read. */
#include "analysis/strangeness.h"

#include <math.h>

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

/* In the unknowns y, x = E y. */
static pencil2 in_terms_of(ranks *w, pencil2 e, mat E) {
    return (pencil2){MUL(e.A2, E), MUL(e.A1, E), MUL(e.A0, E), e.F};
}

static mat none(ranks *w, mat A) {
    return mat_zero(w, A.m, A.n);
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

/* F - G, of different widths. */
static mat difference(ranks *w, mat F, mat G) {
    return minus(w, F, mat_identity(w, G.m), G);
}

static pencil2 less(ranks *w, pencil2 e, mat X, pencil2 s) {
    return (pencil2){minus(w, e.A2, X, s.A2), minus(w, e.A1, X, s.A1), minus(w, e.A0, X, s.A0),
                     minus(w, e.F, X, s.F)};
}

static pencil2 above(ranks *w, pencil2 a, pencil2 b) {
    int more = b.F.n - a.F.n;
    mat Fa = more > 0 ? mat_widened(w, a.F, more) : a.F;
    mat Fb = more < 0 ? mat_widened(w, b.F, -more) : b.F;
    return (pencil2){mat_above(w, a.A2, b.A2), mat_above(w, a.A1, b.A1), mat_above(w, a.A0, b.A0),
                     mat_above(w, Fa, Fb)};
}

/* Numbers of size 1/2 to 1, always the same ones. */
static mat random_matrix(ranks *w, unsigned long long *seed, int m, int n) {
    mat C = mat_zero(w, m, n);
    for (int i = 0; i < C.m * C.n; i++) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        double x = (double)(*seed >> 11) / 0x1p53;
        C.x[i] = x < 0.5 ? x - 1 : x;
    }
    return C;
}

/* The rows that Z leaves free. */
static mat rest(ranks *w, mat Z) {
    return mat_complement(w, mat_transposed(w, Z));
}

/* Rows of length 1, none of them zero. */
static mat of_length_one(ranks *w, mat W) {
    mat U = mat_copy(w, W.m, W.n, W.x);
    for (int i = 0; i < U.m; i++) {
        double sum = 0;
        for (int j = 0; j < U.n; j++) sum += *mat_at(U, i, j) * *mat_at(U, i, j);
        for (int j = 0; j < U.n; j++) *mat_at(U, i, j) /= sum > 0 ? sqrt(sum) : 1;
    }
    return U;
}

/* Rows that complete the rows of W: one choice of many, without a seed the orthogonal one. */
static mat completion(ranks *w, unsigned long long *seed, mat W) {
    mat C = mat_complement(w, of_length_one(w, W));
    if (*seed == 0) return C;
    mat O = mat_complement(w, C); /* spans the rows of W */
    return mat_sum(w, 1, C, 1, MUL(random_matrix(w, seed, C.m, O.m), O));
}

enum { ROWS = 12, UNKNOWNS = 8 };

/* (3.2): row[i] is row i, x = E y, y = Y x; y_j are the elements at[j - 1] to at[j] - 1 of y. */
typedef struct condensed {
    pencil2 row[ROWS + 1];
    pencil2 K, empty; /* rows 9-12 in x, orthonormal; row 13 */
    mat Y, E, W;      /* W: rows 1-3 as combinations of orthonormal ones */
    int at[UNKNOWNS + 1];
} condensed;

/* Rows 9-12: algebraic, by where they vanish; N are rows 7 and 8. */
static void divide_algebraic(ranks *w, unsigned long long *seed, pencil2 all, mat N, mat T1, mat T2,
                             condensed *c) {
    pencil2 K = times(w, mat_row_basis(w, all.A0), all);
    c->K = (pencil2){none(w, K.A2), none(w, K.A1), K.A0, K.F};
    pencil2 empty = times(w, mat_transposed(w, mat_left_kernel(w, all.A0)), all);
    c->empty = (pencil2){none(w, empty.A2), none(w, empty.A1), none(w, empty.A0), empty.F};
    mat Z4 = mat_transposed(w, mat_left_kernel(w, MUL(K.A0, T2)));
    c->row[9] = times(w, completion(w, seed, Z4), K);
    pencil2 K4 = times(w, Z4, K);
    mat Z5 = mat_transposed(w, mat_left_kernel(w, MUL(K4.A0, T1)));
    c->row[10] = times(w, completion(w, seed, Z5), K4);
    pencil2 K5 = times(w, Z5, K4);
    mat Z6 = mat_transposed(w, mat_left_kernel(w, MUL(K5.A0, mat_kernel(w, N))));
    c->row[11] = times(w, completion(w, seed, Z6), K5);
    c->row[12] = times(w, Z6, K5);
}

/* The W with W A = B. */
static mat solved(ranks *w, mat B, mat A) {
    return MUL(B, mat_pseudo_inverse(w, A));
}

/* Equations whose leading coefficients are A, of full rank: orthonormal ones of the same kind. */
static pencil2 orthonormal(ranks *w, mat A, pencil2 e) {
    return times(w, mat_row_basis(w, A), e);
}

/* A1 of row 5 becomes y5 and a multiple of y4: y1' and y2' go by rows 7 and 8, y3' into y5. */
static void clear_row_5(ranks *w, condensed *c) {
    pencil2 *row = c->row, known = above(w, row[7], row[8]);
    mat S = mat_above(w, mat_above(w, known.A1, row[11].A0), row[4].A2);
    mat X = solved(w, mat_sum(w, 1, row[5].A1, -1, row[10].A0), S);
    int before = known.A1.m, y3 = row[11].A0.m;
    mat X12 = mat_copy(w, X.m, before, X.x), X3 = mat_copy(w, X.m, y3, X.x + (long)X.m * before);
    row[5] = less(w, row[5], X12, known);
    row[10] = less(w, row[10], mat_sum(w, -1, X3, 0, X3), row[11]);
}

/* The rows of (3.2), not yet with its zeros. */
static condensed divide(ranks *w, unsigned long long *seed, pencil2 p) {
    condensed c = {0};
    mat T1 = mat_kernel(w, p.A2), Z1 = mat_left_kernel(w, p.A2);
    pencil2 L = times(w, rest(w, Z1), p), B = times(w, mat_transposed(w, Z1), p);
    mat B1T = MUL(B.A1, T1), Z2 = mat_left_kernel(w, B1T);
    mat T2 = MUL(T1, mat_kernel(w, B1T));
    pencil2 M = times(w, rest(w, Z2), B), C = times(w, mat_transposed(w, Z2), B);
    mat Z3 = mat_left_kernel(w, C.A1);
    pencil2 N = times(w, rest(w, Z3), C);
    divide_algebraic(w, seed, times(w, mat_transposed(w, Z3), C), N.A1, T1, T2, &c);
    mat W7 = solved(w, c.row[12].A0, N.A1);
    c.row[7] = times(w, W7, N);
    c.row[8] = times(w, completion(w, seed, W7), N);
    c.row[8] = orthonormal(w, c.row[8].A1, c.row[8]);
    mat W5 = solved(w, MUL(c.row[10].A0, T1), MUL(M.A1, T1));
    c.row[5] = times(w, W5, M);
    c.row[6] = times(w, completion(w, seed, W5), M);
    c.row[6] = orthonormal(w, c.row[6].A1, c.row[6]);
    mat W1 = solved(w, c.row[12].A0, L.A2), W2 = solved(w, c.row[8].A1, L.A2),
        W3 = solved(w, c.row[11].A0, L.A2);
    c.row[1] = times(w, W1, L), c.row[2] = times(w, W2, L), c.row[3] = times(w, W3, L);
    c.W = mat_above(w, W1, mat_above(w, W2, W3));
    c.row[4] = times(w, completion(w, seed, c.W), L);
    c.row[4] = orthonormal(w, c.row[4].A2, c.row[4]);
    return c;
}

/* y from the leading coefficients of the rows. */
static void choose_unknowns(ranks *w, unsigned long long *seed, condensed *c) {
    const pencil2 *row = c->row;
    const mat y[UNKNOWNS - 1] = {row[12].A0, row[8].A1, row[11].A0, row[4].A2,
                                 row[10].A0, row[6].A1, row[9].A0};
    c->Y = mat_zero(w, 0, row[12].A0.n);
    for (int j = 0; j < UNKNOWNS - 1; j++) {
        c->Y = mat_above(w, c->Y, y[j]);
        c->at[j + 1] = c->Y.m;
    }
    c->Y = mat_above(w, c->Y, completion(w, seed, c->Y));
    c->at[UNKNOWNS] = c->Y.m;
    c->E = mat_pseudo_inverse(w, c->Y);
}

/* The coefficients of y_j in A. */
static mat part(ranks *w, const condensed *c, mat A, int j) {
    return mat_copy(w, A.m, c->at[j] - c->at[j - 1], A.x + (long)A.m * c->at[j - 1]);
}

/* A becomes zero but for y_j, whose coefficients become the identity if `one`, else stay. */
static mat alone(ranks *w, const condensed *c, mat A, int j, int one) {
    mat O = mat_zero(w, A.m, A.n);
    for (int k = c->at[j - 1]; k < c->at[j] && !w->failed; k++)
        for (int i = 0; i < A.m; i++)
            *mat_at(O, i, k) = one ? i == k - c->at[j - 1] : *mat_at(A, i, k);
    return O;
}

/* What is one or zero by the choice of rows and unknowns, without rounding errors. */
static void round_leading(ranks *w, condensed *c) {
    static const int order[ROWS + 1] = {0, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0},
                                  unknown[ROWS + 1] = {0, 1, 2, 3, 4, 0, 6, 1, 2, 7, 5, 3, 1};
    for (int i = 1; i <= ROWS; i++) {
        mat *A[3] = {&c->row[i].A0, &c->row[i].A1, &c->row[i].A2};
        for (int k = order[i] + 1; k < 3; k++) *A[k] = none(w, *A[k]);
        if (unknown[i]) *A[order[i]] = alone(w, c, *A[order[i]], unknown[i], 1);
    }
    mat *A = &c->row[5].A1; /* y5' + .. y4' */
    *A = mat_sum(w, 1, alone(w, c, *A, 5, 1), 1, alone(w, c, *A, 4, 0));
}

/* Row i without y_j' or y_j, by row s where y_j' or y_j has the coefficient 1. */
static void clear_first(ranks *w, condensed *c, int i, int j, int s) {
    c->row[i] = less(w, c->row[i], part(w, c, c->row[i].A1, j), c->row[s]);
}

static void clear_algebraic(ranks *w, condensed *c, int i, int j, int s) {
    c->row[i] = less(w, c->row[i], part(w, c, c->row[i].A0, j), c->row[s]);
}

static condensed condense(ranks *w, pencil2 p, int plain) {
    unsigned long long seed = !plain;
    condensed c = divide(w, &seed, p);
    clear_row_5(w, &c);
    choose_unknowns(w, &seed, &c);
    for (int i = 1; i <= ROWS; i++) c.row[i] = in_terms_of(w, c.row[i], c.E);
    round_leading(w, &c);
    for (int i = 1; i <= 4; i++) {
        clear_first(w, &c, i, 1, 7);
        clear_first(w, &c, i, 2, 8);
        clear_first(w, &c, i, 5, 5);
        clear_first(w, &c, i, 6, 6);
    }
    for (int i = 1; i <= 8; i++) {
        clear_algebraic(w, &c, i, 1, 12);
        clear_algebraic(w, &c, i, 3, 11);
        clear_algebraic(w, &c, i, 5, 10);
        clear_algebraic(w, &c, i, 7, 9);
    }
    return c;
}

/* (3.8): row i loses its highest derivative by row s, differentiated k times. */
static void replace(ranks *w, condensed *c, int i, int s, int k) {
    c->row[i].F = difference(w, c->row[i].F, derivative(w, c->row[s], k));
}

/* W times orthonormal rows, back to orthonormal ones. W has full rank: how small its values are
 * says nothing about ranks. */
static pencil2 level(ranks *w, mat W, pencil2 e) {
    double kept = w->kept;
    e = times(w, mat_row_basis(w, W), e);
    w->kept = kept;
    return e;
}

pencil2 strangeness_reduce2(ranks *w, pencil2 p, int plain) {
    condensed c = condense(w, p, plain);
    pencil2 *row = c.row;
    replace(w, &c, 1, 12, 2);
    replace(w, &c, 2, 8, 1);
    replace(w, &c, 3, 11, 2);
    replace(w, &c, 5, 10, 1);
    replace(w, &c, 7, 12, 1);
    for (int i = 1; i <= 3; i++) row[i].A2 = none(w, row[i].A2);
    row[2].A1 = difference(w, row[2].A1, row[8].A0);
    row[5].A1 = alone(w, &c, row[5].A1, 4, 0);
    row[7].A1 = none(w, row[7].A1);
    pencil2 out = level(w, c.W, above(w, row[1], above(w, row[2], row[3])));
    for (int i = 4; i <= 8; i++) out = above(w, out, row[i]);
    out = in_terms_of(w, out, c.Y);
    out = less(w, out, MUL(out.A0, mat_transposed(w, c.K.A0)), c.K);
    return above(w, above(w, out, c.K), c.empty);
}
