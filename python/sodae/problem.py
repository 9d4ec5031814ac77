"""Problems of Python functions, C functions and constant matrices."""
from __future__ import annotations

import ctypes
import inspect
import re
from typing import Any, Callable, Optional, Union

import numpy as np

from . import _sodae
from ._checks import expected, mapping, number, numbers, text, whole
from ._errors import event_tuples
from .system import Events, System

Function = Union[None, Callable, int]  # or something that address_of knows

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
    for word in text("space", space or "").replace("x", " ").replace("×", " ").split():
        match = re.fullmatch(r"R\^?([1-9]\d{0,8})|(SO3q|SO3|S3|SE3)", word)
        if not match:
            raise ValueError(f"space: '{word}' is unknown; there are R1, R2, …, SO3, SO3q, S3, SE3")
        parts.append((0, int(match[1])) if match[1] else (GROUPS[match[2]], 0))
    return parts


def address_of(name: str, fn: Any) -> Optional[int]:
    """The address of a C function: numba cfunc, ctypes pointer, scipy LowLevelCallable or a number."""
    address = _address(fn)
    if address is None and not isinstance(fn, ctypes._CFuncPtr):
        return None
    if not address or not 0 < address < 2**(8 * ctypes.sizeof(ctypes.c_void_p)):
        raise ValueError(f"{name} is the address {address or 0}, where there is no function")
    return address


