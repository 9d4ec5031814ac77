/* Formulations as lists of rows, their unknowns, and the solution of one set of stages. */
#include "formulation/form.h"

#include "base/failure.h"
#include "base/vec.h"

#include <float.h>
#include <stdio.h>

#define DYNAMICS ROW_BALANCE, ROW_DYNAMIC, ROW_AUXILIARY, ROW_CONTACT

const form_kind form_index3 = {.name = "index3",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC},
                               .holds_position = 1,
                               .halves = 1};
const form_kind form_index2 = {.name = "index2",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_VELOCITY, ROW_KINEMATIC},
                               .holds_velocity = 1,
                               .halves = 1};
const form_kind form_index1 = {.name = "index1",
                               .rows = 6,
                               .row = {DYNAMICS, ROW_ACCELERATION, ROW_KINEMATIC_RATE},
                               .holds_acceleration = 1,
                               .halves = 1};
const form_kind form_accelerations = {.name = "accelerations",
                                      .rows = 6,
                                      .row = {DYNAMICS, ROW_ACCELERATION, ROW_KINEMATIC_RATE},
                                      .holds_acceleration = 1,
                                      .fixed_state = 1,
                                      .halves = 1};
const form_kind form_stabilized = {.name = "stabilized",
                                   .rows = 7,
                                   .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY},
                                   .holds_position = 1,
                                   .holds_velocity = 1,
                                   .second_multiplier = 1,
                                   .halves = 1};
/* (7.10), (7.19): position and velocity level, v shifted by G^T eta. */
const form_kind form_ggl = {.name = "ggl",
                            .rows = 7,
                            .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY},
                            .holds_position = 1,
                            .holds_velocity = 1,
                            .halves = 1,
                            .shift = SHIFT_GGL};
/* (7.31): all three levels, dependent velocities and accelerations as unknowns of their own. */
const form_kind form_minimal = {
    .name = "minimal-extension",
    .rows = 8,
    .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC, ROW_VELOCITY, ROW_ACCELERATION},
    .holds_position = 1,
    .holds_velocity = 1,
    .holds_acceleration = 1,
    .halves = 1,
    .shift = SHIFT_CHART};
/* The rows of the position half; the velocity half has ROW_VELOCITY instead of ROW_POSITION. */
const form_kind form_soi2 = {.name = "soi2",
                             .rows = 6,
                             .row = {DYNAMICS, ROW_POSITION, ROW_KINEMATIC},
                             .holds_position = 1,
                             .holds_velocity = 1,
                             .halves = 2};

sodae_function form_function(form_row row) {
    static const sodae_function of[ROWS] = {
        [ROW_BALANCE] = SODAE_FORCE,
        [ROW_DYNAMIC] = SODAE_DYNAMIC,
        [ROW_AUXILIARY] = SODAE_AUXILIARY,
        [ROW_CONTACT] = SODAE_CONTACT,
        [ROW_POSITION] = SODAE_HOLONOMIC,
        [ROW_VELOCITY] = SODAE_HOLONOMIC_RATE,
        [ROW_ACCELERATION] = SODAE_HOLONOMIC_DRIFT,
        [ROW_KINEMATIC] = SODAE_NONHOLONOMIC,
        [ROW_KINEMATIC_RATE] = SODAE_NONHOLONOMIC_DRIFT,
    };
    return of[row];
}

static void correct(void *self, double *res) {
    form *f = self;
    int n = form_first(f, f->stages);
    if (f->split && !f->one_matrix) {
        form_split_correct(f, res);
        return;
    }
    for (int half = 0; half < f->kind->halves; half++) linear_correct(&f->linear, res + half * n);
}

/* Largest increment of stage i by `c` (cq or cv) over its velocities. */
static double increment(const form *f, const double *c, int i, const double *dx) {
    double size = 0;
    if (f->stages == 1) return fabs(c[0]) * vec_max(f->e->nv, dx);
    for (int k = 0; k < f->e->nv; k++) {
        double d = 0;
        for (int j = 0; j < f->stages; j++) d += c[i * f->stages + j] * dx[form_first(f, j) + k];
        size = larger(size, fabs(d));
    }
    return size;
}

static double relative(int n, const double *dx, const double *x, double least) {
    double size = 0;
    for (int i = 0; i < n; i++) size = larger(size, fabs(dx[i]) / at_least(least, fabs(x[i])));
    return size;
}

