/* What a sink is told.
 *
 * Events are found, and actions change the state, before anything is told of a step: until then all
 * of it can be undone, when a function of the problem asks for a smaller step. What has happened
 * stands in a list, and is told from there in its order: events without action and the end of a
 * step that was cut by the dense output of that step, events that have acted by the states after
 * them. A sink that stops the run in the middle is told the rest by the next call, which then ends
 * where an event would have ended the run. */
#include "integrator/integrator.h"

#include "base/vec.h"

enum { AGAIN = 6, NUMBERS = 1000000 }; /* of an event at one time; doubles in all */

/* At one time n contacts of bodies that touch each other pass impacts on n^2 / 2 times where all
 * masses are equal; a light body between heavy ones more often. */
static size_t room_for_impacts(size_t n) {
    enum { FEW = 1000, MOST = 100000 };
    return FEW + (n < 300 ? n * n : MOST);
}

void tell_open(sodae *s) {
    tell_list *l = &s->told;
    const eval *e = &s->eval;
    size_t most = (size_t)(AGAIN * s->problem->nevents);
    size_t width = (size_t)(e->nq + 3 * e->nv + e->nl + e->np + 2 * e->nr + e->nw + e->ns);
    size_t room = width < NUMBERS ? NUMBERS / width : 1;
    l->event = -1;
    if (!most) return;
    l->nslots = (int)(most < room ? most : room);
    l->room = (int)(TELL_INSIDE + 1 + most + room_for_impacts((size_t)s->problem->nevents));
    l->list = arena_take(&s->memory, (size_t)l->room, sizeof *l->list);
    l->slots = arena_take(&s->memory, (size_t)l->nslots, sizeof *l->slots);
    for (int i = 0; i < l->nslots && l->slots; i++) state_open(&l->slots[i], &s->memory, e);
}

void tell_begin(sodae *s) {
    tell_list *l = &s->told;
    l->count = l->next = l->used = 0;
    l->event = -1;
    l->end = 1, l->before = l->stops = 0;
}

void tell_nothing(sodae *s) {
    tell_begin(s);
    s->told.end = 0;
}

static void join(tell_list *l, happening x) {
    l->list[l->count++] = x;
}

void tell_inside(sodae *s, int event, double t) {
    join(&s->told, (happening){t, event, -1});
}

void tell_cut(sodae *s) {
    join(&s->told, (happening){s->cut.end.t, -1, -1});
    s->told.end = 0;
}

int tell_is_full(const sodae *s) {
    return s->told.count >= s->told.room;
}

/* Where there are more than could be kept, the last ones share a state. */
void tell_event(sodae *s, int event) {
    tell_list *l = &s->told;
    const stepper *z = &s->stepper;
    int slot = l->used < l->nslots ? l->used++ : l->nslots - 1;
    state *x = &l->slots[slot];
    state_copy(&s->eval, &z->now, x);
    vec_copy(s->eval.nv, s->first_v, x->v), vec_copy(s->eval.nv, s->first_a, x->a);
    join(l, (happening){z->now.t, event, slot});
}

void tell_view(sodae *s) {
    integrator_show(s);
    s->view.event = s->told.event;
}

static sodae_status show(sodae *s, const happening *x) {
    tell_list *l = &s->told;
    int inside = x->slot < 0;
    l->before = inside && cut_is_known(s);
    sodae_status st = inside ? integrator_read(s, x->t, &s->inside) : SODAE_OK;
    if (st) return st;
    integrator_show_state(s, inside ? &s->inside : &l->slots[x->slot], x->event);
    if (inside) s->view.a = s->view.vdot, s->view.a_shift = 0;
    if (l->before) s->view.h = x->t - s->cut.from;
    return SODAE_OK;
}

/* The sink has stopped the run: an event inside of the step stays in view, otherwise all that has
 * happened at its end. An event that the sink stops at need not stop the run once more. */
static sodae_status stopped(sodae *s, const happening *last) {
    if (last->slot >= 0 && last->event == s->told.event) s->told.stops = 0;
    if (last->slot < 0 && last->event >= 0) return SODAE_STOPPED;
    s->told.before = 0;
    tell_view(s);
    return SODAE_STOPPED;
}

sodae_status tell_sink(sodae *s, sodae_sink *sink, void *user) {
    tell_list *l = &s->told;
    while (sink && l->next < l->count) {
        const happening *x = &l->list[l->next];
        sodae_status st = show(s, x);
        if (st) return st;
        l->next++;
        if (sink(&s->view, user)) return stopped(s, x);
    }
    l->before = 0;
    if (l->count) tell_view(s);
    int last = l->end, stops = l->stops;
    tell_nothing(s);
    if (last && sink && sink(&s->view, user)) return SODAE_STOPPED;
    return stops ? SODAE_EVENT : SODAE_OK;
}
