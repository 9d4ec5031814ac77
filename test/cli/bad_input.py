#!/usr/bin/env python3
"""Bad command lines end with the exit code of their class and a message that names the culprit.

usage: bad_input.py SODAE
"""
import os
import sys
import tempfile

from command import Command, strict

# command line, exit code, what the message has to contain
CASES = [
    ("run pendulum --step 0", 2, ["step"]),
    ("run pendulum --step -0.1", 2, ["step", "-0.1"]),
    ("run pendulum --step nan", 2, ["step", "nan"]),
    ("run pendulum --step 1/0", 2, ["step", "1/0"]),
    ("run pendulum --step", 2, ["step", "value"]),
    ("run pendulum --rho-inf 1.5", 2, ["rho_inf", "1.5"]),
    ("run pendulum --set rho_inf=1.5", 2, ["rho_inf", "1.5"]),
    ("run pendulum --rho-inf nan", 2, ["rho_inf", "nan"]),
    ("run pendulum --method hht --alpha 0.1", 2, ["alpha"]),
    ("run pendulum --method nemark", 2, ["nemark", "did you mean 'newmark'"]),
    ("run pendulum --formulation index7", 2, ["formulation", "index7"]),
    ("run pendulum --newton-max 2.5", 2, ["newton_max", "2.5"]),
    ("run pendulun", 2, ["pendulun", "did you mean 'pendulum'"]),
    ("run", 2, ["problem"]),
    ("run pendulum extra", 2, ["extra"]),
    ("run pendulum --rho-infty 0.5", 2, ["--rho-infty", "did you mean '--rho-inf'"]),
    ("run pendulum --set rho_in=0.5", 2, ["rho_in", "did you mean 'rho_inf'"]),
    ("run pendulum --set x1=0.5", 2, ["x1", "did you mean 'x0'"]),
    ("run pendulum --set x0", 2, ["name=value"]),
    ("run pendulum --set x0=abc", 2, ["x0", "abc"]),
    ("run pendulum --set x0=7", 2, ["x0", "7"]),
    ("run pendulum --set q0=1", 2, ["q0", "2 numbers", "1 are given"]),
    ("run pendulum --set v0=1,2,3", 2, ["v0", "2 numbers", "3 are given"]),
    ("run pendulum --set q0=1,nan", 2, ["q0", "nan"]),
    ("run pendulum --set q0=1,", 2, ["q0"]),
    ("run heavy-top --set q0=1,2,3", 2, ["q0", "12 numbers"]),
    ("run pendulum --t-end inf", 2, ["t-end"]),
    ("run pendulum --every 0", 2, ["every"]),
    ("run pendulum --json=yes", 2, ["json", "no value"]),
    ("run pendulum --step 0.1 --t-end 1 --steps-pattern 0.3,0.4", 2, ["0.3,0.4", "fit"]),
    ("run pendulum --step 0.1 --t-end 1 --steps-pattern 1,-1", 2, ["1,-1", "positive"]),
    ("run pendulum --step 0.1 --t-end 1 --steps-pattern 1,x", 2, ["1,x"]),
    ("run pendulum --step 0.1 --t-end 1 --steps-pattern rendom", 2, ["did you mean 'random'"]),
    ("run pendulum --step 0.1 --t-end 1 --steps-pattern rand20", 2, ["multiple of 20"]),
    ("run pendulum --method newmark --formulation odae", 4, ["odae"]),
    ("run pendulum --method gauss --formulation index3", 4, ["index1", "minimal-extension"]),
    ("run pendulum --set max_steps=3 --step 0.01 --t-end 1", 5, ["steps"]),
    ("run pendulum --set q0=0,0", 5, ["rank", "length"]),
    ("run pendulum --set q0=1e200,0", 5, ["inf", "length"]),
    ("run heavy-top --set q0=0,1,0,2,0,0,0,1,0,0,0,1", 5, ["orthogonal"]),
    ("run hht-test --method extended-hht --alpha -0.15 --b 0.49 --step 0.05", 5, ["Newton"]),
    ("run pendulum --step 0.01 --method newmark --beta 0", 4, ["beta"]),
    ("run pendulum --set psi0=1", 2, ["psi0", "0 numbers"]),
    ("converge pendulum --norm rms", 2, ["norm", "rms"]),
    ("run pendulum --method glm --step 0.01", 4, ["table", "--table FILE"]),
    ("run pendulum --table none.yaml --step 0.01", 3, ["none.yaml", "cannot be opened"]),
    ("run pendulum --method bdf --table none.yaml --step 0.01", 2, ["--table", "bdf"]),
    ("analyse --method glm", 2, ["--table FILE"]),
    ("analyse --method msr --steps 4 --stages 9", 2, ["stages", "9"]),
    ("converge pendulum --halvings -1", 2, ["halvings"]),
    ("converge pendulum --step 0.1 --out none/x.csv", 7, ["none/x.csv"]),
    ("analyse --omega 1:2", 2, ["omega", "1:2"]),
    ("analyse --rho-inf -0.1", 2, ["rho_inf", "-0.1"]),
    ("analyse --method modified-bdf --ratios 1,2", 2, ["past-orders"]),
    ("analyse pendulumm", 2, ["pendulum"]),
    ("list", 2, ["usage: sodae list problems|methods|formulations|options"]),
    ("run pendulum --rtol 1e-15", 2, ["rtol", "1e-14", "double precision"]),
    ("run pendulum --step 1e-300", 2, ["step", "1e-300"]),
    ("run pendulum --step 1e-12 --t-end 1", 5, ["step 1e-12 is too small", "1e+12 steps", "max_steps"]),
    ("run pendulum --t-end 1e300", 2, ["1e+300", "too far"]),
    ("run pendulum --t-end 1e-320", 2, ["too near"]),
    ("check pendulum --out x", 2, ["unknown flag --out\n"]),
    ("run pendulum --set t0=1e15 --t-end 1000000000000001", 5, ["t = 1e+15", "0.12 apart", "smaller t0"]),
    ("run pendulum --set t0=1e15 --t-end 1000000000000001 --step 1e-3", 5, ["0.12 apart", "steps of 0.001"]),
    ("run pendulum -oy.csv", 2, ["unknown flag -oy.csv"]),
    ("run pendulum -o", 2, ["--out: needs a value"]),
    ("run pendulum -o --quiet", 2, ["--out: needs a value"]),
    ("run pendulum --Method bdf", 2, ["did you mean '--method'"]),
    ("compare pendulum --rtol 1e-3:1e-16", 2, ["rtol", "1e-14", "double precision"]),
    ("list problem", 2, ["did you mean 'problems'"]),
    ("compare pendulum --methods BDF", 2, ["'BDF'; did you mean 'bdf'"]),
    ("compare pendulum --formulations index_3", 2, ["did you mean 'index3'"]),
    ("run pendulum --step 0.1 --t-end 1 --channels X", 2, ["'X'; did you mean 'x'"]),
    ("sweep pendulum --vary x0=0.1,0.2 --channels X", 2, ["'X'; did you mean 'x'"]),
    (f"info {__file__}", 3, ["no file of results"]),
    ("Help", 2, ["did you mean 'help'"]),
    ("rum pendulum", 2, ["did you mean 'run'"]),
]


