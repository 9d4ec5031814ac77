/* An imported model moves as it does in MuJoCo. */
#include "cli/import.h"
#include "claims.h"

#include <sodae/sodae.h>

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *import(const char *path) {
    char why[500] = "";
    FILE *file = tmpfile();
    char *text = calloc(1, 1 << 16);
    assert_non_null(file);
    if (import_mujoco(path, file, why, sizeof why)) fail_msg("%s", why);
    rewind(file);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    return text;
}

static sodae *start(const char *text, sodae_model **model) {
    sodae *s;
    sodae_failure why = {0};
    sodae_options o = sodae_default_options();
    o.rtol = 1e-9;
    if (sodae_model_parse(text, strlen(text), "arm", NULL, model, &why))
        fail_msg("%s", why.message);
    if (sodae_create(&s, sodae_model_problem(*model), &o, &why) < 0) fail_msg("%s", why.message);
    if (sodae_start(s) < 0) fail_msg("%s", sodae_last_failure(s)->message);
    return s;
}

static void a_tree_of_joints_moves_as_in_mujoco(void **unused) {
    static const struct {
        const char *mujoco, *sodae;
    } names[] = {{"upper/arm", "upper_arm"}, {"fore", "fore"},   {"hand", "hand"},
                 {"slider", "slider"},       {"wrist", "wrist"}, {"plate", "plate"},
                 {"flyer", "flyer"}};
    char *text = import(MODELS "/arm.xml"), why[300] = "";
    sodae_model *model;
    sodae *s = start(text, &model);
    mjModel *m = mj_loadXML(MODELS "/arm.xml", NULL, why, sizeof why);
    mjData *d = mj_makeData(m);
    const sodae_mechanism *mechanism = sodae_model_mechanism(model);
    (void)unused;
    for (int i = 0; i < 2000; i++) mj_step(m, d); /* 0.4 s */
    mj_kinematics(m, d);
    if (sodae_advance(s, d->time, NULL, NULL) < 0) fail_msg("%s", sodae_last_failure(s)->message);
    const double *q = sodae_state(s)->q;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        int body = mj_name2id(m, mjOBJ_BODY, names[i].mujoco), here = 0;
        while (strcmp(sodae_mechanism_body_name(mechanism, here), names[i].sodae)) here++;
        for (int k = 0; k < 3; k++) CHECK_NEAR(q[12 * here + k], d->xipos[3 * body + k], 1e-7);
    }
    mj_deleteData(d);
    mj_deleteModel(m);
    sodae_free(s);
    sodae_model_free(model);
    free(text);
}

static void what_is_left_out_is_said(void **unused) {
    char *text = import(MODELS "/arm.xml");
    (void)unused;
    assert_non_null(strstr(text, "# left out: actuator drive\n"));
    assert_null(strstr(text, "base")); /* ground */
    assert_non_null(strstr(text, "fix_hand: {fixed: [fore, hand]}"));
    assert_non_null(strstr(text, "w1: {universal: [fore, wrist]"));
    assert_non_null(strstr(text, "{plane_on_plane: [ground, plate]"));
    free(text);
}

/* A parallelogram closed by a connect, a weld, a ratio and a prescribed joint. */
static void equalities_become_joints(void **unused) {
    char *text = import(MODELS "/loop.xml");
    sodae_model *model;
    sodae *s = start(text, &model);
    sodae_start_report r = *sodae_started(s);
    (void)unused;
    assert_non_null(strstr(text, "equality1: {spherical: [right, coupler], at: [1, 0, 1]}"));
    assert_non_null(strstr(text, "equality2: {fixed: [coupler, box]"));
    assert_non_null(strstr(text, "equality3: {gear: [jl, jc], ratio: -1}"));
    assert_non_null(strstr(text, "# left out: equality 4"));
    const sodae_problem *p = sodae_model_problem(model);
    assert_int_equal(p->nv - p->nlambda + r.redundant, 1);
    if (sodae_advance(s, 0.5, NULL, NULL) < 0) fail_msg("%s", sodae_last_failure(s)->message);
    sodae_free(s);
    sodae_model_free(model);
    free(text);
}

static void a_file_that_is_none_is_refused(void **unused) {
    char why[500] = "";
    (void)unused;
    assert_int_equal(import_mujoco(MODELS "/states.json", stdout, why, sizeof why), 1);
    assert_true(strlen(why) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_of_joints_moves_as_in_mujoco),
        cmocka_unit_test(what_is_left_out_is_said),
        cmocka_unit_test(equalities_become_joints),
        cmocka_unit_test(a_file_that_is_none_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
