"""Systems of sympy: Kane's and Lagrange's methods, or matrices."""
from __future__ import annotations

import re
from typing import Any

from .model import TextModel, write

_KNOWN = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "Abs",
          "sign", "Min", "Max", "floor", "Mod"}
_RENAMED = {"Abs": "abs", "Min": "min", "Max": "max", "Mod": "mod"}


def _printer():
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        def _print_Pow(self, expr, rational=False):
            base, power = expr.as_base_exp()
            if power == 0.5:
                return f"sqrt({self._print(base)})"
            return f"({self._print(base)})^({self._print(power)})"

        def _print_Function(self, expr):
            name = type(expr).__name__
            if name not in _KNOWN:
                raise ValueError(f"the function '{name}' is unknown to sodae")
            return f"{_RENAMED.get(name, name)}({', '.join(map(self._print, expr.args))})"

        _print_Abs = _print_Min = _print_Max = _print_Mod = _print_Function

        def _print_Exp1(self, expr):
            return "exp(1)"

        def _print_Piecewise(self, expr):
            *head, (last, _) = expr.args
            text = self._print(last)
            for value, condition in reversed(head):
                text = f"if({self._print(condition)}, {self._print(value)}, {text})"
            return text

        def _print_Relational(self, expr):
            return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

        def _print_Float(self, expr):
            return repr(float(expr))

    return Printer()


def _plain_name(x: Any) -> str:
    """A name that model files accept."""
    name = x.func.__name__ if hasattr(x, "func") and x.is_Function else str(x)
    name = re.sub(r"\W", "_", name)
    return f"n{name}" if name[:1].isdigit() else name


class _Names:
    """One name for every symbol."""

    def __init__(self):
        self.used = {"t", "pi", "if", "sum", "and", "or", "not"}
        self.of: dict = {}

    def give(self, x) -> str:
        name = base = _plain_name(x)
        k = 2
        while name in self.used:
            name, k = f"{base}_{k}", k + 1
        self.used.add(name)
        self.of[x] = name
        return name


def _from_kane(kane):
    """M, f, q, u, q' in terms of u, configuration and velocity constraints, with all speeds independent."""
    import sympy
    from sympy.physics.mechanics import KanesMethod
    q, u = list(kane.q), list(kane.u)
    velocity = list(kane._k_nh * sympy.Matrix(u) + kane._f_nh) if kane._k_nh else []
    position = list(kane._f_h) if kane._f_h else []
    if velocity:
        if not kane.bodies:
            raise ValueError("the KanesMethod has no equations yet: call kanes_equations(bodies, loads) first")
        rates = kane.kindiffdict()
        free = KanesMethod(kane._inertial, q_ind=q, u_ind=u, kd_eqs=[k - v for k, v in rates.items()])
        free.kanes_equations(list(kane.bodies), list(kane.loads or []))
        kane = free
    if kane._fr is None:
        raise ValueError("the KanesMethod has no equations yet: call kanes_equations(bodies, loads) first")
    return kane.mass_matrix, kane.forcing, q, u, kane.kindiffdict(), position, velocity


def _from_lagrange(lagrange):
    import sympy
    from sympy.physics.mechanics import dynamicsymbols
    t = dynamicsymbols._t
    q = list(lagrange.q)
    if getattr(lagrange, "eom", None) is None or not len(lagrange.eom):
        lagrange.form_lagranges_equations()
    qd, qdd = [x.diff(t) for x in q], [x.diff(t, 2) for x in q]
    multipliers = {x: 0 for x in getattr(lagrange, "lam_vec", [])}
    eom = sympy.Matrix(lagrange.eom).subs(multipliers)
    M = eom.jacobian(qdd)
    f = -eom.subs({x: 0 for x in qdd})
    position = list(lagrange._hol_coneqs) if lagrange.coneqs else []
    velocity = list(lagrange.coneqs)[len(position):] if lagrange.coneqs else []
    return M, f, q, qd, {x: x for x in qd}, position, velocity


