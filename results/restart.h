/* Restart files: named pieces of bytes with magic, version and checksum.
 *
 *   "sodae restart\n", 2 zeros | version u32 | name length u32, size u64, name, bytes ...
 *   | CRC-32 of all before
 *
 * Numbers are little-endian, as in memory. */
#pragma once

#include <sodae/status.h>

#include <stddef.h>

enum { RESTART_VERSION = 1 };

typedef struct restart_file {
    unsigned char *bytes;
    size_t size, room;
    int failed; /* memory ran out */
} restart_file;

void restart_add(restart_file *file, const char *name, const void *bytes, size_t size);
/* Written to a temporary file in the same folder and renamed: the old one stays until the new one
 * is complete. */
sodae_status restart_write(restart_file *file, const char *path, sodae_failure *why);
sodae_status restart_read(restart_file *file, const char *path, sodae_failure *why);
/* A piece of a file that was read; NULL: there is none. */
const void *restart_find(const restart_file *file, const char *name, size_t *size);
void restart_free(restart_file *file);
