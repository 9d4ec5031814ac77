#!/usr/bin/env python3
"""Counts the declared tuning numbers, TUNING(...) and TUNING_INT(...), and lists every other number for review.

usage: tuning.py [--limit N] [ROOT]      fails when more than N are declared; ROOT holds src/

Coefficient tables, *_table.c, are not looked at; 0, 1, 2, 3, 4, 1/2 and the length of a text tune nothing.
"""
import argparse
import pathlib
import re

FOLDERS = "engine control estimate dense monitor event run verify method".split()
PLAIN = {0, 1, 2, 3, 4, 0.5}
QUIET = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|^[ \t]*#\s*include[^\n]*',
                   re.DOTALL | re.MULTILINE)
DEFINITION = re.compile(r"^[ \t]*#\s*define\s+TUNING(?:_INT)?\b[^\n]*", re.MULTILINE)
DECLARED = re.compile(r"\bTUNING(?:_INT)?\s*\((?:[^()]|\([^()]*\))*\)")
TEXT = re.compile(r"\bchar \w+\[\d+\]")
NUMBER = re.compile(r"(?<![\w.])((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][0-9a-fA-F]+)[uUlLfF]*(?![\w.])")


def blank(match):
    return re.sub(r"[^\n]", " ", match[0])


def value(word):
    return int(word, 16) if word[:2].lower() == "0x" else float(word)


def survey(text):
    """How many numbers are declared, and the (line, literal) of every other one."""
    text = DEFINITION.sub(blank, QUIET.sub(blank, text))
    declared = len(DECLARED.findall(text))
    rest = TEXT.sub(blank, DECLARED.sub(blank, text))
    others = (m for m in NUMBER.finditer(rest) if value(m[1]) not in PLAIN)
    return declared, [(rest.count("\n", 0, m.start()) + 1, m[1]) for m in others]


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limit", type=int, help="declared numbers at most")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=here)
    given = parser.parse_args()
    declared, others = {}, {}
    for folder in FOLDERS:
        declared[folder] = others[folder] = 0
        for path in sorted((given.root / "src" / folder).glob("*.[ch]")):
            if path.name.endswith("_table.c"):
                continue
            count, rest = survey(path.read_text())
            declared[folder] += count
            others[folder] += len(rest)
            for line, literal in rest:
                print(f"{path.relative_to(given.root)}:{line}: {literal}")
    for folder in FOLDERS:
        print(f"{folder:<10}{declared[folder]:>5} declared{others[folder]:>6} other")
    total = sum(declared.values())
    print(f"{'all':<10}{total:>5} declared{sum(others.values()):>6} other")
    if given.limit is not None and total > given.limit:
        raise SystemExit(f"tuning: {total} numbers are declared, at most {given.limit} are allowed")


main()
