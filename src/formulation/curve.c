/* Several stages on a Lie group. With q_i = q_n o exp(theta_i) and q' = DL_q u the coordinates obey
 * theta' = T(theta)^-1 u, and collocation of that equation is
 *
 *     theta_i = dq_i + sum_j cl_ij T(theta_j)^-1 u_j,     u_j = v_j - eu B_j^T eta_j:
 *
 * solved by iteration, which converges like that of a Volterra equation. So the order on R^n is
 * kept. For the iteration matrix: the variation delta = T(theta) dtheta obeys delta' = du - [u,
 * delta], i.e.
 *
 *     (I + cl ad_u) delta = cl du,     delta_i = sum_j E_ij du_j = sum_k D_ik x_k.
 *
 * For an eigenvalue z of cl, with u of one stage for all (split.c): delta = z (1 + z ad_u)^-1 du.
 */
#include "formulation/curve.h"

#include "base/vec.h"

#include <float.h>

enum { MOST = 100 };

sodae_status form_open_curve(form *f, arena *a) {
    const sodae_space *space = f->e->space;
    size_t s = (size_t)f->stages, nv = (size_t)f->e->nv, size = 0;
    form_curve *c = arena_take(a, 1, sizeof *c);
    f->cl = arena_doubles(a, s * s);
    if (!c) return SODAE_NO_MEMORY;
    c->first = arena_ints(a, (size_t)space->nparts);
    for (int p = 0; p < space->nparts && !a->failed; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        c->first[p] = (int)size;
        size += s * s * (size_t)(g->nv * g->nv);
        if (g->nv > c->largest) c->largest = g->nv;
    }
    size_t most = s * (size_t)c->largest;
    c->u = arena_doubles(a, s * nv), c->w = arena_doubles(a, s * nv);
    c->E = arena_doubles(a, size), c->D = arena_doubles(a, size);
    for (int i = 0; i < 2; i++) c->Y[i] = arena_doubles(a, size / (s * s));
    c->T = arena_doubles(a, (size_t)(c->largest * c->largest));
    size_t real = lu_room((int)most), complex = lu_complex_room(c->largest);
    c->room = arena_doubles(a, real > complex ? real : complex);
    c->X = arena_doubles(a, most * most), c->e = arena_doubles(a, nv);
    c->ad = arena_doubles(a, s * nv * (size_t)c->largest);
    f->curve = c;
    return a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}

const double *form_coordinate_rate(const form *f, int i) {
    return f->curve->w + i * f->e->nv;
}

void form_to_coordinates(form *f, const double *theta, const double *u, double *w) {
    const sodae_space *space = f->e->space;
    vec_copy(f->e->nv, u, w);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        if (g->group->abelian) continue;
        sodae_space_tangent_inverse(space, p, theta, f->curve->T);
        vec_zero(g->nv, w + g->v0);
        for (int j = 0; j < g->nv; j++)
            vec_add(g->nv, u[g->v0 + j], f->curve->T + j * g->nv, w + g->v0);
    }
}

/* theta_i <- dq_i + sum_j cl_ij w_j; the largest change, relative. */
static double move(form *f) {
    int s = f->stages, nv = f->e->nv;
    double change = 0;
    for (int i = 0; i < s; i++) {
        form_stage *g = &f->stage[i];
        vec_copy(nv, g->dq, f->curve->e);
        for (int j = 0; j < s; j++)
            vec_add(nv, f->cl[i * s + j], f->curve->w + j * nv, f->curve->e);
        for (int k = 0; k < nv; k++)
            change =
                larger(change, fabs(f->curve->e[k] - g->theta[k]) / fmax(1, fabs(g->theta[k])));
        vec_copy(nv, f->curve->e, g->theta);
    }
    return change;
}

