/* Point masses of 1 in the plane or in space under gravity, held together by rigid bars and springs
 * of length 1: chain, net, lattice, ring, tree. Of a bar or spring from a to b, d = x_b - x_a:
 *   bar     g = |d|^2 - 1,   G: 2 d^T at b, -2 d^T at a
 *   spring  f = -k (1 - 1/|d|) d at b, the opposite at a */
#include "bench/problems/problem.h"

#include <math.h>
#include <stdlib.h>

#define GRAVITY 9.81

typedef struct edge {
    int a, b; /* masses; a = -1: the fixed point `at` */
    double at[3];
    int in_a, in_b;  /* of bars: where the entries of G of the first coordinates of a, b are */
    int block[2][2]; /* second derivatives: where the entry of the first coordinates is,
                        [row][column] */
} edge;

typedef struct graph {
    bench_problem *b;
    int dim, masses, bars, springs;
    double k;
    edge *bar, *spring;
    int *bars_of;                 /* number of bars at each mass */
    int *G_ptr, *G_row;           /* patterns of G, */
    int *lambda_ptr, *lambda_row; /* (G^T lambda)_q */
    int *spring_ptr, *spring_row; /* and of f_q */
    int *by_bars, *by_springs;    /* entries of a column of those two at each mass */
    int *numbers;
} graph;

/* d of an edge, of positions or (fixed points at rest) of velocities. */
static inline void along(const edge *e, int dim, const double *x, int moving, double *d) {
    for (int c = 0; c < dim; c++)
        d[c] = x[dim * e->b + c] - (e->a >= 0 ? x[dim * e->a + c] : moving ? 0 : e->at[c]);
}

static inline double dot(int dim, const double *x, const double *y) {
    double sum = 0;
    for (int c = 0; c < dim; c++) sum += x[c] * y[c];
    return sum;
}

static int mass(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    (void)at;
    for (int i = 0; i < s->dim * s->masses; i++) out[i] = 1;
    return 0;
}

static inline void add_forces(const graph *s, int dim, const double *q, double *out) {
    for (int i = 0; i < dim * s->masses; i++) out[i] = i % dim == dim - 1 ? -GRAVITY : 0;
    for (const edge *e = s->spring; e < s->spring + s->springs; e++) {
        double d[3];
        along(e, dim, q, 0, d);
        double pull = s->k * (1 - 1 / sqrt(dot(dim, d, d)));
        for (int c = 0; c < dim; c++) {
            out[dim * e->b + c] -= pull * d[c];
            if (e->a >= 0) out[dim * e->a + c] += pull * d[c];
        }
    }
}

static int force(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    s->dim == 2 ? add_forces(s, 2, at->q, out) : add_forces(s, 3, at->q, out);
    return 0;
}

static int force_q(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    int dim = s->dim;
    for (int k = 0; k < s->spring_ptr[dim * s->masses]; k++) out[k] = 0;
    for (const edge *e = s->spring; e < s->spring + s->springs; e++) {
        double d[3];
        along(e, dim, at->q, 0, d);
        double l = sqrt(dot(dim, d, d)), pull = s->k * (1 - 1 / l), stretch = s->k / (l * l * l);
        for (int j = 0; j < dim; j++)
            for (int i = 0; i < dim; i++) {
                double K = (i == j ? pull : 0) + stretch * d[i] * d[j];
                int in_b = j * s->by_springs[e->b] + i;
                out[e->block[1][1] + in_b] -= K;
                if (e->a < 0) continue;
                int in_a = j * s->by_springs[e->a] + i;
                out[e->block[0][0] + in_a] -= K;
                out[e->block[0][1] + in_b] += K, out[e->block[1][0] + in_a] += K;
            }
    }
    return 0;
}

static int holonomic(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    for (int k = 0; k < s->bars; k++) {
        double d[3];
        along(&s->bar[k], s->dim, at->q, 0, d);
        out[k] = dot(s->dim, d, d) - 1;
    }
    return 0;
}

/* `factor` d of positions or velocities, in the pattern of G. */
static inline void fill(const graph *s, int dim, const double *x, int moving, double factor,
                        double *out) {
    for (const edge *e = s->bar; e < s->bar + s->bars; e++) {
        double d[3];
        along(e, dim, x, moving, d);
        for (int c = 0; c < dim; c++) {
            out[e->in_b + c * s->bars_of[e->b]] = factor * d[c];
            if (e->a >= 0) out[e->in_a + c * s->bars_of[e->a]] = -factor * d[c];
        }
    }
}

