"""Every method with every formulation on every catalogue problem: it runs, or is refused with a reason.

usage: matrix.py SODAE
A run is 40 steps of an eighth of the problem's own step, without error control. It counts as good when the status is OK, all
numbers are finite and, where an exact solution is known, q and v are closer to it than a wrong method would come. On how many
problems a pair runs is known, so that one that is refused by mistake is noticed.
"""
import json
import math
import sys

from command import Command, strict

NOT_ALLOWED = 4
STEPS = 40
SKIPPED = {"four-bar"}  # passes singular configurations: a test of its own

# Problems of the catalogue that a pair runs on. Fewer: nonholonomic constraints, rotations, constraints at all.
ALPHA = {"index3": 23, "stabilized": 23, "soi2": 23, "index2": 23}
RADAU = {"index3": 23, "stabilized": 23, "index2": 23, "index1": 23, "ggl": 23, "ggl2": 23,
         "minimal-extension": 23}
BDF = {"index3": 23, "index2": 23, "index1": 23, "ggl2": 23, "minimal-extension": 23}
RUNS = {
    "auto": dict.fromkeys(("index3", "stabilized", "soi2", "index2", "index1", "ggl", "ggl2", "minimal-extension"), 23)
            | {"odae": 19},
    "generalized-alpha": ALPHA, "newmark": ALPHA, "hht": ALPHA, "alpha": ALPHA,
    "extended-hht": {"index2": 23, "odae": 19},
    "gauss": {"index3": 4, "stabilized": 1, "index2": 23, "index1": 23, "ggl": 1, "ggl2": 1, "minimal-extension": 23},
    "radau-iia": RADAU, "msr": RADAU,
    "dc": {"index3": 23, "stabilized": 4, "index2": 23, "index1": 23, "ggl": 4, "ggl2": 23, "minimal-extension": 23},
    "bdf": BDF | {"ggl": 23}, "direct-bdf": BDF,
    "glm": {},  # it needs a table
    "dopri5": {"index1": 19}, "dop853": {"index1": 19},
    "modified-bdf": {"index3": 19, "index2": 1, "index1": 23, "ggl2": 19, "minimal-extension": 19},
}


def words(command, what):
    return strict(command.call(f"list {what} --json").stdout)


def finite(x):
    if isinstance(x, list):
        return all(map(finite, x))
    return not isinstance(x, float) or math.isfinite(x)


REFUSED = "refused with a reason"


def complaint(command, problem, method, formulation):
    name, step, start = problem["name"], problem["step"] / 8, problem.get("t0", 0.0)
    done = command.call(f"run {name} --method {method} --formulation {formulation} --step {step!r} "
                        f"--t-end {start + STEPS * step!r} --json")
    report = strict(done.stdout) if done.stdout.strip() else {}
    if done.returncode == NOT_ALLOWED:
        reason = report.get("failure", {}).get("message", "")
        return REFUSED if len(reason) > 20 else f"refused without a reason: '{reason}'"
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    if not all(finite(report[part]) for part in ("q", "v", "a", "lambda", "psi")):
        return "numbers are not finite"
    errors, v = report.get("error", {}), max(map(abs, report["v"]), default=0)
    for part, allowed in (("q", 1 + v * STEPS * step), ("v", 1 + v)):
        if errors.get(part) is not None and errors[part] > 1e-2 * allowed:
            return f"{part} is off by {errors[part]:.2g}"
    return None


def methods_named(text):
    """Methods that the help of a formulation names."""
    family = ["bdf", "modified-bdf", "direct-bdf"] if "the BDF family" in text else []
    return set(text.replace(",", "").split()) & set(RUNS) | set(family)


def untrue_helps(command):
    """Formulations whose help names other methods than those that run them on most problems, gauss alike."""
    wrong = []
    for form in words(command, "formulations"):
        takes = {m for m, runs in RUNS.items() if runs.get(form["name"], 0) >= 19 and m != "auto"}
        if form["name"] in ("ggl", "ggl2") and methods_named(form["help"]) != takes:
            wrong.append(f"{form['name']}: '{form['help']}', but {sorted(takes)} take it")
    help_of = {m["name"]: m["help"] for m in words(command, "methods")}
    for form in ("index3", "index2", "index1", "minimal-extension"):
        if (RUNS["gauss"][form] >= 19) != (form in help_of["gauss"]):
            wrong.append(f"gauss: '{help_of['gauss']}' about {form}")
    return wrong


def main():
    command = Command(sys.argv[1])
    methods = [m["name"] for m in words(command, "methods")]
    formulations = [f["name"] for f in words(command, "formulations") if f["name"] != "auto"]
    problems = [p for p in words(command, "problems") if p["name"] not in SKIPPED]
    bad = ran = 0
    runs = {method: dict.fromkeys(formulations, 0) for method in methods}
    for problem in problems:
        for method in methods:
            for formulation in formulations:
                wrong = complaint(command, problem, method, formulation)
                ran += 1
                runs[method][formulation] += wrong != REFUSED
                if wrong not in (None, REFUSED):
                    bad += 1
                    print(f"{problem['name']} {method} {formulation}: {wrong}")
    print(f"{ran - bad} of {ran} pairs run or are refused with a reason")
    for method in methods:
        found = {f: n for f, n in runs[method].items() if n}
        if found != RUNS.get(method):
            bad += 1
            print(f'    "{method}": {json.dumps(found)},  expected {json.dumps(RUNS.get(method))}')
    for line in untrue_helps(command):
        bad += 1
        print(line)
    sys.exit(1 if bad else 0)


main()
