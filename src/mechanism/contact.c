/* Contacts, limits and sticking joints: constraints that modes switch.
 *
 *   open     no rows
 *   closed   gap = 0, N = -lambda >= 0
 *   slides   friction -coefficient N against the direction of sliding, which a mode holds
 *   sticks   slip = 0, |psi| <= static N */
#include "base/failure.h"
#include "base/tuning.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

TUNING(contact_slow, 1e-10,
       "of the speed of a fall through the size, of 1 for joints: slip below it is rounding");

/* A new switch; its number, -1 when memory ran out. */
static int add_switch(sodae_mechanism *m, const char *name) {
    if (MECH_PUSH(m, m->switches)) return -1;
    m->switches.at[m->switches.count] = (mech_switch){.name = mech_copy_text(m, name),
                                                      .m = m,
                                                      .mode = MODES * m->switches.count,
                                                      .row = -1,
                                                      .slip = -1,
                                                      .term = -1,
                                                      .size = 1};
    return m->switches.count++;
}

/* A row of sticking and a force of sliding; contacts in space have two of them. */
static int add_grip(sodae_mechanism *m, int number, mech_term term, double grip, const char *name) {
    mech_switch *s = &m->switches.at[number];
    if (term.quantity < 0 || MECH_PUSH(m, m->slips) || MECH_PUSH(m, m->slip_names) ||
        MECH_PUSH(m, m->terms))
        return 1;
    if (!s->nslips++) s->slip = m->slips.count, s->term = m->terms.count;
    s->grip = grip;
    term.creep = term.slow / cbrt(contact_slow); /* the motion is off by its power 3/2 */
    term.mode = s->mode;
    m->slips.at[m->slips.count++] = term.quantity;
    m->slip_names.at[m->slip_names.count++] = name;
    m->terms.at[m->terms.count++] = term;
    return 0;
}

int mech_add_stick(sodae_mechanism *m, const char *name, mech_term term, double grip) {
    int number = add_switch(m, name);
    term.slow = contact_slow;
    return number < 0 || add_grip(m, number, term, grip, m->switches.at[number].name);
}

/* The row factor z - constant; its place, -1 when memory ran out. */
static int add_row(sodae_mechanism *m, const char *name, int quantity, double factor,
                   double constant) {
    sodae_law *law = constant != 0 ? arena_take(&m->memory, 1, sizeof *law) : NULL;
    if (m->memory.failed || MECH_PUSH(m, m->rows) || MECH_PUSH(m, m->row_names)) return -1;
    if (law) law->constant = constant;
    m->rows.at[m->rows.count] =
        (mech_row){.nterms = 1, .quantity = {quantity}, .factor = {factor}, .law = law};
    m->row_names.at[m->row_names.count++] = mech_copy_text(m, name);
    return m->rows.count++;
}

static mech_vector in_plane(const sodae_mechanism *m, const sodae_contact *c,
                            const double world[3]) {
    mech_vector v = {0};
    mech_direction_in_body(m, c->body[0], world, v.a[0]);
    return v;
}

/* The point of body 2, less the one of the plane. */
static mech_vector gap_vector(const sodae_mechanism *m, const sodae_contact *c) {
    mech_vector v = {.s = {-1, 1}};
    mech_point_in_body(m, c->body[0], c->at[0], v.a[0]);
    mech_point_in_body(m, c->body[1], c->at[1], v.a[1]);
    for (int i = 0; i < 3; i++) v.a[0][i] = -v.a[0][i];
    return v;
}

/* Slip along a tangent: the velocity of body 2 against the material of body 1. */
static int add_slip(sodae_mechanism *m, const sodae_contact *c, const double n[3],
                    const double tangent[3]) {
    int q = mech_add_quantity(m, MECH_FORCE, c->body[0], c->body[1]);
    if (q < 0) return q;
    mech_vector at = {.s = {0, 1}};
    mech_direction_in_body(m, c->body[0], n, at.a[0]);
    for (int i = 0; i < 3; i++) at.a[0][i] *= -c->radius;
    mech_point_in_body(m, c->body[1], c->at[1], at.a[1]);
    m->quantities.at[q].v[0] = in_plane(m, c, tangent);
    m->quantities.at[q].v[1] = at;
    return q;
}

