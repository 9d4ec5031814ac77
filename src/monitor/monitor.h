/* Monitors guard a step. They may shorten it, refuse it before it is committed, and act after it.
 * Each has private memory and is there only if the problem or an option needs it. */
#pragma once

#include "engine/engine.h"
#include "method/method.h"

/* What happened and was not shown to the sink yet (run/queue.c). */
struct queue;

typedef struct monitor {
    const char *name; /* also the reason of a refusal */
    int (*wanted)(const engine *e);
    void *(*open)(arena *a, engine *e);                            /* NULL: out of memory */
    sodae_status (*begin)(void *self, engine *e);                  /* after a start or restart */
    double (*limit)(void *self, engine *e, double t1);             /* the latest end it allows */
    sodae_status (*judge)(void *self, engine *e, trial *t);        /* before commit */
    sodae_status (*passed)(void *self, engine *e, const trial *t); /* after commit */
    void (*save)(void *self, const engine *e, snapshot_visitor *v);
} monitor;

enum { MONITORS = 4 };

typedef struct monitors {
    int count;
    const monitor *table[MONITORS];
    void *self[MONITORS];
} monitors;

sodae_status monitors_open(monitors *m, arena *a, engine *e);
sodae_status monitors_begin(const monitors *m, engine *e);
double monitors_limit(const monitors *m, engine *e, double t1);
/* Sets t->reason and t->h_next where one of them refuses. */
sodae_status monitors_judge(const monitors *m, engine *e, trial *t);
sodae_status monitors_passed(const monitors *m, engine *e, const trial *t);
void monitors_save(const monitors *m, const engine *e, snapshot_visitor *v);
/* The memory of one of them, NULL: it is not there. */
void *monitors_find(const monitors *m, const monitor *which);

extern const monitor monitor_rotation, monitor_interior, monitor_rank, monitor_resolution;
