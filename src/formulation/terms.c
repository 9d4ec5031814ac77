/* Terms of the iteration matrix: their patterns, columns, scales and values, tangent operators,
 * units of rows and columns. */
#include "formulation/terms.h"
#include "formulation/units.h"

#include "base/vec.h"

const pattern *form_term_pattern(const form *f, const form_term *t) {
    switch (t->source) {
    case MASS:
        return &f->e->mass;
    case G_ROW:
    case G_TRANSPOSED:
        return &f->e->G;
    case K_ROW:
    case K_TRANSPOSED:
        return &f->e->K;
    case IDENTITY:
        return &f->identity;
    default:
        return &f->e->block[t->f][t->x].pattern;
    }
}

int form_term_column(const form *f, const form_term *t) {
    switch (t->column) {
    case BY_R:
    case BY_RDOT:
        return f->at_y;
    case BY_W:
        return f->at_w;
    case BY_S:
        return f->at_s;
    case BY_LAMBDA:
        return f->at_lambda;
    case BY_PSI:
        return f->at_psi;
    default:
        return 0;
    }
}

void form_take_pins(form *f) {
    const linear_null *now = &f->e->null_now;
    linear_null *to = &f->pinned;
    if (!to->N || f->restoring) return;
    to->count = now->count;
    vec_copy(now->count * now->m, now->N, to->N);
}

void form_remove_pinned(form *f) {
    if (f->e->redundant) pins_remove(&f->linear.pins, f->x);
}

/* Rows of holonomic constraints and columns of a multiplier for each of them. */
static void pin(linear_pin *x, int first, int count, int row, int col) {
    for (int i = 0; i < count; i++) x->row[first + i] = row + i, x->col[first + i] = col + i;
}

/* One block for lambda and psi, one for eta where no nonholonomic constraint may take part. */
sodae_status form_announce_pins(form *f, arena *a, linear_solver *s, int stages) {
    const eval *e = f->e;
    const form_row *row = f->kind->row;
    int second = f->kind->second_multiplier || f->kind->shift == SHIFT_GGL || f->kind->apart;
    int two = second && f->kind->rows > 6 && e->np == 0;
    int blocks = (two + 1) * stages;
    if (f->kind->shift == SHIFT_CHART) return SODAE_OK;
    if (pins_open(&s->pins, a, blocks, &e->null_now, e->nl + e->np)) return SODAE_NO_MEMORY;
    s->pins.factored = &f->pinned;
    for (int i = 0; i < stages; i++) {
        linear_pin *x = &s->pins.pin[(two + 1) * i];
        pin(x, 0, e->nl, i * f->n + f->row0[row[4]], i * f->n + f->at_lambda);
        pin(x, e->nl, e->np, i * f->n + f->row0[row[5]], i * f->n + f->at_psi);
        if (two) pin(x + 1, 0, e->nl, i * f->n + f->row0[row[6]], i * f->n + f->at_eta);
    }
    return SODAE_OK;
}

/* s moves as q does, by cq of the accelerations. */
static void scale_contact(const form *f, double *row, double *col) {
    double sq = f->sq_factored, unit = sq > 0 && isfinite(sq) ? ldexp(1, ilogb(sq)) : 1;
    for (int k = 0; k < f->e->ns; k++) {
        row[f->row0[ROW_CONTACT] + k] = 1 / unit;
        col[f->at_s + k] = unit;
    }
}

/* Rows and columns of one stage; those of r' and w are left to equilibration, and so is eta. */
static void scale_stage(const form *f, double *row, double *col) {
    const eval *e = f->e;
    for (int k = 0; k < f->n; k++) row[k] = col[k] = 1;
    scale_contact(f, row, col);
    if (!e->units_used) return;
    units_of_coordinates(e, row + f->row0[ROW_BALANCE]), units_of_coordinates(e, col);
    units_of_multipliers(e, e->nl + e->np, col + f->at_lambda);
    for (int k = 0; k < f->kind->rows; k++) {
        form_row kind = f->kind->row[k];
        if (kind == ROW_POSITION || kind == ROW_VELOCITY || kind == ROW_ACCELERATION)
            units_of_multipliers(e, e->nl, row + f->row0[kind]);
        if (kind == ROW_KINEMATIC || kind == ROW_KINEMATIC_RATE)
            units_of_multipliers(e, e->np, row + f->row0[kind]);
    }
}

static void scale_balance(const form *f, double *row, double *col) {
    for (int k = 0; k < f->e->nv; k++) row[k] = col[k] = 1;
    if (f->e->units_used) units_of_coordinates(f->e, row), units_of_coordinates(f->e, col);
}

void form_use_units(const form *f, linear_units *u, int stages) {
    u->on = u->row && (f->e->units_used || f->e->ns > 0);
    for (int i = 0; i < stages && u->on; i++) scale_stage(f, u->row + i * f->n, u->col + i * f->n);
    for (int i = stages; i < f->stages && u->on && f->kind->apart; i++)
        scale_balance(f, u->row + form_first(f, i), u->col + form_first(f, i));
}