/* x follows from position constraints. Not with a second multiplier and in the velocity half; in
 * the minimal extension those of its parts do that nothing else depends on, unless differences of q
 * are remembered. */
static int follows_position(const form *f, int half) {
    int apart = f->kind->shift == SHIFT_CHART && !f->remembered;
    return f->e->nl && f->kind->holds_position && !f->kind->second_multiplier && half == 0 &&
           !apart && !f->kind->apart;
}

/* The largest entries of q, as they count, and of v at a stage. */
typedef struct stage_size {
    double q, v;
} stage_size;

static stage_size size_of(const form *f, int i) {
    const form_stage *s = &f->stage[i];
    return (stage_size){at_least(f->e->size_q, vec_max(f->e->nq, s->q)), vec_max(f->e->nv, s->v)};
}

/* Rounding of q seen through a position constraint: eps |q| there is eps |q| / cq in x; rounding of
 * v through a velocity constraint eps |v| / cv. Smaller increments of x mean nothing. With
 * several stages the row scales stand for the smallest gain of the whole coefficient matrix. Where
 * constraints become dependent q is off by rounding/sigma, and the velocity half sees that in
 * G(q) v: once more 1/sigma. */
static double rounding_of(const form *f, stage_size size, int half) {
    double cq = f->stages > 1 ? f->sq : f->cq[0], cv = f->stages > 1 ? f->sv : f->cv[0];
    double floor = f->e->nl + f->e->np && cv > 0 ? size.v / cv : 0;
    if (follows_position(f, half) && cq > 0) floor = at_least(floor, size.q / cq);
    double amplified = half ? f->amplified * f->amplified : f->amplified;
    return 2 * DBL_EPSILON * floor * amplified;
}

double form_rounding(const form *f, int i, int half) {
    return rounding_of(f, size_of(f, i), half);
}

/* The same of v / cv and of a where first order GGL adds G^T eta to x: rounding of q over h is in
 * both and not in the sum, which follows from G(q) v = 0. */
static double shifted_rounding(const form *f, stage_size size, int half) {
    int first_order = f->kind->shift == SHIFT_GGL && f->eg == 0 && f->stages == 1;
    if (!first_order || !(f->cv[0] > 0)) return rounding_of(f, size, half);
    return 2 * DBL_EPSILON * size.v / f->cv[0] * f->amplified * f->amplified;
}

/* b <- rounding of the constraints of a stage, at most eps sum_j |J_ij| |v|, or |q|; multiples of
 * the golden section, as no combination of constraints of a mechanism has them. */
static void round_rows(const form *f, int i, form_row row, double *b) {
    const form_stage *s = &f->stage[i];
    int position = row == ROW_POSITION, kinematic = row == ROW_KINEMATIC;
    const pattern *J = kinematic ? &f->e->K : &f->e->G;
    const double *values = kinematic ? f->K : f->G;
    double x = position ? fmax(f->e->size_q, vec_max(f->e->nq, s->q)) : vec_max(f->e->nv, s->v);
    double unit = DBL_EPSILON * x / (position ? f->sq : f->sv);
    for (int k = 0; k < pattern_nnz(J); k++) b[J->rowind[k]] += unit * fabs(values[k]);
    for (int k = 0; k < J->rows; k++) b[k] *= 2 * fmod((k + 1) * 0.6180339887498949, 1) - 1;
}

/* The increment that rounding of the constraints makes with the last matrix. */
static const double *increment_of_rounding(form *f) {
    double *b = f->rounded;
    vec_zero(form_first(f, f->stages), b);
    for (int i = 0; i < form_wholes(f); i++)
        for (int k = 0; k < f->kind->rows; k++) {
            form_row row = f->kind->row[k];
            if (row == ROW_POSITION || row == ROW_VELOCITY || row == ROW_KINEMATIC)
                round_rows(f, i, row, b + i * f->n + f->row0[row]);
        }
    linear_correct(&f->linear, b);
    return b;
}

/* Up to ten is what the margins of those who ask for rounding are made for. */
void form_amplify(form *f) {
    double amplified = 1;
    f->amplified = 1;
    if (!f->judged) return;
    const double *dx = increment_of_rounding(f);
    for (int i = 0; i < form_wholes(f); i++) {
        double floor = form_rounding(f, i, 0), most = vec_max(f->e->nv, dx + i * f->n);
        if (floor > 0) amplified = fmax(amplified, most / floor / 10);
    }
    if (isfinite(amplified)) f->amplified = amplified;
}

