#!/usr/bin/env python3
"""Mechanism files from the command line.

usage: mechanisms.py SODAE EXAMPLES
"""
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
        assert report["start"]["status"] == "OK", (name, report["start"])


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


CLAIMS = [
    every_example_passes_its_check,
    states_have_names_and_times,
    without_times_the_end_is_reported,
    show_lists_the_constraints,
    redundant_joints_are_named,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
