#!/usr/bin/env python3
"""Failures explained and replayed, events, dense output, the verdict.

usage: failures.py SODAE EXAMPLES
"""
import json
import math
import os
import sys

from command import check_claims, strict
from failing import BLOW_UP, Failing, names_the_negative_mass, replays_under_error_control

OSCILLATOR = """
sodae: 1
name: oscillator
parameters: {m: 1}
equations: {positions: [x, y], velocities: [vx, vy], mass: [m, m], force: [-x, -y]}
initial: {positions: [1, 0], velocities: [0, 1]}
energy: {expression: (vx^2 + vy^2 + x^2 + y^2)/2, conserved: true}
solver: {rtol: 1e-4, atol_q: [1e-4, 1e6], atol_v: [1e-4, 1e6]}
run: {t_end: 1}
"""

# A winding that follows the motion within 0.05 s, on a ground with a contact coordinate.
SLIDER = """
sodae: 1
name: motor and slider
equations:
  positions: [x, y]
  velocities: [u, w]
  force: [0.4*i - 0.5*u, -9.81]
  holonomic: [y - 0.2*sin(s)]
  dynamic: {states: [i], rates: [20*(5*sin(3*t) - i - 0.4*u)]}
  contact: {coordinates: [s], equations: [s + 0.3*sin(s) - x]}
initial: {positions: [0, 0], velocities: [0, 0], dynamic: [0], contact: [0]}
run: {t_end: 2}
"""

FREE = """
sodae: 1
name: free motion
equations: {positions: [x], velocities: [v], force: [FORCE]}
initial: {positions: [0], velocities: [1]}
events: [{name: mark, EVENT}]
run: {t_end: 2}
"""

BAD_ACTION = """sodae: 1
parameters: {e: 0.5}
equations: {positions: [x, y], velocities: [vx, vy], force: [0, -9.81]}
initial: {positions: [0, 1], velocities: [1, 0]}
events:
  - {name: ground, when: y, direction: down, do: {velocities: {vy: -sqrt(e - 1)*vy}}}
run: {t_end: 2}
"""

DETAILS = {"message", "where", "t", "h", "step", "iterations", "size", "rcond", "dependent",
           "increments", "history", "advice"}


def a_failure_record_is_complete(here):
    words = f"run {here.write(BLOW_UP)} --step 0.01"
    report, _ = here.fail(words)
    failure = report["failure"]
    assert report["status"] == "NEWTON_FAILED" and set(failure) == DETAILS, failure
    assert len(failure["increments"]) == failure["iterations"] and failure["advice"]
    assert failure["history"][-1]["t"] == failure["t"] == report["t"]
    assert len(failure["history"]) == 8 and failure["rcond"] > 0
    text = here.command.call(words).stderr
    for word in (failure["message"], failure["advice"], "increments", "last steps", "0.97"):
        assert word in text, (word, text)


def a_failing_step_is_replayed(here):
    path = here.write(BLOW_UP)
    for method in ("generalized-alpha", "bdf", "radau-iia"):
        report, file = here.fail(f"run {path} --step 0.01 --method {method} --set c=6")
        state = report["replay"]["state"]
        assert report["replay"]["target"] == path and "c=6" in report["replay"]["settings"]
        assert (state["q"], state["v"], state["t"]) == (report["q"], report["v"], report["t"])
        done = here.command.call(f"replay {file} --json")
        again = strict(done.stdout)
        assert done.returncode == 5 and again["status"] == "NEWTON_FAILED", (method, again)
        assert again["failure"]["t"] == report["failure"]["t"]
        for key in ("message", "size", "increments", "h", "step", "history"):
            assert again["failure"][key] == report["failure"][key], (method, key)
        text = here.command.call(f"replay {file}")
        assert text.returncode == 5 and "of then" in text.stdout and "increments" in text.stderr
        other = here.command.call(f"replay {file} --method newmark")
        assert "history begins again" in other.stdout, other
        smaller = here.command.call(f"replay {file} --step 1e-4")
        assert smaller.returncode == 0 and "succeeds now" in smaller.stdout, smaller
    report, file = here.fail(f"run {path}")  # under error control
    assert report["status"] == "STEP_TOO_SMALL" and here.command.call(f"replay {file}").stdout
    for method in ("bdf", "radau-iia", "msr"):
        replays_under_error_control(here, method)


