/* The residual of a formulation, row by row. */
#include "formulation/form.h"

#include "base/vec.h"

/* M a - f, or ca M x + m - f with the fixed inertia of a weighted balance. */
static sodae_status balance(form *f, const form_stage *s, const sodae_point *at, double *out) {
    eval *e = f->e;
    sodae_status st = eval_force(e, at, out);
    if (st) return st;
    vec_scale(e->nv, -1, out);
    const double *M = s->mass;
    if (!M) {
        st = eval_mass(e, at, f->M);
        M = f->M;
    }
    if (!st) pattern_multiply(&e->mass, M, 1, at->a, out);
    if (s->inertia) vec_add(e->nv, 1, s->inertia, out);
    return st;
}

/* out += factor times another function of the same constraints, for Baumgarte's terms. */
static sodae_status add_level(form *f, double factor, sodae_function fn, const sodae_point *at,
                              double *out) {
    int n = sodae_function_rows(f->e->p, fn);
    if (factor == 0) return SODAE_OK;
    sodae_status st = eval_value(f->e, fn, at, f->product);
    if (!st) vec_add(n, factor, f->product, out);
    return st;
}

/* J a + drift + 2 alpha (level of v) + beta^2 g */
static sodae_status acceleration(form *f, sodae_function drift, const sodae_point *at,
                                 double *out) {
    eval *e = f->e;
    int holonomic = drift == SODAE_HOLONOMIC_DRIFT;
    if (sodae_function_rows(e->p, drift) == 0) return SODAE_OK;
    sodae_status st = eval_value(e, drift, at, out);
    if (!st) st = holonomic ? eval_G(e, at, f->G) : eval_K(e, at, f->K);
    if (!st) pattern_multiply(holonomic ? &e->G : &e->K, holonomic ? f->G : f->K, 1, at->a, out);
    double alpha = f->baumgarte_alpha, beta = holonomic ? f->baumgarte_beta : 0;
    sodae_function rate = holonomic ? SODAE_HOLONOMIC_RATE : SODAE_NONHOLONOMIC;
    if (!st) st = add_level(f, 2 * alpha, rate, at, out);
    if (!st) st = add_level(f, beta * beta, SODAE_HOLONOMIC, at, out);
    return st;
}

static sodae_status one_row(form *f, form_row row, const form_stage *s, const sodae_point *at,
                            double *out) {
    eval *e = f->e;
    if (row == ROW_BALANCE && !f->kind->apart) return balance(f, s, at, out);
    if (row == ROW_BALANCE) {
        sodae_point here = form_balance_point(f, (int)(s - f->stage), at);
        return balance(f, s, &here, out);
    }
    sodae_function fn = form_function(row);
    int n = f->count[row];
    if (row == ROW_ACCELERATION || row == ROW_KINEMATIC_RATE) return acceleration(f, fn, at, out);
    sodae_status st = eval_value(e, fn, at, out);
    if (row == ROW_DYNAMIC)
        for (int i = 0; i < n; i++) out[i] = s->rd[i] - out[i];
    if (row == ROW_POSITION) vec_scale(n, 1 / f->sq, out);
    if (row == ROW_VELOCITY || row == ROW_KINEMATIC) vec_scale(n, 1 / f->sv, out);
    return st;
}

/* Both halves of SOI2 have the position's contact coordinates; each has its own rows. */
static sodae_status half_row(form *f, form_row row, int half, const form_stage *s,
                             const sodae_point *at, double *out) {
    sodae_point here = *at;
    if (row == ROW_KINEMATIC && half == 0) here.v = f->row + f->e->nv;
    if (row == ROW_CONTACT && half == 1) return vec_zero(f->e->ns, out), SODAE_OK;
    return one_row(f, row == ROW_POSITION && half == 1 ? ROW_VELOCITY : row, s, &here, out);
}

static sodae_status stage_rows(form *f, int half, int i, const double *x, double *out) {
    const form_kind *kind = f->kind;
    const form_stage *s = &f->stage[i];
    int rows = i < form_wholes(f) ? kind->rows : 1;
    sodae_point at = form_half_point(f, half, i, x);
    sodae_status st = SODAE_OK;
    for (int k = 0; k < rows && !st; k++) {
        form_row row = kind->row[k];
        double *to = out + f->row0[row];
        if (f->count[row] == 0) continue;
        st = kind->halves == 2 ? half_row(f, row, half, s, &at, to) : one_row(f, row, s, &at, to);
    }
    return st;
}

sodae_status form_residual(void *self, const double *x, double *res) {
    form *f = self;
    form_place(f, x);
    sodae_status st = f->kind->shift ? form_extend(f, x) : SODAE_OK;
    for (int half = 0; half < f->kind->halves && !st; half++)
        for (int i = 0; i < f->stages && !st; i++) {
            int first = half * f->stages * f->n + form_first(f, i);
            st = stage_rows(f, half, i, x, res + first);
            if (f->e->p->active && i < form_wholes(f)) form_residual_off(f, x + first, res + first);
        }
    return st;
}
