/* Small helpers around HDF5, shared by the writer and the reader. */
#pragma once

#include "results/hdf5_library.h"

/* Attributes of `at`: text, a list of texts, a whole number. 0, or non-zero on failure. */
int h5_put_text(hid_t at, const char *name, const char *text, size_t room);
int h5_put_texts(hid_t at, const char *name, const char *const *texts, int count);
int h5_put_number(hid_t at, const char *name, long value);
/* The text belongs to the caller; NULL if there is none. */
char *h5_get_text(hid_t at, const char *name);
/* count texts one after the other, `each` bytes apart; NULL if there are none. */
char *h5_get_texts(hid_t at, const char *name, int *count, size_t *each);
/* The same of a dataset of strings. */
char *h5_get_strings(hid_t at, const char *path, int *count, size_t *each);
long h5_get_number(hid_t at, const char *name, long missing);

/* A type of `size` bytes of UTF-8 that ends with 0. */
hid_t h5_text_type(size_t size);
/* Strings of any length: netCDF reads lists of these only. */
hid_t h5_string_type(void);

/* Opens for reading. A file whose writer was killed is cleared first; one that is being written is
 * read as far as it goes. < 0: it cannot be read. */
hid_t h5_open(const char *path, int *being_written);
