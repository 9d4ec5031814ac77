/* What a number of a run is called, and its unit. */
#pragma once

#include "results/channel.h"

/* SODAE_T for blocks that are no variables of the problem. */
sodae_variable names_variable(channel_block block);
/* Before clashes are settled. */
void names_plain(const channel_list *list, channel_block block, int i, char *text, size_t size);
/* "": not known. */
void names_unit(const channel_list *list, channel_block block, int i, char *text, size_t size);
