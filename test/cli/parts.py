#!/usr/bin/env python3
"""Models in several files: include, use, and restarts without these files.

usage: parts.py SODAE EXAMPLES
"""
import csv
import os
import shutil
import sys

from command import Setting, check_claims

FLAT = """
sodae: 1
parameters: {M: 600, J: 900, a: 1.2, b: 1.4, k: 2e4, c: 1500, tyre: 2e5}
data: {road: {file: parts/road.csv, x: t, y: height, spline: cubic}}
let:
  front: k*(y + a*phi - z1) + c*(v_y + a*v_phi - v_z1)
  rear: k*(y - b*phi - z2) + c*(v_y - b*v_phi - v_z2)
equations:
  positions: [y, phi, z1, z2]
  mass: [M, J, 40, 50]
  force: [-front - rear, -a*front + b*rear, front - tyre*(z1 - road(t)), rear - tyre*(z2 - road(t))]
initial: {positions: [0, 0, 0, 0]}
solver: {rtol: 1e-6}
run: {t_end: 2}
"""

LEVEL = """
sodae: 1
equations: {positions: ["x%d"], force: ["-x%d"]}
initial: {positions: [1]}
"""

SPATIAL = """
sodae: 1
parameters: {J: [1, 2, 3], N: 2}
equations:
  positions:
    - {name: R, space: SO3, velocities: w}
    - {repeat: {i: 1..N}, item: "x[i]"}
  mass: ["J", {repeat: {i: 1..N}, item: i}]
  force: ["-cross(w, diag(J)*w)" , {repeat: {i: 1..N}, item: "-x[i]"}]
initial: {positions: {R: {axis: [0, 0, 1], angle: 0.3}, "x[1]": 1}, velocities: {w: [0.1, 1, 0.2]}}
run: {t_end: 1}
"""


