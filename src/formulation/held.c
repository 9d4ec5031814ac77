/* The part of a velocity that reactions hold:
 *
 *     M y + R mu = 0,   C y = (rg, rk),
 *
 * which is the matrix of the accelerations at a fixed state. Factors of an earlier one serve while
 * C, R and M are not too far from what they were then: with what is left put right by the matrix of
 * now the result does not tell whose factors they were, but in its last digits: the values that
 * were factored stay in the form, so that they persist. Unlike those of a step they know neither h
 * nor stiff forces, and last. */
#include "formulation/consistent.h"

#include "base/vec.h"

/* A contraction worse than this asks for factors of now, unless so many times what may be left is
 * reached: that is rounding; and a bound. */
static const double slow = 0.2, rounding = 100;
enum { most = 40 };

static sodae_status assemble_at(form *f, const sodae_point *at) {
    form_fix(f, at);
    form_guess(f, NULL, NULL, at, f->x);
    return form_assemble(f, f->x);
}

/* b <- (0, rg, rk) - A z */
static void residual(const form *f, const double *rg, const double *rk, const double *z,
                     double *b) {
    vec_zero(f->n, b);
    if (rg) vec_copy(f->e->nl, rg, b + f->row0[ROW_ACCELERATION]);
    vec_copy(f->e->np, rk, b + f->row0[ROW_KINEMATIC_RATE]);
    pattern_multiply(&f->A.pattern, f->A.values, -1, z, b);
}

static sodae_status factor(consistent *c) {
    form *f = &c->acceleration;
    vec_copy(pattern_nnz(&f->A.pattern), f->A.values, c->factored);
    sodae_status st = form_factor(f);
    f->newton.valid = !st;
    return st;
}

sodae_status consistent_held_part(consistent *c, const sodae_point *at, const double *rg,
                                  const double *rk, double little, int refresh, double *y) {
    form *f = &c->acceleration;
    double *z = c->z, *b = f->newton.res, last = INFINITY;
    vec_copy(pattern_nnz(&f->A.pattern), f->A.values, c->factored);
    sodae_status st = assemble_at(f, at);
    int fresh = refresh || !f->newton.valid;
    if (!st && fresh) st = factor(c);
    vec_zero(f->n, z);
    for (int i = 0; i < most && !st; i++) {
        residual(f, rg, rk, z, b);
        linear_solve(&f->linear, b);
        double size = vec_max(f->e->nv, b);
        int contracts = size < slow * last, enough = fresh || size < rounding * little;
        if (contracts || enough) vec_add(f->n, 1, b, z);
        if (size <= little || (!contracts && enough)) break;
        last = contracts ? size : INFINITY;
        if (contracts) continue;
        fresh = 1; /* the factors are too old: once more from the beginning */
        st = factor(c);
        vec_zero(f->n, z);
    }
    vec_copy(pattern_nnz(&f->A.pattern), c->factored, f->A.values);
    vec_copy(f->e->nv, z, y);
    return st;
}
