/* The other files of a model, below its folder: tables, included files, sub-models. Their texts
 * stay with the model, so that it can be made again without them (sodae_model_file). */
#define _XOPEN_SOURCE 700 /* realpath */
#include "model/build.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 1000, FILE_BYTES = 64 << 20 };

/* The folder of the model with its slash. */
static int folder_of(const model_build *b, char *out, size_t size) {
    const char *label = b->report.label, *slash = strrchr(label, '/');
    int n = slash ? (int)(slash - label) + 1 : 2;
    return snprintf(out, size, "%.*s", n, slash ? label : "./") >= (int)size;
}

/* The real path of a file below the folder of the model. */
static char *path_below(const char *folder, const char *name, const char **why) {
    char full[PATH_MAX];
    if ((size_t)snprintf(full, sizeof full, "%s%s", folder, name) >= sizeof full) return NULL;
    char *root = realpath(folder, NULL), *path = realpath(full, NULL);
    if (!path) *why = strerror(errno);
    size_t n = root ? strlen(root) : 0;
    int below = root && path && !strncmp(root, path, n) && (path[n] == '/' || n == 1);
    if (path && !below) *why = "it lies elsewhere";
    free(root);
    if (below) return path;
    free(path);
    return NULL;
}

static FILE *open_plain(const char *path, size_t *size, const char **why) {
    struct stat about;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* no waiting for a pipe */
    FILE *file = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!file) {
        *why = strerror(errno);
        if (fd >= 0) close(fd);
        return NULL;
    }
    int plain = !fstat(fileno(file), &about) && S_ISREG(about.st_mode);
    if (plain && about.st_size <= FILE_BYTES) {
        *size = (size_t)about.st_size;
        return file;
    }
    *why = plain ? "it is too large" : "it is not an ordinary file";
    fclose(file);
    return NULL;
}

static char *read_below(model_build *b, const char *name, size_t *size, const char **why) {
    char folder[PATH_MAX], *text = NULL;
    *why = "its name is too long";
    char *path = folder_of(b, folder, sizeof folder) ? NULL : path_below(folder, name, why);
    FILE *file = path ? open_plain(path, size, why) : NULL;
    free(path);
    if (!file) return NULL;
    text = EXPR_TAKE(&b->model->memory, char, *size + 1);
    if (text) *size = fread(text, 1, *size, file);
    if (text && ferror(file)) *why = "it cannot be read", text = NULL;
    fclose(file);
    return text;
}

static char *copy_given(model_build *b, const char *name, size_t *size, const char **why) {
    const char *text;
    *why = "it is not among the files that came with the model";
    if (b->open(name, &text, size, b->open_user)) return NULL;
    return expr_pool_text(&b->model->memory, text, *size);
}

/* Next to the file that names it: "parts/" of "parts/a.yaml" and "b.yaml". */
static const char *name_next_to(model_build *b, const tree_node *node) {
    const char *of = node->source->name, *slash = strrchr(of, '/');
    size_t n = slash ? (size_t)(slash - of) + 1 : 0;
    char *name = EXPR_TAKE(&b->model->memory, char, n + node->length + 1);
    if (!name) return report_memory(&b->report), NULL;
    memcpy(name, of, n);
    memcpy(name + n, node->text, node->length);
    return name;
}

static const model_source *keep(model_build *b, const char *name, const char *text, size_t size) {
    sodae_model *m = b->model;
    const char *slash = strrchr(b->report.label, '/');
    size_t n = slash ? (size_t)(slash - b->report.label) + 1 : 0, length = strlen(name);
    char *label = EXPR_TAKE(&m->memory, char, n + length + 1);
    if (!m->files) m->files = EXPR_TAKE(&m->memory, model_source, MOST_FILES);
    if (!label || !m->files) return report_memory(&b->report), NULL;
    memcpy(label, b->report.label, n);
    memcpy(label + n, name, length);
    m->files[m->nfiles] = (model_source){label, name, text, size};
    return &m->files[m->nfiles++];
}

const model_source *files_read(model_build *b, const tree_node *node) {
    const char *why = "";
    size_t size;
    if (!node || node->kind != TREE_SCALAR || !node->length || node->text[0] == '/')
        return place_fail(b, node, "expected the name of a file below the model's folder"), NULL;
    const char *name = name_next_to(b, node);
    for (int i = 0; name && i < b->model->nfiles; i++)
        if (!strcmp(b->model->files[i].name, name)) return &b->model->files[i];
    if (!name || b->model->nfiles == MOST_FILES)
        return place_fail(b, node, "the model has more than %d files", MOST_FILES), NULL;
    char *text = b->open ? copy_given(b, name, &size, &why) : read_below(b, name, &size, &why);
    if (b->model->memory.failed) return report_memory(&b->report), NULL;
    if (!text) return place_fail(b, node, "cannot be read below the model's folder: %s", why), NULL;
    return keep(b, name, text, size);
}
