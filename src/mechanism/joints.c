/* Joints: a table of elementary constraints. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The elementary constraints, between p1, a1 (m1, n1 orthogonal to it) in b1 and p2, a2, m2 in b2.
 */
typedef enum elementary {
    NONE,
    POINT,         /* p2 = p1 */
    LINE,          /* p2 on the line of p1 and a1 */
    PLANE,         /* p2 in the plane of p1 with normal a1 */
    PARALLEL,      /* a2 parallel to a1 */
    PERPENDICULAR, /* a2 orthogonal to a1 */
    TWIST,         /* m2 orthogonal to n1: no rotation about the axis */
    LENGTH,        /* |p2 - p1| */
    ADVANCE,       /* displacement = lead / (2 pi) angle */
    CONTACT,       /* rolling: touching, no slip */
    COUPLING,      /* gear */
    COURSE         /* motion */
} elementary;

typedef struct joint_kind {
    elementary spatial[4], planar[3]; /* planar[0] NONE: only in space */
    int needs_axis, angle, displacement;
} joint_kind;

static const joint_kind kinds[SODAE_JOINT_TYPES] = {
    [SODAE_JOINT_FIXED] = {{POINT, PARALLEL, TWIST}, {POINT, TWIST}, 0, 0, 0},
    [SODAE_JOINT_SPHERICAL] = {{POINT}, {POINT}, 0, 0, 0},
    [SODAE_JOINT_REVOLUTE] = {{POINT, PARALLEL}, {POINT}, 1, 1, 0},
    [SODAE_JOINT_PRISMATIC] = {{LINE, PARALLEL, TWIST}, {LINE, TWIST}, 1, 0, 1},
    [SODAE_JOINT_CYLINDRICAL] = {{LINE, PARALLEL}, {NONE}, 1, 1, 1},
    [SODAE_JOINT_SCREW] = {{LINE, PARALLEL, ADVANCE}, {NONE}, 1, 1, 1},
    [SODAE_JOINT_UNIVERSAL] = {{POINT, PERPENDICULAR}, {NONE}, 1, 0, 0},
    [SODAE_JOINT_PLANE_ON_PLANE] = {{PLANE, PARALLEL}, {NONE}, 1, 0, 0},
    [SODAE_JOINT_IN_LINE] = {{LINE}, {LINE}, 1, 0, 0},
    [SODAE_JOINT_IN_PLANE] = {{PLANE}, {PLANE}, 1, 0, 0},
    [SODAE_JOINT_DISTANCE] = {{LENGTH}, {LENGTH}, 0, 0, 0},
    [SODAE_JOINT_ROLLING] = {{CONTACT}, {CONTACT}, 1, 0, 0},
    [SODAE_JOINT_GEAR] = {{COUPLING}, {COUPLING}, 0, 0, 0},
    [SODAE_JOINT_MOTION] = {{COURSE}, {COURSE}, 0, 0, 0},
};

const char *const mech_joint_names[SODAE_JOINT_TYPES] = {
    "fixed",          "spherical", "revolute", "prismatic", "cylindrical", "screw", "universal",
    "plane_on_plane", "in_line",   "in_plane", "distance",  "rolling",     "gear",  "motion"};

const char *sodae_joint_type_name(sodae_joint_type type) {
    return (unsigned)type < SODAE_JOINT_TYPES ? mech_joint_names[type] : NULL;
}

int mech_coordinate(const mech_joint *j) {
    return j->angle >= 0 ? j->angle : j->displacement;
}

/* A joint that is being made: its frames in both bodies. */
typedef struct frames {
    sodae_mechanism *m;
    const sodae_joint *given;
    mech_joint *joint;
    int slot[2];    /* bodies as quantities count them: ground is the last */
    double p[2][3]; /* joint points */
    double a[2][3], along[2][3], across[2][3]; /* a, m, n */
    const char *name;
} frames;

static int normalise(double x[3]) {
    double size = sqrt(v3_dot(x, x));
    if (!(size > 0) || !isfinite(size)) return 1;
    for (int i = 0; i < 3; i++) x[i] /= size;
    return 0;
}

/* x less its part along the unit vector a */
static int make_orthogonal(const double a[3], double x[3]) {
    v3_add(-v3_dot(a, x), a, x);
    return normalise(x);
}

static void to_world(const sodae_mechanism *m, int b, const double x[3], double out[3]) {
    if (b >= 0)
        m3_apply(m->bodies.at[b].given.rotation, x, out);
    else
        memcpy(out, x, 3 * sizeof *out);
}

