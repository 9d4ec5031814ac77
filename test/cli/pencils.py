#!/usr/bin/env python3
"""Linear DAEs E(t) x' = A(t) x + f(t) with a known Kronecker form: constant blocks, turned by P(t) and Q(t).

With E0, A0 block diagonal and y = Q x, E = P E0 Q and A = P A0 Q - P E0 Q'. The kernels of E turn with t, so that a pencil
frozen at one t has another form (004 Theorem 2.1.8).

usage: pencils.py SODAE EXAMPLES
"""
import math
import random
import sys

from command import Setting, check_claims, strict

ANGLES = [("t + 0.3", "1"), ("t^2", "2*t"), ("2*sin(t)", "2*cos(t)"), ("0.7*t", "0.7"), ("exp(t)/3", "exp(t)/3")]


def zeros(rows, cols):
    return [["0"] * cols for _ in range(rows)]


def identity(n):
    return [["1" if i == j else "0" for j in range(n)] for i in range(n)]


def product(a, b):
    out = zeros(len(a), len(b[0]))
    for i, row in enumerate(a):
        for j in range(len(b[0])):
            terms = [f"({x})*({b[k][j]})" for k, x in enumerate(row) if x != "0" and b[k][j] != "0"]
            out[i][j] = " + ".join(terms) or "0"
    return out


def combined(a, sign, b):
    return [[f"{x} {sign} ({y})" for x, y in zip(*rows)] for rows in zip(a, b)]


def turning(n, rng):
    """Rotations in the planes (i, i + 1) and a shear; the matrix and its rate."""
    if n == 1:
        return [["2 + sin(t)"]], [["cos(t)"]]
    matrix, rate = identity(n), zeros(n, n)
    for i in range(n - 1):
        angle, slope = rng.choice(ANGLES)
        turn, turn_rate = identity(n), zeros(n, n)
        c, s = f"cos({angle})", f"sin({angle})"
        turn[i][i] = turn[i + 1][i + 1] = c
        turn[i][i + 1], turn[i + 1][i] = s, f"-{s}"
        turn_rate[i][i] = turn_rate[i + 1][i + 1] = f"-({slope})*{s}"
        turn_rate[i][i + 1], turn_rate[i + 1][i] = f"({slope})*{c}", f"-({slope})*{c}"
        matrix, rate = product(matrix, turn), combined(product(rate, turn), "+", product(matrix, turn_rate))
    shear, shear_rate = identity(n), zeros(n, n)
    shear[0][n - 1], shear_rate[0][n - 1] = "t^2/2", "t"
    return product(matrix, shear), combined(product(rate, shear), "+", product(matrix, shear_rate))


# Rows and columns that a block of size k has more than k.
SIZES = {"J": (0, 0), "N": (0, 0), "L": (0, 1), "K": (1, 0)}


def block(kind, k):
    """J: an ODE; N: nilpotent of index k; L: k x (k+1), one solution too many; K: (k+1) x k, one condition on f."""
    rows, cols = k + SIZES[kind][0], k + SIZES[kind][1]
    unit = lambda shift: [["1" if j == i + shift else "0" for j in range(cols)] for i in range(rows)]
    if kind == "J":
        return unit(0), [["-0.5" if i == j else "0.3" if j == i + 1 else "0" for j in range(k)] for i in range(k)]
    return {"N": (unit(1), unit(0)), "L": (unit(0), unit(1)), "K": (unit(0), unit(-1))}[kind]


def pencil(blocks, seed):
    """E and A as expressions."""
    rng = random.Random(seed)
    rows = sum(k + SIZES[kind][0] for kind, k in blocks)
    cols = sum(k + SIZES[kind][1] for kind, k in blocks)
    E0, A0, r, c = zeros(rows, cols), zeros(rows, cols), 0, 0
    for kind, k in blocks:
        e, a = block(kind, k)
        m, n = k + SIZES[kind][0], k + SIZES[kind][1]
        for i in range(m):
            E0[r + i][c:c + n], A0[r + i][c:c + n] = e[i], a[i]
        r, c = r + m, c + n
    (P, _), (Q, Q_rate) = turning(rows, rng), turning(cols, rng)
    PE = product(P, E0)
    return product(PE, Q), combined(product(product(P, A0), Q), "-", product(PE, Q_rate))


