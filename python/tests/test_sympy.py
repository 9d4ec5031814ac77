"""Systems of sympy.physics.mechanics."""
import json
import subprocess

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
    both = [sodae.from_sympy(k, holonomic=loop, values=VALUES, initial=start) for k in (bound, free)]
    b = both[0].solve(1, rtol=1e-8)
    a = both[1].solve(1, rtol=1e-8, initial={"q": b.q[0], "v": b.v[0]})
    assert np.abs(a.q[-1] - b.q[-1]).max() < 1e-7
    assert a.lam.shape[1] == b.lam.shape[1] == 2 and b.psi.shape[1] == 0
    assert abs(np.cos(a.q).sum(axis=1) - 2).max() < 1e-10


def test_held_coordinates_stay_where_they_are():
    N, q, u, bodies, loads, loop = chain(4)
    kane = me.KanesMethod(N, q, u, kd_eqs=[a - b.diff(t) for a, b in zip(u, q)])
    kane.kanes_equations(bodies, loads)
    given = dict(holonomic=loop, values=VALUES, initial=dict(zip(q, (0.9, 0.5, -0.5, -0.9))))
    free, held = (sodae.from_sympy(kane, hold=hold, **given).solve(0.1).q[0] for hold in ((), q[:1]))
    assert held[0] == 0.9 and free[0] > 0.95 and abs(np.cos(held).sum() - 2) < 1e-12
    with pytest.raises(ValueError, match="hold: 'u1"):
        sodae.from_sympy(kane, hold=u[:1], **given)
    slider = sodae.Model("x y", ["0", "0"], holonomic=["x^2 + y^2 - 1"], initial=dict(x=0.5, y=0.8), hold="x")
    assert slider.solve(0.1).q[0] == pytest.approx([0.5, 0.75**0.5], abs=1e-12)


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
    sol = sodae.from_sympy(kane, values=VALUES, initial={a: 0.3, w: 1.0},
                           outputs={"dw": w.diff(t), "da": a.diff(t, 2), "both": w + a.diff(t)}).solve(1, rtol=1e-9)
    p = sodae.Problem(nv=1, force=lambda t, q, v: [-9.81 * np.cos(q[0])],
                      initial=dict(q=[0.3], v=[1 / (2 + np.sin(0.3))])).solve(1, rtol=1e-9)
    assert sol["a"][-1] == pytest.approx(p.q[-1, 0], abs=1e-7)
    # the user's speed is an output by its name, and so is what is made of its rate
    angle, v, acc = p.q[-1, 0], p.v[-1, 0], p.a[-1, 0]
    assert sol["w"][-1] == pytest.approx((2 + np.sin(angle)) * v, abs=1e-7)
    assert sol["dw"][-1] == pytest.approx((2 + np.sin(angle)) * acc + np.cos(angle) * v**2, abs=1e-6)
    assert sol["da"][-1] == sol["a_a"][-1] and sol["both"][-1] == pytest.approx(sol["w"][-1] + v, abs=1e-7)


def test_given_functions_of_time_and_missing_values_are_named():
    x, v = me.dynamicsymbols("x v")
    F = sm.Function("F")(t)
    with pytest.raises(ValueError, match=r"'F\(t\)' is an undefined function"):
        sodae.from_sympy(([[m]], [F]), q=[x], u=[v], values={m: 1})
    with pytest.raises(ValueError, match="the symbol 'm' has no value"):
        sodae.from_sympy(([[m]], [1]), q=[x], u=[v])
    with pytest.raises(ValueError, match="initial: 'l'"):
        sodae.from_sympy(([[m]], [1]), q=[x], u=[v], values={m: 1}, initial={l: 1})
    weight = sm.Symbol("weight", positive=True)
    by_name = sodae.from_sympy(([[weight]], [weight * x]), q=[x], u=[v], values={"weight": 3, "unused": 1})
    assert by_name.weight == 3
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


