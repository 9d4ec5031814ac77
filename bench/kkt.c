#include "bench/kkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A matrix with old pivots is factored with new ones when they have become this much worse. */
#define WORSE 1e-3

void kkt_open(kkt *s, const sodae_problem *p, kinematics *k) {
    int nv = p->nv, nl = p->nlambda;
    const sodae_pattern M = p->value[SODAE_MASS].pattern,
                        G = p->derivative[SODAE_HOLONOMIC][SODAE_Q].pattern;
    *s = (kkt){.p = p};
    assembly_open(&s->A, nv + nl, k);
    s->M = assembly_add(&s->A, M, nv, nv, 0, 0, 0, PLAIN);
    s->G = assembly_add(&s->A, G, nl, nv, nv, 0, 0, PLAIN);
    s->Gt = assembly_add(&s->A, G, nl, nv, 0, nv, 1, PLAIN);
    assembly_close(&s->A, 0);
    s->mass = calloc((size_t)M.colptr[nv] + 1, sizeof(double));
    s->jacobian = calloc((size_t)G.colptr[nv] + 1, sizeof(double));
    s->values = calloc((size_t)s->A.nnz, sizeof(double));
    s->rhs = calloc((size_t)(nv + nl), sizeof(double));
    s->at_q = calloc((size_t)k->nq, sizeof(double));
}

void kkt_begin(kkt *s) {
    klu_l_defaults(&s->common);
    s->symbolic = klu_l_analyze(s->A.n, s->A.colptr, s->A.rowind, &s->common);
    s->at_q[0] = NAN;
}

void kkt_end(kkt *s) {
    klu_l_free_numeric(&s->numeric, &s->common);
    klu_l_free_symbolic(&s->symbolic, &s->common);
}

void kkt_close(kkt *s) {
    assembly_free(&s->A);
    free(s->mass), free(s->jacobian), free(s->values), free(s->rhs), free(s->at_q);
}

/* With the pivots of the last matrix, or new ones. */
static int factor(kkt *s) {
    if (s->numeric &&
        klu_l_refactor(s->A.colptr, s->A.rowind, s->values, s->symbolic, s->numeric, &s->common)) {
        klu_l_rcond(s->symbolic, s->numeric, &s->common);
        if (s->common.rcond > WORSE * s->pivots) return 0;
    }
    klu_l_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_l_factor(s->A.colptr, s->A.rowind, s->values, s->symbolic, &s->common);
    if (!s->numeric) return 1;
    klu_l_rcond(s->symbolic, s->numeric, &s->common);
    s->pivots = s->common.rcond;
    return 0;
}

int kkt_factor(kkt *s, const sodae_point *at) {
    const sodae_problem *p = s->p;
    size_t bytes = (size_t)sodae_problem_nq(p) * sizeof(double);
    if (!memcmp(s->at_q, at->q, bytes)) return 0;
    memcpy(s->at_q, at->q, bytes);
    p->value[SODAE_MASS].fn(at, s->mass, p->user);
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn(at, s->jacobian, p->user);
    memset(s->values, 0, (size_t)s->A.nnz * sizeof(double));
    assembly_put(&s->A, s->M, 1, s->mass, s->values);
    assembly_put(&s->A, s->G, 1, s->jacobian, s->values);
    assembly_put(&s->A, s->Gt, 1, s->jacobian, s->values);
    return factor(s);
}

int kkt_solve(kkt *s, double *x) {
    return !klu_l_solve(s->symbolic, s->numeric, s->A.n, 1, x, &s->common);
}

int kkt_accelerate(kkt *s, const sodae_point *at, double *a, double *lambda) {
    const sodae_problem *p = s->p;
    int nv = p->nv, nl = p->nlambda;
    if (kkt_factor(s, at)) return 1;
    p->value[SODAE_FORCE].fn(at, s->rhs, p->user);
    p->value[SODAE_HOLONOMIC_DRIFT].fn(at, s->rhs + nv, p->user);
    for (int i = nv; i < nv + nl; i++) s->rhs[i] = -s->rhs[i];
    if (kkt_solve(s, s->rhs)) return 1;
    memcpy(a, s->rhs, (size_t)nv * sizeof *a);
    memcpy(lambda, s->rhs + nv, (size_t)nl * sizeof *lambda);
    return 0;
}
