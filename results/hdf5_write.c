/* HDF5 in single-writer multiple-reader mode: groups, datasets and attributes are made before the
 * first row, later only rows are appended, so that a killed run leaves a readable file.
 *
 *   /            format, version, notes, verdict, finished, datasets (in the order of the channels)
 *   /time        [n], the scale of all first dimensions
 *   /state/q ..  [n, numbers], names of the numbers in the scale q_names
 *   /quality/energy [n]   /outputs/NAME [n] or [n, numbers]   /events/{t, event, row},
 *                names of the events in /events/names
 *
 * Before each flush the space that it may need is reserved, so that a full disk is noticed while
 * the file can still be closed. */
#define _GNU_SOURCE
#include "results/hdf5.h"
#include "results/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BATCH_BYTES = 1 << 20, /* rows that are kept back at most */
    CHUNK_BYTES = 1 << 16,
    CHUNK_ROWS = 256,
    VERDICT = 512, /* bytes, written at the end without new space */
    EVENT_BATCH = 256,
    METADATA = 1 << 19 /* bytes reserved for indices of chunks and the like */
};

typedef struct dataset {
    char path[200];
    hid_t id;
    int first, count; /* columns of the row */
    int flat;         /* [n], not [n, count] */
    size_t chunk;     /* bytes */
} dataset;

typedef struct happening {
    double t;
    long event;
    long row;
} happening;

typedef struct h5 {
    hid_t file, events[3];
    int fd; /* holds the lock of a writer, reserves space */
    int ndatasets;
    dataset *datasets;
    double *batch; /* rows that wait */
    int waiting, room;
    hsize_t rows, nevents;
    double until; /* time of the last row on the disk */
    happening *happened;
    int nhappened;
} h5;

/* The dataset of a channel. */
static void path_of(const channel *c, char *text, size_t size) {
    const char *slash = strrchr(c->name, '/'), *name = slash ? slash + 1 : c->name;
    if (c->block == CHANNEL_TIME)
        snprintf(text, size, "time");
    else if ((c->block == CHANNEL_OUTPUT && slash) || c->block == CHANNEL_METER)
        snprintf(text, size, "%.*s", channel_base(c->name), c->name);
    else if (c->block == CHANNEL_OUTPUT)
        snprintf(text, size, "outputs/%.*s", channel_base(name), name);
    else
        snprintf(text, size, "%s/%s", c->block == CHANNEL_ENERGY ? "quality" : "state",
                 channel_block_name(c->block));
}

static int plan(h5 *h, const results_writer *w, const channel *item) {
    h->datasets = calloc((size_t)w->count, sizeof *h->datasets);
    if (!h->datasets) return 1;
    for (int i = 0; i < w->count; i++) {
        const channel *c = &item[w->index[i]];
        char path[200];
        path_of(c, path, sizeof path);
        dataset *d = h->ndatasets ? &h->datasets[h->ndatasets - 1] : NULL;
        if (!d || strcmp(d->path, path)) {
            d = &h->datasets[h->ndatasets++];
            *d = (dataset){.first = i, .flat = c->block == CHANNEL_TIME};
            snprintf(d->path, sizeof d->path, "%s", path);
            d->flat |= c->block == CHANNEL_ENERGY || c->block == CHANNEL_METER;
            d->flat |= c->block == CHANNEL_OUTPUT && !c->name[channel_base(c->name)];
        }
        d->count++;
    }
    return 0;
}

static hid_t make(hid_t file, const char *path, hid_t type, int rank, hsize_t columns,
                  size_t *bytes) {
    hsize_t dims[2] = {0, columns}, most[2] = {H5S_UNLIMITED, columns}, chunk[2];
    size_t row = H5Tget_size(type) * (rank == 2 ? (size_t)columns : 1);
    chunk[0] = row >= CHUNK_BYTES               ? 1
               : CHUNK_BYTES / row > CHUNK_ROWS ? CHUNK_ROWS
                                                : CHUNK_BYTES / row;
    chunk[1] = columns;
    hid_t space = H5Screate_simple(rank, dims, most), create = H5Pcreate(H5P_DATASET_CREATE);
    hid_t links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    H5Pset_chunk(create, rank, chunk);
    hid_t id = H5Dcreate2(file, path, type, space, links, create, H5P_DEFAULT);
    H5Pclose(links), H5Pclose(create), H5Sclose(space);
    if (bytes) *bytes = (size_t)chunk[0] * row;
    return id;
}

