#!/usr/bin/env python3
"""What the command writes: CSV, JSON, help, lists.

usage: output.py SODAE
"""
import csv
import os
import pty
import signal
import subprocess
import sys
import time

from command import Command, check_claims, strict

BLOCKS = ["q", "v", "vdot", "lambda", "psi"]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def csv_holds_every_step_and_ends_as_the_report(command, folder):
    out = os.path.join(folder, "all.csv")
    report = command.report(f"run heavy-top --step 1e-3 --t-end 0.05 --out {out}")
    header, rows = read(out)
    names = list(report["channels"])
    assert header == [n + (f" [{report['units'][n]}]" if n in report["units"] else "") for n in names], header
    assert len(rows) == 51, len(rows)
    assert [row[0] for row in rows] == [n * 1e-3 for n in range(51)], "t is t0 + n h"
    assert rows[0][1:4] == [0, 1, 0], rows[0]
    assert rows[-1] == list(report["channels"].values()), "17 digits"
    assert rows[-1][1:-1] == [x for block in BLOCKS for x in report[block]], "the blocks in order"
    assert os.listdir(folder) == ["all.csv"], "no temporary file stays"


def what_is_no_number_is_written_alike_in_all_tables(command, folder):
    path = os.path.join(folder, "model.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write("sodae: 1\nequations: {positions: [x], force: [0]}\ninitial: {positions: [1]}\n"
                   "outputs: {root: sqrt(-x), pole: 1/(x - 1), less: -1/(x - 1)^2}\nrun: {t_end: 1}\n")
    for words in (f"run {path} --out -", f"sweep {path} --vary x=1 --out -"):
        rows = list(csv.reader(command.call(words).stdout.splitlines()))
        found = [rows[-1][rows[0].index(name)] for name in ("root", "pole", "less")]
        assert found == ["nan", "inf", "-inf"], (words, found)
    report = command.report(f"run {path} --out {folder}/run.h5")
    assert [report["channels"][name] for name in ("root", "pole", "less")] == [None] * 3
    exported = command.call(f"export {folder}/run.h5 --csv").stdout.splitlines()
    assert exported[1].endswith(",nan,inf,-inf"), exported[1]


def every_thins_the_csv_but_keeps_the_last_step(command, folder):
    out = os.path.join(folder, "thin.csv")
    command.report(f"run pendulum --step 0.01 --t-end 0.1 --every 4 --out {out}")
    times = [round(row[0], 12) for row in read(out)[1]]
    assert times == [0, 0.04, 0.08, 0.1], times


def rows_go_to_the_final_name_and_an_older_file_goes_when_the_run_starts(command, folder):
    out = os.path.join(folder, "old.csv")
    with open(out, "w", encoding="utf-8") as file:
        file.write("old\n")
    done = command.call(f"run pendulum --set q0=0,0 --out {out}")  # has no consistent start
    assert done.returncode == 5 and open(out, encoding="utf-8").read() == "old\n"
    done = command.call(f"run pendulum --step 0.01 --t-end 1 --set max_steps=3 --out {out}")
    assert done.returncode == 5 and len(read(out)[1]) == 4 and os.listdir(folder) == ["old.csv"]
    assert f"up to t = 0.03 in {out}" in done.stderr, done.stderr


def a_run_that_fails_on_its_way_leaves_the_rows_up_to_there(command, folder):
    out = os.path.join(folder, "part.csv")
    for rows, words in ((4, ""), (3, "--output-step 0.02")):
        done = command.call(f"run pendulum --step 0.01 --t-end 1 --set max_steps=3 --out {out} --json {words}")
        report = strict(done.stdout)
        assert done.returncode == 5 and report["status"] == "TOO_MANY_STEPS", report["status"]
        assert report["results"] == {"file": out, "until": 0.03}, report
        assert f"up to t = 0.03 in {out}" in done.stderr, done.stderr
        times = [round(row[0], 12) for row in read(out)[1]]
        assert len(times) == rows and times[-1] == 0.03 and os.listdir(folder) == ["part.csv"], times
        os.remove(out)


