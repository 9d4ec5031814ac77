/* Patterns whose columns are those of bodies. */
#include "mechanism/mechanism.h"

#include <stdlib.h>
#include <string.h>

static int by_body_then_item(const void *a, const void *b) {
    const int *x = a, *y = b;
    if (x[1] != y[1]) return x[1] < y[1] ? -1 : 1;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* Sorts, drops ground and pairs that are there twice; returns how many are left. */
static int tidy(int (*pairs)[2], int count, int nbodies) {
    int kept = 0;
    qsort(pairs, (size_t)count, sizeof *pairs, by_body_then_item);
    for (int i = 0; i < count; i++) {
        if (pairs[i][1] >= nbodies) continue;
        if (kept && !memcmp(pairs[kept - 1], pairs[i], sizeof *pairs)) continue;
        memcpy(pairs[kept++], pairs[i], sizeof *pairs);
    }
    return kept;
}

static int fill_pattern(sodae_mechanism *m, mech_sparse *s) {
    int nb = m->bodies.count, h = s->height, at = 0;
    int *colptr = arena_ints(&m->memory, (size_t)(m->n * nb) + 1);
    int *rowind = arena_ints(&m->memory, (size_t)s->start[nb] * (size_t)(m->n * h) + 1);
    if (m->memory.failed) return 1;
    for (int b = 0; b < nb; b++)
        for (int j = 0; j < m->n; j++) {
            for (int k = s->start[b]; k < s->start[b + 1]; k++)
                for (int i = 0; i < h; i++) rowind[at++] = h * s->item[k] + i;
            colptr[m->n * b + j + 1] = at;
        }
    s->pattern = (sodae_pattern){colptr, rowind};
    return 0;
}

int mech_sparse_make(sodae_mechanism *m, const int (*pairs)[2], int count, int height,
                     mech_sparse *out) {
    int nb = m->bodies.count;
    int(*sorted)[2] = arena_take(&m->memory, (size_t)count + 1, sizeof *sorted);
    *out = (mech_sparse){.height = height,
                         .start = arena_ints(&m->memory, (size_t)nb + 1),
                         .item = arena_ints(&m->memory, (size_t)count + 1)};
    if (m->memory.failed) return 1;
    memcpy(sorted, pairs, (size_t)count * sizeof *sorted);
    count = tidy(sorted, count, nb);
    for (int i = 0; i < count; i++) {
        out->item[i] = sorted[i][0];
        out->start[sorted[i][1] + 1]++;
    }
    for (int b = 0; b < nb; b++) out->start[b + 1] += out->start[b];
    return fill_pattern(m, out);
}

int mech_sparse_rates(sodae_mechanism *m, const int *quantity, int count, mech_sparse *out) {
    int(*pairs)[2] = arena_take(&m->memory, 2 * (size_t)count + 1, sizeof *pairs);
    for (int i = 0; pairs && i < 2 * count; i++) {
        pairs[i][0] = i / 2;
        pairs[i][1] = m->quantities.at[quantity[i / 2]].body[i % 2];
    }
    return !pairs || mech_sparse_make(m, (const int(*)[2])pairs, 2 * count, 1, out);
}

void mech_rate_entries(const sodae_mechanism *m, const mech_work *w, const mech_sparse *s,
                       const int *quantity, int count, double *out) {
    memset(out, 0, (size_t)s->pattern.colptr[m->n * m->bodies.count] * sizeof *out);
    for (int i = 0; i < 2 * count; i++) {
        int step = 0, q = quantity[i / 2], b = m->quantities.at[q].body[i % 2];
        if (b >= m->bodies.count) continue;
        int at = mech_place(s, m->n, i / 2, b, &step);
        for (int k = 0; k < m->n; k++)
            out[at + k * step] += w->value[q].W[6 * (i % 2) + mech_column(m, k)];
    }
}

int mech_place(const mech_sparse *s, int n, int item, int body, int *step) {
    int low = s->start[body], high = s->start[body + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->item[middle] < item)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->start[body + 1] || s->item[low] != item) return -1;
    *step = s->height * (s->start[body + 1] - s->start[body]);
    return s->height * (n * s->start[body] + low - s->start[body]);
}
