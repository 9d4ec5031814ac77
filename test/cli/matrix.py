"""Every method with every formulation on every catalogue problem: it runs, or is refused with a reason.

usage: matrix.py SODAE
A run is 40 steps of an eighth of the problem's own step, without error control. It counts as good when the status is OK, all
numbers are finite and, where an exact solution is known, q is closer to it than a wrong method would come.
"""
import math
import sys

from command import Command, strict

NOT_ALLOWED = 4
STEPS = 40
# four-bar passes singular configurations and rolling on them is a test of its own; the large ones only take time
SKIPPED = {"four-bar"}


def words(command, what):
    return strict(command.call(f"list {what} --json").stdout)


def finite(x):
    if isinstance(x, list):
        return all(map(finite, x))
    return not isinstance(x, float) or math.isfinite(x)


def complaint(command, problem, method, formulation):
    name, step, start = problem["name"], problem["step"] / 8, problem.get("t0", 0.0)
    done = command.call(f"run {name} --method {method} --formulation {formulation} --step {step!r} "
                        f"--t-end {start + STEPS * step!r} --json")
    report = strict(done.stdout) if done.stdout.strip() else {}
    if done.returncode == NOT_ALLOWED:
        reason = report.get("failure", {}).get("message", "")
        return None if len(reason) > 20 else f"refused without a reason: '{reason}'"
    if done.returncode:
        return done.stderr.strip().splitlines()[0]
    if not all(finite(report[part]) for part in ("q", "v", "a", "lambda", "psi")):
        return "numbers are not finite"
    error, moved = report.get("error", {}).get("q"), max(map(abs, report["v"]), default=0)
    if error is not None and error > 1e-2 * (1 + moved * STEPS * step):
        return f"q is off by {error:.2g}"
    return None


def main():
    command = Command(sys.argv[1])
    methods = [m["name"] for m in words(command, "methods")]
    formulations = [f["name"] for f in words(command, "formulations") if f["name"] != "auto"]
    problems = [p for p in words(command, "problems") if p["name"] not in SKIPPED]
    bad = ran = 0
    for problem in problems:
        for method in methods:
            for formulation in formulations:
                wrong = complaint(command, problem, method, formulation)
                ran += 1
                if wrong:
                    bad += 1
                    print(f"{problem['name']} {method} {formulation}: {wrong}")
    print(f"{ran - bad} of {ran} pairs run or are refused with a reason")
    sys.exit(1 if bad else 0)


main()
