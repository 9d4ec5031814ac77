/* Python functions as callbacks of the library. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

const char core_letters[] = "tqvalprwsm";

static _Thread_local PyObject **current; /* where exceptions of this thread's callbacks go */

PyObject **core_catch(PyObject **error) {
    PyObject **before = current;
    current = error;
    return before;
}

int core_caught(void) {
    PyObject *type, *value, *trace;
    if (PyErr_ExceptionMatches(core_retry)) return PyErr_Clear(), 1;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    if (current && !*current) *current = Py_NewRef(value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
}

static const double *block(const sodae_problem *p, const sodae_point *at, char letter, int *count) {
    switch (letter) {
    case 'q':
        return *count = sodae_problem_nq(p), at->q;
    case 'v':
        return *count = p->nv, at->v;
    case 'a':
        return *count = p->nv, at->a;
    case 'l':
        return *count = p->nlambda, at->lambda;
    case 'p':
        return *count = p->npsi, at->psi;
    case 'r':
        return *count = p->nr, at->r;
    case 'w':
        return *count = p->nw, at->w;
    default:
        return *count = p->ns, at->s;
    }
}

/* An array of `count` numbers; the one used last if nobody kept it. */
static PyObject *recycled(PyObject **cache, npy_intp count) {
    PyObject *a = *cache;
    *cache = NULL;
    if (a && Py_REFCNT(a) == 1 && PyArray_SIZE((PyArrayObject *)a) == count) return a;
    Py_XDECREF(a);
    return PyArray_SimpleNew(1, &count, NPY_DOUBLE);
}

static PyObject *numbers(const sodae_problem *p, const sodae_point *at, char letter,
                         PyObject **cache) {
    int count = 0;
    const double *from = block(p, at, letter, &count);
    PyObject *a = recycled(cache, count);
    if (!a) return NULL;
    double *to = PyArray_DATA((PyArrayObject *)a);
    if (from)
        memcpy(to, from, (size_t)count * sizeof *to);
    else
        memset(to, 0, (size_t)count * sizeof *to);
    return a;
}

static PyObject *modes(const sodae_problem *p, const sodae_point *at) {
    npy_intp count = p->nmodes;
    PyObject *a = PyArray_ZEROS(1, &count, NPY_INT, 0);
    if (a && at->mode)
        memcpy(PyArray_DATA((PyArrayObject *)a), at->mode, (size_t)count * sizeof(int));
    return a;
}

PyObject *core_argument(const sodae_problem *p, const sodae_point *at, char letter) {
    PyObject *none = NULL;
    if (letter == 't') return PyFloat_FromDouble(at->t);
    if (letter == 'm') return modes(p, at);
    return numbers(p, at, letter, &none);
}

int core_shape(const slot *s, PyArrayObject *a, const char *has) {
    npy_intp rows = s->rows, cols = s->diagonal || !s->cols ? 1 : s->cols;
    int flat = rows == 1 || cols == 1;
    if (PyArray_SIZE(a) == rows * cols &&
        (flat || (PyArray_NDIM(a) == 2 && PyArray_DIM(a, 0) == rows)))
        return 0;
    PyObject *shape = PyObject_GetAttrString((PyObject *)a, "shape");
    if (s->diagonal || !s->cols)
        PyErr_Format(PyExc_ValueError, "%s %s %S, expected (%d,)", s->name, has, shape, s->rows);
    else
        PyErr_Format(PyExc_ValueError, "%s %s %S, expected (%d, %d)", s->name, has, shape, s->rows,
                     s->cols);
    Py_XDECREF(shape);
    return -1;
}

/* Numbers of a result in the order of the library: matrices by columns. */
static int fill(const slot *s, PyObject *result, double *out) {
    PyArrayObject *a = NULL;
    if (result != Py_None) /* NaN to numpy */
        a = (PyArrayObject *)PyArray_FROMANY(result, NPY_DOUBLE, 0, 2,
                                             NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (!a) {
        PyErr_Format(PyExc_TypeError, "%s returned %.80R, expected numbers", s->name, result);
        return -1;
    }
    const double *x = PyArray_DATA(a);
    npy_intp rows = s->rows, cols = s->diagonal || !s->cols ? 1 : s->cols;
    int bad = core_shape(s, a, "returned an array of shape");
    for (npy_intp i = 0; !bad && i < rows; i++)
        for (npy_intp j = 0; j < cols; j++) out[j * rows + i] = x[i * cols + j];
    Py_DECREF(a);
    return bad;
}

static int call_python(slot *s, const sodae_problem *p, const sodae_point *at, double *out) {
    PyObject *args[sizeof s->args];
    int n = 0, bad = 0;
    for (; s->args[n]; n++) {
        char c = s->args[n];
        args[n] = c == 't' || c == 'm' ? core_argument(p, at, c) : numbers(p, at, c, &s->cache[n]);
        if (!args[n]) break;
    }
    PyObject *result = s->args[n] ? NULL : PyObject_Vectorcall(s->callable, args, (size_t)n, NULL);
    bad = !result || fill(s, result, out);
    Py_XDECREF(result);
    while (n--) {
        if (s->args[n] == 't' || s->args[n] == 'm' || s->cache[n])
            Py_DECREF(args[n]);
        else
            s->cache[n] = args[n];
    }
    return bad ? core_caught() : 0;
}

typedef int one(double, const double *, double *);
typedef int two(double, const double *, const double *, double *);
typedef int three(double, const double *, const double *, const double *, double *);

static int call_address(const slot *s, const sodae_problem *p, const sodae_point *at, double *out) {
    const double *x[3] = {NULL};
    int n = 0, count;
    for (const char *c = s->args + 1; *c && n < 3; c++) x[n++] = block(p, at, *c, &count);
    switch (n) {
    case 1:
        return ((one *)s->address)(at->t, x[0], out);
    case 2:
        return ((two *)s->address)(at->t, x[0], x[1], out);
    default:
        return ((three *)s->address)(at->t, x[0], x[1], x[2], out);
    }
}

int core_call(slot *s, const sodae_problem *p, const sodae_point *at, double *out) {
    if (s->constant) {
        size_t count = (size_t)s->rows * (size_t)(s->diagonal || !s->cols ? 1 : s->cols);
        return memcpy(out, s->constant, count * sizeof *out), 0;
    }
    if (s->address) return call_address(s, p, at, out);
    PyGILState_STATE state = PyGILState_Ensure();
    int answer = call_python(s, p, at, out);
    if (!answer && PyErr_CheckSignals()) answer = core_caught();
    PyGILState_Release(state);
    return answer;
}

void core_slot_free(slot *s) {
    Py_CLEAR(s->callable);
    for (size_t i = 0; i < sizeof s->cache / sizeof s->cache[0]; i++) Py_CLEAR(s->cache[i]);
    free(s->constant);
    s->constant = NULL;
}