static double above(double x, double floor) {
    return x <= floor ? 0 : x - floor;
}

/* Where x is off by rounding/sigma, the multipliers are by rounding/sigma^2. Methods that remember
 * what the iteration leaves go on until the multipliers stand still. */
static double multiplier_rounding(const form *f, double of_x) {
    double blurred = f->remembered ? 1 : f->amplified;
    return f->gain * of_x * blurred;
}

void form_find_gain(form *f) {
    const eval *e = f->e;
    const double *M = f->stage[0].mass ? f->stage[0].mass : f->M;
    double J = larger(vec_max(pattern_nnz(&e->G), f->G), vec_max(pattern_nnz(&e->K), f->K));
    f->gain = J > 0 ? vec_max(pattern_nnz(&e->mass), M) / J : 0;
}

double form_multiplier_rounding(const form *f, int i, int half) {
    return multiplier_rounding(f, shifted_rounding(f, size_of(f, i), half));
}

/* Rounding of x in the multipliers: of those that hold q, too, where they have a balance apart. */
static double rounding_of_reactions(const form *f, stage_size size, double of_x) {
    int position = f->kind->apart && f->kind->holds_position && f->e->nl;
    return position ? fmax(of_x, 2 * DBL_EPSILON * size.q / f->sq) : of_x;
}

/* Multipliers, and w, which may follow them, relative to their sizes; what is above `enough` less
 * what rounding of x makes of them. */
static double multipliers(const form *f, double of_x, double enough, const double *d,
                          const double *u, double *auxiliaries) {
    const eval *e = f->e;
    int n = e->nl + e->np;
    double size = at_least(e->size_lambda, vec_max(n, u + f->at_lambda));
    double l = vec_max(n, d + f->at_lambda) / size;
    double w = relative(e->nw, d + f->at_w, u + f->at_w, e->size_w);
    if (l > enough || w > enough) {
        double rounding = multiplier_rounding(f, of_x) / size;
        l = above(l, rounding), w = above(w, rounding);
    }
    *auxiliaries = w;
    return l;
}

/* Where v' and multipliers are asked for themselves: each of them may still move, but those of one
 * kind have the rounding of the largest; r', w and s their own. */
static double of_accelerations(const form *f, const double *d, const double *u) {
    const eval *e = f->e;
    int nl = e->nl + e->np, own = f->at_lambda - f->at_y;
    double v = vec_max(e->nv, d) / fmax(1, vec_max(e->nv, u));
    double l = vec_max(nl, d + f->at_lambda) / fmax(1, vec_max(nl, u + f->at_lambda));
    return larger(larger(v, l), relative(own, d + f->at_y, u + f->at_y, 1));
}

/* Increments of q and v with their units, and of multipliers and w, which may still move while q
 * and v stand still; of a only where nothing else moves (accelerations of a fixed state). */
static double increment_size(void *self, const double *dx, double *of_state) {
    form *f = self;
    const eval *e = f->e;
    double size = 0, reactions = 0;
    for (int half = 0; half < f->kind->halves; half++, dx += f->n * f->stages)
        for (int i = 0; i < form_wholes(f); i++) {
            const form_stage *s = &f->stage[i];
            const double *d = dx + i * f->n, *u = f->x + half * f->n * f->stages + i * f->n;
            stage_size of = size_of(f, i);
            double dv =
                f->kind->shift ? form_shifted_increment(f, i, dx) : increment(f, f->cv, i, dx);
            if (half + 1 < f->kind->halves) dv = 0; /* v comes from the last half */
            double cv = vec_max(f->stages, f->cv + i * f->stages), w;
            double rounding = shifted_rounding(f, of, half);
            dv = above(dv, (f->stages > 1 ? f->sv : cv) * rounding);
            size = larger(size, increment(f, f->cq, i, dx) / of.q);
            size = larger(size, dv / at_least(e->size_v, of.v));
            size = larger(size, relative(e->ns, d + f->at_s, u + f->at_s, e->size_s));
            double l = multipliers(f, rounding_of_reactions(f, of, rounding), size, d, u, &w);
            reactions = larger(reactions, l), size = larger(size, w);
            for (int k = 0; k < e->nr; k++) {
                double dr = 0;
                for (int j = 0; j < form_wholes(f); j++)
                    dr += f->cr[i * f->stages + j] * dx[j * f->n + f->at_y + k];
                size = larger(size, fabs(dr) / fmax(e->size_r, fabs(s->r[k])));
            }
            if (cv > 0) continue;
            size = larger(size, of_accelerations(f, d, u));
            reactions = larger(reactions, relative(f->n, d, u, 1));
        }
    *of_state = size;
    return larger(size, reactions);
}

