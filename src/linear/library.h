/* Libraries that are loaded when they are asked for: UMFPACK and MUMPS, which bring BLAS, and under
 * the GPL the first. */
#pragma once

/* A function of a shared library; NULL: there is none. The library stays loaded. */
typedef void library_fn(void);
library_fn *library_find(const char *library, const char *function);
