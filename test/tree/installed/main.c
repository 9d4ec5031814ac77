/* A pendulum of length 1, from a user's point of view: only the installed headers and library. */
#include <sodae/sodae.h>

#include <math.h>
#include <stdio.h>

static int gravity(const sodae_point *at, double *f, void *user) {
    (void)at, (void)user;
    f[0] = 0, f[1] = -9.81;
    return 0;
}

static int rod(const sodae_point *at, double *g, void *user) {
    (void)user;
    g[0] = (at->q[0] * at->q[0] + at->q[1] * at->q[1] - 1) / 2;
    return 0;
}

int main(void) {
    const double q0[] = {1, 0}, v0[] = {0, 0};
    sodae_problem pendulum = {
        .size = sizeof(sodae_problem), .name = "pendulum", .nv = 2, .nlambda = 1};
    pendulum.value[SODAE_FORCE].fn = gravity;
    pendulum.value[SODAE_HOLONOMIC].fn = rod;
    pendulum.initial = (sodae_point){.q = q0, .v = v0};

    sodae_options options = sodae_default_options();
    options.step = 1e-3;
    sodae *s;
    sodae_failure why;
    sodae_status status = sodae_create(&s, &pendulum, &options, &why);
    if (status >= 0) status = sodae_start(s);
    if (status >= 0) status = sodae_advance(s, 1.0, NULL, NULL);
    const double *q = status >= 0 ? sodae_state(s)->q : q0;
    double length = hypot(q[0], q[1]);
    printf("sodae %s: %s, q = (%g, %g)\n", sodae_version(), sodae_status_name(status), q[0], q[1]);
    sodae_free(s);
    return !(status >= 0 && q[1] < 0 && fabs(length - 1) < 1e-12);
}