def check_case(command, words, code, parts):
    """Text and JSON fail alike; standard output holds the report or nothing."""
    plain = command.call(words)
    wrong = []
    if plain.returncode != code:
        wrong.append(f"exit code {plain.returncode}, not {code}")
    if plain.stdout:
        wrong.append("something on standard output")
    wrong += [f"'{part}' is not in: {plain.stderr.strip()}" for part in parts
              if part not in plain.stderr]
    if not words.startswith(("rum", "Help", "info", "run pendulum --json")):
        report = strict(command.call(words + " --json").stdout)
        if report["status"] == "OK" or report["failure"]["message"] not in plain.stderr:
            wrong.append(f"the JSON report says otherwise: {report}")
    return wrong


def check_output(command):
    """An output file that cannot be written is reported before the run; nothing is left behind."""
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for out in (folder, os.path.join(folder, "no", "such", "folder.csv")):
            done = command.call(f"run pendulum --step 1e-3 --t-end 1e9 --out {out}")
            if done.returncode != 7 or out not in done.stderr:
                wrong.append(f"--out {out}: exit code {done.returncode}, {done.stderr.strip()}")
        out = os.path.join(folder, "failed.csv")
        done = command.call(f"run pendulum --set q0=0,0 --out {out}")  # no consistent start
        if done.returncode != 5 or os.listdir(folder):
            wrong.append(f"a run without a start left {os.listdir(folder)}, exit code {done.returncode}")
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = command.call_into(full, "run pendulum --step 0.1 --t-end 1 --json")
        if done.returncode != 7:
            wrong.append(f"a full standard output gives exit code {done.returncode}")
    return wrong


