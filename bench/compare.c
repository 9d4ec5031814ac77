/* Work and precision of sodae and its peers on problems of the bench, as CSV: tolerances from 1e-1
 * down until a solver's errors of q and lambda at the end are below 1e-7. All solvers take turns at
 * each tolerance, ROUNDS times; the time is the median CPU time of a run, set-up included.
 *
 *   compare [--only SOLVER,...] [--tol T,...] [--rounds N] [--seconds S] [--check] PROBLEM ...
 *   compare              lists problems and solvers
 *
 * Under callgrind (--collect-atstart=no) one round is counted: a dump of its name for each run.
 * --seconds: CPU time after which a run is ended. --check: compares derivatives with differences,
 * nothing else. --bytes: prints the bits of the end state of the first tolerance as one number. */
#include "bench/solver.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <valgrind/callgrind.h>

/* Runs are repeated until they take this long together, so that the clock's grain does not show. */
#define SHORTEST 4e-3
/* Seconds for the rounds of all solvers at one tolerance: long runs are repeated less. */
#define AT_ONCE 15
/* Tolerance of the reference: its error is far below the smallest that is compared, 1e-7. */
#define CLOSER 1e-12

enum { SOLVERS = 32, TOLERANCES = 12, ROUNDS_MAX = 15 };

typedef struct settings {
    double tol[TOLERANCES], seconds;
    int tolerances, rounds, check, bytes;
    const char *only;
} settings;

typedef struct race {
    const solver *s;
    void *memory;
    outcome out;
    double spent[ROUNDS_MAX], q, lambda;
    int done, repeats;
} race;

/* Of this thread, the only one: the clock of the process moves by ticks while an alarm is set. */
static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void ring_bell(int number) {
    (void)number;
    solver_late = 1;
}

static void set_alarm(double seconds) {
    struct itimerval it = {
        .it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    solver_late = 0;
    setitimer(ITIMER_PROF, &it, NULL);
}

static void outcome_open(outcome *out, const sodae_problem *p) {
    size_t nq = (size_t)sodae_problem_nq(p), nv = (size_t)p->nv, nl = (size_t)p->nlambda;
    *out = (outcome){.q = calloc(nq + nv + nl, sizeof(double))};
    out->v = out->q + nq, out->lambda = out->v + nv;
}

/* Largest |x - y| / (1 + |y|); of a quaternion and its negative the nearer one. */
static double distance(int n, const double *x, const double *y, double sign) {
    double worst = 0;
    for (int i = 0; i < n; i++) {
        double e = fabs(sign * x[i] - y[i]) / (1 + fabs(y[i]));
        if (!(e <= worst)) worst = e;
    }
    return worst;
}

static double distance_q(const sodae_problem *p, const double *x, const double *y) {
    double worst = 0;
    if (!p->space) return distance(p->nv, x, y, 1);
    for (int k = 0; k < p->space->nparts; k++) {
        const sodae_part *g = &p->space->parts[k];
        double e = distance(g->nq, x + g->q0, y + g->q0, 1);
        if (!g->group->abelian) e = fmin(e, distance(g->nq, x + g->q0, y + g->q0, -1));
        worst = fmax(worst, e);
    }
    return worst;
}

static void run(race *r, double tol) {
    memset(r->out.status, 0, sizeof r->out.status);
    strcpy(r->out.status, "ok");
    CALLGRIND_TOGGLE_COLLECT;
    r->s->run(r->s, r->memory, tol, &r->out);
    CALLGRIND_TOGGLE_COLLECT;
}

/* Seconds of a run, from as many as take SHORTEST together. */
static double timed(race *r, double tol, double seconds) {
    set_alarm(seconds);
    double begin = cpu_seconds();
    for (int k = 0; k < r->repeats; k++) run(r, tol);
    double spent = cpu_seconds() - begin;
    set_alarm(0);
    return spent / r->repeats;
}

static int ascending(const void *x, const void *y) {
    return (*(const double *)x > *(const double *)y) - (*(const double *)x < *(const double *)y);
}

static void print(const char *problem, race *r, double tol, int rounds) {
    const outcome *o = &r->out;
    qsort(r->spent, (size_t)rounds, sizeof *r->spent, ascending);
    double median = (r->spent[(rounds - 1) / 2] + r->spent[rounds / 2]) / 2;
    printf("%s,%s,%.0e,%s,%.6e,%ld,%ld,%ld,%ld,%ld,%.3e,%.3e\n", problem, r->s->name, tol,
           o->status, median, o->steps, o->refused, o->forces, o->iterations, o->matrices, r->q,
           r->lambda);
    fflush(stdout);
}

static void print_bytes(const char *problem, const sodae_problem *p, const race *r) {
    size_t bytes = sizeof(double) * (size_t)(sodae_problem_nq(p) + p->nv + p->nlambda);
    const unsigned char *x = (const unsigned char *)r->out.q;
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ x[i]) * 1099511628211u;
    printf("%s,%s,%016llx\n", problem, r->s->name, (unsigned long long)hash);
}

/* The first run tells how often the next ones are repeated, the errors and whether it is the last.
 */
static void first_round(const char *name, const sodae_problem *p, const settings *plan, race *r,
                        double tol, const outcome *truth) {
    CALLGRIND_ZERO_STATS;
    r->repeats = 1;
    r->spent[0] = timed(r, tol, plan->seconds);
    char label[100];
    snprintf(label, sizeof label, "%s,%s,%.0e", name, r->s->name, tol);
    CALLGRIND_DUMP_STATS_AT(label);
    r->repeats = RUNNING_ON_VALGRIND ? 1 : 1 + (int)fmin(1e4, SHORTEST / r->spent[0]);
    int ok = strcmp(r->out.status, "ok") == 0;
    r->q = ok ? distance_q(p, r->out.q, truth->q) : NAN;
    r->lambda = ok ? distance(p->nlambda, r->out.lambda, truth->lambda, 1) : NAN;
    double tightest = r->s->tightest > 0 ? r->s->tightest : 1e-10;
    r->done = (r->q <= 1e-7 && r->lambda <= 1e-7) || tol < 1.5 * tightest ||
              strcmp(r->out.status, "TOO_LONG") == 0;
}

