#include "bench/ggl.h"

#include "base/vec.h"

#include <sodae/integrator.h>

int ggl_open(ggl *f, const sodae_problem *p) {
    const sodae_group *rn = &sodae_rn;
    *f = (ggl){0};
    if (!p->space && sodae_space_create(&rn, &p->nv, 1, &f->own)) return -1;
    eval *e = &f->e;
    if (eval_open(e, &f->memory, p, p->space ? p->space : f->own, &f->failure)) return -1;
    f->at_v = e->nq;
    f->at_r = f->at_v + e->nv;
    f->differential = f->at_w = f->at_r + e->nr;
    f->at_s = f->at_w + e->nw;
    f->at_lambda = f->at_s + e->ns;
    f->at_psi = f->at_lambda + e->nl;
    f->at_mu = f->at_psi + e->np;
    f->n = f->at_mu + e->nl;
    f->has_jacobian = e->space->abelian && e->nr + e->nw + e->ns == 0;
    f->u = arena_doubles(&f->memory, (size_t)e->nv);
    f->work = arena_doubles(&f->memory, (size_t)e->nv);
    f->M = arena_doubles(&f->memory, (size_t)pattern_nnz(&e->mass));
    f->G = arena_doubles(&f->memory, (size_t)pattern_nnz(&e->G));
    f->K = arena_doubles(&f->memory, (size_t)pattern_nnz(&e->K));
    return f->memory.failed;
}

void ggl_close(ggl *f) {
    arena_free(&f->memory);
    sodae_space_free(f->own);
}

/* R <- R skew(w), rows of three. */
static void turn(const double *R, const double *w, double *out) {
    for (int i = 0; i < 3; i++) {
        const double *r = R + 3 * i;
        out[3 * i] = r[1] * w[2] - r[2] * w[1];
        out[3 * i + 1] = r[2] * w[0] - r[0] * w[2];
        out[3 * i + 2] = r[0] * w[1] - r[1] * w[0];
    }
}

/* DL_q(e) u of one part. */
static int rate_of(const sodae_part *g, const double *q, const double *u, double *out) {
    const sodae_group *group = g->group;
    if (group->abelian) {
        vec_copy(g->nv, u, out);
    } else if (group == &sodae_so3) {
        turn(q, u, out);
    } else if (group == &sodae_se3) {
        for (int i = 0; i < 3; i++)
            out[i] = q[3 + 3 * i] * u[0] + q[4 + 3 * i] * u[1] + q[5 + 3 * i] * u[2];
        turn(q + 3, u + 3, out + 3);
    } else if (group == &sodae_s3 || group == &sodae_so3_quaternion) {
        out[0] = -(q[1] * u[0] + q[2] * u[1] + q[3] * u[2]) / 2;
        out[1] = (q[0] * u[0] + q[2] * u[2] - q[3] * u[1]) / 2;
        out[2] = (q[0] * u[1] + q[3] * u[0] - q[1] * u[2]) / 2;
        out[3] = (q[0] * u[2] + q[1] * u[1] - q[2] * u[0]) / 2;
    } else {
        return -1;
    }
    return 0;
}

static int configuration_rate(const ggl *f, const double *q, const double *u, double *out) {
    const sodae_space *s = f->e.space;
    int bad = 0;
    for (int i = 0; i < s->nparts; i++) {
        const sodae_part *g = &s->parts[i];
        bad |= rate_of(g, q + g->q0, u + g->v0, out + g->q0);
    }
    return bad;
}

static sodae_point point(const ggl *f, double t, const double *y, const double *yp) {
    return (sodae_point){.t = t,
                         .q = y,
                         .v = y + f->at_v,
                         .a = yp + f->at_v,
                         .lambda = y + f->at_lambda,
                         .psi = y + f->at_psi,
                         .r = y + f->at_r,
                         .w = y + f->at_w,
                         .s = y + f->at_s};
}

static int code_of(sodae_status st) {
    return st == SODAE_OK ? 0 : st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE ? 1 : -1;
}

int ggl_start(ggl *f, double *y, double *yp) {
    const eval *e = &f->e;
    sodae_options o = sodae_default_options();
    sodae *s;
    if (sodae_create(&s, e->p, &o, NULL)) return -1;
    sodae_status st = sodae_start(s);
    const sodae_view *x = sodae_state(s);
    vec_zero(f->n, y);
    vec_zero(f->n, yp);
    vec_copy(e->nq, x->q, y);
    vec_copy(e->nv, x->v, y + f->at_v);
    vec_copy(e->nr, x->r, y + f->at_r);
    vec_copy(e->nw, x->w, y + f->at_w);
    vec_copy(e->ns, x->s, y + f->at_s);
    vec_copy(e->nl, x->lambda, y + f->at_lambda);
    vec_copy(e->np, x->psi, y + f->at_psi);
    int bad = st < 0 || configuration_rate(f, y, y + f->at_v, yp);
    vec_copy(e->nv, x->vdot, yp + f->at_v);
    vec_copy(e->nr, x->rdot, yp + f->at_r);
    sodae_free(s);
    return bad;
}

