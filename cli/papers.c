/* sodae papers: every numerical experiment of the five papers, and one page that shows them. */
#include "cli/commands.h"
#include "cli/json.h"
#include "papers/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static void print_line(const experiment *e, const page *p) {
    printf("%-7s %-22s %3d claims %s\n", e->paper, e->what, p->claims, p->failed ? "FAIL" : "hold");
    fflush(stdout);
}

static void silent(const experiment *e, const page *p) {
    (void)e, (void)p;
}

static cli_exit say(const report *r, int json, cli_error *error) {
    if (json)
        return cli_json_print(json_pack("{s:i, s:i, s:i}", "experiments", r->experiments, "claims",
                                        r->claims, "failed", r->failed),
                              error);
    printf("%d of %d claims hold\n", r->claims - r->failed, r->claims);
    return CLI_OK;
}

static cli_exit cannot(cli_error *error, const char *path) {
    return cli_fail(error, CLI_OUTPUT, SODAE_BAD_FILE, path, "cannot write %s: %s", path,
                    strerror(errno));
}

/* The file appears under its name when it is complete. */
static cli_exit write_file(const page *p, const char *folder, const char *name, cli_error *error) {
    char path[1000], part[1010];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out", "--out: the name is too long");
    snprintf(part, sizeof part, "%s.part", path);
    FILE *file = fopen(part, "wb");
    if (!file) return cannot(error, part);
    size_t written = fwrite(p->text, 1, p->size, file);
    if (fclose(file) || written != p->size || rename(part, path)) {
        cannot(error, path);
        remove(part);
        return error->code;
    }
    return CLI_OK;
}

/* papers.html and the data of its pictures, data/NAME.csv */
static cli_exit write_page(const page *p, const page *body, const char *folder, int quiet,
                           cli_error *error) {
    char data[1000];
    if (snprintf(data, sizeof data, "%s/data", folder) >= (int)sizeof data)
        return cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "out", "--out: the name is too long");
    if (mkdir(folder, 0777) && errno != EEXIST) return cannot(error, folder);
    if (mkdir(data, 0777) && errno != EEXIST) return cannot(error, data);
    cli_exit code = CLI_OK;
    for (const page_file *f = body->files; f && !code; f = f->next)
        code = write_file(&f->content, data, f->name, error);
    if (!code) code = write_file(p, folder, "papers.html", error);
    if (!code && !quiet) printf("\nreport in %s/papers.html\n", folder);
    return code;
}

cli_exit cli_papers(const cli_request *request, cli_error *error) {
    report r;
    page whole = {0};
    report_run(&r, request->target, request->json ? silent : print_line);
    report_page(&r, &whole);
    cli_exit code = CLI_OK;
    if (!r.experiments)
        code = cli_fail(error, CLI_USAGE, SODAE_BAD_ARGUMENT, "ONLY",
                        "no experiment begins with '%.60s'; try 000 or \"003 Fig. 4\"",
                        request->target ? request->target : "");
    else if (whole.out_of_memory)
        code = cli_out_of_memory(error);
    else if (request->out)
        code = write_page(&whole, &r.body, request->out, request->json, error);
    if (!code && !(request->json && r.failed)) code = say(&r, request->json, error);
    if (!code && r.failed)
        code = cli_fail(error, CLI_NUMERICAL, SODAE_ERROR_TEST_FAILED, "claim",
                        "%d claims fail; first: %s", r.failed, r.complaint);
    page_free(&whole);
    report_free(&r);
    return code;
}
