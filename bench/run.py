#!/usr/bin/env python3
"""All measurements of one run into a folder, as CSV; page.py makes docs/performance.md of them.

    run.py BUILD OUT [--short]

Instructions first, two programs at a time, then times, alone. --short: a trial of some minutes, with few problems and
loose tolerances, for work on the page."""
import csv
import datetime
import io
import os
import platform
import re
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import compare

HERE = Path(__file__).resolve().parent
COUNTED = ("heavy-top", "andrews", "chain-10", "chain-1")
TIMED = ("chain-100", "net-10", "car-axis", "slider-crank", "stiff-net-10", "lattice-4", "ring-100", "tree-100",
         "chain-1000", "net-30", "fekete")
GROWTH = ("chain-10", "chain-100", "chain-1000", "chain-10000", "chain-100000", "chain-1000000")
FLOORS = ("rolling-disk", "four-bar-40", "beam-1000", "lattice-6", "lattice-14", "net-10", "ring-100", "tree-100")
KERNELS = ("Prescott", "Nehalem", "Sandybridge", "Haswell", "SkylakeX")
SAME_BYTES = ("heavy-top", "andrews", "chain-100", "net-10", "ring-100", "tree-100")


def output(command, **more):
    return subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, text=True, check=True,
                          env=dict(compare.environment(), **more)).stdout


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def write_pairs(path, pairs):
    with open(path, "w") as f:
        csv.writer(f, lineterminator="\n").writerows(pairs)


def counts(build, out, short):
    """Work and precision in instructions."""
    options = ["--tol", "1e-1,1e-2,1e-4,1e-6"] if short else []
    with ThreadPoolExecutor(2) as pool:
        for rows in pool.map(lambda p: compare.run(build, [*options, p], count=True), COUNTED):
            compare.write(out / f"count-{rows[0]['problem']}.csv", rows)


def times(build, out, short):
    """The same in seconds."""
    for problem in TIMED[:4] if short else TIMED:
        options = ["--rounds", "2", "--seconds", "2", "--tol", "1e-1,1e-2,1e-4,1e-6"] if short else ["--seconds", "6"]
        compare.write(out / f"time-{problem}.csv", compare.run(build, [*options, problem]))


def growth(build, out, short):
    """Time and memory by the size; steps beside their floors. Medians of three processes below 10^5 links."""
    rows = []
    for problem in GROWTH + FLOORS:
        several = 1 if problem in GROWTH[4:] else 3
        for method in ([], ["--method", "dop853"]) if problem in GROWTH else ([],):
            found = [rows_of(output([build / "bench" / "scaling", *method, problem]))[0] for _ in range(several)]
            for key in ("start", "step", "floor", "bytes"):
                found[0][key] = sorted((float(r[key]) for r in found))[several // 2]
            rows.append(found[0])
    compare.write(out / "growth.csv", rows)


def counted_steps(build, formulation, steps):
    with tempfile.TemporaryDirectory() as folder:
        output(["valgrind", "-q", "--tool=callgrind", "--toggle-collect=sodae_advance",
                f"--callgrind-out-file={folder}/dump", build / "bench" / "steps", "heavy-top", "1e-3", steps,
                formulation])
        found = re.findall(r"^(?:summary|totals): (\d+)", (Path(folder) / "dump").read_text(errors="replace"), re.M)
    return int(found[-1])


def fixed_steps(build, out, short):
    """Instructions of one fixed step of the heavy top: 1100 steps less 100."""
    write_pairs(out / "steps.csv", [("formulation", "instructions")] + [
        (name, (counted_steps(build, name, 1100) - counted_steps(build, name, 100)) // 1000)
        for name in ("index3", "stabilized", "soi2")])


def cpu(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([str(c) for c in command], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def small_things(build, out, short):
    """A short run of a pendulum, the start of the command, model files beside C."""
    examples = HERE.parent / "examples"
    pairs = [(r["what"], r["microseconds"]) for r in
             rows_of(output([build / "bench" / "short", examples / "pendulum.yaml"]))]
    with tempfile.TemporaryDirectory() as folder:
        command = [build / "cli" / "sodae", "run", examples / "pendulum.yaml", "--t-end", "0.1", "--step", "0.01",
                   "-o", f"{folder}/run.csv"]
        for name, what in (("command", command), ("true", ["/bin/true"])):
            pairs.append((name, "%.1f" % (1e6 * sorted(cpu(what) for _ in range(31))[15])))
    write_pairs(out / "small.csv", [("what", "microseconds")] + pairs)
    text = output([build / "bench" / "evaluation", HERE / "two-link.yaml", examples / "andrews.yaml"])
    (out / "evaluation.txt").write_text(text)


def kernels(build, out, short):
    """Bits of the end state by the kernels of OpenBLAS."""
    pairs = [("kernel", "problem", "solver", "hash")]
    for kernel in KERNELS:
        for problem in SAME_BYTES:
            text = output([build / "bench" / "compare", "--bytes", "--tol", "1e-4", "--only",
                           "default,dop853,bdf,radau-iia,alpha", problem], OPENBLAS_CORETYPE=kernel)
            pairs += [(kernel, *line.split(",")) for line in text.split()]
    write_pairs(out / "kernels.csv", pairs)


def first_line(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")[0]
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def machine(short):
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    pairs = [("processor", model.group(1) if model else platform.machine()), ("cores", os.cpu_count()),
             ("compiler", first_line(["cc", "--version"])),
             ("commit", first_line(["git", "-C", str(HERE), "describe", "--always", "--dirty"])),
             ("date", datetime.date.today().isoformat()), ("load", "%.2f" % os.getloadavg()[0])]
    for package in ("libsundials-dev", "libsuitesparse-dev", "libopenblas0", "valgrind"):
        pairs.append((package, first_line(["dpkg-query", "-W", "-f", "${Version}\\n", package])))
    return pairs + [("run", "a short trial (`run.py --short`)" if short else "one run of `make bench`")]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, out, short = Path(sys.argv[1]).resolve(), Path(sys.argv[2]), "--short" in sys.argv
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.csv"):
        old.unlink()
    before, parts = machine(short), []
    for part in (counts, fixed_steps, times, growth, small_things, kernels):
        begin = time.time()
        part(build, out, short)
        parts.append((f"seconds {part.__name__}", "%.0f" % (time.time() - begin)))
        print("%-14s %6s s" % (part.__name__, parts[-1][1]), flush=True)
    write_pairs(out / "machine.csv", before + parts)


main()
