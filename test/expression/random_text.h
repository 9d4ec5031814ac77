/* Random expressions in x1 ... x4 that are smooth and finite for arguments of size one. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef struct random_text {
    uint64_t state;
    char text[8192];
    size_t length;
} random_text;

static inline unsigned random_next(random_text *r, unsigned below) {
    r->state = r->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(r->state >> 33) % below;
}

static inline double random_real(random_text *r, double low, double high) {
    return low + (high - low) * random_next(r, 1000003) / 1000003.0;
}

static inline void random_put(random_text *r, const char *piece) {
    size_t n = strlen(piece);
    if (r->length + n + 1 > sizeof r->text) return;
    memcpy(r->text + r->length, piece, n + 1);
    r->length += n;
}

static inline void random_expression(random_text *r, int depth) {
    /* each holds up to three %, which stand for arguments */
    static const char *const forms[] = {"(% + %)",
                                        "(% - %)",
                                        "% * %",
                                        "% / (2 + sin(%))",
                                        "-(%)",
                                        "(%)^3",
                                        "(%)^2",
                                        "(2 + cos(%))^-2",
                                        "(1.5 + sin(%))^(%)",
                                        "(2 + sin(%))^1.7",
                                        "sin(%)",
                                        "cos(%)",
                                        "tan(tanh(%))",
                                        "asin(0.9*tanh(%))",
                                        "acos(0.9*sin(%))",
                                        "atan(%)",
                                        "sinh(tanh(%))",
                                        "cosh(sin(%))",
                                        "tanh(%)",
                                        "exp(sin(%))",
                                        "log(1.5 + (%)^2)",
                                        "sqrt(1 + (%)^2)",
                                        "atan2(2 + sin(%), %)",
                                        "abs(%)",
                                        "min(%, %)",
                                        "max(%, %, 0.3)",
                                        "if(% < % and not 1 > 2, %, 2)",
                                        "0*(%)",
                                        "1*(%)",
                                        "(0 + %)"};
    char piece[2] = {0, 0};
    if (depth == 0) {
        char leaf[32];
        if (random_next(r, 4))
            snprintf(leaf, sizeof leaf, "x%u", 1 + random_next(r, 4));
        else
            snprintf(leaf, sizeof leaf, "%.3f", random_real(r, 0.1, 2));
        random_put(r, leaf);
        return;
    }
    for (const char *c = forms[random_next(r, sizeof forms / sizeof *forms)]; *c; c++) {
        piece[0] = *c;
        if (*c == '%')
            random_expression(r, depth - 1 - (int)random_next(r, (unsigned)depth));
        else
            random_put(r, piece);
    }
}
