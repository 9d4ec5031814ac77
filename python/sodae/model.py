"""Models of text: files and expressions."""
from __future__ import annotations

import html
import json
import os
import pathlib
import threading
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _sodae
from ._checks import expected, mapping, number, numbers, path_of, text as text_of
from .system import System

Texts = Union[str, float, Sequence[Any]]


def _parameter(name: str, value: Any, now: Any):
    """A new value: a number for a number, else numbers as nested lists."""
    if np.ndim(now) == 0:
        return number(f"parameter {name}", value)
    new = numbers(f"parameter {name}", value)
    if new.ndim != now.ndim or not new.size:
        raise ValueError(f"parameter {name} has shape {new.shape}, expected a {'vector' if now.ndim == 1 else 'matrix'}")
    if not np.all(np.isfinite(new)):
        raise ValueError(f"parameter {name} is {value!r:.60}, expected finite numbers")
    return new.tolist()


def _shown(value: Any) -> str:
    if np.ndim(value):
        return "[" + ", ".join(map(_shown, value)) + "]"
    return f"{value:g}"


class TextModel(System):
    """A model given as text. Parameters are attributes: m.L = 2."""

    _own = frozenset(("text", "label", "_values", "_made", "_lock", "_idle", "_guard"))

    def __init__(self, text: str, label: str = "model", **parameters):
        object.__setattr__(self, "_values", {})
        super().__init__()
        self.text, self.label = text, label
        self._made: Optional[_sodae.Model] = None
        self._guard = threading.Lock()
        known = self._source().parameters
        for name in parameters:
            if name not in known:
                raise TypeError(f"unknown parameter '{name}'; {label} has {', '.join(known) or 'none'}")
        self._values.update({k: _parameter(k, v, known[k]) for k, v in parameters.items()})
        self._made = None if parameters else self._made
        self._source()

    def _source(self) -> _sodae.Model:
        with self._guard:
            if self._made is None:
                overrides = [f"{k}={v!r}" for k, v in self._values.items()]
                self._made = _sodae.Model(self.text, self.label, overrides)
            return self._made

    @property
    def parameters(self) -> dict:
        """Parameters by name: numbers, and arrays for vectors and matrices."""
        return self._source().parameters

    def set(self, **parameters: Any) -> "TextModel":
        """A copy with other parameters."""
        values = {**self._values, **parameters}
        return type(self)._from_text(self.text, self.label, values)

    @classmethod
    def _from_text(cls, text, label, values):
        made = TextModel.__new__(cls)
        TextModel.__init__(made, text, label, **values)
        return made

    def __getattr__(self, name: str):
        if name.startswith("_") or name in self._own:
            raise AttributeError(name)
        parameters = self.parameters
        if name in parameters:
            return parameters[name]
        raise AttributeError(f"{self.label} has no parameter '{name}'; it has {', '.join(parameters) or 'none'}")

    def __setattr__(self, name: str, value: Any):
        if name in self._own:
            return object.__setattr__(self, name, value)
        if name not in self.parameters:
            raise AttributeError(f"{self.label} has no parameter '{name}'")
        before = dict(self._values)
        self._values[name] = _parameter(name, value, self.parameters[name])
        self._made = None
        try:
            self._source()
        except ValueError:
            self._values.clear()
            self._values.update(before)
            self._made = None
            raise

    def _frozen(self):
        made = TextModel.__new__(type(self))
        object.__setattr__(made, "_values", dict(self._values))
        System.__init__(made)
        made.text, made.label, made._made, made._guard = self.text, self.label, self._source(), threading.Lock()
        return made

    def _t_end(self):
        t_end = self._source().run["t_end"]
        return None if np.isnan(t_end) else t_end

    def _stops(self):
        times = self._source().run["times"]
        return super()._stops() if times is None else times

    def _output_step(self):
        step = self._source().run["output_step"]
        return None if np.isnan(step) else step

    def _take(self, *key):
        if self._source().not_integrated:
            raise ValueError(f"{self.label}: {self._source().not_integrated}")
        return super()._take(*key)

    def __reduce__(self):
        return _restore, (type(self), self.text, self.label, dict(self._values))

    def __repr__(self) -> str:
        values = ", ".join(f"{k}={_shown(v)}" for k, v in self.parameters.items())
        return f"<{type(self).__name__} {self.label}: {values or 'no parameters'}>"

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{html.escape(k)}</td><td>{_shown(v)}</td></tr>" for k, v in self.parameters.items())
        return f"<b>{html.escape(self.label)}</b><pre>{html.escape(self.text)}</pre><table>{rows}</table>"


