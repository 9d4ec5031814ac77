#!/usr/bin/env python3
"""Many runs of one model: sweeps over parameters, comparisons of methods.

usage: sweeps.py SODAE
"""
import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

from command import Setting, check_claims
from pendulum import PENDULUM


def sweeps_give_one_table_for_any_number_of_workers(here):
    path = here.write(PENDULUM)
    out = [os.path.join(here.folder, f"w{n}.csv") for n in range(4)]
    values = here.write("x\n0.5\n0.9\n1\n", "list.csv")
    words = f"sweep {path} --vary L=1:2:3 --vary x=@{values} --channels x,T --out"
    for n in (1, 2, 3):
        done = here.command.call(f"{words} {out[n]} --workers {n}")
        assert done.returncode == 0 and "9 sets, 0 failed" in done.stdout, done.stderr
    text = open(out[1], encoding="utf-8").read()
    assert text == open(out[2], encoding="utf-8").read() == open(out[3], encoding="utf-8").read()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["L"], row["x"]) for row in rows][:4] == [("1", "0.5"), ("1", "0.90000000000000002"), ("1", "1"), ("1.5", "0.5")]
    one = here.command.report(f"run {path} --set L=2 --set x=0.5")["channels"]
    assert float(rows[6]["T [N]"]) == one["T"] and float(rows[6]["x [m]"]) == one["x"]
    for row in rows:
        assert float(row["min x [m]"]) <= float(row["x [m]"]) <= float(row["max x [m]"]), row
    with open(out[0], "w", encoding="utf-8") as file:
        file.write("".join(text.splitlines(True)[:4]) + "4,1.5,0.")  # killed in a row
    assert here.command.call(f"{words} {out[0]} --resume").returncode == 0
    assert open(out[0], encoding="utf-8").read() == text
    done = here.command.call(f"{words.replace('T', 'y')} {out[0]} --resume")
    assert done.returncode == 2 and "another sweep" in done.stderr, done.stderr


