/* The problem of a mechanism: space, patterns, callbacks, names. */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Pairs (item, body) while a pattern is made. */
typedef struct pairs {
    arena *memory;
    int (*at)[2];
    int count, room;
} pairs;

static void add_pair(pairs *p, int item, int body) {
    if (mech_grow(p->memory, (void **)&p->at, p->count, &p->room, sizeof *p->at)) return;
    p->at[p->count][0] = item;
    p->at[p->count++][1] = body;
}

/* Ground is the body behind the last one. */
static void number_ground(sodae_mechanism *m) {
    for (int i = 0; i < m->quantities.count; i++)
        for (int k = 0; k < 2; k++)
            if (m->quantities.at[i].body[k] < 0) m->quantities.at[i].body[k] = m->bodies.count;
    for (int i = 0; i < m->elements.count; i++)
        for (int k = 0; k < 2; k++)
            if (m->elements.at[i].end[k].body < 0) m->elements.at[i].end[k].body = m->bodies.count;
}

static void add_row_pairs(const sodae_mechanism *m, pairs *p, int row, int quantity) {
    for (int i = 0; i < 2; i++) add_pair(p, row, m->quantities.at[quantity].body[i]);
}

/* All blocks of the bodies of one quantity by those of another. */
static void add_block_pairs(const sodae_mechanism *m, pairs *p, int rows, int columns) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int row = m->quantities.at[rows].body[i];
            if (row < m->bodies.count) add_pair(p, row, m->quantities.at[columns].body[j]);
        }
}

