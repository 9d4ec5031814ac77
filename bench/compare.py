#!/usr/bin/env python3
"""One comparison: runs `compare`, prints what each solver needs for an error in q (and in lambda), and ratios to the peers.

    compare.py BUILD [--count] [--csv FILE] [options of compare] PROBLEM ...

--count: instructions under callgrind instead of seconds, for small problems."""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wp

PEERS = ("ida-klu", "erk5-klu", "erk5-hand")


def environment():
    return dict(os.environ, OPENBLAS_NUM_THREADS="1")


def run(build, arguments, count=False):
    """Rows of `compare` as a list of dicts; with `count` each has `instructions`."""
    program = [str(Path(build) / "bench" / "compare"), *arguments]
    if not count:
        text = subprocess.run(program, stdout=subprocess.PIPE, text=True, check=True, env=environment()).stdout
        return list(csv.DictReader(io.StringIO(text)))
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "-q", "--tool=callgrind", "--collect-atstart=no", f"--callgrind-out-file={folder}/dump"]
        text = subprocess.run(valgrind + program, stdout=subprocess.PIPE, text=True, check=True, env=environment()).stdout
        counted = {}
        for dump in Path(folder).glob("dump.*"):
            label, total = None, 0
            with open(dump, errors="replace") as f:
                for line in f:
                    if line.startswith("desc: Trigger: Client Request:"):
                        label = line.split(":", 3)[3].strip()
                    found = re.match(r"(?:summary|totals): (\d+)", line)
                    total = int(found.group(1)) if found else total
            counted[label] = total
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        row["instructions"] = counted.get(f"{row['problem']},{row['solver']},{row['tol']}", "")
    return rows


def write(path, rows):
    with open(path, "w") as f:
        out = csv.DictWriter(f, list(rows[0]), lineterminator="\n")
        out.writeheader()
        out.writerows(rows)


def table(problem, solvers, cost, of):
    unit, scale = ("M instructions", 1e-6) if cost == "instructions" else ("ms", 1e3)
    peers = [p for p in PEERS if p in solvers]
    print(f"\n{problem}: {unit} for an error in {of[4:]} of 1e-3, 1e-5, 1e-7" + "".join(f"; / {p}" for p in peers))
    for name in solvers:
        cells = []
        for e in wp.ERRORS:
            c, bound = wp.cost_at(solvers[name], e, cost, of)
            cells.append("%10s" % wp.number(c and c * scale, "<" if bound else ""))
        for p in peers:
            ratios = [wp.ratio(solvers, name, p, e, cost, of) for e in wp.ERRORS]
            cells.append(" | " + " ".join("%7s" % wp.number(*r) for r in ratios))
        print("  %-12s" % name + "".join(cells))


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0].startswith("--"):
        sys.exit(__doc__)
    build = arguments.pop(0)
    count = "--count" in arguments
    if count:
        arguments.remove("--count")
    path = tempfile.mktemp(suffix=".csv")
    if "--csv" in arguments:
        i = arguments.index("--csv")
        path = arguments[i + 1]
        del arguments[i:i + 2]
    write(path, run(build, arguments, count))
    for problem, solvers in wp.read([path]).items():
        for of in ("err_q", "err_lambda"):
            table(problem, solvers, "instructions" if count else "seconds", of)


if __name__ == "__main__":
    main()
