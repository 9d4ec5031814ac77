/* The analysis of a method, written out. */
#include "cli/analyse.h"

#include <math.h>
#include <stdio.h>

static json_t *growth_json(const cli_growth *g) {
    json_t *object = json_object(), *at = json_array();
    json_object_set_new(object, "T_plus", cli_json_matrix(g->Tplus, 3));
    json_object_set_new(object, "T_0", cli_json_matrix(g->T0, 3));
    json_object_set_new(object, "T", cli_json_matrix(g->T, 3));
    json_object_set_new(object, "max_norm", cli_json_real(g->largest));
    json_object_set_new(object, "max_norm_at", json_integer(g->at));
    json_object_set_new(object, "row2_max", cli_json_reals(g->row2, 3));
    for (int j = 0; j < 3; j++) json_array_append_new(at, json_integer(g->row2_at[j]));
    json_object_set_new(object, "row2_max_at", at);
    return object;
}

static json_t *coefficients_json(const sodae_alpha_coefficients *c) {
    json_t *object = json_object();
    json_object_set_new(object, "alpha_m", cli_json_real(c->alpha_m));
    json_object_set_new(object, "alpha_f", cli_json_real(c->alpha_f));
    json_object_set_new(object, "beta", cli_json_real(c->beta));
    json_object_set_new(object, "gamma", cli_json_real(c->gamma));
    json_object_set_new(object, "alpha", cli_json_real(c->alpha_m - c->alpha_f));
    return object;
}

static json_t *theorems_json(const sodae_alpha_conditions *t) {
    json_t *object = json_object();
    json_object_set_new(object, "order_12", json_boolean(t->order));
    json_object_set_new(object, "stable_50", json_boolean(t->stable));
    json_object_set_new(object, "contractive_51", json_boolean(t->contractive));
    json_object_set_new(object, "r_alpha_m", cli_json_real(t->r_alpha_m));
    json_object_set_new(object, "r_alpha_f", cli_json_real(t->r_alpha_f));
    json_object_set_new(object, "r_gamma", cli_json_real(t->r_gamma));
    json_object_set_new(object, "rho_index3", cli_json_real(t->rho_index3));
    json_object_set_new(object, "rho_stabilized", cli_json_real(t->rho_stabilized));
    json_object_set_new(object, "index3", json_boolean(t->index3));
    json_object_set_new(object, "stabilized", json_boolean(t->stabilized));
    json_object_set_new(object, "soi2", json_boolean(t->soi2));
    json_object_set_new(object, "nonholonomic", json_boolean(t->nonholonomic));
    return object;
}

json_t *cli_analysis_json(const cli_analysis *a) {
    json_t *report = json_object(), *radii = json_array();
    json_object_set_new(report, "status", json_string("OK"));
    json_object_set_new(report, "method", json_string(a->method));
    json_object_set_new(report, "coefficients", coefficients_json(&a->c));
    json_object_set_new(report, "order", json_integer(a->check.order));
    json_object_set_new(report, "zero_stable", json_boolean(a->check.zero_stable));
    json_object_set_new(report, "unconditionally_stable",
                        json_boolean(a->check.unconditionally_stable));
    json_object_set_new(report, "rho_inf", cli_json_real(a->check.rho_inf));
    json_object_set_new(report, "h_omega_max", cli_json_real(a->check.h_omega_max));
    json_object_set_new(report, "c_inf", cli_json_real(a->c_inf));
    json_object_set_new(report, "c_inf_at", json_integer(a->c_inf_at));
    if (!a->extended) json_object_set_new(report, "theorems", theorems_json(&a->theorems));
    for (int i = 0; i < CLI_SYSTEMS && !a->extended; i++)
        json_object_set_new(report, a->growth[i].name, growth_json(&a->growth[i]));
    for (int i = 0; i < a->count; i++) {
        json_t *row = json_object();
        json_object_set_new(row, "h_omega", cli_json_real(a->omega[i]));
        json_object_set_new(row, "radius", cli_json_real(a->radius[i]));
        json_object_set_new(row, "overshoot", cli_json_real(a->overshoot[i]));
        json_array_append_new(radii, row);
    }
    json_object_set_new(report, "spectral_radius", radii);
    return report;
}

static void print_growth(const cli_growth *g) {
    printf("\nerror amplification of %s: max ||T^n|| = %.6g at n = %d\n", g->name, g->largest,
           g->at);
    printf("largest in row 2 of T^n: %.6g, %.6g, %.6g at n = %d, %d, %d\n", g->row2[0], g->row2[1],
           g->row2[2], g->row2_at[0], g->row2_at[1], g->row2_at[2]);
    printf("%11s%33s  %33s\n", "T+", "T0", "T");
    for (int i = 0; i < 3; i++) {
        const double *const all[3] = {g->Tplus, g->T0, g->T};
        for (int k = 0; k < 3; k++)
            printf("%s%10.6f %10.6f %10.6f", k ? "  " : "", all[k][i], all[k][i + 3],
                   all[k][i + 6]);
        putchar('\n');
    }
}

static const char *word(int yes) {
    return yes ? "yes" : "no";
}

static void print_theorems(const sodae_alpha_conditions *t) {
    printf("conditions   003 (12) %s, (50) %s, (51) %s; r_gamma %.6g, r_alpha_m %.6g, r_alpha_f "
           "%.6g\n",
           word(t->order), word(t->stable), word(t->contractive), t->r_gamma, t->r_alpha_m,
           t->r_alpha_f);
    printf("rho(T)       index3 %.6g, stabilized %.6g\n", t->rho_index3, t->rho_stabilized);
    printf("order 2 of q, v and multipliers by the theorems: index3 %s, stabilized %s, soi2 %s, "
           "nonholonomic %s\n",
           word(t->index3), word(t->stabilized), word(t->soi2), word(t->nonholonomic));
}

void cli_analysis_print(const cli_analysis *a) {
    const sodae_alpha_coefficients *c = &a->c;
    printf("method       %s\n", a->method);
    printf("alpha_m      %.15g\nalpha_f      %.15g\nbeta         %.15g\ngamma        %.15g\n",
           c->alpha_m, c->alpha_f, c->beta, c->gamma);
    printf("alpha        %.15g (a_n belongs to t_n + alpha h)\n", c->alpha_m - c->alpha_f);
    printf("order        %d\n", a->check.order);
    printf("stable       at h = 0: %s; for every h: %s", a->check.zero_stable ? "yes" : "no",
           a->check.unconditionally_stable ? "yes\n" : "no");
    if (!a->check.unconditionally_stable) printf(", up to h*omega = %.10g\n", a->check.h_omega_max);
    printf("rho_inf      %.10g\n", a->check.rho_inf);
    if (isinf(a->c_inf))
        printf("c_inf        infinite\n");
    else
        printf("c_inf        %.10g at n = %d\n", a->c_inf, a->c_inf_at);
    if (a->extended)
        printf(
            "theorem      000 4.5, for every b but 1/2: order 2 of q, v and a; multipliers are of "
            "order 1\n");
    else
        print_theorems(&a->theorems);
    for (int i = 0; i < CLI_SYSTEMS && !a->extended; i++) print_growth(&a->growth[i]);
    printf("\n%14s  %15s  %14s\n", "h*omega", "spectral radius", "overshoot");
    for (int i = 0; i < a->count; i++)
        printf("%14.6g  %15.10f  %14.6g\n", a->omega[i], a->radius[i], a->overshoot[i]);
}
