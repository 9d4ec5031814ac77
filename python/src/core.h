/* The extension module: what its files share. */
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API  NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL sodae_array_api
#ifndef CORE_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "results/channel.h"

#include <sodae/sodae.h>

/* Owner of a problem. Models and problems of Python begin with it. */
typedef struct source {
    PyObject_HEAD sodae_problem problem;
    const sodae_model *model; /* NULL: made of callbacks */
    int python;               /* 1: some function is a Python callable */
} source;

/* One event of Python. */
typedef struct py_event {
    PyObject *when, *act; /* act: NULL or a callable */
    char *name;
    int direction, stop;
    const sodae_problem *problem; /* sizes */
} py_event;

extern PyTypeObject core_model_type, core_problem_type, core_integrator_type;
int core_is_source(PyObject *o);

/* module.c */
extern PyObject *core_retry;                            /* sodae.Retry */
PyObject *core_fail(const sodae_failure *why);          /* ValueError, or MemoryError */
PyObject *core_vector(const double *x, npy_intp count); /* a copy; None for NULL */
int core_put(PyObject *dict, const char *name, PyObject *x); /* dict[name] = x; 0, or -1 */
PyObject *core_failure_dict(const sodae_failure *f);

/* callback.c: Python functions as callbacks of the library. */
typedef struct slot {
    PyObject *callable; /* or */
    void *address;      /* a C function, or */
    double *constant;   /* numbers, by columns */
    char args[12];      /* letters of core_letters */
    int rows, cols;     /* cols 0: a vector */
    int diagonal;       /* 1: rows numbers stand for a diagonal matrix */
    char name[48];      /* for messages */
    PyObject *cache[12];
} slot;
extern const char core_letters[]; /* "tqvalprwsm" */
int core_call(slot *s, const sodae_problem *p, const sodae_point *at, double *out);
void core_slot_free(slot *s);
/* 0, or -1 with a ValueError "<name> <has> <shape>, expected ...". */
int core_shape(const slot *s, PyArrayObject *a, const char *has);
/* Exceptions of callbacks on this thread go to *error until the call is undone with the value that
 * it returned. */
PyObject **core_catch(PyObject **error);
int core_caught(void); /* moves the current exception there: -1, or 1 for Retry */
PyObject *core_argument(const sodae_problem *p, const sodae_point *at, char letter);

/* event.c */
int core_events_make(PyObject *list, const sodae_problem *problem, sodae_event *out,
                     py_event *store);
void core_events_free(py_event *store, Py_ssize_t count);

/* options.c: options from texts by name and three lists of tolerances (or None), which belong to
 * the array that is returned; NULL: an exception. */
double *core_options(const source *from, PyObject *dict, PyObject *lists, sodae_options *out);

/* table.c */
PyObject *core_save(PyObject *self, PyObject *args, PyObject *keywords);
PyObject *core_open(PyObject *self, PyObject *args);
