#!/usr/bin/env python3
"""What a failure record says, and whether it is true.

usage: advice.py SODAE EXAMPLES
"""
import math
import sys

from command import Setting, check_claims, strict

# The second constraint becomes the first one at t = 1, where the tenth step of 0.1 ends.
DEPENDENT = """
sodae: 1
equations:
  positions: [x, y, z]
  force: [1, -9.81, 1]
  holonomic: [x, x + (1 - t)*y]
initial: {positions: [0, 0, 0]}
run: {t_end: 2}
"""

# A direction without mass that nothing holds.
MASSLESS = """
sodae: 1
equations: {positions: [x, y], mass: [1, 0], force: [-x, t], holonomic: [x - 0.1*sin(t)]}
initial: {positions: [0, 0], velocities: [0.1, 0]}
run: {t_end: 2}
"""

# Constraints that say the same until t = 1.
CONTRADICTING = """
sodae: 1
equations:
  positions: [x, y]
  force: [0, -9.81]
  holonomic: [x^2 + y^2 - 1, "x^2 + y^2 - 1 + 0.1*max(t - 1, 0)^3"]
initial: {positions: [1, 0]}
run: {t_end: T}
"""

# A pendulum held by the same circle twice; a point held by three constraints of rank 2.
REDUNDANT = """
sodae: 1
equations: {positions: [x, y], force: [0, -9.81], holonomic: ["(x^2 + y^2 - 1)/2", x^2 + y^2 - 1]}
initial: {positions: [1, 0]}
run: {t_end: 1}
"""
HELD_FAST = """
sodae: 1
equations: {positions: [x, y], force: [0, -9.81], holonomic: [x - sin(t), y, x + y - sin(t)]}
initial: {positions: [0, 0], velocities: [1, 0]}
run: {t_end: 1}
"""

# A block on a rough plane, and one whose friction depends on the reaction; PUSH moves them on.
BLOCK = """
sodae: 1
equations: {positions: [x], velocities: [u], force: ["PUSH - 3*SIGN"]}
initial: {positions: [0], velocities: [1]}
run: {t_end: 2}
"""
HELD = """
sodae: 1
equations:
  positions: [x, y]
  velocities: [u, w]
  force: ["PUSH - 0.3*abs(lambda1)*SIGN", -10]
  holonomic: [y]
initial: {positions: [0, 0], velocities: [1, 0]}
run: {t_end: 2}
"""
BLOW_UP = """
sodae: 1
equations: {positions: [x], velocities: [v], force: [6*x^2]}
initial: {positions: [1], velocities: [2]}
run: {t_end: 3}
"""

# Friction that a driven slider passes at every reversal; a crank that drives one by a rod.
DRIVEN = """
sodae: 1
equations:
  positions: [x]
  velocities: [u]
  force: [-0.3*sign(u)]
  holonomic: [x - sin(t)]
initial: {positions: [0], velocities: [1]}
run: {t_end: 3000}
"""
CRANK = """
sodae: 1
parameters: {r: 0.2, L: 0.5, Om: 3}
equations:
  positions: [ph, be, x]
  velocities: [w1, w2, u]
  mass: [0.1, 0.05, 1]
  force: [0, 0, -3*sign(u)]
  holonomic: [ph - Om*t, r*sin(ph) - L*sin(be), x - r*cos(ph) - L*cos(be)]
initial: {positions: [0, 0, r + L], velocities: [Om, r*Om/L, 0]}
run: {t_end: 3600}
"""
BELT = """
sodae: 1
equations: {positions: [x], velocities: [u], force: ["-x - 2*sign(u - 0.5)"]}
initial: {positions: [0], velocities: [0.5]}
run: {t_end: 100}
"""
POLE = """
sodae: 1
equations: {positions: [x], velocities: [u], force: [tan(t)]}
initial: {positions: [0], velocities: [1]}
run: {t_end: 2}
"""
# A pendulum on a carriage in thick oil: smooth, but direct collocation divides rounding by h^2.
OIL = """
sodae: 1
equations:
  positions: [X, x, y]
  velocities: [V, u, v]
  mass: [1, 2, 2]
  force: [-1e4*V, 0, -2*9.81]
  holonomic: [(x - X)^2 + y^2 - 1]
initial: {positions: [0, sin(1.2), -cos(1.2)]}
run: {t_end: 5}
"""
# sin(ph) = sin(be) holds nothing where both are pi/2.
EQUAL = """
sodae: 1
equations:
  positions: [ph, be, x]
  velocities: [w1, w2, u]
  mass: [1, 1, 1]
  force: [0.5*cos(ph), 0, 0]
  holonomic: [sin(ph) - sin(be), x - cos(ph) - cos(be)]
initial: {positions: [0.3, 0.3, 2*cos(0.3)], velocities: [3, 3, -6*sin(0.3)]}
run: {t_end: 1}
"""

