/* Theorem 2.1.8 at one t, with E_i, A_i, f_i the Taylor coefficients of E, A, f:
 *   block (i, k) of (M_l, -N_l) is k E_(i-k+1) - A_(i-k), i = 0 .. l, k = 1 .. l + 1 and k = 0,
 * which is (2.16) with rows divided by i! and columns by k!. */
#include "analysis/array.h"

#include "analysis/scaling.h"
#include "base/vec.h"

#include <stdlib.h>

/* Block += factor A_i where i is an index of the series. */
static void add_block(mat to, int row0, int col0, double factor, const double *A, int m, int n,
                      int i) {
    if (i < 0 || factor == 0) return;
    for (int c = 0; c < n; c++)
        vec_add(m, factor, A + ((long)i * n + c) * m, mat_at(to, row0, col0 + c));
}

static mat array_M(ranks *w, const array_series *s, int l) {
    mat M = mat_zero(w, (l + 1) * s->m, (l + 1) * s->n);
    for (int i = 0; i <= l && !w->failed; i++)
        for (int k = 1; k <= l + 1; k++) {
            add_block(M, i * s->m, (k - 1) * s->n, k, s->E, s->m, s->n, i - k + 1);
            add_block(M, i * s->m, (k - 1) * s->n, -1, s->A, s->m, s->n, i - k);
        }
    return M;
}

static mat array_N(ranks *w, const array_series *s, int l) {
    mat N = mat_zero(w, (l + 1) * s->m, s->n);
    for (int i = 0; i <= l && !w->failed; i++) add_block(N, i * s->m, 0, 1, s->A, s->m, s->n, i);
    return N;
}

void array_parts_make(ranks *w, const array_series *s, int l, array_parts *out) {
    out->M = array_M(w, s, l);
    out->N = array_N(w, s, l);
    out->g = mat_copy(w, (l + 1) * s->m, 1, s->f);
    out->Z = mat_left_kernel(w, out->M);
}

/* Row i += factor times row p. */
static void add_row(mat A, int i, int p, double factor) {
    for (int j = 0; j < A.n; j++) *mat_at(A, i, j) += factor * *mat_at(A, p, j);
}

/* Gauss and Jordan on the rows of E, those of A and f with them: each has an unknown of its own,
 * the one with the largest coefficient, which the others do not have. A and E may be one. */
static void solve_rows(ranks *w, mat E, mat A, mat f) {
    unsigned char *done = arena_take(w->a, (size_t)E.m + 1, 1);
    if (!done) w->failed = 1;
    for (int k = 0; k < E.m && !w->failed; k++) {
        int p = -1, column = 0;
        double largest = 0;
        for (int j = 0; j < E.n; j++)
            for (int i = 0; i < E.m; i++) {
                double size = fabs(*mat_at(E, i, j));
                if (!done[i] && size > 1.001 * largest) p = i, column = j, largest = size;
            }
        if (p < 0) return;
        done[p] = 1;
        for (int i = 0; i < E.m; i++) {
            double factor = i == p ? 0 : -*mat_at(E, i, column) / *mat_at(E, p, column);
            if (factor == 0) continue;
            add_row(E, i, p, factor);
            if (A.x != E.x) add_row(A, i, p, factor);
            add_row(f, i, p, factor);
            *mat_at(E, i, column) = 0;
        }
    }
}

/* Rows W (E, A, f) in the units of y and t, of size one; small entries are rounding. */
static void write_rows(const array_series *s, mat E, mat A, mat f, int rows, double *Eo, double *Ao,
                       double *fo) {
    double noise = vec_max(s->terms * s->m, s->f);
    for (int i = 0; i < rows; i++) {
        double size = 0;
        for (int j = 0; j < s->n; j++) {
            double unit = 1 / s->columns[j];
            if (Eo) Eo[i + (long)rows * j] = *mat_at(E, i, j) * s->tau * unit;
            Ao[i + (long)rows * j] = *mat_at(A, i, j) * unit;
            if (Eo) size = fmax(size, fabs(Eo[i + (long)rows * j]));
            size = fmax(size, fabs(Ao[i + (long)rows * j]));
        }
        for (int j = 0; j < s->n; j++)
            for (int k = 0; k < 2; k++) {
                double *x = k ? Ao : Eo;
                if (!x) continue;
                x += i + (long)rows * j;
                *x = fabs(*x) < 1e-12 * size ? 0 : *x / size;
            }
        fo[i] = fabs(*mat_at(f, i, 0)) < 1e-13 * noise ? 0 : *mat_at(f, i, 0) / size;
    }
}

static double *room(int rows, int columns) {
    return calloc((size_t)rows * (size_t)columns + 1, sizeof(double));
}

