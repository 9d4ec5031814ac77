"""Problems of Python functions, C functions and constant matrices."""
from __future__ import annotations

import ctypes
import inspect
import re
from typing import Any, Optional

import numpy as np

from . import _sodae
from ._errors import event_tuples
from .results import numbers
from .system import System

FUNCTIONS = ("mass", "force", "holonomic", "nonholonomic", "dynamic", "auxiliary", "contact", "reaction",
             "holonomic_rate", "holonomic_drift", "nonholonomic_drift", "energy")
VARIABLES = ("t", "q", "v", "lam", "psi", "r", "w", "s")
LETTERS = {"t": "t", "q": "q", "v": "v", "a": "a", "lam": "l", "lambda_": "l", "psi": "p", "r": "r", "w": "w", "s": "s",
           "mode": "m"}
POSITIONAL = {"mass": "tq", "force": "tqv", "holonomic": "tq", "nonholonomic": "tqv", "dynamic": "tqvr",
              "auxiliary": "tqvrw", "contact": "tqs", "reaction": "tqlp", "holonomic_rate": "tqv",
              "holonomic_drift": "tqv", "nonholonomic_drift": "tqv", "energy": "tqv"}
GROUPS = {"R": 0, "SO3": 1, "SO3q": 2, "S3": 3, "SE3": 4}
GROUP_SIZES = {1: (9, 3), 2: (4, 3), 3: (4, 3), 4: (12, 6)}


def parts_of(space: Optional[str]) -> list:
    """"R3 SO3" as [(0, 3), (1, 0)]: R^n, SO3, SO3q (quaternions), S3, SE3."""
    parts = []
    for word in (space or "").replace("x", " ").replace("×", " ").split():
        match = re.fullmatch(r"R\^?(\d+)|(SO3q|SO3|S3|SE3)", word)
        if not match:
            raise ValueError(f"space: '{word}' is unknown; there are R1, R2, …, SO3, SO3q, S3, SE3")
        parts.append((0, int(match[1])) if match[1] else (GROUPS[match[2]], 0))
    return parts


def address_of(fn: Any) -> Optional[int]:
    """The address of a C function: numba cfunc, ctypes pointer, scipy LowLevelCallable or a number."""
    if isinstance(fn, (bool, np.bool_)):
        return None
    if isinstance(fn, (int, np.integer)):
        return int(fn)
    if isinstance(getattr(fn, "address", None), int):  # numba
        return fn.address
    if isinstance(fn, ctypes._CFuncPtr):
        return ctypes.cast(fn, ctypes.c_void_p).value
    inner = getattr(fn, "function", None)  # scipy
    if type(fn).__name__ == "LowLevelCallable" and inner is not None:
        if isinstance(inner, ctypes._CFuncPtr):
            return ctypes.cast(inner, ctypes.c_void_p).value
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        return pointer(inner, name(inner))
    return None