/* Names of the second dimension as a scale: xarray shows them. */
static int attach_names(h5 *h, const dataset *d, const char *const *names) {
    char path[220];
    hsize_t dims = (hsize_t)d->count;
    snprintf(path, sizeof path, "%s_names", d->path);
    hid_t type = h5_string_type(), space = H5Screate_simple(1, &dims, NULL);
    hid_t id = H5Dcreate2(h->file, path, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int bad = id < 0 || H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0 ||
              H5DSset_scale(id, strrchr(path, '/') + 1) < 0 || H5DSattach_scale(d->id, id, 1) < 0;
    if (id >= 0) H5Dclose(id);
    H5Tclose(type), H5Sclose(space);
    return bad;
}

static int describe(h5 *h, dataset *d, const results_writer *w, const channel *item) {
    const char **names = calloc(2 * (size_t)d->count, sizeof *names), **units = names + d->count;
    if (!names) return 1;
    for (int i = 0; i < d->count; i++) {
        const channel *c = &item[w->index[d->first + i]];
        names[i] = c->name;
        units[i] = c->unit;
    }
    int bad = h5_put_texts(d->id, "names", names, d->count);
    bad |= d->flat ? h5_put_text(d->id, "units", units[0], 0)
                   : h5_put_texts(d->id, "units", units, d->count);
    if (d == h->datasets)
        bad |= H5DSset_scale(d->id, "time") < 0;
    else
        bad |= H5DSattach_scale(d->id, h->datasets[0].id, 0) < 0;
    if (!d->flat) bad |= attach_names(h, d, names);
    free(names);
    return bad;
}

/* Names of the events that are shown; hidden ones stand behind them. */
static int name_events(h5 *h, const sodae_problem *p) {
    hsize_t count = 0;
    const char **names = calloc((size_t)p->nevents + 1, sizeof *names);
    if (!names) return 1;
    for (int i = 0; i < p->nevents && !p->events[i].hidden; i++)
        names[count++] = p->events[i].name ? p->events[i].name : "event";
    hid_t type = h5_string_type(), space = H5Screate_simple(1, &count, NULL);
    hid_t id =
        H5Dcreate2(h->file, "events/names", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    int bad = id < 0 || (count && H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, names) < 0) ||
              H5DSset_scale(id, "names") < 0;
    if (id >= 0) H5Dclose(id);
    H5Tclose(type), H5Sclose(space);
    free(names);
    return bad;
}

static int make_events(h5 *h, const sodae_problem *p) {
    h->events[0] = make(h->file, "events/t", H5T_NATIVE_DOUBLE, 1, 1, NULL);
    h->events[1] = make(h->file, "events/event", H5T_NATIVE_LONG, 1, 1, NULL);
    h->events[2] = make(h->file, "events/row", H5T_NATIVE_LONG, 1, 1, NULL);
    return h->events[0] < 0 || h->events[1] < 0 || h->events[2] < 0 ||
           H5DSset_scale(h->events[0], "t") < 0 ||
           H5DSattach_scale(h->events[1], h->events[0], 0) < 0 ||
           H5DSattach_scale(h->events[2], h->events[0], 0) < 0 || name_events(h, p);
}

static int make_all(h5 *h, const results_writer *w, const results_setup *setup) {
    const channel *item = setup->channels->item;
    const char **paths = calloc((size_t)h->ndatasets, sizeof *paths);
    int bad = !paths;
    for (int i = 0; i < h->ndatasets && !bad; i++) {
        dataset *d = &h->datasets[i];
        d->id = make(h->file, d->path, H5T_NATIVE_DOUBLE, d->flat ? 1 : 2, (hsize_t)d->count,
                     &d->chunk);
        bad = d->id < 0 || describe(h, d, w, item);
        paths[i] = d->path;
    }
    bad = bad || make_events(h, setup->channels->problem) ||
          h5_put_text(h->file, "format", "sodae-results 1", 0) ||
          h5_put_texts(h->file, "datasets", paths, h->ndatasets) ||
          h5_put_number(h->file, "finished", 0) || h5_put_text(h->file, "verdict", "", VERDICT);
    for (int i = 0; i < setup->nnotes && !bad; i++)
        bad = h5_put_text(h->file, setup->notes[i].name, setup->notes[i].text, 0);
    free(paths);
    return bad;
}

static int reserve(const h5 *h) {
    struct stat info;
    off_t need = METADATA;
    for (int i = 0; i < h->ndatasets; i++) {
        const dataset *d = &h->datasets[i];
        need += (off_t)(sizeof(double) * (size_t)d->count * (size_t)h->waiting);
        need += (off_t)(2 * d->chunk) + 8192;
    }
    if (fstat(h->fd, &info)) return errno;
    struct rlimit limit;
    if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        (rlim_t)(info.st_size + need) > limit.rlim_cur)
        return EFBIG;
    if (!fallocate(h->fd, FALLOC_FL_KEEP_SIZE, 0, info.st_size + need)) return 0;
    return errno == EOPNOTSUPP || errno == ENOSYS ? 0 : errno;
}

