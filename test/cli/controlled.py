"""Every method with every formulation on every catalogue problem under error control: it keeps the tolerance, at a
price that does not depend on the formulation, or is refused with a reason.

usage: controlled.py SODAE
The reference is the default method at a tolerance 1e5 times tighter; where the catalogue knows the exact solution, the
reference is held against it and the run at all of its steps. Errors are counted in tolerances, as the error test does.
"""
import math
import sys
from concurrent.futures import ThreadPoolExecutor

from command import Command, strict

NOT_ALLOWED = 4
RTOL, TIGHT = 1e-4, 1e-9
WITHIN = 100        # tolerances, at the end of the run and on the way
DEARER = 10         # times the steps of the formulation that needs the fewest, and some more for the start
START = 40
MOST = 200000       # steps of one run
# ends of the runs where the whole span would only take time; four-bar passes singular configurations after 0.7 s,
# which is a test of its own
ENDS = {"rolling-disk": 4, "rolling-disk-s3": 0.3, "heavy-top": 0.1, "heavy-top-se3": 0.1, "truck": 8, "truck11": 0.2,
        "car-axis": 0.3, "slider-crank": 0.01, "pendulum-a01": 3, "four-bar": 0.6, "chain": 0.4, "rod-chain": 0.3}
EXACT = {"cubic"}   # with both levels of its constraint: no price to compare with


def tolerances(x, reference):
    return max((abs(a - b) / (RTOL * (1 + max(abs(a), abs(b)))) for a, b in zip(x, reference)), default=0)


class Problem:
    def __init__(self, command, entry):
        self.command, self.name = command, entry["name"]
        self.end = ENDS.get(self.name, entry["t_end"])
        self.reference = self.run(f"--rtol {TIGHT!r} --atol {TIGHT!r}")
        self.size = 1 + max(map(abs, self.reference["q"] + self.reference["v"]), default=0)

    def run(self, options):
        done = self.command.call(f"run {self.name} --t-end {self.end!r} --json {options}")
        report = strict(done.stdout) if done.stdout.strip() else {}
        report["exit"], report["said"] = done.returncode, done.stderr.strip().splitlines()[:1]
        return report

    def complaint_about_reference(self):
        known = max(self.reference.get("error", {}).get(part, 0) for part in ("q", "v"))
        if self.reference["exit"]:
            return f"{self.name}: no reference: {self.reference['said']}"
        return f"{self.name}: the reference is off by {known:.2g}" if known > 1e3 * TIGHT * self.size else None

    def error(self, report):
        at_end = max(tolerances(report[part], self.reference[part]) for part in ("q", "v"))
        on_the_way = max(report.get("max_error", {}).get(part, 0) for part in ("q", "v")) / (RTOL * self.size)
        return max(at_end, on_the_way)

    def complaint(self, report):
        if report["exit"] == NOT_ALLOWED:
            reason = report.get("failure", {}).get("message", "")
            return None if len(reason) > 20 else f"refused without a reason: '{reason}'"
        if report["exit"]:
            return str(report["said"])
        error = self.error(report)
        return None if error <= WITHIN and math.isfinite(error) else f"off by {error:.3g} tolerances"


def check(problem, methods, formulations):
    """Complaints and the number of pairs that ran."""
    wrong, ran = [problem.complaint_about_reference()], 0
    for method in methods:
        reports = {f: problem.run(f"--method {method} --formulation {f} --rtol {RTOL!r} --atol {RTOL!r} --max-steps {MOST}")
                   for f in formulations}
        steps = {f: r["steps"] for f, r in reports.items() if r["exit"] == 0}
        ran += len(steps)
        for formulation, report in reports.items():
            pair = f"{problem.name} {method} {formulation}"
            complaint = problem.complaint(report)
            wrong.append(complaint and f"{pair}: {complaint}")
            taken, least = steps.get(formulation, 0), min(steps.values(), default=0)
            if problem.name not in EXACT and taken > DEARER * least + START:
                wrong.append(f"{pair}: {taken} steps instead of {least}")
    return [w for w in wrong if w], ran


def main():
    command = Command(sys.argv[1])

    def words(what):
        return strict(command.call(f"list {what} --json").stdout)

    methods = [m["name"] for m in words("methods") if m["name"] != "auto"]
    formulations = [f["name"] for f in words("formulations") if f["name"] != "auto"]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda entry: check(Problem(command, entry), methods, formulations), words("problems")))
    wrong = [w for complaints, _ in results for w in complaints]
    print("\n".join(wrong))
    print(f"{sum(ran for _, ran in results)} pairs ran, {len(wrong)} complaints")
    sys.exit(1 if wrong else 0)


main()
