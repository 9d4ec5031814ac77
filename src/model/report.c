#include "model/report.h"

#include "model/tree.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int keep(model_report *report, const char *label, int line, int column, const char *where,
                const char *text) {
    if (report->failed) return 1;
    report->failed = 1;
    if (!report->why) return 1;
    sodae_failure *why = report->why;
    *why = (sodae_failure){.status = SODAE_BAD_FILE, .t = NAN};
    snprintf(why->where, sizeof why->where, "%s", where ? where : "");
    char place[64] = "";
    if (line > 0) snprintf(place, sizeof place, ":%d:%d", line, column);
    int n = snprintf(why->message, sizeof why->message, "%.100s%s: %s", label, place, text);
    if (n >= (int)sizeof why->message) memcpy(why->message + sizeof why->message - 4, "...", 4);
    return 1;
}

int report_at(model_report *report, int line, int column, const char *where, const char *format,
              ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return keep(report, report->label, line, column, where, text);
}

int report_node(model_report *report, const tree_node *node, const char *where, const char *format,
                ...) {
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return keep(report, node ? node->source->label : report->label, node ? node->line : 0,
                node ? node->column : 0, where, text);
}

static void find_place(const tree_node *node, int at, int *line, int *column);

int report_expression(model_report *report, const tree_node *node, const char *where,
                      const expr_error *error) {
    char text[400];
    int line, column;
    if (!strcmp(error->text, EXPR_NO_MEMORY)) return report_memory(report);
    find_place(node, error->at, &line, &column);
    snprintf(text, sizeof text, "%s in %s%s%s", error->text, where, error->hint[0] ? "; " : "",
             error->hint);
    return keep(report, node->source->label, line, column, where, text);
}

int report_memory(model_report *report) {
    keep(report, report->label, 0, 0, "", "memory ran out, or the model is too large");
    if (report->why) report->why->status = SODAE_NO_MEMORY;
    return 1;
}

static int is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

typedef struct cursor {
    const char *at, *end;
    int line, column;
} cursor;

static void forward(cursor *c) {
    if (c->at >= c->end) return;
    unsigned char byte = (unsigned char)*c->at++;
    if (byte == '\n' || (byte == '\r' && !(c->at < c->end && *c->at == '\n')))
        c->line++, c->column = 1;
    else if ((byte & 0xC0) != 0x80)
        c->column++; /* one column per character */
}

static cursor find_node(const tree_node *node) {
    const model_source *source = node->source;
    cursor c = {source->text, source->text + source->size, 1, 1};
    while (c.at < c.end && c.line < node->line) forward(&c);
    while (c.at < c.end && c.line == node->line && c.column < node->column) forward(&c);
    return c;
}

/* The place in the text before a change. */
static int place_before(const tree_edit *e, int at) {
    int inserted = 0;
    for (int i = 0; i < e->count; i++, inserted += e->inserted) {
        int start = e->at[i] + inserted;
        if (at < start) break;
        if (at < start + e->inserted) return e->at[i];
    }
    return at - inserted;
}

/* Line and column of byte `at` of a scalar's value.
 * YAML may fold lines and drop blanks: go by the characters that are not blank. */
static void find_place(const tree_node *node, int at, int *line, int *column) {
    cursor c = find_node(node);
    const char *text = node->text;
    size_t length = node->length;
    for (const tree_edit *e = node->edit; e; e = e->before)
        at = place_before(e, at), text = e->text, length = e->length;
    if (node->style == TREE_QUOTED) forward(&c);
    if (node->style == TREE_BLOCK)
        for (int first = c.line; c.at < c.end && c.line == first;) forward(&c);
    for (int i = 0; i < at && i < (int)length; i++) {
        if (is_blank(text[i])) continue;
        while (c.at < c.end && is_blank(*c.at)) forward(&c);
        forward(&c);
    }
    if (at < (int)length && !is_blank(text[at]))
        while (c.at < c.end && is_blank(*c.at)) forward(&c);
    *line = c.line;
    *column = c.column;
}

static int least(int a, int b) {
    return a < b ? a : b;
}

/* Edit distance with swaps of neighbours, for short names; X is as good as x. */
static int distance_of(const char *a, int n, const char *b, int m) {
    enum { LONGEST = 32 };
    int d[LONGEST + 1][LONGEST + 1];
    if (n > LONGEST || m > LONGEST) return LONGEST;
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            int same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + !same);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[n][m];
}

suggestion suggest_for(const char *wanted, int length) {
    return (suggestion){.wanted = wanted, .length = length, .distance = 1 + (length + 1) / 3};
}

void suggest_offer(suggestion *s, const char *candidate) {
    int length = (int)strlen(candidate);
    int distance = distance_of(s->wanted, s->length, candidate, length);
    int repeats = length == 1 && s->length == 2 && s->wanted[0] == candidate[0]; /* gg for g */
    if (distance >= s->distance || distance >= length + repeats) return;
    s->distance = distance;
    snprintf(s->best, sizeof s->best, "%s", candidate);
}

const char *suggest_hint(const suggestion *s, char *hint, size_t size) {
    if (s->best[0])
        snprintf(hint, size, "did you mean '%s'?", s->best);
    else
        hint[0] = 0;
    return hint;
}
