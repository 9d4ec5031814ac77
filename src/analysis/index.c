/* The index of a problem: conditions (7.4) and (4.3) of paper 004 and the linearised equations. */
#include <sodae/analysis.h>
#include <sodae/integrator.h>

#include "analysis/conditions.h"
#include "base/failure.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LINEAR = 300, MOST = 3000 };

static sodae_status linear(const sodae_problem *p, const sodae_point *at, double tolerance,
                           sodae_index_report *report, sodae_linear_form *form,
                           sodae_failure *why) {
    arena a = {0};
    int n = sodae_problem_unknowns(p);
    size_t size = (size_t)n * (size_t)n;
    double *A = arena_doubles(&a, 3 * size);
    sodae_status st = A ? SODAE_OK : SODAE_NO_MEMORY;
    if (!st) st = sodae_problem_linearise(p, at, A, A + size, A + 2 * size, why);
    if (!st)
        st = sodae_linear_dae_analyse(n, A, A + size, A + 2 * size, tolerance, &report->linear,
                                      form);
    arena_free(&a);
    if (st == SODAE_NO_MEMORY) failure_set(why, st, "analysis", "memory ran out");
    if (st == SODAE_SINGULAR)
        failure_set(why, st, "analysis", "the reduction does not end: ranks cannot be decided");
    return st;
}

static void doubt(sodae_index_report *r, const char *text) {
    snprintf(r->doubt, sizeof r->doubt, "%s", text);
}

/* The index by the conditions, and that of the linearised equations. */
static void reconcile(sodae_index_report *r, int excluded) {
    int linear = r->linear.velocities.d_index, known = r->linear.n > 0;
    if (r->source == SODAE_INDEX_BY_CONDITIONS) {
        if (known && linear < 0)
            doubt(r, "solutions of the linearised equations are not unique or do not exist");
        else if (known && linear != r->d_index)
            snprintf(r->doubt, sizeof r->doubt, "the linearised equations have d-index %d", linear);
        else if (!known && !r->gap.clear)
            doubt(r, "a singular value of the conditions is close to the tolerance");
    } else if (known && linear >= 0 && linear == excluded) {
        snprintf(r->doubt, sizeof r->doubt,
                 "(4.3) is singular but the linearised equations have d-index %d", linear);
    } else if (known) {
        r->d_index = linear;
        if (linear >= 0) r->source = SODAE_INDEX_BY_LINEARISED;
        if (!r->linear.agree)
            doubt(r, "the forms of the linearised equations contradict each other");
        else if (!r->linear.velocities.gap.clear)
            doubt(r, "a singular value of the linearised equations is close to the tolerance");
    } else
        doubt(r, "the conditions do not decide and the linearised equations are not known");
    r->clear = r->doubt[0] == 0;
}

static sodae_status analyse_at(const sodae_problem *p, const sodae_point *at, double tolerance,
                               int all, sodae_index_report *report, sodae_linear_form *form,
                               sodae_failure *why) {
    frozen z;
    int excluded = -1;
    report->t = at->t;
    report->d_index = -1;
    sodae_status st = frozen_open(&z, p, at, why);
    if (!st) st = conditions_find(&z, tolerance, report, &excluded);
    frozen_close(&z);
    int decided = report->d_index >= 0 && report->gap.clear;
    if (!st && (all || !decided) && sodae_problem_unknowns(p) <= MOST_LINEAR)
        st = linear(p, at, tolerance, report, form, why);
    if (!st) reconcile(report, excluded);
    return st;
}

static sodae_status analyse(const sodae_problem *p, const sodae_point *at, double tolerance,
                            int all, sodae_index_report *report, sodae_linear_form *form,
                            sodae_failure *why) {
    sodae *s = NULL;
    sodae_options options = sodae_default_options();
    options.check_derivatives = 0;
    if (!p || !report || isnan(tolerance))
        return failure_set(why, SODAE_BAD_ARGUMENT, "problem", "an argument is missing");
    *report = (sodae_index_report){0};
    if (form) *form = (sodae_linear_form){0};
    if (tolerance <= 0) tolerance = 1e-9;
    sodae_status st = sodae_problem_check(p, why);
    if (st < 0) return st;
    if (sodae_problem_unknowns(p) > MOST)
        return failure_set(why, SODAE_NOT_ALLOWED, p->name, "%d unknowns; at most %d are analysed",
                           sodae_problem_unknowns(p), MOST);
    if (at) return analyse_at(p, at, tolerance, all, report, form, why);
    if (sodae_create(&s, p, &options, NULL) >= 0 && sodae_start(s) >= 0) {
        const sodae_view *v = sodae_state(s);
        sodae_point start = {.t = v->t,
                             .q = v->q,
                             .v = v->v,
                             .a = v->vdot,
                             .lambda = v->lambda,
                             .psi = v->psi,
                             .r = v->r,
                             .w = v->w,
                             .s = v->s};
        report->consistent = 1;
        st = analyse_at(p, &start, tolerance, all, report, form, why);
    } else
        st = analyse_at(p, &p->initial, tolerance, all, report, form, why);
    sodae_free(s);
    return st;
}

sodae_status sodae_problem_analyse(const sodae_problem *p, const sodae_point *at, double tolerance,
                                   sodae_index_report *report, sodae_linear_form *form,
                                   sodae_failure *why) {
    return analyse(p, at, tolerance, 1, report, form, why);
}

sodae_status sodae_problem_index(const sodae_problem *p, const sodae_point *at, double tolerance,
                                 sodae_index_report *report, sodae_failure *why) {
    return analyse(p, at, tolerance, 0, report, NULL, why);
}
