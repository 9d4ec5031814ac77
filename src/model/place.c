/* The place in the model that is read, and errors there. */
#include "model/build.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void place_section(model_build *b, const char *section, int index) {
    snprintf(b->section, sizeof b->section, "%s", section);
    b->section_index = index;
}

const char *place_where(model_build *b) {
    if (b->section_index)
        snprintf(b->where, sizeof b->where, "%.48s[%d]", b->section, b->section_index);
    else
        snprintf(b->where, sizeof b->where, "%s", b->section);
    return b->where;
}

/* "'2*x': ", unless the message has the text already. */
static void quote(const tree_node *node, const char *message, char *out, size_t size) {
    enum { SHOWN = 60 };
    char text[SHOWN + 4];
    out[0] = 0;
    if (!node || node->kind != TREE_SCALAR || !node->length) return;
    snprintf(text, sizeof text, "%.*s", SHOWN, node->text);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == ' ') text[--end] = 0;
    if (end == SHOWN) { /* no half of a character */
        while (end > 0 && (text[end - 1] & 0xC0) == 0x80) end--;
        if (end > 0 && (unsigned char)text[end - 1] >= 0xC0) end--;
        memcpy(text + end, "...", 4);
    }
    if (!strstr(message, text)) snprintf(out, size, "'%s': ", text);
}

int place_fail(model_build *b, const tree_node *node, const char *format, ...) {
    char text[300], found[100];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    quote(node, text, found, sizeof found);
    const char *where = place_where(b);
    return report_node(&b->report, node, where, "%s: %s%s", where, found, text);
}
