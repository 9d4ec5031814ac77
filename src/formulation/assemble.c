/* The iteration matrix of a formulation: derivative blocks times the coefficients of the method.
 *
 * One stage:  [ ca M + (cv D + cq K T)   C^T ]     T the tangent operator of the stage, rows of the
 *             [ (cq G T + cv ...) / s     0  ]     constraints divided by their own coefficient, so
 * that the condition number does not depend on h. */
#include "formulation/terms.h"
#include "formulation/units.h"

#include "base/failure.h"
#include "base/vec.h"

#define D(row, column, sign, f, x)                                                                 \
    { row, column, BLOCK, sign, f, x }
#define MATRIX(row, column, source)                                                                \
    { row, column, source, 1, SODAE_MASS, SODAE_T }
#define ALL_BUT_MULTIPLIERS(row, sign, f)                                                          \
    D(row, BY_Q, sign, f, SODAE_Q), D(row, BY_V, sign, f, SODAE_V),                                \
        D(row, BY_R, sign, f, SODAE_R), D(row, BY_W, sign, f, SODAE_W),                            \
        D(row, BY_S, sign, f, SODAE_S)

static const form_term table[] = {
    MATRIX(ROW_BALANCE, BY_A, MASS),
    D(ROW_BALANCE, BY_Q, 1, SODAE_MASS, SODAE_Q),
    ALL_BUT_MULTIPLIERS(ROW_BALANCE, -1, SODAE_FORCE),
    D(ROW_BALANCE, BY_LAMBDA, -1, SODAE_FORCE, SODAE_LAMBDA),
    D(ROW_BALANCE, BY_PSI, -1, SODAE_FORCE, SODAE_PSI),
    D(ROW_BALANCE, BY_Q, 1, SODAE_REACTION, SODAE_Q),
    D(ROW_BALANCE, BY_V, 1, SODAE_REACTION, SODAE_V),
    D(ROW_BALANCE, BY_S, 1, SODAE_REACTION, SODAE_S),
    MATRIX(ROW_BALANCE, BY_LAMBDA, G_TRANSPOSED),
    MATRIX(ROW_BALANCE, BY_PSI, K_TRANSPOSED),
    MATRIX(ROW_DYNAMIC, BY_RDOT, IDENTITY),
    ALL_BUT_MULTIPLIERS(ROW_DYNAMIC, -1, SODAE_DYNAMIC),
    D(ROW_DYNAMIC, BY_LAMBDA, -1, SODAE_DYNAMIC, SODAE_LAMBDA),
    ALL_BUT_MULTIPLIERS(ROW_AUXILIARY, 1, SODAE_AUXILIARY),
    D(ROW_AUXILIARY, BY_LAMBDA, 1, SODAE_AUXILIARY, SODAE_LAMBDA),
    D(ROW_CONTACT, BY_Q, 1, SODAE_CONTACT, SODAE_Q),
    D(ROW_CONTACT, BY_S, 1, SODAE_CONTACT, SODAE_S),
    D(ROW_POSITION, BY_Q, 1, SODAE_HOLONOMIC, SODAE_Q),
    D(ROW_POSITION, BY_S, 1, SODAE_HOLONOMIC, SODAE_S),
    MATRIX(ROW_VELOCITY, BY_V, G_ROW),
    D(ROW_VELOCITY, BY_Q, 1, SODAE_HOLONOMIC_RATE, SODAE_Q),
    D(ROW_VELOCITY, BY_S, 1, SODAE_HOLONOMIC_RATE, SODAE_S),
    MATRIX(ROW_ACCELERATION, BY_A, G_ROW),
    D(ROW_ACCELERATION, BY_Q, 1, SODAE_HOLONOMIC_DRIFT, SODAE_Q),
    D(ROW_ACCELERATION, BY_V, 1, SODAE_HOLONOMIC_DRIFT, SODAE_V),
    MATRIX(ROW_ACCELERATION, BY_V, G_ROW), /* Baumgarte */
    D(ROW_ACCELERATION, BY_Q, 1, SODAE_HOLONOMIC, SODAE_Q),
    MATRIX(ROW_KINEMATIC_RATE, BY_V, K_ROW),
    D(ROW_KINEMATIC, BY_Q, 1, SODAE_NONHOLONOMIC, SODAE_Q),
    D(ROW_KINEMATIC, BY_V, 1, SODAE_NONHOLONOMIC, SODAE_V),
    MATRIX(ROW_KINEMATIC_RATE, BY_A, K_ROW),
    D(ROW_KINEMATIC_RATE, BY_Q, 1, SODAE_NONHOLONOMIC_DRIFT, SODAE_Q),
    D(ROW_KINEMATIC_RATE, BY_V, 1, SODAE_NONHOLONOMIC_DRIFT, SODAE_V),
};

