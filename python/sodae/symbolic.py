"""Systems of sympy: Kane's and Lagrange's methods, or matrices."""
from __future__ import annotations

import re
from typing import Any, Optional, Sequence

from ._checks import expected, mapping, number, text
from .model import TextModel, write

_KNOWN = {"sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "Abs",
          "sign", "Min", "Max", "floor", "Mod"}
_RENAMED = {"Abs": "abs", "Min": "min", "Max": "max", "Mod": "mod"}
_INVERTED = {"sec": "cos", "csc": "sin", "cot": "tan"}


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
            if name in _INVERTED:
                return f"(1/{_INVERTED[name]}({self._print(expr.args[0])}))"
            if name not in _KNOWN:
                raise ValueError(f"the function '{name}' is unknown to sodae")
            return f"{_RENAMED.get(name, name)}({', '.join(map(self._print, expr.args))})"

        _print_Abs = _print_Min = _print_Max = _print_Mod = _print_Function

        def _print_Dummy(self, expr):
            return expr.name

        def _print_Exp1(self, expr):
            return "exp(1)"

        def _print_Piecewise(self, expr):
            *head, (last, rest) = expr.args
            if rest != True:  # noqa: E712
                raise ValueError("a Piecewise has no last case (…, True): it is not defined everywhere")
            text = self._print(last)
            for value, condition in reversed(head):
                text = f"if({self._print(condition)}, {self._print(value)}, {text})"
            return text

        def _print_Relational(self, expr):
            return f"{self._print(expr.lhs)} {expr.rel_op} {self._print(expr.rhs)}"

        def _print_And(self, expr):
            return " and ".join(f"({self._print(x)})" for x in expr.args)

        def _print_Or(self, expr):
            return " or ".join(f"({self._print(x)})" for x in expr.args)

        def _print_Not(self, expr):
            return f"not ({self._print(expr.args[0])})"

        def _print_Heaviside(self, expr):
            return f"if({self._print(expr.args[0])} > 0, 1, 0)"

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

    def give(self, x, base=None) -> str:
        name = base = base or _plain_name(x)
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
    if kane._fr is None:
        raise ValueError("the KanesMethod has no equations yet: call kanes_equations(bodies, loads) first")
    q, u, rates = list(kane.q), list(kane.u), kane.kindiffdict()
    velocity = list(kane._k_nh * sympy.Matrix(u) + kane._f_nh) if kane._k_nh else []
    position = list(kane._f_h) if kane._f_h else []
    plain = list(rates.values()) == u
    if not plain:  # sympy leaves denominators that cancel
        rates = {k: sympy.simplify(x) for k, x in rates.items()}
    if velocity or not plain:
        free = KanesMethod(kane._inertial, q_ind=q, u_ind=u, kd_eqs=[k - x for k, x in rates.items()],
                           u_auxiliary=list(kane._uaux))
        free.kanes_equations(list(kane.bodies), list(kane.loads or []))
        kane = free
    return kane.mass_matrix, kane.forcing, q, u, rates, position, velocity


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


def _in_rates(M, f, q, u, rates, velocity, holonomic):
    """The equations with v = q', and u(q, q') from the kinematic equations, which are linear in u."""
    import sympy
    from sympy.physics.mechanics import dynamicsymbols
    t = dynamicsymbols._t
    qd = [x.diff(t) for x in q]
    right = sympy.Matrix([rates.get(x, x) for x in qd])
    if list(right) == u or all(x == y for x, y in zip(qd, u)):
        return M, f, u, velocity, {}
    Q = right.jacobian(u)
    if Q.has(*u):
        raise ValueError("the kinematic equations are not linear in the speeds")
    if not 0 <= len(q) - len(u) <= len(holonomic):  # as with quaternions: |e| = 1
        raise ValueError(f"{len(q)} coordinates, {len(u)} speeds and {len(holonomic)} holonomic constraints: "
                         "the kinematic equations cannot be inverted")
    c = right.subs({x: 0 for x in u})
    v = [sympy.Symbol(f"v_{_plain_name(x)}") for x in q]
    N = (Q.inv() if len(q) == len(u) else (Q.T * Q).inv() * Q.T).applyfunc(sympy.simplify)
    back = N * (sympy.Matrix(v) - c)
    put = dict(zip(u, back))
    rate = dict(zip(qd, v))
    drift = (N.diff(t) * (sympy.Matrix(v) - c) - N * c.diff(t)).subs(rate)
    put_rates = lambda x: x.subs(put).subs(rate)  # noqa: E731
    M2 = N.T * M * N
    f2 = N.T * (sympy.Matrix(f) - M * drift)
    return put_rates(M2), put_rates(f2), v, [put_rates(x) for x in velocity], {x: put_rates(y) for x, y in put.items()}


