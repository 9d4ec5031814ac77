#include "expression/pool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1 << 16, ALIGNMENT = 16 };

typedef struct expr_chunk {
    struct expr_chunk *before;
    size_t size, used;
} expr_chunk;

static const size_t header = (sizeof(expr_chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

static expr_chunk *grow(expr_pool *pool, size_t bytes) {
    size_t size = bytes > CHUNK ? bytes : CHUNK;
    if (pool->limit && size > pool->limit - pool->total) return NULL;
    expr_chunk *chunk = calloc(1, header + size);
    if (!chunk) return NULL;
    chunk->before = pool->last;
    chunk->size = size;
    pool->total += size;
    return pool->last = chunk;
}

void *expr_pool_take(expr_pool *pool, size_t count, size_t size) {
    if (count > (SIZE_MAX / 2) / (size ? size : 1)) {
        pool->failed = 1;
        return NULL;
    }
    size_t bytes = (count * size + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    expr_chunk *chunk = pool->last;
    if (!chunk || chunk->size - chunk->used < bytes) chunk = grow(pool, bytes);
    if (!chunk) {
        pool->failed = 1;
        return NULL;
    }
    char *at = (char *)chunk + header + chunk->used;
    chunk->used += bytes;
    return at;
}

char *expr_pool_text(expr_pool *pool, const char *text, size_t length) {
    char *copy = expr_pool_take(pool, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

void expr_pool_free(expr_pool *pool) {
    for (expr_chunk *chunk = pool->last; chunk;) {
        expr_chunk *before = chunk->before;
        free(chunk);
        chunk = before;
    }
    *pool = (expr_pool){.limit = pool->limit};
}
