#include "output/balls.h"

#include <string.h>

static int fall(const sodae_point *at, double *out, void *user) {
    const balls *b = user;
    (void)at;
    for (int i = 0; i < b->problem.nv; i++) out[i] = -9.81;
    return 0;
}

#define BALL(I)                                                                                    \
    static int height_##I(const sodae_point *at, double *out, void *user) {                        \
        (void)user;                                                                                \
        out[0] = at->q[I];                                                                         \
        return 0;                                                                                  \
    }                                                                                              \
    static int bounce_##I(const sodae_point *at, const sodae_solution *state, void *user) {        \
        const balls *b = user;                                                                     \
        state->v[I] = -b->restitution * at->v[I];                                                  \
        return 0;                                                                                  \
    }
BALL(0)
BALL(1)
BALL(2)
BALL(3)

static sodae_fn *const heights[] = {height_0, height_1, height_2, height_3};
typedef int action(const sodae_point *at, const sodae_solution *state, void *user);
static action *const bounces[] = {bounce_0, bounce_1, bounce_2, bounce_3};
static const char *const names[] = {"ball 1", "ball 2", "ball 3", "ball 4"};

void balls_open(balls *b, int n, const double *height) {
    *b = (balls){
        .problem = {.size = sizeof(sodae_problem), .name = "balls", .nv = n, .constant_mass = 1}};
    b->problem.value[SODAE_FORCE].fn = fall;
    memcpy(b->q, height, (size_t)n * sizeof *height);
    b->problem.initial = (sodae_point){.q = b->q, .v = b->v};
    for (int i = 0; i < n; i++)
        b->event[i] = (sodae_event){.name = names[i], .when = heights[i], .direction = -1};
    b->problem.nevents = n;
    b->problem.events = b->event;
    b->problem.user = b;
}

void balls_bounce(balls *b, double restitution) {
    b->restitution = restitution;
    for (int i = 0; i < b->problem.nevents; i++) b->event[i].act = bounces[i];
}

int log_events(const sodae_view *view, void *user) {
    event_log *log = user;
    if (view->event < 0) return 0;
    log->event[log->count] = view->event;
    log->t[log->count++] = view->t;
    return log->count >= LOG_MAX;
}
