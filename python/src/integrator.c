/* One integrator: an owner of a problem, options, events of Python, and the rows of its runs. */
#include "collect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct integrator {
    PyObject_HEAD source *from;
    sodae_problem problem; /* that of `from` with more events */
    sodae_event *events;
    py_event *store;
    Py_ssize_t nstore;
    sodae_options options;
    double *tolerances;
    sodae *s;
    channel_list channels;
    double *initial; /* what it started from, with `at`; NULL: the problem's own */
    sodae_point at;
    PyObject *error;
    int started, busy;
} integrator;

/* The problem's events and those of Python behind them. */
static int events_make(integrator *g, PyObject *list) {
    int own = g->problem.nevents;
    g->nstore = PyList_GET_SIZE(list);
    if (!g->nstore) return 0;
    g->events = calloc((size_t)(own + g->nstore), sizeof *g->events);
    g->store = calloc((size_t)g->nstore, sizeof *g->store);
    if (!g->events || !g->store) return PyErr_NoMemory(), -1;
    if (own) memcpy(g->events, g->problem.events, (size_t)own * sizeof *g->events);
    if (core_events_make(list, &g->problem, g->events + own, g->store)) return -1;
    g->problem.events = g->events;
    g->problem.nevents = own + (int)g->nstore;
    return 0;
}

static int take_channels(integrator *g) {
    channel_list_free(&g->channels);
    if (!channel_list_make(&g->channels, &g->problem, g->from->model)) return 0;
    return PyErr_NoMemory(), -1;
}

static int integrator_init(PyObject *self, PyObject *args, PyObject *keywords) {
    static char *words[] = {"source", "options", "tolerances", "events", NULL};
    integrator *g = (integrator *)self;
    PyObject *from, *options, *tolerances, *events;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO!O!O!", words, &from, &PyDict_Type,
                                     &options, &PyTuple_Type, &tolerances, &PyList_Type, &events))
        return -1;
    if (g->s) return PyErr_SetString(PyExc_RuntimeError, "the integrator is made already"), -1;
    if (!core_is_source(from)) return PyErr_SetString(PyExc_TypeError, "source is no problem"), -1;
    g->from = (source *)Py_NewRef(from);
    g->problem = g->from->problem;
    if (!(g->tolerances = core_options(g->from, options, tolerances, &g->options)) ||
        events_make(g, events) || take_channels(g))
        return -1;
    sodae_failure why = {0};
    PyObject **before = core_catch(&g->error);
    sodae_status st = sodae_create(&g->s, &g->problem, &g->options, &why);
    core_catch(before);
    if (g->error) {
        PyErr_SetObject((PyObject *)Py_TYPE(g->error), g->error);
        Py_CLEAR(g->error);
        return -1;
    }
    return st < 0 ? (core_fail(&why), -1) : 0;
}

static int integrator_traverse(PyObject *self, visitproc visit, void *arg) {
    integrator *g = (integrator *)self;
    Py_VISIT(g->from);
    for (Py_ssize_t i = 0; g->store && i < g->nstore; i++) {
        Py_VISIT(g->store[i].when);
        Py_VISIT(g->store[i].act);
    }
    return 0;
}

static void integrator_dealloc(PyObject *self) {
    integrator *g = (integrator *)self;
    PyObject_GC_UnTrack(self);
    sodae_free(g->s);
    channel_list_free(&g->channels);
    core_events_free(g->store, g->nstore);
    free(g->store);
    free(g->events);
    free(g->tolerances);
    free(g->initial);
    Py_XDECREF(g->error);
    Py_XDECREF(g->from);
    Py_TYPE(self)->tp_free(self);
}

/* Raises where the integrator is not there or in use by another thread. */
static integrator *ready(PyObject *self) {
    integrator *g = (integrator *)self;
    if (!g->s)
        PyErr_SetString(PyExc_RuntimeError, "the integrator was not made");
    else if (g->busy)
        PyErr_SetString(PyExc_RuntimeError, "the integrator is in use: one belongs to one thread");
    else
        return g;
    return NULL;
}

