/* Equations of their own and those of bodies and joints become one problem. In each block of
 * unknowns and of rows those of the bodies come first. A derivative of the whole has entries of
 *
 *   the bodies, the own equations          two blocks on the diagonal
 *   own equations by bodies                F_x z_q, F_x (z')_q, F_x (z')_v of the measured x
 *   forces by own unknowns                 W^T T_y of laws */
#include "base/failure.h"
#include "mechanism/mechanism.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *wrong_equations(const sodae_mechanism *m, const sodae_problem *own) {
    if (m->finished) return "the mechanism is finished";
    if (m->join) return "the mechanism has equations already";
    if (own->space && !own->space->abelian) return "rotations are bodies, not further unknowns";
    if (own->ns) return "contact coordinates are not supported together with bodies";
    if (own->nmodes) return "modes are not supported together with bodies";
    if (own->in_force)
        return "reactions must not be in the forces of equations that stand together with bodies";
    return NULL;
}

sodae_status sodae_mechanism_equations(sodae_mechanism *m, const sodae_problem *own, int nx,
                                       const sodae_measure *x, sodae_failure *why) {
    const char *wrong = wrong_equations(m, own);
    if (wrong) return failure_set(why, SODAE_BAD_PROBLEM, "equations", "equations: %s", wrong);
    mech_join *j = arena_take(&m->memory, 1, sizeof *j);
    int *quantity = arena_ints(&m->memory, (size_t)nx + 1);
    int *rate = arena_ints(&m->memory, (size_t)nx + 1);
    if (m->memory.failed) return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    *j = (mech_join){.own = *own, .nx = nx, .quantity = quantity, .rate = rate};
    for (int i = 0; i < nx; i++) {
        sodae_status st = mech_check_measure(m, &x[i], "equations", why);
        if (st) return st;
        rate[i] = mech_measures_rate(&x[i]);
        if ((quantity[i] = mech_measure(m, &x[i])) < 0)
            return failure_set(why, SODAE_NO_MEMORY, "", "memory ran out");
    }
    m->join = j;
    return SODAE_OK;
}

/* Entries of a pattern while it is made. */
typedef struct entry {
    int column, row;
} entry;

typedef struct entries {
    arena *memory;
    entry *at;
    int count, room;
} entries;

static void add(entries *e, int row, int column) {
    if (mech_grow(e->memory, (void **)&e->at, e->count, &e->room, sizeof *e->at)) return;
    e->at[e->count++] = (entry){column, row};
}

static int by_column(const void *a, const void *b) {
    const entry *x = a, *y = b;
    return x->column != y->column ? x->column - y->column : x->row - y->row;
}

/* A block of a part. Without function and pattern it is unknown: full where `unknown`. */
static void add_part(entries *e, const sodae_term *term, int rows, int columns, int row0,
                     int column0, int unknown) {
    const sodae_pattern *p = &term->pattern;
    if (!p->colptr && !term->fn && !unknown) return;
    for (int j = 0; j < columns; j++)
        for (int k = p->colptr ? p->colptr[j] : 0; k < (p->colptr ? p->colptr[j + 1] : rows); k++)
            add(e, row0 + (p->colptr ? p->rowind[k] : k), column0 + j);
}

/* Own rows by the bodies of what they measure. */
static void add_measured(const sodae_mechanism *m, entries *e, sodae_function f, int rows) {
    const mech_join *j = m->join;
    const sodae_term *term = &j->own.derivative[f][SODAE_W];
    const sodae_pattern *p = &term->pattern;
    int row0 = mech_part_rows(&m->problem, f);
    if (!term->fn) return;
    for (int x = 0; x < j->nx; x++) {
        const mech_quantity *q = &m->quantities.at[j->quantity[x]];
        int column = j->own.nw + x, first = p->colptr ? p->colptr[column] : 0;
        int end = p->colptr ? p->colptr[column + 1] : rows;
        for (int k = first; k < end; k++)
            for (int i = 0; i < 2 * m->n; i++)
                if (q->body[i / m->n] < m->bodies.count)
                    add(e, row0 + (p->colptr ? p->rowind[k] : k),
                        m->n * q->body[i / m->n] + i % m->n);
    }
}