PAIRS = {
    "generalized-alpha": "index3 index2 stabilized soi2",
    "hht": "index3",
    "newmark": "index3",
    "extended-hht": "odae",
    "bdf": "index3 index2 index1 ggl",
    "modified-bdf": "index3",
    "direct-bdf": "index3 index2 index1 ggl2 minimal-extension",
    "gauss": "index1",
    "radau-iia": "index3 index2 index1 stabilized ggl",
    "msr": "index3",
    "dc": "index3",
}


class Failing(Setting):
    """Its runs fail."""

    def fail(self, model, flags="", code=5):
        done = self.command.call(f"run {self.write(model)} {flags} --json")
        assert done.returncode == code, (flags, done.returncode, done.stdout[-300:], done.stderr)
        report = strict(done.stdout)
        return report["status"], report["failure"]


def all_pairs():
    return [f"--method {m} --formulation {f}" for m, all_of in PAIRS.items() for f in all_of.split()]


def where_no_constraints_depend_on_each_other_none_are_named(here):
    status, failure = here.fail(MASSLESS, "--step 0.1")
    assert status == "SINGULAR" and not failure["dependent"], failure
    assert "massless direction" in failure["advice"], failure


def constraints_that_begin_to_contradict_each_other_are_reported_in_every_formulation(here):
    redundant = [p for p in all_pairs() if "minimal-extension" not in p]
    for pair in redundant:
        for step in ("--step 0.01", "--rtol 1e-5"):
            status, failure = here.fail(CONTRADICTING.replace("T", "2"), f"{pair} {step}")
            assert status == "INCONSISTENT" and 0.9 < failure["t"] < 1.05, (pair, step, failure)
            assert failure["dependent"] == "holonomic[1], holonomic[2]", (pair, step, failure)
            assert "depends on time" in failure["advice"], (pair, step, failure)
            here.command.report(f"run {here.write(CONTRADICTING.replace('T', '0.9'))} {pair} {step}")


def dependences_that_hold_on_the_constraints_only_are_no_contradictions_off_them(here):
    for pair in all_pairs():
        if "index1" in pair or "index2" in pair:
            for step in ("--step 0.005", "--rtol 1e-5"):
                here.command.report(f"run {here.examples}/bricard.yaml {pair} {step} --t-end 0.6")


def freedom_is_counted_by_constraints_that_are_independent(here):
    flags = "--method bdf --formulation index3 --rtol 1e-6"
    twice = here.command.report(f"run {here.write(REDUNDANT)} {flags}")["counters"]
    once = REDUNDANT.replace(", x^2 + y^2 - 1]", "]")
    once = here.command.report(f"run {here.write(once)} {flags}")["counters"]
    assert 50 < once["steps"] < 500 and 0.9 < twice["steps"] / once["steps"] < 1.1, (once, twice)
    status, failure = here.fail(HELD_FAST, flags, 4)
    assert status == "NOT_ALLOWED" and "cannot pass an error test" in failure["message"], failure


def lists_of_names_are_cut_between_names(here):
    done = here.command.call(f"run {here.examples}/bricard.yaml --formulation minimal-extension --json")
    assert done.returncode == 4, done.stderr
    message = strict(done.stdout)["failure"]["message"]
    names = message.split("independent: ")[1].split(" say the same")[0].split(", ")
    assert 5 < len(names) < 12 and names[-1] == "...", message
    assert names[:-1] == [f"holonomic[{i}]" for i in range(1, len(names))], message


def friction_that_does_not_hold_is_passed(here):
    for model in (BLOCK, HELD):
        text = model.replace("PUSH", "-4").replace("SIGN", "sign(u)")
        end = here.command.report(f"run {here.write(text)}")
        assert abs(end["v"][0] + 2 - 1 / 7) < 1e-4, end["v"]  # -7 until t = 1/7, -1 after it