def letters_of(fn: Any, name: str, function: str, sizes: dict) -> str:
    """Which arguments a function takes: by their names, or in the usual order."""
    usual = POSITIONAL[function]
    if function == "force" and sizes["nr"]:
        usual += "r"
    try:
        parameters = [p for p in inspect.signature(fn).parameters.values()
                      if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    except (TypeError, ValueError):
        return usual
    names = [p.name for p in parameters]
    if names and all(n in LETTERS for n in names):
        return "".join(LETTERS[n] for n in names)
    if 0 < len(names) <= len(usual):
        return usual[:len(names)]
    words = ", ".join(k for c in usual for k, v in LETTERS.items() if v == c and k != "lambda_")
    raise TypeError(f"{name} takes {len(names)} arguments ({', '.join(names)}), expected ({words})")


class Problem(System):
    """A problem of numpy functions.

    nv              number of velocities
    mass            (nv, nv) matrix, (nv,) diagonal, or a function of (t, q); missing: identity
    force           function of (t, q, v)
    holonomic       function of (t, q); nonholonomic: of (t, q, v); dynamic, auxiliary, contact, energy likewise
    jac             exact derivatives: {"holonomic_q": G, "force_v": D} as functions of the same arguments or constant
                    arrays; those missing are found by differences
    initial         {"q": [...], "v": [...], "t": 0}
    space           "R3 SO3": a product of R^n, SO3, SO3q, S3, SE3; velocities of rotations are in the body frame
    events          functions of (t, q, v), or sodae.Event
    names           {"q": ["x", "y"], "v": [...], "lam": [...]}

    Functions take their arguments by name (t, q, v, a, lam, psi, r, w, s) or in the usual order. Instead of a Python
    function an address, a ctypes pointer, a numba cfunc or a scipy LowLevelCallable may stand, of the form
    int f(double t, const double *q[, const double *v[, const double *r]], double *out); matrices go by columns.
    `raise sodae.Retry` asks for a smaller step.
    """

    def __init__(self, nv: int, force=None, *, mass=None, holonomic=None, nonholonomic=None, dynamic=None,
                 auxiliary=None, contact=None, energy=None, jac: Optional[dict] = None, initial: Optional[dict] = None,
                 space: Optional[str] = None, events=None, names: Optional[dict] = None, nlambda: Optional[int] = None,
                 npsi: Optional[int] = None, nr: Optional[int] = None, nw: Optional[int] = None,
                 ns: Optional[int] = None, in_force: bool = False, name: str = "problem"):
        super().__init__()
        if isinstance(nv, bool) or not isinstance(nv, (int, np.integer)):
            raise TypeError(f"nv is a {type(nv).__name__}, expected a whole number")
        if nv < 1:
            raise ValueError(f"nv is {nv}, expected at least 1")
        parts = parts_of(space)
        nq = sum(n if kind == 0 else GROUP_SIZES[kind][0] for kind, n in parts) if parts else nv
        self.name, self._events = name, events
        for argument, given in (("initial", initial), ("jac", jac), ("names", names)):
            if given is not None and not isinstance(given, dict):
                raise TypeError(f"{argument} is a {type(given).__name__}, expected a dict")
        if force is None:
            raise TypeError("force is missing")
        initial = dict(initial or {})
        unknown = set(initial) - {"t", "q", "v", "lam", "psi", "r", "w", "s"}
        if unknown:
            raise ValueError(f"initial: unknown block '{unknown.pop()}'; there are t, q, v, lam, psi, r, w, s")
        if "q" not in initial:
            raise ValueError("initial: q is missing")
        initial.setdefault("v", np.zeros(nv))
        self._probe = {"t": float(initial.get("t", 0.0)), "q": self._vector("initial['q']", initial["q"], nq),
                       "v": self._vector("initial['v']", initial["v"], nv)}
        for key in ("lam", "psi", "r", "w", "s", "a"):
            self._probe[key] = np.asarray(initial.get(key, np.zeros(nv)), dtype=float)
        given = dict(mass=mass, force=force, holonomic=holonomic, nonholonomic=nonholonomic, dynamic=dynamic,
                     auxiliary=auxiliary, contact=contact, energy=energy)
        sizes = {"nv": int(nv), "nr": nr if nr is not None else np.size(initial.get("r", ())),
                 "nw": nw if nw is not None else np.size(initial.get("w", ())),
                 "ns": ns if ns is not None else np.size(initial.get("s", ()))}
        sizes["nlambda"] = self._count("holonomic", holonomic, nlambda, sizes)
        sizes["npsi"] = self._count("nonholonomic", nonholonomic, npsi, sizes)
        self._slots: dict = {}
        for function, what in given.items():
            if what is not None:
                self._add(function, None, function, what, sizes)
        for key, what in (jac or {}).items():
            self._jacobian(key, what, sizes)
        constant = 0 if callable(mass) or address_of(mass) is not None else 1
        blocks = tuple(initial.get(k) for k in ("q", "v", "lam", "psi", "r", "w", "s"))
        self._made = _sodae.Problem(
            sizes=tuple(sizes[k] for k in ("nv", "nlambda", "npsi", "nr", "nw", "ns")), slots=self._slots, parts=parts,
            t0=self._probe["t"], initial=blocks, names=self._name_lists(names, sizes, nq), name=name,
            constant_mass=constant, in_force=int(in_force))
        event_tuples(events)

    @staticmethod
    def _vector(name, x, count):
        x = numbers(name, x)
        if x.shape != (count,):
            raise ValueError(f"{name} has shape {x.shape}, expected ({count},)")
        return x

    def _call(self, fn, letters):
        words = {v: k for k, v in LETTERS.items() if k != "lambda_"}
        return np.asarray(fn(*(self._probe[words[c]] if c != "t" else self._probe["t"] for c in letters)), dtype=float)

    def _count(self, function, fn, given, sizes):
        """How many constraints a function has: given, or by one call at the start."""
        if fn is None:
            return 0
        if given is not None:
            return int(given)
        if address_of(fn) is not None:
            raise TypeError(f"{function} is a C function: give {'nlambda' if function == 'holonomic' else 'npsi'}, "
                            "the number of its rows")
        if not callable(fn):
            raise TypeError(f"{function} is a {type(fn).__name__}, expected a function")
        return int(np.size(self._call(fn, letters_of(fn, function, function, sizes))))

    def _add(self, function, variable, name, what, sizes):
        key = (FUNCTIONS.index(function), -1 if variable is None else VARIABLES.index(variable))
        usual = POSITIONAL[function] + ("r" if function == "force" and sizes["nr"] else "")
        address = address_of(what)
        diagonal = 0
        if address is not None:
            if len(usual) > 4:
                raise TypeError(f"{name}: C functions of more than three vectors are not taken")
            self._slots[key] = (address, usual, name, 0)
            self._alive = [*getattr(self, "_alive", ()), what]
            return
        if callable(what):
            letters = letters_of(what, name, function, sizes)
            if function == "mass" and variable is None:
                diagonal = int(np.ndim(self._call(what, letters)) == 1 and sizes["nv"] > 1)
            self._slots[key] = (what, letters, name, diagonal)
            return
        if function == "mass" or variable is not None:
            try:
                matrix = np.asarray(what, dtype=float)
            except (TypeError, ValueError):
                raise TypeError(f"{name} is a {type(what).__name__}, expected an array or a function") from None
            if function == "mass" and variable is None:
                nv = sizes["nv"]
                if matrix.shape not in ((nv, nv), (nv,)):
                    raise ValueError(f"mass has shape {matrix.shape}, expected ({nv}, {nv}) or ({nv},)")
                diagonal = int(matrix.ndim == 1)
            self._slots[key] = (matrix, "t", name, diagonal)
            return
        raise TypeError(f"{name} is a {type(what).__name__}, expected a function")

    def _jacobian(self, key, what, sizes):
        function, variable = key if isinstance(key, tuple) else key.rsplit("_", 1) if "_" in key else (key, "")
        if function not in FUNCTIONS or variable not in VARIABLES:
            raise ValueError(f"jac: '{key}' is unknown; write 'holonomic_q', 'force_v' and the like")
        self._add(function, variable, f"jac['{function}_{variable}']", what, sizes)

    @staticmethod
    def _name_lists(names, sizes, nq):
        counts = {"q": nq, "v": sizes["nv"], "lam": sizes["nlambda"], "psi": sizes["npsi"], "r": sizes["nr"],
                  "w": sizes["nw"], "s": sizes["ns"]}
        made = {}
        for block, given in (names or {}).items():
            if block not in counts:
                raise ValueError(f"names: unknown block '{block}'; there are {', '.join(counts)}")
            listed = given.replace(",", " ").split() if isinstance(given, str) else [str(x) for x in given]
            if len(listed) != counts[block]:
                raise ValueError(f"names['{block}'] has {len(listed)} entries, expected {counts[block]}")
            made[VARIABLES.index(block)] = listed
        return made

    def _source(self):
        return self._made

    def solve(self, t_end=None, *, events=None, **keywords):
        both = [*self._listed(self._events), *self._listed(events)]
        return super().solve(t_end, events=both or None, **keywords)

    def steps(self, t_end=None, *, events=None, **keywords):
        both = [*self._listed(self._events), *self._listed(events)]
        return super().steps(t_end, events=both or None, **keywords)

    solve.__doc__, steps.__doc__ = System.solve.__doc__, System.steps.__doc__

    @staticmethod
    def _listed(events):
        return [] if events is None else list(events) if isinstance(events, (list, tuple)) else [events]

    def __repr__(self) -> str:
        functions = ", ".join(sorted(FUNCTIONS[f] for f, x in self._slots if x < 0))
        return f"<Problem {self.name}: {functions}>"
