#!/usr/bin/env python3
"""Observed orders of every method and formulation, as a table.

usage: orders.py SODAE             prints the table
       orders.py SODAE --check FILE compares it with the one in FILE: every order within 0.35
"""
import math
import re
import subprocess
import sys
import json
import os

# (method, what to add on the command line, name of the row)
METHODS = [
    ("generalized-alpha", "--rho-inf 0.8", "generalized-alpha"),
    ("hht", "--alpha -0.1", "hht"),
    ("newmark", "", "newmark"),
    ("extended-hht", "--alpha -0.15 --b 0.3", "extended-hht"),
    ("bdf", "--order 1", "bdf, order 1"),
    ("bdf", "--order 2", "bdf, order 2"),
    ("bdf", "--order 3", "bdf, order 3"),
    ("bdf", "--order 4", "bdf, order 4"),
    ("bdf", "--order 5", "bdf, order 5"),
    ("bdf", "--order 6", "bdf, order 6"),
    ("modified-bdf", "--order 1", "modified-bdf, order 1"),
    ("modified-bdf", "--order 2", "modified-bdf, order 2"),
    ("modified-bdf", "--order 3", "modified-bdf, order 3"),
    ("modified-bdf", "--order 4", "modified-bdf, order 4"),
    ("modified-bdf", "--order 5", "modified-bdf, order 5"),
    ("modified-bdf", "--order 6", "modified-bdf, order 6"),
    ("direct-bdf", "--order 1", "direct-bdf, order 1"),
    ("direct-bdf", "--order 2", "direct-bdf, order 2"),
    ("direct-bdf", "--order 3", "direct-bdf, order 3"),
    ("direct-bdf", "--order 4", "direct-bdf, order 4"),
    ("direct-bdf", "--order 5", "direct-bdf, order 5"),
    ("radau-iia", "--stages 1", "radau-iia, 1 stage"),
    ("radau-iia", "--stages 2", "radau-iia, 2 stages"),
    ("radau-iia", "--stages 3", "radau-iia, 3 stages"),
    ("radau-iia", "--stages 4", "radau-iia, 4 stages"),
    ("gauss", "--stages 1", "gauss, 1 stage"),
    ("gauss", "--stages 2", "gauss, 2 stages"),
    ("gauss", "--stages 3", "gauss, 3 stages"),
    ("gauss", "--stages 4", "gauss, 4 stages"),
    ("msr", "--steps 2 --stages 2", "msr(2,2)"),
    ("msr", "--steps 3 --stages 2", "msr(3,2)"),
    ("msr", "--steps 4 --stages 2", "msr(4,2)"),
    ("msr", "--steps 2 --stages 3", "msr(2,3)"),
    ("dc", "--steps 3 --stages 2", "dc(3,2)"),
    ("dc", "--steps 4 --stages 2", "dc(4,2)"),
    ("dc", "--steps 3 --stages 3", "dc(3,3)"),
]
# Methods of high order reach rounding soon and begin with larger steps.
COARSE = {"radau-iia, 3 stages", "radau-iia, 4 stages", "gauss, 3 stages", "gauss, 4 stages",
          "msr(2,3)"}
# Gauss below index 1 has low orders of v and the multipliers; stages of a short step divide what is left off the
# constraints by it: with coarse patterns they have no solution.
ON_CONSTRAINTS = {"index1", "minimal-extension"}
FORMULATIONS = ["index3", "stabilized", "soi2", "index2", "index1", "odae", "ggl", "ggl2",
                "minimal-extension"]
GRIDS = [("constant", ""),
         ("1 : 1.2 : 1.44 : 1.2", "--steps-pattern 100/121,120/121,144/121,120/121"),
         ("1 : 3 : 1 : 0.4", "--steps-pattern 20/27,60/27,20/27,8/27")]
# (what to run, multiplier, formulations, rounding errors of q)
PROBLEMS = [("circular-track --t-end 1.5", "lambda", FORMULATIONS, 1e-11),
            ("nonholonomic-test --t-end 0.5", "psi", ["index3", "soi2", "index1", "ggl"], 1e-10)]
NOT_ALLOWED = 4


def first_step(name, formulation):
    if name.startswith("gauss") and formulation not in ON_CONSTRAINTS:
        return 0.03125
    return 0.125 if name in COARSE else 0.025


def converge(program, problem, method, more, formulation, grid):
    words = (f"converge {problem} --halvings 3 --norm max --method {method} {more} "
             f"--formulation {formulation} {grid} --json")
    env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    done = subprocess.run([program, *words.split()], capture_output=True, text=True, env=env,
                          timeout=120, check=False)
    if done.returncode == NOT_ALLOWED:
        return None
    if done.returncode:
        sys.exit(f"sodae {words}: exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)["rows"]


def order(rows, part, step, level):
    """Over the last halving whose error is not yet rounding; '-' where there is none. Rounding of
    the multipliers is that of q over the square of the step."""
    rounding = level * (1 if part in "qv" else 1e3) * (0.025 / step) ** 2
    errors = [row["max_error"].get(part) for row in rows]
    for first, last in reversed(list(zip(errors, errors[1:]))):
        if first and last and last > rounding:
            found = math.log2(first / last)
            return "unstable" if found < -0.3 else f"{found:.2f}"
    return "-"


def table(program):
    """For every row its text and, per order, what else it may be: errors close to the level of
    rounding may be taken for rounding, or not."""
    lines = []
    for problem, multiplier, formulations, level in PROBLEMS:
        lines += [(f"| method | formulation | grid | q | v | {multiplier} |", None),
                  ("|---|---|---|---|---|---|", None)]
        for method, more, name in METHODS:
            for formulation in formulations:
                for grid, pattern in GRIDS:
                    step = first_step(name, formulation)
                    rows = converge(program, problem, method, f"{more} --step {step}", formulation,
                                    pattern)
                    if rows is None:
                        break
                    cells = [[order(rows, part, step, factor * level) for factor in (1, 0.3, 3)]
                             for part in ("q", "v", multiplier)]
                    if cells[0][0] == "unstable":
                        cells = [["unstable"]] * 3
                    text = " | ".join(cell[0] for cell in cells)
                    lines.append((f"| {name} | {formulation} | {grid} | {text} |", cells))
    return lines


def close(x, y):
    """Two orders agree: within 0.35, or the same word."""
    words = ("-", "unstable")
    return x == y or (x not in words and y not in words and abs(float(x) - float(y)) <= 0.35)


def same(line, cells, written):
    """A row agrees with what is written: same names, and each order."""
    left, right = [re.split(r" *\| *", row.strip("| ")) for row in (line, written)]
    if cells is None or left[:3] != right[:3]:
        return left == right
    return all(any(close(x, y) for x in cell) for cell, y in zip(cells, right[3:]))


def main():
    lines = table(sys.argv[1])
    if len(sys.argv) < 4:
        print("\n".join(line for line, _ in lines))
        return
    with open(sys.argv[3], encoding="utf-8") as file:
        written = [line.strip() for line in file if line.startswith("|")]
    wrong = [f"{b}  is now  {a}" for (a, cells), b in zip(lines, written) if not same(a, cells, b)]
    if len(lines) != len(written):
        wrong.append(f"{len(written)} lines are written, {len(lines)} were found")
    print("\n".join(wrong) or f"{len(lines) - 2 * len(PROBLEMS)} rows agree")
    sys.exit(1 if wrong else 0)


main()
