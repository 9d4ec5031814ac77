#include "papers/page.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_room(page *p, size_t more) {
    if (p->out_of_memory) return 1;
    if (p->size + more + 1 <= p->room) return 0;
    size_t room = 2 * (p->size + more) + 4096;
    char *text = realloc(p->text, room);
    p->out_of_memory = !text;
    if (!text) return 1;
    p->text = text;
    p->room = room;
    return 0;
}

void page_free(page *p) {
    while (p->files) {
        page_file *next = p->files->next;
        free(p->files->content.text);
        free(p->files);
        p->files = next;
    }
    free(p->text);
    *p = (page){0};
}

static void add_bytes(page *p, const char *bytes, size_t n) {
    if (!n || make_room(p, n)) return;
    memcpy(p->text + p->size, bytes, n);
    p->size += n;
    p->text[p->size] = 0;
}

static void add_list(page *p, const char *format, va_list list) {
    va_list again;
    va_copy(again, list);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n < 0 || make_room(p, (size_t)n)) return;
    vsnprintf(p->text + p->size, (size_t)n + 1, format, list);
    p->size += (size_t)n;
}

void page_add(page *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    add_list(p, format, list);
    va_end(list);
}

void page_escaped(page *p, const char *text) {
    for (const char *c = text; *c; c++) switch (*c) {
        case '&':
            add_bytes(p, "&amp;", 5);
            break;
        case '<':
            add_bytes(p, "&lt;", 4);
            break;
        case '>':
            add_bytes(p, "&gt;", 4);
            break;
        default:
            add_bytes(p, c, 1);
        }
}

void page_append(page *p, const page *other) {
    add_bytes(p, other->text, other->size);
    p->out_of_memory |= other->out_of_memory;
}

void page_name(page *p, const char *words) {
    size_t n = 0;
    for (const char *c = words; *c && n + 1 < sizeof p->name; c++) {
        int plain = (unsigned char)*c < 0x80 && isalnum((unsigned char)*c);
        if (plain || (n && p->name[n - 1] != '-'))
            p->name[n++] = plain ? (char)tolower((unsigned char)*c) : '-';
    }
    p->name[n] = 0;
}

page *page_add_file(page *p) {
    page_file *file = calloc(1, sizeof *file);
    if (!file) p->out_of_memory = 1;
    if (!file) return NULL;
    snprintf(file->name, sizeof file->name, "%s-%d.csv", p->name, ++p->nfiles);
    file->next = p->files;
    p->files = file;
    return &file->content;
}

void page_link_files(page *p) {
    page_add(p, " Data:");
    while (p->shown < p->nfiles) {
        p->shown++;
        page_add(p, " <a href='data/%s-%d.csv'>%d</a>", p->name, p->shown, p->shown);
    }
}

void page_take_files(page *p, page *other) {
    page_file **last = &other->files;
    while (*last) last = &(*last)->next;
    *last = p->files;
    p->files = other->files;
    other->files = NULL;
}

void page_say(page *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    page_add(p, "<p>");
    add_list(p, format, list);
    page_add(p, "</p>\n");
    va_end(list);
}

void page_misprint(page *p, const char *printed, const char *right, const char *why) {
    page_add(p,
             "<dl class=misprint><dt>Printed</dt><dd>%s</dd><dt>Right</dt><dd>%s</dd>"
             "<dt>Why</dt><dd>%s</dd></dl>\n",
             printed, right, why);
}

int page_claim(page *p, int holds, const char *format, ...) {
    va_list list;
    char text[280];
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    p->claims++;
    if (!holds && !p->failed++) snprintf(p->complaint, sizeof p->complaint, "%s", text);
    page_add(p, "<p class=%s><b>%s</b> %s</p>\n", holds ? "holds" : "fails",
             holds ? "holds" : "FAILS", text);
    return holds;
}

int page_claim_in(page *p, double x, double lo, double hi, const char *what) {
    return page_claim(p, x >= lo && x <= hi, "%s: %.4g, expected between %.4g and %.4g", what, x,
                      lo, hi);
}

int page_claim_near(page *p, double x, double printed, double off, const char *what) {
    return page_claim(p, fabs(x - printed) <= off * fabs(printed),
                      "%s: printed %.4g, found %.4g (within %.2g %%)", what, printed, x, 100 * off);
}

void table_begin(page *p, const char *caption, const char *heads) {
    page_add(p, "<div class=scroll><table><caption>%s</caption><thead><tr><th>", caption);
    for (const char *c = heads; *c; c++)
        if (*c == '|')
            page_add(p, "</th><th>");
        else
            add_bytes(p, c, 1);
    page_add(p, "</th></tr></thead><tbody><tr>");
}

/* The first row is open already: an empty one is taken. */
void table_row(page *p) {
    static const char open[] = "<tbody><tr>";
    size_t n = strlen(open);
    if (p->size >= n && p->text && !memcmp(p->text + p->size - n, open, n)) return;
    page_add(p, "</tr>\n<tr>");
}

void table_text(page *p, const char *format, ...) {
    va_list list;
    va_start(list, format);
    page_add(p, "<td>");
    add_list(p, format, list);
    page_add(p, "</td>");
    va_end(list);
}

void table_real(page *p, double x) {
    if (isnan(x))
        table_text(p, "–");
    else
        table_text(p, "%.3e", x);
}

void table_order(page *p, double x) {
    if (isfinite(x))
        table_text(p, "%.2f", x);
    else
        table_text(p, "%s", "");
}

void table_compare(page *p, double printed, double found) {
    table_text(p, "%.4g", printed);
    table_text(p, "%.4g", found);
    table_text(p, "%+.1f %%", 100 * (found / printed - 1));
}

void table_end(page *p) {
    page_add(p, "</tr></tbody></table></div>\n");
}