def an_action_that_fails_is_named_and_replayed_up_to_its_event(here):
    path = here.write(BAD_ACTION)
    for steps in ("", "--step 0.01", "--method bdf"):
        report, file = here.fail(f"run {path} {steps}")
        assert report["failure"]["message"].endswith(": v[2] (vy) is not finite"), report["failure"]
        good = here.command.call(f"replay {file} --set e=2")
        last = good.stdout.splitlines()[-1]
        assert good.returncode == 0 and last.startswith("the step succeeds now: t = 0.4515236409")
        assert last.endswith(" at event 'ground'"), last


def a_report_can_be_replayed_from_pipes(here):
    report, file = here.fail("run - --step 0.01 --set c=7", input=BLOW_UP)
    assert report["replay"]["model"] == BLOW_UP
    with open(file, encoding="utf-8") as saved:
        done = here.command.call("replay - --json", input=saved.read())
    assert done.returncode == 5 and strict(done.stdout)["failure"]["t"] == report["failure"]["t"]


def a_start_that_fails_is_replayed_too(here):
    report, file = here.fail("run pendulum --set q0=0,0")
    done = here.command.call(f"replay {file} --json")
    assert done.returncode == 5 and strict(done.stdout)["status"] == report["status"]


def records_that_cannot_be_replayed_are_refused(here):
    good = here.write(json.dumps(here.command.report("run pendulum --step 0.1")), "good.json")
    _, bad = here.fail("run pendulum --stp 0.1", 2)
    for words, code, part in ((f"replay {good}", 3, "failed"), (f"replay {bad}", 3, "first step"),
                              ("replay", 2, "which"), (f"replay {here.folder}/no.json", 3, "no."),
                              (f"replay {here.write('{', 'x.json')}", 3, "x.json:")):
        done = here.command.call(words)
        assert done.returncode == code and part in done.stderr, (words, done.stderr)


def dense_output_is_on_its_grid_and_shortens_no_step(here):
    for steps in ("--rtol 1e-6", "--step 0.0123", "--rtol 1e-4 --method bdf",
                  "--rtol 1e-4 --method radau-iia"):
        plain = here.command.report(f"run pendulum --t-end 1 {steps}")
        report, rows = here.rows(f"run pendulum --t-end 1 {steps} --output-step 0.03")
        for key in ("steps", "q", "v", "lambda"):
            assert report[key] == plain[key], "the same steps with and without output"
        times = [0.03 * k for k in range(34)] + [1]
        assert len(rows) == len(times), len(rows)
        assert max(abs(row[0] - t) for row, t in zip(rows, times)) < 1e-14, steps
        assert rows[-1][1:5] == report["q"] + report["v"]
        off = max(abs(row[1] ** 2 + row[2] ** 2 - 1) for row in rows)
        assert off < 1e-3, (steps, off)
    _, fine = here.rows("run pendulum --t-end 1 --rtol 1e-8 --output-step 0.03")
    _, rows = here.rows("run pendulum --t-end 1 --rtol 1e-6 --output-step 0.03")
    off = max(abs(x - y) for a, b in zip(rows, fine) for x, y in zip(a[:5], b[:5]))
    assert 0 < off < 1e-5, off


def dense_output_reaches_into_steps_that_events_cut(here):
    path = os.path.join(here.examples, "bouncing-ball.yaml")
    report, rows = here.rows(f"run {path} --output-step 0.001")
    assert len(rows) == 3001 and report["steps"] < 300, len(rows)
    fall, e = math.sqrt(2 / 9.81), 0.8
    for t, _, y, *_ in rows:
        start, speed = 0, 9.81 * fall
        if t < fall:
            exact = 1 - 9.81 * t * t / 2
        else:
            start, speed = fall, e * speed
            while t > start + 2 * speed / 9.81:
                start, speed = start + 2 * speed / 9.81, e * speed
            exact = speed * (t - start) - 9.81 * (t - start) ** 2 / 2
        assert abs(y - exact) < 1e-9, (t, y, exact)