/* Forces on bodies by own unknowns. */
static void add_laws(const sodae_mechanism *m, entries *e, sodae_variable x) {
    int column0 = sodae_variable_columns(&m->problem, x);
    for (int i = 0; i < m->terms.count; i++) {
        const mech_term *t = &m->terms.at[i];
        const mech_quantity *q = &m->quantities.at[t->quantity];
        for (int k = 0; t->kind == TERM_LAW && k < t->law->nx; k++) {
            if (t->law->x[k].kind != SODAE_OWN || t->law->x[k].of != (int)x) continue;
            for (int r = 0; r < 2 * m->n; r++)
                if (q->body[r / m->n] < m->bodies.count)
                    add(e, m->n * q->body[r / m->n] + r % m->n, column0 + t->law->x[k].component);
        }
    }
}

/* Compressed columns of the entries. */
static int make_pattern(entries *e, int columns, sodae_pattern *out) {
    int *colptr = arena_ints(e->memory, (size_t)columns + 1);
    int *rowind = arena_ints(e->memory, (size_t)e->count + 1), count = 0;
    if (e->memory->failed) return 1;
    if (e->count) qsort(e->at, (size_t)e->count, sizeof *e->at, by_column);
    for (int i = 0; i < e->count; i++) {
        if (i && !by_column(&e->at[i - 1], &e->at[i])) continue;
        rowind[count++] = e->at[i].row;
        colptr[e->at[i].column + 1] = count;
    }
    for (int j = 0; j < columns; j++)
        if (colptr[j + 1] < colptr[j]) colptr[j + 1] = colptr[j];
    *out = (sodae_pattern){colptr, rowind};
    return 0;
}

