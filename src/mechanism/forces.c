/* Force elements: each is one or several terms W^T T. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <string.h>

static int add_term(sodae_mechanism *m, mech_term term) {
    if (term.quantity < 0 || MECH_PUSH(m, m->terms)) return 1;
    m->terms.at[m->terms.count++] = term;
    return 0;
}

static int add_spring(sodae_mechanism *m, int quantity, double stiffness, double damping,
                      double length) {
    if (stiffness == 0 && damping == 0) return 0;
    return add_term(m, (mech_term){.kind = TERM_SPRING,
                                   .quantity = quantity,
                                   .stiffness = stiffness,
                                   .damping = damping,
                                   .length = length});
}

static int add_law(sodae_mechanism *m, int quantity, const sodae_law *law) {
    sodae_law *copy = arena_take(&m->memory, 1, sizeof *copy);
    sodae_measure *x = arena_take(&m->memory, (size_t)law->nx, sizeof *x);
    int *measured = arena_ints(&m->memory, (size_t)law->nx);
    if (m->memory.failed) return 1;
    *copy = *law;
    copy->x = x;
    for (int i = 0; i < law->nx; i++) {
        x[i] = law->x[i];
        measured[i] = -1;
        if (x[i].kind == SODAE_OWN) continue;
        if ((measured[i] = mech_measure(m, &x[i])) < 0) return 1;
    }
    return add_term(m, (mech_term){.kind = TERM_LAW,
                                   .quantity = quantity,
                                   .law = copy,
                                   .measured = measured,
                                   .factor = 1});
}

static int is_zero(const sodae_law *law) {
    return !law->fn && law->constant == 0;
}

/* Axis k of the world, or of body 1, or of body 2 where body 1 is ground. */
static mech_vector component(const sodae_force *f, int k) {
    mech_vector v = {0};
    if (!f->body_frame)
        v.c[k] = 1;
    else
        v.a[f->body[0] < 0][k] = 1;
    return v;
}

static int add_force_at_point(sodae_mechanism *m, const sodae_force *f) {
    mech_vector at = {.s = {0, 1}};
    mech_point_in_body(m, f->body[1], f->at[1], at.a[1]);
    for (int k = 0; k < (m->planar ? 2 : 3); k++) {
        if (is_zero(&f->law[k])) continue;
        int q = mech_add_quantity(m, MECH_FORCE, f->body[0], f->body[1]);
        if (q < 0) return 1;
        m->quantities.at[q].v[0] = component(f, k);
        m->quantities.at[q].v[1] = at;
        if (add_law(m, q, &f->law[k])) return 1;
    }
    return 0;
}

static int add_torque(sodae_mechanism *m, const sodae_force *f) {
    for (int k = m->planar ? 2 : 0; k < 3; k++) {
        if (is_zero(&f->law[k])) continue;
        int q = mech_add_quantity(m, MECH_TORQUE, f->body[0], f->body[1]);
        if (q < 0) return 1;
        m->quantities.at[q].v[0] = component(f, k);
        if (add_law(m, q, &f->law[k])) return 1;
    }
    return 0;
}

static mech_vector gap_of(const sodae_mechanism *m, const sodae_force *f, const double p1[3],
                          const double p2[3]) {
    mech_vector v = {.s = {-1, 1}};
    mech_point_in_body(m, f->body[0], p1, v.a[0]);
    mech_point_in_body(m, f->body[1], p2, v.a[1]);
    for (int i = 0; i < 3; i++) v.a[0][i] = -v.a[0][i];
    return v;
}

static int add_point_spring(sodae_mechanism *m, const sodae_force *f) {
    double gap[3];
    int q = mech_add_quantity(m, MECH_DISTANCE, f->body[0], f->body[1]);
    if (q < 0) return 1;
    v3_sub(f->at[1], f->at[0], gap);
    m->quantities.at[q].v[0] = gap_of(m, f, f->at[0], f->at[1]);
    return add_spring(m, q, f->stiffness[0], f->damping[0],
                      isnan(f->length) ? sqrt(v3_dot(gap, gap)) : f->length);
}

/* Axis k of the bushing in body `slot`. */
static mech_vector bushing_axis(const sodae_mechanism *m, const sodae_force *f, int slot, int k) {
    mech_vector v = {0};
    const double world[3] = {f->rotation[k], f->rotation[3 + k], f->rotation[6 + k]};
    mech_direction_in_body(m, f->body[slot], world, v.a[slot]);
    return v;
}

static int add_bushing_forces(sodae_mechanism *m, const sodae_force *f) {
    mech_vector gap = gap_of(m, f, f->at[1], f->at[1]);
    for (int k = 0; k < (m->planar ? 2 : 3); k++) {
        int q = mech_add_quantity(m, MECH_DOT, f->body[0], f->body[1]);
        if (q < 0) return 1;
        m->quantities.at[q].v[0] = bushing_axis(m, f, 0, k);
        m->quantities.at[q].v[1] = gap;
        if (add_spring(m, q, f->stiffness[k], f->damping[k], 0)) return 1;
    }
    return 0;
}