def quoted(matrix):
    return "[" + ", ".join("[" + ", ".join(f'"{x}"' for x in row) + "]" for row in matrix) + "]"


def model(E, A, f, more=""):
    right = ", ".join(f'"{x}"' for x in f)
    return f"sodae: 1\nlinear:\n  E: {quoted(E)}\n  A: {quoted(A)}\n  f: [{right}]\n{more}run: {{t_end: 1}}\n"


FORMS = [[("J", 1), ("N", 2)], [("N", 3), ("L", 1)], [("K", 1), ("J", 1)], [("L", 0), ("N", 1)], [("L", 2), ("K", 1)],
         [("L", 1), ("J", 1)], [("K", 2), ("N", 2)], [("K", 0), ("J", 2)], [("L", 1), ("K", 1), ("N", 2), ("J", 1)]]


def turned_pencils_keep_their_quantities(here):
    for seed, blocks in enumerate(FORMS):
        E, A = pencil(blocks, seed)
        path = here.write(model(E, A, [f"sin({i + 1}*t)" for i in range(len(E))]))
        along = here.command.report(f"analyse {path}")
        count = lambda kinds: sum(k for kind, k in blocks if kind in kinds)
        expected = {"mu": max([0] + [k - 1 for kind, k in blocks if kind == "N"] + [k for kind, k in blocks if kind == "K"]),
                    "d": count("JL"), "a": count("NK"), "u": sum(kind == "L" for kind, _ in blocks),
                    "v": sum(kind == "K" for kind, _ in blocks)}
        for point in along["points"]:
            assert point["decided"] and {key: point[key] for key in expected} == expected, (blocks, point)
        assert not along["changes"], (blocks, along["changes"])
        for rows in (along["strangeness_free"]["E1"], along["strangeness_free"]["A2"]):  # each solved for an unknown
            own = [any(row[j] and all(other is row or not other[j] for other in rows) for j in range(len(row))) for row in rows]
            assert all(own), (blocks, rows)


def regular_ones_are_integrated(here):
    for seed, blocks in enumerate(([("J", 1), ("N", 2)], [("J", 2), ("N", 3)])):
        E, A = pencil(blocks, seed)
        n = len(E)
        x = [[f"sin({i + 1}*t) + {i + 1}"] for i in range(n)]
        rate = [[f"{i + 1}*cos({i + 1}*t)"] for i in range(n)]
        f = [row[0] for row in combined(product(E, rate), "-", product(A, x))]
        path = here.write(model(E, A, f, f"initial: {{states: {[i + 1 for i in range(n)]}}}\n"))
        for flags, most in (("--method radau-iia --rtol 1e-8", 1e-8), ("--method bdf --rtol 1e-6", 1e-5)):
            found = here.command.report(f"run {path} {flags}")["w"]
            off = max(abs(math.sin(i + 1) + i + 1 - found[i]) for i in range(n))
            assert off < most, (blocks, flags, off)


def runs_end_where_the_ranks_change(here):
    path = here.write(model([["if(t < 0.4123456, 0, 1)", "0"], ["0", "1"]], [["1", "0"], ["0", "-1"]], ["sin(t)", "0"]))
    for method in ("radau-iia", "bdf"):
        failed = here.command.call(f"run {path} --method {method} --rtol 1e-6 --json")
        report = strict(failed.stdout)
        assert failed.returncode == 5, failed
        assert abs(report["failure"]["t"] - 0.4123456) < 1e-9 and "ranks" in report["failure"]["message"], report["failure"]


if __name__ == "__main__":
    check_claims((turned_pencils_keep_their_quantities, regular_ones_are_integrated, runs_end_where_the_ranks_change),
                 lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
