#!/usr/bin/env python3
"""Who may include whom in src/. The table is the architecture; every edge not in it is an error. So is a cycle of calls
between the files of a folder, if a build is given.

usage: layers.py [ROOT [BUILD]]      ROOT holds src/ (default: the folder above this file), BUILD its object files
"""
import pathlib
import re
import subprocess
import sys

MAY_INCLUDE = {  # read top to bottom: from the ground floor to the roof
    "base": "",
    "group": "base",
    "linear": "base",
    "expression": "base",
    "problem": "base group linear",
    "analysis": "base group problem linear",
    "nonlinear": "base linear",
    "formulation": "base group problem linear nonlinear",
    "estimate": "base group problem linear nonlinear formulation",
    "dense": "base group problem",
    "method": "base group problem linear nonlinear formulation estimate",
    "engine": "base group problem linear nonlinear formulation estimate method dense",
    "control": "base problem formulation estimate engine",
    "monitor": "base problem linear formulation estimate method dense engine",
    "event": "base problem formulation estimate method dense engine monitor",
    "diagnose": "base problem linear formulation estimate method engine monitor",
    "run": "base problem formulation estimate method dense engine control monitor event diagnose",
    "verify": "base",
    "mechanism": "base group linear",
    "model": "base group problem expression mechanism",
}
LONGEST_FILE = 600
OWN_FOLDERS = ("bench", "cli", "examples", "include", "papers", "problems", "python", "results", "src", "test", "tools")
PRIVATE = {  # memory that only its own folder may write
    "engine/memory.h",
    "event/watch.h",
    "run/run.h",
}
SHARED_BY_METHODS = {"method", "methods"}  # what all methods have in common

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
    if included in PRIVATE:
        return f'includes "{included}", which is private to {target}'
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
        for included in INCLUDE.findall(path.read_text()):
            wrong = complaint(path, name.parts[0], included)
            if wrong:
                problems.append(f"{name}: {wrong}")
    return problems


def check_lengths(root):
    """Files of the project that are too long to be read."""
    problems = []
    for folder in OWN_FOLDERS:
        for path in sorted(p for p in (root / folder).rglob("*") if p.suffix in (".c", ".h", ".py")):
            lines = path.read_text().count("\n")
            if lines > LONGEST_FILE:
                problems.append(f"{path.relative_to(root)}: {lines} lines, at most {LONGEST_FILE} are allowed")
    return problems


def symbols(build, sources):
    """For each (folder, file) of the library: the symbols that it defines and those that it uses."""
    defined, used = {}, {}
    for path in sorted((build / "CMakeFiles/sodae_objects.dir/src").glob("*/*.c.o")):
        name = (path.parent.name, path.name[: -len(".c.o")])
        if name not in sources:  # left over from a file that is gone
            continue
        listing = subprocess.run(["nm", str(path)], capture_output=True, text=True, check=True).stdout
        used[name] = set()
        for *_, kind, symbol in map(str.split, listing.splitlines()):
            if kind in "TDRB":
                defined[symbol] = name
            elif kind == "U":
                used[name].add(symbol)
    return defined, used


def reachable(graph, start):
    """All nodes that a path of at least one edge leads to."""
    found, todo = set(), list(graph[start])
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo.extend(graph[node])
    return found


def cycles(build, sources):
    """Folder and files of every call cycle: the strongly connected components of the graph of a folder."""
    defined, used = symbols(build, sources)
    graph = {a: {defined[x] for x in used[a] if defined.get(x, a)[0] == a[0] and defined.get(x, a) != a} for a in used}
    reach = {a: reachable(graph, a) for a in graph}
    found = {frozenset(b for b in reach[a] if a in reach[b]) for a in graph if a in reach[a]}
    return sorted((min(c)[0], sorted(name for _, name in c)) for c in found)


def check_cycles(build, source):
    sources = {(path.parent.name, path.stem) for path in source.rglob("*.c")}
    return [f"{folder}: a call cycle: {' '.join(names)}" for folder, names in cycles(build, sources)]


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else here
    if not (root / "src").is_dir():
        sys.exit(f"layers.py: no src in {root}")
    problems = check(root / "src") + check_lengths(root)
    if len(sys.argv) > 2:
        problems += check_cycles(pathlib.Path(sys.argv[2]), root / "src")
    print("\n".join(problems) or "layers: every include points the right way")
    sys.exit(1 if problems else 0)


main()
