#include "linear/lapack.h"

#ifdef __GNUC__
int openblas_set_num_threads_local(int count) __attribute__((weak));
void openblas_set_num_threads(int count) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));

int lapack_begin(void) {
    if (openblas_set_num_threads_local) return openblas_set_num_threads_local(1);
    if (!openblas_set_num_threads || !openblas_get_num_threads) return 1;
    int before = openblas_get_num_threads();
    if (before != 1) openblas_set_num_threads(1);
    return before;
}

void lapack_end(int before) {
    if (before == 1) return;
    if (openblas_set_num_threads_local)
        openblas_set_num_threads_local(before);
    else
        openblas_set_num_threads(before);
}
#else
int lapack_begin(void) {
    return 1;
}

void lapack_end(int before) {
    (void)before;
}
#endif
