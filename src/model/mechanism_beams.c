/* `beams`, with `sections` and `materials` that several of them share, and their nodes as places
 * wherever a body may stand. */
#include "mechanism/mechanism.h"
#include "model/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A map, or the name of one in `shared`. */
static int resolve(mechanism_reader *r, const tree_node *node, const char *shared,
                   const tree_node **out) {
    const tree_node *all = tree_get(r->b->root, shared);
    *out = node;
    if (node->kind == TREE_MAP) return 0;
    *out = node->kind == TREE_SCALAR && all && all->kind == TREE_MAP ? tree_get(all, node->text)
                                                                     : NULL;
    if (*out) return 0;
    return mechanism_fail(r, node, "there is no '%.60s' in '%s'", node->text ? node->text : "",
                          shared);
}

static int required(mechanism_reader *r, const tree_node *map, const char *key, int count,
                    double *out) {
    const tree_node *value = tree_get(map, key);
    if (!value) return mechanism_fail(r, map, "the key '%s' is missing", key);
    return mechanism_numbers(r, value, count, out);
}

/* Torsion constant of a rectangle with sides a >= b. */
static double torsion(double a, double b) {
    const double pi = 3.14159265358979323846;
    double sum = 0;
    for (int n = 1; n < 60; n += 2) sum += tanh(n * pi * a / (2 * b)) / pow(n, 5);
    return a * b * b * b / 3 * (1 - 192 * b / (pow(pi, 5) * a) * sum);
}

static void fill_section(sodae_beam *b, const double k[6], double rhoA, const double rhoJ[3]) {
    for (int i = 0; i < 6; i++) b->stiffness[7 * i] = k[i];
    for (int i = 0; i < 3; i++) b->inertia[4 * i] = rhoJ[i];
    b->mass = rhoA;
}

/* {rectangle: [b2, b3] | circle: r, material}: shear factors 5/6 and 6/7 */
static int read_solid(mechanism_reader *r, const tree_node *s, sodae_beam *b) {
    static const char *const keys[] = {"rectangle", "circle", "material", NULL};
    static const char *const material_keys[] = {"E", "nu", "density", NULL};
    const double pi = 3.14159265358979323846;
    const tree_node *rectangle = tree_get(s, "rectangle"), *named = tree_get(s, "material"), *m;
    double size[2], E, nu, rho;
    if (mechanism_keys(r, s, keys)) return 1;
    if (rectangle && tree_get(s, "circle"))
        return mechanism_fail(r, s, "'rectangle' and 'circle' exclude each other");
    if (!named) return mechanism_fail(r, s, "the key 'material' is missing");
    if (resolve(r, named, "materials", &m) || mechanism_keys(r, m, material_keys)) return 1;
    if (required(r, m, "E", 1, &E) || required(r, m, "nu", 1, &nu) ||
        required(r, m, "density", 1, &rho) ||
        required(r, s, rectangle ? "rectangle" : "circle", rectangle ? 2 : 1, size))
        return 1;
    if (!(size[0] > 0) || (rectangle && !(size[1] > 0)))
        return mechanism_fail(r, s, "the sides or the radius must be positive");
    double G = E / (2 * (1 + nu)), a = size[0], c = rectangle ? size[1] : a;
    double A = rectangle ? a * c : pi * a * a, factor = rectangle ? 5. / 6 : 6. / 7;
    double I2 = rectangle ? a * c * c * c / 12 : pi * a * a * a * a / 4;
    double I3 = rectangle ? c * a * a * a / 12 : I2;
    double J = rectangle ? torsion(fmax(a, c), fmin(a, c)) : I2 + I3;
    const double k[6] = {E * A, factor * G * A, factor * G * A, G * J, E * I2, E * I3};
    fill_section(b, k, rho * A, (const double[]){rho * (I2 + I3), rho * I2, rho * I3});
    return 0;
}

static int read_matrix(mechanism_reader *r, const tree_node *node, int n, double *out) {
    entry e = {node, NULL};
    expr_value value;
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.rows != n || value.cols != n)
        return mechanism_fail(r, node, "expected a %d x %d matrix", n, n);
    for (int i = 0; i < n * n; i++)
        if (!expr_is_const(&r->b->graph, expr_value_node(&value, i), &out[i]))
            return mechanism_fail(r, node, "must be known before the run");
    return 0;
}

