/* sodae plot: channels over time, or over another channel, drawn by gnuplot or as a page. Channels
 * of one unit share a pane. */
#include "cli/commands.h"
#include "cli/guess.h"
#include "cli/output.h"
#include "cli/picture.h"
#include "results/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANE_HEIGHT = 260, WIDTH = 900, BUCKETS = 2000, MOST_PANES = 8, MOST_TICKS = 500 };

/* Within double quotes. */
static void put_quoted(FILE *to, const char *text) {
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void put_label(FILE *to, const char *axis, const char *name, const char *unit) {
    char text[300];
    snprintf(text, sizeof text, "%s%s%s%s", name, *unit ? " [" : "", unit, *unit ? "]" : "");
    fprintf(to, "set %slabel ", axis);
    put_quoted(to, text);
    fputs(" noenhanced\n", to);
}

static void put_point(FILE *to, const picture *p, int of, long row) {
    double y = p->table.column[of][row];
    if (p->log) y = fabs(y);
    if (isfinite(y))
        fprintf(to, "%.10g %.10g\n", p->table.column[p->x][row], y);
    else
        fputc('\n', to); /* a gap */
}

/* Over time at most four points of a bucket are drawn: its ends, its least and its largest. */
static void put_bucket(FILE *to, const picture *p, int of, long first, long last) {
    const double *y = p->table.column[of];
    long low = first, high = first, at[4];
    for (long i = first; i <= last; i++) {
        if (y[i] < y[low]) low = i;
        if (y[i] > y[high]) high = i;
    }
    at[0] = first, at[3] = last;
    at[1] = low < high ? low : high;
    at[2] = low < high ? high : low;
    for (int k = 0; k < 4; k++)
        if (k == 0 || at[k] > at[k - 1]) put_point(to, p, of, at[k]);
}

static void put_data(FILE *to, const picture *p, int of) {
    long rows = p->table.rows, each = p->x == 0 ? rows / BUCKETS + 1 : 1;
    fprintf(to, "$c%d << EOD\n", of);
    for (long i = 0; i < rows; i += each)
        if (each < 5)
            for (long k = i; k < i + each && k < rows; k++) put_point(to, p, of, k);
        else
            put_bucket(to, p, of, i, i + each < rows ? i + each - 1 : rows - 1);
    fputs("EOD\n", to);
}

/* Panes in the order of their first channels. */
static void arrange(picture *p) {
    const channel *c = p->table.item;
    for (int i = 0; i < p->table.count; i++) {
        if (!p->chosen[i]) continue;
        p->pane[i] = -1;
        for (int k = 0; k < i; k++)
            if (p->chosen[k] && !strcmp(c[k].unit, c[i].unit)) p->pane[i] = p->pane[k];
        if (p->pane[i] < 0) p->pane[i] = p->panes++;
    }
}

static void put_ticks(FILE *to, const picture *p) {
    fputs("unset arrow\n", to);
    for (long i = 0; p->x == 0 && i < p->table.nevents && i < MOST_TICKS; i++)
        fprintf(to,
                "set arrow from first %.12g, graph 0 to first %.12g, graph 0.04 nohead lw 1.5 lc "
                "rgb '#222222' front\n",
                p->table.event_t[i], p->table.event_t[i]);
}

static void put_pane(FILE *to, const picture *p, int pane) {
    const channel *c = p->table.item;
    int count = 0, only = 0;
    for (int i = 0; i < p->table.count; i++)
        if (p->chosen[i] && p->pane[i] == pane) count++, only = i;
    int last = pane + 1 == p->panes;
    put_label(to, "x", last ? c[p->x].name : "", last ? c[p->x].unit : "");
    put_label(to, "y", count == 1 ? c[only].name : "", c[only].unit);
    fputs(count > 1 ? "set key outside right top\n" : "unset key\n", to);
    put_ticks(to, p);
    fputs("plot ", to);
    for (int i = 0, k = 0; i < p->table.count; i++) {
        if (!p->chosen[i] || p->pane[i] != pane) continue;
        fprintf(to, "%s$c%d using 1:2 with lines lw 1.5 dt %d lc rgb '%s' title ", k ? ", " : "", i,
                picture_dash(k) + 1, picture_colour(k));
        put_quoted(to, c[i].name);
        fputs(" noenhanced", to);
        k++;
    }
    fputc('\n', to);
}

/* Room on the right for the longest name in a key, the same for all panes. */
static int key_width(const picture *p) {
    int width = 0;
    for (int i = 0; i < p->table.count; i++)
        for (int k = 0; k < i; k++)
            if (p->chosen[i] && p->chosen[k] && p->pane[i] == p->pane[k]) {
                int a = (int)strlen(p->table.item[i].name), b = (int)strlen(p->table.item[k].name);
                width = a > width ? a : width;
                width = b > width ? b : width;
            }
    return width ? width + 9 : 4;
}

static void put_script(FILE *to, const picture *p) {
    int height = PANE_HEIGHT * p->panes + 40;
    fprintf(to, "set terminal %s size %d,%d font 'sans,11' background rgb 'white'\nset output ",
            results_ends_with(p->out, ".svg") ? "svg" : "pngcairo", WIDTH, height);
    put_quoted(to, p->out);
    fputs("\nset datafile missing 'NaN'\nset grid xtics ytics lt 1 lw 0.5 lc rgb '#dddddd'\nset "
          "tics nomirror out\n"
          "set format y '%.6g'\nset lmargin 13\nset xtics autofreq\n",
          to);
    fprintf(to, "set rmargin %d\n", key_width(p));
    fputs(p->log ? "set logscale y\nset format y '%.0e'\n"
                 : "set offsets 0, 0, graph 0.02, graph 0.02\n", /* curves off the frame */
          to);
    for (int i = 0; i < p->table.count; i++)
        if (p->chosen[i]) put_data(to, p, i);
    fprintf(to, "set multiplot layout %d,1\n", p->panes);
    for (int i = 0; i < p->panes; i++) put_pane(to, p, i);
    fputs("unset multiplot\n", to);
}

static cli_exit draw(const picture *p, cli_error *error) {
    sodae_failure why = {0};
    if (results_check(p->out, &why)) return cli_fail_output(error, &why);
    if (results_ends_with(p->out, ".html")) return picture_page(p, error);
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot) put_script(gnuplot, p);
    int status = gnuplot ? pclose(gnuplot) : -1;
    if (status == 0) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "gnuplot",
                    "the picture '%.200s' was not drawn: is gnuplot installed?", p->out);
}

