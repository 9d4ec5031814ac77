#include "cli/number.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One decimal at the start of the text; hexadecimals, NaN and infinity are refused. */
static int decimal(const char *text, const char **end, double *x) {
    char *stop;
    const char *digits = text + (*text == '-' || *text == '+');
    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.') return 1;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) return 1;
    *x = strtod(text, &stop);
    *end = stop;
    return stop == text || !isfinite(*x);
}

int cli_fraction(const char *text, double *numerator, double *denominator) {
    const char *end;
    *denominator = 1;
    if (decimal(text, &end, numerator)) return 1;
    if (*end == '/' && decimal(end + 1, &end, denominator)) return 1;
    return *end != '\0' || *denominator == 0;
}

int cli_number(const char *text, double *x) {
    double numerator, denominator;
    if (cli_fraction(text, &numerator, &denominator)) return 1;
    *x = numerator / denominator;
    return !isfinite(*x);
}

int cli_integer(const char *text, long *n) {
    char *end;
    errno = 0;
    *n = strtol(text, &end, 10);
    return end == text || *end != '\0' || errno != 0;
}

int cli_list_count(const char *text) {
    if (!*text) return 0;
    int count = 1;
    for (; *text; text++) count += *text == ',';
    return count;
}

int cli_list_entry(const char *text, int i, char *entry, int size) {
    while (i-- > 0) text = strchr(text, ',') + 1;
    size_t length = strcspn(text, ",");
    while (length > 0 && isspace((unsigned char)*text)) text++, length--;
    while (length > 0 && isspace((unsigned char)text[length - 1])) length--;
    if (length >= (size_t)size) return 1;
    memcpy(entry, text, length);
    entry[length] = '\0';
    return 0;
}
