"""What all front doors share: options, integrators, solve, steps."""
from __future__ import annotations

import difflib
import sys
import threading
import warnings
from typing import TYPE_CHECKING, Any, Callable, Iterator, Optional, Sequence, Union

import numpy as np

from . import _sodae
from ._checks import expected, number, numbers, positive
from ._errors import Event, InaccurateWarning, SolveError, event_tuples
from .results import Layout, Solution

if TYPE_CHECKING:
    import pandas
    import xarray

Events = Union[None, Callable, Event, Sequence[Union[Callable, Event]]]
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
    raise expected(name, value, "a number or a text")


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
        if name in TOLERANCES and isinstance(value, (list, tuple, np.ndarray)):
            lists[name] = numbers(name, value)
            if lists[name].ndim != 1:
                raise ValueError(f"{name} has shape {lists[name].shape}, expected a number or a list of numbers")
        else:
            texts[name] = _text(name, value)
    return texts, tuple(lists.get(name) for name in TOLERANCES)


def _depth() -> int:
    """How many frames up the caller of the package is."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("sodae."):
        frame, depth = frame.f_back, depth + 1
    return depth


def _regular(t0: float, t_end: float, h: float, way: int) -> np.ndarray:
    """t0, t0 + h, … and t_end."""
    count = np.floor(abs(t_end - t0) / h * (1 + 1e-12) + 1e-9)
    try:
        times = t0 + way * h * np.arange(count + 1)
    except (ValueError, MemoryError):
        raise ValueError(f"output_step is {h}: memory does not hold {count:.3g} rows") from None
    return times if abs(times[-1] - t_end) <= 1e-9 * h else np.append(times, t_end)


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

    def stop(self) -> None:
        """Ends the loop over steps."""
        self.stopped = True

    def __getitem__(self, name: str) -> Union[float, np.ndarray]:
        return self._layout.take(self._row[None, :], name)[0]

    @property
    def t(self) -> float:
        return float(self._row[0])

    def __getattr__(self, name: str):
        if name in ("q", "v", "a", "lam", "psi", "r", "w", "s"):
            return self._layout.block(self._row[None, :], name)[0]
        raise AttributeError(f"a step has no attribute '{name}'")


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

    def _stops(self) -> np.ndarray:
        """Times that a run hits exactly."""
        return np.empty(0)

    def _output_step(self) -> Optional[float]:
        return None

    def _events_with(self, events: Events) -> Events:
        """The system's own events of Python and those given."""
        return events

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

    def solve(self, t_end: Optional[float] = None, *, rtol: Optional[float] = None,
              atol: Union[None, float, Sequence[float]] = None, method: Optional[str] = None,
              formulation: Optional[str] = None, step: Optional[float] = None,
              t_eval: Optional[Sequence[float]] = None, output_step: Optional[float] = None, events: Events = None,
              initial: Optional[dict] = None, verify: bool = False,
              progress: Union[bool, Callable[[float], Any]] = False, dense: bool = False, **options: Any) -> Solution:
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
        made = event_tuples(self._events_with(events))
        integrator = self._take(texts, lists, made)
        t0 = float(integrator.initial[0])
        if isinstance(initial, dict) and "t" in initial:
            t0 = number("initial['t']", initial["t"])
        t_end = self._end(t_end)
        if t_eval is None and output_step is None:
            output_step = self._output_step()
        times = self._grid(t0, t_end, t_eval, output_step)
        start = self._start(integrator, initial)
        bar = Bar(t0, t_end) if progress is True else progress or None
        if bar is not None and not callable(bar):
            raise expected("progress", progress, "True or a function of t")
        try:
            out = integrator.run(t_end, times, self._stops(), bool(dense), bool(verify), bar)
        finally:
            if isinstance(bar, Bar):
                bar.close()
        again = dict(given, t_end=t_end, events=events, initial=initial)
        solution = Solution(self._frozen(), integrator, out, start, again, len(made))
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
        return number("t_end", t_end)

    def _grid(self, t0, t_end, t_eval, output_step):
        way = -1 if t_end < t0 else 1
        if t_eval is None and output_step is None:
            return None
        if t_eval is not None and output_step is not None:
            raise ValueError("t_eval and output_step exclude each other")
        if output_step is not None:
            return _regular(t0, t_end, positive("output_step", output_step), way)
        times = numbers("t_eval", t_eval)
        if times.ndim != 1:
            raise ValueError(f"t_eval has shape {times.shape}, expected a list of times")
        if not np.all(np.isfinite(times)):
            raise ValueError("t_eval has times that are not finite")
        if np.any(way * np.diff(times) < 0):
            raise ValueError(f"t_eval is not {'increasing' if way > 0 else 'decreasing'}")
        if times.size and (way * times[0] < way * t0 or way * times[-1] > way * t_end):
            raise ValueError(f"t_eval has times outside of [{t0:g}, {t_end:g}]")
        return np.ascontiguousarray(times)

    def steps(self, t_end: Optional[float] = None, *, events: Events = None, initial: Optional[dict] = None,
              **options: Any) -> Iterator[Step]:
        """Step by step: yields the state after every accepted step and event; `s.stop()` ends the loop."""
        texts, lists = option_texts(options)
        made = event_tuples(self._events_with(events))
        integrator = self._take(texts, lists, made)
        t_end = self._end(t_end)
        self._start(integrator, initial)
        return self._step_by_step(integrator, t_end, (texts, lists, made))

    def _step_by_step(self, integrator, t_end, key) -> Iterator[Step]:
        layout, names, t0 = Layout(integrator), integrator.events, integrator.row()[0]
        for t in [*(t for t in self._stops() if t0 < t < t_end), t_end]:
            status = 1
            while status != 0:
                status, event, error = integrator.step(t)
                if error is not None:
                    raise error
                if status < 0:
                    raise SolveError(integrator.failure)
                if status == 0:
                    continue
                s = Step(layout, integrator.row(), names[event] if event >= 0 else None)
                yield s
                if s.stopped or status == 3:
                    return self._give_back(integrator, *key)
        self._give_back(integrator, *key)

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

    def sweep(self, *args: Any, **kwargs: Any) -> xarray.Dataset:
        """Runs for many values of parameters: see sodae.sweep."""
        from .study import sweep
        return sweep(self, *args, **kwargs)

    def converge(self, *args: Any, **kwargs: Any) -> pandas.DataFrame:
        """Errors and orders for a sequence of steps: see sodae.converge."""
        from .study import converge
        return converge(self, *args, **kwargs)

    def compare(self, *args: Any, **kwargs: Any) -> pandas.DataFrame:
        """Work and precision of several methods: see sodae.compare."""
        from .study import compare
        return compare(self, *args, **kwargs)
