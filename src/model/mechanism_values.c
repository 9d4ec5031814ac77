/* Numbers, vectors and orientations of mechanism files. */
#include "model/mechanism.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int mechanism_fail(mechanism_reader *r, const tree_node *node, const char *format, ...) {
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const char *where = place_where(r->b);
    return report_node(&r->b->report, node, where, "%s: %s", where, text);
}

int mechanism_refused(mechanism_reader *r, const tree_node *node, const sodae_failure *why) {
    if (why->status == SODAE_NO_MEMORY) return report_memory(&r->b->report);
    report_node(&r->b->report, node, why->where, "%s", why->message);
    if (why->status == SODAE_INCONSISTENT) r->b->report.why->status = why->status;
    return 1;
}

int mechanism_keys(mechanism_reader *r, const tree_node *map, const char *const *names) {
    char hint[100];
    if (map->kind != TREE_MAP) return mechanism_fail(r, map, "expected keys and values");
    for (int i = 0; i < map->count; i++) {
        const tree_node *key = map->key[i];
        suggestion best = suggest_for(key->text, (int)key->length);
        int known = 0;
        for (const char *const *n = names; *n; n++) {
            known |= !strcmp(*n, key->text);
            suggest_offer(&best, *n);
        }
        if (!known)
            return mechanism_fail(r, key, "unknown key '%.60s'%s%s", key->text,
                                  best.best[0] ? "; " : "", suggest_hint(&best, hint, sizeof hint));
    }
    return 0;
}

int mechanism_number(mechanism_reader *r, const tree_node *node, double *out) {
    entry e = {node, NULL};
    return lists_number(r->b, &e, out);
}

static int constants(mechanism_reader *r, const tree_node *node, const expr_value *value,
                     double *out) {
    for (int i = 0; i < expr_value_size(value); i++) {
        if (!expr_is_const(&r->b->graph, expr_value_node(value, i), &out[i]))
            return mechanism_fail(r, node,
                                  "must be known before the run; it may use parameters only");
        if (!isfinite(out[i])) return mechanism_fail(r, node, "not finite (a division by zero?)");
    }
    return 0;
}

int mechanism_numbers(mechanism_reader *r, const tree_node *node, int count, double *out) {
    entry e = {node, NULL};
    expr_value value;
    char text[48];
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.open_kind >= 0 || value.cols != 1 || expr_value_size(&value) != count)
        return mechanism_fail(r, node, "expected %d number%s, but this is %s", count,
                              count == 1 ? "" : "s", expr_value_text(&value, text, sizeof text));
    return constants(r, node, &value, out);
}

int mechanism_vector(mechanism_reader *r, const tree_node *node, double out[3]) {
    out[2] = 0;
    return mechanism_numbers(r, node, r->dimension, out);
}

int mechanism_pair(mechanism_reader *r, const tree_node *node, double out[2][3]) {
    if (node->kind != TREE_LIST || node->count != 2)
        return mechanism_fail(r, node, "expected two points or directions: [[..], [..]]");
    return mechanism_vector(r, node->item[0], out[0]) || mechanism_vector(r, node->item[1], out[1]);
}

int mechanism_switch(mechanism_reader *r, const tree_node *node, int *out) {
    const char *text = node->kind == TREE_SCALAR ? node->text : "";
    *out = !strcmp(text, "true");
    if (*out || !strcmp(text, "false")) return 0;
    return mechanism_fail(r, node, "expected true or false");
}

/* R <- R rotation(axis k, angle), or the other way round for fixed axes. */
static void turn(double R[9], int k, double angle, int fixed) {
    double A[9] = {0}, out[9] = {0}, c = cos(angle), s = sin(angle);
    int i = (k + 1) % 3, j = (k + 2) % 3;
    A[4 * k] = 1, A[4 * i] = A[4 * j] = c;
    A[3 * i + j] = -s, A[3 * j + i] = s;
    const double *left = fixed ? A : R, *right = fixed ? R : A;
    for (int n = 0; n < 27; n++)
        out[n / 9 * 3 + n % 3] += left[n / 9 * 3 + n / 3 % 3] * right[n / 3 % 3 * 3 + n % 3];
    memcpy(R, out, sizeof out);
}

static void identity(double R[9]) {
    for (int i = 0; i < 9; i++) R[i] = i % 4 == 0;
}

