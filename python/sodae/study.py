"""Studies of whole runs: sweeps, orders, comparisons, checks."""
from __future__ import annotations

import itertools
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from . import _sodae
from ._checks import expected, listed, mapping, number, positive, whole
from ._errors import SolveError
from .mechanism import Mechanism
from .results import Layout, Solution
from .system import System

if TYPE_CHECKING:
    import pandas
    import xarray

AnyModel = Union[System, Mechanism]


def _system(model) -> System:
    if hasattr(model, "_model"):
        model = model._model()
    if not isinstance(model, System):
        raise expected("model", model, "a model of sodae")
    return model


def check(model: AnyModel) -> dict:
    """Degrees of freedom, index, and whether the start fits: as `sodae check`."""
    system = _system(model)
    integrator = _sodae.Integrator(system._source(), {}, (None, None, None), [])
    report, error = integrator.start(None)
    if error is not None:
        raise error
    if report["status"] < 0:
        raise SolveError(integrator.failure)
    n = integrator.sizes
    constraints = n["nlambda"] + n["npsi"]
    rank = constraints - report["redundant"]
    index, clear, doubt = integrator.index()
    return {"counts": n, "constraints": constraints, "rank": rank, "degrees_of_freedom": n["nv"] - rank,
            "index": None if index < 0 else index, "index_doubt": "" if clear else doubt, "start": report}


def analyse(model: Optional[AnyModel] = None, t_end: Optional[float] = None, *,
            rho_inf: Optional[float] = None) -> dict:
    """The index of a model at its start, or the properties of generalized-alpha for a rho_inf.

    Models of text: `points` along the solution up to t_end with mu, d, a, u, v of the derivative array, `changes` as
    intervals of t, or `array`, the reason why there are none.
    """
    if (model is None) == (rho_inf is None):
        raise TypeError("give a model or rho_inf")
    if rho_inf is not None:
        if not 0 <= number("rho_inf", rho_inf) <= 1:
            raise ValueError(f"rho_inf is {rho_inf}, expected a number from 0 to 1")
        return _sodae.alpha(float(rho_inf))
    system = _system(model)
    source = system._source()
    out: dict = {}
    if not getattr(source, "is_printed", False):
        found = check(system)
        out = {key: found[key] for key in ("index", "index_doubt", "rank", "degrees_of_freedom")}
    if hasattr(source, "along"):
        end = system._t_end() if t_end is None else t_end
        along = source.along(float("nan") if end is None else number("t_end", end))
        out.update({"array": along} if isinstance(along, str) else along)
    if "points" in out and "index" not in out:
        index = {p["d_index"] for p in out["points"]}
        out["index"] = index.pop() if len(index) == 1 and index != {-1} else None
    return out


def sweep(model: AnyModel, t_end: Optional[float] = None, *, workers: Optional[int] = None,
          channels: Union[None, str, Sequence[str]] = None, progress: bool = False, options: Optional[dict] = None,
          **values: Sequence[float]) -> xarray.Dataset:
    """Runs for all combinations of parameter values; returns an xarray Dataset with a dimension for each.

    For every channel: its value at the end, NAME_min and NAME_max; `status` and `message` of every run. The table is
    the same for any number of workers; a run that fails is an entry with its message.
    """
    import xarray as xr
    system = _system(model)
    if not hasattr(system, "set"):
        raise TypeError("sweep: the model has no parameters")
    if not values:
        raise TypeError("sweep: give lists of parameter values, as L=[1, 2, 3]")
    lists = {name: listed(name, x) for name, x in values.items()}
    options = mapping("options", options)
    workers = os.cpu_count() if workers is None else whole("workers", workers, 1)
    first = system.set(**{k: float(x[0]) for k, x in lists.items()})
    wanted = [channels] if isinstance(channels, str) else channels
    sets = list(itertools.product(*lists.values()))
    stop = threading.Event()

    def watch(t):
        if stop.is_set():
            raise KeyboardInterrupt

    def one(numbers):
        case = system.set(**dict(zip(lists, map(float, numbers))))
        try:
            sol = case.solve(t_end, progress=watch, **options)
        except SolveError as failure:
            return failure.failure["status"], failure.failure["message"], None
        names = wanted if wanted is not None else sol.channels[1:]
        return sol.status, sol.message, {n: (sol[n][-1], sol[n].min(axis=0), sol[n].max(axis=0)) for n in names}

    first._end(t_end)
    with ThreadPoolExecutor(max_workers=workers) as pool:
        results = []
        try:
            for i, result in enumerate(pool.map(one, sets)):
                results.append(result)
                if progress:
                    print(f"\r{i + 1} of {len(sets)}", end="", flush=True)
        except BaseException:  # Ctrl-C reaches this thread alone
            stop.set()
            pool.shutdown(cancel_futures=True)
            raise
    if progress:
        print()
    return _dataset(xr, lists, results)