static int holonomic_q(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    s->dim == 2 ? fill(s, 2, at->q, 0, 2, out) : fill(s, 3, at->q, 0, 2, out);
    return 0;
}

static int rate_q(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    fill(s, s->dim, at->v, 1, 2, out);
    return 0;
}

static int drift_v(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    fill(s, s->dim, at->v, 1, 4, out);
    return 0;
}

static int rate(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    for (int k = 0; k < s->bars; k++) {
        double d[3], w[3];
        along(&s->bar[k], s->dim, at->q, 0, d), along(&s->bar[k], s->dim, at->v, 1, w);
        out[k] = 2 * dot(s->dim, d, w);
    }
    return 0;
}

static int drift(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    for (int k = 0; k < s->bars; k++) {
        double w[3];
        along(&s->bar[k], s->dim, at->v, 1, w);
        out[k] = 2 * dot(s->dim, w, w);
    }
    return 0;
}

static int reaction(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    int dim = s->dim;
    for (int i = 0; i < dim * s->masses; i++) out[i] = 0;
    for (int k = 0; k < s->bars; k++) {
        const edge *e = &s->bar[k];
        double d[3], l = 2 * at->lambda[k];
        along(e, dim, at->q, 0, d);
        for (int c = 0; c < dim; c++) {
            out[dim * e->b + c] += l * d[c];
            if (e->a >= 0) out[dim * e->a + c] -= l * d[c];
        }
    }
    return 0;
}

static int reaction_q(const sodae_point *at, double *out, void *user) {
    const graph *s = user;
    int dim = s->dim;
    for (int k = 0; k < s->lambda_ptr[dim * s->masses]; k++) out[k] = 0;
    for (int k = 0; k < s->bars; k++) {
        const edge *e = &s->bar[k];
        double l = 2 * at->lambda[k];
        for (int c = 0; c < dim; c++) {
            int in_b = c * s->by_bars[e->b];
            out[e->block[1][1] + in_b] += l;
            if (e->a < 0) continue;
            int in_a = c * s->by_bars[e->a];
            out[e->block[0][0] + in_a] += l;
            out[e->block[0][1] + in_b] -= l, out[e->block[1][0] + in_a] -= l;
        }
    }
    return 0;
}

/* ---- patterns ---------------------------------------------------------------------------- */

static int ascending(const void *x, const void *y) {
    return *(const int *)x - *(const int *)y;
}

/* The masses that share an edge with each mass, itself included: lists one behind the other. */
typedef struct neighbours {
    int *first, *list;
} neighbours;

static neighbours neighbours_of(graph *s, const edge *edges, int count) {
    neighbours x = {bench_room(s->b, (size_t)s->masses + 1, sizeof(int)),
                    bench_room(s->b, (size_t)(s->masses + 2 * count), sizeof(int))};
    int *used = calloc((size_t)s->masses, sizeof *used);
    for (int i = 0; i < s->masses; i++) x.first[i + 1] = 1;
    for (int k = 0; k < count; k++)
        if (edges[k].a >= 0) x.first[edges[k].a + 1]++, x.first[edges[k].b + 1]++;
    for (int i = 0; i < s->masses; i++) x.first[i + 1] += x.first[i];
    for (int i = 0; i < s->masses; i++) x.list[x.first[i] + used[i]++] = i;
    for (int k = 0; k < count; k++) {
        int a = edges[k].a, b = edges[k].b;
        if (a >= 0) x.list[x.first[a] + used[a]++] = b, x.list[x.first[b] + used[b]++] = a;
    }
    for (int i = 0; i < s->masses; i++)
        qsort(x.list + x.first[i], (size_t)used[i], sizeof(int), ascending);
    free(used);
    return x;
}

static int place(const neighbours *x, int row, int column) {
    int k = x->first[column];
    while (x->list[k] != row) k++;
    return k - x->first[column];
}

