/* Memory of one integrator: taken while creating, never while stepping, freed at once. */
#pragma once

#include <stddef.h>

typedef struct arena_chunk arena_chunk;

typedef struct arena_exit arena_exit;

typedef struct arena {
    arena_chunk *chunks, *last; /* in the order they were taken; the last one in use */
    arena_exit *exits;          /* functions to be called when it is emptied */
    size_t bytes, refused;      /* taken so far; asked for by the allocation that did not succeed */
    int failed;                 /* 1 after the first allocation that did not succeed */
} arena;

/* Zeroed memory, aligned for doubles; NULL when memory ran out (then `failed` stays set, so that a
 * whole creation may be checked once at its end). count 0 gives a valid pointer. */
void *arena_take(arena *a, size_t count, size_t size);
double *arena_doubles(arena *a, size_t count);
int *arena_ints(arena *a, size_t count);
/* Where to take scratch of so many bytes: `a` itself if they are few, else `own`, an empty arena
 * that arena_return frees. */
arena *arena_borrow(arena *a, arena *own, size_t bytes);
void arena_return(arena *a, arena *own);
/* end(self) is called before the arena is emptied: for memory of other libraries. */
void arena_at_end(arena *a, void (*end)(void *self), void *self);
/* Empties the arena and keeps its memory: the same requests in the same order get the same blocks,
 * zeroed, without an allocation. */
void arena_rewind(arena *a);
void arena_free(arena *a);
