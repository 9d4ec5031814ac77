/* A YAML file as a tree, with the place of every node. */
#pragma once

#include "expression/pool.h"
#include "model/report.h"

typedef enum tree_kind { TREE_SCALAR, TREE_LIST, TREE_MAP } tree_kind;
typedef enum tree_style { TREE_PLAIN, TREE_QUOTED, TREE_BLOCK } tree_style;

/* Text that was put into a scalar at some places, `inserted` bytes each; from the last change to
 * the first. */
typedef struct tree_edit {
    const char *text; /* before */
    size_t length;
    int count, inserted;
    const int *at; /* in the text before, increasing */
    const struct tree_edit *before;
} tree_edit;

typedef struct tree_node {
    tree_kind kind;
    const model_source *source; /* the file */
    const tree_edit *edit;      /* NULL: the text is as in the file */
    tree_style style;           /* of a scalar */
    int line, column;           /* from 1 */
    const char *text;           /* of a scalar, ends with 0 */
    size_t length;
    unsigned hash; /* of the text of a key */
    int count;
    struct tree_node **item; /* entries of a list, values of a map */
    struct tree_node **key;  /* of a map: scalars */
    expr_ast *ast;           /* of a scalar, once it was parsed */
} tree_node;

enum {
    TREE_DEPTH = 200,
    TREE_BYTES = 16 << 20,
    TREE_NODES = 1 << 20,
    TREE_KEYS = 10000, /* of one map */
};

/* The tree of a file; NULL on error. Refuses what the format does not need: several documents,
 * anchors, aliases, tags, duplicate keys, NUL bytes. */
tree_node *tree_read(model_report *report, expr_pool *pool);

/* bytes.c: is the text UTF-8 without control characters? A byte order mark is dropped. */
int tree_check_bytes(model_report *report);

/* Appends an entry to a list, or with its key to a map. */
int tree_append(model_report *report, expr_pool *pool, tree_node *node, tree_node *key,
                tree_node *item);

/* Value of a key, NULL if the map does not have it or it is empty. */
const tree_node *tree_get(const tree_node *map, const char *key);
/* Nothing, `~` or `null`. */
int tree_is_empty(const tree_node *node);

/* Inside [...] and {...} YAML takes every comma and bracket for its own. Those that belong to an
 * expression, as in [atan2(y, x), R[1,2]], are replaced by stand-ins before YAML reads the text
 * (tree_protect, 0 or an error) and put back after (tree_restore, in place, returns the length). */
int tree_protect(model_report *report, expr_pool *pool, const char **text, size_t *size);
size_t tree_restore(char *text, size_t length);
