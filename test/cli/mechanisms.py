#!/usr/bin/env python3
"""Mechanism files from the command line.

usage: mechanisms.py SODAE EXAMPLES
"""
import csv
import math
import os
import sys

from command import Setting, check_claims

PENDULUM = """
sodae: 1
planar: true
parameters: {m: 2}
gravity: [0, -10]
bodies: {rod: {bar: [[0, 0], [1, 0]], mass: m}}
joints: {pin: {revolute: [ground, rod], at: [0, 0]}}
run: {t_end: 0.5}
"""


def every_example_passes_its_check(here):
    folder = os.path.join(here.examples, "mechanisms")
    for name in sorted(os.listdir(folder)):
        report = here.command.report(f"check {os.path.join(folder, name)}")
        wanted = "NOT_UNIQUE" if name in ("bennett.yaml", "bricard.yaml") else "OK"  # a redundant constraint everywhere
        assert report["start"]["status"] == wanted, (name, report["start"])


def states_have_names_and_times(here):
    report = here.command.report(f"run {os.path.join(here.examples, 'mechanisms', 'springs.yaml')}")
    assert [state["t"] for state in report["states"]] == [0.5, 1, 2]
    state = report["states"][0]
    assert set(state["bodies"]) == {"carriage", "arm", "block"}
    assert set(state["joints"]["hinge"]) == {"force", "torque", "point", "angle", "rate"}
    assert abs(state["kinetic"] + state["potential"] - state["energy"]) < 1e-12


def without_times_the_end_is_reported(here):
    report = here.command.report(f"run {here.write(PENDULUM)} --set m=3 --rtol 1e-8")
    (state,) = report["states"]
    pin, rod = state["joints"]["pin"], state["bodies"]["rod"]
    assert state["t"] == 0.5 and state["energy"] == state["kinetic"] + state["potential"]
    assert abs(rod["position"][0] - 0.5 * math.cos(pin["angle"])) < 1e-9
    assert abs(state["energy"]) < 1e-6 and rod["position"][2] == 0, state


def show_lists_the_constraints(here):
    report = here.command.report(f"show {here.write(PENDULUM)}")
    assert report["degrees_of_freedom"] == 1 and report["redundant"] == 0
    assert [c["name"] for c in report["constraints"]] == ["pin.x", "pin.y"]
    done = here.command.call(f"show {here.write(PENDULUM)}")
    assert done.returncode == 0 and "pin.x" in done.stdout and "degrees of freedom  1" in done.stdout
    done = here.command.call("show pendulum")
    assert done.returncode == 2 and "mechanism" in done.stderr, done


def redundant_joints_are_named(here):
    text = PENDULUM.replace("at: [0, 0]}}", "at: [0, 0]}, twin: {revolute: [ground, rod], at: [0, 0]}}")
    assert here.command.report(f"show {here.write(text)}")["not_unique"] == ["pin", "twin"]
    report = here.command.report(f"run {here.write(text)}")
    assert report["not_unique"] == ["pin", "twin"], report["not_unique"]
    forces = [report["states"][0]["joints"][name]["force"] for name in ("pin", "twin")]
    assert all(abs(a - b) < 1e-6 for a, b in zip(*forces)), forces  # of least size: shared


FLEXIBLE = """
sodae: 1
gravity: [0, -1, -9.81]
sections: {s: {EA: 1e4, GA: [4e3, 5e3], GJ: 30, EI: [40, 50], rhoA: 1.2, rhoJ: [1.2e-2, 6e-3, 6e-3]}}
bodies:
  hub: {mass: 1, inertia: [1, 2, 1.5], at: [0.1, 0.2, 0.3]}
  far: {mass: 0.3, inertia: [.1, .2, .15], at: [2.1, 0.2, 0.3]}
beams:
  blade:
    {from: [0.2, 0.2, 0.3], to: [1.2, 0.2, 0.3], up: [0, 1, 0], elements: 3, section: s, damping: 0.001,
     loads: {dead: [0, 1, 2], follower: [0, 0.3, 0.2]}}
  root: {from: [0, 0, 0], to: [0.1, 0.2, 0.3], elements: 2, section: s}
joints:
  base: {fixed: [ground, root.start]}
  top: {fixed: [root.end, hub]}
  clamp: {fixed: [hub, blade.start]}
  hinge: {spherical: [blade.end, far], at: [1.3, 0.2, 0.3]}
initial: {far: {velocity: [~, ~, 1]}}
run: {times: [0.2]}
solver: {rtol: 1e-8}
"""