/* T(theta) of the rotating parts of stage i, one behind the other. */
static void find_tangents(form *f, int i) {
    const sodae_space *space = f->e->space;
    double *T = f->tangent;
    if (f->tangents == i + 1) return;
    f->tangents = i + 1;
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        if (g->group->abelian) continue;
        sodae_space_tangent(space, part, f->stage[i].theta, T);
        T += g->nv * g->nv;
    }
}

/* values <- values T(theta) in the columns of one part, which have their rows in common. */
static void turn_columns(const int *start, int nv, const double *T, double *row, double *values) {
    int rows = start[1] - start[0];
    for (int r = 0; r < rows; r++) {
        double *x = values + start[0] + r;
        for (int l = 0; l < nv; l++) {
            row[l] = x[0] * T[l * nv];
            for (int k = 1; k < nv; k++) row[l] += x[k * rows] * T[l * nv + k];
        }
        for (int l = 0; l < nv; l++) x[l * rows] = row[l];
    }
}

/* The same for a rotation. */
static void turn_three(const int *start, const double *restrict T, double *values) {
    int rows = start[1] - start[0];
    double *restrict x = values + start[0], *restrict y = x + rows, *restrict z = y + rows;
    for (int r = 0; r < rows; r++) {
        double a = x[r], b = y[r], c = z[r];
        x[r] = a * T[0] + b * T[1] + c * T[2];
        y[r] = a * T[3] + b * T[4] + c * T[5];
        z[r] = a * T[6] + b * T[7] + c * T[8];
    }
}

/* values <- values T(theta), part by part; the pattern is closed over rotating parts. */
static void apply_tangent(form *f, const pattern *p, int i, double *values) {
    const sodae_space *space = f->e->space;
    const double *T = f->tangent;
    find_tangents(f, i);
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        if (g->group->abelian) continue;
        if (g->nv == 3)
            turn_three(p->colptr + g->v0, T, values);
        else
            turn_columns(p->colptr + g->v0, g->nv, T, f->row, values);
        T += g->nv * g->nv;
    }
}

void form_eta_product(form *f, int term, int i, const double *values) {
    form_product(f, term, values, f->stage[i].B);
}

void form_eta_product_turned(form *f, int term, int i, int imaginary, const double *values) {
    form_turn_shift(f, f->stage[i].B, imaginary, f->turned);
    form_product(f, term, values, f->turned);
}

/* Rows are divided by their own coefficient; lower levels enter higher ones by Baumgarte's weights.
 */
double form_term_scale(const form *f, const form_term *t) {
    double scale = t->sign;
    if (f->symmetric && t->f == SODAE_HOLONOMIC_RATE && t->column == BY_Q) return 0;
    if (t->row == ROW_POSITION) scale /= f->sq;
    if (t->row == ROW_VELOCITY || t->row == ROW_KINEMATIC) scale /= f->sv;
    if (t->row == ROW_ACCELERATION && t->source == BLOCK && t->f == SODAE_HOLONOMIC)
        scale *= f->baumgarte_beta * f->baumgarte_beta;
    if ((t->row == ROW_ACCELERATION && t->source == G_ROW && t->column == BY_V) ||
        (t->row == ROW_KINEMATIC_RATE && t->source == K_ROW && t->column == BY_V))
        scale *= 2 * f->baumgarte_alpha;
    return scale;
}

sodae_status form_term_values(form *f, const form_term *t, int i, const sodae_point *at,
                              const double **values) {
    eval *e = f->e;
    sodae_status st = SODAE_OK;
    const double *fixed = f->stage[i].mass;
    *values = NULL;
    switch (t->source) {
    case MASS:
        if (!fixed) st = eval_mass(e, at, f->M);
        *values = fixed ? fixed : f->M;
        return st;
    case G_ROW:
    case G_TRANSPOSED:
        *values = f->G;
        return st;
    case K_ROW:
    case K_TRANSPOSED:
        *values = f->K;
        return st;
    case IDENTITY:
        for (int k = 0; k < e->nr; k++) f->tmp[k] = 1;
        *values = f->tmp;
        return st;
    default:
        if (t->f == SODAE_MASS && fixed) return st;
    }
    const eval_block *b = &e->block[t->f][t->x];
    if (t->f == SODAE_HOLONOMIC && t->x == SODAE_Q && e->ns == 0) {
        *values = f->G;
    } else if (t->f == SODAE_NONHOLONOMIC && t->x == SODAE_V) {
        *values = f->K;
    } else {
        st = eval_derivative(e, t->f, t->x, at);
        *values = b->values;
    }
    if (!st && t->column == BY_Q && !e->space->abelian && !f->curve) {
        vec_copy(pattern_nnz(&b->pattern), *values, f->tmp);
        apply_tangent(f, &b->pattern, i, f->tmp);
        *values = f->tmp;
    }
    return st;
}
