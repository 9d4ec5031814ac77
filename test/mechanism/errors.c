/* Bad files get an error in their own words, with line and column. */
#include "claims.h"

#include <sodae/model.h>

#include <stdio.h>
#include <string.h>

#define SPATIAL "sodae: 1\nbodies:\n"
#define PLANAR                                                                                     \
    "sodae: 1\nplanar: true\nbodies:\n  a: {mass: 1, inertia: 1, at: [0, 0]}\n"                    \
    "  b: {mass: 1, inertia: 1, at: [1, 0]}\n"

static const struct {
    const char *text, *message;
} cases[] = {
    {SPATIAL "  a: {inertia: [1, 1, 1], at: [0, 0, 0]}", "3:6: body a: the key 'mass' is missing"},
    {SPATIAL "  a: {mass: 0, inertia: [1, 1, 1], at: [0, 0, 0]}", "the mass must be positive"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 3], at: [0, 0, 0]}", "no rigid body has this inertia"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, -1], at: [0, 0, 0]}", "not positive definite"},
    {SPATIAL "  a: {mass: 1, bar: [[0, 0, 0], [1, 0, 0]]}", "singular"},
    {SPATIAL "  ground: {mass: 1}", "choose another name"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0],\n"
             "      orientation: {matrix: [[1, 0, 0], [0, 1, 0.1], [0, 0, 1]]}}",
     "4:29: body a: not a rotation"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0], orientation: {euler: xya, angles: "
             "[0, 0, 0]}}",
     "three axes"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
             "joints: {j: {revolute: [ground, a]}}",
     "4:13: joint j: its axis is missing or zero"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\ngravity: [0, 1]",
     "4:10: gravity: expected 3 numbers"},
    {PLANAR "joints:\n  pin: {revolute: [a, c]}", "7:23: joint pin: there is no body 'c'"},
    {PLANAR "joints:\n  pin: {revolute: [a, a]}", "both bodies are the same"},
    {PLANAR "joints:\n  pin: {revolute: [a, b], att: [0, 0]}",
     "7:27: joint pin: unknown key 'att'; did you mean 'at'?"},
    {PLANAR "joints:\n  pin: {revolut: [a, b]}", "did you mean 'revolute'?"},
    {PLANAR "joints:\n  pin: {screw: [a, b], axis: [1, 0], lead: 1}",
     "planar mechanisms have no such joint"},
    {PLANAR "joints:\n  pin: {revolute: [a, b], at: [t, 0]}",
     "7:31: joint pin: must be known before the run"},
    {PLANAR "joints:\n  p: {spherical: [a, b]}\n  d: {motion: p, angle: t}",
     "8:6: joint d: the joint that it acts on has no coordinate"},
    {PLANAR "joints:\n  p: {revolute: [a, b]}\n  d: {motion: p, angle: t + angle(p)}",
     "a function of t only"},
    {PLANAR "joints:\n  p: {revolute: [a, b]}\n  d: {motion: p, displacement: t}",
     "has no displacement"},
    {PLANAR "joints:\n  p: {revolute: [a, b]}\n  d: {gear: [p, q], ratio: 2}",
     "there is no joint 'q'"},
    {PLANAR "joints:\n  p: {rolling: [a, b], plane: {normal: [0, 1]}}",
     "either 'disk' or 'sphere'"},
    {PLANAR "joints:\n  p: {revolute: [ground, a]}\ninitial:\n  a: {velocity: [1, 0]}",
     "9:3: initial: the velocities contradict the joints"},
    {PLANAR "joints:\n  p: {distance: [ground, a], at: [[0, 1], [0, 0]], length: 1}\n"
            "  q: {revolute: [ground, a], points: {a: [0, 0], ground: [0, 5]}}",
     "cannot be closed"},
    {PLANAR "initial:\n  c: {velocity: [1, 0]}", "7:3: initial.c: there is no body or joint 'c'"},
    {PLANAR "forces:\n  f: {body: a, force: [positon(a)[1], 0]}",
     "7:24: unknown function 'positon' in force f; did you mean 'position'?"},
    {PLANAR "forces:\n  f: {body: a, force: [1, 2, 3]}", "expected 2 numbers"},
    {PLANAR "forces:\n  f: {body: ground, force: [1, 2]}", "moves nothing"},
    {PLANAR "forces:\n  f: {spring: [a, b], at: [[0, 0], [0, 0]], stiffness: 1}",
     "its ends coincide"},
    {PLANAR "forces:\n  f: {joint: x, value: 1}", "7:14: force f: there is no joint 'x'"},
    {PLANAR "forces:\n  f: {torque: 1}", "expected one of the keys"},
    {PLANAR "joints: {p: {revolute: [a, ground]}}", "ground has no centre of mass"},
    {PLANAR "joint: {}", "6:1: the file: unknown key 'joint'; did you mean 'joints'?"},
    {PLANAR "contacts: {c: {plane: {normal: [0, 1]}}}",
     "6:15: contact c: expected either 'point' or 'sphere'"},
    {PLANAR "contacts: {c: {point: [x, [0, 0]], plane: {normal: [0, 1]}}}",
     "6:24: contact c: there is no body 'x'"},
    {PLANAR "contacts: {c: {point: [a, [0, 0]], plane: {normal: [0, 0]}}}",
     "the normal of the plane is zero"},
    {PLANAR "contacts: {c: {point: [a, [0, 0]], plane: {normal: [0, 1]}, restitution: 2}}",
     "the restitution must be in [0, 1]"},
    {PLANAR "contacts: {c: {point: [a, [0, 0]], plane: {normal: [0, 1], at: [0, 7]}}}",
     "c: at the start it is violated by 7"},
    {"sodae: 1\nplanar: true\ngravity: [0, -9.81]\nbodies:\n"
     "  rod: {mass: 1, inertia: 0.0833, at: [0.25, 0.433]}\n"
     "contacts:\n  tip: {point: [rod, [0, 0]], plane: {normal: [0, 1]}, friction: 2.5}\n"
     "initial: {rod: {velocity: [-3, 0]}}\n",
     "7:3: tip: no mode is consistent at the start"}, /* Painleve */
    {PLANAR "joints: {j: {distance: [a, b], at: [[3, 4], [3, 4]]}}",
     "6:13: joint j: its ends coincide"},
    {SPATIAL "  a: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}\n"
             "joints: {j: {rolling: [ground, a], plane: {at: [0, 0, 0], normal: [0, 0, 1]},\n"
             "  disk: {radius: 1, axis: [0, 0, 2]}}}",
     "4:13: joint j: the disk lies flat on the plane"},
    {PLANAR "joints: {j: {revolute: [ground, a], limits: [1, 0]}}",
     "the first limit must be below the second"},
    {PLANAR "joints: {j: {revolute: [ground, a], restitution: 0.5}}",
     "6:50: joint j: 'restitution' needs 'limits'"},
    {PLANAR "joints: {j: {prismatic: [ground, a], axis: [1, 0]}}\n"
            "forces: {f: {friction: j, coefficient: 0.3, static: 0.2, preload: 1}}",
     "the static coefficient must not be below the coefficient of sliding"},
    {PLANAR "joints: {j: {prismatic: [ground, a], axis: [1, 0]}}\n"
            "forces: {f: {friction: j, coefficient: 0.3, velocity: 0.2, preload: 1}}",
     "7:55: force f: this key is for 'stick: false'"},
    {PLANAR "run: {times: [1, 0.5]}", "times must increase"},
};

static void bad_files_are_refused_in_their_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sodae_model *model = NULL;
        sodae_failure why = {0};
        sodae_model_parse(cases[i].text, strlen(cases[i].text), "file", NULL, &model, &why);
        if (model || !strstr(why.message, cases[i].message))
            fail_msg("case %zu: '%s' is not in '%s'", i, cases[i].message, why.message);
        sodae_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bad_files_are_refused_in_their_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
