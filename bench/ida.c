/* SUNDIALS IDA on the stabilised index 2 form of first order (Gear, Gupta, Leimkuhler)
 *     q' = S(q) (v - G^T mu),  M v' = f - G^T lambda,  g = 0,  G v + g_t = 0
 * in y = (q, v, lambda, mu), with its exact sparse Jacobian: KLU with IDA's own ordering, or dense.
 * Multipliers are in no test. The problem's callbacks are called once per residual each. */
#include "bench/kkt.h"
#include "bench/solver.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

/* Out of every test: larger than any multiplier here. */
#define NO_TEST 1e6

/* Blocks of the Jacobian. */
enum {
    Q_RATE,
    Q_V,
    Q_MU,
    MASS,
    MASS_Q,
    FORCE_Q,
    FORCE_V,
    REACTION_Q,
    V_LAMBDA,
    G_Q,
    G_V,
    RATE_Q,
    BLOCKS
};

typedef struct ida_peer {
    const sodae_problem *p;
    const solver *s;
    kinematics k;
    assembly J;
    int block[BLOCKS], turn[KINEMATICS_MAX], v0, lambda0, mu0;
    double *G, *mass, *x; /* values of callbacks */
    double *unit, *u;     /* q with unit quaternions; v - G^T mu */
    double *ones, *identity, *y0, *yp0;
    int have_mass;
    void *work;
    double t_end;
    long residuals;
} ida_peer;

static sodae_pattern pattern_of(const sodae_problem *p, sodae_function f, sodae_variable x) {
    return p->derivative[f][x].pattern;
}

static sodae_point point(ida_peer *z, double t, const double *y, const double *yp) {
    if (z->k.rotations) kinematics_at(&z->k, y, z->unit);
    sodae_point at = {.t = t,
                      .q = z->k.rotations ? z->unit : y,
                      .v = y + z->v0,
                      .a = yp + z->v0,
                      .lambda = y + z->lambda0,
                      .work = z->work};
    if (z->p->prepare) z->p->prepare(&at, z->p->user);
    return at;
}

static void add_mass(const ida_peer *z, const double *a, double *out) {
    const sodae_pattern M = z->p->value[SODAE_MASS].pattern;
    for (int j = 0; j < z->p->nv; j++)
        for (int k = M.colptr[j]; k < M.colptr[j + 1]; k++) out[M.rowind[k]] += z->mass[k] * a[j];
}

static int residual(realtype t, N_Vector y_, N_Vector yp_, N_Vector res, void *user) {
    ida_peer *z = user;
    const sodae_problem *p = z->p;
    const sodae_pattern G = pattern_of(p, SODAE_HOLONOMIC, SODAE_Q);
    const double *y = NV_DATA_S(y_), *yp = NV_DATA_S(yp_), *l = y + z->lambda0, *mu = y + z->mu0;
    double *r = NV_DATA_S(res), *rv = r + z->v0;
    sodae_point at = point(z, t, y, yp);
    z->residuals++;
    if (!z->have_mass) p->value[SODAE_MASS].fn(&at, z->mass, p->user);
    z->have_mass = p->constant_mass;
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn(&at, z->G, p->user);
    p->value[SODAE_FORCE].fn(&at, rv, p->user);
    p->value[SODAE_HOLONOMIC].fn(&at, r + z->lambda0, p->user);
    p->value[SODAE_HOLONOMIC_RATE].fn(&at, r + z->mu0, p->user);
    for (int j = 0; j < p->nv; j++) {
        double force = 0, drag = 0;
        for (int k = G.colptr[j]; k < G.colptr[j + 1]; k++) {
            force += z->G[k] * l[G.rowind[k]];
            drag += z->G[k] * mu[G.rowind[k]];
        }
        rv[j] = force - rv[j];
        z->u[j] = y[z->v0 + j] - drag;
    }
    add_mass(z, at.a, rv);
    kinematics_rate(&z->k, z->u, r);
    for (int i = 0; i < z->k.nq; i++) r[i] = yp[i] - r[i];
    return solver_late ? -1 : 0;
}

