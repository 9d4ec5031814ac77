/* SUNDIALS IDA on the stabilised index 2 form, built from any problem:
 *     q' = DL_q(e) (v - G^T mu),  M v' = f - G^T lambda - K^T psi,  r' = f_r,
 *     0 = d, h, g, k, G v + g_t.
 * y = (q, v, r, w, s, lambda, psi, mu). Consistent initial values are those of sodae_start. */
#include "bench/outcome.h"

#include "bench/ggl.h"

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static int residual(realtype t, N_Vector y, N_Vector yp, N_Vector res, void *user) {
    return ggl_residual(user, t, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                        N_VGetArrayPointer(res));
}

static int jacobian(realtype t, realtype cj, N_Vector y, N_Vector yp, N_Vector res, SUNMatrix J,
                    void *user, N_Vector a, N_Vector b, N_Vector c) {
    (void)res, (void)a, (void)b, (void)c;
    return ggl_jacobian(user, t, cj, N_VGetArrayPointer(y), N_VGetArrayPointer(yp),
                        SUNDenseMatrix_Data(J));
}

static void quiet(int code, const char *module, const char *function, char *text, void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

typedef struct peer {
    ggl form;
    SUNContext context;
    N_Vector y, yp, id;
    SUNMatrix A;
    SUNLinearSolver solver;
    void *ida;
} peer;

static int open(peer *z, const solver *s, const sodae_problem *p, double t_end, double tol,
                double first) {
    if (ggl_open(&z->form, p) || SUNContext_Create(NULL, &z->context)) return -1;
    int n = z->form.n;
    z->y = N_VNew_Serial(n, z->context);
    z->yp = N_VClone(z->y);
    z->id = N_VClone(z->y);
    z->A = SUNDenseMatrix(n, n, z->context);
    z->solver = SUNLinSol_Dense(z->y, z->A, z->context);
    z->ida = IDACreate(z->context);
    if (!z->ida || !z->solver) return -1;
    if (ggl_start(&z->form, N_VGetArrayPointer(z->y), N_VGetArrayPointer(z->yp))) return -1;
    double *id = N_VGetArrayPointer(z->id);
    for (int i = 0; i < n; i++) id[i] = i < z->form.differential;
    int bad = IDAInit(z->ida, residual, p->initial.t, z->y, z->yp);
    bad |= IDASetErrHandlerFn(z->ida, quiet, NULL);
    bad |= IDASetUserData(z->ida, &z->form);
    bad |= IDASStolerances(z->ida, tol, tol);
    bad |= IDASetId(z->ida, z->id);
    bad |= IDASetSuppressAlg(z->ida, !s->all_in_test);
    bad |= IDASetStopTime(z->ida, t_end);
    if (first > 0) bad |= IDASetInitStep(z->ida, first);
    bad |= IDASetMaxNumSteps(z->ida, -1);
    bad |= IDASetLinearSolver(z->ida, z->solver, z->A);
    if (z->form.has_jacobian) bad |= IDASetJacFn(z->ida, jacobian);
    return bad;
}

static void count(peer *z, outcome *out) {
    IDAGetNumSteps(z->ida, &out->steps);
    long tests = 0, solves = 0;
    IDAGetNumErrTestFails(z->ida, &tests);
    IDAGetNumStepSolveFails(z->ida, &solves);
    IDAGetNumNonlinSolvIters(z->ida, &out->newton);
    IDAGetNumLinSolvSetups(z->ida, &out->factorizations);
    out->refused = tests + solves;
    out->residuals = z->form.residuals;
}

/* `first` is the size of the first step, 0: IDA's own. */
static void run_from(const solver *s, const sodae_problem *p, double t_end, double tol,
                     double first, int measure, outcome *out) {
    peer z;
    memset(&z, 0, sizeof z);
    track k;
    if (open(&z, s, p, t_end, tol, first) || track_open(&k, p, t_end, s, measure)) {
        snprintf(out->status, sizeof out->status, "NOT_STARTED");
        return;
    }
    double t = p->initial.t, *y = N_VGetArrayPointer(z.y);
    int flag = 0;
    while (flag >= 0 && t < t_end && !k.late) {
        flag = IDASolve(z.ida, t_end, &t, z.y, z.yp, IDA_ONE_STEP);
        if (flag >= 0) track_see(&k, t, y, y + z.form.at_v, NULL, y + z.form.at_lambda);
    }
    count(&z, out);
    out->first = y[0];
    if (flag < 0) {
        char *name = IDAGetReturnFlagName(flag);
        snprintf(out->status, sizeof out->status, "%s", name);
        free(name);
    } else if (k.late) {
        snprintf(out->status, sizeof out->status, "TOO_LONG");
    } else if (k.room) {
        out->q = k.q, out->v = k.v, out->lambda = k.lambda;
    }
    track_close(&k);
    IDAFree(&z.ida);
    SUNLinSolFree(z.solver);
    SUNMatDestroy(z.A);
    N_VDestroy(z.y), N_VDestroy(z.yp), N_VDestroy(z.id);
    SUNContext_Free(&z.context);
    ggl_close(&z.form);
}

/* Where Newton fails in IDA's own, very small first step (the multipliers drown in rounding), the
 * run is given a first step of 1e-4 of the interval. */
void run_ida(const solver *s, const sodae_problem *p, double t_end, double tol, int measure,
             outcome *out) {
    run_from(s, p, t_end, tol, 0, measure, out);
    if (out->steps > 0 || strcmp(out->status, "IDA_CONV_FAIL")) return;
    snprintf(out->status, sizeof out->status, "ok");
    run_from(s, p, t_end, tol, 1e-4 * (t_end - p->initial.t), measure, out);
}
