#!/usr/bin/env python3
"""Model files from the command line.

usage: models.py SODAE EXAMPLES
"""
import math
import os
import sys

from command import Setting, check_claims, strict

OSCILLATOR = """
sodae: 1
name: oscillator
parameters: {b: 1, m: 1}
equations: {positions: [x], mass: [m], force: [-b*x]}
initial: {positions: [1], velocities: [0]}
exact: {positions: [cos(sqrt(b/m)*t)]}
solver: {method: newmark, step: 1e-2}
run: {t_end: 1, output_step: 0.1}
"""

TWICE = """
sodae: 1
equations:
  positions: [x, y, z]
  mass: [1, 1, 1]
  force: [0, 0, -1]
  holonomic: [x - 1, 2*x - 2]
initial: {positions: [1, 0, 0], velocities: [0, 0, 0]}
"""

TWINS = [  # file and flags under which it has to agree with its twin in the catalogue
    ("cubic", "--step 0.01 --t-end 1"),
    ("heavy-top", "--step 1e-3 --t-end 0.1 --formulation stabilized"),
    ("heavy-top-se3", "--step 1e-3 --t-end 0.1 --formulation soi2"),
    ("hht-test", "--step 0.05 --t-end 1 --method extended-hht --alpha -0.15 --b 0.3"),
    ("nonholonomic-test", "--step 0.02 --t-end 1"),
    ("pendulum", "--step 0.01 --t-end 1 --formulation stabilized"),
    ("rolling-disk", "--step 0.02 --t-end 1"),
    ("soi2-test", "--step 0.05 --t-end 1 --formulation soi2"),
    ("spring-pendulum", "--step 0.01 --t-end 1 --method extended-hht --alpha -0.15 --b 0"),
]


PARTLY_TAKEN_BACK = """
sodae: 1
parameters: {mu: 1}
equations:
  positions: [x, y]
  mass: [[2, 1], [1, 1]]
  force: [mu*lam, -1]
  holonomic: [y]
  holonomic_multipliers: [lam]
initial: {positions: [0, 0], velocities: [0, 0]}
"""


def every_file_agrees_with_its_twin_in_the_catalogue(here):
    method = "--method generalized-alpha --rho-inf 0.8 "
    for name, flags in TWINS:
        flags = flags if "--method" in flags else method + flags
        path = os.path.join(here.examples, name + ".yaml")
        ours, theirs = (here.command.report(f"run {target} {flags}") for target in (path, name))
        for block in ("q", "v", "a", "lambda", "psi"):
            size = max([1.0] + [abs(x) for x in theirs[block]])
            off = max([0.0] + [abs(x - y) for x, y in zip(ours[block], theirs[block])])
            assert len(ours[block]) == len(theirs[block]), f"{name}: {block}"
            assert off <= 1e-8 * size, f"{name}: {block} is off by {off}"


def every_example_passes_its_check(here):
    for name in sorted(os.listdir(here.examples)):
        if name.endswith(".yaml"):
            report = here.command.report(f"check {os.path.join(here.examples, name)}")
            redundant = 1 if name == "bricard.yaml" else 0
            assert report["status"] == "OK" and report["rank"] == report["constraints"] - redundant, name


def the_linear_example_of_004_is_less_strange_in_second_order_form(here):
    """Examples 3.2.1 and 3.2.2: mu = 2, as a first order system 3; x1 and x2 are determined."""
    path = os.path.join(here.examples, "linear-dae.yaml")
    linear = here.command.report(f"analyse {path}")["linear"]
    assert linear["mu"] == 2 and linear["first_order_all"]["mu"] == 3
    assert linear["first_order_all"]["d_index"] == 4
    assert linear["first_order_velocities"]["d_index"] == 3
    zero, form = [[0, 0], [0, 0]], linear["strangeness_free"]
    assert form["A2"] == form["A1"] == zero, form  # (3.13)
    last = [row[1] != 0 for row in form["A0"]].index(True)  # x2 = f1 - f2' - f2''
    right = [[F[last][j] / form["A0"][last][1] for j in (0, 1)] for F in form["F"]]
    assert right == [[1, 0], [0, -1], [0, -1]], right
    rows = sorted([abs(x) for x in row] for row in form["A0"])
    assert max(abs(rows[i][j] - (i != j)) for i in (0, 1) for j in (0, 1)) < 1e-12, rows
    found = here.command.report(f"run {path}")["error"]
    assert found["q"] < 1e-12 and found["lambda"] < 1e-9, found


