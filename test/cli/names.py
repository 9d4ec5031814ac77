#!/usr/bin/env python3
"""Names on the command line and in model files: what --set changes, reactions of rotations, files that are spared.

usage: names.py SODAE
"""
import json
import math
import os
import subprocess
import sys

from command import Setting, check_claims

BODY = """
sodae: 1
parameters: {J: [1, 2, 3], A: [[2, 1], [1, 2]], m: 2, one: [5]}
equations:
  positions:
    - {name: R, space: SO3, velocities: Om, storage: quaternion}
    - {name: S, space: SO3, velocities: w}
    - x
  mass: ["diag(J)", "diag(J)", m]
  force: ["[1, 0, 0] - cross(Om, diag(J)*Om)", "[1, 0, 0] - cross(w, diag(J)*w)", "-A[1,2]*x"]
  nonholonomic: ["Om[1] + 2*Om[3]", "w[1] + 2*w[3]"]
initial: {positions: {x: 1}, velocities: {Om: [0, 1, 0], w: [0, 1, 0]}}
outputs: {x: 2*x, T: reaction(R), same: reaction(Om), D: reaction(S), part: "reaction(R[1,2])"}
run: {t_end: 0.3}
"""


def reactions_of_a_rotation_do_not_depend_on_its_storage(here):
    end = here.command.report(f"run {here.write(BODY)} --rtol 1e-9")["channels"]
    torque = [[end[f"{name}[{i}]"] for i in (1, 2, 3)] for name in ("T", "same", "D", "part")]
    assert torque[0] == torque[1] == torque[3], torque
    assert all(abs(a - b) < 1e-6 for a, b in zip(torque[0], torque[2])), torque
    psi = end["psi1"]
    assert torque[0] == [-psi, 0, -2 * psi] and abs(psi) > 0.1, (torque, psi)


def a_variable_is_set_where_an_output_has_its_name(here):
    path = here.write(BODY)
    for words in ("x=3", "initial.x=3", "state/x=3"):
        report = here.command.report(f"run {path} --t-end 0 --set {words}")
        assert report["channels"]["state/x"] == 3 and report["channels"]["x"] == 6, words
    done = here.command.call(f"run {path} --set T=3")
    assert done.returncode == 2 and "neither" in done.stderr, done.stderr


def a_rotation_is_set_as_a_whole(here):
    path, half = here.write(BODY), math.sqrt(0.5)
    end = here.command.report(f"run {path} --t-end 0 --set R={half},0,0,{half} --set S=0,-1,0,1,0,0,0,0,1")["channels"]
    assert end["R.z"] == half and end["S[2,1]"] == 1 and end["S[1,1]"] == 0
    for words, code, said in (("R.w=1", 2, "all 4 of them"), ("S[1,1]=1", 2, "all 9 of them"), ("R=1,0,0", 2, "3 are given"),
                              ("R=1,1,0,0", 5, "length 1")):
        done = here.command.call(f"run {path} --set {words}")
        assert done.returncode == code and said in done.stderr, (words, done.stderr)


def vectors_and_matrices_are_parameters(here):
    path, out = here.write(BODY), os.path.join(here.folder, "run.h5")
    for words, wanted in (("--set J=4,5,6", {"J": [4, 5, 6]}), ("--set J=[4,5,6]", {"J": [4, 5, 6]}),
                          ("--set A=[[1,0],[0,1]]", {"A": [[1, 0], [0, 1]]}), ("--set m=atan2(0,1)+1", {"m": 1}),
                          ("", {})):
        here.command.report(f"run {path} --out {out} {words}")
        script = "import h5py, sys; print(h5py.File(sys.argv[1], 'r').attrs['parameters'].decode())"
        done = subprocess.run(["/usr/bin/python3", "-c", script, out], capture_output=True, text=True, check=False)
        assert json.loads(done.stdout) == dict({"J": [1, 2, 3], "A": [[2, 1], [1, 2]], "m": 2, "one": 5}, **wanted), done
    done = here.command.call(f"run {path} --set J=1,2")
    assert done.returncode == 3 and "vector of 3" in done.stderr, done.stderr


def files_that_the_model_is_read_from_are_not_written_over(here):
    os.mkdir(os.path.join(here.folder, "sub"))
    table = here.write("s,z\n0,0\n1,1\n", "sub/table.csv")
    model = here.write(BODY + "data: {f: {file: sub/table.csv, x: s, y: z}}\n")
    os.symlink(model, os.path.join(here.folder, "link.csv"))
    texts = [open(p, encoding="utf-8").read() for p in (model, table)]
    for verb in ("run --out", "run --checkpoint", "sweep --vary m=1,2 --out", "compare --methods bdf --out",
                 "converge --step 0.1 --out"):
        for path in (model, table, os.path.join(here.folder, "link.csv")):
            words = verb.split()
            done = here.command.call([words[0], model, *words[1:], path])
            assert done.returncode == 7 and "the model is read from it" in done.stderr, (verb, path, done.stderr)
    assert texts == [open(p, encoding="utf-8").read() for p in (model, table)]
    done = here.command.call(f"run {model} --out {here.folder}/a.csv --checkpoint {here.folder}/a.csv")
    assert done.returncode == 2 and "the same file" in done.stderr, done.stderr


CLAIMS = [
    reactions_of_a_rotation_do_not_depend_on_its_storage,
    a_variable_is_set_where_an_output_has_its_name,
    a_rotation_is_set_as_a_whole,
    vectors_and_matrices_are_parameters,
    files_that_the_model_is_read_from_are_not_written_over,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], None, folder),))
