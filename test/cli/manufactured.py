"""Manufactured solutions: random models made such that a known motion solves them, run as a user would.

usage: manufactured.py SODAE
Positions follow sines of random amplitude and frequency. Masses depend on positions, springs and dampers pull towards the
motion, soft or stiff; constraints phi(q) = phi(Q(t)) and a(q) v = a(Q(t)) V(t), with multipliers that are given functions of t,
are met by it, whatever phi and a are. Every run has to say OK and be as accurate as it was asked to be.
"""
import math
import os
import random
import sys
import tempfile

from command import Command

CASES = 40


def between(chance, low, high):
    return math.exp(chance.uniform(math.log(low), math.log(high)))


def total(terms):
    return " + ".join(terms)


class Model:
    """A random model; its text and the sizes that errors are compared with."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        self.n = chance.randint(1, 5)
        self.size = chance.choice((1, between(chance, 1e-2, 1e2)))
        self.speed = between(chance, 0.1, 20)
        self.stiff = chance.random() < 0.3
        self.let, self.start, self.start_v = [], [], []
        for i in range(self.n):
            self.add_motion(i)
        free = self.n - 1
        self.holonomic = [self.level(k) for k in range(chance.randint(0, min(2, free)))]
        free -= len(self.holonomic)
        self.nonholonomic = [self.velocity_constraint()] if free > 0 and chance.random() < 0.3 else []
        self.forces = [self.force(i) for i in range(self.n)]
        self.rates, self.start_r = [], []
        for i in range(chance.choice((0, 0, 1, 2))):
            self.add_dynamic(i)

    def define(self, name, text):
        self.let.append(f"  {name}: {text}")

    def add_motion(self, i):
        a, w = self.size * self.chance.uniform(0.3, 1.5), self.speed * self.chance.uniform(0.3, 2)
        p, b = self.chance.uniform(0, 6), self.size * self.chance.uniform(-1, 1)
        self.define(f"Q{i}", f"{a}*sin({w}*t + {p}) + {b}")
        self.define(f"V{i}", f"{a * w}*cos({w}*t + {p})")
        self.define(f"A{i}", f"{-a * w * w}*sin({w}*t + {p})")
        self.start.append(a * math.sin(p) + b)
        self.start_v.append(a * w * math.cos(p))

    def multiplier(self, name):
        size = self.size * self.speed**2 * self.chance.uniform(0.3, 2)
        self.define(name, f"{size}*cos({self.speed * self.chance.uniform(0.3, 2)}*t)")
        return name

    def level(self, k):
        """phi, its gradient and its multiplier; one coefficient leads, so that constraints stay independent."""
        c = [self.chance.uniform(-1, 1) for _ in range(self.n)]
        c[2 * k % self.n] += 3
        bend, turned = self.chance.uniform(-0.4, 0.4), self.chance.randrange(self.n)

        def phi(x):
            return total(f"({c[i]})*{x}{i}" for i in range(self.n)) + f" + ({bend * self.size})*sin({x}{turned}/{self.size})"

        def gradient(i):
            return f"({c[i]}" + (f" + ({bend})*cos(q{i}/{self.size})" if i == turned else "") + ")"
        return f"{phi('q')} - ({phi('Q')})", gradient, self.multiplier(f"L{k}")

    def velocity_constraint(self):
        a = [self.chance.uniform(-1, 1) for _ in range(self.n)]
        a[2 * len(self.holonomic) % self.n] += 3

        def coefficient(i, x="q"):
            return f"({a[i]} + 0.3*sin({x}{(i + 1) % self.n}/{self.size}))"
        row = [total(f"{coefficient(i, x)}*{v}{i}" for i in range(self.n)) for x, v in (("q", "v"), ("Q", "V"))]
        return f"{row[0]} - ({row[1]})", coefficient, self.multiplier("P")

    def mass(self, i):
        return f"(1 + 0.3*sin(q{i}/{self.size})^2)"

    def force(self, i):
        chance = self.chance
        k = self.speed**2 * (between(chance, 1, 1e6) if self.stiff else chance.uniform(0.1, 2))
        d = self.speed * chance.uniform(0.1, 1) + (math.sqrt(k) * chance.uniform(0.1, 2) if self.stiff else 0)
        reactions = [f"{gradient(i)}*{name}" for _, gradient, name in self.holonomic + self.nonholonomic]
        return total([f"{self.mass(i)}*A{i} - {k}*(q{i} - Q{i}) - {d}*(v{i} - V{i})", *reactions])

    def add_dynamic(self, i):
        w, p = self.speed * self.chance.uniform(0.3, 2), self.chance.uniform(0, 6)
        k = self.speed * (between(self.chance, 1, 1e4) if self.stiff else self.chance.uniform(0.1, 3))
        self.define(f"R{i}", f"{self.size}*cos({w}*t + {p})")
        self.rates.append(f"{-self.size * w}*sin({w}*t + {p}) - {k}*(r{i} - R{i}) + {self.speed / 3}*(q0 - Q0)")
        self.start_r.append(self.size * math.cos(p))

    def names(self, letter, count=None):
        return "[" + ", ".join(f"{letter}{i}" for i in range(self.n if count is None else count)) + "]"

    def text(self):
        rows = [("force", self.forces), ("holonomic", [row for row, _, _ in self.holonomic]),
                ("nonholonomic", [row for row, _, _ in self.nonholonomic])]
        lines = ["sodae: 1", "name: manufactured", "let:", *self.let, "equations:", f"  positions: {self.names('q')}",
                 f"  velocities: {self.names('v')}", "  mass: [" + ", ".join(map(self.mass, range(self.n))) + "]"]
        for name, block in rows:
            lines += [f"  {name}:", *(f"    - {row}" for row in block)] if block else []
        if self.rates:
            lines += ["  dynamic:", f"    states: {self.names('r', len(self.rates))}", "    rates:",
                      *(f"      - {row}" for row in self.rates)]
        lines += ["initial:", f"  positions: {self.start}", f"  velocities: {self.start_v}", f"  dynamic: {self.start_r}",
                  "exact:", f"  positions: {self.names('Q')}", f"  velocities: {self.names('V')}"]
        lines += [f"  dynamic: {self.names('R', len(self.rates))}"] if self.rates else []
        return "\n".join(lines + [f"run: {{t_end: {self.chance.uniform(2, 15) / self.speed}}}", ""])

    def tolerances(self, report, rtol):
        """The largest error, in units of what was asked for."""
        error = report["max_error"]
        slow, fast = rtol * (1 + self.size), rtol * (1 + self.size * self.speed)
        return max(error["q"] / slow, error["v"] / fast, error.get("r", 0) / slow)


def complaints(command, path, rtol, words=""):
    """Runs that are not as good as asked for, and all of them: errors in tolerances, steps."""
    bad, errors, steps = [], [], 0
    for seed in range(CASES):
        model = Model(seed)
        with open(path, "w", encoding="utf-8") as file:
            file.write(model.text())
        try:
            report = command.report(f"run {path} --rtol {rtol} {words}")
        except AssertionError as error:
            bad.append(f"seed {seed}, {rtol} {words}: {error}")
            continue
        errors.append(model.tolerances(report, rtol))
        steps += report["steps"]
        if errors[-1] > 30:
            bad.append(f"seed {seed}, {rtol} {words}: {errors[-1]} tolerances")
    return bad, errors, steps


def main():
    command, bad = Command(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        for rtol, words in ((1e-3, ""), (1e-6, ""), (1e-8, ""), (1e-5, "--method bdf"), (1e-5, "--method msr")):
            more, errors, steps = complaints(command, path, rtol, words)
            bad += more
            middle = sorted(errors)[len(errors) // 2] if errors else 0
            print(f"{rtol} {words or 'default'}: error {middle:.2g} (middle), {max(errors, default=0):.2g} (worst), {steps} steps")
            if not 0.003 < middle < 3:
                bad.append(f"{rtol} {words}: the middle error is {middle} tolerances")
    print("\n".join(bad))
    sys.exit(1 if bad else 0)


main()