void form_bend(form *f, const double *x) {
    form_curve *c = f->curve;
    int s = f->stages, nv = f->e->nv;
    for (int j = 0; j < s; j++) {
        vec_copy(nv, f->stage[j].v, c->u + j * nv);
        if (f->kind->second_multiplier)
            pattern_multiply_transposed(&f->e->G, f->stage[j].B, -f->eu, x + j * f->n + f->at_eta,
                                        c->u + j * nv);
    }
    vec_copy(s * nv, c->u, c->w);
    double change = move(f), last = INFINITY;
    if (!isfinite(change)) change = INFINITY; /* theta of a step that turned too far */
    for (int it = 0; it < MOST && change > DBL_EPSILON && !(change >= last && change < 1e-14);
         it++) {
        for (int j = 0; j < s; j++)
            form_to_coordinates(f, f->stage[j].theta, c->u + j * nv, c->w + j * nv);
        last = change;
        change = move(f);
    }
    for (int i = 0; i < s; i++) {
        form_stage *g = &f->stage[i];
        if (!(change < 1e-10)) g->theta[0] = NAN; /* turned too far: a smaller step */
        sodae_space_retract(f->e->space, g->q0, g->theta, g->q);
    }
}

/* ad_u of all rotating parts at once: column l of each part. */
void form_curve_bracket(form *f, const double *u, double *ad) {
    form_curve *c = f->curve;
    const sodae_space *space = f->e->space;
    int nv = f->e->nv;
    for (int l = 0; l < c->largest; l++) {
        vec_zero(nv, c->e);
        for (int p = 0; p < space->nparts; p++) {
            const sodae_part *g = &space->parts[p];
            if (!g->group->abelian && l < g->nv) c->e[g->v0 + l] = 1;
        }
        sodae_space_bracket(space, u, c->e, ad + l * nv);
    }
}

static void brackets(form *f) {
    form_curve *c = f->curve;
    int nv = f->e->nv;
    for (int j = 0; j < f->stages; j++)
        form_curve_bracket(f, c->u + j * nv, c->ad + j * c->largest * nv);
}

double *form_curve_block(const form *f, double *of, int part, int i, int j) {
    int m = f->e->space->parts[part].nv;
    return of + f->curve->first[part] + (i * f->stages + j) * m * m;
}

/* E = (I + cl ad)^-1 cl and D = E cv for one part. */
static void solve_part(form *f, int part) {
    form_curve *c = f->curve;
    const sodae_part *g = &f->e->space->parts[part];
    int s = f->stages, m = g->nv, n = s * m;
    lu own = lu_place(n, c->room);
    lu_clear(&own);
    double *X = c->X; /* by columns */
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            for (int l = 0; l < m; l++) {
                const double *ad = c->ad + (j * c->largest + l) * f->e->nv + g->v0;
                for (int k = 0; k < m; k++) {
                    int to = i * m + k, from = j * m + l;
                    own.A[to * own.stride + from] = (to == from) + f->cl[i * s + j] * ad[k];
                    X[from * n + to] = k == l ? f->cl[i * s + j] : 0;
                }
            }
    int regular = lu_factor(&own);
    for (int l = 0; l < n && regular; l++) lu_solve(&own, X + l * n);
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++)
            for (int l = 0; l < m; l++)
                vec_copy(m, X + (j * m + l) * n + i * m,
                         form_curve_block(f, c->E, part, i, j) + l * m);
    for (int i = 0; i < s; i++)
        for (int k = 0; k < s; k++) {
            double *D = form_curve_block(f, c->D, part, i, k);
            vec_zero(m * m, D);
            for (int j = 0; j < s; j++)
                vec_add(m * m, f->cv[j * s + k], form_curve_block(f, c->E, part, i, j), D);
        }
}

void form_vary(form *f) {
    const sodae_space *space = f->e->space;
    brackets(f);
    for (int p = 0; p < space->nparts; p++)
        if (!space->parts[p].group->abelian) solve_part(f, p);
}

/* out = F D for the m columns of a part, which have the same rows. */
static void multiply_columns(int m, const int *start, const double *F, const double *D,
                             double *out) {
    int rows = start[1] - start[0];
    for (int l = 0; l < m; l++) {
        vec_zero(rows, out + start[l]);
        for (int j = 0; j < m; j++) vec_add(rows, D[l * m + j], F + start[j], out + start[l]);
    }
}

