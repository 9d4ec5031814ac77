/* Formulations whose further unknowns shift the velocity and acceleration of a stage.
 *
 * GGL (004, (7.10) and (7.19)):   v = v^ + G^T eta,  a = a^ + G^T eta' + G'^T eta, with v^, a^ from
 * the method's formula; eta is zero for the exact solution. Minimal extension (7.13, 7.31): the
 * dependent components of v and a, chosen such that their columns G_2 of G are regular, are
 * unknowns; the others come from v^, a^ (which ones: chart.c). */
#include "formulation/form.h"

#include "base/vec.h"

#include <math.h>

void form_open_shift(form *f, arena *a) {
    size_t nl = (size_t)f->e->nl, size = f->kind->shift ? nl * (size_t)f->e->nv : 0;
    size_t stages = (size_t)f->stages;
    f->S = arena_doubles(a, stages * size), f->Sdot = arena_doubles(a, stages * size);
    int fitted = f->kind->shift ? f->e->nl : 0;
    double *room = arena_doubles(a, lu_room(fitted));
    if (room) f->fit = lu_place(fitted, room);
    f->eta0 = arena_doubles(a, nl);
    f->dependent = arena_ints(a, nl), f->candidate = arena_ints(a, nl);
}

void form_transpose(const pattern *p, const double *values, int nv, double *Gt) {
    vec_zero(nv * p->rows, Gt);
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            Gt[p->rowind[k] * nv + j] += values[k];
}

/* S' += ad_v^T S, column l of all rotating parts at once. */
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
            for (int m = 0; m < f->e->nl && !g->group->abelian && l < g->nv; m++)
                for (int k = g->v0; k < g->v0 + g->nv; k++)
                    Sdot[m * nv + g->v0 + l] += b[k] * S[m * nv + k];
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
    if (!st) form_transpose(&b->pattern, b->values, nv, Sdot), turn_rates(f, at->v, S, Sdot);
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
    for (int i = 0; i < ns && !st; i++)
        for (int k = d->pattern.colptr[i]; k < d->pattern.colptr[i + 1]; k++)
            for (int j = 0; j < nv; j++)
                Sdot[d->pattern.rowind[k] * nv + j] -= d->values[k] * hq[j * ns + i];
    e->top = top;
    return st;
}

static sodae_status columns(form *f, const sodae_point *at, double *S, double *Sdot) {
    eval *e = f->e;
    if (f->kind->shift == SHIFT_CHART) {
        vec_zero(e->nv * e->nl, S);
        for (int m = 0; m < e->nl; m++)
            if (!eval_is_off(e, m)) S[m * e->nv + f->dependent[m]] = 1;
        return SODAE_OK;
    }
    sodae_status st = eval_G(e, at, f->G);
    if (!st) form_transpose(&e->G, f->G, e->nv, S);
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

sodae_status form_extend(form *f, const double *x) {
    int nv = f->e->nv, nl = f->e->nl;
    for (int i = 0; i < f->stages && f->kind->shift && nl; i++) {
        form_stage *s = &f->stage[i];
        const double *u = x + i * f->n;
        double *S = f->S + i * nv * nl, *Sdot = f->Sdot + i * nv * nl;
        sodae_point at = form_point(f, i, u);
        sodae_status st = columns(f, &at, S, Sdot);
        if (st) return st;
        for (int m = 0; m < nl; m++) {
            double eta = form_eta(f, i, m, x);
            double rate = f->er * u[f->at_eta + m] + f->ea * eta + f->eta0[m];
            if (f->kind->shift == SHIFT_CHART) rate = u[f->at_nu + m];
            vec_add(nv, eta, S + m * nv, s->v);
            vec_add(nv, rate, S + m * nv, s->a);
            if (f->kind->shift == SHIFT_GGL) vec_add(nv, f->eg * eta, Sdot + m * nv, s->a);
        }
    }
    return SODAE_OK;
}

void form_unshift(const form *f, int i, double c, double *v) {
    int nv = f->e->nv, nl = f->e->nl;
    for (int m = 0; m < nl; m++)
        vec_add(nv, c * form_eta(f, i, m, f->x), f->S + (i * nl + m) * nv, v);
}

sodae_status form_fit_shift(form *f, const sodae_point *at, const double *dv, double *eta) {
    eval *e = f->e;
    int nv = e->nv, n = e->nl;
    sodae_status st = eval_G(e, at, f->G);
    if (st || n == 0) return st;
    form_transpose(&e->G, f->G, nv, f->S);
    for (int i = 0; i < n; i++) {
        eta[i] = 0;
        for (int j = 0; j < nv; j++) eta[i] += f->S[i * nv + j] * dv[j];
        for (int m = 0; m < n; m++) { /* G G^T */
            double sum = 0;
            for (int j = 0; j < nv; j++) sum += f->S[i * nv + j] * f->S[m * nv + j];
            f->fit.A[i * f->fit.stride + m] = sum + (i == m && eval_is_off(e, i));
        }
    }
    if (!lu_factor(&f->fit)) return SODAE_REDUNDANT;
    lu_solve(&f->fit, eta);
    return SODAE_OK;
}

/* Position constraints determine cv x, velocity constraints what eta adds to it; rounding errors of
 * q over h are in both and not in their sum, the velocity. */
double form_shifted_increment(const form *f, int i, const double *dx) {
    int nv = f->e->nv, nl = f->e->nl;
    double size = 0;
    for (int k = 0; k < nv; k++) {
        double dv = 0;
        for (int j = 0; j < f->stages; j++) dv += f->cv[i * f->stages + j] * dx[j * f->n + k];
        for (int m = 0; m < nl; m++) dv += f->S[(i * nl + m) * nv + k] * form_eta(f, i, m, dx);
        size = larger(size, fabs(dv));
    }
    return size;
}
