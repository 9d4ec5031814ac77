/* What the files of the family do with the sets of stages: their tables, their counters. */
#include "method/glm.h"

void glm_set_table(glm_set *set, const double *past) {
    glm_table *t = &set->table;
    int s = t->stages;
    double F[GLM_STAGES * GLM_STAGES];
    glm_fill(t, t->family, t->steps, past, s);
    for (int k = 0; k < s * s; k++) F[k] = t->Ft[k / s][k % s];
    form_split_set(&set->form, F);
}

static void move_solves(linear_solver *from, linear_solver *to) {
    to->factorizations += from->factorizations, to->solves += from->solves;
    from->factorizations = from->solves = 0;
}

static void move_counts(form *from, form *to) {
    if (from == to) return;
    to->newton.iterations += from->newton.iterations, to->newton.matrices += from->newton.matrices;
    from->newton.iterations = from->newton.matrices = 0;
    move_solves(&from->linear, &to->linear);
}

void glm_gather(glm *g) {
    for (int i = 1; i <= GLM_STAGES; i++) move_counts(&g->one[i].form, &g->used->form);
    move_counts(&g->more.form, &g->used->form);
    move_solves(&g->filter.linear, &g->used->form.linear);
}

/* Order 2 k in q, 2 k - 1 in v with k points: that of the method. */
int glm_dense_points(glm_family family, int steps, int stages) {
    int order = family == GLM_GAUSS    ? 2 * stages
                : family == GLM_DIRECT ? steps + stages - 2
                                       : steps + 2 * stages - 2;
    return (order + 2) / 2;
}
