#!/usr/bin/env python3
"""Do the quick tests notice random faults? One operator or number of the step is changed at a time.

usage: mutants.py WORK COUNT [JOBS]      WORK is emptied; it gets a copy of the sources and its build

Prints the fate of each mutant with file and line. A survivor is a missing test, dead code or an equivalent mutant:
it is for review, and no failure of this program. The draw is the same in every run on the same sources.
"""
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("linear nonlinear formulation method estimate control dense engine monitor event run output "
           "integrator").split()
SEED = 1
RULES = [(" < ", " <= "), (" <= ", " < "), (" > ", " >= "), (" >= ", " > "), (" < ", " > "), (" + ", " - "),
         (" - ", " + "), (" * ", " / "), (" / ", " * "), (" && ", " || "), (" || ", " && "), (" == ", " != "),
         (" != ", " == "), (" += ", " -= "), (" -= ", " += "), ("0.5", "0.6"), ("1", "2"), ("2", "3"), ("0", "1")]
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FAILED = re.compile(r"Test +#\d+: (\S+) \.*\**(?:Failed|Timeout|Exception|Subprocess)")
SLOWER = 5  # a mutant that takes so many times the tests' time does not end


def code_lines(text):
    """The lines of statements, comments blanked; strings and declarations of tables are left alone."""
    blank = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
    for number, line in enumerate(blank.split("\n")):
        if line.startswith("    ") and '"' not in line and not line.strip().startswith(("#", "static const")):
            yield number, line


def sites(source):
    """(path, line, column, old, new) of every possible fault."""
    for path in sorted(p for folder in FOLDERS for p in (source / folder).glob("*.c") if not p.stem.endswith("_table")):
        for number, line in code_lines(path.read_text()):
            for old, new in RULES:
                pattern = re.escape(old) if old[0] == " " else rf"(?<![\w.]){re.escape(old)}(?![\w.])"
                for found in re.finditer(pattern, line):
                    yield path, number, found.start(), old, new


def call(words, limit=None):
    """Return code and output of a command; None as the code if it takes longer than the limit."""
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          start_new_session=True) as process:
        try:
            output, _ = process.communicate(timeout=limit)
            return process.returncode, output
        except subprocess.TimeoutExpired:
            return None, ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def generated(folder, names):
    """The names in the root that are no sources."""
    at_root = pathlib.Path(folder) == ROOT
    return [name for name in names if at_root and re.match(r"build|out$|install$|\.git$", name)]


class Mutants:
    def __init__(self, work, jobs):
        self.tree, self.build, self.jobs, self.limit = work / "tree", work / "build", jobs, None
        shutil.rmtree(work, ignore_errors=True)
        shutil.copytree(ROOT, self.tree, ignore=generated)
        code, output = call(["cmake", "-S", str(self.tree), "-B", str(self.build), "-DCMAKE_BUILD_TYPE=Release"])
        if code:
            sys.exit(output)

    def compile(self):
        return call(["cmake", "--build", str(self.build), "-j", self.jobs])

    def test(self):
        return call(["ctest", "--test-dir", str(self.build), "-j", self.jobs, "-LE", "slow|tree", "--stop-on-failure"],
                    self.limit)

    def measure(self):
        """The tests without a fault: they hold, and their time limits that of the mutants."""
        code, output = self.compile()
        if code:
            sys.exit(output)
        start = time.monotonic()
        code, output = self.test()
        if code:
            sys.exit("mutants: the tests fail without a mutant: " + ", ".join(FAILED.findall(output)))
        self.limit = SLOWER * (time.monotonic() - start)

    def fate(self):
        if self.compile()[0]:
            return "not built"
        code, output = self.test()
        if code is None:
            return "killed by time"
        return "killed by " + (FAILED.findall(output) or ["a test"])[0] if code else "SURVIVED"

    def try_one(self, path, number, column, old, new):
        text = path.read_text()
        lines = text.split("\n")
        before = lines[number]
        lines[number] = before[:column] + new + before[column + len(old):]
        path.write_text("\n".join(lines))
        try:
            fate = self.fate()
        finally:
            path.write_text(text)
        place = f"{path.relative_to(self.tree)}:{number + 1}"
        print(f"{fate}: {place}: {before.strip()} -> {lines[number].strip()}", flush=True)
        return fate.split()[0]


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    mutants = Mutants(pathlib.Path(sys.argv[1]).resolve(), sys.argv[3] if len(sys.argv) > 3 else "2")
    mutants.measure()
    everything = list(sites(mutants.tree / "src"))
    fates = [mutants.try_one(*site) for site in random.Random(SEED).sample(everything, int(sys.argv[2]))]
    print(f"mutants: {len(everything)} sites, {len(fates)} drawn: " +
          f"{fates.count('killed')} killed, {fates.count('SURVIVED')} survived, {fates.count('not')} not built")


main()