/* An older file, cut back to the rows and events of `from`. */
static int cut_back(h5 *h, const results_place *from) {
    static const char *const names[] = {"events/t", "events/event", "events/row"};
    int bad = 0;
    for (int i = 0; i < h->ndatasets && !bad; i++) {
        dataset *d = &h->datasets[i];
        hsize_t size[2] = {(hsize_t)from->rows, (hsize_t)d->count}, now[2];
        d->id = H5Dopen2(h->file, d->path, H5P_DEFAULT);
        hid_t space = d->id < 0 ? -1 : H5Dget_space(d->id);
        bad = space < 0 || H5Sget_simple_extent_dims(space, now, NULL) < 0 || now[0] < size[0] ||
              H5Dset_extent(d->id, size) < 0;
        if (space >= 0) H5Sclose(space);
    }
    for (int i = 0; i < 3 && !bad; i++) {
        hsize_t size = (hsize_t)from->more;
        h->events[i] = H5Dopen2(h->file, names[i], H5P_DEFAULT);
        bad = h->events[i] < 0 || H5Dset_extent(h->events[i], &size) < 0;
    }
    h->rows = (hsize_t)from->rows;
    h->nevents = (hsize_t)from->more;
    h->until = from->until;
    return bad || h5_put_number(h->file, "finished", 0) ||
           h5_put_text(h->file, "verdict", "", VERDICT);
}

static int h5_begin(results_writer *w, const results_setup *setup) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    h5 *h = w->self = calloc(1, sizeof *h);
    if (!h) return ENOMEM;
    h->fd = h->file = -1;
    for (int i = 0; i < 3; i++) h->events[i] = -1;
    size_t row = sizeof(double) * (size_t)w->count;
    h->room = row >= BATCH_BYTES ? 1 : (int)(BATCH_BYTES / row);
    h->batch = malloc((size_t)h->room * row);
    h->happened = malloc(EVENT_BATCH * sizeof *h->happened);
    if (!h->batch || !h->happened || plan(h, w, setup->channels->item)) return ENOMEM;

    int being_written = 0, fd;
    if (setup->from) { /* clears the flag of a writer that was killed */
        hid_t seen = h5_open(w->path, &being_written);
        if (seen < 0) return ENODATA;
        H5Fclose(seen);
        if (being_written) return EBUSY;
    }
    fd = open(w->path, setup->from ? O_RDWR : O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd < 0) return errno;
    h->fd = fd;
    int code = reserve(h);
    if (code) return code;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    h->file = setup->from ? H5Fopen(w->path, H5F_ACC_RDWR, access)
                          : H5Fcreate(w->path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    if (h->file < 0) return EIO;
    if (setup->from && cut_back(h, setup->from)) return ENODATA;
    if ((!setup->from && make_all(h, w, setup)) || H5Fstart_swmr_write(h->file) < 0) return EIO;
    flock(fd, LOCK_SH | LOCK_NB);
    return 0;
}

/* Appends `count` entries of `data` in memory to a dataset. */
static int append(hid_t id, hid_t type, hid_t memory, hsize_t columns, hsize_t at, hsize_t count,
                  const void *data) {
    hsize_t size[2] = {at + count, columns}, start[2] = {at, 0}, block[2] = {count, columns};
    if (H5Dset_extent(id, size) < 0) return 1;
    hid_t space = H5Dget_space(id);
    int bad = space < 0 ||
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, block, NULL) < 0 ||
              H5Dwrite(id, type, memory, space, H5P_DEFAULT, data) < 0;
    if (space >= 0) H5Sclose(space);
    return bad;
}

