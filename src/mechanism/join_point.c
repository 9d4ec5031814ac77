/* Functions of a mechanism with equations of its own: those of both parts, one behind the other,
 * and what they have of each other by the chain rule. */
#include "mechanism/mechanism.h"

#include <string.h>

int mech_part_rows(const sodae_problem *part, sodae_function f) {
    int constraints = part->nlambda + part->npsi;
    return f == SODAE_REACTION && !constraints && !part->value[f].fn ? part->nv
                                                                     : sodae_function_rows(part, f);
}

/* The point as the own functions see it; the numbers they measure stand behind w. */
static sodae_point own_point(const sodae_mechanism *m, const sodae_point *at) {
    const mech_join *j = m->join;
    mech_work w = mech_work_at(m, at->work);
    double *numbers = (double *)((char *)at->work + j->numbers);
    sodae_point p = *at;
    for (int i = 0; i < j->own.nw; i++) numbers[i] = at->w ? at->w[i] : 0;
    for (int i = 0; i < j->nx; i++) {
        const mech_value *value = &w.value[j->quantity[i]];
        numbers[j->own.nw + i] = j->rate[i] ? value->rate : value->z;
    }
    p.q = at->q + j->nq, p.v = at->v + m->problem.nv;
    p.a = at->a ? at->a + m->problem.nv : NULL;
    p.lambda = at->lambda ? at->lambda + m->problem.nlambda : NULL;
    p.psi = at->psi ? at->psi + m->problem.npsi : NULL;
    p.r = at->r ? at->r + m->problem.nr : NULL;
    p.w = numbers;
    p.work = (char *)at->work + j->work;
    return p;
}

static double *scratch_of(const mech_join *j, const sodae_point *at) {
    return (double *)((char *)at->work + j->numbers) + j->own.nw + j->nx;
}

int mech_whole_prepare(const sodae_point *at, void *user) {
    const sodae_mechanism *m = user;
    int code = mech_prepare(at, user);
    sodae_point own = own_point(m, at);
    return code || !m->join->own.prepare ? code : m->join->own.prepare(&own, m->join->own.user);
}

static int value(sodae_function f, const sodae_point *at, double *out, void *user) {
    const sodae_mechanism *m = user;
    const sodae_problem *mech = &m->problem, *own = &m->join->own;
    int mass = f == SODAE_MASS, rows = mech_part_rows(own, f);
    int first = mass ? mech->value[f].pattern.colptr[mech->nv] : mech_part_rows(mech, f);
    int code = mech->value[f].fn ? mech->value[f].fn(at, out, user) : 0;
    if (!mech->value[f].fn) memset(out, 0, (size_t)first * sizeof *out);
    if (code) return code;
    out += first;
    sodae_point p = own_point(m, at);
    if (own->value[f].fn) return own->value[f].fn(&p, out, own->user);
    for (int i = 0; i < rows; i++) out[i] = mass; /* the identity, or no force */
    return 0;
}

/* out += the own derivative by what is measured, times its derivative by q or v. */
static int add_measured(const sodae_mechanism *m, sodae_function f, sodae_variable x,
                        const sodae_point *at, double *scratch, double *out) {
    const mech_join *j = m->join;
    const sodae_term *term = &j->own.derivative[f][SODAE_W];
    const sodae_pattern *p = &term->pattern, *whole = &j->whole.derivative[f][x].pattern;
    int rows = sodae_function_rows(&j->own, f), row0 = mech_part_rows(&m->problem, f);
    mech_work w = mech_work_at(m, at->work);
    sodae_point own = own_point(m, at);
    int code = term->fn(&own, scratch, j->own.user);
    for (int i = 0; i < j->nx && !code; i++) {
        int column = j->own.nw + i, first = p->colptr ? p->colptr[column] : rows * column;
        int end = p->colptr ? p->colptr[column + 1] : first + rows;
        const mech_quantity *q = &m->quantities.at[j->quantity[i]];
        double slope[12];
        if (first == end || (x == SODAE_V && !j->rate[i])) continue;
        if (x == SODAE_Q && j->rate[i])
            mech_rate_by_q(m, &w, j->quantity[i], slope);
        else
            memcpy(slope, w.value[j->quantity[i]].W, sizeof slope);
        for (int c = 0; c < 2 * m->n; c++) {
            int side = c / m->n, k = c % m->n;
            if (q->body[side] >= m->bodies.count) continue;
            int e = whole->colptr[m->n * q->body[side] + k];
            for (int r = first; r < end; r++) {
                while (whole->rowind[e] < row0 + (p->colptr ? p->rowind[r] : r - first)) e++;
                out[e] += scratch[r] * slope[6 * side + mech_column(m, k)];
            }
        }
    }
    return code;
}