MODEL = """sodae: 1
parameters: {N: 1}
equations: {positions: [x, y], mass: [1, 1], force: [0, -9.81], holonomic: [x^2 + y^2 - N]}
initial: {positions: [1, 0]}
run: {t_end: 0.1}
"""

# what is changed in the model, command line, exit code, what the message has to contain
MODELS = [
    (("mass: [1, 1]", "mass: [1, -1]"), "check", 3, ["not positive on the constraints", "v[2]"]),
    (("mass: [1, 1]", "mass: [1, -1]"), "run", 3, ["not positive on the constraints", "v[2]"]),
    (("mass: [1, 1]", "mass: [1, 0]"), "check", 5, ["mass matrix is singular on the constraints"]),
    (("x^2 + y^2 - N", "x^2 + y^2 + N"), "check", 5, ["no state near", "holonomic[1]"]),
    (("[0, -9.81]", "[0, -9.81*Y]"), "check", 3, ["unknown name 'Y'", "did you mean 'y'"]),
    (("[0, -9.81]", "[0, -9.81*NN]"), "check", 3, ["unknown name 'NN'", "did you mean 'N'"]),
    (("run:", "solver: {method: BDF}\nrun:"), "check", 3, ["'BDF'", "did you mean 'bdf'"]),
    (("", ""), "run --set n=2", 2, ["did you mean 'N'"]),
    (("", ""), "replay", 3, ["not the JSON report of a failed run"]),
]


def check_models(command):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.yaml")
        for (old, new), words, code, parts in MODELS:
            with open(path, "w", encoding="utf-8") as file:
                file.write(MODEL.replace(old, new))
            verb, _, more = words.partition(" ")
            done = command.call(f"{verb} {path} {more}")
            if done.returncode != code:
                wrong.append(f"{words} with {new}: exit code {done.returncode}, not {code}: {done.stderr.strip()}")
            wrong += [f"{words} with {new}: '{part}' is not in: {done.stderr.strip()}" for part in parts
                      if part not in done.stderr]
    return wrong


def check_answers(command):
    """What was refused or left unsaid once is answered."""
    noise = "run pendulum --method generalized-alpha --formulation index3 --rho-inf 0.8 "
    answers = [
        ("run pendulum --t-end 0.1 --out -", ["t [s],x,y"]),
        ("check pendulum --set q0=0.5,-1.2", ["moved far: x by -0.115, y by 0.277"]),
        ("list options", ["default 1e-06"]),
        (noise + "--step 1e-7 --t-end 2e-4", ["rounding makes noise", "use formulation stabilized"]),
    ]
    wrong = []
    for words, parts in answers:
        done = command.call(words)
        wrong += [f"sodae {words}: '{part}' is not in the answer" for part in parts if part not in done.stdout]
    if "rounding" in command.call(noise + "--step 1e-5 --t-end 0.02").stdout:
        wrong.append("a warning of rounding at a step of 1e-5")
    if command.report(["papers", "000 Fig. 5.1"])["claims"] != 3:
        wrong.append("papers --json counts other claims")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "x.csv")
        if command.call(f"run pendulum --t-end 0.1 -o {out}").returncode or os.listdir(folder) != ["x.csv"]:
            wrong.append("-o does not write")
    return wrong


def main():
    command = Command(sys.argv[1])
    failed = 0
    for words, code, parts in CASES:
        for line in check_case(command, words, code, parts):
            failed += 1
            print(f"sodae {words}: {line}")
    for line in check_output(command) + check_models(command) + check_answers(command):
        failed += 1
        print(line)
    sys.exit(1 if failed else 0)


main()
