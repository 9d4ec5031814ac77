/* Equations of motion from energies T(t, q, v) and U(t, q), 004 (1.1)-(1.9):
 *   d/dt T_v - ad_v^T T_v - (T - U)_q = f
 * with derivatives by q along tangent directions; on R^n ad_v = 0. So M = T_vv and
 *   force = f + (T - U)_q + ad_v^T T_v - (T_v)_q v - (T_v)_t,   energy = v T_v - T + U. */
#include "model/build.h"
#include "model/keys.h"

const tree_node *lagrangian_of(const model_build *b) {
    const tree_node *top = tree_get(b->root, "lagrangian");
    return top ? top : tree_get(b->equations, "lagrangian");
}

static int read_energy(model_build *b, const tree_node *map, const char *key, unsigned allowed,
                       int *out) {
    entry e = {tree_get(map, key), NULL};
    expr_value value;
    *out = 0;
    place_section(b, key, 0);
    if (!e.node) return 0;
    if (lists_value(b, &e, &value)) return 1;
    if (value.open_kind >= 0 || expr_value_size(&value) != 1)
        return place_fail(b, e.node, "expected one expression");
    *out = expr_value_node(&value, 0);
    if (reach_of(b, *out) & ~allowed)
        return place_fail(b, e.node, "may depend on t, positions%s only",
                          allowed & 1u << SODAE_V ? " and velocities" : "");
    return 0;
}

/* The derivatives of one node by nv directions, zeros included. */
static int *gradient(model_build *b, int node, const expr_direction *directions) {
    expr_sparse d;
    int *out = EXPR_TAKE(&b->pool, int, b->nv + 1);
    if (!out || expr_derive(&b->graph, &b->pool, &node, 1, directions, b->nv, &d)) return NULL;
    for (int j = 0; j < b->nv; j++)
        if (d.colptr[j + 1] > d.colptr[j]) out[j] = d.node[d.colptr[j]];
    return out;
}

/* force_j -= sum_k (T_v)_j,q_k v_k + (T_v)_j,t */
static int subtract_drift(model_build *b, const int *Tv, int *force) {
    expr_graph *g = &b->graph;
    expr_sparse by_q, by_t;
    if (expr_derive(g, &b->pool, Tv, b->nv, b->directions[SODAE_Q], b->nv, &by_q)) return 1;
    if (expr_derive(g, &b->pool, Tv, b->nv, b->directions[SODAE_T], 1, &by_t)) return 1;
    for (int k = 0; k < b->nv; k++)
        for (int e = by_q.colptr[k]; e < by_q.colptr[k + 1]; e++) {
            int *f = &force[by_q.rowind[e]];
            *f = expr_sub(g, *f, expr_mul(g, by_q.node[e], expr_leaf(g, SODAE_V, k)));
        }
    for (int e = 0; e < by_t.colptr[1]; e++)
        force[by_t.rowind[e]] = expr_sub(g, force[by_t.rowind[e]], by_t.node[e]);
    return 0;
}

/* out_0..2 += p x v for three entries of T_v and of v: the transpose of ad_v = v x for rotations */
static void add_cross(model_build *b, const int *p, int v0, int *out) {
    expr_graph *g = &b->graph;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        int first = expr_mul(g, p[j], expr_leaf(g, SODAE_V, v0 + k));
        int second = expr_mul(g, p[k], expr_leaf(g, SODAE_V, v0 + j));
        out[i] = expr_add(g, out[i], expr_sub(g, first, second));
    }
}

/* ad_v^T p, p = T_v. Motions, v = (u, w): ad_v^T (p, m) = (p x w, p x u + m x w). */
static void add_gyroscopic(model_build *b, const int *Tv, int *force) {
    for (int i = 0; i < b->ncoordinates; i++) {
        const coordinate *c = &b->coordinates[i];
        int v0 = c->v0, motion = c->group == &sodae_se3, w0 = motion ? v0 + 3 : v0;
        if (c->group == &sodae_rn) continue;
        add_cross(b, Tv + w0, w0, force + w0);
        if (motion) add_cross(b, Tv + v0, w0, force + v0);
        if (motion) add_cross(b, Tv + v0, v0, force + w0);
    }
}

/* v T_v - T + U, unless the file has an `energy` of its own */
static int add_energy(model_build *b, const tree_node *map, const int *Tv, int T, int U) {
    expr_graph *g = &b->graph;
    int sum = expr_sub(g, U, T);
    if (b->function[SODAE_ENERGY].count) return 0;
    for (int j = 0; j < b->nv; j++)
        sum = expr_add(g, sum, expr_mul(g, Tv[j], expr_leaf(g, SODAE_V, j)));
    return rows_add(b, &b->function[SODAE_ENERGY], sum, map);
}

static int set_mass(model_build *b, const tree_node *map, const int *Tv) {
    unsigned reach = 0;
    if (expr_derive(&b->graph, &b->pool, Tv, b->nv, b->directions[SODAE_V], b->nv, &b->mass))
        return report_memory(&b->report);
    for (int i = 0; i < b->mass.colptr[b->nv]; i++) reach |= reach_of(b, b->mass.node[i]);
    place_section(b, "kinetic", 0);
    if (reach & 1u << SODAE_V) return place_fail(b, map, "must be quadratic in the velocities");
    b->mass_given = 1;
    b->model->problem.constant_mass = !reach;
    return 0;
}

int lagrangian_read(model_build *b) {
    const tree_node *map = lagrangian_of(b);
    unsigned position = 1u << SODAE_T | 1u << SODAE_Q;
    int T, U, *force = b->function[SODAE_FORCE].node;
    if (!map) return 0;
    if (keys_check(&b->report, map, KEYS_LAGRANGIAN, "lagrangian")) return 1;
    place_section(b, "lagrangian", 0);
    if (!tree_get(map, "kinetic")) return place_fail(b, map, "'kinetic' is missing");
    if (tree_get(b->equations, "mass"))
        return place_fail(b, map, "the mass matrix follows from 'kinetic'; remove 'mass'");
    if (read_energy(b, map, "kinetic", position | 1u << SODAE_V, &T) ||
        read_energy(b, map, "potential", position, &U))
        return 1;
    int L = expr_sub(&b->graph, T, U);
    int *Tv = gradient(b, T, b->directions[SODAE_V]), *Lq = gradient(b, L, b->directions[SODAE_Q]);
    if (!Tv || !Lq) return report_memory(&b->report);
    for (int j = 0; j < b->nv; j++) force[j] = expr_add(&b->graph, force[j], Lq[j]);
    add_gyroscopic(b, Tv, force);
    if (subtract_drift(b, Tv, force)) return report_memory(&b->report);
    return set_mass(b, map, Tv) || add_energy(b, map, Tv, T, U);
}
