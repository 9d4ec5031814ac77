/* Tokens of the expression language. */
#pragma once

#include "expression/parse.h"

typedef enum lex_kind {
    LEX_END,
    LEX_NUMBER,
    LEX_NAME,
    LEX_SYMBOL, /* one character, or two for <= >= == != */
    LEX_BAD     /* the error is set */
} lex_kind;

typedef struct lex_token {
    lex_kind kind;
    int at, length;
    double number;
    char symbol; /* + - * / ^ ( ) [ ] , < >, and l g = ! for <= >= == != */
} lex_token;

typedef struct lex_text {
    const char *text;
    int length, at;
    expr_error *error;
} lex_text;

lex_token lex_next(lex_text *in);
/* Is the token this word or this symbol? */
int lex_is_word(const lex_text *in, const lex_token *token, const char *word);
int lex_is(const lex_token *token, char symbol);
