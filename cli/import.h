/* What an imported model is made of: places and directions in the world, at the start. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Reads a URDF or MJCF file with MuJoCo's compiler and writes a mechanism file. What has no
 * counterpart is a comment there and a line on standard error. Nonzero: the file cannot be read;
 * `why` has the reason. */
int import_mujoco(const char *path, FILE *out, char *why, size_t size);
