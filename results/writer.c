#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* [s]: how much of a run a killed process may lose */
static const double flush_interval = 1;

static double clock_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static sodae_status cannot(sodae_failure *why, const char *path, int code) {
    *why = (sodae_failure){.status = SODAE_BAD_FILE, .t = NAN, .size = NAN};
    snprintf(why->where, sizeof why->where, "out");
    snprintf(why->message, sizeof why->message, "cannot write '%.200s': %s", path,
             code == ENODATA ? "it does not hold the rows up to the checkpoint"
             : code > 0      ? strerror(code)
                             : "writing failed");
    return why->status;
}

int results_ends_with(const char *name, const char *end) {
    size_t n = strlen(name), k = strlen(end);
    return n > k && !strcmp(name + n - k, end);
}

int results_is_hdf5(const char *path) {
    return results_ends_with(path, ".h5") || results_ends_with(path, ".hdf5");
}

sodae_status results_check(const char *path, sodae_failure *why) {
    struct stat info;
    if (!strcmp(path, "-")) return SODAE_OK;
    if (stat(path, &info) == 0) {
        if (S_ISDIR(info.st_mode)) return cannot(why, path, EISDIR);
        if (access(path, W_OK)) return cannot(why, path, errno);
        if (results_is_hdf5(path) && !S_ISREG(info.st_mode)) return cannot(why, path, ESPIPE);
        return SODAE_OK;
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (fd < 0) return cannot(why, path, errno);
    close(fd);
    unlink(path);
    return SODAE_OK;
}

static int choose(results_writer *w, const results_setup *setup) {
    int n = setup->channels->count;
    w->index = malloc((size_t)n * sizeof *w->index);
    w->row = malloc((size_t)n * sizeof *w->row);
    w->path = malloc(strlen(setup->path) + 1);
    if (!w->index || !w->row || !w->path) return 1;
    strcpy(w->path, setup->path);
    for (int i = 0; i < n; i++)
        if (setup->chosen[i]) w->index[w->count++] = i;
    return 0;
}

sodae_status results_open(results_writer **out, const results_setup *setup, sodae_failure *why) {
    results_writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w || choose(w, setup)) {
        results_free(w);
        return cannot(why, setup->path, ENOMEM);
    }
    w->format = results_is_hdf5(setup->path) ? &results_hdf5 : &results_csv;
    w->until = NAN;
    w->flushed = clock_now();
    if (setup->from) w->rows = setup->from->rows, w->until = setup->from->until;
    int code = w->format->open(w, setup);
    if (!code) code = w->format->flush(w);
    if (code) {
        w->format->close(w, 0, "");
        results_free(w);
        return cannot(why, setup->path, code);
    }
    *out = w;
    return SODAE_OK;
}

static sodae_status judge(results_writer *w, int code) {
    if (code && !w->failure.status) cannot(&w->failure, w->path, code);
    return w->failure.status;
}

sodae_status results_write(results_writer *w, const double *row) {
    if (w->failure.status) return w->failure.status;
    for (int i = 0; i < w->count; i++) w->row[i] = row[w->index[i]];
    int code = w->format->write(w, w->row);
    double now = clock_now();
    if (!code && now - w->flushed >= flush_interval) {
        code = w->format->flush(w);
        w->flushed = now;
    }
    if (!code) w->rows++, w->until = row[0];
    return judge(w, code);
}

sodae_status results_event(results_writer *w, double t, int event) {
    return w->failure.status ? w->failure.status : judge(w, w->format->event(w, t, event));
}

sodae_status results_flush(results_writer *w, results_place *place) {
    if (w->failure.status) return w->failure.status;
    int code = w->format->flush(w);
    *place = (results_place){.rows = w->rows, .more = w->format->more(w), .until = w->until};
    return judge(w, code);
}

sodae_status results_close(results_writer *w, int finished, const char *verdict) {
    int code = w->failure.status ? 0 : w->format->flush(w);
    judge(w, code);
    finished = finished && !w->failure.status;
    code = w->format->close(w, finished, verdict);
    return judge(w, code);
}

long results_rows(const results_writer *w, double *until) {
    if (until) *until = w->until;
    return w->rows;
}

const sodae_failure *results_failure(const results_writer *w) {
    return &w->failure;
}

void results_free(results_writer *w) {
    if (!w) return;
    free(w->index);
    free(w->row);
    free(w->path);
    free(w);
}