/* Blocks of second derivatives: diagonal ones (`full` 0: bars) or full ones (springs). */
static void set_blocks(graph *s, edge *edges, int count, int full, int **ptr, int **row, int *per) {
    neighbours x = neighbours_of(s, edges, count);
    int dim = s->dim, wide = full ? dim : 1, entries = 0;
    *ptr = bench_room(s->b, (size_t)(dim * s->masses + 1), sizeof(int));
    *row = bench_room(s->b, (size_t)(dim * wide * (s->masses + 2 * count)), sizeof(int));
    for (int i = 0; i < s->masses; i++) {
        per[i] = wide * (x.first[i + 1] - x.first[i]);
        for (int c = 0; c < dim; c++) {
            for (int k = x.first[i]; k < x.first[i + 1]; k++)
                for (int r = 0; r < wide; r++) (*row)[entries++] = dim * x.list[k] + (full ? r : c);
            (*ptr)[dim * i + c + 1] = entries;
        }
    }
    for (edge *e = edges; e < edges + count; e++)
        for (int i = e->a < 0; i < 2; i++)
            for (int j = e->a < 0; j < 2; j++) {
                int row_of = i ? e->b : e->a, column = j ? e->b : e->a;
                e->block[i][j] = (*ptr)[dim * column] + wide * place(&x, row_of, column);
            }
}

static void set_G(graph *s) {
    int dim = s->dim, *at = calloc((size_t)s->masses, sizeof *at), columns = dim * s->masses;
    for (int k = 0; k < s->bars; k++) {
        if (s->bar[k].a >= 0) s->bars_of[s->bar[k].a]++;
        s->bars_of[s->bar[k].b]++;
    }
    s->G_ptr = bench_room(s->b, (size_t)columns + 1, sizeof(int));
    for (int j = 0; j < columns; j++) s->G_ptr[j + 1] = s->G_ptr[j] + s->bars_of[j / dim];
    s->G_row = bench_room(s->b, (size_t)s->G_ptr[columns], sizeof(int));
    for (int k = 0; k < s->bars; k++)
        for (int end = s->bar[k].a < 0; end < 2; end++) {
            int i = end ? s->bar[k].b : s->bar[k].a, first = s->G_ptr[dim * i] + at[i]++;
            *(end ? &s->bar[k].in_b : &s->bar[k].in_a) = first;
            for (int c = 0; c < dim; c++) s->G_row[first + c * s->bars_of[i]] = k;
        }
    free(at);
}

static graph *graph_open(bench_problem *b, int dim, int masses, int bars, int springs) {
    graph *s = bench_room(b, 1, sizeof *s);
    *s = (graph){.b = b, .dim = dim, .masses = masses};
    s->bar = bench_room(b, (size_t)bars, sizeof(edge));
    s->spring = bench_room(b, (size_t)springs, sizeof(edge));
    s->bars_of = bench_room(b, (size_t)masses, sizeof(int));
    s->by_bars = bench_room(b, (size_t)masses, sizeof(int));
    s->by_springs = bench_room(b, (size_t)masses, sizeof(int));
    s->numbers = bench_room(b, (size_t)(dim * masses + 1), sizeof(int));
    for (int i = 0; i <= dim * masses; i++) s->numbers[i] = i;
    b->p.nv = dim * masses;
    b->p.user = s;
    return s;
}

static void graph_finish(graph *s) {
    sodae_problem *p = &s->b->p;
    p->nlambda = s->bars;
    p->constant_mass = 1;
    set_G(s);
    set_blocks(s, s->bar, s->bars, 0, &s->lambda_ptr, &s->lambda_row, s->by_bars);
    sodae_pattern of_G = {s->G_ptr, s->G_row};
    p->value[SODAE_MASS] = (sodae_term){mass, {s->numbers, s->numbers}};
    p->value[SODAE_FORCE].fn = force;
    p->value[SODAE_HOLONOMIC].fn = holonomic;
    p->value[SODAE_REACTION].fn = reaction;
    p->value[SODAE_HOLONOMIC_RATE].fn = rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = drift;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q] = (sodae_term){holonomic_q, of_G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_Q] = (sodae_term){rate_q, of_G};
    p->derivative[SODAE_HOLONOMIC_RATE][SODAE_V] = (sodae_term){holonomic_q, of_G};
    p->derivative[SODAE_HOLONOMIC_DRIFT][SODAE_V] = (sodae_term){drift_v, of_G};
    p->derivative[SODAE_REACTION][SODAE_Q] =
        (sodae_term){reaction_q, {s->lambda_ptr, s->lambda_row}};
    if (!s->springs) return;
    set_blocks(s, s->spring, s->springs, 1, &s->spring_ptr, &s->spring_row, s->by_springs);
    p->derivative[SODAE_FORCE][SODAE_Q] = (sodae_term){force_q, {s->spring_ptr, s->spring_row}};
}