int ggl_residual(ggl *f, double t, const double *y, const double *yp, double *res) {
    eval *e = &f->e;
    sodae_point at = point(f, t, y, yp);
    sodae_status st = SODAE_OK;
    f->residuals++;
    vec_copy(e->nv, at.v, f->u);
    if (e->nl) st = eval_G(e, &at, f->G);
    if (!st && e->nl) pattern_multiply_transposed(&e->G, f->G, -1, y + f->at_mu, f->u);
    if (configuration_rate(f, y, f->u, res)) return -1;
    for (int i = 0; i < e->nq; i++) res[i] = yp[i] - res[i];
    double *balance = res + f->at_v;
    if (!st) st = eval_force(e, &at, balance);
    vec_scale(e->nv, -1, balance);
    if (!st) st = eval_mass(e, &at, f->M);
    if (!st) pattern_multiply(&e->mass, f->M, 1, at.a, balance);
    if (!st && e->nr) st = eval_value(e, SODAE_DYNAMIC, &at, res + f->at_r);
    for (int i = 0; i < e->nr; i++) res[f->at_r + i] = yp[f->at_r + i] - res[f->at_r + i];
    if (!st && e->nw) st = eval_value(e, SODAE_AUXILIARY, &at, res + f->at_w);
    if (!st && e->ns) st = eval_value(e, SODAE_CONTACT, &at, res + f->at_s);
    if (!st && e->nl) st = eval_value(e, SODAE_HOLONOMIC, &at, res + f->at_lambda);
    if (!st && e->np) st = eval_value(e, SODAE_NONHOLONOMIC, &at, res + f->at_psi);
    if (!st && e->nl) st = eval_value(e, SODAE_HOLONOMIC_RATE, &at, res + f->at_mu);
    return code_of(st);
}

/* J += factor A at (row, col), or A^T. */
static void add(const ggl *f, const pattern *p, const double *values, double factor, int row,
                int col, int transposed, double *J) {
    for (int j = 0; j < p->cols; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
            int r = transposed ? j : p->rowind[k], c = transposed ? p->rowind[k] : j;
            J[(long)(col + c) * f->n + row + r] += factor * values[k];
        }
}

/* J += factor dF/dX at (row, col). */
static sodae_status add_block(ggl *f, sodae_function of, sodae_variable by, double factor, int row,
                              int col, const sodae_point *at, double *J) {
    const eval_block *b = &f->e.block[of][by];
    sodae_status st = eval_derivative(&f->e, of, by, at);
    if (!st) add(f, &b->pattern, b->values, factor, row, col, 0, J);
    return st;
}

int ggl_jacobian(ggl *f, double t, double cj, const double *y, const double *yp, double *J) {
    eval *e = &f->e;
    sodae_point at = point(f, t, y, yp);
    int own = !e->in_force && e->nl + e->np, v = f->at_v, l = f->at_lambda, psi = f->at_psi;
    for (int i = 0; i < e->nv; i++) {
        J[(long)i * f->n + i] = cj;
        J[(long)(v + i) * f->n + i] = -1;
    }
    sodae_status st = eval_mass(e, &at, f->M); /* mu is 0 up to errors: (G^T mu)_q is left out */
    if (!st) add(f, &e->mass, f->M, cj, v, v, 0, J);
    if (!st && e->needs_mass_q) st = add_block(f, SODAE_MASS, SODAE_Q, 1, v, 0, &at, J);
    if (!st) st = add_block(f, SODAE_FORCE, SODAE_Q, -1, v, 0, &at, J);
    if (!st) st = add_block(f, SODAE_FORCE, SODAE_V, -1, v, v, &at, J);
    if (!st) st = add_block(f, SODAE_FORCE, SODAE_LAMBDA, -1, v, l, &at, J);
    if (!st) st = add_block(f, SODAE_FORCE, SODAE_PSI, -1, v, psi, &at, J);
    if (!st && own) st = add_block(f, SODAE_REACTION, SODAE_Q, 1, v, 0, &at, J);
    if (!st && own) st = add_block(f, SODAE_REACTION, SODAE_V, 1, v, v, &at, J);
    if (!st && e->nl) st = eval_G(e, &at, f->G);
    if (!st && e->np) st = eval_K(e, &at, f->K);
    if (st) return code_of(st);
    if (own) add(f, &e->G, f->G, 1, v, l, 1, J);
    if (own) add(f, &e->K, f->K, 1, v, psi, 1, J);
    add(f, &e->G, f->G, 1, 0, f->at_mu, 1, J);
    add(f, &e->G, f->G, 1, l, 0, 0, J);
    add(f, &e->G, f->G, 1, f->at_mu, v, 0, J);
    add(f, &e->K, f->K, 1, psi, v, 0, J);
    st = add_block(f, SODAE_HOLONOMIC_RATE, SODAE_Q, 1, f->at_mu, 0, &at, J);
    if (!st) st = add_block(f, SODAE_NONHOLONOMIC, SODAE_Q, 1, psi, 0, &at, J);
    return code_of(st);
}
