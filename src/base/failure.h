/* Filling the failure record. */
#pragma once

#include <sodae/status.h>

/* Clears `f` and sets status, the culprit's name and a sentence; f may be NULL. Returns status. */
sodae_status failure_set(sodae_failure *f, sodae_status status, const char *where,
                         const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Are all n numbers finite? Returns the first that is not, or -1. */
int first_not_finite(const double *x, int n);