def _address(fn: Any) -> Optional[int]:
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
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return usual
    names = [p.name for p in parameters
             if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    if any(p.kind == p.VAR_POSITIONAL for p in parameters):
        return usual
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

    def __init__(self, nv: int, force: Function = None, *, mass: Union[Function, np.ndarray] = None,
                 holonomic: Function = None, nonholonomic: Function = None, dynamic: Function = None,
                 auxiliary: Function = None, contact: Function = None, energy: Function = None,
                 jac: Optional[dict] = None, initial: Optional[dict] = None, space: Optional[str] = None,
                 events: Events = None, names: Optional[dict] = None, nlambda: Optional[int] = None,
                 npsi: Optional[int] = None, nr: Optional[int] = None, nw: Optional[int] = None,
                 ns: Optional[int] = None, in_force: bool = False, name: str = "problem"):
        super().__init__()
        nv = whole("nv", nv, 1)
        parts = parts_of(space)
        nq = sum(n if kind == 0 else GROUP_SIZES[kind][0] for kind, n in parts) if parts else nv
        self.name, self._events = text("name", name), events
        initial, jac, names = (mapping(key, x) for key, x in (("initial", initial), ("jac", jac), ("names", names)))
        if force is None:
            raise TypeError("force is missing")
        unknown = set(initial) - {"t", "q", "v", "lam", "psi", "r", "w", "s"}
        if unknown:
            raise ValueError(f"initial: unknown block '{unknown.pop()}'; there are t, q, v, lam, psi, r, w, s")
        if "q" not in initial:
            raise ValueError("initial: q is missing")
        initial = {k: number("initial['t']", x) if k == "t" else numbers(f"initial['{k}']", x).ravel()
                   if k not in "qv" else x for k, x in initial.items()}
        initial.setdefault("v", np.zeros(nv))
        self._probe = {"t": initial.get("t", 0.0), "q": self._vector("initial['q']", initial["q"], nq),
                       "v": self._vector("initial['v']", initial["v"], nv)}
        for key in ("lam", "psi", "r", "w", "s", "a"):
            self._probe[key] = initial.get(key, np.zeros(nv))
        given = dict(mass=mass, force=force, holonomic=holonomic, nonholonomic=nonholonomic, dynamic=dynamic,
                     auxiliary=auxiliary, contact=contact, energy=energy)
        sizes = {"nv": nv, **{f"n{k}": np.size(initial.get(k, ())) if n is None else whole(f"n{k}", n, 0)
                              for k, n in (("r", nr), ("w", nw), ("s", ns))}}
        sizes["nlambda"] = self._count("holonomic", holonomic, nlambda, sizes)
        sizes["npsi"] = self._count("nonholonomic", nonholonomic, npsi, sizes)
        self._slots: dict = {}
        for function, what in given.items():
            if what is not None:
                self._add(function, None, function, what, sizes)
        for key, what in jac.items():
            self._jacobian(key, what, sizes)
        constant = 0 if callable(mass) or address_of("mass", mass) is not None else 1
        blocks = tuple(initial.get(k) for k in ("q", "v", "lam", "psi", "r", "w", "s"))
        self._made = _sodae.Problem(
            sizes=tuple(sizes[k] for k in ("nv", "nlambda", "npsi", "nr", "nw", "ns")), slots=self._slots, parts=parts,
            t0=self._probe["t"], initial=blocks, names=self._name_lists(names, sizes, nq), name=name,
            constant_mass=constant, in_force=int(bool(in_force)))
        event_tuples(events)

    @staticmethod
    def _vector(name, x, count):
        x = numbers(name, x)
        if x.shape != (count,):
            raise ValueError(f"{name} has shape {x.shape}, expected ({count},)")
        return x

    def _call(self, name, fn, letters):
        words = {v: k for k, v in LETTERS.items() if k != "lambda_"}
        return numbers(f"the result of {name}", fn(*(self._probe[words[c]] for c in letters)))

    def _count(self, function, fn, given, sizes):
        """How many constraints a function has: given, or by one call at the start."""
        count = "nlambda" if function == "holonomic" else "npsi"
        if given is not None:
            return whole(count, given, 0)
        if fn is None:
            return 0
        if address_of(function, fn) is not None:
            raise TypeError(f"{function} is a C function: give {count}, the number of its rows")
        if not callable(fn):
            raise expected(function, fn, "a function")
        return int(np.size(self._call(function, fn, letters_of(fn, function, function, sizes))))

    def _add(self, function, variable, name, what, sizes):
        key = (FUNCTIONS.index(function), -1 if variable is None else VARIABLES.index(variable))
        usual = POSITIONAL[function] + ("r" if function == "force" and sizes["nr"] else "")
        address = address_of(name, what)
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
                diagonal = int(np.ndim(self._call(name, what, letters)) == 1 and sizes["nv"] > 1)
            self._slots[key] = (what, letters, name, diagonal)
            return
        if function == "mass" or variable is not None:
            if isinstance(what, str) or np.ndim(what) == 0:
                raise expected(name, what, "an array or a function")
            matrix = numbers(name, what)
            if function == "mass" and variable is None:
                nv = sizes["nv"]
                if matrix.shape not in ((nv, nv), (nv,)):
                    raise ValueError(f"mass has shape {matrix.shape}, expected ({nv}, {nv}) or ({nv},)")
                diagonal = int(matrix.ndim == 1)
            self._slots[key] = (matrix, "t", name, diagonal)
            return
        raise expected(name, what, "a function")

    def _jacobian(self, key, what, sizes):
        function, _, variable = str(key).rpartition("_")
        if function not in FUNCTIONS or variable not in VARIABLES:
            raise ValueError(f"jac: '{key}' is unknown; write 'holonomic_q', 'force_v' and the like")
        self._add(function, variable, f"jac['{function}_{variable}']", what, sizes)

    @staticmethod
    def _name_lists(names, sizes, nq):
        counts = {"q": nq, "v": sizes["nv"], "lam": sizes["nlambda"], "psi": sizes["npsi"], "r": sizes["nr"],
                  "w": sizes["nw"], "s": sizes["ns"]}
        made = {}
        for block, given in names.items():
            if block not in counts:
                raise ValueError(f"names: unknown block '{block}'; there are {', '.join(counts)}")
            if not isinstance(given, (str, list, tuple)):
                raise expected(f"names['{block}']", given, "a text or a list of texts")
            listed = given.replace(",", " ").split() if isinstance(given, str) else [str(x) for x in given]
            if len(listed) != counts[block]:
                raise ValueError(f"names['{block}'] has {len(listed)} entries, expected {counts[block]}")
            made[VARIABLES.index(block)] = listed
        return made

    def _source(self):
        return self._made

    def _events_with(self, events):
        lists = [x if isinstance(x, (list, tuple)) else [x] for x in (self._events, events) if x is not None]
        return [e for x in lists for e in x]

    def __reduce__(self):
        raise TypeError("a Problem holds functions and is not pickled: pickle what makes it")

    def __repr__(self) -> str:
        functions = ", ".join(sorted(FUNCTIONS[f] for f, x in self._slots if x < 0))
        return f"<Problem {self.name}: {functions}>"
