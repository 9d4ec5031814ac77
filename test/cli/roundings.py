"""20 whole runs under every rounding of this processor: roundings.py SODAE EXAMPLES TOOLS

Up to order 64 the library does its own arithmetic: no kernel of the BLAS may change a byte of a run. The largest
matrix that these runs factor has order 44. libm rounds by processor; its plain variants move a run by less than 1e-3
of the tolerance.
"""
import concurrent.futures
import csv
import io
import json
import os
import subprocess
import sys
import tempfile

RTOL = 1e-6  # of all runs; with fixed steps it is the scale of the comparison alone
SHARE = 1e-3  # of the tolerance: the largest change by libm
RUNS = """
heavy-top            --t-end 0.2  --step 1e-3
heavy-top-se3        --t-end 0.2  --step 1e-3 --formulation stabilized
hht-test             --t-end 1    --step 1e-2 --method extended-hht
pendulum             --t-end 1    --step 1e-2 --method newmark
spring-pendulum      --t-end 0.1  --step 1e-3 --method hht
andrews              --t-end 1e-2 --step 1e-4 --method radau-iia
car-axis             --t-end 0.3  --step 1e-3 --method modified-bdf --order 3
paraboloid           --t-end 1    --step 1e-2 --method gauss --formulation minimal-extension
truck                --t-end 1    --step 1e-2 --method msr
rolling-disk         --t-end 1    --step 1e-2 --method direct-bdf
andrews              --t-end 1e-2 --output-step 1e-3
truck11              --t-end 1 --output-step 0.1
truck11              --t-end 1    --output-step 0.1
car-axis             --t-end 0.3  --output-step 0.05
heavy-top            --t-end 0.1  --output-step 0.01 --method bdf
pendulum             --t-end 2    --output-step 0.1  --method modified-bdf
all-blocks           --t-end 1    --output-step 0.1
rolling-disk-s3      --t-end 1    --output-step 0.1
impact-pendulum.yaml --t-end 1    --output-step 0.1
flyball.yaml         --t-end 0.2  --step 1e-2
"""


def runs(examples):
    for line in RUNS.split("\n"):
        if line:
            target, *flags = line.split()
            if target.endswith(".yaml"):
                target = os.path.join(examples, target)
            yield [target, *flags, f"--rtol={RTOL}", f"--atol={RTOL}"] if "--step" not in flags else [target, *flags]


def outcome(program, words, setting):
    """The CSV and the report without its timing."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "out.csv")
        done = subprocess.run([program, "run", *words, "--json", "--out", path], capture_output=True, text=True,
                              env=dict(os.environ, OPENBLAS_NUM_THREADS="1", **setting), timeout=280, check=False)
        if done.returncode not in (0, 8, 9):  # 8 and 9 judge the error of a run that is whole
            raise AssertionError(f"exit code {done.returncode}: {done.stderr.strip()}")
        report = json.loads(done.stdout)
        report.pop("timing")
        with open(path, encoding="utf-8") as file:
            return file.read(), json.dumps(report, indent=0)


def first_difference(ours, theirs):
    """The first line of the CSV, else of the report, that differs; None if all bytes agree."""
    for part, a, b in zip(("CSV", "report"), ours, theirs):
        for n, (x, y) in enumerate(zip(a.splitlines() + [""], b.splitlines() + [""]), 1):
            if x != y:
                return f"{part} line {n}: {x[:100]} | {y[:100]}"
    return None


def columns(outcome_of_run):
    """q, v and r over time, by name; the others carry amplified rounding."""
    header, *rows = csv.reader(io.StringIO(outcome_of_run[0]))
    report, kinds = json.loads(outcome_of_run[1]), ["t"]
    for block in ("q", "v", "vdot", "lambda", "psi", "r"):  # the order of the channels
        kinds += [block] * len(report.get(block, []))
    return {header[i]: [float(row[i]) for row in rows] for i, kind in enumerate(kinds) if kind in "qvr"}


def distance(ours, theirs):
    """The largest difference of q, v and r in tolerances."""
    a, b = columns(ours), columns(theirs)
    assert a.keys() == b.keys() and all(len(a[name]) == len(b[name]) for name in a), "runs of different length"
    return max(abs(x - y) / (RTOL + RTOL * max(map(abs, a[name])))
               for name in a for x, y in zip(a[name], b[name]))


def compare(program, words, kernels, libms):
    """Complaints about one run, and whether libm changes a byte of it."""
    outcomes = {name: outcome(program, words, setting) for name, setting in {**kernels, **libms}.items()}
    reference, found = outcomes[next(iter(kernels))], []
    for name in kernels:
        differs = first_difference(reference, outcomes[name])
        if differs:
            found.append(f"{name}: {' '.join(words)}: {differs}")
    for name in libms:
        moved = distance(reference, outcomes[name])
        if not moved <= SHARE:
            found.append(f"{name}: {' '.join(words)}: {moved:.2g} tolerances, at most {SHARE:g}")
    return found, any(first_difference(reference, outcomes[name]) for name in libms)


def main():
    program, examples, tools = sys.argv[1:]
    sys.path.insert(0, tools)
    import rounding
    kernels = rounding.kernel_settings() or {"plain": {}}
    reference = next(iter(kernels.values()))  # libm is changed alone, under the kernel that it is compared with
    libms = {name: {**reference, **setting} for name, setting in rounding.libm_settings().items()}

    def one(words):
        try:
            return compare(program, words, kernels, libms)
        except (AssertionError, ValueError) as error:
            return [f"{' '.join(words)}: {error}"], False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(one, runs(examples)))
    found = [line for lines, _ in results for line in lines]
    changed = sum(by_libm for _, by_libm in results)  # sin and cos differ for one argument in 2000: never in all runs
    if libms and not changed:
        found.append(f"{', '.join(libms)} changes no byte of any run: does glibc still know this setting?")
    print("\n".join(found + [f"{len(results)} runs under {', '.join(kernels)}; libm changes {changed} of them"]))
    sys.exit(1 if found else 0)


main()
