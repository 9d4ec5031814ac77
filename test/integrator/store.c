#include "integrator/store.h"

#include <stdio.h>
#include <string.h>

#include "claims.h"

int store_put(const char *name, double *x, int count, void *user) {
    store *s = user;
    assert_true(s->count < STORE_ARRAYS && s->used + count <= STORE_NUMBERS);
    for (int i = 0; i < s->count; i++) assert_string_not_equal(s->array[i].name, name);
    snprintf(s->array[s->count].name, sizeof s->array[0].name, "%s", name);
    s->array[s->count].at = s->used, s->array[s->count++].size = count;
    memcpy(s->x + s->used, x, (size_t)count * sizeof *x);
    s->used += count;
    return 0;
}

int store_get(const char *name, double *x, int count, void *user) {
    const store *s = user;
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->array[i].name, name) && s->array[i].size == count) {
            memcpy(x, s->x + s->array[i].at, (size_t)count * sizeof *x);
            return 0;
        }
    return 1;
}
