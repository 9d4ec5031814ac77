/* Numbers that look random and are the same in every run. */
#pragma once

/* In (-1, 1). */
static inline double noise(unsigned long long *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(long long)*state / 0x1p63;
}
