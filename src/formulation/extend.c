/* Formulations whose further unknowns shift the velocity and acceleration of a stage.
 *
 * GGL (004, (7.10) and (7.19)):   v = v^ + G^T eta,  a = a^ + G^T eta' + G'^T eta, with v^, a^ from
 * the method's formula; eta is zero for the exact solution. Minimal extension (7.13, 7.31): the
 * dependent components of v and a, chosen such that their columns G_2 of G are regular, are
 * unknowns; the others come from v^, a^ (which ones: chart.c). */
#include "formulation/form.h"

#include "base/vec.h"

#include <math.h>

/* G G^T for the fit of eta. */
static sodae_status open_normal(form *f, arena *a) {
    const pattern *G = &f->e->G;
    arena own = {0}, *scratch = arena_borrow(a, &own, sizeof(int) * (size_t)pattern_nnz(G));
    pattern Gt = pattern_transposed(scratch, G);
    pattern normal = scratch->failed ? (pattern){0} : pattern_product(a, G, &Gt);
    arena_return(a, &own);
    if (a->failed) return SODAE_NO_MEMORY;
    f->normal = normal;
    f->normal_values = arena_doubles(a, (size_t)pattern_nnz(&normal));
    return linear_open_choice(&f->normal_solver, a, f->e->linear, 0, 1, &f->normal)
               ? SODAE_NO_MEMORY
               : SODAE_OK;
}

sodae_status form_open_shift(form *f, arena *a) {
    size_t nl = (size_t)f->e->nl, values = (size_t)f->stages * (size_t)pattern_nnz(&f->shift);
    int chart = f->kind->shift == SHIFT_CHART;
    size_t full = chart ? nl * (size_t)f->e->nv : 0;
    f->eta0 = arena_doubles(a, nl);
    if (!f->kind->shift) return SODAE_OK;
    f->along = arena_doubles(a, values), f->along_rate = arena_doubles(a, values);
    f->eta = arena_doubles(a, 2 * nl);
    f->S = arena_doubles(a, full), f->Sdot = arena_doubles(a, full);
    f->dependent = arena_ints(a, nl), f->candidate = arena_ints(a, nl);
    double *room = arena_doubles(a, lu_room(chart ? f->e->nl : 0));
    if (room) f->fit = lu_place(chart ? f->e->nl : 0, room);
    return chart ? SODAE_OK : open_normal(f, a);
}

/* S' += ad_v^T S, column l of all rotating parts at once; their columns have the same rows. */
static void turn_rates(form *f, const double *v, const double *S, double *Sdot) {
    const sodae_space *space = f->e->space;
    int nv = f->e->nv, any = !space->abelian;
    double *unit = f->row, *b = f->row + nv;
    for (int l = 0; any; l++) {
        any = 0;
        vec_zero(nv, unit);
        for (int p = 0; p < space->nparts; p++) {
            const sodae_part *g = &space->parts[p];
            if (!g->group->abelian && l < g->nv) unit[g->v0 + l] = any = 1;
        }
        sodae_space_bracket(space, v, unit, b);
        for (int p = 0; p < space->nparts; p++) {
            const sodae_part *g = &space->parts[p];
            if (g->group->abelian || l >= g->nv) continue;
            const int *start = f->shift.colptr + g->v0;
            for (int r = 0; r < start[1] - start[0]; r++)
                for (int k = 0; k < g->nv; k++)
                    Sdot[start[l] + r] += b[g->v0 + k] * S[start[k] + r];
        }
    }
}

/* out <- values of a part of the pattern f->shift. */
static void spread(const form *f, const pattern *p, const double *values, double *out) {
    vec_zero(pattern_nnz(&f->shift), out);
    for (int j = 0; j < p->cols; j++) {
        int at = f->shift.colptr[j];
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            while (f->shift.rowind[at] < p->rowind[k]) at++;
            out[at] = values[k];
        }
    }
}

/* G'^T = (d/dq (G v + g_t))^T: second derivatives of g do not depend on the order of the
 * directions; where these turn, they differ by G [v, w]. */
static sodae_status rates(form *f, const sodae_point *at, const double *S, double *Sdot) {
    eval *e = f->e;
    int top = e->top, ns = e->ns, nv = e->nv;
    sodae_status st = eval_derivative(e, SODAE_HOLONOMIC_RATE, SODAE_Q, at);
    const eval_block *b = &e->block[SODAE_HOLONOMIC_RATE][SODAE_Q];
    if (!st) spread(f, &b->pattern, b->values, Sdot), turn_rates(f, at->v, S, Sdot);
    if (st || ns == 0) return st;
    double *hq = eval_scratch(e, ns * nv);
    if (!hq) return SODAE_NO_MEMORY;
    st = eval_derivative(e, SODAE_CONTACT, SODAE_Q, at);
    const eval_block *c = &e->block[SODAE_CONTACT][SODAE_Q];
    vec_zero(ns * nv, hq);
    for (int j = 0; j < nv && !st; j++)
        for (int k = c->pattern.colptr[j]; k < c->pattern.colptr[j + 1]; k++)
            hq[j * ns + c->pattern.rowind[k]] = c->values[k];
    if (!st) st = eval_solve_contact(e, at, hq, nv);
    if (!st) st = eval_derivative(e, SODAE_HOLONOMIC_RATE, SODAE_S, at);
    const eval_block *d = &e->block[SODAE_HOLONOMIC_RATE][SODAE_S];
    for (int i = 0; i < ns && !st; i++) /* with contact coordinates G is full */
        for (int k = d->pattern.colptr[i]; k < d->pattern.colptr[i + 1]; k++)
            for (int j = 0; j < nv; j++)
                Sdot[j * e->nl + d->pattern.rowind[k]] -= d->values[k] * hq[j * ns + i];
    e->top = top;
    return st;
}