/* The direction x of b1 at the start, in b2, made orthogonal to a2. */
static int carry_over(const frames *f, const double x[3], double out[3]) {
    double world[3];
    to_world(f->m, f->given->body[0], x, world);
    mech_direction_in_body(f->m, f->given->body[1], world, out);
    return !f->m->planar && make_orthogonal(f->a[1], out);
}

/* m1 is the world axis that is least along a1, made orthogonal, n1 = a1 x m1; m2 is m1 carried over
 * to b2, so that the angle is 0 at the start. Where a2 is along m1, n1 is carried over. In the
 * plane the axes of rotation are z, m1 = a1, n1 = z x a1. */
static int complete_frames(frames *f) {
    double m1[3] = {0}, there[3];
    const double z[3] = {0, 0, 1}, *a2 = f->m->planar ? z : f->a[1];
    int least = 0, bad;
    for (int i = 1; i < 3; i++)
        if (fabs(f->a[0][i]) < fabs(f->a[0][least])) least = i;
    m1[least] = 1;
    memcpy(f->along[0], f->m->planar ? f->a[0] : m1, sizeof m1);
    bad = !f->m->planar && make_orthogonal(f->a[0], f->along[0]);
    v3_cross(f->m->planar ? z : f->a[0], f->along[0], f->across[0]);
    to_world(f->m, f->given->body[0], f->along[0], m1);
    mech_direction_in_body(f->m, f->given->body[1], m1, there);
    if (2 * v3_dot(there, a2) * v3_dot(there, a2) > 1) {
        bad |= carry_over(f, f->across[0], f->across[1]);
        v3_cross(f->across[1], a2, f->along[1]);
        return bad;
    }
    bad |= carry_over(f, f->along[0], f->along[1]);
    v3_cross(a2, f->along[1], f->across[1]);
    return bad;
}

static int find_frames(frames *f) {
    const sodae_joint *g = f->given;
    for (int i = 0; i < 2; i++) {
        double axis[3] = {0, 0, 1};
        int zero = v3_dot(g->axis[i], g->axis[i]) == 0;
        f->slot[i] = g->body[i]; /* ground becomes the last body when the mechanism is finished */
        if (!zero) memcpy(axis, g->axis[i], sizeof axis);
        memcpy(f->p[i], g->at[i], sizeof f->p[i]);
        memcpy(f->a[i], axis, sizeof axis);
        if (!g->body_points) mech_point_in_body(f->m, g->body[i], g->at[i], f->p[i]);
        if (!g->body_axes) mech_direction_in_body(f->m, g->body[i], axis, f->a[i]);
    }
    memcpy(f->joint->point, f->p[1], sizeof f->p[1]);
    return normalise(f->a[0]) || normalise(f->a[1]) || complete_frames(f);
}

static mech_vector constant(int k) {
    mech_vector v = {0};
    v.c[k] = 1;
    return v;
}

static mech_vector direction(int slot, const double a[3]) {
    mech_vector v = {0};
    memcpy(v.a[slot], a, sizeof v.a[slot]);
    return v;
}

static mech_vector difference(const double p1[3], const double p2[3]) {
    mech_vector v = {.s = {-1, 1}};
    for (int i = 0; i < 3; i++) v.a[0][i] = -p1[i], v.a[1][i] = p2[i];
    return v;
}

static int add_dot(const frames *f, mech_vector a, mech_vector b) {
    int q = mech_add_quantity(f->m, MECH_DOT, f->slot[0], f->slot[1]);
    if (q < 0) return q;
    f->m->quantities.at[q].v[0] = a;
    f->m->quantities.at[q].v[1] = b;
    return q;
}

static const char *row_name(const frames *f, const char *label) {
    char text[120];
    snprintf(text, sizeof text, "%.80s%s%s", f->name, *label ? "." : "", label);
    return mech_copy_text(f->m, text);
}

/* A row of one quantity, or of two with a factor. */
static int add_row(frames *f, const char *label, int quantity, int second, double factor) {
    sodae_mechanism *m = f->m;
    if (quantity < 0 || MECH_PUSH(m, m->rows) || MECH_PUSH(m, m->row_names)) return 1;
    m->row_names.at[m->row_names.count++] = row_name(f, label);
    m->rows.at[m->rows.count++] = (mech_row){
        .nterms = second < 0 ? 1 : 2, .quantity = {quantity, second}, .factor = {1, factor}};
    return 0;
}

