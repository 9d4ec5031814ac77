#!/usr/bin/env python3
"""Runs that ended early go on from their restart files, with the results of the unbroken run.

usage: resume.py SODAE EXAMPLES
"""
import os
import shutil
import signal
import subprocess
import sys
import time

from command import Setting, check_claims

# target and flags, and after how many steps each run is broken off
RUNS = [
    ("pendulum.yaml --t-end 1 --step 2e-3", (7, 100)),
    ("pendulum.yaml --t-end 1 --step 2e-3 --formulation stabilized", (1, 250)),
    ("heavy-top.yaml --t-end 0.05 --step 1e-3 --every 7", (3, 20)),
    ("heavy-top.yaml --t-end 0.05 --step 1e-3 --output-step 3e-4", (3, 20)),
    ("impact-pendulum.yaml --rtol 1e-8 --t-end 3", (5,)),
    ("double-pendulum.yaml --rtol 1e-7 --t-end 1 --method bdf --formulation index3", (40,)),
    ("pendulum.yaml --rtol 1e-6 --t-end 1 --method modified-bdf --formulation ggl2", (30,)),
    ("double-pendulum.yaml --rtol 1e-8 --t-end 1 --method gauss --formulation minimal-extension", (20,)),
    ("double-pendulum.yaml --rtol 1e-8 --t-end 1 --method radau-iia --formulation ggl2", (20,)),
    ("double-pendulum.yaml --rtol 1e-8 --t-end 1 --method dopri5 --formulation index1", (50,)),
    ("pendulum.yaml --step 5e-3 --t-end 1 --method direct-bdf --order 3", (60,)),
    ("pendulum.yaml --step 5e-3 --t-end 1 --method msr --steps 2 --stages 2", (60,)),
    ("pendulum.yaml --step 5e-3 --t-end 1 --method dc --steps 3 --stages 2", (60,)),
    ("pendulum.yaml --step 5e-3 --t-end 1 --table TABLES/radau-ia-2.yaml", (60,)),
    ("pendulum.yaml --step 5e-3 --t-end 1 --table TABLES/bdf3-nordsieck.yaml", (60,)),
    ("double-pendulum.yaml --rtol 1e-4 --t-end 0.1 --table TABLES/lobatto-iiic-3.yaml", (20,)),
    ("hht-test.yaml --step 5e-3 --t-end 1 --method extended-hht --alpha -0.15 --b 0.3", (60,)),
    ("bouncing-ball.yaml --rtol 1e-8 --t-end 1 --output-step 0.01", (2, 5)),
    ("bricard.yaml --rtol 1e-5 --t-end 3 --method auto", (5,)),
    ("bricard.yaml --rtol 1e-5 --t-end 3 --method radau-iia", (5, 9)),  # factors outlast the null space of dependent constraints
]


COMPARE = """
import h5py, numpy, sys
with h5py.File(sys.argv[1]) as a, h5py.File(sys.argv[2]) as b:
    assert b.attrs["finished"] == 1
    def compare(name, x):
        if isinstance(x, h5py.Dataset):
            print(name)
            assert numpy.array_equal(x[()], b[name][()]), name
    a.visititems(compare)
"""


def words_of(here, run):
    target, *flags = run.replace("TABLES", os.path.join(here.examples, "tables")).split()
    return [os.path.join(here.examples, target), *flags, "--quiet"]


def path_of(here, name):
    return os.path.join(here.folder, name)


def good(done):
    assert done.returncode == 0, done.stderr
    return done


def broken(here, run, name, steps):
    """A run that ended after `steps` steps; the restart file."""
    restart = path_of(here, name + ".restart")
    done = here.command.call(["run", *words_of(here, run), "--out", path_of(here, name), "--checkpoint", restart,
                              "--max-steps", str(steps)])
    assert done.returncode == 5 and f"sodae resume {restart}" in done.stderr, done.stderr
    return restart


def resumed(here, restart, *flags):
    return here.command.call(["resume", restart, "--quiet", *flags])


