#include "linear/library.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* POSIX: the address of a function fits into a pointer. */
library_fn *library_find(const char *library, const char *function) {
    void *at = dlopen(library, RTLD_NOW | RTLD_LOCAL), *found = at ? dlsym(at, function) : NULL;
    library_fn *fn = NULL;
    if (found) memcpy(&fn, &found, sizeof fn);
    return fn;
}
