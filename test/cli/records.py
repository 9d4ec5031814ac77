#!/usr/bin/env python3
"""Records of failures around events and jumps in time, replayed; records changed by hand.

usage: records.py SODAE EXAMPLES
"""
import copy
import json
import sys

from command import Setting, check_claims, strict

PENDULUM = """
sodae: 1
equations:
  positions: [x, y]
  velocities: [vx, vy]
  force: [0, FORCE]
  holonomic: [(x^2 + y^2 - 1)/2]
initial: {positions: [1, 0]}
events: [EVENT]
run: {t_end: 2}
"""

BALL = """
sodae: 1
equations: {positions: [x], velocities: [v], force: [-9.81]}
initial: {positions: [1]}
events: [{name: g, when: x, direction: down, do: {velocities: {v: -0.5*v}}}]
run: {t_end: 3}
"""

ROOT = """
sodae: 1
equations: {positions: [x], velocities: [v], force: [sqrt(0.7 - x) + 1]}
initial: {positions: [0]}
run: {t_end: 5}
"""

JUMPS = """
sodae: 1
equations: {positions: [x, y], velocities: [vx, vy], force: ["FORCE", -9.81], holonomic: ["CONSTRAINT"]}
initial: {positions: [0, 0]}
run: {t_end: 2}
"""


def pendulum(event, force="-9.81"):
    return PENDULUM.replace("EVENT", event).replace("FORCE", force)


def jumps(force, constraint):
    return JUMPS.replace("FORCE", force).replace("CONSTRAINT", constraint)


TURN = "{name: n, when: t - 0.5, do: {velocities: {vx: -vx, vy: -vy}}}"

# name: model, status, part of the message, whether fixed steps meet it, too
FAILING = {
    "an event without a value":
        (pendulum("{name: e, when: sqrt(x)}"), None, "event 'e'", True),
    "an action that leads nowhere":
        (pendulum("{name: n, when: x - 0.5, do: {positions: {x: 0, y: 0}}}"), "INCONSISTENT", "event 'n'", True),
    "an action that gives no number":
        (pendulum("{name: n, when: x - 0.5, do: {velocities: {vx: 1/(x-x)}}}"), "NOT_FINITE", "event 'n'", True),
    "events without end":
        (BALL, "STEP_TOO_SMALL", "event 'g' happens again", True),
    "a force after an event":
        (pendulum(TURN, "-9.81 + sqrt(0.9 - t)"), None, "force[2]", True),
    "a constraint that jumps":
        (jumps("0", "x - if(t < 1, 0, 0.5)"), "INCONSISTENT", "jumps at t = 1", False),
    "a force that jumps to no number":
        (jumps("if(t < 1, 0, 1/(t-t))", "x - y"), "NOT_FINITE", "a branch of the equations", False),
    "a root that ends":
        (ROOT, None, "force[1] is nan", True),
}


class Record(Setting):
    def fail(self, text, more=""):
        """The report of a run that has to fail."""
        done = self.command.call(f"run {self.write(text)} {more} --json")
        assert done.returncode == 5, (done.returncode, done.stderr)
        return strict(done.stdout)

    def replay(self, report, more=""):
        path = self.write(json.dumps(report), "record.json")
        return self.command.call(f"replay {path} {more}")


def cases():
    for name, (text, status, part, fixed) in FAILING.items():
        yield name, text, status, part, "", 1e-6
        yield name, text, status, part, "--method bdf", 1e-6
        if fixed:  # generalized-alpha, to the last digit
            yield name, text, status, part, "--step 0.01", 0


def every_record_gives_the_steps_of_the_whole_run(here):
    for name, text, status, part, more, _ in cases():
        report = here.fail(text, more)
        failure = report["failure"]
        assert status in (None, report["status"]), (name, more, report["status"])
        assert part in failure["message"] and failure["advice"], (name, failure)
        assert failure["step"] == report["steps"] > 3, (name, more, failure["step"], report["steps"])
        assert len(failure["history"]) == min(8, failure["step"]), (name, more)
        assert 1e-17 < failure["h"] < 1 and 0.4 < failure["t"] < 1.5, (name, more, failure)
        last = failure["history"][-1]
        assert abs(last["t"] - report["t"]) <= failure["h"], (name, more, last, report["t"])
        explicit = report["method"] in ("dopri5", "dop853")  # they factor no matrix of a step
        assert failure["rcond"] > 0 or explicit, (name, more)


