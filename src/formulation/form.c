/* Formulations as lists of rows, their unknowns, and the solution of one set of stages. */
#include "formulation/form.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>

static void correct(void *self, double *res) {
    form *f = self;
    int n = form_first(f, f->stages);
    if (f->split && !f->one_matrix) {
        form_split_correct(f, res);
        return;
    }
    for (int half = 0; half < f->kind->halves; half++) linear_correct(&f->linear, res + half * n);
}

static void row_name(void *self, int row, char *text, size_t size) {
    form *f = self;
    if (f->kind->apart && row >= f->n) row = (row - f->n) % f->e->nv; /* a balance */
    row %= f->n;
    for (int k = f->kind->rows - 1; k >= 0; k--) {
        form_row kind = f->kind->row[k];
        if (row < f->row0[kind]) continue;
        eval_name(f->e->p, form_function(kind), row - f->row0[kind], text, size);
        return;
    }
    snprintf(text, size, "equation %d", row + 1);
}

static void lay_out(form *f) {
    const eval *e = f->e;
    int row = 0;
    for (int k = 0; k < ROWS; k++)
        f->count[k] = sodae_function_rows(e->p, form_function((form_row)k));
    for (int k = 0; k < f->kind->rows; k++) {
        f->row0[f->kind->row[k]] = row;
        row += f->count[f->kind->row[k]];
    }
    f->row0[ROW_VELOCITY] = f->kind->halves == 2 ? f->row0[ROW_POSITION] : f->row0[ROW_VELOCITY];
    f->n = row;
    f->at_y = e->nv;
    f->at_w = f->at_y + e->nr;
    f->at_s = f->at_w + e->nw;
    f->at_lambda = f->at_s + e->ns;
    f->at_psi = f->at_lambda + e->nl;
    f->at_eta = f->at_psi + e->np;
    f->at_nu = f->at_eta + e->nl;
    f->N = form_first(f, f->stages) * f->kind->halves;
}

void form_guess(const form *f, const double *a, const double *rdot, const sodae_point *at,
                double *x) {
    const eval *e = f->e;
    vec_zero(f->n, x);
    if (a) vec_copy(e->nv, a, x);
    if (rdot) vec_copy(e->nr, rdot, x + f->at_y);
    vec_copy(e->nw, at->w, x + f->at_w), vec_copy(e->ns, at->s, x + f->at_s);
    vec_copy(e->nl, at->lambda, x + f->at_lambda), vec_copy(e->np, at->psi, x + f->at_psi);
}

void form_give(const form *f, const double *x, state *n) {
    const eval *e = f->e;
    vec_copy(e->nw, x + f->at_w, n->w), vec_copy(e->ns, x + f->at_s, n->s);
    vec_copy(e->nl, x + f->at_lambda, n->lambda), vec_copy(e->np, x + f->at_psi, n->psi);
}

static int most(int x, int y) {
    return x > y ? x : y;
}

static void open_stages(form *f, arena *a) {
    const eval *e = f->e;
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr, nq = (size_t)e->nq;
    f->stage = arena_take(a, (size_t)f->stages, sizeof *f->stage);
    for (int i = 0; i < f->stages && !a->failed; i++) {
        form_stage *s = &f->stage[i];
        s->a = arena_doubles(a, nv), s->rd = arena_doubles(a, nr);
        if (f->kind->fixed_state) continue;
        s->q0 = arena_doubles(a, nq), s->q = arena_doubles(a, nq);
        s->dq = arena_doubles(a, nv), s->theta = arena_doubles(a, nv);
        s->v0 = arena_doubles(a, nv), s->v = arena_doubles(a, nv);
        s->a0 = arena_doubles(a, nv), s->rd0 = arena_doubles(a, nr);
        s->r0 = arena_doubles(a, nr), s->r = arena_doubles(a, nr);
        s->B = arena_doubles(a, (size_t)pattern_nnz(&e->G));
    }
}

