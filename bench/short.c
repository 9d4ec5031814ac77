/* A short run of a model file many times, as in ensembles: create, start, 10 steps, free; and the
 * same with sodae_reset for create and free. Medians of CPU times in microseconds, as CSV.
 *
 *     short MODEL.yaml */
#include <sodae/model.h>
#include <sodae/sodae.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 4000, ROUNDS = 9 };
#define STEP 0.01

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(sodae *s) {
    if (sodae_start(s) < 0 || sodae_advance(s, 10 * STEP, NULL, NULL))
        fprintf(stderr, "%s\n", sodae_last_failure(s)->message), exit(1);
}

static sodae *create(const sodae_problem *p) {
    sodae_options o = sodae_default_options();
    sodae_failure why;
    sodae *s;
    o.step = STEP;
    if (sodae_create(&s, p, &o, &why)) fprintf(stderr, "%s\n", why.message), exit(1);
    return s;
}

static double whole(const sodae_problem *p) {
    double begin = seconds();
    for (int i = 0; i < RUNS; i++) {
        sodae *s = create(p);
        run(s);
        sodae_free(s);
    }
    return (seconds() - begin) / RUNS;
}

static double again(const sodae_problem *p) {
    sodae *s = create(p);
    double begin = seconds();
    for (int i = 0; i < RUNS; i++) sodae_reset(s, p), run(s);
    double spent = (seconds() - begin) / RUNS;
    sodae_free(s);
    return spent;
}

static int ascending(const void *x, const void *y) {
    return (*(const double *)x > *(const double *)y) - (*(const double *)x < *(const double *)y);
}

static void print(const char *name, double *x) {
    qsort(x, ROUNDS, sizeof *x, ascending);
    printf("%s,%.2f\n", name, 1e6 * x[ROUNDS / 2]);
}

int main(int argc, char **argv) {
    double of_whole[ROUNDS], of_reset[ROUNDS];
    sodae_model *m;
    sodae_failure why;
    if (argc != 2) return puts("short MODEL.yaml"), 2;
    if (sodae_model_load(argv[1], NULL, &m, &why) < 0) return puts(why.message), 1;
    const sodae_problem *p = sodae_model_problem(m);
    for (int i = 0; i < ROUNDS; i++) of_whole[i] = whole(p), of_reset[i] = again(p);
    puts("what,microseconds");
    print("create", of_whole), print("reset", of_reset);
    sodae_model_free(m);
    return 0;
}
