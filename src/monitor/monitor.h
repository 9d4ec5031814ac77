/* Monitors guard a step. They may shorten it, refuse it before it is committed, and act after it.
 * Each has private memory and is there only if the problem or an option needs it. */
#pragma once

#include "engine/engine.h"
#include "method/method.h"

typedef struct monitor {
    const char *name; /* also the reason of a refusal */
    int (*wanted)(engine *e);
    void *(*open)(arena *a, engine *e);                            /* NULL: out of memory */
    sodae_status (*begin)(void *self, engine *e);                  /* after a start or restart */
    double (*limit)(void *self, engine *e, double t1);             /* no step goes beyond */
    sodae_status (*judge)(void *self, engine *e, trial *t);        /* before commit */
    sodae_status (*passed)(void *self, engine *e, const trial *t); /* after commit */
    void (*save)(void *self, engine *e, snapshot_visitor *v);
} monitor;

enum { MONITORS = 5 };

typedef struct monitors {
    int count;
    const monitor *table[MONITORS];
    void *self[MONITORS];
} monitors;

/* Opens those of `all` that are wanted, in this order. */
sodae_status monitors_open(monitors *m, arena *a, engine *e, const monitor *const *all, int n);
sodae_status monitors_begin(const monitors *m, engine *e);
double monitors_limit(const monitors *m, engine *e, double t1);
/* Sets t->reason and t->h_next where one of them refuses. */
sodae_status monitors_judge(const monitors *m, engine *e, trial *t);
/* All of them; returns the first failure. */
sodae_status monitors_passed(const monitors *m, engine *e, const trial *t);
void monitors_save(const monitors *m, engine *e, snapshot_visitor *v);
/* The memory of one of them, NULL: it is not there. */
void *monitors_find(const monitors *m, const monitor *which);

extern const monitor monitor_rotation, monitor_interior, monitor_rank, monitor_resolution;
