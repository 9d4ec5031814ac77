/* Events written in Python: (when, direction, stop, act, name). */
#include "core.h"

#include <string.h>

static PyObject *arguments(const sodae_problem *p, const sodae_point *at) {
    PyObject *t = core_argument(p, at, 't'), *q = core_argument(p, at, 'q');
    PyObject *v = core_argument(p, at, 'v');
    if (t && q && v && !p->nr) return Py_BuildValue("(NNN)", t, q, v);
    PyObject *r = t && q && v ? core_argument(p, at, 'r') : NULL;
    if (r) return Py_BuildValue("(NNNN)", t, q, v, r);
    Py_XDECREF(t);
    Py_XDECREF(q);
    Py_XDECREF(v);
    return NULL;
}

static PyObject *call(PyObject *fn, const sodae_problem *p, const sodae_point *at) {
    PyObject *args = arguments(p, at);
    PyObject *result = args ? PyObject_CallObject(fn, args) : NULL;
    Py_XDECREF(args);
    return result;
}

static int when(const sodae_point *at, double *out, void *user) {
    const py_event *e = user;
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *result = call(e->when, e->problem, at);
    *out = result ? PyFloat_AsDouble(result) : 0;
    if (result && PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "event '%s' returned %.80R, expected a number", e->name,
                     result);
    int answer = PyErr_Occurred() ? core_caught() : 0;
    Py_XDECREF(result);
    PyGILState_Release(state);
    return answer;
}

/* Copies an array of exactly `count` numbers. */
static int take(PyObject *from, double *to, int count, const char *name, const char *block) {
    if (from == Py_None) return 0;
    PyObject *a =
        PyArray_FROMANY(from, NPY_DOUBLE, 0, 1, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (!a) {
        PyErr_Format(PyExc_TypeError,
                     "the action of event '%s' returned %.80R for %s, expected numbers", name, from,
                     block);
        return -1;
    }
    int bad = PyArray_SIZE((PyArrayObject *)a) != count;
    if (bad)
        PyErr_Format(PyExc_ValueError,
                     "the action of event '%s' returned %zd numbers for %s, expected %d", name,
                     (Py_ssize_t)PyArray_SIZE((PyArrayObject *)a), block, count);
    else
        memcpy(to, PyArray_DATA((PyArrayObject *)a), (size_t)count * sizeof *to);
    Py_DECREF(a);
    return bad ? -1 : 0;
}

/* None: nothing changes; else (q, v) or (q, v, r), None for what stays. */
static int apply(const py_event *e, PyObject *result, const sodae_solution *state) {
    if (result == Py_None) return 0;
    const sodae_problem *p = e->problem;
    PyObject *items = PySequence_Tuple(result);
    Py_ssize_t n = items ? PyTuple_GET_SIZE(items) : 0;
    int bad = n < 2 || n > 3;
    if (bad)
        PyErr_Format(PyExc_TypeError,
                     "the action of event '%s' has to return None, (q, v) or (q, v, r)", e->name);
    if (!bad) bad = take(PyTuple_GET_ITEM(items, 0), state->q, sodae_problem_nq(p), e->name, "q");
    if (!bad) bad = take(PyTuple_GET_ITEM(items, 1), state->v, p->nv, e->name, "v");
    if (!bad && n == 3) bad = take(PyTuple_GET_ITEM(items, 2), state->r, p->nr, e->name, "r");
    Py_XDECREF(items);
    return bad;
}

static int act(const sodae_point *at, const sodae_solution *state, void *user) {
    const py_event *e = user;
    PyGILState_STATE lock = PyGILState_Ensure();
    PyObject *result = call(e->act, e->problem, at);
    int bad = !result || apply(e, result, state);
    int answer = bad ? core_caught() : 0;
    Py_XDECREF(result);
    PyGILState_Release(lock);
    return answer;
}

int core_events_make(PyObject *list, const sodae_problem *problem, sodae_event *out,
                     py_event *store) {
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        py_event *e = &store[i];
        const char *name;
        PyObject *action;
        if (!PyArg_ParseTuple(PyList_GET_ITEM(list, i), "OiiOs", &e->when, &e->direction, &e->stop,
                              &action, &name)) {
            e->when = NULL;
            return -1;
        }
        Py_INCREF(e->when);
        e->act = action == Py_None ? NULL : Py_NewRef(action);
        e->problem = problem;
        if (!(e->name = PyMem_Malloc(strlen(name) + 1))) return PyErr_NoMemory(), -1;
        strcpy(e->name, name);
        out[i] = (sodae_event){.name = e->name,
                               .when = when,
                               .direction = e->direction,
                               .stop = e->stop,
                               .act = e->act ? act : NULL,
                               .user = e,
                               .state_only = 1};
    }
    return 0;
}

void core_events_free(py_event *store, Py_ssize_t count) {
    for (Py_ssize_t i = 0; store && i < count; i++) {
        Py_XDECREF(store[i].when);
        Py_XDECREF(store[i].act);
        PyMem_Free(store[i].name);
    }
}
