#!/usr/bin/env python3
"""Results by name: channels, units, outputs, files of all kinds, pictures.

usage: results.py SODAE
"""
import csv
import io
import json
import math
import os
import resource
import signal
import subprocess
import sys
import time

from command import Setting, check_claims
from pendulum import PENDULUM

NAMES = ["t", "x", "y", "v_x", "v_y", "a_x", "a_y", "T", "energy", "power", "tip[1]", "tip[2]",
         "inertia[1]", "inertia[2]", "pull[1]", "pull[2]"]
UNITS = {"t": "s", "x": "m", "y": "m", "v_x": "m/s", "v_y": "m/s", "a_x": "m/s^2", "a_y": "m/s^2",
         "T": "N", "energy": "J", "power": "W", "tip[1]": "m", "tip[2]": "m"}

EVENTS = "events: [{name: never, when: x - 100}, {name: low, when: x}]\n"

BODY = """
sodae: 1
equations:
  positions:
    - {name: p, space: R3}
    - {name: R, space: SO3, velocities: Om}
    - {name: P, space: SO3, storage: quaternion}
  force: [[0, 0, -1], [0, 0, 0], [0, 0, 0]]
initial: {positions: {p: [1, 2, 3], R: {axis: [0, 0, 1], angle: pi/2}}, velocities: {Om: [0, 0, 1]}}
run: {t_end: 0.1}
"""

SWINGING = """
sodae: 1
equations: {positions: [x, y], force: [-x, -y]}
initial: {positions: {x: 1}}
events: [{name: zero, when: x}]
run: {t_end: 5e5}
"""


def table(text):
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def with_unit(name):
    return f"{name} [{UNITS[name]}]" if name in UNITS else name


def every_number_has_a_name_and_a_unit_in_all_formats(here):
    path, out = here.write(PENDULUM), os.path.join(here.folder, "run")
    report = here.command.report(f"run {path} --out {out}.csv")
    here.command.report(f"run {path} --out {out}.h5")
    header, rows = table(open(out + ".csv", encoding="utf-8").read())
    assert header == [with_unit(name) for name in NAMES], header
    assert list(report["channels"]) == NAMES and report["units"] == UNITS, report["channels"]
    assert list(report["channels"].values()) == rows[-1], "JSON and CSV agree"
    stdout = here.command.call(f"run {path} --out -").stdout
    exported = here.command.call(f"export {out}.h5 --csv").stdout
    assert stdout == exported == open(out + ".csv", encoding="utf-8").read(), "byte for byte"
    text = here.command.call(f"run {path}").stdout
    for name in NAMES[1:]:
        assert any(line.split()[:1] == [name] for line in text.splitlines()), name