def mu_does_not_see_algebraic_terms_of_velocity_constraints(here):
    text = """sodae: 1
name: two constraints
equations: {{positions: [x, y], velocities: [vx, vy], force: [0, 0], holonomic: [x], nonholonomic: [{}]}}
initial: {{positions: [0, 0]}}
run: {{t_end: 1}}
"""
    for row in ("vy", "vy + x", "vy - 3*x"):
        found = here.command.report(f"analyse {here.write(text.format(row))}")["linear"]
        assert found["mu"] == 1 and found["clear"], (row, found)


def analyse_says_where_the_index_comes_from_and_when_it_is_not_clear(here):
    text = """sodae: 1
name: {}
equations: {{positions: [x, y], {}, force: [-x, -y], holonomic: [{}]}}
initial: {{positions: [0, 0]}}
run: {{t_end: 1}}
"""
    path = here.write(text.format("massless", "mass: [1, 0]", "x - y"))
    found = here.command.report(f"analyse {path}")
    assert found["d_index"] == 1 and found["d_index_by"] == "linearised", found
    assert found["rank"] == 1 and not found["mass_regular"] and found["d_index_clear"], found
    printed = here.command.call(["analyse", path]).stdout
    assert "M is singular" in printed and "that of the linearised equations" in printed, printed
    assert here.command.report(f"check {path}")["index"] == 1
    path = here.write(text.format("near", "mass: [1, 1]", "x + y, x + 1.0000000001*y"))
    found = here.command.report(f"analyse {path}")
    assert not found["d_index_clear"] and found["doubt"], found
    assert "NOT CLEAR, the index may be wrong" in here.command.call(["analyse", path]).stdout
    path = here.write(text.format("light", "mass: [1e-14, 1]", "x + y, x + 1.0000001*y"))
    assert here.command.report(f"check {path}")["index_doubt"], path
    assert "NOT CLEAR, the index may be wrong" in here.command.call(["check", path]).stdout
    assert "index_doubt" not in here.command.report("check pendulum")


TWIN = """sodae: 1
name: twin
equations: {{positions: [x1, x2], mass: [0, 0], force: [{}]}}
initial: {{positions: [0, 0]}}
run: {{t_end: 1}}
"""


def analyse_does_not_trust_a_frozen_pencil(here):
    """004 Theorem 2.1.8: solutions of the first are not unique, that of the second is."""
    for force, expected, index in (("-t*v_x1 + t^2*v_x2 + x1, -v_x1 + t*v_x2 + x2", (1, 0, 1, 1, 1), None),
                                   ("-x1 + t*x2 + sin(t), v_x1 - t*v_x2 + cos(t)", (1, 0, 2, 0, 0), 2)):
        found = here.command.report(f"analyse {here.write(TWIN.format(force))}")
        assert found["d_index"] == index and found["linear"] is None, found
        for p in found["along"]["points"]:
            assert p["decided"] and tuple(p[k] for k in ("mu", "d", "a", "u", "v")) == expected, p
            assert min(p["margins"]) > 1e6, p
        assert not found["along"]["changes"] and len(found["along"]["points"]) == 65


def mechanics_has_the_known_index_along_its_solutions(here):
    for name, mu, second in (("pendulum", 2, 1), ("heavy-top", 2, 1), ("chaplygin-sleigh", 1, 1),
                             ("spring-damper", 0, 0)):
        found = here.command.report(f"analyse {os.path.join(here.examples, name)}.yaml --t-end 0.1")["along"]
        assert all(p["mu"] == mu and p["decided"] for p in found["points"]), (name, found["points"][0])
        assert found["second_order"] is None or found["second_order"]["mu"] == second, name