/* The same, and where there is no state yet. */
static integrator *running(PyObject *self) {
    integrator *g = ready(self);
    if (!g || g->started) return g;
    return PyErr_SetString(PyExc_RuntimeError, "the integrator has not started"), NULL;
}

static PyObject *taken_error(integrator *g) {
    PyObject *e = g->error ? g->error : Py_NewRef(Py_None);
    g->error = NULL;
    return e;
}

/* Another problem of the same shape. 1 done, 0 the shape differs. */
static PyObject *reset(PyObject *self, PyObject *from) {
    integrator *g = ready(self);
    if (!g) return NULL;
    if (!core_is_source(from))
        return PyErr_SetString(PyExc_TypeError, "source is no problem"), NULL;
    sodae_problem next = ((source *)from)->problem, old = g->problem;
    if (g->nstore) {
        int own = next.nevents;
        if (own != old.nevents - (int)g->nstore) Py_RETURN_FALSE;
        if (own) memcpy(g->events, next.events, (size_t)own * sizeof *g->events);
        next.events = g->events;
        next.nevents = old.nevents;
    }
    g->problem = next;
    g->started = 0;
    if (sodae_reset(g->s, &g->problem) < 0) {
        g->problem = old;
        Py_RETURN_FALSE;
    }
    Py_INCREF(from);
    Py_SETREF(g->from, (source *)from);
    free(g->initial);
    g->initial = NULL;
    if (take_channels(g)) return NULL;
    Py_RETURN_TRUE;
}

