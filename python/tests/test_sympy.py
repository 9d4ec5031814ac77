"""Systems of sympy.physics.mechanics."""
import numpy as np
import pytest

import sodae

sympy = pytest.importorskip("sympy")
import sympy as sm  # noqa: E402
import sympy.physics.mechanics as me  # noqa: E402

t = me.dynamicsymbols._t
m, g, l, d = sm.symbols("m g l d")
VALUES = {m: 1, g: 9.81, l: 1, d: 2}


def chain(n):
    q, u = me.dynamicsymbols(f"q1:{n + 1}"), me.dynamicsymbols(f"u1:{n + 1}")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    end, bodies, loads = O, [], []
    for i in range(n):
        A = N.orientnew(f"A{i}", "Axis", (q[i], N.z))
        A.set_ang_vel(N, u[i] * N.z)
        centre, tip = end.locatenew(f"G{i}", l / 2 * A.x), end.locatenew(f"P{i}", l * A.x)
        centre.v2pt_theory(end, N, A)
        tip.v2pt_theory(end, N, A)
        bodies.append(me.RigidBody(f"B{i}", centre, A, m, (me.inertia(A, 0, 0, m * l**2 / 12), centre)))
        loads.append((centre, -m * g * N.y))
        end = tip
    r = end.pos_from(O)
    return N, q, u, bodies, loads, [r.dot(N.x) - d, r.dot(N.y)]


def test_a_loop_closed_by_hand_equals_kanes_dependent_speeds():
    N, q, u, bodies, loads, loop = chain(3)
    kd = [a - b.diff(t) for a, b in zip(u, q)]
    start = {q[0]: 0.8, q[1]: -0.1, q[2]: -0.7, u[0]: 0.5}
    free = me.KanesMethod(N, q, u, kd_eqs=kd)
    free.kanes_equations(bodies, loads)
    rates = dict(zip([x.diff(t) for x in q], u))
    bound = me.KanesMethod(N, q_ind=q, u_ind=u[:1], u_dependent=u[1:], kd_eqs=kd,
                           velocity_constraints=[h.diff(t).subs(rates) for h in loop])
    bound.kanes_equations(bodies, loads)
    a, b = (sodae.from_sympy(k, holonomic=loop, values=VALUES, initial=start).solve(1, rtol=1e-8) for k in (free, bound))
    assert np.abs(a.q[-1] - b.q[-1]).max() < 1e-7
    assert a.lam.shape[1] == b.lam.shape[1] == 2 and b.psi.shape[1] == 0
    assert abs(np.cos(a.q).sum(axis=1) - 2).max() < 1e-10


def test_lagranges_constraints_are_taken():
    x, y = me.dynamicsymbols("x y")
    L = m * (x.diff(t)**2 + y.diff(t)**2) / 2 - m * g * y
    lagrange = me.LagrangesMethod(L, [x, y], hol_coneqs=[x**2 + y**2 - l**2])
    lagrange.form_lagranges_equations()
    sol = sodae.from_sympy(lagrange, values=VALUES, initial={x: 1}).solve(2, rtol=1e-9)
    q = sodae.Problem(nv=1, force=lambda t, q, v: [-9.81 * np.cos(q[0])], initial=dict(q=[0])).solve(2, rtol=1e-9)
    assert sol["x"][-1] == pytest.approx(np.cos(q.q[-1, 0]), abs=1e-7)


def test_kinematic_equations_are_inverted():
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    a, w = me.dynamicsymbols("a w")
    B = N.orientnew("B", "Axis", (a, N.z))
    rate = w / (2 + sm.sin(a))
    B.set_ang_vel(N, rate * N.z)
    P = O.locatenew("P", l * B.x)
    P.v2pt_theory(O, N, B)
    kane = me.KanesMethod(N, [a], [w], kd_eqs=[w - (2 + sm.sin(a)) * a.diff(t)])
    kane.kanes_equations([me.Particle("p", P, m)], [(P, -m * g * N.y)])
    sol = sodae.from_sympy(kane, values=VALUES, initial={a: 0.3, w: 1.0}).solve(1, rtol=1e-9)
    p = sodae.Problem(nv=1, force=lambda t, q, v: [-9.81 * np.cos(q[0])],
                      initial=dict(q=[0.3], v=[1 / (2 + np.sin(0.3))])).solve(1, rtol=1e-9)
    assert sol["a"][-1] == pytest.approx(p.q[-1, 0], abs=1e-7)


def test_given_functions_of_time_and_missing_values_are_named():
    x, v = me.dynamicsymbols("x v")
    F = sm.Function("F")(t)
    with pytest.raises(ValueError, match=r"'F\(t\)' is an undefined function"):
        sodae.from_sympy(([[m]], [F]), q=[x], u=[v], values={m: 1})
    with pytest.raises(ValueError, match="the symbol 'm' has no value"):
        sodae.from_sympy(([[m]], [1]), q=[x], u=[v])
    with pytest.raises(ValueError, match="initial: 'l'"):
        sodae.from_sympy(([[m]], [1]), q=[x], u=[v], values={m: 1}, initial={l: 1})
    sol = sodae.from_sympy(([[m]], [F]), q=[x], u=[v], values={m: 1, F: sm.sin(t)}).solve(1, rtol=1e-9)
    assert sol["x"][-1] == pytest.approx(1 - np.sin(1), abs=1e-8)


def test_nonholonomic_constraints_of_kane_stay_nonholonomic():
    # a knife edge on a plane
    N = me.ReferenceFrame("N")
    O = me.Point("O")
    O.set_vel(N, 0)
    q, u = me.dynamicsymbols("x y h"), me.dynamicsymbols("u1:4")
    B = N.orientnew("B", "Axis", (q[2], N.z))
    B.set_ang_vel(N, u[2] * N.z)
    P = O.locatenew("P", q[0] * N.x + q[1] * N.y)
    P.set_vel(N, u[0] * N.x + u[1] * N.y)
    body = me.RigidBody("b", P, B, m, (me.inertia(B, 0, 0, m), P))
    edge = P.vel(N).dot(B.y)
    kane = me.KanesMethod(N, q_ind=q, u_ind=[u[0], u[2]], u_dependent=[u[1]],
                          kd_eqs=[a - b.diff(t) for a, b in zip(u, q)], velocity_constraints=[edge])
    kane.kanes_equations([body], [])
    sol = sodae.from_sympy(kane, values={m: 1}, initial={u[0]: 1, u[2]: 0.5}).solve(2, rtol=1e-9)
    assert sol.psi.shape[1] == 1
    assert sol.q[-1] == pytest.approx([2 * np.sin(1), 2 * (1 - np.cos(1)), 1], abs=1e-7)