def equations_are_analysed_as_they_are_printed(here):
    for text, expected in (
            ("linear: {E: [[0,1,0],[0,0,1],[0,0,0]], A: [[-1,0,0],[0,-1,0],[0,0,-1]]}", (2, 0, 3, 0, 0)),
            ("linear: {E: [[1, 0]], A: [[0, 1]], f: [t]}", (0, 1, 0, 1, 0)),
            ("linear: {E: [[1], [0]], A: [[0], [1]], f: [t, 1]}", (1, 0, 1, 0, 1)),
            ("first_order: {states: [y1, y2, z], equations: [y1' = y2 + z, y2' = y1 - z, 0 = y1 - sin(t)]}",
             (1, 1, 2, 0, 0)),
            ("first_order: {states: [x, y, u, w, la], equations: [x' = u, y' = w, u' = -2*x*la, "
             "w' = -9 - 2*y*la, 0 = x^2 + y^2 - 1]}\ninitial: {states: [0.6, 0.8, 0, 0, 0]}", (2, 2, 3, 0, 0)),
            ("first_order: {states: [x, y, u, w, la], equations: [x' = u, y' = w, u' = -x*la, "
             "w' = -9 - y*la, 0 = x*u + y*w]}\ninitial: {states: [0.6, 0.8, 0.8, -0.6, 0]}", (1, 3, 2, 0, 0)),
            ("first_order: {states: [x, y, u, w, la, et], equations: [x' = u - x*et, y' = w - y*et, u' = -x*la, "
             "w' = -9 - y*la, 0 = x^2 + y^2 - 1, 0 = x*u + y*w]}\n"
             "initial: {states: [0.6, 0.8, 0.8, -0.6, 0, 0]}", (1, 2, 4, 0, 0))):  # index 2 and GGL forms
        path = here.write("sodae: 1\n" + text + "\nrun: {t_end: 1}\n")
        point = here.command.report(f"analyse {path}")["points"][0]
        assert tuple(point[k] for k in ("mu", "d", "a", "u", "v")) == expected, (text, point)
        result = here.command.call(["run", path])  # regular ones are integrated, see below
        regular = expected[3] + expected[4] == 0
        assert result.returncode == 0 if regular else result.returncode == 4 and "not regular" in result.stderr, text
    found = here.command.report(f"analyse {here.write(SECOND_ORDER)}")["second_order"]
    assert [found[k] for k in ("mu", "d2", "d1", "a")] == [2, 0, 0, 2], found  # (3.9)


def reduced_forms_are_analysed(here):
    """mu, d and a of the pendulum, of a bead on a moving wire and of the heavy top, whose G has rank 1, 1 and 3."""
    text = ("sodae: 1\nequations: {positions: [x, y], force: [0, -9], holonomic: [y - x^2*sin(t) - x]}\n"
            "initial: {positions: [0.1, 0.1]}\nrun: {t_end: 0.3}\n")
    targets = ((os.path.join(here.examples, "pendulum-a01.yaml") + " --t-end 0.3", 2, 1), (here.write(text), 2, 1),
               (os.path.join(here.examples, "heavy-top.yaml") + " --t-end 0.01", 6, 3))
    for target, n, nl in targets:
        for form, mu, d, a in (("index3", 2, 2*n - 2*nl, 3*nl), ("index2", 1, 2*n - nl, 2*nl), ("index1", 0, 2*n, nl),
                               ("stabilized", 1, 2*n - 2*nl, 4*nl), ("ggl", 1, 2*n - 2*nl, 4*nl)):
            report = here.command.report(f"analyse {target} --formulation {form}")
            assert report["d_index"] == 3 and report["d_index_clear"], (target, form)
            along = report["along"]
            assert along["formulation"] == form and not along["changes"], (target, form, along["changes"])
            for p in along["points"]:
                assert p["decided"] and [p[k] for k in ("mu", "d", "a", "u", "v")] == [mu, d, a, 0, 0], (target, form, p)
    assert "not of ggl2" in here.command.report(f"analyse {targets[1][0]} --formulation ggl2")["along"]["reason"]


