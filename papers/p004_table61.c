/* 004, Table 6.1: coefficients of the Runge-Kutta methods for second order systems. */
#include "papers/p004.h"

#include "method/glm.h"

typedef struct printed {
    const char *name;
    glm_family family;
    double c[2], a[3][2], at[3][2]; /* rows: stages, then the weights b */
} printed;

#define R3 1.7320508075688772

static const printed tables[] = {
    {"Gauss",
     GLM_GAUSS,
     {(3 - R3) / 6, (3 + R3) / 6},
     {{1.0 / 4, (3 - 2 * R3) / 12}, {(3 + 2 * R3) / 12, 1.0 / 4}, {1.0 / 2, 1.0 / 2}},
     {{1.0 / 24, (3 - 2 * R3) / 24},
      {(3 + 2 * R3) / 24, 1.0 / 24},
      {(3 + R3) / 12, (3 - R3) / 12}}},
    {"Radau IIA",
     GLM_RADAU,
     {1.0 / 3, 1},
     {{5.0 / 12, -1.0 / 12}, {3.0 / 4, 1.0 / 4}, {3.0 / 4, 1.0 / 4}},
     {{1.0 / 9, -1.0 / 18}, {1.0 / 2, 0}, {1.0 / 2, 0}}},
};

static double row(page *p, const char *name, double x, double y) {
    table_row(p);
    table_text(p, "%s", name);
    table_text(p, "%.12f", x);
    table_text(p, "%.12f", y);
    table_real(p, y - x);
    return fabs(y - x);
}

static void run(page *p) {
    page_say(p,
             "sodae computes nodes and both sets of weights from collocation alone; the table of "
             "the paper follows.");
    for (int m = 0; m < 2; m++) {
        const printed *t = &tables[m];
        const double past[] = {0};
        double worst = 0;
        glm_table g;
        glm_fill(&g, t->family, 1, past, 2);
        table_begin(p, t->name, "coefficient|printed|sodae|difference");
        for (int i = 0; i < 2; i++) worst = fmax(worst, row(p, i ? "c₂" : "c₁", t->c[i], g.c[i]));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 2; j++) {
                static const char *const a[3][2] = {{"a₁₁", "a₁₂"}, {"a₂₁", "a₂₂"}, {"b₁", "b₂"}};
                static const char *const at[3][2] = {{"ã₁₁", "ã₁₂"}, {"ã₂₁", "ã₂₂"}, {"b̃₁", "b̃₂"}};
                worst = fmax(worst, row(p, a[i][j], t->a[i][j], g.Ft[i][j]));
                worst = fmax(worst, row(p, at[i][j], t->at[i][j], g.Dt[i][j]));
            }
        table_end(p);
        page_claim(p, worst < 1e-14, "%s: largest difference %.1e", t->name, worst);
    }
    page_misprint(
        p, "Theorem 6.1.1: the two-stage methods are convergent of order 4",
        "the conditions (6.19) give a local error O(h⁴): order 3 for Radau IIA; Gauss has "
        "order 4 for other reasons, and only without constraints",
        "measured below: index 3 and Radau IIA, q has order 3, v order 2, λ order 1 in "
        "general");
}

const experiment p004_table61 = {"004", "Table 6.1", "Runge-Kutta coefficients", run};
