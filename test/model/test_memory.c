/* Every allocation of the way from text to problem may fail. */
#include "claims.h"

#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long left = -1; /* allocations before one fails; -1: none does */
static long living;    /* blocks not yet freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *old);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *old);

static int fails(void) {
    return left >= 0 && left-- == 0;
}

void *__wrap_malloc(size_t size) {
    void *p = fails() ? NULL : __real_malloc(size);
    living += p != NULL;
    return p;
}

void *__wrap_calloc(size_t count, size_t size) {
    void *p = fails() ? NULL : __real_calloc(count, size);
    living += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size) {
    void *p = fails() ? NULL : __real_realloc(old, size);
    living += p && !old;
    return p;
}

void __wrap_free(void *old) {
    living -= old != NULL;
    __real_free(old);
}

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = malloc(1 << 16);
    *size = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

static void fail_each(const char *path) {
    size_t size;
    char *text = read_file(path, &size);
    long before = living;
    int failures = 0;
    for (long k = 0;; k++) {
        sodae_model *model = NULL;
        sodae_failure why;
        left = k;
        sodae_status status = sodae_model_parse(text, size, "m", NULL, &model, &why);
        int untouched = left >= 0;
        left = -1;
        sodae_model_free(model);
        assert_int_equal(living, before);
        if (untouched) {
            assert_int_equal(status, SODAE_OK);
            break;
        }
        if (status == SODAE_OK) continue; /* another solver of equations did without it */
        if (status != SODAE_NO_MEMORY) fail_msg("allocation %ld: %s", k, why.message);
        assert_non_null(strstr(why.message, "memory"));
        failures++;
    }
    free(text);
    CHECK_IN(failures, 100, 100000);
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    fail_each(CORPUS "/everything.yaml");
    fail_each(CORPUS "/mechanism.yaml");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