enum { TERMS = sizeof table / sizeof *table };

static int belongs(const form *f, const form_term *t) {
    const eval *e = f->e;
    int here = 0;
    for (int k = 0; k < f->kind->rows; k++) here |= f->kind->row[k] == t->row;
    if (f->kind->fixed_state && (t->column == BY_Q || t->column == BY_V || t->column == BY_R))
        return 0;
    if (t->source == BLOCK && t->f == SODAE_MASS && !e->needs_mass_q) return 0;
    int reaction = (t->source == BLOCK && t->f == SODAE_REACTION) || t->source == G_TRANSPOSED ||
                   t->source == K_TRANSPOSED;
    if (reaction && (e->in_force || e->nl + e->np == 0)) return 0;
    return here;
}

/* Does term t of stage i depend on unknowns of stage j? */
static int has_block(const form *f, const form_term *t, int i, int j) {
    if (!f->kind->apart) return i == j || t->column < BY_W;
    const form_balance *b = &f->kind->apart[i];
    int balance = t->row == ROW_BALANCE;
    if (i > 0 && !balance) return 0;
    switch (t->column) {
    case BY_A:
        return i == j;
    case BY_Q:
    case BY_V:
        return !b->given;
    case BY_LAMBDA:
        return j == 0 && (!balance || b->reads != READS_NONE);
    case BY_PSI:
        return j == 0 && (!balance || b->reads == READS_LAMBDA);
    default:
        return j == 0 && !b->given;
    }
}

/* The first column of the term in the row of stage i, among the unknowns of another. */
static int column_of(const form *f, const form_term *t, int i) {
    int by_eta = f->kind->apart && t->row == ROW_BALANCE && t->column == BY_LAMBDA &&
                 f->kind->apart[i].reads == READS_ETA;
    return by_eta ? f->at_eta : form_term_column(f, t);
}

/* Columns of eta, which shifts v and a, and of nu, which does so in its own stage. */
static void announce_shifts(form *f) {
    int s = f->stages;
    for (int i = 0; i < s && f->kind->shift; i++)
        for (int k = 0; k < f->kind->rows; k++) {
            form_row row = f->kind->row[k];
            int first = i * f->n + f->row0[row];
            for (int j = 0; j < s; j++)
                if (i == j || f->kind->shift == SHIFT_GGL)
                    f->eta_block[(i * s + j) * ROWS + row] = matrix_announce(
                        &f->A, &f->eta_pattern[row], first, j * f->n + f->at_eta, 0);
            if (f->kind->shift == SHIFT_CHART)
                f->nu_block[i * ROWS + row] =
                    matrix_announce(&f->A, &f->eta_pattern[row], first, i * f->n + f->at_nu, 0);
        }
}

