/* Watches which components stay so small that their tolerance is mostly absolute: the largest |x_i|
 * at the ends of steps, and how far it went from the start. It never refuses a step. */
#include "monitor/resolution.h"

#include "base/vec.h"

#include <float.h>
#include <stdio.h>

struct resolution {
    int nq, nv, nr;
    double *first, *most,
        *change; /* of q, v, r: at the start; largest |x_i|; largest |x_i - first| */
};

static int wanted(engine *e) {
    return engine_controlled(e);
}

static void *open_resolution(arena *a, engine *e) {
    const eval *v = engine_eval(e);
    resolution *m = arena_take(a, 1, sizeof *m);
    if (!m) return NULL;
    m->nq = v->nq, m->nv = v->nv, m->nr = v->nr;
    size_t n = (size_t)(m->nq + m->nv + m->nr);
    m->first = arena_doubles(a, n), m->most = arena_doubles(a, n), m->change = arena_doubles(a, n);
    return a->failed ? NULL : m;
}

static void look(resolution *m, int at, int n, const double *x) {
    for (int i = 0; i < n; i++) {
        m->most[at + i] = at_least(m->most[at + i], fabs(x[i]));
        m->change[at + i] = at_least(m->change[at + i], fabs(x[i] - m->first[at + i]));
    }
}

static void look_at(resolution *m, const state *x) {
    look(m, 0, m->nq, x->q);
    look(m, m->nq, m->nv, x->v);
    look(m, m->nq + m->nv, m->nr, x->r);
}

/* Restarts are part of the same run. */
static sodae_status begin(void *self, engine *e) {
    resolution *m = self;
    const state *x = engine_now(e);
    if (engine_steps(e) == 0) {
        int n = m->nq + m->nv + m->nr;
        vec_zero(n, m->most), vec_zero(n, m->change);
        vec_copy(m->nq, x->q, m->first), vec_copy(m->nv, x->v, m->first + m->nq);
        vec_copy(m->nr, x->r, m->first + m->nq + m->nv);
    }
    look_at(m, x);
    return SODAE_OK;
}

static sodae_status passed(void *self, engine *e, const trial *t) {
    (void)t;
    look_at(self, engine_now(e));
    return SODAE_OK;
}

static void save(void *self, engine *e, snapshot_visitor *v) {
    resolution *m = self;
    int n = m->nq + m->nv + m->nr;
    (void)e;
    v->each(v, "first", m->first, n);
    v->each(v, "most", m->most, n);
    v->each(v, "change", m->change, n);
}

const monitor monitor_resolution = {.name = "resolution",
                                    .wanted = wanted,
                                    .open = open_resolution,
                                    .begin = begin,
                                    .passed = passed,
                                    .save = save};

typedef struct list {
    char *text;
    size_t size, used;
    int count;
} list;

static void add(list *l, const char *name, double value) {
    char item[96];
    int n = snprintf(item, sizeof item, "%s%s (%.2g)", l->count ? ", " : "", name, value);
    l->count++;
    if (l->used + 6 > l->size) return;
    int fits = l->used + (size_t)n + 6 < l->size;
    l->used += (size_t)snprintf(l->text + l->used, l->size - l->used, "%s", fits ? item : ", ...");
    if (!fits) l->size = l->used; /* no more */
}

/* n numbers of x from i0 on, with the tolerance atol or each[i]; x begins at `from`. */
static void name_block(const resolution *m, engine *e, sodae_variable x, int from, int i0, int n,
                       double atol, const double *each, list *l) {
    const double *most = m->most + from + i0, *change = m->change + from + i0;
    double noise =
        SODAE_RESOLVED * DBL_EPSILON * vec_max(n, most); /* a motion not known to 1 % either */
    for (int i = 0; i < n; i++) {
        char name[64];
        if (!(change[i] > noise && most[i] < SODAE_RESOLVED * (each ? each[i] : atol))) continue;
        sodae_entry_name(engine_problem(e), x, i0 + i, name, sizeof name);
        add(l, name, most[i]);
    }
}

int resolution_names(const resolution *m, engine *e, char *text, size_t size) {
    const sodae_space *space = engine_eval(e)->space;
    const tolerance *t = &engine_stepper(e)->tol;
    list l = {text, size, 0, 0};
    text[0] = 0;
    for (int i = 0; i < space->nparts; i++) {
        const sodae_part *g = &space->parts[i];
        if (g->group->abelian)
            name_block(m, e, SODAE_Q, 0, g->q0, g->nv, t->atol_q,
                       t->each_q ? t->each_q + g->v0 : NULL, &l);
    }
    name_block(m, e, SODAE_V, m->nq, 0, m->nv, t->atol_v, t->each_v, &l);
    name_block(m, e, SODAE_R, m->nq + m->nv, 0, m->nr, t->atol_q, NULL, &l);
    return l.count;
}