def an_interrupted_run_keeps_its_rows_and_says_so(command, folder):
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        interrupt(command, folder, "--step 1e-6 --t-end 1000", number, code)


def dense_output_within_one_step_is_interrupted_too(command, folder):
    interrupt(command, folder, "--step 1 --t-end 1 --output-step 2e-8", signal.SIGTERM, 143)


def more_rows_than_anyone_reads_are_refused_in_words(command, folder):
    out = os.path.join(folder, "huge.csv")
    done = command.call(f"run pendulum --step 0.1 --t-end 1 --output-step 1e-12 --out {out}")
    assert done.returncode == 2, done.returncode
    assert "output step of 1e-12 asks for 1e+12 rows" in done.stderr, done.stderr
    assert os.listdir(folder) == [], os.listdir(folder)
    command.report("run pendulum --step 0.1 --t-end 1 --output-step 1e-12")  # no file, no rows


def interrupt(command, folder, words, number, code):
    out = os.path.join(folder, "cut.csv")
    run = subprocess.Popen([command.program, "run", "pendulum", *words.split(), "--out", out],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for _ in range(200):  # until it is at work
        if os.listdir(folder):
            break
        time.sleep(0.05)
    time.sleep(0.2)
    run.send_signal(number)
    _, said = run.communicate(timeout=20)
    assert run.returncode == code, run.returncode
    header, rows = read(out)
    assert len(rows) > 1 and {len(row) for row in rows} == {len(header)}, "complete rows"
    assert f"up to t = {rows[-1][0]:.9g} in {out}" in said, said
    os.remove(out)


def equal_command_lines_in_other_words_give_equal_reports(command, _):
    reports = [command.report("run pendulum " + words) for words in (
        "--step 0.02 --t-end 1 --rho-inf 0.7 --set x0=0.1 --formulation index3",
        "--step=1/50 --t-end=1 --rho-inf=7/10 --set=x0=1/10 --formulation=index3",
        "--set step=0.02 --t-end 1 --set rho_inf=0.7 --set parameter.x0=0.1 "
        "--set option.formulation=index3")]
    assert reports[0] == reports[1] == reports[2]


def a_pattern_of_equal_steps_is_the_constant_step(command, _):
    fixed = command.report("run pendulum --step 0.02 --t-end 1")
    for pattern in ("1", "1,1", "const"):
        same = command.report(f"run pendulum --step 0.02 --t-end 1 --steps-pattern {pattern}")
        assert same["steps"] == fixed["steps"] == 50
        assert max(abs(x - y) for x, y in zip(same["q"], fixed["q"])) < 1e-12


def inconsistent_initial_values_are_projected_and_reported(command, _):
    report = command.report("run pendulum --set q0=0.5,-0.9 --set v0=1,0 --t-end 0")
    assert report["steps"] == 0 and report["start"]["status"] == "ADJUSTED"
    assert abs(report["q"][0] ** 2 + report["q"][1] ** 2 - 1) < 1e-12, report["q"]
    assert 0.01 < report["start"]["q_moved"] < 0.1 < report["start"]["v_moved"] < 1
    assert "error" not in report, "the exact solution belongs to other initial values"
    report = command.report("run pendulum --t-end 0")
    assert report["start"]["status"] == "OK"
    assert report["start"]["q_moved"] == report["start"]["v_moved"] == 0


def the_last_of_two_settings_counts(command, _):
    twice = command.report("run pendulum --set q0=1,0 --set q0=0,-1 --set v0=0,0 --t-end 0.1")
    once = command.report("run pendulum --set q0=0,-1 --set v0=0,0 --t-end 0.1")
    assert twice == once and abs(once["q"][0]) < 1e-12, once["q"]


def analyse_describes_the_coefficients_that_run_uses(command, _):
    for method, flag, key in (("generalized-alpha", "--rho-inf {}", "rho_inf"),
                              ("hht", "--alpha {}", "alpha"),
                              ("extended-hht", "--alpha {}", "alpha"),
                              ("newmark", "--beta {}", "beta")):
        report = command.report(f"analyse --method {method}")
        value = report[key] if key in report else report["coefficients"][key]
        words = f"run pendulum --step 0.01 --t-end 0.1 --method {method} "
        assumed = command.report(words)
        given = command.report(words + flag.format(value))
        off = max(abs(x - y) for x, y in zip(assumed["q"], given["q"]))
        assert off < 1e-12, f"{method}: {off}"


def analyse_gives_the_index_of_a_problem(command, _):
    report = command.report("analyse pendulum")
    assert report["d_index"] == 3 and report["condition_7_4"] and report["condition_4_3"]
    linear = report["linear"]
    assert linear["mu"] == 1 and linear["initial"]["s02"] == 1 and linear["clear"]
    assert linear["first_order_velocities"]["d_index"] == 3
    assert linear["first_order_all"]["d_index"] == 4
    text = command.call("analyse all-blocks".split()).stdout
    assert "differential index 3" in text and "tolerance 1.0e-09" in text
    text = command.call("analyse pendulum".split()).stdout
    form = text[text.index("rows of size 1"):].splitlines()
    assert [line.split()[0] for line in form[1:6:3]] == ["A2", "A1"], form
    assert [len(line.split()) for line in form[1:8]] == [4, 3, 3, 2, 4, 3, 3], form
    free = linear["strangeness_free"]
    assert [len(free[name]) for name in ("A2", "A1", "A0")] == [3, 3, 3], free
    largest = [max(abs(x) for name in ("A2", "A1", "A0") for x in free[name][i])
               for i in range(3)]
    assert max(abs(x - 1) for x in largest) < 1e-14, largest
    assert command.report("analyse chain --set n=20")["linear"]["strangeness_free"] is None


def the_report_names_the_formulation_that_auto_stands_for(command, _):
    for entry in command.report("list methods"):
        if entry["name"] == "glm":  # needs a table
            continue
        words = f"run pendulum --step 0.01 --t-end 0.1 --method {entry['name']} "
        chosen = command.report(words)
        assert chosen["formulation"] != "auto", entry["name"]
        assert chosen == command.report(words + f"--formulation {chosen['formulation']}")


def lists_are_complete_in_text_and_json(command, _):
    names = {what: [entry["name"] for entry in command.report(f"list {what}")]
             for what in ("problems", "methods", "formulations", "options")}
    assert set(names["problems"]) >= {
        "hht-test", "spring-pendulum", "nonholonomic-test", "rolling-disk", "soi2-test",
        "pendulum", "cubic", "heavy-top", "heavy-top-se3"}, names["problems"]
    assert set(names["methods"]) >= {"newmark", "hht", "generalized-alpha", "alpha",
                                     "extended-hht"}
    assert set(names["formulations"]) >= {"index3", "stabilized", "soi2", "index2", "odae"}
    assert set(names["options"]) >= {"alpha", "rho_inf", "b", "variant", "start", "mass_alpha",
                                     "step_correction", "newton_rtol", "step", "method"}
    for what, known in names.items():
        text = command.call(f"list {what}").stdout
        assert all(name in text for name in known), what


def every_problem_runs_as_it_comes(command, _):
    for entry in command.report("list problems"):
        t_end = entry["t0"] + 5 * entry["step"]
        report = command.report(f"run {entry['name']} --step {entry['step']:.17g} "
                                f"--t-end {t_end:.17g}")
        assert report["status"] == "OK" and report["steps"] == 5, entry["name"]


def help_and_version_are_there(command, _):
    assert command.call("--version").stdout.startswith("sodae ")
    top = command.call("--help").stdout
    for name in ("run", "converge", "analyse", "list"):
        assert name in top
        text = command.call([name, "--help"]).stdout
        assert f"usage: sodae {name}" in text and "Exit codes" in text
        assert text == command.call(["help", name]).stdout
    assert command.call([]).returncode == 2


def progress_stays_off_when_nobody_watches(command, _):
    done = command.call("run heavy-top --step 1e-3 --t-end 0.5")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    for word in ("heavy-top", "lambda", "constraints", "Newton"):
        assert word in done.stdout, word


def progress_is_shown_on_a_terminal(command, _):
    ours, theirs = pty.openpty()
    done = subprocess.run([command.program, "run", "pendulum", "--json"], stderr=theirs,
                          stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert done.returncode == 0 and strict(done.stdout)["status"] == "OK"
    assert "%" in said and "step" in said, said


def a_sweep_shows_how_many_sets_are_done(command, folder):
    ours, theirs = pty.openpty()
    done = subprocess.run([command.program, "sweep", "pendulum", "--vary", "t0=0:1:40", "--workers", "1", "--out",
                           os.path.join(folder, "s.csv")], stderr=theirs, stdout=subprocess.PIPE, text=True, timeout=60, check=False)
    os.close(theirs)
    said = os.read(ours, 4096).decode()
    os.close(ours)
    assert done.returncode == 0 and "of 40 sets" in said and "t =" not in said, (done.stdout, said)


def the_manual_names_every_command(command, _):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "sodae.1"), encoding="utf-8") as file:
        words = set(file.read().replace('"', " ").replace(",", " ").split())
    commands = [line.split()[0] for line in command.call("--help").stdout.splitlines() if line.startswith("  ") and line[2].isalpha()]
    assert len(commands) > 15 and set(commands) <= words, set(commands) - words