/* values += factor dF/dX */
static void put(ida_peer *z, int block, sodae_function f, sodae_variable x, double factor,
                const sodae_point *at, double *values) {
    const sodae_term *d = &z->p->derivative[f][x];
    if (!d->fn) return;
    d->fn(at, z->x, z->p->user);
    assembly_put(&z->J, z->block[block], factor, z->x, values);
}

/* Of S(p) u by p, by columns, u = v: mu is 0 up to errors. */
static void put_turns(ida_peer *z, const double *v, double *values) {
    for (int n = 0; n < z->k.rotations; n++) {
        const double *w = v + z->k.v0[n];
        const double by_p[16] = {0,     w[0], w[1], w[2],  -w[0], 0,     -w[2], w[1],
                                 -w[1], w[2], 0,    -w[0], -w[2], -w[1], w[0],  0};
        assembly_put(&z->J, z->turn[n], -0.5, by_p, values);
    }
}

static int jacobian(realtype t, realtype cj, N_Vector y_, N_Vector yp_, N_Vector res, SUNMatrix A,
                    void *user, N_Vector a, N_Vector b, N_Vector c) {
    ida_peer *z = user;
    const sodae_problem *p = z->p;
    const double *y = NV_DATA_S(y_), *yp = NV_DATA_S(yp_);
    (void)res, (void)a, (void)b, (void)c;
    double *values = z->s->dense ? SM_DATA_D(A) : SM_DATA_S(A);
    if (!z->s->dense) {
        memcpy(SM_INDEXPTRS_S(A), z->J.colptr, (size_t)(z->J.n + 1) * sizeof(long));
        memcpy(SM_INDEXVALS_S(A), z->J.rowind, (size_t)z->J.nnz * sizeof(long));
    }
    memset(values, 0, (size_t)z->J.nnz * sizeof *values);
    sodae_point at = point(z, t, y, yp);
    p->value[SODAE_MASS].fn(&at, z->mass, p->user);
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn(&at, z->G, p->user);
    assembly_put(&z->J, z->block[Q_RATE], cj, z->identity, values);
    assembly_put(&z->J, z->block[Q_V], -1, z->ones, values);
    put_turns(z, at.v, values);
    assembly_put(&z->J, z->block[Q_MU], 1, z->G, values);
    assembly_put(&z->J, z->block[MASS], cj, z->mass, values);
    put(z, MASS_Q, SODAE_MASS, SODAE_Q, 1, &at, values);
    put(z, FORCE_Q, SODAE_FORCE, SODAE_Q, -1, &at, values);
    put(z, FORCE_V, SODAE_FORCE, SODAE_V, -1, &at, values);
    put(z, REACTION_Q, SODAE_REACTION, SODAE_Q, 1, &at, values);
    assembly_put(&z->J, z->block[V_LAMBDA], 1, z->G, values);
    assembly_put(&z->J, z->block[G_Q], 1, z->G, values);
    assembly_put(&z->J, z->block[G_V], 1, z->G, values);
    put(z, RATE_Q, SODAE_HOLONOMIC_RATE, SODAE_Q, 1, &at, values);
    return 0;
}