def friction_that_a_constraint_drives_over_ends_no_run(here):
    end = here.command.report(f"run {here.write(DRIVEN)} --method bdf --rtol 1e-6")
    assert end["status"] == "OK" and abs(end["v"][0] - math.cos(3000)) < 1e-6, end["v"]
    end = here.command.report(f"run {here.write(CRANK)} --method bdf --rtol 1e-4")
    slope = 0.2 * math.sin(3 * 3600) / 0.5
    speed = -0.6 * math.sin(10800) - 0.6 * math.cos(10800) * slope / math.sqrt(1 - slope**2)
    assert end["status"] == "OK" and abs(end["v"][2] - speed) < 1e-3, (end["v"], speed)


def multipliers_that_no_one_asked_for_may_jump_with_a_force(here):
    """x = sin t with friction: lambda = sin t - 0.3 sign(cos t)"""
    for method in ("generalized-alpha", "newmark", "hht"):
        for form in ("stabilized", "index3"):
            options = f"--method {method} --formulation {form} --rtol 1e-4 --t-end 20"
            end = here.command.report(f"run {here.write(DRIVEN)} {options}")
            assert end["status"] == "OK" and 100 < end["steps"] < 1500, end["steps"]
            wrong = abs(end["lambda"][0] - math.sin(20) + 0.3)
            assert wrong < 1e-4, (method, form, wrong)


def a_run_that_sticks_sticks_again_when_it_is_replayed(here):
    text = BLOCK.replace("PUSH", "1").replace("SIGN", "sign(u)")
    for method in ("gauss", "dc", "bdf"):
        done = here.command.call(f"run {here.write(text)} --method {method} --json")
        with open(here.folder + "/stuck.json", "w") as file:
            file.write(done.stdout)
        failure = strict(done.stdout)["failure"]
        again = here.command.call(f"replay {here.folder}/stuck.json --json")
        assert again.returncode == 5, (method, again.stdout)
        assert strict(again.stdout)["failure"]["message"] == failure["message"], again.stdout


def a_limit_by_rounding_is_no_singularity(here):
    status, failure = here.fail(OIL, "--method dc --rtol 1e-5")
    assert status == "STEP_TOO_SMALL" and failure["h"] < 1e-15, failure
    assert "the limit is rounding" in failure["advice"], failure


def a_constraint_without_gradient_is_reported_alone(here):
    text = here.command.call(f"run {here.write(EQUAL)}").stdout
    assert "constraint holonomic[1] holds nothing at t = 0.57" in text, text
    assert "its reaction is not unique there (rank 1 of 2)" in text and "depend on each other" not in text, text


def a_step_below_min_step_is_blamed_on_min_step(here):
    done = here.command.call("run pendulum --rtol 1e-8 --min-step 0.1 --method radau-iia --json")
    failure = strict(done.stdout)["failure"]
    assert "min_step = 0.1 does not allow them" in failure["advice"], failure
    assert 1e-3 < failure["h"] < 0.1, failure


def what_grows_without_bound_is_no_jump(here):
    for flags in ("", "--method bdf", "--method generalized-alpha"):
        status, failure = here.fail(BLOW_UP, flags)
        assert status == "STEP_TOO_SMALL" and "singularity" in failure["advice"], failure


def too_many_steps_come_with_advice(here):
    done = here.command.call("run pendulum --rtol 1e-8 --max-steps 20 --json")
    report = strict(done.stdout)
    assert report["status"] == "TOO_MANY_STEPS" and "max_steps" in report["failure"]["advice"], report
    assert report["failure"]["h"] > 0 and report["failure"]["history"], report


CLAIMS = [
    where_no_constraints_depend_on_each_other_none_are_named,
    constraints_that_begin_to_contradict_each_other_are_reported_in_every_formulation,
    dependences_that_hold_on_the_constraints_only_are_no_contradictions_off_them,
    freedom_is_counted_by_constraints_that_are_independent,
    lists_of_names_are_cut_between_names,
    friction_that_does_not_hold_is_passed,
    friction_that_a_constraint_drives_over_ends_no_run,
    multipliers_that_no_one_asked_for_may_jump_with_a_force,
    a_run_that_sticks_sticks_again_when_it_is_replayed,
    a_limit_by_rounding_is_no_singularity,
    a_constraint_without_gradient_is_reported_alone,
    a_step_below_min_step_is_blamed_on_min_step,
    what_grows_without_bound_is_no_jump,
    too_many_steps_come_with_advice,
]


check_claims(CLAIMS, lambda folder: (Failing(sys.argv[1], sys.argv[2], folder),))
