"""Checks of arguments; their errors name the argument."""
from __future__ import annotations

import numbers as kinds
import os
from typing import Any

import numpy as np


def expected(name: str, x: Any, what: str) -> TypeError:
    """The error of an argument of the wrong kind."""
    return TypeError(f"{name} is a {type(x).__name__}, expected {what}")


def numbers(name: str, x: Any) -> np.ndarray:
    """An array of real numbers."""
    try:
        a = np.asarray(x)
        if a.dtype.kind in "biuf" or (a.dtype.kind == "O" and None not in a.ravel().tolist()):
            return a.astype(float, copy=False)
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} is {x!r:.60}, expected numbers")


def listed(name: str, x: Any) -> np.ndarray:
    """A list of real numbers that is not empty; one number is a list of one."""
    a = np.atleast_1d(numbers(name, x))
    if a.ndim != 1 or not a.size:
        raise ValueError(f"{name} has shape {a.shape}, expected a list of numbers")
    return a


def number(name: str, x: Any) -> float:
    """One finite real number."""
    if isinstance(x, bool) or not isinstance(x, kinds.Real):
        raise expected(name, x, "a number")
    if not np.isfinite(float(x)):
        raise ValueError(f"{name} is {float(x)}, expected a finite number")
    return float(x)


def positive(name: str, x: Any) -> float:
    """One finite number above 0."""
    if number(name, x) <= 0:
        raise ValueError(f"{name} is {x}, expected a positive number")
    return float(x)


def whole(name: str, x: Any, least: int) -> int:
    """A whole number that is not below `least` and fits into 32 bits."""
    if isinstance(x, bool) or not isinstance(x, kinds.Integral):
        raise expected(name, x, "a whole number")
    if x < least or x >= 2**31:
        raise ValueError(f"{name} is {x}, expected {f'at least {least}' if x < least else 'less than 2^31'}")
    return int(x)


def text(name: str, x: Any) -> str:
    """A text that C can hold."""
    if not isinstance(x, str):
        raise expected(name, x, "a text")
    if "\0" in x:
        raise ValueError(f"{name} has a zero byte")
    return x


def path_of(x: Any) -> str:
    """A path as text."""
    if not isinstance(x, (str, os.PathLike)):
        raise expected("path", x, "a path")
    return os.fspath(x)


def mapping(name: str, x: Any, of: str = "") -> dict:
    """A dict; None is an empty one."""
    if x is not None and not isinstance(x, dict):
        raise expected(name, x, f"a dict{of}")
    return dict(x or {})
