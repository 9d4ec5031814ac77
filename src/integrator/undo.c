/* Undoing a step.
 *
 * Events are looked for when a step has been accepted, on its dense output. Where a function of the
 * problem fails there, nobody knows what has happened in the step: it has not taken place. State,
 * past of the method and what is known of events are then as they were before it, so that a smaller
 * step, or a further call, meets the same events. */
#include "integrator/integrator.h"

void undo_open(sodae *s) {
    s->held = arena_doubles(&s->memory, history_size(s));
}

void undo_keep(sodae *s) {
    s->holds = s->problem->nevents > 0;
    if (s->holds) history_copy(s, s->held);
}

void undo_begin(sodae *s) {
    s->undone = 0;
    s->looked_at = s->stepper.h_last;
    s->events_before = s->statistics.events;
    s->reach_before = s->event_reach;
}

int undo_helps(sodae_status st) {
    return st == SODAE_CALLBACK_FAILED || st == SODAE_CALLBACK_REFUSED || st == SODAE_NOT_FINITE;
}

/* The state is back even where its constraints cannot be looked at any more. */
static void undo(sodae *s) {
    sodae_failure why = s->failure;
    history_give_back(s, s->held);
    for (int i = 0; i < s->problem->nevents; i++) s->event_due[i] = 0;
    s->event_reach = s->reach_before;
    s->statistics.events = s->events_before;
    s->failure = why;
    s->undone = s->looked_at;
    s->statistics.refused++;
    s->statistics.refused_callback++;
}

void undo_end(sodae *s, sodae_status st, int cut) {
    int held = s->holds;
    s->holds = 0;
    if (!undo_helps(st)) return;
    if (held && !cut) undo(s);
    s->failure.h = s->looked_at;
}