def h5py_finds_the_same_names_and_numbers(here):
    path, out = here.write(PENDULUM + EVENTS), os.path.join(here.folder, "run")
    here.command.report(f"run {path} --out {out}.csv")
    report = here.command.report(f"run {path} --out {out}.h5")
    script = """
import h5py, json, sys
f = h5py.File(sys.argv[1], 'r')
found = {}
for at in f.attrs['datasets']:
    d = f[at]
    for i, name in enumerate(d.attrs['names']):
        found[name] = list(d[:, i] if d.ndim == 2 else d[:])
scale = f['state/q'].dims[1][0]
print(json.dumps([found, [n.decode() for n in scale], f['state/q'].dims[0].keys(), int(f.attrs['finished']),
                  [f['events/names'][i].decode() for i in f['events/event']], list(f['events/t']),
                  f.attrs['model'].decode(), f['outputs/power'].attrs['units'].decode(),
                  [f['events/' + n].dims[0][0].name for n in ('event', 'row')]]))
"""
    done = subprocess.run(["/usr/bin/python3", "-c", script, out + ".h5"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found, scale, time_scale, finished, names, times, model, unit, event_scales = json.loads(done.stdout)
    _, rows = table(open(out + ".csv", encoding="utf-8").read())
    assert list(found) == NAMES and list(zip(*found.values())) == [tuple(row) for row in rows]
    assert scale == ["x", "y"] and time_scale == ["time"] and finished == 1 and unit == "W"
    assert model == PENDULUM + EVENTS and event_scales == ["/events/t"] * 2
    assert list(zip(names, times)) == [(e["name"], e["t"]) for e in report["events"]] and "low" in names
    assert f"events       {len(times)}: low {len(times)}\n" in here.command.call(f"info {out}.h5").stdout


MECHANISM = """
sodae: 1
planar: true
gravity: [0, -9.81]
bodies: {rod: {mass: 1, inertia: 0.1, at: [0.5, 0]}}
joints: {pin: {revolute: [ground, rod], at: [0, 0]}}
equations: {dynamic: {states: [heat], rates: [rate(pin)^2]}}
outputs: {load: norm(force(pin))}
run: {t_end: 0.2}
"""


def numbers_of_bodies_have_units_in_their_states_too(here):
    units = here.command.report(f"run {here.write(MECHANISM)}")["units"]
    wanted = {"rod.x": "m", "rod.angle": "rad", "rod.vy": "m/s", "a_rod.y": "m/s^2", "a_rod.angle": "rad/s^2",
              "joints/pin/force[1]": "N", "bodies/rod/position[2]": "m"}
    assert {name: units.get(name) for name in wanted} == wanted and not {"heat", "load", "pin.x"} & set(units), units
    units = here.command.report(f"run {here.write(MECHANISM + 'units: {position: mm, heat: J}')}")["units"]
    assert (units["rod.x"], units["rod.vx"], units["rod.angle"], units["heat"]) == ("mm", "mm/s", "rad", "J"), units


def xarray_opens_every_group_with_time_as_its_dimension(here):
    out = os.path.join(here.folder, "run.h5")
    here.command.report(f"run {here.write(MECHANISM)} --out {out}")
    code = """
import h5py, sys, xarray
f = h5py.File(sys.argv[1], 'r')
time = f['time'][:]
groups = {path.rpartition('/')[0] for path in (p.decode() if isinstance(p, bytes) else p for p in f.attrs['datasets'])}
for group in groups - {''}:
    data = xarray.open_dataset(sys.argv[1], group=group, engine='h5netcdf')
    for name, x in data.data_vars.items():
        assert x.dims[0] == 'time' and (x.values == f[group][name][()]).all(), (group, name)
    if group == 'state':
        assert list(data['q_names'].values) == ['rod.x', 'rod.y', 'rod.angle'], data['q_names']
print(*sorted(groups))"""
    done = subprocess.run(["/usr/bin/python3", "-c", code, out], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["bodies/rod", "energy", "joints/pin", "outputs", "quality", "state"], done.stdout


def outputs_are_expressions_of_accelerations_multipliers_and_reactions(here):
    path = here.write(PENDULUM)
    for how in ("", "--step 0.01 --method generalized-alpha --output-step 0.01"):
        _, rows = table(here.command.call(f"run {path} --out - {how}").stdout)
        for row in rows:
            at = dict(zip(NAMES, row))
            for i in "12":  # M v' = f + reactions
                off = abs(at[f"inertia[{i}]"] - at[f"pull[{i}]"])
                assert off < (1e-9 if not how else 2e-3), (at["t"], off)
            assert abs(at["pull[1]"] + 2 * at["x"] * at["T"]) < 1e-12 and at["tip[2]"] == 2 * at["y"]


def rotations_have_names_for_all_their_numbers(here):
    report = here.command.report(f"run {here.write(BODY)}")
    names = list(report["channels"])
    assert names[1:17] == ["p[1]", "p[2]", "p[3]"] + [f"R[{i},{j}]" for i in "123" for j in "123"] + [
        "P.w", "P.x", "P.y", "P.z"], names
    assert names[17:26] == ["v_p[1]", "v_p[2]", "v_p[3]", "Om[1]", "Om[2]", "Om[3]",
                            "v_P[1]", "v_P[2]", "v_P[3]"], names[17:26]
    assert abs(report["channels"]["R[1,1]"] + math.sin(0.1)) < 1e-6, report["channels"]["R[1,1]"]
    assert report["channels"]["P.w"] == 1
    header, _ = table(here.command.call(f"run {here.write(BODY)} --out - --channels R,p.z").stdout)
    assert {report["units"][name] for name in ("Om[1]", "v_P[3]")} == {"rad/s"} and report["units"]["a_R[2]"] == "rad/s^2"
    assert header == ["t [s]", "p[3]"] + [f"R[{i},{j}]" for i in "123" for j in "123"], header


def channels_are_chosen_by_name_wildcard_and_vector(here):
    path = here.write(PENDULUM)
    for names, found in (("x", "t x"), ("v_*,tip", "t v_x v_y tip[1] tip[2]"), ("tip.y", "t tip[2]"),
                         ("pull[2],T", "t T pull[2]")):
        header, _ = table(here.command.call(["run", path, "--out", "-", "--channels", names]).stdout)
        assert header == [with_unit(name) for name in found.split()], header
    done = here.command.call(["run", path, "--out", "-", "--channels", "x,hight"])
    assert done.returncode == 2 and "'hight'" in done.stderr and done.stdout == "", done.stderr


def clashing_names_get_the_path_of_the_state(here):
    path = here.write(PENDULUM.replace("power: -m*g*v_y", "x: 10*x\n  a_y: 7").replace("power: W, ", ""))
    report = here.command.report(f"run {path}")["channels"]
    assert report["x"] == 10 * report["state/x"] and report["a_y"] == 7 != report["state/a_y"]
    header, _ = table(here.command.call(["run", path, "--out", "-", "--channels", "state/x"]).stdout)
    assert header == ["t [s]", "state/x [m]"], header
    path = here.write(PENDULUM.replace("energy: J}", "energy: J, F: kN}").replace("outputs:", "let: {F: m*g}\noutputs:\n  F: F"))
    assert here.command.report(f"run {path}")["units"]["F"] == "kN"  # a definition has no unit, the output of its name has one


def initial_values_are_set_by_name(here):
    path = here.write(PENDULUM)
    for words in ("--set x=0.9 --set y=1.2", "--set initial.x=0.9 --set initial.y=1.2", "--set q0=0.9,1.2"):
        report = here.command.report(f"run {path} --set v_y=0 --set initial.v_x=0 --t-end 0 {words}")
        assert report["q"] == [0.9, 1.2] and report["v"] == [0, 0], report["q"]
    body = here.write(BODY, "body.yaml")
    done = here.command.call(f"run {body} --set p=3,2,1 --t-end 0 --json")
    assert json.loads(done.stdout)["q"][:3] == [3, 2, 1]
    for words, said in (("--set z=1", "'z'"), ("--set xx=1", "'x'"), ("--set x=1,2", "2 are given"),
                        ("--set x=a", "not 'a'"), ("--set a_x=1", "neither")):
        done = here.command.call(f"run {path} {words}")
        assert done.returncode == 2 and said in done.stderr, (words, done.stderr)
    done = here.command.call(["run", body, "--set", "R[1,1]=2"])
    assert done.returncode == 2 and "rotation" in done.stderr, done.stderr


def the_energy_drift_is_printed_only_where_the_energy_is_conserved(here):
    text = here.command.call(f"run {here.write(PENDULUM)}").stdout
    assert "energy drift" in text
    plain = here.write(PENDULUM.replace(", conserved: true", ", conserved: false"))
    report = here.command.report(f"run {plain}")
    assert "drift" not in report["energy"] and "energy drift" not in report["verdict"]
    assert "energy" in report["channels"]


def bad_units_and_outputs_are_named_with_their_place(here):
    for old, new, said in (("units: {x: m", "units: {xx: m", "'xx'"), ("power: -m", "power: -mm", "'mm'"),
                           ("reaction(x)", "reaction(m)", "a position or a velocity"),
                           ("reaction(x)", "reaction(x, y)", "one argument"),
                           ("m*a_x", "m*a_z", "'a_z'"), ("  power:", "  po wer:", "not a name"),
                           ("conserved: true", "conserved: yes please", "true or false"),
                           ("{x: L}", "{z: L}", "'z'"), ("force: [0,", "force: [a_x,", "'a_x'")):
        path = here.write(PENDULUM.replace(old, new))
        done = here.command.call(f"run {path}")
        assert done.returncode == 3 and said in done.stderr and f"{path}:" in done.stderr, (new, done.stderr)


def start_endless(here, out):
    return subprocess.Popen([here.command.program, "run", here.write(SWINGING), "--step", "1e-3", "--out", out],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def signals_close_hdf5_with_what_is_there(here):
    out = os.path.join(here.folder, "run.h5")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
        run = start_endless(here, out)
        time.sleep(0.5)
        run.send_signal(number)
        _, said = run.communicate(timeout=20)
        info = here.command.report(f"info {out}")
        until = info["channels"][0]["largest"]
        assert run.returncode == code and f"up to t = {until:.9g}" in said, said
        assert not info["finished"] and "interrupted by SIG" in info["verdict"], info["verdict"]
        assert info["rows"] == round(until / 1e-3) + 1 + info["events"], info  # one more at each event


def max_seconds_ends_a_run_as_sigterm_does(here):
    out = os.path.join(here.folder, "run.csv")
    done = here.command.call(f"run {here.write(SWINGING)} --step 1e-3 --max-seconds 0.5 --out {out}")
    rows = open(out, encoding="utf-8").readlines()
    assert done.returncode == 143 and "ended by --max-seconds" in done.stderr and len(rows) > 1, done.stderr
    assert f"up to t = {float(rows[-1].split(',')[0]):.9g} in {out}" in done.stderr, done.stderr
    done = here.command.call(f"run {here.write(SWINGING)} --step 1e-3 --t-end 1 --max-seconds 1000 --quiet")
    assert done.returncode == 0 and not done.stderr, done.stderr


def wait_for_rows(here, out, least):
    """The first report on a file that is being written with more than `least` rows."""
    while True:
        done = here.command.call(f"info {out} --json")
        info = json.loads(done.stdout) if done.returncode == 0 else {"rows": 0}
        if info["rows"] > least:
            return info
        time.sleep(0.1)


def a_killed_run_keeps_its_rows(here):
    for name in ("run.h5", "run.csv"):
        out = os.path.join(here.folder, name)
        run = start_endless(here, out)
        first = wait_for_rows(here, out, 1000)
        alive = wait_for_rows(here, out, first["rows"])  # rows are written while it runs
        run.kill()
        run.communicate()
        info = here.command.report(f"info {out}")
        assert info["rows"] >= alive["rows"], (name, alive["rows"], info["rows"])
        if name == "run.h5":
            assert alive["being_written"] and not info["being_written"] and not info["finished"]
            rows = here.command.call(f"export {out} --csv --channels x").stdout
            assert len(rows.splitlines()) == info["rows"] + 1


def a_full_disk_stops_the_run_and_keeps_what_was_written(here):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (3 << 20, 3 << 20))
    for name in ("run.h5", "run.csv"):
        out = os.path.join(here.folder, name)
        done = here.command.call(f"run {here.write(SWINGING)} --step 1e-3 --out {out}", preexec_fn=limited)
        assert done.returncode == 7 and "File too large" in done.stderr, done.stderr
        info = here.command.report(f"info {out}")
        assert info["rows"] > 1000, info["rows"]
        assert f"up to t = {info['channels'][0]['largest']:.9g} in {out}" in done.stderr, done.stderr
    part, whole = (os.path.join(here.folder, name) for name in ("run.h5", "whole.h5"))
    done = here.command.call(f"resume {part}.restart --t-end 3 --quiet")  # there is room again
    assert done.returncode == 0, done.stderr
    here.command.report(f"run {here.write(SWINGING)} --step 1e-3 --t-end 3 --out {whole}")
    same = here.command.report(f"diff {part} {whole}")
    assert same["rows"] == [same["common_rows"]] * 2 and not any(c["difference"] for c in same["channels"].values()), same
    done = here.command.call(f"run {here.write(SWINGING)} --step 1e-3 --out /dev/full")
    assert done.returncode == 7 and "No space left" in done.stderr, done.stderr


def diff_finds_the_largest_difference_of_each_channel(here):
    path, a, b = here.write(PENDULUM), os.path.join(here.folder, "a.h5"), os.path.join(here.folder, "b.csv")
    here.command.report(f"run {path} --out {a}")
    here.command.report(f"run {path} --out {b} --channels x,y,T")
    same = here.command.report(f"diff {a} {b}")
    assert all(c["difference"] == 0 for c in same["channels"].values()) and same["common_rows"] == 21
    assert set(same["only_in_one"]) == set(NAMES) - {"t", "x", "y", "T"}, same["only_in_one"]
    here.command.report(f"run {path} --set m=2.5 --set L=1.6 --output-step 0.1 --out {b}")
    other = here.command.report(f"diff {a} {b}")
    assert other["common_rows"] == 11 and 0.1 <= other["channels"]["x"]["difference"] < 1, other


def foreign_and_damaged_files_are_refused_with_the_reason(here):
    path, out = here.write(PENDULUM), os.path.join(here.folder, "a.h5")
    here.command.report(f"run {path} --out {out}")
    whole = open(out, "rb").read()
    cut = os.path.join(here.folder, "cut.h5")
    for size in (0, 10, 100, 1000, len(whole) // 2):
        with open(cut, "wb") as file:
            file.write(whole[:size])
        done = here.command.call(f"info {cut}")
        assert done.returncode == 3 and "damaged" in done.stderr, (size, done.stderr)
    done = here.command.call(f"info {path}")
    assert done.returncode == 3 and done.stderr.startswith("sodae: cannot read"), done.stderr
    done = here.command.call(f"diff {out}")
    assert done.returncode == 2 and "two files" in done.stderr


def pictures_are_drawn_with_names_and_units(here):
    out, picture = os.path.join(here.folder, "a.h5"), os.path.join(here.folder, "f.svg")
    path = here.write(PENDULUM + "events: [{name: low, when: x}]\n")
    here.command.report(f"run {path} --out {out}")
    done = here.command.call(f"plot {out} x y T -o {picture}")
    text = open(picture, encoding="utf-8").read()
    assert done.returncode == 0 and done.stderr == "", done.stderr
    for word in ("T [N]", "t [s]", ">x<", ">y<", "[m]"):
        assert word in text, word
    assert here.command.call(f"plot {out} y --against x -o {picture}").returncode == 0
    assert "x [m]" in open(picture, encoding="utf-8").read()
    png = os.path.join(here.folder, "f.png")
    assert here.command.call(f"plot {out} power --log -o {png}").returncode == 0
    assert open(png, "rb").read(4) == b"\x89PNG"
    page = os.path.join(here.folder, "f.html")
    assert here.command.call(f"plot {out} x T -o {page}").returncode == 0
    text = open(page, encoding="utf-8").read()
    assert text.count("series:[") >= 2 and '"T [N]"' in text and '"t [s]"' in text and "https://" not in text.replace(
        "https://github.com/leeoniya/uPlot", "")
    for end in ("svg", "png", "html"):
        done = here.command.call(f"plot {out} x -o {here.folder}/none/f.{end}")
        assert done.returncode == 7 and done.stderr.startswith("sodae: cannot write") and "No such file" in done.stderr, done.stderr
    for words, said in ((f"plot {out} zz -o {png}", "'zz'"), (f"plot {out} x", "-o"), (f"plot {out}", "channels")):
        done = here.command.call(words)
        assert done.returncode == 2 and said in done.stderr, done.stderr


def a_page_draws_over_a_channel_in_the_order_of_the_rows(here):
    out, page = os.path.join(here.folder, "a.h5"), os.path.join(here.folder, "f.html")
    here.command.report(f"run {here.write(PENDULUM)} --out {out} --t-end 3")
    _, rows = table(here.command.call(f"export {out} --csv --channels x,y").stdout)
    assert here.command.call(f"plot {out} y --against x -o {page}").returncode == 0
    text = open(page, encoding="utf-8").read()
    order = json.loads(text.split("],rows=")[1].split(",panes=")[0])
    x, y = (json.loads(f"[{part}]") for part in text.split("data:[[")[1].split("]]}")[0].split("],["))
    assert x == sorted(x) and [(x[i], y[i]) for i in order] == [(float(f"{r[1]:.9g}"), float(f"{r[2]:.9g}")) for r in rows]
    here.command.call(f"plot {out} y -o {page}")
    assert "rows=null" in open(page, encoding="utf-8").read()


def curves_of_one_pane_differ_by_colour_or_dash(here):
    outputs = "outputs: {" + ", ".join(f"o{i}: {i}*x" for i in range(20)) + "}\n"
    out, page = os.path.join(here.folder, "a.h5"), os.path.join(here.folder, "f.html")
    here.command.report(f"run {here.write(SWINGING + outputs)} --out {out} --t-end 1")
    assert here.command.call(["plot", out, "o*", "-o", page]).returncode == 0
    series = json.loads(open(page, encoding="utf-8").read().split("{series:")[1].split(",data:")[0])
    assert len(series) == 20 == len({tuple(one[1:]) for one in series}), series


def a_new_model_runs_and_is_not_overwritten(here):
    name = os.path.join(here.folder, "first")
    assert here.command.call(f"new {name}").returncode == 0
    report = here.command.report(f"run {name}.yaml")
    assert report["problem"] == "first" and {"height", "pull[1]", "tension"} <= set(report["channels"])
    assert here.command.call(f"new {name}").returncode == 7


def a_quiet_run_prints_nothing_and_a_long_report_is_cut(here):
    path = here.write(PENDULUM)
    done = here.command.call(f"run {path} --quiet")
    assert done.returncode == 0 and done.stdout == "" and done.stderr == ""
    many = here.write("sodae: 1\nequations: {positions: [{name: x, size: 300}], force: [{repeat: {i: 1..300}, item: 0}]}\n"
                      "initial: {positions: {}}\nrun: {t_end: 0.1}\n".replace("{}", "{\"x[1]\": 1}"))
    text = here.command.call(f"run {many}").stdout
    assert 40 < len(text.splitlines()) < 60 and "and 860 more" in text, text[-300:]
    done = here.command.call(f"run {path} --out - --json")
    assert done.returncode == 2 and "exclude" in done.stderr


DATA = """
sodae: 1
parameters: {k: 3}
data:
  road: {file: sub/road.csv, x: s, y: z, spline: cubic}
  line: {x: [0, 1, 2], y: [0, k, 4]}
outputs: {high: road(x), low: line(-1), up: line(4), at: line(0.5), whole: floor(-x), rest: "mod(-x, 2)"}
equations:
  positions: [x, y]
  force: [0, 0]
  holonomic: [y - road(x)]
initial: {positions: {x: 1, y: 0.84}, velocities: {v_x: 1, v_y: 0.54}}
energy: {expression: (v_x^2 + v_y^2)/2, conserved: true}
run: {t_end: 2}
"""


def tables_and_splines_are_functions_of_a_model(here):
    os.mkdir(os.path.join(here.folder, "sub"))
    here.write("s [m],z [m]\n" + "".join(f"{i * 0.1},{math.sin(i * 0.1)}\n" for i in range(64)), "sub/road.csv")
    for rtol, most in ((1e-5, 1e-3), (1e-8, 1e-6)):
        report = here.command.report(f"run {here.write(DATA)} --rtol {rtol}")
        end = report["channels"]
        left = report["residual"]["position"]  # what Newton leaves: a part of the tolerance
        assert abs(end["y"] - math.sin(end["x"])) < 1e-5 and left < 0.1 * rtol
        assert abs(abs(end["high"] - end["y"]) - left) < 1e-15, (end, left)
        assert report["energy"]["relative_drift"] < most, report["energy"]  # slopes and curvature are right
    assert (end["low"], end["up"], end["at"]) == (-3, 6, 1.5), end
    assert end["whole"] == math.floor(-end["x"]) and abs(end["rest"] - (-end["x"]) % 2) < 1e-15
    for old, new, said in (("sub/road.csv", "../road.csv", "below the model's folder"), ("y: z", "y: q", "'q'"),
                           ("sub/road.csv", "/etc/passwd", "below the model's folder"),
                           ("[0, 1, 2]", "[0, 2, 2]", "does not increase"), ("[0, 1, 2]", "[0, 2]", "2 numbers"),
                           ("spline: cubic", "spline: quintic", "cubic or linear"), ("line(0.5)", "line(1, 2)", "one argument"),
                           ("  line:", "  k:", "used twice")):
        done = here.command.call(f"run {here.write(DATA.replace(old, new))}")
        assert done.returncode == 3 and said in done.stderr, (new, done.stderr)
    os.symlink("/etc", os.path.join(here.folder, "out"))
    done = here.command.call(f"run {here.write(DATA.replace('sub/road.csv', 'out/passwd'))}")
    assert done.returncode == 3 and "below the model's folder" in done.stderr, done.stderr


def a_table_may_be_a_csv_of_results(here):
    """Names with commas stand in quotes, and lines may be long."""
    here.write(BODY + "outputs: {" + ", ".join(f"o{i}: {i}*t" for i in range(400)) + "}\n")
    done = here.command.call(f"run {os.path.join(here.folder, 'model.yaml')} --out {here.folder}/own.csv --step 0.01")
    assert done.returncode == 0 and len(open(f"{here.folder}/own.csv", encoding="utf-8").readlines()[2]) > 4096, done.stderr
    path = here.write("sodae: 1\ndata: {f: {file: own.csv, x: t, y: o399}, g: {file: own.csv, x: t, y: 'R[1,1]'}}\n"
                      "equations: {positions: [x], force: [0]}\ninitial: {positions: [0]}\noutputs: {f: f(0.05), g: g(0)}\nrun: {t_end: 0.1}\n", "reads.yaml")
    end = here.command.report(f"run {path}")["channels"]
    assert abs(end["f"] - 399 * 0.05) < 1e-12 and abs(end["g"]) < 1e-15, (end["f"], end["g"])


def bash_completes_commands_flags_and_problems(here):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "sodae.bash")
    path = os.path.dirname(os.path.abspath(here.command.program))
    for words, found in (("sodae swe", "sweep"), ("sodae run --max-sec", "--max-seconds"), ("sodae run heavy-top-s", "heavy-top-se3"),
                         ("sodae list meth", "methods"), ("sodae run x.yaml --rho-", "--rho-inf"),
                         ("sodae compare x.yaml --methods radau", "radau-iia"), ("sodae run --formulation minimal", "minimal-extension")):
        bash = f"source {script}; COMP_WORDS=({words}); COMP_CWORD={len(words.split()) - 1}; _sodae; echo ${{COMPREPLY[@]}}"
        done = subprocess.run(["bash", "-c", bash], capture_output=True, text=True, check=False, cwd=here.folder,
                              env=dict(os.environ, PATH=path + ":" + os.environ["PATH"]))
        assert done.stdout.split() == [found], (words, done.stdout, done.stderr)


def zsh_completes_commands_flags_and_problems(here):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "cli", "_sodae")
    path = os.path.dirname(os.path.abspath(here.command.program))
    for words, found in (("sodae swe", "sweep"), ("sodae run --max-sec", "--max-seconds"), ("sodae run heavy-top-s", "heavy-top-se3"),
                         ("sodae list meth", "methods"), ("sodae run x.yaml --rho-", "--rho-inf"),
                         ("sodae compare x.yaml --methods radau", "radau-iia"), ("sodae run --formulation minimal", "minimal-extension")):
        zsh = f"compadd() {{ print -l -- $@ }}; _files() {{ }}; words=({words}); CURRENT={len(words.split())}; source {script}"
        done = subprocess.run(["zsh", "-f", "-c", zsh], capture_output=True, text=True, check=False, cwd=here.folder,
                              env=dict(os.environ, PATH=path + ":" + os.environ["PATH"]))
        assert found in done.stdout.split() and not done.stderr, (words, done.stdout, done.stderr)


CLAIMS = [
    zsh_completes_commands_flags_and_problems,
    bash_completes_commands_flags_and_problems,
    tables_and_splines_are_functions_of_a_model,
    a_table_may_be_a_csv_of_results,
    every_number_has_a_name_and_a_unit_in_all_formats,
    h5py_finds_the_same_names_and_numbers,
    numbers_of_bodies_have_units_in_their_states_too,
    xarray_opens_every_group_with_time_as_its_dimension,
    outputs_are_expressions_of_accelerations_multipliers_and_reactions,
    rotations_have_names_for_all_their_numbers,
    channels_are_chosen_by_name_wildcard_and_vector,
    clashing_names_get_the_path_of_the_state,
    initial_values_are_set_by_name,
    the_energy_drift_is_printed_only_where_the_energy_is_conserved,
    bad_units_and_outputs_are_named_with_their_place,
    signals_close_hdf5_with_what_is_there,
    max_seconds_ends_a_run_as_sigterm_does,
    a_killed_run_keeps_its_rows,
    a_full_disk_stops_the_run_and_keeps_what_was_written,
    diff_finds_the_largest_difference_of_each_channel,
    foreign_and_damaged_files_are_refused_with_the_reason,
    pictures_are_drawn_with_names_and_units,
    a_page_draws_over_a_channel_in_the_order_of_the_rows,
    curves_of_one_pane_differ_by_colour_or_dash,
    a_new_model_runs_and_is_not_overwritten,
    a_quiet_run_prints_nothing_and_a_long_report_is_cut,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], None, folder),))
