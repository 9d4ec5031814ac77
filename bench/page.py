#!/usr/bin/env python3
"""docs/performance.md and its pictures from one run of run.py.

    page.py RUN DOCS

Every number of the page is computed from the files of RUN; words that judge them stand with a limit in this file."""
import csv
import math
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import picture
import wp

STYLES = {
    "default": {"colour": "#111111", "width": 2.4},
    "dopri5": {"colour": "#5aa9e6"},
    "dop853": {"colour": "#0050a0"},
    "radau-iia": {"colour": "#d95f02"},
    "radau-iia-3": {"colour": "#f0a050"},
    "bdf": {"colour": "#1b7837"},
    "alpha": {"colour": "#7b3294"},
    "verified": {"colour": "#888888"},
    "ida-klu": {"colour": "#c51b1b", "dashed": 1, "shape": "square"},
    "ida-klu-2": {"colour": "#e07070", "dashed": 1, "shape": "square"},
    "ida-dense": {"colour": "#8b1a4a", "dashed": 1, "shape": "open"},
    "erk5-klu": {"colour": "#20a0a0", "dashed": 1, "shape": "square"},
    "erk5-hand": {"colour": "#60c0b0", "dashed": 1, "shape": "open"},
    "erk8-klu": {"colour": "#8c6d1f", "dashed": 1, "shape": "square"},
    "erk8-hand": {"colour": "#c0a050", "dashed": 1, "shape": "open"},
    "create and start": {"colour": "#0050a0"},
    "fixed step": {"colour": "#7b3294"},
    "floor of it": {"colour": "#888888", "dashed": 1, "shape": "open"},
    "step of dop853": {"colour": "#d95f02"},
}
DRAWN = [n for n in STYLES if n not in ("radau-iia-3", "verified", "ida-klu-2", "dopri5")]
PEERS = ("ida-klu", "erk5-klu", "erk5-hand")
NONSTIFF = ("chain-1", "chain-10", "chain-100", "chain-1000", "heavy-top", "andrews", "net-10", "net-30")
STIFF = ("car-axis", "slider-crank", "stiff-net-10")
OURS = ("default", "dopri5", "dop853", "radau-iia", "radau-iia-3", "bdf", "alpha", "verified")


def read_csv(path):
    if not path.exists():
        return []
    with open(path) as f:
        return list(csv.DictReader(f))


def read_pairs(path):
    with open(path) as f:
        return dict(row for row in csv.reader(f))


class Run:
    def __init__(self, folder):
        self.counted = wp.read(sorted(folder.glob("count-*.csv")))
        self.timed = wp.read(sorted(folder.glob("time-*.csv")))
        self.growth = read_csv(folder / "growth.csv")
        self.steps = {r["formulation"]: int(r["instructions"]) for r in read_csv(folder / "steps.csv")}
        self.small = {r["what"]: float(r["microseconds"]) for r in read_csv(folder / "small.csv")}
        self.kernels = read_csv(folder / "kernels.csv")
        self.machine = read_pairs(folder / "machine.csv")
        evaluation = folder / "evaluation.txt"
        self.evaluation = evaluation.read_text() if evaluation.exists() else ""

    def problems(self, wanted):
        """(name, solvers, cost) of those that were measured."""
        for name in wanted:
            if name in self.counted:
                yield name, self.counted[name], "instructions"
            elif name in self.timed:
                yield name, self.timed[name], "seconds"


def measured(run):
    return [*run.counted, *(n for n in run.timed if n not in run.counted)]


# ---- judged: one line for each goal --------------------------------------------------------------


def worst(run, problems, ours, theirs):
    """The largest ratio at the three errors, its problem and error; None: nothing to compare."""
    found = []
    for name, solvers, cost in run.problems(problems):
        for error in wp.ERRORS:
            ratio, sign = wp.ratio(solvers, ours, theirs, error, cost)
            if ratio is not None:
                found.append((ratio, sign, name, error))
    return max(found) if found else None


def all_ratios(run, problems, ours, theirs):
    ratios = [wp.ratio(solvers, ours, theirs, e, cost)[0]
              for _, solvers, cost in run.problems(problems) for e in wp.ERRORS]
    return [r for r in ratios if r is not None]


def judge_ratio(run, text, problems, ours, theirs, limit):
    ratios, most = all_ratios(run, problems, ours, theirs), worst(run, problems, ours, theirs)
    if not most:
        return text, "≤ %.2g" % limit, "not measured", "–"
    held = sum(r <= limit for r in ratios)
    value = f"{wp.number(min(ratios))} … {wp.number(most[0], most[1])} (worst: {most[2]} at {most[3]:.0e})"
    return text, "≤ %.2g" % limit, value, "yes" if held == len(ratios) else f"{held} of {len(ratios)}"


