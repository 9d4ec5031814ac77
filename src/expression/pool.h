/* Memory that is freed all at once; grows in chunks, with a limit on the whole. */
#pragma once

#include <stddef.h>

typedef struct expr_pool {
    struct expr_chunk *last;
    size_t total, limit; /* bytes in chunks, and how many there may be (0: no limit) */
    int failed;          /* memory or the limit ran out: what was built is not complete */
} expr_pool;

/* count * size bytes, zeroed; NULL when memory or the limit runs out. */
void *expr_pool_take(expr_pool *pool, size_t count, size_t size);
/* A copy with a final 0. */
char *expr_pool_text(expr_pool *pool, const char *text, size_t length);
void expr_pool_free(expr_pool *pool);

#define EXPR_TAKE(pool, type, count) ((type *)expr_pool_take(pool, (size_t)(count), sizeof(type)))
