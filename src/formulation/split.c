/* Several stages without a matrix of all of them.
 *
 * With derivatives taken at one point for all stages the iteration matrix is
 *
 *     I x T0 + (h F) x T1 + (h F)^2 x T2,
 *
 * T0 the columns of a, r', w, s and the multipliers, T1 those of v, r and eta (whose shift of q is
 * -h (h F) B^T eta), T2 those of q. In the eigenbasis F = T diag(mu) T^-1 (Butcher 1976, Bickart
 * 1977) it falls apart into matrices of one stage,
 *
 *     A_k = T0 + (h mu_k) T1 + (h mu_k)^2 T2:
 *
 * a real one for a real eigenvalue, a complex one for a pair. For s = 3 that is 1 + 4 instead of 27
 * parts of a factorization. On a Lie group T2 is multiplied by Y = (1 + h mu_k ad_u)^-1 (curve.c).
 * It is another iteration matrix, that of a simplified Newton method: when it converges too slowly
 * the full one takes over for some steps.
 *
 * Where matrices are sparse, eta is not in them. With z = h mu_k and the rows of constraints over
 * their coefficients, an increment x of the accelerations moves q by z^2 Y y,
 *     y = x - e,  e = h/z B^T eta,   G Y y = r_g,   G x + z (Gv)_q Y y = r_v,
 * and the balance by (M - z f_v) x - z^2 f_q Y y. (Gv)_q and Y are 1 + O(h): with G e = r_v - r_g
 * instead of r_v - (G + z (Gv)_q Y) y first, y and lambda follow from the matrix of index 3, of
 * order n_v + n_lambda and symmetric with potential forces, then e as it is. What is missing, M - z
 * f_v times the difference of the two e, is balanced by reactions where masses are equal. As many
 * iterations as with eta, on chains and nets. */
#include "formulation/terms.h"
#include "linear/eigen.h"
#include "linear/small.h"

#include "base/vec.h"

#include <complex.h>

/* Fewer unknowns per stage: nothing to be gained. More: new matrices of one stage cost less than
 * the full one, as long as they help at all. Full matrices before the next try. */
enum { LEAST = 6, MANY = 40, PAUSE = 20 };

typedef double complex number;

/* A matrix for each eigenvalue. */
typedef struct matrices {
    matrix of;
    int *block;      /* of each term; -1: it has none */
    double **values; /* real parts, imaginary parts */
} matrices;

struct form_split {
    int usable, pause;  /* pause: full matrices still to come */
    int again;          /* new matrices in one solution */
    number *mu, *T, *W; /* T by columns: T[k s + i]; W = T^-1 by rows: W[k s + i] */
    matrices one;       /* of one stage, without eta where that is condensed */
    int eta_block[ROWS], off_block[FORM_OFF];
    linear_solver *real, *pairs;
    linear_units units;
    double *z, *sum; /* right-hand side of one eigenvalue; the result */
    /* eta condensed: the columns of v and a above the velocity constraints, and these; G B^T */
    int condensed;
    matrices rest;
    linear_solver normal;
    double *normal_values, *b, *e, *theta; /* 2 n, 2 nv, 2 nl: real parts, imaginary parts */
};

/* One of each pair stands for both. */
static int counts(const form_split *p, int k) {
    return cimag(p->mu[k]) >= 0;
}

static linear_solver *solver(const form_split *p, int k) {
    return cimag(p->mu[k]) == 0 ? &p->real[k] : &p->pairs[k / 2];
}

/* Is the term among those that are moved by e, or of the velocity constraints? */
static int is_rest(const form_term *t) {
    return t->row == ROW_VELOCITY || t->column == BY_V || t->column == BY_A;
}

