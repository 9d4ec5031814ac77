#include "base/failure.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *sodae_status_name(sodae_status status) {
    switch (status) {
#define NAME(name, value, text)                                                                    \
    case SODAE_##name:                                                                             \
        return #name;
        SODAE_STATUS_LIST(NAME)
#undef NAME
    }
    return "UNKNOWN";
}

const char *sodae_status_text(sodae_status status) {
    switch (status) {
#define TEXT(name, value, text)                                                                    \
    case SODAE_##name:                                                                             \
        return text;
        SODAE_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "unknown status";
}

sodae_status failure_set(sodae_failure *f, sodae_status status, const char *where,
                         const char *format, ...) {
    if (!f) return status;
    *f = (sodae_failure){.status = status, .t = NAN};
    snprintf(f->where, sizeof f->where, "%s", where);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->message, sizeof f->message, format, arguments);
    va_end(arguments);
    return status;
}

sodae_status failure_size(sodae_failure *f, sodae_status status, const char *type, size_t size,
                          size_t known) {
    if (size == known) return SODAE_OK;
    if (!size)
        return failure_set(f, status, "size", "%s has no size: write .size = sizeof(%s)", type,
                           type);
    return failure_set(f, status, "size",
                       "%s has %zu bytes, this library knows %zu: compile with its headers", type,
                       size, known);
}

void failure_list(const char *names, char *out, size_t size) {
    static const char more[] = ", ...";
    size_t end = strlen(names);
    if (end >= size) {
        end = size - sizeof more;
        while (end && !(strchr(",;", names[end]) && names[end + 1] == ' ')) end--;
    }
    int cut = names[end] != 0, part = cut && !end; /* not even the first name fits */
    if (part) end = size - sizeof more;
    snprintf(out, size, "%.*s%s", (int)end, names, !cut ? "" : part ? "..." : more);
}

/* 0 x is 0 for finite numbers alone. */
int first_not_finite(const double *x, int n) {
    double a = 0, b = 0;
    int k = 0;
    for (; k + 1 < n; k += 2) a += 0 * x[k], b += 0 * x[k + 1];
    if (k < n) a += 0 * x[k];
    if (a + b == 0) return -1;
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}