def semi_explicit_equations_are_integrated(here):
    """The pendulum of index 3, 2 and with both constraints (GGL) is that of the equations of motion, along which the
    array has the same quantities at 65 points; an index 2 system in closed form; others are refused with the reason."""
    motion = here.write("sodae: 1\nequations: {positions: [x, y], force: [0, -9], holonomic: [(x^2 + y^2 - 1)/2]}\n"
                        "initial: {positions: [0.6, 0.8]}\nrun: {t_end: 1}\n")
    hand = here.command.report(f"run {motion} --rtol 1e-9")
    pendulum = "u' = -x*la, w' = -9 - y*la"
    for states, equations, mu in (
            ("x, y, u, w, la", f"x' = u, y' = w, {pendulum}, 0 = x^2 + y^2 - 1", 2),
            ("x, y, u, w, la", f"{pendulum}, y' = w, x*u + y*w = 0, u = x'", 1),
            ("x, y, u, w, la, et", f"x' = u - x*et, y' = w - y*et, {pendulum}, 0 = x^2 + y^2 - 1, 0 = x*u + y*w", 1)):
        path = here.write(f"sodae: 1\nfirst_order: {{states: [{states}], equations: [{equations}]}}\n"
                          f"initial: {{states: [0.6, 0.8, 0, 0, 0{', 0' if 'et' in states else ''}]}}\nrun: {{t_end: 1}}\n")
        found = here.command.report(f"analyse {path}")
        assert len(found["points"]) == 65 and not found["changes"] and found["second_order"] is None, found
        assert all(p["mu"] == mu and p["decided"] for p in found["points"]), (equations, found["points"][0])
        for method, bound in (("radau-iia", 1e-6), ("bdf", 1e-5)):
            w = here.command.report(f"run {path} --method {method} --rtol 1e-8")["w"]
            expected = hand["q"] + hand["v"] + hand["lambda"]
            assert max(abs(x - y) for x, y in zip(expected, w)) < bound, (equations, method, w, expected)
            kept = [w[0]*w[2] + w[1]*w[3]] + [w[0]**2 + w[1]**2 - 1] * ("x^2" in equations)
            assert max(map(abs, kept)) < 1e-9, (equations, method, w)
    text = ("sodae: 1\nfirst_order: {{states: {0}, equations: {1}}}\ninitial: {{states: {2}}}\nrun: {{t_end: 1}}\n")
    # y1 = sin t, y2' = y1 y2: y2 = exp(1 - cos t); z = cos t - y1^2
    path = here.write(text.format("[y1, y2, z]", "[y1' = y1^2 + z, y2' = y1*y2, 0 = y1 - sin(t)]", "[0, 1, 1]"))
    for order in (2, 3):
        errors = [abs(here.command.report(f"run {path} --method bdf --order {order} --step {h}")["w"][1]
                      - math.exp(1 - math.cos(1))) for h in (0.01, 0.005)]
        assert order - 0.2 < math.log2(errors[0] / errors[1]) < order + 0.3, (order, errors)
    w = here.command.report(f"run {path} --rtol 1e-8")["w"]
    assert abs(w[0] - math.sin(1)) + abs(w[2] - math.cos(1) + math.sin(1)**2) < 1e-12, w
    for states, equations, start, reason in (
            ("[x, z]", "[x' = x^2 + z, z*x' = 1]", "[1, 0]", "neither linear nor of the form"),
            ("[x, z]", "[x' = x^2 + z, 0 = t - 1]", "[1, 0]", "not regular"),
            ("[x, z, w]", "[x' = x^2 + z, 0 = x*z - 1]", "[1, 1, 1]", "not regular")):
        result = here.command.call(["run", here.write(text.format(states, equations, start))])
        assert result.returncode == 4 and reason in result.stderr, (equations, result.stderr)


# E = Q(20 t) diag(1, 0) Q(7 t)^T: range and kernel turn more than six and two times; x = (sin 3t, exp(-t))
TURNING = """sodae: 1
let: {c: cos(20*t), s: sin(20*t), a: cos(7*t), b: sin(7*t), x: sin(3*t), y: exp(-t), g: a*(3*cos(3*t) + x), h: a*y - b*x}
linear:
  E: [[c*a, c*b], [s*a, s*b]]
  A: [[-c*a + s*b, -c*b - s*a], [-s*a - c*b, -s*b + c*a]]
  f: [c*g + s*h, s*g - c*h]
initial: {states: [0, 1]}
run: {t_end: 2}
"""


def linear_equations_as_printed_are_integrated(here):
    """Solutions in closed form, index 1 to 3; orders of an index 1 problem, whatever the index was."""
    s, c = math.sin(1), math.cos(1)
    for text, expected in (
            ("first_order: {states: [z1, z2, z3], equations: [z2' = sin(t) - z1, z3' = cos(t) - z2, 0 = t - z3]}",
             (2 * s, c - 1, 1)),  # Example 2.1.3: z1 = d1 - d2' + d3''
            ("linear: {A2: [[1,0],[0,0]], A1: [[1,0],[0,0]], A0: [[0,1],[1,0]], f: [cos(t), sin(2*t)]}",
             (math.sin(2), c - 2 * math.cos(2) + 4 * math.sin(2))),  # (3.9), (3.10): x1 = f2, x2 = f1 - f2' - f2''
            ("first_order: {states: [y1, y2, z], equations: [y1' = y2 + z, y2' = y1 - z, 0 = y1 - sin(t)]}\n"
             "initial: {states: [0, 0, 1]}", (s, -s, c + s)),  # index 2: y2' = y2 + sin t - cos t
            (TURNING.partition("\n")[2].replace("t_end: 2", "t_end: 1"), (math.sin(3), math.exp(-1)))):
        path = here.write("sodae: 1\n" + text + ("" if "run:" in text else "\nrun: {t_end: 1}\n"))
        for method in ("radau-iia", "bdf"):
            w = here.command.report(f"run {path} --method {method} --rtol 1e-7")["w"]
            found = w[len(w) - len(expected):]
            assert all(x is None or abs(y - x) < 1e-5 for x, y in zip(expected, found)), (text, method, found)
    path = here.write(TURNING)
    for options, order in (("bdf --order 3", 3), ("radau-iia --stages 2", 3)):
        errors = [max(abs(x - y) for x, y in zip(here.command.report(
            f"run {path} --method {options} --step {h}")["w"], (math.sin(6), math.exp(-2)))) for h in (0.005, 0.0025)]
        assert order - 0.3 < math.log2(errors[0] / errors[1]) < order + 0.4, (options, errors)
    # where the ranks change the run ends
    path = here.write("sodae: 1\nlinear: {E: [[1, 0], [0, if(t < 0.5, 1, 0)]], A: [[0, 0], [0, -1]]}\n"
                      "initial: {states: [1, 1]}\nrun: {t_end: 1}\n")
    failed = here.command.call(["run", path, "--json"])
    assert failed.returncode not in (0, 2) and "0.5" in failed.stdout, failed.stdout


