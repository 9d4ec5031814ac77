/* Steps in which nothing turns too far.
 *
 * Inside of a step, and between the steps that a method remembers, q is described by
 * xi = log(q_n^-1 o q), the shortest way: a body that has turned by more than pi seems to have
 * turned back. However smooth its motion is, a step must not be that long: with some distance,
 *     log(exp(y)) = y,    y = k h v / far,
 * for the velocities at both ends of the step and a method that remembers k - 1 steps. */
#include "integrator/integrator.h"

#include "base/vec.h"

#include <float.h>
#include <math.h>

static const double far = 0.75;    /* of the way to where log is not unique */
static const double shorter = 0.8; /* than the step tried, until one is short enough */
static const double rounding = 1e-6, little = 0.1; /* a turn back is 2 pi less */
/* rad, so that three ends of steps are of use (through.c), and at closer tolerances less: what the
 * polynomial through them leaves was measured as 1e-5 at 1.25 rad, and falls as the 8th power. */
static const double widest = 1.25, plain = 1e-6, power = 8;

/* Is log(exp(y)) the y it should be? */
static int is_unique(sodae *s, const double *v, double h) {
    const sodae_space *space = s->eval.space;
    const double *q = s->stepper.now.q;
    double *y = s->dense_scratch, *back = y + s->eval.nv, *moved = s->middle[0].q;
    for (int i = 0; i < s->eval.nv; i++) y[i] = h / far * v[i];
    sodae_space_retract(space, q, y, moved);
    sodae_space_difference(space, q, moved, back);
    for (int p = 0; p < space->nparts; p++) {
        const sodae_part *g = &space->parts[p];
        double most = little + rounding * vec_max(g->nv, y + g->v0);
        for (int i = g->v0; i < g->v0 + g->nv && !g->group->abelian; i++)
            if (!(fabs(back[i] - y[i]) <= most)) return 0;
    }
    return 1;
}

/* rad/s; 0 where a group is not known to rotate. */
static double angular_velocity(const sodae_part *g, const double *v) {
    const double *w = v + g->v0 + (g->group == &sodae_se3 ? 3 : 0);
    int rotates = g->group == &sodae_so3 || g->group == &sodae_so3_quaternion ||
                  g->group == &sodae_s3 || g->group == &sodae_se3;
    return rotates ? sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]) : 0;
}

/* A polynomial of xi follows rotations as far as this. */
static double angle_limit(const sodae *s, const double *v, double h) {
    const sodae_space *space = s->eval.space;
    double angle = widest * pow(fmin(1, fmax(s->options.rtol, DBL_EPSILON) / plain), 1 / power);
    for (int p = 0; p < space->nparts; p++) {
        double w = angular_velocity(&space->parts[p], v);
        if (w * h > angle) h = angle / w;
    }
    return h;
}

double turns_limit(sodae *s, const double *v, double h) {
    enum { MOST = 400 };
    int k = s->stepper.reach > 1 ? s->stepper.reach : 1;
    if (s->eval.space->abelian) return h;
    h = angle_limit(s, v, h);
    for (int i = 0; i < MOST && !is_unique(s, v, k * h); i++) h *= shorter;
    return h;
}
