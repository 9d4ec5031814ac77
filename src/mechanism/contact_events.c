/* When contacts close and open, when friction stops and lets go. An event whose mode does not fit
 * has a positive function; all of them happen where it falls below 0. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>

double mech_gap(const mech_switch *s, const mech_work *w) {
    const mech_row *row = &s->m->rows.at[s->row];
    return row->factor[0] * w->value[row->quantity[0]].z - (row->law ? row->law->constant : 0);
}

double mech_gap_rate(const mech_switch *s, const mech_work *w) {
    const mech_row *row = &s->m->rows.at[s->row];
    return row->factor[0] * w->value[row->quantity[0]].rate;
}

double mech_pressure(const mech_switch *s, const sodae_point *at) {
    return -at->lambda[s->row];
}

double mech_hold(const mech_switch *s, const sodae_point *at) {
    mech_work w = mech_work_at(s->m, at->work);
    mech_friction f = mech_friction_of(s->m, &w, &s->m->terms.at[s->term], at);
    return s->grip * f.N - fabs(at->psi[s->slip]);
}

static double slip_rate(const mech_switch *s, const sodae_point *at) {
    mech_work w = mech_work_at(s->m, at->work);
    return w.value[s->m->slips.at[s->slip]].rate;
}

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

static int slides(const sodae_point *at, double *out, void *user) {
    const mech_switch *s = user;
    const int *mode = at->mode + s->mode;
    *out = mode[MODE_CLOSED] && !mode[MODE_STICKS] ? slip_rate(s, at) * mode[MODE_SIDE] : 1;
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
    double rate = slip_rate(s, at);
    mode[MODE_SIDE] = (rate > 0) - (rate < 0);
    mode[MODE_STICKS] = rate == 0;
    return 0;
}

static int open_contact(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    (void)at;
    state->mode[s->mode + MODE_CLOSED] = state->mode[s->mode + MODE_STICKS] = 0;
    return 0;
}

static int stop(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    (void)at;
    state->mode[s->mode + MODE_STICKS] = 1;
    return 0;
}

/* The row holds the coordinate by -psi: without it the coordinate goes where psi points. */
static int let_go(const sodae_point *at, const sodae_solution *state, void *user) {
    const mech_switch *s = user;
    state->mode[s->mode + MODE_STICKS] = 0;
    state->mode[s->mode + MODE_SIDE] = at->psi[s->slip] > 0 ? 1 : -1;
    return 0;
}

typedef struct kind {
    const char *word;
    int of_slip;
    sodae_fn *when;
    int (*act)(const sodae_point *at, const sodae_solution *state, void *user);
} kind;

static const kind kinds[SWITCH_EVENTS] = {
    {"closes", 0, gap, close_contact},
    {"opens", 0, pressure, open_contact},
    {"sticks", 1, slides, stop},
    {"slips", 1, holds, let_go},
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
                                     .act = kinds[k].act,
                                     .user = s};
    }
    return count;
}
