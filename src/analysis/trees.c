/* Rooted trees for y'' = f(y, y'), as a system y' = v, v' = f(y, v) (Hairer, Norsett, Wanner I,
 * II.14): a tree of v is a node f with any children, one of y is a node with at most one child,
 * which is of v. A tree of order n stands for an elementary differential in h^n.
 *
 * The coefficient of a tree in the exact solution at t + x h is x^n e, e = prod e(children) / n. It
 * follows for U of A.0.3, for the stages, and for what the table hands on: where that is U at t + h
 * for all trees up to order p, the method is of order p. */
#include "analysis/trees.h"

#include <math.h>
#include <stdlib.h>

enum { K = SODAE_TABLE_STEPS, S = SODAE_TABLE_STAGES };

typedef struct tree {
    int order, of_y;
    int rest, child; /* of v: without its last child, which is not before those of rest; -1: none */
    double e;        /* e, and before the division by its order */
    double product;
    double stage[S], slope[S]; /* what the stages make of it; of v: prod of its children there */
} tree;

typedef struct forest {
    int count, room;
    tree *tree;
    int first[SODAE_TABLE_ORDER + 2]; /* trees by order */
    double off_stage[SODAE_TABLE_ORDER + 1], off_step[SODAE_TABLE_ORDER + 1];
} forest;

/* h^d d^d/dt^d of x^n / .. at t + x h. */
static double of_power(const sodae_glm_table *t, int j, int n, double shift) {
    double x = t->at[j] + shift, c = t->factor[j];
    int d = t->derivative[j];
    if (d > n) return 0;
    for (int i = 0; i < d; i++) c *= n - i;
    for (int i = d; i < n; i++) c *= x;
    return c;
}

/* sum_j w_j U_j of a tree of order n, at t. */
static double of_past(const sodae_glm_table *t, const double *w, int n, double e) {
    double sum = 0;
    for (int j = 0; j < t->steps; j++) sum += w[j] * of_power(t, j, n, 0);
    return sum * e;
}

static double of_slopes(int s, const double *w, const double *slope) {
    double sum = 0;
    for (int j = 0; j < s; j++) sum += w[j] * slope[j];
    return sum;
}

static void note(double *off, int order, double is, double should) {
    off[order] = fmax(off[order], fabs(is - should));
}

/* Coefficients of a tree; those of v: by its slope. of_y: the child that is below it, or y' = v
 * itself. */
static void weigh(const sodae_glm_table *t, forest *f, tree *x) {
    const tree *below = x->of_y && x->child >= 0 ? &f->tree[x->child] : NULL;
    int n = x->order, m = n - 1;
    double e = x->e, eb = below ? below->e : 1;
    for (int i = 0; i < t->stages; i++) {
        double sum = of_past(t, x->of_y ? t->At[i] : t->Et[i], n, e);
        if (x->of_y) sum += of_past(t, t->Bt[i], m, eb);
        if (below) sum += of_slopes(t->stages, t->Dt[i], below->slope);
        if (!x->of_y) sum += of_slopes(t->stages, t->Ft[i], x->slope);
        x->stage[i] = sum;
        note(f->off_stage, n, sum, pow(t->c[i], n) * e);
    }
    for (int i = 0; i < t->steps; i++) {
        double sum = of_past(t, x->of_y ? t->A[i] : t->E[i], n, e);
        if (x->of_y) sum += of_past(t, t->B[i], m, eb);
        if (below) sum += of_slopes(t->stages, t->D[i], below->slope);
        if (!x->of_y) sum += of_slopes(t->stages, t->F[i], x->slope);
        note(f->off_step, n, sum, of_power(t, i, n, 1) * e);
    }
}

static tree *append(forest *f) {
    if (f->count == f->room) {
        int room = f->room ? 2 * f->room : 1024;
        tree *more = realloc(f->tree, (size_t)room * sizeof *more);
        if (!more) return NULL;
        f->tree = more, f->room = room;
    }
    f->tree[f->count] = (tree){.rest = -1, .child = -1};
    return &f->tree[f->count++];
}

/* Trees of y: y' = v, or one tree of v below. */
static int add_of_y(const sodae_glm_table *t, forest *f, int n) {
    for (int k = n > 1 ? f->first[n - 1] : -1; k < (n > 1 ? f->first[n] : 0); k++) {
        if (k >= 0 && f->tree[k].of_y) continue;
        tree *x = append(f);
        if (!x) return 0;
        x->order = n, x->of_y = 1, x->child = k;
        x->e = (k >= 0 ? f->tree[k].e : 1) / n;
        weigh(t, f, x);
    }
    return 1;
}

/* Trees of v: f alone, or one child more. */
static int add_of_v(const sodae_glm_table *t, forest *f, int n) {
    for (int r = n > 1 ? 0 : -1; r < (n > 1 ? f->first[n] : 0); r++) {
        if (r >= 0 && f->tree[r].of_y) continue;
        int m = r >= 0 ? n - f->tree[r].order : 0;
        int from = r >= 0 ? f->first[m] : -1, to = r >= 0 ? f->first[m + 1] : 0;
        for (int k = from; k < to; k++) {
            if (k >= 0 && k < f->tree[r].child) continue;
            tree *x = append(f);
            if (!x) return 0;
            const tree *rest = r >= 0 ? &f->tree[r] : NULL, *child = k >= 0 ? &f->tree[k] : NULL;
            x->order = n, x->rest = r, x->child = k;
            x->product = rest ? rest->product * child->e : 1;
            x->e = x->product / n;
            for (int i = 0; i < t->stages; i++)
                x->slope[i] = rest ? rest->slope[i] * child->stage[i] : 1;
            weigh(t, f, x);
        }
    }
    return 1;
}

/* Up to which order nothing is off. */
static int met(const double *off) {
    int p = 0;
    while (p < SODAE_TABLE_ORDER && off[p + 1] < 1e-10) p++;
    return p;
}

int trees_orders(const sodae_glm_table *t, int *order, int *stage_order) {
    forest f = {0};
    int done = 1;
    for (int n = 1; n <= SODAE_TABLE_ORDER && done; n++) {
        f.first[n] = f.count;
        f.first[n + 1] = f.count; /* of v below looks at full orders only */
        done = add_of_v(t, &f, n) && add_of_y(t, &f, n);
        f.first[n + 1] = f.count;
    }
    *order = met(f.off_step), *stage_order = met(f.off_stage);
    free(f.tree);
    return done;
}