def by_scipy(kane, values, state, t_end):
    """Kane's own equations, minimal in the speeds, by scipy."""
    from scipy.integrate import solve_ivp
    M, F = (sm.lambdify([t, *kane.q, *kane.u], x.subs(values)) for x in (kane.mass_matrix_full, kane.forcing_full))
    run = solve_ivp(lambda s, x: np.linalg.solve(M(s, *x), F(s, *x)).ravel(), (0, t_end), state, rtol=1e-11, atol=1e-12)
    return run.y[:len(kane.q), -1]


def by_command(command, text, t_end):
    """q and v at the end of the run of a text by the command."""
    done = subprocess.run([command, "run", "-", "--rtol", "1e-9", "--t-end", repr(t_end), "--json"], input=text,
                          capture_output=True, text=True, check=True)
    report = json.loads(done.stdout)
    return np.array(report["q"]), np.array(report["v"])


def test_a_slider_crank_gives_the_digits_of_its_text(command):
    """Lagrange's method with forces; the same mechanism written by hand."""
    a, b, s = q = me.dynamicsymbols("a b s")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A, B = (N.orientnew(n, "Axis", (x, N.z)) for n, x in (("A", a), ("B", b)))
    crank, pin, rod, piston = (O.locatenew(n, r) for n, r in (
        ("c", 0.15 * A.x), ("p", 0.3 * A.x), ("r", 0.3 * A.x + l / 2 * B.x), ("s", s * N.x)))
    for p in (crank, pin, rod, piston):
        p.set_vel(N, p.pos_from(O).dt(N))
    bodies = [me.RigidBody("1", crank, A, m, (me.inertia(A, 0, 0, m * 0.0075), crank)),
              me.RigidBody("2", rod, B, m, (me.inertia(B, 0, 0, m * l**2 / 12), rod)), me.Particle("3", piston, m)]
    loads = [(crank, -m * g * N.y), (rod, -m * g * N.y), (piston, -2 * s.diff(t) * N.x)]
    loop = pin.pos_from(O) + l * B.x - s * N.x
    lagrange = me.LagrangesMethod(me.Lagrangian(N, *bodies), q, hol_coneqs=[loop.dot(N.x), loop.dot(N.y)],
                                  forcelist=loads, frame=N)
    lagrange.form_lagranges_equations()
    model = sodae.from_sympy(lagrange, values=VALUES, initial={a: 0.5, b: -0.144, s: 1.25, a.diff(t): 8})
    sol = model.solve(1, rtol=1e-9)
    assert np.array_equal(by_command(command, model.text, 1.0)[0], sol.q[-1])
    by_hand = f"""sodae: 1
equations:
  positions: [a, b, s]
  lagrangian:
    kinetic: 0.03*v_a^2/2 + ((0.3*sin(a)*v_a + sin(b)*v_b/2)^2 + (0.3*cos(a)*v_a + cos(b)*v_b/2)^2 + v_b^2/12 + v_s^2)/2
    potential: 9.81*(0.45*sin(a) + sin(b)/2)
  force: [0, 0, -2*v_s]
  holonomic: [0.3*cos(a) + cos(b) - s, 0.3*sin(a) + sin(b)]
initial: {{positions: {list(sol.q[0])}, velocities: {list(sol.v[0])}}}
"""
    assert by_command(command, by_hand, 1.0)[0] == pytest.approx(sol.q[-1], abs=1e-7)


def test_speeds_mixed_with_time_are_inverted(command):
    q, u = me.dynamicsymbols("a b"), me.dynamicsymbols("p s")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    kd = [u[0] - q[0].diff(t) - q[1].diff(t), u[1] - (2 + sm.cos(t)) * q[0].diff(t) + q[1].diff(t) / 2 - sm.sin(t)]
    rates = sm.solve(kd, [x.diff(t) for x in q])
    P, S = O.locatenew("P", q[0] * N.x + q[0] * q[1] * N.y), O.locatenew("S", sm.sin(q[1]) * N.z)
    for x in (P, S):
        x.set_vel(N, x.pos_from(O).dt(N).subs(rates))
    kane = me.KanesMethod(N, q, u, kd_eqs=kd)
    kane.kanes_equations([me.Particle("p", P, 1), me.Particle("s", S, 2)],
                         [(P, -3 * q[0] * N.x + N.y), (S, -sm.sin(q[1]) * N.z)])
    model = sodae.from_sympy(kane, initial={q[0]: 1, q[1]: 0.2, u[0]: 0.3, u[1]: -0.2})
    sol = model.solve(1, rtol=1e-9)
    assert np.array_equal(by_command(command, model.text, 1.0), [sol.q[-1], sol.v[-1]])
    assert sol.q[-1] == pytest.approx(by_scipy(kane, {}, [1, 0.2, 0.3, -0.2], 1), abs=1e-8)