def _restore(kind, text, label, values):
    return kind._from_text(text, label, values)


def load(path: Union[str, os.PathLike], **parameters: float) -> TextModel:
    """Reads a model file: equations or a mechanism. Keywords replace parameters."""
    path = pathlib.Path(path_of(path))
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not a text file ({error.reason})") from None
    return TextModel._from_text(text, str(path), parameters)


def _words(key: str, given) -> list:
    if not isinstance(given, (str, list, tuple)):
        raise expected(key, given, "a text or a list of texts")
    return given.replace(",", " ").split() if isinstance(given, str) else [str(x) for x in given]


def _texts(key: str, given):
    """Expressions as texts, nested lists as they are."""
    if isinstance(given, (list, tuple, np.ndarray)):
        return [_texts(f"{key}[{i}]", x) for i, x in enumerate(given)]
    if isinstance(given, dict):
        return {str(k): _texts(f"{key}[{k!r}]", v) for k, v in given.items()}
    return given if isinstance(given, str) else number(key, given)


def _initial(names: dict, initial: dict) -> dict:
    blocks = {block: [0.0] * len(entries) for block, entries in names.items() if entries}
    place = {name: (block, i) for block, entries in names.items() for i, name in enumerate(entries)}
    for name, value in initial.items():
        if name not in place:
            raise ValueError(f"initial: '{name}' is no variable; there are {', '.join(place)}")
        block, i = place[name]
        blocks[block][i] = _texts(f"initial[{name!r}]", value)
    return blocks


class Model(TextModel):
    """A model from expressions as texts.

    >>> Model(positions="x y", mass=["m", "m"], force=["0", "-m*g"], holonomic=["x^2 + y^2 - L^2"],
    ...       parameters=dict(m=1, g=9.81, L=1), initial=dict(x=1, y=0))

    positions, velocities, dynamic, auxiliary: names; velocities are v_x, v_y unless given. hold: positions and
    velocities that the start does not move onto the constraints. Further keys of `equations` in model files may be given
    as keywords; `let`, `events`, `outputs`, `energy`, `units`, `solver` as in the file.
    """

    def __init__(self, positions: Union[str, Sequence[str]], force: Texts, *, mass: Optional[Texts] = None,
                 holonomic: Texts = (), nonholonomic: Texts = (), velocities: Union[None, str, Sequence[str]] = None,
                 parameters: Optional[dict] = None, initial: Optional[dict] = None,
                 hold: Union[str, Sequence[str]] = (), let: Optional[dict] = None, events: Optional[list] = None,
                 outputs: Optional[dict] = None, energy: Union[None, str, dict] = None, units: Optional[dict] = None,
                 solver: Optional[dict] = None, name: str = "model", **equations: Any):
        parameters, initial, let = (mapping(key, x) for key, x in
                                    (("parameters", parameters), ("initial", initial), ("let", let)))
        q = _words("positions", positions)
        v = _words("velocities", velocities) if velocities is not None else [f"v_{x}" for x in q]
        content: dict = {"positions": q, "velocities": v, "force": _texts("force", force)}
        for key, value in (("mass", mass), ("holonomic", holonomic), ("nonholonomic", nonholonomic)):
            texts = [] if value is None else _texts(key, value)
            if texts != []:
                content[key] = texts
        content.update({key: _words(key, x) if key.endswith("multipliers") else _texts(key, x)
                        for key, x in equations.items()})
        names = {"positions": q, "velocities": v}
        for block, of in (("dynamic", "states"), ("auxiliary", "variables"), ("contact", "coordinates")):
            names[block] = mapping(block, equations.get(block)).get(of, [])
        start = _initial(names, initial)
        if hold:
            start["hold"] = _words("hold", hold)
        file: dict = {"sodae": 1, "name": text_of("name", name)}
        for key, value in (("parameters", parameters), ("let", let)):
            if value:
                file[key] = _texts(key, value)
        file["equations"], file["initial"] = content, start
        for key, value in (("events", events), ("outputs", outputs), ("energy", energy), ("units", units),
                           ("solver", solver)):
            if value is not None:
                file[key] = value
        super().__init__(write(file), name)


def write(file: dict) -> str:
    """A model file from nested dictionaries: a line for each key, values in flow style."""
    lines = []
    for key, value in file.items():
        if key in ("equations", "let") and isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {k}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items()]
        else:
            lines.append(f"{key}: {json.dumps(value, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"
