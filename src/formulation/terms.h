/* What the rows of a formulation consist of: a derivative block and the coefficient of its column.
 * For the files that put iteration matrices together. */
#pragma once

#include "formulation/form.h"

typedef enum source { BLOCK, MASS, G_ROW, G_TRANSPOSED, K_ROW, K_TRANSPOSED, IDENTITY } source;
typedef enum column { BY_Q, BY_V, BY_A, BY_R, BY_RDOT, BY_W, BY_S, BY_LAMBDA, BY_PSI } column;

typedef struct form_term {
    form_row row;
    column column;
    source source;
    double sign;
    sodae_function f;
    sodae_variable x;
} form_term;

const pattern *form_term_pattern(const form *f, const form_term *t);
/* First column of the term among the unknowns of its stage. */
int form_term_column(const form *f, const form_term *t);
/* Sign and row scale. */
double form_term_scale(const form *f, const form_term *t);
/* Values at stage i, with the tangent operator applied; G and K of the stage are in f->G, f->K.
 * NULL in *values: nothing to add. */
sodae_status form_term_values(form *f, const form_term *t, int i, const sodae_point *at,
                              const double **values);
/* product.c: room for the products of terms with the shift by eta, f->terms being known;
 * f->product <- F B^T for the term of this number, B in the pattern f->shift. */
void form_open_products(form *f, arena *a);
void form_product(form *f, int term, const double *values, const double *B);
/* f->product <- F_q B^T, the shift of a term by columns of q through eta; B of stage i. On a curve
 * F_q Y B^T, the real or imaginary part of what form_turn has found. */
void form_eta_product(form *f, int term, int i, const double *values);
void form_eta_product_turned(form *f, int term, int i, int imaginary, const double *values);
