/* Modes of large mechanisms, found nearest to 0, are those of the full matrices. */
#include "mechanism/modes.h"
#include "claims.h"

#include <sodae/sodae.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char spinning[] =
    "sodae: 1\nconfiguration: SE3\ngravity: [0, -1, -9.81]\n"
    "sections: {s: {EA: 1e4, GA: [4e3, 5e3], GJ: 30, EI: [40, 50], rhoA: 1.2, rhoJ: [1.2e-2, 6e-3, "
    "6e-3]}}\n"
    "bodies:\n"
    "  hub: {mass: 1, inertia: [1, 2, 1.5], at: [0, 0, 0.1]}\n"
    "  far: {mass: 0.3, inertia: [.1, .2, .15], at: [2.1, 0, 0.1]}\n"
    "  disk: {mass: 0.3, inertia: [.1, .1, .15], at: [0, 1, 0.1]}\n"
    "beams: {blade: {from: [0.2, 0, 0.1], to: [1.2, 0, 0.1], elements: 6, section: s, damping: "
    "0.001}}\n"
    "joints:\n"
    "  base: {spherical: [ground, hub], at: [0, 0, 0]}\n"
    "  clamp: {fixed: [hub, blade.start], points: {hub: [0.2, 0, 0], blade.start: [0, 0, 0]}}\n"
    "  hinge: {universal: [blade.end, far], at: [1.3, 0, 0.1], axes: [[0, 1, 0], [0, 0, 1]]}\n"
    "  roll: {rolling: [ground, disk], plane: {at: [0, 0, 0], normal: [0, 0, 1]}, sphere: {radius: "
    "0.1}}\n"
    "forces:\n"
    "  k: {spring: [ground, hub], at: [[0, 0, 2], [0.2, 0.1, 0.4]], stiffness: 40, damping: 0.1}\n"
    "  l: {spring: [ground, hub], at: [[0, 3, 2], [0.1, 0.1, 0.4]], stiffness: 60}\n"
    "  t: {bushing: [blade.end, far], at: [1.3, 0, 0.1], stiffness: [0, 0, 0, 3, 4, 5], damping: "
    "[0, 0, 0, "
    "0, 0, 0.1]}\n"
    "  d: {bushing: [ground, disk], at: [0, 1, 0.1], stiffness: [9, 8, 7, 6, 5, 4], damping: [0, "
    "0, 0, 0, 0, "
    "0]}\n"
    "initial: {hub: {angular_velocity: [0.2, 0.1, 1]}, disk: {angular_velocity: [0.2, 0.3, 2]}}\n";

static const char planar[] =
    "sodae: 1\nplanar: true\ngravity: [0, -9.81]\n"
    "bodies:\n  a: {mass: 1, inertia: 0.1, at: [0, 0]}\n  b: {mass: 2, inertia: 0.1, at: [1, 0]}\n"
    "  c: {mass: 1.5, inertia: 0.2, at: [2, 0.3], angle: 0.4}\n"
    "joints:\n  p: {revolute: [ground, a], at: [0, 0.5]}\n  q: {revolute: [a, b], at: [0.5, 0]}\n"
    "  r: {prismatic: [b, c], at: [1.5, 0], axis: [1, 1]}\n"
    "forces:\n  k: {torsion_spring: p, stiffness: 20}\n  l: {torsion_spring: q, stiffness: 30, "
    "damping: 0.5}\n"
    "  m: {torsion_spring: r, stiffness: 50}\n";

static void check(const char *text) {
    sodae_model *model;
    sodae_failure why;
    if (sodae_model_parse(text, strlen(text), "model", NULL, &model, &why))
        fail_msg("%s", why.message);
    const sodae_mechanism *m = sodae_model_mechanism(model);
    const sodae_problem *p = sodae_mechanism_problem(m);
    sodae_point at = p->initial;
    double *lambda = calloc((size_t)p->nlambda + 1, sizeof *lambda), psi[2] = {0.1, 0.2};
    mech_linear whole, near = {0};
    double changed;
    for (int i = 0; i < p->nlambda; i++) lambda[i] = 0.3 * ((i * 7) % 5 - 2);
    at.lambda = lambda, at.psi = psi, at.work = calloc(1, p->work_size);
    assert_int_equal(mech_linear_open(&whole, m), 0);
    assert_int_equal(mech_linearise(&whole, m, &at, 1), 0);
    assert_int_equal(mech_eigen(&whole, &why), 0);
    assert_int_equal(mech_sparse_modes(&near, m, &at, &at, &changed), 0);
    assert_true(changed == 0 && near.count >= (whole.count < 30 ? whole.count - 2 : 30));
    for (int k = 0; k < near.count; k++) {
        double best = INFINITY, size = hypot(near.re[k], near.im[k]);
        for (int i = 0; i < whole.count; i++)
            best = fmin(best, hypot(near.re[k] - whole.re[i], near.im[k] - whole.im[i]));
        CHECK_NEAR(best / size, 0, 1e-6);
    }
    mech_linear_close(&whole), mech_linear_close(&near);
    free(at.work), free(lambda);
    sodae_model_free(model);
}

static void modes_near_zero_are_those_of_the_full_matrices(void **unused) {
    (void)unused;
    check(spinning);
    check(planar);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_near_zero_are_those_of_the_full_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
