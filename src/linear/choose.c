/* Which backend factors a matrix. Up to order 64 the own dense LU; else by the pattern: symmetric
 * ones by LDL^T, with much fill by MUMPS; the others by KLU, with much fill by UMFPACK. A backend
 * that refuses a matrix is followed by the next for that factor alone; what follows chooses its
 * pivots for each matrix, so that factors depend on the values and on nothing before. */
#include "linear/sparse.h"

#include "base/tuning.h"

TUNING(ldl_most, 400, "flops per number of L: LDL^T 26 ms, MUMPS 12 at 592; 45 and 36 at 365");
TUNING(klu_most, 100, "flops per number of L: KLU 2.4 ms, UMFPACK 6 at 103; 94 and 34 at 592");

enum { CANDIDATES = 4 };

typedef struct chosen chosen;
struct chosen {
    const pattern *pattern;
    const chosen *like; /* of an equal pattern, or NULL */
    linear_choice choice;
    int complex, symmetric;
    const linear_backend *backend[CANDIDATES];
    void *work[CANDIDATES]; /* NULL: not opened yet */
    arena memory[CANDIDATES];
    int count, now; /* count 0: not chosen yet; now: who has the factors; -1: nobody */
    const char *why;
};

static void end(void *self) {
    chosen *c = self;
    for (int i = 0; i < CANDIDATES; i++) arena_free(&c->memory[i]);
}

/* The workspace of this backend for the other matrix of the same pattern. */
static const void *twin(const chosen *c, const linear_backend *b) {
    for (int i = 0; c->like && b->analyse_like && i < c->like->count; i++)
        if (c->like->backend[i] == b) return c->like->work[i];
    return NULL;
}

static int opened(chosen *c, int i) {
    const linear_backend *b = c->backend[i];
    const void *other = twin(c, b);
    arena *a = &c->memory[i];
    if (!c->work[i] && !a->failed)
        c->work[i] = other ? b->analyse_like(a, other) : b->analyse(a, c->pattern);
    return c->work[i] != NULL;
}

static void leave_out(chosen *c, int i) {
    arena_free(&c->memory[i]);
    for (c->count--; i < c->count; i++) {
        c->backend[i] = c->backend[i + 1], c->work[i] = c->work[i + 1];
        c->memory[i] = c->memory[i + 1];
    }
    c->work[c->count] = NULL, c->memory[c->count] = (arena){0};
}

static void exchange_first(chosen *c) {
    const linear_backend *b = c->backend[0];
    void *w = c->work[0];
    arena m = c->memory[0];
    c->backend[0] = c->backend[1], c->work[0] = c->work[1], c->memory[0] = c->memory[1];
    c->backend[1] = b, c->work[1] = w, c->memory[1] = m;
}

static void add(chosen *c, const linear_backend *b) {
    for (int i = 0; i < c->count; i++)
        if (c->backend[i] == b) return;
    c->backend[c->count++] = b;
}

/* The first two candidates change places where there is much fill. */
static void judge_fill(chosen *c, double most, double (*flops)(const void *), const char *little,
                       const char *much) {
    c->why = little;
    if (c->count < 2 || flops(c->work[0]) <= most || !opened(c, 1)) return;
    exchange_first(c);
    c->why = much;
}

/* MUMPS is there for real numbers alone, and for much fill: with little KLU is the next. */
static void choose_symmetric(chosen *c) {
    add(c, c->complex ? &linear_ldl_complex : &linear_ldl);
    int little = opened(c, 0) && kkt_flops_per_entry(c->work[0]) <= ldl_most;
    if (!c->work[0] || (c->complex && !little)) {
        leave_out(c, 0);
        return;
    }
    if (!little) add(c, &linear_mumps);
    judge_fill(c, ldl_most, kkt_flops_per_entry, "symmetric, at most 400 flops per entry",
               "symmetric, more than 400 flops per entry");
}

static void choose_unsymmetric(chosen *c) {
    add(c, c->complex ? &linear_klu_complex : &linear_klu);
    add(c, c->complex ? &linear_umfpack_complex : &linear_umfpack);
    if (c->why) return;
    if (opened(c, 0))
        judge_fill(c, klu_most, klu_flops_per_entry, "unsymmetric, at most 100 flops per entry",
                   "unsymmetric, more than 100 flops per entry");
}

static void choose_asked(chosen *c) {
    const linear_backend *real[LINEAR_CHOICES] = {[LINEAR_LDL] = &linear_ldl,
                                                  [LINEAR_KLU] = &linear_klu,
                                                  [LINEAR_UMFPACK] = &linear_umfpack,
                                                  [LINEAR_MUMPS] = &linear_mumps};
    const linear_backend *pair[LINEAR_CHOICES] = {[LINEAR_LDL] = &linear_ldl_complex,
                                                  [LINEAR_KLU] = &linear_klu_complex,
                                                  [LINEAR_UMFPACK] = &linear_umfpack_complex};
    const linear_backend *b = c->complex ? pair[c->choice] : real[c->choice];
    if (!b) return;
    add(c, b);
    c->why = opened(c, 0) ? "asked for" : "the one asked for does not fit the matrix or is missing";
    if (!c->work[0]) leave_out(c, 0);
}