static int form_make(sodae_free_form *o, int size, int d, int a, int v) {
    *o = (sodae_free_form){.size = size, .d = d, .a = a, .v = v};
    o->E1 = room(d, size), o->A1 = room(d, size), o->f1 = room(d, 1);
    o->A2 = room(a, size), o->f2 = room(a, 1), o->f3 = room(v, 1);
    return !o->E1 || !o->A1 || !o->f1 || !o->A2 || !o->f2 || !o->f3;
}

void sodae_free_form_free(sodae_free_form *form) {
    if (!form) return;
    double *all[] = {form->E1, form->A1, form->f1, form->A2, form->f2, form->f3};
    for (int i = 0; i < 6; i++) free(all[i]);
    *form = (sodae_free_form){0};
}

/* (2.17): E1 = Z1^T E, A2 = Z2^T N, and g_l for the right sides. */
static void write_form(ranks *w, const array_series *s, mat Z, mat ZN, mat ET, int l,
                       const sodae_strangeness *q, sodae_free_form *form) {
    mat Zt = mat_transposed(w, Z), g = mat_copy(w, (l + 1) * s->m, 1, s->f);
    mat Z1 = mat_row_basis(w, ET), W = mat_row_basis(w, ZN), Zg = mat_product(w, Zt, g);
    mat E = mat_copy(w, s->m, s->n, s->E), A = mat_copy(w, s->m, s->n, s->A),
        f = mat_copy(w, s->m, 1, s->f);
    mat Z3 = mat_transposed(w, mat_left_kernel(w, ZN));
    mat E1 = mat_product(w, Z1, E), A1 = mat_product(w, Z1, A), f1 = mat_product(w, Z1, f);
    mat A2 = mat_product(w, W, ZN), f2 = mat_product(w, W, Zg), f3 = mat_product(w, Z3, Zg);
    if (form_make(form, s->n, q->d, q->a, Z3.m)) w->failed = 1;
    solve_rows(w, E1, A1, f1), solve_rows(w, A2, A2, f2);
    if (w->failed) return;
    write_rows(s, E1, A1, f1, q->d, form->E1, form->A1, form->f1);
    write_rows(s, A2, A2, f2, q->a, NULL, form->A2, form->f2);
    vec_copy(Z3.m, f3.x, form->f3);
}

int array_level(ranks *w, const array_series *s, int l, int *vanishing, sodae_strangeness *q,
                sodae_free_form *form) {
    rank_decision of_M = {0}, of_ZN = {0}, of_ET = {0};
    mat Z = mat_kernel_decided(w, mat_transposed(w, array_M(w, s, l)), &of_M);
    mat ZN = mat_tproduct(w, Z, array_N(w, s, l));
    mat T2 = mat_kernel_decided(w, ZN, &of_ZN);
    mat ET = mat_product(w, mat_copy(w, s->m, s->n, s->E), T2);
    mat_kernel_decided(w, ET, &of_ET);
    if (w->failed) return 0;
    int below = *vanishing;
    *vanishing = Z.n - of_ZN.rank;
    q->mu = l;
    q->a = of_ZN.rank, q->d = of_ET.rank, q->v = *vanishing - below;
    q->u = s->n - q->a - q->d;
    q->d_index = q->u || q->v ? -1 : q->a ? l + 1 : 0;
    const rank_decision all[3] = {of_M, of_ZN, of_ET};
    q->least = INFINITY;
    q->decided = 1;
    for (int i = 0; i < 3; i++) {
        q->rank[i] = all[i].rank, q->margin[i] = all[i].margin;
        q->least = fmin(q->least, all[i].least);
        q->decided &= all[i].margin >= 1e3;
    }
    int fulfilled = q->d + q->a + q->v == s->m;
    if (fulfilled && form) write_form(w, s, Z, ZN, ET, l, q, form);
    return fulfilled;
}

mat array_jacobian(ranks *w, double *const A[3], int m, int n, int l, int from, int to) {
    mat J = mat_zero(w, (l + 1) * m, (to - from + 1) * n);
    for (int i = 0; i <= l && !w->failed; i++)
        for (int k = from; k <= to; k++)
            for (int p = 0; p < 3; p++) {
                double factor = p == 2 ? k * (k - 1) : p == 1 ? k : 1;
                add_block(J, i * m, (k - from) * n, factor, A[p], m, n, i - k + p);
            }
    return J;
}

/* Mean of log2 of the largest entry of each column of A, scaled; 0 without entries. */
static double mean_size(const double *A, int m, int n, const double *R, const double *S) {
    double sum = 0;
    int count = 0;
    for (int j = 0; j < n; j++) {
        double largest = 0;
        for (int i = 0; i < m; i++) largest = fmax(largest, fabs(A[i + m * j]) * R[i] * S[j]);
        if (largest > 0) sum += log2(largest), count++;
    }
    return count ? sum / count : 0;
}

