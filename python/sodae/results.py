"""Rows of named channels: solutions and files."""
from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy as np

from . import _sodae
from ._checks import expected, mapping, number, numbers, path_of

if TYPE_CHECKING:
    import matplotlib.animation
    import pandas
    import xarray
    from scipy.spatial.transform import Rotation

BLOCKS = {"t": "t", "q": "q", "v": "v", "a": "a", "lam": "lambda", "lambda": "lambda", "psi": "psi", "r": "r",
          "w": "w", "s": "s"}
_INDEX = re.compile(r"^(.*?)(?:\[(\d+)(?:,(\d+))?\]|\.([xyzw]))$")


def base_of(name: str) -> str:
    """A channel without its index or component: 'tip' of 'tip[2]'."""
    match = _INDEX.match(name)
    return match[1] if match else name


class Names:
    """Channels by name: a number (x[2]), all numbers of a vector (x), the unique tail of a path (pin/force)."""

    def __init__(self, channels):
        self.names = [name for name, *_ in channels]
        self.units = [unit for _, unit, *_ in channels]
        self.index = {name: i for i, name in enumerate(self.names)}
        self.bases: dict = {}
        for i, name in enumerate(self.names):
            self.bases.setdefault(base_of(name), []).append(i)

    def find(self, name: str) -> list:
        """Numbers of the channels that a name stands for."""
        if not isinstance(name, str):
            raise expected("the name of a channel", name, "a text")
        if name in self.index and self.names[self.index[name]] == name and name not in self.bases:
            return [self.index[name]]
        if name in self.bases:
            return self.bases[name]
        tails = [b for b in self.bases if b.endswith("/" + name)]
        if len(tails) == 1:
            return self.bases[tails[0]]
        if len(tails) > 1:
            raise KeyError(f"'{name}' is not unique: {', '.join(sorted(tails))}")
        ends = [n for n in self.names if n.endswith("/" + name)]
        if len(ends) == 1:
            return [self.index[ends[0]]]
        letter = "xyz".find(name[-1]) + 1
        if letter and name[-2:-1] == ".":  # tip.y is tip[2]
            try:
                return self.find(f"{name[:-2]}[{letter}]")
            except KeyError:
                pass
        import difflib
        near = difflib.get_close_matches(name, [*self.bases, *self.names], 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise KeyError(f"there is no channel '{name}'{hint}")

    def shape(self, found: list) -> tuple:
        """() of a number, (n,) of a vector, (m, n) of a matrix."""
        if len(found) == 1 and self.names[found[0]] not in self.index:
            return ()
        last = _INDEX.match(self.names[found[-1]])
        if len(found) == 1:
            return ()
        if last and last[3]:
            rows, cols = int(last[2]), int(last[3])
            if rows * cols == len(found):
                return (rows, cols)
        return (len(found),)

    def take(self, rows: np.ndarray, name: str) -> np.ndarray:
        """Column(s) of a channel: (n,), (n, k) or (n, k, l)."""
        found = self.find(name)
        shape = self.shape(found)
        return rows[:, found[0]].copy() if shape == () else rows[:, found].reshape((len(rows), *shape))

    def unit(self, name: str) -> str:
        return self.units[self.find(name)[0]]


class Layout(Names):
    """The channels of an integrator and where the blocks of the state stand among them."""

    def __init__(self, integrator):
        super().__init__(integrator.channels)
        self.channels = integrator.channels
        self.blocks = integrator.blocks
        self.parts = integrator.parts
        self.sizes = integrator.sizes
        self.nstate = self.blocks["energy"][0]

    def block(self, rows: np.ndarray, name: str) -> np.ndarray:
        first, last = self.blocks[BLOCKS[name]]
        return rows[:, first:last]

    def start(self, given: np.ndarray, initial: dict) -> np.ndarray:
        """t, q, v, lambda, psi, r, w, s with the values of `initial` put in."""
        out = given.copy()
        initial = mapping("initial", initial, " of values by name")
        order = ("q", "v", "lambda", "psi", "r", "w", "s")
        at, places = 1, {}
        for block in order:
            n = self.blocks[block][1] - self.blocks[block][0]
            places[block] = (at, at + n)
            at += n
        for name, value in initial.items():
            self._put(out, places, name, value)
        return out

    def _put(self, out, places, name, value):
        if name == "t":
            out[0] = number("initial['t']", value)
            return
        value = numbers(f"initial['{name}']", value).ravel()
        if name in BLOCKS and name not in self.bases and BLOCKS[name] in places:
            first, last = places[BLOCKS[name]]
            target = list(range(first, last))
        else:
            target = self._places(places, name)
        if value.size != len(target):
            raise ValueError(f"initial['{name}'] has {value.size} numbers, expected {len(target)}")
        out[target] = value

    def _places(self, places, name):
        """Where the numbers of a variable stand; an output may have its name."""
        known, at = [], []
        for block, (first, _) in places.items():
            channel, last = self.blocks[block]
            known += self.channels[channel:last]
            at += range(first, first + last - channel)
        try:
            return [at[i] for i in Names(known).find(name)]
        except KeyError:
            self.find(name)
            raise ValueError(f"initial['{name}']: '{name}' has no initial value") from None


class Results:
    """Rows of named channels. results["x"] gives a column, results.t the times."""

    def __init__(self, channels: Any, rows: np.ndarray, events: Sequence = (), verdict: str = "",
                 finished: bool = True):
        self._names = channels if isinstance(channels, Names) else Names(channels)
        self._rows = rows
        self.events = list(events)  #: (t, name) of each event
        self.verdict = verdict
        self.finished = finished

    @property
    def t(self) -> np.ndarray:
        """The times of the rows."""
        return self._rows[:, 0]

    @property
    def channels(self) -> list:
        """Names of all channels, vectors as one."""
        return list(self._names.bases)

    def unit(self, name: str) -> str:
        """Unit of a channel, '' where it is not known."""
        return self._names.unit(name)

    def __getitem__(self, name: str) -> np.ndarray:
        """A channel by name, or by the unique tail of its path: a row for each time."""
        return self._names.take(self._rows, name)

    def __contains__(self, name: str) -> bool:
        try:
            return bool(self._names.find(name))
        except KeyError:
            return False

    def __len__(self) -> int:
        return len(self._rows)

    def to_pandas(self) -> pandas.DataFrame:
        """A DataFrame with a column for every number, indexed by time."""
        import pandas
        index = pandas.Index(self.t, name="t")
        return pandas.DataFrame(self._rows[:, 1:], index=index, columns=self._names.names[1:])

    def to_xarray(self) -> xarray.Dataset:
        """A Dataset with a variable for every channel and the dimension `time`."""
        import xarray
        variables = {}
        for name in self.channels[1:]:
            x = self[name]
            dims = ("time", *(f"{name}_{k}" for k in range(x.ndim - 1)))
            variables[name] = xarray.Variable(dims, x, {"units": self.unit(name)})
        data = xarray.Dataset(variables, coords={"time": ("time", self.t, {"units": self._names.units[0]})})
        data.attrs["verdict"] = self.verdict
        return data

    def rotation(self, name: str) -> Rotation:
        """A rotation (matrix or quaternion) as scipy's Rotation."""
        return as_rotation(self[name], name)

    def plot(self, *names: str, against: str = "t", axes: Any = None, log: str = "") -> np.ndarray:
        """Draws channels with matplotlib, those of one unit in one pane; returns the axes."""
        from .draw import plot
        return plot(self, names or tuple(self.channels[1:4]), against, axes, log)

    def animate(self, points: Optional[Sequence] = None, frames: Optional[dict] = None, trail: int = 0, fps: float = 25,
                speed: float = 1.0) -> matplotlib.animation.FuncAnimation:
        """A matplotlib animation of points and frames: see sodae.draw.animate."""
        from .draw import animate
        return animate(self, points, frames, trail, fps, speed)

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} … {self.t[-1]:g}" if len(self) else "no rows"
        return f"<{type(self).__name__}: {len(self)} rows, {span}, {len(self.channels) - 1} channels>"