/* 003 section 5, of the increments of h dq and v at the stages. */
static double weighted_size(void *self, const double *dx, double rtol, double atol) {
    form *f = self;
    const double *last = dx + (f->kind->halves - 1) * f->n * f->stages;
    double size = 0;
    for (int i = 0; i < f->stages; i++) {
        const form_stage *s = &f->stage[i];
        for (int k = 0; k < f->e->nv; k++) {
            double dq = 0, dv = 0;
            for (int j = 0; j < f->stages; j++) {
                dq += f->cq[i * f->stages + j] * dx[form_first(f, j) + k];
                dv += f->cv[i * f->stages + j] * last[form_first(f, j) + k];
            }
            size = larger(size, fabs(dq) / (atol + rtol * fabs(s->theta[k])));
            size = larger(size, fabs(dv) / (atol + rtol * fabs(s->v[k])));
        }
    }
    return size;
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

static int most(int x, int y) {
    return x > y ? x : y;
}

static void open_stages(form *f, arena *a) {
    const eval *e = f->e;
    size_t nv = (size_t)e->nv, nr = (size_t)e->nr, nq = (size_t)e->nq;
    f->stage = arena_take(a, (size_t)f->stages, sizeof *f->stage);
    for (int i = 0; i < f->stages && !a->failed; i++) {
        form_stage *s = &f->stage[i];
        s->q0 = arena_doubles(a, nq), s->q = arena_doubles(a, nq);
        s->dq = arena_doubles(a, nv), s->theta = arena_doubles(a, nv);
        s->v0 = arena_doubles(a, nv), s->v = arena_doubles(a, nv);
        s->a0 = arena_doubles(a, nv), s->a = arena_doubles(a, nv);
        s->r0 = arena_doubles(a, nr), s->r = arena_doubles(a, nr);
        s->rd0 = arena_doubles(a, nr), s->rd = arena_doubles(a, nr);
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
    *f = (form){
        .kind = kind, .e = e, .stages = stages, .sq = 1, .sv = 1, .amplified = 1, .judged = 1};
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
    f->row = arena_doubles(a, 2 * nv);
    f->rounded = arena_doubles(a, (size_t)form_first(f, stages));
    if (kind->apart) f->none = arena_doubles(a, (size_t)(e->nl + e->np));
    st = form_announce(f, a);
    if (!st) open_buffers(f, a);
    if (!st) st = form_open_shift(f, a);
    newton_system system = {
        f->N, form_residual, form_matrix_here, correct, increment_size, row_name, f, weighted_size};
    if (!st) st = newton_open(&f->newton, a, system, &e->failure);
    if (!st && eval_register(e, form_visit, f)) st = SODAE_NO_MEMORY;
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

void form_filter(form *f, double *x) {
    const form_stage *s = f->stage;
    double *b = f->newton.res;
    int charted = f->kind->shift == SHIFT_CHART;
    vec_zero(form_first(f, f->stages), b);
    if (charted) form_drop_dependent(f, x);
    pattern_multiply(&f->e->mass, s->mass ? s->mass : f->M, f->ca[0], x, b);
    if (charted || !f->projected) keep_drift(f, x, b);
    linear_solve(&f->linear, b);
    vec_copy(f->e->nv, b, x);
}

void form_filter_rate(form *f, double *y) {
    double *b = f->newton.res;
    vec_zero(form_first(f, f->stages), b);
    for (int i = 0; i < f->e->nr; i++) b[f->row0[ROW_DYNAMIC] + i] = f->crd[0] * y[i];
    linear_solve(&f->linear, b);
    vec_copy(f->e->nr, b + f->at_y, y);
}

void form_yield(form *f, double *x) {
    double *b = f->newton.res;
    vec_zero(form_first(f, f->stages), b);
    vec_copy(f->e->nv, x, b);
    linear_solve(&f->linear, b);
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
    if (!v->loading || !f->newton.valid) return;
    sodae_status st = f->split && !f->one_matrix ? form_split_factor(f) : form_factor(f);
    f->amplified = scales[8];
    if (st) newton_forget(&f->newton);
}
