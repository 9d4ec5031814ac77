#include "papers/converge.h"

#include <math.h>
#include <stdio.h>

static double error_of(const trace *t, const converge_figure *figure, const converge_curve *c) {
    if (c->component) {
        trace_block got = c->part == CLI_V        ? TRACE_V
                          : c->part == CLI_LAMBDA ? TRACE_LAMBDA
                                                  : TRACE_Q;
        trace_block exact = c->part == CLI_V        ? TRACE_EXACT_V
                            : c->part == CLI_LAMBDA ? TRACE_EXACT_LAMBDA
                                                    : TRACE_EXACT_Q;
        return fabs(trace_last(t, got, c->component - 1) - trace_last(t, exact, c->component - 1));
    }
    return figure->at_end ? t->end[c->part] : trace_worst_from(t, c->part, figure->from);
}

void converge_run(page *p, const converge_figure *figure, converge_result *result) {
    *result = (converge_result){0};
    double h = figure->h;
    for (int i = 0; i < figure->rows && i < CONVERGE_ROWS; i++, h /= 2) {
        trace t;
        trace_run(&t, p, "%s --step %.17g", figure->command, h);
        if (!t.failed) {
            result->h[i] = h;
            for (int c = 0; c < figure->ncurves; c++)
                result->error[c][i] = error_of(&t, figure, &figure->curves[c]);
            result->work[i] = (double)t.counters.evaluations[SODAE_FORCE];
            result->rows = i + 1;
        }
        int failed = t.failed;
        trace_free(&t);
        if (failed) return;
    }
}

double converge_order(const converge_result *result, int curve, int row) {
    if (row < 1 || row >= result->rows) return NAN;
    return log2(result->error[curve][row - 1] / result->error[curve][row]);
}

void converge_table(page *p, const converge_figure *figure, const converge_result *result) {
    char heads[400] = "h";
    for (int c = 0, n = 1; c < figure->ncurves; c++)
        n += snprintf(heads + n, sizeof heads - (size_t)n, "|%s|order", figure->curves[c].name);
    table_begin(p, figure->at_end ? "Errors at the end" : "Largest errors", heads);
    for (int i = 0; i < result->rows; i++) {
        table_row(p);
        table_text(p, "%.6g", result->h[i]);
        for (int c = 0; c < figure->ncurves; c++) {
            table_real(p, result->error[c][i]);
            table_order(p, converge_order(result, c, i));
        }
    }
    table_end(p);
}

void converge_plot(page *p, const converge_figure *figure, const converge_result *result) {
    double x[CONVERGE_ROWS], scale = figure->abscissa > 0 ? figure->abscissa : 1;
    for (int i = 0; i < result->rows; i++) x[i] = scale * result->h[i];
    plot picture = {.title = figure->title,
                    .x_label = scale == 0.5 ? "h/2" : "h",
                    .y_label = "error",
                    .log_x = 1,
                    .log_y = 1,
                    .slope = figure->slope};
    for (int c = 0; c < figure->ncurves; c++)
        plot_curve_add(&picture, &(plot_curve){.name = figure->curves[c].label,
                                               .marker = figure->curves[c].marker,
                                               .x = x,
                                               .y = result->error[c],
                                               .n = result->rows});
    plot_draw(p, &picture);
}

void converge_claims(page *p, const converge_figure *figure, const converge_result *result) {
    for (int c = 0; c < figure->ncurves; c++) {
        char what[80];
        if (figure->curves[c].lo == 0 && figure->curves[c].hi == 0) continue;
        snprintf(what, sizeof what, "order of %s", figure->curves[c].name);
        page_claim_in(p, converge_order(result, c, figure->rows - 1), figure->curves[c].lo,
                      figure->curves[c].hi, what);
    }
}

void converge_show(page *p, const converge_figure *figure, const char *caption) {
    converge_result result;
    converge_run(p, figure, &result);
    int narrow = figure->ncurves <= 3; /* the table fits to the right of the picture */
    if (narrow) page_add(p, "<div class=side>");
    plots_begin(p);
    converge_plot(p, figure, &result);
    plots_end(p, caption);
    converge_table(p, figure, &result);
    if (narrow) page_add(p, "</div>\n");
    converge_claims(p, figure, &result);
    char command[400];
    snprintf(command, sizeof command, "sodae converge %s --step %g --halvings %d%s",
             figure->command, figure->h, figure->rows - 1, figure->at_end ? "" : " --norm max");
    trace_show_command(p, command);
}
