#include "cli/csv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cli_exit bad(cli_error *error, const char *path, const char *why) {
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, "out", "cannot write '%.200s': %s", path,
                    why);
}

static char *temporary_name(const char *path) {
    size_t size = strlen(path) + 32;
    char *name = malloc(size);
    if (name) snprintf(name, size, "%s.%ld.part", path, (long)getpid());
    return name;
}

cli_exit cli_csv_open(cli_csv *csv, const char *path, long every, cli_error *error) {
    *csv = (cli_csv){.path = path, .every = every > 0 ? every : 1, .last_step = -1};
    if (!path) return CLI_OK;
    struct stat info;
    int exists = stat(path, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) return bad(error, path, strerror(EISDIR));
    if (exists && access(path, W_OK)) return bad(error, path, strerror(errno));
    if (exists && !S_ISREG(info.st_mode)) {
        csv->file = fopen(path, "w");
        return csv->file ? CLI_OK : bad(error, path, strerror(errno));
    }
    csv->temporary = temporary_name(path);
    if (!csv->temporary) return cli_out_of_memory(error);
    int descriptor = open(csv->temporary, O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0) csv->file = fdopen(descriptor, "w");
    if (csv->file) return CLI_OK;
    bad(error, path, strerror(errno));
    free(csv->temporary);
    csv->temporary = NULL;
    return error->code;
}

static void names(FILE *file, const char *name, int count) {
    for (int i = 1; i <= count; i++) fprintf(file, ",%s%d", name, i);
}

static void numbers(FILE *file, const double *x, int count) {
    for (int i = 0; i < count; i++) fprintf(file, ",%.17g", x[i]);
}

void cli_csv_header(cli_csv *csv, const sodae_view *view) {
    if (!csv->file) return;
    fputs("t", csv->file);
    names(csv->file, "q", view->nq);
    names(csv->file, "v", view->nv);
    names(csv->file, "a", view->nv);
    names(csv->file, "lambda", view->nlambda);
    names(csv->file, "psi", view->npsi);
    names(csv->file, "r", view->nr);
    names(csv->file, "w", view->nw);
    names(csv->file, "s", view->ns);
    fputc('\n', csv->file);
}

void cli_csv_row(cli_csv *csv, const sodae_view *view) {
    if (!csv->file) return;
    fprintf(csv->file, "%.17g", view->t);
    numbers(csv->file, view->q, view->nq);
    numbers(csv->file, view->v, view->nv);
    numbers(csv->file, view->a, view->nv);
    numbers(csv->file, view->lambda, view->nlambda);
    numbers(csv->file, view->psi, view->npsi);
    numbers(csv->file, view->r, view->nr);
    numbers(csv->file, view->w, view->nw);
    numbers(csv->file, view->s, view->ns);
    fputc('\n', csv->file);
    csv->last_step = view->step;
}

void cli_csv_step(cli_csv *csv, const sodae_view *view) {
    if (view->step % csv->every == 0) cli_csv_row(csv, view);
}

void cli_csv_last(cli_csv *csv, const sodae_view *last) {
    if (csv->last_step != last->step) cli_csv_row(csv, last);
}

static cli_exit finish_as(cli_csv *csv, const char *path, cli_error *error) {
    if (!csv->file) return CLI_OK;
    int failed = ferror(csv->file);
    errno = 0;
    failed |= fclose(csv->file) != 0;
    csv->file = NULL;
    if (!failed && csv->temporary) failed = rename(csv->temporary, path) != 0;
    if (failed) bad(error, path, errno ? strerror(errno) : "writing failed");
    if (failed && csv->temporary) remove(csv->temporary);
    free(csv->temporary);
    csv->temporary = NULL;
    return failed ? error->code : CLI_OK;
}

cli_exit cli_csv_finish(cli_csv *csv, cli_error *error) {
    return finish_as(csv, csv->path, error);
}

cli_exit cli_csv_keep(cli_csv *csv, char *name, size_t size) {
    cli_error ignored = {0};
    size_t length = strlen(csv->path) + sizeof ".partial";
    char *path = malloc(length);
    name[0] = 0;
    if (!path) return CLI_INTERNAL;
    int taken = csv->temporary && access(csv->path, F_OK) == 0;
    snprintf(path, length, "%s%s", csv->path, taken ? ".partial" : "");
    cli_exit code = finish_as(csv, path, &ignored);
    if (!code) snprintf(name, size, "%s", path);
    free(path);
    return code;
}

void cli_csv_discard(cli_csv *csv) {
    if (csv->file) fclose(csv->file);
    if (csv->temporary) remove(csv->temporary);
    free(csv->temporary);
    *csv = (cli_csv){0};
}
