/* The memory of the events, for the files of this folder. */
#pragma once

#include "base/tuning.h"
#include "dense/root.h"
#include "event/event.h"

#include <float.h>
#include <math.h>

TUNING(event_rounding, 1000, "units in the last place: interpolation multiplies those of q");

/* Of a step: second differences over eps^(1/4) lose half of the digits, to rounding and to the next
 * term alike. */
static inline double event_near(void) {
    return sqrt(sqrt(DBL_EPSILON));
}

enum { EVENT_NOTES = 1000 }; /* events without action in one step; the next one cuts it */

/* One event of the problem. */
typedef struct event_watch {
    int sign;     /* of the function at the current state; 0: the motion decides */
    int from;     /* the side that it was on before the current time */
    int due;      /* 1: it happens at the current time and has not acted yet */
    int after;    /* the sign behind the event, which its action gets */
    double value; /* at the current state */
    double left;  /* the value where an event has left it: nearer ones do not show a side */
    double size;  /* the largest value: values far below are rounding */
    double time;  /* time events: the next one */
    /* in the trial: the zero that comes next (INFINITY: none), the sign behind the last one that
     * was noted (0: none) and its time, the value at the end */
    double next;
    int passed;
    double passed_t, end;
    /* the search: how far it has come, the value and the sign there, the last samples of one sign;
     * `left` where it has begun, 0: not at the beginning of the step */
    double ta, fa, still;
    int before, samples;
    root_dip last;
} event_watch;

struct events {
    int n;
    const sodae_event *list;
    event_watch *watch;
    event_note *note;
    int notes, noted; /* in the list; shown already */
    int stopper;      /* of the events at this time, the one that ends the run; -1: none */
    int cut;          /* 1: the last step was cut, and the method has not started again */
    double reach;     /* length of the last step */
    double turn_back; /* an event that has just acted may return by then; no step goes beyond */
    double last;      /* time of the last event that acted, */
    int at_once;      /* and how many did at that time */
    double window;    /* begin of a count of events in a short time */
    long in_window, count;
    long impacts; /* jumps of the equations at which velocities jumped; the largest, its time */
    double impact_v, impact_t;
    state at, instant, before; /* buffers: inside the trial, shared by all; before an action */
};

/* judge.c */
sodae_status event_judge(void *self, engine *e, trial *t);
sodae_status event_passed(void *self, engine *e, const trial *t);

/* locate.c */
const char *event_name(const sodae_event *e);
void *event_user(engine *e, const sodae_event *v);
sodae_status event_value(events *v, engine *e, int event, const state *x, double *value);
/* All at x: watch.end. */
sodae_status event_measure(events *v, engine *e, const state *x);
/* Hidden events hold branches between them, under error control only. */
int event_is_watched(const events *v, engine *e, int event);
/* May the event happen where the sign changes so? */
int event_allowed(const sodae_event *e, int before, int after);
/* The sign of a value, 0: it is rounding. */
int event_side(const event_watch *w, double value);
/* Is the function still at the zero at which an event has left it? */
int event_is_left(const event_watch *w, double value);
/* The first zeros in (a, b] of all functions: watch.next, watch.after. */
sodae_status event_search(events *v, engine *e, double a, double b);
/* The next zero of one of them, behind the one at a. */
sodae_status event_search_on(events *v, engine *e, int event, double a, double b);

/* jump.c: behind a jump of the equations q has to stay within the tolerance; a jump of v is an
 * impact. */
sodae_status event_check_jump(events *v, engine *e);
