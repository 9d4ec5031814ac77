#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>

struct arena_chunk {
    arena_chunk *next;
    max_align_t first;
};

void *arena_take(arena *a, size_t count, size_t size) {
    size_t head = offsetof(arena_chunk, first);
    if (a->failed || (size > 0 && count > (SIZE_MAX - head - 1) / size)) {
        a->failed = 1;
        return NULL;
    }
    arena_chunk *chunk = calloc(1, head + count * size + 1);
    if (!chunk) {
        a->failed = 1;
        return NULL;
    }
    chunk->next = a->chunks;
    a->chunks = chunk;
    a->bytes += count * size;
    return &chunk->first;
}

double *arena_doubles(arena *a, size_t count) {
    return arena_take(a, count, sizeof(double));
}

int *arena_ints(arena *a, size_t count) {
    return arena_take(a, count, sizeof(int));
}

void arena_free(arena *a) {
    while (a->chunks) {
        arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
    *a = (arena){0};
}
