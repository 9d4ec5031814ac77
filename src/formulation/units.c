#include "formulation/units.h"

#include "base/vec.h"

/* Masses smaller than gradients by this factor: their matrices are scaled by units. */
static const double much = 1e5;

static double power_of_two(double x) {
    return isfinite(x) && x > 0 ? ldexp(1, ilogb(x)) : 1;
}

/* 1 / sqrt(m_k), m the diagonal of M; coordinates without a mass count as the lightest. */
static double of_masses(const eval *e, const double *M, double *unit) {
    const pattern *p = &e->mass;
    double lightest = 0;
    vec_zero(e->nv, unit);
    for (int j = 0; j < e->nv; j++)
        for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
            if (p->rowind[k] == j && M[k] > 0) unit[j] = power_of_two(1 / sqrt(M[k]));
    for (int j = 0; j < e->nv; j++) lightest = fmax(lightest, unit[j]);
    if (lightest == 0) lightest = 1;
    for (int j = 0; j < e->nv; j++)
        if (unit[j] == 0) unit[j] = lightest;
    return lightest;
}

/* The largest |J_ij| unit_j. */
static double steepest(const pattern *J, const double *values, const double *unit) {
    double most = 0;
    for (int j = 0; j < J->cols; j++)
        for (int k = J->colptr[j]; k < J->colptr[j + 1]; k++)
            most = fmax(most, fabs(values[k]) * unit[j]);
    return most;
}

void units_find(eval *e, const double *M, const double *G, const double *K) {
    if (e->units_known) return;
    double lightest = of_masses(e, M, e->unit_q);
    double gradient = fmax(steepest(&e->G, G, e->unit_q), steepest(&e->K, K, e->unit_q));
    e->unit_lambda = power_of_two(1 / gradient);
    e->units_used = isfinite(gradient) && lightest * gradient > much;
    e->units_known = 1;
}

void units_of_coordinates(const eval *e, double *u) {
    vec_copy(e->nv, e->unit_q, u);
}

void units_of_multipliers(const eval *e, int count, double *u) {
    for (int i = 0; i < count; i++) u[i] = e->unit_lambda;
}
