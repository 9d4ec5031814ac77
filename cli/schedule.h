/* Many independent tasks over processes. */
#pragma once

#include <stddef.h>

typedef struct cli_tasks {
    long first, count; /* tasks first .. count - 1 */
    size_t size;       /* bytes of a result */
    /* In a worker: fills the zeroed result of task i. */
    void (*run)(long i, void *result, void *user);
    /* In a worker that died of task i. */
    void (*lost)(long i, void *result, void *user);
    /* In the parent, in the order of the tasks: non-zero ends all. */
    int (*done)(long i, const void *result, void *user);
    /* In the parent, now and then: non-zero ends all. */
    int (*watch)(long done, void *user);
    void *user;
} cli_tasks;

/* Runs all tasks in `workers` processes. 0; 1: ended by `done` or `watch`; -1: no memory or
 * process. */
int cli_schedule(const cli_tasks *tasks, int workers);