/* Room for the values of any term, its products, and the tangent operators of all parts. */
static void open_buffers(form *f, arena *a) {
    const sodae_space *space = f->e->space;
    int values = f->e->nr, product = f->n;
    size_t tangents = 0;
    for (int k = 0; k < f->nterms; k++) values = most(values, pattern_nnz(f->term_pattern[k]));
    for (int row = 0; row < ROWS; row++) product = most(product, pattern_nnz(&f->eta_pattern[row]));
    for (int p = 0; p < space->nparts; p++)
        if (!space->parts[p].group->abelian)
            tangents += (size_t)space->parts[p].nv * (size_t)space->parts[p].nv;
    f->tmp = arena_doubles(a, (size_t)values), f->product = arena_doubles(a, (size_t)product);
    f->turned = arena_doubles(a, (size_t)pattern_nnz(&f->shift));
    f->tangent = arena_doubles(a, tangents);
}

/* Charts of the minimal extension come from full matrices: 8 MB each, 5e8 operations. */
static sodae_status check_chart(eval *e, const form_kind *kind) {
    enum { MOST = 1 << 20 };
    if (kind->shift != SHIFT_CHART || (double)e->nl * e->nv <= MOST) return SODAE_OK;
    return failure_set(e->failure, SODAE_NOT_ALLOWED, "formulation",
                       "minimal-extension chooses among full columns: %d constraints of %d "
                       "velocities are too many; use stabilized or ggl2",
                       e->nl, e->nv);
}

