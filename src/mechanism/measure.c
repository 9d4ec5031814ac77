/* Measures: which quantity each of them is. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <string.h>

int mech_measures_rate(const sodae_measure *x) {
    return x->kind == SODAE_VELOCITY || x->kind == SODAE_ANGULAR_VELOCITY ||
           x->kind == SODAE_ANGLE_RATE || x->kind == SODAE_DISPLACEMENT_RATE;
}

static int of_joint(const sodae_measure *x) {
    return x->kind >= SODAE_ANGLE && x->kind <= SODAE_DISPLACEMENT_RATE;
}

static int joint_quantity(const sodae_mechanism *m, const sodae_measure *x) {
    const mech_joint *j = &m->joints.at[x->of];
    return x->kind == SODAE_ANGLE || x->kind == SODAE_ANGLE_RATE ? j->angle : j->displacement;
}

static sodae_status check_own(const sodae_mechanism *m, const sodae_measure *x, const char *name,
                              sodae_failure *why) {
    const sodae_problem *own = m->join ? &m->join->own : NULL;
    int kind = x->of == SODAE_Q || x->of == SODAE_V || x->of == SODAE_R || x->of == SODAE_W;
    int count = own && kind ? sodae_variable_columns(own, (sodae_variable)x->of) : 0;
    if (x->component >= 0 && x->component < count) return SODAE_OK;
    return failure_set(why, SODAE_BAD_PROBLEM, name, "%.60s: there is no such own unknown", name);
}

sodae_status mech_check_measure(const sodae_mechanism *m, const sodae_measure *x, const char *name,
                                sodae_failure *why) {
    int most = x->kind == SODAE_ROTATION ? 9 : 3;
    if (x->kind == SODAE_OWN) return check_own(m, x, name, why);
    int count = of_joint(x) ? m->joints.count : m->bodies.count;
    const char *wrong = NULL;
    if (x->of < (of_joint(x) ? 0 : SODAE_GROUND) || x->of >= count ||
        (x->kind == SODAE_LENGTH && (x->other < SODAE_GROUND || x->other >= m->bodies.count)))
        wrong = "there is no such body or joint";
    else if (of_joint(x) ? joint_quantity(m, x) < 0 : x->component < 0 || x->component >= most)
        wrong = of_joint(x) ? "the joint does not have this coordinate" : "no such component";
    return wrong ? failure_set(why, SODAE_BAD_PROBLEM, name, "%.60s: %s", name, wrong) : SODAE_OK;
}

/* A direction: world axis k, or axis k of the second body. */
static mech_vector axis(int k, int body_frame) {
    mech_vector v = {0};
    if (body_frame)
        v.a[1][k] = 1;
    else
        v.c[k] = 1;
    return v;
}

static mech_vector point(int slot, const double at[3], double sign) {
    mech_vector v = {0};
    v.s[slot] = sign;
    v3_add(sign, at, v.a[slot]);
    return v;
}

int mech_measure(sodae_mechanism *m, const sodae_measure *x) {
    if (of_joint(x)) return joint_quantity(m, x);
    static const mech_kind kinds[] = {[SODAE_POSITION] = MECH_DOT,
                                      [SODAE_VELOCITY] = MECH_FORCE,
                                      [SODAE_ROTATION] = MECH_DOT,
                                      [SODAE_ANGULAR_VELOCITY] = MECH_TORQUE,
                                      [SODAE_LENGTH] = MECH_DISTANCE};
    int length = x->kind == SODAE_LENGTH;
    int q = mech_add_quantity(m, kinds[x->kind], length ? x->of : SODAE_GROUND,
                              length ? x->other : x->of);
    if (q < 0) return q;
    mech_vector *v = m->quantities.at[q].v;
    if (length) {
        v[0] = point(1, x->point[1], 1);
        mech_vector first = point(0, x->point[0], -1);
        v[0].s[0] = first.s[0];
        memcpy(v[0].a[0], first.a[0], sizeof first.a[0]);
    } else if (x->kind == SODAE_ROTATION) {
        v[0] = axis(x->component / 3, 0);
        v[1] = axis(x->component % 3, 1);
    } else {
        v[0] = axis(x->component, x->body_frame);
        if (x->kind != SODAE_ANGULAR_VELOCITY) v[1] = point(1, x->point[0], 1);
    }
    return q;
}

sodae_status sodae_mechanism_hold(sodae_mechanism *m, int body, sodae_failure *why) {
    if (m->finished || body < 0 || body >= m->bodies.count)
        return failure_set(why, SODAE_BAD_ARGUMENT, "hold", "there is no body %d to hold", body);
    m->bodies.at[body].held = 1;
    return SODAE_OK;
}

sodae_status sodae_mechanism_velocity(sodae_mechanism *m, const char *name,
                                      const sodae_measure *measure, double value,
                                      sodae_failure *why) {
    sodae_status st = mech_check_measure(m, measure, name, why);
    if (st) return st;
    if (m->finished || !mech_measures_rate(measure))
        return failure_set(why, SODAE_BAD_ARGUMENT, name, "%.60s: %s", name,
                           m->finished ? "the mechanism is finished" : "this is no velocity");
    int q = mech_measure(m, measure);
    if (q < 0 || MECH_PUSH(m, m->given))
        return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    m->given.at[m->given.count++] = (mech_given){mech_copy_text(m, name), q, value};
    return SODAE_OK;
}

int sodae_mechanism_watch(sodae_mechanism *m, const sodae_measure *measure, sodae_failure *why) {
    sodae_status st = mech_check_measure(m, measure, "output", why);
    if (st) return st;
    if (m->finished || measure->kind == SODAE_OWN)
        return failure_set(why, SODAE_BAD_ARGUMENT, "",
                           m->finished ? "the mechanism is finished" : "the state has it");
    int q = mech_measure(m, measure);
    if (q < 0 || MECH_PUSH(m, m->watched))
        return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    m->watched.at[m->watched.count] = (mech_watch){q, mech_measures_rate(measure)};
    return m->watched.count++;
}
