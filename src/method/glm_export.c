/* The library's own methods with constant steps as tables (A.17). */
#include "method/glm.h"

#include <sodae/stability.h>
#include <sodae/table.h>

#include <math.h>

/* q of BDF is v by the same formula: y_n = sum_j a_j y_{n-j} + h beta y'_n. */
static sodae_status bdf_table(int k, sodae_glm_table *out) {
    double A[SODAE_TABLE_STEPS * SODAE_TABLE_STEPS] = {0}, B[SODAE_TABLE_STEPS] = {0};
    double points[SODAE_TABLE_STEPS + 1], w[SODAE_TABLE_STEPS + 1], one = 1;
    if (k < 1 || k > 6) return SODAE_BAD_ARGUMENT;
    for (int j = 0; j <= k; j++) points[j] = 1 - j;
    glm_lagrange_rate(k + 1, points, 1, w);
    for (int j = 0; j < k; j++) A[j] = -w[j + 1] / w[0];
    for (int i = 1; i < k; i++) A[i * k + i - 1] = 1;
    B[0] = 1 / w[0];
    return sodae_table_first_order(k, 1, A, B, A, B, &one, out);
}

static void copy_rows(const glm_table *t, sodae_glm_table *o) {
    int k = t->steps, s = t->stages;
    for (int i = 0; i <= s; i++)
        for (int j = 0; j < k; j++) {
            if (i < s)
                o->At[i][j] = t->At[i][j], o->Bt[i][j] = t->Bt[i][j], o->Et[i][j] = t->Et[i][j];
            if (i == s)
                o->A[0][j] = t->At[i][j], o->B[0][j] = t->Bt[i][j], o->E[0][j] = t->Et[i][j];
        }
    for (int i = 0; i <= s; i++)
        for (int j = 0; j < s; j++) {
            if (i < s) o->Dt[i][j] = t->Dt[i][j], o->Ft[i][j] = t->Ft[i][j];
            if (i == s) o->D[0][j] = t->Dt[i][j], o->F[0][j] = t->Ft[i][j];
        }
}

sodae_status sodae_direct_nodes(int steps, int stages, double *c) {
    static const double past[GLM_STEPS] = {0, -1, -2, -3};
    double all[GLM_STAGES];
    if (steps < 1 || steps > GLM_STEPS || stages < 1 || stages > SODAE_DIRECT_STAGES || !c)
        return SODAE_BAD_ARGUMENT;
    glm_nodes(GLM_DIRECT, steps, past, stages, all);
    for (int i = 0; i < stages; i++) c[i] = all[i];
    return SODAE_OK;
}

sodae_status sodae_table_of(sodae_method by, int steps, int stages, sodae_glm_table *out) {
    static const double past[GLM_STEPS] = {0, -1, -2, -3};
    glm_table t;
    if (!out) return SODAE_BAD_ARGUMENT;
    if (by == SODAE_BDF) return bdf_table(steps, out);
    if (by == SODAE_DC) return SODAE_NOT_ALLOWED; /* needs K of glm.h */
    int gauss = by == SODAE_GAUSS, radau = by == SODAE_RADAU_IIA;
    if (gauss || radau) steps = 1;
    if (!(gauss || radau || by == SODAE_MSR) || steps < 1 || steps > GLM_STEPS || stages < 1 ||
        stages > GLM_STAGES)
        return SODAE_BAD_ARGUMENT;
    glm_fill(&t, gauss ? GLM_GAUSS : GLM_RADAU, steps, past, stages);
    *out = (sodae_glm_table){.size = sizeof *out, .steps = steps, .stages = stages};
    for (int i = 0; i < stages; i++) out->c[i] = t.c[i];
    for (int i = 0; i < steps; i++) out->at[i] = -i, out->factor[i] = 1;
    for (int i = 1; i < steps; i++) out->A[i][i - 1] = out->E[i][i - 1] = 1;
    copy_rows(&t, out);
    return SODAE_OK;
}