def write(here, name, text):
    path = os.path.join(here.folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def rows(here, *words):
    done = here.command.call(["run", *words, "--quiet", "--out", "-"])
    assert done.returncode == 0, done.stderr
    head, *lines = csv.reader(done.stdout.splitlines())
    return head, lines


def refusal(here, path):
    done = here.command.call(["check", path])
    assert done.returncode == 3, (done.stdout, done.stderr)
    return done.stderr


def copy_of_example(here):
    shutil.copy(os.path.join(here.examples, "half-car.yaml"), here.folder)
    shutil.copytree(os.path.join(here.examples, "parts"), os.path.join(here.folder, "parts"), dirs_exist_ok=True)
    return os.path.join(here.folder, "half-car.yaml")


def sub_models_are_the_equations_written_out(here):
    car = copy_of_example(here)
    names, parts = rows(here, car)
    _, flat = rows(here, write(here, "flat.yaml", FLAT))
    assert names[1:9] == ["y [m]", "phi [rad]", "front_z [m]", "rear_z [m]", "v_y [m/s]", "v_phi [rad/s]",
                          "v_front_z [m/s]", "v_rear_z [m/s]"], names
    assert len(parts) > 20 and [line[:13] for line in parts] == [line[:13] for line in flat]
    assert rows(here, car, "--set", "front_m=44")[1][-1] != parts[-1]


def a_sub_model_may_rotate_and_repeat(here):
    alone = rows(here, write(here, "turn.yaml", SPATIAL), "--step", "0.1")
    both = rows(here, write(here, "two.yaml", "sodae: 1\nuse: {a: {file: turn.yaml}, b: {file: turn.yaml, set: {N: 3}}}\n"
                                              "run: {t_end: 1}\n"), "--step", "0.1")
    of = {name: i for i, name in enumerate(both[0])}
    for i, name in enumerate(alone[0]):
        if name in ("R[2,1]", "w[1]", "x[2]", "v_x[1]"):
            prefixed = name.replace("v_x", "v_a_x") if name.startswith("v_") else "a_" + name
            assert abs(float(alone[1][-1][i]) - float(both[1][-1][of[prefixed]])) < 1e-9, (name, alone[1][-1][i], both[1][-1][of[prefixed]])
    assert "b_x[3]" in of and "a_x[3]" not in of and abs(float(alone[1][-1][alone[0].index("R[2,1]")])) > 0.1


def an_included_file_gives_what_the_model_does_not(here):
    write(here, "common.yaml", "parameters: {k: 4, m: 2*k}\nsolver: {rtol: 1e-9}\nrun: {t_end: 1}\n")
    own = "sodae: 1\ninclude: common.yaml\nparameters: {k: 9}\nequations: {positions: [x], mass: [m], force: [-k*x]}\n" \
          "initial: {positions: [1]}\n"
    written_out = own.replace("include: common.yaml", "solver: {rtol: 1e-9}\nrun: {t_end: 1}").replace("k: 9", "k: 9, m: 2*k")
    assert rows(here, write(here, "own.yaml", own)) == rows(here, write(here, "out.yaml", written_out))


def errors_name_the_file_the_line_and_the_column(here):
    car = copy_of_example(here)
    part = os.path.join(here.folder, "parts", "axle.yaml")
    with open(part, encoding="utf-8") as file:
        text = file.read()
    write(here, "parts/axle.yaml", text.replace("tyre*(z - road(t))]", "tyre*(zz - road(t))]"))
    at = text.splitlines().index("  force: [F - tyre*(z - road(t))]") + 1
    place = f"parts/axle.yaml:{at}:{len('  force: [F - tyre*(') + 1}: unknown name 'zz'"
    assert place in refusal(here, car), refusal(here, car)
    write(here, "parts/axle.yaml", text)
    wrong = write(here, "wrong.yaml", "sodae: 1\nuse: {a: {file: parts/axle.yaml, set: {boddy: 1}}}\n")
    said = refusal(here, wrong)
    assert "wrong.yaml:2:40: use.a: 'boddy'" in said and "did you mean 'body'?" in said, said


def files_outside_cycles_and_depth_are_refused(here):
    write(here, "ring.yaml", "include: ring2.yaml\n")
    write(here, "ring2.yaml", "use: {b: {file: ring.yaml}}\n")
    assert "a cycle" in refusal(here, write(here, "a.yaml", "sodae: 1\nuse: {a: {file: ring.yaml}}\n"))
    write(here, "deep/x.yaml", "sodae: 1\n")
    os.symlink("/etc/passwd", os.path.join(here.folder, "deep", "link.yaml"))
    for name in ("../a.yaml", "link.yaml"):
        assert "it lies elsewhere" in refusal(here, write(here, "deep/out.yaml", f"include: {name}\n"))
    for i in range(10):
        use = f"use: {{p: {{file: l{i + 1}.yaml}}}}\n" if i < 9 else ""
        write(here, f"l{i}.yaml", LEVEL % (i, i) + use)
    assert "more than 8 levels" in refusal(here, os.path.join(here.folder, "l0.yaml"))
    names, _ = rows(here, os.path.join(here.folder, "l1.yaml"), "--t-end", "0.1")
    assert names[1:4] == ["x1", "p_x2", "p_p_x3"] and names[9] == "p_" * 8 + "x9", names


def a_restart_file_needs_no_other_file(here):
    car = copy_of_example(here)
    whole, part = (os.path.join(here.folder, name) for name in ("whole.csv", "part.csv"))
    assert here.command.call(["run", car, "--quiet", "--out", whole]).returncode == 0
    restart = part + ".restart"
    done = here.command.call(["run", car, "--quiet", "--out", part, "--checkpoint", restart, "--max-steps", "30"])
    assert done.returncode == 5, done.stderr
    shutil.rmtree(os.path.join(here.folder, "parts"))
    os.unlink(car)
    done = here.command.call(["resume", restart, "--quiet", "--max-steps", "100000"])
    assert done.returncode == 0, done.stderr
    with open(whole, "rb") as a, open(part, "rb") as b:
        assert a.read() == b.read()


if __name__ == "__main__":
    check_claims([
        sub_models_are_the_equations_written_out,
        a_sub_model_may_rotate_and_repeat,
        an_included_file_gives_what_the_model_does_not,
        errors_name_the_file_the_line_and_the_column,
        files_outside_cycles_and_depth_are_refused,
        a_restart_file_needs_no_other_file,
    ], lambda folder: [Setting(sys.argv[1], sys.argv[2], folder)])
