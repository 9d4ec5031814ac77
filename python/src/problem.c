/* A problem made of callables, C functions and constant matrices. */
#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct problem {
    source base;
    slot value[SODAE_FUNCTIONS], derivative[SODAE_FUNCTIONS][SODAE_VARIABLES];
    sodae_space *space;
    double *initial; /* all blocks one after the other */
    int *diagonal;   /* pattern of a diagonal mass matrix */
    char **names;    /* of variables, all kinds in a row */
    int nnames;
} problem;

/* The library hands over `user` alone, so that each callback needs a function of its own. */
#define VALUE(F)                                                                                   \
    static int value_##F(const sodae_point *at, double *out, void *user) {                         \
        problem *p = user;                                                                         \
        return core_call(&p->value[F], &p->base.problem, at, out);                                 \
    }
#define DERIVATIVE(F, X)                                                                           \
    static int derivative_##F##_##X(const sodae_point *at, double *out, void *user) {              \
        problem *p = user;                                                                         \
        return core_call(&p->derivative[F][X], &p->base.problem, at, out);                         \
    }
#define ROW(F)                                                                                     \
    VALUE(F)                                                                                       \
    DERIVATIVE(F, 0)                                                                               \
    DERIVATIVE(F, 1)                                                                               \
    DERIVATIVE(F, 2)                                                                               \
    DERIVATIVE(F, 3)                                                                               \
    DERIVATIVE(F, 4)                                                                               \
    DERIVATIVE(F, 5)                                                                               \
    DERIVATIVE(F, 6)                                                                               \
    DERIVATIVE(F, 7)
ROW(0)
ROW(1)
ROW(2)
ROW(3)
ROW(4)
ROW(5)
ROW(6)
ROW(7)
ROW(8)
ROW(9)
ROW(10)
ROW(11)
#define LIST(F)                                                                                    \
    {                                                                                              \
        derivative_##F##_0, derivative_##F##_1, derivative_##F##_2, derivative_##F##_3,            \
            derivative_##F##_4, derivative_##F##_5, derivative_##F##_6, derivative_##F##_7         \
    }
static sodae_fn *const values[] = {value_0, value_1, value_2, value_3, value_4,  value_5,
                                   value_6, value_7, value_8, value_9, value_10, value_11};
static sodae_fn *const derivatives[][SODAE_VARIABLES] = {LIST(0), LIST(1), LIST(2),  LIST(3),
                                                         LIST(4), LIST(5), LIST(6),  LIST(7),
                                                         LIST(8), LIST(9), LIST(10), LIST(11)};
_Static_assert(sizeof values / sizeof values[0] == SODAE_FUNCTIONS, "one for each function");
_Static_assert(SODAE_VARIABLES == 8, "one for each variable");

