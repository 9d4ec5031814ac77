/* Collocation and general linear methods: which table, which formulation, room. What is known not
 * to converge (004, section 6.1 and Appendix A; the orders are listed in the tests) is refused with
 * the reason, unless forced. */
#include "method/glm.h"

#include "base/failure.h"

#include <math.h>

static sodae_status choose_table(const stepper *s, glm *g) {
    const sodae_options *o = s->o;
    int direct = o->method == SODAE_DC, multi = direct || o->method == SODAE_MSR;
    g->family = o->method == SODAE_GAUSS ? GLM_GAUSS : direct ? GLM_DIRECT : GLM_RADAU;
    g->steps = !multi ? 1 : o->steps ? o->steps : direct ? 3 : 2;
    g->chapter4 = s->controlled && o->strategy == SODAE_STRATEGY_CHAPTER4;
    int k = g->steps, n = g->stages = o->stages ? o->stages : multi || g->chapter4 ? 2 : 3;
    int known = !multi   ? 1
                : direct ? (n == 2 && (k == 3 || k == 4)) || (n == 3 && k == 3)
                         : (n == 2 && k >= 2 && k <= 4) || (n == 3 && k == 2);
    if (known) return SODAE_OK;
    return failure_set(
        s->e->failure, SODAE_NOT_ALLOWED, "steps",
        "%s with %d steps and %d stages is not among the methods known to be stable: "
        "(steps, stages) may be %s",
        sodae_method_name(o->method), k, n,
        direct ? "(3,2), (4,2), (3,3)" : "(2,2), (3,2), (4,2), (2,3)");
}

static const form_kind *formulation(const stepper *s, const glm *g, int f) {
    switch (f) {
    case SODAE_FORMULATION_AUTO:
        return g->family == GLM_GAUSS && s->e->nl + s->e->np ? &form_index1 : &form_index3;
    case SODAE_INDEX3:
        return &form_index3;
    case SODAE_INDEX2:
        return &form_index2;
    case SODAE_INDEX1:
        return &form_index1;
    case SODAE_STABILIZED:
    case SODAE_GGL: /* (7.10): the same equations */
        return &form_stabilized;
    case SODAE_GGL2:
        return &form_ggl;
    case SODAE_MINIMAL_EXTENSION:
        return &form_minimal;
    default:
        return NULL;
    }
}

/* Why collocation does not support a formulation. */
static const char *unsupported_reason(int wanted) {
    switch (wanted) {
    case SODAE_SOI2:
        return "its two halves are steps of the alpha family";
    default:
        return "it is the form of extended-hht";
    }
}

static const char *supported_formulations(glm_family family) {
    return family == GLM_GAUSS ? "index1 or minimal-extension (index3 and index2 with force=yes)"
           : family == GLM_DIRECT
               ? "index3, ggl2, index2, index1 or minimal-extension"
               : "stabilized (ggl), ggl2, index3, index2, index1 or minimal-extension";
}

/* ggl2: the wrong choice of eta'; `force` allows it. v is q' + G^T eta and carried: its rate needs
 * eta'. Direct collocation carries q alone. */
static const char *wrong_rate(const stepper *s, const glm *g, const form_kind *kind) {
    if (kind->shift != SHIFT_GGL || s->e->nl == 0 || g->eta_keep == (g->family != GLM_DIRECT))
        return NULL;
    return g->family == GLM_DIRECT
               ? "eta' corrects an error of v that q'' of one polynomial does not have, and adds "
                 "one "
                 "of the order of the method; use eta_rate=drop"
               : "without eta' the balance of forces does not have the rate of v: multipliers, and "
                 "q "
                 "and v unless all masses are equal, fall to the order steps + stages - 2; use "
                 "eta_rate=keep";
}

/* Order of the multipliers of Gauss' methods below the level of accelerations: 004 Theorem 5.3.4
 * with |R(infinity)| = 1, two less where the constraints are those of positions. */
static int gauss_order(const stepper *s, const glm *g, const form_kind *kind) {
    int order = g->stages % 2 ? g->stages - 1 : g->stages - 2;
    return form_follows_position(kind) && s->e->nl ? order - 2 : order;
}