def whatever_failed_is_met_again(here):
    for name, text, _, part, more, off in cases():
        report = here.fail(text, more)
        done = here.replay(report, "--json")
        again = strict(done.stdout)
        assert (done.returncode, again["status"]) == (5, report["status"]), (name, more, done.stdout)
        then, now = report["failure"], again["failure"]
        assert part in now["message"] and "initial state" not in now["advice"], (name, more, now)
        assert (now["step"], now["where"], now["advice"]) == (then["step"], then["where"], then["advice"])
        assert abs(now["t"] - then["t"]) <= off, (name, more, now["t"], then["t"])
        assert again["replayed"]["note"] == "with the history of then", (name, more)


def the_state_of_a_record_is_where_its_step_begins(here):
    report = here.fail(FAILING["an action that gives no number"][0])
    state, failure = report["replay"]["state"], report["failure"]
    assert 0 <= failure["t"] - state["t"] < failure["h"], (state["t"], failure)
    numbers = state["q"] + state["v"] + state["lambda"]
    assert len(numbers) == 5 and None not in numbers, state
    assert abs(state["q"][0] ** 2 + state["q"][1] ** 2 - 1) < 1e-9, state


def another_method_goes_on_until_the_failure_is_passed(here):
    report = here.fail(FAILING["a root that ends"][0])
    for more in ("--method bdf", "--method generalized-alpha", "--step 1e-3 --method newmark"):
        done = here.replay(report, more)
        assert done.returncode == 5 and "force[1]" in done.stderr, (more, done)
        assert "not taken" in done.stdout and "begins again" in done.stdout, (more, done.stdout)


def a_replay_that_succeeds_says_what_failed_then(here):
    path_text = FAILING["an action that gives no number"][0]
    report = here.fail(path_text)
    here.write(path_text.replace("1/(x-x)", "-vx"))  # the model is read again
    done = here.replay(report)
    assert done.returncode == 0 and "succeeds now" in done.stdout, done
    assert report["failure"]["message"] in done.stdout and "nothing was changed here" in done.stdout, done.stdout


def a_state_changed_by_hand_is_where_the_step_begins(here):
    report = here.fail(ROOT)
    state = report["replay"]["state"]
    for key, value in (("q", [0.6]), ("v", [0.1]), ("t", 0.5)):
        done = here.replay(changed(report, ("replay", "state", key), value), "--json")
        then = strict(done.stdout)["replayed"]
        assert then["state"] == dict(state, **{key: value}) and "begins again" in then["note"], (key, then)
        assert "not that of its history" in then["not_taken"], (key, then)
        assert done.returncode == (0 if key == "q" else 5), (key, done.returncode)
    as_written = json.loads(json.dumps(report).replace("5.0", "5"))
    assert "with the history of then" in here.replay(as_written).stdout


# What each place of a record holds, and what it may not hold.
WRONG = {
    "number": ("x", True, None, [], {}),
    "size": ("x", True, [], {}),  # null: not known
    "count": ("x", True, None, [], {}, 0.5, -1),
    "text": (5, True, None, [], {}),
    "texts": ("x", 5, None, {}, [5], [None]),
    "steps": ("x", 5, None, {}, [5], [{"t": 1}], [{"t": "x", "h": 1}]),
    "object": ("x", 5, None, []),
    "numbers": ("x", 5, None, {}, ["x"], [None], [[1]], [True]),
    "guesses": ("x", 5, None, {}, ["x"], [[1]], [True]),
}
NEEDED = {
    ("failure", "t"): "size", ("failure", "h"): "size", ("failure", "step"): "count",
    ("failure", "history"): "steps", ("replay", "target"): "text", ("replay", "settings"): "texts",
    ("replay", "t_end"): "number", ("replay", "state"): "object", ("replay", "state", "t"): "number",
    ("replay", "state", "q"): "numbers", ("replay", "state", "v"): "numbers",
    ("replay", "state", "a"): "guesses", ("replay", "state", "lambda"): "guesses",
    ("replay", "state", "r"): "numbers", ("replay", "state", "w"): "guesses",
}
HISTORY = {
    ("replay", "history"): "object", ("replay", "history", "q"): "guesses",
    ("replay", "history", "h_next"): "guesses",
}
OPTIONAL = {("replay", "model"): "text", ("replay", "steps_pattern"): "text"}


