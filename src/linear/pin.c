#include "linear/pin.h"

#include <math.h>
#include <stddef.h>

int pins_open(linear_pins *p, arena *a, int blocks, const linear_null *null, int m) {
    p->pin = arena_take(a, (size_t)blocks, sizeof *p->pin);
    for (int k = 0; k < blocks && !a->failed; k++) {
        int *places = arena_ints(a, 2 * (size_t)m);
        p->pin[k] = (linear_pin){null, places, places + m};
    }
    p->count = a->failed ? 0 : blocks;
    return a->failed ? -1 : 0;
}

static double largest(int m, const int *at, const double *scale) {
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, scale[at[i]]);
    return most;
}

/* The same of what v has there. */
static double along(int m, const double *v, const int *at, const double *scale) {
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, fabs(v[i]) * scale[at[i]]);
    return most;
}

void pins_add(const linear_pins *p, int stride, const double *row, const double *col, double *A) {
    static const double small = 1e-5; /* constraints of other units than the rest */
    for (int k = 0; k < p->count; k++) {
        const linear_pin *x = &p->pin[k];
        const linear_null *null = p->factored && p->factored->N ? p->factored : x->null;
        int m = null->m;
        double all = largest(m, x->row, row) * largest(m, x->col, col); /* entries of size 1 */
        for (int l = 0; l < null->count; l++) {
            const double *v = null->N + l * m;
            double own = along(m, v, x->row, row) * along(m, v, x->col, col);
            double size = own < small * all ? own : all;
            for (int i = 0; i < m; i++)
                for (int j = 0; j < m; j++)
                    A[(ptrdiff_t)x->row[i] * stride + x->col[j]] +=
                        v[i] * v[j] * row[x->row[i]] * col[x->col[j]] / size;
        }
    }
}

void pins_remove(const linear_pins *p, double *b) {
    for (int k = 0; k < p->count; k++) {
        const linear_pin *x = &p->pin[k];
        int m = x->null->m;
        for (int l = 0; l < x->null->count; l++) {
            const double *v = x->null->N + l * m;
            double c = 0;
            for (int i = 0; i < m; i++) c += v[i] * b[x->col[i]];
            for (int i = 0; i < m; i++) b[x->col[i]] -= c * v[i];
        }
    }
}
