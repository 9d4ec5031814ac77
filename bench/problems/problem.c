#include "bench/problems/problem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    double t_end;
    int (*fill)(bench_problem *b, int n);
    const char *help;
} table[] = {
    {"chain", 2, chain, "n point masses, rigid bars of length 1, from rest along +x"},
    {"heavy-top", 1, heavy_top, "heavy top on R^3 x quaternions, fast spin"},
    {"andrews", 0.03, andrews, "Andrews' squeezing mechanism"},
    {"net", 1, net, "n x n point masses, rigid bars along rows, springs along columns"},
    {"car-axis", 3, car_axis, "car axis of the Test Set for IVP Solvers"},
    {"slider-crank", 0.1, slider_crank, "slider crank with an elastic rod of the Test Set"},
    {"stiff-net", 1, stiff_net, "net with springs 10^4 times as stiff"},
    {"lattice", 1, lattice, "n^3 point masses in space, bars along x, springs along y and z"},
    {"ring", 1, ring, "closed ring of n bars, hung up at one mass"},
    {"tree", 1, tree, "binary tree of n bars"},
    {"fekete", 1000, fekete, "Fekete points of the Test Set, to rest"},
};
enum { ENTRIES = sizeof table / sizeof *table, ROOMS = 64 };

const char *bench_name(int i, const char **help) {
    if (i >= ENTRIES) return NULL;
    *help = table[i].help;
    return table[i].name;
}

static int entry_of(const char *name, int *size) {
    for (int i = 0; i < ENTRIES; i++) {
        size_t n = strlen(table[i].name);
        if (strncmp(name, table[i].name, n)) continue;
        *size = name[n] == '-' ? atoi(name + n + 1) : 1;
        if (!name[n] || (name[n] == '-' && *size > 0)) return i;
    }
    return -1;
}

/* Derivatives without a function are zero: their patterns say so. */
static void declare_empty(bench_problem *b) {
    int *none = bench_room(b, (size_t)(b->p.nv + b->p.nlambda + 2), sizeof *none);
    for (int f = 0; f < SODAE_FUNCTIONS; f++)
        for (int x = b->timed ? SODAE_Q : SODAE_T; x < SODAE_VARIABLES; x++)
            if (!b->p.derivative[f][x].fn && !b->p.derivative[f][x].pattern.colptr)
                b->p.derivative[f][x].pattern = (sodae_pattern){none, none};
}

bench_problem *bench_open(const char *name) {
    int size, i = entry_of(name, &size);
    if (i < 0) return fprintf(stderr, "no problem '%s'\n", name), NULL;
    bench_problem *b = calloc(1, sizeof *b);
    b->rooms = calloc(ROOMS, sizeof *b->rooms);
    b->p.size = sizeof b->p;
    b->p.name = table[i].name;
    b->p.exact_derivatives = 1;
    b->t_end = table[i].t_end;
    if (table[i].fill(b, size)) return bench_close(b), NULL;
    declare_empty(b);
    return b;
}

void bench_close(bench_problem *b) {
    if (!b->model) sodae_space_free((sodae_space *)b->p.space);
    sodae_model_free(b->model);
    for (int i = 0; i < b->nrooms; i++) free(b->rooms[i]);
    free(b->rooms);
    free(b);
}

void *bench_room(bench_problem *b, size_t count, size_t size) {
    void *room = b->nrooms < ROOMS ? calloc(count ? count : 1, size) : NULL;
    if (!room) fputs("out of memory\n", stderr), exit(1);
    return b->rooms[b->nrooms++] = room;
}

void *bench_work(const sodae_problem *p) {
    size_t bytes = (p->work_size / 64 + 1) * 64;
    return memset(aligned_alloc(64, bytes), 0, bytes);
}

void bench_initial(bench_problem *b, double **q, double **v) {
    int nq = b->p.space ? b->p.space->nq : b->p.nv;
    *q = bench_room(b, (size_t)nq, sizeof **q), *v = bench_room(b, (size_t)b->p.nv, sizeof **v);
    b->p.initial = (sodae_point){.q = *q, .v = *v};
}