/* ---- the problems ------------------------------------------------------------------------ */

static void bar(graph *s, int a, int b, double x, double y, double z) {
    s->bar[s->bars++] = (edge){.a = a, .b = b, .at = {x, y, z}};
}

static void spring(graph *s, int a, int b, double x, double y, double z) {
    s->spring[s->springs++] = (edge){.a = a, .b = b, .at = {x, y, z}};
}

int chain(bench_problem *b, int n) {
    graph *s = graph_open(b, 2, n, n, 0);
    double *q, *v;
    bench_initial(b, &q, &v);
    for (int i = 0; i < n; i++) bar(s, i - 1, i, 0, 0, 0), q[2 * i] = i + 1;
    graph_finish(s);
    return 0;
}

/* Row r hangs from the fixed point (0, -(r+1)) and, by springs, from the row above. */
static int net_of(bench_problem *b, int n, double k) {
    graph *s = graph_open(b, 2, n * n, n * n, n * n);
    double *q, *v;
    bench_initial(b, &q, &v);
    s->k = k;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) {
            int i = r * n + c;
            bar(s, c ? i - 1 : -1, i, 0, -(r + 1), 0);
            spring(s, r ? i - n : -1, i, c + 1, 0, 0);
            q[2 * i] = c + 1, q[2 * i + 1] = -(r + 1);
        }
    graph_finish(s);
    return 0;
}

int net(bench_problem *b, int n) {
    return net_of(b, n, 1e3);
}

int stiff_net(bench_problem *b, int n) {
    return net_of(b, n, 1e7);
}

/* Bars along x from a wall, springs along y and along z up to a ceiling. */
int lattice(bench_problem *b, int n) {
    int count = n * n * n;
    graph *s = graph_open(b, 3, count, count, 2 * count);
    double *q, *v;
    bench_initial(b, &q, &v);
    s->k = 1e3;
    for (int z = 0; z < n; z++)
        for (int y = 0; y < n; y++)
            for (int x = 0; x < n; x++) {
                int i = (z * n + y) * n + x;
                bar(s, x ? i - 1 : -1, i, 0, y, -(z + 1));
                spring(s, z ? i - n * n : -1, i, x + 1, y, 0);
                if (y) spring(s, i - n, i, 0, 0, 0);
                q[3 * i] = x + 1, q[3 * i + 1] = y, q[3 * i + 2] = -(z + 1);
            }
    graph_finish(s);
    return 0;
}

/* A regular polygon below the point that it hangs from by one more bar. */
int ring(bench_problem *b, int n) {
    if (n < 3) return 1;
    graph *s = graph_open(b, 2, n, n + 1, 0);
    double *q, *v, turn = 2 * acos(-1) / n, radius = 0.5 / sin(turn / 2);
    bench_initial(b, &q, &v);
    bar(s, -1, 0, -1, 0, 0);
    for (int i = 0; i < n; i++) {
        bar(s, i, (i + 1) % n, 0, 0, 0);
        q[2 * i] = radius * sin(turn * i), q[2 * i + 1] = radius * (cos(turn * i) - 1);
    }
    graph_finish(s);
    return 0;
}

/* Mass i hangs from mass (i-1)/2, turned to one side or the other. */
int tree(bench_problem *b, int n) {
    graph *s = graph_open(b, 2, n, n, 0);
    double *q, *v, *angle = calloc((size_t)n, sizeof *angle);
    bench_initial(b, &q, &v);
    for (int i = 0; i < n; i++) {
        int up = i ? (i - 1) / 2 : -1;
        bar(s, up, i, 0, 0, 0);
        angle[i] = up < 0 ? 0 : angle[up] + (i % 2 ? 0.3 : -0.4);
        q[2 * i] = (up < 0 ? 0 : q[2 * up]) + cos(angle[i]);
        q[2 * i + 1] = (up < 0 ? 0 : q[2 * up + 1]) + sin(angle[i]);
    }
    free(angle);
    graph_finish(s);
    return 0;
}
