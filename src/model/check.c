/* Everything is computed once, at the initial state: what is not finite there is an error. */
#include "model/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int run(const model_build *b, const tape *t, double *out) {
    return model_run(b->model, t, &b->model->problem.initial, out);
}

static int first_bad(const double *x, int n) {
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i])) return i;
    return -1;
}

static const tree_node *place_of(const model_build *b, int f, int row) {
    const row_list *list = &b->function[f];
    const char *key = f == SODAE_MASS ? "mass" : "equations";
    if (row < list->count) return list->where[row];
    return f == SODAE_MASS ? tree_get(b->equations, key) : b->equations;
}

static int bad_value(model_build *b, int f, int row) {
    place_section(b, sodae_function_name((sodae_function)f), f == SODAE_MASS ? 0 : row + 1);
    return place_fail(b, place_of(b, f, row),
                      "not finite at the initial state (a division by zero or a bad argument?)");
}

static int bad_derivative(model_build *b, int f, int x, int entry_number) {
    const sodae_pattern *pattern = &b->model->problem.derivative[f][x].pattern;
    int rows = f == SODAE_MASS ? b->nv : b->model->value[f].nout, row, column = 0;
    if (pattern->colptr) {
        while (pattern->colptr[column + 1] <= entry_number) column++;
        row = pattern->rowind[entry_number];
    } else {
        column = entry_number / rows;
        row = entry_number % rows;
    }
    const char *name = x == SODAE_T ? "t" : b->names[x][column];
    place_section(b, sodae_function_name((sodae_function)f), row + 1);
    return place_fail(b, place_of(b, f, row),
                      "its derivative by '%.40s' is not finite at the initial state%s", name,
                      x == SODAE_LAMBDA || x == SODAE_PSI ? "; give a guess in 'initial'" : "");
}

static int check_function(model_build *b, int f, double *room) {
    const sodae_model *m = b->model;
    if (m->problem.value[f].fn) {
        if (run(b, &m->value[f], room)) return report_memory(&b->report);
        int bad = first_bad(room, m->value[f].nout);
        if (bad >= 0) return bad_value(b, f, bad);
    }
    for (int x = 0; x < SODAE_VARIABLES; x++) {
        if (!m->problem.derivative[f][x].fn) continue;
        if (run(b, &m->derivative[f][x], room)) return report_memory(&b->report);
        int bad = first_bad(room, m->derivative[f][x].nout);
        if (bad >= 0) return bad_derivative(b, f, x, bad);
    }
    return 0;
}

int check_initial(model_build *b) {
    const sodae_model *m = b->model;
    int size = 1, bad = 0;
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        if (m->value[f].nout > size) size = m->value[f].nout;
        for (int x = 0; x < SODAE_VARIABLES; x++)
            if (m->derivative[f][x].nout > size) size = m->derivative[f][x].nout;
    }
    double *room = malloc((size_t)size * sizeof *room);
    if (!room) return report_memory(&b->report);
    for (int f = 0; f < SODAE_FUNCTIONS && !bad; f++) bad = check_function(b, f, room);
    free(room);
    return bad;
}
