#include "results/hdf5_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *find(void *library, const char *name) {
    void *at = library ? dlsym(library, name) : NULL;
    if (!at) fprintf(stderr, "%s is needed for this file: %s\n", HDF5_LIBRARY, dlerror()), exit(1);
    return at;
}

/* POSIX: the address of a function fits into a pointer. */
static const hdf5_library *load(hdf5_library *h) {
    void *library = dlopen(HDF5_LIBRARY, RTLD_NOW | RTLD_LOCAL), *at;
#define HDF5_FIND(name) at = find(library, #name), memcpy(&h->at_##name, &at, sizeof at);
    HDF5_NAMES(HDF5_FIND)
#undef HDF5_FIND
    h->at_H5open();
    return h;
}

const hdf5_library *hdf5(void) {
    static hdf5_library all;
    static const hdf5_library *loaded;
    if (!loaded) loaded = load(&all);
    return loaded;
}
