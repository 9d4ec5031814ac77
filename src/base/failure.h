/* Filling the failure record. */
#pragma once

#include <sodae/status.h>

#include <stddef.h>

/* Clears `f` and sets status, the culprit's name and a sentence; f may be NULL. Returns status. */
sodae_status failure_set(sodae_failure *f, sodae_status status, const char *where,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Is `size`, the first field of a public struct, the one that this library has? If not: status. */
sodae_status failure_size(sodae_failure *f, sodae_status status, const char *type, size_t size,
                          size_t known);

/* out <- the list "a, b; c" if it fits, else as many whole names as do, and "...". */
void failure_list(const char *names, char *out, size_t size);

/* Are all n numbers finite? Returns the first that is not, or -1. */
int first_not_finite(const double *x, int n);
