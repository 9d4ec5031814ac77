/* The report while it is written: text, tables, claims. All text is HTML. */
#pragma once

#include <stddef.h>

typedef struct page_file page_file;

typedef struct page {
    char *text;
    size_t size, room;
    int out_of_memory;
    int claims, failed;  /* so far */
    char complaint[320]; /* the first claim that failed */
    char name[60];       /* of its files, without number */
    int nfiles, shown;   /* so far, and how many of them the captions link to */
    page_file *files;    /* the last one first */
} page;

/* The data of a picture: data/NAME in the folder of the page. */
struct page_file {
    char name[80];
    page content;
    page_file *next;
};

void page_free(page *p);
void page_add(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void page_escaped(page *p, const char *text); /* with &, < and > made harmless */
void page_append(page *p, const page *other); /* its text */
/* The name of its files from words: "004 Table 8.1" becomes 004-table-8-1. */
void page_name(page *p, const char *words);
/* An empty file data/NAME-k.csv, k = 1, 2, ...; NULL when memory ran out. */
page *page_add_file(page *p);
/* Links to those that are new. */
void page_link_files(page *p);
/* All files of `other` belong to p now. */
void page_take_files(page *p, page *other);

/* A paragraph. */
void page_say(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What the paper prints, what is right, and why. */
void page_misprint(page *p, const char *printed, const char *right, const char *why);

/* The statement of an experiment, kept whether it holds or not; returns `holds`. */
int page_claim(page *p, int holds, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* lo <= x <= hi. */
int page_claim_in(page *p, double x, double lo, double hi, const char *what);
/* |x - printed| is at most `off` of printed. */
int page_claim_near(page *p, double x, double printed, double off, const char *what);

/* Tables: heads are separated by '|'. */
void table_begin(page *p, const char *caption, const char *heads);
void table_row(page *p);
void table_text(page *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void table_real(page *p, double x);  /* 1.234e-05; a dash for NaN */
void table_order(page *p, double x); /* 1.98; empty for NaN */
/* Printed value, found value and how far they are apart: three cells. */
void table_compare(page *p, double printed, double found);
void table_end(page *p);