/* The start given as an array of t, q, v, lambda, psi, r, w, s. */
static int place_start(integrator *g, PyObject *given) {
    const sodae_problem *p = &g->problem;
    free(g->initial);
    g->initial = NULL;
    if (given == Py_None) return 0;
    PyArrayObject *a = (PyArrayObject *)PyArray_FROMANY(given, NPY_DOUBLE, 1, 1,
                                                        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (!a) return -1;
    const int n[] = {sodae_problem_nq(p), p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    npy_intp total = 1;
    for (int i = 0; i < 7; i++) total += n[i];
    if (PyArray_SIZE(a) != total)
        PyErr_SetString(PyExc_ValueError, "initial: wrong size");
    else if (!(g->initial = malloc((size_t)total * sizeof *g->initial)))
        PyErr_NoMemory();
    else
        memcpy(g->initial, PyArray_DATA(a), (size_t)total * sizeof *g->initial);
    Py_DECREF(a);
    if (!g->initial) return -1;
    const double *x = g->initial;
    g->at = (sodae_point){.t = *x++};
    const double **const to[] = {&g->at.q, &g->at.v, &g->at.lambda, &g->at.psi,
                                 &g->at.r, &g->at.w, &g->at.s};
    for (int i = 0; i < 7; x += n[i++]) *to[i] = n[i] ? x : NULL;
    return 0;
}

static PyObject *start_dict(const integrator *g, sodae_status st) {
    const sodae_start_report *r = sodae_started(g->s);
    return Py_BuildValue("{s:i,s:d,s:d,s:d,s:d,s:d,s:d,s:i,s:s}", "status", (int)st,
                         "position_before", r->position_before, "velocity_before",
                         r->velocity_before, "position_after", r->position_after, "velocity_after",
                         r->velocity_after, "q_moved", r->q_moved, "v_moved", r->v_moved,
                         "redundant", r->redundant, "redundant_names", r->redundant_names);
}

/* start(initial or None) -> (report, exception or None) */
static PyObject *start(PyObject *self, PyObject *given) {
    integrator *g = ready(self);
    if (!g || place_start(g, given)) return NULL;
    PyObject **before = core_catch(&g->error);
    g->busy = 1;
    PyThreadState *released = PyEval_SaveThread();
    sodae_status st = g->initial ? sodae_start_at(g->s, &g->at) : sodae_start(g->s);
    PyEval_RestoreThread(released);
    g->busy = 0;
    g->started = st >= 0;
    core_catch(before);
    PyObject *report = start_dict(g, st), *error = taken_error(g);
    return report ? Py_BuildValue("(NN)", report, error) : (Py_DECREF(error), NULL);
}

static PyObject *matrix(double *x, size_t rows, size_t cols) {
    npy_intp n[2] = {(npy_intp)rows, (npy_intp)cols};
    PyObject *a = PyArray_SimpleNew(2, n, NPY_DOUBLE);
    if (a && rows && cols) memcpy(PyArray_DATA((PyArrayObject *)a), x, rows * cols * sizeof *x);
    return a;
}

static PyObject *verification(integrator *g, collector *c, double t_end) {
    sodae_verification v;
    sodae_failure why = {0};
    if (!c->trail || !sodae_state(g->s)->step) Py_RETURN_NONE;
    sodae_trail_watch(c->trail, collect_watch, c);
    c->released = PyEval_SaveThread();
    sodae_status st = sodae_verify(c->trail, t_end, &v, &why);
    PyEval_RestoreThread(c->released);
    if (g->error) Py_RETURN_NONE;
    return Py_BuildValue("{s:s,s:d,s:d,s:d,s:d,s:d,s:d,s:l,s:d,s:s,s:s}", "status",
                         sodae_status_name(st), "error", v.error, "q", v.q, "v", v.v, "r", v.r,
                         "multipliers", v.multipliers, "t", v.t, "steps", v.steps, "rtol_needed",
                         v.rtol_needed, "name", v.name, "message", why.message);
}

static PyObject *results(integrator *g, collector *c, sodae_status st, double t_end) {
    PyObject *verified = st >= 0 && !g->error ? verification(g, c, t_end) : Py_NewRef(Py_None);
    PyObject *rows = matrix(c->rows, c->nrows, (size_t)c->channels->count);
    PyObject *events = matrix(c->events, c->nevents, 2);
    PyObject *samples = matrix(c->samples, c->nsamples, (size_t)(COLLECT_NODES * c->nstate));
    if (verified && rows && events && samples)
        return Py_BuildValue("{s:i,s:N,s:N,s:N,s:N,s:N}", "status", (int)st, "rows", rows, "events",
                             events, "samples", samples, "verification", verified, "error",
                             taken_error(g));
    Py_XDECREF(verified);
    Py_XDECREF(rows);
    Py_XDECREF(events);
    Py_XDECREF(samples);
    return NULL;
}

static int wants_trail(integrator *g, collector *c) {
    sodae_failure why = {0};
    const sodae_point *at = g->initial ? &g->at : NULL;
    if (sodae_trail_create(&c->trail, &g->problem, &g->options, at, &why) < 0)
        return core_fail(&why), -1;
    return 0;
}

/* Through the stops, each hit exactly, and on to the end. */
static sodae_status advance(integrator *g, collector *c, const double *stops, npy_intp count,
                            double t_end) {
    for (npy_intp i = 0; i < count; i++) {
        double t = sodae_state(g->s)->t;
        if (stops[i] <= t || stops[i] >= t_end) continue;
        sodae_status st = sodae_advance(g->s, stops[i], collect_sink, c);
        if (st < 0 || st == SODAE_EVENT || st == SODAE_STOPPED) return st;
    }
    return sodae_advance(g->s, t_end, collect_sink, c);
}

static PyArrayObject *list_of(PyObject *from) {
    return (PyArrayObject *)PyArray_FROMANY(from, NPY_DOUBLE, 1, 1,
                                            NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
}

/* run(t_end, times or None, stops, dense, verify, progress or None) -> dict */
static PyObject *run(PyObject *self, PyObject *args) {
    integrator *g = running(self);
    double t_end;
    PyObject *times, *stops, *progress, *out = NULL;
    int dense, verify;
    if (!g || !PyArg_ParseTuple(args, "dOOppO", &t_end, &times, &stops, &dense, &verify, &progress))
        return NULL;
    PyArrayObject *list = times == Py_None ? NULL : list_of(times), *stop = list_of(stops);
    collector c = {.integrator = g->s,
                   .channels = &g->channels,
                   .way = t_end < sodae_state(g->s)->t ? -1 : 1,
                   .times = list ? PyArray_DATA(list) : NULL,
                   .ntimes = list ? (long)PyArray_SIZE(list) : 0,
                   .dense = dense,
                   .progress = progress == Py_None ? NULL : progress};
    if (stop && (list || times == Py_None) && collect_open(&c))
        PyErr_NoMemory();
    else if (!PyErr_Occurred() && (!verify || !wants_trail(g, &c))) {
        PyObject **before = core_catch(&g->error);
        g->busy = 1;
        c.released = PyEval_SaveThread();
        collect_start(&c, sodae_state(g->s));
        sodae_status st =
            c.status ? c.status : advance(g, &c, PyArray_DATA(stop), PyArray_SIZE(stop), t_end);
        PyEval_RestoreThread(c.released);
        out = results(g, &c, c.status < 0 ? c.status : st, t_end);
        g->busy = 0;
        core_catch(before);
    }
    collect_close(&c);
    Py_XDECREF(list);
    Py_XDECREF(stop);
    return out;
}

static int one(const sodae_view *view, void *user) {
    (void)view, (void)user;
    return 1;
}

/* step(t_end) -> (status, event or -1, exception or None): one accepted step or event. */
static PyObject *step(PyObject *self, PyObject *args) {
    integrator *g = running(self);
    double t_end;
    if (!g || !PyArg_ParseTuple(args, "d", &t_end)) return NULL;
    PyObject **before = core_catch(&g->error);
    g->busy = 1;
    PyThreadState *released = PyEval_SaveThread();
    sodae_status st = sodae_advance(g->s, t_end, one, NULL);
    PyEval_RestoreThread(released);
    g->busy = 0;
    core_catch(before);
    if (!g->error && PyErr_CheckSignals()) return NULL;
    return Py_BuildValue("(iiN)", (int)st, sodae_state(g->s)->event, taken_error(g));
}

/* Rows of all channels for states (n, numbers up to the energy). */
static PyObject *evaluate(PyObject *self, PyObject *given) {
    integrator *g = ready(self);
    if (!g) return NULL;
    PyArrayObject *a = (PyArrayObject *)PyArray_FROMANY(given, NPY_DOUBLE, 2, 2,
                                                        NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED);
    if (!a) return NULL;
    const int *first = g->channels.first;
    npy_intp n[2] = {PyArray_DIM(a, 0), g->channels.count}, width = first[CHANNEL_ENERGY];
    PyObject *out = NULL;
    if (PyArray_DIM(a, 1) != width)
        PyErr_SetString(PyExc_ValueError, "states: wrong width");
    else
        out = PyArray_SimpleNew(2, n, NPY_DOUBLE);
    PyObject **before = core_catch(&g->error);
    for (npy_intp i = 0; out && i < n[0]; i++) {
        const double *x = (const double *)PyArray_DATA(a) + i * width;
        const sodae_view view = {.t = x[0],
                                 .event = -1,
                                 .q = x + first[CHANNEL_Q],
                                 .v = x + first[CHANNEL_V],
                                 .a = x + first[CHANNEL_A],
                                 .vdot = x + first[CHANNEL_A],
                                 .lambda = x + first[CHANNEL_LAMBDA],
                                 .psi = x + first[CHANNEL_PSI],
                                 .r = x + first[CHANNEL_R],
                                 .w = x + first[CHANNEL_W],
                                 .s = x + first[CHANNEL_S]};
        channel_row(&g->channels, &view, (double *)PyArray_DATA((PyArrayObject *)out) + i * n[1]);
    }
    core_catch(before);
    Py_CLEAR(g->error);
    Py_DECREF(a);
    return out;
}

static PyObject *row(PyObject *self, PyObject *unused) {
    (void)unused;
    integrator *g = running(self);
    npy_intp n = g ? g->channels.count : 0;
    PyObject *out = g ? PyArray_SimpleNew(1, &n, NPY_DOUBLE) : NULL;
    if (out) channel_row(&g->channels, sodae_state(g->s), PyArray_DATA((PyArrayObject *)out));
    return out;
}

static PyObject *reactions(PyObject *self, PyObject *unused) {
    (void)unused;
    integrator *g = running(self);
    npy_intp n = g ? g->problem.nv : 0;
    PyObject *out = g ? PyArray_SimpleNew(1, &n, NPY_DOUBLE) : NULL;
    if (out && sodae_reactions(g->s, PyArray_DATA((PyArrayObject *)out)) < 0) {
        Py_DECREF(out);
        return core_fail(sodae_last_failure(g->s));
    }
    return out;
}

/* index() -> (differential index or -1, clear, doubt) at the current state. */
static PyObject *find_index(PyObject *self, PyObject *unused) {
    (void)unused;
    integrator *g = running(self);
    if (!g) return NULL;
    const sodae_view *v = sodae_state(g->s);
    const sodae_point at = {.t = v->t,
                            .q = v->q,
                            .v = v->v,
                            .a = v->vdot,
                            .lambda = v->lambda,
                            .psi = v->psi,
                            .r = v->r,
                            .w = v->w,
                            .s = v->s};
    sodae_index_report report;
    PyObject **before = core_catch(&g->error);
    sodae_status st = sodae_problem_index(&g->problem, &at, 0, &report, NULL);
    core_catch(before);
    Py_CLEAR(g->error);
    if (st < 0) return Py_BuildValue("(iis)", -1, 0, sodae_status_text(st));
    return Py_BuildValue("(iis)", report.d_index, report.clear, report.doubt);
}

static PyObject *get_channels(PyObject *self, void *unused) {
    (void)unused;
    integrator *g = (integrator *)self;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < g->channels.count; i++) {
        const channel *c = &g->channels.item[i];
        PyObject *item = Py_BuildValue("(ssi)", c->name, c->unit, (int)c->block);
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* First channel of each block, and the names of blocks. */
static PyObject *get_blocks(PyObject *self, void *unused) {
    (void)unused;
    const integrator *g = (integrator *)self;
    PyObject *dict = PyDict_New();
    for (int b = 0; dict && b < CHANNEL_BLOCKS; b++) {
        PyObject *pair = Py_BuildValue("(ii)", g->channels.first[b], g->channels.first[b + 1]);
        if (!pair || core_put(dict, channel_block_name((channel_block)b), pair)) Py_CLEAR(dict);
        Py_XDECREF(pair);
    }
    return dict;
}

static PyObject *get_parts(PyObject *self, void *unused) {
    (void)unused;
    const sodae_space *space = ((integrator *)self)->problem.space;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && space && i < space->nparts; i++) {
        const sodae_part *p = &space->parts[i];
        PyObject *item = Py_BuildValue("(siiii)", p->group->name, p->q0, p->nq, p->v0, p->nv);
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *get_sizes(PyObject *self, void *unused) {
    (void)unused;
    const sodae_problem *p = &((integrator *)self)->problem;
    return Py_BuildValue("{s:i,s:i,s:i,s:i,s:i,s:i,s:i}", "nq", sodae_problem_nq(p), "nv", p->nv,
                         "nlambda", p->nlambda, "npsi", p->npsi, "nr", p->nr, "nw", p->nw, "ns",
                         p->ns);
}

static PyObject *get_events(PyObject *self, void *unused) {
    (void)unused;
    const sodae_problem *p = &((integrator *)self)->problem;
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < p->nevents; i++) {
        PyObject *item = PyUnicode_FromString(p->events[i].name ? p->events[i].name : "");
        if (!item || PyList_Append(list, item)) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *get_failure(PyObject *self, void *unused) {
    (void)unused;
    integrator *g = (integrator *)self;
    return g->s ? core_failure_dict(sodae_last_failure(g->s)) : Py_NewRef(Py_None);
}

static PyObject *get_statistics(PyObject *self, void *unused) {
    (void)unused;
    integrator *g = (integrator *)self;
    if (!g->s) Py_RETURN_NONE;
    const sodae_statistics *n = sodae_counters(g->s);
    PyObject *calls = PyDict_New();
    for (int f = 0; calls && f < SODAE_FUNCTIONS; f++) {
        PyObject *count = PyLong_FromLong(n->evaluations[f]);
        if (!count || core_put(calls, sodae_function_name((sodae_function)f), count))
            Py_CLEAR(calls);
        Py_XDECREF(count);
    }
    if (!calls) return NULL;
    return Py_BuildValue("{s:s,s:s,s:z,s:l,s:l,s:l,s:l,s:l,s:l,s:l,s:d,s:d,s:N}", "method",
                         sodae_method_name((int)n->method), "formulation",
                         sodae_formulation_name((int)n->formulation), "method_reason",
                         n->method_reason, "steps", n->steps, "refused", n->refused, "events",
                         n->events, "newton_iterations", n->newton_iterations, "jacobians",
                         n->jacobians, "factorizations", n->factorizations, "solves", n->solves,
                         "worst_position", n->worst_position, "worst_velocity", n->worst_velocity,
                         "evaluations", calls);
}

static PyObject *get_initial(PyObject *self, void *unused) {
    (void)unused;
    const sodae_problem *p = &((integrator *)self)->problem;
    const sodae_point *x = &p->initial;
    const double *const from[] = {x->q, x->v, x->lambda, x->psi, x->r, x->w, x->s};
    const int n[] = {sodae_problem_nq(p), p->nv, p->nlambda, p->npsi, p->nr, p->nw, p->ns};
    npy_intp total = 1;
    for (int i = 0; i < 7; i++) total += n[i];
    PyObject *out = PyArray_ZEROS(1, &total, NPY_DOUBLE, 0);
    double *to = out ? PyArray_DATA((PyArrayObject *)out) : NULL;
    if (to) *to++ = x->t;
    for (int i = 0; to && i < 7; to += n[i++])
        if (from[i]) memcpy(to, from[i], (size_t)n[i] * sizeof *to);
    return out;
}

static PyObject *get_options(PyObject *self, void *unused) {
    (void)unused;
    const integrator *g = (integrator *)self;
    const sodae_option_info *info;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && (info = sodae_option_table(i)); i++) {
        char text[400] = "";
        sodae_options_get(&g->options, info->name, text, sizeof text);
        PyObject *value = PyUnicode_FromString(text);
        if (!value || core_put(dict, info->name, value)) Py_CLEAR(dict);
        Py_XDECREF(value);
    }
    return dict;
}

static PyMethodDef methods[] = {
    {"reset", reset, METH_O, "Another problem of the same shape; False where it is not."},
    {"start", start, METH_O, "Consistent initial values: (report, exception)."},
    {"run", run, METH_VARARGS, "Advances to t_end and collects rows."},
    {"step", step, METH_VARARGS, "One accepted step: (status, event, exception)."},
    {"evaluate", evaluate, METH_O, "Rows of all channels for given states."},
    {"row", row, METH_NOARGS, "All channels at the current state."},
    {"index", find_index, METH_NOARGS, "Differential index at the current state."},
    {"reactions", reactions, METH_NOARGS, "Generalised reactions at the current state."},
    {0}};

static PyGetSetDef fields[] = {
    {"channels", get_channels, NULL, "(name, unit, block) of every channel.", NULL},
    {"blocks", get_blocks, NULL, "First and last channel of each block.", NULL},
    {"parts", get_parts, NULL, "(group, q0, nq, v0, nv) of the configuration space.", NULL},
    {"sizes", get_sizes, NULL, "Numbers of variables.", NULL},
    {"events", get_events, NULL, "Names of the events.", NULL},
    {"failure", get_failure, NULL, "The last failure.", NULL},
    {"statistics", get_statistics, NULL, "Counts of the run.", NULL},
    {"initial", get_initial, NULL, "t, q, v, lambda, psi, r, w, s as given.", NULL},
    {"options", get_options, NULL, "All options as texts.", NULL},
    {0}};

PyTypeObject core_integrator_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name =
                                         "sodae._sodae.Integrator",
                                     .tp_basicsize = sizeof(integrator),
                                     .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
                                     .tp_doc = "An integrator.",
                                     .tp_new = PyType_GenericNew,
                                     .tp_init = integrator_init,
                                     .tp_traverse = integrator_traverse,
                                     .tp_dealloc = integrator_dealloc,
                                     .tp_methods = methods,
                                     .tp_getset = fields};