/* Two unit vectors across n; the first from the axis that is least along it. */
static void find_tangents(const double n[3], double tangent[2][3]) {
    int least = 0;
    double axis[3] = {0};
    for (int i = 1; i < 3; i++)
        if (fabs(n[i]) < fabs(n[least])) least = i;
    axis[least] = 1;
    v3_cross(n, axis, tangent[1]);
    double size = sqrt(v3_dot(tangent[1], tangent[1]));
    for (int i = 0; i < 3; i++) tangent[1][i] /= size;
    v3_cross(tangent[1], n, tangent[0]);
}

static int add_spatial_friction(sodae_mechanism *m, int number, mech_term term,
                                const sodae_contact *c, const double n[3]) {
    double tangent[2][3];
    int q[2];
    const mech_switch s = m->switches.at[number];
    find_tangents(n, tangent);
    for (int i = 0; i < 2; i++)
        if ((q[i] = add_slip(m, c, n, tangent[i])) < 0) return 1;
    for (int i = 0; i < 2; i++) {
        char name[120];
        snprintf(name, sizeof name, "%.80s.slip%d", s.name, i + 1);
        term.quantity = q[i], term.other = q[1 - i], term.component = i;
        if (add_grip(m, number, term, c->static_friction, mech_copy_text(m, name))) return 1;
    }
    return 0;
}

static int add_friction(sodae_mechanism *m, int number, const sodae_contact *c, const double n[3]) {
    const mech_switch *s = &m->switches.at[number];
    const double tangent[3] = {n[1], -n[0], 0};
    double fall = sqrt(2 * s->size * sqrt(v3_dot(m->gravity, m->gravity)));
    mech_term term = {.kind = TERM_FRICTION,
                      .factor = c->friction,
                      .row = s->row,
                      .nrows = 1,
                      .other = -1,
                      .slow = contact_slow * (fall > 0 ? fall : s->size)};
    if (c->static_friction == 0) return 0;
    if (!m->planar) return add_spatial_friction(m, number, term, c, n);
    term.quantity = add_slip(m, c, n, tangent);
    return add_grip(m, number, term, c->static_friction, s->name);
}

static double height_of(const sodae_contact *c, const double n[3]) {
    double gap[3];
    v3_sub(c->at[1], c->at[0], gap);
    return v3_dot(gap, n) - c->radius;
}

static int add_contact(sodae_mechanism *m, const char *name, const sodae_contact *c) {
    double n[3], length = sqrt(v3_dot(c->normal, c->normal));
    for (int i = 0; i < 3; i++) n[i] = c->normal[i] / length;
    int q = mech_add_quantity(m, MECH_DOT, c->body[0], c->body[1]), number = add_switch(m, name);
    if (q < 0 || number < 0) return 1;
    m->quantities.at[q].v[0] = in_plane(m, c, n);
    m->quantities.at[q].v[1] = gap_vector(m, c);
    m->quantities.at[q].offset = c->radius;
    mech_switch *s = &m->switches.at[number];
    double size = fmax(c->radius, height_of(c, n));
    if (size > 0) s->size = size;
    s->restitution = c->restitution;
    s->row = add_row(m, name, q, 1, 0);
    return s->row < 0 ? 1 : add_friction(m, number, c, n);
}

