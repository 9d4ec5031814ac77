/* Claims about names of channels, and about reactions in C. */
#include "claims.h"
#include "problems/catalogue.h"
#include "results/channel.h"

#include <stdlib.h>
#include <string.h>

static channel named(const char *name) {
    return (channel){.name = (char *)name, .unit = (char *)""};
}

static void tails_of_paths_resolve_where_they_are_unique(void **unused) {
    const channel item[] = {named("t"),
                            named("joints/pin/force.x"),
                            named("joints/pin/force.y"),
                            named("joints/hinge/force.x"),
                            named("bodies/rod/position[1]"),
                            named("force")};
    enum { N = sizeof item / sizeof item[0] };
    static const struct {
        const char *name;
        int count;
        unsigned char chosen[N];
    } cases[] = {{"pin/force", 2, {0, 1, 1, 0, 0, 0}},
                 {"joints/pin/force", 2, {0, 1, 1, 0, 0, 0}},
                 {"pin/force.y", 1, {0, 0, 1, 0, 0, 0}},
                 {"force", 1, {0, 0, 0, 0, 0, 1}}, /* the whole path comes first */
                 {"force.x", 0, {0}},              /* two paths end so */
                 {"position", 1, {0, 0, 0, 0, 1, 0}},
                 {"rod/position.x", 1, {0, 0, 0, 0, 1, 0}},
                 {"osition", 0, {0}}};
    (void)unused;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        unsigned char chosen[N] = {0};
        assert_int_equal(channel_find(item, N, cases[k].name, chosen), cases[k].count);
        assert_memory_equal(chosen, cases[k].chosen, N);
    }
}

static void a_tail_of_several_paths_is_refused_with_all_of_them(void **unused) {
    const channel item[] = {named("t"), named("joints/pin/force[1]"), named("joints/pin/force[2]"),
                            named("joints/hinge/force[1]"), named("joints/hinge/force[2]")};
    static const char *const names[] = {"force", "force[2]", "force.y"};
    unsigned char chosen[5];
    sodae_failure why;
    (void)unused;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(channel_select(item, 5, names[k], chosen, &why), SODAE_BAD_ARGUMENT);
        assert_non_null(strstr(why.message, names[k]));
        assert_non_null(strstr(why.message, ": joints/pin/force, joints/hinge/force"));
    }
}

static void every_channel_of_the_catalogue_has_a_name_of_its_own(void **unused) {
    (void)unused;
    for (int k = 0; catalogue_at(k); k++) {
        const catalogue_entry *entry = catalogue_at(k);
        double *parameters = calloc((size_t)entry->nparameters + 1, sizeof *parameters);
        for (int i = 0; i < entry->nparameters; i++) parameters[i] = entry->parameters[i].value;
        sodae_problem *p = entry->create(parameters);
        channel_list list;
        assert_int_equal(channel_list_make(&list, p, NULL), SODAE_OK);
        assert_true(list.count >= 1 + sodae_problem_nq(p) + 2 * p->nv + p->nlambda + p->npsi);
        for (int i = 0; i < list.count; i++)
            for (int j = 0; j < i; j++)
                assert_string_not_equal(list.item[i].name, list.item[j].name);
        channel_list_free(&list);
        entry->free(p);
        free(parameters);
    }
}

/* M v' = f - G^T lambda: of the pendulum M = 1 and f = (0, -g). */
static void reactions_are_the_force_that_the_constraints_add(void **unused) {
    (void)unused;
    const catalogue_entry *entry = catalogue_find("pendulum");
    double parameters[8] = {0}, reaction[2];
    for (int i = 0; i < entry->nparameters; i++) parameters[i] = entry->parameters[i].value;
    sodae_problem *p = entry->create(parameters);
    sodae_options o = sodae_default_options();
    sodae *s = NULL;
    assert_int_equal(sodae_create(&s, p, &o, NULL), SODAE_OK);
    assert_int_equal(sodae_reactions(s, reaction), SODAE_WRONG_ORDER);
    assert_true(sodae_start(s) >= 0);
    for (int k = 0; k < 3; k++) {
        const sodae_view *v = sodae_state(s);
        assert_int_equal(sodae_reactions(s, reaction), SODAE_OK);
        double force[2];
        sodae_point at = {.t = v->t, .q = v->q, .v = v->v};
        assert_int_equal(p->value[SODAE_FORCE].fn(&at, force, p->user), 0);
        for (int i = 0; i < 2; i++) CHECK_NEAR(v->vdot[i], force[i] + reaction[i], 1e-9);
        assert_int_equal(sodae_advance(s, 0.3 * (k + 1), NULL, NULL), SODAE_OK);
    }
    assert_int_equal(sodae_reactions(NULL, reaction), SODAE_BAD_ARGUMENT);
    sodae_free(s);
    entry->free(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_of_paths_resolve_where_they_are_unique),
        cmocka_unit_test(a_tail_of_several_paths_is_refused_with_all_of_them),
        cmocka_unit_test(every_channel_of_the_catalogue_has_a_name_of_its_own),
        cmocka_unit_test(reactions_are_the_force_that_the_constraints_add),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
