/* The state of a contact or of a joint with friction: gap, normal force, slip, reserve. */
#include "mechanism/mechanism.h"

#include <math.h>

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
    const double *psi = at->psi + s->slip;
    return s->grip * f.N - (s->nslips > 1 ? hypot(psi[0], psi[1]) : fabs(psi[0]));
}

void mech_slip_velocity(const mech_switch *s, const mech_work *w, double rate[2]) {
    for (int i = 0; i < 2; i++)
        rate[i] = i < s->nslips ? w->value[s->m->slips.at[s->slip + i]].rate : 0;
}

int mech_slip_rests(const mech_switch *s, const double rate[2]) {
    const mech_term *term = &s->m->terms.at[s->term];
    return hypot(rate[0], rate[1]) <= (s->nslips > 1 ? 2 * term->creep : term->slow);
}

int mech_side(const mech_switch *s, const double *x) {
    return s->nslips > 1 ? mech_side_of(x) : (x[0] > 0) - (x[0] < 0);
}
