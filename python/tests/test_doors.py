"""Every front door leads to the same digits."""
import ctypes
import json
import pickle
import subprocess

import numpy as np
import pytest

import sodae


def test_a_file_gives_the_digits_of_the_command(root, command):
    path = str(root / "examples/andrews.yaml")
    done = subprocess.run([command, "run", path, "--rtol", "1e-7", "--t-end", "0.02", "--json"], capture_output=True,
                          text=True, check=True)
    report = json.loads(done.stdout)
    sol = sodae.load(path).solve(0.02, rtol=1e-7)
    assert sol.stats["steps"] == report["steps"]
    assert np.array_equal(sol.q[-1], report["q"])


@pytest.mark.parametrize("file, t_end, options", [
    ("heavy-top.yaml", 0.02, dict(atol=1e-4)),  # a tolerance ends fixed steps,
    ("heavy-top.yaml", 0.02, dict(atol_v=1e-4)),
    ("heavy-top.yaml", 0.2, dict(method="bdf", step=1e-3)),  # another method leaves the file's coefficients,
    ("heavy-top.yaml", 0.2, dict(method="newmark")),
    ("mechanisms/andrews.yaml", 0.02, dict(rtol=1e-4)),  # the file's times are hit exactly,
    ("spring-pendulum.yaml", -0.02, dict(rtol=1e-6)),  # and a run goes backward in time
])
def test_options_mean_the_same_as_on_the_command_line(root, command, file, t_end, options):
    path = str(root / "examples" / file)
    flags = [x for k, v in options.items() for x in (f"--{k.replace('_', '-')}", str(v))]
    done = subprocess.run([command, "run", path, "--t-end", repr(t_end), "--json", *flags], capture_output=True,
                          text=True, check=True)
    report = json.loads(done.stdout)
    sol = sodae.load(path).solve(t_end, **options)
    assert (sol.stats["steps"], sol.t[-1]) == (report["steps"], report["t"])
    assert np.array_equal(sol.q[-1], report["q"]) and np.array_equal(sol.v[-1], report["v"])


def test_parameters_are_keywords_and_attributes(root):
    m = sodae.load(root / "examples/pendulum.yaml", g=3.0)
    assert m.g == 3.0 and m.parameters["x0"] == 0.2
    m.g = 9.81
    assert m.solve()["energy"][0] == pytest.approx(0.5 - 9.81)
    with pytest.raises(TypeError, match="unknown parameter 'gg'"):
        sodae.load(root / "examples/pendulum.yaml", gg=1)
    with pytest.raises(AttributeError, match="no parameter 'gravity'"):
        m.gravity = 1


def test_a_variable_starts_where_an_output_has_its_name():
    m = sodae.Model(positions="x", force=["0"], initial=dict(x=1), outputs=dict(x="2*x", y="3*x"))
    for name in ("x", "state/x", "q"):
        sol = m.solve(0.1, initial={name: 5})
        assert sol["state/x"][0] == 5 and sol["x"][0] == 10
    with pytest.raises(ValueError, match="'y' has no initial value"):
        m.solve(0.1, initial={"y": 1})


def test_parameters_may_be_vectors_and_matrices():
    m = sodae.Model(positions="x y", force=["-k[1]*x - A[1,2]*y", "-k[2]*y - A[2,1]*x"], initial=dict(x=1, y=1),
                    parameters=dict(k=[1, 2], A=[[0, 0], [0, 0]]))
    assert np.array_equal(m.k, [1, 2]) and m.A.shape == (2, 2) and "k=[1, 2]" in repr(m) and "[1, 2]" in m._repr_html_()
    m.k = np.array([3.0, 4.0])
    other = pickle.loads(pickle.dumps(m))
    for system in (m, other, m.set(A=[[0, 0], [0, 0]])):
        sol = system.solve(1, rtol=1e-10)
        assert abs(sol["x"][-1] - np.cos(3**0.5)) < 1e-8 and abs(sol["y"][-1] - np.cos(2)) < 1e-8
    with pytest.raises(ValueError, match="read-only"):
        m.k[0] = 5
    for value, kind, said in ((3, ValueError, "parameter k has shape"), ([[1, 2]], ValueError, "parameter k has shape"),
                              (["a", "b"], TypeError, "parameter k is"), ([1, np.nan], ValueError, "parameter k is"),
                              ([1], ValueError, "out of range|index|has")):
        with pytest.raises(kind, match=said):
            m.k = value
    assert np.array_equal(m.k, [3, 4])


def test_strings_and_functions_agree(pendulum, numpy_pendulum):
    a, b = pendulum.solve(2, rtol=1e-9), numpy_pendulum.solve(2, rtol=1e-9)
    assert np.abs(a.q[-1] - b.q[-1]).max() < 1e-7
    assert a.channels[1:3] == b.channels[1:3] == ["x", "y"]