/* The potential theta^T K theta / 2 acts along theta_k, the damping along w_k. */
static int add_bushing_torques(sodae_mechanism *m, const sodae_force *f) {
    for (int k = 0; k < 3; k++) {
        int q = mech_add_quantity(m, MECH_ROTATION, f->body[0], f->body[1]);
        int w = mech_add_quantity(m, MECH_TORQUE, f->body[0], f->body[1]);
        if (q < 0 || w < 0) return 1;
        m->quantities.at[q].component = k;
        m->quantities.at[w].v[0] = bushing_axis(m, f, 0, k);
        for (int i = 0; i < 6; i++) m->quantities.at[q].v[i] = bushing_axis(m, f, i / 3, i % 3);
        if (add_spring(m, q, f->stiffness[3 + k], 0, 0)) return 1;
        if (add_spring(m, w, 0, f->damping[3 + k], 0)) return 1;
    }
    return 0;
}

static double start_angle(const sodae_mechanism *m, int b) {
    return b < 0 ? 0 : m->bodies.at[b].given.angle;
}

static int add_bushing(sodae_mechanism *m, const sodae_force *f) {
    if (add_bushing_forces(m, f)) return 1;
    if (!m->planar) return add_bushing_torques(m, f);
    int q = mech_add_quantity(m, MECH_PLANAR_ANGLE, f->body[0], f->body[1]);
    if (q < 0) return 1;
    m->quantities.at[q].offset = start_angle(m, f->body[1]) - start_angle(m, f->body[0]);
    return add_spring(m, q, f->stiffness[5], f->damping[5], 0);
}

/* On an angle the friction force acts at the radius of the joint. */
static int add_friction(sodae_mechanism *m, const char *name, const sodae_force *f) {
    const mech_joint *j = &m->joints.at[f->joint];
    double arm = j->angle >= 0 ? f->radius : 1;
    mech_term term = {.kind = TERM_FRICTION,
                      .quantity = mech_coordinate(j),
                      .factor = f->coefficient * arm,
                      .velocity = f->velocity,
                      .preload = f->preload,
                      .row = j->row,
                      .nrows = isnan(f->preload) ? j->nrows : 0,
                      .mode = -1,
                      .other = -1};
    if (f->stick) return mech_add_stick(m, name, term, f->static_coefficient * arm);
    return add_term(m, term);
}

static int add(sodae_mechanism *m, const char *name, const sodae_force *f) {
    switch (f->type) {
    case SODAE_FORCE_AT_POINT:
        return add_force_at_point(m, f);
    case SODAE_FORCE_TORQUE:
        return add_torque(m, f);
    case SODAE_FORCE_MOTOR:
        return add_law(m, mech_coordinate(&m->joints.at[f->joint]), &f->law[0]);
    case SODAE_FORCE_SPRING:
        return add_point_spring(m, f);
    case SODAE_FORCE_TORSION_SPRING:
        return add_spring(m, mech_coordinate(&m->joints.at[f->joint]), f->stiffness[0],
                          f->damping[0], isnan(f->length) ? 0 : f->length);
    case SODAE_FORCE_BUSHING:
        return add_bushing(m, f);
    case SODAE_FORCE_FRICTION:
        return add_friction(m, name, f);
    default:
        return 1;
    }
}

static const char *wrong_place(const sodae_mechanism *m, const sodae_force *f) {
    int on_joint = f->type == SODAE_FORCE_MOTOR || f->type == SODAE_FORCE_TORSION_SPRING ||
                   f->type == SODAE_FORCE_FRICTION;
    if (on_joint) {
        if (f->joint < 0 || f->joint >= m->joints.count) return "there is no such joint";
        return mech_coordinate(&m->joints.at[f->joint]) < 0 ? "the joint has no coordinate" : NULL;
    }
    for (int i = 0; i < 2; i++)
        if (f->body[i] < SODAE_GROUND || f->body[i] >= m->bodies.count)
            return "there is no such body";
    return f->body[0] == f->body[1] ? "it acts between a body and itself" : NULL;
}

static const char *wrong_numbers(const sodae_force *f) {
    double gap[3];
    v3_sub(f->at[1], f->at[0], gap);
    if (f->type == SODAE_FORCE_SPRING && v3_dot(gap, gap) == 0)
        return "its ends coincide, so that it has no direction";
    if (f->type != SODAE_FORCE_FRICTION) return NULL;
    if (!f->stick && !(f->velocity > 0)) return "tanh friction needs a positive velocity";
    if (f->stick && !(f->static_coefficient >= f->coefficient))
        return "the static coefficient must not be below the coefficient of sliding";
    return f->coefficient >= 0 ? NULL : "the coefficient must not be negative";
}

static sodae_status check_laws(const sodae_mechanism *m, const char *name, const sodae_force *f,
                               sodae_failure *why) {
    for (int k = 0; k < 3; k++) {
        if (f->law[k].nx > MECH_MEASURES)
            return failure_set(why, SODAE_BAD_PROBLEM, name,
                               "force %.60s: its value depends on more than %d measured numbers",
                               name, MECH_MEASURES);
        for (int i = 0; i < f->law[k].nx; i++) {
            sodae_status st = mech_check_measure(m, &f->law[k].x[i], name, why);
            if (st) return st;
        }
    }
    return SODAE_OK;
}

int sodae_mechanism_force(sodae_mechanism *m, const char *name, const sodae_force *force,
                          sodae_failure *why) {
    const char *wrong = m->finished ? "the mechanism is finished" : wrong_place(m, force);
    if (!wrong) wrong = wrong_numbers(force);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "force %.60s: %s", name, wrong);
    sodae_status st = check_laws(m, name, force, why);
    if (st) return st;
    if (add(m, name, force) || MECH_PUSH(m, m->forces))
        return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    m->forces.at[m->forces.count] = (mech_force){mech_copy_text(m, name), force->type};
    return m->forces.count++;
}
