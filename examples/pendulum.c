/* A mathematical pendulum in Cartesian coordinates: index 3, no angle anywhere.
 *
 *   m x'' = 0   - x lambda
 *   m y'' = -m g - y lambda        0 = (x^2 + y^2 - L^2) / 2
 *
 * The library differentiates what is not given. Here only the constraint Jacobian G = (x, y) is.
 * The program prints a table and returns 0 when energy and length were kept. */
#include <sodae/sodae.h>

#include <math.h>
#include <stdio.h>

typedef struct pendulum {
    double m, g, L;
    double worst; /* largest relative change of the energy */
} pendulum;

static int mass(const sodae_point *at, double *M, void *user) {
    const pendulum *p = user;
    (void)at;
    M[0] = M[3] = p->m;
    M[1] = M[2] = 0;
    return 0;
}

static int force(const sodae_point *at, double *f, void *user) {
    const pendulum *p = user;
    (void)at;
    f[0] = 0;
    f[1] = -p->m * p->g;
    return 0;
}

static int rod(const sodae_point *at, double *g, void *user) {
    const pendulum *p = user;
    const double *q = at->q;
    g[0] = (q[0] * q[0] + q[1] * q[1] - p->L * p->L) / 2;
    return 0;
}

static int rod_jacobian(const sodae_point *at, double *G, void *user) {
    (void)user;
    G[0] = at->q[0];
    G[1] = at->q[1];
    return 0;
}

/* Called after every step. */
static int watch(const sodae_view *s, void *user) {
    pendulum *p = user;
    double energy = p->m * (hypot(s->v[0], s->v[1]) * hypot(s->v[0], s->v[1]) / 2 + p->g * s->q[1]);
    p->worst = fmax(p->worst, fabs(energy) / (p->m * p->g * p->L)); /* it starts with 0 */
    if (s->step % 200 == 0)
        printf("%6.2f  %10.6f  %10.6f  %12.6f\n", s->t, s->q[0], s->q[1], s->lambda[0]);
    return 0;
}

int main(void) {
    pendulum p = {.m = 2, .g = 9.81, .L = 1};
    const double q0[] = {1, 0}, v0[] = {0, 0};

    sodae_problem problem = {.size = sizeof(sodae_problem),
                             .name = "pendulum",
                             .nv = 2,
                             .nlambda = 1,
                             .constant_mass = 1};
    problem.value[SODAE_MASS].fn = mass;
    problem.value[SODAE_FORCE].fn = force;
    problem.value[SODAE_HOLONOMIC].fn = rod;
    problem.derivative[SODAE_HOLONOMIC][SODAE_Q].fn = rod_jacobian;
    problem.initial = (sodae_point){.q = q0, .v = v0};
    problem.user = &p;

    sodae_options options = sodae_default_options();
    options.formulation = SODAE_STABILIZED;
    options.rho_inf = 0.9;
    options.step = 1e-3;

    sodae *s;
    sodae_failure why;
    sodae_status status = sodae_create(&s, &problem, &options, &why);
    if (status < 0) {
        fprintf(stderr, "%s\n", why.message);
        return 1;
    }
    printf("%6s  %10s  %10s  %12s\n", "t", "x", "y", "lambda");
    status = sodae_start(s);
    if (status >= 0) status = sodae_advance(s, 2.0, watch, &p);
    if (status < 0) fprintf(stderr, "%s\n", sodae_last_failure(s)->message);

    double length, rate;
    if (status >= 0) status = sodae_residuals(s, &length, &rate);
    sodae_free(s);
    if (status < 0) return 1;
    printf("energy kept to %.1e, length to %.1e\n", p.worst, length);
    return !(p.worst < 1e-4 && length < 1e-12);
}