static void add_term_pairs(const sodae_mechanism *m, pairs *p, const mech_term *t) {
    add_block_pairs(m, p, t->quantity, t->quantity);
    for (int i = 0; t->kind == TERM_LAW && i < t->law->nx; i++)
        if (t->measured[i] >= 0) add_block_pairs(m, p, t->quantity, t->measured[i]);
    if (t->kind != TERM_FRICTION) return;
    for (int r = t->row; r < t->row + t->nrows; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_block_pairs(m, p, t->quantity, m->rows.at[r].quantity[k]);
}

static void add_element_pairs(const sodae_mechanism *m, pairs *p, const mech_element *e) {
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            if (e->end[i].body < m->bodies.count) add_pair(p, e->end[i].body, e->end[j].body);
}

static int make_sparse(sodae_mechanism *m, pairs *p, int height, mech_sparse *out) {
    int bad =
        m->memory.failed || mech_sparse_make(m, (const int(*)[2])p->at, p->count, height, out);
    p->count = 0;
    return bad;
}

static int make_patterns(sodae_mechanism *m) {
    pairs p = {.memory = &m->memory};
    add_pair(&p, 0, m->bodies.count);
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_row_pairs(m, &p, r, m->rows.at[r].quantity[k]);
    if (make_sparse(m, &p, 1, &m->by_row)) return 1;
    for (int r = 0; r < m->slips.count; r++) add_row_pairs(m, &p, r, m->slips.at[r]);
    if (make_sparse(m, &p, 1, &m->by_slip)) return 1;
    for (int r = 0; r < m->turns.count; r++) add_row_pairs(m, &p, r, m->turns.at[r]);
    if (make_sparse(m, &p, 1, &m->by_turn)) return 1;
    for (int r = 0; r < m->rows.count; r++)
        for (int k = 0; k < m->rows.at[r].nterms; k++)
            add_block_pairs(m, &p, m->rows.at[r].quantity[k], m->rows.at[r].quantity[k]);
    for (int r = 0; r < m->slips.count; r++) add_block_pairs(m, &p, m->slips.at[r], m->slips.at[r]);
    if (make_sparse(m, &p, m->n, &m->reacting)) return 1;
    for (int b = 0; b < m->bodies.count && !m->planar; b++) add_pair(&p, b, b);
    for (int i = 0; i < m->elements.count; i++) add_element_pairs(m, &p, &m->elements.at[i]);
    for (int i = 0; i < m->terms.count; i++) add_term_pairs(m, &p, &m->terms.at[i]);
    if (make_sparse(m, &p, m->n, &m->acting)) return 1;
    mech_place_elements(m);
    return mech_trim(m);
}

static int make_mass(sodae_mechanism *m) {
    int nv = m->n * m->bodies.count, nnz = 0, most = m->planar ? 3 : 36;
    int *colptr = arena_ints(&m->memory, (size_t)nv + 1);
    int *rowind = arena_ints(&m->memory, (size_t)(most * m->bodies.count));
    m->mass = arena_doubles(&m->memory, (size_t)(most * m->bodies.count));
    if (m->memory.failed) return 1;
    for (int j = 0; j < nv; j++) {
        mech_body *body = &m->bodies.at[j / m->n];
        int k = j % m->n;
        if (k == 0) mech_body_mass(m, body);
        for (int i = 0; i < m->n; i++) {
            if (body->M[m->n * i + k] == 0) continue;
            rowind[nnz] = j - k + i;
            m->mass[nnz++] = body->M[m->n * i + k];
        }
        colptr[j + 1] = nnz;
    }
    m->problem.value[SODAE_MASS] = (sodae_term){mech_mass, {colptr, rowind}};
    m->problem.constant_mass = 1;
    return 0;
}

static int make_space(sodae_mechanism *m) {
    int nb = m->bodies.count;
    const sodae_group **groups = arena_take(&m->memory, (size_t)(2 * nb), sizeof *groups);
    int *n = arena_ints(&m->memory, (size_t)(2 * nb));
    if (m->memory.failed) return 1;
    if (m->planar) return 0;
    int count = 0;
    for (int b = 0; b < nb; b++) {
        if (!m->bodies.at[b].se3) groups[count] = &sodae_rn, n[count++] = 3;
        groups[count++] = m->bodies.at[b].se3 ? &sodae_se3 : &sodae_so3;
    }
    if (sodae_space_create(groups, n, count, &m->space)) return 1;
    m->problem.space = m->space;
    return 0;
}

static void set(sodae_mechanism *m, sodae_function f, sodae_variable x, sodae_fn *fn,
                const mech_sparse *s) {
    m->problem.derivative[f][x] = (sodae_term){fn, s ? s->pattern : (sodae_pattern){NULL, NULL}};
}

static int any_law(const sodae_mechanism *m) {
    for (int i = 0; i < m->terms.count; i++)
        if (m->terms.at[i].kind == TERM_LAW && m->terms.at[i].law->fn) return 1;
    return 0;
}

static int any_joint_friction(const sodae_mechanism *m) {
    for (int i = 0; i < m->terms.count; i++)
        if (m->terms.at[i].kind == TERM_FRICTION && m->terms.at[i].nrows) return 1;
    return 0;
}

static int any_motion(const sodae_mechanism *m) {
    for (int r = 0; r < m->rows.count; r++)
        if (m->rows.at[r].law) return 1;
    return 0;
}

/* Motions, motors, loads, dampers and friction change the energy: then it is no check of a run. */
static int is_conservative(const sodae_mechanism *m) {
    for (int i = 0; i < m->terms.count; i++)
        if (m->terms.at[i].kind != TERM_SPRING || m->terms.at[i].damping != 0) return 0;
    for (int i = 0; i < m->elements.count; i++)
        if (m->elements.at[i].data.damping != 0) return 0;
    if (m->loads.count || m->switches.count) return 0;
    return !any_motion(m);
}

static void set_rows(sodae_mechanism *m) {
    sodae_problem *p = &m->problem;
    if (!m->rows.count) return;
    p->value[SODAE_HOLONOMIC].fn = mech_holonomic;
    p->value[SODAE_HOLONOMIC_RATE].fn = mech_rate;
    p->value[SODAE_HOLONOMIC_DRIFT].fn = mech_drift;
    set(m, SODAE_HOLONOMIC, SODAE_Q, mech_holonomic_q, &m->by_row);
    set(m, SODAE_HOLONOMIC_RATE, SODAE_V, mech_holonomic_q, &m->by_row);
    set(m, SODAE_HOLONOMIC_RATE, SODAE_Q, mech_rate_q, &m->by_row);
    set(m, SODAE_HOLONOMIC_DRIFT, SODAE_V, mech_drift_v, &m->by_row);
    set(m, SODAE_HOLONOMIC_DRIFT, SODAE_Q, NULL, &m->by_row);
    if (!any_motion(m)) return;
    set(m, SODAE_HOLONOMIC, SODAE_T, mech_holonomic_t, NULL);
    set(m, SODAE_HOLONOMIC_RATE, SODAE_T, mech_rate_t, NULL);
    set(m, SODAE_HOLONOMIC_DRIFT, SODAE_T, NULL, NULL);
}

static void set_slips(sodae_mechanism *m) {
    sodae_problem *p = &m->problem;
    if (!m->slips.count) return;
    p->value[SODAE_NONHOLONOMIC].fn = mech_slip;
    p->value[SODAE_NONHOLONOMIC_DRIFT].fn = mech_slip_drift;
    set(m, SODAE_NONHOLONOMIC, SODAE_V, mech_slip_v, &m->by_slip);
    set(m, SODAE_NONHOLONOMIC, SODAE_Q, mech_slip_q, &m->by_slip);
    set(m, SODAE_NONHOLONOMIC_DRIFT, SODAE_V, mech_slip_drift_v, &m->by_slip);
    set(m, SODAE_NONHOLONOMIC_DRIFT, SODAE_Q, NULL, &m->by_slip);
}

static void set_balance(sodae_mechanism *m) {
    sodae_problem *p = &m->problem;
    p->value[SODAE_FORCE].fn = mech_force_value;
    if (is_conservative(m)) p->value[SODAE_ENERGY].fn = mech_energy;
    set(m, SODAE_FORCE, SODAE_Q, mech_force_q, &m->acting);
    set(m, SODAE_FORCE, SODAE_V, mech_force_v, &m->acting);
    if (any_law(m)) set(m, SODAE_FORCE, SODAE_T, mech_force_t, NULL);
    if (any_joint_friction(m))
        p->derivative[SODAE_FORCE][SODAE_LAMBDA] = (sodae_term){mech_force_lambda, m->rubbing};
    if (m->rows.count + m->slips.count) {
        p->value[SODAE_REACTION].fn = mech_reaction;
        set(m, SODAE_REACTION, SODAE_Q, mech_reaction_q, &m->reacting);
    }
    if (!m->turns.count) return;
    p->value[SODAE_DYNAMIC].fn = mech_turn;
    set(m, SODAE_DYNAMIC, SODAE_V, mech_turn_v, &m->by_turn);
    set(m, SODAE_DYNAMIC, SODAE_Q, mech_turn_q, &m->by_turn);
}

static int largest(const int *x, int n) {
    int most = 1;
    for (int i = 0; i < n; i++) most = x[i] > most ? x[i] : most;
    return most;
}

/* Nothing depends on anything unless it is set. */
static int set_functions(sodae_mechanism *m) {
    sodae_problem *p = &m->problem;
    const int sizes[] = {p->nv, p->nlambda, p->npsi, p->nr};
    int *none = arena_ints(&m->memory, (size_t)largest(sizes, 4) + 1);
    if (!none) return 1;
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++)
            p->derivative[f][x].pattern = (sodae_pattern){none, none};
    set_rows(m);
    set_slips(m);
    set_balance(m);
    return 0;
}

