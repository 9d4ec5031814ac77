/* CSV: a header of names with units, then a row for each state with 17 digits. */
#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FULL = 1 << 16 }; /* bytes that are written at once */

typedef struct csv {
    int fd;
    int regular; /* can be cut back */
    off_t size;  /* bytes of complete rows on the disk */
    long lines;  /* of them, with the header */
    char *text;  /* complete rows that wait */
    size_t used, room;
} csv;

static int make_room(csv *c, size_t more) {
    if (c->used + more <= c->room) return 0;
    size_t room = 2 * (c->used + more);
    char *text = realloc(c->text, room);
    if (!text) return ENOMEM;
    c->text = text;
    c->room = room;
    return 0;
}

static void put(csv *c, const char *text) {
    size_t n = strlen(text);
    memcpy(c->text + c->used, text, n);
    c->used += n;
}

/* R[1,2] has a comma: quotes around it. */
static int put_name(csv *c, const channel *item, int first) {
    char text[300];
    int quoted = strchr(item->name, ',') || strchr(item->unit, ',');
    snprintf(text, sizeof text, "%s%s%s%s%s%s%s", first ? "" : ",", quoted ? "\"" : "", item->name,
             *item->unit ? " [" : "", item->unit, *item->unit ? "]" : "", quoted ? "\"" : "");
    int code = make_room(c, strlen(text) + 2);
    if (!code) put(c, text);
    return code;
}

/* Of n bytes that were written: up to the end of the last row. */
static size_t complete(const char *text, size_t n) {
    while (n > 0 && text[n - 1] != '\n') n--;
    return n;
}

/* After a failure only what is on the disk counts. */
static void recount(results_writer *w, size_t rows) {
    const csv *c = w->self;
    size_t last = rows > 0 ? complete(c->text, rows - 1) : 0;
    w->rows = c->lines > 0 ? c->lines - 1 : 0;
    if (rows > 0) w->until = w->rows ? strtod(c->text + last, NULL) : NAN;
}

static int flush(results_writer *w) {
    csv *c = w->self;
    size_t done = 0;
    int code = 0;
    while (done < c->used && !code) {
        ssize_t n = write(c->fd, c->text + done, c->used - done);
        if (n < 0 && errno != EINTR) code = errno;
        if (n > 0) done += (size_t)n;
    }
    size_t rows = complete(c->text, done);
    c->size += (off_t)rows;
    for (size_t i = 0; i < rows; i++) c->lines += c->text[i] == '\n';
    if (code) recount(w, rows);
    if (rows < done && c->regular && ftruncate(c->fd, c->size)) return code;
    c->used = 0;
    return code;
}

static int csv_reopen(results_writer *w, const results_place *from) {
    csv *c = w->self;
    struct stat info;
    c->fd = open(w->path, O_WRONLY);
    if (c->fd < 0 || fstat(c->fd, &info)) return errno;
    c->regular = S_ISREG(info.st_mode);
    c->size = (off_t)from->more;
    c->lines = from->rows + 1;
    if (!c->regular || info.st_size < c->size) return ENODATA;
    return ftruncate(c->fd, c->size) || lseek(c->fd, c->size, SEEK_SET) < 0 ? errno : 0;
}

static int csv_open(results_writer *w, const results_setup *setup) {
    csv *c = w->self = calloc(1, sizeof *c);
    struct stat info;
    if (!c) return ENOMEM;
    c->fd = -1;
    if (setup->from) return csv_reopen(w, setup->from);
    c->fd =
        strcmp(w->path, "-") ? open(w->path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : STDOUT_FILENO;
    if (c->fd < 0) return errno;
    c->regular = c->fd != STDOUT_FILENO && !fstat(c->fd, &info) && S_ISREG(info.st_mode);
    int code = 0;
    for (int i = 0; !code && i < w->count; i++)
        code = put_name(c, &setup->channels->item[w->index[i]], i == 0);
    if (!code) put(c, "\n");
    return code;
}

static int csv_write(results_writer *w, const double *x) {
    csv *c = w->self;
    int code = make_room(c, 32 * (size_t)w->count + 2);
    if (code) return code;
    for (int i = 0; i < w->count; i++)
        c->used += (size_t)snprintf(c->text + c->used, 32, i ? ",%.17g" : "%.17g",
                                    isnan(x[i]) ? NAN : x[i]); /* without a sign */
    put(c, "\n");
    return c->used >= FULL ? flush(w) : 0;
}

static long csv_bytes(const results_writer *w) {
    return (long)((const csv *)w->self)->size;
}

static int csv_event(results_writer *w, double t, int event) {
    (void)w, (void)t, (void)event;
    return 0;
}

static int csv_close(results_writer *w, int finished, const char *verdict) {
    csv *c = w->self;
    (void)finished, (void)verdict;
    if (!c) return 0;
    int code = c->fd >= 0 && c->fd != STDOUT_FILENO && close(c->fd) ? errno : 0;
    free(c->text);
    free(c);
    w->self = NULL;
    return code;
}

const results_format results_csv = {csv_open, csv_write, csv_event, flush, csv_bytes, csv_close};
