/* Channels by name. */
#include "results/channel.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is `name` the whole path, or all of it but the index? */
static int names(const char *path, const char *name, int length) {
    if (strncmp(path, name, (size_t)length)) return 0;
    return !path[length] || channel_base(path) == length;
}

/* tip.y is tip[2]. */
static int component(const char *name, char *text, size_t size) {
    size_t n = strlen(name);
    const char *letter = n > 2 && name[n - 2] == '.' ? strchr("xyz", name[n - 1]) : NULL;
    if (!letter || !*letter) return 0;
    snprintf(text, size, "%.*s[%d]", (int)n - 2, name, (int)(letter - "xyz") + 1);
    return 1;
}

static int exact(const channel *item, int count, const char *name, unsigned char *chosen) {
    int met = 0, n = (int)strlen(name);
    for (int i = 0; i < count; i++)
        if (names(item[i].name, name, n)) chosen[i] = 1, met++;
    return met;
}

static int ends_so(const char *path, const char *name) {
    int n = (int)strlen(name);
    for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
        if (names(at + 1, name, n)) return 1;
    return 0;
}

static int same_base(const channel *a, const channel *b) {
    int n = channel_base(a->name);
    return channel_base(b->name) == n && !strncmp(a->name, b->name, (size_t)n);
}

/* The tail of one path only; 0 where several end so. */
static int tail(const channel *item, int count, const char *name, unsigned char *chosen) {
    const channel *path = NULL;
    int met = 0;
    for (int i = 0; i < count; i++) {
        if (!ends_so(item[i].name, name)) continue;
        if (path && !same_base(path, &item[i])) return 0;
        path = &item[i];
    }
    for (int i = 0; path && i < count; i++)
        if (ends_so(item[i].name, name)) chosen[i] = 1, met++;
    return met;
}

int channel_find(const channel *item, int count, const char *name, unsigned char *chosen) {
    char text[200];
    int indexed = component(name, text, sizeof text);
    int met = exact(item, count, name, chosen);
    if (!met && indexed) met = exact(item, count, text, chosen);
    if (!met) met = tail(item, count, name, chosen);
    return met || !indexed ? met : tail(item, count, text, chosen);
}

/* The paths that end so, as a list; "" where there are none. */
static void list_paths(const channel *item, int count, const char *name, char *text, size_t size) {
    const channel *last = NULL;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < count && used < size; i++) {
        if (!ends_so(item[i].name, name) || (last && same_base(last, &item[i]))) continue;
        last = &item[i];
        used += (size_t)snprintf(text + used, size - used, "%s%.*s", used ? ", " : "",
                                 channel_base(item[i].name), item[i].name);
    }
}

static sodae_status no_channel(const channel *item, int count, const char *name,
                               sodae_failure *why) {
    char paths[160], index[200];
    list_paths(item, count, name, paths, sizeof paths);
    if (!paths[0] && component(name, index, sizeof index))
        list_paths(item, count, index, paths, sizeof paths);
    *why = (sodae_failure){.status = SODAE_BAD_ARGUMENT, .t = NAN, .size = NAN};
    snprintf(why->where, sizeof why->where, "%s", "channels");
    if (paths[0])
        snprintf(why->message, sizeof why->message, "several channels end with '%.60s': %s", name,
                 paths);
    else
        snprintf(why->message, sizeof why->message, "there is no channel '%.100s'", name);
    return SODAE_BAD_ARGUMENT;
}

static int wild(const channel *item, int count, const char *pattern, unsigned char *chosen) {
    int met = 0;
    for (int i = 0; i < count; i++) {
        char base[200];
        snprintf(base, sizeof base, "%.*s", channel_base(item[i].name), item[i].name);
        if (fnmatch(pattern, base, 0) && fnmatch(pattern, item[i].name, 0)) continue;
        chosen[i] = 1;
        met++;
    }
    return met;
}

/* The end of a name in a list: a comma outside of brackets. */
static size_t name_length(const char *text) {
    int depth = 0;
    size_t n = 0;
    for (; text[n] && (depth > 0 || text[n] != ','); n++)
        depth += text[n] == '[' ? 1 : text[n] == ']' ? -1 : 0;
    return n;
}

sodae_status channel_select(const channel *item, int count, const char *list, unsigned char *chosen,
                            sodae_failure *why) {
    memset(chosen, 0, (size_t)count);
    chosen[0] = 1;
    for (size_t n; *list; list += n + (list[n] == ',')) {
        char name[200];
        n = name_length(list);
        snprintf(name, sizeof name, "%.*s", n < 199 ? (int)n : 199, list);
        int met = strpbrk(name, "*?") ? wild(item, count, name, chosen)
                                      : channel_find(item, count, name, chosen);
        if (!met) return no_channel(item, count, name, why);
    }
    return SODAE_OK;
}