static const char *wrong_contact(const sodae_mechanism *m, const sodae_contact *c) {
    double n = v3_dot(c->normal, c->normal);
    if (m->finished) return "the mechanism is finished";
    for (int i = 0; i < 2; i++)
        if (c->body[i] < SODAE_GROUND || c->body[i] >= m->bodies.count)
            return "there is no such body";
    if (c->body[1] == SODAE_GROUND) return "the point or sphere must be of a body that moves";
    if (c->body[0] == c->body[1]) return "it is between a body and itself";
    if (!(n > 0 && isfinite(n))) return "the normal of the plane is zero";
    if (!(c->radius >= 0)) return "the radius must not be negative";
    if (!(c->restitution >= 0 && c->restitution <= 1)) return "the restitution must be in [0, 1]";
    if (!(c->friction >= 0)) return "the friction must not be negative";
    if (!(c->static_friction >= c->friction)) return "static friction must not be below friction";
    return NULL;
}

int sodae_mechanism_contact(sodae_mechanism *m, const char *name, const sodae_contact *contact,
                            sodae_failure *why) {
    const char *wrong = wrong_contact(m, contact);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "contact %.60s: %s", name, wrong);
    if (add_contact(m, name, contact))
        return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    return m->switches.count - 1;
}

static int add_limit(sodae_mechanism *m, const mech_joint *j, double factor, double limit,
                     double span, double restitution) {
    char name[120];
    if (!isfinite(limit)) return 0;
    snprintf(name, sizeof name, "%.80s.%s", j->name, factor > 0 ? "low" : "high");
    int number = add_switch(m, name);
    int row = add_row(m, name, mech_coordinate(j), factor, factor * limit);
    if (number < 0 || row < 0) return 1;
    m->switches.at[number].row = row;
    m->switches.at[number].restitution = restitution;
    if (isfinite(span)) m->switches.at[number].size = span;
    return 0;
}

sodae_status sodae_mechanism_limits(sodae_mechanism *m, int joint, double low, double high,
                                    double restitution, sodae_failure *why) {
    const char *wrong = NULL, *name = "limits";
    if (m->finished || joint < 0 || joint >= m->joints.count)
        return failure_set(why, SODAE_BAD_ARGUMENT, name, "there is no joint %d", joint);
    const mech_joint j = m->joints.at[joint];
    if (mech_coordinate(&j) < 0)
        wrong = "it has no coordinate that limits could hold";
    else if (!(low < high))
        wrong = "the first limit must be below the second";
    else if (!(restitution >= 0 && restitution <= 1))
        wrong = "the restitution must be in [0, 1]";
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, j.name, "joint %.60s: %s", j.name, wrong);
    if (add_limit(m, &j, 1, low, high - low, restitution) ||
        add_limit(m, &j, -1, high, high - low, restitution))
        return failure_set(why, SODAE_NO_MEMORY, j.name, "memory ran out");
    return SODAE_OK;
}

static int copy_modes(const sodae_point *at, int controlled, int *mode, void *user) {
    const sodae_mechanism *m = user;
    (void)at, (void)controlled;
    memcpy(mode, m->start_modes, (size_t)m->problem.nmodes * sizeof *mode);
    return 0;
}

int mech_set_switches(sodae_mechanism *m) {
    sodae_problem *p = &m->problem;
    int n = m->switches.count, rows = m->rows.count;
    if (!n) return 0;
    int *active = arena_ints(&m->memory, (size_t)(rows + m->slips.count) + 1);
    sodae_event *events = arena_take(&m->memory, (size_t)(SWITCH_EVENTS * n), sizeof *events);
    m->start_modes = arena_ints(&m->memory, (size_t)(MODES * n));
    if (m->memory.failed) return 1;
    for (int r = 0; r < rows + m->slips.count; r++) active[r] = -1;
    for (int i = 0; i < n; i++) {
        const mech_switch *s = &m->switches.at[i];
        if (s->row >= 0) active[s->row] = s->mode + MODE_CLOSED;
        for (int k = 0; k < s->nslips; k++) active[rows + s->slip + k] = s->mode + MODE_STICKS;
        m->start_modes[s->mode + MODE_CLOSED] = s->row < 0;
        p->nevents += mech_switch_events(m, i, events + p->nevents);
    }
    p->active = active;
    p->events = events;
    p->nmodes = MODES * n;
    p->modes = copy_modes;
    return m->memory.failed;
}