def judge(text, goal, limit, values, form="%.3g"):
    """values: all that the limit holds for."""
    if not values:
        return text, goal, "not measured", "–"
    shown = form % min(values) if len(values) == 1 else f"{form % min(values)} … {form % max(values)}"
    held = sum(v <= limit for v in values)
    return text, goal, shown, "yes" if held == len(values) else f"{held} of {len(values)}" if held else "no"


def size_of(row):
    return int(row["problem"].rsplit("-", 1)[1])


def growth_of(run, method):
    rows = [r for r in run.growth if r["method"] == method and r["problem"].startswith("chain-")]
    return sorted(rows, key=size_of)


def slope(rows, key):
    rows = [r for r in rows if size_of(r) >= 1000]
    if len(rows) < 2:
        return []
    a, b = rows[0], rows[-1]
    return [math.log(float(b[key]) / float(a[key])) / math.log(size_of(b) / size_of(a))]


def forces_per_step(run):
    values = []
    for name in (*NONSTIFF, *STIFF):
        for r in {**run.timed, **run.counted}.get(name, {}).get("radau-iia-3", []):
            if r["tol"] == 1e-6 and r["status"] == "ok":
                values.append(r["forces"] / r["steps"])
    return values


def kernels_differ(run):
    hashes = {}
    for r in run.kernels:
        hashes.setdefault((r["problem"], r["solver"]), set()).add(r["hash"])
    return hashes, [k for k, v in hashes.items() if len(v) > 1]


def goals(run):
    lines = [
        judge_ratio(run, "default / IDA with KLU, not stiff", NONSTIFF, "default", "ida-klu", 1 / 3),
        judge_ratio(run, "default / IDA with KLU, stiff", STIFF, "default", "ida-klu", 0.7),
        judge_ratio(run, "dop853 / ARKODE explicit with KLU, chain and net",
                    [n for n in NONSTIFF if n[:3] in ("cha", "net")], "dop853", "erk5-klu", 0.4),
        judge_ratio(run, "dop853 / ARKODE explicit by hand, heavy top and Andrews", ("heavy-top", "andrews"),
                    "dop853", "erk5-hand", 1),
        judge_ratio(run, "bdf / IDA with KLU", (*NONSTIFF, *STIFF), "bdf", "ida-klu", 0.45),
        judge("force evaluations in a step of radau-iia, s = 3, rtol 1e-6", "≤ 15", 15, forces_per_step(run)),
    ]
    for name, title, limit in (("index3", "index 3", 12000), ("stabilized", "stabilised", 18000)):
        lines.append(judge(f"heavy top, one fixed step, {title}: instructions", f"≤ {limit}", limit,
                           [run.steps[name]] if name in run.steps else [], "%d"))
    alpha, explicit = growth_of(run, "alpha"), growth_of(run, "dop853")
    lines.append(judge("chain, fixed step / its floor, N ≥ 100", "≤ 2", 2,
                       [float(r["step"]) / float(r["floor"]) for r in alpha if size_of(r) >= 100]))
    for rows, title in ((alpha, "fixed steps"), (explicit, "dop853")):
        lines.append(judge(f"{title}: growth of a step from 10³ links on, slope", "≤ 1.10", 1.10, slope(rows, "step")))
        lines.append(judge(f"{title}: growth of create and start, slope", "≤ 1.10", 1.10, slope(rows, "start")))
        lines.append(judge(f"{title}: memory of a link, 10⁴ links and more", "< 2 kB", 2000,
                           [float(r["bytes"]) / size_of(r) for r in rows if size_of(r) >= 10000], "%.0f B"))
    lines.append(judge("create and start / one fixed step, N = 1000", "≤ 20", 20,
                       [float(r["start"]) / float(r["step"]) for r in alpha if size_of(r) == 1000]))
    hashes, differ = kernels_differ(run)
    if hashes:
        lines.append(("bytes under five kernels of OpenBLAS", "equal", f"{len(hashes) - len(differ)} of {len(hashes)} runs",
                      "no" if differ else "yes"))
    if "command" in run.small:
        over = [(run.small["command"] - run.small["true"]) / 1000]
        lines.append(judge("start of the command, over /bin/true", "≤ 5 ms", 5, over, "%.2f ms"))
        lines.append(judge("pendulum: create, start, 10 steps, free", "< 40 µs", 40, [run.small["create"]], "%.1f µs"))
        lines.append(judge("the same with `sodae_reset`", "< 20 µs", 20, [run.small["reset"]], "%.1f µs"))
    return lines


