#!/usr/bin/env python3
"""Work-precision tables in Markdown from the CSV of work_precision.

    table.py RESULTS.csv > TABLES.md

Times are ratios to the peer ("ida nl") of the same run, interpolated on the work-precision curve
(logarithms of error and time): how much longer than IDA does it take to reach an error? Where IDA does not reach it: milliseconds.
"<": already the loosest run is better."""
import csv
import math
import sys

PEER = "ida nl"
ERRORS = {"err_q": (1e-3, 1e-5, 1e-7), "err_v": (1e-2, 1e-3, 1e-4)}


def read(path):
    runs = {}
    with open(path) as f:
        for row in csv.DictReader(f):
            runs.setdefault(row["problem"], {}).setdefault(row["solver"], []).append(row)
    return runs


def reach(rows, error, of, what):
    """`what` at an error and whether already the loosest run was better; None: no run got there."""
    points = sorted((float(r[of]), float(r[what])) for r in rows
                    if r["status"] == "ok" and float(r[of]) > 0)
    if not points or points[0][0] > error:
        return None, False
    if points[-1][0] <= error:
        return points[-1][1], True
    for (e0, w0), (e1, w1) in zip(points, points[1:]):
        if e0 <= error <= e1:
            x = 0 if e0 == e1 else math.log(error / e0) / math.log(e1 / e0)
            return math.exp((1 - x) * math.log(w0) + x * math.log(w1)), False
    return None, False


def number(x, form, loosest):
    return "–" if x is None else ("<" if loosest else "") + form % x


def summary(problem, solvers, of):
    errors = ERRORS[of]
    print(f"\n### {problem}: steps and time to reach an error in {of[-1]}\n")
    print("| solver | " + " | ".join(f"steps {e:.0e} | time {e:.0e}" for e in errors) + " |")
    print("|---|" + "---:|" * (2 * len(errors)))
    base = {e: reach(solvers.get(PEER, []), e, of, "seconds")[0] for e in errors}
    for name, rows in solvers.items():
        cells = []
        for e in errors:
            steps, loosest = reach(rows, e, of, "steps")
            time = reach(rows, e, of, "seconds")[0]
            ratio = time / base[e] if time and base[e] else time and 1e3 * time
            cells += [number(steps, "%.0f", loosest),
                      number(ratio, "%.2f" if base[e] else "(%.3g ms)", False)]
        print(f"| {name} | " + " | ".join(cells) + " |")


def details(problem, solvers):
    print(f"\n### {problem}\n")
    print("| solver | tol | status | steps | refused | forces | Newton | factorisations | err q |"
          " err v | err λ | ms |")
    print("|---|---|---|" + "---:|" * 9)
    for name, rows in solvers.items():
        for r in rows:
            cells = [r[k] for k in ("steps", "refused", "residuals", "newton", "factorizations")]
            errors = ["%.1e" % float(r[k]) for k in ("err_q", "err_v", "err_lambda")]
            print(f"| {name} | {float(r['tol']):.0e} | {r['status']} | " + " | ".join(cells) + " | "
                  + " | ".join(errors) + " | %.3g |" % (1e3 * float(r["seconds"])))


def main():
    runs = read(sys.argv[1])
    for problem, solvers in runs.items():
        for of in ERRORS:
            summary(problem, solvers, of)
    print("\n## All runs")
    for problem, solvers in runs.items():
        details(problem, solvers)


main()
