"""sodae: second order differential-algebraic equations of mechanics.

>>> import sodae
>>> m = sodae.Model(positions="x y", force=["0", "-m*g"], mass=["m", "m"], holonomic=["x^2 + y^2 - L^2"],
...                 parameters=dict(m=1, g=9.81, L=1), initial=dict(x=1, y=0))
>>> sol = m.solve(2, rtol=1e-8)
>>> sol["x"][-1]
"""
from ._errors import Event, InaccurateWarning, Retry, SolveError
from .mechanism import Mechanism
from .model import Model, load
from .problem import Problem
from .results import Results, Solution, open_results as open  # noqa: A001  (the name users expect)
from .study import analyse, check, compare, converge, sweep
from .symbolic import from_sympy
from .system import formulations, methods, options

__version__ = "0.1.0"
__all__ = ["Event", "InaccurateWarning", "Mechanism", "Model", "Problem", "Results", "Retry", "Solution", "SolveError",
           "analyse", "check", "compare", "converge", "formulations", "from_sympy", "load", "methods", "open",
           "options", "sweep"]
