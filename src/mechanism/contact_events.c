/* When contacts close and open, when friction stops and lets go. An event whose mode does not fit
 * has a positive function; all of them happen where it falls below 0. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>

static int gap(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    mech_work w = mech_work_at(s->m, at->work);
    *out = at->mode[s->mode + MODE_CLOSED] ? 1 : mech_gap(s, &w);
    return 0;
}

static int pressure(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    *out = at->mode[s->mode + MODE_CLOSED] ? mech_pressure(s, at) : 1;
    return 0;
}

/* It slides while its velocity s is in the direction d that the mode holds, s.d > 0. That holds up
 * to rounding, at the start up to errors of a step, as friction that just lets go still pushes it
 * back. In space s is also within 60 degrees of d, where it is faster than the direction of
 * friction takes to follow. */
static double slide_of(const mech_switch *s, const double rate[2], const int *mode) {
    const mech_term *term = &s->m->terms.at[s->term];
    double d[2], slack = mode[MODE_STARTS] ? term->creep : term->slow;
    if (s->nslips == 1) return rate[0] * mode[MODE_SIDE] + slack;
    mech_side_direction(mode[MODE_SIDE], d);
    return rate[0] * d[0] + rate[1] * d[1] + slack -
           fmax(0, hypot(rate[0], rate[1]) - 2 * term->creep) / 2;
}

static int slides(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    const int *mode = at->mode + s->mode;
    mech_work w = mech_work_at(s->m, at->work);
    double rate[2];
    mech_slip_velocity(s, &w, rate);
    *out = mode[MODE_CLOSED] && !mode[MODE_STICKS] ? slide_of(s, rate, mode) : 1;
    return 0;
}

static int creeps(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    mech_work w = mech_work_at(s->m, at->work);
    double rate[2];
    mech_slip_velocity(s, &w, rate);
    *out = at->mode[s->mode + MODE_STARTS]
               ? 2 * s->m->terms.at[s->term].creep - hypot(rate[0], rate[1])
               : 1;
    return 0;
}

static int holds(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    *out = at->mode[s->mode + MODE_STICKS] ? mech_hold(s, at) : 1;
    return 0;
}

/* A closed contact slides on in its direction, or sticks where it has none. */
static int close_contact(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    int closes, *mode = state->mode + s->mode, code = mech_impact(s, at, state->v, &closes);
    if (code || !closes) return code;
    mode[MODE_CLOSED] = 1;
    if (s->slip < 0) return 0;
    mech_work w = mech_work_at(s->m, at->work);
    double rate[2];
    mech_slip_velocity(s, &w, rate);
    mode[MODE_SIDE] = mech_side(s, rate);
    mode[MODE_STICKS] = mech_slip_rests(s, rate);
    return 0;
}

static int open_contact(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    (void)at;
    state->mode[s->mode + MODE_CLOSED] = state->mode[s->mode + MODE_STICKS] = 0;
    state->mode[s->mode + MODE_STARTS] = 0;
    return 0;
}

/* In space the direction may have turned away instead. */
static int stop(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    mech_work w = mech_work_at(s->m, at->work);
    double rate[2];
    mech_slip_velocity(s, &w, rate);
    state->mode[s->mode + MODE_STARTS] = 0;
    if (s->nslips > 1 && !mech_slip_rests(s, rate))
        state->mode[s->mode + MODE_SIDE] = mech_side(s, rate);
    else
        state->mode[s->mode + MODE_STICKS] = 1;
    return 0;
}

/* The row holds the coordinate by -psi: without it the coordinate goes where psi points. */
static int let_go(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    state->mode[s->mode + MODE_STICKS] = 0;
    state->mode[s->mode + MODE_STARTS] = 1;
    state->mode[s->mode + MODE_SIDE] = mech_side(s, at->psi + s->slip);
    return 0;
}

static int start(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    (void)at;
    state->mode[s->mode + MODE_STARTS] = 0;
    return 0;
}

typedef struct kind {
    const char *word;
    int of_slip, hidden;
    sodae_fn *when;
    int (*act)(const sodae_point *at, const sodae_solution *state, void *user);
} kind;

static const kind kinds[SWITCH_EVENTS] = {
    {"closes", 0, 0, gap, close_contact}, {"opens", 0, 0, pressure, open_contact},
    {"sticks", 1, 0, slides, stop},       {"slips", 1, 0, holds, let_go},
    {"slides", 1, 1, creeps, start},
};

int mech_switch_events(sodae_mechanism *m, int number, sodae_event *out) {
    mech_switch *s = &m->switches.at[number];
    int count = 0;
    for (int k = 0; k < SWITCH_EVENTS; k++) {
        char name[120];
        if ((kinds[k].of_slip ? s->slip : s->row) < 0) continue;
        snprintf(name, sizeof name, "%.80s %s", s->name, kinds[k].word);
        out[count++] = (sodae_event){.name = mech_copy_text(m, name),
                                     .when = kinds[k].when,
                                     .direction = -1,
                                     .hidden = kinds[k].hidden,
                                     .act = kinds[k].act,
                                     .user = s};
    }
    return count;
}
