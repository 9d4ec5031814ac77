/* A history in memory, as sodae_history_save gives it and sodae_history_load takes it. */
#pragma once

#include <sodae/integrator.h>

enum { STORE_ARRAYS = 4096, STORE_NUMBERS = 400000 };

typedef struct store {
    int count, used;
    struct {
        char name[64];
        int at, size;
    } array[STORE_ARRAYS];
    double x[STORE_NUMBERS];
} store;

/* user: store. No name may come twice. */
sodae_array store_put, store_get;
