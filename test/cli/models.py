#!/usr/bin/env python3
"""Model files from the command line.

usage: models.py SODAE EXAMPLES
"""
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
    told = here.command.call(["analyse", path]).stdout
    assert "M is singular" in told and "that of the linearised equations" in told, told
    assert here.command.report(f"check {path}")["index"] == 1
    path = here.write(text.format("near", "mass: [1, 1]", "x + y, x + 1.0000000001*y"))
    found = here.command.report(f"analyse {path}")
    assert not found["d_index_clear"] and found["doubt"], found
    assert "NOT CLEAR, the index may be wrong" in here.command.call(["analyse", path]).stdout
    path = here.write(text.format("light", "mass: [1e-14, 1]", "x + y, x + 1.0000001*y"))
    assert here.command.report(f"check {path}")["index_doubt"], path
    assert "NOT CLEAR, the index may be wrong" in here.command.call(["check", path]).stdout
    assert "index_doubt" not in here.command.report("check pendulum")


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


def the_smallest_singular_value_is_told_as_it_is(here):
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


def parameters_are_overridden_and_equal_names_told_apart(here):
    path = here.write(OSCILLATOR)
    heavy = here.command.report(f"run {path} --set m=4")
    assert abs(heavy["q"][0] - 0.8775825618903728) < 1e-4, heavy["q"]  # cos(1/2)
    done = here.command.call(f"run {path} --set b=4")
    assert done.returncode == 2 and "parameter.b" in done.stderr, done.stderr
    stiff = here.command.report(f"run {path} --set parameter.b=4")
    assert abs(stiff["q"][0] + 0.4161468365471424) < 1e-3, stiff["q"]  # cos(2)


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


def check_tells_rank_and_index(here):
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
    the_linear_example_of_004_is_less_strange_in_second_order_form,
    mu_does_not_see_algebraic_terms_of_velocity_constraints,
    analyse_says_where_the_index_comes_from_and_when_it_is_not_clear,
    orders_may_be_a_list,
    the_smallest_singular_value_is_told_as_it_is,
    a_file_brings_its_own_settings_and_flags_win,
    parameters_are_overridden_and_equal_names_told_apart,
    standard_input_is_a_file_too,
    bad_files_are_named_with_line_and_column,
    check_tells_rank_and_index,
    the_schema_is_json_and_knows_the_keys,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
