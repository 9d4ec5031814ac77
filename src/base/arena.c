#define _POSIX_C_SOURCE 199309L /* sysconf */
#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for many blocks: one allocation instead of hundreds, and neighbours in memory. */
struct arena_chunk {
    arena_chunk *next;
    size_t room, used;
    max_align_t first;
};

/* Bytes of chunks, each as large as all before it, between these two. Blocks of their own where
 * somebody looks for accesses beyond their ends. */
#ifdef __SANITIZE_ADDRESS__
enum { LEAST = 0, MOST = 0 };
#else
enum { LEAST = 1 << 13, MOST = 1 << 20 };
#endif

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

static size_t room_of(const arena *a, size_t bytes) {
    size_t usual = a->bytes < LEAST ? LEAST : a->bytes > MOST ? MOST : a->bytes;
    return bytes > usual ? bytes : usual;
}

static arena_chunk *allocate(arena *a, size_t bytes) {
    size_t room = room_of(a, bytes);
    arena_chunk *chunk = exceeds_machine(a, room) ? NULL : calloc(1, sizeof *chunk + room);
    if (!chunk) return NULL;
    chunk->room = room;
    *(a->last ? &a->last->next : &a->chunks) = chunk;
    return chunk;
}

/* The chunk in use, or the next one: those left from before a rewind are taken in their order. */
static arena_chunk *with_room(arena *a, size_t bytes) {
    if (!a->last) a->last = a->chunks;
    while (a->last && a->last->room - a->last->used < bytes && a->last->next)
        a->last = a->last->next;
    if (a->last && a->last->room - a->last->used >= bytes) return a->last;
    return allocate(a, bytes);
}

void *arena_take(arena *a, size_t count, size_t size) {
    enum { ALIGN = sizeof(max_align_t) < 16 ? 16 : sizeof(max_align_t) };
    if (a->failed || (size > 0 && count > (SIZE_MAX - sizeof(arena_chunk) - ALIGN) / size)) {
        a->failed = 1;
        return NULL;
    }
    size_t bytes = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    arena_chunk *chunk = with_room(a, bytes);
    if (!chunk) {
        a->failed = 1;
        a->refused = bytes;
        return NULL;
    }
    void *block = (char *)&chunk->first + chunk->used;
    chunk->used += bytes;
    a->last = chunk;
    a->bytes += bytes;
    return block;
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
    for (arena_chunk *c = a->chunks; c; c = c->next) {
        memset(&c->first, 0, c->used);
        c->used = 0;
    }
    *a = (arena){.chunks = a->chunks};
}

void arena_free(arena *a) {
    leave(a);
    free_chunks(a->chunks);
    *a = (arena){0};
}