def _independent(velocity, holonomic, q, v, values):
    """The velocity constraints that are not rates of holonomic ones, decided at three random states."""
    import numpy
    import sympy
    from sympy.physics.mechanics import dynamicsymbols
    if not velocity or not holonomic:
        return velocity
    t = dynamicsymbols._t
    G, K = sympy.Matrix(holonomic).jacobian(q), sympy.Matrix(velocity).jacobian(v)
    rng = numpy.random.default_rng(1)
    kept = []
    for i in range(K.rows):
        spans = True
        for _ in range(3):
            at = {**{x: rng.uniform(0.3, 1.2) for x in [*q, *v]}, t: 0.7}
            row, g = (numpy.array(x.subs(values).doit().subs(at).evalf(), dtype=float) for x in (K.row(i), G))
            rest = row.T - g.T @ numpy.linalg.lstsq(g.T, row.T, rcond=None)[0]
            spans &= bool(numpy.abs(rest).max() <= 1e-9 * numpy.abs(row).max())
        if not spans:
            kept.append(velocity[i])
    return kept


def _expressions(name: str, given) -> list:
    """A list of expressions, equations as their differences."""
    import sympy
    if isinstance(given, (str, sympy.Basic)) or not hasattr(given, "__iter__"):
        raise expected(name, given, "a list of expressions")
    return [x.lhs - x.rhs if isinstance(x, sympy.Equality) else sympy.sympify(x) for x in given]


def _variables(name: str, given) -> list:
    """Functions of t, or their derivatives."""
    for x in _expressions(name, given):
        if not (x.is_Function or x.is_Derivative):
            raise ValueError(f"{name}: '{x}' is no function of t: make it by dynamicsymbols")
    return list(given)


def _by_name(values: dict, expressions: list) -> dict:
    """Names as the symbols that have them, whatever is assumed of these."""
    import sympy
    symbols = {s.name: s for x in expressions for s in sympy.sympify(x).free_symbols}
    return {symbols.get(k, sympy.Symbol(k)) if isinstance(k, str) else k: x for k, x in values.items()}


def from_sympy(system: Any, *, q: Optional[Sequence] = None, u: Optional[Sequence] = None, holonomic: Sequence = (),
               nonholonomic: Sequence = (), values: Optional[dict] = None, initial: Optional[dict] = None,
               hold: Sequence = (), t_end: Optional[float] = None, outputs: Optional[dict] = None, name: str = "sympy system") -> TextModel:
    """A model from sympy: KanesMethod, LagrangesMethod, JointsMethod, or the matrices (M, f) with q= and u=.

    holonomic, nonholonomic   constraints, never differentiated by the user. Velocity constraints of a KanesMethod are
                              nonholonomic unless they are rates of `holonomic` ones
    values                    numbers of symbols, or of their names; expressions of t for given functions of time
    initial                   initial values, {q1: 0.5, u1: 1}; what is missing is 0, or follows where it is a dependent
                              coordinate or speed of Kane's method
    hold                      coordinates that the start does not move onto the constraints
    outputs                   {"name": expression}, also of accelerations. Speeds that are not rates of the coordinates are
                              outputs by their own names
    """
    import sympy
    from sympy.physics.mechanics import KanesMethod, LagrangesMethod, dynamicsymbols
    t = dynamicsymbols._t
    values = mapping("values", values)
    system = getattr(system, "method", system)  # JointsMethod
    dependent: tuple = ((), ())
    if isinstance(system, KanesMethod):
        M, f, q, u, rates, position, velocity = _from_kane(system)
        dependent = tuple(system._qdep or ()), tuple(system._udep or ())
    elif isinstance(system, LagrangesMethod):
        M, f, q, u, rates, position, velocity = _from_lagrange(system)
    elif isinstance(system, (tuple, list)) and len(system) == 2:
        if q is None or u is None:
            raise TypeError("q and u are needed with matrices: lists of coordinates and speeds")
        M, f, q, u = sympy.Matrix(system[0]), sympy.Matrix(system[1]), _variables("q", q), _variables("u", u)
        if len(q) != len(u) or M.shape != (len(u), len(u)) or len(f) != len(u):
            raise ValueError(f"system: M has shape {M.shape} and f {f.shape}, q has {len(q)} and u {len(u)} entries")
        rates, position, velocity = {x.diff(t): y for x, y in zip(q, u)}, [], []
    else:
        raise TypeError(f"system is a {type(system).__name__}, expected KanesMethod, LagrangesMethod or (M, f)")
    position = [*position, *_expressions("holonomic", holonomic)]
    nonholonomic = _expressions("nonholonomic", nonholonomic)
    values = _by_name(values, [*M, *f, *position, *velocity, *nonholonomic, *rates.values(),
                              *mapping("outputs", outputs).values()])
    start = _Start(q, u, rates, values, mapping("initial", initial))
    start.complete(position, velocity, *dependent)
    M, f, v, velocity, speeds = _in_rates(sympy.Matrix(M), sympy.Matrix(f), q, u, rates,
                                          [*velocity, *nonholonomic], position)
    extra = len(nonholonomic)
    velocity = _independent(velocity[:len(velocity) - extra], position, q, v, values) + velocity[len(velocity) - extra:]
    return _model(_Writer(q, v, values), M, f, position, velocity, start, hold, t_end, speeds, outputs, name)