sodae_status form_announce(form *f, arena *a) {
    int s = f->stages, wholes = form_wholes(f);
    f->terms = arena_take(a, TERMS, sizeof *f->terms);
    f->term_pattern = arena_take(a, TERMS, sizeof *f->term_pattern);
    f->identity = pattern_diagonal(a, f->e->nr);
    for (int row = 0; row < ROWS; row++)
        f->eta_pattern[row] = (pattern){sodae_function_rows(f->e->p, form_function((form_row)row)),
                                        f->e->nl, f->e->none, f->e->none};
    form_open_off(f, a);
    if (a->failed) return SODAE_NO_MEMORY;
    for (int k = 0; k < TERMS; k++)
        if (belongs(f, &table[k]) && pattern_nnz(form_term_pattern(f, &table[k])))
            f->term_pattern[f->nterms] = form_term_pattern(f, &table[k]),
            f->terms[f->nterms++] = &table[k];
    f->block = arena_ints(a, (size_t)(s * s * f->nterms));
    f->eta_block = arena_ints(a, (size_t)(s * s * ROWS));
    f->nu_block = arena_ints(a, (size_t)(s * ROWS));
    form_open_products(f, a);
    matrix_open(&f->A, a, form_first(f, s),
                s * s * (f->nterms + ROWS) + 2 * s * ROWS + s * FORM_OFF);
    if (a->failed) return SODAE_NO_MEMORY;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++)
            for (int k = 0; k < f->nterms; k++) {
                const form_term *t = f->terms[k];
                int transposed = t->source == G_TRANSPOSED || t->source == K_TRANSPOSED;
                f->block[(i * s + j) * f->nterms + k] =
                    has_block(f, t, i, j)
                        ? matrix_announce(&f->A, form_term_pattern(f, t),
                                          form_first(f, i) + f->row0[t->row],
                                          form_first(f, j) + column_of(f, t, i), transposed)
                        : -1;
            }
        for (int j = 0; j < s && f->kind->second_multiplier; j++)
            for (int k = 0; k < f->kind->rows; k++) {
                form_row row = f->kind->row[k];
                f->eta_block[(i * s + j) * ROWS + row] = matrix_announce(
                    &f->A, &f->eta_pattern[row], i * f->n + f->row0[row], j * f->n + f->at_eta, 0);
            }
    }
    announce_shifts(f);
    form_announce_off(f, &f->A, wholes, f->off_block);
    if (matrix_close(&f->A, a)) return SODAE_NO_MEMORY;
    if (eval_open_solver(f->e, a, &f->linear, &f->A.pattern, s > 1)) return SODAE_NO_MEMORY;
    if (linear_use_units(&f->linear, a, &f->units)) return SODAE_NO_MEMORY;
    return form_announce_pins(f, a, &f->linear, wholes);
}

/* -ceta ce_ij (F_q T) B_j^T into the columns of eta_j; on a curve by the shift of q_i. */
static void add_eta_columns(form *f, int term, int i, int j, double scale, const double *values) {
    double c = f->curve ? 1 : -f->ceta * f->ce[i * f->stages + j];
    const double *B = f->stage[j].B;
    if (f->curve) form_vary_shift(f, i, j, B, f->turned), B = f->turned;
    form_product(f, term, values, B);
    matrix_add(&f->A, f->eta_block[(i * f->stages + j) * ROWS + f->terms[term]->row], c * scale,
               f->product);
}

/* f->product <- F (c S + d S') of stage i. */
static void shift_product(form *f, int term, const double *values, int i, double c, double d) {
    int nnz = pattern_nnz(&f->shift);
    vec_zero(nnz, f->turned);
    vec_add(nnz, c, f->along + (ptrdiff_t)i * nnz, f->turned);
    if (d != 0) vec_add(nnz, d, f->along_rate + (ptrdiff_t)i * nnz, f->turned);
    form_product(f, term, values, f->turned);
}

/* F_v S or F_a (eta' S + eg S') by eta into the columns of eta, F_a E into those of nu. */
static void add_shift_columns(form *f, int term, int i, double scale, const double *values) {
    const form_term *t = f->terms[term];
    int s = f->stages, by_v = t->column == BY_V, chart = f->kind->shift == SHIFT_CHART;
    for (int j = 0; j < s; j++) {
        double eta = form_shift_weight(f, i, j), rate = f->ea * eta + (i == j ? f->er : 0);
        if (chart && (i != j || !by_v)) continue;
        shift_product(f, term, values, i, by_v ? eta : rate, by_v ? 0 : f->eg * eta);
        matrix_add(&f->A, f->eta_block[(i * s + j) * ROWS + t->row], scale, f->product);
    }
    if (!chart || by_v) return;
    shift_product(f, term, values, i, 1, 0);
    matrix_add(&f->A, f->nu_block[i * ROWS + t->row], scale, f->product);
}

static const double *coefficients(const form *f, column c) {
    switch (c) {
    case BY_Q:
        return f->cq;
    case BY_V:
        return f->cv;
    case BY_A:
        return f->ca;
    case BY_R:
        return f->cr;
    case BY_RDOT:
        return f->crd;
    default:
        return NULL;
    }
}

static int all_zero(int n, const double *c) {
    return vec_max(n, c) == 0;
}

static int any_block(const form *f, int i, int k) {
    int j = 0;
    while (j < f->stages && f->block[(i * f->stages + j) * f->nterms + k] < 0) j++;
    return j < f->stages;
}

