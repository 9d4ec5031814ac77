#include "results/restart.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[16] = "sodae restart\n";
enum { HEAD = 20, PIECE = 12, TAIL = 4 };

static sodae_status bad(sodae_failure *why, const char *path, const char *what) {
    *why = (sodae_failure){.status = SODAE_BAD_FILE, .t = NAN, .size = NAN};
    snprintf(why->where, sizeof why->where, "restart");
    snprintf(why->message, sizeof why->message, "%.200s: %s", path, what);
    return why->status;
}

/* CRC-32 of IEEE 802.3, bit by bit. */
static uint32_t checksum(const unsigned char *x, size_t n) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < n; i++) {
        crc ^= x[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return ~crc;
}

static uint32_t word_at(const unsigned char *x) {
    uint32_t n;
    memcpy(&n, x, sizeof n);
    return n;
}

static void append(restart_file *f, const void *bytes, size_t size) {
    if (f->size + size > f->room) {
        size_t room = 2 * (f->size + size) + 4096;
        unsigned char *grown = realloc(f->bytes, room);
        if (!grown) {
            f->failed = 1;
            return;
        }
        f->bytes = grown;
        f->room = room;
    }
    if (size) memcpy(f->bytes + f->size, bytes, size);
    f->size += size;
}

void restart_add(restart_file *f, const char *name, const void *bytes, size_t size) {
    const uint32_t version = RESTART_VERSION, length = (uint32_t)strlen(name);
    const uint64_t n = size;
    if (!f->size) {
        append(f, magic, sizeof magic);
        append(f, &version, sizeof version);
    }
    append(f, &length, sizeof length);
    append(f, &n, sizeof n);
    append(f, name, length);
    append(f, bytes, size);
}

static int write_all(int fd, const unsigned char *x, size_t n) {
    while (n) {
        ssize_t done = write(fd, x, n);
        if (done < 0 && errno != EINTR) return errno;
        if (done > 0) x += done, n -= (size_t)done;
    }
    return fsync(fd) ? errno : 0;
}

sodae_status restart_write(restart_file *f, const char *path, sodae_failure *why) {
    uint32_t crc = checksum(f->bytes, f->size);
    append(f, &crc, sizeof crc);
    size_t length = strlen(path);
    char *part = malloc(length + 6);
    if (f->failed || !part) {
        free(part);
        return bad(why, path, "memory ran out");
    }
    snprintf(part, length + 6, "%s.part", path);
    int fd = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    int code = fd < 0 ? errno : write_all(fd, f->bytes, f->size);
    if (fd >= 0 && close(fd) && !code) code = errno;
    if (!code && rename(part, path)) code = errno;
    if (code) unlink(part);
    free(part);
    return code ? bad(why, path, strerror(code)) : SODAE_OK;
}

static int read_bytes(restart_file *f, const char *path) {
    unsigned char some[1 << 16];
    FILE *from = fopen(path, "rb");
    if (!from) return errno;
    size_t n;
    while ((n = fread(some, 1, sizeof some, from)) > 0) append(f, some, n);
    int code = ferror(from) ? EIO : f->failed ? ENOMEM : 0;
    fclose(from);
    return code;
}

/* The next piece at *at; 0: it does not fit into the file. */
static int next_piece(const restart_file *f, size_t *at, const char **name, size_t *length,
                      size_t *size) {
    size_t end = f->size - TAIL;
    if (end - *at < PIECE) return 0;
    uint64_t n;
    *length = word_at(f->bytes + *at);
    memcpy(&n, f->bytes + *at + 4, sizeof n);
    *at += PIECE;
    if (*length > end - *at || n > end - *at - *length) return 0;
    *name = (const char *)f->bytes + *at;
    *at += *length;
    *size = (size_t)n;
    return 1;
}

sodae_status restart_read(restart_file *f, const char *path, sodae_failure *why) {
    *f = (restart_file){0};
    int code = read_bytes(f, path);
    if (code) return bad(why, path, strerror(code));
    if (f->size < HEAD + TAIL || memcmp(f->bytes, magic, sizeof magic))
        return bad(why, path, "this is not a restart file of sodae");
    if (word_at(f->bytes + 16) > RESTART_VERSION)
        return bad(why, path, "this restart file was written by a newer sodae");
    if (checksum(f->bytes, f->size - TAIL) != word_at(f->bytes + f->size - TAIL))
        return bad(why, path, "the restart file is damaged: its checksum is wrong");
    return SODAE_OK;
}

const void *restart_find(const restart_file *f, const char *name, size_t *size) {
    size_t at = HEAD, length, wanted = strlen(name);
    const char *found;
    while (next_piece(f, &at, &found, &length, size)) {
        if (length == wanted && !memcmp(found, name, wanted)) return f->bytes + at;
        at += *size;
    }
    return NULL;
}

void restart_free(restart_file *f) {
    free(f->bytes);
    *f = (restart_file){0};
}
