/* What expressions depend on. */
#include "model/build.h"

#include <string.h>

/* Which kinds of leaves a node depends on; nodes come after their arguments. */
unsigned reach_of(model_build *b, int node) {
    if (b->graph.count > b->reach_room) {
        int room = 2 * b->graph.count;
        unsigned short *more = EXPR_TAKE(&b->pool, unsigned short, room);
        if (!more) return 0;
        if (b->nreach) memcpy(more, b->reach, (size_t)b->nreach * sizeof *more);
        b->reach = more;
        b->reach_room = room;
    }
    for (; b->nreach <= node; b->nreach++) {
        const expr_node *n = &b->graph.nodes[b->nreach];
        unsigned kinds = n->op == EXPR_LEAF ? 1u << n->arg[0] : 0;
        for (int i = 0; i < expr_arity(n->op); i++) kinds |= b->reach[n->arg[i]];
        b->reach[b->nreach] = (unsigned short)kinds;
    }
    return b->reach[node];
}