SECOND_ORDER = """sodae: 1
linear: {A2: [[1,0],[0,0]], A1: [[1,0],[0,0]], A0: [[0,1],[1,0]], f: [cos(t), sin(2*t)]}
"""

ENERGIES = {
    "pendulum": (("  force: [0, -g]\n", "  lagrangian: {kinetic: (vx^2 + vy^2)/2, potential: g*y}\n"),),
    "heavy-top": (("  mass: [\"[mass, mass, mass]\", J]\n  force:\n    - mass*gamma\n    - cross(diag(J)*Om, Om)\n",
                   "  lagrangian: {kinetic: \"mass*dot(u, u)/2 + dot(Om, diag(J)*Om)/2\", "
                   "potential: \"-mass*dot(gamma, x)\"}\n"),),
    "heavy-top-se3": (("  mass: [\"[mass, mass, mass]\", J]\n  force:\n"
                       "    - mass*(transpose(R)*gamma - cross(Om, U))\n    - cross(diag(J)*Om, Om)\n",
                       "  lagrangian: {kinetic: \"mass*dot(U, U)/2 + dot(Om, diag(J)*Om)/2\", "
                       "potential: \"-mass*dot(gamma, x)\"}\n"),),
}


def energies_give_the_equations_written_by_hand(here):
    cases = dict(ENERGIES)
    disk = open(os.path.join(here.examples, "rolling-disk.yaml")).read()
    kinetic = disk[disk.index("expression: >") + 13:disk.index(" + m*g*r*c3")].replace("\n", " ").strip()
    cases["rolling-disk"] = ((disk[disk.index("  mass:"):disk.index("  nonholonomic:")],
                              f"  lagrangian: {{kinetic: \"{kinetic}\", potential: m*g*r*c3}}\n"),)
    for name, changes in cases.items():
        text = open(os.path.join(here.examples, name + ".yaml")).read()
        energy = text.index("energy:")
        for old, new in changes:
            assert old in text, name
            text = text.replace(old, new)
        energy = text.index("energy:")
        text = text[:energy] + text[text.index("solver:"):]
        ours, hand = (here.command.report(f"run {path} --t-end 0.5")
                      for path in (here.write(text), os.path.join(here.examples, name + ".yaml")))
        for block in ("q", "v", "lambda", "psi"):
            size = max([1.0] + [abs(x) for x in hand[block]])
            off = max([0.0] + [abs(x - y) for x, y in zip(ours[block], hand[block])])
            digits = 1e-9 if block in ("q", "v") else 2e-8  # index 3: rounding over h^2
            assert off <= digits * size, f"{name}: {block} is off by {off}"
        assert "energy_drift" not in hand or abs(ours["energy_drift"] - hand["energy_drift"]) < 1e-9, name