def events_are_listed(here):
    path = os.path.join(here.examples, "bouncing-ball.yaml")
    report = here.command.report(f"run {path}")
    times = [event["t"] for event in report["events"]]
    fall = math.sqrt(2 / 9.81)
    exact = [fall * (1 + 2 * sum(0.8 ** j for j in range(1, k + 1))) for k in range(6)]
    assert len(times) == 6 and max(abs(x - y) for x, y in zip(times, exact)) < 1e-9, times
    assert {event["name"] for event in report["events"]} == {"ground"}
    path = os.path.join(here.examples, "impact-pendulum.yaml")
    report, text = here.command.report(f"run {path}"), here.command.call(f"run {path}").stdout
    assert report["t"] == 4 and report["stopped_by"] == "enough"
    assert [event["name"] for event in report["events"]].count("impact") == 3
    assert "stopped by 'enough'" in text and "impact" in text and "rest" in text
    assert report["energy"]["changed_by_events"] < -1 and report["energy"]["relative_drift"] < 1e-3


def every_run_ends_with_a_verdict(here):
    text = here.command.call("run pendulum --step 0.01 --t-end 1").stdout.splitlines()[-1]
    report = here.command.report("run pendulum --step 0.01 --t-end 1")
    assert text == "verdict: " + report["verdict"] and "energy drift" in text, text
    assert "(position)" in text and "(velocity)" in text
    drift = report["energy"]["relative_drift"]
    assert 1e-9 < drift < 1e-3, drift
    assert here.command.report("run cubic --t-end 1")["verdict"].startswith("constraints kept")
    report = here.command.report(f"run {here.write(OSCILLATOR)}")
    assert report["verdict"].startswith("no constraints; energy drift"), report["verdict"]


def free(here, event, force="0"):
    return here.write(FREE.replace("EVENT", event).replace("FORCE", force))


def rates_carried_from_a_long_first_step_do_not_stop_the_run(here):
    path = here.write(SLIDER)
    for form in ("index3", "soi2", "stabilized"):
        for rtol, least, most in (("1e-2", 50, 400), ("1e-4", 800, 4000)):
            words = f"run {path} --method generalized-alpha --formulation {form} --rtol {rtol}"
            report = here.command.report(words)
            assert least < report["steps"] < most and report["t"] == 2, (form, rtol, report["steps"])


def event_functions_are_not_asked_before_the_start(here):
    for when, t in (("sqrt(t)*(1 - t)", 1), ("sqrt(x)*(x - 0.5)", 0.5), ("sqrt(t)*(t - 1e-3)", 1e-3)):
        for more in ("", "--step 0.01", "--method generalized-alpha"):
            report = here.command.report(f"run {free(here, f'when: {when}, stop: true')} {more}")
            assert abs(report["t"] - t) < 1e-9, (when, more, report["t"])


def what_an_action_leaves_is_blamed_on_its_event(here):
    path = free(here, "when: x - 0.5, do: {velocities: {v: 1/(x - x)}}")
    advice = here.fail(f"run {path}")[0]["failure"]["advice"]
    assert "event 'mark'" in advice and "initial" not in advice, advice


def events_without_a_value_are_reported(here):
    failure = here.fail(f"run {free(here, 'when: sqrt(0.51 - x), stop: true')}")[0]["failure"]
    assert "event 'mark'" in failure["message"] and "not defined" in failure["advice"], failure


def components_without_a_tolerance_are_reported(here):
    path = free(here, "when: x - 5, stop: true", "cos(t)")
    done = here.command.call(f"run {path} --atol 0")
    assert done.returncode == 4 and "x is 0" in done.stderr and "atol" in done.stderr, done


def the_shortest_of_runs_ends(here):
    for span in ("1e-300", "1e-120"):
        report = here.command.report(f"run {free(here, 'when: x - 5, stop: true', 'cos(t)')} --t-end {span}")
        assert report["t"] == float(span), report["t"]


def steps_at_time_zero_are_not_too_small_for_the_run(here):
    path = free(here, "when: x - 5, stop: true", "1/(sign(t - 1e-30) - 1)")
    failure = here.fail(f"run {path}")[0]["failure"]
    assert failure["h"] > 1e-20, failure


def a_negative_mass_is_named_where_it_ends_the_run(here):
    names_the_negative_mass(here, "")


