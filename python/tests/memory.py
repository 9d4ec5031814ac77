"""Many short solves leave resident memory as it is.

usage: memory.py [N]      N solves of 10 steps, of a text model and of a problem of functions by turns; fails where they leave 1 MB or more
"""
import gc
import sys

import sodae

M = sodae.Model(positions="x y", force=["0", "-9.81"], holonomic=["(x^2 + y^2 - 1)/2"], initial=dict(x=1, y=0))
P = sodae.Problem(nv=2, force=lambda t, q, v: [0, -9.81], holonomic=lambda t, q: [(q @ q - 1) / 2],
                  initial=dict(q=[1, 0]))


def resident():
    gc.collect()
    with open("/proc/self/statm") as f:
        return 4 * int(f.read().split()[1])


def rounds(n):
    """The largest growth seen."""
    before, most = resident(), 0
    for i in range(n):
        (P if i % 2 else M).solve(0.1, step=0.01)
        if i % 1000 == 999:
            most = max(most, resident() - before)
    return most


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    rounds(2000)
    grown = rounds(count)
    print(f"{count} solves: resident memory grew by {grown} kB")
    if grown >= 1024:
        raise SystemExit(1)


main()
