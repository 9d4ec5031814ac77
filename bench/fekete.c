/* Fekete points to t = 1000 (Test Set for IVP Solvers), sodae's default and IDA, as CSV. Times are
 * those of one run.
 *
 *   fekete MODEL.yaml */
#include "bench/outcome.h"

#include <math.h>
#include <sodae/model.h>
#include <stdio.h>

static const double published = -0.4070263380333202; /* first coordinate at the end */

static void run(const solver *s, const sodae_problem *p, double tol) {
    outcome o = {.status = "ok"};
    double start = seconds_now();
    (s->method < 0 ? run_ida : run_ours)(s, p, 1000, tol, 0, &o);
    printf("%s,%g,%s,%ld,%ld,%ld,%ld,%.1e,%.2f\n", s->name, tol, o.status, o.steps, o.refused,
           o.residuals, o.factorizations, fabs(o.first - published), seconds_now() - start);
    fflush(stdout);
}

int main(int argc, char **argv) {
    static const solver list[] = {
        {.name = "default", .method = SODAE_METHOD_AUTO, .formulation = SODAE_FORMULATION_AUTO},
        {.name = "ida", .method = -1, .all_in_test = 1, .seconds = 20},
        {.name = "ida nl", .method = -1, .seconds = 20},
    };
    static const double tolerances[] = {1e-4, 1e-6, 1e-8};
    sodae_failure why;
    sodae_model *model = NULL;
    if (argc < 2 || sodae_model_load(argv[1], NULL, &model, &why) < 0) {
        fprintf(stderr, "%s\n", argc < 2 ? "usage: fekete MODEL.yaml" : why.message);
        return 2;
    }
    puts("solver,tol,status,steps,refused,residuals,factorizations,err_x1,seconds");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++)
            run(&list[i], sodae_model_problem(model), tolerances[k]);
    sodae_model_free(model);
    return 0;
}