def ways_of_the_mass_agree_when_it_is_constant(command, _folder):
    for pattern in ([], ["--steps-pattern", "1/3,2/3"]):
        ends = [command.report(["run", "heavy-top", "--step", "1e-3", "--t-end", "0.1",
                                "--rho-inf", "0.9", "--mass-alpha", way, *pattern])["lambda"]
                for way in ("end", "fresh", "previous")]
        for other in ends[1:]:
            off = max(abs(x - y) for x, y in zip(ends[0], other))
            assert off < 1e-4, (pattern, off)  # rounding of lambda is 1e-6


def coefficients_that_blow_up_are_reported_in_valid_json(command, _folder):
    report = command.report("analyse --method alpha --set alpha_m=0.3 --set alpha_f=0.1 "
                            "--set beta=0.1 --set gamma=0.9")
    assert report["status"] == "OK", report


CLAIMS = [
    ways_of_the_mass_agree_when_it_is_constant,
    coefficients_that_blow_up_are_reported_in_valid_json,
    csv_holds_every_step_and_ends_as_the_report,
    what_is_no_number_is_written_alike_in_all_tables,
    every_thins_the_csv_but_keeps_the_last_step,
    rows_go_to_the_final_name_and_an_older_file_goes_when_the_run_starts,
    a_run_that_fails_on_its_way_leaves_the_rows_up_to_there,
    an_interrupted_run_keeps_its_rows_and_says_so,
    dense_output_within_one_step_is_interrupted_too,
    more_rows_than_anyone_reads_are_refused_in_words,
    equal_command_lines_in_other_words_give_equal_reports,
    a_pattern_of_equal_steps_is_the_constant_step,
    inconsistent_initial_values_are_projected_and_reported,
    the_last_of_two_settings_counts,
    analyse_describes_the_coefficients_that_run_uses,
    analyse_gives_the_index_of_a_problem,
    the_report_names_the_formulation_that_auto_stands_for,
    lists_are_complete_in_text_and_json,
    every_problem_runs_as_it_comes,
    help_and_version_are_there,
    progress_stays_off_when_nobody_watches,
    progress_is_shown_on_a_terminal,
    a_sweep_shows_how_many_sets_are_done,
    the_manual_names_every_command,
]


check_claims(CLAIMS, lambda folder: (Command(sys.argv[1]), folder))