static sodae_status columns(form *f, const sodae_point *at, double *S, double *Sdot) {
    eval *e = f->e;
    if (f->kind->shift == SHIFT_CHART) {
        vec_zero(e->nv * e->nl, S);
        for (int m = 0; m < e->nl; m++)
            if (!eval_is_off(e, m)) S[f->dependent[m] * e->nl + m] = 1;
        return SODAE_OK;
    }
    sodae_status st = eval_G(e, at, f->G);
    if (!st) spread(f, &e->G, f->G, S);
    return st || f->eg == 0 ? st : rates(f, at, S, Sdot);
}

double form_shift_weight(const form *f, int i, int j) {
    return f->ev * (f->kind->shift == SHIFT_CHART ? i == j : f->ce[i * f->stages + j]);
}

double form_eta(const form *f, int i, int m, const double *x) {
    double eta = 0;
    for (int j = 0; j < f->stages; j++)
        eta += form_shift_weight(f, i, j) * x[j * f->n + f->at_eta + m];
    return eta;
}

/* v += S^T eta, a += S^T rate + weight S'^T eta */
static void add_shift(const form *f, const double *S, const double *Sdot, double weight,
                      const double *eta, const double *rate, form_stage *s) {
    const pattern *p = &f->shift;
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int m = p->rowind[k];
            s->v[j] += eta[m] * S[k];
            s->a[j] += rate[m] * S[k];
            if (weight != 0) s->a[j] += weight * eta[m] * Sdot[k];
        }
}

sodae_status form_extend(form *f, const double *x) {
    int nl = f->e->nl;
    ptrdiff_t nnz = pattern_nnz(&f->shift);
    for (int i = 0; i < f->stages && f->kind->shift && nl; i++) {
        const double *u = x + i * f->n;
        double *S = f->along + i * nnz, *Sdot = f->along_rate + i * nnz, *rate = f->eta + nl;
        int chart = f->kind->shift == SHIFT_CHART;
        sodae_point at = form_point(f, i, u);
        sodae_status st = columns(f, &at, S, Sdot);
        if (st) return st;
        for (int m = 0; m < nl; m++) {
            f->eta[m] = form_eta(f, i, m, x);
            rate[m] =
                chart ? u[f->at_nu + m] : f->er * u[f->at_eta + m] + f->ea * f->eta[m] + f->eta0[m];
        }
        add_shift(f, S, Sdot, chart ? 0 : f->eg, f->eta, rate, &f->stage[i]);
    }
    return SODAE_OK;
}

static const double *eta_of(const form *f, int i, double c, const double *x) {
    for (int m = 0; m < f->e->nl; m++) f->eta[m] = c * form_eta(f, i, m, x);
    return f->eta;
}

void form_unshift(const form *f, int i, double c, double *v) {
    pattern_multiply_transposed(&f->shift, f->along + (ptrdiff_t)i * pattern_nnz(&f->shift), 1,
                                eta_of(f, i, c, f->x), v);
}

/* G G^T by the entries of G that share a column. */
static void fill_normal(form *f) {
    const pattern *G = &f->e->G, *p = &f->normal;
    vec_zero(pattern_nnz(p), f->normal_values);
    for (int j = 0; j < G->cols; j++)
        for (int l = G->colptr[j]; l < G->colptr[j + 1]; l++) {
            int at = p->colptr[G->rowind[l]];
            for (int k = G->colptr[j]; k < G->colptr[j + 1]; k++) {
                while (p->rowind[at] < G->rowind[k]) at++;
                f->normal_values[at] += f->G[k] * f->G[l];
            }
        }
    for (int i = 0; i < p->cols; i++) /* rows that are off are eta_i = 0 */
        for (int k = p->colptr[i]; k < p->colptr[i + 1] && eval_is_off(f->e, i); k++)
            f->normal_values[k] = p->rowind[k] == i;
}

sodae_status form_fit_shift(form *f, const sodae_point *at, const double *dv, double *eta) {
    eval *e = f->e;
    sodae_status st = eval_G(e, at, f->G);
    if (st || e->nl == 0) return st;
    fill_normal(f);
    vec_zero(e->nl, eta);
    pattern_multiply(&e->G, f->G, 1, dv, eta);
    if (linear_factor(&f->normal_solver, f->normal_values)) return SODAE_REDUNDANT;
    linear_solve(&f->normal_solver, eta);
    return SODAE_OK;
}

/* Position constraints determine cv x, velocity constraints what eta adds to it; rounding errors of
 * q over h are in both and not in their sum, the velocity. */
double form_shifted_increment(const form *f, int i, const double *dx) {
    int nv = f->e->nv;
    double *dv = f->row;
    for (int k = 0; k < nv; k++) {
        dv[k] = 0;
        for (int j = 0; j < f->stages; j++) dv[k] += f->cv[i * f->stages + j] * dx[j * f->n + k];
    }
    pattern_multiply_transposed(&f->shift, f->along + (ptrdiff_t)i * pattern_nnz(&f->shift), 1,
                                eta_of(f, i, 1, dx), dv);
    return vec_max(nv, dv);
}
