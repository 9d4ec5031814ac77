#include "monitor/monitor.h"

#include <math.h>

sodae_status monitors_open(monitors *m, arena *a, engine *e, const monitor *const *all, int n) {
    *m = (monitors){0};
    for (int i = 0; i < n; i++) {
        if (!all[i]->wanted(e)) continue;
        m->self[m->count] = all[i]->open(a, e);
        if (!m->self[m->count]) return SODAE_NO_MEMORY;
        m->table[m->count++] = all[i];
    }
    return SODAE_OK;
}

sodae_status monitors_begin(const monitors *m, engine *e) {
    sodae_status st = SODAE_OK;
    for (int i = 0; i < m->count && !st; i++)
        if (m->table[i]->begin) st = m->table[i]->begin(m->self[i], e);
    return st;
}

double monitors_limit(const monitors *m, engine *e, double t1) {
    for (int i = 0; i < m->count; i++)
        if (m->table[i]->limit) t1 = fmin(t1, m->table[i]->limit(m->self[i], e, t1));
    return t1;
}

sodae_status monitors_judge(const monitors *m, engine *e, trial *t) {
    sodae_status st = SODAE_OK;
    for (int i = 0; i < m->count && !st && t->reason == ACCEPTED; i++)
        if (m->table[i]->judge) st = m->table[i]->judge(m->self[i], e, t);
    return st;
}

sodae_status monitors_passed(const monitors *m, engine *e, const trial *t) {
    sodae_status first = SODAE_OK;
    for (int i = 0; i < m->count; i++) {
        sodae_status st = m->table[i]->passed ? m->table[i]->passed(m->self[i], e, t) : SODAE_OK;
        if (!first) first = st;
    }
    return first;
}

void monitors_save(const monitors *m, engine *e, snapshot_visitor *v) {
    for (int i = 0; i < m->count; i++)
        if (m->table[i]->save) m->table[i]->save(m->self[i], e, v);
}

void *monitors_find(const monitors *m, const monitor *which) {
    for (int i = 0; i < m->count; i++)
        if (m->table[i] == which) return m->self[i];
    return NULL;
}
