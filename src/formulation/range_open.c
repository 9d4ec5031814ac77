/* Blocks of M, and where their products lie in S. */
#include "formulation/range.h"

#include "base/vec.h"

#include <limits.h>
#include <stdlib.h>

/* While it is made: blocks as lists of velocities and of constraints. */
typedef struct plan {
    int nv, m, n;
    int *of;              /* block of each velocity */
    int *size;            /* of each block */
    int *row_first, *row; /* the constraints of block b, increasing: the vectors of W */
    int *vector_at;       /* their places */
    int *mark;
} plan;

static int root(int *of, int i) {
    while (of[i] != i) i = of[i] = of[of[i]];
    return i;
}

/* Connected components of the pattern of M, numbered by their first velocity. */
static void components(const eval *e, plan *p) {
    for (int i = 0; i < p->nv; i++) p->of[i] = i;
    for (int j = 0; j < p->nv; j++)
        for (int k = e->mass.colptr[j]; k < e->mass.colptr[j + 1]; k++) {
            int a = root(p->of, j), b = root(p->of, e->mass.rowind[k]);
            p->of[a > b ? a : b] = a > b ? b : a;
        }
    for (int i = 0; i < p->nv; i++) p->mark[i] = root(p->of, i);
    for (int i = 0; i < p->nv; i++) p->of[i] = p->mark[i] == i ? p->n++ : p->of[p->mark[i]];
    for (int i = 0; i < p->nv; i++) p->size[p->of[i]]++;
}