static int read_section(mechanism_reader *r, const tree_node *node, sodae_beam *b) {
    static const char *const direct[] = {"EA", "GA", "GJ", "EI", "rhoA", "rhoJ", NULL};
    static const char *const full[] = {"stiffness", "rhoA", "rhoJ", NULL};
    const tree_node *s;
    double k[6] = {0}, rhoA, rhoJ[3];
    if (resolve(r, node, "sections", &s)) return 1;
    if (tree_get(s, "rectangle") || tree_get(s, "circle")) return read_solid(r, s, b);
    const tree_node *stiffness = tree_get(s, "stiffness");
    if (mechanism_keys(r, s, stiffness ? full : direct)) return 1;
    if (required(r, s, "rhoA", 1, &rhoA) || required(r, s, "rhoJ", 3, rhoJ)) return 1;
    if (!stiffness && (required(r, s, "EA", 1, k) || required(r, s, "GA", 2, k + 1) ||
                       required(r, s, "GJ", 1, k + 3) || required(r, s, "EI", 2, k + 4)))
        return 1;
    fill_section(b, k, rhoA, rhoJ);
    return stiffness ? read_matrix(r, stiffness, 6, b->stiffness) : 0;
}

/* A beam while it is read. */
typedef struct drawing {
    const tree_node *node;
    double (*x)[3], (*tangent)[3];
    double up[3];
    int count;  /* nodes */
    int has_up; /* given */
} drawing;

static int open_drawing(mechanism_reader *r, drawing *d, int count) {
    d->count = count;
    d->x = expr_pool_take(&r->b->pool, (size_t)count, sizeof *d->x);
    d->tangent = expr_pool_take(&r->b->pool, (size_t)count, sizeof *d->tangent);
    return d->x && d->tangent ? 0 : report_memory(&r->b->report);
}

static int read_elements(mechanism_reader *r, const tree_node *node, int *out) {
    const tree_node *elements = tree_get(node, "elements");
    double n;
    if (!elements) return mechanism_fail(r, node, "the key 'elements' is missing");
    if (mechanism_number(r, elements, &n)) return 1;
    if (!(n >= 1 && n <= 1e6) || n != floor(n))
        return mechanism_fail(r, elements, "expected a whole number of elements");
    *out = (int)n;
    return 0;
}

static int draw_line(mechanism_reader *r, drawing *d) {
    double p[2][3];
    int n;
    if (required(r, d->node, "from", 3, p[0]) || required(r, d->node, "to", 3, p[1]) ||
        read_elements(r, d->node, &n) || open_drawing(r, d, n + 1))
        return 1;
    for (int i = 0; i <= n; i++)
        for (int k = 0; k < 3; k++) {
            d->x[i][k] = p[0][k] + (p[1][k] - p[0][k]) * i / n;
            d->tangent[i][k] = p[1][k] - p[0][k];
        }
    return 0;
}

/* Rotates x about the unit axis by an angle. */
static void rotate(const double axis[3], double angle, const double x[3], double out[3]) {
    double c = cos(angle), s = sin(angle);
    double along = axis[0] * x[0] + axis[1] * x[1] + axis[2] * x[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = c * x[i] + s * (axis[j] * x[k] - axis[k] * x[j]) + (1 - c) * along * axis[i];
    }
}

