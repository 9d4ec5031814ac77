"""What all front doors share: options, integrators, solve, steps."""
from __future__ import annotations

import difflib
import sys
import threading
import warnings
from typing import Any, Iterator, Optional

import numpy as np

from . import _sodae
from ._errors import InaccurateWarning, SolveError, event_tuples
from .results import Layout, Solution, numbers

STATUS = {0: "OK", 1: "STOPPED", 2: "ADJUSTED", 3: "EVENT", 4: "NOT_UNIQUE", 5: "INACCURATE", 6: "UNVERIFIED"}
TOLERANCES = ("atol", "atol_v", "atol_lambda")


def methods() -> dict:
    """Names of the methods with a line of help each."""
    return dict(_sodae.methods())


def formulations() -> dict:
    """Names of the formulations with a line of help each."""
    return dict(_sodae.formulations())


def options() -> dict:
    """Every option: its default, unit and a line of help."""
    return {name: {"default": default, "unit": unit, "help": text} for name, default, unit, text in _sodae.options()}


_NAMES = frozenset(name for name, *_ in _sodae.options())


def _text(name: str, value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "on" if value else "off"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(_text(name, x) for x in value)
    raise TypeError(f"{name} is a {type(value).__name__}, expected a number or a text")


def option_texts(given: dict) -> tuple[dict, tuple]:
    """Options as texts for the option table, and lists of absolute tolerances."""
    texts, lists = {}, {}
    for name, value in given.items():
        if value is None:
            continue
        if name not in _NAMES:
            near = difflib.get_close_matches(name, _NAMES, 1)
            hint = f"; did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"unknown argument '{name}'{hint}")
        if name in TOLERANCES and np.ndim(value) == 1:
            lists[name] = np.asarray(value, dtype=float)
        else:
            texts[name] = _text(name, value)
    return texts, tuple(lists.get(name) for name in TOLERANCES)


def _time(name: str, value: Any) -> float:
    if isinstance(value, (bool, str)) or not np.isscalar(value):
        raise TypeError(f"{name} is a {type(value).__name__}, expected a number")
    value = float(value)
    if not np.isfinite(value):
        raise ValueError(f"{name} is {value}, expected a finite time")
    return value


def _depth() -> int:
    """How many frames up the caller of the package is."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("sodae."):
        frame, depth = frame.f_back, depth + 1
    return depth


class Bar:
    """A line on standard error that shows how far a run is."""

    def __init__(self, t0: float, t_end: float):
        self.t0, self.t_end, self.shown = t0, t_end, False

    def __call__(self, t: float):
        part = (t - self.t0) / (self.t_end - self.t0) if self.t_end != self.t0 else 1
        sys.stderr.write(f"\r{100 * part:5.1f} %  t = {t:.6g}")
        sys.stderr.flush()
        self.shown = True

    def close(self):
        if self.shown:
            sys.stderr.write("\r" + " " * 40 + "\r")


class Step:
    """The state after an accepted step or an event of `steps`."""

    def __init__(self, layout: Layout, row: np.ndarray, event: Optional[str]):
        self._layout, self._row = layout, row
        self.event = event  #: name of the event at this time, or None
        self.stopped = False

    def stop(self):
        """Ends the loop over steps."""
        self.stopped = True

    def __getitem__(self, name: str):
        return self._layout.take(self._row[None, :], name)[0]

    @property
    def t(self) -> float:
        return float(self._row[0])

    def __getattr__(self, name: str):
        if name in ("q", "v", "a", "lam", "psi", "r", "w", "s"):
            return self._layout.block(self._row[None, :], name)[0]
        raise AttributeError(name)


class System:
    """A problem that can be solved. Subclasses give `_source()`, an owner of a problem of the extension."""

    _keep = 4  # idle integrators

    def __init__(self):
        self._lock = threading.Lock()
        self._idle: list = []

    def _source(self):
        raise NotImplementedError

    def _t_end(self) -> Optional[float]:
        return None

    def _times(self):
        return None

    # integrators -------------------------------------------------------------------------------

    def _key(self, texts, lists):
        return tuple(sorted(texts.items())), tuple(None if x is None else x.tobytes() for x in lists)

    def _take(self, texts: dict, lists: tuple, events: list):
        """An integrator for the present parameters: an idle one that fits, or a new one."""
        source, key = self._source(), self._key(texts, lists)
        while not events:
            with self._lock:
                found = next((i for i, (k, _) in enumerate(self._idle) if k == key), None)
                integrator = self._idle.pop(found)[1] if found is not None else None
            if integrator is None:
                break
            if integrator.reset(source):
                return integrator
        return _sodae.Integrator(source, texts, lists, events)

    def _give_back(self, integrator, texts, lists, events):
        if events:
            return
        with self._lock:
            self._idle.append((self._key(texts, lists), integrator))
            del self._idle[:-self._keep]

    def _start(self, integrator, initial):
        given = None
        if initial is not None:
            given = Layout(integrator).start(integrator.initial, initial)
        report, error = integrator.start(given)
        if error is not None:
            raise error
        if report["status"] < 0:
            raise SolveError(integrator.failure)
        return report

    # running -----------------------------------------------------------------------------------

    def solve(self, t_end: Optional[float] = None, *, rtol=None, atol=None, method=None, formulation=None, step=None,
              t_eval=None, output_step=None, events=None, initial=None, verify: bool = False, progress: bool = False,
              dense: bool = False, **options) -> Solution:
        """Integrates to t_end and returns the solution.

        rtol, atol      tolerances; atol may be a list, one number for each velocity
        method, formulation, step and every other option of `sodae.options()`
        t_eval          times of the rows; without it, and without output_step, every accepted step
        events          functions of (t, q, v) with scipy's attributes `terminal` and `direction`, or sodae.Event
        initial         initial values by name, {"x": 1}, or by block, {"q": [...], "v": [...]}
        verify          estimate the global error by a closer run
        dense           keep the dense output at once; otherwise sol(t) repeats the run at its first call
        """
        given = dict(rtol=rtol, atol=atol, method=method, formulation=formulation, step=step, **options)
        texts, lists = option_texts(given)
        made = event_tuples(events)
        integrator = self._take(texts, lists, made)
        t0 = float(integrator.initial[0])
        if isinstance(initial, dict) and "t" in initial:
            t0 = _time("initial['t']", initial["t"])
        t_end = self._end(t_end)
        times = self._grid(t0, t_end, t_eval, output_step)
        start = self._start(integrator, initial)
        bar = Bar(t0, t_end) if progress is True else progress or None
        if bar is not None and not callable(bar):
            raise TypeError(f"progress is a {type(progress).__name__}, expected True or a function of t")
        try:
            out = integrator.run(t_end, times, bool(dense), bool(verify), bar)
        finally:
            if isinstance(bar, Bar):
                bar.close()
        again = dict(given, t_end=t_end, events=events, initial=initial)
        solution = Solution(self._frozen(), integrator, out, start, again)
        self._give_back(integrator, texts, lists, made)
        return self._judge(solution, out)

    def _judge(self, solution: Solution, out: dict) -> Solution:
        error = out["error"]
        if error is not None:
            error.solution = solution
            raise error
        if out["status"] < 0:
            raise SolveError(solution.failure, solution)
        if solution.status in ("INACCURATE", "UNVERIFIED"):
            warnings.warn(solution.message, InaccurateWarning, stacklevel=_depth())
        return solution

    def _end(self, t_end):
        if t_end is None:
            t_end = self._t_end()
        if t_end is None:
            raise ValueError("t_end is not given, and the model has none")
        return _time("t_end", t_end)

    def _grid(self, t0, t_end, t_eval, output_step):
        if t_eval is None and output_step is None:
            times = self._times()
            return None if times is None else np.ascontiguousarray(times, dtype=float)
        if t_eval is not None and output_step is not None:
            raise ValueError("t_eval and output_step exclude each other")
        if output_step is not None:
            h = _time("output_step", output_step)
            if h <= 0:
                raise ValueError(f"output_step is {h}, expected a positive number")
            count = int(np.floor((t_end - t0) / h * (1 + 1e-12) + 1e-9))
            times = t0 + h * np.arange(count + 1)
            return times if abs(times[-1] - t_end) <= 1e-9 * h else np.append(times, t_end)
        times = numbers("t_eval", t_eval)
        if times.ndim != 1:
            raise ValueError(f"t_eval has shape {times.shape}, expected a list of times")
        if times.size and (np.any(np.diff(times) < 0) or not np.all(np.isfinite(times))):
            raise ValueError("t_eval is not increasing")
        if times.size and (times[0] < t0 or times[-1] > t_end):
            raise ValueError(f"t_eval has times outside of [{t0:g}, {t_end:g}]")
        return np.ascontiguousarray(times)

    def steps(self, t_end: Optional[float] = None, *, events=None, initial=None, **options) -> Iterator[Step]:
        """Step by step: yields the state after every accepted step and event; `s.stop()` ends the loop."""
        texts, lists = option_texts(options)
        made = event_tuples(events)
        integrator = self._take(texts, lists, made)
        t_end = self._end(t_end)
        self._start(integrator, initial)
        layout, names = Layout(integrator), integrator.events
        while True:
            status, event, error = integrator.step(t_end)
            if error is not None:
                raise error
            if status < 0:
                raise SolveError(integrator.failure)
            if status == 0:
                break
            s = Step(layout, integrator.row(), names[event] if event >= 0 else None)
            yield s
            if s.stopped or status == 3:
                break
        self._give_back(integrator, texts, lists, made)

    def _frozen(self) -> "System":
        """The system as it is now, for dense output later."""
        return self

    def check(self) -> dict:
        """Degrees of freedom, index, and whether the start fits: as `sodae check`."""
        from .study import check
        return check(self)

    def analyse(self, t_end: Optional[float] = None) -> dict:
        """The index of the equations: see sodae.analyse."""
        from .study import analyse
        return analyse(self, t_end)

    def sweep(self, *args, **kwargs):
        """Runs for many values of parameters: see sodae.sweep."""
        from .study import sweep
        return sweep(self, *args, **kwargs)

    def converge(self, *args, **kwargs):
        """Errors and orders for a sequence of steps: see sodae.converge."""
        from .study import converge
        return converge(self, *args, **kwargs)

    def compare(self, *args, **kwargs):
        """Work and precision of several methods: see sodae.compare."""
        from .study import compare
        return compare(self, *args, **kwargs)