class _Start:
    """Initial values of coordinates and speeds."""

    def __init__(self, q, u, rates, values, initial):
        import sympy
        self.q, self.u, self.rates, self.values = q, u, rates, values
        self.at = {**dict.fromkeys([*q, *u], 0.0)}
        from sympy.physics.mechanics import dynamicsymbols
        self.t = dynamicsymbols._t
        self.qd = [x.diff(self.t) for x in q]
        for k, x in initial.items():
            k = sympy.sympify(k)
            if k not in self.at and k not in self.qd:
                raise ValueError(f"initial: '{k}' is neither a coordinate nor a speed")
            try:
                self.at[k] = float(sympy.sympify(x).subs(values))
            except (TypeError, AttributeError):
                raise TypeError(f"initial[{k}] is {x!r:.60}, expected a number") from None

    def _number(self, x, at):
        return x.subs(self.values).doit().subs(at).subs(self.t, 0)

    def complete(self, position, velocity, q_dependent, u_dependent):
        """Dependent coordinates and speeds of Kane's method follow from the others."""
        for equations, unknowns in ((position, q_dependent), (velocity, u_dependent)):
            if equations and unknowns:
                self._solve([x.subs(self.rates) for x in equations], unknowns)

    def _solve(self, equations, unknowns):
        """Newton's iteration; where it finds nothing the values stay and the run's start moves all of them."""
        import numpy
        import sympy
        rest = {k: x for k, x in self.at.items() if k not in unknowns}
        y = [sympy.Dummy() for _ in unknowns]
        g = self._number(sympy.Matrix(equations).subs(dict(zip(unknowns, y))), rest)
        both = sympy.lambdify([y], [g, g.jacobian(y)])
        x = numpy.array([self.at[k] for k in unknowns])
        for _ in range(50):
            value, slope = (numpy.array(z, dtype=float) for z in both(x))
            step = numpy.linalg.lstsq(slope, -value.ravel(), rcond=None)[0]
            x = x + step
            if not numpy.isfinite(x).all():
                return
            if numpy.abs(step).max() <= 1e-14 * max(1.0, numpy.abs(x).max()):
                self.at.update(zip(unknowns, map(float, x)))
                return

    def numbers(self):
        """q and q'; speeds that are not rates go through the kinematic equations."""
        v = [self.at[d] if d in self.at else float(self._number(self.rates.get(d, d), self.at)) for d in self.qd]
        return [self.at[x] for x in self.q], v


