/* The strangeness-free form in the units it came in. */
#include "analysis/scaling.h"

#include <math.h>
#include <stdlib.h>

/* Smaller entries in a row of F are rounding errors. */
#define NOISE 1e-13

void sodae_linear_form_free(sodae_linear_form *form) {
    if (!form) return;
    free(form->A2); /* all of it */
    *form = (sodae_linear_form){0};
}

/* The exponent of the largest of some numbers x 2^e; 0 when all are zero. */
typedef struct largest {
    int any, exponent;
} largest;

static void look(largest *l, double x, int e) {
    if (x == 0) return;
    e += ilogb(x);
    if (!l->any || e > l->exponent) l->exponent = e;
    l->any = 1;
}

static void clean_row(pencil2 p, int i) {
    double size = 0;
    for (int j = 0; j < p.F.n; j++) size = fmax(size, fabs(*mat_at(p.F, i, j)));
    for (int j = 0; j < p.F.n; j++)
        if (fabs(*mat_at(p.F, i, j)) < NOISE * size) *mat_at(p.F, i, j) = 0;
}

/* Row i: x_k,ij 2^(k tau - columns_j) on the left, F_k,ij 2^(k tau + rows_j) on the right, both
 * divided by the largest on the left (0 = .. : on the right). */
static void write_row(const scaling *s, pencil2 p, int i, sodae_linear_form *form) {
    int n = form->n;
    const mat A[3] = {p.A0, p.A1, p.A2};
    double *out[3] = {form->A0, form->A1, form->A2}, size = 0;
    largest l = {0};
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n; j++) look(&l, *mat_at(A[k], i, j), k * s->tau - s->columns[j]);
    int empty = !l.any;
    for (int j = 0; j < p.F.n && empty; j++)
        look(&l, *mat_at(p.F, i, j), j / n * s->tau + s->rows[j % n]);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n; j++) {
            int e = k * s->tau - s->columns[j] - l.exponent;
            out[k][i + n * j] = ldexp(*mat_at(A[k], i, j), e);
            size = fmax(size, fabs(out[k][i + n * j]));
        }
    if (empty) size = 1;
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < n; j++) out[k][i + n * j] /= size;
    for (int j = 0; form->F && j < (form->derivatives + 1) * n; j++)
        form->F[i + (long)n * j] =
            ldexp(*mat_at(p.F, i, j), j / n * s->tau + s->rows[j % n] - l.exponent) / size;
}

/* The last block of F that is not zero. */
static int last_block(pencil2 p) {
    int last = p.F.n ? 0 : -1;
    for (int j = 0; j < p.F.n; j++)
        for (int i = 0; i < p.F.m; i++)
            if (*mat_at(p.F, i, j) != 0) last = j / p.A0.n;
    return last;
}

sodae_status scaling_write(const scaling *s, pencil2 p, sodae_linear_form *form) {
    int n = p.A0.n;
    size_t size = (size_t)n * (size_t)n;
    for (int i = 0; i < n; i++) clean_row(p, i);
    int last = last_block(p);
    double *all = calloc((size_t)(last + 4) * size, sizeof *all);
    if (!all) return SODAE_NO_MEMORY;
    *form = (sodae_linear_form){n,          last,           all,
                                all + size, all + 2 * size, last < 0 ? NULL : all + 3 * size};
    for (int i = 0; i < n; i++) write_row(s, p, i, form);
    return SODAE_OK;
}
