#include "bench/solvers.h"

#include <stdio.h>
#include <string.h>

/* What is worth a column: method, formulation, stages, steps by name; names that the library does
 * not know (yet) are passed over. */
static const struct {
    const char *name, *method, *formulation;
    int stages, steps;
} wanted[] = {
    {"default", "auto", "auto", 0, 0},
    {"generalized-alpha", "generalized-alpha", "auto", 0, 0},
    {"generalized-alpha index3", "generalized-alpha", "index3", 0, 0},
    {"generalized-alpha soi2", "generalized-alpha", "soi2", 0, 0},
    {"radau-iia 2", "radau-iia", "auto", 2, 0},
    {"radau-iia 3", "radau-iia", "auto", 3, 0},
    {"msr", "msr", "auto", 0, 0},
    {"dc", "dc", "auto", 0, 0},
    {"bdf", "bdf", "auto", 0, 0},
    {"bdf index3", "bdf", "index3", 0, 0},
    {"modified-bdf", "modified-bdf", "auto", 0, 0},
    {"direct-bdf", "direct-bdf", "auto", 0, 0},
};

static int place(const char *name, const char *(*list)(int)) {
    for (int i = 0; list(i); i++)
        if (strcmp(list(i), name) == 0) return i;
    return -1;
}

int solvers_all(solver *list, int peers) {
    int n = 0;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        int m = place(wanted[i].method, sodae_method_name);
        int f = place(wanted[i].formulation, sodae_formulation_name);
        if (m < 0 || f < 0) continue;
        solver *s = &list[n++];
        *s = (solver){
            .method = m, .formulation = f, .stages = wanted[i].stages, .steps = wanted[i].steps};
        snprintf(s->name, sizeof s->name, "%s", wanted[i].name);
    }
    if (!peers) return n;
    list[n++] = (solver){.name = "ida", .method = -1, .all_in_test = 1};
    list[n++] = (solver){.name = "ida nl", .method = -1};
    return n;
}
