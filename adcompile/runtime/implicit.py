"""What solvers find: a root, a minimum, a fixed point. Its derivatives are those of the equation that it solves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adcompile.errors import NotDifferentiable
from adcompile.runtime.dynamic import pull, vjp_of
from adcompile.runtime.objects import FOLLOWED


def solve(solver: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    """What the solver gives, a constant: derivatives go through `solution`."""
    return solver(*args, **settings)


def capturing(fun: Any) -> Any:
    """The function that a solver is given: of a method or a partial application one that has captured what it holds."""
    return fun


def unbound(function: Callable[..., Any], owner: Any) -> Callable[..., Any]:
    return lambda *args: function(owner, *args)


def completed(function: Callable[..., Any], first: tuple[Any, ...], named: dict[str, Any]) -> Callable[..., Any]:
    return lambda *args: function(*first, *args, **named)


def solution(found: Any, residual: Callable[[Any], Any]) -> Any:
    """`found`, where `residual` is zero: what the residual is made of moves it."""
    return found


def beside(told: Any, moved: Any, what: str = "") -> Any:
    """What a solver tells beside the solution, which is `moved`: what it has done, of which no derivative is known."""
    return told


def slope(fun: Callable[[Any], Any], x: Any) -> Any:
    """The gradient of a function of one argument."""
    return pull(vjp_of(fun, (0,), (), "", x)[1], 1.0)[0]


def vector(found: Any) -> Any:
    """What a solver of systems has found, as the axis of unknowns that its derivatives have."""
    return np.asarray(found, np.float64)


def shaped(found: Any, start: Any) -> Any:
    """What a solver has found that keeps the shape of its start, which numbers have, too."""
    return found


def arrayed(found: Any, start: Any) -> Any:
    """What a solver has found that keeps the shape of its start, and makes arrays of numbers."""
    return np.asarray(found)


def limits(found: Any, bounds: Any) -> tuple[Any, Any]:
    """The lower and upper bounds of what `minimize` has found, in an object of SciPy's."""
    shape = np.shape(found)
    return tuple(np.array(np.broadcast_to(b, shape), np.float64) for b in (bounds.lb, bounds.ub))  # type: ignore[return-value]


def inside(x: Any, lower: Any, upper: Any, margin: float = 1e-4) -> None:
    """Raises NotDifferentiable where a minimum between bounds lies at one of them: it does not solve the equation of a
    minimum then, and how far from the bound the solver has stopped is chance."""
    width = np.minimum(np.subtract(upper, lower), 1.0)
    if np.any(x - lower < margin * width) or np.any(upper - x < margin * width):
        raise NotDifferentiable(
            "the derivative of a minimum between bounds that lies at one of them",
            None,
            "use minimize with method='L-BFGS-B', which stops at the bound itself",
        )


class Outcome:
    """What solvers give as one object: the solution by the name that it has there, something beside it that is known
    (the function's value there, the times), and whatever the solver tells."""

    name: str
    second: str

    def __init__(self, solution: Any, known: Any, told: Any) -> None:
        self.solution = solution
        self.known = known
        self.told = told

    def __getattr__(self, name: str) -> Any:
        if name == self.name:
            return self.solution
        return self.known if name == self.second else getattr(beside(self.told, self.solution), name)

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)


class Root(Outcome):
    """Of `root_scalar`."""

    name, second = "root", "fun"


class Optimum(Outcome):
    """Of `root`, `minimize` and the like."""

    name, second = "x", "fun"


class Trajectory(Outcome):
    """Of `solve_ivp`."""

    name, second = "y", "t"


FOLLOWED.update((Root, Optimum, Trajectory))
