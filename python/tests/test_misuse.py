"""Misuse raises an exception of Python that names the argument."""
import copy
import ctypes
import pickle

import numpy as np
import pytest

import sodae
from sodae import _sodae


class Thing:
    pass


def hit(t, q, v):
    return q[0]


def raised(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


SOLVE = [
    (dict(rtoll=1e-3), TypeError, "unknown argument 'rtoll'; did you mean 'rtol'"),
    (dict(rtol="small"), ValueError, "rtol"),
    (dict(rtol=-1e-3), ValueError, "rtol: '-0.001' is not allowed"),
    (dict(rtol=np.nan), ValueError, "rtol: 'nan'"),
    (dict(rtol=0), ValueError, "rtol and atol are both 0"),
    (dict(rtol=[1, {}]), TypeError, "rtol"),
    (dict(rtol=Thing()), TypeError, "rtol is a Thing"),
    (dict(method="eular"), ValueError, "method"),
    (dict(method="bdf", rho_inf=0.8), ValueError, "rho_inf means nothing to method bdf"),
    (dict(step=0.01, rtol=1e-3), ValueError, "rtol means nothing with fixed steps"),
    (dict(formulation="index4"), ValueError, "formulation: 'index4'"),
    (dict(step=-0.1), ValueError, "step: '-0.1'"),
    (dict(max_steps=1.5), ValueError, "max_steps: '1.5' is not allowed .a whole number"),
    (dict(t_eval=[0.5, 0.1]), ValueError, "t_eval is not increasing"),
    (dict(t_eval=[0.5, 3]), ValueError, "outside of"),
    (dict(t_eval=[0, np.nan]), ValueError, "t_eval has times that are not finite"),
    (dict(t_eval=[[0.5]]), ValueError, r"t_eval has shape \(1, 1\)"),
    (dict(t_eval=[None]), TypeError, "t_eval is .None., expected numbers"),
    (dict(t_eval="x"), TypeError, "t_eval is 'x', expected numbers"),
    (dict(t_eval=[1], output_step=0.1), ValueError, "t_eval and output_step exclude each other"),
    (dict(output_step=0), ValueError, "output_step is 0, expected a positive number"),
    (dict(output_step="a"), TypeError, "output_step is a str"),
    (dict(output_step=1e-300), ValueError, "output_step is 1e-300: memory does not hold"),
    (dict(atol=[1e-3]), ValueError, "atol has 1 numbers, expected 2"),
    (dict(atol=["a", "b"]), TypeError, "atol is .'a', 'b'., expected numbers"),
    (dict(atol=[[1, 2]]), ValueError, r"atol has shape \(1, 2\)"),
    (dict(atol=[1e-3, -1]), ValueError, r"atol_q_each\[2\] is -1"),
    (dict(events=[3]), TypeError, r"events\[0\]"),
    (dict(events=3), TypeError, "events is a int"),
    (dict(events=[lambda t, q, v: None]), TypeError, "event '<lambda>' returned None, expected a number"),
    (dict(events=[lambda t, q, v: q]), TypeError, "event '<lambda>' returned array"),
    (dict(events=[sodae.Event(3)]), TypeError, r"events\[0\].when is not a function"),
    (dict(events=[sodae.Event(hit, action=3)]), TypeError, r"events\[0\].action is not a function"),
    (dict(events=[sodae.Event(hit, direction="left")]), TypeError, r"events\[0\].direction is a str"),
    (dict(events=[sodae.Event(hit, stop="yes")]), TypeError, r"events\[0\].stop is a str"),
    (dict(events=[sodae.Event(hit, name=3)]), TypeError, r"events\[0\].name is a int"),
    (dict(events=[sodae.Event(hit, name="a\0b")]), ValueError, r"events\[0\].name has a zero byte"),
    (dict(events=sodae.Event(hit, action=lambda *x: 3)), TypeError, "action of event 'event 1' has to return None, .q, v."),
    (dict(events=sodae.Event(hit, action=lambda t, q, v: (q, [1]))), ValueError, "1 numbers for v, expected 2"),
    (dict(events=sodae.Event(hit, action=lambda *x: ("ab", 0))), TypeError, "returned 'ab' for q, expected numbers"),
    (dict(initial=[1, 0]), TypeError, "initial is a list"),
    (dict(initial={"x": "a"}), TypeError, r"initial\['x'\] is 'a', expected numbers"),
    (dict(initial={"x": None}), TypeError, r"initial\['x'\] is None, expected numbers"),
    (dict(initial={"q": [1]}), ValueError, r"initial\['q'\] has 1 numbers, expected 2"),
    (dict(initial={"a_x": 1}), ValueError, "'a_x' has no initial value"),
    (dict(initial={"t": [1]}), TypeError, r"initial\['t'\] is a list"),
    (dict(progress=3), TypeError, "progress is a int"),
]


@pytest.mark.parametrize("keywords, kind, words", SOLVE)
def test_misuse_of_solve_names_the_argument(pendulum, keywords, kind, words):
    raised(kind, words, lambda: pendulum.solve(1, **keywords))


@pytest.mark.parametrize("t_end, kind, words", [
    (None, ValueError, "t_end is not given"), ("1", TypeError, "t_end is a str"), (1j, TypeError, "t_end is a complex"),
    (np.nan, ValueError, "t_end is nan"), ([1], TypeError, "t_end is a list"), (True, TypeError, "t_end is a bool"),
])
def test_the_end_is_a_finite_number(pendulum, t_end, kind, words):
    raised(kind, words, lambda: pendulum.solve(t_end))
    raised(kind, words, lambda: pendulum.steps(t_end))


PROBLEM = [
    (dict(nv=2.5), TypeError, "nv is a float"),
    (dict(nv=True), TypeError, "nv is a bool"),
    (dict(nv=0), ValueError, "nv is 0, expected at least 1"),
    (dict(nv=2**40), ValueError, "nv is 1099511627776"),
    (dict(initial=None), ValueError, "initial: q is missing"),
    (dict(initial=[1, 0]), TypeError, "initial is a list, expected a dict"),
    (dict(initial=dict(q=[1])), ValueError, r"initial\['q'\] has shape \(1,\), expected \(2,\)"),
    (dict(initial=dict(q=None)), TypeError, r"initial\['q'\] is None"),
    (dict(initial=dict(q=[1, 0], t="a")), TypeError, r"initial\['t'\] is a str"),
    (dict(initial=dict(q=[1, 0], x=1)), ValueError, "unknown block 'x'"),
    (dict(initial=dict(q=[1, 0], lam=["a"])), TypeError, r"initial\['lam'\]"),
    (dict(jac=3), TypeError, "jac is a int, expected a dict"),
    (dict(jac={"forces_q": 1}), ValueError, "'forces_q' is unknown"),
    (dict(jac={3: 1}), ValueError, "jac: '3' is unknown"),
    (dict(jac={"force_v": None}), TypeError, r"jac\['force_v'\] is a NoneType"),
    (dict(jac={"force_v": np.eye(3)}), ValueError, r"jac\['force_v'\] has shape \(3, 3\), expected \(2, 2\)"),
    (dict(jac={"force_v": np.ones(4)}), ValueError, r"jac\['force_v'\] has shape \(4,\), expected \(2, 2\)"),
    (dict(mass=np.eye(3)), ValueError, r"mass has shape \(3, 3\)"),
    (dict(mass="m"), TypeError, "mass is a str"),
    (dict(mass=1j * np.eye(2)), TypeError, "(?s)mass is array.*, expected numbers"),
    (dict(force=None), TypeError, "force is missing"),
    (dict(force="x"), TypeError, "force is a str"),
    (dict(force=np.zeros(2)), TypeError, "force is a ndarray"),
    (dict(force=lambda a, b, c, d: 0), TypeError, "force takes 4 arguments"),
    (dict(force=lambda: 0), TypeError, "force takes 0 arguments"),
    (dict(force=0), ValueError, "force is the address 0"),
    (dict(force=-1), ValueError, "force is the address -1"),
    (dict(force=ctypes.CFUNCTYPE(ctypes.c_int)()), ValueError, "force is the address 0"),
    (dict(holonomic=12345), TypeError, "holonomic is a C function: give nlambda"),
    (dict(holonomic=lambda t, q: None), TypeError, "the result of holonomic is None, expected numbers"),
    (dict(holonomic=lambda t, q: ["a"]), TypeError, "the result of holonomic is .'a'., expected numbers"),
    (dict(holonomic=hit, nlambda="1"), TypeError, "nlambda is a str"),
    (dict(nlambda=1), ValueError, "nlambda = 1 but there is no callback 'holonomic'"),
    (dict(nr=-1), ValueError, "nr is -1, expected at least 0"),
    (dict(space="R2 SO4"), ValueError, "'SO4' is unknown"),
    (dict(space="R0 R2"), ValueError, "space: 'R0' is unknown"),
    (dict(space=3), TypeError, "space is a int"),
    (dict(names={"q": "x"}), ValueError, "1 entries, expected 2"),
    (dict(names={"q": 3}), TypeError, r"names\['q'\] is a int"),
    (dict(names=["x"]), TypeError, "names is a list"),
    (dict(name=3), TypeError, "name is a int"),
    (dict(events=3), TypeError, "events is a int"),
]


@pytest.mark.parametrize("keywords, kind, words", PROBLEM)
def test_misuse_of_problem_names_the_argument(keywords, kind, words):
    usual = dict(nv=2, force=lambda t, q, v: -q, initial=dict(q=[1, 0]))
    raised(kind, words, lambda: sodae.Problem(**{**usual, **keywords}))


@pytest.mark.parametrize("result, kind, words", [
    ([1, 2, 3], ValueError, r"force returned an array of shape \(3,\), expected \(2,\)"),
    (0.0, ValueError, r"force returned an array of shape \(\), expected \(2,\)"),
    (None, TypeError, "force returned None, expected numbers"),
    ("ab", TypeError, "force returned 'ab', expected numbers"),
    ([1j, 0], TypeError, "force returned .1j, 0., expected numbers"),
    ([[1], [2, 3]], TypeError, "force returned .*, expected numbers"),
    (np.zeros((1, 1, 2)), TypeError, "force returned array"),
    ([np.nan, 0], sodae.SolveError, r"force\[1\] is nan"),
])
def test_results_of_functions_are_looked_at(result, kind, words):
    p = sodae.Problem(nv=2, force=lambda t, q, v: result, initial=dict(q=[1, 0]))
    raised(kind, words, lambda: p.solve(1))


MODEL = [
    (dict(positions=3), TypeError, "positions is a int"),
    (dict(force=None), TypeError, "force is a NoneType"),
    (dict(force=["0"]), ValueError, "force: there is 1 equation for 2 velocities"),
    (dict(force=["0", "-mm*g"]), ValueError, r"unknown name 'mm' in force\[2\]; did you mean 'm'"),
    (dict(force=[Thing(), "0"]), TypeError, r"force\[0\] is a Thing"),
    (dict(force=[np.nan, 0]), ValueError, r"force\[0\] is nan"),
    (dict(mass=["m"]), ValueError, "mass: the diagonal has 1 entry"),
    (dict(holonomic=Thing()), TypeError, "holonomic is a Thing"),
    (dict(parameters=[1]), TypeError, "parameters is a list"),
    (dict(parameters=dict(m=None)), TypeError, r"parameters\['m'\] is a NoneType"),
    (dict(initial=dict(z=1)), ValueError, "initial: 'z' is no variable"),
    (dict(let=["a"]), TypeError, "let is a list"),
    (dict(forces=["0", "0"]), ValueError, "unknown key 'forces' in equations; did you mean 'force'"),
    (dict(dynamic=3), TypeError, "dynamic is a int"),
    (dict(solver=dict(rtoll=1)), ValueError, "unknown option 'rtoll' in solver"),
    (dict(name=3), TypeError, "name is a int"),
]


@pytest.mark.parametrize("keywords, kind, words", MODEL)
def test_misuse_of_model_names_the_argument(keywords, kind, words):
    usual = dict(positions="x y", force=["0", "-m*g"], parameters=dict(m=1, g=9.81), initial=dict(x=1))
    raised(kind, words, lambda: sodae.Model(**{**usual, **keywords}))


@pytest.mark.parametrize("value, kind, words", [
    ("1", TypeError, "parameter g is a str"), (None, TypeError, "parameter g is a NoneType"),
    (np.nan, ValueError, "parameter g is nan"), ([1, 2], TypeError, "parameter g is a list"),
    (1j, TypeError, "parameter g is a complex"),
])
def test_a_refused_parameter_leaves_the_model_as_it_was(pendulum, value, kind, words):
    raised(kind, words, lambda: setattr(pendulum, "g", value))
    raised(kind, words, lambda: pendulum.set(g=value))
    assert pendulum.g == 9.81


def test_misuse_of_results_names_the_argument(pendulum, tmp_path):
    sol = pendulum.solve(0.1)
    for kind, words, call in (
            (KeyError, "no channel 'zz'", lambda: sol["zz"]),
            (TypeError, "the name of a channel is a int", lambda: sol[0]),
            (AttributeError, "no attribute 'zz'", lambda: sol.zz),
            (ValueError, "t lies outside of the run", lambda: sol(2.0)),
            (ValueError, "t lies outside of the run", lambda: sol(np.nan)),
            (TypeError, "t is None, expected numbers", lambda: sol(None)),
            (TypeError, "t is 'a', expected numbers", lambda: sol("a")),
            (ValueError, "'x' is no rotation", lambda: sol.rotation("x")),
            (ValueError, "axes: 2 panes are needed", lambda: sol.plot("x", "lambda1", axes=[1])),
            (ValueError, "fps is 0", lambda: sol.animate([("x", "y")], fps=0)),
            (ValueError, "speed is -1", lambda: sol.animate([("x", "y")], speed=-1)),
            (TypeError, "path is a NoneType, expected a path", lambda: sol.save(None)),
            (OSError, "cannot write", lambda: sol.save(tmp_path)),
            (TypeError, "path is a int, expected a path", lambda: sodae.open(3)),
            (TypeError, "path is a NoneType, expected a path", lambda: sodae.load(None)),
            (TypeError, "not pickled: save it", lambda: pickle.dumps(sol)),
            (AttributeError, "a step has no attribute 'zz'", lambda: next(pendulum.steps(1)).zz)):
        raised(kind, words, call)


def test_misuse_of_studies_names_the_argument(pendulum, numpy_pendulum):
    m = pendulum.set()
    for kind, words, call in (
            (TypeError, "give lists of parameter values", lambda: sodae.sweep(m, 1)),
            (TypeError, "unknown parameter 'zz'", lambda: sodae.sweep(m, 1, zz=[1])),
            (ValueError, r"L has shape \(0,\)", lambda: sodae.sweep(m, 1, L=[])),
            (TypeError, "L is .'a'.", lambda: sodae.sweep(m, 1, L=["a"])),
            (ValueError, "workers is 0", lambda: sodae.sweep(m, 1, workers=0, L=[1])),
            (TypeError, "options is a list", lambda: sodae.sweep(m, 1, options=[1], L=[1])),
            (TypeError, "the model has no parameters", lambda: sodae.sweep(numpy_pendulum, 1, L=[1])),
            (TypeError, "model is a int", lambda: sodae.sweep(3, 1, L=[1])),
            (ValueError, "step is -1", lambda: sodae.converge(m, 1, step=-1)),
            (ValueError, "halvings is -1", lambda: sodae.converge(m, 1, step=0.1, halvings=-1)),
            (TypeError, "reference is a int", lambda: sodae.converge(m, 1, step=0.1, reference=3)),
            (ValueError, r"rtol has shape \(0,\)", lambda: sodae.compare(m, 1, rtol=[])),
            (TypeError, "rho_inf is a str", lambda: sodae.analyse(rho_inf="a")),
            (ValueError, "rho_inf is 2", lambda: sodae.analyse(rho_inf=2)),
            (TypeError, "t_end is a str", lambda: m.analyse("a"))):
        raised(kind, words, call)
    assert sodae.compare(m, 0.1, methods="bdf", rtol=1e-3)["status"].tolist() == ["OK"]


def test_misuse_of_mechanisms_names_the_part():
    def body(**keys):
        usual = dict(mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
        return sodae.Mechanism(gravity=[0, 0, -9.81]).body("b", **{**usual, **keys})

    for kind, words, call in (
            (TypeError, "bodies: b: mass is a Thing", lambda: body(mass=Thing())),
            (ValueError, "body b: unknown key 'mas'; did you mean 'mass'", lambda: body(mas=1).solve(1)),
            (ValueError, "unknown name 'a' in body b", lambda: body(mass="a").solve(1)),
            (ValueError, "'b' is there already", lambda: body().body("b")),
            (TypeError, "the name of a part is a int", lambda: body().body(3)),
            (ValueError, "mechanism has neither bodies nor beams", lambda: sodae.Mechanism().solve(1))):
        raised(kind, words, call)


def test_misuse_of_sympy_names_the_argument():
    sympy = pytest.importorskip("sympy")
    x, v, y = sympy.symbols("x v y", cls=sympy.Function)
    t, k = sympy.symbols("t k")
    x, v, y = x(t), v(t), y(t)

    def take(force=1, **keywords):
        return sodae.from_sympy(([[1]], [force]), **{**dict(q=[x], u=[v]), **keywords})

    for kind, words, call in (
            (TypeError, "system is a int", lambda: sodae.from_sympy(3)),
            (TypeError, "q and u are needed", lambda: take(q=None)),
            (ValueError, "q: 'k' is no function of t", lambda: take(q=[k])),
            (TypeError, "q is a str", lambda: take(q="x")),
            (TypeError, "values is a list", lambda: take(values=[1])),
            (ValueError, r"values\[k\] is None", lambda: take(values={k: None})),
            (ValueError, r"values\[k\] is nan", lambda: take(values={k: np.nan})),
            (ValueError, r"values\[k\] is 1j", lambda: take(values={k: 1j})),
            (TypeError, "initial is a list", lambda: take(initial=[1])),
            (TypeError, r"initial\[x\(t\)\] is 'a'", lambda: take(initial={x: "a"})),
            (TypeError, r"initial\[x\(t\)\] is None", lambda: take(initial={x: None})),
            (ValueError, r"initial: 'y\(t\)' is neither", lambda: take(initial={y: 1})),
            (TypeError, "holonomic is a x, expected a list", lambda: take(holonomic=x)),
            (TypeError, "outputs is a list", lambda: take(outputs=[x])),
            (TypeError, "t_end is a str", lambda: take(t_end="a")),
            (ValueError, "the function 'besselj' is unknown", lambda: take(sympy.besselj(0, x)))):
        raised(kind, words, call)


def test_functions_are_not_pickled(numpy_pendulum):
    for way in (pickle.dumps, copy.deepcopy):
        raised(TypeError, "a Problem holds functions", lambda way=way: way(numpy_pendulum))


def test_an_integrator_that_has_not_started_has_no_state(pendulum):
    g = _sodae.Integrator(pendulum._source(), {}, (None, None, None), [])
    for call in (g.row, g.index, g.reactions, lambda: g.step(1.0), lambda: g.run(1.0, None, [], 0, 0, None)):
        raised(RuntimeError, "has not started", call)
    raised(RuntimeError, "was not made", _sodae.Integrator.__new__(_sodae.Integrator).row)


def test_an_integrator_in_use_is_refused(numpy_pendulum):
    box = {}

    def force(t, q, v):
        box["integrator"].row()
        return [0, -9.81]

    g = _sodae.Integrator(numpy_pendulum._source(), {}, (None, None, None), [])
    g.start(None)
    box["integrator"] = g
    p = sodae.Problem(nv=2, force=force, initial=dict(q=[1, 0]))
    p.solve(0.01)  # another one's callback may look at it
    g2 = _sodae.Integrator(p._source(), {}, (None, None, None), [])
    g2.start(None)
    box["integrator"] = g2
    error = g2.run(1.0, None, [], 0, 0, None)["error"]
    assert isinstance(error, RuntimeError) and "one belongs to one thread" in str(error)


def test_steps_are_refused_at_the_call(pendulum):
    raised(TypeError, "unknown argument 'rtoll'", lambda: pendulum.steps(1, rtoll=1))
