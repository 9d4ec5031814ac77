/* What the bytes of a file may be: UTF-8, perhaps with a byte order mark, no control characters. */
#include "model/tree.h"

#include <string.h>

/* The character at `s` and its length; length 0: not UTF-8. */
static int decode(const unsigned char *s, size_t rest, unsigned *character) {
    int length = s[0] < 0x80 ? 1 : s[0] < 0xC2 ? 0 : s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    static const unsigned smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (length == 0 || (size_t)length > rest) return 0;
    unsigned c = length == 1 ? s[0] : s[0] & (0xFFu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        c = c << 6 | (s[i] & 0x3Fu);
    }
    *character = c;
    return c < smallest[length] || c > 0x10FFFF || (c >= 0xD800 && c < 0xE000) ? 0 : length;
}

/* The three stand-ins of tree_protect are taken, as are byte order marks inside the text. */
static int is_allowed(unsigned c) {
    if (c < 0x20) return c == '\t' || c == '\n' || c == '\r';
    return c != 0x7F && !(c > 0x7F && c < 0xA0 && c != 0x85) && !(c >= 0xE000 && c <= 0xE002) &&
           c != 0xFEFF && c != 0xFFFE && c != 0xFFFF;
}

int tree_check_bytes(model_report *report) {
    const unsigned char *s = (const unsigned char *)report->text;
    if (report->size >= 2 && (!memcmp(s, "\xFF\xFE", 2) || !memcmp(s, "\xFE\xFF", 2)))
        return report_at(report, 1, 1, "", "this is UTF-16; save the file as UTF-8");
    if (report->size >= 3 && !memcmp(s, "\xEF\xBB\xBF", 3)) report->text += 3, report->size -= 3;
    s = (const unsigned char *)report->text;
    int line = 1, column = 1, length;
    for (size_t at = 0; at < report->size; at += (size_t)length) {
        unsigned c;
        length = decode(s + at, report->size - at, &c);
        if (!length)
            return report_at(report, line, column, "",
                             "byte 0x%02X is not UTF-8; save the file as UTF-8", s[at]);
        if (c == 0) return report_at(report, line, column, "", "a NUL byte is not allowed");
        if (!is_allowed(c))
            return report_at(report, line, column, "", "the character U+%04X is not allowed", c);
        column++;
        if (c == '\n' || (c == '\r' && !(at + 1 < report->size && s[at + 1] == '\n')))
            line++, column = 1;
    }
    return 0;
}