def test_a_bead_on_a_hoop_that_turns_as_given(command):
    """A rotating frame: the hoop's angle is a function of time."""
    (a, w), hoop = me.dynamicsymbols("a w"), sm.Function("hoop")(t)
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    H = N.orientnew("H", "Axis", (hoop, N.z))
    P = O.locatenew("P", sm.sin(a) * H.x - sm.cos(a) * H.z)
    P.set_vel(N, P.pos_from(O).dt(N).subs({a.diff(t): w}))
    kane = me.KanesMethod(N, [a], [w], kd_eqs=[w - a.diff(t)])
    kane.kanes_equations([me.Particle("p", P, m)], [(P, -m * g * N.z)])
    model = sodae.from_sympy(kane, values={m: 1, g: 9.81, hoop: 6 * t + sm.sin(t) / 5}, initial={a: 0.3})
    sol = model.solve(2, rtol=1e-9)
    assert np.array_equal(by_command(command, model.text, 2.0), [sol.q[-1], sol.v[-1]])
    turns = sodae.Problem(nv=1, force=lambda t, q: (6 + np.cos(t) / 5)**2 * np.sin(2 * q) / 2 - 9.81 * np.sin(q),
                          initial=dict(q=[0.3])).solve(2, rtol=1e-9)
    assert sol["a"][-1] == pytest.approx(turns.q[-1, 0], abs=1e-7)


def test_a_snakeboard_gives_the_digits_of_its_text(command):
    """Two wheels that steer against each other and a rotor: two constraints on velocities."""
    x, y, h, r, s = q = me.dynamicsymbols("x y h r s")
    u = me.dynamicsymbols("u1:6")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    B = N.orientnew("B", "Axis", (h, N.z))
    R, F, K = (B.orientnew(n, "Axis", (z, N.z)) for n, z in (("R", r), ("F", s), ("K", -s)))
    B.set_ang_vel(N, u[2] * N.z)
    for frame, rate in ((R, u[3]), (F, u[4]), (K, -u[4])):
        frame.set_ang_vel(B, rate * N.z)
    C = O.locatenew("C", x * N.x + y * N.y)
    C.set_vel(N, u[0] * N.x + u[1] * N.y)
    front, back = C.locatenew("f", 0.3 * B.x), C.locatenew("b", -0.3 * B.x)
    for wheel in (front, back):
        wheel.v2pt_theory(C, N, B)
    edges = [front.vel(N).dot(F.y), back.vel(N).dot(K.y)]
    bodies = [me.RigidBody(n, p, f, M, (me.inertia(f, 0, 0, J), p)) for n, p, f, M, J in (
        ("b", C, B, 6, 0.2), ("r", C, R, 0, 0.1), ("f", front, F, 0, 0.02), ("k", back, K, 0, 0.02))]
    kane = me.KanesMethod(N, q_ind=list(q), u_ind=u[2:], u_dependent=u[:2],
                          kd_eqs=[b - a.diff(t) for a, b in zip(q, u)], velocity_constraints=edges)
    kane.kanes_equations(bodies, [(R, sm.cos(2 * t) * N.z), (B, -sm.cos(2 * t) * N.z)])
    model = sodae.from_sympy(kane, initial={s: 0.4, u[2]: 0.2, u[3]: -0.1})
    sol = model.solve(3, rtol=1e-9)
    assert sol.psi.shape[1] == 2 and sol.lam.shape[1] == 0
    assert np.array_equal(by_command(command, model.text, 3.0), [sol.q[-1], sol.v[-1]])
    start = [*sol.q[0], *sol.v[0][2:], *sol.v[0][:2]]
    assert sol.q[-1] == pytest.approx(by_scipy(kane, {}, start, 3), abs=1e-7)