/* out[place[i]] += the entries of a part */
static int add_part(const sodae_term *term, const int *place, int count, const sodae_point *at,
                    void *user, double *scratch, double *out) {
    int code = term->fn(at, scratch, user);
    for (int i = 0; i < count && !code; i++) out[place[i]] += scratch[i];
    return code;
}

static int derivative(sodae_function f, sodae_variable x, const sodae_point *at, double *out,
                      void *user) {
    const sodae_mechanism *m = user;
    const mech_join *j = m->join;
    const sodae_problem *mech = &m->problem, *own = &j->own;
    const mech_places *place = &j->place[f][x];
    const sodae_term *a = &mech->derivative[f][x], *b = &own->derivative[f][x];
    int columns = sodae_variable_columns(own, x), code = 0;
    double *scratch = scratch_of(j, at);
    memset(out, 0,
           (size_t)j->whole.derivative[f][x].pattern.colptr[sodae_variable_columns(&j->whole, x)] *
               sizeof *out);
    if (place->mech)
        code =
            add_part(a, place->mech,
                     a->pattern.colptr ? a->pattern.colptr[sodae_variable_columns(mech, x)]
                                       : mech_part_rows(mech, f) * sodae_variable_columns(mech, x),
                     at, user, scratch, out);
    if (place->own && !code) {
        sodae_point p = own_point(m, at);
        code = add_part(b, place->own,
                        b->pattern.colptr ? b->pattern.colptr[columns]
                                          : sodae_function_rows(own, f) * columns,
                        &p, own->user, scratch, out);
    }
    int measures = own->value[f].fn && own->derivative[f][SODAE_W].fn;
    if (!code && measures && (x == SODAE_Q || x == SODAE_V))
        code = add_measured(m, f, x, at, scratch, out);
    return !code && f == SODAE_FORCE && x != SODAE_T ? mech_force_own(m, at, x, out) : code;
}

#define FUNCTIONS(X)                                                                               \
    X(MASS)                                                                                        \
    X(FORCE)                                                                                       \
    X(HOLONOMIC)                                                                                   \
    X(NONHOLONOMIC)                                                                                \
    X(DYNAMIC)                                                                                     \
    X(AUXILIARY)                                                                                   \
    X(CONTACT)                                                                                     \
    X(REACTION)                                                                                    \
    X(HOLONOMIC_RATE)                                                                              \
    X(HOLONOMIC_DRIFT)                                                                             \
    X(NONHOLONOMIC_DRIFT)                                                                          \
    X(ENERGY)

#define VARIABLES(X, F) X(F, T) X(F, Q) X(F, V) X(F, LAMBDA) X(F, PSI) X(F, R) X(F, W) X(F, S)

#define VALUE(F)                                                                                   \
    static int value_##F(const sodae_point *at, double *out, void *user) {                         \
        return value(SODAE_##F, at, out, user);                                                    \
    }
#define DERIVATIVE(F, X)                                                                           \
    static int derivative_##F##_##X(const sodae_point *at, double *out, void *user) {              \
        return derivative(SODAE_##F, SODAE_##X, at, out, user);                                    \
    }
#define DERIVATIVES(F) VARIABLES(DERIVATIVE, F)

FUNCTIONS(VALUE)
FUNCTIONS(DERIVATIVES)

#define VALUE_NAME(F)         [SODAE_##F] = value_##F,
#define DERIVATIVE_NAME(F, X) [SODAE_##X] = derivative_##F##_##X,
#define DERIVATIVE_NAMES(F)   [SODAE_##F] = {VARIABLES(DERIVATIVE_NAME, F)},

sodae_fn *mech_whole_value(sodae_function f) {
    static sodae_fn *const all[SODAE_FUNCTIONS] = {FUNCTIONS(VALUE_NAME)};
    return all[f];
}

sodae_fn *mech_whole_derivative(sodae_function f, sodae_variable x) {
    static sodae_fn *const all[SODAE_FUNCTIONS][SODAE_VARIABLES] = {FUNCTIONS(DERIVATIVE_NAMES)};
    return all[f][x];
}
