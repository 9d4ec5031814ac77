import pathlib
import shutil

import matplotlib
import pytest

import sodae

matplotlib.use("agg")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def command():
    """The command of the build next to this environment, or the installed one."""
    found = ROOT / "build/cli/sodae"
    found = str(found) if found.exists() else shutil.which("sodae")
    return found or pytest.skip("the command is not built")


@pytest.fixture
def pendulum():
    return sodae.Model(positions="x y", mass=["m", "m"], force=["0", "-m*g"], holonomic=["(x^2 + y^2 - L^2)/2"],
                       parameters=dict(m=1, g=9.81, L=1), initial=dict(x="L", y=0), name="pendulum")


@pytest.fixture
def numpy_pendulum():
    return sodae.Problem(nv=2, force=lambda t, q, v: [0, -9.81], holonomic=lambda t, q: [(q @ q - 1) / 2],
                         jac={"holonomic_q": lambda t, q: q[None, :]}, initial=dict(q=[1, 0]),
                         names={"q": "x y", "v": "v_x v_y"})