# ---- the page -------------------------------------------------------------------------------------


def table(head, rows):
    numbers = "|" + "---|" + "---:|" * (len(head) - 1)
    return ["| " + " | ".join(head) + " |", numbers, *("| " + " | ".join(r) + " |" for r in rows), ""]


def duration(seconds):
    for unit, scale in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if seconds * scale >= 1 or unit == "µs":
            return f"{seconds * scale:.3g} {unit}"


def cost_cells(solvers, name, cost, of, scale):
    cells = []
    for e in wp.ERRORS:
        c, bound = wp.cost_at(solvers[name], e, cost, of)
        cells.append(wp.number(c and c * scale, "<" if bound else ""))
    return cells


def work_precision(run, name, docs):
    solvers, cost = (run.counted[name], "instructions") if name in run.counted else (run.timed[name], "seconds")
    unit, scale = ("million instructions", 1e-6) if cost == "instructions" else ("ms of CPU", 1e3)
    lines = [f"### {name}", ""]
    curves = {s: [(r["err_q"], r[cost] * scale) for r in rows if r["status"] == "ok" and r["err_q"] > 1e-14]
              for s, rows in solvers.items() if s in DRAWN}
    path = docs / "performance" / f"{name}.svg"
    if picture.draw(path, f"{name}: {unit} over the error in q", "largest error of q at the end", unit, curves, STYLES):
        lines += [f"![{name}](performance/{name}.svg)", ""]
    peers = [p for p in PEERS if p in solvers]
    head = [f"{unit} for an error of", "q 1e-3", "1e-5", "1e-7", "λ 1e-3", "1e-5", "1e-7", *(f"q / {p}" for p in peers)]
    rows = []
    for s in solvers:
        ratios = [" ".join(wp.number(*wp.ratio(solvers, s, p, e, cost)) for e in wp.ERRORS) for p in peers]
        rows.append([f"**{s}**" if s in OURS else s, *cost_cells(solvers, s, cost, "err_q", scale),
                     *cost_cells(solvers, s, cost, "err_lambda", scale), *ratios])
    return lines + table(head, rows)


def growth_section(run, docs):
    alpha, explicit = growth_of(run, "alpha"), growth_of(run, "dop853")
    if not alpha:
        return []
    series = {
        "create and start": [(size_of(r), float(r["start"])) for r in alpha],
        "fixed step": [(size_of(r), float(r["step"])) for r in alpha],
        "floor of it": [(size_of(r), float(r["floor"])) for r in alpha],
        "step of dop853": [(size_of(r), float(r["step"])) for r in explicit],
    }
    picture.draw(docs / "performance" / "growth.svg", "Chain of N links: seconds of CPU", "links", "seconds", series,
                 STYLES)
    lines = ["## Growth", "", "![growth](performance/growth.svg)", "",
             "A chain of N links. `alpha`: fixed steps of generalized-alpha, index 3, against their floor: two evaluations of "
             "force and constraints with what they derive, one refactorisation, two solves. `dop853`: the mean step under "
             "error control, rtol 1e-5. Memory is the largest that the process ever held, less what the problem takes.", ""]
    head = ["problem", "method", "unknowns", "backend", "create + start", "a step", "step / floor", "start / step",
            "B a link"]
    rows = []
    for r in [*alpha, *explicit, *(r for r in run.growth if not r["problem"].startswith("chain-"))]:
        start, step, floor = (float(r[k]) for k in ("start", "step", "floor"))
        chain = r["problem"].startswith("chain-")
        rows.append([r["problem"], r["method"], r["unknowns"], r["backend"], duration(start), duration(step), "–" if math.isnan(floor) else "%.2f" % (step / floor),
                     "%.1f" % (start / step), "%.0f" % (float(r["bytes"]) / size_of(r)) if chain and size_of(r) >= 10000 else "–"])
    return lines + table(head, rows)


def median_section(run):
    """One line for each problem: the medians over the errors that both reach."""
    rows = []
    for name, solvers, cost in run.problems(measured(run)):
        row = [name]
        for ours, theirs in (("default", "ida-klu"), ("bdf", "ida-klu"), ("radau-iia", "ida-klu"), ("dop853", "ida-klu"),
                             ("dop853", "erk5-klu"), ("dop853", "erk5-hand")):
            ratios = [wp.ratio(solvers, ours, theirs, e, cost)[0] for e in wp.ERRORS]
            ratios = [r for r in ratios if r is not None]
            row.append(wp.number(statistics.median(ratios)) if ratios else "–")
        rows.append(row)
    return ["## In one table", "", "Cost of sodae over the cost of the peer at equal error in q, median over the errors 1e-3, "
            "1e-5 and 1e-7 that both reach. Below 1 sodae is the cheaper one.", "",
            *table(["problem", "default / ida-klu", "bdf / ida-klu", "radau-iia / ida-klu", "dop853 / ida-klu",
                    "dop853 / erk5-klu", "dop853 / erk5-hand"], rows)]


