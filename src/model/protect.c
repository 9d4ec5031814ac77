/* Commas and brackets of expressions inside YAML's own [...] and {...}: see tree.h. */
#include "model/tree.h"

#include <string.h>

/* Private use characters of Unicode: one column each, like what they stand for. */
static const char stand_ins[3][4] = {"\xEE\x80\x80", "\xEE\x80\x81", "\xEE\x80\x82"};
static const char originals[] = ",[]";

typedef struct scan {
    const char *at, *end;
    char *out;
    int line, column;
    int flow; /* open [ and { of YAML */
} scan;

static int look(const scan *s, int ahead) {
    return s->end - s->at > ahead ? (unsigned char)s->at[ahead] : 0;
}

static void copy(scan *s) {
    unsigned char byte = (unsigned char)*s->at++;
    *s->out++ = (char)byte;
    if (byte == '\n' || (byte == '\r' && look(s, 0) != '\n'))
        s->line++, s->column = 1;
    else if ((byte & 0xC0) != 0x80)
        s->column++;
}

static void replace(scan *s) {
    const char *which = strchr(originals, *s->at++);
    memcpy(s->out, stand_ins[which - originals], 3);
    s->out += 3;
    s->column++;
}

static int is_break(int c) {
    return c == '\n' || c == '\r' || c == 0;
}

static int is_space(int c) {
    return c == ' ' || c == '\t';
}

static void skip_blanks(scan *s) {
    while (is_space(look(s, 0))) copy(s);
}

static void skip_line(scan *s) {
    while (s->at < s->end && !is_break(look(s, 0))) copy(s);
}

static void skip_quoted(scan *s) {
    int quote = look(s, 0);
    copy(s);
    while (s->at < s->end && look(s, 0) != quote) {
        if (quote == '"' && look(s, 0) == '\\' && look(s, 1)) copy(s);
        copy(s);
    }
    if (s->at < s->end) copy(s);
}

/* Lines of a | or > scalar: those that are blank or indented deeper than its key. */
static void skip_block(scan *s, int indent) {
    for (skip_line(s); s->at < s->end; skip_line(s)) {
        while (s->at < s->end && is_break(look(s, 0))) copy(s);
        int column = 0;
        while (look(s, column) == ' ') column++;
        if (column <= indent) return;
    }
}

/* Open parentheses and brackets of an expression. */
enum { OPEN_DEPTH = 256 };
typedef struct brackets {
    int count;
    struct {
        char close;
        int line, column;
    } open[OPEN_DEPTH];
} brackets;

/* Follows one character; an error when brackets cross or are too many. */
static int follow(brackets *b, const scan *s, int c, model_report *report) {
    if (c == '(' || c == '[') {
        if (b->count == OPEN_DEPTH)
            return report_at(report, s->line, s->column, "", "too many brackets are open");
        b->open[b->count].close = c == '(' ? ')' : ']';
        b->open[b->count].line = s->line;
        b->open[b->count++].column = s->column;
    } else if ((c == ')' || c == ']') && b->count && b->open[--b->count].close != c) {
        return report_at(report, b->open[b->count].line, b->open[b->count].column, "",
                         "this bracket is never closed");
    }
    return 0;
}

static int ends_scalar(const scan *s, int c) {
    if (c == ',' || c == ']' || c == '}' || c == '{') return 1;
    return c == ':' && (is_space(look(s, 1)) || is_break(look(s, 1)));
}

/* A plain scalar inside [...] or {...}, from its first character on. Between the parentheses and
 * brackets of an expression every comma and bracket is its own. */
static int flow_scalar(scan *s, model_report *report) {
    brackets b = {0};
    while (s->at < s->end) {
        int c = look(s, 0);
        if (!b.count && ends_scalar(s, c)) return 0;
        if (c == '#' && s->column > 1 && is_space(s->at[-1])) {
            skip_line(s);
            continue;
        }
        if (follow(&b, s, c, report)) return 1;
        if (c == '[' || c == ']' || (c == ',' && b.count))
            replace(s);
        else
            copy(s);
    }
    if (!b.count) return 0;
    return report_at(report, b.open[b.count - 1].line, b.open[b.count - 1].column, "",
                     "this bracket is never closed");
}

static int flow(scan *s, model_report *report) {
    do {
        int c = look(s, 0), plain = 0;
        if (c == '[' || c == '{')
            s->flow++;
        else if (c == ']' || c == '}')
            s->flow--;
        else if (c == '"' || c == '\'')
            skip_quoted(s);
        else if (c == '#')
            skip_line(s);
        else
            plain = !is_space(c) && !is_break(c) && c != ',' && c != ':';
        if (plain && flow_scalar(s, report)) return 1;
        if (!plain && s->at < s->end && look(s, 0) == c && c != '"' && c != '\'') copy(s);
    } while (s->flow > 0 && s->at < s->end);
    s->flow = 0;
    return 0;
}

/* What stands after an indentation, "- " or "key: ". */
static int block_node(scan *s, model_report *report, int indent) {
    skip_blanks(s);
    int c = look(s, 0);
    if (c == '[' || c == '{') return flow(s, report);
    if (c == '"' || c == '\'') return skip_quoted(s), 0;
    if (c == '|' || c == '>') return skip_block(s, indent), 0;
    return 0;
}

static int block_line(scan *s, model_report *report) {
    int indent = 0;
    while (look(s, 0) == ' ') copy(s), indent++;
    for (; look(s, 0) == '-' && is_space(look(s, 1)); skip_blanks(s)) copy(s);
    if (block_node(s, report, indent)) return 1;
    while (s->at < s->end && !is_break(look(s, 0))) {
        int c = look(s, 0), first = s->column == 1;
        if (c == '#' && (first || is_space(s->at[-1]))) return skip_line(s), 0;
        copy(s);
        if (c == ':' && is_space(look(s, 0)) && block_node(s, report, indent)) return 1;
    }
    return 0;
}

int tree_protect(model_report *report, expr_pool *pool, const char **text, size_t *size) {
    char *out = expr_pool_take(pool, 3 * *size + 1, 1);
    if (!out) return report_memory(report);
    scan s = {*text, *text + *size, out, 1, 1, 0};
    while (s.at < s.end) {
        if (block_line(&s, report)) return 1;
        while (s.at < s.end && is_break(look(&s, 0))) copy(&s);
    }
    *text = out;
    *size = (size_t)(s.out - out);
    return 0;
}

size_t tree_restore(char *text, size_t length) {
    size_t to = 0;
    for (size_t i = 0; i < length; i++) {
        int which = -1;
        for (int k = 0; k < 3 && i + 2 < length; k++)
            if (!memcmp(text + i, stand_ins[k], 3)) which = k;
        text[to++] = which >= 0 ? originals[which] : text[i];
        if (which >= 0) i += 2;
    }
    text[to] = 0;
    return to;
}
