#include "integrator/frame.h"

#include <math.h>

static const char *const names[] = {"left", "right", "coupler", "twin"};

static int bars(const sodae_point *at, double *out, void *user) {
    const frame *f = user;
    const double *q = at->q;
    out[0] = (q[0] * q[0] + q[1] * q[1] - f->crank * f->crank) / 2;
    out[1] = ((q[2] - 1) * (q[2] - 1) + q[3] * q[3] - 1) / 2;
    out[2] = ((q[2] - q[0]) * (q[2] - q[0]) + (q[3] - q[1]) * (q[3] - q[1]) - 1) / 2;
    if (f->problem.nlambda == 4) out[3] = out[2];
    return 0;
}

static int weights(const sodae_point *at, double *out, void *user) {
    const frame *f = user;
    for (int i = 0; i < 4; i++)
        out[i] = fabs(at->q[1]) < f->broken_below ? NAN : i % 2 ? -f->weight : 0;
    return 0;
}

void frame_open(frame *f, double crank, double angle, int twin) {
    double c = cos(angle), s = sin(angle);
    *f = (frame){.crank = crank,
                 .q = {crank * c, crank * s, 1 + c, s},
                 .v = {crank * s, -crank * c, s, -c}, /* turning clockwise with 1 rad/s */
                 .problem = {.size = sizeof(sodae_problem),
                             .name = "frame",
                             .nv = 4,
                             .nlambda = 3 + twin,
                             .constant_mass = 1}};
    f->problem.value[SODAE_FORCE].fn = weights;
    f->problem.value[SODAE_HOLONOMIC].fn = bars;
    f->problem.equation_names[SODAE_HOLONOMIC] = names;
    f->problem.initial = (sodae_point){.q = f->q, .v = f->v};
    f->problem.user = f;
}