def _dataset(xr, lists, results):
    shape, dims = tuple(map(len, lists.values())), tuple(lists)
    good = next((r[2] for r in results if r[2]), {})
    data = xr.Dataset(coords={k: (k, x) for k, x in lists.items()})
    for name, parts in good.items():
        for suffix, k in (("", 0), ("_min", 1), ("_max", 2)):
            width = np.shape(parts[k])
            block = np.array([r[2][name][k] if r[2] else np.full(width, np.nan) for r in results])
            extra = tuple(f"{name}_{i}" for i in range(len(width)))
            data[name + suffix] = ((*dims, *extra), block.reshape((*shape, *width)))
    data["status"] = (dims, np.array([r[0] for r in results]).reshape(shape))
    data["message"] = (dims, np.array([r[1] for r in results]).reshape(shape))
    return data


def _end_of(reference, run):
    """The last row of the reference; without one that of `run()`."""
    if reference is not None and not isinstance(reference, Solution):
        raise expected("reference", reference, "a solution")
    return (run() if reference is None else reference)._rows[-1]


def _difference(layout: Layout, x, y) -> dict:
    """Largest differences of q, v and the multipliers of two rows."""
    blocks = {"q": "q", "v": "v", "lam": "lam"}
    return {k: float(np.max(np.abs(layout.block(x[None], b) - layout.block(y[None], b)), initial=0.0))
            for k, b in blocks.items() if layout.blocks["lambda" if b == "lam" else b][0]
            < layout.blocks["lambda" if b == "lam" else b][1]}


def converge(model: AnyModel, t_end: Optional[float] = None, *, step: float, halvings: int = 4,
             reference: Optional[Solution] = None, **options: Any) -> pandas.DataFrame:
    """Errors at the end for steps h, h/2, …, and the observed orders; a pandas DataFrame.

    reference   a solution to compare with; without it a run of four times as many steps as the finest
    """
    import pandas as pd
    system, step = _system(model), positive("step", step)
    end, halvings = system._end(t_end), whole("halvings", halvings, 0)
    runs = [system.solve(end, step=step / 2**k, t_eval=[end], **options) for k in range(halvings + 1)]
    best = _end_of(reference, lambda: system.solve(end, step=step / 2**(halvings + 2), t_eval=[end], **options))
    rows = []
    for k, run in enumerate(runs):
        error = _difference(run._layout, run._rows[-1], best)
        orders = {f"order_{b}": np.log2(rows[-1][b] / e) if rows and e > 0 else np.nan for b, e in error.items()}
        rows.append({"step": step / 2**k, **error, **orders})
    return pd.DataFrame(rows)


def compare(model: AnyModel, t_end: Optional[float] = None, *,
            methods: Union[str, Sequence[str]] = ("auto", "radau-iia", "bdf"),
            rtol: Union[float, Sequence[float]] = (1e-3, 1e-5, 1e-7), reference: Optional[Solution] = None,
            **options: Any) -> pandas.DataFrame:
    """Work and precision of several methods on one model; a pandas DataFrame.

    reference   a solution to compare with; without it a run of `auto` at a hundredth of the smallest rtol
    """
    import pandas as pd
    system = _system(model)
    end = system._end(t_end)
    methods, rtol = [methods] if isinstance(methods, str) else methods, listed("rtol", rtol)
    best = _end_of(reference, lambda: system.solve(end, method="auto", rtol=max(min(rtol) / 100, 1e-13), t_eval=[end],
                                                   **options))
    rows = []
    for name, tolerance in itertools.product(methods, rtol):
        row = {"method": name, "rtol": tolerance, "status": "", "message": ""}
        try:
            run = system.solve(end, method=name, rtol=tolerance, t_eval=[end], **options)
            row.update(status=run.status, steps=run.stats["steps"], forces=run.stats["evaluations"]["force"],
                       **_difference(run._layout, run._rows[-1], best))
        except (SolveError, ValueError) as failure:
            row.update(status=getattr(failure, "failure", {}).get("status", "NOT_ALLOWED"), message=str(failure))
        rows.append(row)
    return pd.DataFrame(rows)
