#!/usr/bin/env python3
"""Numbers that the command has to reproduce.

usage: golden.py SODAE TABLE.json [NAME...]

A table is a list of {"name", "command", "expect": {"path.in.report": bound}}. A bound holds
`value` and either `deviation`, the rounding of a computation in double (a hundred times of it, or
1e-12 of the largest value, is allowed), or `rtol`; or `band`, two numbers the value lies between.
"""
import json
import sys

from command import Command


def look_up(report, path):
    for key in path.split("."):
        report = report[int(key)] if isinstance(report, list) else report[key]
    return report


def as_list(value):
    return value if isinstance(value, list) else [value]


def compare(path, got, bound):
    """None, or what is wrong."""
    got = as_list(got)
    if "band" in bound:
        low, high = bound["band"]
        if all(low <= x <= high for x in got):
            return None
        return f"{path} = {got} is not in [{low}, {high}]"
    want = as_list(bound["value"])
    if len(got) != len(want):
        return f"{path} has {len(got)} numbers, not {len(want)}"
    largest = max(abs(x) for x in want)
    if "rtol" in bound:
        allowed = bound["rtol"] * largest
    else:
        allowed = max(100 * bound["deviation"], 1e-12 * largest)
    off = max(abs(x - y) for x, y in zip(got, want))
    if off <= allowed:
        return None
    return f"{path} is off by {off:.3g}, allowed {allowed:.3g}: {got}, expected {want}"


def check(command, case):
    try:
        report = command.report(case["command"])
    except (AssertionError, ValueError) as error:
        return [str(error)]
    wrong = []
    for path, bound in case["expect"].items():
        try:
            wrong.append(compare(path, look_up(report, path), bound))
        except (KeyError, IndexError, TypeError) as error:
            wrong.append(f"{path} is missing in the report ({error!r})")
    return [w for w in wrong if w]


def main():
    command, names = Command(sys.argv[1]), sys.argv[3:]
    with open(sys.argv[2], encoding="utf-8") as file:
        cases = [c for c in json.load(file) if not names or c["name"] in names]
    failed = 0
    for case in cases:
        wrong = check(command, case)
        failed += bool(wrong)
        for line in wrong:
            print(f"{case['name']}: {line}\n    sodae {case['command']}")
    print(f"{len(cases) - failed} of {len(cases)} cases agree")
    sys.exit(1 if failed or not cases else 0)


main()
