#!/usr/bin/env python3
"""sodae papers from outside: what it runs, what it refuses, where it writes.

usage: usage.py SODAE
"""
import pathlib
import subprocess
import sys
import tempfile


def papers(sodae, *words):
    return subprocess.run([sodae, "papers", *words], capture_output=True, text=True, timeout=200)


def main(sodae):
    wrong = []

    def expect(what, holds, run):
        if not holds:
            wrong.append(f"{what}: exit {run.returncode}\n{run.stdout}{run.stderr}")

    with tempfile.TemporaryDirectory() as folder:
        run = papers(sodae, "002 Fig. 1", "--out", folder + "/new")
        page = pathlib.Path(folder, "new", "papers.html")
        expect("one experiment runs", run.returncode == 0 and "5 of 5 claims hold" in run.stdout, run)
        expect("and is written", page.is_file() and "Fig. 1. SOI2" in page.read_text(), run)
        left = sorted(str(f.relative_to(page.parent)) for f in page.parent.rglob("*"))
        expect("with the data of its picture and nothing else", left == ["data", "data/002-fig-1-1.csv", "papers.html"], run)

        run = papers(sodae, "no such experiment")
        expect("an unknown experiment is named", run.returncode == 2 and "no such exp" in run.stderr, run)

        blocker = pathlib.Path(folder, "file")
        blocker.write_text("mine")
        run = papers(sodae, "002 Fig. 1", "--out", str(blocker))
        expect("a file in the way is reported", run.returncode == 7 and "cannot write" in run.stderr, run)
        expect("and stays", blocker.read_text() == "mine", run)

        run = papers(sodae, "--step", "1")
        expect("flags of other commands are refused", run.returncode == 2 and "--step" in run.stderr, run)
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
