"""Exceptions, warnings and events."""
from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Callable, Optional, Union

from ._checks import expected, number, text
from ._sodae import Retry

if TYPE_CHECKING:
    from .results import Solution

__all__ = ["Event", "InaccurateWarning", "Retry", "SolveError"]


class SolveError(RuntimeError):
    """A run that failed. `failure` is the record of the failure, `solution` holds the rows up to it."""

    def __init__(self, failure: dict, solution: Optional["Solution"] = None):
        self.failure = failure
        self.solution = solution
        advice = f" {failure['advice']}" if failure.get("advice") else ""
        super().__init__(f"{failure['status']}: {failure['message']}{advice}")

    def __reduce__(self):
        return SolveError, (self.failure,)


class InaccurateWarning(UserWarning):
    """The estimated global error is above ten tolerances, or could not be estimated."""


@dataclass
class Event:
    """Something that happens where `when(t, q, v)` changes its sign.

    direction: "up" or 1, "down" or -1, "both" or 0. stop: the run ends there. action(t, q, v) returns the new (q, v), None for
    what stays; problems with dynamic states r hand over and take (q, v, r).
    """

    when: Callable
    direction: Union[int, str] = 0
    stop: bool = False
    action: Optional[Callable] = None
    name: str = ""


def event_tuples(events) -> list:
    """Events as the extension takes them; callables may have scipy's attributes terminal and direction."""
    if callable(events) or isinstance(events, Event):
        events = [events]
    if not isinstance(events, (list, tuple, type(None))):
        raise expected("events", events, "functions of (t, q, v)")
    return [_event_tuple(f"events[{i}]", e, i) for i, e in enumerate(events or ())]


def _event_tuple(place: str, e, i: int) -> tuple:
    if not isinstance(e, Event):
        if not callable(e):
            raise TypeError(f"{place} is neither a function nor a sodae.Event")
        e = Event(e, getattr(e, "direction", 0), bool(getattr(e, "terminal", False)), getattr(e, "action", None),
                  getattr(e, "__name__", ""))
    for key, fn in (("when", e.when), ("action", e.action)):
        if not callable(fn) and not (fn is None and key == "action"):
            raise TypeError(f"{place}.{key} is not a function")
    words = {"up": 1, "down": -1, "both": 0}
    direction = number(f"{place}.direction", words.get(e.direction, e.direction) if isinstance(e.direction, str) else e.direction)
    if not isinstance(e.stop, (bool, int)):
        raise expected(f"{place}.stop", e.stop, "True or False")
    name = text(f"{place}.name", e.name) or f"event {i + 1}"
    return e.when, (direction > 0) - (direction < 0), int(bool(e.stop)), e.action, name