def refused_steps_are_counted_by_cause(here):
    counters = here.command.report("run pendulum --rtol 1e-4 --set first_step=1")["counters"]
    parts = [counters["refused_" + cause] for cause in ("error", "newton", "callback")]
    assert counters["refused"] == sum(parts) > 0, counters


def tolerances_work_from_flags_and_by_component(here):
    loose, tight = (here.command.report(f"run pendulum --method generalized-alpha --rtol {r} --atol {r}")
                    for r in ("1e-3", "1e-7"))
    assert 10 * loose["steps"] < tight["steps"] and tight["error"]["q"] < loose["error"]["q"] / 100
    path = here.write(OSCILLATOR)
    one = here.command.report(f"run {path} --t-end 4 --method generalized-alpha")
    other = here.command.report(f"run {path} --t-end 4 --method generalized-alpha --atol 1e-9")
    assert 2 * one["steps"] < other["steps"], "flags win"
    assert here.command.report(f"run {path} --t-end 4 --method generalized-alpha --set m=1")["steps"] == one["steps"]
    swapped = here.write(OSCILLATOR.replace("[1e-4, 1e6]", "[1e6, 1e6]").replace("1e-4,", "1,"))
    assert here.command.report(f"run {swapped} --t-end 4 --method generalized-alpha")["steps"] < one["steps"]


def flags_that_exclude_each_other_are_refused(here):
    for words, part in (("--output-step 0", "positive"), ("--output-step -1", "positive"),
                        ("--output-step 0.1 --every 2", "exclude")):
        done = here.command.call(f"run pendulum {words}")
        assert done.returncode == 2 and part in done.stderr, done.stderr


def options_without_a_meaning_are_refused_or_reported(here):
    for words, owner in (("--method generalized-alpha --stages 2", "radau-iia"),
                         ("--method bdf --rho-inf 0.5", "generalized-alpha"),
                         ("--method radau-iia --order 3", "modified-bdf"),
                         ("--method newmark --set option.alpha=-0.1", "hht, extended-hht"),
                         ("--step 0.1 --max-order 3", "direct-bdf"),
                         ("--method bdf --order 3", "fixed steps"),
                         ("--method bdf --set orders=ramp", "fixed steps"),
                         ("--method bdf --step 0.1 --max-order 3", "error control"),
                         ("--step 0.1 --set max_step=1", "error control"),
                         ("--step 0.1 --rtol 1e-8", "error control"),
                         ("--step 0.1 --set error_lambda=on", "error control"),
                         ("--method bdf --set eta_rate=keep", "ggl2"),
                         ("--method gauss --formulation index3 --set baumgarte_alpha=1", "index1"),
                         ("--method bdf --set baumgarte_beta=1", "index1")):
        done = here.command.call(f"run pendulum {words}")
        assert done.returncode == 2 and "means nothing" in done.stderr, (words, done)
        assert owner in done.stderr, (words, done.stderr)
    for words in ("--method gauss --set baumgarte_alpha=1",  # index1 is its own choice
                  "--method direct-bdf --formulation ggl2 --set eta_rate=drop",
                  "--method bdf --step 0.1 --order 3 --set orders=ramp",
                  "--method bdf --max-order 3 --set max_step=1"):
        done = here.command.call(f"run pendulum --t-end 1 {words}")
        assert done.returncode == 0 and "means nothing" not in done.stderr, (words, done)
    path = here.write(OSCILLATOR.replace("rtol: 1e-4", "rtol: 1e-4, method: bdf, rho_inf: 0.5"))
    done = here.command.call(f"run {path} --json")
    assert done.returncode == 0 and "warning: option rho_inf" in done.stderr, done.stderr
    assert "generalized-alpha" in strict(done.stdout)["warning"]
    other = here.command.call(f"run {path} --method radau-iia")  # the file meant another method
    assert other.returncode == 0 and "warning" not in other.stderr, other.stderr


def singular_configurations_are_reported(here):
    report = here.command.report("run four-bar --t-end 2 --method radau-iia")
    times = [x["t"] for x in report["singular"]]
    assert report["counters"]["singularities"] == len(times) == 2
    assert abs(times[0] - 0.7143555) < 1e-5 and abs(times[1] - 1.2281594) < 1e-5, times
    first = report["singular"][0]
    assert (first["rank"], first["constraints"], first["until"]) == (12, 14, first["t"])
    assert "2 singular configurations" in report["verdict"]
    text = here.command.call("run four-bar --t-end 2 --method radau-iia").stdout
    assert first["text"] in text and "holonomic[1]" in text and "not unique" in text, text
    assert "singular" not in here.command.report("run pendulum --t-end 1")


