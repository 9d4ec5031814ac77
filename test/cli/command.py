"""Calls the sodae command and reads its reports."""
import json
import os
import subprocess
import sys
import tempfile


class Command:
    def __init__(self, program):
        self.program = program

    def call(self, words, **more):
        """Runs `sodae WORDS`; words may be a string or a list."""
        if isinstance(words, str):
            words = words.split()
        env = dict(os.environ, OPENBLAS_NUM_THREADS="1")
        return subprocess.run([self.program, *words], capture_output=True, text=True, env=env,
                              timeout=280, check=False, **more)

    def call_into(self, stdout, words):
        """Runs `sodae WORDS` with its standard output going elsewhere."""
        return subprocess.run([self.program, *words.split()], stdout=stdout, timeout=280,
                              stderr=subprocess.PIPE, text=True, check=False)

    def report(self, words):
        """The JSON report of a command that has to succeed."""
        done = self.call((words.split() if isinstance(words, str) else words) + ["--json"])
        if done.returncode != 0:
            raise AssertionError(f"exit code {done.returncode}: {done.stderr.strip()}")
        report = strict(done.stdout)
        if isinstance(report, dict):
            report.pop("timing", None)  # the only part that no two runs have in common
        return report


def strict(text):
    """JSON without NaN and Infinity, which json.loads would let through."""
    def refuse(word):
        raise ValueError(f"{word} is not JSON")
    return json.loads(text, parse_constant=refuse)


class Setting:
    """The command, the folder of examples and a folder to write to."""

    def __init__(self, program, examples, folder):
        self.command, self.examples, self.folder = Command(program), examples, folder

    def write(self, text, name="model.yaml"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


def check_claims(claims, setting):
    """Each claim in a setting(folder) of its own; ends the program."""
    failed = 0
    for claim in claims:
        with tempfile.TemporaryDirectory() as folder:
            try:
                claim(*setting(folder))
            except (AssertionError, KeyError, ValueError, OSError) as error:
                failed += 1
                print(f"{claim.__name__}: {error!r}")
    sys.exit(1 if failed else 0)
