/* Claims about what steps do not resolve because it is smaller than the tolerances. */
#include "bodies.h"

/* y'' = 2 d y' - (w^2 + p cos 2t) y, from a billionth, beside x'' = -x/100 from 1
 * and z'' = -W^2 z + z' at rest. */
typedef struct ripple {
    double d, w, p, t_end;
    int told;
    double W;
} ripple;

static int forces(const sodae_point *at, double *out, void *user) {
    const ripple *x = user;
    double stiffness = x->w * x->w + x->p * cos(2 * at->t);
    out[0] = -1e-2 * at->q[0];
    out[1] = 2 * x->d * at->v[1] - stiffness * at->q[1];
    out[2] = x->W > 0 ? at->v[2] - x->W * x->W * at->q[2] : 0;
    return 0;
}

static sodae_status verified(const ripple *x, int method, double rtol, sodae_verification *e) {
    static const double q[3] = {1, 1e-9, 0}, v[3] = {0, 0, 0};
    sodae_problem p = {.name = "ripple", .nv = 3, .user = (void *)x};
    p.value[SODAE_FORCE].fn = forces;
    p.initial = (sodae_point){.q = q, .v = v};
    sodae *s = run_to(&p, method, rtol, x->t_end);
    sodae_status st = sodae_verify(s, e);
    sodae_free(s);
    return st;
}

static void what_grows_from_below_the_tolerances_is_told(void **unused) {
    static const ripple motions[] = {
        {0.25, 30, 0, 80, 1, 0},    /* flutter beside a motion: 1e-9 exp(20) = 0.5 */
        {0.25, 100, 0, 80, 1, 0},   /* faster */
        {0.25, 100, 0, 80, 1, 1e5}, /* hidden by one that is too fast to be followed */
        {0, 1, 0.25, 400, 1, 0},    /* parametric resonance: growth p/4 w */
        {0, 100, 0, 80, 0, 0},      /* an oscillation that nothing damps, and that stays small */
        {-0.25, 100, 0, 80, 0, 0},  /* one that is damped */
        {0, 1000, 0, 20, 0, 0},     /* too fast to be followed */
        {0.002, 100, 0, 80, 0, 0},  /* growth by 17 percent */
    };
    static const int methods[] = {SODAE_METHOD_AUTO, SODAE_BDF};
    (void)unused;
    for (size_t i = 0; i < sizeof motions / sizeof *motions; i++)
        for (int m = 0; m < (motions[i].w > 50 ? 1 : 2); m++) { /* bdf takes many steps */
            sodae_verification e;
            sodae_status st = verified(&motions[i], methods[m], 1e-6, &e);
            if (st != (motions[i].told ? SODAE_INACCURATE : SODAE_OK))
                fail_msg("motion %d, method %d: %s", (int)i, m, sodae_status_name(st));
            if (motions[i].told) CHECK_IN(e.error, 1e3, 1e12);
            CHECK_IN((double)e.steps, 10, 200000);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_grows_from_below_the_tolerances_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