static const char **take_names(sodae_mechanism *m, int count) {
    return arena_take(&m->memory, (size_t)count + 1, sizeof(const char *));
}

static const char *joined(sodae_mechanism *m, const char *body, const char *label) {
    char text[120];
    snprintf(text, sizeof text, "%.80s.%s", body, label);
    return mech_copy_text(m, text);
}

/* Names go by directions: v of them, three or six of a rotation. */
static int name_unknowns(sodae_mechanism *m) {
    static const char *const q3[] = {"x", "y", "z", "R[1]", "R[2]", "R[3]"};
    static const char *const v3[] = {"vx", "vy", "vz", "w1", "w2", "w3"};
    static const char *const q6[] = {"H[1]", "H[2]", "H[3]", "H[4]", "H[5]", "H[6]"};
    static const char *const v6[] = {"u1", "u2", "u3", "w1", "w2", "w3"};
    static const char *const q2[] = {"x", "y", "angle"}, *const v2[] = {"vx", "vy", "w"};
    int count = m->n * m->bodies.count;
    const char **q = take_names(m, count), **v = take_names(m, count);
    const char **r = take_names(m, m->turns.count);
    if (m->memory.failed) return 1;
    for (int i = 0; i < count; i++) {
        int k = i % m->n, se3 = m->bodies.at[i / m->n].se3;
        const char *body = m->bodies.at[i / m->n].name;
        q[i] = joined(m, body, (m->planar ? q2 : se3 ? q6 : q3)[k]);
        v[i] = joined(m, body, (m->planar ? v2 : se3 ? v6 : v3)[k]);
    }
    for (int i = 0; i < m->joints.count; i++) {
        int angle = m->joints.at[i].angle;
        if (angle >= 0 && m->quantities.at[angle].turn >= 0)
            r[m->quantities.at[angle].turn] = joined(m, m->joints.at[i].name, "turns");
    }
    m->problem.variable_names[SODAE_Q] = q;
    m->problem.variable_names[SODAE_V] = v;
    m->problem.variable_names[SODAE_R] = r;
    m->problem.variable_names[SODAE_LAMBDA] = m->row_names.at;
    m->problem.variable_names[SODAE_PSI] = m->slip_names.at;
    m->problem.equation_names[SODAE_HOLONOMIC] = m->row_names.at;
    m->problem.equation_names[SODAE_NONHOLONOMIC] = m->slip_names.at;
    m->problem.equation_names[SODAE_FORCE] = v;
    return m->memory.failed;
}