def clamps_react_as_constraints_do(here):
    held = FLEXIBLE
    for pair, points in (
        ("[ground, root.start]", "{ground: [0, 0, 0], root.start: [0, 0, 0]}"),
        ("[root.end, hub]", "{root.end: [0, 0, 0], hub: [0, 0, 0]}"),
        ("[hub, blade.start]", "{hub: [0.1, 0, 0], blade.start: [0, 0, 0]}"),
    ):
        held = held.replace(f"{{fixed: {pair}}}", f"{{fixed: {pair}, points: {points}}}")
    (a,), (b,) = (here.command.report(f"run {here.write(text)}")["states"] for text in (FLEXIBLE, held))
    assert len(a["bodies"]) == 6 and len(b["bodies"]) == 9, (list(a["bodies"]), list(b["bodies"]))
    for name in ("base", "top", "clamp", "hinge"):
        for key in ("force", "torque"):
            x, y = a["joints"][name][key], b["joints"][name][key]
            assert max(abs(p - q) for p, q in zip(x, y)) < 1e-6, (name, key, x, y)
    assert max(map(abs, a["joints"]["clamp"]["force"])) > 1


def numbers_of_mechanisms_are_channels(here):
    out = os.path.join(here.folder, "rows.csv")
    text = FLEXIBLE + "outputs: {tip: 'position(blade.end)', p: power}\n"
    report = here.command.report(f"run {here.write(text)} --out {out}")
    with open(out) as file:
        head, *rows = list(csv.reader(line for line in file if not line.startswith("#")))
    row = dict(zip((name.split(" [")[0] for name in head), rows[-1]))
    for name in ("tip[3]", "p", "bodies/hub/position[1]", "bodies/far/quaternion.w", "joints/clamp/force[3]"):
        assert name in report["channels"], name
    for name in ("beams/blade/position[4,3]", "beams/blade/moment[3,2]", "energy/kinetic", "energy/work"):
        assert name in report["channels"], name
    assert set(report["channels"]) == set(row), set(report["channels"]) ^ set(row)
    state, channels = report["states"][0], report["channels"]
    assert channels["tip[3]"] == state["beams"]["blade"]["position"][3][2] == channels["beams/blade/position[4,3]"]
    assert channels["joints/clamp/force[3]"] == state["joints"]["clamp"]["force"][2]


