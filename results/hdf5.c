#include "results/hdf5.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

hid_t h5_text_type(size_t size) {
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

static int put(hid_t at, const char *name, hid_t type, hid_t space, const void *value) {
    hid_t a = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT)
                                      : H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int bad = a < 0 || H5Awrite(a, type, value) < 0;
    if (a >= 0) H5Aclose(a);
    H5Tclose(type);
    H5Sclose(space);
    return bad;
}

int h5_put_text(hid_t at, const char *name, const char *text, size_t room) {
    size_t n = strlen(text) + 1, size = n > room ? n : room;
    char *copy = calloc(size, 1);
    if (!copy) return 1;
    memcpy(copy, text, room && n > room ? room - 1 : n);
    int bad = put(at, name, h5_text_type(room ? room : size), H5Screate(H5S_SCALAR), copy);
    free(copy);
    return bad;
}

hid_t h5_string_type(void) {
    return h5_text_type(H5T_VARIABLE);
}

int h5_put_texts(hid_t at, const char *name, const char *const *texts, int count) {
    hsize_t dims = (hsize_t)count;
    return put(at, name, h5_string_type(), H5Screate_simple(1, &dims, NULL), texts);
}

int h5_put_number(hid_t at, const char *name, long value) {
    return put(at, name, H5Tcopy(H5T_NATIVE_LONG), H5Screate(H5S_SCALAR), &value);
}

/* Strings of any length, of an attribute or a dataset, as texts of equal size. */
static char *read_strings(hid_t from, int is_dataset, hid_t space, int count, size_t *each) {
    hid_t type = h5_string_type();
    char **strings = calloc((size_t)count + 1, sizeof *strings), *all = NULL;
    herr_t got = !strings     ? -1
                 : is_dataset ? H5Dread(from, type, H5S_ALL, space, H5P_DEFAULT, strings)
                              : H5Aread(from, type, strings);
    if (got >= 0) {
        *each = 1;
        for (int i = 0; i < count; i++)
            if (strings[i] && strlen(strings[i]) + 1 > *each) *each = strlen(strings[i]) + 1;
        all = calloc((size_t)count + 1, *each);
        for (int i = 0; all && i < count; i++)
            if (strings[i]) strcpy(all + (size_t)i * *each, strings[i]);
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, strings);
    }
    free(strings);
    H5Tclose(type);
    return all;
}

static char *read_fixed(hid_t a, hid_t type, int count, size_t *each) {
    *each = H5Tget_size(type) + 1;
    hid_t memory = h5_text_type(*each);
    char *all = calloc((size_t)count + 1, *each);
    if (all && H5Aread(a, memory, all) < 0) {
        free(all);
        all = NULL;
    }
    H5Tclose(memory);
    return all;
}

char *h5_get_texts(hid_t at, const char *name, int *count, size_t *each) {
    hid_t a = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    if (a < 0) return NULL;
    hid_t type = H5Aget_type(a), space = H5Aget_space(a);
    char *all = NULL;
    *count = (int)H5Sget_simple_extent_npoints(space);
    if (H5Tget_class(type) == H5T_STRING && *count >= 0)
        all = H5Tis_variable_str(type) > 0 ? read_strings(a, 0, space, *count, each)
                                           : read_fixed(a, type, *count, each);
    H5Tclose(type), H5Sclose(space), H5Aclose(a);
    return all;
}

char *h5_get_strings(hid_t at, const char *path, int *count, size_t *each) {
    hid_t d = H5Dopen2(at, path, H5P_DEFAULT);
    if (d < 0) return NULL;
    hid_t space = H5Dget_space(d);
    *count = (int)H5Sget_simple_extent_npoints(space);
    char *all = *count >= 0 ? read_strings(d, 1, space, *count, each) : NULL;
    H5Sclose(space), H5Dclose(d);
    return all;
}

char *h5_get_text(hid_t at, const char *name) {
    int count;
    size_t each;
    return h5_get_texts(at, name, &count, &each);
}

long h5_get_number(hid_t at, const char *name, long missing) {
    long value = missing;
    hid_t a = H5Aexists(at, name) > 0 ? H5Aopen(at, name, H5P_DEFAULT) : -1;
    if (a < 0) return missing;
    if (H5Aread(a, H5T_NATIVE_LONG, &value) < 0) value = missing;
    H5Aclose(a);
    return value;
}

/* A writer holds a shared lock (hdf5_write.c). */
static int has_writer(const char *path) {
    int fd = open(path, O_RDONLY), held = 0;
    if (fd < 0) return 0;
    held = flock(fd, LOCK_EX | LOCK_NB) != 0;
    close(fd);
    return held;
}

/* The flag of a writer that was killed; as h5clear --status does it. */
static void clear_flag(const char *path) {
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hbool_t clear = 1;
    H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    H5Pset(access, "clear_status_flags", &clear);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    if (file >= 0) H5Fclose(file);
    H5Pclose(access);
}

hid_t h5_open(const char *path, int *being_written) {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    *being_written = has_writer(path);
    if (*being_written) return H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0 || H5Fis_hdf5(path) <= 0) return file;
    clear_flag(path);
    return H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
}
