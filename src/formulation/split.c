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
 * parts of a factorization. On a Lie group T2 is multiplied by (1 + h mu_k ad_u)^-1 (curve.c). It
 * is another iteration matrix, that of a simplified Newton method: when it converges too slowly the
 * full one takes over for some steps. */
#include "formulation/terms.h"
#include "linear/lapack.h"

#include "base/vec.h"

#include <complex.h>

/* Fewer unknowns per stage: nothing to be gained. More: new matrices of one stage cost less than
 * the full one, as long as they help at all. Full matrices before the next try. Most stages. */
enum { LEAST = 6, MANY = 40, PAUSE = 20, SIZE = 8 };

typedef double complex number;

struct form_split {
    int usable, pause;  /* pause: full matrices still to come */
    int again;          /* new matrices in one solution */
    number *mu, *T, *W; /* T by columns: T[k s + i]; W = T^-1 by rows: W[k s + i] */
    double *w, *v, *work;
    matrix one; /* of one stage */
    int *block, eta_block[ROWS];
    double **values; /* for each eigenvalue: real parts, imaginary parts */
    linear_solver *real, *pairs;
    linear_units units;
    double *z, *sum; /* right-hand side of one eigenvalue; the result */
};

/* One of each pair stands for both. */
static int counts(const form_split *p, int k) {
    return cimag(p->mu[k]) >= 0;
}

static linear_solver *solver(const form_split *p, int k) {
    return cimag(p->mu[k]) == 0 ? &p->real[k] : &p->pairs[k / 2];
}

static sodae_status announce(form *f, form_split *p, arena *a) {
    p->block = arena_ints(a, (size_t)f->nterms);
    matrix_open(&p->one, a, f->n, f->nterms + ROWS);
    if (a->failed) return SODAE_NO_MEMORY;
    for (int k = 0; k < f->nterms; k++) {
        const form_term *t = f->terms[k];
        int transposed = t->source == G_TRANSPOSED || t->source == K_TRANSPOSED;
        p->block[k] = matrix_announce(&p->one, form_term_pattern(f, t), f->row0[t->row],
                                      form_term_column(f, t), transposed);
    }
    for (int k = 0; k < f->kind->rows && f->kind->second_multiplier; k++) {
        form_row row = f->kind->row[k];
        p->eta_block[row] =
            matrix_announce(&p->one, &f->eta_pattern[row], f->row0[row], f->at_eta, 0);
    }
    return matrix_close(&p->one, a) ? SODAE_NO_MEMORY : SODAE_OK;
}

sodae_status form_open_split(form *f, arena *a) {
    size_t s = (size_t)f->stages, n = (size_t)f->n;
    if (f->n < LEAST || f->stages < 2 || f->stages > SIZE) return SODAE_OK;
    form_split *p = arena_take(a, 1, sizeof *p);
    if (!p || announce(f, p, a)) return SODAE_NO_MEMORY;
    p->mu = arena_take(a, s, sizeof *p->mu);
    p->T = arena_take(a, s * s, sizeof *p->T), p->W = arena_take(a, s * s, sizeof *p->W);
    p->w = arena_doubles(a, 2 * s), p->v = arena_doubles(a, s * s);
    p->work = arena_doubles(a, s * s + 10 * s);
    p->values = arena_take(a, s, sizeof *p->values);
    p->real = arena_take(a, s, sizeof *p->real);
    p->pairs = arena_take(a, s, sizeof *p->pairs);
    p->z = arena_doubles(a, 2 * n), p->sum = arena_doubles(a, s * n);
    if (a->failed) return SODAE_NO_MEMORY;
    const pattern *one = &p->one.pattern;
    if (linear_open_units(&p->units, a, f->n)) return SODAE_NO_MEMORY;
    for (size_t k = 0; k < s; k++) {
        p->values[k] = arena_doubles(a, 2 * (size_t)pattern_nnz(one));
        if (linear_open(&p->real[k], a, &linear_dense, one)) return SODAE_NO_MEMORY;
        if (k <= s / 2 && linear_open(&p->pairs[k], a, &linear_complex, one))
            return SODAE_NO_MEMORY;
        if (form_announce_pins(f, a, &p->real[k], 1)) return SODAE_NO_MEMORY;
        if (k <= s / 2) p->pairs[k].pins = p->real[k].pins;
        p->real[k].units = p->pairs[k].units = &p->units;
    }
    f->split = p;
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

/* W <- T^-1, T by columns, W by rows; 0: T is almost singular. C's complex numbers are LAPACK's. */
static int invert(int s, const number *T, number *W) {
    number A[SIZE * SIZE], X[SIZE * SIZE] = {0};
    int pivot[SIZE], info;
    for (int i = 0; i < s * s; i++) A[i] = T[i];
    for (int i = 0; i < s; i++) X[i * s + i] = 1;
    zgetrf_(&s, &s, (double *)A, &s, pivot, &info);
    for (int i = 0; i < s && !info; i++) info = !(cabs(A[i * s + i]) > 1e-8);
    if (info) return 0;
    zgetrs_("N", &s, &s, (double *)A, &s, pivot, (double *)X, &s, &info);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) W[i * s + j] = X[j * s + i];
    return 1;
}

