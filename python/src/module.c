/* The module: tables of options, methods and formulations, and small helpers. */
#define CORE_MODULE
#include "core.h"

#include <string.h>

PyObject *core_retry;

PyObject *core_fail(const sodae_failure *why) {
    if (why->status == SODAE_NO_MEMORY) return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError,
                    why->message[0] ? why->message : sodae_status_text(why->status));
    return NULL;
}

PyObject *core_vector(const double *x, npy_intp count) {
    if (!x) Py_RETURN_NONE;
    PyObject *a = PyArray_SimpleNew(1, &count, NPY_DOUBLE);
    if (a && count) memcpy(PyArray_DATA((PyArrayObject *)a), x, (size_t)count * sizeof *x);
    return a;
}

/* PyDict_SetItemString interns names, and the table of interned names is made again and again where
 * each solve makes and drops some. */
int core_put(PyObject *dict, const char *name, PyObject *x) {
    PyObject *key = PyUnicode_FromString(name);
    int bad = !key || PyDict_SetItem(dict, key, x);
    Py_XDECREF(key);
    return bad ? -1 : 0;
}

PyObject *core_failure_dict(const sodae_failure *f) {
    return Py_BuildValue("{s:s,s:i,s:d,s:d,s:l,s:i,s:d,s:s,s:s,s:s,s:s}", "status",
                         sodae_status_name(f->status), "code", (int)f->status, "t", f->t, "h", f->h,
                         "step", f->step, "iterations", f->iterations, "size", f->size, "where",
                         f->where, "message", f->message, "dependent", f->dependent, "advice",
                         f->advice);
}

int core_is_source(PyObject *o) {
    return PyObject_TypeCheck(o, &core_model_type) || PyObject_TypeCheck(o, &core_problem_type);
}

static PyObject *names(const char *(*name)(int), const char *(*help)(int)) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && name(i); i++) {
        PyObject *item = Py_BuildValue("(ss)", name(i), help(i));
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *methods(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return names(sodae_method_name, sodae_method_help);
}

static PyObject *formulations(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return names(sodae_formulation_name, sodae_formulation_help);
}

/* [(name, default, unit, help)] from the one option table. */
static PyObject *options(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    const sodae_options defaults = sodae_default_options();
    const sodae_option_info *info;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && (info = sodae_option_table(i)); i++) {
        char text[400] = "";
        sodae_options_get(&defaults, info->name, text, sizeof text);
        PyObject *item = Py_BuildValue("(ssss)", info->name, text, info->unit, info->help);
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* alpha(rho_inf): coefficients, stability and the theorems that cover them. */
static PyObject *alpha(PyObject *self, PyObject *number) {
    (void)self;
    double rho = PyFloat_AsDouble(number);
    if (PyErr_Occurred()) return NULL;
    const sodae_alpha_coefficients c = sodae_chung_hulbert(rho);
    const sodae_alpha_report r = sodae_alpha_check(&c);
    const sodae_alpha_conditions k = sodae_alpha_theorems(&c);
    return Py_BuildValue("{s:d,s:d,s:d,s:d,s:i,s:N,s:d,s:N,s:N,s:N,s:N}", "alpha_m", c.alpha_m,
                         "alpha_f", c.alpha_f, "beta", c.beta, "gamma", c.gamma, "order", r.order,
                         "unconditionally_stable", PyBool_FromLong(r.unconditionally_stable),
                         "rho_inf", r.rho_inf, "index3", PyBool_FromLong(k.index3), "stabilized",
                         PyBool_FromLong(k.stabilized), "nonholonomic",
                         PyBool_FromLong(k.nonholonomic), "soi2", PyBool_FromLong(k.soi2));
}

static PyMethodDef functions[] = {
    {"methods", methods, METH_NOARGS, "Names of the methods with a line of help each."},
    {"formulations", formulations, METH_NOARGS, "Names of the formulations with a line of help."},
    {"options", options, METH_NOARGS, "(name, default, unit, help) of every option."},
    {"save", (PyCFunction)(void (*)(void))core_save, METH_VARARGS | METH_KEYWORDS,
     "Writes rows of channels to a CSV or HDF5 file."},
    {"alpha", alpha, METH_O, "Properties of generalized-alpha for rho_inf."},
    {"open", core_open, METH_VARARGS, "Reads a CSV or HDF5 file of results."},
    {0}};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "_sodae", .m_size = -1,
                                    .m_doc = "The C side of sodae.", .m_methods = functions};

static int add_type(PyObject *m, const char *name, PyTypeObject *type) {
    if (PyType_Ready(type)) return -1;
    Py_INCREF(type);
    return PyModule_AddObject(m, name, (PyObject *)type);
}

PyMODINIT_FUNC PyInit__sodae(void) {
    import_array();
    PyObject *m = PyModule_Create(&module);
    if (!m) return NULL;
    core_retry = PyErr_NewExceptionWithDoc(
        "sodae.Retry", "Raised by a callback that wants a smaller step.", NULL, NULL);
    if (!core_retry || PyModule_AddObject(m, "Retry", Py_NewRef(core_retry)) ||
        add_type(m, "Model", &core_model_type) || add_type(m, "Problem", &core_problem_type) ||
        add_type(m, "Integrator", &core_integrator_type)) {
        Py_DECREF(m);
        return NULL;
    }
    return m;
}
