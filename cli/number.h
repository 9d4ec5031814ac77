/* Numbers on the command line: decimals and fractions, finite always. */
#pragma once

/* "0.25", "-3e-2", "1/3": 0 when `text` is one finite number and nothing else. */
int cli_number(const char *text, double *x);
/* numerator and denominator apart, so that 2/3 of h is 2 h / 3. */
int cli_fraction(const char *text, double *numerator, double *denominator);
int cli_integer(const char *text, long *n);

/* Entries of a comma-separated list; 0 for an empty text. */
int cli_list_count(const char *text);
/* Entry i of a comma-separated list, copied without blanks around it; 0 when it fits. */
int cli_list_entry(const char *text, int i, char *entry, int size);
