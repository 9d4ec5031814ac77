/* Runs the fuzz target over files and folders: the corpus as an ordinary test, with any compiler.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path) {
    enum { LARGEST = 1 << 20 };
    FILE *file = fopen(path, "rb");
    if (!file) return 0;
    uint8_t *data = malloc(LARGEST);
    size_t size = data ? fread(data, 1, LARGEST, file) : 0;
    fclose(file);
    /* an exact copy, so that a sanitizer sees the end of it */
    uint8_t *exact = malloc(size ? size : 1);
    if (exact) memcpy(exact, data, size);
    if (exact) LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    free(data);
    return 1;
}

static int run_folder(const char *path) {
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder) return run_file(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char inside[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        count += run_file(inside);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv) {
    int count = 0;
    for (int i = 1; i < argc; i++) count += run_folder(argv[i]);
    printf("%d files\n", count);
    return count == 0;
}
