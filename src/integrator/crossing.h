/* Where the functions of events pass zero (crossing.c). */
#pragma once

#include "integrator/integrator.h"

static inline int sign(double x) {
    return (x > 0) - (x < 0);
}

void *crossing_user(const sodae *s, const sodae_event *e);
const char *crossing_name(const sodae_event *e);
sodae_status crossing_code(int code); /* of a callback, not 0 */

/* The function of an event at a state; at t inside the last step. */
sodae_status crossing_value(sodae *s, int event, const state *x, double *value);
sodae_status crossing_value_at(sodae *s, int event, double t, double *value);

int crossing_allowed(const sodae_event *e, int before, int after);
/* Values up to this are zero up to rounding; times so far apart are the same. */
double crossing_noise(const sodae *s, int event);
double crossing_rounding(const sodae *s, double t);
/* Values that cannot be told from the one which the event has left behind when it acted: that is
 * off its zero by what the constraints have moved. None without such a value (NaN). */
int crossing_is_left(const sodae *s, int event, double value);
/* Zero up to rounding, or such a value. */
int crossing_is_still(const sodae *s, int event, double value);

/* Room for the search. */
void crossing_open(sodae *s);
/* The next zeros in (a, b], into s->event_next: INFINITY if there is none. Of all functions in the
 * last step; of one, the sign of which is known at a, in the rest of it. */
sodae_status crossing_all(sodae *s, double a, double b);
sodae_status crossing_next(sodae *s, int event, double a, double b);
/* Sign right after the current state, where the value itself is zero up to rounding: that of its
 * rate along the motion, or of its second derivative when the rate is zero (*rests). */
sodae_status crossing_look_ahead(sodae *s, int event, int *after, int *rests);
/* The step ends at the current state. Does the motion, if nothing acts on it, pass a zero there in
 * an allowed direction, up to rounding? Then *after is the sign behind it, otherwise 0. */
sodae_status crossing_is_here(sodae *s, int event, int *after);

/* Closed contacts (contact.c). After the action of `event`, which has changed the velocities from
 * s->event_v on: the others whose functions rest at zero and are now led through it are due by
 * their rate, and those that no longer are are not. */
sodae_status contact_pass_on(sodae *s, int event);
/* Is its rate nothing but rounding, before it acts? */
sodae_status contact_creeps(sodae *s, int event, int *creeps);
/* The event has acted: if it rests at its zero, it is to come from where it came from again. */
sodae_status contact_hold(sodae *s, int event, int after);
/* The sign behind the zero of such a function; 0: not known. */
int contact_lead(const sodae *s, int event);
