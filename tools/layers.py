#!/usr/bin/env python3
"""Who may include whom in src/. The table is the architecture; every edge not in it is an error.

usage: layers.py [ROOT]      ROOT holds src/ (default: the folder above this file)
"""
import pathlib
import re
import sys

MAY_INCLUDE = {  # read top to bottom: from the ground floor to the roof
    "base": "",
    "group": "base",
    "linear": "base",
    "control": "base",
    "expression": "base",
    "problem": "base group linear",
    "analysis": "base group problem linear",
    "nonlinear": "base linear",
    "formulation": "base group problem linear nonlinear",
    "method": "base group problem linear nonlinear formulation control",
    "output": "base group problem",
    "integrator": "base group problem linear nonlinear formulation method control output analysis",
    "model": "base group problem expression",
}
LONGEST_FILE = 600
SHARED_BY_METHODS = {"method", "error"}  # what all methods have in common

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]*)"', re.MULTILINE)


def family(stem):
    """The method a file of src/method belongs to: alpha_start.c is part of alpha."""
    return stem.split("_")[0]


def complaint(path, folder, included):
    """What is wrong with `folder`/`path` including `included`, or None."""
    parts = included.split("/")
    if len(parts) != 2 or parts[0] not in MAY_INCLUDE:
        return f'includes "{included}", which is not rooted as "folder/file.h"'
    target, stem = parts[0], pathlib.Path(parts[1]).stem
    if target == folder:
        if folder == "method" and stem not in SHARED_BY_METHODS and family(stem) != family(path.stem):
            return f'knows another method: "{included}"'
        return None
    if target not in MAY_INCLUDE[folder].split():
        return f'includes "{included}", but {folder} may not know {target}'
    return None


def check(source):
    problems = []
    for path in sorted(source.rglob("*.[ch]")):
        name = path.relative_to(source)
        if len(name.parts) != 2 or name.parts[0] not in MAY_INCLUDE:
            problems.append(f"{name}: not in a folder of the table")
            continue
        text = path.read_text()
        lines = text.count("\n")
        if lines > LONGEST_FILE:
            problems.append(f"{name}: {lines} lines, at most {LONGEST_FILE} are allowed")
        for included in INCLUDE.findall(text):
            wrong = complaint(path, name.parts[0], included)
            if wrong:
                problems.append(f"{name}: {wrong}")
    return problems


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    if not (root / "src").is_dir():
        sys.exit(f"layers.py: no src in {root}")
    problems = check(root / "src")
    print("\n".join(problems) or "layers: every include points the right way")
    sys.exit(1 if problems else 0)


main()
