#include "linear/lapack.h"

#ifdef __GNUC__
int openblas_set_num_threads_local(int count) __attribute__((weak));

int lapack_set_threads(int count) {
    return openblas_set_num_threads_local ? openblas_set_num_threads_local(count) : count;
}
#else
int lapack_set_threads(int count) {
    return count;
}
#endif
