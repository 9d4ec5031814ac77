/* Models of text: equations or mechanisms, parsed once, never changed. */
#include "core.h"

#include <stdlib.h>
#include <string.h>

typedef struct model {
    source base;
    sodae_model *owned;
} model;

/* A list of "name=value" that ends with NULL; the texts belong to `list`. */
static const char **overrides_of(PyObject *list) {
    Py_ssize_t n = PyList_Size(list);
    const char **out = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *out);
    if (n >= 0 && !out) PyErr_NoMemory();
    for (Py_ssize_t i = 0; out && i < n; i++)
        if (!(out[i] = PyUnicode_AsUTF8(PyList_GetItem(list, i)))) {
            free(out);
            return NULL;
        }
    return out;
}

static int model_init(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *words[] = {"text", "label", "overrides", NULL};
    model *m = (model *)self;
    const char *text, *label;
    Py_ssize_t size;
    PyObject *list;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "s#sO!", words, &text, &size, &label,
                                     &PyList_Type, &list))
        return -1;
    if (m->owned) return PyErr_SetString(PyExc_RuntimeError, "the model is made already"), -1;
    const char **overrides = overrides_of(list);
    if (!overrides) return -1;
    sodae_failure why = {0};
    sodae_model *made = NULL;
    sodae_status st = sodae_model_parse(text, (size_t)size, label, overrides, &made, &why);
    free(overrides);
    if (st < 0) return core_fail(&why), -1;
    m->base.model = m->owned = made;
    m->base.problem = *sodae_model_problem(made);
    return 0;
}

static void model_dealloc(PyObject *self) {
    sodae_model_free(((model *)self)->owned);
    Py_TYPE(self)->tp_free(self);
}

static const sodae_model *made(PyObject *self) {
    const sodae_model *m = ((model *)self)->owned;
    if (!m) PyErr_SetString(PyExc_ValueError, "the model was not made");
    return m;
}

/* A number, or an array that nobody writes to: the model would not notice. */
static PyObject *parameter_value(const sodae_model *m, int i) {
    int rows, cols;
    const double *x = sodae_model_parameter_values(m, i, &rows, &cols);
    if (rows * cols == 1) return PyFloat_FromDouble(*x);
    npy_intp size[2] = {rows, cols};
    PyObject *a = PyArray_SimpleNew(cols == 1 ? 1 : 2, size, NPY_DOUBLE);
    if (!a) return NULL;
    memcpy(PyArray_DATA((PyArrayObject *)a), x, (size_t)rows * (size_t)cols * sizeof *x);
    PyArray_CLEARFLAGS((PyArrayObject *)a, NPY_ARRAY_WRITEABLE);
    return a;
}

static PyObject *get_parameters(PyObject *self, void *unused) {
    (void)unused;
    const sodae_model *m = made(self);
    PyObject *dict = m ? PyDict_New() : NULL;
    const char *name;
    for (int i = 0; dict && (name = sodae_model_parameter(m, i, NULL)); i++) {
        PyObject *x = parameter_value(m, i);
        if (!x || core_put(dict, name, x)) Py_CLEAR(dict);
        Py_XDECREF(x);
    }
    return dict;
}

static PyObject *get_run(PyObject *self, void *unused) {
    (void)unused;
    const sodae_model *m = made(self);
    if (!m) return NULL;
    int count = 0;
    const double *times = sodae_model_times(m, &count);
    PyObject *t = core_vector(times, count);
    return t ? Py_BuildValue("{s:d,s:d,s:N}", "t_end", sodae_model_t_end(m), "output_step",
                             sodae_model_output_step(m), "times", t)
             : NULL;
}

static PyObject *point_of(const sodae_strangeness *q) {
    return Py_BuildValue("{s:d,s:N,s:i,s:i,s:i,s:i,s:i,s:i}", "t", q->t, "decided",
                         PyBool_FromLong(q->decided), "mu", q->found ? q->mu : -1, "d", q->d, "a",
                         q->a, "u", q->u, "v", q->v, "d_index", q->d_index);
}

static PyObject *along_of(const sodae_along_report *r) {
    PyObject *points = PyList_New(0), *changes = PyList_New(0);
    for (int i = 0; points && changes && i < r->count + r->nchanges; i++) {
        const sodae_strangeness_change *c = &r->change[i < r->count ? 0 : i - r->count];
        PyObject *item =
            i < r->count ? point_of(&r->point[i]) : Py_BuildValue("(dd)", c->t0, c->t1);
        if (!item || PyList_Append(i < r->count ? points : changes, item)) Py_CLEAR(points);
        Py_XDECREF(item);
    }
    if (points && changes) return Py_BuildValue("{s:N,s:N}", "points", points, "changes", changes);
    Py_XDECREF(points);
    Py_XDECREF(changes);
    return NULL;
}

/* along(t_end): characteristic quantities from the derivative array; a text says why there are
 * none. */
static PyObject *along(PyObject *self, PyObject *end) {
    const sodae_model *m = made(self);
    double t_end = PyFloat_AsDouble(end);
    if (!m || PyErr_Occurred()) return NULL;
    sodae_failure why = {0};
    sodae_curve_system system;
    sodae_along_report *report = calloc(1, sizeof *report);
    if (!report) return PyErr_NoMemory();
    PyThreadState *released = PyEval_SaveThread();
    sodae_status st = sodae_model_curves(m, &system, &why);
    if (st >= 0) st = sodae_curve_along(&system, t_end, report, NULL, &why);
    PyEval_RestoreThread(released);
    PyObject *out = st >= 0 ? along_of(report) : PyUnicode_FromString(why.message);
    free(report);
    return out;
}

static PyObject *get_not_integrated(PyObject *self, void *unused) {
    (void)unused;
    const sodae_model *m = made(self);
    const sodae_failure *why = m ? sodae_model_not_integrated(m) : NULL;
    return !m ? NULL : PyUnicode_FromString(why ? why->message : "");
}

static PyMethodDef methods[] = {
    {"along", along, METH_O, "Characteristic quantities along the solution up to t_end."}, {0}};

static PyObject *get_printed(PyObject *self, void *unused) {
    (void)unused;
    const sodae_model *m = made(self);
    return m ? PyBool_FromLong(sodae_model_is_printed(m)) : NULL;
}

static PyGetSetDef fields[] = {
    {"parameters", get_parameters, NULL, "Parameters by name; NaN where one is no number.", NULL},
    {"run", get_run, NULL, "The file's run settings.", NULL},
    {"is_printed", get_printed, NULL, "Equations as printed: linear or first_order.", NULL},
    {"not_integrated", get_not_integrated, NULL, "Why they are only analysed, or ''.", NULL},
    {0}};

PyTypeObject core_model_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "sodae._sodae.Model",
                                .tp_basicsize = sizeof(model),
                                .tp_flags = Py_TPFLAGS_DEFAULT,
                                .tp_doc = "A model of text.",
                                .tp_new = PyType_GenericNew,
                                .tp_init = model_init,
                                .tp_dealloc = model_dealloc,
                                .tp_methods = methods,
                                .tp_getset = fields};
