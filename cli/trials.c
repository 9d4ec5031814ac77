/* Tables and the picture of sodae compare. */
#include "cli/compare.h"
#include "cli/json.h"
#include "cli/output.h"
#include "results/writer.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLOURS = 8 }; /* of gnuplot, before they repeat */

static void put_text(FILE *to, const cli_trials *all, const char *problem) {
    fprintf(to,
            "%s; errors at the end against %s\n\n%-18s %-17s %8s %8s %9s %9s  %9s %9s %9s %6s\n",
            problem, all->reference, "method", "formulation", "rtol", "steps", "forces", "seconds",
            "q", "v", "lambda", "order");
    for (int i = 0; i < all->count; i++) {
        const cli_trial *t = &all->item[i];
        fprintf(to, "%-18s %-17s %8.0e", t->method, t->formulation, t->rtol);
        if (t->message[0]) {
            fprintf(to, "  %s\n", t->message);
            continue;
        }
        fprintf(to, " %8ld %9ld %9.3g  %9.2e %9.2e", t->steps, t->forces, t->seconds, t->q, t->v);
        fprintf(to, isnan(t->lambda) ? "         -" : " %9.2e", t->lambda);
        fprintf(to, isfinite(t->order) ? " %6.2f\n" : "\n", t->order);
    }
}

static void put_csv(FILE *to, const cli_trials *all) {
    fputs("method,formulation,rtol,steps,forces,seconds [s],error q,error v,error lambda,order,"
          "message\n",
          to);
    for (int i = 0; i < all->count; i++) {
        const cli_trial *t = &all->item[i];
        fprintf(to, "%s,%s,%g,%ld,%ld,%.6g,%.9g,%.9g,%.9g,%.4g,\"", t->method, t->formulation,
                t->rtol, t->steps, t->forces, t->seconds, t->q, t->v, t->lambda, t->order);
        for (const char *c = t->message; *c; c++) fputc(*c == '"' ? '\'' : *c, to);
        fputs("\"\n", to);
    }
}

static void put_tex(FILE *to, const cli_trials *all) {
    fputs("\\begin{tabular}{llrrrrrr}\nmethod & formulation & rtol & steps & seconds & "
          "error of $q$ & error of $v$ & order \\\\ \\hline\n",
          to);
    for (int i = 0; i < all->count; i++) {
        const cli_trial *t = &all->item[i];
        if (t->message[0]) continue;
        fprintf(to, "%s & %s & %.0e & %ld & %.3g & %.2e & %.2e & ", t->method, t->formulation,
                t->rtol, t->steps, t->seconds, t->q, t->v);
        if (isfinite(t->order)) fprintf(to, "%.2f", t->order);
        fputs(" \\\\\n", to);
    }
    fputs("\\end{tabular}\n", to);
}

static int starts_pair(const cli_trials *all, int i) {
    const cli_trial *t = &all->item[i];
    return i == 0 || strcmp(t[-1].method, t->method) || strcmp(t[-1].formulation, t->formulation);
}

/* A curve for each pair that ran. */
static void put_script(FILE *to, const cli_trials *all, const char *out) {
    int curves = 0;
    fprintf(to,
            "set terminal %s size 900,560 font 'sans,11' background rgb 'white'\nset output '%s'\n"
            "set logscale xy\nset format '10^{%%T}'\nset grid lt 1 lw 0.5 lc rgb '#dddddd'\n"
            "set xlabel 'steps'\nset ylabel 'error of q at the end'\nset key outside right\n",
            results_ends_with(out, ".svg") ? "svg" : "pngcairo", out);
    for (int i = 0; i < all->count; i++) {
        const cli_trial *t = &all->item[i];
        if (t->message[0] || !(t->q > 0)) continue;
        if (!curves || starts_pair(all, i))
            fprintf(to, "%s$c%d << EOD\n", curves ? "EOD\n" : "", curves), curves++;
        fprintf(to, "%ld %.6g\n", t->steps, t->q);
    }
    fputs(curves ? "EOD\nplot " : "\n", to);
    for (int i = 0, k = 0; i < all->count && k < curves; i++) {
        const cli_trial *t = &all->item[i];
        if (t->message[0] || !(t->q > 0) || (k && !starts_pair(all, i))) continue;
        fprintf(to, "%s$c%d with linespoints lw 1.5 dt %d pt %d ps 0.6 title '%s, %s' noenhanced",
                k ? ", " : "", k, k / COLOURS + 1, 7 - 2 * (k / COLOURS % 4), t->method,
                t->formulation);
        k++;
    }
    fputc('\n', to);
}

static cli_exit draw(const cli_trials *all, const char *out, cli_error *error) {
    sodae_failure why = {0};
    if (results_check(out, &why)) return cli_fail_output(error, &why);
    FILE *gnuplot = popen("gnuplot", "w");
    if (gnuplot) put_script(gnuplot, all, out);
    if (gnuplot && pclose(gnuplot) == 0) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "gnuplot",
                    "the picture '%.200s' was not drawn: is gnuplot installed?", out);
}

cli_exit cli_trials_write(const cli_trials *all, const char *problem, const char *out,
                          cli_error *error) {
    if (!out) {
        put_text(stdout, all, problem);
        return cli_flush(error);
    }
    if (results_ends_with(out, ".svg") || results_ends_with(out, ".png"))
        return draw(all, out, error);
    FILE *file = fopen(out, "w");
    if (!file)
        return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s", out,
                        strerror(errno));
    if (results_ends_with(out, ".tex"))
        put_tex(file, all);
    else if (results_ends_with(out, ".csv"))
        put_csv(file, all);
    else
        put_text(file, all, problem);
    if (fclose(file) == 0) return CLI_OK;
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s'", out);
}