static int euler(mechanism_reader *r, const tree_node *node, double R[9]) {
    const tree_node *order = tree_get(node, "euler"), *angles = tree_get(node, "angles");
    const char *text = order->kind == TREE_SCALAR ? order->text : "";
    double a[3];
    int fixed = text[0] >= 'X' && text[0] <= 'Z';
    if (strlen(text) != 3 || strspn(text, fixed ? "XYZ" : "xyz") != 3)
        return mechanism_fail(r, order,
                              "expected three axes: xyz about moved, XYZ about fixed axes");
    if (!angles) return mechanism_fail(r, node, "the key 'angles' is missing");
    if (mechanism_numbers(r, angles, 3, a)) return 1;
    identity(R);
    for (int i = 0; i < 3; i++) turn(R, text[i] - (fixed ? 'X' : 'x'), a[i], fixed);
    return 0;
}

/* Row by row; w, x, y, z of unit length */
static void from_quaternion(const double p[4], double R[9]) {
    double size = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    double w = p[0] / size, u[3] = {p[1] / size, p[2] / size, p[3] / size};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[4 * i] = 1 - 2 * (u[j] * u[j] + u[k] * u[k]);
        R[3 * i + j] = 2 * (u[i] * u[j] - w * u[k]);
        R[3 * j + i] = 2 * (u[i] * u[j] + w * u[k]);
    }
}

static int axis_angle(mechanism_reader *r, const tree_node *node, double R[9]) {
    const tree_node *axis = tree_get(node, "axis"), *angle = tree_get(node, "angle");
    double n[3], a, p[4];
    if (!axis || !angle)
        return mechanism_fail(r, node,
                              "expected {axis, angle}, {quaternion}, {matrix} or {euler, angles}");
    if (mechanism_numbers(r, axis, 3, n) || mechanism_number(r, angle, &a)) return 1;
    double size = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    if (size == 0) return mechanism_fail(r, axis, "the axis is zero");
    p[0] = cos(a / 2);
    for (int i = 0; i < 3; i++) p[1 + i] = sin(a / 2) * n[i] / size;
    from_quaternion(p, R);
    return 0;
}

static int quaternion(mechanism_reader *r, const tree_node *node, double R[9]) {
    double p[4];
    if (mechanism_numbers(r, node, 4, p)) return 1;
    if (p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0)
        return mechanism_fail(r, node, "the quaternion is zero");
    from_quaternion(p, R);
    return 0;
}

/* Nearest rotation by R <- R (3 I - R^T R) / 2, which squares the error. */
static double make_orthogonal(double R[9]) {
    double worst = 0, C[9], out[9];
    for (int i = 0; i < 9; i++) {
        double sum = i % 4 == 0 ? -1 : 0;
        for (int k = 0; k < 3; k++) sum += R[3 * k + i / 3] * R[3 * k + i % 3];
        worst = fmax(worst, fabs(sum));
        C[i] = sum;
    }
    for (int i = 0; i < 9; i++) {
        out[i] = R[i];
        for (int k = 0; k < 3; k++) out[i] -= 0.5 * R[i / 3 * 3 + k] * C[3 * k + i % 3];
    }
    memcpy(R, out, sizeof out);
    return worst;
}

static int matrix(mechanism_reader *r, const tree_node *node, double R[9]) {
    entry e = {node, NULL};
    expr_value value;
    if (lists_value(r->b, &e, &value)) return 1;
    if (value.rows != 3 || value.cols != 3)
        return mechanism_fail(r, node, "expected a 3 x 3 matrix");
    if (constants(r, node, &value, R)) return 1;
    double off = make_orthogonal(R);
    double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) +
                 R[2] * (R[3] * R[7] - R[4] * R[6]);
    if (off > 1e-9 || det < 0)
        return mechanism_fail(
            r, node, "not a rotation: %s by %.2g",
            det < 0 ? "it reflects; orthogonal" : "its columns are off orthogonal", off);
    return 0;
}

int mechanism_orientation(mechanism_reader *r, const tree_node *node, double R[9]) {
    static const char *const keys[] = {"axis",  "angle",  "quaternion", "matrix",
                                       "euler", "angles", NULL};
    identity(R);
    if (!node) return 0;
    if (mechanism_keys(r, node, keys)) return 1;
    if (tree_get(node, "quaternion")) return quaternion(r, tree_get(node, "quaternion"), R);
    if (tree_get(node, "matrix")) return matrix(r, tree_get(node, "matrix"), R);
    if (tree_get(node, "euler")) return euler(r, node, R);
    return axis_angle(r, node, R);
}
