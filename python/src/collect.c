#define _POSIX_C_SOURCE 200809L
#include "collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double look_every = 0.02, show_every = 0.2; /* [s] */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double collect_node(int i) {
    return i == COLLECT_NODES - 1 ? 1 : (1 - cos(acos(-1.0) * i / (COLLECT_NODES - 1))) / 2;
}

int collect_open(collector *c) {
    c->nstate = c->channels->first[CHANNEL_ENERGY];
    c->state = calloc((size_t)c->nstate + 1, sizeof *c->state);
    c->looked = c->shown = seconds();
    return c->state ? 0 : -1;
}

void collect_close(collector *c) {
    free(c->rows);
    free(c->samples);
    free(c->events);
    free(c->state);
    sodae_trail_free(c->trail);
}

/* Room for one more item of `size` numbers; NULL: memory ran out. */
static double *add(double **list, size_t *count, size_t *room, size_t size) {
    if (*count == *room) {
        size_t more = *room ? *room + *room / 2 : 64;
        double *grown = size > SIZE_MAX / sizeof **list / more
                            ? NULL
                            : realloc(*list, more * size * sizeof **list);
        if (!grown) return NULL;
        *list = grown;
        *room = more;
    }
    return *list + (*count)++ * size;
}

static void row_of(collector *c, const sodae_view *view) {
    double *row = add(&c->rows, &c->nrows, &c->room, (size_t)c->channels->count);
    if (row)
        channel_row(c->channels, view, row);
    else
        c->status = SODAE_NO_MEMORY;
}

void collect_start(collector *c, const sodae_view *view) {
    if (!c->times) row_of(c, view);
    for (; c->times && c->next < c->ntimes && c->way * (c->times[c->next] - view->t) <= 0;
         c->next++)
        row_of(c, view);
}

static sodae_solution blocks_of(const collector *c) {
    const int *first = c->channels->first;
    double *x = c->state;
    return (sodae_solution){.size = sizeof(sodae_solution),
                            .q = x + first[CHANNEL_Q],
                            .v = x + first[CHANNEL_V],
                            .a = x + first[CHANNEL_A],
                            .lambda = x + first[CHANNEL_LAMBDA],
                            .psi = x + first[CHANNEL_PSI],
                            .r = x + first[CHANNEL_R],
                            .w = x + first[CHANNEL_W],
                            .s = x + first[CHANNEL_S]};
}

static void state_at(collector *c, double t, sodae_view *view) {
    const sodae_solution out = blocks_of(c);
    sodae_status st = sodae_interpolate(c->integrator, t, &out);
    if (st < 0) c->status = st;
    c->state[0] = t;
    view->t = t;
    view->q = out.q, view->v = out.v, view->a = view->vdot = out.a;
    view->lambda = out.lambda, view->psi = out.psi;
    view->r = out.r, view->w = out.w, view->s = out.s;
}

/* Times that differ from the end of the step by rounding belong to it. */
static void rows_inside(collector *c, const sodae_view *end) {
    double slack = 1e-9 * fabs(end->h);
    for (; c->next < c->ntimes && !c->status; c->next++) {
        sodae_view view = *end;
        double t = c->times[c->next];
        if (c->way * (t - end->t) > slack) return;
        if (fabs(t - end->t) <= slack) {
            view.t = t;
        } else {
            state_at(c, t, &view);
        }
        if (!c->status) row_of(c, &view);
    }
}

static void sample(collector *c, const sodae_view *end) {
    size_t size = (size_t)c->nstate;
    double *to = add(&c->samples, &c->nsamples, &c->samples_room, COLLECT_NODES * size);
    if (!to) {
        c->status = SODAE_NO_MEMORY;
        return;
    }
    for (int i = 0; i < COLLECT_NODES; i++) {
        sodae_view view = *end;
        double t = i == COLLECT_NODES - 1 ? end->t : end->t - end->h * (1 - collect_node(i));
        state_at(c, t, &view);
        memcpy(to + (size_t)i * size, c->state, size * sizeof *to);
    }
}

static void note_event(collector *c, const sodae_view *view) {
    double *e = add(&c->events, &c->nevents, &c->events_room, 2);
    if (e)
        e[0] = view->t, e[1] = view->event;
    else
        c->status = SODAE_NO_MEMORY;
}

/* Ctrl-C and progress: the interpreter is entered at most every 20 ms. 1: stop. */
static int look(collector *c, double t) {
    double now = seconds();
    int stop = 0;
    if (now - c->looked < look_every) return 0;
    c->looked = now;
    if (c->released) PyEval_RestoreThread(c->released);
    if (c->progress && now - c->shown >= show_every) {
        c->shown = now;
        PyObject *done = PyObject_CallFunction(c->progress, "d", t);
        Py_XDECREF(done);
    }
    if (PyErr_Occurred() || PyErr_CheckSignals()) stop = core_caught() != 0;
    if (c->released) c->released = PyEval_SaveThread();
    return stop;
}

int collect_sink(const sodae_view *view, void *user) {
    collector *c = user;
    int is_end = view->event < 0;
    if (c->trail) sodae_trail_record(view, c->trail);
    if (!is_end) note_event(c, view);
    if (is_end && c->dense) sample(c, view);
    if (!c->times)
        row_of(c, view);
    else if (is_end)
        rows_inside(c, view);
    return c->status || look(c, view->t);
}

int collect_watch(const sodae_view *view, void *user) {
    collector *c = user;
    c->progress = NULL;
    return look(c, view->t);
}