static void set_blocks(ida_peer *z, const int *numbers) {
    const sodae_problem *p = z->p;
    const sodae_pattern G = pattern_of(p, SODAE_HOLONOMIC, SODAE_Q), one = {numbers, numbers};
    int nv = p->nv, nl = p->nlambda, v = z->v0, l = z->lambda0, m = z->mu0, *b = z->block;
    assembly *J = &z->J;
    assembly_open(J, m + nl, &z->k);
    b[Q_RATE] = assembly_add(J, one, z->k.nq, z->k.nq, 0, 0, 0, PLAIN);
    b[Q_V] = assembly_add(J, one, nv, nv, 0, v, 0, TURNED_ROWS);
    for (int n = 0; n < z->k.rotations; n++)
        z->turn[n] = assembly_add(J, (sodae_pattern){0}, 4, 4, z->k.q0[n], z->k.q0[n], 0, PLAIN);
    b[Q_MU] = assembly_add(J, G, nl, nv, 0, m, 1, TURNED_ROWS);
    b[MASS] = assembly_add(J, p->value[SODAE_MASS].pattern, nv, nv, v, v, 0, PLAIN);
    b[V_LAMBDA] = assembly_add(J, G, nl, nv, v, l, 1, PLAIN);
    b[G_Q] = assembly_add(J, G, nl, nv, l, 0, 0, TURNED_COLUMNS);
    b[G_V] = assembly_add(J, G, nl, nv, m, v, 0, PLAIN);
    static const struct {
        int block;
        sodae_function f;
        sodae_variable x;
    } second[] = {{MASS_Q, SODAE_MASS, SODAE_Q},
                  {FORCE_Q, SODAE_FORCE, SODAE_Q},
                  {FORCE_V, SODAE_FORCE, SODAE_V},
                  {REACTION_Q, SODAE_REACTION, SODAE_Q},
                  {RATE_Q, SODAE_HOLONOMIC_RATE, SODAE_Q}};
    for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
        int rate = second[i].block == RATE_Q, by_v = second[i].x == SODAE_V;
        b[second[i].block] =
            assembly_add(J, pattern_of(p, second[i].f, second[i].x), rate ? nl : nv, nv,
                         rate ? m : v, by_v ? v : 0, 0, by_v ? PLAIN : TURNED_COLUMNS);
    }
    assembly_close(J, z->s->dense);
}

/* Consistent values: those of the problem, accelerations and multipliers that follow. */
static int start(ida_peer *z) {
    const sodae_problem *p = z->p;
    kkt K;
    memcpy(z->y0, p->initial.q, (size_t)z->k.nq * sizeof(double));
    memcpy(z->y0 + z->v0, p->initial.v, (size_t)p->nv * sizeof(double));
    sodae_point at = point(z, p->initial.t, z->y0, z->yp0);
    kkt_open(&K, p, &z->k), kkt_begin(&K);
    int bad = kkt_accelerate(&K, &at, z->yp0 + z->v0, z->y0 + z->lambda0);
    kinematics_rate(&z->k, z->y0 + z->v0, z->yp0);
    kkt_end(&K), kkt_close(&K);
    return bad;
}

void *ida_open(const solver *s, bench_problem *b) {
    const sodae_problem *p = &b->p;
    ida_peer *z = calloc(1, sizeof *z);
    z->p = p, z->s = s, z->t_end = b->t_end;
    if (kinematics_open(&z->k, p)) return free(z), NULL;
    z->v0 = z->k.nq, z->lambda0 = z->v0 + p->nv, z->mu0 = z->lambda0 + p->nlambda;
    int n = z->mu0 + p->nlambda, *numbers = calloc((size_t)n + 1, sizeof *numbers);
    for (int i = 0; i <= n; i++) numbers[i] = i;
    if (s->dense && n > 600) return kinematics_close(&z->k), free(numbers), free(z), NULL;
    set_blocks(z, numbers);
    free(numbers);
    z->G = calloc((size_t)(4 * z->J.nnz + 9 * n), sizeof(double)), z->mass = z->G + z->J.nnz;
    z->x = z->mass + z->J.nnz, z->unit = z->x + z->J.nnz, z->u = z->unit + n, z->ones = z->u + n;
    z->y0 = z->ones + n, z->yp0 = z->y0 + n;
    for (int i = 0; i < n; i++) z->ones[i] = 1;
    z->identity = z->ones;
    z->work = bench_work(p);
    if (!start(z)) return z;
    ida_close(z);
    return NULL;
}

void ida_close(void *memory) {
    ida_peer *z = memory;
    assembly_free(&z->J);
    kinematics_close(&z->k);
    free(z->G), free(z->work), free(z);
}

