/* 004, Table 3.3: the printed coefficients against the general derivation (3.26). */
#include "papers/p004.h"

#include "method/bdf.h"

/* Steps back from t_n: h₁ = t_n − t_{n−1} and so on. */
typedef struct steps {
    double a, b, c, d; /* t_n − t_{n−1}, t_n − t_{n−2}, t_n − t_{n−3}, t_n − t_{n−4} */
} steps;

typedef struct entry {
    const char *name;
    int k, order1, order2; /* of v_{n−1} and v_{n−2}; 0: exact */
    void (*printed)(const steps *s, double alpha[2]);
    int misprinted;
} entry;

static void bdf21(const steps *s, double *alpha) {
    (void)s;
    alpha[0] = 2;
}

static void bdf11(const steps *s, double *alpha) {
    alpha[0] = 2 * s->a / s->b;
}

static void bdf312(const steps *s, double *alpha) {
    alpha[0] = -2 * s->b / (s->a + s->b);
    alpha[1] = 2 * (s->a + s->b);
}

/* The second term of alpha_1 is printed with a minus. */
static void bdf122_signed(const steps *s, double sign, double *alpha) {
    double a = s->a, b = s->b, c = s->c, sum = a + b, past = (b - a) + (c - a);
    alpha[0] = 2 * (a + b + c) * a * (c - b) / (sum * c * past) + sign * 2 * (b - a) / past;
    alpha[1] = 2 * b * (b - a) * (2 * a * sum - c * (b - a)) / (past * sum * c);
}

static void bdf122(const steps *s, double *alpha) {
    bdf122_signed(s, -1, alpha);
}

static void bdf122_right(const steps *s, double *alpha) {
    bdf122_signed(s, 1, alpha);
}

static void bdf222(const steps *s, double *alpha) {
    double a = s->a, b = s->b, c = s->c, d = s->d, sum = a + b;
    alpha[0] = 1;
    alpha[1] =
        b * (b - a) * (2 * sum * a - (b - a) * c) / (sum * c * (b - a) - a * (d - a) * (c - b));
}

static void bdf112(const steps *s, double *alpha) {
    double a = s->a, b = s->b, c = s->c, sum = a + b;
    alpha[0] = 2 * (a + b + c) * a / (sum * c) - 2 * sum * (b - a) / ((c - a) * c);
    alpha[1] = 2 * sum * b * (b - a) / ((c - a) * c);
}

static void bdf212(const steps *s, double *alpha) {
    double a = s->a, b = s->b, c = s->c, d = s->d, sum = a + b;
    double below = c * (b - a) - (d - a) * (c - b);
    alpha[0] = -2 * (b - a) * b / below + 2 * a / sum;
    alpha[1] = 2 * sum * b * (b - a) / below;
}

static const entry entries[] = {
    {"BDF(2,1)", 1, 0, 0, bdf21, 0},
    {"BDF(1,1)", 1, 1, 0, bdf11, 0},
    {"BDF(3,1,2)", 2, 1, 0, bdf312, 0},
    {"BDF(1,2,2), printed", 2, 2, 1, bdf122, 1},
    {"BDF(1,2,2), with +", 2, 2, 1, bdf122_right, 0},
    {"BDF(2,2,2)", 2, 2, 2, bdf222, 0},
    {"BDF(1,1,2)", 2, 1, 1, bdf112, 0},
    {"BDF(2,1,2)", 2, 1, 2, bdf212, 0},
};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

/* The general derivation for the same history, on a grid in units of s. */
static void derived(const entry *e, const steps *s, double alpha[2]) {
    const double back[] = {0, s->a, s->b, s->c, s->d};
    const int orders[] = {e->k, e->order1, e->order2, 2, 2};
    double c[5][BDF_MAX + 1] = {{0}};
    bdf_grid g = {.h = s->a, .count = 4};
    for (int i = 0; i < 5; i++) {
        bdf_grid past = {.h = s->a, .count = 4 - i};
        for (int j = i; j < 5; j++) past.sigma[j - i] = (back[i] - back[j]) / s->a;
        bdf_grid_weights(&past);
        if (orders[i] > 0 && i + orders[i] < 5) bdf_derivative_weights(orders[i], &past, c[i]);
        g.sigma[i] = -back[i] / s->a;
        g.order[i] = orders[i];
        g.c[i] = c[i];
    }
    bdf_grid_weights(&g);
    bdf_formula f;
    bdf_coefficients(BDF_MODIFIED, 0, e->k, &g, &f);
    for (int i = 0; i < e->k; i++) alpha[i] = f.alpha[i + 1];
}

static void run(page *p) {
    const steps grid = {1.0, 2.3, 3.1, 4.7}; /* steps 1, 1.3, 0.8, 1.6 backwards */
    page_say(p,
             "The general derivation (3.26) finds the coefficients for any history of orders and "
             "steps from the stored formulas of the old velocities; no table of cases is needed. "
             "Here it meets the printed formulas for steps 1, 1.3, 0.8 and 1.6 (the newest "
             "first).");
    table_begin(p, "α₁ and α₂", "formula|α₁, Table 3.3|sodae|α₂, Table 3.3|sodae");
    double off[ENTRIES] = {0};
    for (int i = 0; i < ENTRIES; i++) {
        double printed[2] = {NAN, NAN}, found[2] = {NAN, NAN};
        entries[i].printed(&grid, printed);
        derived(&entries[i], &grid, found);
        table_row(p);
        table_text(p, "%s", entries[i].name);
        for (int k = 0; k < 2; k++) {
            table_text(p, k < entries[i].k ? "%.10f" : "", printed[k]);
            table_text(p, k < entries[i].k ? "%.10f" : "", found[k]);
            if (k < entries[i].k) off[i] = fmax(off[i], fabs(printed[k] - found[k]));
        }
    }
    table_end(p);
    for (int i = 0; i < ENTRIES; i++)
        page_claim(p, entries[i].misprinted ? off[i] > 0.1 : off[i] < 1e-11, "%s: differs by %.2g",
                   entries[i].name, off[i]);
    page_misprint(p,
                  "BDF(1,2,2), α₁: … − 2(t<sub>n−1</sub> − t<sub>n−2</sub>)/(2t<sub>n−1</sub> − "
                  "t<sub>n−2</sub> − t<sub>n−3</sub>)",
                  "+ instead of −",
                  "(3.26); for constant steps −2/9 is printed and 10/9 is right. With the printed "
                  "sign Newton’s iteration fails in the third step of Example 3.4.1");
    page_misprint(p, "BDF(2,1,2) and BDF(2,2,2) without a warning",
                  "BDF(2,1,2) does not exist for constant steps; BDF(2,2,2) has poles, for example "
                  "when the step is halved again and again",
                  "the denominators vanish; sodae keeps away from the poles");
}

const experiment p004_table33 = {"004", "Table 3.3", "Coefficients of the modified formulas", run};