static int place_of(const sodae_pattern *p, int row, int column) {
    int low = p->colptr[column], high = p->colptr[column + 1];
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->rowind[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Where the entries of a part stand; `own` has more columns than it shows. */
static int *places_of(sodae_mechanism *m, const sodae_term *part, int rows, int columns, int row0,
                      int column0, const sodae_pattern *whole) {
    const sodae_pattern *p = &part->pattern;
    int count = p->colptr ? p->colptr[columns] : rows * columns;
    int *place = arena_ints(&m->memory, (size_t)count + 1);
    for (int j = 0, k = 0; place && j < columns; j++)
        for (int end = p->colptr ? p->colptr[j + 1] : k + rows; k < end; k++)
            place[k] =
                place_of(whole, row0 + (p->colptr ? p->rowind[k] : k - j * rows), column0 + j);
    return place;
}

/* 1: the part gives this function, or has no rows of it. */
static int is_given(const sodae_problem *part, sodae_function f) {
    if (part->value[f].fn || f == SODAE_MASS || f == SODAE_FORCE) return 1;
    if (f == SODAE_REACTION) return part->nlambda + part->npsi == 0;
    return sodae_function_rows(part, f) == 0;
}

/* 1: no derivative of the own equations is given: it is found by differences. */
static int is_unknown(const sodae_problem *own, sodae_function f, const sodae_term *term) {
    if (own->exact_derivatives || term->fn || term->pattern.colptr || !own->value[f].fn) return 0;
    return f != SODAE_MASS || !own->constant_mass;
}

static int has_entries(const sodae_term *term, int columns) {
    return term->pattern.colptr && term->pattern.colptr[columns] > 0;
}

static int make_block(sodae_mechanism *m, sodae_function f, sodae_variable x) {
    mech_join *j = m->join;
    const sodae_problem *own = &j->own;
    const sodae_term *mech = &m->problem.derivative[f][x], *part = &own->derivative[f][x];
    sodae_term *whole = &j->whole.derivative[f][x];
    int rows = own->value[f].fn ? sodae_function_rows(own, f) : 0;
    int row0 = mech_part_rows(&m->problem, f), column0 = sodae_variable_columns(&m->problem, x);
    int columns = sodae_variable_columns(own, x), unknown = is_unknown(own, f, part);
    entries e = {.memory = &m->memory};
    if (x == SODAE_T) column0 = 0;
    add_part(&e, mech, row0, sodae_variable_columns(&m->problem, x), 0, 0, 0);
    add_part(&e, part, rows, columns, row0, column0, unknown);
    if (x == SODAE_Q || x == SODAE_V) add_measured(m, &e, f, rows);
    if (f == SODAE_FORCE) add_laws(m, &e, x);
    /* G and K say how reactions depend on multipliers */
    if (f == SODAE_REACTION && (x == SODAE_LAMBDA || x == SODAE_PSI)) e.count = 0;
    if (make_pattern(&e, sodae_variable_columns(&j->whole, x), &whole->pattern)) return 1;
    if (unknown || (!part->fn && rows && has_entries(part, columns)) ||
        (!mech->fn && has_entries(mech, sodae_variable_columns(&m->problem, x))))
        return 0;
    if (!e.count) return 0;
    whole->fn = mech_whole_derivative(f, x);
    if (mech->fn)
        j->place[f][x].mech =
            places_of(m, mech, row0, sodae_variable_columns(&m->problem, x), 0, 0, &whole->pattern);
    if (part->fn && rows)
        j->place[f][x].own = places_of(m, part, rows, columns, row0, column0, &whole->pattern);
    return m->memory.failed;
}

/* Both on the diagonal; the own mass is the identity where it is missing. */
static int make_mass(sodae_mechanism *m) {
    const sodae_problem *own = &m->join->own;
    sodae_term identity = {NULL, {NULL, NULL}};
    int *diagonal = arena_ints(&m->memory, (size_t)(2 * own->nv) + 1), nv = m->problem.nv;
    if (!diagonal) return 1;
    for (int i = 0; i < own->nv; i++) diagonal[i + 1] = i + 1, diagonal[own->nv + 1 + i] = i;
    identity.pattern = (sodae_pattern){diagonal, diagonal + own->nv + 1};
    entries e = {.memory = &m->memory};
    add_part(&e, &m->problem.value[SODAE_MASS], nv, nv, 0, 0, 0);
    add_part(&e, own->value[SODAE_MASS].fn ? &own->value[SODAE_MASS] : &identity, own->nv, own->nv,
             nv, nv, 0);
    m->join->whole.value[SODAE_MASS].fn = mech_whole_value(SODAE_MASS);
    return make_pattern(&e, nv + own->nv, &m->join->whole.value[SODAE_MASS].pattern);
}

/* Names of both parts; NULL stays NULL. */
static const char **join_names(sodae_mechanism *m, const char *const *first, int nfirst,
                               const char *const *second, int nsecond) {
    const char **all = arena_take(&m->memory, (size_t)(nfirst + nsecond) + 1, sizeof *all);
    for (int i = 0; all && i < nfirst; i++) all[i] = first ? first[i] : NULL;
    for (int i = 0; all && i < nsecond; i++) all[nfirst + i] = second ? second[i] : NULL;
    return all;
}

static void name_all(sodae_mechanism *m) {
    sodae_problem *p = &m->join->whole;
    const sodae_problem *mech = &m->problem, *own = &m->join->own;
    for (int x = SODAE_Q; x < SODAE_VARIABLES; x++) {
        int first = sodae_variable_columns(mech, (sodae_variable)x);
        p->variable_names[x] = join_names(m, mech->variable_names[x], first, own->variable_names[x],
                                          sodae_variable_columns(own, (sodae_variable)x));
    }
    for (int f = SODAE_FORCE; f <= SODAE_AUXILIARY; f++)
        if (mech->equation_names[f] || own->equation_names[f])
            p->equation_names[f] =
                join_names(m, mech->equation_names[f], sodae_function_rows(mech, (sodae_function)f),
                           own->equation_names[f], sodae_function_rows(own, (sodae_function)f));
}

static double *join_numbers(sodae_mechanism *m, const double *first, int nfirst,
                            const double *second, int nsecond) {
    double *all = arena_doubles(&m->memory, (size_t)(nfirst + nsecond) + 1);
    if (all && first) memcpy(all, first, (size_t)nfirst * sizeof *all);
    if (all && second) memcpy(all + nfirst, second, (size_t)nsecond * sizeof *all);
    return all;
}

/* The initial values of the bodies stand in those of the whole from now on. */
static void join_initial(sodae_mechanism *m) {
    const sodae_problem *own = &m->join->own;
    sodae_point *at = &m->problem.initial, *whole = &m->join->whole.initial;
    at->q = join_numbers(m, at->q, m->join->nq, own->initial.q, own->nv);
    at->v = join_numbers(m, at->v, m->problem.nv, own->initial.v, own->nv);
    at->r = join_numbers(m, at->r, m->problem.nr, own->initial.r, own->nr);
    *whole = *at;
    whole->w = join_numbers(m, NULL, 0, own->initial.w, own->nw);
    whole->lambda = whole->psi = NULL;
}

static const unsigned char *join_flags(sodae_mechanism *m, const unsigned char *first,
                                       const unsigned char *second) {
    int nv = m->problem.nv, more = m->join->own.nv;
    unsigned char *all = arena_take(&m->memory, (size_t)(nv + more) + 1, 1);
    if (!first && !second) return NULL;
    if (all && first) memcpy(all, first, (size_t)nv);
    if (all && second) memcpy(all + nv, second, (size_t)more);
    return all;
}

/* Rows that modes switch are those of the bodies. */
static void join_active(sodae_mechanism *m) {
    const sodae_problem *mech = &m->problem, *own = &m->join->own;
    int lambdas = mech->nlambda + own->nlambda, count = lambdas + mech->npsi + own->npsi;
    int *active = arena_ints(&m->memory, (size_t)count + 1);
    if (!active || !mech->active) return;
    for (int i = 0; i < count; i++) active[i] = -1;
    memcpy(active, mech->active, (size_t)mech->nlambda * sizeof *active);
    memcpy(active + lambdas, mech->active + mech->nlambda, (size_t)mech->npsi * sizeof *active);
    m->join->whole.active = active;
}

static int join_space(sodae_mechanism *m) {
    const sodae_space *s = m->space;
    int more = m->join->own.nv;
    if (!s || !more) return 0;
    const sodae_group **groups = arena_take(&m->memory, (size_t)s->nparts + 1, sizeof *groups);
    int *n = arena_ints(&m->memory, (size_t)s->nparts + 1);
    if (m->memory.failed) return 1;
    for (int i = 0; i < s->nparts; i++) groups[i] = s->parts[i].group, n[i] = s->parts[i].n;
    groups[s->nparts] = &sodae_rn, n[s->nparts] = more;
    if (sodae_space_create(groups, n, s->nparts + 1, &m->whole_space)) return 1;
    m->join->whole.space = m->whole_space;
    return 0;
}

static void make_sizes(sodae_mechanism *m) {
    mech_join *j = m->join;
    sodae_problem *p = &j->whole;
    const sodae_problem *own = &j->own;
    *p = m->problem;
    p->nv += own->nv, p->nlambda += own->nlambda, p->npsi += own->npsi;
    p->nr += own->nr, p->nw = own->nw;
    p->constant_mass &= own->constant_mass || !own->nv;
    p->exact_derivatives &= own->exact_derivatives;
    p->prepare = mech_whole_prepare;
    j->nq = m->bodies.count * (m->planar ? 3 : 12);
    j->work = (m->problem.work_size + 63) / 64 * 64;
    j->numbers = j->work + (own->work_size + 63) / 64 * 64;
    memset(p->value, 0, sizeof p->value);
    memset(p->derivative, 0, sizeof p->derivative);
    for (int f = SODAE_FORCE; f < SODAE_ENERGY; f++)
        if (sodae_function_rows(p, (sodae_function)f) && is_given(&m->problem, (sodae_function)f) &&
            is_given(own, (sodae_function)f) && (m->problem.value[f].fn || own->value[f].fn))
            p->value[f].fn = mech_whole_value((sodae_function)f);
}

/* Room for w, x and the largest derivative of a part. */
static void make_room(sodae_mechanism *m) {
    mech_join *j = m->join;
    int most = 0;
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++) {
            const int *mech = m->problem.derivative[f][x].pattern.colptr;
            const int *own = j->own.derivative[f][x].pattern.colptr;
            int columns = sodae_variable_columns(&m->problem, (sodae_variable)x);
            int wide =
                sodae_variable_columns(&j->own, (sodae_variable)x) + (x == SODAE_W ? j->nx : 0);
            int n = own ? own[wide] : wide * sodae_function_rows(&j->own, (sodae_function)f);
            if (mech && mech[columns] > most) most = mech[columns];
            if (n > most) most = n;
        }
    j->whole.work_size = j->numbers + (size_t)(j->own.nw + j->nx + most) * sizeof(double);
}

int mech_make_whole(sodae_mechanism *m) {
    make_sizes(m);
    if (join_space(m) || make_mass(m)) return 1;
    for (int f = 0; f < SODAE_ENERGY; f++)
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if ((m->join->whole.value[f].fn || f == SODAE_MASS) &&
                make_block(m, (sodae_function)f, (sodae_variable)x))
                return 1;
    make_room(m);
    name_all(m);
    join_initial(m);
    join_active(m);
    m->join->whole.hold_q = join_flags(m, m->problem.hold_q, m->join->own.hold_q);
    m->join->whole.hold_v = join_flags(m, m->problem.hold_v, m->join->own.hold_v);
    return m->memory.failed;
}