def _in_rates(M, f, q, u, rates, velocity):
    """The equations with v = q': u(q, q') from the kinematic equations, which are linear in u."""
    import sympy
    from sympy.physics.mechanics import dynamicsymbols
    t = dynamicsymbols._t
    qd = [x.diff(t) for x in q]
    right = sympy.Matrix([rates.get(x, x) for x in qd])
    if list(right) == u or all(x == y for x, y in zip(qd, u)):
        return M, f, u, velocity
    if len(q) != len(u):
        raise ValueError(f"{len(q)} coordinates and {len(u)} speeds: kinematic equations cannot be inverted")
    Q = right.jacobian(u)
    if Q.has(*u):
        raise ValueError("the kinematic equations are not linear in the speeds")
    c = right.subs({x: 0 for x in u})
    v = [sympy.Symbol(f"v_{_plain_name(x)}") for x in q]
    N = Q.inv()
    back = N * (sympy.Matrix(v) - c)
    put = dict(zip(u, back))
    rate = dict(zip(qd, v))
    drift = (N.diff(t) * (sympy.Matrix(v) - c) - N * c.diff(t)).subs(rate)
    put_rates = lambda x: x.subs(put).subs(rate)  # noqa: E731
    M2 = N.T * M * N
    f2 = N.T * (sympy.Matrix(f) - M * drift)
    return put_rates(M2), put_rates(f2), v, [put_rates(x) for x in velocity]


def _independent(velocity, holonomic, q, v, rates, values):
    """The velocity constraints that are not rates of holonomic ones, decided at three random states."""
    import numpy
    import sympy
    from sympy.physics.mechanics import dynamicsymbols
    if not velocity or not holonomic:
        return velocity
    t = dynamicsymbols._t
    back = {y: x for x, y in rates.items()}
    G = sympy.Matrix(holonomic).jacobian(q)
    K = sympy.Matrix(velocity).subs({x: y for x, y in back.items() if x != y}).jacobian(v)
    numbers = {k: value for k, value in values.items() if not hasattr(value, "free_symbols")}
    rng = numpy.random.default_rng(1)
    kept = []
    for i in range(K.rows):
        spans = True
        for _ in range(3):
            at = {**{x: rng.uniform(0.3, 1.2) for x in [*q, *v]}, t: 0.7}
            row = numpy.array(K.row(i).subs(numbers).subs(at).evalf(), dtype=float)
            g = numpy.array(G.subs(numbers).subs(at).evalf(), dtype=float)
            rest = row.T - g.T @ numpy.linalg.lstsq(g.T, row.T, rcond=None)[0]
            spans &= bool(numpy.abs(rest).max() < 1e-9 * max(1e-300, numpy.abs(row).max()))
        if not spans:
            kept.append(velocity[i])
    return kept


def from_sympy(system, *, q=None, u=None, holonomic=(), nonholonomic=(), values=None, initial=None, t_end=None,
               outputs=None, name: str = "sympy system") -> TextModel:
    """A model from sympy: KanesMethod, LagrangesMethod, or the matrices (M, f) with q= and u=.

    holonomic, nonholonomic   constraints, never differentiated by the user. Velocity constraints of a KanesMethod are
                              nonholonomic unless they are rates of `holonomic` ones
    values                    numbers of symbols; expressions of t for given functions of time
    initial                   initial values, {q1: 0.5, u1: 1}; what is missing is 0
    outputs                   {"name": expression}
    """
    import sympy
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod, dynamicsymbols
    t = dynamicsymbols._t
    values, initial = dict(values or {}), dict(initial or {})
    if isinstance(system, KanesMethod):
        M, f, q, u, rates, position, velocity = _from_kane(system)
    elif isinstance(system, LagrangesMethod):
        M, f, q, u, rates, position, velocity = _from_lagrange(system)
    elif isinstance(system, (tuple, list)) and len(system) == 2:
        if q is None or u is None:
            raise TypeError("q and u are needed with matrices: lists of coordinates and speeds")
        M, f, q, u = sympy.Matrix(system[0]), sympy.Matrix(system[1]), list(q), list(u)
        rates, position, velocity = {x.diff(t): y for x, y in zip(q, u)}, [], []
    else:
        raise TypeError(f"system is a {type(system).__name__}, expected KanesMethod, LagrangesMethod or (M, f)")
    position = [*position, *map(sympy.sympify, holonomic)]
    velocity = [*_independent(velocity, position, q, u, rates, values), *map(sympy.sympify, nonholonomic)]
    M, f, v, velocity = _in_rates(sympy.Matrix(M), sympy.Matrix(f), q, u, rates, velocity)
    return _model(_Writer(q, v, rates, values), M, f, position, velocity, q, u, v, rates, initial, t_end, outputs, name)