def machine_section(run):
    m = run.machine
    spent = sum(float(v) for k, v in m.items() if k.startswith("seconds "))
    return ["## How it was measured", "",
            f"By {m['run']} on {m['date']} at commit {m['commit']}, {spent / 60:.0f} minutes, load {m['load']} when it "
            f"began: {m['processor']}, {m['cores']} cores, {m['compiler']}, SUNDIALS {m['libsundials-dev']}, SuiteSparse "
            f"{m['libsuitesparse-dev']}, OpenBLAS {m['libopenblas0']} with one thread.", "",
            "All solvers call the same C callbacks with exact derivatives and sparse patterns; IDA and ARKODE call them directly, "
            "and the numbers go straight to their matrices. `ida-klu` integrates the stabilised index 2 form with its exact sparse "
            "Jacobian and KLU, multipliers in no error test; `ida-dense` the same with a full matrix; `ida-klu-2` only up to order "
            "2. `erk5`, `erk8`: ARKODE's explicit methods of Dormand and Prince and of Fehlberg on the index 1 form with projection "
            "after each step, accelerations by KLU on the KKT matrix or eliminated by hand. Whole runs are measured, set-up "
            "included: instructions under callgrind for the small problems, medians of alternating CPU times for the others.", "",
            "Errors are |e| / (1 + |x|) at the end, the largest over components, against a run of ARKODE's method of order 8 at "
            "1e-12. Costs between two runs are interpolated log-log. `<`: the loosest run is already better, so that the number "
            "is a bound; `>`: the same of the peer; `–`: no run reaches the error. Compare numbers of one run only.", "",
            "Up to order 512 the library factors full matrices itself; larger ones go to LAPACK, and fill of sparse ones to UMFPACK "
            "and MUMPS, which call BLAS. On a busy machine the threads of OpenBLAS wait for each other: before its version 0.3.27 "
            "programs with such matrices set `OPENBLAS_NUM_THREADS=1`, as the command does.", "",
            "`make bench` repeats it into `out/bench/`; `make bench-page` writes this page and its pictures from there.", ""]


def small_section(run):
    lines = ["## Small things", ""]
    if run.steps:
        lines += table(["heavy top, one fixed step", "instructions"], [[k, str(v)] for k, v in run.steps.items()])
    if run.evaluation:
        lines += ["One evaluation of M, f, g and G from a model file and from C by hand:", "", "```",
                  run.evaluation.strip(), "```", ""]
    hashes, differ = kernels_differ(run)
    if hashes:
        lines += [f"The end states of {len(hashes)} runs have equal bytes under the kernels "
                  + ", ".join(sorted({r['kernel'] for r in run.kernels}))
                  + ("." if not differ else " but for " + ", ".join(" by ".join(k) for k in differ) + "."), ""]
    return lines


def missed(lines):
    """A sentence: which goals are not reached, and which in part only."""
    nothing, part = [], []
    for name, _, _, holds in lines:
        good, _, of = holds.partition(" of ")
        if holds == "no" or (of and int(good) == 0):
            nothing.append(name)
        elif of and int(good) < int(of):
            part.append(name)
    said = [f"{title}: {'; '.join(names)}." for title, names in (("Not reached", nothing), ("Reached in part", part)) if names]
    return [" ".join(said), ""] if said else []


def page(run, docs):
    judged = goals(run)
    lines = ["# Performance", "", "sodae against SUNDIALS IDA and ARKODE, and against its own floor, at equal error. This page is "
             "generated (`bench/page.py`); numbers against sodae are as welcome on it as the others.", "",
             "## Goals", "", *table(["", "goal", "measured", "holds"], judged), *missed(judged), *median_section(run),
             *growth_section(run, docs), *small_section(run), "## Work and precision", ""]
    for name in measured(run):
        lines += work_precision(run, name, docs)
    return "\n".join(lines + machine_section(run)).rstrip() + "\n"


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    docs = Path(sys.argv[2])
    (docs / "performance").mkdir(parents=True, exist_ok=True)
    for old in (docs / "performance").glob("*.svg"):
        old.unlink()
    (docs / "performance.md").write_text(page(Run(Path(sys.argv[1])), docs))


main()
