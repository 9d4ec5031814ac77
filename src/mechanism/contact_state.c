/* The state of a contact, or of a joint with friction: gap, normal force, slip, what still holds. */
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
    return s->grip * f.N - fabs(at->psi[s->slip]);
}

double mech_slip_rate(const mech_switch *s, const sodae_point *at) {
    mech_work w = mech_work_at(s->m, at->work);
    return w.value[s->m->slips.at[s->slip]].rate;
}
