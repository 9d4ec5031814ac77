"""Exceptions, warnings and events."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Optional

from ._sodae import Retry

__all__ = ["Event", "InaccurateWarning", "Retry", "SolveError"]


class SolveError(RuntimeError):
    """A run that failed. `failure` is the record of the failure, `solution` holds the rows up to it."""

    def __init__(self, failure: dict, solution=None):
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

    direction: 1 rising, -1 falling, 0 both. stop: the run ends there. action(t, q, v) returns the new (q, v), None for
    what stays; problems with dynamic states r hand over and take (q, v, r).
    """

    when: Callable
    direction: int = 0
    stop: bool = False
    action: Optional[Callable] = None
    name: str = ""


def event_tuples(events) -> list:
    """Events as the extension takes them; callables may have scipy's attributes terminal and direction."""
    if callable(events) or isinstance(events, Event):
        events = [events]
    made = []
    if not isinstance(events, (list, tuple, type(None))):
        raise TypeError(f"events is a {type(events).__name__}, expected functions of (t, q, v)")
    for i, e in enumerate(events or ()):
        if not isinstance(e, Event):
            if not callable(e):
                raise TypeError(f"events[{i}] is neither a function nor a sodae.Event")
            e = Event(e, int(getattr(e, "direction", 0)), bool(getattr(e, "terminal", False)),
                      getattr(e, "action", None), getattr(e, "__name__", ""))
        if not callable(e.when):
            raise TypeError(f"events[{i}].when is not a function")
        if e.action is not None and not callable(e.action):
            raise TypeError(f"events[{i}].action is not a function")
        direction = (e.direction > 0) - (e.direction < 0)
        made.append((e.when, direction, int(e.stop), e.action, e.name or f"event {i + 1}"))
    return made