def energies_that_depend_on_time_give_the_forces_of_moving_frames(here):
    """A bead on a hoop that turns with om(t); a pendulum whose pivot moves by A cos(w t)."""
    text = """sodae: 1
equations: {{positions: [th, ph], velocities: [v, u], {}}}
let: {{om: 2 + sin(t), vy: -0.1*7*sin(7*t), ay: -0.1*49*cos(7*t)}}
initial: {{positions: [0.5, 1]}}
run: {{t_end: 1}}
"""
    energies = text.format("""lagrangian: {kinetic: 3*(v^2 + (sin(th)*om)^2)/2 + (4*u^2 + 4*u*sin(ph)*vy + vy^2)/2,
    potential: -3*9*cos(th) - 9*2*cos(ph)}, force: [-0.1*v, 0]""")
    hand = text.format("""mass: [3, 4], force: [3*sin(th)*cos(th)*om^2 - 27*sin(th) - 0.1*v,
    -2*sin(ph)*ay - 18*sin(ph)]""")
    ours, theirs = (here.command.report(f"run {here.write(t)} --rtol 1e-8") for t in (energies, hand))
    assert max(abs(x - y) for k in "qva" for x, y in zip(ours[k], theirs[k])) < 1e-10, (ours["q"], theirs["q"])


SPHERICAL = """sodae: 1
parameters: {m: 1, M: 2, l: 1, b: 0.7, g: 9.81}
equations:
  positions: [th, ph, x, y, z]
  velocities: [a, c, u, v, w]
  FORCES
  holonomic: [((x - l*sin(th)*cos(ph))^2 + (y - l*sin(th)*sin(ph))^2 + (z + l*cos(th))^2 - b^2)/2]
initial: {positions: [1, 0.3, l*sin(1)*cos(0.3), l*sin(1)*sin(0.3), -l*cos(1) - b], velocities: [0.3, 1, 0.5, 0.2, 0]}
run: {t_end: 1}
"""

ROLLING = """sodae: 1
parameters: {m: 2, R: 0.3, g: 9.81, s: 0.2}
equations:
  positions: [x, y, {name: Q, space: SO3, velocities: Om}]
  velocities: [u, v]
  FORCES
  nonholonomic: ["u - R*(Q*Om)[2]", "v + R*(Q*Om)[1]"]
initial: {positions: {Q: {axis: [1, 2, 3], angle: 0.7}}, velocities: {Om: [0.5, -2, 1]}}
run: {t_end: 1}
"""


def energies_give_the_equations_of_a_spherical_pendulum_with_a_rod_and_of_a_rolling_sphere(here):
    cases = ((SPHERICAL, "lagrangian: {kinetic: m*l^2*(a^2 + (sin(th)*c)^2)/2 + M*(u^2 + v^2 + w^2)/2, "
              "potential: -m*g*l*cos(th) + M*g*z}",
              "mass: [m*l^2, m*l^2*sin(th)^2, M, M, M]\n  force: [m*l^2*sin(th)*cos(th)*c^2 - m*g*l*sin(th), "
              "-2*m*l^2*sin(th)*cos(th)*a*c, 0, 0, -M*g]"),
             (ROLLING, "lagrangian: {kinetic: \"m*(u^2 + v^2)/2 + (0.05*Om[1]^2 + 0.07*Om[2]^2 + 0.09*Om[3]^2)/2\", "
              "potential: -m*g*s*x}",
              "mass: [m, m, 0.05, 0.07, 0.09]\n  force: [m*g*s, 0, (0.07-0.09)*Om[2]*Om[3], (0.09-0.05)*Om[3]*Om[1], "
              "(0.05-0.07)*Om[1]*Om[2]]"))
    for text, energies, by_hand in cases:
        ours, hand = (here.command.report(f"run {here.write(text.replace('FORCES', forces))} --rtol 1e-8")
                      for forces in (energies, by_hand))
        off = max(abs(x - y) for key in ("q", "v", "lambda", "psi") for x, y in zip(ours[key] or [], hand[key] or []))
        assert off < 1e-9, (energies, off)
        assert abs(ours["energy"]["end"] - ours["energy"]["start"]) < 1e-6, ours["energy"]


def tables_of_methods_come_from_files(here):
    """From the model file and from the command line; the restart file holds the table."""
    table = open(os.path.join(here.examples, "tables", "lobatto-iiic-3.yaml")).read()
    here.write(table, "table.yaml")
    text = OSCILLATOR.replace("{method: newmark, step: 1e-2}", "{method: glm, table: table.yaml, step: 1e-2}")
    path = here.write(text)
    own = here.command.report(f"run {path}")
    assert own["method"] == "glm" and own["error"]["q"] < 1e-10, own["error"]
    plain = here.write(OSCILLATOR, "plain.yaml")
    given = here.command.report(f"run {plain} --table {os.path.join(here.folder, 'table.yaml')}")
    assert given["method"] == "glm" and given["q"] == own["q"] and given["v"] == own["v"]
    assert here.command.report(f"run {path} --method bdf")["method"] == "bdf"
    bad = here.command.call(f"run {here.write(text.replace('table.yaml', 'none.yaml'))}")
    assert bad.returncode == 3 and "solver.table" in bad.stderr and "none.yaml" not in bad.stdout, bad.stderr
    here.write(table.replace("[1/6, 2/3, 1/6]\n  emb", "[1/6, 2/3]\n  emb"), "table.yaml")
    bad = here.command.call(f"run {here.write(text)}")
    assert bad.returncode == 3 and "b is 2 x 1, expected 1 x 3" in bad.stderr, bad.stderr