/* Rows and columns of the largest entries get size one, then time the unit that makes A0 and the
 * highest derivative alike on average; small entries do not count. */
scaling array_scaling(ranks *w, double *const A[3], int m, int n) {
    scaling s = {0, arena_ints(w->a, (size_t)m), arena_ints(w->a, (size_t)n)};
    double *R = arena_doubles(w->a, (size_t)m), *S = arena_doubles(w->a, (size_t)n);
    if (w->a->failed) w->failed = 1;
    for (int round = 0; round < 6 && !w->failed; round++) {
        mat B = mat_zero(w, m, n);
        for (int i = 0; i < m; i++) R[i] = 1;
        for (int j = 0; j < n; j++) S[j] = 1;
        for (int k = 0; k < 3 * m * n; k++) {
            double *x = &B.x[k % (m * n)];
            *x = fmax(*x, ldexp(fabs(A[k / (m * n)][k % (m * n)]), -(k / (m * n)) * s.tau));
        }
        mat_equilibrated(w, B, R, S);
        int top = vec_max(m * n, A[2]) > 0 ? 2 : 1;
        double above = mean_size(A[top], m, n, R, S) - top * s.tau, below;
        below = mean_size(A[0], m, n, R, S);
        s.tau += (int)lround((above - below) / top);
    }
    for (int i = 0; i < m && !w->failed; i++) s.rows[i] = (int)lround(log2(R[i]));
    for (int j = 0; j < n && !w->failed; j++) s.columns[j] = (int)lround(log2(S[j]));
    return s;
}

void array_scale(const scaling *s, double *const A[3], double *f, int m, int n, int terms) {
    for (int i = 0; i < terms; i++) {
        for (int k = 0; k < 3 * m * n; k++) {
            int q = k / (m * n), at = k % (m * n);
            double *x = A[q] + (long)i * m * n + at;
            *x = ldexp(*x, s->rows[at % m] + s->columns[at / m] - (q - i) * s->tau);
        }
        for (int r = 0; r < m; r++) f[i * m + r] = ldexp(f[i * m + r], s->rows[r] + i * s->tau);
    }
}

/* Scaled series A0, A1, A2; 0 on success. */
static int second_series(ranks *w, const sodae_linear_system *sys, const scaling *units, double t,
                         int terms, double *A[3]) {
    size_t size = (size_t)terms * (size_t)sys->m * (size_t)sys->n;
    for (int p = 0; p < 3; p++) A[p] = arena_doubles(w->a, size);
    double *f = arena_doubles(w->a, (size_t)terms * (size_t)sys->m);
    if (w->a->failed) return w->failed = 1;
    if (sys->series(t, terms, A[2], A[1], A[0], f, sys->user)) return 1;
    array_scale(units, A, f, sys->m, sys->n, terms);
    return 0;
}

/* Columns k = 2 .. l + 2 are eliminated, then k = 1. */
int array_second_level(ranks *w, const sodae_linear_system *sys, const scaling *units, double t,
                       int l, int *vanishing, sodae_strangeness *q) {
    double *A[3];
    int m = sys->m, n = sys->n;
    if (second_series(w, sys, units, t, l + 1, A)) return 0;
    rank_decision d[5];
    mat Z = mat_kernel_decided(w, mat_transposed(w, array_jacobian(w, A, m, n, l, 2, l + 2)), d);
    mat B1 = mat_tproduct(w, Z, array_jacobian(w, A, m, n, l, 1, 1));
    mat B0 = mat_tproduct(w, Z, array_jacobian(w, A, m, n, l, 0, 0));
    mat Y = mat_kernel_decided(w, mat_transposed(w, B1), d + 1);
    mat T0 = mat_kernel_decided(w, mat_tproduct(w, Y, B0), d + 2);
    mat K = mat_kernel_decided(w, mat_product(w, B1, T0), d + 3);
    mat T1 = mat_product(w, T0, K);
    mat_kernel_decided(w, mat_product(w, mat_copy(w, m, n, A[2]), T1), d + 4);
    int both = mat_rank(w, mat_joined(w, B1, B0)), below = *vanishing;
    if (w->failed) return 0;
    *vanishing = Z.n - both;
    q->derivatives = l, q->second_mu = (l + 1) / 2;
    q->a0 = d[2].rank, q->d1 = d[3].rank, q->d2 = d[4].rank, q->v2 = *vanishing - below;
    q->u2 = n - q->a0 - q->d1 - q->d2;
    q->second_margin = INFINITY;
    for (int i = 0; i < 5; i++) q->second_margin = fmin(q->second_margin, d[i].margin);
    q->second_decided = q->second_margin >= 1e3;
    return q->a0 + q->d1 + q->d2 + q->v2 == m;
}
