/* Numbers as text with a decimal dot, whatever LC_NUMERIC of the program is. */
#pragma once

#include <stddef.h>

/* The number that all of `text` is; 0: `text` is no number, or longer than 100 characters. */
int number_read(const char *text, double *x);
/* x with so many significant digits, as %g writes it; 17 digits are read back without error. */
void number_write(double x, int digits, char *text, size_t size);