static cli_exit find_channel(const picture *p, const char *name, unsigned char *marks,
                             cli_error *error) {
    unsigned char *these = calloc((size_t)p->table.count, 1);
    if (!these) return cli_out_of_memory(error);
    cli_exit code = cli_guess_channels(p->table.item, p->table.count, name, these, error);
    for (int i = 1; i < p->table.count && !code; i++) marks[i] |= these[i];
    free(these);
    return code;
}

static cli_exit choose(picture *p, const cli_request *request, cli_error *error) {
    size_t n = (size_t)p->table.count;
    unsigned char *marks = calloc(n, 1);
    p->chosen = calloc(n, 1);
    p->pane = calloc(n, sizeof *p->pane);
    cli_exit code = !marks || !p->chosen || !p->pane ? cli_out_of_memory(error) : CLI_OK;
    if (!code && request->against) code = find_channel(p, request->against, marks, error);
    for (size_t i = 1; !code && i < n; i++)
        if (marks[i] && !p->x) p->x = (int)i;
    free(marks);
    for (int i = 1; i < request->nwords && !code; i++)
        code = find_channel(p, request->words[i], p->chosen, error);
    if (!code) arrange(p);
    if (!code && p->panes > MOST_PANES)
        code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "CHANNEL",
                        "the channels have %d units: more than %d panes are not drawn", p->panes,
                        MOST_PANES);
    return code;
}

static cli_exit check_words(const cli_request *request, cli_error *error) {
    const char *out = request->out;
    if (request->nwords < 2)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "CHANNEL",
                        "what is to be drawn? sodae plot RESULTS CHANNEL... -o FILE.svg "
                        "(sodae info RESULTS lists the channels)");
    if (!out || !(results_ends_with(out, ".svg") || results_ends_with(out, ".png") ||
                  results_ends_with(out, ".html")))
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out",
                        "-o expects the name of the picture, *.svg, *.png or *.html");
    return CLI_OK;
}

cli_exit cli_plot(const cli_request *request, cli_error *error) {
    picture p = {.out = request->out, .log = request->log};
    sodae_failure why = {0};
    cli_exit code = check_words(request, error);
    if (!code && results_read(&p.table, request->target, &why))
        code = cli_fail_from(error, why.status, &why);
    if (!code && !p.table.rows)
        code = cli_fail(error, CLI_PROBLEM, SODAE_BAD_FILE, "RESULTS", "'%.200s' has no rows",
                        request->target);
    if (!code) code = choose(&p, request, error);
    if (!code) code = draw(&p, error);
    free(p.chosen);
    free(p.pane);
    results_table_free(&p.table);
    return code;
}