def test_c_functions_take_the_place_of_python(numpy_pendulum):
    numba = pytest.importorskip("numba")
    signature = numba.types.intc(numba.types.double, *3 * [numba.types.CPointer(numba.types.double)])

    @numba.cfunc(signature)
    def force(t, q, v, out):
        out[0], out[1] = 0.0, -9.81
        return 0

    proto = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, ctypes.POINTER(ctypes.c_double),
                             ctypes.POINTER(ctypes.c_double))

    @proto
    def rod(t, q, out):
        out[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2
        return 0

    p = sodae.Problem(nv=2, force=force, holonomic=rod, nlambda=1, initial=dict(q=[1, 0]))
    assert np.abs(p.solve(1, rtol=1e-9).q[-1] - numpy_pendulum.solve(1, rtol=1e-9).q[-1]).max() < 1e-8
    with pytest.raises(TypeError, match="holonomic is a C function: give nlambda"):
        sodae.Problem(nv=2, force=force, holonomic=rod, initial=dict(q=[1, 0]))


def test_functions_may_take_any_number_of_arguments():
    p = sodae.Problem(nv=1, force=lambda *x: -x[1], initial=dict(q=[1]))
    assert p.solve(1, rtol=1e-9).q[-1] == pytest.approx([np.cos(1)], abs=1e-8)


def test_dynamic_states_of_strings_begin_by_name():
    m = sodae.Model(positions="x", force=["r"], dynamic=dict(states=["r"], rates=["-r"]), initial=dict(r=2))
    assert m.solve(1, rtol=1e-9)["r"][-1] == pytest.approx(2 * np.exp(-1), abs=1e-7)


def test_scipy_low_level_callables_are_taken(numpy_pendulum):
    scipy = pytest.importorskip("scipy")
    proto = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, *3 * [ctypes.POINTER(ctypes.c_double)])

    @proto
    def force(t, q, v, out):
        out[0], out[1] = 0.0, -9.81
        return 0

    p = sodae.Problem(nv=2, force=scipy.LowLevelCallable(force), initial=dict(q=[1, 0]))
    assert p.solve(1).q[-1] == pytest.approx([1, -9.81 / 2])


def test_rotations_live_on_their_group():
    J = np.diag([1.0, 2.0, 3.0])
    p = sodae.Problem(nv=3, mass=J, force=lambda t, q, v: -np.cross(v, J @ v), space="SO3",
                      initial=dict(q=np.eye(3).ravel(), v=[0.1, 1, 0.1]))
    sol = p.solve(5, rtol=1e-8, dense=True)
    R = sol(np.linspace(0, 5, 7)).reshape(-1, 3, 3)
    assert np.abs(R @ R.transpose(0, 2, 1) - np.eye(3)).max() < 1e-12
    momentum = R @ (J @ sol(np.linspace(0, 5, 7), "v")[:, :, None])
    assert np.abs(momentum - momentum[0]).max() < 1e-6


def test_mechanisms_use_the_words_of_the_files():
    m = sodae.Mechanism(gravity=[0, 0, -9.81])
    m.body("rod", mass=1, inertia=[0.1, 0.1, 0.01], at=np.array([0.5, 0, 0]))
    m.joint("pin", revolute=["ground", "rod"], at=[0, 0, 0], axis=[0, 1, 0])
    sol = m.solve(1, rtol=1e-9)
    # physical pendulum: (I + m l^2) w' = m g l cos(a), so E is conserved
    assert np.ptp(sol["energy"]) < 1e-7
    # the state is named by its directions, as the outputs are
    assert np.array_equal(sol["rod.R"].reshape(len(sol), 9), sol.q[:, 3:])
    turned = sol.rotation("rod/quaternion") * sol.rotation("rod.R").inv()
    assert turned.magnitude().max() < 1e-12
    with pytest.raises(ValueError, match="'rod' is there already"):
        m.body("rod", mass=1)
    m.joint("loose", revolute=["ground", "wheel"], axis=[0, 0, 1])
    with pytest.raises(ValueError, match="wheel"):
        m.solve(1)


def test_nonholonomic_and_dynamic_functions_are_taken():
    # a skate on a plane: no velocity along its normal; a lag r' = v_x - r
    p = sodae.Problem(nv=3, force=lambda t, q, v: [0.0, 0.0, 0.0],
                      nonholonomic=lambda t, q, v: [-np.sin(q[2]) * v[0] + np.cos(q[2]) * v[1]],
                      dynamic=lambda t, q, v, r: [v[0] - r[0]], initial=dict(q=[0, 0, 0], v=[1, 0, 0.5], r=[0]))
    sol = p.solve(2, rtol=1e-9)
    # it moves on a circle of radius v/w = 2
    assert sol.q[-1] == pytest.approx([2 * np.sin(1), 2 * (1 - np.cos(1)), 1], abs=1e-7)
    assert sol.r.shape == (len(sol), 1)
