"""Repeating a piece of work leaves no memory blocks and no references to shared objects.

usage: python3-dbg -X dev references.py      also with the plain interpreter
"""
import gc
import sys

import sodae

PIECES = {
    "model": lambda: sodae.Model(positions="x", force=["-x"], initial=dict(x=1)),
    "model_refused": lambda: refused(lambda: sodae.Model(positions="x", force=["-y"], initial=dict(x=1))),
    "problem": lambda: sodae.Problem(nv=1, force=lambda t, q, v: -q, initial=dict(q=[1])).solve(0.1),
    "wrong_shape": lambda: refused(
        lambda: sodae.Problem(nv=1, force=lambda t, q, v: [1, 2], initial=dict(q=[1])).solve(0.1)),
    "events": lambda: sodae.Problem(nv=1, force=lambda t, q, v: -q, initial=dict(q=[1])).solve(
        2, events=[sodae.Event(lambda t, q, v: q[0], action=lambda t, q, v: (None, -v))]),
    "steps": lambda: list(sodae.Model(positions="x", force=["-x"], initial=dict(x=1)).steps(0.1)),
    "dense": lambda: sodae.Model(positions="x", force=["-x"], initial=dict(x=1)).solve(0.1)(0.05),
    "verify": lambda: sodae.Model(positions="x", force=["-x"], initial=dict(x=1)).solve(0.1, verify=True),
    "function_raises": lambda: refused(
        lambda: sodae.Problem(nv=1, force=lambda t, q, v: 1 / 0, initial=dict(q=[1])).solve(0.1)),
    "wrong_action": lambda: refused(lambda: sodae.Model(positions="x", force=["-x"], initial=dict(x=1)).solve(
        2, events=sodae.Event(lambda t, q, v: q[0], action=lambda t, q, v: ("a", v)))),
    "wrong_option": lambda: refused(
        lambda: sodae.Model(positions="x", force=["-x"], initial=dict(x=1)).solve(1, method="bdf", rho_inf=0.5)),
    "not_started": lambda: refused(lambda: sodae._sodae.Integrator(
        sodae.Model(positions="x", force=["-x"], initial=dict(x=1))._source(), {}, (None, None, None), []).row()),
    "check": lambda: sodae.check(sodae.Model(positions="x", force=["-x"], initial=dict(x=1))),
}


def refused(piece):
    try:
        piece()
    except (ValueError, TypeError, RuntimeError, ZeroDivisionError):
        return
    raise SystemExit("a wrong input was taken")


SHARED = (None, True, False, float, sodae.Retry, sodae.Event, ())


def counts():
    gc.collect()
    return sys.getallocatedblocks(), *(sys.getrefcount(x) for x in SHARED)


def growth(piece, rounds=200):
    """The largest growth of one of the counts a round."""
    for _ in range(rounds):
        piece()
    before = counts()
    for _ in range(rounds):
        piece()
    return max((b - a) / rounds for a, b in zip(before, counts()))


def main():
    left = {name: growth(piece) for name, piece in PIECES.items()}
    for name, count in left.items():
        print(f"{name:<16}{count:8.2f} left a round")
    leaks = [name for name, count in left.items() if count >= 1]  # caches of numpy grow for a while
    if leaks:
        raise SystemExit(f"memory or references are left by: {', '.join(leaks)}")


main()
