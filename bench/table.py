#!/usr/bin/env python3
"""Work-precision tables in Markdown from the CSV of work_precision.

    table.py RESULTS.csv > TABLES.md

Times are ratios to the peer ("ida nl") of the same run, interpolated on the work-precision curve
(logarithms of error and time): how much longer than IDA does it take to reach an error?"""
import csv
import math
import sys

PEER = "ida nl"
ERRORS = (1e-3, 1e-5, 1e-7)


def read(path):
    runs = {}
    with open(path) as f:
        for row in csv.DictReader(f):
            runs.setdefault(row["problem"], {}).setdefault(row["solver"], []).append(row)
    return runs


def reach(rows, error, what):
    """`what` at the given error in q; None where no run got there."""
    points = sorted((float(r["err_q"]), float(r[what])) for r in rows
                    if r["status"] == "ok" and float(r["err_q"]) > 0)
    if not points or points[0][0] > error:
        return None
    if points[-1][0] <= error:
        return points[-1][1]
    for (e0, w0), (e1, w1) in zip(points, points[1:]):
        if e0 <= error <= e1:
            x = 0 if e0 == e1 else math.log(error / e0) / math.log(e1 / e0)
            return math.exp((1 - x) * math.log(w0) + x * math.log(w1))
    return None


def number(x, form):
    return "–" if x is None else form % x


def summary(problem, solvers):
    print(f"\n### {problem}: steps and time to reach an error in q\n")
    print("| solver | " + " | ".join(f"steps {e:.0e} | time {e:.0e}" for e in ERRORS) + " |")
    print("|---|" + "---:|" * (2 * len(ERRORS)))
    base = {e: reach(solvers.get(PEER, []), e, "seconds") for e in ERRORS}
    for name, rows in solvers.items():
        cells = []
        for e in ERRORS:
            steps, time = reach(rows, e, "steps"), reach(rows, e, "seconds")
            ratio = time / base[e] if time and base[e] else None
            cells += [number(steps, "%.0f"),
                      number(ratio, "%.2f") if base[e] else number(time and 1e3 * time, "(%.3g ms)")]
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
        summary(problem, solvers)
    print("\n## All runs")
    for problem, solvers in runs.items():
        details(problem, solvers)


main()
