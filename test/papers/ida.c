/* Claim: the numbers of IDA that the report of the papers quotes. */
#include "papers/ida.h"
#include "claims.h"
#include "problems/catalogue.h"

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

typedef struct first_order {
    int n;
    double atol[6];
    IDAResFn residual;
} first_order;

typedef struct motion {
    double q1, q2, v1, v2, lambda;
    double f1, f2; /* forces */
} motion;

static motion motion_of(const double *y) {
    motion m = {y[0], y[1], y[2], y[3], y[4], 0, 0};
    m.f1 = -m.q1 - 2 * m.q1 * m.v1 * m.v2 - 2 * m.q1 * m.lambda;
    m.f2 = -m.v1 + 2 * m.q1 * m.q2 * m.q2 - 2 * m.q2 * m.lambda;
    return m;
}

static int index3(realtype t, N_Vector y, N_Vector yp, N_Vector res, void *user) {
    (void)t, (void)user;
    const double *d = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(res);
    motion m = motion_of(N_VGetArrayPointer(y));
    r[0] = d[0] - m.v1;
    r[1] = d[1] - m.v2;
    r[2] = d[2] - m.f1;
    r[3] = d[3] - m.f2;
    r[4] = m.q1 * m.q1 + m.q2 * m.q2 - 1;
    return 0;
}

static int ggl(realtype t, N_Vector y, N_Vector yp, N_Vector res, void *user) {
    double eta = N_VGetArrayPointer(y)[5], *r = N_VGetArrayPointer(res);
    motion m = motion_of(N_VGetArrayPointer(y));
    index3(t, y, yp, res, user);
    r[0] += 2 * m.q1 * eta;
    r[1] += 2 * m.q2 * eta;
    r[5] = 2 * m.q1 * m.v1 + 2 * m.q2 * m.v2;
    return 0;
}

static int reduced(realtype t, N_Vector y, N_Vector yp, N_Vector res, void *user) {
    (void)t, (void)user;
    const double *d = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(res);
    motion m = motion_of(N_VGetArrayPointer(y));
    r[0] = d[0] - m.v1;
    r[1] = d[2] - m.f1;
    r[2] = m.q1 * m.q1 + m.q2 * m.q2 - 1;
    r[3] = 2 * m.q1 * m.v1 + 2 * m.q2 * m.v2;
    r[4] = 2 * m.v1 * m.v1 + 2 * m.q1 * m.f1 + 2 * m.v2 * m.v2 + 2 * m.q2 * m.f2;
    return 0;
}

static const first_order systems[] = {
    [IDA_INDEX3] = {5, {1e-4, 1e-4, 1e-2, 1e-2, 1}, index3},
    [IDA_GGL] = {6, {1e-4, 1e-4, 1e-4, 1e-4, 1e-4, 1e-4}, ggl},
    [IDA_REDUCED] = {5, {1e-4, 1e-4, 1e-3, 1e-2, 1e-2}, reduced},
};

/* The truck (8.7'): p, v, lambda; M is diagonal. */
enum { TRUCK = 11, TRUCK_SIZE = 2 * TRUCK + 1 };

static int truck(realtype t, N_Vector y, N_Vector yp, N_Vector res, void *user) {
    const sodae_problem *p = user;
    const double *x = N_VGetArrayPointer(y), *d = N_VGetArrayPointer(yp);
    double *r = N_VGetArrayPointer(res), M[TRUCK * TRUCK], f[TRUCK], G[TRUCK];
    const sodae_point at = {.t = t, .q = x, .v = x + TRUCK, .lambda = x + 2 * TRUCK};
    void *own = p->user;
    p->value[SODAE_MASS].fn(&at, M, own);
    p->value[SODAE_FORCE].fn(&at, f, own);
    p->derivative[SODAE_HOLONOMIC][SODAE_Q].fn(&at, G, own);
    p->value[SODAE_HOLONOMIC].fn(&at, r + 2 * TRUCK, own);
    for (int i = 0; i < TRUCK; i++) {
        r[i] = d[i] - x[TRUCK + i];
        r[TRUCK + i] = M[i * (TRUCK + 1)] * d[TRUCK + i] - f[i] + G[i] * x[2 * TRUCK];
    }
    return 0;
}

/* ATOL 1e-4, 1e-2 for lambda; RTOL 1e-3, 1 for lambda */
static int truck_weights(N_Vector y, N_Vector weights, void *user) {
    const double *x = N_VGetArrayPointer(y);
    double *w = N_VGetArrayPointer(weights);
    (void)user;
    for (int i = 0; i < TRUCK_SIZE; i++)
        w[i] = i < 2 * TRUCK ? 1 / (1e-3 * fabs(x[i]) + 1e-4) : 1 / (fabs(x[i]) + 1e-2);
    return 0;
}

static void quiet(int code, const char *module, const char *function, char *text, void *user) {
    (void)code, (void)module, (void)function, (void)text, (void)user;
}

typedef struct point {
    double t, q1, lambda;
    long steps;
} point;

static int go(void *ida, N_Vector y, N_Vector yp, int each, point *points, int room) {
    int n = 0;
    double t = 0;
    while (n < room && t < 1) {
        double next = each ? 1 : (n + 1) / (double)room;
        if (IDASolve(ida, next, &t, y, yp, each ? IDA_ONE_STEP : IDA_NORMAL) < 0) break;
        const double *x = N_VGetArrayPointer(y);
        points[n] = (point){t, x[0], x[4], 0};
        IDAGetNumSteps(ida, &points[n++].steps);
    }
    return n;
}

/* `each` = 0: the states at `room` times, evenly; 1: after each step. Returns the number of points.
 */
