/* Files of results: written and read by the code of the command. */
#include "core.h"

#include "results/table.h"
#include "results/writer.h"

#include <stdlib.h>
#include <string.h>

/* Channels from [(name, unit, block)]; texts belong to `list`. 0, or -1 with an exception. */
static int channels_of(PyObject *list, channel_list *out) {
    Py_ssize_t n = PyList_Size(list);
    if (n < 0 || !(out->item = calloc((size_t)n + 1, sizeof *out->item))) return -1;
    out->count = (int)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        channel *c = &out->item[i];
        int block;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "ssi", &c->name, &c->unit, &block))
            return -1;
        c->block = (channel_block)block;
        c->index = (int)i;
        for (int b = block; b < CHANNEL_BLOCKS; b++) out->first[b + 1] = (int)i + 1;
    }
    return 0;
}

static PyObject *raise_output(const char *path, const sodae_failure *why) {
    return PyErr_Format(PyExc_OSError, "%s: %s", path, why->message);
}

static PyObject *write_rows(results_writer *w, PyArrayObject *rows, PyArrayObject *events,
                            const char *path, int finished, const char *verdict) {
    sodae_status st = SODAE_OK;
    const double *x = PyArray_DATA(rows), *e = PyArray_DATA(events);
    for (npy_intp i = 0; !st && i < PyArray_DIM(rows, 0); i++)
        st = results_write(w, x + i * PyArray_DIM(rows, 1));
    for (npy_intp i = 0; !st && i < PyArray_DIM(events, 0); i++)
        st = results_event(w, e[2 * i], (int)e[2 * i + 1]);
    sodae_status closed = results_close(w, finished, verdict);
    if (st < 0 || closed < 0) return raise_output(path, results_failure(w));
    Py_RETURN_NONE;
}

PyObject *core_save(PyObject *self, PyObject *args, PyObject *keywords) {
    (void)self;
    static char *words[] = {"path",   "integrator_problem", "channels", "rows",
                            "events", "finished",           "verdict",  "notes",
                            NULL};
    const char *path, *verdict;
    PyObject *from, *list, *rows, *events, *notes, *out = NULL;
    int finished;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOO!O!O!isO!", words, &path, &from,
                                     &PyList_Type, &list, &PyArray_Type, &rows, &PyArray_Type,
                                     &events, &finished, &verdict, &PyList_Type, &notes))
        return NULL;
    if (!core_is_source(from)) return PyErr_SetString(PyExc_TypeError, "no problem"), NULL;
    channel_list channels = {.problem = &((source *)from)->problem,
                             .model = ((source *)from)->model};
    results_note note[8];
    int nnotes = 0, bad = channels_of(list, &channels);
    for (; !bad && nnotes < PyList_Size(notes) && nnotes < 8; nnotes++)
        bad = !PyArg_ParseTuple(PyList_GetItem(notes, nnotes), "ss", &note[nnotes].name,
                                &note[nnotes].text);
    unsigned char *chosen = bad ? NULL : malloc((size_t)channels.count + 1);
    sodae_failure why = {0};
    results_writer *w = NULL;
    if (chosen) {
        memset(chosen, 1, (size_t)channels.count);
        const results_setup setup = {
            .path = path, .channels = &channels, .chosen = chosen, .notes = note, .nnotes = nnotes};
        if (results_open(&w, &setup, &why) < 0)
            raise_output(path, &why);
        else
            out = write_rows(w, (PyArrayObject *)rows, (PyArrayObject *)events, path, finished,
                             verdict);
        results_free(w);
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    free(chosen);
    free(channels.item);
    return out;
}

static PyObject *columns(const results_table *t) {
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < t->count; i++) {
        PyObject *x = core_vector(t->column[i], t->rows);
        PyObject *item = x ? Py_BuildValue("(ssN)", t->item[i].name, t->item[i].unit, x) : NULL;
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *events_of(const results_table *t) {
    PyObject *list = PyList_New(0);
    for (long i = 0; list && i < t->nevents; i++) {
        PyObject *item = Py_BuildValue("(ds)", t->event_t[i], results_event_name(t, i));
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *core_open(PyObject *self, PyObject *args) {
    (void)self;
    const char *path;
    results_table t;
    sodae_failure why = {0};
    if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
    if (results_read(&t, path, &why) < 0) return PyErr_Format(PyExc_OSError, "%s", why.message);
    PyObject *list = columns(&t), *events = events_of(&t);
    PyObject *out = NULL;
    if (list && events)
        out = Py_BuildValue("{s:N,s:N,s:z,s:z,s:z,s:i}", "columns", list, "events", events,
                            "verdict", t.verdict, "version", t.version, "problem", t.problem,
                            "finished", t.finished);
    else {
        Py_XDECREF(list);
        Py_XDECREF(events);
    }
    results_table_free(&t);
    return out;
}
