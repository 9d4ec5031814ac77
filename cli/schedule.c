#define _GNU_SOURCE
#include "cli/schedule.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_WORKERS = 1024 };

/* Shared by all processes. Results stand behind it; results of tasks far apart use the same places,
 * a window that moves with the tasks that are done. */
typedef struct board {
    atomic_long next, written;     /* the task that is taken next; all before this one are done */
    atomic_long now[MOST_WORKERS]; /* the task of each worker; -1: none */
    atomic_uchar state[];          /* of each place: 1: its result is there */
} board;

typedef struct pool {
    const cli_tasks *tasks;
    board *board;
    char *results;
    long window;
    size_t board_bytes, result_bytes;
    int workers;
    pid_t pid[MOST_WORKERS];
} pool;

static void *share(size_t size) {
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void rest(void) {
    const struct timespec short_time = {0, 2000000};
    nanosleep(&short_time, NULL);
}

static void *place_of(const pool *p, long i) {
    return p->results + (size_t)(i % p->window) * p->tasks->size;
}

static void finish(pool *p, long i) {
    atomic_store(&p->board->state[i % p->window], 1);
}

static void work(pool *p, int worker) {
    const cli_tasks *t = p->tasks;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) dup2(nowhere, STDERR_FILENO), dup2(nowhere, STDOUT_FILENO);
    for (;;) {
        long i = atomic_fetch_add(&p->board->next, 1);
        if (i >= t->count) _exit(0);
        atomic_store(&p->board->now[worker], i);
        while (i >= atomic_load(&p->board->written) + p->window) rest();
        memset(place_of(p, i), 0, t->size);
        t->run(i, place_of(p, i), t->user);
        atomic_store(&p->board->now[worker], -1);
        finish(p, i);
    }
}

static int start_worker(pool *p, int worker) {
    pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
        signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL), signal(SIGHUP, SIG_DFL);
        work(p, worker);
    }
    p->pid[worker] = pid;
    return 0;
}

static void lose(pool *p, long i) {
    memset(place_of(p, i), 0, p->tasks->size);
    p->tasks->lost(i, place_of(p, i), p->tasks->user);
    finish(p, i);
}

/* A worker that died leaves the task it was at; another one takes its place. */
static int look_after(pool *p) {
    for (int w = 0; w < p->workers; w++) {
        int status;
        if (p->pid[w] <= 0 || waitpid(p->pid[w], &status, WNOHANG) != p->pid[w]) continue;
        p->pid[w] = 0;
        long i = atomic_load(&p->board->now[w]);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
        if (i >= 0) {
            atomic_store(&p->board->now[w], -1);
            lose(p, i);
        }
        if (start_worker(p, w)) return 1;
    }
    return 0;
}

static int is_alone(const pool *p) {
    for (int w = 0; w < p->workers; w++)
        if (p->pid[w] > 0) return 0;
    return 1;
}

static int collect(pool *p) {
    const cli_tasks *t = p->tasks;
    for (long i = t->first; i < t->count; i++) {
        while (!atomic_load(&p->board->state[i % p->window])) {
            if (t->watch(i, t->user)) return 1;
            if (look_after(p)) return -1;
            int missing = is_alone(p) && !atomic_load(&p->board->state[i % p->window]);
            if (missing) lose(p, i); /* killed between taking the task and saying so */
            rest();
        }
        if (t->done(i, place_of(p, i), t->user)) return 1;
        atomic_store(&p->board->state[i % p->window], 0);
        atomic_store(&p->board->written, i + 1);
    }
    return 0;
}

static void close_pool(pool *p) {
    for (int w = 0; w < p->workers; w++)
        if (p->pid[w] > 0) kill(p->pid[w], SIGKILL), waitpid(p->pid[w], NULL, 0);
    if (p->board) munmap(p->board, p->board_bytes);
    if (p->results) munmap(p->results, p->result_bytes);
}

int cli_schedule(const cli_tasks *tasks, int workers) {
    pool p = {.tasks = tasks, .workers = workers < MOST_WORKERS ? workers : MOST_WORKERS};
    p.window = 64L * p.workers;
    p.board_bytes = sizeof(board) + (size_t)p.window;
    p.result_bytes = (size_t)p.window * tasks->size;
    p.board = share(p.board_bytes);
    p.results = share(p.result_bytes);
    int code = p.board && p.results ? 0 : -1;
    if (!code) {
        atomic_store(&p.board->next, tasks->first);
        atomic_store(&p.board->written, tasks->first);
        for (int w = 0; w < MOST_WORKERS; w++) atomic_store(&p.board->now[w], -1);
        for (int w = 0; w < p.workers && !code; w++) code = start_worker(&p, w) ? -1 : 0;
    }
    if (!code) code = collect(&p);
    close_pool(&p);
    return code;
}