def csv_is_that_of_the_unbroken_run_byte_for_byte(here):
    for run, breaks in RUNS:
        whole = path_of(here, "whole.csv")
        good(here.command.call(["run", *words_of(here, run), "--out", whole]))
        for steps in breaks:
            restart = broken(here, run, "part.csv", steps)
            good(resumed(here, restart, "--max-steps", "1000000"))
            with open(whole, "rb") as a, open(path_of(here, "part.csv"), "rb") as b:
                assert a.read() == b.read(), (run, steps)


def every_dataset_of_hdf5_is_that_of_the_unbroken_run(here):
    run, _ = RUNS[4]
    whole = path_of(here, "whole.h5")
    good(here.command.call(["run", *words_of(here, run), "--out", whole]))
    restart = broken(here, run, "part.h5", 20)
    good(resumed(here, restart, "--max-steps", "1000000"))
    done = subprocess.run(["/usr/bin/python3", "-c", COMPARE, whole, path_of(here, "part.h5")], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0 and {"events/t", "state/q"} <= set(done.stdout.split()), done.stderr


def the_report_is_that_of_the_whole_run(here):
    """Events, worst residuals, drift and counters of both parts; only the evaluations of a second start are added."""
    for run, steps, counters in (("impact-pendulum.yaml --rtol 1e-8 --t-end 3", 25, ("refused", "singularities")),
                                 ("double-pendulum.yaml --rtol 1e-7 --t-end 1 --method bdf --formulation index3", 40, ("refused",)),
                                 ("mechanisms/flyball.yaml --step 0.01", 10, ()),  # at one of the times of the file
                                 ("four-bar.yaml --t-end 1 --method radau-iia", 60, ("refused", "singularities"))):
        words = [word for word in words_of(here, run) if word != "--quiet"]
        whole = here.command.report(["run", *words, "--out", path_of(here, "whole.h5")])
        restart = broken(here, run, "part.h5", steps)
        done = here.command.report(["resume", restart, "--max-steps", "1000000"])
        for key in ("events", "worst_residual", "worst_relative_residual", "energy", "verdict", "steps", "max_error", "states"):
            assert done.get(key) == whole.get(key), (run, key, done.get(key), whole.get(key))
        for key in counters:
            assert done["counters"][key] == whole["counters"][key], (run, key, done["counters"], whole["counters"])
        assert done["counters"]["jacobians"] == whole["counters"]["jacobians"], run
        for key in ("newton_iterations", "factorizations"):
            assert done["counters"][key] >= whole["counters"][key], (run, key)


def models_go_on_without_their_files(here):
    """Tables, included files, sub-models and the table of a method are in the restart file."""
    folder = os.path.join(here.folder, "model")
    for name in ("parts", "tables"):
        os.makedirs(os.path.join(folder, name))
    for name in ("half-car.yaml", "parts/axle.yaml", "parts/road.csv", "tables/radau-ia-2.yaml"):
        shutil.copy(os.path.join(here.examples, name), os.path.join(folder, name))
    words = ["run", os.path.join(folder, "half-car.yaml"), "--table", os.path.join(folder, "tables/radau-ia-2.yaml"),
             "--step", "1e-2", "--quiet", "--out"]
    good(here.command.call([*words, path_of(here, "whole.csv")]))
    done = here.command.call([*words, path_of(here, "part.csv"), "--max-steps", "20", "--checkpoint", path_of(here, "r")])
    assert done.returncode == 5, done.stderr
    shutil.rmtree(folder)
    good(here.command.call(["resume", path_of(here, "r"), "--quiet", "--max-steps", "100000"]))
    with open(path_of(here, "whole.csv"), "rb") as a, open(path_of(here, "part.csv"), "rb") as b:
        assert a.read() == b.read()


def equal_runs_leave_equal_restart_files(here):
    for run in ("bouncing-ball.yaml --rtol 1e-8 --t-end 1", "mechanisms/slider-crank.yaml --t-end 0.5"):
        found = set()
        for _ in range(2):
            with open(broken(here, run, "part.csv", 5), "rb") as file:
                found.add(file.read())
        assert len(found) == 1, run


def a_killed_run_goes_on_from_its_last_checkpoint(here):
    run = "pendulum.yaml --t-end 60 --step 1e-3"
    whole, part = path_of(here, "whole.csv"), path_of(here, "part.csv")
    restart = part + ".restart"
    good(here.command.call(["run", *words_of(here, run), "--out", whole]))
    process = subprocess.Popen([here.command.program, "run", *words_of(here, run), "--out", part, "--checkpoint", restart,
                                "--checkpoint-every", "0.01"])
    while not os.path.exists(restart):
        time.sleep(0.01)
    time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    good(resumed(here, restart))
    with open(whole, "rb") as a, open(part, "rb") as b:
        assert a.read() == b.read()


def results_in_hdf5_leave_a_restart_file_only_where_they_end_early(here):
    out = path_of(here, "run.h5")
    good(here.command.call(["run", *words_of(here, RUNS[0][0]), "--out", out]))
    assert not os.path.exists(out + ".restart")
    done = here.command.call(["run", *words_of(here, RUNS[0][0]), "--out", out, "--max-steps", "5"])
    assert done.returncode == 5 and os.path.exists(out + ".restart"), done.stderr
    good(resumed(here, out + ".restart", "--max-steps", "100000"))
    assert not os.path.exists(out + ".restart")


def a_finished_run_goes_on_to_a_later_end(here):
    run = "pendulum.yaml --step 1e-2"
    restart, out = path_of(here, "r"), path_of(here, "part.csv")
    good(here.command.call(["run", *words_of(here, run), "--t-end", "1", "--out", out, "--checkpoint", restart]))
    good(resumed(here, restart, "--t-end", "2"))
    good(here.command.call(["run", *words_of(here, run), "--t-end", "2", "--out", path_of(here, "whole.csv")]))
    with open(path_of(here, "whole.csv"), "rb") as a, open(out, "rb") as b:
        assert a.read() == b.read()


def damaged_foreign_and_newer_files_are_refused_with_the_reason(here):
    restart = broken(here, RUNS[0][0], "part.csv", 7)
    with open(restart, "rb") as file:
        right = file.read()
    cases = [(right[:-20], "damaged"), (right[:100] + b"x" + right[101:], "damaged"), (b"t,x\n1,2\n", "not a restart file"),
             (right[:16] + b"\x63" + right[17:], "newer")]
    for content, word in cases:
        with open(restart, "wb") as file:
            file.write(content)
        done = resumed(here, restart)
        assert done.returncode == 3 and word in done.stderr, (word, done.stderr)
    done = resumed(here, restart + "none")
    assert done.returncode == 3 and "No such file" in done.stderr, done.stderr
    with open(restart, "wb") as file:
        file.write(right)
    done = resumed(here, restart, "--rtol", "1e-3")
    assert done.returncode == 2 and "unknown flag --rtol" in done.stderr, done.stderr
    with open(path_of(here, "part.csv"), "w", encoding="utf-8") as file:
        file.write("t\n")
    done = resumed(here, restart)
    assert done.returncode == 7 and "part.csv': it does not hold the rows up to the checkpoint" in done.stderr, done.stderr


check_claims([equal_runs_leave_equal_restart_files, the_report_is_that_of_the_whole_run, models_go_on_without_their_files, csv_is_that_of_the_unbroken_run_byte_for_byte, every_dataset_of_hdf5_is_that_of_the_unbroken_run,
              a_killed_run_goes_on_from_its_last_checkpoint, results_in_hdf5_leave_a_restart_file_only_where_they_end_early,
              a_finished_run_goes_on_to_a_later_end, damaged_foreign_and_newer_files_are_refused_with_the_reason],
             lambda folder: (Setting(sys.argv[1], sys.argv[2], folder),))
