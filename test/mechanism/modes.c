/* Modes of large mechanisms, found nearest to 0, are those of the full matrices; those of a
 * rotating beam are stiffened by its tension. */
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

/* Turned at w by a drive from a start without tension; 1e-4 s of damping lets it settle. */
static sodae_model *rotating_beam(double w) {
    enum { ELEMENTS = 16 };
    char text[4000];
    int n = snprintf(
        text, sizeof text,
        "sodae: 1\nbodies: {hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\n"
        "beams:\n  b: {from: [0, 0, 0], to: [10, 0, 0], up: [0, 1, 0], elements: %d,\n"
        "    damping: 1e-4, section: {EA: 2.8e7, GA: [1e7, 1e7], GJ: 1.4e4, EI: [1.4e4, 1.4e4],\n"
        "    rhoA: 1.2, rhoJ: [1.2e-3, 6e-4, 6e-4]}}\n"
        "joints:\n  root: {fixed: [hub, b.start]}\n"
        "  shaft: {revolute: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  drive: {motion: shaft, angle: %.17g*t}\ninitial:\n",
        ELEMENTS, w);
    for (int i = 1; i <= ELEMENTS; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "  b.%d: {velocity: [0, %.17g, 0], angular_velocity: [0, 0, %.17g]}\n", i,
                      w * 10 * i / ELEMENTS, w);
    sodae_model *model;
    sodae_failure why;
    if (sodae_model_parse(text, (size_t)n, "beam", NULL, &model, &why)) fail_msg("%s", why.message);
    return model;
}

/* w T = 4 with T^2 = rho A L^4 / EI. Flapping: Wright, Smith, Thresher, Wang, J. Appl. Mech. 49
 * (1982); in the plane of rotation sqrt(flapping^2 - 16). */
static void a_rotating_beam_has_its_frequencies(void **unused) {
    (void)unused;
    const double T = sqrt(1.2e4 / 1.4e4), flap[] = {5.5850, 24.2734};
    sodae_model *model = rotating_beam(4 / T);
    const sodae_problem *p = sodae_model_problem(model);
    size_t nq = (size_t)sodae_problem_nq(p), nv = (size_t)p->nv, nl = (size_t)p->nlambda;
    double *x[2];
    sodae_point at[2];
    sodae_options options = sodae_default_options();
    sodae_failure why;
    sodae_modes modes;
    sodae *s;
    options.rtol = 1e-7;
    if (sodae_create(&s, p, &options, &why) < 0) fail_msg("%s", why.message);
    assert_true(sodae_start(s) >= 0);
    for (int i = 0; i < 2; i++) {
        assert_true(sodae_advance(s, 1 + 0.01 * i, NULL, NULL) >= 0);
        const sodae_view *v = sodae_state(s);
        x[i] = calloc(nq + nv + nl + 8, sizeof *x[i]);
        memcpy(x[i], v->q, nq * sizeof *x[i]);
        memcpy(x[i] + nq, v->v, nv * sizeof *x[i]);
        memcpy(x[i] + nq + nv, v->lambda, nl * sizeof *x[i]);
        memcpy(x[i] + nq + nv + nl, v->r, (size_t)p->nr * sizeof *x[i]);
        at[i] = (sodae_point){.t = v->t,
                              .q = x[i],
                              .v = x[i] + nq,
                              .lambda = x[i] + nq + nv,
                              .r = x[i] + nq + nv + nl};
    }
    int bad = sodae_mechanism_modes(sodae_model_mechanism(model), &at[0], &at[1], &modes, &why);
    if (bad) fail_msg("%s", why.message);
    assert_true(modes.body_axes && modes.change < 1e-3);
    const double wanted[] = {sqrt(flap[0] * flap[0] - 16), flap[0], sqrt(flap[1] * flap[1] - 16),
                             flap[1]};
    for (int k = 0; k < 4; k++) {
        double nearest = 0;
        for (int i = 0; i < modes.count; i++)
            if (fabs(modes.im[i] * T - wanted[k]) < fabs(nearest - wanted[k]))
                nearest = modes.im[i] * T;
        CHECK_NEAR(nearest / wanted[k], 1, 1e-3);
    }
    sodae_modes_free(&modes);
    free(x[0]), free(x[1]);
    sodae_free(s);
    sodae_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_near_zero_are_those_of_the_full_matrices),
        cmocka_unit_test(a_rotating_beam_has_its_frequencies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
