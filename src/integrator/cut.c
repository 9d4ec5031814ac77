/* A step that an event has cut.
 *
 * The state at the event becomes the current one, the action changes it, and the method starts
 * anew. What lies inside of the step stays readable until the next one is made: all that its dense
 * output depends on is kept, and takes the place of the present for as long as it is read. */
#include "integrator/integrator.h"

void cut_open(sodae *s) {
    cut_step *c = &s->cut;
    if (!s->problem->nevents) return;
    size_t n = history_size(s);
    c->r_by = arena_ints(&s->memory, (size_t)s->eval.nr);
    c->past = arena_doubles(&s->memory, n), c->spare = arena_doubles(&s->memory, n);
    state_open(&c->begin, &s->memory, &s->eval), state_open(&c->end, &s->memory, &s->eval);
}

void cut_keep(sodae *s, double t) {
    const stepper *z = &s->stepper;
    cut_step *c = &s->cut;
    history_copy(s, c->past);
    state_copy(&s->eval, &z->next, &c->begin);
    c->from = z->now.t - z->h_last;
    c->end.t = t;
    c->by = s->dense.by;
    for (int i = 0; i < s->eval.nr; i++) c->r_by[i] = s->dense.r_by[i];
    c->dense_points = z->dense_points;
    c->known = 1;
}

int cut_is_known(const sodae *s) {
    const stepper *z = &s->stepper;
    return s->cut.known && z->h_last == 0 && z->now.t == s->cut.end.t;
}

static void swap(int *a, int *b) {
    int x = *a;
    *a = *b, *b = x;
}

/* What belongs to a step and is not in the history. */
static void exchange(sodae *s, int *by) {
    cut_step *c = &s->cut;
    state x = s->stepper.next;
    int *r_by = s->dense.r_by;
    s->dense.r_by = c->r_by, c->r_by = r_by;
    s->stepper.next = c->begin, c->begin = x;
    swap(&s->stepper.dense_points, &c->dense_points);
    s->dense.by = *by;
}

sodae_status cut_state_at(sodae *s, double t, state *out) {
    cut_step *c = &s->cut;
    int now = s->dense.by;
    if (t == c->end.t) {
        state_copy(&s->eval, &c->end, out);
        return SODAE_OK;
    }
    history_copy(s, c->spare);
    history_put(s, c->past);
    exchange(s, &c->by);
    sodae_status st = integrator_shown_at(s, t, out);
    c->by = s->dense.by;
    history_put(s, c->spare);
    exchange(s, &now);
    return st;
}