static int run(ida_system system, int each, point *points, int room) {
    const first_order *s = &systems[system];
    static const double y0[] = {0, 1, 1, 0, 0, 0}, yp0[] = {1, 0, 0, -1, 1, 0};
    SUNContext context;
    if (SUNContext_Create(NULL, &context)) return 0;
    N_Vector y = N_VNew_Serial(s->n, context), yp = N_VClone(y), atol = N_VClone(y);
    for (int i = 0; i < s->n; i++) {
        N_VGetArrayPointer(y)[i] = y0[i];
        N_VGetArrayPointer(yp)[i] = yp0[i];
        N_VGetArrayPointer(atol)[i] = s->atol[i];
    }
    SUNMatrix A = SUNDenseMatrix(s->n, s->n, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, A, context);
    void *ida = IDACreate(context);
    int bad = IDAInit(ida, s->residual, 0, y, yp);
    bad |= IDASetErrHandlerFn(ida, quiet, NULL);
    bad |= IDASVtolerances(ida, 1e-4, atol);
    bad |= IDASetLinearSolver(ida, solver, A);
    int n = bad ? 0 : go(ida, y, yp, each, points, room);
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    N_VDestroy(atol);
    SUNContext_Free(&context);
    return n;
}

/* Seat, lambda and steps at the times of the report. */
static int run_truck(ida_truck_row *rows, int room) {
    const catalogue_entry *entry = catalogue_find("truck11");
    sodae_problem *p = entry->create(NULL);
    SUNContext context;
    if (!p || SUNContext_Create(NULL, &context)) return 0;
    N_Vector y = N_VNew_Serial(TRUCK_SIZE, context), yp = N_VClone(y);
    N_VConst(0, y), N_VConst(0, yp);
    N_VGetArrayPointer(y)[2 * TRUCK] = IDA_TRUCK_LOAD;
    SUNMatrix A = SUNDenseMatrix(TRUCK_SIZE, TRUCK_SIZE, context);
    SUNLinearSolver solver = SUNLinSol_Dense(y, A, context);
    void *ida = IDACreate(context);
    int bad = IDAInit(ida, truck, 0, y, yp), n = 0;
    bad |= IDASetErrHandlerFn(ida, quiet, NULL);
    bad |= IDAWFtolerances(ida, truck_weights);
    bad |= IDASetUserData(ida, p) | IDASetLinearSolver(ida, solver, A);
    bad |= IDASetMaxNumSteps(ida, 100000);
    for (double t; !bad && n < room; n++) {
        long steps;
        if (IDASolve(ida, rows[n].t, &t, y, yp, IDA_NORMAL) < 0) break;
        IDAGetNumSteps(ida, &steps);
        rows[n].seat = N_VGetArrayPointer(y)[8];
        rows[n].lambda = N_VGetArrayPointer(y)[2 * TRUCK];
        rows[n].steps = (int)steps;
    }
    IDAFree(&ida);
    SUNLinSolFree(solver);
    SUNMatDestroy(A);
    N_VDestroy(y);
    N_VDestroy(yp);
    SUNContext_Free(&context);
    entry->free(p);
    return n;
}

/* The last printed digit of an error: half a unit of its third digit, and rounding in the run. */
static void check(double found, double quoted) {
    CHECK_NEAR(found, quoted, 1e-2 * quoted);
}

static void the_errors_of_the_tables_are_quoted(void **unused) {
    (void)unused;
    for (int k = 0; k < IDA_SYSTEMS; k++) {
        point points[IDA_ROWS];
        assert_int_equal(run((ida_system)k, 0, points, IDA_ROWS), IDA_ROWS);
        for (int i = 0; i < IDA_ROWS; i++) {
            double t = 0.1 * (i + 1);
            check(fabs(points[i].q1 - sin(t)), ida_rows[k][i].q1);
            check(fabs(points[i].lambda - sin(t) * cos(t)), ida_rows[k][i].lambda);
            assert_int_equal(points[i].steps, ida_rows[k][i].steps);
        }
    }
}

static void the_steps_of_the_figure_are_quoted(void **unused) {
    (void)unused;
    point points[IDA_STEPS + 1];
    assert_int_equal(run(IDA_INDEX3, 1, points, IDA_STEPS + 1), IDA_STEPS);
    for (int i = 0; i < IDA_STEPS; i++) {
        CHECK_NEAR(points[i].t, ida_steps[i].t, 1e-5);
        CHECK_NEAR(points[i].lambda, ida_steps[i].lambda, 1e-4);
    }
}

/* To the tolerance of the run: its steps depend on rounding. */
static void the_truck_of_the_report_is_quoted(void **unused) {
    (void)unused;
    ida_truck_row found[IDA_TRUCK_ROWS];
    for (int i = 0; i < IDA_TRUCK_ROWS; i++) found[i] = (ida_truck_row){ida_truck[i].t, 0, 0, 0};
    assert_int_equal(run_truck(found, IDA_TRUCK_ROWS), IDA_TRUCK_ROWS);
    for (int i = 0; i < IDA_TRUCK_ROWS; i++) {
        CHECK_NEAR(found[i].seat, ida_truck[i].seat, 1e-4);
        CHECK_NEAR(found[i].lambda, ida_truck[i].lambda, 0.01 * IDA_TRUCK_LOAD);
        CHECK_NEAR(found[i].steps, ida_truck[i].steps, 0.02 * ida_truck[i].steps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_errors_of_the_tables_are_quoted),
        cmocka_unit_test(the_steps_of_the_figure_are_quoted),
        cmocka_unit_test(the_truck_of_the_report_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
