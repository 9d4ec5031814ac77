#include "formulation/rank.h"

#include "base/tuning.h"
#include "base/vec.h"

#include <stdio.h>
#include <string.h>

TUNING_INT(RANK_MOST, 1 << 18, "entries of C; more take above 0.1 s for one decomposition");
TUNING_INT(MANY, 64, "constraints; sparse factors take less time above (0.05 and 8 ms at 300)");

void rank_open(rank_finder *r, arena *a, const eval *e) {
    int m = e->nl + e->np;
    *r = (rank_finder){.e = e, .m = m, .rank = m};
    r->rows = e->nv;
    for (int i = 0; i < m && e->p->active; i++) r->rows += e->p->active[i] >= 0;
    r->group = arena_ints(a, (size_t)m);
    r->large = (double)r->rows * m > RANK_MOST;
    if (r->large) return;
    qr_open(&r->ct, a, r->rows, m);
    r->sigma = arena_doubles(a, (size_t)m);
    r->vt = arena_doubles(a, (size_t)m * (size_t)m);
}

/* Constraints that are off depend on nobody: a row of their own, as large as the others. */
static void separate_off(rank_finder *r) {
    double size = vec_max(r->rows * r->m, r->ct.A);
    for (int i = 0, at = r->e->nv; at < r->rows; i++) {
        if (r->e->p->active[i] < 0) continue;
        if (eval_is_off(r->e, i)) r->ct.A[i * r->rows + at] = size > 0 ? size : 1;
        at++;
    }
}

/* C^T by columns. */
static void fill_transposed(rank_finder *r, const double *G, const double *K, const double *row) {
    const eval *e = r->e;
    double *ct = r->ct.A;
    vec_zero(r->rows * r->m, ct);
    for (int half = 0; half < 2; half++) {
        const pattern *J = half ? &e->K : &e->G;
        const double *values = half ? K : G;
        int first = half * e->nl;
        for (int j = 0; j < J->cols; j++)
            for (int k = J->colptr[j]; k < J->colptr[j + 1]; k++) {
                int i = first + J->rowind[k];
                ct[i * r->rows + j] = values[k] * (row ? row[i] : 1);
            }
    }
    separate_off(r);
}

static void find_singular_values(rank_finder *r, double tol) {
    int most = r->ct.rank;
    qr_singular_values(&r->ct, r->sigma, r->vt);
    r->rank = 0;
    while (r->rank < most && r->sigma[r->rank] > tol * r->sigma[0]) r->rank++;
}

void rank_find(rank_finder *r, const double *G, const double *K, const double *row, double tol) {
    if (r->m > MANY) {
        r->rank = rank_sparse(r, G, K, row, tol);
        if (r->rank == r->m || r->large) return;
    }
    fill_transposed(r, G, K, row);
    qr_decompose(&r->ct, 0);
    r->rank = qr_pivots_above(&r->ct, tol);
    if (r->rank < r->m) find_singular_values(r, tol);
}

void rank_decompose(rank_finder *r, const double *G, const double *K, const double *row,
                    double tol) {
    fill_transposed(r, G, K, row);
    qr_decompose(&r->ct, 0);
    find_singular_values(r, tol);
}

/* Vector k <- what it has orthogonal to the vectors from..k-1, of length 1; twice is enough. */
static void orthogonalise(rank_finder *r, int from, int k) {
    int m = r->m;
    double *w = r->vt + k * m, length = 0;
    for (int l = from; l < 2 * k - from; l++) {
        const double *v = r->vt + (l < k ? l : l - k + from) * m;
        double c = 0;
        for (int i = 0; i < m; i++) c += v[i] * w[i];
        vec_add(m, -c, v, w);
    }
    for (int i = 0; i < m; i++) length = hypot(length, w[i]);
    for (int i = 0; i < m; i++) w[i] /= length;
}

/* With D = diag(row): (D C)^T u = 0 is C^T (D u) = 0, and D^-1 v is orthogonal to D u. */
void rank_unscale(rank_finder *r, const double *row) {
    int m = r->m;
    if (r->rank == m) return;
    for (int k = 0; k < m; k++) {
        for (int i = 0; i < m; i++) {
            double *x = &r->vt[k * m + i];
            *x = k < r->rank ? *x / row[i] : *x * row[i];
        }
        orthogonalise(r, k < r->rank ? 0 : r->rank, k);
    }
}

/* The least first: those that stay when fewer are used. */
void rank_null(const rank_finder *r, int from, linear_null *to) {
    to->depends = to->count = r->m - from;
    for (int k = 0; k < to->depends; k++)
        for (int i = 0; i < r->m; i++) to->N[k * r->m + i] = rank_vector(r, r->m - 1 - k, i);
}

static void name_constraint(const eval *e, int i, char *text, size_t size) {
    if (i < e->nl)
        eval_name(e->p, SODAE_HOLONOMIC, i, text, size);
    else
        eval_name(e->p, SODAE_NONHOLONOMIC, i - e->nl, text, size);
}

/* Of the projection N N^T onto the vectors from..m-1. */
static double entry(const rank_finder *r, int from, int i, int j) {
    double sum = 0;
    for (int k = from; k < r->m; k++) sum += rank_vector(r, k, i) * rank_vector(r, k, j);
    return sum;
}

/* Parts of the graph whose edges are the entries of N N^T. */
static void find_groups(rank_finder *r, int from, double least) {
    int changed = 1;
    for (int i = 0; i < r->m; i++) r->group[i] = entry(r, from, i, i) < least * least ? -1 : i;
    while (changed) {
        changed = 0;
        for (int i = 0; i < r->m; i++)
            for (int j = 0; j < r->m && r->group[i] >= 0; j++) {
                if (r->group[j] >= r->group[i] || r->group[j] < 0) continue;
                if (!(fabs(entry(r, from, i, j)) > least * least)) continue;
                r->group[i] = r->group[j];
                changed = 1;
            }
    }
}

/* The names of one group behind what is there; 0: no more room. */
static int name_group(const rank_finder *r, int group, char *text, size_t size) {
    const char *between = text[0] ? "; " : "";
    for (int i = group; i < r->m; i++) {
        char name[64];
        size_t used = strlen(text);
        if (r->group[i] != group) continue;
        name_constraint(r->e, i, name, sizeof name);
        int fits = used + strlen(name) + 8 <= size;
        snprintf(text + used, size - used, "%s%s", fits ? between : ", ...", fits ? name : "");
        if (!fits) return 0;
        between = ", ";
    }
    return 1;
}

void rank_names(rank_finder *r, int from, double least, char *text, size_t size) {
    text[0] = 0;
    if (!r->large) find_groups(r, from, least);
    for (int g = 0; g < r->m && name_group(r, g, text, size); g++) {
    }
}
