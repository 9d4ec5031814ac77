#include "integrator/run.h"

#include "claims.h"

const char *const run_part_names[RUN_PARTS] = {"q", "v", "a", "lambda", "psi", "r", "w", "s"};

sodae_solution run_buffers(run_state *x) {
    return (sodae_solution){.size = sizeof(sodae_solution),
                            .q = x->q,
                            .v = x->v,
                            .a = x->a,
                            .lambda = x->lambda,
                            .psi = x->psi,
                            .r = x->r,
                            .w = x->w,
                            .s = x->s};
}

run_state run_exact(const sodae_problem *p, double t) {
    run_state x = {.q = {0}};
    sodae_solution out = run_buffers(&x);
    assert_non_null(p->exact);
    assert_int_equal(p->exact(t, &out, p->user), 0);
    return x;
}

sodae *run_start(const sodae_problem *p, const sodae_options *o) {
    sodae *s;
    sodae_failure why;
    if (sodae_create(&s, p, o, &why)) fail_msg("create %s: %s", p->name, why.message);
    if (sodae_start(s) < 0) fail_msg("start %s: %s", p->name, sodae_last_failure(s)->message);
    return s;
}

static double distance(int n, const double *x, const double *y) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

run_errors run_errors_now(const sodae_problem *p, const sodae *s) {
    const sodae_view *v = sodae_state(s);
    run_state x = run_exact(p, v->t);
    run_state shifted = v->a_without_reactions ? x : run_exact(p, v->t + v->a_shift * v->h);
    const double *a = v->a_without_reactions ? v->vdot : v->a;
    return (run_errors){{distance(v->nq, v->q, x.q), distance(v->nv, v->v, x.v),
                         distance(v->nv, a, shifted.a), distance(v->nlambda, v->lambda, x.lambda),
                         distance(v->npsi, v->psi, x.psi), distance(v->nr, v->r, x.r),
                         distance(v->nw, v->w, x.w), distance(v->ns, v->s, x.s)}};
}

run_errors run_fixed(const sodae_problem *p, sodae_options o, double h, double length,
                     const double *pattern, int count) {
    o.step = h * (count ? pattern[0] : 1);
    if (isnan(o.newton_rtol)) o.newton_rtol = 1e-14;
    sodae *s = run_start(p, &o);
    double steps[8], one = 1;
    const double *factor = count ? pattern : &one;
    int used = count ? count : 1;
    for (int i = 0; i < used; i++) steps[i] = h * factor[i];
    long cycles = lround(length / (used * h));
    sodae_status st = sodae_advance_pattern(s, steps, used, cycles, NULL, NULL);
    if (st) fail_msg("%s: %s", p->name, sodae_last_failure(s)->message);
    CHECK_NEAR(sodae_state(s)->t, p->initial.t + length, 1e-9 * length);
    run_errors e = run_errors_now(p, s);
    sodae_free(s);
    return e;
}

run_errors run_orders(const sodae_problem *p, sodae_options o, double h, double length,
                      const double *pattern, int count) {
    run_errors coarse = run_fixed(p, o, h, length, pattern, count);
    run_errors fine = run_fixed(p, o, h / 2, length, pattern, count), order;
    for (int i = 0; i < RUN_PARTS; i++)
        order.of[i] = fine.of[i] > 0 ? log2(coarse.of[i] / fine.of[i]) : NAN;
    return order;
}

sodae_options run_options(int method, int formulation, double damping) {
    sodae_options o = sodae_default_options();
    o.method = method;
    o.formulation = formulation;
    if (method == SODAE_GENERALIZED_ALPHA) o.rho_inf = damping;
    if (method == SODAE_HHT || method == SODAE_EXTENDED_HHT) o.alpha = damping;
    return o;
}