static int constant(slot *s, PyObject *from) {
    PyArrayObject *a = (PyArrayObject *)PyArray_FROMANY(from, NPY_DOUBLE, 1, 2,
                                                        NPY_ARRAY_F_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (!a) return -1;
    size_t bytes = (size_t)PyArray_NBYTES(a);
    if (!core_shape(s, a, "has shape")) {
        if ((s->constant = malloc(bytes + 1)))
            memcpy(s->constant, PyArray_DATA(a), bytes);
        else
            PyErr_NoMemory();
    }
    Py_DECREF(a);
    return s->constant ? 0 : -1;
}

/* (callable | address | array, letters of arguments, name, diagonal) */
static int slot_make(problem *p, slot *s, int f, int x, PyObject *given) {
    PyObject *what;
    const char *letters, *name;
    if (!PyArg_ParseTuple(given, "Ossi", &what, &letters, &name, &s->diagonal)) return -1;
    snprintf(s->args, sizeof s->args, "%s", letters);
    snprintf(s->name, sizeof s->name, "%s", name);
    s->rows = sodae_function_rows(&p->base.problem, (sodae_function)f);
    s->cols = x >= 0            ? sodae_variable_columns(&p->base.problem, (sodae_variable)x)
              : f == SODAE_MASS ? p->base.problem.nv
                                : 0;
    if (f == SODAE_MASS && x < 0) s->rows = p->base.problem.nv;
    if (PyLong_Check(what)) return (s->address = PyLong_AsVoidPtr(what)) ? 0 : -1;
    if (PyArray_Check(what)) return constant(s, what);
    s->callable = Py_NewRef(what);
    p->base.python = 1;
    return 0;
}

static int slots_make(problem *p, PyObject *dict) {
    PyObject *key, *given;
    Py_ssize_t at = 0;
    sodae_problem *q = &p->base.problem;
    while (PyDict_Next(dict, &at, &key, &given)) {
        int f, x;
        if (!PyArg_ParseTuple(key, "ii", &f, &x)) return -1;
        slot *s = x < 0 ? &p->value[f] : &p->derivative[f][x];
        if (slot_make(p, s, f, x, given)) return -1;
        if (x < 0)
            q->value[f].fn = values[f];
        else
            q->derivative[f][x].fn = derivatives[f][x];
    }
    return 0;
}

static int diagonal_mass(problem *p) {
    sodae_problem *q = &p->base.problem;
    if (!p->value[SODAE_MASS].diagonal) return 0;
    p->diagonal = malloc((size_t)(2 * q->nv + 1) * sizeof *p->diagonal);
    if (!p->diagonal) return PyErr_NoMemory(), -1;
    for (int i = 0; i <= q->nv; i++) p->diagonal[i] = i;
    q->value[SODAE_MASS].pattern = (sodae_pattern){p->diagonal, p->diagonal + q->nv + 1};
    for (int i = 0; i < q->nv; i++) p->diagonal[q->nv + 1 + i] = i;
    return 0;
}

static int space_make(problem *p, PyObject *parts) {
    static const sodae_group *const known[] = {&sodae_rn, &sodae_so3, &sodae_so3_quaternion,
                                               &sodae_s3, &sodae_se3};
    Py_ssize_t count = PyList_Size(parts);
    const sodae_group *groups[256];
    int n[256];
    if (count < 1) return 0;
    if (count > 256) return PyErr_SetString(PyExc_ValueError, "space: at most 256 parts"), -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        int kind;
        if (!PyArg_ParseTuple(PyList_GetItem(parts, i), "ii", &kind, &n[i])) return -1;
        groups[i] = known[kind];
    }
    sodae_status st = sodae_space_create(groups, n, (int)count, &p->space);
    if (st < 0) return PyErr_SetString(PyExc_ValueError, sodae_status_text(st)), -1;
    p->base.problem.space = p->space;
    if (p->space->nv == p->base.problem.nv) return 0;
    PyErr_Format(PyExc_ValueError, "nv is %d, but the space has %d directions", p->base.problem.nv,
                 p->space->nv);
    return -1;
}