static int add_simple(frames *f, const char *label, mech_vector a, mech_vector b) {
    return add_row(f, label, add_dot(f, a, b), -1, 0);
}

static int add_point(frames *f) {
    static const char *const labels[] = {"x", "y", "z"};
    mech_vector gap = difference(f->p[0], f->p[1]);
    for (int k = 0; k < (f->m->planar ? 2 : 3); k++)
        if (add_simple(f, labels[k], constant(k), gap)) return 1;
    return 0;
}

static int add_line(frames *f) {
    mech_vector gap = difference(f->p[0], f->p[1]);
    if (add_simple(f, f->m->planar ? "line" : "line1", direction(0, f->across[0]), gap)) return 1;
    return f->m->planar ? 0 : add_simple(f, "line2", direction(0, f->along[0]), gap);
}

static int add_parallel(frames *f) {
    mech_vector axis = direction(1, f->a[1]);
    return add_simple(f, "axis1", direction(0, f->along[0]), axis) ||
           add_simple(f, "axis2", direction(0, f->across[0]), axis);
}

/* Angle of m2 against m1 about a1. */
static int add_angle(frames *f) {
    sodae_mechanism *m = f->m;
    int q =
        mech_add_quantity(m, m->planar ? MECH_PLANAR_ANGLE : MECH_ANGLE, f->slot[0], f->slot[1]);
    if (q < 0) return q;
    mech_quantity *angle = &m->quantities.at[q];
    if (m->planar) {
        for (int i = 0; i < 2; i++)
            if (f->given->body[i] >= 0)
                angle->offset += (i ? 1 : -1) * m->bodies.at[f->given->body[i]].given.angle;
        return q;
    }
    angle->v[0] = direction(0, f->across[0]);
    angle->v[1] = direction(0, f->along[0]);
    angle->v[2] = direction(1, f->along[1]);
    return q;
}

static int add_twist(frames *f) {
    if (f->m->planar) return add_row(f, "angle", add_angle(f), -1, 0);
    return add_simple(f, "twist", direction(0, f->across[0]), direction(1, f->along[1]));
}

/* The gap p2 - p1 at the start, in the world. */
static void start_gap(const frames *f, double gap[3]) {
    double p[2][3];
    for (int i = 0; i < 2; i++) mech_point_at_start(f->m, f->given->body[i], f->p[i], p[i]);
    v3_sub(p[1], p[0], gap);
}

static int add_displacement(frames *f) {
    int q = add_dot(f, direction(0, f->a[0]), difference(f->p[0], f->p[1]));
    double gap[3], axis[3];
    if (q < 0) return q;
    start_gap(f, gap);
    to_world(f->m, f->given->body[0], f->a[0], axis);
    f->m->quantities.at[q].offset = v3_dot(gap, axis);
    return q;
}

static int add_length(frames *f) {
    double gap[3];
    int q = mech_add_quantity(f->m, MECH_DISTANCE, f->slot[0], f->slot[1]);
    if (q < 0) return 1;
    start_gap(f, gap);
    f->m->quantities.at[q].v[0] = difference(f->p[0], f->p[1]);
    f->m->quantities.at[q].offset =
        isnan(f->given->length) ? sqrt(v3_dot(gap, gap)) : f->given->length;
    return add_row(f, "length", q, -1, 0);
}

static int add_slip(frames *f, const char *label, int disk, const double tangent[3]) {
    sodae_mechanism *m = f->m;
    int q = mech_add_quantity(m, disk ? MECH_EDGE : MECH_FORCE, f->slot[0], f->slot[1]);
    if (q < 0 || MECH_PUSH(m, m->slips) || MECH_PUSH(m, m->slip_names)) return 1;
    mech_quantity *x = &m->quantities.at[q];
    x->radius = f->given->radius;
    x->v[0] = direction(0, tangent);
    x->v[1] = direction(1, f->p[1]);
    x->v[1].s[1] = 1;
    for (int i = 0; i < 3 && !disk; i++) x->v[1].a[0][i] = -f->given->radius * f->a[0][i];
    if (disk) x->v[2] = direction(1, f->a[1]), x->v[3] = direction(0, f->a[0]);
    m->slip_names.at[m->slip_names.count++] = row_name(f, label);
    m->slips.at[m->slips.count++] = q;
    f->joint->contact = q;
    return 0;
}

