#!/usr/bin/env python3
"""Does the error follow the tolerance? Markdown from the CSV of proportional.

    proportional.py RESULTS.csv > TABLE.md

The slope is that of a least squares line through log error against log tolerance; error is the larger
of those of q and v. A case is flagged outside of slope [0.8, 1.2] or error/tolerance [1e-2, 1e2];
errors below 1e-12 are rounding and left out."""
import csv
import math
import sys

FLOOR = 1e-12


def read(path):
    cases = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            cases.setdefault((r["problem"], r["solver"]), []).append(r)
    return cases


def slope(points):
    if len(points) < 2:
        return math.nan
    x = [math.log10(t) for t, _ in points]
    y = [math.log10(e) for _, e in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def judge(rows):
    points, failed = [], []
    for r in rows:
        if r["status"] != "ok":
            failed.append(f"{r['status']} at {r['tol']}")
            continue
        e = max(float(r["err_q"]), float(r["err_v"]))
        if e > FLOOR:
            points.append((float(r["tol"]), e))
    ratios = [e / t for t, e in points] or [math.nan]
    k = slope(points)
    flags = []
    if not points and not failed:
        return k, 0, 0, ["exact up to rounding"], failed
    if not 0.8 <= k <= 1.2:
        flags.append("slope")
    if not (min(ratios) >= 1e-2 and max(ratios) <= 1e2):
        flags.append("ratio")
    return k, min(ratios), max(ratios), flags, failed


def main():
    print("| problem | method | slope | error/tol least | largest | steps at 1e-6 | flags |")
    print("|---|---|---:|---:|---:|---:|---|")
    good = total = 0
    for (problem, solver), rows in read(sys.argv[1]).items():
        k, low, high, flags, failed = judge(rows)
        steps = next((r["steps"] for r in rows if r["tol"] == "1e-06"), "–")
        total += 1
        good += flags in ([], ["exact up to rounding"]) and not failed
        words = flags + failed[:1] + ([f"{len(failed) - 1} more"] if len(failed) > 1 else [])
        print(f"| {problem} | {solver} | {k:.2f} | {low:.2g} | {high:.2g} | {steps} | "
              f"{', '.join(words)} |")
    print(f"\n{good} of {total} within bounds.")


main()
