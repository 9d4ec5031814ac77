/* Order and stage order of tables by trees. */
#pragma once

#include <sodae/table.h>

/* The largest p with local errors O(h^(p+1)) of all values handed on, and q with stages up to
 * O(h^(q+1)), for y'' = f(y, y'); SODAE_TABLE_ORDER at most. 0: memory ran out. */
int trees_orders(const sodae_glm_table *t, int *order, int *stage_order);
