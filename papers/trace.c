#include "papers/trace.h"

#include "cli/job.h"
#include "cli/steps.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 64 };

typedef struct watcher {
    trace *t;
    const sodae_problem *problem;
    double from; /* rows and errors begin here; the start is always kept */
    cli_measure measure;
} watcher;

static void lay_out(trace *t, const sodae_problem *p) {
    int nq = sodae_problem_nq(p), known = p->exact != NULL;
    const int sizes[TRACE_BLOCKS] = {2,          1,          CLI_PARTS,     nq,
                                     p->nv,      p->nv,      p->nlambda,    p->npsi,
                                     p->nlambda, known * nq, known * p->nv, known * p->nlambda};
    for (int i = 0; i < TRACE_BLOCKS; i++) t->first[i + 1] = t->first[i] + sizes[i];
    t->width = t->first[TRACE_BLOCKS];
}

static double *new_row(trace *t) {
    if (t->rows == t->room) {
        int room = 2 * t->room + 256;
        double *data = realloc(t->data, (size_t)room * (size_t)t->width * sizeof *data);
        if (!data) return NULL;
        t->data = data;
        t->room = room;
    }
    double *row = t->data + (size_t)t->rows++ * (size_t)t->width;
    for (int i = 0; i < t->width; i++) row[i] = NAN;
    return row;
}

static void copy(const trace *t, double *row, trace_block block, const double *from) {
    int n = t->first[block + 1] - t->first[block];
    if (from) memcpy(row + t->first[block], from, (size_t)n * sizeof *from);
}

static int remember(const sodae_view *view, void *user) {
    watcher *w = user;
    trace *t = w->t;
    const sodae_problem *p = w->problem;
    if (view->step > 0 && view->t < w->from) return 0;
    if (!t->width) lay_out(t, p);
    double *row = new_row(t);
    if (!row) return 1; /* stops the run */
    cli_measure_step(&w->measure, view);
    row[0] = view->t;
    row[1] = view->h;
    sodae_point at = {.t = view->t, .q = view->q, .v = view->v};
    if (p->value[SODAE_ENERGY].fn)
        p->value[SODAE_ENERGY].fn(&at, row + t->first[TRACE_ENERGY], p->user);
    copy(t, row, TRACE_ERROR, w->measure.now);
    copy(t, row, TRACE_Q, view->q);
    copy(t, row, TRACE_V, view->v);
    copy(t, row, TRACE_VDOT, view->vdot);
    copy(t, row, TRACE_LAMBDA, view->lambda);
    copy(t, row, TRACE_PSI, view->psi);
    copy(t, row, TRACE_ETA, view->eta);
    sodae_solution out = {.size = sizeof(sodae_solution),
                          .q = row + t->first[TRACE_EXACT_Q],
                          .v = row + t->first[TRACE_EXACT_V]};
    if (p->nlambda) out.lambda = row + t->first[TRACE_EXACT_LAMBDA];
    if (p->exact) p->exact(view->t, &out, p->user);
    return 0;
}

static int split(char *text, char **words) {
    int n = 0;
    for (char *word = strtok(text, " "); word && n < WORDS; word = strtok(NULL, " "))
        words[n++] = word;
    return n;
}

static void keep_result(trace *t, const watcher *w, const sodae *integrator) {
    memcpy(t->worst, w->measure.worst, sizeof t->worst);
    memcpy(t->worst_at, w->measure.worst_at, sizeof t->worst_at);
    memcpy(t->end, w->measure.now, sizeof t->end);
    t->counters = *sodae_counters(integrator);
}

static cli_exit advance(sodae *integrator, const cli_job *job, watcher *w, cli_error *error) {
    sodae_status status = sodae_start(integrator);
    cli_steps steps = {0};
    if (status < 0) return cli_fail_from(error, status, sodae_last_failure(integrator));
    if (remember(sodae_state(integrator), w)) return cli_out_of_memory(error);
    if (job->pattern) {
        cli_exit code = cli_steps_make(&steps, job->pattern, job->options.step,
                                       job->target.problem.initial.t, job->t_end, error);
        if (code) return code;
        status = sodae_advance_pattern(integrator, steps.h, steps.count, steps.cycles, remember, w);
        cli_steps_free(&steps);
    } else
        status = sodae_advance(integrator, job->t_end, remember, w);
    if (status == SODAE_STOPPED) return cli_out_of_memory(error);
    return status < 0 ? cli_fail_from(error, status, sodae_last_failure(integrator)) : CLI_OK;
}