static void at_tolerance(const char *name, const sodae_problem *p, const settings *plan,
                         race *racers, int n, double tol, const outcome *truth) {
    int takes_part[SOLVERS], rounds = RUNNING_ON_VALGRIND ? 1 : plan->rounds;
    double all = 0;
    for (int i = 0; i < n; i++) {
        takes_part[i] = !racers[i].done;
        if (!takes_part[i]) continue;
        first_round(name, p, plan, &racers[i], tol, truth);
        all += racers[i].spent[0];
    }
    rounds = (int)fmax(1, fmin(rounds, AT_ONCE / all));
    for (int k = 1; k < rounds; k++)
        for (int i = 0; i < n; i++)
            if (takes_part[i])
                racers[i].spent[k] =
                    strcmp(racers[i].out.status, "TOO_LONG") && racers[i].spent[0] < 5
                        ? timed(&racers[i], tol, plan->seconds)
                        : racers[i].spent[0];
    for (int i = 0; i < n; i++)
        if (takes_part[i]) {
            if (plan->bytes) {
                print_bytes(name, p, &racers[i]);
                racers[i].done = 1;
            } else {
                print(name, &racers[i], tol, rounds);
            }
        }
}

/* Is it in the comma-separated list? NULL: all are. */
static int wanted(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (!strncmp(at, name, n) && (at[n] == ',' || !at[n])) return 1;
    return !list;
}

static int reference(const sodae_problem *p, bench_problem *b, outcome *truth) {
    race r = {.s = &solver_reference, .memory = arkode_open(&solver_reference, b)};
    if (!r.memory) return 1;
    r.out = *truth;
    strcpy(r.out.status, "ok");
    solver_late = 0;
    r.s->run(r.s, r.memory, CLOSER, &r.out);
    r.s->close(r.memory);
    if (strcmp(r.out.status, "ok")) fprintf(stderr, "%s: reference: %s\n", p->name, r.out.status);
    return strcmp(r.out.status, "ok") != 0;
}

static void compare(const char *name, const settings *plan) {
    race racers[SOLVERS];
    outcome truth;
    int n = 0;
    bench_problem *b = bench_open(name);
    if (!b) exit(2);
    sodae_failure why;
    if (plan->check) {
        sodae_status st = sodae_check_derivatives(&b->p, NULL, 0, &why);
        printf("%s: %s\n", name, st ? why.message : "derivatives agree with differences");
        bench_close(b);
        return;
    }
    outcome_open(&truth, &b->p);
    if (!plan->bytes && reference(&b->p, b, &truth)) exit(1);
    for (int i = 0; solver_at(i); i++) {
        const solver *s = solver_at(i);
        void *memory = wanted(plan->only, s->name) ? s->open(s, b) : NULL;
        if (!memory) continue;
        racers[n] = (race){.s = s, .memory = memory};
        outcome_open(&racers[n++].out, &b->p);
    }
    for (int k = 0; k < plan->tolerances; k++)
        at_tolerance(name, &b->p, plan, racers, n, plan->tol[k], &truth);
    for (int i = 0; i < n; i++) racers[i].s->close(racers[i].memory), free(racers[i].out.q);
    free(truth.q);
    bench_close(b);
}

static void list(void) {
    const char *help;
    for (int i = 0; bench_name(i, &help); i++) printf("%-14s %s\n", bench_name(i, &help), help);
    for (int i = 0; solver_at(i); i++) printf("%s%s", i ? " " : "\nsolvers: ", solver_at(i)->name);
    puts("");
}

static int read_tolerances(settings *plan, char *text) {
    plan->tolerances = 0;
    for (char *word = strtok(text, ","); word && plan->tolerances < TOLERANCES;
         word = strtok(NULL, ","))
        plan->tol[plan->tolerances++] = atof(word);
    return 0;
}

int main(int argc, char **argv) {
    settings plan = {.rounds = 5, .seconds = 20, .tolerances = 10};
    int i = 1;
    for (int k = 0; k < 10; k++) plan.tol[k] = pow(10, -1 - k);
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        const char *name = argv[i];
        if (!strcmp(name, "--check"))
            plan.check = 1;
        else if (!strcmp(name, "--bytes"))
            plan.bytes = plan.rounds = 1;
        else if (++i == argc)
            return 2;
        else if (!strcmp(name, "--only"))
            plan.only = argv[i];
        else if (!strcmp(name, "--tol"))
            read_tolerances(&plan, argv[i]);
        else if (!strcmp(name, "--rounds"))
            plan.rounds = atoi(argv[i]) < ROUNDS_MAX ? atoi(argv[i]) : ROUNDS_MAX;
        else if (!strcmp(name, "--seconds"))
            plan.seconds = atof(argv[i]);
        else
            return fprintf(stderr, "unknown option %s\n", name), 2;
    }
    if (i == argc) return list(), 0;
    sigaction(SIGPROF, &(struct sigaction){.sa_handler = ring_bell}, NULL);
    if (!plan.check && !plan.bytes)
        puts("problem,solver,tol,status,seconds,steps,refused,forces,iterations,matrices,err_q,err_"
             "lambda");
    for (; i < argc; i++) compare(argv[i], &plan);
    return 0;
}
