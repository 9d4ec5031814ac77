"""Mechanisms: bodies, joints, forces and beams in the words of mechanism files."""
from __future__ import annotations

import html
from typing import Any, Iterator, Optional

import numpy as np

from ._checks import text
from .model import TextModel, write
from .results import Solution
from .system import Step


def _plain(name: str, x: Any):
    """numpy numbers and arrays as those of the file."""
    if isinstance(x, dict):
        return {str(k): _plain(f"{name}: {k}", v) for k, v in x.items()}
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, (list, tuple)):
        return [_plain(name, v) for v in x]
    if isinstance(x, np.generic):
        return x.item()
    if not isinstance(x, (str, int, float, type(None))):
        raise TypeError(f"{name} is a {type(x).__name__}, expected numbers or texts")
    return x


class Mechanism:
    """Collects the parts of a mechanism; `model()` compiles it, `solve` does so and integrates.

    >>> m = Mechanism(gravity=[0, 0, -9.81])
    >>> m.body("rod", mass=1, inertia=[0.1, 0.1, 0.01], at=[0.5, 0, 0])
    >>> m.joint("pin", revolute=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0])
    >>> sol = m.solve(2)
    >>> sol["rod/position"], sol["pin/force"]
    """

    def __init__(self, name: str = "mechanism", **top: Any):
        self.name, self._top = name, top
        self._parts: dict = {"bodies": {}, "joints": {}, "forces": {}, "beams": {}, "contacts": {}}
        self._compiled = None

    def _add(self, kind: str, name: str, keys: dict) -> "Mechanism":
        if name in self._parts[kind]:
            raise ValueError(f"{kind}: '{name}' is there already")
        self._parts[kind][text("the name of a part", name)] = _plain(f"{kind}: {name}", keys)
        self._compiled = None
        return self

    def body(self, name: str, **keys: Any) -> "Mechanism":
        """A body: mass, inertia, at, orientation, …"""
        return self._add("bodies", name, keys)

    def joint(self, name: str, **keys: Any) -> "Mechanism":
        """A joint: revolute=[b1, b2], at, axis, …"""
        return self._add("joints", name, keys)

    def force(self, name: str, **keys: Any) -> "Mechanism":
        """A force element: body, spring, bushing, joint, …"""
        return self._add("forces", name, keys)

    def beam(self, name: str, **keys: Any) -> "Mechanism":
        """A beam: from_, to, up, elements, section, …; `from_` stands for the key `from`."""
        return self._add("beams", name, {k.rstrip("_"): v for k, v in keys.items()})

    def contact(self, name: str, **keys: Any) -> "Mechanism":
        """A contact: point or sphere, plane, restitution, friction, …"""
        return self._add("contacts", name, keys)

    def set(self, **top: Any) -> "Mechanism":
        """Further keys of the file: gravity, parameters, initial, outputs, run, solver, …"""
        self._top.update(top)
        self._compiled = None
        return self

    @property
    def text(self) -> str:
        """The mechanism as a file."""
        file = {"sodae": 1, "name": self.name, **_plain(self.name, self._top)}
        file.update({kind: parts for kind, parts in self._parts.items() if parts})
        return write(file)

    def model(self, **parameters: float) -> TextModel:
        """The compiled model."""
        if not self._parts["bodies"] and not self._parts["beams"]:
            raise ValueError(f"{self.name} has neither bodies nor beams")
        return TextModel._from_text(self.text, self.name, parameters)

    def _model(self) -> TextModel:
        if self._compiled is None:
            self._compiled = self.model()
        return self._compiled

    def solve(self, t_end: Optional[float] = None, **keywords: Any) -> Solution:
        return self._model().solve(t_end, **keywords)

    def steps(self, t_end: Optional[float] = None, **keywords: Any) -> Iterator[Step]:
        return self._model().steps(t_end, **keywords)

    solve.__doc__, steps.__doc__ = TextModel.solve.__doc__, TextModel.steps.__doc__

    def _repr_html_(self) -> str:
        return f"<b>{html.escape(self.name)}</b><pre>{html.escape(self.text)}</pre>"

    def __repr__(self) -> str:
        counts = ", ".join(f"{len(parts)} {kind}" for kind, parts in self._parts.items() if parts)
        return f"<Mechanism {self.name}: {counts or 'empty'}>"