class _Writer:
    """Expressions as texts in the names of the model file."""

    def __init__(self, q, v, rates, values):
        import sympy
        from sympy.physics.mechanics import dynamicsymbols
        self.t = dynamicsymbols._t
        self.names, self.printer = _Names(), _printer()
        self.q = [self.names.give(x) for x in q]
        self.v = [self.names.give(x.args[0].func(self.t) if x.is_Derivative else x)
                  if not x.is_Derivative else self._rate_name(x) for x in v]
        self.rate = {x: sympy.Symbol(n) for x, n in zip(v, self.v)}
        self.rate.update({x.diff(self.t): sympy.Symbol(n) for x, n in zip(q, self.v)})
        self.place = {x: sympy.Symbol(n) for x, n in zip(q, self.q)}
        self.given = {k: sympy.sympify(x) for k, x in values.items() if hasattr(k, "args") and k.args}
        self.parameters = {}
        for symbol, value in values.items():
            if symbol in self.given:
                continue
            symbol = sympy.Symbol(symbol) if isinstance(symbol, str) else symbol
            number = sympy.sympify(value)
            if not number.is_number:
                raise ValueError(f"values[{symbol}] is {value}, expected a number")
            self.parameters[symbol] = (self.names.give(symbol), float(number))

    def _rate_name(self, derivative):
        name = self.names.give(derivative)
        self.names.used.discard(name)
        name = f"v_{_plain_name(derivative.args[0])}"
        self.names.used.add(name)
        return name

    def __call__(self, x) -> str:
        import sympy
        from sympy.core.function import AppliedUndef
        x = sympy.sympify(x).subs(self.given).doit()
        x = x.subs(self.rate).subs(self.place)
        unknown = sorted(map(str, x.atoms(AppliedUndef, sympy.Derivative)))
        if unknown:
            raise ValueError(f"'{unknown[0]}' is an undefined function: give it in values, as an expression of t")
        known = {s: sympy.Symbol(n) for s, (n, _) in self.parameters.items()}
        free = x.free_symbols - set(known) - set(self.rate.values()) - set(self.place.values()) - {self.t}
        if free:
            raise ValueError(f"the symbol '{sorted(map(str, free))[0]}' has no value: give it in values")
        return self.printer.doprint(x.subs(known).subs({self.t: sympy.Symbol("t")}))


def _start(write_, q, u, v, rates, initial, M):
    """Initial values of q and v; speeds that are not rates go through the kinematic equations."""
    import sympy
    at = {sympy.sympify(k): sympy.sympify(x) for k, x in initial.items()}
    known = {**dict.fromkeys(q), **dict.fromkeys(u), **dict.fromkeys(v), **{x.diff(write_.t): None for x in q}}
    for k in at:
        if k not in known:
            raise ValueError(f"initial: '{k}' is neither a coordinate nor a speed")
    numbers = {s: x for s, (_, x) in write_.parameters.items()}
    positions = [float(at.get(x, 0)) for x in q]
    put = {**dict(zip(q, positions)), **{x: at.get(x, 0) for x in u}, **numbers, write_.t: 0}
    velocities = []
    for x in q:
        rate = x.diff(write_.t)
        value = at.get(rate, rates.get(rate, at.get(rate, 0)))
        velocities.append(float(sympy.sympify(value).subs(put)) if value != rate else 0.0)
    return positions, velocities


def _model(write_, M, f, position, velocity, q, u, v, rates, initial, t_end, outputs, name):
    positions, velocities = _start(write_, q, u, v, rates, initial, M)
    equations = {"positions": write_.q, "velocities": write_.v,
                 "mass": [[write_(M[i, j]) for j in range(M.cols)] for i in range(M.rows)],
                 "force": [write_(x) for x in f]}
    if position:
        equations["holonomic"] = [write_(x) for x in position]
    if velocity:
        equations["nonholonomic"] = [write_(x) for x in velocity]
    file: dict = {"sodae": 1, "name": name}
    if write_.parameters:
        file["parameters"] = {n: x for n, x in write_.parameters.values()}
    file["equations"] = equations
    file["initial"] = {"positions": positions, "velocities": velocities}
    if outputs:
        file["outputs"] = {k: write_(x) for k, x in outputs.items()}
    if t_end is not None:
        file["run"] = {"t_end": float(t_end)}
    return TextModel(write(file), name)