def mechanisms_have_si_units_unless_others_are_given(here):
    text = open(os.path.join(here.examples, "mechanisms", "servo.yaml"), encoding="utf-8").read()
    path = os.path.join(here.folder, "servo.yaml")
    seen = []
    for more in ("", "\nunits: {position: mm, kinetic: mJ, i: A, current: A}\n"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + more)
        seen.append(here.command.report(f"run {path} --t-end 0.01")["units"])
    wanted = {"bodies/rod/position[1]": "m", "bodies/rod/velocity[2]": "m/s", "bodies/rod/angle": "rad", "joints/pin/force[1]": "N",
              "joints/pin/rate": "rad/s", "joints/pin/torque": "N m", "energy/kinetic": "J", "energy/work": "J"}
    assert all(seen[0][name] == unit for name, unit in wanted.items()) and "i" not in seen[0], seen[0]
    changed = {"bodies/rod/position[1]": "mm", "bodies/rod/velocity[2]": "m/s", "energy/kinetic": "mJ", "energy/work": "mJ", "i": "A",
               "current": "A", "energy/potential": "J"}
    assert all(seen[1][name] == unit for name, unit in changed.items()) and "e" not in seen[1], seen[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\nunits: {positon: mm}\n")
    done = here.command.call(f"check {path}")
    assert done.returncode == 3 and "'positon' is no variable" in done.stderr, done.stderr


def the_balance_of_energies_closes(here):
    report = here.command.report(f"run {here.write(FLEXIBLE)}")
    energies = report["energies"]
    assert energies["dissipated"] > 1e-3 and abs(energies["work"]) > 1e-3, energies
    assert abs(energies["balance"]) < 1e-7, energies
    folder = os.path.join(here.examples, "mechanisms")
    for name in ("springs", "slider-crank", "n-pendulum-moving-pivot"):
        energies = here.command.report(f"run {os.path.join(folder, name)}.yaml --rtol 1e-6")["energies"]
        assert abs(energies["balance"]) < 1e-5, (name, energies)


def the_balance_closes_where_steps_do_not_follow_vibrations(here):
    """By multipliers that belong to q and v inside the
    steps the work of the drive was up to 40 tolerances off."""
    path = os.path.join(here.examples, "mechanisms", "flexible-slider-crank.yaml")
    for rtol in (1e-5, 1e-8):
        for method in ("auto", "radau-iia"):
            report = here.command.report(f"run {path} --rtol {rtol} --method {method}")
            assert report["counters"]["steps"] < 1200, report["counters"]
            assert 0 < abs(report["energies"]["balance"]) < 0.1 * rtol, (rtol, method, report["energies"])


PARALLELOGRAM = """
sodae: 1
planar: true
gravity: [0, -9.81]
bodies:
  l0: {bar: [[0, 0], [0.15, 0.48]], mass: 0.3}
  l1: {bar: [[1, 0], [1.15, 0.48]], mass: 0.4}
  l2: {bar: [[0.5, 0.1], [0.65, 0.58]], mass: 0.5}
  plate: {mass: 2, inertia: 0.2, at: [0.65, 0.58]}
joints:
  b0: {revolute: [ground, l0], at: [0, 0]}
  b1: {revolute: [ground, l1], at: [1, 0]}
  b2: {revolute: [ground, l2], at: [0.5, 0.1]}
  t0: {revolute: [l0, plate], at: [0.15, 0.48]}
  t1: {revolute: [l1, plate], at: [1.15, 0.48]}
  t2: {revolute: [l2, plate], at: [0.65, 0.58]}
initial: {b0: {rate: -2}}
run: {times: [1.5]}
"""


def multipliers_that_nothing_determines_stay_small(here):
    """Three links, of which two would do; which multipliers are open turns with the links. What was extrapolated of them
    grew to 1e15 in 1000 steps, and took 1 J of 26."""
    path = here.write(PARALLELOGRAM)
    for flags in ("--rtol 1e-6", "--rtol 1e-10", "--method radau-iia --step 1e-3"):
        report = here.command.report(f"run {path} {flags}")
        rate = report["states"][0]["joints"]["b0"]["rate"]
        length = 0.15**2 + 0.48**2
        heavy, falls = (0.3 + 0.4 + 0.5) / 3 + 2, (0.3 + 0.4 + 0.5) / 2 + 2
        height = report["states"][0]["bodies"]["plate"]["position"][1] - 0.58
        energy = heavy * length * (rate**2 - 4) / 2 + falls * 9.81 * height
        assert abs(energy) < 26 * (1e-8 if "1e-6" not in flags else 1e-5), (flags, energy)
        assert report["counters"]["newton_iterations"] < 6 * report["counters"]["steps"] + 300, (flags, report["counters"])


def bodies_on_se3_move_alike(here):
    path = os.path.join(here.examples, "mechanisms", "double-pendulum-3d.yaml")
    with open(path) as file:
        text = file.read()
    reports = [here.command.report(f"run {here.write(t)}") for t in (text, text + "\nconfiguration: SE3\n")]
    for a, b in zip(*(r["states"] for r in reports)):
        for part in ("bodies", "joints"):
            for name in a[part]:
                for key in ("position", "velocity", "force", "torque"):
                    if key not in a[part][name]:
                        continue
                    for x, y in zip(a[part][name][key], b[part][name][key]):
                        assert abs(x - y) < 1e-4 * (1 + abs(x)), (name, key, x, y)


def the_bicycle_has_its_speeds(here):
    path = os.path.join(here.examples, "mechanisms", "bicycle.yaml")

    def modes(v):
        report = here.command.report(f"modes {path} --set v={v}")
        assert report["change"] < 1e-6 and "note" not in report, report["change"]
        modes = [m for m in report["modes"] if abs(m["real"]) + m["imaginary"] > 1e-3]
        return modes

    weave = [m for m in modes(5) if m["imaginary"] > 0]
    assert len(weave) == 1 and abs(weave[0]["real"] + 0.775341882) < 1e-7, weave
    assert abs(weave[0]["imaginary"] - 4.464867714) < 1e-7, weave
    real = sorted(m["real"] for m in modes(5) if m["imaginary"] == 0)
    assert abs(real[0] + 14.0783896928) < 1e-6 and abs(real[1] + 0.322866429) < 1e-7, real
    assert all(m["real"] > 0 for m in modes(4.2923) if m["imaginary"] > 0)
    assert all(m["real"] < 0 for m in modes(4.2925) if m["imaginary"] > 0)
    capsize = [max(m["real"] for m in modes(v) if m["imaginary"] == 0) for v in (5.9, 6.2)]
    assert capsize[0] < 0 < capsize[1], capsize


TOP = """
sodae: 1
parameters: {w: 30}
gravity: [0, 0, -9.81]
bodies: {top: {mass: 2, inertia: [0.05, 0.05, 0.02], at: [0, 0, 0.4]}}
joints: {tip: {spherical: [ground, top], at: [0, 0, 0]}}
initial: {top: {angular_velocity: [0, 0, w]}}
run: {t_end: 1}
"""


def the_sleeping_top_has_its_frequencies(here):
    a, c, mgl = 0.05 + 2 * 0.16, 0.02, 2 * 9.81 * 0.4  # a s^2 - c w s + m g l = 0, s = i z in the plane
    for w in (30, 200, 300):
        report = here.command.report(f"modes {here.write(TOP)} --set w={w}")
        assert "note" not in report and report["axes"] == "space", report
        found = sorted(m["imaginary"] for m in report["modes"] if m["imaginary"] > 1e-3)
        growth = max(m["real"] for m in report["modes"])
        root = (c * w) ** 2 - 4 * a * mgl
        if root < 0:
            assert abs(growth - math.sqrt(-root) / (2 * a)) < 1e-5, (w, growth)
        else:
            want = sorted((c * w + s * math.sqrt(root)) / (2 * a) for s in (-1, 1))
            assert len(found) == 2 and all(abs(x - y) < 1e-5 for x, y in zip(found, want)), (found, want)


CANTILEVER = """
sodae: 1
parameters: {n: 16, w: 0}
bodies: {hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}
beams:
  b: {from: [0, 0, 0], to: [10, 0, 0], up: [0, 1, 0], elements: n,
      section: {EA: 2.8e7, GA: [1e7, 1e7], GJ: 1.4e4, EI: [1.4e4, 1.4e4], rhoA: 1.2, rhoJ: [1.2e-3, 6e-4, 6e-4]}}
joints:
  root: {fixed: [hub, b.start]}
  shaft: {revolute: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]}
  drive: {motion: shaft, angle: w*t}
run: {t_end: 1}
"""


def a_cantilever_has_its_frequencies(here):
    report = here.command.report(f"modes {here.write(CANTILEVER)}")
    found = sorted(m["imaginary"] for m in report["modes"] if m["imaginary"] > 1e-3)
    euler = 3.5160152685 * math.sqrt(1.4e4 / (1.2 * 1e4))  # of a slender beam
    assert all(abs(x / euler - 1) < 1e-3 for x in found[:2]), (found[:2], euler)
    report = here.command.report(f"equilibrium {here.write(CANTILEVER)}")
    assert report["stability"] == "stable" and report["load_steps"] == 1, report


def frequencies_of_a_free_beam_converge_with_order_three(here):
    """In pairs, as the section is round."""
    beam = CANTILEVER.split("joints:")[0].replace("bodies: {hub: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}", "") + "run: {t_end: 1}\n"
    found = []
    for n in (8, 16, 32):
        report = here.command.report(f"modes {here.write(beam)} --set n={n}")
        found.append(sorted(m["imaginary"] for m in report["modes"] if m["imaginary"] > 1e-3)[0:6:2])
    for k in range(3):
        a, b, c = (row[k] for row in found)
        assert 7.5 < (b - a) / (c - b) < 10.5, (k, a, b, c)
    bernoulli = (4.730040744862704 / 10) ** 2 * math.sqrt(1.4e4 / 1.2)  # without shear and rotary inertia
    assert abs(found[2][0] / bernoulli - 1) < 3e-4, found[2]


def bdf_keeps_reactions_in_directions_that_hold_fast(here):
    """Increments of q and v do not show what an old matrix leaves in these."""
    path = os.path.join(here.examples, "..", "test", "mechanism", "models", "press.yaml")
    states = here.command.report(f"run {path} --method bdf --rtol 1e-8")["states"]
    fine = here.command.report(f"run {path} --rtol 1e-10")["states"]
    for a, b in zip(states, fine):
        for x, y in zip(a["joints"]["nut"]["torque"], b["joints"]["nut"]["torque"]):
            assert abs(x - y) < 1e-4, (a["t"], x, y)


def the_bricard_mechanism_meets_its_reference(here):
    report = here.command.report(f"run {os.path.join(here.examples, 'mechanisms', 'bricard.yaml')} --rtol 1e-8")
    wanted = [
        (0.77471780803925, -0.97981504765567, -0.19990615895343),
        (0.27448131926462, -0.88670793873467, -0.46233000268738),
        (-0.0023061004440216, -0.86602693898201, -0.49999734095037),
    ]
    for state, want in zip(report["states"], wanted):
        assert all(abs(x - y) < 1e-7 for x, y in zip(state["outputs"]["p"], want)), state["outputs"]
    assert report["not_unique"] == [f"j{i}" for i in range(1, 7)], report["not_unique"]


def equilibria_of_long_beams_converge_with_order_two(here):
    """40 and 80 elements are solved by full matrices, 160 by sparse ones."""
    text = """
sodae: 1
gravity: [0, 0, -9.81]
beams: {b: {from: [0, 0, 0], to: [10, 0, 0], up: [0, 1, 0], elements: %d, section: s}}
sections: {s: {EA: 1e6, GA: [4e5, 4e5], GJ: 300, EI: [400, 500], rhoA: 0.2, rhoJ: [1.2e-2, 6e-3, 6e-3]}}
bodies: {tip: {mass: 0.5, inertia: [0.01, 0.01, 0.01], at: [10, 0.2, 0]}}
joints: {root: {fixed: [ground, b.start]}, j: {revolute: [b.end, tip], at: [10, 0, 0], axis: [1, 0, 0]},
  k: {distance: [ground, b.end], at: [[10, 0.2, 3], [10, 0, 0]]}}
forces: {t: {torsion_spring: j, stiffness: 30}}
"""
    reports = [here.command.report(f"equilibrium {here.write(text % n)}") for n in (40, 80, 160)]
    heights = [r["states"][0]["bodies"]["tip"]["position"][1] for r in reports]
    ratio = (heights[2] - heights[1]) / (heights[1] - heights[0])
    assert 0.22 < ratio < 0.28 and abs(heights[2] - 0.34516) < 1e-5, (heights, ratio)
    assert all(r["load_steps"] == 1 for r in reports), reports


def andrews_mechanism_meets_its_reference(here):
    """The digits of Hairer and Wanner at t = 0.03, from bodies and joints."""
    report = here.command.report(f"run {os.path.join(here.examples, 'mechanisms', 'andrews.yaml')} --rtol 1e-9")
    wanted = {"be": 15.81077119629904, "th": -15.75637105984298, "ga": 0.04082224013073101, "ph": -0.5347301163226948,
              "de": 0.5244099658805304, "om": 0.5347301163226948, "ep": 1.048080741042263}
    outputs = report["states"][-1]["outputs"]
    for name, value in wanted.items():
        assert abs(outputs[name] - value) < 1e-7, (name, outputs[name], value)
    assert abs(report["energies"]["balance"]) < 1e-8, report["energies"]


def the_flyball_governor_meets_its_reference(here):
    """The digits of the reduced equations (IFToMM A05) at t = 0.5, from bodies and joints."""
    report = here.command.report(f"run {os.path.join(here.examples, 'mechanisms', 'flyball.yaml')} --rtol 1e-8")
    outputs = report["states"][-1]["outputs"]
    for name, value in {"s": 0.7432494247863293, "alpha": 0.2594913815434067, "omega": 5.103415421971394}.items():
        assert abs(outputs[name] - value) < 1e-8, (name, outputs[name], value)
    assert abs(report["energies"]["balance"]) < 1e-7, report["energies"]


def a_robot_is_imported_or_the_build_says_why_not(here):
    path = os.path.join(here.folder, "arm.urdf")
    inertia = '<inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/>'
    with open(path, "w") as file:
        file.write(f"""<robot name="arm"><link name="base"/><link name="upper"><inertial><origin xyz="0 0 0.3"/>
<mass value="2"/>{inertia}</inertial></link><joint name="shoulder" type="revolute"><parent link="base"/>
<child link="upper"/><axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="1"/></joint></robot>""")
    done = here.command.call(f"import {path}")
    if done.returncode:
        assert "libmujoco" in done.stderr, done.stderr
        return
    assert "shoulder: {revolute: [ground, upper]" in done.stdout and "limits of joint shoulder" in done.stderr, done
    assert here.command.report(f"show {here.write(done.stdout)}")["degrees_of_freedom"] == 1


def bad_beams_are_refused_with_their_place(here):
    good = "{EA: 1, GA: [1, 1], GJ: 1, EI: [1, 1], rhoA: 1, rhoJ: [1, 1, 1]}"
    beam = "sodae: 1\nbeams: {b: {from: [0, 0, 0], to: [%s], up: [0, 1, 0], elements: 2, section: %s}}\n"
    for text, place, words in (
        (beam % ("0, 0, 0", good), ":2:", "tangent is zero"),
        (beam % ("0, 1, 0", good), ":2:", "'up' is along the beam"),
        (beam % ("1, 0, 0", "s"), ":2:", "there is no 's' in 'sections'"),
        (beam % ("1, 0, 0", good.replace("EA: 1", "EA: -1")), ":2:", "not positive definite"),
        (beam % ("1, 0, 0", good.replace("rhoJ: [1", "rhoJ: [0")), ":2:", "inertia of the section"),
        ("planar: true\n" + beam % ("1, 0, 0", good), ":3:", "need space"),
        (beam % ("1, 0, 0", good) + "joints: {c: {fixed: [ground, b.7]}}\n", ":3:30", "no body 'b.7'"),
    ):
        done = here.command.call(f"check {here.write(text)}")
        assert done.returncode == 2 or done.returncode == 3, (text, done.returncode)
        assert place in done.stderr and words in done.stderr, (words, done.stderr)


def reactions(here, rtol):
    """Times and reactions of Bennett's linkage at output times, most of them inside steps."""
    path = os.path.join(here.examples, "mechanisms", "bennett.yaml")
    done = here.command.call(f"run {path} --rtol {rtol} --output-step 0.0437 --quiet --out -")
    assert done.returncode == 0, done.stderr
    head, *lines = csv.reader(done.stdout.splitlines())
    at = [i for i, name in enumerate(head) if name.startswith("joints/") and ("force" in name or "torque" in name)]
    return [[float(line[i]) for i in at] for line in lines]


def reactions_of_bennetts_linkage_are_right_inside_steps(here):
    """Three constraints are redundant everywhere: reactions of least size, solved for at each output time."""
    seen, fine = reactions(here, 1e-6), reactions(here, 1e-10)
    largest = max(abs(x) for row in fine for x in row)
    off = max(abs(x - y) for a, b in zip(seen, fine) for x, y in zip(a, b))
    steps = here.command.report(f"run {os.path.join(here.examples, 'mechanisms', 'bennett.yaml')} --rtol 1e-6")["steps"]
    assert len(seen) == len(fine) == 24 and len(seen[0]) == 24 and steps < 20, (len(seen), len(seen[0]), steps)
    assert 10 < largest < 20 and 1e-12 < off / largest < 1e-5, (off, largest)


def contacts_that_are_open_hold_no_freedom(here):
    report = here.command.report(f"check {os.path.join(here.examples, 'mechanisms', 'bouncing-ball.yaml')}")
    assert (report["constraints"], report["inactive"], report["rank"], report["degrees_of_freedom"]) == (1, 1, 0, 6)


CLAIMS = [
    contacts_that_are_open_hold_no_freedom,
    reactions_of_bennetts_linkage_are_right_inside_steps,
    bad_beams_are_refused_with_their_place,
    the_bricard_mechanism_meets_its_reference,
    andrews_mechanism_meets_its_reference,
    equilibria_of_long_beams_converge_with_order_two,
    the_flyball_governor_meets_its_reference,
    a_robot_is_imported_or_the_build_says_why_not,
    the_bicycle_has_its_speeds,
    the_sleeping_top_has_its_frequencies,
    a_cantilever_has_its_frequencies,
    frequencies_of_a_free_beam_converge_with_order_three,
    bdf_keeps_reactions_in_directions_that_hold_fast,
    clamps_react_as_constraints_do,
    numbers_of_mechanisms_are_channels,
    mechanisms_have_si_units_unless_others_are_given,
    the_balance_of_energies_closes,
    the_balance_closes_where_steps_do_not_follow_vibrations,
    multipliers_that_nothing_determines_stay_small,
    bodies_on_se3_move_alike,
    every_example_passes_its_check,
    states_have_names_and_times,
    without_times_the_end_is_reported,
    show_lists_the_constraints,
    redundant_joints_are_named,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
