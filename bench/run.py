#!/usr/bin/env python3
"""All measurements of one run into a folder, as CSV.

    run.py BUILD OUT

Instructions first, two at a time, then times, alone."""
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import compare

COUNTED = ("heavy-top", "andrews", "chain-1", "chain-10")
TIMED = ("chain-100", "net-10", "car-axis", "slider-crank", "stiff-net-10", "chain-1000", "net-30", "fekete")


def main():
    build, out = Path(sys.argv[1]), Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        for rows in pool.map(lambda problem: compare.run(build, [problem], count=True), COUNTED):
            compare.write(out / f"count-{rows[0]['problem']}.csv", rows)
    for problem in TIMED:
        compare.write(out / f"time-{problem}.csv", compare.run(build, ["--seconds", "10", problem]))
    with open(out / "catalogue.csv", "w") as f:
        subprocess.run([build / "bench" / "catalogue"], stdout=f, check=True, env=compare.environment())


main()
