/* Constraint equations as text: rod[1 0 0] is a point of a body, rod<1 0 0> a direction, both in
 * the body frame; without a name they are of the world. */
#include "mechanism/mechanism.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct writer {
    const sodae_mechanism *m;
    char *text;
    size_t size, used;
} writer;

static void put(writer *w, const char *format, ...) {
    va_list args;
    if (w->used >= w->size) return;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->size - w->used, format, args);
    va_end(args);
    if (n > 0) w->used += (size_t)n;
}

static const char *name_of(const writer *w, int body) {
    return body < w->m->bodies.count ? w->m->bodies.at[body].name : "";
}

static void put_numbers(writer *w, const char *body, const double x[3], char open, char close,
                        double sign) {
    int planar = w->m->planar && open == '[';
    put(w, "%s%c%.6g %.6g", body, open, sign * x[0] + 0.0, sign * x[1] + 0.0);
    if (!planar) put(w, " %.6g", sign * x[2] + 0.0);
    put(w, "%c", close);
}

static int is_zero(const double x[3]) {
    return x[0] == 0 && x[1] == 0 && x[2] == 0;
}

static void put_vector(writer *w, const mech_quantity *q, int k) {
    const mech_vector *v = &q->v[k];
    int terms = 0, gap = v->s[0] != 0 && v->s[1] != 0;
    if (gap) put(w, "(");
    if (!is_zero(v->c)) put_numbers(w, "", v->c, '<', '>', 1), terms++;
    for (int i = 1; i >= 0; i--) {
        int point = v->s[i] != 0;
        if (!point && is_zero(v->a[i])) continue;
        double sign = v->s[i] < 0 ? -1 : 1;
        put(w, "%s", sign < 0 ? " - " : terms ? " + " : "");
        put_numbers(w, name_of(w, q->body[i]), v->a[i], point ? '[' : '<', point ? ']' : '>', sign);
        terms++;
    }
    if (gap) put(w, ")");
}

static void put_dot(writer *w, const mech_quantity *q, int a, int b) {
    put_vector(w, q, a);
    put(w, " . ");
    put_vector(w, q, b);
}

static void put_quantity(writer *w, const mech_quantity *q) {
    const char *b1 = name_of(w, q->body[0]), *b2 = name_of(w, q->body[1]);
    switch (q->kind) {
    case MECH_DOT:
        put_dot(w, q, 0, 1);
        break;
    case MECH_DISTANCE:
        put(w, "|");
        put_vector(w, q, 0);
        put(w, "|");
        break;
    case MECH_ANGLE:
        put(w, "atan2(");
        put_dot(w, q, 0, 2);
        put(w, ", ");
        put_dot(w, q, 1, 2);
        put(w, ")");
        break;
    case MECH_PLANAR_ANGLE:
        put(w, "angle(%s)%s%s%s", *b2 ? b2 : "ground", *b1 ? " - angle(" : "", b1, *b1 ? ")" : "");
        break;
    case MECH_DISK:
        put_dot(w, q, 0, 1);
        put(w, " - %.6g sqrt(1 - (", q->radius);
        put_dot(w, q, 0, 2);
        put(w, ")^2)");
        break;
    default:
        put(w, "velocity of %s against %s at the contact, along ", *b2 ? b2 : "ground",
            *b1 ? b1 : "ground");
        put_vector(w, q, 0);
    }
    if (q->offset != 0) put(w, " %c %.6g", q->offset > 0 ? '-' : '+', fabs(q->offset));
}

int sodae_mechanism_equation(const sodae_mechanism *m, int i, const char **name, char *text,
                             size_t size) {
    writer w = {m, text, size, 0};
    if (!m->finished || i < 0 || i >= m->rows.count + m->slips.count) return 1;
    if (size) text[0] = 0;
    if (i >= m->rows.count) {
        *name = m->slip_names.at[i - m->rows.count];
        const mech_quantity *q = &m->quantities.at[m->slips.at[i - m->rows.count]];
        if (mech_is_switched(m, i) && q->kind != MECH_FORCE) put(&w, "rate of ");
        put_quantity(&w, q);
        put(&w, mech_is_switched(m, i) ? " = 0 while it sticks" : " = 0");
        return 0;
    }
    const mech_row *row = &m->rows.at[i];
    *name = m->row_names.at[i];
    for (int k = 0; k < row->nterms; k++) {
        if (k) put(&w, " %c %.6g (", row->factor[k] < 0 ? '-' : '+', fabs(row->factor[k]));
        put_quantity(&w, &m->quantities.at[row->quantity[k]]);
        if (k) put(&w, ")");
    }
    if (row->law && !row->law->fn)
        put(&w, " = %.6g", row->law->constant / row->factor[0]);
    else
        put(&w, row->law ? " = f(t)" : " = 0");
    if (mech_is_switched(m, i)) put(&w, " while it is closed");
    return 0;
}
