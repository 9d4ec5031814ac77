/* Multipliers by (6.21) of paper 004: lambda is carried from step to step with its rate, as q is
 * with v. For Gauss where it is forced upon index 3 and index 2; for Radau IIA, whose lambda is
 * that of the last stage, when the rate is asked for.
 *
 *   Lambda = lambda_n + h c lambda'_n + h^2 At Lambda'',   lambda_{n+1} = lambda_n + h lambda'_n +
 *   h^2 bt Lambda'',   lambda'_{n+1} = lambda'_n + h b Lambda''
 *
 * Of Gauss neither converges (|R(infinity)| = 1, a double eigenvalue): that is why it is refused
 * there. Of Radau IIA lambda' has order s - 2. q and v do not feel them. */
#include "method/glm.h"

#include "base/vec.h"
#include "linear/small.h"

/* (6.21) for one multiplier, number m of the unknowns of a stage. */
static double carry(const glm_set *set, double h, int m, double now, double rate,
                    double *next_rate) {
    const glm_table *t = &set->table;
    int n = t->stages;
    long double A[GLM_STAGES * GLM_STAGES], x[GLM_STAGES], next = now + h * rate, slope = rate;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i * n + j] = t->Dt[i][j];
        x[i] = set->form.x[i * set->form.n + m] - now - h * t->c[i] * rate;
    }
    small_solve(n, A, n, 1, x, 1); /* x = h^2 Lambda'' */
    for (int j = 0; j < n; j++) next += t->Dt[n][j] * x[j], slope += t->Ft[n][j] * x[j] / h;
    *next_rate = (double)slope;
    return (double)next;
}

sodae_status glm_carry_multipliers(stepper *s, glm *g, const glm_set *set, double h) {
    int nl = s->e->nl, np = s->e->np;
    const form *f = &set->form;
    sodae_status st =
        g->rated ? SODAE_OK : consistent_multiplier_rate(s->c, &s->now, h / 50, g->rate);
    if (!g->rated || g->family == GLM_GAUSS) {
        vec_copy(nl, s->now.lambda, g->value);
        vec_copy(np, s->now.psi, g->value + nl);
    }
    for (int i = 0; i < nl + np && !st; i++) {
        int m = i < nl ? f->at_lambda + i : f->at_psi + i - nl;
        g->next_value[i] = carry(set, h, m, g->value[i], g->rate[i], &g->next_rate[i]);
    }
    return st;
}