static int draw_arc(mechanism_reader *r, drawing *d) {
    static const char *const keys[] = {"centre", "axis", "from", "angle", NULL};
    const tree_node *arc = tree_get(d->node, "arc");
    double centre[3], axis[3], from[3], angle, arm[3], start[3], size;
    int n;
    if (mechanism_keys(r, arc, keys) || required(r, arc, "centre", 3, centre) ||
        required(r, arc, "axis", 3, axis) || required(r, arc, "from", 3, from) ||
        required(r, arc, "angle", 1, &angle) || read_elements(r, d->node, &n) ||
        open_drawing(r, d, n + 1))
        return 1;
    size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    if (size == 0 || angle == 0) return mechanism_fail(r, arc, "the axis or the angle is zero");
    for (int i = 0; i < 3; i++) axis[i] /= size, arm[i] = from[i] - centre[i];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        start[i] = (angle < 0 ? -1 : 1) * (axis[j] * arm[k] - axis[k] * arm[j]);
    }
    for (int i = 0; i <= n; i++) {
        rotate(axis, angle * i / n, arm, d->x[i]);
        rotate(axis, angle * i / n, start, d->tangent[i]);
        for (int k = 0; k < 3; k++) d->x[i][k] += centre[k];
    }
    if (!d->has_up) memcpy(d->up, axis, sizeof axis);
    d->has_up = 1;
    return 0;
}

static int read_vectors(mechanism_reader *r, const tree_node *list, int count, double (*out)[3]) {
    if (list->kind != TREE_LIST || list->count != count)
        return mechanism_fail(r, list, "expected a list of %d vectors", count);
    for (int i = 0; i < count; i++)
        if (mechanism_vector(r, list->item[i], out[i])) return 1;
    return 0;
}

/* Tangents of the parabolas through three neighbouring points. */
static void guess_tangents(drawing *d) {
    for (int i = 0; i < d->count; i++) {
        int m = i < 1 ? 1 : i > d->count - 2 ? d->count - 2 : i;
        if (d->count == 2) m = 0;
        for (int k = 0; k < 3; k++) {
            double after = d->x[m + 1][k] - d->x[m][k];
            double before = m ? d->x[m][k] - d->x[m - 1][k] : after;
            double slope = i < m ? 1.5 : i > m && m ? -0.5 : 0.5;
            d->tangent[i][k] = d->count == 2 ? after : slope * before + (1 - slope) * after;
        }
    }
}

static int draw_points(mechanism_reader *r, drawing *d) {
    const tree_node *points = tree_get(d->node, "points"), *t = tree_get(d->node, "tangents");
    int n;
    if (points->kind != TREE_LIST || points->count < 2)
        return mechanism_fail(r, points, "expected a list of at least 2 points");
    if (tree_get(d->node, "elements")) {
        if (read_elements(r, d->node, &n)) return 1;
        if (n + 1 != points->count)
            return mechanism_fail(r, points, "%d elements have %d points, not %d", n, n + 1,
                                  points->count);
    }
    if (open_drawing(r, d, points->count) || read_vectors(r, points, d->count, d->x)) return 1;
    if (t) return read_vectors(r, t, d->count, d->tangent);
    guess_tangents(d);
    return 0;
}

static int unit(double x[3]) {
    double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    for (int i = 0; i < 3; i++) x[i] /= size;
    return !(size > 0);
}

/* Columns of R: e1 along the tangent, e2 = up made orthogonal, e3 = e1 x e2. */
static int node_axes(const drawing *d, int i, double R[9]) {
    double e[3][3], along = 0;
    memcpy(e[0], d->tangent[i], sizeof e[0]);
    if (unit(e[0])) return 1;
    for (int k = 0; k < 3; k++) along += e[0][k] * d->up[k];
    for (int k = 0; k < 3; k++) e[1][k] = d->up[k] - along * e[0][k];
    double size = fabs(e[1][0]) + fabs(e[1][1]) + fabs(e[1][2]);
    if (!(size > 1e-9 * (fabs(d->up[0]) + fabs(d->up[1]) + fabs(d->up[2]))) || unit(e[1])) return 1;
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        e[2][k] = e[0][a] * e[1][b] - e[0][b] * e[1][a];
    }
    for (int k = 0; k < 9; k++) R[k] = e[k % 3][k / 3];
    return 0;
}

/* Without `up`: z, or x where the beam begins along z. */
static void default_up(drawing *d) {
    double t[3];
    memcpy(t, d->tangent[0], sizeof t);
    if (d->has_up || unit(t)) return;
    d->up[fabs(t[2]) > 0.99 ? 0 : 2] = 1;
}