def converge_prints_the_orders_of_the_theorems_below_those_measured(here):
    folder = os.path.join(here.examples, "tables")
    for name, form, orders in (("lobatto-iiic-3", "index3", (4, 2, 1)), ("radau-ia-2", "index2", (3, 2, 1)),
                               ("bdf3-nordsieck", "index3", (3, 3, 3))):
        found = here.command.report(f"converge circular-track --table {folder}/{name}.yaml --formulation {form} "
                                    "--step 0.0125 --halvings 2")
        expected = found["expected"]
        assert (expected["q"], expected["v"], expected["lambda"]) == orders, (name, expected)
        last = found["rows"][-1]["order"]
        for block, order in zip(("q", "v", "lambda"), orders):
            assert abs(last[block] - order) < 0.3, (name, block, last)
    found = here.command.report(f"converge nonholonomic-test --table {folder}/radau-ia-2.yaml --step 0.0125 --halvings 2")
    assert [found["expected"][k] for k in ("q", "v", "lambda")] == [2, 2, 1], found["expected"]  # of index 2
    for flags, orders in (("bdf --order 1 --formulation index3", (1, 1, 0)), ("bdf --order 2 --formulation index3", (2, 2, 1)),
                          ("bdf --order 2 --formulation index3 --multiplier-correction on", (2, 2, 2)),
                          ("gauss --stages 3 --formulation index2", (None, 3, 1)),
                          ("gauss --stages 4 --formulation index2", (None, 4, 2))):  # steps change, q of Gauss is rounding
        found = here.command.report(f"converge circular-track --method {flags} --step 0.0125 --steps-pattern 2/3,4/3 "
                                    "--halvings 2 --norm max")
        for block, order in zip(("q", "v", "lambda"), orders):
            if order is None:
                continue
            seen = found["rows"][-1]["order"][block]
            assert found["expected"][block] == order and abs(seen - order) < 0.35, (flags, block, seen, found["expected"])
    assert here.command.report("converge circular-track --method radau-iia --stages 3 --step 0.05 --halvings 1"
                               )["expected"]["theorem"] == "5.4.2"


def orders_may_be_a_list(here):
    text = """sodae: 1
equations: {{positions: [x], force: [-x]}}
initial: {{positions: [1]}}
run: {{t_end: 1}}
solver: {{method: bdf, step: 0.1, orders: {}}}
"""
    listed, quoted = (here.command.report(f"run {here.write(text.format(orders))}")["q"]
                      for orders in ("[1, 2, 2, 3]", '"1,2,2,3"'))
    ramp = here.command.report(f"run {here.write(text.format('ramp'))}")["q"]
    assert listed == quoted != ramp, (listed, quoted, ramp)
    for orders in ("[]", "[1, 9]", "[1, [2]]", "[1, x]", "[1, " + "2, " * 300 + "2]"):
        result = here.command.call(["run", here.write(text.format(orders))])
        assert result.returncode == 3 and "solver.orders" in result.stderr, (orders, result.stderr)


def the_smallest_singular_value_is_printed_as_it_is(here):
    """G M^-1 (G^T - f_lambda) = mu + 2, scaled by G M^-1 G^T = 2."""
    path = here.write(PARTLY_TAKEN_BACK)
    for mu in (-1.5, 1, 2, 10):
        found = here.command.report(f"analyse {path} --set mu={mu}")
        assert abs(found["smallest_4_3"] - (mu + 2) / 2) < 1e-12, found["smallest_4_3"]
        assert abs(found["smallest_7_4"] - 1) < 1e-12, found["smallest_7_4"]


def a_file_brings_its_own_settings_and_flags_win(here):
    path, out = here.write(OSCILLATOR), os.path.join(here.folder, "x.csv")
    own = here.command.report(f"run {path} --out {out}")
    assert own["method"] == "newmark" and own["steps"] == 100 and own["problem"] == "oscillator"
    assert 1e-6 < own["error"]["q"] < 1e-4, own["error"]
    with open(out, encoding="utf-8") as file:
        assert len(file.readlines()) == 12, "header, start and ten rows"
    path = here.write(OSCILLATOR.replace("method: newmark", "method: newmark, beta: 0.3"))
    given = here.command.report(f"run {path} --method hht --step 0.02 --t-end 0.5")
    assert given["method"] == "hht" and given["steps"] == 25 and given["t"] == 0.5