static cli_exit integrate(trace *t, const cli_job *job, cli_error *error) {
    sodae *integrator = NULL;
    sodae_failure why = {0};
    watcher w = {.t = t, .problem = &job->target.problem};
    w.from = t->only_end ? job->t_end : -INFINITY;
    sodae_status status = sodae_create(&integrator, w.problem, &job->options, &why);
    if (status < 0) return cli_fail_from(error, status, &why);
    cli_exit code = cli_measure_open(&w.measure, w.problem, error);
    if (!code) code = advance(integrator, job, &w, error);
    if (!code) keep_result(t, &w, integrator);
    cli_measure_close(&w.measure);
    sodae_free(integrator);
    return code;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void execute(trace *t, const char *words_of_command) {
    char text[sizeof t->command], *words[WORDS];
    snprintf(t->command, sizeof t->command, "sodae run %s", words_of_command);
    snprintf(text, sizeof text, "%s", words_of_command);
    for (int i = 0; i < CLI_PARTS; i++) t->worst[i] = t->end[i] = NAN;

    cli_request request;
    cli_error error = {0};
    cli_job job = {0};
    double start = now();
    cli_exit code = cli_request_parse(&request, CLI_RUN, split(text, words), words, &error);
    if (!code) code = cli_job_open(&job, &request, &error);
    if (!code) code = integrate(t, &job, &error);
    cli_job_close(&job);
    t->seconds = now() - start;
    if (!code) return;
    t->failed = 1;
    snprintf(t->why, sizeof t->why, "%s", error.failure.message);
}

void trace_run(trace *t, page *p, const char *format, ...) {
    char words[360];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    *t = (trace){0};
    execute(t, words);
    if (t->failed) page_claim(p, 0, "%s runs: %s", t->command, t->why);
}

void trace_try(trace *t, const char *format, ...) {
    char words[360];
    va_list list;
    va_start(list, format);
    vsnprintf(words, sizeof words, format, list);
    va_end(list);
    *t = (trace){.only_end = 1};
    execute(t, words);
}

void trace_free(trace *t) {
    free(t->data);
    *t = (trace){0};
}

const double *trace_column(const trace *t, trace_block block, int i) {
    return t->data + t->first[block] + i;
}

double trace_value(const trace *t, int row, trace_block block, int i) {
    int column = t->first[block] + i;
    if (row < 0 || row >= t->rows || column >= t->first[block + 1]) return NAN;
    return t->data[(size_t)row * (size_t)t->width + (size_t)column];
}

double trace_last(const trace *t, trace_block block, int i) {
    return trace_value(t, t->rows - 1, block, i);
}

double trace_norm(const trace *t, int row, trace_block block) {
    int n = t->first[block + 1] - t->first[block];
    if (row < 0 || row >= t->rows) return NAN;
    return cli_norm(t->data + (size_t)row * (size_t)t->width + t->first[block], n);
}

double trace_worst_from(const trace *t, cli_part part, double from) {
    double worst = NAN;
    for (int i = 1; i < t->rows; i++)
        if (trace_value(t, i, TRACE_TIME, 0) >= from - 1e-12)
            worst = fmax(worst, trace_value(t, i, TRACE_ERROR, (int)part));
    return worst;
}

int trace_row_at(const trace *t, double time) {
    int best = 0;
    for (int i = 1; i < t->rows; i++)
        if (fabs(trace_value(t, i, TRACE_TIME, 0) - time) <
            fabs(trace_value(t, best, TRACE_TIME, 0) - time))
            best = i;
    return best;
}

void trace_show_command(page *p, const char *command) {
    page_add(p, "<details><summary>command</summary><pre>");
    page_escaped(p, command);
    page_add(p, "</pre></details>\n");
}
