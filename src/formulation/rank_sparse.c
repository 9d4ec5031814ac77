/* Rank of many constraints. The pivots of C C^T = L D L^T are the squares of the parts of the rows
 * orthogonal to those before: where all are far above rounding the rank is full. SuiteSparseQR
 * decides where they are not. All memory is given back: it is a matter of starts. */
#include "formulation/rank.h"
#include "linear/ldlt.h"
#include "linear/spqr.h"

#include "base/tuning.h"
#include "base/vec.h"

TUNING(far_above, 1e-8, "of |row|^2: half of the digits; a chain of 1e6 bars has pivots of 1e-6");

typedef struct sparse {
    arena memory;
    pattern C, Ct, S;
    double *c, *ct, *s, *sum; /* values of C by columns and by rows, of S; a row of S */
    ldlt f;
} sparse;

/* C = [G; K] by columns, with scales, without the rows that are off. */
static void stack(sparse *z, const rank_finder *r, const double *G, const double *K,
                  const double *row) {
    const eval *e = r->e;
    size_t nnz = (size_t)(pattern_nnz(&e->G) + pattern_nnz(&e->K));
    int at = 0;
    z->C = (pattern){r->m, e->nv, arena_ints(&z->memory, (size_t)e->nv + 1),
                     arena_ints(&z->memory, nnz)};
    z->c = arena_doubles(&z->memory, nnz);
    for (int j = 0; j < e->nv && !z->memory.failed; j++) {
        for (int half = 0; half < 2; half++) {
            const pattern *J = half ? &e->K : &e->G;
            for (int k = J->colptr[j]; k < J->colptr[j + 1]; k++) {
                int i = half * e->nl + J->rowind[k];
                double x = (half ? K : G)[k] * (row ? row[i] : 1);
                z->C.rowind[at] = i, z->c[at++] = eval_is_off(e, i) ? 0 : x;
            }
        }
        z->C.colptr[j + 1] = at;
    }
}

static void transpose(sparse *z) {
    z->Ct = pattern_transposed(&z->memory, &z->C);
    z->ct = arena_doubles(&z->memory, (size_t)pattern_nnz(&z->C));
    int *next = arena_ints(&z->memory, (size_t)z->C.rows);
    if (z->memory.failed) return;
    for (int i = 0; i < z->C.rows; i++) next[i] = z->Ct.colptr[i];
    for (int k = 0; k < pattern_nnz(&z->C); k++) z->ct[next[z->C.rowind[k]]++] = z->c[k];
}

/* S = C C^T; 1 on the diagonal of a row that is off. */
static void multiply(sparse *z, const eval *e) {
    z->S = pattern_product(&z->memory, &z->C, &z->Ct);
    z->s = arena_doubles(&z->memory, z->memory.failed ? 0 : (size_t)pattern_nnz(&z->S));
    z->sum = arena_doubles(&z->memory, (size_t)z->C.rows);
    for (int i = 0; i < z->C.rows && !z->memory.failed; i++) {
        for (int k = z->Ct.colptr[i]; k < z->Ct.colptr[i + 1]; k++) {
            int j = z->Ct.rowind[k];
            for (int l = z->C.colptr[j]; l < z->C.colptr[j + 1]; l++)
                z->sum[z->C.rowind[l]] += z->c[l] * z->ct[k];
        }
        if (eval_is_off(e, i)) z->sum[i] = 1;
        for (int k = z->S.colptr[i]; k < z->S.colptr[i + 1]; k++)
            z->s[k] = z->sum[z->S.rowind[k]], z->sum[z->S.rowind[k]] = 0;
    }
}

/* Is every row far from all before it? */
static int is_full(sparse *z) {
    if (ldlt_open(&z->f, &z->memory, &z->S) || ldlt_factor(&z->f, z->s)) return 0;
    for (int i = 0; i < z->f.n; i++)
        if (!(z->f.D[i] > far_above * ldlt_diagonal(&z->f, z->s, i))) return 0;
    return 1;
}

int rank_sparse(rank_finder *r, const double *G, const double *K, const double *row, double tol) {
    sparse z = {0};
    int rank = r->m, off = 0;
    stack(&z, r, G, K, row);
    transpose(&z);
    multiply(&z, r->e);
    if (!z.memory.failed && !is_full(&z)) {
        for (int i = 0; i < r->m; i++) r->group[i] = 0;
        rank = spqr_rank(&z.Ct, z.ct, tol, r->group);
        for (int i = 0; i < r->m; i++) off += eval_is_off(r->e, i);
        for (int i = 0, first = -1; i < r->m; i++) { /* those that depend on others, as one group */
            int depends = r->group[i] && !eval_is_off(r->e, i);
            if (depends && first < 0) first = i;
            r->group[i] = depends ? first : -1;
        }
        rank = rank < 0 ? r->m : rank + off;
    }
    arena_free(&z.memory);
    return rank;
}
