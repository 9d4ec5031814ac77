"""Builds the extension from the static libraries of a build of sodae: run `make build` first.

SODAE_BUILD names another build folder than ../build.
"""
import os
import pathlib
import shlex
import subprocess

import numpy
from setuptools import Extension, setup

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("SODAE_BUILD", HERE.parent / "build")).resolve()


def private_libraries():
    """What the static library needs, from its pkg-config file."""
    for line in (BUILD / "sodae.pc").read_text().splitlines():
        if line.startswith("Libs.private:"):
            return shlex.split(line.partition(":")[2])
    return []


def pkg_config(*words):
    return shlex.split(subprocess.run(["pkg-config", *words], check=True, capture_output=True, text=True).stdout)


# Debian names the serial library so; elsewhere it is just hdf5.
HDF5 = "hdf5-serial" if subprocess.run(["pkg-config", "--exists", "hdf5-serial"], check=False).returncode == 0 else "hdf5"
archives = [BUILD / "results/libsodae_results.a", BUILD / "libsodae_inside.a"]
missing = [str(path) for path in archives if not path.exists()]
if missing:
    raise SystemExit(f"{', '.join(missing)} is missing: run 'make build' first")

setup(ext_modules=[Extension(
    "sodae._sodae",
    sources=[os.path.relpath(path, HERE) for path in sorted((HERE / "src").glob("*.c"))],
    depends=[os.path.relpath(path, HERE) for path in sorted((HERE / "src").glob("*.h"))] + [str(a) for a in archives],
    include_dirs=[str(HERE.parent / "include"), str(HERE.parent), numpy.get_include()],
    extra_compile_args=["-std=c17", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wno-cast-function-type",
                        *pkg_config("--cflags", HDF5)],
    extra_link_args=[*map(str, archives), *private_libraries(), *pkg_config("--libs", HDF5), "-lhdf5_hl"],
)])
