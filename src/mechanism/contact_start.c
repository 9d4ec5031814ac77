/* Modes at the start. What touches without approaching is closed, what does not move sticks, unless
 * the reactions say that it opens or slips: then these switches change, one after the other. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdlib.h>

static const double touching = 1e-8; /* of the size: as precise as positions of files are */
static const double at_rest = 1e-9;  /* of the largest velocity: as initial velocities are */
enum { MOST_SWITCHES = 100 };        /* mechanism format */

static double largest_velocity(const sodae_mechanism *m) {
    double size = 0;
    for (int i = 0; i < m->problem.nv; i++) size = fmax(size, fabs(m->problem.initial.v[i]));
    return size;
}

static sodae_status start_contact(const mech_switch *s, const mech_work *w, double slow, int *mode,
                                  sodae_failure *why) {
    double gap = mech_gap(s, w), rate = mech_gap_rate(s, w), near = touching * s->size;
    if (gap < -near)
        return failure_set(why, SODAE_INCONSISTENT, s->name,
                           "%.60s: at the start it is violated by %.3g", s->name, -gap);
    if (gap <= near && rate < -slow)
        return failure_set(why, SODAE_INCONSISTENT, s->name,
                           "%.60s: at the start it touches and approaches with %.3g", s->name,
                           -rate);
    mode[MODE_CLOSED] = gap <= near && rate <= slow;
    return SODAE_OK;
}

static sodae_status first_modes(sodae_mechanism *m, const mech_work *w, sodae_failure *why) {
    double slow = at_rest * largest_velocity(m);
    for (int i = 0; i < m->switches.count; i++) {
        const mech_switch *s = &m->switches.at[i];
        int *mode = m->start_modes + s->mode;
        sodae_status st = s->row < 0 ? SODAE_OK : start_contact(s, w, slow, mode, why);
        if (st) return st;
        if (s->slip < 0) continue;
        double rate[2];
        mech_slip_velocity(s, w, rate);
        mode[MODE_STICKS] = mode[MODE_CLOSED] && hypot(rate[0], rate[1]) <= slow;
        mode[MODE_SIDE] = mode[MODE_STICKS] ? 0 : mech_side(s, rate);
    }
    return SODAE_OK;
}

/* The first switch that the reactions contradict changes its mode: 1; none: 0. */
static int change_one(sodae_mechanism *m, const sodae_point *at, const char **name) {
    for (int i = 0; i < m->switches.count; i++) {
        const mech_switch *s = &m->switches.at[i];
        int *mode = m->start_modes + s->mode;
        *name = s->name;
        if (s->row >= 0 && mode[MODE_CLOSED] && mech_pressure(s, at) < 0)
            return mode[MODE_CLOSED] = mode[MODE_STICKS] = 0, 1;
        if (!mode[MODE_STICKS] || mech_hold(s, at) >= 0) continue;
        mode[MODE_SIDE] = mech_side(s, at->psi + s->slip);
        mode[MODE_STICKS] = 0, mode[MODE_STARTS] = 1;
        return 1;
    }
    return 0;
}

/* A contact that slides; NULL: none does. */
static const char *sliding(const sodae_mechanism *m) {
    for (int i = 0; i < m->switches.count; i++) {
        const mech_switch *s = &m->switches.at[i];
        const int *mode = m->start_modes + s->mode;
        if (s->row >= 0 && s->term >= 0 && mode[MODE_CLOSED] && !mode[MODE_STICKS]) return s->name;
    }
    return NULL;
}

/* The start has found no accelerations: friction of a contact is larger than what it presses. */
static sodae_status no_accelerations(const sodae *s, const sodae_mechanism *m, sodae_status st,
                                     sodae_failure *why) {
    const char *name = sliding(m);
    if (st == SODAE_NEWTON_FAILED && name)
        return failure_set(why, SODAE_INCONSISTENT, name,
                           "%.60s: no mode is consistent at the start: while it slides there are "
                           "no accelerations",
                           name);
    if (why) *why = *sodae_last_failure(s);
    return st;
}

/* One start of an integrator gives the reactions; *changed: a mode had to change. */
static sodae_status try_modes(sodae_mechanism *m, void *work, int *changed, const char **name,
                              sodae_failure *why) {
    sodae *s = NULL;
    sodae_options options = sodae_default_options();
    sodae_status st = sodae_create(&s, mech_whole(m), &options, why);
    *changed = 0;
    if (st < 0) return st;
    st = sodae_start(s);
    if (st < 0) {
        st = no_accelerations(s, m, st, why);
    } else {
        const sodae_view *view = sodae_state(s);
        sodae_point at = {.t = view->t,
                          .q = view->q,
                          .v = view->v,
                          .r = view->r,
                          .lambda = view->lambda,
                          .psi = view->psi,
                          .mode = m->start_modes,
                          .work = work};
        st = mech_prepare(&at, m) ? SODAE_CALLBACK_FAILED : SODAE_OK;
        if (!st) *changed = change_one(m, &at, name);
    }
    sodae_free(s);
    return st;
}

static int any_closed(const sodae_mechanism *m) {
    for (int i = 0; i < m->switches.count; i++) {
        const mech_switch *s = &m->switches.at[i];
        const int *mode = m->start_modes + s->mode;
        if ((s->row >= 0 && mode[MODE_CLOSED]) || mode[MODE_STICKS]) return 1;
    }
    return 0;
}

static sodae_status settle(sodae_mechanism *m, void *work, sodae_failure *why) {
    const char *name = "";
    int changed = any_closed(m);
    for (int n = 0; changed; n++) {
        if (n > MOST_SWITCHES)
            return failure_set(why, SODAE_INCONSISTENT, name,
                               "%.60s: no mode is consistent at the start", name);
        sodae_status st = try_modes(m, work, &changed, &name, why);
        if (st) return st;
    }
    return SODAE_OK;
}

sodae_status mech_start_modes(sodae_mechanism *m, sodae_failure *why) {
    if (!m->switches.count) return SODAE_OK;
    sodae_point at = m->problem.initial;
    at.work = calloc(1, m->problem.work_size);
    if (!at.work) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    mech_prepare(&at, m);
    mech_work w = mech_work_at(m, at.work);
    sodae_status st = first_modes(m, &w, why);
    if (!st) st = settle(m, at.work, why);
    free(at.work);
    return st;
}