static int set_initial(sodae_mechanism *m, double t0) {
    int nb = m->bodies.count, nq = m->planar ? 3 : 12;
    double *q = arena_doubles(&m->memory, (size_t)(nq * nb));
    double *v = arena_doubles(&m->memory, (size_t)(m->n * nb));
    double *r = arena_doubles(&m->memory, (size_t)m->turns.count + 1);
    if (m->memory.failed) return 1;
    for (int b = 0; b < nb; b++) {
        const sodae_body *body = &m->bodies.at[b].given;
        memcpy(q + nq * b, body->at, (m->planar ? 2 : 3) * sizeof *q);
        if (m->planar)
            q[nq * b + 2] = body->angle;
        else
            memcpy(q + nq * b + 3, body->rotation, 9 * sizeof *q);
    }
    unsigned char *hold = arena_take(&m->memory, (size_t)(m->n * nb), 1);
    for (int b = 0; hold && b < nb; b++) {
        if (!m->bodies.at[b].held) continue;
        memset(hold + m->n * b, 1, (size_t)m->n);
        m->problem.hold_q = hold;
    }
    if (m->memory.failed) return 1;
    m->problem.initial = (sodae_point){.t = t0, .q = q, .v = v, .r = r};
    return 0;
}

static int set_work(sodae_mechanism *m) {
    if (mech_impact_open(m)) return 1;
    m->problem.work_size = mech_work_size(m);
    return 0;
}

static int make_problem(sodae_mechanism *m, double t0) {
    sodae_problem *p = &m->problem;
    p->name = "mechanism";
    p->size = sizeof *p;
    p->nv = m->n * m->bodies.count;
    p->nlambda = m->rows.count;
    p->npsi = m->slips.count;
    p->nr = m->turns.count;
    p->user = m;
    p->prepare = mech_prepare;
    number_ground(m);
    mech_share_inertia(m);
    return make_space(m) || make_mass(m) || make_patterns(m) ||
           (any_joint_friction(m) && mech_friction_pattern(m)) || set_functions(m) ||
           name_unknowns(m) || set_initial(m, t0) || mech_set_switches(m) || set_work(m) ||
           (m->join && mech_make_whole(m));
}

sodae_status sodae_mechanism_finish(sodae_mechanism *m, double t0, int project,
                                    sodae_failure *why) {
    if (m->finished) return failure_set(why, SODAE_BAD_ARGUMENT, "", "finished already");
    if (!m->bodies.count)
        return failure_set(why, SODAE_BAD_PROBLEM, "bodies", "the mechanism has no bodies");
    if (make_problem(m, t0)) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    m->finished = 1;
    sodae_status st = sodae_problem_check(mech_whole(m), why);
    if (!st) st = mech_assemble(m, why);
    if (!st) st = mech_initial_velocities(m, project, why);
    return st ? st : mech_start_modes(m, why);
}