void form_split_set(form *f, const double *F) {
    form_split *p = f->split;
    int s = f->stages, lwork = 10 * s, one = 1, info;
    if (!p) return;
    double *A = p->work, *wr = p->w, *wi = p->w + s;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) A[j * s + i] = F[i * s + j];
    dgeev_("N", "V", &s, A, &s, wr, wi, NULL, &one, p->v, &s, p->work + s * s, &lwork, &info);
    p->usable = 0;
    if (info) return;
    for (int k = 0; k < s; k++) {
        int first = wi[k] < 0 ? k - 1 : k; /* of a pair, which dgeev leaves side by side */
        p->mu[k] = wr[k] + I * wi[k];
        for (int i = 0; i < s; i++) {
            double im = wi[k] == 0 ? 0 : p->v[(first + 1) * s + i];
            p->T[k * s + i] = p->v[first * s + i] + I * (wi[k] < 0 ? -im : im);
        }
    }
    p->usable = invert(s, p->T, p->W);
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
static void add_part(form_split *p, int k, int block, int imaginary, double c,
                     const double *values) {
    p->one.values = p->values[k] + imaginary * pattern_nnz(&p->one.pattern);
    matrix_add(&p->one, block, c, values);
}

static void add(form_split *p, int k, int block, number c, const double *values) {
    add_part(p, k, block, 0, creal(c), values);
    if (cimag(c) != 0) add_part(p, k, block, 1, cimag(c), values);
}

/* The coefficient of a column, not of q, for the eigenvalue h mu. */
static number coefficient(column c, number h_mu) {
    return c == BY_V || c == BY_R ? h_mu : 1;
}

/* Columns of q, and of eta through them. */
static void add_position(form *f, int i, int m, int k, double scale, const double *values) {
    form_split *p = f->split;
    const form_term *t = f->terms[m];
    number h_mu = f->eu * p->mu[k], c = scale * h_mu * h_mu;
    add(p, k, p->block[m], c, values);
    if (!f->kind->second_multiplier) return;
    form_eta_product(f, t, i, values);
    add(p, k, p->eta_block[t->row], -f->eu * scale * h_mu, f->product);
}

/* The same where things rotate. */
static void add_turned(form *f, int i, int m, int k, double scale, const double *values) {
    form_split *p = f->split;
    const form_term *t = f->terms[m];
    number z = f->eu * p->mu[k], c = scale * z * z, d = -f->eu * scale * z;
    int parts = cimag(z) == 0 ? 1 : 2;
    form_turn(f, i, (double[]){creal(z), cimag(z)}, (double[]){creal(c), cimag(c)});
    for (int im = 0; im < parts; im++) {
        form_turn_columns(f, form_term_pattern(f, t), values, im, f->tmp);
        add_part(p, k, p->block[m], im, 1, f->tmp);
    }
    if (!f->kind->second_multiplier) return;
    form_turn(f, i, (double[]){creal(z), cimag(z)}, (double[]){creal(d), cimag(d)});
    for (int im = 0; im < parts; im++) {
        form_eta_product_turned(f, t, i, im, values);
        add_part(p, k, p->eta_block[t->row], im, 1, f->product);
    }
}

static sodae_status assemble(form *f, int i, const sodae_point *at) {
    form_split *p = f->split;
    sodae_status st = f->e->nl ? eval_G(f->e, at, f->G) : SODAE_OK;
    if (!st && f->e->np) st = eval_K(f->e, at, f->K);
    for (int m = 0; m < f->nterms && !st; m++) {
        const form_term *t = f->terms[m];
        const double *values;
        double scale = form_term_scale(f, t);
        if (scale == 0) continue;
        st = form_term_values(f, t, i, at, &values);
        if (st || !values) continue;
        for (int k = 0; k < f->stages; k++) {
            if (!counts(p, k)) continue;
            if (t->column != BY_Q)
                add(p, k, p->block[m], scale * coefficient(t->column, f->eu * p->mu[k]), values);
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
    int i = middle(f), nnz = pattern_nnz(&p->one.pattern);
    for (int k = 0; k < f->stages; k++) vec_zero(2 * nnz, p->values[k]);
    sodae_point at = form_point(f, i, x + i * f->n);
    sodae_status st = assemble(f, i, &at);
    f->linear.parts = NULL;
    form_use_units(f, &p->units, 1);
    for (int k = 0; k < f->stages && !st; k++) {
        if (!counts(p, k)) continue;
        linear_solver *own = solver(p, k);
        st = linear_factor(own, p->values[k]);
        own->next = f->linear.parts;
        f->linear.parts = own;
        f->linear.factorizations++;
    }
    return st;
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
        linear_solve(solver(p, k), p->z);
        f->linear.solves++;
        for (int i = 0; i < s; i++) {
            vec_add(n, pair * creal(p->T[k * s + i]), re, p->sum + i * n);
            if (pair == 2) vec_add(n, -pair * cimag(p->T[k * s + i]), im, p->sum + i * n);
        }
    }
    vec_copy(s * n, p->sum, res);
}