def energy_that_starts_at_zero_has_a_drift_that_means_something(here):
    text = OSCILLATOR.replace("x^2 + y^2)/2", "x^2 + y^2)/2 - 1")
    report = here.command.report(f"run {here.write(text)}")
    plain = here.command.report(f"run {here.write(OSCILLATOR)}")
    assert abs(report["energy"]["start"]) < 1e-12
    assert 1e-12 < report["energy"]["relative_drift"] < 1e-2, report["energy"]
    ratio = report["energy"]["relative_drift"] / plain["energy"]["relative_drift"]
    assert 1 < ratio < 3, ratio


def check_gives_the_index_of_the_equations(here):
    for words, index in (("pendulum", 3), ("rolling-disk", 2), ("spring-damper", 0)):
        assert here.command.report(f"check {words}")["index"] == index, words
    large = here.command.report("check chain --set n=201")
    assert large["index"] is None and large["left_out"] == ["index", "derivatives"]


def seconds_by_phase_add_up(here):
    for words in ("--step 1e-3", "--rtol 1e-6", "--method extended-hht --step 1e-3"):
        report = here.command.call(f"run hht-test --timing on --json {words}").stdout
        phases = strict(report)["timing"]["phases"]
        parts = [phases[x] for x in ("callbacks", "factorizations", "solves", "rest")]
        assert min(parts) > 0 and abs(sum(parts) - phases["all"]) < 1e-9, phases
        assert "callbacks" in here.command.call(f"run hht-test --timing on {words}").stdout
    plain = strict(here.command.call("run pendulum --step 0.1 --json").stdout)
    assert "phases" not in plain["timing"]


UPRIGHT = """
sodae: 1
name: upright
equations: {positions: [phi], force: [9.81*sin(phi)]}
initial: {positions: [1e-3]}
run: {t_end: 12}
"""


def a_run_that_is_not_accurate_says_so(here):
    path = here.write(UPRIGHT)
    done = here.command.call(f"run {path} --verify")
    assert done.returncode == 8 and "times the tolerance: try rtol 1e-" in done.stderr, done.stderr
    assert "closer run" in done.stdout and "verdict: INACCURATE" in done.stdout, done.stdout
    done = here.command.call(f"run {path} --verify --json")
    report = json.loads(done.stdout)
    assert done.returncode == 8 and report["status"] == "INACCURATE", report["status"]
    assert report["verification"]["v"] > 10 and "q" in report, report["verification"]
    report = here.command.report(f"run {path} --verify --t-end 1")
    assert report["status"] == "OK" and 0 < report["verification"]["v"] < 10


def a_second_run_is_made_where_it_is_asked_for(here):
    path = here.write(UPRIGHT)
    assert "verification" not in here.command.report(f"run {path}")
    assert "verification" in here.command.report(f"run {path} --verify --t-end 1")
    done = here.command.call(f"run {path} --no-verify")
    assert done.returncode == 2 and "unknown flag --no-verify" in done.stderr, done.stderr
    done = here.command.call(f"run {path} --verify --step 0.1")
    assert done.returncode == 4 and "fixed step" in done.stderr, done.stderr


STOP = """
sodae: 1
name: a stop that is crossed slowly while another body passes by fast
equations: {positions: [x, z], velocities: [u, w], force: [-x, 0]}
initial: {positions: [0, -155.6], velocities: [1, 100]}
events: [{name: near-top, when: x - 0.99999, direction: up, stop: true}]
run: {t_end: 3}
"""

TOPPLE = """
sodae: 1
name: an inverted pendulum falls and comes to rest
equations:
  positions: [x, y]
  velocities: [u, w]
  force: [-u, -10 - w]
  holonomic: [(x^2+y^2-1)/2]
initial: {positions: [sin(1e-6), cos(1e-6)]}
run: {t_end: 60}
"""


