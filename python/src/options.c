/* Options of an integrator: those of the model, and those of the user over them, as on the command
 * line. */
#include "core.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const tolerance[] = {"atol", "atol_v", "atol_lambda"};

static int set(sodae_options *o, const char *name, PyObject *value) {
    sodae_failure why = {0};
    const char *text = PyUnicode_AsUTF8(value);
    if (!text) return -1;
    return sodae_options_set(o, name, text, &why) < 0 ? (core_fail(&why), -1) : 0;
}

/* Another method than the file's starts without the file's coefficients. */
static int set_method(sodae_options *o, PyObject *dict) {
    PyObject *value = PyDict_GetItemString(dict, "method");
    sodae_method before = o->method;
    if (value && set(o, "method", value)) return -1;
    if (o->method != before) sodae_options_forget_method(o);
    return 0;
}

/* A tolerance takes the place of the file's fixed step, and of its tolerances by component. */
static void make_way(sodae_options *o, PyObject *dict, PyObject *lists) {
    int given[3], controlled = PyDict_GetItemString(dict, "rtol") != NULL;
    for (int i = 0; i < 3; i++) {
        given[i] = PyDict_GetItemString(dict, tolerance[i]) != NULL;
        controlled |= given[i] || PyTuple_GET_ITEM(lists, i) != Py_None;
    }
    if (controlled && !PyDict_GetItemString(dict, "step")) o->step = NAN;
    if (given[0]) o->atol_q_each = NULL;
    if (given[0] || given[1]) o->atol_v_each = NULL;
    if (given[0] || given[2]) o->atol_lambda_each = NULL;
}

/* What is given has to mean something to the method, the formulation and the kind of steps. */
static int refuse_idle(const sodae_options *o, const sodae_problem *p, PyObject *dict) {
    int method = (int)sodae_method_of(p, o), formulation = (int)sodae_formulation_of(p, o);
    const sodae_option_info *info;
    char why[200];
    for (int i = 0; (info = sodae_option_table(i)); i++) {
        if (!PyDict_GetItemString(dict, info->name) ||
            sodae_option_counts(info, method, formulation, !isnan(o->step), why, sizeof why))
            continue;
        PyErr_Format(PyExc_ValueError, "option %s %s", info->name, why);
        return -1;
    }
    return 0;
}

/* Lists of absolute tolerances for q (directions of v), v and lambda; None: one for all. */
static int set_lists(sodae_options *o, const sodae_problem *p, PyObject *lists, double *room) {
    const int sizes[] = {p->nv, p->nv, p->nlambda};
    const double **const to[] = {&o->atol_q_each, &o->atol_v_each, &o->atol_lambda_each};
    for (int i = 0; i < 3; room += sizes[i++]) {
        PyObject *list = PyTuple_GET_ITEM(lists, i);
        if (list == Py_None) continue;
        PyArrayObject *a = (PyArrayObject *)PyArray_FROMANY(
            list, NPY_DOUBLE, 1, 1, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
        if (!a) return -1;
        npy_intp size = PyArray_SIZE(a);
        if (size == sizes[i]) memcpy(room, PyArray_DATA(a), (size_t)size * sizeof *room);
        Py_DECREF(a);
        if (size != sizes[i]) {
            PyErr_Format(PyExc_ValueError, "%s has %zd numbers, expected %d", tolerance[i],
                         (Py_ssize_t)size, sizes[i]);
            return -1;
        }
        *to[i] = room;
    }
    return 0;
}

static int read_options(const source *from, PyObject *dict, PyObject *lists, sodae_options *o) {
    PyObject *key, *value;
    Py_ssize_t at = 0;
    sodae_failure why = {0};
    *o = sodae_default_options();
    if (from->model && sodae_model_options(from->model, o, &why) < 0) return core_fail(&why), -1;
    if (set_method(o, dict)) return -1;
    make_way(o, dict, lists);
    while (PyDict_Next(dict, &at, &key, &value)) {
        const char *name = PyUnicode_AsUTF8(key);
        if (!name || set(o, name, value)) return -1;
    }
    return refuse_idle(o, &from->problem, dict);
}

double *core_options(const source *from, PyObject *dict, PyObject *lists, sodae_options *out) {
    const sodae_problem *p = &from->problem;
    if (PyTuple_GET_SIZE(lists) != 3)
        return PyErr_SetString(PyExc_TypeError, "tolerances: three lists"), NULL;
    double *room = calloc((size_t)(2 * p->nv + p->nlambda + 1), sizeof *room);
    if (!room) return PyErr_NoMemory(), NULL;
    if (!read_options(from, dict, lists, out) && !set_lists(out, p, lists, room)) return room;
    return free(room), NULL;
}