class _Writer:
    """Expressions as texts in the names of the model file."""

    def __init__(self, q, v, values):
        import sympy
        from sympy.physics.mechanics import dynamicsymbols
        self.t = dynamicsymbols._t
        self.names, self.printer = _Names(), _printer()
        self.q = [self.names.give(x) for x in q]
        self.v = [self.names.give(x, f"v_{_plain_name(x.args[0])}" if x.is_Derivative else None) for x in v]
        self.rate = {x: sympy.Dummy(n) for x, n in zip(v, self.v)}
        self.rate.update({x.diff(self.t): self.rate[y] for x, y in zip(q, v)})
        self.place = {x: sympy.Dummy(n) for x, n in zip(q, self.q)}
        self.v_rate = {y: sympy.Dummy(f"a_{n}") for y, n in zip(v, self.q)}
        self.acceleration = {x.diff(self.t, 2): self.v_rate[y] for x, y in zip(q, v)}
        self.acceleration.update({y.diff(self.t): a for y, a in self.v_rate.items() if y.has(self.t)})
        self.given = {k: sympy.sympify(x) for k, x in values.items() if hasattr(k, "args") and k.args}
        self.parameters = {}
        for symbol, value in values.items():
            if symbol in self.given:
                continue
            x = sympy.sympify(value)
            if not (x is not None and getattr(x, "is_number", False) and x.is_finite and x.is_real):
                raise ValueError(f"values[{symbol}] is {value}, expected a finite real number")
            self.parameters[symbol] = (sympy.Dummy(self.names.give(symbol)), float(x))

    def __call__(self, x) -> str:
        import sympy
        from sympy.core.function import AppliedUndef
        x = sympy.sympify(x).subs(self.given).doit()
        x = x.subs(self.rate).subs(self.place)
        back = {n: s for s, n in [*self.rate.items(), *self.place.items()]}
        unknown = [str(y.xreplace(back)) for kind in (AppliedUndef, sympy.Derivative) for y in x.atoms(kind)]
        if unknown:
            raise ValueError(f"'{min(unknown, key=len)}' is an undefined function: give it in values, "
                             "as an expression of t")
        known = {s: n for s, (n, _) in self.parameters.items()}
        free = x.free_symbols.difference(known, self.rate.values(), self.place.values(), self.v_rate.values(), [self.t])
        if free:
            raise ValueError(f"the symbol '{sorted(map(str, free))[0]}' has no value: give it in values")
        return self.printer.doprint(x.subs({**known, self.t: sympy.Symbol("t")}))

    def outputs(self, speeds: dict, outputs: dict) -> dict:
        """Speeds that are not rates, by their names, and the user's own outputs."""
        import sympy
        rates = {u.diff(self.t): x.diff(self.t) + sum(x.diff(v) * a for v, a in self.v_rate.items()) for u, x in speeds.items()}
        own = {k: sympy.sympify(x).subs(rates).subs(speeds).subs(self.acceleration) for k, x in outputs.items()}
        return {**{self.names.give(u): self(x) for u, x in speeds.items() if _plain_name(u) not in own},
                **{k: self(x) for k, x in own.items()}}


def _held(names, hold):
    for x in hold:
        if x not in names:
            raise ValueError(f"hold: '{x}' is no coordinate")
    return [names[x] for x in hold]


def _model(write_, M, f, position, velocity, start, hold, t_end, speeds, outputs, name):
    positions, velocities = start.numbers()
    equations = {"positions": write_.q, "velocities": write_.v,
                 "mass": [[write_(M[i, j]) for j in range(M.cols)] for i in range(M.rows)],
                 "force": [write_(x) for x in f]}
    if position:
        equations["holonomic"] = [write_(x) for x in position]
    if velocity:
        equations["nonholonomic"] = [write_(x) for x in velocity]
    file: dict = {"sodae": 1, "name": text("name", name)}
    if write_.parameters:
        file["parameters"] = {n.name: x for n, x in write_.parameters.values()}
    file["equations"] = equations
    file["initial"] = {"positions": positions, "velocities": velocities}
    if hold:
        file["initial"]["hold"] = _held(dict(zip(start.q, write_.q)), hold)
    outputs = write_.outputs(speeds, mapping("outputs", outputs))
    if outputs:
        file["outputs"] = outputs
    if t_end is not None:
        file["run"] = {"t_end": number("t_end", t_end)}
    return TextModel(write(file), name)