def errors_on_the_way_and_at_a_stop_are_found(here):
    for text, end in ((STOP, True), (TOPPLE, False)):
        done = here.command.call(f"run {here.write(text)} --method radau-iia --rtol 1e-6 --atol 1e-6 --verify --json")
        report = strict(done.stdout)
        found = report["verification"]
        assert done.returncode == 8 and report["status"] == "INACCURATE", report["status"]
        assert report["verdict"].startswith("INACCURATE, error about"), report["verdict"]
        assert (found["t"] == report["t"]) == end, found
        assert found["error"] == max(found["q"], found["v"], found["r"]), found


def a_run_that_no_closer_one_confirms_is_no_success(here):
    options = "--method modified-bdf --strategy chapter4 --formulation minimal-extension --rtol 2e-3"
    done = here.command.call(f"run unit-circle {options} --verify --json")
    report = strict(done.stdout)
    assert (report["status"], done.returncode) == ("UNVERIFIED", 9), report["status"]
    assert report["verdict"].startswith("UNVERIFIED"), report["verdict"]
    assert report["verification"]["error"] is None, report["verification"]
    assert "the run with rtol 0.0002 fails" in report["failure"]["message"], report["failure"]


def tolerances_win_over_the_step_of_a_file(here):
    path = os.path.join(here.examples, "chain.yaml")
    fixed = here.command.report(f"run {path} --t-end 0.2")
    free = here.command.report(f"run {path} --t-end 0.2 --rtol 1e-4")
    assert free["steps"] != fixed["steps"], free["steps"]


def the_benchmarks_reach_their_default_tolerance(here):
    for name in ("car-axis", "slider-crank", "pendulum-a01", "chain", "rolling-disk", "heavy-top-se3", "all-blocks"):
        report = here.command.report(f"run {name} --verify")
        assert report["status"] == "OK" and report["verification"]["states"] >= 7, (name, report["verdict"])


def andrews_mechanism_reaches_every_tolerance(here):
    for digits in range(3, 10):
        found = here.command.report(f"run andrews --verify --rtol 1e-{digits}")["verification"]
        assert 0.05 < found["error"] < 10, (digits, found)


def singular_configurations_are_inaccurate(here):
    done = here.command.call("run four-bar --verify --rtol 1e-3 --method radau-iia --json")
    assert done.returncode == 8 and strict(done.stdout)["verification"]["error"] > 10, done.stdout


CLAIMS = [
    the_benchmarks_reach_their_default_tolerance,
    andrews_mechanism_reaches_every_tolerance,
    singular_configurations_are_inaccurate,
    tolerances_win_over_the_step_of_a_file,
    seconds_by_phase_add_up,
    options_without_a_meaning_are_refused_or_reported,
    singular_configurations_are_reported,
    energy_that_starts_at_zero_has_a_drift_that_means_something,
    check_gives_the_index_of_the_equations,
    a_run_that_is_not_accurate_says_so,
    a_second_run_is_made_where_it_is_asked_for,
    a_run_that_no_closer_one_confirms_is_no_success,
    errors_on_the_way_and_at_a_stop_are_found,
    a_failure_record_is_complete,
    a_failing_step_is_replayed,
    a_report_can_be_replayed_from_pipes,
    a_start_that_fails_is_replayed_too,
    an_action_that_fails_is_named_and_replayed_up_to_its_event,
    records_that_cannot_be_replayed_are_refused,
    dense_output_is_on_its_grid_and_shortens_no_step,
    dense_output_reaches_into_steps_that_events_cut,
    events_are_listed,
    every_run_ends_with_a_verdict,
    refused_steps_are_counted_by_cause,
    a_negative_mass_is_named_where_it_ends_the_run,
    rates_carried_from_a_long_first_step_do_not_stop_the_run,
    event_functions_are_not_asked_before_the_start,
    what_an_action_leaves_is_blamed_on_its_event,
    events_without_a_value_are_reported,
    components_without_a_tolerance_are_reported,
    the_shortest_of_runs_ends,
    steps_at_time_zero_are_not_too_small_for_the_run,
    tolerances_work_from_flags_and_by_component,
    flags_that_exclude_each_other_are_refused,
]


check_claims(CLAIMS, lambda folder: (Failing(sys.argv[1], sys.argv[2], folder),))
