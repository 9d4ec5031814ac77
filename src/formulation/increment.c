/* The size of increments of Newton's iteration, and what rounding makes of them. */
#include "formulation/form.h"

#include "base/vec.h"

#include <float.h>

/* The largest entries, or increments, of q and v at a stage. */
typedef struct stage_size {
    double q, v;
} stage_size;

/* Largest increment of stage i by `c` (cq or cv) over its velocities. */
static double increment(const form *f, const double *c, int i, const double *dx) {
    double size = 0;
    for (int k = 0; k < f->e->nv; k++) {
        double d = 0;
        for (int j = 0; j < f->stages; j++) d += c[i * f->stages + j] * dx[form_first(f, j) + k];
        size = larger(size, fabs(d));
    }
    return size;
}

static stage_size increments(const form *f, int i, const double *dx) {
    if (f->stages > 1) return (stage_size){increment(f, f->cq, i, dx), increment(f, f->cv, i, dx)};
    double x = vec_max(f->e->nv, dx);
    return (stage_size){fabs(f->cq[0]) * x, fabs(f->cv[0]) * x};
}

static double relative(int n, const double *dx, const double *x, double least) {
    double size = 0;
    for (int i = 0; i < n; i++) size = larger(size, fabs(dx[i]) / at_least(least, fabs(x[i])));
    return size;
}

/* x follows from position constraints. Not with a second multiplier and in the velocity half; in
 * the minimal extension those of its parts do that nothing else depends on, unless differences of q
 * are remembered. */
static int follows_position(const form *f, int half) {
    int apart = f->kind->shift == SHIFT_CHART && !f->remembered;
    return f->e->nl && f->kind->holds_position && !f->kind->second_multiplier && half == 0 &&
           !apart && !f->kind->apart;
}

/* Of q as it counts. */
static stage_size size_of(const form *f, int i) {
    const form_stage *s = &f->stage[i];
    return (stage_size){at_least(f->e->size_q, vec_max(f->e->nq, s->q)), vec_max(f->e->nv, s->v)};
}

/* Rounding of q seen through a position constraint: eps |q| there is eps |q| / cq in x; rounding of
 * v through a velocity constraint eps |v| / cv. Smaller increments of x mean nothing. With
 * several stages the row scales stand for the smallest gain of the whole coefficient matrix. Where
 * constraints become dependent q is off by rounding/sigma, and the velocity half sees that in
 * G(q) v: once more 1/sigma. */
static double rounding_of(const form *f, stage_size size, int half) {
    double cq = f->stages > 1 ? f->sq : f->cq[0], cv = f->stages > 1 ? f->sv : f->cv[0];
    double floor = f->e->nl + f->e->np && cv > 0 ? size.v / cv : 0;
    if (follows_position(f, half) && cq > 0) floor = at_least(floor, size.q / cq);
    double amplified = half ? f->amplified * f->amplified : f->amplified;
    return 2 * DBL_EPSILON * floor * amplified;
}

double form_rounding(const form *f, int i, int half) {
    return rounding_of(f, size_of(f, i), half);
}

/* The same of v / cv and of a where first order GGL adds G^T eta to x: rounding of q over h is in
 * both and not in the sum, which follows from G(q) v = 0. */
static double shifted_rounding(const form *f, stage_size size, int half) {
    int first_order = f->kind->shift == SHIFT_GGL && f->eg == 0 && f->stages == 1;
    if (!first_order || !(f->cv[0] > 0)) return rounding_of(f, size, half);
    return 2 * DBL_EPSILON * size.v / f->cv[0] * f->amplified * f->amplified;
}

/* b <- rounding of the constraints of a stage, at most eps sum_j |J_ij| |v|, or |q|; multiples of
 * the golden section, as no combination of constraints of a mechanism has them. */
static void round_rows(const form *f, int i, form_row row, double *b) {
    const form_stage *s = &f->stage[i];
    int position = row == ROW_POSITION, kinematic = row == ROW_KINEMATIC;
    const pattern *J = kinematic ? &f->e->K : &f->e->G;
    const double *values = kinematic ? f->K : f->G;
    double x = position ? fmax(f->e->size_q, vec_max(f->e->nq, s->q)) : vec_max(f->e->nv, s->v);
    double unit = DBL_EPSILON * x / (position ? f->sq : f->sv);
    for (int k = 0; k < pattern_nnz(J); k++) b[J->rowind[k]] += unit * fabs(values[k]);
    for (int k = 0; k < J->rows; k++) b[k] *= 2 * fmod((k + 1) * 0.6180339887498949, 1) - 1;
}

/* The increment that rounding of the constraints makes with the last matrix. */
static const double *increment_of_rounding(form *f) {
    double *b = f->rounded;
    vec_zero(form_first(f, f->stages), b);
    for (int i = 0; i < form_wholes(f); i++)
        for (int k = 0; k < f->kind->rows; k++) {
            form_row row = f->kind->row[k];
            if (row == ROW_POSITION || row == ROW_VELOCITY || row == ROW_KINEMATIC)
                round_rows(f, i, row, b + i * f->n + f->row0[row]);
        }
    linear_correct(&f->linear, b);
    return b;
}

/* Up to ten is what the margins of those who ask for rounding are made for. */
void form_amplify(form *f) {
    double amplified = 1;
    f->amplified = 1;
    if (!f->judged) return;
    const double *dx = increment_of_rounding(f);
    for (int i = 0; i < form_wholes(f); i++) {
        double floor = form_rounding(f, i, 0), most = vec_max(f->e->nv, dx + i * f->n);
        if (floor > 0) amplified = fmax(amplified, most / floor / form_margin);
    }
    if (isfinite(amplified)) f->amplified = amplified;
}