/* The time comes last: its length is the number of complete rows. */
static int append_rows(h5 *h, int columns) {
    hsize_t n = (hsize_t)h->waiting, all[2] = {n, (hsize_t)columns};
    int bad = 0;
    for (int i = h->ndatasets - 1; i >= 0 && !bad; i--) {
        const dataset *d = &h->datasets[i];
        hsize_t start[2] = {0, (hsize_t)d->first}, block[2] = {n, (hsize_t)d->count};
        hid_t memory = H5Screate_simple(2, all, NULL);
        H5Sselect_hyperslab(memory, H5S_SELECT_SET, start, NULL, block, NULL);
        bad = append(d->id, H5T_NATIVE_DOUBLE, memory, (hsize_t)d->count, h->rows, n, h->batch);
        H5Sclose(memory);
    }
    return bad;
}

static int append_events(h5 *h) {
    hsize_t n = (hsize_t)h->nhappened;
    double t[EVENT_BATCH];
    long event[EVENT_BATCH], row[EVENT_BATCH];
    for (int i = 0; i < h->nhappened; i++) {
        t[i] = h->happened[i].t;
        event[i] = h->happened[i].event;
        row[i] = h->happened[i].row;
    }
    hid_t memory = H5Screate_simple(1, &n, NULL);
    int bad = append(h->events[1], H5T_NATIVE_LONG, memory, 1, h->nevents, n, event) ||
              append(h->events[2], H5T_NATIVE_LONG, memory, 1, h->nevents, n, row) ||
              append(h->events[0], H5T_NATIVE_DOUBLE, memory, 1, h->nevents, n, t);
    H5Sclose(memory);
    return bad;
}

static int h5_flush(results_writer *w) {
    h5 *h = w->self;
    int code = reserve(h);
    if (!code && h->waiting && append_rows(h, w->count)) code = EIO;
    if (!code && h->nhappened && append_events(h)) code = EIO;
    if (!code && H5Fflush(h->file, H5F_SCOPE_LOCAL) < 0) code = EIO;
    if (code) { /* only what is on the disk counts */
        w->rows = (long)h->rows;
        w->until = h->until;
        return code;
    }
    if (h->waiting) h->until = h->batch[(size_t)(h->waiting - 1) * (size_t)w->count];
    h->rows += (hsize_t)h->waiting;
    h->nevents += (hsize_t)h->nhappened;
    h->waiting = h->nhappened = 0;
    return 0;
}

static int h5_write(results_writer *w, const double *x) {
    h5 *h = w->self;
    memcpy(h->batch + (size_t)h->waiting++ * (size_t)w->count, x,
           sizeof(double) * (size_t)w->count);
    return h->waiting == h->room ? h5_flush(w) : 0;
}

static long h5_events(const results_writer *w) {
    return (long)((const h5 *)w->self)->nevents;
}

static int h5_event(results_writer *w, double t, int event) {
    h5 *h = w->self;
    happening *e = &h->happened[h->nhappened++];
    *e = (happening){.t = t, .event = event, .row = (long)h->rows + h->waiting};
    return h->nhappened == EVENT_BATCH ? h5_flush(w) : 0;
}

/* Attributes do not change in SWMR mode: the file is opened once more for them. */
static int put_end(const char *path, int finished, const char *verdict) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    H5Pclose(access);
    if (file < 0) return EIO;
    int bad =
        h5_put_text(file, "verdict", verdict, VERDICT) || h5_put_number(file, "finished", finished);
    return H5Fclose(file) < 0 || bad ? EIO : 0;
}

/* Space that was reserved and not needed, and the lock. */
static void release(const h5 *h) {
    struct stat info;
    if (fstat(h->fd, &info) || ftruncate(h->fd, info.st_size)) { /* it stays reserved */
    }
    close(h->fd);
}

static int h5_end(results_writer *w, int finished, const char *verdict) {
    h5 *h = w->self;
    int code = 0;
    if (!h) return 0;
    for (int i = 0; i < h->ndatasets; i++)
        if (h->datasets[i].id > 0) H5Dclose(h->datasets[i].id);
    for (int i = 0; i < 3; i++)
        if (h->events[i] >= 0) H5Dclose(h->events[i]);
    if (h->file >= 0 && H5Fclose(h->file) < 0) code = EIO;
    if (h->fd >= 0) release(h);
    if (!code && h->file >= 0) code = put_end(w->path, finished, verdict);
    free(h->datasets), free(h->batch), free(h->happened), free(h);
    w->self = NULL;
    return code;
}

const results_format results_hdf5 = {h5_begin, h5_write, h5_event, h5_flush, h5_events, h5_end};
