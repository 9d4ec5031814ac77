/* Events: zeros of functions of the state, and times, at which something happens.
 *
 * They are located on the record of a trial before it is committed: an event that acts or stops
 * cuts the step there, one that does neither is noted. After the commit the loop shows the notes
 * and lets the events act that are due. */
#pragma once

#include "monitor/monitor.h"

typedef struct events events;

/* Something that was noted. */
typedef struct event_note {
    double t;
    int event;
} event_note;

/* A monitor (monitor.c): its limit is the next time event, breakpoint or return of an event; it
 * judges a trial by locating its events, and sets t->t_cut or refuses the trial; after the commit
 * it knows which are due. The last one in the list, as it may cut the trial. */
extern const monitor monitor_events;

/* After a start of the run. */
sodae_status events_start(events *v, engine *e);

/* The run turns round: nothing before determines events behind. NOT_ALLOWED where times at which
 * something happens are known forward only. */
sodae_status events_turn(events *v, engine *e);

/* The next event that is due, -1: none. */
int events_due(const events *v);
/* It acts, and the engine starts again behind it. A failure leaves the state before it, and the
 * event due. */
sodae_status events_act(events *v, engine *e, arena *a, int event);

/* The engine starts again at a breakpoint. A failure leaves the state before it. */
sodae_status events_break(events *v, engine *e, arena *a);

/* The first note that was not shown, NULL: none; it is. */
const event_note *events_note(const events *v);
void events_pass_note(events *v);
/* Of the events at this time, the one that ends the run, -1: none; the sink knows of it. */
int events_stopper(const events *v);
void events_stop_shown(events *v, int event);
/* Notes, and what ends the run, are of another run. */
void events_forget(events *v);
/* Events so far; jumps of velocities, the largest, and its time as the engine counts it. */
void events_count(const events *v, sodae_statistics *c);
