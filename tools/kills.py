#!/usr/bin/env python3
"""Kills runs at random moments, resumes them and compares the results byte for byte.

usage: kills.py SODAE EXAMPLES [KILLS [SEED]]     KILLS (200) over 10 pairs of method and formulation
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

PAIRS = [
    "heavy-top.yaml --t-end 3 --step 1e-3 --method generalized-alpha --formulation index3",
    "heavy-top.yaml --t-end 3 --step 1e-3 --method generalized-alpha --formulation stabilized",
    "pendulum.yaml --t-end 40 --step 1e-3 --method hht --alpha -0.1 --formulation soi2",
    "hht-test.yaml --t-end 10 --step 1e-3 --method extended-hht --alpha -0.15 --b 0.3 --formulation index2",
    "impact-pendulum.yaml --t-end 30 --rtol 1e-9 --method radau-iia --formulation index3",
    "double-pendulum.yaml --t-end 30 --rtol 1e-8 --method radau-iia --formulation ggl2",
    "double-pendulum.yaml --t-end 30 --rtol 1e-7 --method bdf --formulation index3",
    "pendulum.yaml --t-end 40 --rtol 1e-7 --method modified-bdf --formulation ggl2",
    "double-pendulum.yaml --t-end 10 --rtol 1e-8 --method gauss --formulation minimal-extension",
    "double-pendulum.yaml --t-end 60 --rtol 1e-9 --method dopri5 --formulation index1",
]


def call(words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300,
                          env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def kill_once(words, restart, out, seconds):
    """Starts the run, kills it after so long, and lets it go on; did it lose a checkpoint?"""
    for path in (out, restart):
        if os.path.exists(path):
            os.unlink(path)
    run = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           env=dict(os.environ, OPENBLAS_NUM_THREADS="1"))
    time.sleep(seconds)
    run.send_signal(signal.SIGKILL)
    run.wait()
    if run.returncode == 0 or not os.path.exists(restart):
        return None  # it had ended, or had not come to its first checkpoint
    done = call([words[0], "resume", restart, "--quiet"])
    return done.stderr if done.returncode else ""


def main():
    sodae, examples = sys.argv[1:3]
    kills = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    chance = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for k, pair in enumerate(PAIRS):
            target, *flags = pair.split()
            base = [sodae, "run", os.path.join(examples, target), *flags, "--quiet"]
            whole, part = (os.path.join(folder, name) for name in ("whole.csv", "part.csv"))
            restart = part + ".restart"
            begin = time.time()
            done = call([*base, "--out", whole])
            length = time.time() - begin
            if done.returncode:
                sys.exit(f"{pair}: {done.stderr}")
            words = [*base, "--out", part, "--checkpoint", restart, "--checkpoint-every", "0.01"]
            wanted, equal, tries = (k + 1) * kills // len(PAIRS) - k * kills // len(PAIRS), 0, 0
            resumed = 0
            while resumed < wanted and tries < 10 * wanted:
                tries += 1
                said = kill_once(words, restart, part, chance.uniform(0, length))
                if said is None:
                    continue
                resumed += 1
                equal += not said and read(part) == read(whole)
                if said:
                    print(said.strip())
            print(f"{equal} of {resumed} resumed runs are equal ({tries} kills, {length:.2f} s): {pair}", flush=True)
            wrong += wanted - equal
    sys.exit(1 if wrong else 0)


main()
