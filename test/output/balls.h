/* Balls that fall and bounce, each in its own coordinate: all times are known. */
#pragma once

#include <sodae/integrator.h>

enum { BALLS_MAX = 4 };

typedef struct balls {
    sodae_problem problem;
    sodae_event event[BALLS_MAX]; /* ball i meets the floor */
    double restitution;
    double q[BALLS_MAX], v[BALLS_MAX];
} balls;

/* n balls dropped from the given heights at rest, events without action. */
void balls_open(balls *b, int n, const double *height);
/* Ball i bounces: v <- -restitution v. */
void balls_bounce(balls *b, double restitution);

/* What a sink saw. */
enum { LOG_MAX = 400 };
typedef struct event_log {
    int count;
    int event[LOG_MAX];
    double t[LOG_MAX];
} event_log;
sodae_sink log_events; /* user: event_log */

/* A prescribed step, or NAN for error control. */
static inline sodae_options event_options(double step) {
    sodae_options o = sodae_default_options();
    o.step = step;
    o.rtol = 1e-6;
    return o;
}
