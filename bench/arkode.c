/* SUNDIALS ARKODE, explicit Runge-Kutta on the index 1 form q' = S(q) v, v' = a(q, v) with
 * projection onto g = 0 and G v + g_t = 0 after each step. Accelerations and projections by KLU on
 * [M G^T; G 0], refactored with the same pivots, or eliminated by hand. */
#include "bench/kkt.h"
#include "bench/solver.h"

#include <arkode/arkode_arkstep.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Positions are projected until |g| is below this, as sodae leaves it. */
#define ON_CONSTRAINT 1e-13

typedef struct arkode_peer {
    const sodae_problem *p;
    const solver *s;
    const hand_elimination *hand;
    kinematics k;
    kkt K;
    double t_end, *unit, *lambda, *x;
    void *work;
    long forces;
} arkode_peer;

static sodae_point point(arkode_peer *z, double t, const double *q, const double *v) {
    if (z->k.rotations) {
        kinematics_at(&z->k, q, z->unit);
        q = z->unit;
    }
    sodae_point at = {.t = t, .q = q, .v = v, .work = z->work};
    if (!z->hand && z->p->prepare) z->p->prepare(&at, z->p->user);
    return at;
}

static int rate(realtype t, N_Vector y, N_Vector yp, void *user) {
    arkode_peer *z = user;
    const double *q = NV_DATA_S(y), *v = q + z->k.nq;
    double *rate = NV_DATA_S(yp), *a = rate + z->k.nq;
    sodae_point at = point(z, t, q, v);
    z->forces++;
    kinematics_rate(&z->k, v, rate);
    if (solver_late) return -1;
    if (z->hand) return z->hand->accelerate(at.q, v, a, z->lambda), 0;
    return kkt_accelerate(&z->K, &at, a, z->lambda);
}

static double largest(int n, const double *x) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

/* Newton with the matrix of the first pass. */
static int project_positions(arkode_peer *z, double t, double *q, const double *v) {
    int nv = z->p->nv, nl = z->p->nlambda;
    for (int pass = 0; pass < 4; pass++) {
        sodae_point at = point(z, t, q, v);
        z->p->value[SODAE_HOLONOMIC].fn(&at, z->x + nv, z->p->user);
        if (largest(nl, z->x + nv) < ON_CONSTRAINT) return 0;
        if (pass == 0 && kkt_factor(&z->K, &at)) return 1;
        for (int i = 0; i < nv; i++) z->x[i] = 0;
        for (int i = nv; i < nv + nl; i++) z->x[i] = -z->x[i];
        if (kkt_solve(&z->K, z->x)) return 1;
        kinematics_move(&z->k, z->x, q);
    }
    return 0;
}

static int project_velocities(arkode_peer *z, double t, const double *q, double *v) {
    int nv = z->p->nv, nl = z->p->nlambda;
    sodae_point at = point(z, t, q, v);
    if (kkt_factor(&z->K, &at)) return 1;
    z->p->value[SODAE_HOLONOMIC_RATE].fn(&at, z->x + nv, z->p->user);
    for (int i = 0; i < nv; i++) z->x[i] = 0;
    for (int i = nv; i < nv + nl; i++) z->x[i] = -z->x[i];
    if (kkt_solve(&z->K, z->x)) return 1;
    for (int i = 0; i < nv; i++) v[i] += z->x[i];
    return 0;
}

static int project(realtype t, N_Vector y, void *user) {
    arkode_peer *z = user;
    double *q = NV_DATA_S(y), *v = q + z->k.nq;
    if (z->hand) return z->hand->project(q, v), 0;
    return project_positions(z, t, q, v) || project_velocities(z, t, q, v);
}

void *arkode_open(const solver *s, bench_problem *b) {
    const sodae_problem *p = &b->p;
    if (s->by_hand && !b->hand) return NULL;
    arkode_peer *z = calloc(1, sizeof *z);
    z->p = p, z->s = s, z->t_end = b->t_end, z->hand = s->by_hand ? b->hand : NULL;
    if (kinematics_open(&z->k, p)) return free(z), NULL;
    if (!z->hand) kkt_open(&z->K, p, &z->k);
    z->unit = calloc((size_t)(z->k.nq + p->nv + 2 * p->nlambda), sizeof(double));
    z->lambda = z->unit + z->k.nq, z->x = z->lambda + p->nlambda;
    z->work = bench_work(p);
    return z;
}

void arkode_close(void *memory) {
    arkode_peer *z = memory;
    if (!z->hand) kkt_close(&z->K);
    kinematics_close(&z->k);
    free(z->unit), free(z->work), free(z);
}

static void quiet(int code, const char *module, const char *function, char *text, void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

void arkode_run(const solver *s, void *memory, double tol, outcome *out) {
    arkode_peer *z = memory;
    const sodae_problem *p = z->p;
    SUNContext context;
    realtype t;
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(z->k.nq + p->nv, context);
    double *q = NV_DATA_S(y), *v = q + z->k.nq;
    memcpy(q, p->initial.q, (size_t)z->k.nq * sizeof *q);
    memcpy(v, p->initial.v, (size_t)p->nv * sizeof *v);
    if (!z->hand) kkt_begin(&z->K);
    z->forces = 0;
    void *ark = ARKStepCreate(rate, NULL, p->initial.t, y, context);
    int bad = ARKStepSetUserData(ark, z) | ARKStepSetErrHandlerFn(ark, quiet, NULL);
    bad |= ARKStepSStolerances(ark, tol, tol) | ARKStepSetMaxNumSteps(ark, -1);
    bad |= ARKStepSetStopTime(ark, z->t_end);
    bad |= ARKStepSetTableNum(ark, ARKODE_DIRK_NONE, (ARKODE_ERKTableID)s->table);
    bad |= ARKStepSetPostprocessStepFn(ark, project);
    int flag = bad ? bad : ARKStepEvolve(ark, z->t_end, y, &t, ARK_NORMAL);
    long tests = 0;
    ARKStepGetNumSteps(ark, &out->steps), ARKStepGetNumErrTestFails(ark, &tests);
    out->refused = tests, out->forces = z->forces;
    if (flag < 0) snprintf(out->status, sizeof out->status, solver_late ? "TOO_LONG" : "%d", flag);
    memcpy(out->q, q, (size_t)z->k.nq * sizeof *q), memcpy(out->v, v, (size_t)p->nv * sizeof *v);
    sodae_point at = point(z, z->t_end, q, v);
    if (z->hand)
        z->hand->accelerate(at.q, v, z->x, out->lambda);
    else
        kkt_accelerate(&z->K, &at, z->x, out->lambda), kkt_end(&z->K);
    ARKStepFree(&ark);
    N_VDestroy(y);
    SUNContext_Free(&context);
}