/* 0: out of memory. */
static int choose(chosen *c) {
    if (c->count) return opened(c, 0);
    if (c->choice != LINEAR_AUTO)
        choose_asked(c);
    else if (c->symmetric)
        choose_symmetric(c);
    choose_unsymmetric(c);
    return opened(c, 0);
}

static sodae_status factor(void *work, const double *values, const linear_pins *pins,
                           const linear_units *units) {
    chosen *c = work;
    sodae_status st = SODAE_SINGULAR;
    c->now = -1;
    if (!choose(c)) return SODAE_NO_MEMORY;
    for (int i = 0; i < c->count && st == SODAE_SINGULAR; i++) {
        if (!opened(c, i)) continue;
        if (i > 0) klu_forget(c->backend[i], c->work[i]);
        st = c->backend[i]->factor(c->work[i], values, pins, units);
        if (!st) c->now = i;
    }
    return st;
}

static double condition(void *work) {
    chosen *c = work;
    return c->now < 0 ? 0 : c->backend[c->now]->condition(c->work[c->now]);
}

static void solve(void *work, double *b, const linear_pins *pins) {
    chosen *c = work;
    int i = c->now < 0 ? 0 : c->now;
    if (choose(c)) c->backend[i]->solve(c->work[i], b, pins);
}

static void correct(void *work, double *b) {
    chosen *c = work;
    int i = c->now < 0 ? 0 : c->now;
    if (!choose(c)) return;
    if (c->backend[i]->correct)
        c->backend[i]->correct(c->work[i], b);
    else
        c->backend[i]->solve(c->work[i], b, &(linear_pins){0});
}

/* Of the last one that was tried and knows. */
static int weakest(const void *work) {
    const chosen *c = work;
    int found = -1;
    for (int i = 0; i < c->count; i++)
        if (c->work[i] && c->backend[i]->weakest && found < 0)
            found = c->backend[i]->weakest(c->work[i]);
    return found;
}

static void visit(void *work, snapshot_visitor *v) {
    chosen *c = work;
    if (choose(c) && c->backend[0]->visit) c->backend[0]->visit(c->work[0], v);
}

static const char *name_of(const void *work, const char **why) {
    const chosen *c = work;
    if (!c->count) return *why = "no matrix was needed", "auto";
    *why = c->now > 0 ? "the first choice has refused the last matrix" : c->why;
    return c->backend[c->now < 0 ? 0 : c->now]->name;
}

static const linear_backend linear_chosen = {.name = "auto",
                                             .factor = factor,
                                             .condition = condition,
                                             .solve = solve,
                                             .correct = correct,
                                             .weakest = weakest,
                                             .visit = visit,
                                             .chosen = name_of};

static int same_pattern(const pattern *p, const pattern *q) {
    return p->cols == q->cols && pattern_nnz(p) == pattern_nnz(q) &&
           !memcmp(p->colptr, q->colptr, ((size_t)p->cols + 1) * sizeof *p->colptr) &&
           !memcmp(p->rowind, q->rowind, (size_t)pattern_nnz(p) * sizeof *p->rowind);
}

static int open(linear_solver *s, arena *a, chosen how, const linear_solver *like) {
    const pattern *p = how.pattern;
    int small = p->cols <= LINEAR_DENSE_MOST && how.choice == LINEAR_AUTO;
    if (small || how.choice == LINEAR_DENSE)
        return linear_open(s, a, how.complex ? &linear_complex : &linear_dense, p);
    int alike = like && like->backend == &linear_chosen && same_pattern(p, like->pattern);
    chosen *c = arena_take(a, 1, sizeof *c);
    if (!c) return -1;
    *c = how;
    c->like = alike ? like->work : NULL, c->now = -1;
    *s = (linear_solver){.backend = &linear_chosen, .pattern = p, .work = c};
    arena_at_end(a, end, c);
    return a->failed ? -1 : 0;
}

int linear_open_later(linear_solver *s, arena *a, linear_choice choice, const pattern *p) {
    return open(s, a, (chosen){.pattern = p, .choice = choice}, NULL);
}

int linear_open_choice(linear_solver *s, arena *a, linear_choice choice, int complex, int symmetric,
                       const pattern *p) {
    return linear_open_like(s, a, choice, complex, symmetric, p, NULL);
}

int linear_open_like(linear_solver *s, arena *a, linear_choice choice, int complex, int symmetric,
                     const pattern *p, const linear_solver *like) {
    chosen how = {.pattern = p, .choice = choice, .complex = complex, .symmetric = symmetric};
    if (open(s, a, how, like)) return -1;
    return s->backend != &linear_chosen || choose(s->work) ? 0 : -1;
}

/* Only the dense backend can: it takes over. */
int linear_allow_singular(linear_solver *s, arena *a) {
    enum { MOST = 2048 }; /* 32 MB for each of the factors and the decomposition */
    if (!s->backend->allow_singular) {
        if (s->pattern->cols > MOST) return -1;
        s->backend = &linear_dense, s->work = linear_dense.analyse(a, s->pattern);
        if (s->units && linear_use_units(s, a, s->units)) return -1;
    }
    return s->work ? s->backend->allow_singular(s->work, a) : -1;
}
