/* Recursive descent; chains of + and of * are flat, so the depth of the tree is that of the
 * nesting, which is bounded.
 *
 *   or      = and { "or" and }
 *   and     = not { "and" not }
 *   not     = "not" not | compare
 *   compare = sum [ (< <= > >= == !=) sum ]
 *   sum     = term { (+ -) term }
 *   term    = factor { (* /) factor }
 *   factor  = (- +) factor | power
 *   power   = postfix [ ^ factor ]              right to left; -x^2 = -(x^2)
 *   postfix = primary { "[" list "]" }
 *   primary = number | name | name "(" list ")" | "(" or ")" | "[" list "]"                     */
#include "expression/lex.h"

#include <stdio.h>
#include <string.h>

typedef struct parser {
    lex_text in;
    lex_token token;
    expr_pool *pool;
    int depth;
} parser;

static expr_ast *parse_or(parser *p);
static expr_ast *parse_factor(parser *p);

static void advance(parser *p) {
    p->token = lex_next(&p->in);
}

static expr_ast *fail(parser *p, const char *expected) {
    char text[120];
    const lex_token *t = &p->token;
    int length = t->length < 40 ? t->length : 40;
    if (t->kind == LEX_END)
        snprintf(text, sizeof text, "the expression ends too early");
    else
        snprintf(text, sizeof text, "unexpected '%.*s'", length, p->in.text + t->at);
    expr_fail(p->in.error, t->at, t->length, text, expected);
    return NULL;
}

static expr_ast *fresh(parser *p, expr_syntax syntax, int at) {
    expr_ast *ast = EXPR_TAKE(p->pool, expr_ast, 1);
    if (!ast) expr_fail(p->in.error, at, 0, EXPR_NO_MEMORY, NULL);
    if (ast) ast->syntax = syntax, ast->at = at;
    return ast;
}

static int close_ast(parser *p, expr_ast *ast) {
    ast->length = p->token.at - ast->at;
    while (ast->length > 0 && strchr(" \t\r\n", p->in.text[ast->at + ast->length - 1]))
        ast->length--;
    return ast->length;
}

/* Room doubles at powers of two. */
static int append(parser *p, expr_ast *ast, expr_ast *argument, char sign) {
    int n = ast->count;
    if (!argument) return 1;
    if ((n & (n - 1)) == 0) {
        int room = n ? 2 * n : 1;
        expr_ast **more = EXPR_TAKE(p->pool, expr_ast *, room);
        char *signs = EXPR_TAKE(p->pool, char, room);
        if (!more || !signs) {
            expr_fail(p->in.error, ast->at, 0, EXPR_NO_MEMORY, NULL);
            return 1;
        }
        for (int i = 0; i < n; i++) more[i] = ast->argument[i], signs[i] = ast->sign[i];
        ast->argument = more;
        ast->sign = signs;
    }
    ast->argument[n] = argument;
    ast->sign[n] = sign;
    ast->count++;
    return 0;
}

/* "(" or "[" has been read: arguments up to the closing sign. */
static int parse_list(parser *p, expr_ast *into, char close, const char *expected) {
    if (lex_is(&p->token, close)) return advance(p), 0;
    for (;;) {
        if (append(p, into, parse_or(p), ',')) return 1;
        if (lex_is(&p->token, close)) return advance(p), 0;
        if (!lex_is(&p->token, ',')) return fail(p, expected), 1;
        advance(p);
    }
}