static sodae_status add_stage(form *f, int i, const sodae_point *at) {
    int s = f->stages;
    sodae_status st = f->e->nl ? eval_G(f->e, at, f->G) : SODAE_OK;
    if (!st && f->e->np) st = eval_K(f->e, at, f->K);
    for (int k = 0; k < f->nterms && !st; k++) {
        const form_term *t = f->terms[k];
        const double *c = coefficients(f, t->column), *values;
        int shifts_q = f->kind->second_multiplier && t->column == BY_Q;
        if (c && !shifts_q && all_zero(s, c + i * s)) continue;
        double scale = form_term_scale(f, t);
        if (scale == 0 || !any_block(f, i, k)) continue;
        sodae_point balance = form_balance_point(f, i, at);
        st = form_term_values(f, t, i, t->row == ROW_BALANCE ? &balance : at, &values);
        if (st || !values) continue;
        for (int j = 0; j < s; j++) {
            int b = f->block[(i * s + j) * f->nterms + k];
            if (b < 0) continue;
            if (f->curve && t->column == BY_Q) {
                form_vary_columns(f, form_term_pattern(f, t), values, i, j, f->tmp);
                matrix_add(&f->A, b, scale, f->tmp);
            } else {
                matrix_add(&f->A, b, scale * (c ? c[i * s + j] : 1), values);
            }
        }
        for (int j = 0; j < s && shifts_q; j++) add_eta_columns(f, k, i, j, scale, values);
        if (f->kind->shift && (t->column == BY_V || t->column == BY_A))
            add_shift_columns(f, k, i, scale, values);
    }
    return st;
}

/* A column of w, s without entries names the culprit; otherwise the usual suspects. */
static void explain(form *f, sodae_status st) {
    const eval *e = f->e;
    const char *where = "iteration matrix",
               *cause = "dependent constraints or a singular mass matrix";
    double rcond = linear_rcond(&f->linear);
    for (int j = f->at_w; j < f->at_lambda; j++) {
        const pattern *p = &f->A.pattern;
        double size = vec_max(p->colptr[j + 1] - p->colptr[j], f->A.values + p->colptr[j]);
        if (size > 1e-12) continue;
        where = j < f->at_s ? "auxiliary" : "contact";
        cause = j < f->at_s ? "the auxiliary equations cannot be solved for w near the guess"
                            : "the contact equations cannot be solved for s near the guess";
    }
    char name[64] = "";
    int weak = linear_weakest(&f->linear);
    if (weak >= 0) f->newton.system.name(f, weak, name, sizeof name);
    if (name[0]) where = name;
    failure_set(e->failure, st, where,
                "the iteration matrix is %s at t = %.9g (reciprocal condition %.1e): %s",
                st == SODAE_SINGULAR ? "singular" : "not finite", f->stage[0].t, rcond, cause);
    if (e->failure) e->failure->size = rcond;
}

/* The matrix of all stages together, after form_place and form_extend. */
static sodae_status assemble(form *f, const double *x) {
    if (f->curve && f->swings)
        form_vary_swing(f);
    else if (f->curve)
        form_vary(f);
    f->sq_factored = f->sq;
    matrix_clear(&f->A);
    const double *last = x + (f->kind->halves - 1) * f->n * f->stages;
    for (int i = 0; i < f->stages; i++) {
        sodae_point at = form_point(f, i, last + form_first(f, i));
        sodae_status st = add_stage(f, i, &at);
        if (st) return st;
    }
    form_add_off(f, &f->A, form_wholes(f), f->off_block);
    form_find_gain(f);
    return SODAE_OK;
}

sodae_status form_assemble(form *f, const double *x) {
    form_place(f, x);
    sodae_status st = form_extend(f, x);
    return st ? st : assemble(f, x);
}

sodae_status form_factor(form *f) {
    form_use_units(f, &f->units, form_wholes(f));
    form_take_pins(f);
    sodae_status st = linear_factor(&f->linear, f->A.values);
    if (st)
        explain(f, st);
    else
        form_amplify(f);
    return st;
}

sodae_status form_matrix(void *self, const double *x) {
    form_place(self, x);
    sodae_status st = form_extend(self, x);
    return st ? st : form_matrix_here(self, x);
}

sodae_status form_matrix_here(void *self, const double *x) {
    form *f = self;
    sodae_status st;
    f->one_matrix = 0;
    if (form_split_fits(f)) {
        f->sq_factored = f->sq;
        st = form_split_matrix(f, x);
        if (st != SODAE_SINGULAR) return st;
    }
    f->one_matrix = 1;
    st = assemble(f, x);
    return st ? st : form_factor(f);
}