sodae_status form_open(form *f, arena *a, eval *e, const form_kind *kind, int stages) {
    *f = (form){.kind = kind, .e = e, .stages = stages, .sq = 1, .sv = 1, .amplified = 1};
    f->judged = !kind->fixed_state;
    size_t square = (size_t)stages * (size_t)stages, nv = (size_t)e->nv;
    sodae_status st = check_chart(e, kind);
    if (st) return st;
    lay_out(f);
    open_stages(f, a);
    double *c = arena_doubles(a, 6 * square);
    if (c) f->cq = c, f->cv = c + square, f->ca = f->cv + square;
    if (c) f->cr = f->ca + square, f->crd = f->cr + square, f->ce = f->crd + square;
    for (int i = 0; c && i < stages; i++) f->ce[i * stages + i] = 1;
    f->x = arena_doubles(a, (size_t)f->N);
    f->G = arena_doubles(a, (size_t)pattern_nnz(&e->G));
    f->K = arena_doubles(a, (size_t)pattern_nnz(&e->K));
    f->M = arena_doubles(a, (size_t)pattern_nnz(&e->mass));
    if (!kind->fixed_state) f->row = arena_doubles(a, 2 * nv);
    if (f->judged) f->rounded = arena_doubles(a, (size_t)form_first(f, stages));
    if (kind->apart) f->none = arena_doubles(a, (size_t)(e->nl + e->np));
    st = form_announce(f, a);
    if (!st) open_buffers(f, a);
    if (!st) st = form_open_shift(f, a);
    newton_system system = {f->N,    form_residual,       form_matrix_here,
                            correct, form_increment_size, row_name,
                            f,       form_weighted_size};
    if (!st) st = newton_open(&f->newton, a, system, &e->failure);
    if (!st && eval_register(e, (eval_part){form_visit, form_forget, f})) st = SODAE_NO_MEMORY;
    return st ? st : a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

sodae_status form_solve(form *f, const newton_options *options) {
    sodae_status st = newton_solve(&f->newton, f->x, options);
    if (!st) form_place(f, f->x);
    return st ? st : form_extend(f, f->x);
}

/* Rows at acceleration level hold what the formula gives, not where it goes: its error off the
 * constraints is a drift (index1). */
static void keep_drift(const form *f, const double *x, double *b) {
    for (int k = 0; k < f->kind->rows; k++) {
        form_row row = f->kind->row[k];
        if (row == ROW_ACCELERATION)
            pattern_multiply(&f->e->G, f->G, f->ca[0], x, b + f->row0[row]);
        if (row == ROW_KINEMATIC_RATE)
            pattern_multiply(&f->e->K, f->K, f->ca[0], x, b + f->row0[row]);
    }
}

/* In the minimal extension the errors of the independent coordinates stay as they are and those of
 * the dependent ones follow, whatever their formula says: nothing but rounding of q over h^2. */
void form_drop_dependent(const form *f, double *x) {
    for (int m = 0; m < f->e->nl; m++)
        if (!eval_is_off(f->e, m)) x[f->dependent[m]] = 0;
}

/* Errors need the digits of an iteration, unless constraints nearly depend on each other. */
static void solve_filter(form *f, double *b) {
    if (f->amplified > 1)
        linear_solve(&f->linear, b);
    else
        linear_correct(&f->linear, b);
}

void form_filter(form *f, double *x) {
    const form_stage *s = f->stage;
    double *b = f->newton.res;
    int charted = f->kind->shift == SHIFT_CHART;
    vec_zero(form_first(f, f->stages), b);
    if (charted) form_drop_dependent(f, x);
    pattern_multiply(&f->e->mass, s->mass ? s->mass : f->M, f->ca[0], x, b);
    if (charted || !f->projected) keep_drift(f, x, b);
    solve_filter(f, b);
    vec_copy(f->e->nv, b, x);
}

void form_filter_rate(form *f, double *y) {
    double *b = f->newton.res;
    vec_zero(form_first(f, f->stages), b);
    for (int i = 0; i < f->e->nr; i++) b[f->row0[ROW_DYNAMIC] + i] = f->crd[0] * y[i];
    solve_filter(f, b);
    vec_copy(f->e->nr, b + f->at_y, y);
}

void form_yield(form *f, double *x) {
    double *b = f->newton.res;
    vec_zero(form_first(f, f->stages), b);
    vec_copy(f->e->nv, x, b);
    solve_filter(f, b);
    vec_copy(f->e->nv, b, x);
}

static void visit_newton(newton *n, snapshot_visitor *v) {
    snapshot_int(v, "newton_valid", &n->valid, 1);
    snapshot_int(v, "newton_fresh", &n->fresh, 1);
    v->each(v, "newton_rate", &n->rate, 1);
    double matrices = (double)n->matrices;
    v->each(v, "newton_matrices", &matrices, 1);
    if (v->loading && matrices >= 0 && matrices < 1e15) n->matrices = (long)matrices;
}

/* Histories of a start without redundant constraints have none. */
static void visit_pins(linear_null *x, snapshot_visitor *v) {
    if (!x->N) return;
    v->optional = 1;
    snapshot_int(v, "form_pins", &x->count, x->m);
    v->each(v, "form_pinned", x->N, x->m * x->m);
    v->optional = 0;
}

void form_forget(void *self) {
    form *f = self;
    int *pause = form_split_rest(f);
    newton_restart(&f->newton);
    f->amplified = 1;
    vec_zero(f->N, f->x);
    if (pause) *pause = 0;
}

/* Coefficients, unknowns and the values of the factored matrix, which is factored again. */
void form_visit(void *self, snapshot_visitor *v) {
    form *f = self;
    const eval *e = f->e;
    double scales[] = {f->ceta, f->sq, f->sv,        f->ev,   f->er,         f->ea,
                       f->eg,   f->eu, f->amplified, f->gain, f->sq_factored};
    v->each(v, "form_coefficients", f->cq, 6 * f->stages * f->stages);
    v->each(v, "form_rates", f->cl, f->curve ? f->stages * f->stages : 0);
    v->each(v, "form_scales", scales, 11);
    if (v->loading) {
        f->ceta = scales[0], f->sq = scales[1], f->sv = scales[2], f->ev = scales[3];
        f->er = scales[4], f->ea = scales[5], f->eg = scales[6], f->eu = scales[7];
        f->amplified = scales[8], f->gain = scales[9], f->sq_factored = scales[10];
    }
    v->each(v, "form_x", f->x, f->N);
    v->each(v, "form_M", f->M, pattern_nnz(&e->mass));
    v->each(v, "form_G", f->G, pattern_nnz(&e->G));
    v->each(v, "form_K", f->K, pattern_nnz(&e->K));
    v->each(v, "form_matrix", f->A.values, pattern_nnz(&f->A.pattern));
    snapshot_int(v, "form_one_matrix", &f->one_matrix, 1);
    visit_newton(&f->newton, v);
    linear_visit(&f->linear, v);
    if (f->split) form_split_visit(f, v);
    visit_pins(&f->pinned, v);
    if (!v->loading || !f->newton.valid) return;
    f->restoring = 1;
    sodae_status st = f->split && !f->one_matrix ? form_split_factor(f) : form_factor(f);
    f->restoring = 0;
    f->amplified = scales[8];
    if (st) newton_forget(&f->newton);
}