static expr_ast *parse_name(parser *p) {
    lex_token name = p->token;
    if (lex_is_word(&p->in, &name, "and") || lex_is_word(&p->in, &name, "or"))
        return fail(p, "expected a number, a name or '('");
    expr_ast *ast = fresh(p, SYNTAX_NAME, name.at);
    if (!ast) return NULL;
    ast->name = p->in.text + name.at;
    ast->name_length = ast->length = name.length;
    advance(p);
    if (!lex_is(&p->token, '(')) return ast;
    ast->syntax = SYNTAX_CALL;
    advance(p);
    if (parse_list(p, ast, ')', "expected ',' or ')'")) return NULL;
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_primary(parser *p) {
    int at = p->token.at;
    expr_ast *ast;
    if (p->token.kind == LEX_BAD) return NULL;
    if (p->token.kind == LEX_NAME) return parse_name(p);
    if (p->token.kind == LEX_NUMBER) {
        if (!(ast = fresh(p, SYNTAX_NUMBER, at))) return NULL;
        ast->number = p->token.number;
        ast->length = p->token.length;
        advance(p);
        return ast;
    }
    if (lex_is(&p->token, '(')) {
        advance(p);
        if (!(ast = parse_or(p))) return NULL;
        if (!lex_is(&p->token, ')')) return fail(p, "expected ')'");
        advance(p);
        return ast;
    }
    if (lex_is(&p->token, '*') && at > 0 && p->in.text[at - 1] == '*')
        return fail(p, "powers are written x^2");
    if (!lex_is(&p->token, '[')) return fail(p, "expected a number, a name or '('");
    advance(p);
    if (!(ast = fresh(p, SYNTAX_VECTOR, at))) return NULL;
    if (parse_list(p, ast, ']', "expected ',' or ']'")) return NULL;
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_postfix(parser *p) {
    expr_ast *base = parse_primary(p);
    while (base && lex_is(&p->token, '[')) {
        expr_ast *ast = fresh(p, SYNTAX_INDEX, base->at);
        advance(p);
        if (!ast || append(p, ast, base, 0)) return NULL;
        if (parse_list(p, ast, ']', "expected ',' or ']'")) return NULL;
        close_ast(p, ast);
        if (++p->depth > EXPR_DEPTH) return fail(p, "expected fewer brackets");
        base = ast;
    }
    return base;
}

static expr_ast *parse_power(parser *p) {
    expr_ast *base = parse_postfix(p);
    if (!base || !lex_is(&p->token, '^')) return base;
    advance(p);
    expr_ast *ast = fresh(p, SYNTAX_POWER, base->at);
    if (!ast || append(p, ast, base, 0) || append(p, ast, parse_factor(p), '^')) return NULL;
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_factor(parser *p) {
    if (p->depth >= EXPR_DEPTH) {
        expr_fail(p->in.error, p->token.at, 1, "the expression is nested too deeply",
                  "at most 200 levels are allowed; name parts of it in 'let'");
        return NULL;
    }
    int depth = p->depth++, at = p->token.at;
    expr_ast *ast;
    if (lex_is(&p->token, '+')) {
        advance(p);
        ast = parse_factor(p);
    } else if (lex_is(&p->token, '-')) {
        advance(p);
        ast = fresh(p, SYNTAX_MINUS, at);
        if (!ast || append(p, ast, parse_factor(p), '-')) return NULL;
        close_ast(p, ast);
    } else {
        ast = parse_power(p);
    }
    p->depth = depth;
    return ast;
}

static expr_ast *parse_chain(parser *p, char plus, char minus, expr_ast *(*part)(parser *)) {
    expr_ast *first = part(p);
    if (!first || (!lex_is(&p->token, plus) && !lex_is(&p->token, minus))) return first;
    expr_ast *ast = fresh(p, SYNTAX_CHAIN, first->at);
    if (!ast || append(p, ast, first, plus)) return NULL;
    while (lex_is(&p->token, plus) || lex_is(&p->token, minus)) {
        char sign = p->token.symbol;
        advance(p);
        if (append(p, ast, part(p), sign)) return NULL;
    }
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_term(parser *p) {
    return parse_chain(p, '*', '/', parse_factor);
}

static expr_ast *parse_compare(parser *p) {
    static const char symbols[] = "<l>g=!";
    expr_ast *left = parse_chain(p, '+', '-', parse_term);
    const char *which = NULL;
    if (left && p->token.kind == LEX_SYMBOL) which = strchr(symbols, p->token.symbol);
    if (!which) return left;
    expr_ast *ast = fresh(p, SYNTAX_COMPARE, left->at);
    advance(p);
    if (!ast || append(p, ast, left, 0)) return NULL;
    ast->compare = (expr_comparison)(which - symbols);
    if (append(p, ast, parse_chain(p, '+', '-', parse_term), 0)) return NULL;
    if (p->token.kind == LEX_SYMBOL && strchr(symbols, p->token.symbol))
        return fail(p, "join comparisons with 'and'");
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_not(parser *p) {
    if (!lex_is_word(&p->in, &p->token, "not")) return parse_compare(p);
    if (p->depth >= EXPR_DEPTH) return fail(p, "expected fewer 'not'");
    expr_ast *ast = fresh(p, SYNTAX_NOT, p->token.at);
    advance(p);
    p->depth++;
    if (!ast || append(p, ast, parse_not(p), 0)) return NULL;
    p->depth--;
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_words(parser *p, const char *word, expr_syntax syntax,
                             expr_ast *(*part)(parser *)) {
    expr_ast *first = part(p);
    if (!first || !lex_is_word(&p->in, &p->token, word)) return first;
    expr_ast *ast = fresh(p, syntax, first->at);
    if (!ast || append(p, ast, first, 0)) return NULL;
    while (lex_is_word(&p->in, &p->token, word)) {
        advance(p);
        if (append(p, ast, part(p), 0)) return NULL;
    }
    close_ast(p, ast);
    return ast;
}

static expr_ast *parse_and(parser *p) {
    return parse_words(p, "and", SYNTAX_AND, parse_not);
}

static expr_ast *parse_or(parser *p) {
    return parse_words(p, "or", SYNTAX_OR, parse_and);
}

expr_ast *expr_parse(expr_pool *pool, const char *text, size_t length, expr_error *error) {
    parser p = {.in = {.text = text, .length = (int)length, .error = error}, .pool = pool};
    if (length > EXPR_TEXT) {
        expr_fail(error, 0, 0, "the expression is too long", "at most 1 MB is allowed");
        return NULL;
    }
    advance(&p);
    if (p.token.kind == LEX_END) {
        expr_fail(error, 0, 0, "an expression is missing", NULL);
        return NULL;
    }
    expr_ast *ast = parse_or(&p);
    if (ast && p.token.kind == LEX_BAD) return NULL;
    if (ast && p.token.kind != LEX_END)
        return fail(&p, "expected an operator or the end of the expression");
    return ast;
}