static int draw(mechanism_reader *r, reader_beam *beam) {
    const tree_node *up = tree_get(beam->node, "up");
    drawing d = {.node = beam->node, .has_up = up != NULL};
    int points = tree_get(d.node, "points") != NULL, arc = tree_get(d.node, "arc") != NULL;
    int line = tree_get(d.node, "from") != NULL || tree_get(d.node, "to") != NULL;
    if (points + arc + line != 1)
        return mechanism_fail(r, d.node, "expected either 'from' and 'to', 'points' or 'arc'");
    if (up && mechanism_vector(r, up, d.up)) return 1;
    if (points ? draw_points(r, &d) : arc ? draw_arc(r, &d) : draw_line(r, &d)) return 1;
    default_up(&d);
    beam->elements = d.count - 1;
    beam->pose = EXPR_TAKE(&r->b->pool, double, 12 * d.count);
    beam->body = EXPR_TAKE(&r->b->pool, int, d.count);
    if (!beam->pose || !beam->body) return report_memory(&r->b->report);
    for (int i = 0; i < d.count; i++) {
        memcpy(beam->pose + 12 * i, d.x[i], sizeof d.x[i]);
        if (node_axes(&d, i, beam->pose + 12 * i + 3))
            return mechanism_fail(r, up ? up : d.node,
                                  "the tangent is zero or 'up' is along the beam at node %d", i);
    }
    return 0;
}

/* Places that clamps join, as sets: ground is 0, bodies follow, then the nodes in the order in
 * which they are made. The smallest number of a set owns it. */
static int owner_of(const int *parent, int i) {
    while (parent[i] != i) i = parent[i];
    return i;
}

static int number_of(const mechanism_reader *r, const tree_node *name, int *is_node) {
    int beam, node, body;
    *is_node = 0;
    if (name->kind != TREE_SCALAR) return -1;
    node = mechanism_node_number(r, name->text, (int)name->length, &beam);
    *is_node = node >= 0;
    if (node >= 0) return r->beams[beam].first + node;
    return mechanism_find_body(r, name->text, (int)name->length, &body) ? -1 : body + 1;
}

/* `fixed` joints of nodes are clamps unless both sides are owned by bodies or ground already. */
static void clamp(mechanism_reader *r, int *parent, int joint) {
    const tree_node *node = r->joints->item[joint], *pair = tree_get(node, "fixed");
    int is_node[2], id[2], first = 1 + r->bodies_count;
    if (!pair || pair->kind != TREE_LIST || pair->count != 2 || tree_get(node, "points")) return;
    for (int i = 0; i < 2; i++) id[i] = number_of(r, pair->item[i], &is_node[i]);
    if (id[0] < 0 || id[1] < 0 || !(is_node[0] || is_node[1])) return;
    int a = owner_of(parent, id[0]), b = owner_of(parent, id[1]);
    int swapped = a > b;
    if (swapped) {
        int swap = a;
        a = b, b = swap;
    }
    if (a == b || b < first) return;
    parent[b] = a;
    r->clamp[joint] = swapped ? 1 : 2; /* the side that joins the other */
}

static int find_clamps(mechanism_reader *r, int *parent, int count) {
    for (int i = 0; i < count; i++) parent[i] = i;
    for (int i = 0; r->joints && i < r->joints->count; i++)
        if (r->joints->item[i]->kind == TREE_MAP) clamp(r, parent, i);
    for (int i = 0; i < count; i++) parent[i] = owner_of(parent, i);
    return 0;
}

static int number_nodes(mechanism_reader *r) {
    int next = 1 + r->bodies_count;
    for (int k = 0; k < r->nbeams; k++) {
        r->beams[k].first = next;
        next += r->beams[k].elements + 1;
    }
    int *parent = EXPR_TAKE(&r->b->pool, int, next);
    r->clamp = EXPR_TAKE(&r->b->pool, int, (r->joints ? r->joints->count : 0) + 1);
    if (!parent || !r->clamp) return report_memory(&r->b->report);
    for (int k = 0; k < r->nbeams; k++) r->beams[k].owner = parent + r->beams[k].first;
    return find_clamps(r, parent, next);
}

