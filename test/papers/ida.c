/* Claim: the numbers of IDA that the report of the papers quotes. */
#include "papers/ida.h"
#include "claims.h"

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_errors_of_the_tables_are_quoted),
        cmocka_unit_test(the_steps_of_the_figure_are_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