/* The normal points from the plane to the centre. A disk has an axis, a sphere has none. */
static int add_contact(frames *f) {
    sodae_mechanism *m = f->m;
    int disk = !m->planar && v3_dot(f->given->axis[1], f->given->axis[1]) > 0;
    double gap[3], normal[3];
    start_gap(f, gap);
    to_world(m, f->given->body[0], f->a[0], normal);
    double sign = v3_dot(gap, normal) < 0 ? -1 : 1;
    for (int i = 0; i < 3; i++) f->a[0][i] *= sign;
    int q = mech_add_quantity(m, disk ? MECH_DISK : MECH_DOT, f->slot[0], f->slot[1]);
    if (q < 0) return 1;
    mech_quantity *x = &m->quantities.at[q];
    x->v[0] = direction(0, f->a[0]);
    x->v[1] = difference(f->p[0], f->p[1]);
    if (disk)
        x->v[2] = direction(1, f->a[1]), x->radius = f->given->radius;
    else
        x->offset = f->given->radius;
    if (add_row(f, "contact", q, -1, 0)) return 1;
    if (add_slip(f, "slip1", disk, f->across[0])) return 1;
    return m->planar ? 0 : add_slip(f, "slip2", disk, f->along[0]);
}

static int add_coupling(frames *f) {
    const mech_joint *j = f->m->joints.at;
    return add_row(f, "", mech_coordinate(&j[f->given->body[1]]),
                   mech_coordinate(&j[f->given->body[0]]), -f->given->ratio);
}

static int add_course(frames *f) {
    const mech_joint *of = &f->m->joints.at[f->given->body[0]];
    sodae_law *law = arena_take(&f->m->memory, 1, sizeof *law);
    if (!law || add_row(f, "", f->given->displacement ? of->displacement : of->angle, -1, 0))
        return 1;
    *law = f->given->law;
    f->m->rows.at[f->m->rows.count - 1].law = law;
    return 0;
}

static int add_elementary(frames *f, elementary e) {
    const double two_pi = 6.28318530717958647692;
    switch (e) {
    case NONE:
        return 0;
    case POINT:
        return add_point(f);
    case LINE:
        return add_line(f);
    case PLANE:
        return add_simple(f, "plane", direction(0, f->a[0]), difference(f->p[0], f->p[1]));
    case PARALLEL:
        return add_parallel(f);
    case PERPENDICULAR:
        return add_simple(f, "axes", direction(0, f->a[0]), direction(1, f->a[1]));
    case TWIST:
        return add_twist(f);
    case LENGTH:
        return add_length(f);
    case ADVANCE:
        return add_row(f, "lead", f->joint->displacement, f->joint->angle,
                       -f->given->lead / two_pi);
    case CONTACT:
        return add_contact(f);
    case COUPLING:
        return add_coupling(f);
    case COURSE:
        return add_course(f);
    }
    return 1;
}

/* Coordinates of the joint. In space r counts the turns of an angle. */
static int add_coordinates(frames *f, const joint_kind *kind) {
    sodae_mechanism *m = f->m;
    mech_joint *j = f->joint;
    if (kind->displacement && (j->displacement = add_displacement(f)) < 0) return 1;
    if (!kind->angle) return 0;
    if ((j->angle = add_angle(f)) < 0) return 1;
    if (m->planar) return 0;
    if (MECH_PUSH(m, m->turns)) return 1;
    m->quantities.at[j->angle].turn = m->turns.count;
    m->turns.at[m->turns.count++] = j->angle;
    return 0;
}

static const char *wrong_bodies(const sodae_mechanism *m, const sodae_joint *g) {
    for (int i = 0; i < 2; i++)
        if (g->body[i] < SODAE_GROUND || g->body[i] >= m->bodies.count)
            return "there is no such body";
    return g->body[0] == g->body[1] ? "it joins a body with itself" : NULL;
}

static const char *wrong_clamp(const sodae_mechanism *m, const sodae_joint *g) {
    if (g->type != SODAE_JOINT_FIXED || g->clamp > 2) return "only a fixed joint is a clamp";
    if (g->beam < 0 || g->beam >= m->beams.count || g->node < 0 ||
        g->node > m->beams.at[g->beam].count)
        return "there is no such node of a beam";
    return NULL;
}