static sodae_status check_fit(const stepper *s, const glm *g, const form_kind *kind, int wanted) {
    sodae_failure *why = s->e->failure;
    const char *name = sodae_method_name(s->o->method);
    int constrained = s->e->nl + s->e->np > 0;
    if (!kind)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation", "%s does not take %s: %s; use %s",
                           name, sodae_formulation_name(wanted), unsupported_reason(wanted),
                           supported_formulations(g->family));
    int chart = kind->shift == SHIFT_CHART, two = form_holds_both(kind) && !chart;
    if (g->family == GLM_GAUSS && constrained && two)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "gauss leaves the constraints between its stages: a second multiplier "
                           "does not hold the new state on them; use radau-iia");
    int levels_below = constrained && !form_holds_accelerations(kind, s->e->np);
    int below = gauss_order(s, g, kind);
    if (g->family == GLM_GAUSS && levels_below && below <= 0 && !s->o->force)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "the multipliers of gauss with %d stage%s do not converge with %s%s "
                           "(their order is %d); use %sradau-iia, or index1%s, or force=yes",
                           g->stages, g->stages > 1 ? "s" : "", kind->name,
                           chart ? " and nonholonomic constraints" : "", below,
                           form_follows_position(kind) && s->e->nl ? "" : "3 stages, or ",
                           s->e->np ? "" : ", or minimal-extension");
    if (g->family == GLM_GAUSS && levels_below && s->controlled && !s->o->force)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "gauss keeps what it once leaves of %s (|R(infinity)| = 1), and the "
                           "multipliers divide it by every shorter step: with changing steps they "
                           "do not follow the tolerance; use radau-iia, or index1%s, or a fixed "
                           "step, or force=yes",
                           kind->name, s->e->np ? "" : ", or minimal-extension");
    if (g->stages == 1 && form_follows_position(kind) && s->e->nl && s->controlled && !s->o->force)
        return failure_set(why, SODAE_NOT_ALLOWED, "stages",
                           "with one stage and changing steps the multipliers do not converge with "
                           "index3 (their order is stages - 1); use more stages, or stabilized, or "
                           "a fixed step, or force=yes");
    if (g->family == GLM_DIRECT && kind->second_multiplier && s->e->nl)
        return failure_set(why, SODAE_NOT_ALLOWED, "formulation",
                           "dc takes v from the polynomial of q: there is no equation q' = v for a "
                           "second multiplier; use index3 or ggl2, or msr");
    if (g->chapter4 && !s->e->space->abelian)
        return failure_set(why, SODAE_NOT_ALLOWED, "strategy",
                           "strategy=chapter4 of radau-iia extrapolates numbers: rotations have no "
                           "place in it; use strategy=auto");
    const char *reason = wrong_rate(s, g, kind);
    if (reason && !s->o->force)
        return failure_set(why, SODAE_NOT_ALLOWED, "eta_rate",
                           "%s with ggl2: %s (force=yes runs it)", name, reason);
    return SODAE_OK;
}

static sodae_status open_set(stepper *s, arena *a, glm_set *set, glm_family family, int steps,
                             int stages, const form_kind *kind) {
    set->table.family = family;
    set->table.steps = steps;
    set->table.stages = stages;
    s->kind = kind;
    sodae_status st = form_open(&set->form, a, s->e, kind, stages);
    set->form.linear.watch = &s->e->watch;
    set->form.baumgarte_alpha = isnan(s->o->baumgarte_alpha) ? 0 : s->o->baumgarte_alpha;
    set->form.baumgarte_beta = isnan(s->o->baumgarte_beta) ? 0 : s->o->baumgarte_beta;
    if (!st && !s->e->space->abelian) st = form_open_curve(&set->form, a);
    set->form.swings = family == GLM_DIRECT;
    if (!st && family != GLM_DIRECT && !kind->shift) st = form_open_split(&set->form, a);
    static const double past[GLM_STEPS] = {0};
    if (!st && !a->failed && steps == 1) glm_set_table(set, past);
    return st;
}

/* Under error control the number of stages follows the work, unless it is given, where multipliers
 * belong to the new q and v and do not lose by fewer. */
static void choose_range(const stepper *s, glm *g) {
    int free = s->o->method == SODAE_RADAU_IIA && !s->o->stages && s->controlled && !g->chapter4 &&
               (g->kind->holds_acceleration || form_holds_both(g->kind) || s->e->nl == 0);
    if (g->steps > 1) g->stages = g->steps + g->stages - 1; /* those of the start */
    g->least = free ? 2 : g->stages;
    g->most = free ? 4 : g->stages;
    g->usual = g->next_stages = g->stages;
}