/* out = F D_ik for a matrix F by tangent directions, its pattern closed over rotating parts. */
void form_vary_columns(const form *f, const pattern *p, const double *F, int i, int k,
                       double *out) {
    const sodae_space *space = f->e->space;
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        const int *start = p->colptr + g->v0;
        if (g->group->abelian) {
            for (int at = start[0]; at < start[g->nv]; at++)
                out[at] = F[at] * f->cq[i * f->stages + k];
            continue;
        }
        multiply_columns(g->nv, start, F, form_curve_block(f, f->curve->D, part, i, k), out);
    }
}

/* out = B D^T for the m columns of a part, which have the same rows. */
static void multiply_rows(int m, const int *start, const double *B, double c, const double *D,
                          double *out) {
    int rows = start[1] - start[0];
    vec_zero(m * rows, out + start[0]);
    for (int l = 0; l < m; l++)
        for (int k = 0; k < m; k++)
            for (int r = 0; r < rows; r++) out[start[k] + r] += c * B[start[l] + r] * D[l * m + k];
}

static void scale_columns(const int *start, int m, double c, const double *B, double *out) {
    for (int at = start[0]; at < start[m]; at++) out[at] = c * B[at];
}

/* -eu B E_ij^T: the shift of q_i by u_j -= eu B^T eta. */
void form_vary_shift(const form *f, int i, int j, const double *B, double *out) {
    const sodae_space *space = f->e->space;
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        const int *start = f->shift.colptr + g->v0;
        if (g->group->abelian)
            scale_columns(start, g->nv, -f->eu * f->cl[i * f->stages + j], B, out);
        else
            multiply_rows(g->nv, start, B, -f->eu, form_curve_block(f, f->curve->E, part, i, j),
                          out);
    }
}

static double *turned(const form *f, int part, int imaginary) {
    return f->curve->Y[imaginary] + f->curve->first[part] / (f->stages * f->stages);
}

/* c (1 + z ad_u)^-1 for one part; complex numbers as real and imaginary part. */
static void turn_part(form *f, int part, int i, const double *z, const double *c) {
    form_curve *v = f->curve;
    const sodae_part *g = &f->e->space->parts[part];
    int m = g->nv;
    lu own = lu_complex_place(m, v->room);
    lu_clear(&own);
    for (int l = 0; l < m; l++) {
        const double *ad = v->ad + (i * v->largest + l) * f->e->nv + g->v0;
        for (int k = 0; k < m; k++) {
            double *re = own.A + k * own.stride + l, *im = re + own.stride / 2;
            *re = (k == l) + z[0] * ad[k], *im = z[1] * ad[k];
        }
    }
    int regular = lu_complex_factor(&own);
    for (int l = 0; l < m; l++) {
        double *x = v->X;
        vec_zero(2 * m, x);
        x[l] = c[0], x[m + l] = c[1];
        if (regular) lu_complex_solve(&own, x);
        for (int im = 0; im < 2; im++) vec_copy(m, x + im * m, turned(f, part, im) + l * m);
    }
}

void form_turn(form *f, int i, const double *z, const double *c) {
    const sodae_space *space = f->e->space;
    brackets(f);
    f->curve->straight[0] = c[0], f->curve->straight[1] = c[1];
    for (int p = 0; p < space->nparts; p++)
        if (!space->parts[p].group->abelian) turn_part(f, p, i, z, c);
}

/* out = F Y, its real or imaginary part. */
void form_turn_columns(const form *f, const pattern *p, const double *F, int imaginary,
                       double *out) {
    const sodae_space *space = f->e->space;
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        const int *start = p->colptr + g->v0;
        if (g->group->abelian)
            for (int at = start[0]; at < start[g->nv]; at++)
                out[at] = F[at] * f->curve->straight[imaginary];
        else
            multiply_columns(g->nv, start, F, turned(f, part, imaginary), out);
    }
}

void form_turn_shift(const form *f, const double *B, int imaginary, double *out) {
    const sodae_space *space = f->e->space;
    for (int part = 0; part < space->nparts; part++) {
        const sodae_part *g = &space->parts[part];
        const int *start = f->shift.colptr + g->v0;
        if (g->group->abelian)
            scale_columns(start, g->nv, f->curve->straight[imaginary], B, out);
        else
            multiply_rows(g->nv, start, B, 1, turned(f, part, imaginary), out);
    }
}