def test_a_rolling_disk_with_speeds_of_its_own():
    r = sm.Symbol("r")
    q, u = me.dynamicsymbols("q1:6"), me.dynamicsymbols("u1:6")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    Y = N.orientnew("Y", "Axis", [q[0], N.z])
    L = Y.orientnew("L", "Axis", [q[1], Y.x])
    R = L.orientnew("R", "Axis", [q[2], L.y])
    w = R.ang_vel_in(N)
    kd = [w.dot(e) - x for e, x in zip((L.x, L.y, L.z), u)] + [q[3].diff(t) - u[3], q[4].diff(t) - u[4]]
    rates = sm.solve(kd, [x.diff(t) for x in q])
    R.set_ang_vel(N, u[0] * L.x + u[1] * L.y + u[2] * L.z)
    centre = O.locatenew("C", q[3] * N.x + q[4] * N.y + r * L.z)
    centre.set_vel(N, centre.pos_from(O).dt(N).subs(rates))
    contact = centre.vel(N) + R.ang_vel_in(N).cross(-r * L.z)
    rolls = [sm.simplify(contact.dot(e).subs(rates)) for e in (N.x, N.y)]
    body = me.RigidBody("disk", centre, R, m, (me.inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), centre))
    kane = me.KanesMethod(N, q_ind=q, u_ind=u[:3], u_dependent=u[3:], kd_eqs=kd, velocity_constraints=rolls)
    kane.kanes_equations([body], [(centre, -m * g * N.z)])
    values = {r: 1, m: 1, g: 9.81}
    sol = sodae.from_sympy(kane, values=values, initial={q[1]: 0.1, u[0]: 0.1, u[1]: 4, u[2]: 0.3}).solve(2, rtol=1e-9)
    # the speed of the contact follows from u1, u2, u3
    start = [0, 0.1, 0, 0, 0, 0.1, 4, 0.3, 4 - 0.3 * np.tan(0.1), 0]
    assert sol.v[0][3:] == pytest.approx(start[8:], abs=1e-12) and sol.psi.shape[1] == 2
    assert sol.q[-1] == pytest.approx(by_scipy(kane, values, start, 2), abs=1e-8)


def test_quaternions_and_three_speeds_need_the_length_one():
    q, u = me.dynamicsymbols("e0:4"), me.dynamicsymbols("u1:4")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    B = N.orientnew("B", "Quaternion", q)
    B.set_ang_vel(N, u[0] * B.x + u[1] * B.y + u[2] * B.z)
    O.set_vel(N, 0)
    a, b, c, e = q
    rate = sm.Matrix([[-b, -c, -e], [a, -e, c], [e, a, -b], [-c, b, a]]) / 2 * sm.Matrix(u)
    kane = me.KanesMethod(N, q, u, kd_eqs=[x.diff(t) - y for x, y in zip(q, rate)])
    kane.kanes_equations([me.RigidBody("b", O, B, m, (me.inertia(B, 1, 2, 3), O))], [])
    start = {a: 1, u[0]: 0.1, u[1]: 1, u[2]: 0.05}
    sol = sodae.from_sympy(kane, values={m: 1}, holonomic=[sum(x**2 for x in q) - 1], initial=start).solve(2, rtol=1e-9)
    J = np.diag([1.0, 2, 3])
    p = sodae.Problem(nv=3, mass=J, force=lambda t, q, v: -np.cross(v, J @ v), space="SO3q",
                      initial=dict(q=[1, 0, 0, 0], v=[0.1, 1, 0.05]))
    assert sol.q[-1] == pytest.approx(p.solve(2, rtol=1e-9).q[-1], abs=1e-7)
    with pytest.raises(ValueError, match="4 coordinates, 3 speeds and 0 holonomic"):
        sodae.from_sympy(kane, values={m: 1}, initial=start)


