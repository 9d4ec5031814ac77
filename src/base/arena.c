#define _POSIX_C_SOURCE 199309L /* sysconf */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct arena_chunk {
    arena_chunk *next;
    size_t bytes;
    max_align_t first;
};

/* Systems that promise more memory than they have end a program that uses it: large blocks have to
 * fit into the memory of the machine. */
static int exceeds_machine(const arena *a, size_t bytes) {
    enum { SMALL = 1 << 26 };
    if (bytes < SMALL) return 0;
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 && (a->bytes + bytes) / (size_t)size >= (size_t)pages;
}

static void free_chunks(arena_chunk *chunk) {
    while (chunk) {
        arena_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
}

/* The block after the last one, if it is left from before a rewind and of this size; blocks of
 * another size, and those after them, are freed. */
static arena_chunk *reuse(arena *a, size_t bytes) {
    arena_chunk **place = a->last ? &a->last->next : &a->chunks, *left = *place;
    if (left && left->bytes == bytes) {
        memset(&left->first, 0, bytes);
        return left;
    }
    free_chunks(left);
    *place = NULL;
    return NULL;
}

static arena_chunk *allocate(arena *a, size_t bytes) {
    arena_chunk *chunk = exceeds_machine(a, bytes) ? NULL : calloc(1, sizeof *chunk + bytes);
    if (!chunk) return NULL;
    chunk->bytes = bytes;
    *(a->last ? &a->last->next : &a->chunks) = chunk;
    return chunk;
}

void *arena_take(arena *a, size_t count, size_t size) {
    if (a->failed || (size > 0 && count > (SIZE_MAX - sizeof(arena_chunk)) / size)) {
        a->failed = 1;
        return NULL;
    }
    size_t bytes = count * size;
    arena_chunk *chunk = reuse(a, bytes);
    if (!chunk) chunk = allocate(a, bytes);
    if (!chunk) {
        a->failed = 1;
        a->refused = bytes;
        return NULL;
    }
    a->last = chunk;
    a->bytes += bytes;
    return &chunk->first;
}

double *arena_doubles(arena *a, size_t count) {
    return arena_take(a, count, sizeof(double));
}

int *arena_ints(arena *a, size_t count) {
    return arena_take(a, count, sizeof(int));
}

/* What is rebuilt by a reset finds its blocks again; larger scratch would stay in vain. */
arena *arena_borrow(arena *a, arena *own, size_t bytes) {
    enum { FEW = 1 << 18 };
    return bytes <= FEW ? a : own;
}

void arena_return(arena *a, arena *own) {
    a->failed |= own->failed;
    if (own->failed) a->refused = own->refused;
    arena_free(own);
}

struct arena_exit {
    arena_exit *next;
    void (*end)(void *self);
    void *self;
};

void arena_at_end(arena *a, void (*end)(void *self), void *self) {
    arena_exit *x = arena_take(a, 1, sizeof *x);
    if (x)
        *x = (arena_exit){a->exits, end, self}, a->exits = x;
    else
        end(self);
}

static void leave(arena *a) {
    for (arena_exit *x = a->exits; x; x = x->next) x->end(x->self);
}

void arena_rewind(arena *a) {
    leave(a);
    *a = (arena){.chunks = a->chunks};
}

void arena_free(arena *a) {
    leave(a);
    free_chunks(a->chunks);
    *a = (arena){0};
}