def as_rotation(x: np.ndarray, name: str) -> Rotation:
    """Matrices or quaternions as scipy's Rotation."""
    from scipy.spatial.transform import Rotation
    if x.shape[-2:] == (3, 3):
        return Rotation.from_matrix(x)
    if x.shape[-1:] == (4,):
        return Rotation.from_quat(np.roll(x, -1, axis=-1))
    raise ValueError(f"'{name}' is no rotation: shape {x.shape[1:]}")


class Solution(Results):
    """What a run found. Arrays have a row for each time: t, q, v, a (= v'), lam, psi, r, w, s; channels by name."""

    def __init__(self, system: Any, integrator: Any, out: dict, start: dict, again: dict, events_given: int = 0):
        self._layout = Layout(integrator)
        names = integrator.events
        events = [(float(t), names[int(i)]) for t, i in out["events"]]
        super().__init__(self._layout, out["rows"], events, "", out["status"] >= 0)
        self._system, self._integrator, self._again = system, integrator, again
        self._numbers = out["events"]
        self._own_events = len(names) - events_given
        self._samples = Samples(self._layout, out["samples"]) if len(out["samples"]) else None
        self.start = start  #: what the search for consistent initial values did
        self.stats = integrator.statistics
        self.options = integrator.options
        self.verification = out["verification"]  #: estimate of the global error, or None
        stopped = out["error"]  # Ctrl-C, or the exception of a callback
        self.failure = integrator.failure if out["status"] < 0 and stopped is None else None
        self._name_status(out["status"] if stopped is None else 1)
        if stopped is not None:
            self.message = self.verdict = f"{type(stopped).__name__} at t = {self.t[-1]:g}" if len(self) else ""

    def _name_status(self, code: int):
        from .system import STATUS
        self.status = self.failure["status"] if self.failure else STATUS.get(code, str(code))
        self.message = self.failure["message"] if self.failure else ""
        kept = max(self.stats["worst_position"], self.stats["worst_velocity"])
        self.verdict = f"constraints kept to {kept:.1e}" if self._layout.sizes["nlambda"] else "done"
        if self.start["redundant"]:
            self.verdict += f"; {self.start['redundant_names']} depend on each other, their reactions are not unique"
        v = self.verification
        if v:
            self.verdict += f"; estimated error {v['error']:.2g} tolerances"
        if v and v["status"] in ("INACCURATE", "UNVERIFIED"):
            self.status, self.message = v["status"], v["message"]
            self.verdict = f"{self.status}: {self.message}"
        elif self.failure:
            self.verdict = f"{self.status}: {self.message}"

    def __getattr__(self, name: str):
        if name in BLOCKS and "_layout" in self.__dict__:
            return self._layout.block(self._rows, name)
        raise AttributeError(f"a solution has no attribute '{name}'")

    @property
    def success(self) -> bool:
        """Did the run reach its end, an event that stops it, or a stop asked for?"""
        return self.failure is None

    def __call__(self, t: Union[float, Sequence[float]], name: str = "q") -> np.ndarray:
        """Dense output: a block (q, v, a, lam, psi, r, w, s) or a channel at times of the run, one or many."""
        times = numbers("t", t)
        states = self._dense()(times.ravel())
        if name in BLOCKS and name not in self._layout.bases:
            out = self._layout.block(states, name)
        else:
            out = self._layout.take(self._integrator.evaluate(np.ascontiguousarray(states)), name)
        return out.reshape((*times.shape, *out.shape[1:]))

    def _dense(self) -> "Samples":
        if self._samples is None:
            self._samples = self._system.solve(dense=True, **self._again)._samples
        return self._samples

    def rotation(self, name: str, t: Union[None, float, Sequence[float]] = None) -> Rotation:
        """A rotation (matrix or quaternion) as scipy's Rotation, of the rows or at times t."""
        return as_rotation(self[name] if t is None else self(t, name), name)

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Writes the rows to a file as the command does: HDF5 for .h5, otherwise CSV."""
        known = len(self._layout.channels)
        source = self._system._source()
        notes = [("options", json.dumps(self.options))]
        text = getattr(self._system, "text", None)
        if text:
            notes.append(("model", text))
        own = self._numbers[self._numbers[:, 1] < self._own_events]
        _sodae.save(path=path_of(path), integrator_problem=source, channels=self._layout.channels,
                    rows=np.ascontiguousarray(self._rows[:, :known]), events=np.ascontiguousarray(own),
                    finished=int(self.finished), verdict=self.verdict, notes=notes)

    def __reduce__(self):
        raise TypeError("a Solution is not pickled: save it to a file, or take its arrays")

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]}, {self.status}: {self.verdict}>"


class Samples:
    """Dense output of a whole run: every step as a polynomial through its samples."""

    def __init__(self, layout: Layout, samples: np.ndarray):
        self.layout = layout
        self.nodes = samples.reshape(len(samples), -1, layout.nstate)
        self.way = -1 if self.nodes[-1, -1, 0] < self.nodes[0, 0, 0] else 1
        self.begin, self.end = self.way * self.nodes[:, 0, 0], self.way * self.nodes[:, -1, 0]
        m = self.nodes.shape[1]
        self.weights = (-1.0) ** np.arange(m)  # barycentric, Chebyshev points of the second kind
        self.weights[[0, -1]] /= 2
        self.c = (1 - np.cos(np.pi * np.arange(m) / (m - 1))) / 2

    def __call__(self, t: np.ndarray) -> np.ndarray:
        span, first, last = 1e-12 * max(1.0, abs(self.end[-1])), self.begin[0], self.end[-1]
        at, t = t, self.way * t
        if not np.all((t >= first - span) & (t <= last + span)):
            raise ValueError(f"t lies outside of the run, [{self.way * first:g}, {self.way * last:g}]")
        k = np.clip(np.searchsorted(self.end, t), 0, len(self.end) - 1)
        x = (t - self.begin[k]) / np.where(self.end[k] > self.begin[k], self.end[k] - self.begin[k], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            w = self.weights / (x[:, None] - self.c)
        hit = ~np.isfinite(w)
        w = np.where(hit.any(axis=1)[:, None], hit, w)
        out = np.einsum("nm,nmj->nj", w, self.nodes[k]) / w.sum(axis=1)[:, None]
        out[:, 0] = at
        self._onto_groups(out)
        return out

    def _onto_groups(self, out):
        first = self.layout.blocks["q"][0]
        for name, q0, nq, _, _ in self.layout.parts:
            at = first + q0 + (3 if nq == 12 else 0)
            if nq in (9, 12):
                u, _, vt = np.linalg.svd(out[:, at:at + 9].reshape(-1, 3, 3))
                out[:, at:at + 9] = (u @ vt).reshape(-1, 9)
            elif nq == 4:
                out[:, at:at + 4] /= np.linalg.norm(out[:, at:at + 4], axis=1)[:, None]


def open_results(path: Union[str, os.PathLike]) -> Results:
    """Reads a file of results, CSV or HDF5, written by the command or by Solution.save."""
    got = _sodae.open(path_of(path))
    channels = [(name, unit) for name, unit, _ in got["columns"]]
    columns = [x for _, _, x in got["columns"]]
    rows = np.column_stack(columns) if columns else np.empty((0, 0))
    return Results(channels, rows, got["events"], got["verdict"] or "", got["finished"] != 0)