/* Body of a node's owner: that of the node which owns it, or a body, or ground. */
static int body_of(const mechanism_reader *r, int owner) {
    if (owner <= r->bodies_count) return owner - 1;
    for (int k = 0; k < r->nbeams; k++) {
        int node = owner - r->beams[k].first;
        if (node >= 0 && node <= r->beams[k].elements) return r->beams[k].body[node];
    }
    return SODAE_GROUND;
}

static int read_loads(mechanism_reader *r, const tree_node *node, sodae_beam *b) {
    static const char *const keys[] = {"dead", "follower", NULL};
    const tree_node *loads = tree_get(node, "loads"), *damping = tree_get(node, "damping");
    if (damping && mechanism_number(r, damping, &b->damping)) return 1;
    if (!loads) return 0;
    if (mechanism_keys(r, loads, keys)) return 1;
    const tree_node *dead = tree_get(loads, "dead"), *follower = tree_get(loads, "follower");
    return (dead && mechanism_vector(r, dead, b->dead)) ||
           (follower && mechanism_vector(r, follower, b->follower));
}

static int make_beam(mechanism_reader *r, reader_beam *beam) {
    const tree_node *section = tree_get(beam->node, "section");
    const tree_node *residual = tree_get(beam->node, "residual_bending");
    const tree_node *length = tree_get(beam->node, "length");
    sodae_beam b = {.elements = beam->elements, .nodes = beam->pose, .body = beam->body};
    sodae_failure why = {0};
    int on = 1;
    if (!section) return mechanism_fail(r, beam->node, "the key 'section' is missing");
    if (read_section(r, section, &b) || read_loads(r, beam->node, &b) ||
        (length && mechanism_number(r, length, &b.length)) ||
        (residual && mechanism_switch(r, residual, &on)))
        return 1;
    b.plain = !on;
    for (int i = 0; i <= beam->elements; i++) {
        int own = beam->owner[i] == beam->first + i;
        beam->body[i] = own ? SODAE_OWN_NODE : body_of(r, beam->owner[i]);
    }
    if (sodae_mechanism_beam(r->m, beam->key->text, &b, &why) < 0)
        return mechanism_refused(r, beam->node, &why);
    for (int i = 0; i <= beam->elements; i++)
        if (beam->body[i] == SODAE_OWN_NODE) beam->body[i] = r->made++;
    return 0;
}

static int enter(mechanism_reader *r, reader_beam *beam) {
    static const char *const keys[] = {
        "from",    "to",      "up",    "elements", "points",           "tangents", "arc",
        "section", "damping", "loads", "length",   "residual_bending", NULL};
    char section[64];
    snprintf(section, sizeof section, "beam %.50s", beam->key->text);
    place_section(r->b, section, 0);
    if (r->planar) return mechanism_fail(r, beam->key, "beams need space; remove 'planar'");
    if (memchr(beam->key->text, '.', beam->key->length))
        return mechanism_fail(r, beam->key, "names of beams have no dot");
    return mechanism_keys(r, beam->node, keys) || draw(r, beam);
}

int mechanism_read_beams(mechanism_reader *r) {
    const tree_node *map = tree_get(r->b->root, "beams");
    place_section(r->b, "beams", 0);
    r->bodies_count = r->made = r->bodies ? r->bodies->count : 0;
    if (!map) return 0;
    if (map->kind != TREE_MAP || !map->count)
        return mechanism_fail(r, map, "expected names and beams");
    r->beams = EXPR_TAKE(&r->b->pool, reader_beam, map->count);
    if (!r->beams) return report_memory(&r->b->report);
    for (int i = 0; i < map->count; i++) {
        r->beams[i] = (reader_beam){.key = map->key[i], .node = map->item[i]};
        if (enter(r, &r->beams[i])) return 1;
        r->nbeams++;
    }
    if (number_nodes(r)) return 1;
    for (int i = 0; i < r->nbeams; i++) {
        char section[64];
        snprintf(section, sizeof section, "beam %.50s", r->beams[i].key->text);
        place_section(r->b, section, 0);
        if (make_beam(r, &r->beams[i])) return 1;
    }
    return 0;
}