static const char *wrong_coupling(const sodae_mechanism *m, const sodae_joint *g) {
    for (int i = 0; i < (g->type == SODAE_JOINT_GEAR ? 2 : 1); i++) {
        if (g->body[i] < 0 || g->body[i] >= m->joints.count) return "there is no such joint";
        const mech_joint *j = &m->joints.at[g->body[i]];
        if (mech_coordinate(j) < 0) return "the joint that it acts on has no coordinate";
        if (g->type != SODAE_JOINT_MOTION) continue;
        if (g->displacement ? j->displacement < 0 : j->angle < 0)
            return g->displacement ? "the joint that it moves has no displacement"
                                   : "the joint that it moves has no angle";
    }
    if (g->type == SODAE_JOINT_GEAR && g->body[0] == g->body[1])
        return "it couples a joint with itself";
    return NULL;
}

static const char *wrong_joint(const sodae_mechanism *m, const sodae_joint *g) {
    int coupling = g->type == SODAE_JOINT_GEAR || g->type == SODAE_JOINT_MOTION;
    if (m->finished) return "the mechanism is finished";
    if ((unsigned)g->type >= SODAE_JOINT_TYPES) return "there is no such type";
    if (coupling) return wrong_coupling(m, g);
    if (m->planar && kinds[g->type].planar[0] == NONE)
        return "planar mechanisms have no such joint";
    int axis = kinds[g->type].needs_axis && !(m->planar && g->type == SODAE_JOINT_REVOLUTE);
    if (axis && v3_dot(g->axis[0], g->axis[0]) == 0) return "its axis is missing or zero";
    if (g->type == SODAE_JOINT_ROLLING && !(g->radius > 0)) return "its radius must be positive";
    if (g->type == SODAE_JOINT_DISTANCE && g->length <= 0) return "its length must be positive";
    return g->clamp ? wrong_clamp(m, g) : wrong_bodies(m, g);
}

/* Starts at which a constraint has no direction. */
static const char *wrong_start(const frames *f) {
    const sodae_joint *g = f->given;
    double gap[3], normal[3], axis[3], cross[3];
    start_gap(f, gap);
    if (g->type == SODAE_JOINT_DISTANCE && v3_dot(gap, gap) == 0)
        return "its ends coincide, so that it has no direction";
    if (g->type != SODAE_JOINT_ROLLING || f->m->planar || v3_dot(g->axis[1], g->axis[1]) == 0)
        return NULL;
    to_world(f->m, g->body[0], f->a[0], normal);
    to_world(f->m, g->body[1], f->a[1], axis);
    v3_cross(normal, axis, cross);
    return v3_dot(cross, cross) == 0 ? "the disk lies flat on the plane" : NULL;
}

int sodae_mechanism_joint(sodae_mechanism *m, const char *name, const sodae_joint *joint,
                          sodae_failure *why) {
    const char *wrong = wrong_joint(m, joint);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, name, "joint %.60s: %s", name, wrong);
    const joint_kind *kind = &kinds[joint->type];
    int coupling = joint->type == SODAE_JOINT_GEAR || joint->type == SODAE_JOINT_MOTION;
    if (MECH_PUSH(m, m->joints)) return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    mech_joint *j = &m->joints.at[m->joints.count];
    *j = (mech_joint){.name = mech_copy_text(m, name),
                      .type = joint->type,
                      .body = {joint->body[0], joint->body[1]},
                      .row = m->rows.count,
                      .slip = m->slips.count,
                      .angle = -1,
                      .displacement = -1,
                      .contact = -1,
                      .clamp = joint->clamp,
                      .beam = joint->beam,
                      .node = joint->node};
    frames f = {.m = m, .given = joint, .joint = j, .name = j->name};
    if (!coupling && find_frames(&f))
        return failure_set(why, SODAE_BAD_PROBLEM, name,
                           "joint %.60s: its axes are not finite or do not fit the bodies", name);
    if (!coupling && (wrong = wrong_start(&f)))
        return failure_set(why, SODAE_BAD_PROBLEM, name, "joint %.60s: %s", name, wrong);
    int bad = !coupling && add_coordinates(&f, kind);
    const elementary *list = m->planar ? kind->planar : kind->spatial;
    for (int i = 0; i < (m->planar ? 3 : 4) && !bad && !j->clamp; i++)
        bad = add_elementary(&f, list[i]);
    if (bad || m->memory.failed) return failure_set(why, SODAE_NO_MEMORY, name, "memory ran out");
    j->nrows = m->rows.count - j->row;
    j->nslips = m->slips.count - j->slip;
    return m->joints.count++;
}
