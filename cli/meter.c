#include "cli/meter.h"

#include <math.h>
#include <stdlib.h>

int cli_meter_open(cli_meter *meter, const cli_target *target) {
    const sodae_problem *p = &target->problem;
    *meter = (cli_meter){.m = target->model ? sodae_model_mechanism(target->model) : NULL,
                         .conservative = p->value[SODAE_ENERGY].fn != NULL,
                         .t = NAN};
    if (!meter->m) return 0;
    const int sizes[] = {sodae_problem_nq(p), p->nv, p->nlambda, p->npsi, p->nr};
    double **const to[] = {&meter->out.q, &meter->out.v, &meter->out.lambda, &meter->out.psi,
                           &meter->out.r};
    size_t total = 1;
    for (int i = 0; i < 5; i++) total += (size_t)sizes[i];
    meter->room = calloc(total, sizeof *meter->room);
    if (!meter->room) return -1;
    meter->out.size = sizeof meter->out;
    double *at = meter->room;
    for (int i = 0; i < 5; at += sizes[i++]) *to[i] = at;
    return 0;
}

void cli_meter_close(cli_meter *meter) {
    free(meter->room);
    meter->room = NULL;
}

static sodae_mechanism_energy energies(const cli_meter *meter, const sodae_point *at) {
    sodae_mechanism_energy e;
    if (!sodae_mechanism_results(meter->m, at, NULL, NULL, &e)) return e;
    return (sodae_mechanism_energy){NAN, NAN, NAN, NAN};
}

static sodae_mechanism_energy energies_of(const cli_meter *meter, const sodae_view *view) {
    sodae_point at = {.t = view->t,
                      .q = view->q,
                      .v = view->v,
                      .lambda = view->lambda,
                      .psi = view->psi,
                      .r = view->r};
    return energies(meter, &at);
}

/* Gauss's formula with 4 points on [meter->t, t]. */
static void integrate(cli_meter *meter, sodae *s, double t) {
    static const double node[] = {0.069431844202973712, 0.33000947820757187, 0.66999052179242813,
                                  0.93056815579702629};
    static const double weight[] = {0.17392742256872693, 0.32607257743127307, 0.32607257743127307,
                                    0.17392742256872693};
    double h = t - meter->t;
    for (int k = 0; k < 4; k++) {
        const sodae_solution *o = &meter->out;
        sodae_point at = {.t = meter->t + node[k] * h,
                          .q = o->q,
                          .v = o->v,
                          .lambda = o->lambda,
                          .psi = o->psi,
                          .r = o->r};
        if (sodae_interpolate_stages(s, at.t, o) < 0) return;
        sodae_mechanism_energy e = energies(meter, &at);
        meter->work += h * weight[k] * e.power_in;
        meter->dissipated += h * weight[k] * e.power_out;
    }
}

void cli_meter_to(cli_meter *meter, sodae *s, const sodae_view *view,
                  double values[CHANNEL_METERS]) {
    if (!meter->m) return;
    sodae_mechanism_energy e = energies_of(meter, view);
    meter->energy = e.kinetic + e.potential;
    if (isnan(meter->t)) meter->start = meter->energy;
    if (view->t > meter->t && !meter->conservative) integrate(meter, s, view->t);
    meter->t = view->t;
    meter->size = fmax(meter->size, fmax(fabs(e.kinetic), fabs(e.potential)));
    meter->size = fmax(meter->size, fmax(fabs(meter->work), fabs(meter->dissipated)));
    values[0] = meter->work;
    values[1] = meter->dissipated;
    values[2] = meter->start + meter->work - meter->dissipated - meter->energy;
    values[3] = meter->size > 0 ? values[2] / meter->size : 0;
}

void cli_meter_event(cli_meter *meter, const sodae_view *view) {
    if (!meter->m || view->t != meter->t) return;
    sodae_mechanism_energy e = energies_of(meter, view);
    meter->dissipated += meter->energy - e.kinetic - e.potential;
    meter->energy = e.kinetic + e.potential;
}
