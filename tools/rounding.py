#!/usr/bin/env python3
"""Runs the tests labelled `rounding` once under each rounding that this processor offers.

usage: rounding.py BUILD [JOBS]

The kernels of OpenBLAS sum in different orders, with and without fused operations; libm has fused and plain variants.
A claim that holds under one of them only is a claim about the processor.
"""
import os
import pathlib
import subprocess
import sys
import time

KERNELS = {  # kernel of OpenBLAS: the flags of /proc/cpuinfo that it needs
    "Prescott": {"pni"},
    "Nehalem": {"sse4_2"},
    "Sandybridge": {"avx"},
    "Haswell": {"avx2", "fma"},
    "SkylakeX": {"avx512f", "avx512dq", "avx512bw", "avx512vl"},
}
# The spelling of glibc since 2.33; before, the names ended in _Usable and these are ignored.
PLAIN_LIBM = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA"}


def processor_flags(cpuinfo="/proc/cpuinfo"):
    path = pathlib.Path(cpuinfo)
    lines = path.read_text().splitlines() if path.exists() else []
    return set(next((line.split(":", 1)[1] for line in lines if line.startswith("flags")), "").split())


def kernel_settings():
    """Name and environment of each kernel that this processor can run."""
    flags = processor_flags()
    return {name: {"OPENBLAS_CORETYPE": name} for name, needs in KERNELS.items() if needs <= flags}


def libm_settings():
    """The plain variants of libm, where the processor would choose the fused ones."""
    return {"libm-without-fma": PLAIN_LIBM} if "fma" in processor_flags() else {}


def tests_hold(build, jobs, name, setting):
    start = time.monotonic()
    done = subprocess.run(["ctest", "--test-dir", build, "-L", "rounding", "-j", jobs, "--output-on-failure",
                           "--no-tests=error"], env=dict(os.environ, **setting), capture_output=True, text=True,
                          check=False)
    verdict = "holds" if done.returncode == 0 else "FAILS"
    print(f"rounding {name}: {verdict} ({time.monotonic() - start:.0f} s)", flush=True)
    if done.returncode:
        print("\n".join(f"[{name}] {line}" for line in (done.stdout + done.stderr).splitlines()))
    return done.returncode == 0


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, jobs = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "2"
    settings = {**kernel_settings(), **libm_settings()}
    if not settings:
        print("rounding: this processor offers one rounding only; the ordinary tests have seen it")
    failed = [name for name, setting in settings.items() if not tests_hold(build, jobs, name, setting)]
    if failed:
        sys.exit("rounding: claims fail under " + ", ".join(failed))


if __name__ == "__main__":
    main()