def sweeps_in_hdf5_have_a_dimension_for_each_parameter(here):
    table, cube, samples = (os.path.join(here.folder, name) for name in ("s.csv", "s.h5", "l.h5"))
    words = f"sweep {here.write(PENDULUM)} --vary L=1:2:3 --vary x=0.5,0.7 --vary max_steps=100,3 --channels x,T --out"
    assert here.command.call(f"{words} {table} --workers 1").returncode == 0
    done = here.command.call(f"{words} {cube} --workers 2")
    assert done.returncode == 0 and "12 sets, 6 failed" in done.stdout, done.stderr
    code = """
import h5py, json, sys
f = h5py.File(sys.argv[1], 'r')
print(json.dumps({
    'scales': [[d[0].name for d in f[n].dims] for n in ('T', 'min x', 'status', 'state/x')], 'L': list(f['L']),
    'columns': {n: f[n][()].ravel().tolist() for n in ('t', 'steps', 'state/x', 'min x', 'T', 'max T')},
    'texts': [f[n].asstr()[()].ravel().tolist() for n in ('status', 'message')], 'unit': f['max T'].attrs['units'].decode()}))"""
    seen = json.loads(subprocess.run(["/usr/bin/python3", "-c", code, cube], capture_output=True, text=True, check=True).stdout)
    assert seen["scales"] == [["/L", "/x", "/max_steps"]] * 4 and seen["L"] == [1, 1.5, 2] and seen["unit"] == "N"
    rows = list(csv.DictReader(open(table, encoding="utf-8")))
    assert seen["texts"] == [[row["status"] for row in rows], [row["message"] for row in rows]]
    for column, name in (("t [s]", "t"), ("steps", "steps"), ("x [m]", "state/x"), ("min x [m]", "min x"), ("T [N]", "T"),
                         ("max T [N]", "max T")):
        assert seen["columns"][name] == [float(row[column]) for row in rows], name
    done = here.command.call(f"sweep {here.write(PENDULUM)} --vary L=1:2:3 --sample latin:5:3 --channels T --out {samples}")
    code = "import h5py, sys; f = h5py.File(sys.argv[1], 'r'); print(f['set'][()], f['T'].dims[0][0].name, f['L'].dims[0][0].name)"
    done = subprocess.run(["/usr/bin/python3", "-c", code, samples], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["[1.", "2.", "3.", "4.", "5.]", "/set", "/set"], done.stdout


def interrupted_sweeps_go_on_behind_their_own_rows_only(here):
    words = f"sweep {here.write(PENDULUM)} --vary L=1:2:3 --vary max_steps=1000:1199:200 --channels x --workers 1 --out"
    whole = os.path.join(here.folder, "whole")
    for name in ("g.csv", "g.h5"):
        assert here.command.call(f"{words} {whole}{name[1:]}").returncode == 0
        out = os.path.join(here.folder, name)
        rows = out + ".rows" if name == "g.h5" else out
        run = subprocess.Popen([here.command.program, *words.split(), out], stderr=subprocess.PIPE, text=True)
        while not os.path.exists(rows) or os.path.getsize(rows) < 2000:
            time.sleep(0.01)
        run.send_signal(signal.SIGTERM)
        assert "--resume" in run.communicate()[1] and run.returncode == 143
        os.truncate(rows, os.path.getsize(rows) - 9)  # a torn row
        done = here.command.call(f"{words.replace('L=1:2:3', 'L=1.1:2:3')} {out} --resume")
        assert done.returncode == 2 and "another sweep" in done.stderr, done.stderr
        done = here.command.call(f"{words} {out} --resume")
        assert done.returncode == 0 and not os.path.exists(out + ".rows"), done.stderr
        if name == "g.csv":
            assert open(out, encoding="utf-8").read() == open(whole + ".csv", encoding="utf-8").read()
    code = """
import h5py, sys
f, g = (h5py.File(name, 'r') for name in sys.argv[1:])
print(len(f), all((f[n][()] == g[n][()]).all() for n in f), set(f) == set(g))"""
    done = subprocess.run(["/usr/bin/python3", "-c", code, out, whole + ".h5"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["9", "True", "True"], done.stdout
    done = here.command.call(f"sweep {here.write(PENDULUM)} --vary L=1:2:3 --resume")
    assert done.returncode == 2 and "--out FILE" in done.stderr, done.stderr
    done = here.command.call(f"sweep {here.write(PENDULUM)} --vary L=1:2:3 --vary L=1,2")
    assert done.returncode == 2 and "varied already" in done.stderr, done.stderr


def samples_fill_every_part_of_a_range_once(here):
    done = here.command.call(f"sweep {here.write(PENDULUM)} --vary m=1:3:2 --vary L=1:2:2 --sample latin:8:3 --channels x")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert sorted(int((float(row["m"]) - 1) / 2 * 8) for row in rows) == list(range(8))
    assert sorted(int((float(row["L"]) - 1) * 8) for row in rows) == list(range(8))


def a_set_that_fails_is_a_row_with_its_message(here):
    done = here.command.call(f"sweep {here.write(PENDULUM)} --vary L=1,0,-1 --vary max_steps=100,2 --channels x")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert done.returncode == 0 and len(rows) == 6 and rows[0]["status"] == "OK"
    assert rows[1]["status"] == "TOO_MANY_STEPS" and rows[1]["message"] and rows[1]["steps"] == "2", rows[1]
    assert rows[2]["status"] != "OK" and rows[2]["message"], rows[2]
    for words, said in (("--vary q=1:2:3", "'q'"), ("--vary m=1:2", "LO:HI:COUNT"), ("", "--vary"),
                        ("--vary m=@/no/file", "No such file"), ("--vary m=1:2:3 --sample x", "latin")):
        done = here.command.call(f"sweep {here.write(PENDULUM)} {words}")
        assert done.returncode == 2 and said in done.stderr, done.stderr


def compare_finds_orders_and_names_pairs_that_do_not_fit(here):
    path, out = here.write(PENDULUM), os.path.join(here.folder, "c")
    words = f"compare {path} --methods generalized-alpha,radau-iia --formulations index3,stabilized,soi2 --rtol 1e-4:1e-6"
    assert here.command.call(f"{words} --out {out}.csv").returncode == 0
    with open(out + ".csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    alpha = [row for row in rows if row["method"] == "generalized-alpha" and row["formulation"] == "stabilized"]
    assert [float(row["rtol"]) for row in alpha] == [1e-4, 1e-5, 1e-6]
    assert all(1.8 < float(row["order"]) < 2.2 for row in alpha[1:]), alpha
    for row in rows:
        if not row["message"]:
            assert 1e-12 < float(row["error q"]) < 100 * float(row["rtol"]), row
    refused = [row for row in rows if row["message"]]
    assert [(row["method"], row["formulation"]) for row in refused] == [("radau-iia", "soi2")], refused
    text = here.command.call(words).stdout
    assert "against dop853 with rtol 1e-08" in text and "does not take soi2" in text, text
    assert "against the exact solution" in here.command.call("compare pendulum --methods bdf --rtol 1e-4").stdout
    for name, first in (("c.tex", b"\\begin{tabular}"), ("c.svg", b"<?xml"), ("c.png", b"\x89PNG")):
        assert here.command.call(f"{words} --out {here.folder}/{name}").returncode == 0
        assert open(os.path.join(here.folder, name), "rb").read().startswith(first), name
    here.command.report(f"run {path} --rtol 1e-10 --out {out}.h5")
    text = here.command.call(f"compare {path} --methods bdf --rtol 1e-4:1e-5 --reference {out}.h5").stdout
    errors = [float(line.split()[6]) for line in text.splitlines() if line.startswith("bdf")]
    assert f"against {out}.h5" in text and len(errors) == 2 and 1e-8 < errors[1] < errors[0] < 1e-2, text
    done = here.command.call(f"compare {path} --t-end 0.5 --reference {out}.h5")
    assert done.returncode == 2 and "does not end at t = 0.5" in done.stderr
    done = here.command.call(f"compare {path} --methods radau")
    assert done.returncode == 2 and "'radau'" in done.stderr


CLAIMS = [
    sweeps_give_one_table_for_any_number_of_workers,
    sweeps_in_hdf5_have_a_dimension_for_each_parameter,
    interrupted_sweeps_go_on_behind_their_own_rows_only,
    samples_fill_every_part_of_a_range_once,
    a_set_that_fails_is_a_row_with_its_message,
    compare_finds_orders_and_names_pairs_that_do_not_fit,
]


check_claims(CLAIMS, lambda folder: (Setting(sys.argv[1], None, folder),))