def changed(report, path, value, missing=False):
    other = copy.deepcopy(report)
    inner = other
    for key in path[:-1]:
        inner = inner[key]
    if missing:
        inner.pop(path[-1])
    else:
        inner[path[-1]] = value
    return other


def wrong_types_in_a_record_are_named(here):
    report = here.fail(FAILING["a root that ends"][0])
    for path, kind in {**NEEDED, **HISTORY, **OPTIONAL}.items():
        for value in WRONG[kind]:
            done = here.replay(changed(report, path, value))
            assert done.returncode == 3 and ".".join(path) in done.stderr, (path, value, done)
            assert "is expected" in done.stderr, (path, value, done.stderr)
    done = here.replay(dict(report, replay=5))
    assert done.returncode == 3 and "replay is a number" in done.stderr, done


def what_is_missing_in_a_record_is_named(here):
    report = here.fail(FAILING["a root that ends"][0])
    for path in NEEDED:
        done = here.replay(changed(report, path, None, missing=True))
        assert done.returncode == 3 and ".".join(path) + " is missing" in done.stderr, (path, done)
    for path in HISTORY:
        done = here.replay(changed(report, path, None, missing=True))
        assert done.returncode == 5 and "force[1]" in done.stderr, (path, done)
        assert "begins again" in done.stdout, (path, done.stdout)


def absurd_numbers_in_a_record_end_in_a_word(here):
    report = here.fail(FAILING["an action that gives no number"][0], "--set max_steps=2000")
    places = [path for path in NEEDED if path[-1] in ("t", "h", "t_end")]
    for path in places:
        for value in (1e308, -1e308, 5e-324, 0):
            done = here.replay(changed(report, path, value))
            assert done.returncode in (0, 2, 5), (path, value, done)
            assert done.returncode == 0 or done.stderr.startswith("sodae: "), (path, value, done.stderr)
    history = report["replay"]["history"]
    for name, numbers in history.items():
        for value in (1e308, -1, None):
            path = ("replay", "history", name)
            done = here.replay(changed(report, path, [value] * len(numbers)))
            assert done.returncode in (0, 2, 5), (path, value, done)


def what_is_no_failure_of_a_step_has_no_replay(here):
    path = here.write(BALL)
    for words, code in (("--step 0.01 --steps-pattern 1,2 --t-end 2", 2), (f"--out {here.folder}/no/rows.csv", 7)):
        done = here.command.call(f"run {path} {words} --json")
        report = strict(done.stdout)
        assert done.returncode == code and "replay" not in report, (words, done.returncode, report.keys())
        done = here.replay(report)
        assert done.returncode == 3 and "not in a step" in done.stderr, done


CLAIMS = [
    what_is_no_failure_of_a_step_has_no_replay,
    every_record_gives_the_steps_of_the_whole_run,
    whatever_failed_is_met_again,
    the_state_of_a_record_is_where_its_step_begins,
    another_method_goes_on_until_the_failure_is_passed,
    a_replay_that_succeeds_says_what_failed_then,
    a_state_changed_by_hand_is_where_the_step_begins,
    wrong_types_in_a_record_are_named,
    what_is_missing_in_a_record_is_named,
    absurd_numbers_in_a_record_end_in_a_word,
]

check_claims(CLAIMS, lambda folder: (Record(sys.argv[1], sys.argv[2], folder),))