/* Room for the terms that are asked for; more blocks may follow. */
static sodae_status open_terms(form *f, matrices *x, arena *a, int n,
                               int (*asked)(const form_term *)) {
    x->block = arena_ints(a, (size_t)f->nterms);
    matrix_open(&x->of, a, n, f->nterms + ROWS + FORM_OFF);
    if (a->failed) return SODAE_NO_MEMORY;
    for (int k = 0; k < f->nterms; k++) {
        const form_term *t = f->terms[k];
        int transposed = t->source == G_TRANSPOSED || t->source == K_TRANSPOSED;
        x->block[k] = asked(t) ? matrix_announce(&x->of, form_term_pattern(f, t), f->row0[t->row],
                                                 form_term_column(f, t), transposed)
                               : -1;
    }
    return SODAE_OK;
}

static sodae_status close_terms(matrices *x, arena *a, int stages) {
    if (matrix_close(&x->of, a)) return SODAE_NO_MEMORY;
    x->values = arena_take(a, (size_t)stages, sizeof *x->values);
    for (int k = 0; k < stages && !a->failed; k++)
        x->values[k] = arena_doubles(a, 2 * (size_t)pattern_nnz(&x->of.pattern));
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

static int is_any(const form_term *t) {
    (void)t;
    return 1;
}

static int is_above(const form_term *t) {
    return t->row != ROW_VELOCITY;
}

static sodae_status announce(form *f, form_split *p, arena *a) {
    int n = p->condensed ? f->at_eta : f->n;
    sodae_status st = open_terms(f, &p->one, a, n, p->condensed ? is_above : is_any);
    for (int k = 0; k < f->kind->rows && f->kind->second_multiplier && !p->condensed && !st; k++) {
        form_row row = f->kind->row[k];
        p->eta_block[row] =
            matrix_announce(&p->one.of, &f->eta_pattern[row], f->row0[row], f->at_eta, 0);
    }
    if (!st && !p->condensed) form_announce_off(f, &p->one.of, 1, p->off_block);
    if (!st) st = close_terms(&p->one, a, f->stages);
    if (st || !p->condensed) return st;
    st = open_terms(f, &p->rest, a, f->n, is_rest);
    if (!st) st = close_terms(&p->rest, a, f->stages);
    const pattern *S = &f->eta_pattern[ROW_POSITION];
    if (!st && linear_open_choice(&p->normal, a, LINEAR_AUTO, 0, 0, S)) st = SODAE_NO_MEMORY;
    p->normal_values = arena_doubles(a, (size_t)pattern_nnz(S));
    p->b = arena_doubles(a, 2 * (size_t)f->n);
    p->e = arena_doubles(a, 2 * (size_t)f->e->nv),
    p->theta = arena_doubles(a, 2 * (size_t)f->e->nl);
    return st;
}

/* eta is condensed where matrices are sparse. Rows that modes switch, and contact coordinates,
 * which the velocity constraints depend on, too, are not provided for. */
static int condenses(const form *f) {
    const eval *e = f->e;
    int sparse =
        e->linear == LINEAR_AUTO ? f->at_eta > LINEAR_DENSE_MOST : e->linear != LINEAR_DENSE;
    return f->kind->second_multiplier && e->nl && !e->ns && !e->p->active && sparse;
}

sodae_status form_open_split(form *f, arena *a) {
    size_t s = (size_t)f->stages, n = (size_t)f->n;
    if (f->n < LEAST || f->stages < 2 || f->stages > EIGEN_MOST) return SODAE_OK;
    form_split *p = arena_take(a, 1, sizeof *p);
    if (!p) return SODAE_NO_MEMORY;
    p->condensed = condenses(f);
    if (announce(f, p, a)) return SODAE_NO_MEMORY;
    p->mu = arena_take(a, s, sizeof *p->mu);
    p->T = arena_take(a, s * s, sizeof *p->T), p->W = arena_take(a, s * s, sizeof *p->W);
    p->real = arena_take(a, s, sizeof *p->real);
    p->pairs = arena_take(a, s, sizeof *p->pairs);
    p->z = arena_doubles(a, 2 * n), p->sum = arena_doubles(a, s * n);
    if (a->failed) return SODAE_NO_MEMORY;
    const pattern *one = &p->one.of.pattern;
    for (size_t k = 0; k < s; k++) {
        linear_choice choice = f->e->linear;
        int symmetric = f->e->space->abelian;
        const linear_solver *first = k ? &p->real[0] : NULL, *pair = k ? &p->pairs[0] : NULL;
        if (linear_open_like(&p->real[k], a, choice, 0, symmetric, one, first))
            return SODAE_NO_MEMORY;
        if (k <= s / 2 && linear_open_like(&p->pairs[k], a, choice, 1, symmetric, one, pair))
            return SODAE_NO_MEMORY;
        if (form_announce_pins(f, a, &p->real[k], 1)) return SODAE_NO_MEMORY;
        if (k <= s / 2) p->pairs[k].pins = p->real[k].pins;
        if (linear_use_units(&p->real[k], a, &p->units)) return SODAE_NO_MEMORY;
        if (k <= s / 2 && linear_use_units(&p->pairs[k], a, &p->units)) return SODAE_NO_MEMORY;
    }
    f->split = p;
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* V by rows, W <- V^-1; 0: V is almost singular. */
static int invert(int s, const long double *V, long double *W) {
    static const long double most = 1e8L; /* half of the digits */
    long double A[EIGEN_MOST * EIGEN_MOST];
    for (int i = 0; i < s * s; i++) A[i] = V[i], W[i] = i % (s + 1) ? 0 : 1;
    if (!small_solve(s, A, s, s, W, s)) return 0;
    for (int i = 0; i < s * s; i++)
        if (!(fabsl(W[i]) < most)) return 0;
    return 1;
}

/* Column k of T and row k of W, from the real vectors first, first + 1 of a pair. */
static void set_vectors(form_split *p, int s, int k, const long double *V, const long double *W) {
    double side = cimag(p->mu[k]) == 0 ? 0 : cimag(p->mu[k]) > 0 ? 1 : -1;
    int first = side < 0 ? k - 1 : k, second = side == 0 ? k : first + 1;
    for (int i = 0; i < s; i++) {
        double v = (double)V[i * s + first], v2 = (double)V[i * s + second];
        double w = (double)W[first * s + i], w2 = (double)W[second * s + i];
        p->T[k * s + i] = v + I * (side * v2);
        p->W[k * s + i] = side == 0 ? w : (w - I * (side * w2)) / 2;
    }
}

void form_split_set(form *f, const double *F) {
    enum { NUMBERS = EIGEN_MOST * EIGEN_MOST };
    long double re[EIGEN_MOST], im[EIGEN_MOST], V[NUMBERS], W[NUMBERS];
    form_split *p = f->split;
    int s = f->stages;
    if (!p) return;
    p->usable = eigen_small(s, F, re, im, V) && invert(s, V, W);
    for (int k = 0; k < s && p->usable; k++) {
        p->mu[k] = (double)re[k] + I * (double)im[k];
        set_vectors(p, s, k, V, W);
    }
}

/* New matrices in one solution before the full one, s^3 parts of a factorization instead of 4 for a
 * pair and 1 for a real eigenvalue, costs less. */
static int worth(const form *f) {
    int s = f->stages;
    return f->n < MANY ? 1 : s * s * s / (4 * (s / 2) + s % 2);
}

int form_split_fits(form *f) {
    form_split *p = f->split;
    if (!p || !p->usable || (f->e->redundant && !f->e->null_now.count)) return 0;
    if (f->e->redundant && p->real[0].backend != &linear_dense) return 0; /* pins need full ones */
    p->again = f->newton.fresh ? p->again + 1 : 0;
    if (p->again > worth(f) && (f->curve || f->n < MANY))
        p->pause = PAUSE; /* better points do not help */
    if (p->pause > 0) p->pause--;
    return p->pause == 0;
}

int form_split_pause(form *f) {
    if (!f->split || f->one_matrix) return 0;
    f->split->pause = f->n < MANY ? PAUSE : 2; /* 2: for this solution only */
    newton_forget(&f->newton);
    return 1;
}

int *form_split_rest(form *f) {
    return f->split ? &f->split->pause : NULL;
}

/* values of eigenvalue k += c values, for the real or imaginary part */
static void add_part(matrices *x, int k, int block, int imaginary, double c, const double *values) {
    if (block < 0) return;
    x->of.values = x->values[k] + imaginary * pattern_nnz(&x->of.pattern);
    matrix_add(&x->of, block, c, values);
}

static void add(matrices *x, int k, int block, number c, const double *values) {
    add_part(x, k, block, 0, creal(c), values);
    if (cimag(c) != 0) add_part(x, k, block, 1, cimag(c), values);
}

static void add_term(form_split *p, int k, int m, number c, const double *values) {
    add(&p->one, k, p->one.block[m], c, values);
    if (p->condensed) add(&p->rest, k, p->rest.block[m], c, values);
}

/* The coefficient of a column, not of q, for the eigenvalue h mu. */
static number coefficient(column c, number h_mu) {
    return c == BY_V || c == BY_R ? h_mu : 1;
}

/* What the rows of constraints of eigenvalue k are multiplied by, so that matrices with potential
 * forces are symmetric: 1 over the coefficient of G or K. Own LU, which scales rows, has none. */
static number row_scale(const form *f, form_row row, int k) {
    const form_split *p = f->split;
    number h_mu = f->eu * p->mu[k];
    if (p->real[0].backend->scales) return 1;
    if (row == ROW_POSITION) return f->sq / (h_mu * h_mu);
    return row == ROW_VELOCITY || row == ROW_KINEMATIC ? f->sv / h_mu : 1;
}

/* The residual of a row of constraints in a solution of eigenvalue k; rows that are off keep
 * theirs.
 */
static void scale_row(const form *f, form_row row, int k, double *re, double *im) {
    number c = row_scale(f, row, k);
    int nl = f->e->nl, first = row == ROW_KINEMATIC ? nl : 0;
    if (c == 1) return;
    for (int i = 0; i < f->count[row]; i++) {
        if (eval_is_off(f->e, first + i)) continue;
        double x = re[f->row0[row] + i], y = im[f->row0[row] + i];
        re[f->row0[row] + i] = creal(c) * x - cimag(c) * y;
        im[f->row0[row] + i] = creal(c) * y + cimag(c) * x;
    }
}

/* Columns of q, and of eta through them. */
static void add_position(form *f, int i, int m, int k, number scale, const double *values) {
    form_split *p = f->split;
    const form_term *t = f->terms[m];
    number h_mu = f->eu * p->mu[k], c = scale * h_mu * h_mu;
    add_term(p, k, m, c, values);
    if (!f->kind->second_multiplier || p->condensed) return;
    form_eta_product(f, m, i, values);
    add(&p->one, k, p->eta_block[t->row], -f->eu * scale * h_mu, f->product);
}

/* The same where things rotate. */
static void add_turned(form *f, int i, int m, int k, number scale, const double *values) {
    form_split *p = f->split;
    const form_term *t = f->terms[m];
    number z = f->eu * p->mu[k], c = scale * z * z, d = -f->eu * scale * z;
    int parts = cimag(z) == 0 ? 1 : 2;
    form_turn(f, i, (double[]){creal(z), cimag(z)}, (double[]){creal(c), cimag(c)});
    for (int im = 0; im < parts; im++) {
        form_turn_columns(f, form_term_pattern(f, t), values, im, f->tmp);
        add_part(&p->one, k, p->one.block[m], im, 1, f->tmp);
        if (p->condensed) add_part(&p->rest, k, p->rest.block[m], im, 1, f->tmp);
    }
    if (!f->kind->second_multiplier || p->condensed) return;
    form_turn(f, i, (double[]){creal(z), cimag(z)}, (double[]){creal(d), cimag(d)});
    for (int im = 0; im < parts; im++) {
        form_eta_product_turned(f, m, i, im, values);
        add_part(&p->one, k, p->eta_block[t->row], im, 1, f->product);
    }
}

static sodae_status assemble(form *f, int i, const sodae_point *at) {
    form_split *p = f->split;
    sodae_status st = f->e->nl ? eval_G(f->e, at, f->G) : SODAE_OK;
    if (!st && f->e->np) st = eval_K(f->e, at, f->K);
    for (int m = 0; m < f->nterms && !st; m++) {
        const form_term *t = f->terms[m];
        const double *values;
        double factor = form_term_scale(f, t);
        if (factor == 0) continue;
        st = form_term_values(f, t, i, at, &values);
        if (st || !values) continue;
        if (p->condensed && t->row == ROW_POSITION && t->column == BY_Q) {
            form_eta_product(f, m, i, values);
            vec_copy(pattern_nnz(&f->eta_pattern[ROW_POSITION]), f->product, p->normal_values);
        }
        for (int k = 0; k < f->stages; k++) {
            if (!counts(p, k)) continue;
            number scale = factor * row_scale(f, t->row, k);
            if (t->column != BY_Q)
                add_term(p, k, m, scale * coefficient(t->column, f->eu * p->mu[k]), values);
            else if (f->curve)
                add_turned(f, i, m, k, scale, values);
            else
                add_position(f, i, m, k, scale, values);
        }
    }
    return st;
}

/* Where the derivatives are taken: at the stage nearest to the middle of the step. */
static int middle(const form *f) {
    int best = 0, last = f->stages - 1;
    double t0 = f->stage[last].t - f->eu, half = t0 + 0.5 * f->eu;
    for (int i = 1; i <= last; i++)
        if (fabs(f->stage[i].t - half) < fabs(f->stage[best].t - half)) best = i;
    return best;
}

sodae_status form_split_matrix(form *f, const double *x) {
    form_split *p = f->split;
    int i = middle(f), rest = p->condensed ? pattern_nnz(&p->rest.of.pattern) : 0;
    for (int k = 0; k < f->stages; k++) {
        vec_zero(2 * pattern_nnz(&p->one.of.pattern), p->one.values[k]);
        if (p->condensed) vec_zero(2 * rest, p->rest.values[k]);
    }
    sodae_point at = form_point(f, i, x + i * f->n);
    sodae_status st = assemble(f, i, &at);
    for (int k = 0; k < f->stages && !p->condensed; k++) {
        p->one.of.values = p->one.values[k];
        form_add_off(f, &p->one.of, 1, p->off_block);
    }
    f->linear.parts = NULL;
    form_find_gain(f);
    return st ? st : form_split_factor(f);
}

sodae_status form_split_factor(form *f) {
    form_split *p = f->split;
    sodae_status st = p->condensed ? linear_factor(&p->normal, p->normal_values) : SODAE_OK;
    form_use_units(f, &p->units, 1);
    form_take_pins(f);
    f->linear.parts = NULL;
    for (int k = 0; k < f->stages && !st; k++) {
        if (!counts(p, k)) continue;
        linear_solver *own = solver(p, k);
        st = linear_factor(own, p->one.values[k]);
        own->next = f->linear.parts;
        f->linear.parts = own;
        f->linear.factorizations++;
    }
    return st;
}

void form_split_visit(form *f, snapshot_visitor *v) {
    form_split *p = f->split;
    int s = f->stages;
    snapshot_int(v, "split_usable", &p->usable, 1);
    snapshot_int(v, "split_pause", &p->pause, 1000);
    snapshot_int(v, "split_again", &p->again, 1000);
    v->each(v, "split_mu", (double *)p->mu, 2 * s);
    v->each(v, "split_T", (double *)p->T, 2 * s * s);
    v->each(v, "split_W", (double *)p->W, 2 * s * s);
    for (int k = 0; k < s; k++)
        v->each(v, "split_values", p->one.values[k], 2 * pattern_nnz(&p->one.of.pattern));
    if (p->condensed) {
        v->each(v, "split_normal", p->normal_values, pattern_nnz(&f->eta_pattern[ROW_POSITION]));
        for (int k = 0; k < s; k++)
            v->each(v, "split_rest", p->rest.values[k], 2 * pattern_nnz(&p->rest.of.pattern));
        linear_visit(&p->normal, v);
    }
    for (int k = 0; k < s; k++) linear_visit(&p->real[k], v);
    for (int k = 0; k <= s / 2; k++) linear_visit(&p->pairs[k], v);
}

/* out -= R x in the rows from `first` to before `last`, for eigenvalue k; n numbers of each part of
 * out, nv of x. */
static void subtract_rest(const form *f, int k, int first, int last, const double *x, int n,
                          double *out) {
    const form_split *p = f->split;
    const pattern *R = &p->rest.of.pattern;
    int nv = f->e->nv, nnz = pattern_nnz(R);
    for (int j = 0; j < nv; j++)
        for (int m = R->colptr[j]; m < R->colptr[j + 1]; m++) {
            int row = R->rowind[m] - first;
            if (row < 0 || R->rowind[m] >= last) continue;
            double re = p->rest.values[k][m], im = p->rest.values[k][nnz + m];
            out[row] -= re * x[j] - im * x[nv + j];
            out[n + row] -= re * x[nv + j] + im * x[j];
        }
}

/* theta <- S^-1 theta, e <- B^T theta. */
static void find_e(form *f, int parts) {
    form_split *p = f->split;
    const eval *e = f->e;
    vec_zero(2 * e->nv, p->e);
    for (int im = 0; im < parts; im++) {
        linear_solve(&p->normal, p->theta + im * e->nl);
        pattern_multiply_transposed(&e->G, f->stage[0].B, 1, p->theta + im * e->nl,
                                    p->e + im * e->nv);
    }
}

/* The solution of eigenvalue k with eta condensed, in place. */
static void solve_condensed(form *f, int k, double *re, double *im) {
    form_split *p = f->split;
    const eval *e = f->e;
    int nl = e->nl, nv = e->nv, n = f->at_eta, last = f->row0[ROW_VELOCITY],
        parts = cimag(p->mu[k]) == 0 ? 1 : 2;
    double *part[] = {re, im}, *b = p->b;
    for (int i = 0; i < parts; i++)
        for (int m = 0; m < nl; m++)
            p->theta[i * nl + m] = part[i][last + m] - part[i][f->row0[ROW_POSITION] + m];
    if (parts == 1) vec_zero(nl, p->theta + nl);
    find_e(f, parts);
    vec_copy(n, re, b), vec_copy(n, im, b + n);
    subtract_rest(f, k, 0, last, p->e, n, b);
    linear_correct(solver(p, k), b);
    vec_copy(nv, b, p->e), vec_copy(nv, b + n, p->e + nv);
    vec_copy(nl, re + last, p->theta), vec_copy(nl, im + last, p->theta + nl);
    subtract_rest(f, k, last, f->n, p->e, nl, p->theta);
    find_e(f, parts);
    vec_add(nv, 1, p->e, b), vec_add(nv, 1, p->e + nv, b + n);
    vec_copy(n, b, re), vec_copy(n, b + n, im);
    for (int m = 0; m < nl; m++) {
        number eta = (p->theta[m] + I * p->theta[nl + m]) * p->mu[k];
        re[f->at_eta + m] = creal(eta), im[f->at_eta + m] = cimag(eta);
    }
}

void form_split_correct(form *f, double *res) {
    form_split *p = f->split;
    int s = f->stages, n = f->n;
    vec_zero(s * n, p->sum);
    for (int k = 0; k < s; k++) {
        if (!counts(p, k)) continue;
        double pair = cimag(p->mu[k]) == 0 ? 1 : 2, *re = p->z, *im = p->z + n;
        vec_zero(2 * n, p->z);
        for (int i = 0; i < s; i++) {
            vec_add(n, creal(p->W[k * s + i]), res + i * n, re);
            vec_add(n, cimag(p->W[k * s + i]), res + i * n, im);
        }
        for (int m = 0; m < f->kind->rows; m++) scale_row(f, f->kind->row[m], k, re, im);
        if (p->condensed)
            solve_condensed(f, k, re, im);
        else
            linear_correct(solver(p, k), p->z);
        f->linear.solves++;
        for (int i = 0; i < s; i++) {
            vec_add(n, pair * creal(p->T[k * s + i]), re, p->sum + i * n);
            if (pair == 2) vec_add(n, -pair * cimag(p->T[k * s + i]), im, p->sum + i * n);
        }
    }
    vec_copy(s * n, p->sum, res);
}