def test_a_skate_that_pulls_a_load_on_a_rod():
    """One velocity constraint is the rate of the rod's length, the other is no rate of anything."""
    q, u = me.dynamicsymbols("x h X Y y"), me.dynamicsymbols("u1:6")
    x, h, X, Y, y = q
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    A = N.orientnew("A", "Axis", (h, N.z))
    A.set_ang_vel(N, u[1] * N.z)
    P, L = O.locatenew("P", x * N.x + y * N.y), O.locatenew("L", X * N.x + Y * N.y)
    P.set_vel(N, u[0] * N.x + u[4] * N.y)
    L.set_vel(N, u[2] * N.x + u[3] * N.y)
    rod = (X - x)**2 + (Y - y)**2 - 1
    rates = {a.diff(t): b for a, b in zip(q, u)}
    kane = me.KanesMethod(N, q_ind=q, u_ind=u[:3], u_dependent=u[3:], kd_eqs=[b - a for a, b in rates.items()],
                          velocity_constraints=[P.vel(N).dot(A.y), rod.diff(t).subs(rates)])
    kane.kanes_equations([me.RigidBody("s", P, A, m, (me.inertia(A, 0, 0, 1), P)), me.Particle("l", L, m)],
                         [(L, -m * N.y)])
    sol = sodae.from_sympy(kane, holonomic=[rod], values={m: 1},
                           initial={X: 0.6, Y: 0.8, u[0]: 1, u[1]: 0.5, u[2]: 1}).solve(2, rtol=1e-9)
    assert (sol.lam.shape[1], sol.psi.shape[1]) == (1, 1)
    assert sol.v[0] == pytest.approx([1, 0.5, 1, 0, 0], abs=1e-12)  # h = 0: y' = 0, so Y' = 0
    assert sol.q[-1] == pytest.approx(by_scipy(kane, {m: 1}, [*sol.q[0], *sol.v[0]], 2), abs=1e-8)


def test_dependent_coordinates_of_kane_follow_from_the_independent():
    N, q, u, bodies, loads, loop = chain(3)
    rates = dict(zip([x.diff(t) for x in q], u))
    kane = me.KanesMethod(N, q_ind=q[:1], q_dependent=q[1:], u_ind=u[:1], u_dependent=u[1:],
                          kd_eqs=[b - a for a, b in rates.items()], configuration_constraints=loop,
                          velocity_constraints=[h.diff(t).subs(rates) for h in loop])
    kane.kanes_equations(bodies, loads)
    sol = sodae.from_sympy(kane, values=VALUES, initial={q[0]: 0.8, q[1]: -0.2, q[2]: -0.9, u[0]: 0.5}).solve(0.1)
    assert sol["q1"][0] == pytest.approx(0.8, abs=1e-12) and sol["u1"][0] == pytest.approx(0.5, abs=1e-12)
    assert sol.start["position_before"] < 1e-12


def test_joints_and_branches_are_taken():
    from sympy.physics.mechanics import Body, JointsMethod, PrismaticJoint
    rail, cart = Body("rail"), Body("cart")
    cart.apply_force(sm.Symbol("F") * rail.x)
    joints = JointsMethod(rail, PrismaticJoint("slide", rail, cart))
    joints.form_eoms()
    values = {s: 2 for s in (joints.method.forcing.free_symbols | joints.method.mass_matrix.free_symbols) - {t}}
    assert sodae.from_sympy(joints, values=values).solve(1).q[-1] == pytest.approx([0.5])
    x, v = me.dynamicsymbols("x v")
    force = sm.Piecewise((1, (x < 0.5) & (t < 10)), (-1, True)) + sm.Heaviside(x - 10) + sm.sec(x) - 1 / sm.cos(x)
    sol = sodae.from_sympy(([[1]], [force]), q=[x], u=[v]).solve(1.5, rtol=1e-9)
    # x = t^2/2 up to t = 1, then the force turns
    assert sol["x"][-1] == pytest.approx(0.5 + 0.5 - 0.125, abs=1e-7)
    with pytest.raises(ValueError, match="no last case"):
        sodae.from_sympy(([[1]], [sm.Piecewise((1, x < 0.5)) + x]), q=[x], u=[v])
    with pytest.raises(ValueError, match=r"system: M has shape \(1, 1\)"):
        sodae.from_sympy(([[1]], [force]), q=[x, v], u=[v])
