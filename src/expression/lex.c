#include "expression/lex.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void expr_fail(expr_error *error, int at, int length, const char *text, const char *hint) {
    if (error->text[0]) return;
    error->at = at;
    error->length = length;
    snprintf(error->text, sizeof error->text, "%s", text);
    snprintf(error->hint, sizeof error->hint, "%s", hint ? hint : "");
}

static int is_digit(int c) {
    return c >= '0' && c <= '9';
}

/* Letters are those of ASCII, and everything beyond it: Greek names are welcome. */
static int is_letter(int c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

/* Signs that come with text copied from papers. */
static const struct foreign {
    const char *sign, *hint;
} foreign[] = {
    {"\xE2\x88\x92", "write '-' for this minus sign"},
    {"\xE2\x80\x93", "write '-' for this dash"},
    {"\xE2\x80\x94", "write '-' for this dash"},
    {"\xC3\x97", "write '*' for this sign"},
    {"\xC2\xB7", "write '*' for this dot"},
    {"\xE2\x8B\x85", "write '*' for this dot"},
    {"\xC2\xA0", "this blank is not an ordinary one"},
    {"\xE2\x89\xA4", "write '<='"},
    {"\xE2\x89\xA5", "write '>='"},
    {"\xE2\x88\x9A", "write 'sqrt(...)'"},
    {"\xC2\xB2", "write '^2'"},
    {"\xC2\xB3", "write '^3'"},
};

static const struct foreign *foreign_at(const lex_text *in) {
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        int n = (int)strlen(foreign[i].sign);
        if (in->length - in->at >= n && !memcmp(in->text + in->at, foreign[i].sign, (size_t)n))
            return &foreign[i];
    }
    return NULL;
}

static int peek(const lex_text *in, int ahead) {
    int at = in->at + ahead;
    return at < in->length ? (unsigned char)in->text[at] : 0;
}

static void skip_digits(lex_text *in) {
    while (is_digit(peek(in, 0))) in->at++;
}

/* A dot inside belongs to the name of a node, blade.3 or blade.end; functions have none. */
static int is_in_name(const lex_text *in) {
    int c = peek(in, 0), ahead = 1;
    if (c != '.') return is_letter(c) || is_digit(c);
    while (is_letter(peek(in, ahead)) || is_digit(peek(in, ahead))) ahead++;
    return ahead > 1 && peek(in, ahead) != '(';
}

static void skip_name(lex_text *in) {
    while (is_in_name(in) && !foreign_at(in)) in->at++;
}

static double to_number(const char *text, int length) {
    char copy[128];
    double x = NAN;
    snprintf(copy, sizeof copy, "%.*s", length, text);
    number_read(copy, &x);
    return x;
}

static lex_token bad(lex_text *in, lex_token token, const char *text, const char *hint) {
    token.length = in->at - token.at;
    token.kind = LEX_BAD;
    expr_fail(in->error, token.at, token.length, text, hint);
    return token;
}

static lex_token number(lex_text *in, lex_token token) {
    skip_digits(in);
    /* a dot belongs to the number unless it is the first of two, as in 1..N */
    if (peek(in, 0) == '.' && peek(in, 1) != '.') in->at++;
    skip_digits(in);
    int e = peek(in, 0), sign = peek(in, 1) == '+' || peek(in, 1) == '-';
    if ((e == 'e' || e == 'E') && is_digit(peek(in, 1 + sign))) {
        in->at += 1 + sign;
        skip_digits(in);
    }
    if (is_letter(peek(in, 0)) && !foreign_at(in)) {
        skip_name(in);
        return bad(in, token, "a name cannot start with a digit", "write '*' between factors");
    }
    token.kind = LEX_NUMBER;
    token.length = in->at - token.at;
    if (token.length > 100) return bad(in, token, "this number has too many digits", NULL);
    token.number = to_number(in->text + token.at, token.length);
    if (!isfinite(token.number)) return bad(in, token, "this number is too large", NULL);
    return token;
}

static lex_token symbol(lex_text *in, lex_token token) {
    static const char pairs[4][3] = {"<=", ">=", "==", "!="};
    static const char names[] = "lg=!";
    token.kind = LEX_SYMBOL;
    for (int i = 0; i < 4; i++)
        if (peek(in, 0) == pairs[i][0] && peek(in, 1) == pairs[i][1]) {
            token.symbol = names[i];
            token.length = 2;
            in->at += 2;
            return token;
        }
    int c = peek(in, 0);
    in->at++;
    token.length = 1;
    if (c && strchr("+-*/^()[],<>", c)) {
        token.symbol = (char)c;
        return token;
    }
    if (c == '=')
        return bad(in, token, "'=' has no meaning here",
                   "an equation is written 'left - right', a comparison '=='");
    if (c == '\'')
        return bad(in, token, "unexpected \"'\"", "velocities have names of their own, as v_x");
    if (c == '!') return bad(in, token, "'!' has no meaning here", "write 'not' or '!='");
    if (c == '&') return bad(in, token, "'&' has no meaning here", "write 'and'");
    if (c == '|') return bad(in, token, "'|' has no meaning here", "write 'or'");
    char text[32];
    snprintf(text, sizeof text, "unexpected '%c'", c);
    return bad(in, token, text, "an expression has numbers, names, + - * / ^ ( ) and functions");
}

lex_token lex_next(lex_text *in) {
    for (int c = peek(in, 0); c == ' ' || c == '\t' || c == '\n' || c == '\r'; c = peek(in, 0))
        in->at++;
    lex_token token = {.at = in->at};
    int c = peek(in, 0);
    if (in->at >= in->length) return token;
    if (is_digit(c) || (c == '.' && is_digit(peek(in, 1)))) return number(in, token);
    if (!is_letter(c)) return symbol(in, token);
    const struct foreign *sign = c >= 0x80 ? foreign_at(in) : NULL;
    if (sign) {
        char text[32];
        in->at += (int)strlen(sign->sign);
        snprintf(text, sizeof text, "unexpected '%s'", sign->sign);
        return bad(in, token, text, sign->hint);
    }
    skip_name(in);
    token.kind = LEX_NAME;
    token.length = in->at - token.at;
    return token;
}

int lex_is_word(const lex_text *in, const lex_token *token, const char *word) {
    return token->kind == LEX_NAME && (int)strlen(word) == token->length &&
           !memcmp(in->text + token->at, word, (size_t)token->length);
}

int lex_is(const lex_token *token, char symbol) {
    return token->kind == LEX_SYMBOL && token->symbol == symbol;
}