static void quiet(int code, const char *module, const char *function, char *text, void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

typedef struct ida_memory {
    SUNContext context;
    N_Vector y, yp, id, atol;
    SUNMatrix A;
    SUNLinearSolver linear;
    void *ida;
} ida_memory;

static int set_up(ida_peer *z, ida_memory *m, double tol, double first) {
    int n = z->J.n, bad = SUNContext_Create(NULL, &m->context);
    m->y = N_VNew_Serial(n, m->context);
    m->yp = N_VClone(m->y), m->id = N_VClone(m->y), m->atol = N_VClone(m->y);
    memcpy(NV_DATA_S(m->y), z->y0, (size_t)n * sizeof(double));
    memcpy(NV_DATA_S(m->yp), z->yp0, (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) {
        NV_Ith_S(m->id, i) = i < z->lambda0;
        NV_Ith_S(m->atol, i) = i < z->lambda0 ? tol : NO_TEST;
    }
    m->A = z->s->dense ? SUNDenseMatrix(n, n, m->context)
                       : SUNSparseMatrix(n, n, z->J.nnz, CSC_MAT, m->context);
    m->linear = z->s->dense ? SUNLinSol_Dense(m->y, m->A, m->context)
                            : SUNLinSol_KLU(m->y, m->A, m->context);
    m->ida = IDACreate(m->context);
    bad |= IDAInit(m->ida, residual, z->p->initial.t, m->y, m->yp);
    bad |= IDASetErrHandlerFn(m->ida, quiet, NULL);
    bad |= IDASetUserData(m->ida, z);
    bad |= IDASVtolerances(m->ida, tol, m->atol);
    bad |= IDASetId(m->ida, m->id);
    bad |= IDASetSuppressAlg(m->ida, 1);
    bad |= IDASetStopTime(m->ida, z->t_end);
    bad |= IDASetMaxNumSteps(m->ida, -1);
    if (first > 0) bad |= IDASetInitStep(m->ida, first);
    if (z->s->order) bad |= IDASetMaxOrd(m->ida, z->s->order);
    bad |= IDASetLinearSolver(m->ida, m->linear, m->A);
    bad |= IDASetJacFn(m->ida, jacobian);
    return bad;
}

static void tear_down(ida_memory *m) {
    IDAFree(&m->ida);
    SUNLinSolFree(m->linear);
    SUNMatDestroy(m->A);
    N_VDestroy(m->y), N_VDestroy(m->yp), N_VDestroy(m->id), N_VDestroy(m->atol);
    SUNContext_Free(&m->context);
}

static void report(const ida_peer *z, const ida_memory *m, int flag, outcome *out) {
    long tests = 0, solves = 0;
    IDAGetNumSteps(m->ida, &out->steps);
    IDAGetNumErrTestFails(m->ida, &tests), IDAGetNumStepSolveFails(m->ida, &solves);
    IDAGetNumNonlinSolvIters(m->ida, &out->iterations);
    IDAGetNumLinSolvSetups(m->ida, &out->matrices);
    out->refused = tests + solves, out->forces = z->residuals;
    if (flag < 0) {
        char *name = IDAGetReturnFlagName(flag);
        strncpy(out->status, solver_late ? "TOO_LONG" : name, sizeof out->status - 1);
        free(name);
    }
    const double *y = NV_DATA_S(m->y);
    memcpy(out->q, y, (size_t)z->k.nq * sizeof(double));
    memcpy(out->v, y + z->v0, (size_t)z->p->nv * sizeof(double));
    memcpy(out->lambda, y + z->lambda0, (size_t)z->p->nlambda * sizeof(double));
}

static int run_from(ida_peer *z, double tol, double first, outcome *out) {
    ida_memory m = {0};
    realtype t;
    z->residuals = 0, z->have_mass = 0;
    int flag = set_up(z, &m, tol, first);
    if (!flag) flag = IDASolve(m.ida, z->t_end, &t, m.y, m.yp, IDA_NORMAL);
    report(z, &m, flag, out);
    tear_down(&m);
    return flag;
}

/* Where Newton fails in IDA's own first step, that is 1e-4 of the interval. */
void ida_run(const solver *s, void *memory, double tol, outcome *out) {
    ida_peer *z = memory;
    (void)s;
    int flag = run_from(z, tol, 0, out);
    if (flag != IDA_CONV_FAIL || out->steps > 0) return;
    strcpy(out->status, "ok");
    run_from(z, tol, 1e-4 * (z->t_end - z->p->initial.t), out);
}