static sodae_status open_sets(stepper *s, arena *a, glm *g, int stages) {
    sodae_status st = SODAE_OK;
    glm_family family = g->steps > 1 ? GLM_RADAU : g->family;
    for (int i = g->least; i <= g->most && !st; i++)
        st = open_set(s, a, &g->one[i], family, 1, i, g->kind);
    if (!st && g->steps > 1) st = open_set(s, a, &g->more, g->family, g->steps, stages, g->kind);
    g->used = g->steps > 1 ? &g->more : &g->one[g->stages];
    return st;
}

/* Multipliers and v' of the last stage have a lower order than q and v, unless the constraints are
 * those of accelerations. Under error control they are those of the new state itself. */
static int settles(const stepper *s, const glm *g) {
    int lower = !form_holds_accelerations(g->kind, s->e->np) && g->family != GLM_GAUSS;
    return s->controlled && !g->chapter4 && lower && s->e->nl + s->e->np > 0;
}

/* Gauss, and constraints of accelerations: they do as they are. */
static int belongs(const stepper *s, const glm *g) {
    return s->settles || s->e->nl + s->e->np == 0 || form_holds_accelerations(g->kind, s->e->np);
}

static void open_multipliers(stepper *s, arena *a, glm *g) {
    size_t n = (size_t)(s->e->nl + s->e->np);
    int asked = s->o->multiplier_rate && g->family == GLM_RADAU && g->steps == 1;
    int gauss = g->family == GLM_GAUSS && !form_holds_accelerations(g->kind, s->e->np);
    g->carries = n && (asked || gauss);
    g->value = arena_doubles(a, n), g->next_value = arena_doubles(a, n);
    g->rate = arena_doubles(a, n), g->next_rate = arena_doubles(a, n);
    if (asked) s->lambda_rate = g->rate;
}

sodae_status glm_open(stepper *s, arena *a, int wanted) {
    glm *g = arena_take(a, 1, sizeof *g);
    if (!g) return SODAE_NO_MEMORY;
    s->memory = g;
    sodae_status st = choose_table(s, g);
    if (st) return st;
    g->kind = formulation(s, g, wanted);
    g->eta_keep = s->o->eta_rate == SODAE_ETA_AUTO ? g->family != GLM_DIRECT
                                                   : s->o->eta_rate == SODAE_ETA_KEEP;
    st = check_fit(s, g, g->kind, wanted);
    if (st) return st;
    const eval *e = s->e;
    size_t nq = (size_t)e->nq, nv = (size_t)e->nv, nr = (size_t)e->nr;
    int stages = g->stages;
    g->apart = g->kind->shift == SHIFT_GGL && g->family == GLM_DIRECT && e->nl;
    g->rate_now = arena_doubles(a, g->apart ? nv : 0);
    choose_range(s, g);
    st = open_sets(s, a, g, stages);
    for (int j = 0; j < g->steps - 1; j++) {
        glm_point *p = &g->past[j];
        p->q = arena_doubles(a, nq), p->v = arena_doubles(a, nv), p->vdot = arena_doubles(a, nv);
        p->r = arena_doubles(a, nr), p->rdot = arena_doubles(a, nr);
        p->dq = arena_doubles(a, nv), p->back = arena_doubles(a, nv);
    }
    g->last = arena_doubles(a, (size_t)((g->most + 1) * g->used->form.n));
    g->unit = arena_doubles(a, nq), g->turn = arena_doubles(a, nq);
    if (!a->failed) sodae_space_identity(e->space, g->unit);
    open_multipliers(s, a, g);
    if (g->chapter4) glm_chapter4_open(s, a, g);
    g->a_used = arena_doubles(a, nv), g->dq = arena_doubles(a, nv), g->dv = arena_doubles(a, nv);
    g->dr = arena_doubles(a, nr);
    if (g->kind->second_multiplier || g->kind->shift == SHIFT_GGL)
        s->eta = arena_doubles(a, (size_t)e->nl);
    s->a_used = g->a_used;
    s->reach = g->steps;
    s->dense_points = glm_dense_points(g->family, g->steps, stages);
    s->settles = settles(s, g);
    s->dense_settles = g->belongs = belongs(s, g);
    g->held = (s->settles && ((form_holds_both(g->kind) && !g->apart) || e->nl == 0)) ||
              (g->belongs && g->kind->shift == SHIFT_CHART);
    if (g->chapter4) s->dense_points = 6, s->dense_values = 1; /* (4.31) */
    if (!st) st = glm_open_error(s, a);
    glm_share_chart(g);
    return st ? st : a->failed ? SODAE_NO_MEMORY : SODAE_OK;
}