static int by_number(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void add_rows(const pattern *C, int j, int shift, plan *p, int *n) {
    for (int k = C->colptr[j]; k < C->colptr[j + 1]; k++) {
        int row = C->rowind[k] + shift;
        if (p->mark[row] == p->of[j]) continue;
        p->mark[row] = p->of[j];
        p->row[(*n)++] = row;
    }
}

/* member: velocities in the order of their blocks. */
static void order_members(const plan *p, int *first, int *member) {
    first[0] = 0;
    for (int b = 0; b < p->n; b++) first[b + 1] = first[b] + p->size[b];
    for (int i = 0; i < p->nv; i++) member[first[p->of[i]]++] = i;
    for (int b = p->n; b > 0; b--) first[b] = first[b - 1];
    first[0] = 0;
}

static void find_rows(const eval *e, plan *p, const int *first, const int *member) {
    int n = 0;
    for (int i = 0; i < p->m; i++) p->mark[i] = -1;
    for (int b = 0; b < p->n; b++) {
        p->row_first[b] = n;
        for (int i = first[b]; i < first[b + 1]; i++) {
            if (e->nl) add_rows(&e->G, member[i], 0, p, &n);
            if (e->np) add_rows(&e->K, member[i], e->nl, p, &n);
        }
        qsort(p->row + p->row_first[b], (size_t)(n - p->row_first[b]), sizeof *p->row, by_number);
    }
    p->row_first[p->n] = n;
}

static int same_rows(const plan *p, int a, int b) {
    int n = p->row_first[a + 1] - p->row_first[a];
    if (n != p->row_first[b + 1] - p->row_first[b]) return 0;
    for (int i = 0; i < n; i++)
        if (p->row[p->row_first[a] + i] != p->row[p->row_first[b] + i]) return 0;
    return 1;
}

enum { JOINED = 6 }; /* velocities of a body */

/* Neighbours with the same constraints become one block: fewer and longer products. */
static void join(plan *p) {
    int last = 0;
    for (int i = 0; i < p->n; i++) p->mark[i] = i;
    for (int b = 1; b < p->n; b++) {
        if (p->size[last] + p->size[b] > JOINED || !same_rows(p, last, b)) {
            last = b;
            continue;
        }
        p->mark[b] = last;
        p->size[last] += p->size[b], p->size[b] = 0;
    }
    for (int i = 0; i < p->nv; i++) p->of[i] = p->mark[p->of[i]];
    int n = 0;
    for (int b = 0; b < p->n; b++) { /* numbers without gaps */
        p->mark[b] = n;
        if (p->size[b]) p->size[n++] = p->size[b];
    }
    for (int i = 0; i < p->nv; i++) p->of[i] = p->mark[p->of[i]];
    p->n = n;
}

/* Places of the entries of M in the factors. */
static void place_mass(range *r, arena *a, const plan *p, int *inside) {
    const pattern *M = &r->e->mass;
    for (int b = 0; b < p->n; b++)
        for (int i = r->first[b]; i < r->first[b + 1]; i++) inside[r->member[i]] = i - r->first[b];
    r->L = arena_doubles(a, r->diagonal && !r->unit ? (size_t)p->nv : 0);
    if (r->diagonal) return;
    r->block_at = arena_ints(a, (size_t)p->n + 1);
    r->M_at = arena_ints(a, (size_t)pattern_nnz(M));
    if (a->failed) return;
    for (int b = 0; b < p->n; b++) r->block_at[b + 1] = r->block_at[b] + p->size[b] * p->size[b];
    for (int j = 0; j < p->nv; j++)
        for (int k = M->colptr[j]; k < M->colptr[j + 1]; k++) {
            int i = inside[M->rowind[k]], b = p->of[j];
            r->M_at[k] = i >= inside[j] ? r->block_at[b] + i * p->size[b] + inside[j] : -1;
        }
    r->L = arena_doubles(a, (size_t)r->block_at[p->n]);
}

static int place_of(const plan *p, const int *inside, int row, int column) {
    int b = p->of[column], low = p->row_first[b], high = p->row_first[b + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return p->vector_at[low] + inside[column];
}

static void place_constraints(range *r, arena *a, const plan *p, const int *inside) {
    const eval *e = r->e;
    int nG = pattern_nnz(&e->G), nK = pattern_nnz(&e->K), n = p->row_first[p->n];
    r->vectors = arena_ints(a, (size_t)p->n + 1);
    r->C_at = arena_ints(a, (size_t)(nG + nK));
    if (a->failed) return;
    for (int b = 0; b < p->n; b++)
        for (int i = p->row_first[b]; i < p->row_first[b + 1]; i++) {
            p->vector_at[i + 1] = p->vector_at[i] + p->size[b];
        }
    for (int b = 0; b <= p->n; b++) r->vectors[b] = p->row_first[b];
    r->size_W = p->vector_at[n];
    for (int j = 0; j < p->nv && e->nl; j++)
        for (int k = e->G.colptr[j]; k < e->G.colptr[j + 1]; k++)
            r->C_at[k] = place_of(p, inside, e->G.rowind[k], j);
    for (int j = 0; j < p->nv && e->np; j++)
        for (int k = e->K.colptr[j]; k < e->K.colptr[j + 1]; k++)
            r->C_at[nG + k] = place_of(p, inside, e->nl + e->K.rowind[k], j);
    r->W = arena_doubles(a, (size_t)r->size_W);
}

/* A product of two vectors of W, number `pair`. */
typedef struct product {
    int row, col, pair;
} product;

static int by_entry(const void *a, const void *b) {
    const product *x = a, *y = b;
    return x->row != y->row ? (x->row < y->row ? -1 : 1) : (x->col > y->col) - (x->col < y->col);
}

static size_t count_products(const plan *p) {
    size_t n = 0;
    for (int b = 0; b < p->n; b++) {
        size_t rows = (size_t)(p->row_first[b + 1] - p->row_first[b]);
        n += rows * (rows + 1) / 2;
    }
    return n;
}

static void list_products(const plan *p, product *to) {
    int n = 0;
    for (int b = 0; b < p->n; b++)
        for (int i = p->row_first[b]; i < p->row_first[b + 1]; i++)
            for (int j = p->row_first[b]; j <= i; j++, n++)
                to[n] = (product){p->row[i], p->row[j], n};
}

/* The entries of the lower triangle of S by rows, which is the upper one by columns, and its
 * factor. `all` is sorted by entries. */
static int open_sparse(range *r, arena *a, arena *scratch, const product *all, int n) {
    pattern upper = {.rows = r->m, .cols = r->m, .rowind = arena_ints(scratch, (size_t)n)};
    upper.colptr = arena_ints(scratch, (size_t)r->m + 1);
    int last = -1;
    for (int i = 0; i < n && !scratch->failed; i++) {
        if (!i || by_entry(&all[i - 1], &all[i])) {
            upper.rowind[++last] = all[i].col, upper.colptr[all[i].row + 1]++;
            if (all[i].row == all[i].col) r->diagonal_at[all[i].row] = last;
        }
        r->place[all[i].pair] = last;
    }
    if (scratch->failed) return -1;
    for (int i = 0; i < r->m; i++) upper.colptr[i + 1] += upper.colptr[i];
    r->size_S = last + 1;
    return ldlt_open(&r->sparse, a, &upper);
}

static void open_full(range *r, const product *all, int n) {
    r->size_S = r->m * r->m;
    for (int i = 0; i < n; i++) r->place[i] = all[i].row * r->m + all[i].col;
    for (int i = 0; i < r->m; i++) r->diagonal_at[i] = i * r->m + i;
}

static int open_S(range *r, arena *a, const plan *p) {
    size_t n = count_products(p);
    arena own = {0}, *scratch = arena_borrow(a, &own, n * (sizeof(product) + sizeof(int)));
    product *all = n < INT_MAX ? arena_take(scratch, n + 1, sizeof *all) : NULL;
    r->place = arena_ints(a, n), r->diagonal_at = arena_ints(a, (size_t)r->m);
    int failed = !all || a->failed;
    if (failed) return arena_return(a, &own), -1;
    for (int i = 0; i < r->m; i++) r->diagonal_at[i] = -1;
    list_products(p, all);
    if (r->m > RANGE_DENSE) qsort(all, n, sizeof *all, by_entry);
    if (r->m > RANGE_DENSE)
        failed = open_sparse(r, a, scratch, all, (int)n);
    else
        open_full(r, all, (int)n);
    r->S = arena_doubles(a, (size_t)r->size_S);
    arena_return(a, &own);
    return failed || a->failed ? -1 : 0;
}

static int open_blocks(range *r, arena *a, plan *p) {
    int *inside = p->mark; /* free by then */
    order_members(p, r->first, r->member);
    find_rows(r->e, p, r->first, r->member);
    join(p);
    order_members(p, r->first, r->member);
    find_rows(r->e, p, r->first, r->member);
    r->nblocks = p->n;
    place_mass(r, a, p, inside);
    if (!a->failed) place_constraints(r, a, p, inside);
    return a->failed ? -1 : open_S(r, a, p);
}

static int open_whole(range *r, arena *a) {
    const eval *e = r->e;
    int nv = e->nv;
    r->b = arena_doubles(a, (size_t)(nv + r->m));
    r->off = pattern_diagonal(a, r->m);
    matrix_open(&r->A, a, nv + r->m, 6);
    if (a->failed) return -1;
    r->block[0] = matrix_announce(&r->A, &e->mass, 0, 0, 0);
    r->block[1] = matrix_announce(&r->A, &e->G, 0, nv, 1);
    r->block[2] = matrix_announce(&r->A, &e->G, nv, 0, 0);
    r->block[3] = matrix_announce(&r->A, &e->K, 0, nv + e->nl, 1);
    r->block[4] = matrix_announce(&r->A, &e->K, nv + e->nl, 0, 0);
    r->block[5] = matrix_announce(&r->A, &r->off, nv, nv, 0);
    return matrix_close(&r->A, a) || eval_open_solver(r->e, a, &r->linear, &r->A.pattern, 0);
}

static int open_plan(plan *p, const eval *e, arena *a, arena *own) {
    size_t nv = (size_t)e->nv, m = (size_t)(e->nl + e->np);
    size_t entries = (size_t)pattern_nnz(&e->G) + (size_t)pattern_nnz(&e->K);
    size_t n = 3 * nv + 1 + 2 * entries + 1 + (nv > m ? nv : m);
    int *room = arena_ints(arena_borrow(a, own, n * sizeof(int)), n);
    if (!room) return -1;
    *p = (plan){.nv = e->nv, .m = e->nl + e->np, .of = room};
    p->size = p->of + nv;
    p->row_first = p->size + nv;
    p->row = p->row_first + nv + 1;
    p->vector_at = p->row + entries;
    p->mark = p->vector_at + entries + 1;
    return 0;
}

sodae_status range_open(range *r, arena *a, eval *e) {
    plan p;
    arena own = {0};
    *r = (range){.e = e, .m = e->nl + e->np, .unit = !e->p->value[SODAE_MASS].fn};
    size_t nv = (size_t)e->nv, m = (size_t)r->m;
    r->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    r->G = arena_doubles(a, (size_t)pattern_nnz(&e->G));
    r->K = arena_doubles(a, (size_t)pattern_nnz(&e->K));
    r->x = arena_doubles(a, nv), r->y = arena_doubles(a, m);
    r->first = arena_ints(a, nv + 1), r->member = arena_ints(a, nv);
    if (a->failed || open_plan(&p, e, a, &own)) return SODAE_NO_MEMORY;
    for (int k = 0; k < pattern_nnz(&e->mass); k++) r->M[k] = 1; /* unless it is given */
    components(e, &p);
    r->diagonal = p.n == e->nv && pattern_nnz(&e->mass) == e->nv;
    for (int b = 0; b < p.n; b++) r->whole |= p.size[b] > RANGE_BLOCK;
    int failed = r->whole ? open_whole(r, a) : open_blocks(r, a, &p);
    arena_return(a, &own);
    range_restart(r);
    return failed || a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}