/* Initial values by block, in the order q, v, lambda, psi, r, w, s; None: not given. */
static int initial_make(problem *p, double t0, PyObject *blocks) {
    sodae_problem *q = &p->base.problem;
    const int sizes[] = {sodae_problem_nq(q), q->nv, q->nlambda, q->npsi, q->nr, q->nw, q->ns};
    const double **const to[] = {&q->initial.q, &q->initial.v, &q->initial.lambda, &q->initial.psi,
                                 &q->initial.r, &q->initial.w, &q->initial.s};
    static const char *const names[] = {"q", "v", "lam", "psi", "r", "w", "s"};
    size_t total = 1;
    for (int i = 0; i < 7; i++) total += (size_t)sizes[i];
    double *room = p->initial = calloc(total, sizeof *room);
    if (!room) return PyErr_NoMemory(), -1;
    q->initial.t = t0;
    for (int i = 0; i < 7; room += sizes[i++]) {
        PyObject *given = PyTuple_GetItem(blocks, i);
        if (!given) return -1;
        if (given == Py_None) continue;
        PyArrayObject *a = (PyArrayObject *)PyArray_FROMANY(
            given, NPY_DOUBLE, 0, 1, NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
        if (!a) return -1;
        npy_intp size = PyArray_SIZE(a);
        if (size == sizes[i]) memcpy(room, PyArray_DATA(a), (size_t)size * sizeof *room);
        Py_DECREF(a);
        if (size != sizes[i]) {
            PyErr_Format(PyExc_ValueError, "initial value %s has %zd numbers, expected %d",
                         names[i], (Py_ssize_t)size, sizes[i]);
            return -1;
        }
        *to[i] = room;
    }
    return 0;
}

/* {variable: [names]} */
static int names_make(problem *p, PyObject *dict) {
    PyObject *key, *list;
    Py_ssize_t at = 0, total = 0;
    while (PyDict_Next(dict, &at, &key, &list)) total += PyList_Size(list);
    if (!total) return 0;
    p->names = calloc((size_t)total, sizeof *p->names);
    if (!p->names) return PyErr_NoMemory(), -1;
    for (at = 0; PyDict_Next(dict, &at, &key, &list);) {
        p->base.problem.variable_names[PyLong_AsLong(key)] =
            (const char *const *)(p->names + p->nnames);
        for (Py_ssize_t i = 0; i < PyList_Size(list); i++) {
            const char *text = PyUnicode_AsUTF8(PyList_GetItem(list, i));
            if (!text) return -1;
            if (!(p->names[p->nnames] = malloc(strlen(text) + 1))) return PyErr_NoMemory(), -1;
            strcpy(p->names[p->nnames++], text);
        }
    }
    return 0;
}

static int problem_init(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *words[] = {"sizes", "slots", "parts",         "t0",       "initial",
                            "names", "name",  "constant_mass", "in_force", NULL};
    problem *p = (problem *)self;
    sodae_problem *q = &p->base.problem;
    PyObject *slots, *parts, *initial, *names;
    double t0;
    const char *name;
    if (p->initial) return PyErr_SetString(PyExc_RuntimeError, "the problem is made already"), -1;
    q->size = sizeof *q;
    q->user = p;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "(iiiiii)O!O!dO!O!sii", words, &q->nv,
                                     &q->nlambda, &q->npsi, &q->nr, &q->nw, &q->ns, &PyDict_Type,
                                     &slots, &PyList_Type, &parts, &t0, &PyTuple_Type, &initial,
                                     &PyDict_Type, &names, &name, &q->constant_mass, &q->in_force))
        return -1;
    if (space_make(p, parts) || slots_make(p, slots) || diagonal_mass(p) ||
        initial_make(p, t0, initial) || names_make(p, names))
        return -1;
    sodae_failure why = {0};
    if (sodae_problem_check(q, &why) < 0) return core_fail(&why), -1;
    return 0;
}

static int each_slot(problem *p, visitproc visit, void *arg) {
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        Py_VISIT(p->value[f].callable);
        for (int x = 0; x < SODAE_VARIABLES; x++) Py_VISIT(p->derivative[f][x].callable);
    }
    return 0;
}

static int problem_traverse(PyObject *self, visitproc visit, void *arg) {
    return each_slot((problem *)self, visit, arg);
}

static int problem_clear(PyObject *self) {
    problem *p = (problem *)self;
    for (int f = 0; f < SODAE_FUNCTIONS; f++) {
        core_slot_free(&p->value[f]);
        for (int x = 0; x < SODAE_VARIABLES; x++) core_slot_free(&p->derivative[f][x]);
    }
    return 0;
}

static void problem_dealloc(PyObject *self) {
    problem *p = (problem *)self;
    PyObject_GC_UnTrack(self);
    problem_clear(self);
    sodae_space_free(p->space);
    for (int i = 0; i < p->nnames; i++) free(p->names[i]);
    free(p->names);
    free(p->initial);
    free(p->diagonal);
    Py_TYPE(self)->tp_free(self);
}

PyTypeObject core_problem_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sodae._sodae.Problem",
                                  .tp_basicsize = sizeof(problem),
                                  .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                  .tp_doc = "A problem of callables.",
                                  .tp_new = PyType_GenericNew,
                                  .tp_init = problem_init,
                                  .tp_traverse = problem_traverse,
                                  .tp_clear = problem_clear,
                                  .tp_dealloc = problem_dealloc};
