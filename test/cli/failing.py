"""Runs that fail, and what the command has to say of them."""
import csv
import os

from command import Setting, strict

BLOW_UP = """
sodae: 1
name: blow up
parameters: {c: 6}
equations: {positions: [x], velocities: [v], force: [c*x^2]}
initial: {positions: [1], velocities: [2]}
run: {t_end: 3}
"""

NEGATIVE = """
sodae: 1
name: pendulum with a mass of the wrong sign
equations:
  positions: [x, y]
  velocities: [u, w]
  mass: [-1, 1]
  force: [0, -9.81]
  holonomic: [(x^2 + y^2 - 1)/2]
initial: {positions: [1, 0]}
run: {t_end: 3}
"""


class Failing(Setting):
    """Its runs fail, or write rows."""

    def fail(self, words, code=5, **more):
        """The JSON report of a run that has to fail, and the file that holds it."""
        done = self.command.call(words + " --json", **more)
        assert done.returncode == code, (done.returncode, done.stderr)
        return strict(done.stdout), self.write(done.stdout, "failure.json")

    def rows(self, words):
        out = os.path.join(self.folder, "rows.csv")
        report = self.command.report(f"{words} --out {out}")
        with open(out, newline="", encoding="utf-8") as file:
            return report, [[float(x) for x in row] for row in list(csv.reader(file))[1:]]


def replays_under_error_control(here, method):
    """The last step of a solution that goes to infinity fails again."""
    report, file = here.fail(f"run {here.write(BLOW_UP)} --method {method}")
    again = strict(here.command.call(f"replay {file} --json").stdout)
    assert again["status"] == report["status"], (method, again)
    then, now = report["failure"], again["failure"]
    for key in ("t", "where", "step", "history"):
        assert now[key] == then[key], (method, key, now, then)
    assert abs(now["h"] / then["h"] - 1) < 0.01, (method, now["h"], then["h"])  # new matrices


def names_the_negative_mass(here, more):
    failure = here.fail(f"run {here.write(NEGATIVE)} {more}")[0]["failure"]
    assert "mass[1] is negative (-1)" in failure["advice"], failure
