#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 100, POINT = 16 };

/* The decimal point of the locale, one or more bytes: the middle of "0.5". snprintf is safe for
 * threads where localeconv is not. */
static void locale_point(char point[POINT]) {
    char half[POINT + 2];
    int n = snprintf(half, sizeof half, "%.1f", 0.5);
    snprintf(point, POINT, "%.*s", n - 2, half + 1);
}

int number_read(const char *text, double *x) {
    char copy[LONGEST + POINT], point[POINT], *end;
    const char *dot = strchr(text, '.');
    if (strlen(text) > LONGEST) return 0;
    locale_point(point);
    if (strcmp(point, ".") && strstr(text, point)) return 0;
    if (dot)
        snprintf(copy, sizeof copy, "%.*s%s%s", (int)(dot - text), text, point, dot + 1);
    else
        snprintf(copy, sizeof copy, "%s", text);
    *x = strtod(copy, &end);
    return end != copy && !*end;
}

void number_write(double x, int digits, char *text, size_t size) {
    char point[POINT];
    snprintf(text, size, "%.*g", digits, x);
    locale_point(point);
    char *at = size ? strstr(text, point) : NULL;
    if (!at) return;
    size_t length = strlen(point);
    *at = '.';
    memmove(at + 1, at + length, strlen(at + length) + 1);
}