static double above(double x, double floor) {
    return x <= floor ? 0 : x - floor;
}

/* Where x is off by rounding/sigma, the multipliers are by rounding/sigma^2. Methods that remember
 * what the iteration leaves go on until the multipliers stand still. */
static double multiplier_rounding(const form *f, double of_x) {
    double blurred = f->remembered ? 1 : f->amplified;
    return f->gain * of_x * blurred;
}

void form_find_gain(form *f) {
    const eval *e = f->e;
    const double *M = f->stage[0].mass ? f->stage[0].mass : f->M;
    double J = larger(vec_max(pattern_nnz(&e->G), f->G), vec_max(pattern_nnz(&e->K), f->K));
    f->gain = J > 0 ? vec_max(pattern_nnz(&e->mass), M) / J : 0;
}

double form_multiplier_rounding(const form *f, int i, int half) {
    return multiplier_rounding(f, shifted_rounding(f, size_of(f, i), half));
}

/* Rounding of x in the multipliers: of those that hold q, too, where they have a balance apart. */
static double rounding_of_reactions(const form *f, stage_size size, double of_x) {
    int position = f->kind->apart && f->kind->holds_position && f->e->nl;
    return position ? fmax(of_x, 2 * DBL_EPSILON * size.q / f->sq) : of_x;
}

/* Multipliers, and w, which may follow them, relative to their sizes; what is above `enough` less
 * what rounding of x makes of them. */
static double multipliers(const form *f, double of_x, double enough, const double *d,
                          const double *u, double *auxiliaries) {
    const eval *e = f->e;
    int n = e->nl + e->np;
    double size = at_least(e->size_lambda, vec_max(n, u + f->at_lambda));
    double l = vec_max(n, d + f->at_lambda) / size;
    double w = relative(e->nw, d + f->at_w, u + f->at_w, e->size_w);
    if (l > enough || w > enough) {
        double rounding = multiplier_rounding(f, of_x) / size;
        l = above(l, rounding), w = above(w, rounding);
    }
    *auxiliaries = w;
    return l;
}

/* Where v' and multipliers are asked for themselves: each of them may still move, but those of one
 * kind have the rounding of the largest; r', w and s their own. */
static double of_accelerations(const form *f, const double *d, const double *u) {
    const eval *e = f->e;
    int nl = e->nl + e->np, own = f->at_lambda - f->at_y;
    double v = vec_max(e->nv, d) / fmax(1, vec_max(e->nv, u));
    double l = vec_max(nl, d + f->at_lambda) / fmax(1, vec_max(nl, u + f->at_lambda));
    return larger(larger(v, l), relative(own, d + f->at_y, u + f->at_y, 1));
}

/* Increments of q and v with their units, and of multipliers and w, which may still move while q
 * and v stand still; of a only where nothing else moves (accelerations of a fixed state). */
double form_increment_size(void *self, const double *dx, double *of_state) {
    form *f = self;
    const eval *e = f->e;
    double size = 0, reactions = 0;
    for (int half = 0; half < f->kind->halves; half++, dx += f->n * f->stages)
        for (int i = 0; i < form_wholes(f); i++) {
            const form_stage *s = &f->stage[i];
            const double *d = dx + i * f->n, *u = f->x + half * f->n * f->stages + i * f->n;
            stage_size of = size_of(f, i);
            stage_size by = increments(f, i, dx);
            double dv = f->kind->shift ? form_shifted_increment(f, i, dx) : by.v;
            if (half + 1 < f->kind->halves) dv = 0; /* v comes from the last half */
            double cv = vec_max(f->stages, f->cv + i * f->stages), w;
            double rounding = shifted_rounding(f, of, half);
            dv = above(dv, (f->stages > 1 ? f->sv : cv) * rounding);
            size = larger(size, by.q / of.q);
            size = larger(size, dv / at_least(e->size_v, of.v));
            size = larger(size, relative(e->ns, d + f->at_s, u + f->at_s, e->size_s));
            double l = multipliers(f, rounding_of_reactions(f, of, rounding), size, d, u, &w);
            reactions = larger(reactions, l), size = larger(size, w);
            for (int k = 0; k < e->nr; k++) {
                double dr = 0;
                for (int j = 0; j < form_wholes(f); j++)
                    dr += f->cr[i * f->stages + j] * dx[j * f->n + f->at_y + k];
                size = larger(size, fabs(dr) / fmax(e->size_r, fabs(s->r[k])));
            }
            if (cv > 0) continue;
            size = larger(size, of_accelerations(f, d, u));
            reactions = larger(reactions, relative(f->n, d, u, 1));
        }
    *of_state = size;
    return larger(size, reactions);
}

/* 003 section 5, of the increments of h dq and v at the stages. */
double form_weighted_size(void *self, const double *dx, double rtol, double atol) {
    form *f = self;
    const double *last = dx + (f->kind->halves - 1) * f->n * f->stages;
    double size = 0;
    for (int i = 0; i < f->stages; i++) {
        const form_stage *s = &f->stage[i];
        for (int k = 0; k < f->e->nv; k++) {
            double dq = 0, dv = 0;
            for (int j = 0; j < f->stages; j++) {
                dq += f->cq[i * f->stages + j] * dx[form_first(f, j) + k];
                dv += f->cv[i * f->stages + j] * last[form_first(f, j) + k];
            }
            size = larger(size, fabs(dq) / (atol + rtol * fabs(s->theta[k])));
            size = larger(size, fabs(dv) / (atol + rtol * fabs(s->v[k])));
        }
    }
    return size;
}
