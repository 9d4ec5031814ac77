/* A nonholonomic constraint on a Lie group: Suslov's problem, a body on SO(3) that cannot turn
 * about one of its own axes. J Ω' = JΩ × Ω − ψ e₃, Ω₃ = 0, with J₁₃ ≠ 0. Exact: Ω₁ = A / cosh(kt +
 * c), Ω₂ = B tanh(kt + c), B = √(2E/J₂₂), A = √(2E/J₁₁), k = J₁₃ B / J₁₁. */
#include "papers/experiment.h"

#include <math.h>
#include <string.h>

static const double J[9] = {2, 0, 0.6, 0, 3, 0, 0.6, 0, 4}; /* symmetric */
static const double speed = 2.5, phase = -1.5;              /* B and c */

enum { ROWS = 7, FINEST = 1 << 15 };

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static int mass(const sodae_point *at, double *M, void *user) {
    (void)at, (void)user;
    memcpy(M, J, sizeof J);
    return 0;
}

static int force(const sodae_point *at, double *f, void *user) {
    double L[3] = {0};
    (void)user;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) L[i] += J[i + 3 * k] * at->v[k];
    cross(L, at->v, f);
    return 0;
}

static int axis(const sodae_point *at, double *k, void *user) {
    (void)user;
    k[0] = at->v[2];
    return 0;
}

static void exact(double t, double Omega[3], double *psi) {
    double A = speed * sqrt(J[4] / J[0]), k = J[6] * speed / J[0], x = k * t + phase;
    Omega[0] = A / cosh(x);
    Omega[1] = speed * tanh(x);
    Omega[2] = 0;
    *psi = (J[0] - J[4]) * Omega[0] * Omega[1] + J[6] * A * k * sinh(x) / (cosh(x) * cosh(x));
}

typedef struct state {
    double R[9], Omega[3], psi;
} state;

static int integrate(const sodae_space *space, int soi2, long n, state *end) {
    double R0[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, v0[3], psi;
    exact(0, v0, &psi);
    sodae_problem problem = {
        .size = sizeof(sodae_problem), .name = "suslov", .space = space, .nv = 3, .npsi = 1};
    problem.constant_mass = 1;
    problem.value[SODAE_MASS].fn = mass;
    problem.value[SODAE_FORCE].fn = force;
    problem.value[SODAE_NONHOLONOMIC].fn = axis;
    problem.initial = (sodae_point){.q = R0, .v = v0};
    sodae_options options = sodae_default_options();
    options.rho_inf = 0.6;
    options.formulation = soi2 ? SODAE_SOI2 : SODAE_INDEX3;
    options.step = 2.0 / (double)n;
    sodae *s = NULL;
    int bad = sodae_create(&s, &problem, &options, NULL) < 0 || sodae_start(s) < 0 ||
              sodae_advance(s, 2, NULL, NULL) < 0;
    if (!bad) {
        memcpy(end->R, sodae_state(s)->q, sizeof end->R);
        memcpy(end->Omega, sodae_state(s)->v, sizeof end->Omega);
        end->psi = sodae_state(s)->psi[0];
    }
    sodae_free(s);
    return bad;
}

/* Errors of R (against the finest run), Ω and ψ at t = 2 for n = 20, 40, ... */
static void measure(page *p, const sodae_space *space, int soi2, const state *fine,
                    converge_result *r) {
    r->rows = 0;
    for (int i = 0; i < ROWS; i++) {
        state end;
        double Omega[3], psi, dR[3];
        if (integrate(space, soi2, 20L << i, &end)) {
            page_claim(p, 0, "Suslov’s problem runs with %ld steps", 20L << i);
            return;
        }
        exact(2, Omega, &psi);
        sodae_space_difference(space, end.R, fine->R, dR);
        for (int k = 0; k < 3; k++) Omega[k] -= end.Omega[k];
        r->h[i] = 0.1 / (double)(1 << i);
        r->error[0][i] = cli_norm(dR, 3);
        r->error[1][i] = cli_norm(Omega, 3);
        r->error[2][i] = fabs(psi - end.psi);
        r->rows = i + 1;
    }
}

static const converge_figure figure[2] = {
    {.title = "Suslov’s problem on SO(3)",
     .rows = ROWS,
     .at_end = 1,
     .slope = 2,
     .ncurves = 3,
     .curves = {{CLI_Q, 0, "R", "‖log(RₙᵀR(tₙ))‖", PLOT_SQUARE, 1.95, 2.05},
                {CLI_V, 0, "Ω", "‖Ωₙ − Ω(tₙ)‖", PLOT_CIRCLE, 1.95, 2.05},
                {CLI_PSI, 0, "ψ", "|ψₙ − ψ(tₙ)|", PLOT_STAR, 1.95, 2.05}}},
    {.title = "the same with SOI2",
     .rows = ROWS,
     .at_end = 1,
     .slope = 2,
     .ncurves = 3,
     .curves = {{CLI_Q, 0, "R", "‖log(RₙᵀR(tₙ))‖", PLOT_SQUARE, 1.95, 2.05},
                {CLI_V, 0, "Ω", "‖Ωₙ − Ω(tₙ)‖", PLOT_CIRCLE, 1.95, 2.05},
                {CLI_PSI, 0, "ψ", "|ψₙ − ψ(tₙ)|", PLOT_STAR, 1.95, 2.05}}},
};

static void run(page *p) {
    const sodae_group *const groups[] = {&sodae_so3};
    sodae_space *space = NULL;
    state fine;
    converge_result r[2];
    if (sodae_space_create(groups, NULL, 1, &space) < 0 || integrate(space, 0, FINEST, &fine)) {
        page_claim(p, 0, "Suslov’s problem runs");
        sodae_space_free(space);
        return;
    }
    page_say(p,
             "Papers 001 and 002 have nonholonomic constraints on vector spaces only. A rigid body "
             "with the constraint Ω₃ = 0 has an exact angular velocity: generalized-α on SO(3), "
             "ρ<sub>∞</sub> = 0.6, errors at t = 2. R is compared with a run of %d steps.",
             FINEST);
    for (int k = 0; k < 2; k++) measure(p, space, k, &fine, &r[k]);
    plots_begin(p);
    for (int k = 0; k < 2; k++) converge_plot(p, &figure[k], &r[k]);
    plots_end(p, "Errors at t = 2.");
    for (int k = 0; k < 2; k++) {
        converge_table(p, &figure[k], &r[k]);
        converge_claims(p, &figure[k], &r[k]);
    }
    sodae_space_free(space);
}

const experiment beyond_suslov = {"beyond", "Nonholonomic on SO(3)", "Suslov’s problem", run};