def parameters_are_overridden_and_equal_names_kept_apart(here):
    path = here.write(OSCILLATOR)
    heavy = here.command.report(f"run {path} --set m=4")
    assert abs(heavy["q"][0] - 0.8775825618903728) < 1e-4, heavy["q"]  # cos(1/2)
    for name in ("b", "parameter.b"):  # a parameter comes before an option
        stiff = here.command.report(f"run {path} --set {name}=4")
        assert abs(stiff["q"][0] + 0.4161468365471424) < 1e-3, stiff["q"]  # cos(2)
    done = here.command.call(f"run {path} --set option.b=4")
    assert done.returncode == 2 and "option b" in done.stderr, done.stderr


def standard_input_is_a_file_too(here):
    done = here.command.call("run - --set m=4 --json", input=OSCILLATOR)
    assert done.returncode == 0, done.stderr
    same = here.command.report(f"run {here.write(OSCILLATOR)} --set m=4")
    report = strict(done.stdout)
    report.pop("timing")
    assert report == same


def bad_files_are_named_with_line_and_column(here):
    path = here.write(OSCILLATOR.replace("-b*x", "-b*y"))
    done = here.command.call(f"run {path}")
    assert done.returncode == 3 and f"{path}:5:" in done.stderr and "'y'" in done.stderr, done
    report = strict(here.command.call(f"run {path} --json").stdout)
    assert report["status"] != "OK" and report["failure"]["message"] in done.stderr
    missing = here.command.call(f"run {os.path.join(here.folder, 'none.yaml')}")
    assert missing.returncode == 3 and "none.yaml" in missing.stderr
    endless = here.command.call(f"run {here.write(OSCILLATOR.replace('t_end: 1, ', ''))}")
    assert endless.returncode == 2 and "t-end" in endless.stderr, endless


def check_gives_rank_and_index(here):
    report = here.command.report("check heavy-top")
    assert (report["degrees_of_freedom"], report["index"], report["rank"]) == (3, 3, 3)
    report = here.command.report("check rolling-disk")
    assert (report["degrees_of_freedom"], report["index"]) == (3, 2)
    assert here.command.report(f"check {here.write(OSCILLATOR)}")["index"] == 0
    done = here.command.call(f"check {here.write(TWICE)} --json")
    report = strict(done.stdout)
    assert done.returncode == 0 and report["start"]["status"] == "NOT_UNIQUE", report
    assert report["start"]["not_unique"].count("holonomic") == 2, report
    assert (report["rank"], report["constraints"], report["index"]) == (1, 2, None), report


def the_schema_is_json_and_knows_the_keys(here):
    schema = strict(here.command.call("schema").stdout)
    assert set(schema["properties"]) >= {"sodae", "parameters", "let", "equations", "initial",
                                         "exact", "solver", "run"}


CLAIMS = [
    every_file_agrees_with_its_twin_in_the_catalogue,
    every_example_passes_its_check,
    linear_equations_as_printed_are_integrated, semi_explicit_equations_are_integrated,
    the_linear_example_of_004_is_less_strange_in_second_order_form,
    mu_does_not_see_algebraic_terms_of_velocity_constraints,
    analyse_says_where_the_index_comes_from_and_when_it_is_not_clear,
    analyse_does_not_trust_a_frozen_pencil,
    mechanics_has_the_known_index_along_its_solutions,
    equations_are_analysed_as_they_are_printed,
    reduced_forms_are_analysed,
    energies_give_the_equations_written_by_hand,
    energies_give_the_equations_of_a_spherical_pendulum_with_a_rod_and_of_a_rolling_sphere,
    energies_that_depend_on_time_give_the_forces_of_moving_frames,
    tables_of_methods_come_from_files,
    converge_prints_the_orders_of_the_theorems_below_those_measured,
    orders_may_be_a_list,
    the_smallest_singular_value_is_printed_as_it_is,
    a_file_brings_its_own_settings_and_flags_win,
    parameters_are_overridden_and_equal_names_kept_apart,
    standard_input_is_a_file_too,
    bad_files_are_named_with_line_and_column,
    check_gives_rank_and_index,
    the_schema_is_json_and_knows_the_keys,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
