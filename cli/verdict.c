#include "cli/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cli_verdict cli_verdict_for(const sodae_problem *problem, int conserved) {
    return (cli_verdict){
        .problem = problem, .conserved = conserved, .energy_start = NAN, .energy_end = NAN};
}

void cli_verdict_close(cli_verdict *verdict) {
    free(verdict->mass);
    free(verdict->work);
    free(verdict->events);
    *verdict = (cli_verdict){0};
}

static void remember(cli_verdict *d, const sodae_view *view) {
    if (d->count == d->room) {
        long room = d->room ? 2 * d->room : 16;
        cli_happening *events = realloc(d->events, (size_t)room * sizeof *events);
        if (!events) {
            d->out_of_memory = 1;
            return;
        }
        d->events = events;
        d->room = room;
    }
    d->events[d->count++] = (cli_happening){.t = view->t, .event = view->event};
}

/* v^T M v / 2; 0 when it cannot be had. */
static double kinetic(cli_verdict *d, const sodae_point *at) {
    const sodae_problem *p = d->problem;
    const sodae_term *M = &p->value[SODAE_MASS];
    const int *colptr = M->pattern.colptr, *rowind = M->pattern.rowind;
    size_t nv = (size_t)p->nv, nnz = !M->fn ? 0 : colptr ? (size_t)colptr[nv] : nv * nv;
    double sum = 0;
    if (!d->mass && !(d->mass = calloc(nnz + 1, sizeof *d->mass))) return 0;
    if (M->fn && M->fn(at, d->mass, p->user)) return 0;
    for (int j = 0; j < p->nv; j++) {
        int first = colptr ? colptr[j] : j * p->nv, last = colptr ? colptr[j + 1] : first + p->nv;
        for (int k = first; M->fn && k < last; k++)
            sum += at->v[j] * d->mass[k] * at->v[colptr ? rowind[k] : k - first];
        if (!M->fn) sum += at->v[j] * at->v[j];
    }
    return sum / 2;
}

/* The workspace of the problem at this point; nonzero when it cannot be had. */
static int prepare(cli_verdict *d, sodae_point *at) {
    const sodae_problem *p = d->problem;
    if (!p->prepare) return 0;
    if (!d->work && !(d->work = calloc(1, p->work_size + 1))) return 1;
    at->work = d->work;
    return p->prepare(at, p->user);
}

void cli_verdict_step(cli_verdict *d, const sodae_view *view) {
    const sodae_problem *p = d->problem;
    if (view->event >= 0) remember(d, view);
    sodae_point at = {.t = view->t,
                      .q = view->q,
                      .v = view->v,
                      .lambda = view->lambda,
                      .psi = view->psi,
                      .r = view->r,
                      .w = view->w,
                      .s = view->s};
    double energy;
    sodae_fn *fn = p->value[SODAE_ENERGY].fn;
    if (!fn || prepare(d, &at) || fn(&at, &energy, p->user)) return;
    if (isnan(d->energy_start)) d->energy_start = energy;
    d->energy_size = fmax(d->energy_size, fmax(fabs(energy), kinetic(d, &at)));
    int acted = view->event >= 0 && p->events[view->event].act; /* before it: the call before */
    if (acted) d->energy_taken += energy - d->energy_end;
    d->energy_end = energy;
    double drift = fabs(energy - d->energy_start - d->energy_taken);
    if (!(drift <= d->energy_drift)) d->energy_drift = drift;
}

double cli_verdict_drift(const cli_verdict *d) {
    return d->energy_size > 0 ? d->energy_drift / d->energy_size : NAN;
}

const char *cli_event_name(const sodae_problem *problem, int event) {
    const char *name = problem->events[event].name;
    return name ? name : "event";
}

const char *cli_dependence_text(const char *names, int almost, const char *when, char *text,
                                size_t size) {
    int several = strchr(names, ';') != NULL; /* groups */
    if (strchr(names, ','))
        snprintf(text, size,
                 "constraints %s %sdepend on each other%s; their reactions are not unique", names,
                 almost ? "almost " : "", when);
    else
        snprintf(text, size, "constraint%s %s hold%s %snothing%s; %s not unique",
                 several ? "s" : "", names, several ? "" : "s", almost ? "almost " : "", when,
                 several ? "their reactions are" : "its reaction is");
    return text;
}

const char *cli_singularity_text(const sodae_singularity *x, char *text, size_t size) {
    char when[80];
    if (x->until == x->t)
        snprintf(when, sizeof when, " at t = %.9g", x->t);
    else if (isinf(x->until))
        snprintf(when, sizeof when, " from t = %.9g on", x->t);
    else
        snprintf(when, sizeof when, " from t = %.9g to %.9g", x->t, x->until);
    cli_dependence_text(x->names, !(x->size < 1e-4), when, text, size);
    size_t used = strlen(text);
    snprintf(text + used, size - used, " there (rank %d of %d)", x->rank, x->constraints);
    return text;
}

/* Appends like snprintf; never past the end. */
static void append(char *text, size_t size, const char *format, double x) {
    size_t used = strlen(text);
    snprintf(text + used, size - used, format, x);
}

const char *cli_verdict_text(const cli_verdict *d, const sodae_statistics *s, char *text,
                             size_t size) {
    const sodae_problem *p = d->problem;
    double drift = cli_verdict_drift(d);
    if (p->nlambda)
        snprintf(text, size, "constraints kept to %.1g (position), %.1g (velocity) of their size",
                 s->worst_relative_position, s->worst_relative_velocity);
    else if (p->npsi)
        snprintf(text, size, "constraints kept to %.1g (velocity) of their size",
                 s->worst_relative_velocity);
    else
        snprintf(text, size, "no constraints");
    if (d->conserved && !isnan(d->energy_start)) {
        append(text, size,
               isnan(drift) ? "; energy drift %.1g (absolute: there was none)"
                            : "; energy drift %.1g",
               isnan(drift) ? d->energy_drift : drift);
        if (d->energy_taken != 0)
            append(text, size, ", events changed it by %.3g", d->energy_taken);
    }
    if (s->rounding)
        append(text, size,
               "; the tolerance may not be reached: %.0f steps ask for less than rounding",
               (double)s->rounding);
    if (s->lowered)
        append(
            text, size,
            "; %.0f steps are of order 5, not 6: order 6 of modified-bdf needs steps that change "
            "by less than 3 %%",
            (double)s->lowered);
    if (s->impacts) {
        append(text, size, "; constraints that jump in time make velocities jump by up to %.3g",
               s->impact_v);
        append(text, size, " (t = %.9g)", s->impact_t);
    }
    if (s->singularities == 1) append(text, size, "; passed a singular configuration", 0);
    if (s->singularities > 1)
        append(text, size, "; passed %.0f singular configurations", (double)s->singularities);
    return text;
}
