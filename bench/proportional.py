#!/usr/bin/env python3
"""Does the error follow the tolerance? Markdown from the CSV of catalogue.

    proportional.py RESULTS.csv > TABLE.md

Errors are in tolerances, the larger of those of q and v. The slope is that of a least squares line through log error against
log tolerance. A problem is flagged outside of slope [0.8, 1.2] or error [1e-2, 1e2]; errors below 1e-12 are rounding and left
out."""
import csv
import math
import sys

FLOOR = 1e-12


def read(path):
    problems = {}
    with open(path) as f:
        for r in csv.DictReader(f):
            problems.setdefault(r["problem"], []).append(r)
    return problems


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
        if r["status"] not in ("OK", "EVENT"):
            failed.append(f"{r['status']} at {r['rtol']}")
            continue
        tol, e = float(r["rtol"]), max(float(r["err_q"]), float(r["err_v"]))
        if e * tol > FLOOR:
            points.append((tol, e * tol))
    ratios = [e / tol for tol, e in points] or [math.nan]
    if not points and not failed:
        return math.nan, 0, 0, ["exact up to rounding"], failed
    k = slope(points)
    flags = [] if 0.8 <= k <= 1.2 else ["slope"]
    if not (min(ratios) >= 1e-2 and max(ratios) <= 1e2):
        flags.append("ratio")
    return k, min(ratios), max(ratios), flags, failed


def main():
    print("| problem | slope | error/tol least | largest | steps at 1e-7 | flags |")
    print("|---|---:|---:|---:|---:|---|")
    good = total = 0
    for problem, rows in read(sys.argv[1]).items():
        k, low, high, flags, failed = judge(rows)
        steps = next((r["steps"] for r in rows if r["rtol"] == "1e-07"), "–")
        total += 1
        good += flags in ([], ["exact up to rounding"]) and not failed
        print(f"| {problem} | {k:.2f} | {low:.2g} | {high:.2g} | {steps} | {', '.join(flags + failed)} |")
    print(f"\n{good} of {total} within bounds.")


main()
